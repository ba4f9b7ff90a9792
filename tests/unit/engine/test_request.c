// SPDX-License-Identifier: MIT
/*
 * Commands from the screen to a running engine, as another preset or target. With the right to
 * count CPUs and as an ordinary user (uid 1000), on the fake kernel.
 */
#include "core/base/figure_mark.h"
#include "core/base/notes.h"
#include "core/metric/metric_user.h"
#include "core/snapshot/rollup.h"
#include "core/sys/proc.h"
#include "core/view/view.h"
#include "tests/fake_kernel/machines.h"
#include "tests/unit/shared/engine_run.h"
#include "tests/unit/shared/send_request.h"

#include <errno.h>
#include <stdio.h>

enum { ME = 1000, OTHER = 2000, MAIN = 50 };

#define TASK(owner, number, ...)                                                \
	&(struct fk_spec)                                                       \
	{                                                                       \
		.tid = (number), .uid = (owner), .rates = HALF_IPC, __VA_ARGS__ \
	}

static void command(struct engine *engine, enum request_kind kind, const char *text, long number)
{
	send_request(engine, &(struct request){.kind = kind, .text = text, .number = number});
}

/* The snapshot of the interval after the one that a command ends. */
static struct snapshot *snapshot_after(struct engine *engine, struct fk *fk)
{
	return nth_snapshot(engine, fk, 2);
}

static const char *const own_metrics[] = {"ipc", "two", NULL};
static const struct preset own_presets[] = {
	{.name = "mine", .help = "", .metrics = own_metrics},
	{.name = "tlb", .help = "", .metrics = own_metrics},
};

#define BRANCH "cpu_percent ipc branch_density branch_miss_percent branch_mpki"
#define KERNEL "cpu_percent kernel_percent ipc ipc_user ipc_kernel cs_per_s faults_per_s"

static const struct change {
	enum request_kind kind;
	const char *text, *preset, *columns;
	const char *note; /* a part of the first note, or NULL */
} changes[] = {
	{REQUEST_PRESET, "branch", "branch", BRANCH " ghz cycles r201 r202"},
	{REQUEST_PRESET, "bramch", "branch", BRANCH " ghz cycles r201 r202",
	 "Unknown preset 'bramch' (did you mean 'branch'?)"},
	{REQUEST_PRESET, "mine", "mine", "ipc two ghz cycles r201 r202"},
	/* A user's own one of that name comes first. */
	{REQUEST_PRESET, "tlb", "tlb", "ipc two ghz cycles r201 r202"},
	{REQUEST_ADD_METRIC, "branch_mpki", "tlb", "ipc two ghz cycles r201 r202 branch_mpki"},
	/* An added column stays when a preset with the same column is replaced. */
	{REQUEST_PRESET, "branch", "branch", BRANCH " ghz cycles r201 r202"},
	{REQUEST_PRESET, "mine", "mine", "ipc two branch_mpki ghz cycles r201 r202"},
	{REQUEST_REMOVE, "ipc", "mine", "two branch_mpki ghz cycles r201 r202"},
	{REQUEST_PRESET, "mine", "mine", "ipc two branch_mpki ghz cycles r201 r202"},
	{REQUEST_PRESET, "kernel", "kernel", KERNEL " branch_mpki ghz cycles r201 r202"},
	{REQUEST_ADD_METRIC, "two=2", "kernel", KERNEL " branch_mpki ghz cycles r201 r202 two"},
	{REQUEST_PRESET, "mine", "kernel", KERNEL " branch_mpki ghz cycles r201 r202 two",
	 "Column 'two' exists already"},
	{REQUEST_REMOVE, "two", "kernel", KERNEL " branch_mpki ghz cycles r201 r202"},
	{REQUEST_PRESET, "none", "none", "branch_mpki ghz cycles r201 r202"},
};

static void presets_come_and_go(void **state)
{
	const struct engine_column columns[] = {{ENGINE_METRIC, "ghz"},
						{ENGINE_EVENTS, "cycles,{r201,r202}"}};
	struct metric_def two;
	struct error err;
	assert_int_equal(metric_def_parse("two = 1 + 1", &two, &err), 0);
	const struct engine_config config = {
		.preset = preset_find("overview"),
		.columns = columns,
		.n_columns = ARRAY_SIZE(columns),
		.presets = own_presets,
		.n_presets = ARRAY_SIZE(own_presets),
		.user_metrics = &two,
		.n_user_metrics = 1,
	};
	struct fk *fk = fk_new(&fk_machine_intel);
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, TASK(ME, MAIN));
	fk_switch(fk, 0, MAIN);
	struct engine *engine = open_engine_with(&sys, &config);
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		const struct change *change = &changes[i];
		command(engine, change->kind, change->text, 0);
		struct snapshot *snapshot = snapshot_after(engine, fk);
		assert_string_equal(snapshot->columns->preset, change->preset);
		check_columns(snapshot, change->columns);
		if (change->note)
			assert_non_null(strstr(snapshot->notes[0], change->note));
		assert_int_equal(task_figure(snapshot, MAIN, "cycles").state,
				 task_figure(snapshot, MAIN, "r201").state);
		assert_true(count_of(snapshot, MAIN, "cycles") > 0);
		snapshot_free(snapshot);
	}
	close_all(engine, fk);
	metric_def_fini(&two);
}

/* MAIN runs all the time. */
static struct engine *open_main(struct fk *fk, const struct sys *sys)
{
	fk_task(fk, TASK(ME, MAIN));
	fk_switch(fk, 0, MAIN);
	return open_engine(sys);
}

/* Without any column a command fails. */
static void none_alone_is_nothing(void **state)
{
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);
	struct engine *engine = open_main(fk, &sys);

	(void)state;
	command(engine, REQUEST_PRESET, "none", 0);
	struct snapshot *snapshot = snapshot_after(engine, fk);
	assert_string_equal(snapshot->columns->preset, "overview");
	assert_true(has_note(snapshot, "No columns to show"));
	assert_int_equal(task_figure(snapshot, MAIN, "ipc").state, FIGURE_VALID);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* A failed command is noted for some intervals, and again if it fails again. */
