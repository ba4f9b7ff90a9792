// SPDX-License-Identifier: MIT
/* The rule that fires for given figures, and its text. */
#include "tests/unit/shared/sample.h"

#include "core/base/text.h"
#include "core/view/cpu_stall.h"
#include "core/view/verdict.h"
#include "core/view/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { FIGURES = 12 };

/* A figure of a metric: valid if no state is given. */
struct given {
	const char *name; /* NULL: no more */
	double value;
	enum figure_state state;
};

/* Columns of these metrics alone. The formulas do not matter. */
static struct columns *given_columns(const struct given *given, struct figure *figures)
{
	struct columns *columns = xcalloc(1, sizeof(*columns));

	columns->references = 1;
	columns->plan = sample_plan();
	columns->metrics = xcalloc(FIGURES, sizeof(*columns->metrics));
	columns->defs = xcalloc(FIGURES, sizeof(*columns->defs));
	for (size_t i = 0; i < FIGURES && given[i].name; i++) {
		char name[64];

		text_copy(name, sizeof(name), given[i].name);
		char *title = strchr(name, '='); /* "cache_mpki=L1DMPKI": of that form */
		if (title)
			*title++ = '\0';
		metric_def_copy(&columns->defs[i], metric_def_find(name));
		if (title) {
			xfree(columns->defs[i].title);
			columns->defs[i].title = xstrdup(title);
		}
		columns->metrics[i].def = &columns->defs[i];
		columns->metrics[i].title = columns->defs[i].title;
		figures[i] = (struct figure){given[i].value, 1, given[i].state};
		columns->n_metrics++;
	}
	return columns;
}

static struct snapshot *given_snapshot(const struct given *given, struct figure *figures)
{
	return sample_snapshot_new(given_columns(given, figures), "h", "cpu");
}

