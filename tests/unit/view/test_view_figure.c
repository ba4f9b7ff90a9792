// SPDX-License-Identifier: MIT
/* Units of columns, and differences from a baseline. */
#include "tests/unit/shared/sample.h"

#include "core/metric/metric_event.h"
#include "core/view/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define CPU_MS(ms) [TALLY_TASK_CLOCK] = (ms)*NS_PER_MS

#define TASK(p, began, name, ...)            \
	{                                    \
		.row = {.pid = (p),          \
			.tid = (p),          \
			.start_ns = (began), \
			.threads = 1,        \
			.cgroup = 0,         \
			.uid = (p) / 10,     \
			.comm = name},       \
		.counts = {__VA_ARGS__},     \
	}

static size_t find_column(const struct view *view, const char *name)
{
	size_t column = 0;

	while (column < view->n_columns && strcmp(view->columns[column].name, name) != 0)
		column++;
	if (column == view->n_columns)
		fail_msg("no column %s", name);
	return column;
}

static void cell_of(const struct view *view, pid_t pid, const char *name, struct cell *cell)
{
	for (size_t line = 0; line < view->n; line++)
		if (view_row(view, line)->pid == pid) {
			view_cell(view, line, find_column(view, name), cell);
			return;
		}
	fail_msg("no row of %d", pid);
}

/* Appends a column of an event. */
static struct columns *columns_with_event(const char *event)
{
	struct columns *columns = sample_columns("overview");
	size_t n = columns->n_metrics++;
	struct error err;

	columns->n_shown = columns->n_metrics;

	columns->defs = xreallocarray(columns->defs, n + 1, sizeof(*columns->defs));
	columns->metrics = xreallocarray(columns->metrics, n + 1, sizeof(*columns->metrics));
	for (size_t i = 0; i < n; i++)
		columns->metrics[i].def = &columns->defs[i];
	assert_int_equal(metric_def_of_event(event, &columns->defs[n], &err), 0);
	assert_int_equal(
		metric_compile(&columns->defs[n], 0, &columns->events, &columns->metrics[n], &err),
		0);
	metric_bind(&columns->metrics[n], &columns->events, columns->plan, &columns->readings);
	return columns;
}

static const struct sample_row busy[] = {
	TASK(10, 1, "a", CPU_MS(500), [TALLY_SWITCHES] = 600, [SAMPLE_CYCLES] = 100000,
	     [SAMPLE_INSTRUCTIONS] = 200000, [SAMPLE_BRANCH_MISSES] = 50,
	     [SAMPLE_PAGE_FAULTS] = 30),
	TASK(11, 1, "no instructions", CPU_MS(500), [TALLY_SWITCHES] = 7),
	TASK(12, 1, "lost", CPU_MS(500), [SAMPLE_CYCLES] = 100000, [SAMPLE_INSTRUCTIONS] = 100000,
	     [SAMPLE_BRANCH_MISSES] = 50, [SAMPLE_PAGE_FAULTS] = 30),
};

