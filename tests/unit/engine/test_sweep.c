// SPDX-License-Identifier: MIT
/*
 * Whole runs on the fake kernel in which one call fails, or one and all after it: every call of
 * every kind, with every error that Linux may return, and some random pairs of them. The run goes
 * on, or ends with an error. It never leaks, hangs, invents counts or shows a wrong figure.
 *
 *	test_sweep [all|N]    N of each scene, spread evenly; all takes long (make sweep)
 */
#include "tests/unit/shared/sweep.h"

#include "core/doctor/doctor.h"
#include "tests/fake_kernel/machines.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum {
	CALLS_MAX = 3000000, /* of one run: it goes on for ever */
	PART = 150,          /* of each scene, without an argument */
	PAIRS_ALL = 2000,    /* of each scene, where all are tried ... */
	PAIRS_PART = 10,     /* ... else one for so many that are tried alone */
	PRINTED_MAX = 8,     /* failures of a scene that are printed */
};

static unsigned long part = PART; /* 0: all */

static void fork_tasks(struct fk *fk)
{
	fk_exec(fk, MAIN, "make");
	fk_thread(fk, MAIN, THREAD);
	fk_fork(fk, MAIN, CHILD);
	fk_switch(fk, 0, CHILD);
	fk_script(fk,
		  (struct fk_step[]){{10 * NS_PER_MS, FK_SWITCH, .cpu = 0, .tid = THREAD},
				     {20 * NS_PER_MS, FK_FAULT, .cpu = 0},
				     {30 * NS_PER_MS, FK_SWITCH, .cpu = 0, .tid = MAIN}},
		  3);
}

static void deaths(struct fk *fk)
{
	fk_switch(fk, 0, CHILD);
	fk_script(fk,
		  (struct fk_step[]){{10 * NS_PER_MS, FK_EXIT, .tid = CHILD, .n = FK_EXIT_REAPED},
				     {10 * NS_PER_MS, FK_SWITCH, .cpu = 0, .tid = MAIN},
				     {15 * NS_PER_MS, FK_LOSE, .cpu = 1, .n = 2}},
		  3);
}

static void cpu_goes(struct fk *fk)
{
	fk_cpu_offline(fk, 2);
}

static void cpu_comes(struct fk *fk)
{
	fk_cpu_online(fk, 2);
	fk_switch(fk, 2, OTHER);
}

/* The events and requests of each interval of a run. */
static const struct sweep_step course[] = {
	{0},
	{.happen = fork_tasks,
	 .forked = true,
	 .commands = {{REQUEST_ADD_EVENTS, "branches,page-faults"}}},
	{.commands = {{.kind = REQUEST_IDLE, .number = 1},
		      {.kind = REQUEST_COMMAND_LINES, .number = 1}}},
	{.happen = cpu_goes, .commands = {{.kind = REQUEST_ATTACH, .number = MAIN}}},
	{.query = {.kind = REQUEST_PREVIEW, .text = "r201,sched:sched_switch"}},
	{.happen = cpu_comes},
	{.happen = deaths, .commands = {{.kind = REQUEST_LEVELS, .number = EVENT_LEVELS_USER}}},
	{.commands = {{.kind = REQUEST_DISMISS}, {REQUEST_REMOVE, "page-faults"}}},
	{.query = {.kind = REQUEST_EVENTS}},
	{.query = {.kind = REQUEST_BLOCKED, .number = OTHER, .tid = OTHER},
	 .commands = {{REQUEST_PRESET, "software"}}},
	{0},
	{0},
	{0},
};

static const struct sweep_step recorded[] = {
	{0},
	{.happen = fork_tasks, .forked = true, .commands = {{REQUEST_RECORD, SWEEP_FILE}}},
	{.happen = cpu_goes},
	{.commands = {{REQUEST_ADD_EVENTS, "branches"}}},
	{.happen = cpu_comes, .commands = {{.kind = REQUEST_RECORD}}},
	{.happen = deaths},
	{0},
	{0},
	{0},
};

/* Functions from the start, by other members, not at all, and again. */
static const struct sweep_step sampled[] = {
	{0},
	{.happen = fork_tasks, .forked = true},
	{.happen = cpu_goes, .commands = {{REQUEST_ADD_EVENTS, "branches,branch-misses"}}},
	{.commands = {{.kind = REQUEST_CODE}}},
	{.happen = cpu_comes, .commands = {{.kind = REQUEST_CODE, .number = 997}}},
	{.happen = deaths},
	{.commands = {{.kind = REQUEST_ATTACH, .number = OTHER}}},
	{0},
	{0},
	{0},
};