static void refusals_pass(void **state)
{
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);
	struct engine *engine = open_main(fk, &sys);

	(void)state;
	for (int round = 0; round < 2; round++) {
		command(engine, REQUEST_PRESET, "none", 0);
		snapshot_free(engine_snapshot(engine));
		for (int i = 0; i < 2 * NOTES_TRANSIENT_INTERVALS; i++) {
			struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
			bool noted = has_note(snapshot, "No columns to show");
			if (noted != (i < NOTES_TRANSIENT_INTERVALS))
				fail_msg("interval %d", i);
			snapshot_free(snapshot);
		}
	}
	close_all(engine, fk);
}

static void a_preset_for_tasks(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){.unprivileged = true, .uid = ME, .paranoid = 2});
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, TASK(ME, MAIN));
	fk_switch(fk, 0, MAIN);
	struct engine *engine = open_engine(&sys);
	snapshot_free(nth_snapshot(engine, fk, 2));
	command(engine, REQUEST_PRESET, "branch", 0);
	struct snapshot *snapshot = snapshot_after(engine, fk);
	check_columns(snapshot, BRANCH);
	assert_int_equal(task_figure(snapshot, MAIN, "ipc").state, FIGURE_VALID);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

struct right {
	const char *name;
	struct fk_config config;
};

static struct right rights[] = {
	{"CPUs", {.cpus = 4}},
	{"tasks", {.cpus = 4, .unprivileged = true, .uid = ME, .paranoid = 2}},
	{"nothing", {.cpus = 4, .uid = ME, .denied = EPERM}},
};

/* 50 with a thread 51, its child 70, and 60, of the same user. */
static struct fk *open_family(const struct right *right)
{
	struct fk *fk = fk_new(&right->config);

	fk_task(fk, TASK(0, 1, .comm = "init"));
	fk_task(fk, TASK(ME, MAIN, .comm = "main"));
	fk_task(fk, TASK(ME, 51, .pid = MAIN));
	fk_task(fk, TASK(ME, 70, .ppid = MAIN));
	fk_task(fk, TASK(ME, 60));
	fk_switch(fk, 0, MAIN);
	fk_switch(fk, 1, 51);
	fk_switch(fk, 2, 70);
	fk_switch(fk, 3, 60);
	return fk;
}

static void assert_family(const struct snapshot *snapshot, bool targeted, bool main, bool other)
{
	const bool process_wise = snapshot->mode == COUNT_MODE_PROC;

	assert_int_equal(snapshot->targeted, targeted);
	assert_int_equal(row_of(snapshot, MAIN) != NULL, main);
	assert_int_equal(row_of(snapshot, 51) != NULL, main && !process_wise);
	assert_int_equal(row_of(snapshot, 70) != NULL, main);
	assert_int_equal(row_of(snapshot, 60) != NULL, other);
}

