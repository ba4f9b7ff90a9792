// SPDX-License-Identifier: MIT
/*
 * One object on one line: its exact text for a small snapshot (tests/golden), and for hostile ones
 * the judgement of Python's json module, which also adds the counts up.
 */
#include "tests/unit/shared/golden.h"
#include "tests/unit/shared/sample.h"

#include "core/base/text.h"
#include "core/output/out_json.h"
#include "tests/unit/shared/signals.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* The line for a snapshot, which is freed. */
static char *json_of(struct snapshot *snapshot, enum rollup by)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct view view;

	view_init(snapshot, &(struct view_spec){.by = by}, &view);
	out_json(&view, out);
	assert_int_equal(fclose(out), 0);
	view_fini(&view);
	snapshot_free(snapshot);
	return text;
}

static void the_whole_line(void **state)
{
	static const struct sample_row tasks[] = {
		{.row = {.pid = 7,
			 .tid = 7,
			 .threads = 1,
			 .flags = ROW_EXITED,
			 .comm = "cc1",
			 .user = "db"},
		 .counts = {[TALLY_TASK_CLOCK] = 250 * NS_PER_MS,
			    [TALLY_SWITCHES] = 3,
			    [SAMPLE_PAGE_FAULTS] = 12},
		 .shared = true,
		 .group_1_ns = 125 * NS_PER_MS},
		{.row = {.pid = 9, .tid = 9, .threads = 1}},
	};
	struct columns *columns = sample_columns("software");

	(void)state;
	columns->events.items[SAMPLE_CYCLES].state = FIGURE_DENIED;
	columns->events.items[SAMPLE_INSTRUCTIONS].state = FIGURE_DENIED;
	columns->events.items[SAMPLE_BRANCH_MISSES].state = FIGURE_UNSUPPORTED;
	columns->events.items[SAMPLE_CACHE_MISSES].state = FIGURE_UNSUPPORTED;
	columns->events.items[SAMPLE_MIGRATIONS].state = FIGURE_UNSUPPORTED;
	struct snapshot *snapshot = sample_snapshot(columns, tasks, ARRAY_SIZE(tasks));
	snapshot->pmu[0] = '\0';
	snapshot->interval_ns = 1000250000;
	snapshot->lost_records = 4;
	sample_machine(snapshot);
	machine_set(&snapshot->machine, MACHINE_STEAL, -1);
	snapshot->unattributed[TALLY_SWITCHES] = 1;
	snapshot->totals[TALLY_SWITCHES]++;
	sample_silence(&snapshot->cpus[1]);
	snapshot->n_notes = 2;
	snapshot->notes = xcalloc(2, sizeof(*snapshot->notes));
	snapshot->notes[0] = xstrdup("No \"hardware\" counters here.");
	snapshot->notes[1] = xstrdup("b");
	char *got = json_of(snapshot, true);

	char *got_folded = golden_fold(got);
	golden_check("tests/golden/out_json.txt", got_folded);
	free(got_folded);
	free(got);
}

