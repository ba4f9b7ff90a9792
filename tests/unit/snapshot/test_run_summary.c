// SPDX-License-Identifier: MIT
/* Summaries of handmade snapshots, printed as in tests/golden. */
#include "tests/unit/shared/golden.h"
#include "tests/unit/shared/sample.h"

#include "core/output/out_json.h"
#include "core/output/out_text.h"
#include "core/snapshot/run_summary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static char *const make[] = {(char[]){"make"}, (char[]){"-j4"}, NULL};

static const struct snapshot_run ended = {
	.command = make,
	.status = 2,
	.elapsed_ns = 2500000000,
	.user_ns = 1100 * NS_PER_MS,
	.system_ns = 20 * NS_PER_MS,
};

#define TASK(p, t, start, f, name, owner, ...) \
	{                                      \
		.row = {.pid = (p),            \
			.tid = (t),            \
			.start_ns = (start),   \
			.cgroup = -1,          \
			.threads = 1,          \
			.flags = (f),          \
			.comm = name,          \
			.user = owner},        \
		.counts = {__VA_ARGS__},       \
	}

enum { ROWS_MAX = 4 };

/* Adds a second with these rows, up to the first without a pid. Borrows the columns. */
static void add_second(struct run_summary *summary, struct columns *columns,
		       const struct sample_row *rows)
{
	size_t n = 0;

	while (n < ROWS_MAX && rows[n].row.pid)
		n++;
	struct snapshot *snapshot = sample_snapshot(columns_ref(columns), rows, n);
	run_summary_add(summary, snapshot);
	snapshot_free(snapshot);
}

static const struct row *find_row(const struct snapshot *snapshot, const char *comm,
				  uint64_t **tally)
{
	for (size_t i = 0; i < snapshot->threads.n; i++) {
		const struct row *row = &snapshot->threads.items[i];

		*tally = rows_tally(snapshot->columns, &snapshot->threads, i);
		if (strcmp(row->comm, comm) == 0)
			return row;
	}
	fail_msg("no row %s", comm);
	return NULL;
}