#define ORDINARY   .unprivileged = true, .uid = SWEEP_USER, .paranoid = 2
#define COURSE(of) .steps = (of), .n_steps = ARRAY_SIZE(of)
/* More than any machine counts at a time, and what only sockets count. */
#define MANY                                                                         \
	"power/energy-pkg/,cycles,instructions,branches,branch-misses,cache-misses," \
	"cache-references,L1-dcache-loads,L1-dcache-load-misses,dTLB-load-misses,iTLB-load-misses"

static const struct engine_column many = {ENGINE_EVENTS, MANY};
static const struct engine_column waits = {
	ENGINE_EVENTS,
	"runq_time,preempted_time,throttled_time,blocked_time,uninterruptible_time,lock_time,"
	"paging_time,forks,forked_time"};
static const pid_t main_pids[] = {MAIN};
static const struct engine_column wakeups = {ENGINE_METRIC, "wakeup_p99"};

/* PING and PONG are looked at, wherever they are, and their cgroup has limits. */
static void block_in_files(struct fk *fk, struct faulty *faulty)
{
	(void)faulty;
	fk_file(fk, "/proc/self/mountinfo", "30 23 0:28 / /cg rw - cgroup2 cgroup2 rw\n");
	fk_file(fk, "/proc/61/cgroup", "0::/a\n");
	fk_file(fk, "/proc/62/cgroup", "0::/a\n");
	fk_file(fk, "/cg/a/cpu.max", "10000 100000\n");
	fk_file(fk, "/cg/a/cpu.stat", "nr_periods 9\nnr_throttled 8\nthrottled_usec 7\n");
	fk_file(fk, "/cg/a/memory.current", "4096\n");
	fk_file(fk, "/cg/a/memory.events", "low 0\nhigh 0\nmax 9\noom 0\noom_kill 0\n");
	fk_file(fk, "/cg/cpu.stat", "usage_usec 1\n");
	fk_file(fk, "/proc/61/task/61/wchan", "futex_do_wait");
	fk_file(fk, "/proc/62/task/62/wchan", "folio_wait_bit");
}

/* OTHER and MAIN are in mapped files, and in the kernel. */
static void place_in_files(struct fk *fk, struct faulty *faulty)
{
	static const uint64_t callers[] = {(uint64_t)PERF_CONTEXT_USER, 0x401234};
	static const struct fk_place places[] = {
		{.ip = 0x401000, .weight = 2},
		{.ip = 0xffffffff81000010, .weight = 1, .chain = callers, .n_chain = 2},
	};

	(void)faulty;
	fk_file(fk, "/proc/kallsyms", "ffffffff81000000 T do_work\n");
	fk_file(fk, "/proc/50/maps", "00400000-00402000 r-xp 00000000 08:01 42 /bin/a\n");
	fk_file(fk, "/proc/60/maps", "00400000-00402000 r-xp 00000000 08:01 42 /bin/a\n");
	fk_places(fk, MAIN, places, ARRAY_SIZE(places));
	fk_places(fk, OTHER, places, ARRAY_SIZE(places));
}