/* Numbers of any size, as JSON has them. */
static void values(void **state)
{
	static const struct {
		const char *name;
		double value;
		const char *want;
	} rows[] = {
		{"zero", 0, "0"},
		{"a whole number", 40, "40"},
		{"a fraction", 1.25, "1.25"},
		{"a third", 1.0 / 3, "0.333333333"},
		{"six digits at least", 0.00123456789, "0.001234568"},
		{"small", 0.000123456, "1.23456e-4"},
		{"very small", 1.5e-200, "1.5e-200"},
		{"denormal", 1e-310, "0"},
		{"negative and small", -0.00025, "-2.5e-4"},
		{"large", 123456789.25, "123456789.25"},
		{"very large", 1e22, "10000000000000000000000"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct snapshot *snapshot = sample_snapshot(sample_columns("software"), NULL, 0);
		char want[128];

		snapshot->figures[1].value = rows[i].value;
		snprintf(want, sizeof(want), "\"cs_per_s\":%s,\"faults", rows[i].want);
		char *got = json_of(snapshot, false);
		if (!strstr(strstr(got, "\"totals\""), want))
			fail_msg("%s: no %s in %s", rows[i].name, want, got);
		free(got);
	}
}

static void strings(void **state)
{
	static const struct {
		const char *name, *comm, *want;
	} rows[] = {
		{"plain", "postgres", "\"postgres\""},
		{"quotes", "a\"b\\c", "\"a\\\"b\\\\c\""},
		{"controls", "\x01\n\x1b\x7f", "\"\\u0001\\u000a\\u001b\\u007f\""},
		{"a C1 control", "\xc2\x9b", "\"\\u009b\""},
		{"what turns the line", "\xe2\x80\xae|\xe2\x81\xa6|\xd8\x9c",
		 "\"\\u202e|\\u2066|\\u061c\""},
		{"what breaks it", "\xe2\x80\xa8|\xe2\x80\xa9", "\"\\u2028|\\u2029\""},
		{"a tag, beyond 16 bits", "\xf3\xa0\x81\x81", "\"\\udb40\\udc41\""},
		{"zero width", "a\xe2\x80\x8b\xef\xb8\x8f", "\"a\\u200b\\ufe0f\""},
		{"marks: two on a letter",
		 "\xcc\x81"
		 "e\xcc\x81\xcc\x82\xcc\x83",
		 "\"\\u0301"
		 "e\xcc\x81\xcc\x82\\u0303\""},
		{"UTF-8 stays", "\xc3\xa4\xe6\x97\xa5", "\"\xc3\xa4\xe6\x97\xa5\""},
		{"a byte that is none",
		 "a\xff"
		 "b",
		 "\"a\xef\xbf\xbd"
		 "b\""},
		{"cut in two by the kernel", "abc\xe2\x82", "\"abc\xef\xbf\xbd\xef\xbf\xbd\""},
		{"a surrogate", "\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
		{"unknown", "", "null"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sample_row task = {.row = {.pid = 7, .tid = 7, .threads = 1}};
		char want[128];

		text_copy(task.row.comm, sizeof(task.row.comm), rows[i].comm);
		char *got = json_of(sample_snapshot(sample_columns("software"), &task, 1), false);
		snprintf(want, sizeof(want), "\"comm\":%s,\"user\"", rows[i].want);
		if (!strstr(got, want))
			fail_msg("%s: no %s in %s", rows[i].name, want, got);
		free(got);
	}
}

/* Command lines are only in snapshots that have them, and not if only a filter needs them. */
static void command_lines(void **state)
{
	static const struct {
		const char *cmdline, *want;
	} rows[] = {
		{NULL, "\"comm\":\"sh\",\"cmdline\":null,\"user\""},
		{"sh -c \"x\"\n\xff",
		 "\"comm\":\"sh\",\"cmdline\":\"sh -c \\\"x\\\"\\u000a\xef\xbf\xbd\",\"user\""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (enum command_lines why = 0; why <= COMMAND_LINES_SCREEN; why++) {
			const struct sample_row task = {.row = {.pid = 7,
								.tid = 7,
								.threads = 1,
								.comm = "sh",
								.cmdline = rows[i].cmdline}};
			struct snapshot *snapshot =
				sample_snapshot(sample_columns("software"), &task, 1);
			bool shown = why == COMMAND_LINES_SHOWN;
			snapshot->command_lines = why;
			char *got = json_of(snapshot, ROLLUP_PROCESS);
			if (!strstr(got, shown ? rows[i].want : "\"comm\":\"sh\",\"user\""))
				fail_msg("%d: no %s in %s", why, rows[i].want, got);
			free(got);
		}
}

/* Identity of a row, for every grouping. */
static void identities(void **state)
{
	static const struct sample_row tasks[] = {
		{.row = {.pid = 7, .tid = 7, .threads = 1, .comm = "sh", .user = "db"}},
		{.row = {.pid = 9, .tid = 9, .ppid = 7, .threads = 1, .comm = "a", .user = "db"}},
		{.row = {.pid = 9, .tid = 10, .ppid = 7, .threads = 1, .comm = "b", .user = "db"}},
	};
	static const struct {
		enum rollup by;
		const char *want;
	} rows[] = {
		{ROLLUP_PROCESS,
		 "{\"pid\":9,\"tid\":9,\"comm\":\"a\",\"user\":\"db\",\"cgroup\":\"/x\","},
		{ROLLUP_THREAD,
		 "{\"pid\":9,\"tid\":10,\"comm\":\"b\",\"user\":\"db\",\"cgroup\":\"/x\","},
		{ROLLUP_TREE,
		 "{\"pid\":9,\"tid\":9,\"comm\":\"a\",\"user\":\"db\",\"cgroup\":\"/x\","
		 "\"parent\":7,"},
		{ROLLUP_TREE, "\"parent\":null,"},
		{ROLLUP_USER,
		 "{\"pid\":null,\"tid\":null,\"comm\":null,\"user\":\"db\",\"cgroup\":null,"
		 "\"processes\":2,\"threads\":3,"},
		{ROLLUP_CGROUP,
		 "{\"pid\":null,\"tid\":null,\"comm\":null,\"user\":null,\"cgroup\":\"/x\","
		 "\"processes\":2,\"threads\":3,"},
		{ROLLUP_COMMAND,
		 "{\"pid\":null,\"tid\":null,\"comm\":\"a\",\"user\":null,\"cgroup\":null,"
		 "\"processes\":1,\"threads\":2,"},
		{ROLLUP_CPU, "],\"tasks\":[],"},
		{ROLLUP_SOCKET, "],\"sockets\":[{\"socket\":0,\"cpus\":2,\"events\":"},
		{ROLLUP_NODE, "],\"nodes\":[{\"node\":null,\"cpus\":2,\"events\":"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct snapshot *snapshot =
			sample_snapshot(sample_columns("software"), tasks, ARRAY_SIZE(tasks));

		SAMPLE_CGROUPS(snapshot, "/x");
		snapshot->cpus[0].node = snapshot->cpus[1].node = -1;
		char *line = json_of(snapshot, rows[i].by);
		if (!strstr(line, rows[i].want))
			fail_msg("by %s: %s", rollup_name(rows[i].by), line);
		free(line);
	}
}

/* Python's exit status for a line; 0: valid. */
static int check_with_python(const char *line, bool quiet)
{
	static const char judge[] =
		"import json, sys\n"
		"lines = sys.stdin.buffer.read().decode(\"utf-8\").split(\"\\n\")\n"
		"assert len(lines) == 2 and lines[1] == \"\"\n"
		"assert not any(ord(c) < 32 or 127 <= ord(c) < 160 for c in lines[0])\n"
		"s = json.loads(lines[0])\n"
		"t = s[\"totals\"]\n"
		"rows = [r for r in s[\"tasks\"] if s[\"by\"] != \"tree\" or not r[\"parent\"]]\n"
		"for k in (\"events\", \"scaled\"):\n"
		"    for e, total in t[k].items():\n"
		"        parts = sum(r[k][e] or 0 for r in rows)\n"
		"        parts += t[\"idle\"][k][e] + t[\"unattributed\"][k][e]\n"
		"        assert parts == total or not rows, (k, e)\n"
		"for e, total in t[\"events\"].items():\n"
		"    assert total == sum(c[\"events\"][e] or 0 for c in s[\"cpus\"]), e\n"
		"for r in rows:\n"
		"    for e, count in r[\"events\"].items():\n"
		"        state = r.get(\"states\", {}).get(e, \"valid\").split(\":\")[0]\n"
		"        known = state in (\"valid\", \"scaled\")\n"
		"        assert (r[\"scaled\"][e] is not None) == known, (e, state)\n"
		"        assert state != \"valid\" or r[\"scaled\"][e] == count, e\n"
		"group = s[\"by\"] in (\"user\", \"cgroup\", \"command\")\n"
		"assert all(group or r[\"pid\"] > 0 for r in rows)\n"
		"assert all(r[\"threads\"] >= r[\"processes\"] > 0 for r in rows if group)\n"
		"for units in (\"sockets\", \"nodes\"):\n"
		"    assert (units in s) == (units == s[\"by\"] + \"s\")\n";
	char command[sizeof(judge) + 64];

	snprintf(command, sizeof(command), "python3 -c '%s'%s", judge, quiet ? " 2>&-" : "");
	FILE *python = popen(command, "w");
	assert_non_null(python);
	fputs(line, python);
	return pclose(python);
}

#define HOSTILE "/\"\n\x80\\\x1b"

/* Every byte there is, in comm and user and notes, in many tasks, by everything. */
static void valid_for_python(void **state)
{
	struct sample_row tasks[256] = {{.counts = {0}}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(tasks); i++) {
		struct sample_row *task = &tasks[i];

		task->row = (struct row){.pid = (pid_t)(1 + i / 2),
					 .ppid = (pid_t)(i / 7), /* 1 is its own */
					 .uid = (uid_t)(i / 5),
					 .cgroup = (int)(i % 4),
					 .tid = (pid_t)(1 + i / 2 + 1000 * (i % 2)),
					 .threads = 1};
		for (size_t k = 0; k + 1 < sizeof(task->row.comm); k++)
			task->row.comm[k] = (char)(i + k * 37 ? i + k * 37 : 1);
		memcpy(task->row.user, (char[]){(char)i, (char)0xC3, '\0'}, 3);
		for (size_t e = 0; e < SAMPLE_EVENTS; e++)
			task->counts[e] = (i + 1) * (e + 1) * 1000003;
		/* Their second group was on for a part of the time; a few ran without it. */
		task->shared = i % 3 > 0;
		task->group_1_ns = i % 7 > 0 ? task->counts[TALLY_TASK_CLOCK] / (i % 7) : 0;
		for (size_t e = SAMPLE_CACHE_MISSES;
		     task->shared && i % 7 == 0 && e < SAMPLE_EVENTS; e++)
			task->counts[e] = 0;
	}
	for (enum rollup by = ROLLUP_PROCESS; by <= ROLLUP_NODE; by++) {
		struct snapshot *snapshot =
			sample_snapshot(sample_columns("overview"), tasks, ARRAY_SIZE(tasks));

		text_copy(snapshot->host, sizeof(snapshot->host), "h\"\n\x80");
		snapshot->n_notes = 1;
		snapshot->notes = xcalloc(1, sizeof(*snapshot->notes));
		snapshot->notes[0] = xstrdup("\t\xed\xbf\xbf\"");
		SAMPLE_CGROUPS(snapshot, HOSTILE, HOSTILE, HOSTILE);
		char *line = json_of(snapshot, by);
		assert_int_equal(check_with_python(line, false), 0);
		free(line);
	}
	assert_int_not_equal(check_with_python("{\"schema\":}\n", true),
			     0); /* the judge does judge */
}

/* A replay is marked as such, with the offset in the recording on each line. */
static void marks_a_replay(void **state)
{
	struct snapshot *snapshot = sample_snapshot(sample_columns("software"), NULL, 0);

	(void)state;
	text_copy(snapshot->replay, sizeof(snapshot->replay), "run.data");
	snapshot->offset_ns = 1500 * NS_PER_MS;
	snapshot->realtime_ns = 0;
	char *line = json_of(snapshot, ROLLUP_PROCESS);
	assert_non_null(strstr(line, "\"time\":null,"));
	assert_non_null(strstr(line, ",\"replay\":\"run.data\",\"offset_s\":1.5"));
	free(line);
	line = json_of(sample_snapshot(sample_columns("software"), NULL, 0), ROLLUP_PROCESS);
	assert_null(strstr(line, "replay"));
	assert_null(strstr(line, "offset_s"));
	free(line);
}

/* An interval has the number of threads with counters. For a whole run it is unknown, not 0. */
static void coverage(void **state)
{
	static const struct sample_row task = {.row = {.pid = 7, .tid = 7, .threads = 1}};

	char name[] = "true", *command[] = {name, NULL};

	(void)state;
	for (int summary = 0; summary <= 1; summary++) {
		struct snapshot *snapshot = sample_snapshot(sample_columns("overview"), &task, 1);

		snapshot->mode = COUNT_MODE_TASK;
		snapshot->threads_ran = 3;
		snapshot->threads_counted = 2;
		if (summary) {
			snapshot->run = xcalloc(1, sizeof(*snapshot->run));
			snapshot->run->command = command;
		}
		char *line = json_of(snapshot, ROLLUP_PROCESS);
		const char *threads = strstr(line, "\"threads\":{\"ran\":3,\"counted\":2}");
		assert_int_equal(threads != NULL, !summary);
		free(line);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_whole_line), cmocka_unit_test(values),
		cmocka_unit_test(strings),        cmocka_unit_test(command_lines),
		cmocka_unit_test(identities),     cmocka_unit_test(valid_for_python),
		cmocka_unit_test(marks_a_replay), cmocka_unit_test(coverage),
	};

	signals_restore();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
