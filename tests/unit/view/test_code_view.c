// SPDX-License-Identifier: MIT
/* Functions of each kind of row, their shares, errors and metrics, and their callers. */
#include "core/view/code_view.h"

#include "core/snapshot/snapshot_sum.h"
#include "core/view/code_hottest.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/profile_samples.h"
#include "tests/unit/shared/sample.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ALICE = 1000, BOB, TASKS = 5 };
enum { CLOCK, CYCLES, INSTRUCTIONS };

static const struct code_event events[] = {
	{"cpu-clock", TALLY_TASK_CLOCK},
	{"cycles", SAMPLE_CYCLES},
	{"instructions", SAMPLE_INSTRUCTIONS},
};

/* Process 10 with two threads, its child 20 of another user and cgroup, and 30. */
static const struct sample_row tasks[TASKS] = {
	SAMPLE_TASK(10, 10, 1, ALICE, 0, "web", 250000000),
	SAMPLE_TASK(10, 11, 1, ALICE, 0, "worker", 250000000),
	SAMPLE_TASK(20, 20, 10, BOB, 1, "cc1", 250000000),
	SAMPLE_TASK(30, 30, 1, ALICE, 1, "cc1", 250000000),
	SAMPLE_TASK(40, 40, 1, BOB, 1, "still", 0),
};

/* Of tasks 10, 11, 20 and 30 as many samples as bits, so that each sum is of one set of them. */
static const struct profile_samples by_bits[] = {
	{10, 10, 0, "cpu-clock", "f@a.out;main@a.out", 1, 10, 500},
	{10, 11, 1, "cpu-clock", "f@a.out;main@a.out", 2, 20, 600},
	{20, 20, 2, "cpu-clock", "g@a.out", 4, 40},
	{30, 30, 3, "cpu-clock", "g@a.out", 8, 80},
	{99, 99, 3, "cpu-clock", "g@a.out", 16, 160}, /* of no row */
};

static struct snapshot *snapshot_of(const struct profile_samples *samples, size_t n)
{
	struct snapshot *snapshot = sample_snapshot_new(sample_columns("overview"), "h", "cpu");

	sample_fill_rows(snapshot, tasks, TASKS);
	sample_cpus(snapshot, 4);
	SAMPLE_CGROUPS(snapshot, "/system.slice/web", "/user.slice");
	for (int i = 0; i < 4; i++)
		snapshot->cpus[i].socket = snapshot->cpus[i].node = i / 2;
	snapshot->code = profile_of_samples(events, ARRAY_SIZE(events), samples, n);
	return snapshot;
}

struct subject_case {
	const char *name;
	struct history_key key;
	bool tree;
	uint64_t samples, alone; /* by bits */
};

static struct history_key key_of(const struct snapshot *snapshot, const struct history_key *key)
{
	/* In the table: 1 + the index of a row of that cgroup or command. */
	enum rollup by = key->kind == HISTORY_CGROUP ? ROLLUP_CGROUP : ROLLUP_COMMAND;

	if (key->kind != HISTORY_CGROUP && key->kind != HISTORY_COMMAND)
		return *key;
	return history_key_of_row(snapshot, by, &snapshot->threads.items[key->number - 1]);
}

static void finds_the_samples_of(void **state)
{
	const struct subject_case *row = *state;
	struct snapshot *snapshot = snapshot_of(by_bits, ARRAY_SIZE(by_bits));
	struct code_subject subject = {.key = key_of(snapshot, &row->key), .tree = row->tree};
	struct code_index *index = code_index_new(snapshot);
	struct code_view view;

	code_view_init(index, &subject, CLOCK, &view);
	assert_int_equal(view.totals[CLOCK].samples, row->samples);
	assert_int_equal(view.totals[CLOCK].weight, row->samples * 10);
	assert_int_equal(view.totals[CLOCK].alone, row->alone);
	assert_int_equal(view.totals[CYCLES].samples, 0);
	code_view_fini(&view);
	code_index_free(index);
	snapshot_free(snapshot);
}

