// SPDX-License-Identifier: MIT
/* Batch text as it stands in tests/golden. */
#include "tests/unit/shared/golden.h"
#include "tests/unit/shared/screen_snapshot.h"

#include "core/base/text.h"
#include "core/output/out_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define TASK(p, t, f, name, owner, ...)  \
	{                                \
		.row = {.pid = (p),      \
			.tid = (t),      \
			.threads = 1,    \
			.flags = (f),    \
			.comm = name,    \
			.user = owner},  \
		.counts = {__VA_ARGS__}, \
	}

static const struct sample_row tasks[] = {
	TASK(4121, 4121, 0, "postgres", "postgresql", [TALLY_TASK_CLOCK] = 430 * NS_PER_MS,
	     [TALLY_SWITCHES] = 25300, [SAMPLE_CYCLES] = 1376000000,
	     [SAMPLE_INSTRUCTIONS] = 426560000, [SAMPLE_BRANCH_MISSES] = 2500000,
	     [SAMPLE_CACHE_MISSES] = 8100000, [SAMPLE_PAGE_FAULTS] = 12),
	TASK(4121, 4122, 0, "postgres", "postgresql", [TALLY_TASK_CLOCK] = 900 * NS_PER_MS,
	     [TALLY_SWITCHES] = 3, [SAMPLE_CYCLES] = 2880000000, [SAMPLE_INSTRUCTIONS] = 8640000000,
	     [SAMPLE_BRANCH_MISSES] = 40000, [SAMPLE_CACHE_MISSES] = 90),
	TASK(17, 17, ROW_KERNEL, "ksoftirqd/0", "root", [TALLY_TASK_CLOCK] = 1200000,
	     [TALLY_SWITCHES] = 77, [SAMPLE_CYCLES] = 2900000, [SAMPLE_INSTRUCTIONS] = 1450000),
	TASK(999999, 999999, ROW_EXITED, "cc1", "builder", [TALLY_TASK_CLOCK] = 42 * NS_PER_MS,
	     [TALLY_SWITCHES] = 9, [SAMPLE_CYCLES] = 134000000, [SAMPLE_INSTRUCTIONS] = 201000000,
	     [SAMPLE_BRANCH_MISSES] = 1005000, [SAMPLE_CACHE_MISSES] = 20100,
	     [SAMPLE_PAGE_FAULTS] = 1234567, [SAMPLE_MIGRATIONS] = 2),
	TASK(5000, 5000, 0, "x\x1b[2J\n", "", [TALLY_TASK_CLOCK] = 100000),
	TASK(5001, 5001, 0, "", "ann"),
};

