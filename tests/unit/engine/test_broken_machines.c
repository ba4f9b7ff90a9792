// SPDX-License-Identifier: MIT
/*
 * Whole runs on broken machines: clocks that jump, waits that never sleep, /proc and /sys that are
 * hidden, empty, truncated or missing. Every figure is true or marked as unknown
 * (tests/unit/shared/sweep.h), and a note names what is missing.
 */
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/sweep.h"

#include "tests/fake_kernel/machines.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define HOUR_NS (3600 * NS_PER_S)

struct strange {
	struct sweep_scene scene;
	const char *note; /* words of a note, or of a refusal; NULL: none is expected */
	bool refused;
	size_t counted; /* threads, at least, in the end */
};

/* A virtual machine, or pmctop, was stopped: 400 intervals are missed at once. */
static void much_time_passes(struct fk *fk, struct faulty *faulty)
{
	(void)faulty;
	fk_advance(fk, 400 * SWEEP_INTERVAL_NS);
}

static void date_goes_back(struct fk *fk, struct faulty *faulty)
{
	(void)fk;
	faulty->realtime_ns -= 400 * 24 * (int64_t)HOUR_NS;
}

static void date_goes_on(struct fk *fk, struct faulty *faulty)
{
	(void)fk;
	faulty->realtime_ns += 900 * 24 * (int64_t)HOUR_NS;
}

static void was_suspended(struct fk *fk, struct faulty *faulty)
{
	(void)fk;
	faulty->boottime_ns += 8 * (int64_t)HOUR_NS;
}

static const struct sweep_step clocks[] = {
	{0},
	{.disturb = date_goes_back},
	{.disturb = was_suspended},
	{.disturb = date_goes_on},
	{.disturb = much_time_passes},
	{.disturb = was_suspended, .commands = {{REQUEST_ADD_EVENTS, "branches"}}},
	{0},
};

static void no_wait_sleeps(struct fk *fk, struct faulty *faulty)
{
	(void)fk;
	faulty_fail(faulty, FAULTY_WAIT, 1, true, -EINTR);
}

static void no_wait_works(struct fk *fk, struct faulty *faulty)
{
	(void)fk;
	faulty_fail(faulty, FAULTY_WAIT, 1, true, -ENOMEM);
}

static void all_reads_are_short(struct fk *fk, struct faulty *faulty)
{
	(void)fk;
	faulty_fail(faulty, FAULTY_PERF_READ, 1, true, FAULTY_SHORT);
}

static void no_descriptor_is_left(struct fk *fk, struct faulty *faulty)
{
	(void)fk;
	faulty_fail(faulty, FAULTY_PERF_OPEN, 1, true, -EMFILE);
}

static void all_is_well_again(struct fk *fk, struct faulty *faulty)
{
	(void)fk;
	faulty->answer = 0;
}

static const struct sweep_step cramped[] = {
	{.disturb = no_descriptor_is_left, .commands = {{REQUEST_ADD_EVENTS, "branches"}}},
	{0},
	{0},
	{.disturb = all_is_well_again},
	{0},
	{0}};

/* Every listed task has ended when its files are read. */
static void main_vanishes(struct fk *fk, struct faulty *faulty)
{
	(void)fk;
	faulty_hide(faulty, "/proc/50", -ESRCH);
}

static void main_is_denied(struct fk *fk, struct faulty *faulty)
{
	(void)fk;
	faulty_hide(faulty, "/proc/50", -EACCES);
}

static void main_holds_its_files(struct fk *fk, struct faulty *faulty)
{
	(void)fk;
	faulty_hold(faulty, 50);
}

static void main_lets_go(struct fk *fk, struct faulty *faulty)
{
	(void)fk;
	faulty_hold(faulty, 0);
}

static void stat_is_half(struct fk *fk, struct faulty *faulty)
{
	(void)fk;
	faulty_hide(faulty, "/proc/50/stat", FAULTY_SHORT);
}

static void files_are_empty(struct fk *fk, struct faulty *faulty)
{
	(void)fk;
	faulty_hide(faulty, "/proc/50/", FAULTY_EMPTY);
}

static void stat_is_empty(struct fk *fk, struct faulty *faulty)
{
	(void)fk;
	faulty_hide(faulty, "/proc/stat", FAULTY_EMPTY);
}

static void proc_is_gone(struct fk *fk, struct faulty *faulty)
{
	(void)fk;
	faulty_hide(faulty, "/proc", -ENOENT);
}