static const struct subject_case subjects[] = {
	{"the machine", {HISTORY_MACHINE, 0, 0}, false, 31, 28},
	{"the target", {HISTORY_TARGET, 0, 0}, false, 15, 12},
	{"a thread", {HISTORY_THREAD, 11, 0}, false, 2, 0},
	{"a process", {HISTORY_PROCESS, 10, 0}, false, 3, 0},
	{"a process and its threads, which are younger", {HISTORY_PROCESS, 10, 500}, false, 3, 0},
	{"a thread whose tid is used again", {HISTORY_THREAD, 11, 700}, false, 0, 0},
	{"a process with descendants", {HISTORY_PROCESS, 10, 0}, true, 7, 4},
	{"a process without samples", {HISTORY_PROCESS, 40, 0}, false, 0, 0},
	{"a process that is not there", {HISTORY_PROCESS, 50, 0}, true, 0, 0},
	{"a user", {HISTORY_USER, ALICE, 0}, false, 11, 8},
	{"a cgroup", {HISTORY_CGROUP, 1, 0}, false, 3, 0},
	{"another cgroup", {HISTORY_CGROUP, 3, 0}, false, 12, 12},
	{"a command, with threads of other names", {HISTORY_COMMAND, 1, 0}, false, 3, 0},
	{"a command of two processes", {HISTORY_COMMAND, 3, 0}, false, 12, 12},
	{"a CPU", {HISTORY_CPU, 1, 0}, false, 2, 0},
	{"a socket", {HISTORY_SOCKET, 0, 0}, false, 3, 0},
	{"a node", {HISTORY_NODE, 1, 0}, false, 28, 28},
};

/*
 * Addresses of a file without names are one function for each reason, those behind a symbol without
 * a size too, and a caller of both is one.
 */
static const struct profile_samples without_names[] = {
	{10, 10, 0, "cycles", "go+0x10@go!no symbols;go+0x90@go!no symbols;main@a.out", 10, 10},
	{10, 10, 0, "cycles", "go+0x20@go!no symbols;go+0x98@go!no symbols;main@a.out", 20, 20},
	{10, 10, 0, "cycles", "go+0x30@go!permission", 30, 30},
	{10, 10, 0, "cycles", "go+0x40", 5, 5}, /* a function with bounds */
	{10, 10, 0, "cycles", "f+0x40?@so!unsure", 3, 3},
	{10, 10, 0, "cycles", "f+0x44?@so!unsure", 4, 4},
	{10, 10, 0, "cycles", "g+0x44?@so!unsure", 2, 2},
	{10, 10, 0, "cycles", "odd+0x12z@so!unsure;[unknown]@[anon]!made", 1, 1},
};

static void shows_addresses_without_names_together(void **state)
{
	static const struct {
		const char *name;
		uint64_t samples;
	} rows[] = {
		{"go+0x..., no symbols", 30}, {"go+0x..., permission", 30},
		{"f+0x...?, unsure", 7},      {"go+0x40", 5},
		{"g+0x...?, unsure", 2},      {"odd+0x12z, unsure", 1},
	};
	struct snapshot *snapshot = snapshot_of(without_names, ARRAY_SIZE(without_names));
	const struct code_subject subject = {.key = {HISTORY_PROCESS, 10, 0}};
	struct code_index *index = code_index_new(snapshot);
	struct code_edges edges;
	struct code_hottest hottest;
	struct code_view view;

	(void)state;
	code_view_init(index, &subject, CYCLES, &view);
	assert_int_equal(view.n, ARRAY_SIZE(rows));
	for (size_t i = 0; i < view.n; i++) {
		assert_string_equal(view.lines[i].function->name, rows[i].name);
		assert_int_equal(view.lines[i].events[CYCLES].samples, rows[i].samples);
	}
	code_edges_init(&view, view.lines[0].id, CYCLES, &edges);
	assert_int_equal(edges.samples, 30);
	assert_int_equal(edges.n_callers, 1);
	assert_string_equal(edges.callers[0].function->name, "go+0x..., no symbols");
	code_edges_fini(&edges);
	code_view_fini(&view);
	assert_true(code_hottest_find(index, &subject, CYCLES, &hottest));
	assert_string_equal(hottest.function->name, "go+0x..., no symbols");
	code_index_free(index);
	index = code_index_new_exact(snapshot);
	code_view_init(index, &subject, CYCLES, &view);
	assert_int_equal(view.n, ARRAY_SIZE(without_names));
	assert_string_equal(view.lines[0].function->name, "go+0x30");
	code_view_fini(&view);
	code_index_free(index);
	snapshot_free(snapshot);
}