static void shows_units(void **state)
{
	static const struct {
		const char *name;
		enum view_unit unit;
		pid_t pid;
		const char *column, *title, *want;
	} rows[] = {
		{"a rate", VIEW_UNIT_USUAL, 10, "cs_per_s", "cs/s", "300"},
		{"a rate as a count", VIEW_UNIT_COUNT, 10, "cs_per_s", "cs", "600"},
		{"a rate as a rate", VIEW_UNIT_PER_SECOND, 10, "cs_per_s", "cs/s", "300"},
		{"a rate per instruction", VIEW_UNIT_PER_KI, 10, "cs_per_s", "cs/ki", "3.00"},
		{"an event", VIEW_UNIT_USUAL, 10, "branch-misses", "br-misses", "50"},
		{"an event as a count", VIEW_UNIT_COUNT, 10, "branch-misses", "br-misses", "50"},
		{"an event per second", VIEW_UNIT_PER_SECOND, 10, "branch-misses", "br-misses/s",
		 "25"},
		{"an event per instruction", VIEW_UNIT_PER_KI, 10, "branch-misses", "br-misses/ki",
		 "0.25"},
		{"what is neither", VIEW_UNIT_PER_KI, 10, "ipc", "IPC", "2.00"},
		{"no instructions", VIEW_UNIT_PER_KI, 11, "cs_per_s", "cs/ki", ""},
		{"lost records", VIEW_UNIT_PER_KI, 12, "faults_per_s", "flt/ki", "?0.30"},
		{"an estimate by a lower bound", VIEW_UNIT_PER_KI, 12, "branch-misses",
		 "br-misses/ki", "~0.50"},
	};
	struct snapshot *snapshot =
		sample_snapshot_new(columns_with_event("branch-misses"), "h", "");

	(void)state;
	snapshot->interval_ns = 2 * NS_PER_S;
	sample_rows(snapshot->columns, busy, ARRAY_SIZE(busy), &snapshot->threads);
	snapshot->threads.items[2].flags = ROW_LOST;
	rows_evaluate(snapshot->columns, snapshot_scope(snapshot), &snapshot->threads);
	struct figure *figures = snapshot->threads.figures;
	figures[snapshot->threads.n * snapshot->columns->n_metrics - 1] =
		(struct figure){.value = 50, .state = FIGURE_SCALED}; /* an unknown error */
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct view view;
		struct cell cell;

		view_init(snapshot, &(struct view_spec){.unit = rows[i].unit}, &view);
		cell_of(&view, rows[i].pid, rows[i].column, &cell);
		const struct view_column *column =
			&view.columns[find_column(&view, rows[i].column)];
		if (strcmp(cell.text, rows[i].want) != 0 ||
		    strcmp(column->title, rows[i].title) != 0)
			fail_msg("%s: %s %s", rows[i].name, column->title, cell.text);
		view_fini(&view);
	}
	snapshot_free(snapshot);
}