static void proc_is_denied(struct fk *fk, struct faulty *faulty)
{
	(void)fk;
	faulty_hide(faulty, "/proc", -EACCES);
}

static void sys_is_gone(struct fk *fk, struct faulty *faulty)
{
	(void)fk;
	faulty_hide(faulty, "/sys", -ENOENT);
}

static void cgroups_are_gone(struct fk *fk, struct faulty *faulty)
{
	(void)fk;
	faulty_hide(faulty, "/sys/fs/cgroup", -ENOENT);
}

/* All but pmctop's user's. */
static void others_are_hidden(struct fk *fk, struct faulty *faulty)
{
	fk_file(fk, "/proc/self/mountinfo",
		"22 27 0:21 / /proc rw,relatime - proc proc rw,hidepid=2\n");
	faulty_hide(faulty, "/proc/6", -ENOENT); /* 60 to 62 */
}

static const struct sweep_step quiet[] = {{0}, {0}, {0}, {0}};
static const struct sweep_step vanishing[] = {
	{0}, {.disturb = main_vanishes},  {0}, {.disturb = all_is_well_again},
	{0}, {.disturb = main_is_denied}, {0}, {.disturb = all_is_well_again},
	{0}};
static const struct sweep_step holding[] = {
	{0}, {.disturb = main_holds_its_files},
	{0}, {.disturb = main_lets_go},
	{0}, {.disturb = main_holds_its_files, .commands = {{REQUEST_ADD_EVENTS, "branches"}}},
	{0}};
static const struct sweep_step halves[] = {{0},
					   {.disturb = stat_is_half},
					   {0},
					   {.disturb = all_is_well_again},
					   {.disturb = files_are_empty},
					   {0},
					   {.disturb = all_is_well_again},
					   {0}};
static const struct sweep_step going[] = {
	{0}, {.disturb = proc_is_gone}, {0}, {.disturb = all_is_well_again}, {0}};

#define STEPS(of) .steps = (of), .n_steps = ARRAY_SIZE(of)
#define SYSTEM    .machine = {.cpus = 3}
#define TASKS     .machine = {.cpus = 3, .unprivileged = true, .uid = SWEEP_USER, .paranoid = 2}
#define PROC      .machine = {.cpus = 3, .denied = EACCES}

static struct strange stranges[] = {
	{.scene = {.name = "clocks jump", SYSTEM, STEPS(clocks)}},
	{.scene = {.name = "clocks jump, tasks", TASKS, STEPS(clocks)}},
	{.scene = {.name = "clocks jump, /proc alone", PROC, STEPS(clocks)}},
	{.scene = {.name = "clocks jump, in turns", .model = &fk_machine_zen, STEPS(clocks)}},
	{.scene = {.name = "no wait sleeps", SYSTEM, STEPS(quiet), .prepare = no_wait_sleeps}},
	{.scene =
		 {.name = "no wait sleeps, tasks", TASKS, STEPS(quiet), .prepare = no_wait_sleeps}},
	{.scene = {.name = "no wait works", SYSTEM, STEPS(quiet), .prepare = no_wait_works}},
	{.scene = {.name = "all reads are short",
		   SYSTEM,
		   STEPS(quiet),
		   .prepare = all_reads_are_short}},
	{.scene = {.name = "all reads are short, tasks",
		   TASKS,
		   STEPS(quiet),
		   .prepare = all_reads_are_short},
	 .note = "the kernel refuses the others"},
	{.scene = {.name = "descriptors run out, tasks", TASKS, STEPS(cramped)},
	 .note = "no file descriptor is left",
	 .counted = 1},
	{.scene = {.name = "a task vanishes", SYSTEM, STEPS(vanishing)}},
	{.scene = {.name = "a task vanishes, tasks", TASKS, STEPS(vanishing)}},
	{.scene = {.name = "a task vanishes, /proc alone", PROC, STEPS(vanishing)}},
	{.scene = {.name = "held files", SYSTEM, STEPS(holding)},
	 .note = "/proc does not answer for 50 (worker): an exec or a mapping hangs"},
	{.scene = {.name = "held files, tasks", TASKS, STEPS(holding)},
	 .note = "/proc does not answer for 50 (worker): an exec or a mapping hangs"},
	{.scene = {.name = "held files, /proc alone", PROC, STEPS(holding)},
	 .note = "/proc does not answer for 50 (worker): an exec or a mapping hangs"},
	{.scene = {.name = "held files at the start",
		   SYSTEM,
		   STEPS(quiet),
		   .prepare = main_holds_its_files},
	 .note = "/proc does not answer for 50 (worker): an exec or a mapping hangs"},
	{.scene = {.name = "half of a text", SYSTEM, STEPS(halves)}},
	{.scene = {.name = "half of a text, tasks", TASKS, STEPS(halves)}},
	{.scene = {.name = "half of a text, /proc alone", PROC, STEPS(halves)}},
	{.scene = {.name = "an empty /proc/stat", TASKS, STEPS(quiet), .prepare = stat_is_empty},
	 .note = "/proc/stat cannot be read"},
	{.scene = {.name = "no /proc", SYSTEM, STEPS(quiet), .prepare = proc_is_gone},
	 .note = "/proc is empty. Mount it",
	 .refused = true},
	{.scene = {.name = "a denied /proc", TASKS, STEPS(quiet), .prepare = proc_is_denied},
	 .note = "/proc cannot be read: Permission denied.",
	 .refused = true},
	{.scene = {.name = "/proc goes", SYSTEM, STEPS(going)}},
	{.scene = {.name = "/proc goes, tasks", TASKS, STEPS(going)},
	 .note = "/proc cannot be read"},
	{.scene = {.name = "/proc goes, /proc alone", PROC, STEPS(going)},
	 .note = "/proc cannot be read"},
	{.scene = {.name = "no /sys", SYSTEM, STEPS(quiet), .prepare = sys_is_gone},
	 .note = "Mount it: mount -t sysfs sysfs /sys"},
	{.scene = {.name = "no /sys, tasks", TASKS, STEPS(quiet), .prepare = sys_is_gone},
	 .note = "Mount it: mount -t sysfs sysfs /sys"},
	{.scene = {.name = "no cgroups", SYSTEM, STEPS(quiet), .prepare = cgroups_are_gone}},
	{.scene = {.name = "hidepid", SYSTEM, STEPS(quiet), .prepare = others_are_hidden},
	 .note = "/proc hides other users' processes"},
	{.scene = {.name = "hidepid, tasks", TASKS, STEPS(quiet), .prepare = others_are_hidden},
	 .note = "/proc hides other users' processes"},
};

