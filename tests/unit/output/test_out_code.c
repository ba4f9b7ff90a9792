// SPDX-License-Identifier: MIT
/*
 * Functions in text, csv and json, and the stacks of folded: as goldens for one snapshot, and what
 * they must be in each kind of view.
 */
#include "tests/unit/shared/golden.h"
#include "tests/unit/shared/profile_samples.h"
#include "tests/unit/shared/sample.h"

#include "core/output/batch_format.h"
#include "core/output/out_folded.h"
#include "core/snapshot/run_summary.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { ALICE = 1000, BOB };

static const struct code_event hardware[] = {
	{"cycles", SAMPLE_CYCLES},
	{"instructions", SAMPLE_INSTRUCTIONS},
	{"cache-misses", SAMPLE_CACHE_MISSES},
};
static const struct code_event software[] = {{"cpu-clock", TALLY_TASK_CLOCK}};

#define TASK(p, t, owner, name)                               \
	{                                                     \
		.row = {.pid = (p),                           \
			.tid = (t),                           \
			.ppid = 1,                            \
			.uid = (owner),                       \
			.threads = 1,                         \
			.comm = name,                         \
			.user = #owner},                      \
		.counts = {                                   \
			[TALLY_TASK_CLOCK] = 500 * NS_PER_MS, \
			[SAMPLE_CYCLES] = 1000000000,         \
			[SAMPLE_INSTRUCTIONS] = 2000000000,   \
			[SAMPLE_CACHE_MISSES] = 10000000,     \
		},                                            \
	}

static const struct sample_row tasks[] = {
	TASK(10, 10, ALICE, "data base"),
	TASK(10, 11, ALICE, "worker;1"),
	TASK(20, 20, BOB, "make"),
	TASK(30, 30, BOB, "idle"),
};

static const struct profile_samples samples[] = {
	{10, 10, 0, "cycles", "hash_lookup@libhash.so;query@db;main@db", 62, 62000000, 0},
	{10, 11, 1, "cycles", "copy_page@[kernel];read@libc.so.6;main@db", 30, 30000000, 0},
	{10, 10, 0, "cycles", "db+0x1234", 8, 8000000, 0},
	{10, 10, 0, "instructions", "hash_lookup@libhash.so;query@db;main@db", 20, 40000000, 0},
	{10, 10, 0, "instructions", "query@db;main@db", 80, 160000000, 0},
	{10, 10, 0, "cache-misses", "hash_lookup@libhash.so;query@db;main@db", 99, 9900000, 0},
	{10, 11, 1, "cache-misses", "copy_page@[kernel];read@libc.so.6;main@db", 1, 100000, 0},
	{20, 20, 1, "cycles", "std::pair<int, long>::swap(a, b)@make", 5, 5000000, 0},
	{99, 99, 1, "cycles", "gone@sh", 5, 5000000, 0}, /* without a row */
};

static const struct profile_samples clocks[] = {
	{10, 10, 0, "cpu-clock", "f@a.out;main@a.out", 3, 15000000, 0},
};

static struct snapshot *snapshot_of(struct code_profile *profile)
{
	struct snapshot *snapshot =
		sample_snapshot(sample_columns("overview"), tasks, ARRAY_SIZE(tasks));

	snapshot->code = profile;
	return snapshot;
}

static struct snapshot *snapshot_with_counters(void)
{
	return snapshot_of(
		profile_of_samples(hardware, ARRAY_SIZE(hardware), samples, ARRAY_SIZE(samples)));
}

static struct snapshot *snapshot_without_counters(void)
{
	return snapshot_of(profile_of_samples(software, 1, clocks, ARRAY_SIZE(clocks)));
}

/* Returns what a format prints for a snapshot, which is freed, to the end of the run. */
static char *print_and_free(const char *name, struct snapshot *snapshot,
			    const struct view_spec *spec)
{
	const struct batch_format *format = batch_format_find(name);
	void *kept = format->begin ? format->begin(0) : NULL;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct view view;

	view_init(snapshot, spec, &view);
	format->write(kept, &view, out);
	if (format->finish)
		format->finish(kept, out);
	assert_int_equal(fclose(out), 0);
	view_fini(&view);
	snapshot_free(snapshot);
	if (format->end)
		format->end(kept);
	return text;
}

static void is_as_golden(void **state)
{
	static const struct {
		const char *format, *path;
		struct view_spec spec;
	} rows[] = {
		{"json", "tests/golden/out_json_code.txt", {.by = ROLLUP_PROCESS}},
		{"csv", "tests/golden/out_csv_code.txt", {.by = ROLLUP_PROCESS}},
		{"text", "tests/golden/out_text_code.txt", {.by = ROLLUP_PROCESS, .top = 2}},
		{"folded", "tests/golden/out_folded.txt", {.by = ROLLUP_PROCESS}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *got = print_and_free(rows[i].format, snapshot_with_counters(), &rows[i].spec);
		bool json = strcmp(rows[i].format, "json") == 0;
		char *folded = json ? golden_fold(got) : NULL;

		golden_check(rows[i].path, json ? folded : got);
		free(folded);
		free(got);
	}
}

/* A part of the output that must be there, or must not. */
static const struct part_case {
	const char *name, *format;
	struct view_spec spec;
	bool counters;
	const char *want, *never;
} parts[] = {
	{"the event of time without counters",
	 "json",
	 {.by = ROLLUP_PROCESS},
	 false,
	 "\"code\":{\"time\":\"cpu-clock\",\"events\":[\"cpu-clock\"],\"lost\":0}",
	 "\"ipc\":0,"},
	{"a metric whose counts are not all sampled is left out",
	 "json",
	 {.by = ROLLUP_PROCESS},
	 false,
	 "\"count\":1000000000}},\"metrics\":{\"cpu_percent\":100},"
	 "\"errors\":{\"cpu_percent\":20}}]",
	 NULL},
	{"no sample of an event is unknown, not 0",
	 "json",
	 {.by = ROLLUP_PROCESS},
	 true,
	 "\"cache-misses\":{\"samples\":0,\"share\":null,\"error\":null,\"count\":null}",
	 "\"share\":0,"},
	{"a row without samples has no functions",
	 "json",
	 {.by = ROLLUP_THREAD, .sort = "pid", .reverse = true},
	 true,
	 "\"functions\":[]}",
	 NULL},
	{"--top limits rows and functions",
	 "json",
	 {.by = ROLLUP_PROCESS, .top = 1},
	 true,
	 "],\"functions_left_out\":3}],\"totals\"",
	 "db+0x1234"},
	{"functions of a CPU",
	 "json",
	 {.by = ROLLUP_CPU},
	 true,
	 "\"cpus\":[{\"cpu\":0,",
	 "\"functions\":[]"},
	{"functions of a socket",
	 "json",
	 {.by = ROLLUP_SOCKET},
	 true,
	 "\"functions\":[{\"name\":\"hash_lookup\",\"module\":\"libhash.so\",\"kind\":\"user\","
	 "\"samples\":62,",
	 NULL},
	{"functions of a user",
	 "csv",
	 {.by = ROLLUP_USER},
	 true,
	 ",function,,,,,,,,ALICE,,1,2,",
	 NULL},
	{"of a tree",
	 "text",
	 {.by = ROLLUP_TREE},
	 true,
	 "\n10 data base: 100 samples of cycles",
	 NULL},
	{"of a CPU", "text", {.by = ROLLUP_CPU}, true, "\nCPU 1: 40 samples of cycles", NULL},
	{"of one row there is no sum",
	 "text",
	 {.by = ROLLUP_PROCESS},
	 false,
	 "\n10 data base: 3 samples of cpu-clock\n",
	 "all tasks"},
	{"folded by thread: its own name",
	 "folded",
	 {.by = ROLLUP_THREAD},
	 true,
	 "\nworker:1;main;read;copy_page_[k] 30000000\n",
	 "data_base;main;read"},
	{"folded with a filter: no other samples",
	 "folded",
	 {.by = ROLLUP_PROCESS, .filter = {.text = "make"}},
	 true,
	 "make;std::pair<int,_long>::swap(a,_b) 5000000\n",
	 "data_base"},
	{"folded by CPU: processes",
	 "folded",
	 {.by = ROLLUP_CPU},
	 true,
	 "data_base;main;read",
	 NULL},
};

static void has_its_part(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		const struct part_case *row = &parts[i];
		char *got = print_and_free(row->format,
					   row->counters ? snapshot_with_counters()
							 : snapshot_without_counters(),
					   &row->spec);

		if (!strstr(got, row->want))
			fail_msg("%s: no %s in %s", row->name, row->want, got);
		if (row->never && strstr(got, row->never))
			fail_msg("%s: %s in %s", row->name, row->never, got);
		free(got);
	}
}

/* Without a profile each format is as it was. */
static void is_not_there_without_a_profile(void **state)
{
	static const char *const formats[] = {"text", "csv", "json", "folded"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		char *got = print_and_free(formats[i], snapshot_of(NULL), &(struct view_spec){0});

		assert_null(strstr(got, "function"));
		assert_null(strstr(got, "FUNCTION"));
		free(got);
	}
}

/* A profile without events: nothing could be sampled. */
static void survives_an_empty_profile(void **state)
{
	static const char *const formats[] = {"text", "csv", "json", "folded"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		struct code_profile *none = code_profile_end(code_profile_builder_new());
		char *got = print_and_free(formats[i], snapshot_of(none), &(struct view_spec){0});

		if (strcmp(formats[i], "json") == 0)
			assert_non_null(strstr(got, "\"code\":{\"time\":null,\"events\":[]"));
		free(got);
	}
}

static struct snapshot_run run_of(char **command)
{
	return (struct snapshot_run){.command = command, .status = 0, .elapsed_ns = NS_PER_S};
}

/* Refreshes add up, and a summary of the same run adds nothing to them. */
static void folded_adds_up(void **state)
{
	char name[] = "make", *command[] = {name, NULL};
	const struct snapshot_run facts = run_of(command);

	(void)state;
	for (int refreshes = 0; refreshes <= 2; refreshes++) {
		struct run_summary *summary = run_summary_new(SUMMARY_PROCESSES_MAX);
		struct folded *folded = folded_new(0);
		char *text = NULL, want[64];
		size_t size = 0;
		struct view view;

		for (int i = 0; i < 2; i++) {
			struct snapshot *snapshot = snapshot_without_counters();
			run_summary_add(summary, snapshot);
			view_init(snapshot, &(struct view_spec){0}, &view);
			if (i < refreshes)
				folded_add(folded, &view);
			view_fini(&view);
			snapshot_free(snapshot);
		}
		struct snapshot *whole = run_summary_snapshot(summary, 0, &facts);
		view_init(whole, &(struct view_spec){0}, &view);
		folded_add(folded, &view);
		view_fini(&view);
		snapshot_free(whole);
		FILE *out = open_memstream(&text, &size);
		out_folded(folded, out);
		fclose(out);
		snprintf(want, sizeof(want), "data_base;main;f %d\n",
			 refreshes == 1 ? 15000000 : 30000000);
		assert_string_equal(text, want);
		free(text);
		folded_free(folded);
		run_summary_free(summary);
	}
}

/* Samples without a row belong to another task if there is a target. */
static void folded_has_the_target_only(void **state)
{
	(void)state;
	for (int targeted = 0; targeted <= 1; targeted++) {
		struct snapshot *snapshot = snapshot_with_counters();

		snapshot->targeted = targeted;
		if (targeted) {
			size_t width = tally_width(&snapshot->columns->plan->shape);
			snapshot->target = xcalloc(width, sizeof(uint64_t));
			snapshot->others = xcalloc(width, sizeof(uint64_t));
			snapshot->target_figures =
				xcalloc(snapshot->columns->n_metrics, sizeof(struct figure));
		}
		char *got = print_and_free("folded", snapshot, &(struct view_spec){0});
		bool others = strstr(got, "[unknown];gone 5000000\n") != NULL;
		assert_int_equal(others, !targeted);
		free(got);
	}
}

/* Beyond the limit all samples stay, as [other] of their command. */
static void folded_is_bounded(void **state)
{
	(void)state;
	for (size_t bytes = 1; bytes <= 2048; bytes *= 2) {
		struct snapshot *snapshot = snapshot_with_counters();
		struct folded *folded = folded_new(bytes);
		char *text = NULL, *rest, *line;
		size_t size = 0;
		uint64_t sum = 0;
		struct view view;

		view_init(snapshot, &(struct view_spec){0}, &view);
		folded_add(folded, &view);
		FILE *out = open_memstream(&text, &size);
		out_folded(folded, out);
		fclose(out);
		assert_true(size < bytes + 64);
		rest = text;
		while ((line = strsep(&rest, "\n")) != NULL && *line)
			sum += strtoull(strrchr(line, ' '), NULL, 10);
		assert_int_equal(sum, 110000000);
		free(text);
		view_fini(&view);
		folded_free(folded);
		snapshot_free(snapshot);
	}
}

/* Text has a file without names as one function with the reason, other formats each address. */
static void addresses_without_names(void **state)
{
	static const struct profile_samples addresses[] = {
		{10, 10, 0, "cpu-clock", "go+0x10@go!no symbols", 3, 3000000, 0},
		{10, 10, 0, "cpu-clock", "go+0x20@go!no symbols", 4, 4000000, 0},
	};
	static const struct {
		const char *format, *want, *never;
	} rows[] = {
		{"text", "  go+0x..., no symbols  go\n", "0x10"},
		{"json", "\"name\":\"go+0x10\",\"module\":\"go\",\"kind\":\"unnamed\"", "..."},
		{"csv", ",go+0x10,", "..."},
		{"folded", ";go+0x10 3000000\n", "..."},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct snapshot *snapshot = snapshot_of(
			profile_of_samples(software, 1, addresses, ARRAY_SIZE(addresses)));
		char *got = print_and_free(rows[i].format, snapshot,
					   &(struct view_spec){.by = ROLLUP_PROCESS});

		if (!strstr(got, rows[i].want) || strstr(got, rows[i].never))
			fail_msg("%s: %s", rows[i].format, got);
		free(got);
	}
}

/* Names of any bytes are one frame on one line. */
static void folded_names(void **state)
{
	static const struct {
		const char *comm, *function, *want;
		enum code_kind kind;
		const char *module; /* NULL: "m" */
	} rows[] = {
		{"a", "[kernel]", "a;[kernel]_[k] 7\n", CODE_UNNAMED, "[kernel]"},
		{"a", "read_zero", "a;read_zero_[k] 7\n", CODE_KERNEL, "[kernel]"},
		{"a", "[unknown]", "a;[unknown] 7\n", CODE_UNNAMED, ""},
		{"a b", "f(int, char)", "a_b;f(int,_char) 7\n"},
		{"x;y", "f;g", "x:y;f:g 7\n"},
		{"", "f", "[unknown];f 7\n"},
		{"a\nb", "f\x1b[2J\x01",
		 "a\xef\xbf\xbd"
		 "b;f\xef\xbf\xbd[2J\xef\xbf\xbd 7\n"},
		{"\xff", "\xc3\xa4\xff 1", "\xef\xbf\xbd;\xc3\xa4\xef\xbf\xbd_1 7\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct code_profile_builder *builder = code_profile_builder_new();
		const struct code_function function = {
			rows[i].function, rows[i].module ? rows[i].module : "m", rows[i].kind};
		uint32_t frame = code_profile_function(builder, &function);
		const struct code_entry entry = {
			.task = code_profile_task(builder, &(struct code_task){40, 40, 0}),
			.event = code_profile_event(builder, &software[0]),
			.depth = 1,
			.samples = 1,
			.weight = 7,
		};
		struct sample_row task = {.row = {.pid = 40, .tid = 40, .threads = 1}};

		text_copy(task.row.comm, sizeof(task.row.comm), rows[i].comm);
		code_profile_add(builder, &entry, &frame);
		struct snapshot *snapshot = sample_snapshot(sample_columns("overview"), &task, 1);
		snapshot->code = code_profile_end(builder);
		char *got = print_and_free("folded", snapshot, &(struct view_spec){0});
		assert_string_equal(got, rows[i].want);
		free(got);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_as_golden),
		cmocka_unit_test(has_its_part),
		cmocka_unit_test(is_not_there_without_a_profile),
		cmocka_unit_test(survives_an_empty_profile),
		cmocka_unit_test(folded_adds_up),
		cmocka_unit_test(folded_has_the_target_only),
		cmocka_unit_test(folded_is_bounded),
		cmocka_unit_test(folded_names),
		cmocka_unit_test(addresses_without_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