/* Of a task that ran 1e9 cycles and 2e9 instructions. */
static const struct profile_samples two_functions[] = {
	{10, 10, 0, "cycles", "fast@a.out;main@a.out", 25, 250},
	{10, 10, 0, "cycles", "slow@a.out;main@a.out", 75, 750},
	{10, 10, 0, "instructions", "fast@a.out;main@a.out", 75, 750},
	{10, 10, 0, "instructions", "slow@a.out", 25, 250},
};

static void assert_near(double is, double should)
{
	if (!(fabs(is - should) <= 1e-9 * fabs(should) + 1e-12))
		fail_msg("%.12g is not %.12g", is, should);
}

static void has_shares_and_metrics(void **state)
{
	struct snapshot *snapshot = snapshot_of(two_functions, ARRAY_SIZE(two_functions));
	uint64_t *tally = rows_tally(snapshot->columns, &snapshot->threads, 0);
	struct code_subject subject = {.key = {HISTORY_PROCESS, 10, 0}, .tally = tally};
	int ipc = columns_metric(snapshot->columns, "ipc");
	int cpu = columns_metric(snapshot->columns, "cpu_percent");
	struct code_index *index = code_index_new(snapshot);
	struct code_view view;

	(void)state;
	tally[SAMPLE_CYCLES] = 1000000000;
	tally[SAMPLE_INSTRUCTIONS] = 2000000000;
	code_view_init(index, &subject, CYCLES, &view);
	assert_int_equal(view.n, 2);
	assert_string_equal(view.lines[0].function->name, "slow");
	assert_near(view.lines[0].events[CYCLES].share, 0.75);
	assert_near(view.lines[0].events[CYCLES].error, sqrt(0.75 * 0.25 / 100));
	assert_int_equal(view.lines[0].events[INSTRUCTIONS].samples, 25);
	assert_near(view.lines[0].events[CLOCK].share, 0);
	/* 0.25 * 2e9 / (0.75 * 1e9) */
	assert_near(view.lines[0].figures[ipc].value, 2.0 / 3);
	assert_near(view.lines[1].figures[ipc].value, 6);
	assert_int_equal(view.lines[0].figures[ipc].state, FIGURE_SCALED);
	assert_true(code_has_metric(snapshot->code, snapshot->columns, (size_t)ipc));
	assert_true(code_has_metric(snapshot->code, snapshot->columns, (size_t)cpu));
	assert_false(code_has_metric(snapshot->code, snapshot->columns,
				     (size_t)columns_metric(snapshot->columns, "branch_mpki")));
	/* cpu-clock has no sample. */
	assert_int_equal(view.lines[0].figures[cpu].state, FIGURE_NOT_COUNTED);
	code_view_fini(&view);
	subject.lost = true;
	code_view_init(index, &subject, INSTRUCTIONS, &view);
	assert_string_equal(view.lines[0].function->name, "fast");
	assert_int_equal(view.lines[0].figures[ipc].state, FIGURE_LOST);
	code_view_fini(&view);
	code_index_free(index);
	snapshot_free(snapshot);
}

