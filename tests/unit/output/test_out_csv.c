// SPDX-License-Identifier: MIT
/*
 * CSV as it stands in tests/golden; python's csv module reads a day of it
 * (tests/live/formats_test).
 */
#include "tests/unit/shared/golden.h"
#include "tests/unit/shared/screen_snapshot.h"

#include "core/output/out_csv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void append(struct csv *csv, struct snapshot *snapshot, const struct view_spec *spec,
		   FILE *out)
{
	struct view view;

	view_init(snapshot, spec, &view);
	out_csv(csv, &view, out);
	view_fini(&view);
	snapshot_free(snapshot);
}

/* The text of one refresh. Frees the snapshot. */
static char *csv_of(struct snapshot *snapshot, const struct view_spec *spec)
{
	struct csv *csv = csv_new();
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	append(csv, snapshot, spec, out);
	assert_int_equal(fclose(out), 0);
	csv_free(csv);
	return text;
}

static const struct sample_row tasks[] = {
	{.row = {.pid = 7,
		 .tid = 7,
		 .threads = 1,
		 .flags = ROW_EXITED,
		 .comm = "cc1",
		 .user = "db"},
	 .counts = {[TALLY_TASK_CLOCK] = 250 * NS_PER_MS,
		    [TALLY_SWITCHES] = 3,
		    [SAMPLE_CYCLES] = 12345,
		    [SAMPLE_PAGE_FAULTS] = 12},
	 .shared = true,
	 .group_1_ns = 125 * NS_PER_MS},
	{.row = {.pid = 9, .tid = 9, .threads = 1, .comm = "a,\"b\"\n", .cmdline = "=1+1 ,x\033"}},
	{.row = {.pid = 10, .tid = 10, .threads = 1},
	 .counts = {[TALLY_TASK_CLOCK] = 2 * NS_PER_MS}},
};

static struct snapshot *make_snapshot(void)
{
	struct columns *columns = sample_columns("overview");

	columns->events.items[SAMPLE_INSTRUCTIONS].state = FIGURE_DENIED;
	columns->events.items[SAMPLE_BRANCH_MISSES].state = FIGURE_UNSUPPORTED;
	struct snapshot *snapshot = sample_snapshot(columns, tasks, ARRAY_SIZE(tasks));
	snapshot->lost_records = 4;
	snapshot->unattributed[TALLY_SWITCHES] = 1;
	snapshot->totals[TALLY_SWITCHES]++;
	snapshot->cpus[0].tally[TALLY_SWITCHES]++;
	snapshot->command_lines = true;
	sample_silence_of(snapshot, 1);
	return snapshot;
}

static void is_as_golden(void **state)
{
	static const struct {
		const char *path;
		struct view_spec spec;
		bool family;
	} rows[] = {
		{"tests/golden/out_csv_process.txt", {.top = 2}, false},
		{"tests/golden/out_csv_tree.txt", {.by = ROLLUP_TREE, .top = 4}, true},
		{"tests/golden/out_csv_cgroup.txt", {.by = ROLLUP_CGROUP}, true},
		{"tests/golden/out_csv_command.txt", {.by = ROLLUP_COMMAND}, true},
		{"tests/golden/out_csv_socket.txt", {.by = ROLLUP_SOCKET}, true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct snapshot *snapshot =
			rows[i].family ? screen_snapshot_family(4) : make_snapshot();
		size_t event = 0;

		if (!snapshot_conserves(snapshot, &event))
			fail_msg("%s: %s does not add up", rows[i].path,
				 snapshot->columns->events.items[event].name);
		char *text = csv_of(snapshot, &rows[i].spec);
		golden_check(rows[i].path, text);
		free(text);
	}
}

/* Command lines that only a filter needs are not printed. */
static void has_wanted_command_lines(void **state)
{
	(void)state;
	for (enum command_lines why = 0; why <= COMMAND_LINES_SCREEN; why++) {
		struct snapshot *snapshot = make_snapshot();
		bool shown = why == COMMAND_LINES_SHOWN;

		snapshot->command_lines = why;
		char *text = csv_of(snapshot, &(struct view_spec){.top = 0});
		if ((strstr(text, "=1+1") != NULL) != shown)
			fail_msg("%d: %s", why, text);
		free(text);
	}
}

/* The target has a row, and so have the others. */
static void of_a_target(void **state)
{
	struct snapshot *snapshot = make_snapshot();
	size_t width = tally_width(&snapshot->columns->plan->shape);

	(void)state;
	snapshot->targeted = true;
	snapshot->others = xcalloc(width, sizeof(uint64_t));
	snapshot->others[SAMPLE_CYCLES] = 77;
	snapshot_set_target(snapshot);
	char *text = csv_of(snapshot, &(struct view_spec){.by = ROLLUP_PROCESS});
	assert_non_null(strstr(text, ",others,"));
	assert_non_null(strstr(text, ",target,"));
	assert_null(strstr(text, ",left_out,"));
	free(text);
}

static unsigned count(const char *text, const char *what)
{
	unsigned n = 0;

	for (const char *at = text; (at = strstr(at, what)); at++)
		n++;
	return n;
}

/* A header is printed once, and again if other events are counted. */
static void headers(void **state)
{
	static const char *const presets[] = {"overview", "overview", "software", "software",
					      "overview"};
	struct csv *csv = csv_new();
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(presets); i++) {
		append(csv, sample_snapshot(sample_columns(presets[i]), NULL, 0),
		       &(struct view_spec){.by = ROLLUP_PROCESS}, out);
		fflush(out);
		assert_int_equal(count(text, "time,interval_s,scope,"), i < 2 ? 1 : i < 4 ? 2 : 3);
		assert_int_equal(count(text, ",system,"), i + 1);
	}
	fclose(out);
	free(text);
	csv_free(csv);
}