static struct sweep_scene scenes[] = {
	{.name = "whole CPUs", .machine = {.cpus = 3}, COURSE(course)},
	{.name = "groups in turns",
	 .model = &fk_machine_intel,
	 .config = {.columns = &many, .n_columns = 1},
	 .runs = true,
	 COURSE(course)},
	{.name = "no counters, and the tracepoint",
	 .machine = {.cpus = 3, .no_pmu = true, .tracefs = FK_TRACEFS_MOUNTED},
	 COURSE(course)},
	{.name = "two kinds of CPU", .model = &fk_machine_hybrid, COURSE(course)},
	{.name = "recording of the tracepoint",
	 .machine = {.cpus = 3, .tracefs = FK_TRACEFS_MOUNTED},
	 COURSE(recorded)},
	{.name = "waits",
	 .machine = {.cpus = 3, .tracefs = FK_TRACEFS_MOUNTED},
	 .config = {.columns = &waits, .n_columns = 1},
	 .prepare = block_in_files,
	 COURSE(recorded)},
	{.name = "wake-ups",
	 .machine = {.cpus = 3, .tracefs = FK_TRACEFS_MOUNTED},
	 .config = {.columns = &wakeups, .n_columns = 1},
	 COURSE(course)},
	{.name = "recording in turns",
	 .model = &fk_machine_zen,
	 .config = {.columns = &many, .n_columns = 1},
	 COURSE(recorded)},
	{.name = "functions",
	 .machine = {.cpus = 3},
	 .config = {.code_hz = 199},
	 .prepare = place_in_files,
	 COURSE(sampled)},
	{.name = "functions without counters",
	 .machine = {.cpus = 3, .no_pmu = true},
	 .config = {.code_hz = 199},
	 .prepare = place_in_files,
	 COURSE(sampled)},
	{.name = "functions in turns",
	 .model = &fk_machine_zen,
	 .config = {.columns = &many, .n_columns = 1, .code_hz = 199},
	 .prepare = place_in_files,
	 COURSE(sampled)},
	{.name = "a target on whole CPUs",
	 .machine = {.cpus = 3},
	 .config = {.target = {.pids = main_pids, .n_pids = 1, .cpus = "0-1"}},
	 COURSE(course)},
	{.name = "a user's tasks on whole CPUs",
	 .machine = {.cpus = 3},
	 .config = {.target = {.user = "ana", .cgroup = "/a/b"}},
	 COURSE(course)},
	{.name = "tasks", .machine = {ORDINARY, .cpus = 3}, COURSE(course)},
	{.name = "tasks of a process",
	 .machine = {ORDINARY, .cpus = 3},
	 .config = {.target = {.pids = main_pids, .n_pids = 1}},
	 COURSE(course)},
	{.name = "tasks of a command",
	 .machine = {ORDINARY, .cpus = 3},
	 .config = {.target = {.command = MAIN}},
	 COURSE(course)},
	{.name = "functions of tasks",
	 .machine = {ORDINARY, .cpus = 3},
	 .config = {.code_hz = 199},
	 .prepare = place_in_files,
	 COURSE(sampled)},
	{.name = "functions of tasks with few descriptors",
	 .machine = {ORDINARY, .cpus = 3, .fd_limit = 64},
	 .config = {.code_hz = 199, .target = {.pids = main_pids, .n_pids = 1}},
	 .prepare = place_in_files,
	 COURSE(sampled)},
	{.name = "tasks with few descriptors",
	 .machine = {ORDINARY, .cpus = 3, .fd_limit = 64},
	 COURSE(course)},
	{.name = "/proc alone", .machine = {.cpus = 3, .denied = EACCES}, COURSE(course)},
	{.name = "the doctor", .machine = {.cpus = 3}, .examine = true},
	{.name = "the doctor of an ordinary user",
	 .machine = {ORDINARY, .cpus = 3},
	 .examine = true},
};

/* Which of them all; of `of` in a row one is tried. */
struct choice {
	unsigned long at, of;
};

static bool is_chosen(struct choice *choice)
{
	return choice->at++ % choice->of == 0;
}

static unsigned n_answers(enum faulty_op op)
{
	unsigned n = 0;

	while (faulty_answers[op][n])
		n++;
	return n;
}

static unsigned long tried;

static unsigned try(const struct sweep_scene *scene, const struct sweep_outcome *sane,
		    enum faulty_op op, unsigned call, bool ever, int answer)
{
	struct sweep_outcome outcome;
	static struct faulty faulty;

	faulty_init(&faulty, &(struct sys){0});
	faulty.most = CALLS_MAX;
	faulty_fail(&faulty, op, call, ever, answer);
	tried++;
	sweep_run(scene, &faulty, &outcome);
	sweep_compare(&outcome, sane, op, ever, answer);
	unsigned wrong = outcome.wrong[0] != '\0';
	if (wrong)
		print_message("# %s: %s %u%s gives %s: %s\n", scene->name, faulty_names[op], call,
			      ever ? " and on" : "", sweep_answer_name(answer), outcome.wrong);
	sweep_outcome_fini(&outcome);
	return wrong;
}

/*
 * The fault of that number, of all that there are: each call with each answer, once and for ever.
 */