/* An unknown value has the state of "instructions". */
static void has_a_reason_without_instructions(void **state)
{
	static const struct {
		const char *name;
		enum figure_state state;
		const char *want;
	} rows[] = {
		{"unsupported", FIGURE_UNSUPPORTED, "n/a"},
		{"denied", FIGURE_DENIED, "!"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct columns *columns = sample_columns("software");
		struct snapshot *snapshot;
		struct view view;
		struct cell cell;

		columns->events.items[SAMPLE_INSTRUCTIONS].state = rows[i].state;
		snapshot = sample_snapshot(columns, busy, 1);
		view_init(snapshot, &(struct view_spec){.unit = VIEW_UNIT_PER_KI}, &view);
		cell_of(&view, 10, "faults_per_s", &cell);
		if (strcmp(cell.text, rows[i].want) != 0)
			fail_msg("%s: %s", rows[i].name, cell.text);
		view_fini(&view);
		snapshot_free(snapshot);
	}
}

static void sorts_by_what_is_shown(void **state)
{
	struct snapshot *snapshot = sample_snapshot(sample_columns("overview"), busy, 2);
	struct view_spec spec = {.unit = VIEW_UNIT_PER_KI, .sort = "cs_per_s", .reverse = true};
	struct view view;

	(void)state;
	view_init(snapshot, &spec, &view);
	assert_int_equal(view_row(&view, 0)->pid, 10); /* unknown without instructions: last */
	view_fini(&view);
	snapshot_free(snapshot);
}

static void shows_units_of_cpus(void **state)
{
	struct snapshot *snapshot = sample_snapshot(sample_columns("overview"), busy, 1);
	struct view_spec spec = {.by = ROLLUP_CPU, .unit = VIEW_UNIT_PER_KI};
	struct view view;
	struct cell cell;

	(void)state;
	view_init(snapshot, &spec, &view);
	view_cell(&view, 0, find_column(&view, "cs_per_s"), &cell);
	assert_string_equal(cell.text, "3.00");
	view_cell(&view, 1, find_column(&view, "cs_per_s"), &cell); /* idle */
	assert_string_equal(cell.text, "");
	view_fini(&view);
	snapshot_free(snapshot);
}

static const struct sample_row then[] = {
	TASK(10, 1, "same", CPU_MS(500), [SAMPLE_CYCLES] = 100, [SAMPLE_INSTRUCTIONS] = 100),
	TASK(11, 1, "worse", CPU_MS(100), [SAMPLE_CYCLES] = 100, [SAMPLE_INSTRUCTIONS] = 200),
	TASK(12, 1, "better", CPU_MS(300), [SAMPLE_CYCLES] = 100, [SAMPLE_INSTRUCTIONS] = 10),
	TASK(13, 1, "gone", CPU_MS(900), [SAMPLE_CYCLES] = 100, [SAMPLE_INSTRUCTIONS] = 10),
	TASK(14, 1, "old", CPU_MS(900), [SAMPLE_CYCLES] = 100, [SAMPLE_INSTRUCTIONS] = 10),
	TASK(15, 0, "unknown", CPU_MS(10), [SAMPLE_CYCLES] = 100, [SAMPLE_INSTRUCTIONS] = 100),
	TASK(16, 1, "a bit", CPU_MS(10), [SAMPLE_CYCLES] = 1000, [SAMPLE_INSTRUCTIONS] = 1500),
};

static const struct sample_row now[] = {
	TASK(16, 1, "a bit", CPU_MS(10), [SAMPLE_CYCLES] = 1000, [SAMPLE_INSTRUCTIONS] = 1400),
	TASK(14, 9, "reused", CPU_MS(200), [SAMPLE_CYCLES] = 100, [SAMPLE_INSTRUCTIONS] = 150),
	TASK(15, 1, "unknown", CPU_MS(30), [SAMPLE_CYCLES] = 0),
	TASK(10, 1, "same", CPU_MS(500), [SAMPLE_CYCLES] = 100, [SAMPLE_INSTRUCTIONS] = 100),
	TASK(12, 1, "better", CPU_MS(100), [SAMPLE_CYCLES] = 100, [SAMPLE_INSTRUCTIONS] = 100),
	TASK(11, 1, "worse", CPU_MS(400), [SAMPLE_CYCLES] = 100, [SAMPLE_INSTRUCTIONS] = 40),
};

static void shows_differences(void **state)
{
	static const struct {
		const char *name;
		pid_t pid;
		const char *column, *want;
		enum cell_role role;
	} rows[] = {
		{"no change", 10, "ipc", "0.00", CELL_DIM},
		{"more of what is neither good nor bad", 11, "cpu_percent", "+30.0", CELL_PLAIN},
		{"worse, and bad", 11, "ipc", "-1.60", CELL_BAD},
		{"less", 12, "cpu_percent", "-20.0", CELL_PLAIN},
		{"better", 12, "ipc", "+0.90", CELL_PLAIN},
		{"worse, but hardly", 16, "ipc", "-0.10", CELL_PLAIN},
		{"a pid that was given out again", 14, "cpu_percent", "+20.0", CELL_PLAIN},
		{"has no ratio then", 14, "ipc", "new", CELL_PLAIN},
		{"and is marked", 14, "command", "+reused", CELL_NAME},
		{"others are not", 12, "command", "better", CELL_NAME},
		{"a start that was not known then", 15, "cpu_percent", "+2.0", CELL_PLAIN},
		{"nothing to divide by now", 15, "ipc", "", CELL_DIM},
		{"ids are themselves", 12, "pid", "12", CELL_ID},
	};
	struct snapshot *baseline =
		sample_snapshot(sample_columns("overview"), then, ARRAY_SIZE(then));
	struct snapshot *snapshot =
		sample_snapshot(sample_columns("overview"), now, ARRAY_SIZE(now));
	static const enum rollup by[] = {ROLLUP_PROCESS, ROLLUP_THREAD, ROLLUP_TREE};

	(void)state;
	for (size_t b = 0; b < ARRAY_SIZE(by); b++) {
		struct view view;

		view_init(snapshot, &(struct view_spec){.by = by[b], .baseline = baseline}, &view);
		for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
			struct cell cell;

			cell_of(&view, rows[i].pid, rows[i].column, &cell);
			if (strcmp(cell.text, rows[i].want) != 0 || cell.role != rows[i].role)
				fail_msg("%s by %s: \"%s\" role %d", rows[i].name,
					 rollup_name(by[b]), cell.text, cell.role);
		}
		/* Sorted by the difference. */
		assert_int_equal(view_row(&view, 0)->pid, 11);
		assert_int_equal(view_row(&view, view.n - 1)->pid, 12);
		view_fini(&view);
	}
	snapshot_free(baseline);
	snapshot_free(snapshot);
}

