// SPDX-License-Identifier: MIT
/* Which figures have a mark or a colour on the screen. */
#include "tests/unit/shared/sample.h"

#include "core/view/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* The cells of a row that may lack what is unattributed, separated by blanks. */
static void print_cells(const struct snapshot *snapshot, const struct rows *rows, char text[128])
{
	const struct shown_figures of = {snapshot, rows_figures(snapshot->columns, rows, 0),
					 rows_tally(snapshot->columns, rows, 0), &rows->items[0]};
	size_t length = 0;

	for (size_t i = 0; i < snapshot->columns->n_metrics; i++) {
		struct cell cell;

		figure_show(&of, i, &cell);
		length += (size_t)snprintf(text + length, 128 - length, "%s%s", i > 0 ? " " : "",
					   cell.text);
	}
}

/* A row of 30 % of a CPU, with 1000 switches and 2000 faults, and what is in no row. */
static void marks_errors_that_are_not_small(void **state)
{
	static const struct {
		const char *name;
		uint64_t unseen_ms, switches, faults;
		enum count_mode mode;
		const char *replay;
		float uneven;
		bool turns; /* page faults are counted in turns */
		const char *want;
	} rows[] = {
		{"all is close", 9, 10, 20, COUNT_MODE_SYSTEM, "", 0, false, "30.0 ?1000 2000"},
		{"much time", 10, 10, 20, COUNT_MODE_SYSTEM, "", 0, false, "?30.0 ?1000 2000"},
		/* The kernel may have hidden more of them. */
		{"no switches", 9, 0, 20, COUNT_MODE_SYSTEM, "", 0, false, "30.0 ?1000 2000"},
		{"faults", 9, 10, 21, COUNT_MODE_SYSTEM, "", 0, false, "30.0 ?1000 ?2000"},
		{"turns", 9, 10, 20, COUNT_MODE_SYSTEM, "", 0, true, "30.0 ?1000 ?4000"},
		{"not known", 0, 0, 0, COUNT_MODE_SYSTEM, "", 0, false, "?30.0 ?1000 ?2000"},
		{"single tasks", 9, 0, 0, COUNT_MODE_TASK, "", 0, false, "?30.0 ?1000 ?2000"},
		{"a replay", 9, 0, 0, COUNT_MODE_SYSTEM, "a", 0, false, "?30.0 ?1000 ?2000"},
		{"an uneven interval", 9, 0, 0, COUNT_MODE_SYSTEM, "", 0.03f, false,
		 "?30.0 ?1000 ?2000"},
	};
	static const char *const metrics[] = {"cpu_percent", "cs_per_s", "faults_per_s", NULL};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sample_row row = SAMPLE_TASK(7, 7, 1, 0, -1, "a", 300 * NS_PER_MS);
		char text[128];

		row.row.flags = ROW_LOST;
		row.counts[TALLY_SWITCHES] = 1000;
		row.counts[SAMPLE_PAGE_FAULTS] = 2000;
		row.shared = rows[i].turns;
		row.group_1_ns = 150 * NS_PER_MS;
		struct snapshot *snapshot =
			sample_snapshot(sample_columns_of("few", metrics), &row, 1);
		snapshot->mode = rows[i].mode;
		snapshot->uneven = rows[i].uneven;
		text_copy(snapshot->replay, sizeof(snapshot->replay), rows[i].replay);
		snapshot->most_unseen_ns = rows[i].unseen_ms * NS_PER_MS;
		snapshot->unattributed[TALLY_TASK_CLOCK] = 20 * NS_PER_MS;
		snapshot->unattributed[TALLY_SWITCHES] = rows[i].switches;
		snapshot->unattributed[SAMPLE_PAGE_FAULTS] = rows[i].faults;
		print_cells(snapshot, &snapshot->threads, text);
		if (strcmp(text, rows[i].want) != 0)
			fail_msg("%s: %s", rows[i].name, text);
		assert_int_equal(figures_have_small_errors(snapshot),
				 strncmp(text, "30", 2) == 0 || strstr(text, " 2000"));
		snapshot_free(snapshot);
	}
}

/*
 * The counts of a slice with a switch that the kernel hides are unattributed: a row is scaled, by
 * too much if they are another's.
 */