/* From all tasks to one, to two, to the second alone when the first has ended, and back. */
static void attach_and_dismiss(void **state)
{
	const struct right *right = *state;
	struct fk *fk = open_family(right);
	struct sys sys = fk_sys(fk);
	struct engine *engine = open_engine(&sys);
	struct snapshot *snapshot = nth_snapshot(engine, fk, 2);

	assert_family(snapshot, false, true, true);
	snapshot_free(snapshot);
	command(engine, REQUEST_ATTACH, NULL, MAIN);
	snapshot_free(next_snapshot(engine, fk, INTERVAL_NS));
	/* All of the next interval is theirs. */
	uint64_t before = fk_truth_task_user(fk, 51, FK_CYCLES);
	snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	assert_family(snapshot, true, true, false);
	if (snapshot->mode == COUNT_MODE_TASK) {
		double truth = (double)(fk_truth_task_user(fk, 51, FK_CYCLES) - before);
		assert_true((double)count_of(snapshot, 51, "cycles") > 0.99 * truth);
	}
	snapshot_free(snapshot);
	/* Again changes nothing, and another one comes to it. */
	command(engine, REQUEST_ATTACH, NULL, MAIN);
	snapshot = snapshot_after(engine, fk);
	assert_family(snapshot, true, true, false);
	snapshot_free(snapshot);
	command(engine, REQUEST_ATTACH, NULL, 60);
	snapshot = snapshot_after(engine, fk);
	assert_family(snapshot, true, true, true);
	assert_int_equal(snapshot->n_notes > 0 && strstr(snapshot->notes[0], "There is no"), 0);
	snapshot_free(snapshot);
	fk_exit(fk, 60, FK_EXIT_REAPED);
	fk_switch(fk, 3, 0);
	snapshot = snapshot_after(engine, fk);
	assert_true(has_exited(snapshot, 60));
	snapshot_free(snapshot);
	command(engine, REQUEST_DISMISS, NULL, 0);
	snapshot = snapshot_after(engine, fk);
	assert_family(snapshot, true, true, false);
	snapshot_free(snapshot);
	command(engine, REQUEST_DISMISS, NULL, 0);
	snapshot = nth_snapshot(engine, fk, 3);
	assert_family(snapshot, false, true, false);
	snapshot_free(snapshot);
	/* Children of the first process are not children of the next one with its number. */
	fk_task(fk, TASK(ME, 61));
	fk_switch(fk, 3, 61);
	snapshot_free(nth_snapshot(engine, fk, 2));
	command(engine, REQUEST_ATTACH, NULL, 61);
	snapshot = nth_snapshot(engine, fk, 3);
	assert_family(snapshot, true, false, false);
	assert_non_null(row_of(snapshot, 61));
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* A command that fails is noted, and changes nothing. */
static void attach_to_no_process(void **state)
{
	static const struct {
		long pid;
		const char *note;
	} rows[] = {
		{999, "There is no process 999."},
		{0, "There is no process 0."},
		{-1, "There is no process 0."},
		{(1l << 32) + MAIN, "There is no process 0."},
		{51, "51 is a thread. Attach to its process, 50."},
	};
	const struct right *right = *state;
	struct fk *fk = open_family(right);
	struct sys sys = fk_sys(fk);
	struct engine *engine = open_engine(&sys);

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		command(engine, REQUEST_ATTACH, NULL, rows[i].pid);
		struct snapshot *snapshot = snapshot_after(engine, fk);
		assert_family(snapshot, false, true, true);
		assert_string_equal(snapshot->notes[0], rows[i].note);
		snapshot_free(snapshot);
	}
	/* The process ends before the command is done. */
	command(engine, REQUEST_ATTACH, NULL, 60);
	fk_exit(fk, 60, FK_EXIT_REAPED);
	fk_switch(fk, 3, 0);
	struct snapshot *snapshot = snapshot_after(engine, fk);
	assert_false(snapshot->targeted);
	assert_string_equal(snapshot->notes[0], "There is no process 60.");
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* A process goes on when its main thread has ended, as long as others run. */
static void attach_without_main_thread(void **state)
{
	const struct right *right = *state;
	struct fk *fk = open_family(right);
	struct sys sys = fk_sys(fk);
	struct engine *engine =
		open_engine_with(&sys, &(struct engine_config){.preset = preset_find("waiting")});

	fk_exit(fk, MAIN, FK_EXIT_ZOMBIE);
	fk_switch(fk, 0, 0);
	snapshot_free(nth_snapshot(engine, fk, 2));
	command(engine, REQUEST_ATTACH, NULL, MAIN);
	struct snapshot *snapshot = nth_snapshot(engine, fk, 3);
	assert_true(snapshot->targeted && !snapshot->ended);
	assert_non_null(row_of(snapshot, snapshot->mode == COUNT_MODE_PROC ? MAIN : 51));
	assert_null(row_of(snapshot, 60));
	/* Why the thread that has ended does not run is unknown, which is no time of 0. */
	if (snapshot->mode != COUNT_MODE_PROC && row_of(snapshot, MAIN))
		assert_int_equal(task_figure(snapshot, MAIN, "blocked_percent").state,
				 FIGURE_NOT_COUNTED);
	snapshot_free(snapshot);
	/* The last one ends it. */
	fk_exit(fk, 51, FK_EXIT_THREAD);
	fk_switch(fk, 1, 0);
	snapshot = nth_snapshot(engine, fk, 3);
	assert_true(snapshot->ended);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

static void attach_to_others(void **state)
{
	struct fk *fk = open_family(&rights[1]);
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, TASK(OTHER, 80));
	fk_task(fk, TASK(0, 2, .kernel = true));
	struct engine *engine = open_engine(&sys);
	command(engine, REQUEST_ATTACH, NULL, 80);
	struct snapshot *snapshot = snapshot_after(engine, fk);
	assert_family(snapshot, false, true, true);
	assert_string_equal(snapshot->notes[0], "Process 80 belongs to another user. Counting it "
						"needs CAP_PERFMON or CAP_SYS_PTRACE.");
	snapshot_free(snapshot);
	command(engine, REQUEST_ATTACH, NULL, 2);
	snapshot = snapshot_after(engine, fk);
	assert_family(snapshot, false, true, true);
	assert_string_equal(snapshot->notes[0],
			    "2 is a kernel thread. Counting it needs CAP_PERFMON.");
	snapshot_free(snapshot);
	close_all(engine, fk);
}

static void attach_within_a_user(void **state)
{
	const struct engine_config config = {.target.user = "1000"};
	struct fk *fk = open_family(&rights[0]);
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, TASK(OTHER, 80));
	struct engine *engine = open_engine_with(&sys, &config);
	command(engine, REQUEST_ATTACH, NULL, 80);
	struct snapshot *snapshot = snapshot_after(engine, fk);
	assert_family(snapshot, true, true, true);
	assert_string_equal(snapshot->notes[0], "Process 80 is excluded by -u or -G.");
	snapshot_free(snapshot);
	command(engine, REQUEST_ATTACH, NULL, 60);
	snapshot = snapshot_after(engine, fk);
	assert_family(snapshot, true, false, true);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/*
 * An orphan stays in the target with its former parent when another process joins.
 */
static void orphans_stay(void **state)
{
	struct fk *fk = open_family(&rights[0]);
	struct sys sys = fk_sys(fk);

	(void)state;
	struct engine *engine = open_engine_with(
		&sys, &(struct engine_config){.target = {.pids = (pid_t[]){MAIN}, .n_pids = 1}});
	fk_fork(fk, 70, 71);
	fk_switch(fk, 2, 71);
	snapshot_free(nth_snapshot(engine, fk, 2));
	fk_switch(fk, 2, 70);
	fk_exit(fk, 70, FK_EXIT_REAPED);
	fk_switch(fk, 2, 71);
	snapshot_free(nth_snapshot(engine, fk, 4));
	command(engine, REQUEST_ATTACH, NULL, 60);
	struct snapshot *snapshot = nth_snapshot(engine, fk, 3);
	assert_non_null(row_of(snapshot, 71));
	assert_non_null(row_of(snapshot, 60));
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* An orphan of a command belongs to the command, and is dismissed with it. */
static void what_a_command_left(void **state)
{
	enum { US = 90 };
	struct fk *fk = open_family(&rights[0]);
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, TASK(ME, US));
	fk_self_task(fk, US);
	fk_task(fk, TASK(ME, 91, .ppid = US));
	struct engine *engine =
		open_engine_with(&sys, &(struct engine_config){.target.command = MAIN});
	fk_switch(fk, 2, 91);
	struct snapshot *snapshot = nth_snapshot(engine, fk, 2);
	assert_non_null(row_of(snapshot, 91));
	snapshot_free(snapshot);
	fk_exit(fk, MAIN, FK_EXIT_REAPED);
	fk_switch(fk, 0, 0);
	snapshot_free(nth_snapshot(engine, fk, 2));
	command(engine, REQUEST_DISMISS, NULL, 0);
	snapshot_free(nth_snapshot(engine, fk, 2));
	command(engine, REQUEST_ATTACH, NULL, 60);
	snapshot = nth_snapshot(engine, fk, 2);
	assert_non_null(row_of(snapshot, 60));
	assert_null(row_of(snapshot, 91));
	snapshot_free(snapshot);
	close_all(engine, fk);
}

static void assert_cmdline(const struct snapshot *snapshot, pid_t tid, const char *cmdline)
{
	const struct row *row = row_of(snapshot, tid);

	assert_non_null(row);
	if (row && row->cmdline && cmdline)
		assert_string_equal(row->cmdline, cmdline);
	else if (row)
		assert_ptr_equal(row->cmdline, cmdline);
}

/* From the command on; a process that execs has a new one. */
static void command_lines(void **state)
{
	const struct right *right = *state;
	struct fk *fk = fk_new(&right->config);
	struct sys sys = fk_sys(fk);
	char words[6000];

	memset(words, 'x', sizeof(words));
	words[sizeof(words) - 1] = '\0';
	fk_task(fk, TASK(ME, MAIN, .comm = "main", .args = "--serve a\tb \x1b[31m\xff"));
	fk_task(fk, TASK(ME, 51, .pid = MAIN, .comm = "worker"));
	fk_task(fk, TASK(ME, 60, .comm = "long", .args = words));
	fk_task(fk, TASK(0, 2, .kernel = true, .comm = "kworker/0:1"));
	fk_switch(fk, 0, MAIN);
	fk_switch(fk, 1, 51);
	fk_switch(fk, 2, 60);
	fk_switch(fk, 3, 2);
	struct engine *engine = open_engine(&sys);
	struct snapshot *snapshot = nth_snapshot(engine, fk, 2);
	assert_false(snapshot->command_lines);
	assert_cmdline(snapshot, MAIN, NULL);
	snapshot_free(snapshot);

	command(engine, REQUEST_COMMAND_LINES, NULL, 1);
	snapshot = snapshot_after(engine, fk);
	assert_true(snapshot->command_lines);
	assert_cmdline(snapshot, MAIN, "main --serve a\tb \x1b[31m\xff");
	if (snapshot->mode != COUNT_MODE_PROC)
		assert_cmdline(snapshot, 51, "main --serve a\tb \x1b[31m\xff");
	assert_cmdline(snapshot, 2, NULL);
	const struct row *row = row_of(snapshot, 60);
	assert_non_null(row);
	assert_int_equal(strlen(row ? row->cmdline : ""), CMDLINE_BYTES);

	fk_exec(fk, MAIN, "other");
	struct snapshot *next = next_snapshot(engine, fk, INTERVAL_NS);
	assert_cmdline(next, MAIN, "other --serve a\tb \x1b[31m\xff");
	/* A picture never changes. */
	assert_cmdline(snapshot, MAIN, "main --serve a\tb \x1b[31m\xff");
	snapshot_free(next);
	snapshot_free(snapshot);

	command(engine, REQUEST_COMMAND_LINES, NULL, 0);
	snapshot = snapshot_after(engine, fk);
	assert_false(snapshot->command_lines);
	assert_cmdline(snapshot, MAIN, NULL);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* A server may rewrite its command line, so command lines of running tasks are read again. */
static void command_lines_change(void **state)
{
	struct fk *fk = open_family(&rights[0]);
	struct sys sys = fk_sys(fk);

	(void)state;
	struct engine *engine =
		open_engine_with(&sys, &(struct engine_config){.command_lines = true});
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	assert_cmdline(snapshot, MAIN, "main");
	snapshot_free(snapshot);
	fk_file(fk, "/proc/50/cmdline", "main: serving  ");
	snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	assert_cmdline(snapshot, MAIN, "main");
	snapshot_free(snapshot);
	snapshot = nth_snapshot(engine, fk, 1 + (int)(TASKS_CMDLINE_NS / INTERVAL_NS));
	assert_cmdline(snapshot, MAIN, "main: serving");
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* A program that ended within an interval has no line, rather than that of the one before it. */
static void no_command_line_of_before(void **state)
{
	struct fk *fk = open_family(&rights[0]);
	struct sys sys = fk_sys(fk);

	(void)state;
	struct engine *engine = open_engine_with(
		&sys, &(struct engine_config){.command_lines = COMMAND_LINES_SHOWN});
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	assert_cmdline(snapshot, MAIN, "main");
	snapshot_free(snapshot);
	fk_advance(fk, NS_PER_MS);
	fk_exec(fk, MAIN, "ld");
	fk_advance(fk, NS_PER_MS);
	fk_exit(fk, MAIN, FK_EXIT_REAPED);
	fk_switch(fk, 0, 0);
	snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	const struct row *row = row_of(snapshot, MAIN);
	assert_non_null(row);
	assert_string_equal(row ? row->comm : "", "ld");
	assert_cmdline(snapshot, MAIN, NULL);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* Whether a view of the snapshot with that filter has the process. */
static bool passes_filter(const struct snapshot *snapshot, enum rollup by, const char *text)
{
	struct view_spec spec = {.by = by};
	struct view view;
	bool found = false;

	text_copy(spec.filter.text, sizeof(spec.filter.text), text);
	view_init(snapshot, &spec, &view);
	for (size_t line = 0; line < view.n; line++)
		found |= view_row(&view, line)->pid == MAIN;
	view_fini(&view);
	return found;
}

/* Filters match command lines, although the user does not want to see them. */
static void filters_match_command_lines(void **state)
{
	const struct right *right = *state;
	static const struct {
		const char *name;
		struct engine_config config;
		long number; /* of the command; -1: none */
		bool want;
	} rows[] = {
		{"not wanted", {.idle = false}, -1, false},
		{"option", {.command_lines = COMMAND_LINES_MATCHED}, -1, true},
		{"idle rows", {.command_lines = COMMAND_LINES_MATCHED, .idle = true}, -1, true},
		{"shown", {.command_lines = COMMAND_LINES_SHOWN}, -1, true},
		{"the screen's", {.command_lines = COMMAND_LINES_SCREEN}, -1, true},
		{"typed", {.idle = false}, COMMAND_LINES_MATCHED, true},
		{"typed, idle rows",
		 {.command_lines = COMMAND_LINES_SCREEN, .idle = true},
		 COMMAND_LINES_MATCHED,
		 true},
		{"cleared", {.command_lines = COMMAND_LINES_MATCHED}, COMMAND_LINES_NONE, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk *fk = fk_new(&right->config);
		struct sys sys = fk_sys(fk);

		fk_task(fk, TASK(ME, MAIN, .comm = "sh", .args = "-c MYSERVICE"));
		if (!rows[i].config.idle)
			fk_switch(fk, 0, MAIN);
		struct engine *engine = open_engine_with(&sys, &rows[i].config);
		if (rows[i].number >= 0)
			command(engine, REQUEST_COMMAND_LINES, NULL, rows[i].number);
		struct snapshot *snapshot = nth_snapshot(engine, fk, 3);
		if (passes_filter(snapshot, ROLLUP_PROCESS, "myservice") != rows[i].want ||
		    passes_filter(snapshot, ROLLUP_TREE, "-c myservice") != rows[i].want ||
		    passes_filter(snapshot, ROLLUP_THREAD, "sh serv") != rows[i].want)
			fail_msg("%s", rows[i].name);
		if (rows[i].want && rows[i].config.command_lines != COMMAND_LINES_SHOWN)
			assert_null(snapshot_shown_cmdline(snapshot, row_of(snapshot, MAIN)));
		snapshot_free(snapshot);
		close_all(engine, fk);
	}
}

/* More tasks than command lines are read in an interval: a line has their number. */
static void notes_unread_command_lines(void **state)
{
	enum { TASKS = 50, FIRST = 100 };
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);

	(void)state;
	for (int i = 0; i < TASKS; i++)
		fk_task(fk, TASK(ME, FIRST + i));
	struct engine *engine = open_engine_with(
		&sys,
		&(struct engine_config){.command_lines = COMMAND_LINES_MATCHED, .idle = true});
	struct snapshot *snapshot = next_snapshot(engine, fk, NS_PER_MS);
	assert_true(has_note(snapshot, " command lines are not read yet"));
	snapshot_free(snapshot);
	snapshot_free(next_snapshot(engine, fk, 10 * NS_PER_MS));
	snapshot = next_snapshot(engine, fk, 10 * NS_PER_MS);
	assert_false(has_note(snapshot, "not read yet"));
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* The command lines read in an interval are bounded. */
static void command_lines_are_read_in_parts(void **state)
{
	enum { TASKS = 50, FIRST = 100 };
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);
	size_t known[3] = {0};

	(void)state;
	for (int i = 0; i < TASKS; i++)
		fk_task(fk, TASK(ME, FIRST + i));
	struct engine *engine = open_engine(&sys);
	command(engine, REQUEST_COMMAND_LINES, NULL, 1);
	snapshot_free(next_snapshot(engine, fk, 10 * NS_PER_MS));
	for (size_t n = 0; n < ARRAY_SIZE(known); n++) {
		for (int i = 0; i < TASKS; i++) {
			fk_switch(fk, 0, FIRST + i);
			fk_advance(fk, 200 * NS_PER_US);
		}
		struct snapshot *snapshot = next_snapshot(engine, fk, NS_PER_MS);
		for (size_t i = 0; i < snapshot->threads.n; i++)
			known[n] += snapshot->threads.items[i].cmdline != NULL;
		snapshot_free(snapshot);
	}
	assert_in_range(known[0], 20, 30);
	assert_in_range(known[1], known[0] + 15, 49);
	assert_int_equal(known[2], TASKS);
	close_all(engine, fk);
}

static size_t count_cmdlines(const struct snapshot *snapshot, bool ran)
{
	size_t n = 0;

	for (size_t i = 0; i < snapshot->threads.n; i++)
		n += snapshot->threads.items[i].cmdline != NULL &&
		     (i < snapshot->threads.n - snapshot->threads.n_still) == ran;
	return n;
}

/* For the screen, the lines of tasks that ran are read first, and those of others slowly. */
static void screen_reads_few(void **state)
{
	enum { TASKS = 60, RAN = 10, FIRST = 100 };
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);

	(void)state;
	for (int i = 0; i < TASKS; i++)
		fk_task(fk, TASK(ME, FIRST + i));
	struct engine *engine = open_engine_with(
		&sys, &(struct engine_config){.command_lines = COMMAND_LINES_SCREEN, .idle = true});
	snapshot_free(next_snapshot(engine, fk, NS_PER_MS));
	for (int i = 0; i < RAN; i++) {
		fk_switch(fk, 0, FIRST + TASKS - 1 - i);
		fk_advance(fk, NS_PER_MS);
	}
	fk_switch(fk, 0, 0);
	struct snapshot *snapshot = next_snapshot(engine, fk, 100 * NS_PER_MS);
	assert_int_equal(count_cmdlines(snapshot, true), RAN);
	assert_in_range(count_cmdlines(snapshot, false), 5, 15);
	assert_false(has_note(snapshot, "not read yet"));
	snapshot_free(snapshot);
	snapshot = next_snapshot(engine, fk, NS_PER_S);
	assert_int_equal(count_cmdlines(snapshot, false), TASKS);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

static void assert_still(const struct snapshot *snapshot, pid_t tid, const char *comm)
{
	const struct row *row = row_of(snapshot, tid);

	assert_non_null(row);
	assert_string_equal(row ? row->comm : "", comm);
	assert_int_equal(row ? row->threads : 0, 1);
	const struct figure cpu = task_figure(snapshot, tid, "cpu_percent");
	assert_int_equal(cpu.state, FIGURE_VALID);
	assert_true(cpu.value == 0);
	assert_int_equal(count_of(snapshot, tid, "task-clock"), 0);
	if (columns_metric(snapshot->columns, "ipc") >= 0) {
		assert_int_equal(task_figure(snapshot, tid, "ipc").state, FIGURE_UNDEFINED);
		assert_int_equal(count_of(snapshot, tid, "cycles"), 0);
	}
}

static void assert_each_once(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->threads.n; i++)
		for (size_t k = 0; k < i; k++)
			assert_int_not_equal(snapshot->threads.items[i].tid,
					     snapshot->threads.items[k].tid);
}

/* With idle rows, rows of zeros of all tasks or of the target, until they end; else none. */
static void idle_tasks(void **state)
{
	const struct right *right = *state;
	struct fk *fk = open_family(right);
	struct sys sys = fk_sys(fk);

	fk_task(fk, TASK(ME, 90, .comm = "sleeper", .ppid = MAIN));
	fk_task(fk, TASK(ME, 91, .pid = 90, .comm = "worker", .ppid = MAIN));
	fk_task(fk, TASK(0, 2, .kernel = true, .comm = "kthreadd"));
	fk_switch(fk, 3, 0);
	struct engine *engine = open_engine(&sys);
	struct snapshot *snapshot = nth_snapshot(engine, fk, 3);
	assert_null(row_of(snapshot, 60));
	assert_null(row_of(snapshot, 90));
	size_t ran = snapshot_ran(snapshot);
	assert_int_equal(snapshot->threads.n, ran);
	snapshot_free(snapshot);

	command(engine, REQUEST_IDLE, NULL, 1);
	snapshot = snapshot_after(engine, fk);
	assert_still(snapshot, 60, "task");
	assert_still(snapshot, 90, "sleeper");
	if (right == &rights[0]) /* other modes have processes of other users, not threads */
		assert_still(snapshot, 91, "worker");
	assert_still(snapshot, 2, "kthreadd");
	const struct row *kernel = row_of(snapshot, 2);
	assert_true(kernel && kernel->flags & ROW_KERNEL);
	assert_int_equal(snapshot_ran(snapshot), ran);
	assert_true(count_of(snapshot, MAIN, "task-clock") > 0);
	assert_each_once(snapshot);
	struct rows rows;
	rollup_rows(snapshot, ROLLUP_PROCESS, NULL, &rows);
	assert_true(rows.n >= 6);
	rows_fini(&rows);
	snapshot_free(snapshot);

	command(engine, REQUEST_ATTACH, NULL, MAIN);
	snapshot = snapshot_after(engine, fk);
	assert_still(snapshot, 90, "sleeper");
	assert_null(row_of(snapshot, 60));
	assert_null(row_of(snapshot, 2));
	assert_each_once(snapshot);
	snapshot_free(snapshot);

	/* A process of the target has a row while it sleeps, and after it has ended. */
	fk_switch(fk, 0, 0);
	fk_switch(fk, 1, 0); /* its thread, which /proc has in it */
	snapshot = snapshot_after(engine, fk);
	assert_still(snapshot, MAIN, "main");
	assert_each_once(snapshot);
	snapshot_free(snapshot);
	fk_switch(fk, 0, 90);
	fk_exit(fk, 90, FK_EXIT_REAPED);
	fk_switch(fk, 0, 0);
	snapshot = nth_snapshot(engine, fk, 4);
	assert_null(row_of(snapshot, 90));
	snapshot_free(snapshot);

	command(engine, REQUEST_IDLE, NULL, 0);
	snapshot = snapshot_after(engine, fk);
	assert_int_equal(snapshot->threads.n, snapshot_ran(snapshot));
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* A task on an uncounted CPU makes no records: a scan finds it. */
static void idle_tasks_of_other_cpus(void **state)
{
	const struct engine_config config = {.target.cpus = "0", .idle = true};
	struct fk *fk = open_family(&rights[0]);
	struct sys sys = fk_sys(fk);

	(void)state;
	struct engine *engine = open_engine_with(&sys, &config);
	struct snapshot *snapshot = nth_snapshot(engine, fk, 3);
	assert_still(snapshot, 60, "task");
	snapshot_free(snapshot);
	fk_exit(fk, 60, FK_EXIT_REAPED);
	fk_switch(fk, 3, 0);
	fk_task(fk, TASK(ME, 61, .comm = "new"));
	snapshot = nth_snapshot(engine, fk, 4);
	assert_null(row_of(snapshot, 60));
	assert_still(snapshot, 61, "new");
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* The same for an exec there: the new name is shown soon. */
static void names_of_other_cpus(void **state)
{
	const struct engine_config config = {.target.cpus = "0"};
	struct fk *fk = open_family(&rights[0]);
	struct sys sys = fk_sys(fk);

	(void)state;
	struct engine *engine = open_engine_with(&sys, &config);
	fk_exec(fk, 60, "cc");
	snapshot_free(nth_snapshot(engine, fk, 20));
	fk_switch(fk, 3, 0);
	fk_switch(fk, 0, 60);
	struct snapshot *snapshot = snapshot_after(engine, fk);
	const struct row *row = row_of(snapshot, 60);
	assert_non_null(row);
	assert_string_equal(row->comm, "cc");
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* The running task of CPU 3 ends, and nothing waits for it. */
static void end_unwaited(struct fk *fk, pid_t pid)
{
	fk_switch(fk, 3, pid);
	fk_exit(fk, pid, FK_EXIT_ZOMBIE);
	fk_switch(fk, 3, 0);
}

static void assert_zombie(const struct snapshot *snapshot, pid_t pid, const char *comm,
			  const char *name)
{
	const struct row *row = row_of(snapshot, pid);

	if (!row)
		fail_msg("%s: no row", name);
	if (!row || row->flags != (ROW_EXITED | ROW_ZOMBIE) || strcmp(row->comm, comm) != 0)
		fail_msg("%s: flags %u, %s", name, row ? row->flags : 0, row ? row->comm : "");
	const struct figure state = task_figure(snapshot, pid, "state");
	if (state.state != FIGURE_VALID || proc_state_letter(state.value) != 'Z')
		fail_msg("%s: state %s, %f", name, figure_state_name(state.state), state.value);
	assert_int_equal(count_of(snapshot, pid, "task-clock"), 0);
	if (event_set_find(&snapshot->columns->events, "blocked_time") >= 0)
		assert_int_equal(count_of(snapshot, pid, "blocked_time"), 0);
}

static const struct engine_column state_column[] = {{ENGINE_METRIC, "state"},
						    {ENGINE_EVENTS, "blocked_time"}};

/* Processes that have ended have rows until their parent waits for them. */
static void zombies(void **state)
{
	enum { EARLY = 90, LATE = 91, SINCE_S = 4 };
	const struct right *right = *state;
	static const pid_t early[] = {EARLY};
	static const struct {
		const char *name;
		bool idle, target, whole;
	} rows[] = {
		{"idle", .idle = true},
		{"target", .target = true, .whole = true},
		{"idle target", .idle = true, .target = true, .whole = true},
		{"target of threads", .target = true},
		{"neither", .idle = false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *name = rows[i].name;
		bool whole = rows[i].whole, target = rows[i].target;
		const struct engine_config config = {
			.columns = state_column,
			.n_columns = 2,
			.idle = rows[i].idle,
			.target = {.pids = early,
				   .n_pids = target && whole,
				   .tids = early,
				   .n_tids = target && !whole},
		};
		struct fk *fk = fk_new(&right->config);
		struct sys sys = fk_sys(fk);

		fk_task(fk, TASK(ME, MAIN, .comm = "main"));
		fk_task(fk, TASK(ME, EARLY, .comm = "early"));
		fk_task(fk, TASK(ME, LATE, .comm = "late"));
		fk_switch(fk, 0, MAIN);
		end_unwaited(fk, EARLY);
		struct engine *engine = open_engine_with(&sys, &config);
		struct snapshot *snapshot = nth_snapshot(engine, fk, 3);
		assert_zombie(snapshot, EARLY, "early", name);
		const uint64_t held_ms = row_of(snapshot, EARLY)->held_ms;
		assert_in_range(held_ms, INTERVAL_NS / NS_PER_MS + 1, fk_now(fk) / NS_PER_MS);
		assert_false(snapshot->ended);
		snapshot_free(snapshot);

		end_unwaited(fk, LATE);
		snapshot = nth_snapshot(engine, fk, SINCE_S * (int)(NS_PER_S / INTERVAL_NS));
		if (!target)
			assert_zombie(snapshot, LATE, "late", name);
		else
			assert_null(row_of(snapshot, LATE));
		snapshot_free(snapshot);

		fk_reap(fk, EARLY);
		fk_reap(fk, LATE);
		snapshot = nth_snapshot(engine, fk, 3);
		if (row_of(snapshot, LATE))
			fail_msg("%s: it is gone", name);
		assert_int_equal(snapshot->ended, target);
		const struct row *row = row_of(snapshot, EARLY);
		assert_true(target ? row && row->flags == ROW_EXITED : !row);
		snapshot_free(snapshot);
		/* The number is used again. */
		fk_fork(fk, MAIN, EARLY);
		fk_switch(fk, 3, EARLY);
		snapshot = nth_snapshot(engine, fk, 2);
		row = row_of(snapshot, EARLY);
		assert_true(target || (row && row->flags == 0 && !strcmp(row->comm, "main")));
		snapshot_free(snapshot);
		close_all(engine, fk);
	}
}

/* Many at once, and all of them go. Without -i some have rows, and all are counted. */
static void check_many_zombies(bool idle)
{
	enum { ZOMBIES = 1500, FIRST = 1000, ROWS = 20 };
	const struct engine_config config = {.columns = state_column, .n_columns = 2, .idle = idle};
	struct fk *fk = fk_new(&rights[0].config);
	struct sys sys = fk_sys(fk);

	for (pid_t pid = FIRST; pid < FIRST + ZOMBIES; pid++) {
		fk_task(fk, TASK(ME, pid, .comm = "child"));
		end_unwaited(fk, pid);
	}
	struct engine *engine = open_engine_with(&sys, &config);
	for (int round = 0; round < 2; round++) {
		size_t n = 0;
		struct snapshot *snapshot = nth_snapshot(engine, fk, 10);
		for (size_t i = 0; i < snapshot->threads.n; i++)
			n += (snapshot->threads.items[i].flags & ROW_ZOMBIE) != 0;
		assert_int_equal(n, round ? 0 : idle ? ZOMBIES : ROWS);
		assert_int_equal(snapshot->machine.values[MACHINE_ZOMBIES], round ? 0 : ZOMBIES);
		snapshot_free(snapshot);
		for (pid_t pid = FIRST; pid < FIRST + ZOMBIES; pid++)
			fk_reap(fk, pid);
	}
	close_all(engine, fk);
}

static void many_zombies(void **state)
{
	(void)state;
	check_many_zombies(true);
	check_many_zombies(false);
}

/* Their parent does not run, and is known by its name. */
static void parents_of_zombies(void **state)
{
	enum { PARENT = 90, CHILD = 91 };
	const struct engine_config config = {.columns = state_column, .n_columns = 2};
	struct fk *fk = fk_new(&rights[0].config);
	struct sys sys = fk_sys(fk);
	bool named = false;

	(void)state;
	fk_task(fk, TASK(ME, PARENT, .comm = "parent"));
	fk_task(fk, TASK(ME, CHILD, .comm = "child", .ppid = PARENT));
	end_unwaited(fk, CHILD);
	struct engine *engine = open_engine_with(&sys, &config);
	struct snapshot *snapshot = nth_snapshot(engine, fk, 3);
	assert_zombie(snapshot, CHILD, "child", "its row");
	assert_int_equal(row_of(snapshot, CHILD)->ppid, PARENT);
	for (size_t i = 0; i < snapshot->n_sleeping; i++)
		named |= snapshot->sleeping[i].pid == PARENT &&
			 strcmp(snapshot->sleeping[i].comm, "parent") == 0;
	assert_true(named);
	snapshot_free(snapshot);
	/* It is gone in the next refresh, however long the walk over /proc took. */
	fk_reap(fk, CHILD);
	snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	assert_null(row_of(snapshot, CHILD));
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* A process that goes on without its main thread has not ended. */
static void leaders_outlived(void **state)
{
	const struct right *right = *state;
	const struct engine_config config = {.columns = state_column, .n_columns = 2};
	struct fk *fk = open_family(right);
	struct sys sys = fk_sys(fk);

	fk_switch(fk, 0, 0);
	end_unwaited(fk, MAIN);
	struct engine *engine = open_engine_with(&sys, &config);
	struct snapshot *snapshot = nth_snapshot(engine, fk, 40);
	assert_null(row_of(snapshot, MAIN));
	assert_int_equal(snapshot->machine.values[MACHINE_ZOMBIES], 0);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* A main thread that has ended is a zombie, its process is not. */
static void zombie_leaders(void **state)
{
	const struct right *right = *state;
	static const struct {
		const char *name;
		bool before; /* it ends before pmctop begins */
		bool runs;   /* the other thread runs */
	} rows[] = {
		{"ended before, runs", true, true},
		{"ended before, sleeps", true, false},
		{"ends, runs", false, true},
		{"ends, sleeps", false, false},
	};
	const struct engine_config config = {.columns = state_column, .n_columns = 2, .idle = true};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk *fk = open_family(right);
		struct sys sys = fk_sys(fk);
		struct view view;

		fk_switch(fk, 0, 0);
		if (rows[i].before)
			end_unwaited(fk, MAIN);
		struct engine *engine = open_engine_with(&sys, &config);
		if (!rows[i].before)
			end_unwaited(fk, MAIN);
		if (!rows[i].runs)
			fk_switch(fk, 1, 0);
		struct snapshot *snapshot = nth_snapshot(engine, fk, 40);
		if (snapshot->mode == COUNT_MODE_SYSTEM)
			assert_zombie(snapshot, MAIN, "main", rows[i].name);
		view_init(snapshot, &(struct view_spec){.by = ROLLUP_PROCESS}, &view);
		const struct row *row = NULL;
		for (size_t line = 0; line < view.n; line++)
			if (view_row(&view, line)->pid == MAIN)
				row = view_row(&view, line);
		if (!row || row->flags & (ROW_EXITED | ROW_ZOMBIE) || strcmp(row->comm, "main"))
			fail_msg("%s: flags %u, %s", rows[i].name, row ? row->flags : 0,
				 row ? row->comm : "no row");
		view_fini(&view);
		snapshot_free(snapshot);
		close_all(engine, fk);
	}
}

#define WITH(test, i)                                                                     \
	{                                                                                 \
		.name = #test " (" #i ")", .test_func = test, .initial_state = &rights[i] \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(presets_come_and_go),
		cmocka_unit_test(none_alone_is_nothing),
		cmocka_unit_test(refusals_pass),
		cmocka_unit_test(a_preset_for_tasks),
		WITH(attach_and_dismiss, 0),
		WITH(attach_and_dismiss, 1),
		WITH(attach_and_dismiss, 2),
		WITH(attach_without_main_thread, 0),
		WITH(attach_without_main_thread, 1),
		WITH(attach_without_main_thread, 2),
		WITH(attach_to_no_process, 0),
		WITH(attach_to_no_process, 1),
		WITH(attach_to_no_process, 2),
		cmocka_unit_test(attach_to_others),
		cmocka_unit_test(attach_within_a_user),
		cmocka_unit_test(orphans_stay),
		cmocka_unit_test(what_a_command_left),
		WITH(command_lines, 0),
		WITH(command_lines, 1),
		WITH(command_lines, 2),
		WITH(filters_match_command_lines, 0),
		WITH(filters_match_command_lines, 1),
		WITH(filters_match_command_lines, 2),
		cmocka_unit_test(notes_unread_command_lines),
		cmocka_unit_test(command_lines_change),
		cmocka_unit_test(command_lines_are_read_in_parts),
		cmocka_unit_test(screen_reads_few),
		cmocka_unit_test(no_command_line_of_before),
		WITH(idle_tasks, 0),
		WITH(idle_tasks, 1),
		WITH(idle_tasks, 2),
		WITH(zombies, 0),
		WITH(zombies, 1),
		WITH(zombies, 2),
		cmocka_unit_test(many_zombies),
		cmocka_unit_test(parents_of_zombies),
		WITH(leaders_outlived, 0),
		WITH(leaders_outlived, 1),
		WITH(zombie_leaders, 0),
		WITH(zombie_leaders, 1),
		WITH(zombie_leaders, 2),
		cmocka_unit_test(idle_tasks_of_other_cpus),
		cmocka_unit_test(names_of_other_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