static void test_broken_machines(void **state)
{
	const struct strange *strange = *state;
	struct sweep_outcome outcome;
	struct faulty faulty;
	bool noted = strange->note == NULL;

	faulty_init(&faulty, &(struct sys){0});
	faulty.most = 3000000;
	sweep_run(&strange->scene, &faulty, &outcome);
	if (outcome.wrong[0])
		fail_msg("%s", outcome.wrong);
	assert_int_equal(outcome.refused, strange->refused);
	for (size_t i = 0; i < outcome.n_notes; i++)
		noted |= strange->note && strstr(outcome.notes[i], strange->note);
	for (size_t i = 0; i < outcome.n_notes && !noted; i++)
		print_message("# %s\n", outcome.notes[i]);
	assert_true(noted);
	assert_true(outcome.extents[2].n_threads >= strange->counted);
	sweep_outcome_fini(&outcome);
}

/* Two snapshots in one moment: nothing is divided by no time. */
static void no_time_passes(void **state)
{
	static const struct engine_config config;
	const struct sweep_scene *const scenes[] = {&stranges[0].scene, &stranges[1].scene,
						    &stranges[2].scene};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(scenes); i++) {
		struct fk *fk = sweep_machine(scenes[i]);
		struct sys inner = fk_sys(fk);
		struct sweep_outcome outcome = {0};
		struct engine *engine;
		struct faulty faulty;
		struct error err;

		faulty_init(&faulty, &inner);
		struct sys sys = faulty_sys(&faulty);
		assert_int_equal(engine_new(&sys, &config, &engine, &err), 0);
		assert_int_equal(engine_wait(engine, fk_now(fk) + SWEEP_INTERVAL_NS), 0);
		for (int n = 0; n < 3; n++) {
			faulty.stood_ns = fk_now(fk);
			faulty.stands = 100;
			struct snapshot *snapshot = engine_snapshot(engine);
			sweep_check_metrics(snapshot, &outcome);
			assert_true(snapshot_conserves(snapshot, NULL));
			assert_string_equal(outcome.wrong, "");
			snapshot_free(snapshot);
		}
		engine_free(engine);
		fk_free(fk);
	}
}

int main(void)
{
	static const struct CMUnitTest others[] = {cmocka_unit_test(no_time_passes)};
	static const struct cases table = CASES(test_broken_machines, stranges);

	return cases_run("broken machines", &table, 1, others, ARRAY_SIZE(others));
}