static struct snapshot *in_cgroups(const struct sample_row *rows, size_t n, const char *first,
				   const char *second)
{
	struct snapshot *snapshot = sample_snapshot(sample_columns("overview"), rows, n);

	SAMPLE_CGROUPS(snapshot, first, second);
	return snapshot;
}

static void append_cells(const struct view *view, char *text, size_t size)
{
	for (size_t line = 0; line < view->n; line++) {
		struct cell cell;

		view_cell(view, line, find_column(view, "cpu_percent"), &cell);
		snprintf(text + strlen(text), size - strlen(text), "%.20s ", cell.text);
	}
}

/* Groups are matched by their names: indices of cgroups differ between snapshots. */
static void matches_groups(void **state)
{
	static const struct {
		enum rollup by;
		const char *want; /* of each line, in order */
	} rows[] = {
		{ROLLUP_USER, "-148.0 "},   /* all are user 1 */
		{ROLLUP_CGROUP, "+124.0 "}, /* empty in the baseline */
		{ROLLUP_COMMAND, "+30.0 +20.0 +2.0 0.0 0.0 -20.0 "},
		{ROLLUP_CPU, "0.0 -148.0 "},
	};
	struct snapshot *baseline = in_cgroups(then, ARRAY_SIZE(then), "/a", "/b");
	struct snapshot *snapshot = in_cgroups(now, ARRAY_SIZE(now), "/b", "/a");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct view_spec spec = {
			.by = rows[i].by, .baseline = baseline, .sort = "cpu_percent"};
		struct view view;
		char got[256] = "";

		view_init(snapshot, &spec, &view);
		append_cells(&view, got, sizeof(got));
		if (strcmp(got, rows[i].want) != 0)
			fail_msg("%s: %s", rollup_name(rows[i].by), got);
		view_fini(&view);
	}
	snapshot_free(baseline);
	snapshot_free(snapshot);
}

/* A cache has the rows of the last spec. Each spec differs from the others in one member. */
static void makes_the_cache_anew(void **state)
{
	static const struct sample_row before[] = {
		TASK(10, 1, "a", CPU_MS(10)),
		TASK(11, 1, "a", CPU_MS(20)),
		TASK(20, 1, "a", CPU_MS(40)),
	};
	static const struct sample_row after[] = {
		TASK(10, 1, "a", CPU_MS(110)),
		TASK(11, 1, "a", CPU_MS(220)),
		TASK(20, 1, "a", CPU_MS(440)),
	};
	static const struct view_spec specs[] = {
		{.by = ROLLUP_COMMAND},
		{.by = ROLLUP_PROCESS},
		{.by = ROLLUP_COMMAND, .filter = {.text = "10"}},
		{.by = ROLLUP_COMMAND, .filter = {.text = "11"}},
		{.by = ROLLUP_COMMAND, .filter = {.one_user = true, .uid = 1}},
		{.by = ROLLUP_COMMAND, .filter = {.one_user = true, .uid = 2}},
		{.by = ROLLUP_NODE},
		{.by = ROLLUP_NODE, .unfolded = {true}},
	};
	static const char *const wanted[] = {
		"+70.0 ", "+40.0 +20.0 +10.0 ", "+10.0 ", "+20.0 ", "+30.0 ", "+40.0 ",
		"+73.9 ", "+73.9 +70.0 0.0 ",
	};
	struct snapshot *baseline =
		sample_snapshot(sample_columns("overview"), before, ARRAY_SIZE(before));
	struct snapshot *snapshot =
		sample_snapshot(sample_columns("overview"), after, ARRAY_SIZE(after));
	struct view_then *cache = view_then_new();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(specs) * ARRAY_SIZE(specs) * 2; i++) {
		size_t which = i % 2 ? i / 2 % ARRAY_SIZE(specs) : i / 2 / ARRAY_SIZE(specs);
		struct view_spec spec = specs[which];
		struct view view;
		char got[256] = "";

		spec.baseline = baseline;
		spec.then = cache;
		view_init(snapshot, &spec, &view);
		append_cells(&view, got, sizeof(got));
		if (strcmp(got, wanted[which]) != 0)
			fail_msg("%zu after another: %s", which, got);
		view_fini(&view);
	}
	view_then_free(cache);
	snapshot_free(baseline);
	snapshot_free(snapshot);
}