static void set_fault(struct faulty *faulty, const struct faulty *sane, unsigned long number)
{
	faulty_init(faulty, &(struct sys){0});
	faulty->most = CALLS_MAX;
	for (enum faulty_op op = 0; op < FAULTY_OPS; op++) {
		unsigned answers = n_answers(op);
		unsigned long n = 2ul * sane->calls[op] * answers;
		if (number < n) {
			unsigned call = 1 + (unsigned)(number / (2 * answers)),
				 i = (unsigned)(number % (2 * answers));
			faulty_fail(faulty, op, call, i % 2, faulty_answers[op][i / 2]);
			return;
		}
		number -= n;
	}
}

/* Less may be known than where one fails; nothing may be lost, made up or leaked. */
static unsigned try_pair(const struct sweep_scene *scene, const struct faulty *sane,
			 unsigned long first, unsigned long second)
{
	struct sweep_outcome outcome;
	static struct faulty one, other;

	set_fault(&one, sane, first);
	set_fault(&other, sane, second);
	one.behind = &other;
	tried++;
	sweep_run(scene, &one, &outcome);
	unsigned wrong = outcome.wrong[0] != '\0';
	if (wrong)
		print_message("# %s: %s %u%s gives %s and %s %u%s gives %s: %s\n", scene->name,
			      faulty_names[one.op], one.call, one.ever ? " and on" : "",
			      sweep_answer_name(one.answer), faulty_names[other.op], other.call,
			      other.ever ? " and on" : "", sweep_answer_name(other.answer),
			      outcome.wrong);
	sweep_outcome_fini(&outcome);
	return wrong;
}

static unsigned sweep_pairs(const struct sweep_scene *scene, const struct faulty *sane,
			    unsigned long n)
{
	unsigned long pairs = part ? part / PAIRS_PART : PAIRS_ALL;
	uint64_t chance = 1;
	unsigned wrong = 0;

	for (; pairs > 0 && wrong < PRINTED_MAX; pairs--) {
		unsigned long numbers[2];
		for (size_t i = 0; i < 2; i++) {
			chance = chance * 6364136223846793005u + 1442695040888963407u;
			numbers[i] = (chance >> 33) % n;
		}
		wrong += try_pair(scene, sane, numbers[0], numbers[1]);
	}
	return wrong;
}

static void sweep_scene(void **state)
{
	const struct sweep_scene *scene = *state;
	struct sweep_outcome sane;
	struct faulty none;
	unsigned long n = 0;
	unsigned wrong = 0;

	faulty_init(&none, &(struct sys){0});
	sweep_run(scene, &none, &sane);
	if (sane.wrong[0])
		fail_msg("%s: nothing fails, and yet %s", scene->name, sane.wrong);
	for (enum faulty_op op = 0; op < FAULTY_OPS; op++)
		n += 2ul * none.calls[op] * n_answers(op);
	/* A prime: no kind of error, and no place, is left out by chance. */
	struct choice choice = {.of = part ? n / part | 1 : 1};
	for (enum faulty_op op = 0; op < FAULTY_OPS; op++)
		for (unsigned call = 1; call <= none.calls[op]; call++)
			for (unsigned i = 0; i < 2 * n_answers(op) && wrong < PRINTED_MAX; i++)
				if (is_chosen(&choice))
					wrong += try(scene, &sane, op, call, i % 2,
						     faulty_answers[op][i / 2]);
	wrong += sweep_pairs(scene, &none, n);
	print_message("# %s: %lu calls, %lu faults\n", scene->name, none.total, n);
	sweep_outcome_fini(&sane);
	assert_int_equal(wrong, 0);
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[ARRAY_SIZE(scenes)];
	size_t n = 0;

	if (argc > 1)
		part = strtoul(argv[1], NULL, 10);
	for (size_t i = 0; i < ARRAY_SIZE(scenes); i++)
		if (argc < 3 || strcmp(argv[2], scenes[i].name) == 0)
			tests[n++] = (struct CMUnitTest){.name = scenes[i].name,
							 .test_func = sweep_scene,
							 .initial_state = &scenes[i]};
	int failed = _cmocka_run_group_tests("sweep", tests, n, NULL, NULL);
	unlink(SWEEP_FILE);
	printf("# %lu calls failed, %s\n", tried, failed ? "not all clean" : "all clean");
	return failed;
}