/* A second on a CPU, in samples of the clock alone. */
static void has_time_by_function(void **state)
{
	static const struct profile_samples samples[] = {
		{10, 10, 0, "cpu-clock", "f@a.out", 75, 750},
		{10, 10, 0, "cpu-clock", "g@a.out", 25, 250},
	};
	struct snapshot *snapshot = snapshot_of(samples, ARRAY_SIZE(samples));
	uint64_t *tally = rows_tally(snapshot->columns, &snapshot->threads, 0);
	struct code_subject subject = {.key = {HISTORY_PROCESS, 10, 0}, .tally = tally};
	int cpu = columns_metric(snapshot->columns, "cpu_percent");
	struct code_index *index = code_index_new(snapshot);
	struct code_view view;

	(void)state;
	tally[TALLY_TASK_CLOCK] = NS_PER_S / 2;
	double whole = 50 / snapshot_interval_s(snapshot).value;
	code_view_init(index, &subject, CLOCK, &view);
	assert_near(view.lines[0].figures[cpu].value, 0.75 * whole);
	assert_near(view.lines[1].figures[cpu].value, 0.25 * whole);
	assert_int_equal(view.lines[0].figures[cpu].state, FIGURE_SCALED);
	code_view_fini(&view);
	code_index_free(index);
	snapshot_free(snapshot);
}

/* One sample that weighs as much as the other hundred leaves a share as uncertain as of four. */
static void weighs_the_error(void **state)
{
	static const struct profile_samples samples[] = {
		{10, 10, 0, "cycles", "f@a.out", 100, 100},
		{10, 10, 0, "cycles", "g@a.out", 1, 100},
	};
	struct snapshot *snapshot = snapshot_of(samples, ARRAY_SIZE(samples));
	struct code_index *index = code_index_new(snapshot);
	struct code_view view;

	(void)state;
	code_view_init(index, &(struct code_subject){.key = {HISTORY_MACHINE, 0, 0}}, CYCLES,
		       &view);
	assert_near(view.lines[1].events[CYCLES].share, 0.5);
	assert_near(view.lines[1].events[CYCLES].error, 0.5 * sqrt((100 + 10000) / 40000.0));
	assert_string_equal(view.lines[0].function->name, "f"); /* equal shares: by name */
	code_view_fini(&view);
	code_index_free(index);
	snapshot_free(snapshot);
}

/* A share of 100 % is not certain: with n samples its error is 1/(n + 2). */
static void is_not_certain_with_all_samples(void **state)
{
	static const uint64_t counts[] = {1, 2, 98};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		const struct profile_samples samples = {
			10, 10, 0, "cycles", "f@a.out", counts[i], 7 * counts[i], 0};
		struct snapshot *snapshot = snapshot_of(&samples, 1);
		struct code_index *index = code_index_new(snapshot);
		struct code_view view;

		code_view_init(index, &(struct code_subject){.key = {HISTORY_MACHINE, 0, 0}},
			       CYCLES, &view);
		assert_near(view.lines[0].events[CYCLES].share, 1);
		assert_near(view.lines[0].events[CYCLES].error, 1 / ((double)counts[i] + 2));
		code_view_fini(&view);
		code_index_free(index);
		snapshot_free(snapshot);
	}
}

struct edges_case {
	const char *name;
	const char *function;
	const char *want; /* "caller share ... | callee share ...": - is none */
};

static const struct profile_samples calls[] = {
	{10, 10, 0, "cpu-clock", "f@a.out;main@a.out", 10, 10},
	{10, 10, 0, "cpu-clock", "f@a.out;f@a.out;f@a.out;main@a.out", 20, 20},
	{10, 10, 0, "cpu-clock", "sys_read@[kernel];read@libc.so.6;f@a.out;main@a.out", 10, 10},
	{10, 10, 0, "cpu-clock", "f@a.out", 7, 7},
	{10, 10, 0, "cpu-clock", "f@a.out;[unknown];main@a.out", 3, 3},
	{10, 10, 0, "cycles", "f@a.out;other@a.out", 10, 10},
};

static const struct edges_case edge_cases[] = {
	{"a recursive function", "f", "f 0.40 main 0.40 - 0.20 | - 0.80 read 0.20"},
	{"the outermost", "main", "- 1.00 | f 0.93 [unknown] 0.07"},
	{"between", "read", "f 1.00 | sys_read 1.00"},
	{"the innermost", "sys_read", "read 1.00 | - 1.00"},
	{"not in this event", "other", "|"},
};