static void judges(void **state)
{
	static const struct {
		const char *name;
		struct given given[FIGURES];
		unsigned flags;
		enum verdict want;
		const char *explained;
	} rows[] = {
		{"cache misses at a low IPC",
		 {{"cpu_percent", 99}, {"ipc", 0.31}, {"branch_mpki", 1}, {"cache_mpki", 24.1}},
		 0,
		 VERDICT_MEMORY,
		 "memory-bound: IPC 0.31 < 1 and caMPKI 24.10 >= 10"},
		{"cache misses that cost nothing",
		 {{"cpu_percent", 99}, {"ipc", 1.31}, {"cache_mpki", 24.1}},
		 0,
		 VERDICT_FINE,
		 "fine: IPC 1.31 >= 1"},
		{"misses of the first cache have another limit",
		 {{"ipc", 0.5}, {"cache_mpki=L1DMPKI", 15}},
		 0,
		 VERDICT_STALLED,
		 NULL},
		{"beyond it",
		 {{"ipc", 0.5}, {"cache_mpki=L1DMPKI", 25}},
		 0,
		 VERDICT_MEMORY,
		 "memory-bound: IPC 0.50 < 1 and L1DMPKI 25.00 >= 20"},
		{"misses of L2",
		 {{"ipc", 0.5}, {"cache_mpki=L2MPKI", 15}},
		 0,
		 VERDICT_MEMORY,
		 NULL},
		{"misses of LLC", {{"ipc", 0.5}, {"llc_mpki", 15}}, 0, VERDICT_MEMORY, NULL},
		{"fewer of them at a very low IPC",
		 {{"ipc", 0.31}, {"cache_mpki=LLCMPKI", 8}},
		 0,
		 VERDICT_MEMORY,
		 "memory-bound: IPC 0.31 < 0.5 and LLCMPKI 8.00 >= 5"},
		{"which L3 may have hit",
		 {{"ipc", 0.31}, {"cache_mpki=L2MPKI", 8}},
		 0,
		 VERDICT_STALLED,
		 NULL},
		{"wrong branches",
		 {{"ipc", 1.5}, {"branch_mpki", 8}, {"cache_mpki", 0}},
		 0,
		 VERDICT_BRANCH,
		 "branch-bound: brMPKI 8.00 x IPC 1.50 >= 10"},
		{"as many cost little where all is slow",
		 {{"ipc", 0.5}, {"branch_mpki", 8}},
		 0,
		 VERDICT_STALLED,
		 NULL},
		{"wrong branches without IPC", {{"branch_mpki", 80}}, 0, VERDICT_NONE, NULL},
		{"the greater of two",
		 {{"ipc", 0.9}, {"branch_mpki", 20}, {"cache_mpki", 11}},
		 0,
		 VERDICT_BRANCH,
		 NULL},
		{"the other way round",
		 {{"ipc", 0.9}, {"branch_mpki", 12}, {"cache_mpki", 30}},
		 0,
		 VERDICT_MEMORY,
		 NULL},
		{"instructions that are not there",
		 {{"ipc", 0.5}, {"l1i_mpki", 30}},
		 0,
		 VERDICT_FRONTEND,
		 "frontend-bound: IPC 0.50 < 1 and L1IMPKI 30.00 >= 10"},
		{"neither misses",
		 {{"ipc", 0.4}, {"branch_mpki", 0.1}, {"cache_mpki", 0.2}},
		 0,
		 VERDICT_CORE,
		 "core-bound: caMPKI 0.20 < 1 and brMPKI 0.10 < 5 and IPC 0.40 < 1"},
		{"a low IPC alone",
		 {{"ipc", 0.4}},
		 0,
		 VERDICT_STALLED,
		 "stalled: IPC 0.40 < 1; preset topdown may show what it waits for"},
		{"top-down, second level: memory",
		 {{"ipc", 0.4}, {"topdown_backend", 60}, {"topdown_memory", 45}, {"cache_mpki", 0}},
		 0,
		 VERDICT_MEMORY,
		 "memory-bound: memory% 45.0 >= 20 and back% 60.0 >= 20"},
		{"top-down, second level: core",
		 {{"ipc", 0.4}, {"topdown_backend", 60}, {"topdown_memory", 10}},
		 0,
		 VERDICT_CORE,
		 NULL},
		{"top-down, first level alone",
		 {{"ipc", 0.4}, {"topdown_backend", 60}},
		 0,
		 VERDICT_BACKEND,
		 "backend-bound: back% 60.0 >= 20; memory and execution units are not "
		 "counted separately here"},
		{"top-down: front end",
		 {{"topdown_frontend", 40}, {"topdown_backend", 25}},
		 0,
		 VERDICT_FRONTEND,
		 "frontend-bound: front% 40.0 >= 15"},
		{"top-down: wrong paths", {{"topdown_bad_spec", 30}}, 0, VERDICT_BRANCH, NULL},
		{"machine clears are no branches",
		 {{"topdown_bad_spec", 30}, {"topdown_mispredict", 2}},
		 0,
		 VERDICT_NONE,
		 NULL},
		{"top-down: useful work",
		 {{"topdown_retiring", 74}, {"topdown_backend", 22}},
		 0,
		 VERDICT_FINE,
		 NULL},
		{"the kernel",
		 {{"kernel_percent", 45}, {"ipc", 0.2}},
		 0,
		 VERDICT_KERNEL,
		 "kernel-heavy: kernel% 45.0 >= 30"},
		{"a kernel thread is nowhere else",
		 {{"kernel_percent", 100}, {"ipc", 1.2}},
		 ROW_KERNEL,
		 VERDICT_FINE,
		 NULL},
		{"an ended task is a task", {{"ipc", 0.2}}, ROW_EXITED, VERDICT_STALLED, NULL},
		{"switches",
		 {{"cpu_percent", 50}, {"cs_per_s", 140000}, {"ipc", 0.2}},
		 0,
		 VERDICT_SWITCHES,
		 "thrashing switches: cs/s 140k >= 20000"},
		{"switches of many threads are few each",
		 {{"cpu_percent", 6400}, {"cs_per_s", 140000}},
		 0,
		 VERDICT_NONE,
		 NULL},
		{"the limit for that many",
		 {{"cpu_percent", 240}, {"cs_per_s", 140000}},
		 0,
		 VERDICT_SWITCHES,
		 "thrashing switches: cs/s 140k >= 48.0k"},
		{"a limit that is not round",
		 {{"cpu_percent", 199.9108}, {"faults_per_s", 215000}},
		 0,
		 VERDICT_FAULTS,
		 "faulting: flt/s 215k >= 200k"},
		{"faults",
		 {{"cpu_percent", 90}, {"cs_per_s", 3}, {"faults_per_s", 250000}},
		 0,
		 VERDICT_FAULTS,
		 "faulting: flt/s 250k >= 100000"},
		{"faults that read from a disk",
		 {{"major_faults_per_s", 200}},
		 0,
		 VERDICT_FAULTS,
		 NULL},
		{"hardly runs",
		 {{"cpu_percent", 0.4}, {"ipc", 0.1}},
		 0,
		 VERDICT_IDLE,
		 "idle-ish: %CPU 0.4 < 1"},
		{"software alone",
		 {{"cpu_percent", 90}, {"cs_per_s", 3}, {"faults_per_s", 2}},
		 0,
		 VERDICT_NONE,
		 NULL},
		{"a cause that is not known leaves what is",
		 {{"ipc", 0.4}, {"cache_mpki", 99, FIGURE_UNSUPPORTED}},
		 0,
		 VERDICT_STALLED,
		 NULL},
		{"scaled",
		 {{"ipc", 0.4}, {"cache_mpki", 99, FIGURE_SCALED}},
		 0,
		 VERDICT_MEMORY,
		 "memory-bound: IPC 0.40 < 1 and caMPKI ~99.00 >= 10"},
		{"an IPC of 1", {{"ipc", 1}}, 0, VERDICT_FINE, NULL},
		{"nothing at all", {{NULL}}, 0, VERDICT_NONE, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct figure figures[FIGURES];
		struct snapshot *snapshot = given_snapshot(rows[i].given, figures);
		struct judge judge;
		char text[256];

		judge_init(&judge, snapshot);
		struct judgement judgement = judge_figures(&judge, figures, rows[i].flags);
		verdict_explain(&judge, &judgement, figures, text, sizeof(text));
		if (judgement.verdict != rows[i].want)
			fail_msg("%s: %s", rows[i].name, text);
		if (rows[i].explained && strcmp(text, rows[i].explained) != 0)
			fail_msg("%s: \"%s\"", rows[i].name, text);
		snapshot_free(snapshot);
	}
}

/* The states of IPC's events are used if they cannot be counted for the whole run. */
static void compile_ipc(struct columns *columns)
{
	int ipc = columns_metric(columns, "ipc");
	struct error err;

	sample_events(&columns->events);
	if (ipc >= 0)
		assert_int_equal(metric_compile(&columns->defs[ipc], 0, &columns->events,
						&columns->metrics[ipc], &err),
				 0);
}

/* Without a verdict, the machine, the columns or the figures are the reason. */
static void gives_the_reason(void **state)
{
	static const struct {
		const char *name, *pmu, *replay;
		enum count_mode mode;
		struct given given[4];
		unsigned flags;
		enum event_levels levels;
		enum figure_state cycles; /* for the whole run */
		bool turns, per_task;
		const char *want;
	} rows[] = {
		{"14,000 switches a second without counters", .pmu = "",
		 .given = {{"cpu_percent", 90}, {"cs_per_s", 14000}, {"faults_per_s", 2}},
		 .want = "this machine has no hardware counters; no counted figure stands "
			 "out."},
		{"nothing that a rule is about", .pmu = "", .given = {{"cpu_percent", 90}},
		 .want = "this machine has no hardware counters."},
		{"though the column is there", .pmu = "", .given = {{"ipc", 0, FIGURE_UNSUPPORTED}},
		 .want = "this machine has no hardware counters."},
		{"of a recording", .pmu = "", .replay = "perf.data",
		 .given = {{"cpu_percent", 90}, {"cs_per_s", 3}},
		 .want = "no hardware events were recorded; no counted figure stands out."},
		{"no rights", .pmu = "", .mode = COUNT_MODE_PROC, .given = {{"cpu_percent", 90}},
		 .want = "no counters can be opened here (see 'pmctop --doctor')."},
		{"counters, and other columns", .given = {{"cpu_percent", 90}, {"cs_per_s", 14000}},
		 .want = "IPC is not among the columns (it is in presets overview and topdown); "
			 "no counted figure stands out."},
		{"counters, but not of that", .given = {{"ipc", 0, FIGURE_UNSUPPORTED}},
		 .want = "IPC cannot be counted here."},
		{"denied", .given = {{"ipc", 0, FIGURE_DENIED}},
		 .want = "the kernel denies the counters of IPC (see 'pmctop --doctor')."},
		{"held by others", .given = {{"ipc", 0, FIGURE_NOT_COUNTED}},
		 .cycles = FIGURE_NOT_COUNTED,
		 .want = "other programs hold the counters that IPC needs."},
		{"a thread without counters", .mode = COUNT_MODE_TASK,
		 .given = {{"ipc", 0, FIGURE_NOT_COUNTED}, {"cs_per_s", 3, FIGURE_NOT_COUNTED}},
		 .per_task = true, .want = "no counters were open for it."},
		{"too little time for its turn",
		 .given = {{"cpu_percent", 2}, {"ipc", 0, FIGURE_NOT_COUNTED}, {"cs_per_s", 3}},
		 .turns = true,
		 .want = "it ran for too short a time: counters take turns (choose fewer columns); "
			 "no counted figure stands out."},
		{"the counters were away for a while", .given = {{"ipc", 0, FIGURE_NOT_COUNTED}},
		 .want = "IPC was not counted while it ran."},
		{"no cycles", .given = {{"ipc", 0, FIGURE_UNDEFINED}},
		 .want = "it used no cycles that were counted."},
		{"no cycles in user mode", .given = {{"ipc", 0, FIGURE_UNDEFINED}},
		 .levels = EVENT_LEVELS_USER,
		 .want = "it used no cycles in user mode, and only user mode is counted."},
		{"no cycles in the kernel", .given = {{"ipc", 0, FIGURE_UNDEFINED}},
		 .levels = EVENT_LEVELS_KERNEL,
		 .want = "it used no cycles in the kernel, and only the kernel is counted."},
		{"lost records", .pmu = "",
		 .given = {{"cpu_percent", 90, FIGURE_LOST}, {"cs_per_s", 30000, FIGURE_LOST}},
		 .flags = ROW_LOST, .want = "records were lost, so its figures are too low."},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct figure figures[FIGURES];
		struct columns *columns = given_columns(rows[i].given, figures);
		struct snapshot *snapshot =
			sample_snapshot_new(columns, "h", rows[i].pmu ? rows[i].pmu : "cpu");
		struct judge judge;
		char text[256], want[256];

		compile_ipc(columns);
		columns->events.items[SAMPLE_CYCLES].state = rows[i].cycles;
		columns->levels = rows[i].levels;
		columns->plan->per_task = rows[i].per_task;
		columns->plan->domains[0].n_groups = rows[i].turns ? 3 : 1;
		snapshot->mode = rows[i].mode;
		if (rows[i].replay)
			text_copy(snapshot->replay, sizeof(snapshot->replay), rows[i].replay);
		judge_init(&judge, snapshot);
		struct judgement judgement = judge_figures(&judge, figures, rows[i].flags);
		assert_int_equal(judgement.verdict, VERDICT_NONE);
		verdict_explain(&judge, &judgement, figures, text, sizeof(text));
		snprintf(want, sizeof(want), "No verdict: %s", rows[i].want);
		if (strcmp(text, want) != 0)
			fail_msg("%s: \"%s\"", rows[i].name, text);
		snapshot_free(snapshot);
	}
}

/* A verdict has the state of its own figures, and of no others. */
static void has_the_state_of_its_figures(void **state)
{
	static const struct {
		struct given given[FIGURES];
		enum figure_state want;
	} rows[] = {
		{{{"ipc", 0.4}, {"cache_mpki", 99}}, FIGURE_VALID},
		{{{"ipc", 0.4}, {"cache_mpki", 99, FIGURE_SCALED}}, FIGURE_SCALED},
		{{{"ipc", 0.4, FIGURE_LOST}, {"cache_mpki", 99, FIGURE_SCALED}}, FIGURE_LOST},
		{{{"ipc", 1.4}, {"cache_mpki", 99, FIGURE_SCALED}}, FIGURE_VALID},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct figure figures[FIGURES];
		struct snapshot *snapshot = given_snapshot(rows[i].given, figures);
		struct judge judge;

		judge_init(&judge, snapshot);
		assert_int_equal(judge_figures(&judge, figures, 0).state, rows[i].want);
		snapshot_free(snapshot);
	}
}

static void labels_fit(void **state)
{
	(void)state;
	for (size_t v = 0; v < VERDICTS; v++) {
		assert_true(text_width(verdict_label((enum verdict)v)) <= 8);
		assert_true(verdict_name((enum verdict)v)[0]);
	}
}

#define TASK(p, name, ms, instructions, misses)                              \
	{                                                                    \
		.row = {.pid = (p), .tid = (p), .threads = 1, .comm = name}, \
		.counts = {[TALLY_TASK_CLOCK] = (ms)*NS_PER_MS,              \
			   [SAMPLE_CYCLES] = 1000 * (ms),                    \
			   [SAMPLE_INSTRUCTIONS] = (instructions) * (ms),    \
			   [SAMPLE_CACHE_MISSES] = (misses) * (ms)},         \
	}

static void describes_the_machine(void **state)
{
	static const struct {
		const char *name, *preset;
		struct sample_row tasks[4];
		enum verdict want;
		const char *sentence;
		uint64_t hidden_ns;
	} rows[] = {
		{"the verdict with the most time",
		 "overview",
		 {TASK(1, "postgres", 900, 310, 8), TASK(2, "java", 700, 2000, 0),
		  TASK(3, "pg\x1b", 100, 310, 8)},
		 VERDICT_MEMORY,
		 "1.0 of 2 CPUs' time in memory-bound tasks: postgres (IPC 0.31, caMPKI 25.81)"},
		{"a name that may not be shown",
		 "overview",
		 {TASK(1, "\x1b[2J", 900, 310, 8)},
		 VERDICT_MEMORY,
		 "0.9 of 2 CPUs' time in memory-bound tasks: \xef\xbf\xbd[2J (IPC 0.31, caMPKI "
		 "25.81)"},
		{"a process with more time in all its threads",
		 "overview",
		 {TASK(1, "postgres", 300, 310, 8),
		  {.row = {.pid = 2, .tid = 3, .threads = 1, .comm = "worker"},
		   .counts = {[TALLY_TASK_CLOCK] = 200 * NS_PER_MS,
			      [SAMPLE_CYCLES] = 1000,
			      [SAMPLE_INSTRUCTIONS] = 500,
			      [SAMPLE_CACHE_MISSES] = 20}},
		  TASK(2, "java", 250, 310, 8)},
		 VERDICT_MEMORY,
		 "0.8 of 2 CPUs' time in memory-bound tasks: java (IPC 0.31, caMPKI 25.81)"},
		{"too little to be a trait",
		 "overview",
		 {TASK(1, "postgres", 50, 310, 8), TASK(2, "java", 900, 2000, 0)},
		 VERDICT_FINE,
		 "fine: IPC 1.91 >= 1"},
		{"of what is stalled, the time that is lost",
		 "overview",
		 {TASK(1, "hog", 1000, 500, 3)},
		 VERDICT_STALLED,
		 "at least 0.5 of 2 CPUs' time lost in stalled tasks: hog (IPC 0.50)"},
		{"which is less than another loss",
		 "overview",
		 {TASK(1, "hog", 600, 700, 3), TASK(2, "postgres", 400, 310, 8)},
		 VERDICT_MEMORY,
		 "0.4 of 2 CPUs' time in memory-bound tasks: postgres (IPC 0.31, caMPKI 25.81)"},
		{"or too little to be a trait",
		 "overview",
		 {TASK(1, "java", 900, 960, 3)},
		 VERDICT_STALLED,
		 "stalled: IPC 0.96 < 1; preset topdown may show what it waits for"},
		{"nothing runs",
		 "overview",
		 {TASK(1, "postgres", 40, 310, 8)},
		 VERDICT_IDLE,
		 "idle-ish: less than 5% of the CPUs' time was used"},
		{"nothing that is seen runs",
		 "overview",
		 {TASK(1, "postgres", 40, 310, 0)},
		 VERDICT_CORE,
		 "core-bound: caMPKI 0.00 < 1 and brMPKI 0.00 < 5 and IPC 0.31 < 1",
		 900 * NS_PER_MS},
		{"nothing is counted",
		 "software",
		 {TASK(1, "postgres", 900, 310, 8)},
		 VERDICT_NONE,
		 "No verdict: IPC is not among the columns (it is in presets overview and topdown);"
		 " no counted figure stands out."},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct snapshot *snapshot;
		char text[256];
		size_t n = 0;

		while (n < 4 && rows[i].tasks[n].row.pid)
			n++;
		snapshot = sample_snapshot(sample_columns(rows[i].preset), rows[i].tasks, n);
		snapshot->totals[TALLY_TASK_CLOCK] += rows[i].hidden_ns;
		enum verdict verdict = verdict_of_snapshot(snapshot, text, sizeof(text));
		if (verdict != rows[i].want || strcmp(text, rows[i].sentence) != 0)
			fail_msg("%s: %s", rows[i].name, text);
		assert_int_equal(verdict_of_snapshot(snapshot, NULL, 0), verdict);
		snapshot_free(snapshot);
	}
}

/* The time lost in stalled tasks is the sum of stall% of the CPUs, if no other task ran. */
static void agrees_with_stall_percent(void **state)
{
	static const unsigned cases[][2] = {{1000, 500}, {1000, 250}, {400, 250}, {700, 620}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct sample_row tasks[] = {TASK(1, "hog", cases[i][0] / 2, cases[i][1], 1),
						   TASK(2, "pig", cases[i][0] / 2, cases[i][1], 1)};
		struct snapshot *snapshot = sample_snapshot(sample_columns("overview"), tasks, 2);
		char text[256], number[24], want[80];
		const uint64_t idle_ns = NS_PER_S - cases[i][0] * NS_PER_MS;
		double lost = 0;

		snapshot->cpus[0].tally[TALLY_TASK_CLOCK] += idle_ns;
		snapshot->cpus[0].idle[TALLY_TASK_CLOCK] += idle_ns;
		for (size_t k = 0; k < snapshot->n_cpus; k++)
			lost += cpu_stall(snapshot->columns, &snapshot->cpus[k]).value / 100;
		text_fixed(number, sizeof(number), lost, 1);
		snprintf(want, sizeof(want),
			 "at least %s of 2 CPUs' time lost in stalled tasks: ", number);
		assert_int_equal(verdict_of_snapshot(snapshot, text, sizeof(text)),
				 VERDICT_STALLED);
		if (strncmp(text, want, strlen(want)) != 0)
			fail_msg("\"%s\", but stall%% is %s of a CPU", text, number);
		snapshot_free(snapshot);
	}
}

/* The verdict of a target names it, since the machine may be busy with other tasks. */
static void describes_a_target(void **state)
{
	static const struct sample_row task = TASK(1, "postgres", 5, 310, 8);

	(void)state;
	for (int targeted = 0; targeted < 2; targeted++) {
		struct snapshot *snapshot = sample_snapshot(sample_columns("overview"), &task, 1);
		char text[256];

		snapshot->totals[TALLY_TASK_CLOCK] += 900 * NS_PER_MS;
		snapshot->targeted = targeted;
		snapshot->target_figures =
			xcalloc(snapshot->columns->n_metrics, sizeof(struct figure));
		assert_int_equal(verdict_of_snapshot(snapshot, text, sizeof(text)), VERDICT_IDLE);
		assert_string_equal(text, targeted ? "the target is idle-ish: %CPU 0.0 < 1"
						   : "your tasks are idle-ish: %CPU 0.0 < 1");
		snapshot_free(snapshot);
	}
}

/* The order is by lost time: tasks with a loss come first. */
static void sorts(void **state)
{
	static const struct sample_row tasks[] = {
		TASK(1, "idle", 1, 100, 1),    TASK(2, "fine", 900, 2000, 0),
		TASK(3, "bad", 300, 310, 8),   TASK(4, "worse", 300, 310, 20),
		TASK(5, "little", 20, 310, 8), TASK(6, "fine too", 800, 2000, 0),
	};
	static const pid_t want[] = {4, 3, 2, 6, 5, 1};
	struct snapshot *snapshot =
		sample_snapshot(sample_columns("overview"), tasks, ARRAY_SIZE(tasks));
	struct view view;

	(void)state;
	view_init(snapshot, &(struct view_spec){.sort = "verdict"}, &view);
	for (size_t line = 0; line < view.n; line++)
		assert_int_equal(view_row(&view, line)->pid, want[line]);
	view_fini(&view);
	snapshot_free(snapshot);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(judges),
		cmocka_unit_test(gives_the_reason),
		cmocka_unit_test(has_the_state_of_its_figures),
		cmocka_unit_test(labels_fit),
		cmocka_unit_test(describes_the_machine),
		cmocka_unit_test(agrees_with_stall_percent),
		cmocka_unit_test(sorts),
		cmocka_unit_test(describes_a_target),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