/* A metric that the baseline did not count, or counted otherwise, has no difference. */
static void compares_what_is_alike(void **state)
{
	static const struct {
		const char *name, *preset;
		enum event_levels levels;
		const char *percent, *ipc;
	} rows[] = {
		{"the same", "overview", EVENT_LEVELS_ALL, "+30.0", "-1.60"},
		{"another preset", "software", EVENT_LEVELS_ALL, "+30.0", "-"},
		{"other levels", "overview", EVENT_LEVELS_USER, "-", "-"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct snapshot *baseline =
			sample_snapshot(sample_columns(rows[i].preset), then, ARRAY_SIZE(then));
		struct snapshot *snapshot =
			sample_snapshot(sample_columns("overview"), now, ARRAY_SIZE(now));
		struct view view;
		struct cell percent, ipc;

		baseline->columns->levels = rows[i].levels;
		view_init(snapshot, &(struct view_spec){.baseline = baseline}, &view);
		cell_of(&view, 11, "cpu_percent", &percent);
		cell_of(&view, 11, "ipc", &ipc);
		if (strcmp(percent.text, rows[i].percent) != 0 ||
		    strcmp(ipc.text, rows[i].ipc) != 0)
			fail_msg("%s: %s %s", rows[i].name, percent.text, ipc.text);
		view_fini(&view);
		snapshot_free(baseline);
		snapshot_free(snapshot);
	}
}

static void formats_differences(void **state)
{
	static const struct metric_def low = {
		.width = 4, .decimals = 2, .better = METRIC_LOWER, .warn = 5, .bad = 10};
	static const struct {
		const char *name;
		struct figure difference;
		double now;
		const char *want;
		enum cell_role role;
	} rows[] = {
		{"up from nothing", {3, 1, FIGURE_VALID}, 3, "+3.00", CELL_WARN},
		{"up beyond what is bad", {3, 1, FIGURE_VALID}, 12, "+3.00", CELL_BAD},
		{"a tenth", {1, 1, FIGURE_VALID}, 11, "+1.00", CELL_BAD},
		{"less than a tenth", {1, 1, FIGURE_VALID}, 20, "+1.00", CELL_PLAIN},
		{"down", {-3, 1, FIGURE_VALID}, 12, "-3.00", CELL_PLAIN},
		{"scaled", {-3, 0.5, FIGURE_SCALED}, 12, "~-3.00", CELL_SCALED},
		{"scaled and worse", {3, 0.5, FIGURE_SCALED}, 12, "~+3.00", CELL_BAD},
		{"lost", {-3, 1, FIGURE_LOST}, 12, "?-3.00", CELL_SCALED},
		{"rounds to zero", {0.004, 1, FIGURE_VALID}, 1, "0.00", CELL_DIM},
		{"scaled zero", {-0.004, 0.5, FIGURE_SCALED}, 1, "~0.00", CELL_DIM},
		{"large", {-123456, 1, FIGURE_VALID}, 1, "-123k", CELL_PLAIN},
		{"not known", {0, 0, FIGURE_DENIED}, 1, "!", CELL_DIM},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct cell cell;

		figure_format_difference(&low, rows[i].difference, rows[i].now, &cell);
		if (strcmp(cell.text, rows[i].want) != 0 || cell.role != rows[i].role)
			fail_msg("%s: \"%s\" role %d", rows[i].name, cell.text, cell.role);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_units),
		cmocka_unit_test(has_a_reason_without_instructions),
		cmocka_unit_test(sorts_by_what_is_shown),
		cmocka_unit_test(shows_units_of_cpus),
		cmocka_unit_test(shows_differences),
		cmocka_unit_test(matches_groups),
		cmocka_unit_test(makes_the_cache_anew),
		cmocka_unit_test(compares_what_is_alike),
		cmocka_unit_test(formats_differences),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