static size_t write_edges(const struct code_edge *edges, size_t n, char *text, size_t size)
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, size - at, "%s %.2f ",
				       edges[i].function ? edges[i].function->name : "-",
				       edges[i].share.share);
	return at;
}

static void finds_callers_and_callees(void **state)
{
	const struct edges_case *row = *state;
	struct snapshot *snapshot = snapshot_of(calls, ARRAY_SIZE(calls));
	const struct code_profile *profile = snapshot->code;
	struct code_index *index = code_index_new(snapshot);
	struct code_view view;
	struct code_edges edges;
	char text[256];
	uint32_t function = 0;

	while (strcmp(profile->functions[function].name, row->function) != 0)
		function++;
	code_view_init(index, &(struct code_subject){.key = {HISTORY_THREAD, 10, 0}}, CLOCK, &view);
	assert_int_equal(view.totals[CLOCK].alone, 10);
	code_edges_init(&view, function, CLOCK, &edges);
	size_t at = write_edges(edges.callers, edges.n_callers, text, sizeof(text));
	at += (size_t)snprintf(text + at, sizeof(text) - at, "| ");
	at += write_edges(edges.callees, edges.n_callees, text + at, sizeof(text) - at);
	text[at - 1] = '\0';
	assert_string_equal(text, row->want);
	code_edges_fini(&edges);
	code_view_fini(&view);
	code_index_free(index);
	snapshot_free(snapshot);
}

static void sums_of_snapshots_have_it(void **state)
{
	struct snapshot *snapshot = snapshot_of(by_bits, ARRAY_SIZE(by_bits));
	struct snapshot *plain = sample_snapshot(sample_columns("overview"), tasks, TASKS);
	struct snapshot_sum all;

	snapshot_sum_init(&all, snapshot->columns, ROLLUP_THREAD);
	struct snapshot *sum = all.sum;
	(void)state;
	assert_null(code_index_new(plain));
	size_t bytes = snapshot_bytes(snapshot);
	snapshot_sum_add(&all, snapshot);
	snapshot_sum_add(&all, snapshot);
	assert_int_equal(sum->code->n_entries, ARRAY_SIZE(by_bits));
	assert_int_equal(sum->code->entries[0].samples, 2);
	struct code_profile *code = snapshot->code;
	snapshot->code = NULL;
	assert_int_equal(bytes - snapshot_bytes(snapshot), code_profile_bytes(code));
	snapshot_sum_add(&all, snapshot); /* an interval without */
	assert_int_equal(sum->code->n_entries, ARRAY_SIZE(by_bits));
	code_profile_free(code);
	snapshot_sum_fini(&all);
	snapshot_free(plain);
	snapshot_free(snapshot);
}