static void is_as_golden(void **state)
{
	enum trouble {
		NONE,
		NO_HARDWARE, /* and notes, losses, a CPU that is off */
		MULTIPLEXED,
		FAMILY, /* other tasks: with parents, users and cgroups */
	};
	static const struct {
		const char *path, *preset;
		struct view_spec spec;
		enum trouble trouble;
	} rows[] = {
		{"tests/golden/out_text_overview.txt", "overview", {.sort = ""}, NONE},
		{"tests/golden/out_text_threads.txt",
		 "overview",
		 {.by = ROLLUP_THREAD, .sort = "pid"},
		 MULTIPLEXED},
		{"tests/golden/out_text_tree.txt",
		 "overview",
		 {.by = ROLLUP_TREE, .ascii = true},
		 FAMILY},
		{"tests/golden/out_text_user.txt", "overview", {.by = ROLLUP_USER}, FAMILY},
		{"tests/golden/out_text_cgroup.txt", "overview", {.by = ROLLUP_CGROUP}, FAMILY},
		{"tests/golden/out_text_command.txt", "overview", {.by = ROLLUP_COMMAND}, FAMILY},
		{"tests/golden/out_text_software.txt", "software", {.sort = ""}, NO_HARDWARE},
		{"tests/golden/out_text_no_hardware.txt", "overview", {.sort = ""}, NO_HARDWARE},
		{"tests/golden/out_text_cpus.txt", "overview", {.by = ROLLUP_CPU}, NO_HARDWARE},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sample_row changed[ARRAY_SIZE(tasks)];
		struct columns *columns = sample_columns(rows[i].preset);
		char *got = NULL;
		size_t size = 0;
		FILE *out = open_memstream(&got, &size);
		struct view view;

		memcpy(changed, tasks, sizeof(tasks));
		if (rows[i].trouble == MULTIPLEXED)
			for (size_t k = 0; k < ARRAY_SIZE(changed); k++) {
				changed[k].shared = true;
				changed[k].group_1_ns = changed[k].counts[TALLY_TASK_CLOCK] / 4;
			}
		if (rows[i].trouble == NO_HARDWARE) {
			columns->events.items[SAMPLE_CYCLES].state = FIGURE_UNSUPPORTED;
			columns->events.items[SAMPLE_CACHE_MISSES].state = FIGURE_DENIED;
		}
		struct snapshot *snapshot = sample_snapshot(columns, changed, ARRAY_SIZE(changed));
		if (rows[i].trouble == FAMILY) {
			snapshot_free(snapshot);
			snapshot = screen_snapshot_family(4);
		}
		if (rows[i].trouble == NO_HARDWARE) {
			snapshot->pmu[0] = '\0';
			snapshot->lost_records = 3;
			sample_machine(snapshot);
			snapshot->unattributed[TALLY_TASK_CLOCK] = 7 * NS_PER_MS;
			snapshot->totals[TALLY_TASK_CLOCK] += 7 * NS_PER_MS;
			sample_silence(&snapshot->cpus[1]);
			snapshot->n_notes = 1;
			snapshot->notes = xcalloc(1, sizeof(*snapshot->notes));
			snapshot->notes[0] =
				xstrdup("No hardware counters (in a VM: enable vPMU).");
		}
		view_init(snapshot, &rows[i].spec, &view);
		out_text(&view, out);
		assert_int_equal(fclose(out), 0);
		view_fini(&view);
		snapshot_free(snapshot);
		golden_check(rows[i].path, got);
		free(got);
	}
}

/* The columns of a refresh stand under the columns of the refresh before, whatever was counted. */
static void columns_stand_still(void **state)
{
	static const uint64_t counts[] = {0, 1, 999, 123456789, UINT64_MAX / 4};
	unsigned width = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		struct sample_row task = {.row = {.pid = 7, .tid = 7, .threads = 1, .comm = "x"}};
		char *got = NULL;
		size_t size = 0;
		FILE *out = open_memstream(&got, &size);
		struct view view;

		for (size_t e = 0; e < SAMPLE_EVENTS; e++)
			task.counts[e] = counts[i] / (e + 1);
		struct snapshot *snapshot = sample_snapshot(sample_columns("overview"), &task, 1);
		view_init(snapshot, &(struct view_spec){.by = ROLLUP_PROCESS}, &view);
		out_text(&view, out);
		assert_int_equal(fclose(out), 0);
		char *title = strstr(got, " COMMAND\n");
		assert_non_null(title);
		char *row = strstr(title, " x\n");
		assert_non_null(row);
		*row = *title = '\0';
		unsigned row_width = text_width(strrchr(got + (title - got) + 1, '\n') + 1);
		unsigned title_width = text_width(strrchr(got, '\n') + 1);
		if (row_width != title_width || (width && width != row_width))
			fail_msg("%u columns of titles, %u of figures", title_width, row_width);
		width = row_width;
		view_fini(&view);
		snapshot_free(snapshot);
		free(got);
	}
}

/* Returns the text by processes. The caller frees it. */
static char *text_of_snapshot(const struct snapshot *snapshot)
{
	const struct view_spec spec = {.by = ROLLUP_PROCESS};
	struct view view;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	view_init(snapshot, &spec, &view);
	out_text(&view, out);
	assert_int_equal(fclose(out), 0);
	view_fini(&view);
	return text;
}