static void marks_counts_beside_hidden_switches(void **state)
{
	static const struct {
		const char *name;
		uint64_t faults, missing, ms; /* ms: of 300 in which they were counted */
		bool turns;                   /* so were those of the machine */
		const char *want;
	} rows[] = {
		{"nothing is missing", 2000, 0, 298, false, "30.0 2013"},
		{"little", 2000, 20, 298, false, "30.0 2013"},
		{"more", 2000, 21, 298, false, "30.0 ~2013"},
		{"a long slice", 2000, 0, 290, false, "30.0 ~2069"},
		{"in turns", 2000, 0, 298, true, "30.0 ~2013"},
		{"none", 0, 0, 100, false, "30.0 0"},
		{"none, and some are missing", 0, 1, 100, false, "30.0 ~0"},
	};
	static const char *const metrics[] = {"cpu_percent", "faults_per_s", NULL};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sample_row row = SAMPLE_TASK(7, 7, 1, 0, -1, "a", 300 * NS_PER_MS);
		char text[128];

		row.counts[SAMPLE_PAGE_FAULTS] = rows[i].faults;
		row.shared = true;
		row.group_1_ns = rows[i].ms * NS_PER_MS;
		struct snapshot *snapshot =
			sample_snapshot(sample_columns_of("few", metrics), &row, 1);
		row.shared = rows[i].turns;
		sample_tally(&row, snapshot->totals);
		snapshot->most_unseen_ns = 1;
		snapshot->unattributed[SAMPLE_PAGE_FAULTS] = rows[i].missing;
		print_cells(snapshot, &snapshot->threads, text);
		if (strcmp(text, rows[i].want) != 0)
			fail_msg("%s: %s", rows[i].name, text);
		snapshot_free(snapshot);
	}
}

/* Gaps whose counts are elsewhere, as those of a CPU that came late, bound no count. */
static void marks_counts_that_are_nowhere(void **state)
{
	struct sample_row row = SAMPLE_TASK(7, 7, 1, 0, -1, "a", 300 * NS_PER_MS);
	static const char *const metrics[] = {"cpu_percent", "faults_per_s", NULL};
	char text[128];

	(void)state;
	row.row.flags = ROW_LOST;
	row.counts[SAMPLE_PAGE_FAULTS] = 1000;
	struct snapshot *snapshot = sample_snapshot(sample_columns_of("few", metrics), &row, 1);
	snapshot->most_unseen_ns = 9 * NS_PER_MS;
	snapshot->unattributed[TALLY_TASK_CLOCK] = 8 * NS_PER_MS;
	print_cells(snapshot, &snapshot->threads, text);
	assert_string_equal(text, "30.0 ?1000");
	snapshot_free(snapshot);
}

/* A figure beyond its limit has a colour if it has weight. */
static void colours_what_has_weight(void **state)
{
	static const struct {
		const char *name, *metric;
		double value, cpu;
		unsigned flags;
		enum cell_role role;
	} rows[] = {
		{"the kernel's share", "kernel_percent", 90, 60, 0, CELL_BAD},
		{"of half a CPU", "kernel_percent", 90, 49, 0, CELL_WARN},
		{"of a row that hardly runs", "kernel_percent", 100, 4.9, 0, CELL_PLAIN},
		{"of a kernel thread", "kernel_percent", 100, 99, ROW_KERNEL, CELL_PLAIN},
		{"low IPC", "ipc", 0.3, 5, 0, CELL_BAD},
		{"low IPC of a kernel thread", "ipc", 0.3, 50, ROW_KERNEL, CELL_BAD},
		{"low IPC of a row that hardly runs", "ipc", 0.3, 4.9, 0, CELL_PLAIN},
		{"a wait", "runq_percent", 80, 1, 0, CELL_BAD},
		{"a small part of what it wants", "runq_percent", 80, 190, 0, CELL_PLAIN},
		{"what is in its limit", "runq_percent", 5, 1, 0, CELL_PLAIN},
	};
	struct columns *columns = sample_columns("overview");
	struct snapshot *snapshot = sample_snapshot_new(columns, "h", "");
	struct figure *figures = xcalloc(columns->n_metrics, sizeof(*figures));
	int percent = columns_metric(columns, "cpu_percent");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct metric_def *def = metric_def_find(rows[i].metric);
		const struct row row = {.flags = rows[i].flags};
		const struct shown_figures of = {snapshot, figures, NULL, &row};
		struct figure figure = figure_exact(rows[i].value);
		struct cell cell;

		figures[percent] = figure_exact(rows[i].cpu);
		figure_format(def, figure, &cell);
		enum cell_role role = figure_role(&of, def, figure, cell.role);
		if (role != rows[i].role)
			fail_msg("%s: role %d", rows[i].name, (int)role);
	}
	free(figures);
	snapshot_free(snapshot);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marks_errors_that_are_not_small),
		cmocka_unit_test(marks_counts_beside_hidden_switches),
		cmocka_unit_test(marks_counts_that_are_nowhere),
		cmocka_unit_test(colours_what_has_weight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