/* The first profiles are of a run with --count user, and of threads at paranoid 2. */
static void the_time_event_may_have_modifiers(void **state)
{
	static const struct {
		struct code_event events[3];
		unsigned time;
	} rows[] = {
		{{{"instructions:u", 0}, {"cycles:u", 1}, {"page-faults", 2}}, 1},
		{{{"page-faults", 0}, {"cpu-clock:u", 1}, {"cycles_active", 2}}, 1},
		{{{"cpu-clock", 0}, {"page-faults", 1}, {"cycles", 2}}, 2},
		{{{"page-faults", 0}, {"instructions", 1}, {"bus-cycles", 2}}, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct code_event list[3];
		const struct code_profile profile = {.events = list, .n_events = ARRAY_SIZE(list)};

		memcpy(list, rows[i].events, sizeof(list));
		if (code_time_event(&profile) != rows[i].time)
			fail_msg("%s: %u", rows[i].events[0].name, code_time_event(&profile));
	}
}

/* What a machine with many tasks is like: each has a sample of its own weight. */
enum crowd_kind {
	CROWD_THREADS, /* of one process */
	CROWD_RANDOM,  /* of processes with random parents, which may form rings */
	CROWD_CHAIN,   /* each process is the parent of the next */
};

enum { CROWD_PID = 100 };

static struct snapshot *crowd_of(enum crowd_kind kind, size_t n, bool rings)
{
	struct snapshot *snapshot = sample_snapshot_new(sample_columns("overview"), "h", "cpu");
	struct code_profile_builder *builder = code_profile_builder_new();
	struct sample_row *rows = xcalloc(n, sizeof(*rows));
	const uint32_t event = code_profile_event(builder, &events[CLOCK]);
	const uint32_t frame =
		code_profile_function(builder, &(struct code_function){"f", "a.out", CODE_USER});
	uint64_t random = 1;

	for (size_t i = 0; i < n; i++) {
		pid_t tid = CROWD_PID + (pid_t)i, pid = tid, parent = tid - 1;

		random = random * 6364136223846793005u + 1442695040888963407u;
		unsigned lot = (unsigned)(random >> 33);
		if (kind == CROWD_THREADS || (kind == CROWD_RANDOM && lot % 3 == 0))
			pid = kind == CROWD_THREADS ? CROWD_PID : tid - (pid_t)(i ? 1 : 0);
		if (kind == CROWD_RANDOM)
			parent = CROWD_PID + (pid_t)(lot / 3 % (rings || !i ? n : i));
		rows[i] = (struct sample_row)SAMPLE_TASK(pid, tid, parent, lot % 7,
							 (int)(lot / 7 % 2), "", 1);
		snprintf(rows[i].row.comm, sizeof(rows[i].row.comm), "c%u", lot / 14 % 11);
		const struct code_task task = {pid, tid, 0};
		const struct code_entry entry = {.task = code_profile_task(builder, &task),
						 .event = event,
						 .depth = 1,
						 .samples = 1,
						 .weight = i + 1};
		code_profile_add(builder, &entry, &frame);
	}
	sample_fill_rows(snapshot, rows, n);
	free(rows);
	SAMPLE_CGROUPS(snapshot, "/system.slice/web", "/user.slice");
	snapshot->code = code_profile_end(builder);
	return snapshot;
}

static const struct row *main_of(const struct snapshot *snapshot, pid_t pid)
{
	const struct rows *rows = &snapshot->threads;
	const struct row *any = NULL;

	for (size_t i = 0; i < rows->n; i++) {
		if (rows->items[i].pid == pid && rows->items[i].tid == pid)
			return &rows->items[i];
		if (rows->items[i].pid == pid && !any)
			any = &rows->items[i];
	}
	return any;
}

/* By the definition. A ring has no end. */
static bool belongs_to(const struct snapshot *snapshot, const struct row *task, enum rollup by,
		       const struct row *of)
{
	const struct row *main = main_of(snapshot, task->pid);
	pid_t pid = task->pid;

	if (by == ROLLUP_THREAD)
		return task->tid == of->tid;
	if (by == ROLLUP_PROCESS)
		return task->pid == of->pid;
	if (by == ROLLUP_USER)
		return task->uid == of->uid;
	if (by == ROLLUP_CGROUP)
		return task->cgroup == of->cgroup;
	if (by == ROLLUP_COMMAND)
		return strcmp(main->comm, of->comm) == 0;
	for (size_t i = 0; main && i <= snapshot->threads.n; i++) {
		if (pid == of->pid)
			return true;
		pid = main->ppid;
		main = main_of(snapshot, pid);
	}
	return false;
}

/* The tasks of a row are found without a look at all tasks: compared with such looks. */
static void finds_tasks_of_each_row(void **state)
{
	static const struct {
		enum crowd_kind kind;
		size_t n;
	} crowds[] = {{CROWD_THREADS, 50}, {CROWD_RANDOM, 120}, {CROWD_CHAIN, 40}};

	(void)state;
	for (size_t c = 0; c < ARRAY_SIZE(crowds); c++) {
		struct snapshot *snapshot = crowd_of(crowds[c].kind, crowds[c].n, false);
		struct code_index *index = code_index_new(snapshot);
		const struct rows *rows = &snapshot->threads;

		for (enum rollup by = ROLLUP_PROCESS; by <= ROLLUP_COMMAND; by++)
			for (size_t i = 0; i < rows->n; i++) {
				const struct row *of = &rows->items[i];
				const struct code_subject subject = {
					.key = history_key_of_row(snapshot, by, of),
					.tree = by == ROLLUP_TREE,
					.pid = i % 2 ? of->pid : 0};
				struct code_view view;
				uint64_t weight = 0;

				for (size_t k = 0; k < rows->n; k++)
					weight += belongs_to(snapshot, &rows->items[k], by, of)
							  ? k + 1
							  : 0;
				code_view_init(index, &subject, CLOCK, &view);
				if (view.totals[CLOCK].weight != weight)
					fail_msg("crowd %zu by %s, row %zu: %d, not %d", c,
						 rollup_name(by), i, (int)view.totals[CLOCK].weight,
						 (int)weight);
				code_view_fini(&view);
			}
		code_index_free(index);
		snapshot_free(snapshot);
	}
}

/* Parents in rings end, and so do deep trees. What is in a ring has at least its own samples. */
static void walks_rings_and_deep_trees(void **state)
{
	static const struct {
		enum crowd_kind kind;
		size_t n;
	} crowds[] = {{CROWD_RANDOM, 500}, {CROWD_CHAIN, 60000}};

	(void)state;
	for (size_t c = 0; c < ARRAY_SIZE(crowds); c++) {
		size_t n = crowds[c].n;
		struct snapshot *snapshot = crowd_of(crowds[c].kind, n, true);
		struct code_index *index = code_index_new(snapshot);

		for (size_t i = 0; i < n; i += n / 100) {
			const struct row *of = &snapshot->threads.items[i];
			const struct code_subject subject = {
				.key = {HISTORY_PROCESS, (uint32_t)of->pid, 0}, .tree = true};
			struct code_view view;

			code_view_init(index, &subject, CLOCK, &view);
			if (crowds[c].kind == CROWD_CHAIN)
				assert_int_equal(view.totals[CLOCK].samples, n - i);
			else
				assert_in_range(view.totals[CLOCK].samples, 1, n);
			code_view_fini(&view);
		}
		code_index_free(index);
		snapshot_free(snapshot);
	}
}

/* Each of many threads of a process. With a look at all for each it takes minutes. */
static void finds_many_threads(void **state)
{
	enum { THREADS = 65000 };
	struct snapshot *snapshot = crowd_of(CROWD_THREADS, THREADS, false);
	struct code_index *index = code_index_new(snapshot);

	(void)state;
	for (size_t i = 0; i < THREADS; i++) {
		const struct row *of = &snapshot->threads.items[i];
		const struct code_subject subject = {
			.key = history_key_of_row(snapshot, ROLLUP_THREAD, of), .pid = of->pid};
		struct code_view view;

		code_view_init(index, &subject, CLOCK, &view);
		assert_int_equal(view.totals[CLOCK].weight, i + 1);
		code_view_fini(&view);
	}
	code_index_free(index);
	snapshot_free(snapshot);
}

int main(void)
{
	static const struct cases tables[] = {
		CASES(finds_the_samples_of, subjects),
		CASES(finds_callers_and_callees, edge_cases),
	};
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(shows_addresses_without_names_together),
		cmocka_unit_test(has_shares_and_metrics),
		cmocka_unit_test(has_time_by_function),
		cmocka_unit_test(weighs_the_error),
		cmocka_unit_test(is_not_certain_with_all_samples),
		cmocka_unit_test(sums_of_snapshots_have_it),
		cmocka_unit_test(the_time_event_may_have_modifiers),
		cmocka_unit_test(finds_tasks_of_each_row),
		cmocka_unit_test(walks_rings_and_deep_trees),
		cmocka_unit_test(finds_many_threads),
	};

	return cases_run("code_view", tables, ARRAY_SIZE(tables), others, ARRAY_SIZE(others));
}