/* The name of an event, and of its column. */
static void names(void **state)
{
	static const struct {
		const char *event, *want;
	} rows[] = {
		{"a", ",a,cpu-migrations,"},
		{"pid", ",event.pid,cpu-migrations,"},
		{"cycles", ",event.cycles,cpu-migrations,"},
		{"cpu/event=1,umask=2/", ",\"cpu/event=1,umask=2/\",cpu-migrations,"},
		{"a\nb\"", ",\"a\xEF\xBF\xBD\x62\"\"\",cpu-migrations,"},
		{"cpu_percent", ",cpu_percent,cpu-migrations,metric.cpu_percent,"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct columns *columns = sample_columns("software");

		columns->events.items[SAMPLE_PAGE_FAULTS].label = xstrdup(rows[i].event);
		char *text = csv_of(sample_snapshot(columns, NULL, 0),
				    &(struct view_spec){.by = ROLLUP_PROCESS});
		*strchr(text, '\n') = '\0';
		if (!strstr(text, rows[i].want))
			fail_msg("%s: no %s in %s", rows[i].event, rows[i].want, text);
		free(text);
	}
}

static void is_without_a_time_that_is_not_known(void **state)
{
	static const struct view_spec plain = {.by = ROLLUP_PROCESS};
	struct snapshot *snapshot = make_snapshot();

	(void)state;
	snapshot->realtime_ns = 0;
	char *text = csv_of(snapshot, &plain);
	const char *first = strchr(text, '\n');
	assert_non_null(first);
	assert_int_equal(first[1], ',');
	free(text);
}

/* Then refreshes can be distinguished. */
static void has_the_offset_in_a_recording(void **state)
{
	static const struct view_spec plain = {.by = ROLLUP_PROCESS};
	struct snapshot *snapshot = sample_snapshot(sample_columns("software"), NULL, 0);
	unsigned comma = 0;

	(void)state;
	text_copy(snapshot->replay, sizeof(snapshot->replay), "run.data");
	snapshot->realtime_ns = 0;
	snapshot->offset_ns = 61500 * NS_PER_MS;
	char *text = csv_of(snapshot, &plain);
	const char *field = strchr(text, '\n');
	assert_non_null(field);
	while (comma < 19 && *++field)
		comma += *field == ',';
	assert_int_equal(strtod(field + 1, NULL) * 10, 615);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_as_golden),
		cmocka_unit_test(has_wanted_command_lines),
		cmocka_unit_test(is_without_a_time_that_is_not_known),
		cmocka_unit_test(has_the_offset_in_a_recording),
		cmocka_unit_test(of_a_target),
		cmocka_unit_test(headers),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