static void recognises_processes(void **state)
{
	static const struct {
		const char *name;
		struct sample_row seconds[3][ROWS_MAX];
		struct {
			const char *comm;
			uint64_t switches;
			unsigned threads;
		} want[ROWS_MAX];
	} cases[] = {
		{"one process in three seconds",
		 {{TASK(7, 7, 5, 0, "a", "", 1, 1)},
		  {TASK(7, 7, 5, 0, "a", "", 1, 2)},
		  {TASK(7, 7, 5, ROW_EXITED, "a", "", 1, 4)}},
		 {{"a", 7, 1}}},
		{"all threads count for their process",
		 {{TASK(7, 7, 5, 0, "a", "", 1, 1), TASK(7, 8, 6, 0, "t", "", 1, 2)},
		  {TASK(7, 8, 6, 0, "t", "", 1, 4)},
		  {TASK(7, 9, 9, 0, "t", "", 1, 8), TASK(7, 7, 5, 0, "a", "", 1, 16)}},
		 {{"a", 31, 2}}},
		{"an exec gives a new name",
		 {{TASK(7, 7, 5, 0, "sh", "", 1, 1)}, {TASK(7, 7, 5, 0, "cc1", "", 1, 2)}},
		 {{"cc1", 3, 1}}},
		{"an unknown name does not replace a known one",
		 {{TASK(7, 7, 5, 0, "a", "", 1, 1)}, {TASK(7, 7, 5, 0, "", "", 1, 2)}},
		 {{"a", 3, 1}}},
		{"a pid that is used again is another process",
		 {{TASK(7, 7, 5, ROW_EXITED, "a", "", 1, 1)},
		  {TASK(7, 7, 900, 0, "b", "", 1, 2)},
		  {TASK(7, 7, 900, 0, "b", "", 1, 4)}},
		 {{"a", 1, 1}, {"b", 6, 1}}},
		{"twice within one second",
		 {{TASK(7, 7, 5, ROW_EXITED, "a", "", 1, 1), TASK(7, 7, 9, 0, "b", "", 1, 2)},
		  {TASK(7, 7, 9, 0, "b", "", 1, 4)}},
		 {{"a", 1, 1}, {"b", 6, 1}}},
		{"reused after a process with an unknown start",
		 {{TASK(7, 7, 0, ROW_EXITED, "a", "", 1, 1)}, {TASK(7, 7, 9, 0, "b", "", 1, 2)}},
		 {{"a", 1, 1}, {"b", 2, 1}}},
		{"both starts unknown",
		 {{TASK(7, 7, 0, ROW_EXITED, "a", "", 1, 1)}, {TASK(7, 7, 0, 0, "b", "", 1, 2)}},
		 {{"a", 1, 1}, {"b", 2, 1}}},
		{"the end is in two snapshots",
		 {{TASK(7, 7, 0, ROW_EXITED, "a", "", 1, 1)},
		  {TASK(7, 7, 0, ROW_EXITED, "a", "", 1, 2)}},
		 {{"a", 3, 1}}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct columns *columns = sample_columns("overview");
		struct run_summary *summary = run_summary_new(SUMMARY_PROCESSES_MAX);
		size_t n = 0, broken = 0;

		for (size_t k = 0; k < ARRAY_SIZE(cases[i].seconds); k++)
			add_second(summary, columns, cases[i].seconds[k]);
		assert_int_equal(run_summary_parts(summary), 1);
		struct snapshot *all = run_summary_snapshot(summary, 0, &ended);
		run_summary_free(summary);
		columns_unref(columns);
		while (n < ROWS_MAX && cases[i].want[n].comm)
			n++;
		if (all->threads.n != n)
			fail_msg("%s: %zu rows", cases[i].name, all->threads.n);
		for (size_t k = 0; k < n; k++) {
			uint64_t *tally;
			const struct row *row = find_row(all, cases[i].want[k].comm, &tally);

			if (tally[TALLY_SWITCHES] != cases[i].want[k].switches ||
			    row->threads != cases[i].want[k].threads || row->tid != row->pid)
				fail_msg("%s: %s has %d switches, %u threads", cases[i].name,
					 row->comm, (int)tally[TALLY_SWITCHES], row->threads);
		}
		if (!snapshot_conserves(all, &broken))
			fail_msg("%s: event %zu is not conserved", cases[i].name, broken);
		assert_int_equal(all->interval_ns, 3 * NS_PER_S);
		snapshot_free(all);
	}
}

/* Filters and -c have the command lines of processes that have ended. */
static void keeps_command_lines(void **state)
{
	static const struct {
		const char *seconds[3]; /* of one process; NULL: unknown */
		const char *want;
	} cases[] = {
		{{NULL, NULL, NULL}, NULL},
		{{"sh -c db", NULL, NULL}, "sh -c db"},
		{{NULL, "sh -c db", "sh -c db"}, "sh -c db"},
		{{"sh -c db", "db: a", "db: b"}, "db: b"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (enum command_lines why = COMMAND_LINES_SHOWN; why <= COMMAND_LINES_SCREEN;
		     why++) {
			struct columns *columns = sample_columns("overview");
			struct run_summary *summary = run_summary_new(2);

			for (size_t k = 0; k < ARRAY_SIZE(cases[i].seconds); k++) {
				const char *text = cases[i].seconds[k];
				struct cmdline *cmdline = text ? cmdline_new(text) : NULL;
				const struct sample_row rows[] = {
					{.row = {.pid = 7,
						 .tid = 7,
						 .start_ns = 5,
						 .cgroup = -1,
						 .threads = 1,
						 .comm = "a",
						 .cmdline = cmdline ? cmdline->text : NULL},
					 .counts = {9, 1}},
					{.row = {.pid = 8 + (int)k,
						 .tid = 8 + (int)k,
						 .start_ns = 6,
						 .cgroup = -1,
						 .threads = 1,
						 .comm = "b",
						 .cmdline = cmdline ? cmdline->text : NULL},
					 .counts = {1, 1}},
				};
				struct snapshot *snapshot =
					sample_snapshot(columns_ref(columns), rows, 2);

				snapshot->command_lines = why;
				run_summary_add(summary, snapshot);
				snapshot_free(snapshot);
				cmdline_unref(cmdline);
			}
			struct snapshot *all = run_summary_snapshot(summary, 0, &ended);
			run_summary_free(summary);
			columns_unref(columns);
			assert_int_equal(all->command_lines, why);
			const char *got = NULL;
			for (size_t k = 0; k < all->threads.n; k++)
				if (all->threads.items[k].pid == 7)
					got = all->threads.items[k].cmdline;
			if (!got || !cases[i].want)
				assert_ptr_equal(got, cases[i].want);
			else
				assert_string_equal(got, cases[i].want);
			snapshot_free(all);
		}
}

/* Each of many processes keeps its own cgroup, in each second another one. */
static void keeps_many_cgroups(void **state)
{
	enum { PROCESSES = 9000, SECONDS = 2 };
	struct columns *columns = sample_columns("overview");
	struct run_summary *summary = run_summary_new(SUMMARY_PROCESSES_MAX);
	struct sample_row *rows = xcalloc(PROCESSES, sizeof(*rows));
	char name[32];

	(void)state;
	for (int second = 0; second < SECONDS; second++) {
		for (int i = 0; i < PROCESSES; i++)
			rows[i] = (struct sample_row)SAMPLE_TASK(10 + i, 10 + i, 1, 0, i, "", 1);
		struct snapshot *snapshot = sample_snapshot(columns_ref(columns), rows, PROCESSES);
		snapshot->cgroups = xcalloc(PROCESSES, sizeof(char *));
		for (int i = 0; i < PROCESSES; i++) {
			snprintf(name, sizeof(name), "/pod%d/%d", i, second);
			snapshot->cgroups[snapshot->n_cgroups++] = xstrdup(name);
		}
		run_summary_add(summary, snapshot);
		snapshot_free(snapshot);
	}
	struct snapshot *all = run_summary_snapshot(summary, 0, &ended);
	assert_int_equal(all->threads.n, PROCESSES);
	for (size_t i = 0; i < all->threads.n; i++) {
		const struct row *row = &all->threads.items[i];
		const char *path = snapshot_cgroup(all, row);

		snprintf(name, sizeof(name), "/pod%d/%d", row->pid - 10, SECONDS - 1);
		if (!path || strcmp(path, name) != 0)
			fail_msg("%s: %s", name, path ? path : "none");
	}
	snapshot_free(all);
	run_summary_free(summary);
	columns_unref(columns);
	free(rows);
}

/* Many processes of a second, one long one: the small ones are folded, nothing is lost. */
static void bounds_its_memory(void **state)
{
	enum { MOST = 16, SECONDS = 500 };
	struct columns *columns = sample_columns("overview");
	struct run_summary *summary = run_summary_new(MOST);
	uint64_t *tally, switches = 0;

	(void)state;
	for (unsigned i = 0; i < SECONDS; i++) {
		const struct sample_row rows[ROWS_MAX] = {
			TASK(1, 1, 1, 0, "long", "", 1, 1),
			TASK(10 + (pid_t)i, 10 + (pid_t)i, 10 + i, ROW_EXITED, "short", "", 5, 1),
			TASK(9000 + (pid_t)i, 9000 + (pid_t)i, 9 + i, ROW_EXITED, "big", "", 9000,
			     1),
		};
		add_second(summary, columns, rows);
	}
	struct snapshot *all = run_summary_snapshot(summary, 0, &ended);
	assert_true(all->threads.n <= MOST + 1);
	find_row(all, "long", &tally);
	assert_int_equal(tally[TALLY_SWITCHES], SECONDS);
	for (size_t i = 0; i < all->threads.n; i++) {
		const struct row *row = &all->threads.items[i];

		tally = rows_tally(columns, &all->threads, i);
		switches += tally[TALLY_SWITCHES];
		if (row->pid)
			continue;
		size_t folded = 2 * SECONDS + 1 - (all->threads.n - 1);
		assert_int_equal(strtoul(row->comm, NULL, 10), folded);
		assert_int_equal(tally[TALLY_SWITCHES], folded);
	}
	assert_int_equal(switches, 3 * SECONDS);
	assert_true(snapshot_conserves(all, NULL));
	snapshot_free(all);
	run_summary_free(summary);
	columns_unref(columns);
}

/* The sample's columns with some events that cannot be counted, by the bits of a number. */
static struct columns *columns_without(unsigned bits)
{
	struct columns *columns = sample_columns("overview");

	for (unsigned e = TALLY_FIRST_COUNTED; e < SAMPLE_EVENTS; e++, bits >>= 1)
		if (bits & 1)
			columns->events.items[e].state = FIGURE_UNSUPPORTED;
	return columns;
}

/* Tallies of one plan are one part, in any order; tallies of another plan have their own. */
static void keeps_plans_apart(void **state)
{
	static const struct sample_row rows[ROWS_MAX] = {TASK(7, 7, 5, 0, "a", "", 1, 1)};
	struct run_summary *summary = run_summary_new(SUMMARY_PROCESSES_MAX);

	(void)state;
	for (unsigned i = 0; i < 3 * (SUMMARY_PARTS_MAX + 2); i++) {
		struct columns *columns = columns_without(i % (SUMMARY_PARTS_MAX + 2));

		add_second(summary, columns, rows);
		columns_unref(columns);
	}
	assert_int_equal(run_summary_parts(summary), SUMMARY_PARTS_MAX);
	for (size_t i = 0; i < run_summary_parts(summary); i++) {
		struct snapshot *part = run_summary_snapshot(summary, i, &ended);

		assert_int_equal(part->interval_ns, 3 * NS_PER_S);
		assert_int_equal(part->run->part, i + 1);
		assert_int_equal(part->run->parts, SUMMARY_PARTS_MAX);
		assert_int_equal(part->n_notes, 1);
		assert_non_null(strstr(part->notes[0], "left out"));
		snapshot_free(part);
	}
	run_summary_free(summary);

	struct columns *one = sample_columns("overview"), *other = sample_columns("overview");
	other->plan->counters[SAMPLE_BRANCH_MISSES].group = 1;
	summary = run_summary_new(SUMMARY_PROCESSES_MAX);
	add_second(summary, one, rows);
	add_second(summary, other, rows);
	assert_int_equal(run_summary_parts(summary), 2);
	run_summary_free(summary);
	columns_unref(one);
	columns_unref(other);
}

static void is_as_golden(void **state)
{
	static const struct sample_row seconds[2][ROWS_MAX] = {
		{TASK(70, 70, 5, 0, "make", "ann", 20 * NS_PER_MS, 12, 61000000, 52000000, 100000,
		      9000, 300),
		 TASK(71, 71, 9, ROW_EXITED, "cc1", "ann", 930 * NS_PER_MS, 80, 2976000000,
		      6250000000, 5000000, 400000, 9000, 2)},
		{TASK(70, 70, 5, ROW_EXITED, "make", "ann", 30 * NS_PER_MS, 9, 90000000, 78000000,
		      150000, 11000, 200, 1),
		 TASK(71, 71, 700, ROW_EXITED, "ld\x1b", "", 140 * NS_PER_MS, 3, 448000000,
		      134400000, 900000, 2100000, 4000)},
	};
	static const struct {
		const char *path;
		void (*write)(const struct view *view, FILE *out);
		bool shared, runs;
	} cases[] = {
		{"tests/golden/summary_text.txt", out_text},
		{"tests/golden/summary_text_shared.txt", out_text, .shared = true, .runs = true},
		{"tests/golden/summary_json.txt", out_json},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct columns *columns = sample_columns("overview");
		struct run_summary *summary = run_summary_new(SUMMARY_PROCESSES_MAX);
		struct snapshot_run run = ended;
		char *got = NULL;
		size_t size = 0;
		struct view view;

		if (cases[i].runs)
			run.status = -1;
		for (size_t k = 0; k < ARRAY_SIZE(seconds); k++) {
			struct sample_row rows[ROWS_MAX];

			memcpy(rows, seconds[k], sizeof(rows));
			for (size_t r = 0; r < ROWS_MAX && cases[i].shared; r++) {
				rows[r].shared = true;
				rows[r].group_1_ns = rows[r].counts[TALLY_TASK_CLOCK] / 4;
			}
			add_second(summary, columns, rows);
		}
		if (cases[i].shared)
			columns->events.items[SAMPLE_BRANCH_MISSES].state = FIGURE_DENIED;
		struct snapshot *all = run_summary_snapshot(summary, 0, &run);
		FILE *out = open_memstream(&got, &size);
		view_init(all, &(struct view_spec){.unit = VIEW_UNIT_COUNT}, &view);
		cases[i].write(&view, out);
		assert_int_equal(fclose(out), 0);
		view_fini(&view);
		snapshot_free(all);
		run_summary_free(summary);
		columns_unref(columns);
		char *folded = golden_fold(got);
		golden_check(cases[i].path, cases[i].write == out_json ? folded : got);
		free(folded);
		free(got);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recognises_processes), cmocka_unit_test(keeps_command_lines),
		cmocka_unit_test(keeps_many_cgroups),   cmocka_unit_test(bounds_its_memory),
		cmocka_unit_test(keeps_plans_apart),    cmocka_unit_test(is_as_golden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