/* A replay is marked as such. If its time is unknown, none is printed. */
static void marks_a_replay(void **state)
{
	static const struct {
		const char *replay;
		uint64_t offset_ns, realtime_ns;
		const char *title;
	} rows[] = {
		{"", 0, 1763650000 * NS_PER_S,
		 "pmctop - h  2025-11-20 14:46:40 UTC  1.000 s  system\n"},
		{"run.data", 3723 * NS_PER_S + 1500000, 1763650000 * NS_PER_S,
		 "pmctop - h  REPLAY of run.data at 01:02:03.001  2025-11-20 14:46:40 UTC  1.000 s "
		 " system\n"},
		{"-", NS_PER_S / 2, 0,
		 "pmctop - h  REPLAY of a pipe at 00:00:00.500  1.000 s  system\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct snapshot *snapshot = sample_snapshot(sample_columns("overview"), NULL, 0);

		text_copy(snapshot->host, sizeof(snapshot->host), "h");
		text_copy(snapshot->replay, sizeof(snapshot->replay), rows[i].replay);
		snapshot->offset_ns = rows[i].offset_ns;
		snapshot->pmu[0] = '\0';
		snapshot->mode = COUNT_MODE_SYSTEM;
		snapshot->interval_ns = NS_PER_S;
		snapshot->realtime_ns = rows[i].realtime_ns;
		char *text = text_of_snapshot(snapshot);
		assert_memory_equal(text, rows[i].title, strlen(rows[i].title));
		free(text);
		snapshot_free(snapshot);
	}
}

/* Tasks of the header are threads. A second line of sums has the name of its scope. */
static void names_the_scope(void **state)
{
	static const struct {
		unsigned tasks;
		bool targeted;
		const char *counts, *scope;
	} rows[] = {
		{231, true, "  threads: 231, 0 ran\n", "\ntarget: %CPU "},
		{0, false, "  threads: 0 ran\n", "\nyour tasks: %CPU "},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct snapshot *snapshot = sample_snapshot(sample_columns("overview"), NULL, 0);

		snapshot->tasks = rows[i].tasks;
		snapshot->targeted = rows[i].targeted;
		snapshot->target =
			xcalloc(tally_width(&snapshot->columns->plan->shape), sizeof(uint64_t));
		snapshot->target_figures =
			xcalloc(snapshot->columns->n_metrics, sizeof(struct figure));
		char *text = text_of_snapshot(snapshot);
		if (!strstr(text, rows[i].counts) || !strstr(text, rows[i].scope))
			fail_msg("%s", text);
		free(text);
		snapshot_free(snapshot);
	}
}

/* On a terminal the rows are as wide as it is, and the sort column stays. */
static void fits_a_terminal(void **state)
{
	struct snapshot *snapshot = screen_snapshot(2);

	(void)state;
	for (unsigned width = 50; width <= 200; width += 10) {
		struct view view;
		char *text;
		size_t n;
		FILE *out = open_memstream(&text, &n);

		view_init(snapshot, &(struct view_spec){.sort = "flt/s", .width = width}, &view);
		out_text(&view, out);
		view_fini(&view);
		fclose(out);
		char *rest = strstr(text, "    PID");
		assert_non_null(rest);
		assert_non_null(strstr(rest, "COMMAND\n"));
		for (const char *line; (line = strsep(&rest, "\n"));)
			if (text_width(line) > width)
				fail_msg("%u columns: %s", width, line);
		free(text);
	}
	snapshot_free(snapshot);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_as_golden),    cmocka_unit_test(columns_stand_still),
		cmocka_unit_test(marks_a_replay),  cmocka_unit_test(names_the_scope),
		cmocka_unit_test(fits_a_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
