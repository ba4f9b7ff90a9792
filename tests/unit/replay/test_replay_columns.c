// SPDX-License-Identifier: MIT
/* A replay with other columns than the live run: columns of recorded events can be added. */
#include "tests/unit/shared/recorded_scene.h"

#include "core/base/figure_mark.h"

#include <math.h>

static int column(const struct snapshot *snapshot, const char *name)
{
	return columns_metric(snapshot->columns, name);
}

/* What was recorded: cycles, instructions, faults and what every run has. */
static void record_columns(const char *path, struct seen *seen, size_t n)
{
	static const struct engine_column asked[] = {{ENGINE_METRIC, "ipc"},
						     {ENGINE_EVENTS, "page-faults"},
						     {ENGINE_METRIC, "own=instructions / 2"}};
	const struct scene scene = {
		.config = {.preset = &preset_none, .columns = asked, .n_columns = 3}};

	record(&scene, path, seen, n);
}

static void test_requested_columns(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		const char *preset;
		struct engine_column column;
		const char *says;        /* NULL: it can be had */
		const char *has, *lacks; /* columns */
	} rows[] = {
		{"a formula", NULL, {ENGINE_METRIC, "per=cycles / instructions"}, NULL, "per", "x"},
		{"one that was shown", NULL, {ENGINE_METRIC, "ipc"}, NULL, "own", "x"},
		{"another of its name", NULL, {ENGINE_METRIC, "own=cycles"}, "already", NULL, NULL},
		{"an event", NULL, {ENGINE_EVENTS, "cycles"}, NULL, "cycles", "x"},
		{"by its other name", NULL, {ENGINE_EVENTS, "cpu-cycles"}, NULL, "cpu-cycles", "x"},
		{"what was not counted",
		 NULL,
		 {ENGINE_EVENTS, "branches"},
		 "'branches' was not recorded",
		 NULL,
		 NULL},
		{"made of it",
		 NULL,
		 {ENGINE_METRIC, "x=branches / cycles"},
		 "'branches' was not recorded",
		 NULL,
		 NULL},
		{"a known metric",
		 NULL,
		 {ENGINE_METRIC, "branch_mpki"},
		 "The events of branch_mpki were not recorded",
		 NULL,
		 NULL},
		{"nonsense", NULL, {ENGINE_METRIC, "x=("}, "expected", NULL, NULL},
		{"a preset", "overview", {ENGINE_EVENTS, "cycles"}, NULL, "ipc", "own"},
	};
	struct seen seen = {0};

	record_columns(path_of("columns"), &seen, 5);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct engine_config engine = {
			.preset = rows[i].preset ? preset_find(rows[i].preset) : NULL,
			.columns = &rows[i].column,
			.n_columns = 1,
		};
		struct replay *replay;
		struct error err = {0};
		int result = open_replay(path_of("columns"), &engine, &replay, &err);
		if (rows[i].says) {
			if (result != -EINVAL || !strstr(err.text, rows[i].says))
				fail_msg("%s: %d '%s'", rows[i].name, result, err.text);
			continue;
		}
		if (result < 0)
			fail_msg("%s: %s", rows[i].name, err.text);
		struct snapshot *snapshot = must_show(replay);
		if (column(snapshot, rows[i].has) < 0 || column(snapshot, rows[i].lacks) >= 0)
			fail_msg("%s: the columns are not those", rows[i].name);
		same_tally(snapshot->columns, snapshot->totals, seen.items[0]->totals, "totals");
		snapshot_free(snapshot);
		replay_free(replay);
	}
	seen_fini(&seen);
}

static struct snapshot *after(struct replay *replay, enum request_kind kind, const char *text,
			      long number)
{
	replay_do(replay, &(struct request){.kind = kind, .text = text, .number = number});
	return must_show(replay);
}

static void test_commands(void **state)
{
	(void)state;
	static const struct {
		enum request_kind kind;
		const char *text;
		long number;
		const char *says;
	} refused[] = {
		{REQUEST_ADD_EVENTS, "branches", 0, "'branches' was not recorded"},
		{REQUEST_REMOVE, "branches", 0, "There is no column"},
		{REQUEST_PRESET, "unknown", 0, "unknown"},
		{REQUEST_LEVELS, NULL, EVENT_LEVELS_USER, "A recording cannot count"},
		{REQUEST_ATTACH, NULL, 1, "A recording cannot watch"},
		{REQUEST_DISMISS, NULL, 0, "A recording cannot watch"},
		{REQUEST_IDLE, NULL, 1, "This recording has no idle tasks"},
		{REQUEST_COMMAND_LINES, NULL, 1, "This recording has no command lines"},
		{REQUEST_RECORD, "/tmp/x", 0, "A replay cannot be recorded"},
	};
	struct seen seen = {0};
	struct error err;

	record_columns(path_of("columns"), &seen, 5);
	struct replay *replay = must_open(path_of("columns"), NULL);
	struct snapshot *snapshot =
		after(replay, REQUEST_ADD_METRIC, "per=cycles / instructions", 0);
	assert_true(column(snapshot, "per") >= 0 && column(snapshot, "ipc") >= 0);
	snapshot_free(snapshot);
	snapshot = after(replay, REQUEST_REMOVE, "ipc", 0);
	assert_true(column(snapshot, "per") >= 0 && column(snapshot, "ipc") < 0);
	snapshot_free(snapshot);
	snapshot = after(replay, REQUEST_PRESET, "software", 0);
	assert_true(column(snapshot, "per") >= 0 && column(snapshot, "cs_per_s") >= 0);
	assert_string_equal(snapshot->columns->preset, "software");
	snapshot_free(snapshot);
	/* Requested columns exist from the beginning. */
	assert_int_equal(replay_rewind(replay, &err), 0);
	for (size_t i = 0; i < 5; i++) {
		snapshot = must_show(replay);
		assert_true(column(snapshot, "per") >= 0 && column(snapshot, "cs_per_s") >= 0);
		same_tally(snapshot->columns, snapshot->totals, seen.items[i]->totals, "totals");
		snapshot_free(snapshot);
	}
	check_end(replay);
	/* A filter searches the command lines that there are. */
	assert_int_equal(replay_rewind(replay, &err), 0);
	snapshot = after(replay, REQUEST_COMMAND_LINES, NULL, COMMAND_LINES_MATCHED);
	assert_true(snapshot->n_notes == 0 || !strstr(snapshot->notes[0], "command lines"));
	snapshot_free(snapshot);
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		assert_int_equal(replay_rewind(replay, &err), 0);
		snapshot = after(replay, refused[i].kind, refused[i].text, refused[i].number);
		if (snapshot->n_notes == 0 || !strstr(snapshot->notes[0], refused[i].says))
			fail_msg("'%s' is not '%s'", snapshot->n_notes ? snapshot->notes[0] : "",
				 refused[i].says);
		snapshot_free(snapshot);
	}
	replay_free(replay);
	seen_fini(&seen);
}

/* As live, a refusal is noted for some intervals, and again if it is asked for again. */
static void test_refusals_pass(void **state)
{
	struct seen seen = {0};

	(void)state;
	record_columns(path_of("refusals"), &seen, 3 * NOTES_TRANSIENT_INTERVALS);
	struct replay *replay = must_open(path_of("refusals"), NULL);
	for (int i = 0; i < 3 * NOTES_TRANSIENT_INTERVALS; i++) {
		bool again = i == 0 || i == 2 * NOTES_TRANSIENT_INTERVALS;
		struct snapshot *snapshot =
			again ? after(replay, REQUEST_REMOVE, "branches", 0) : must_show(replay);
		bool noted = snapshot->n_notes > 0 &&
			     strstr(snapshot->notes[0], "There is no column") != NULL;
		bool passed = i >= NOTES_TRANSIENT_INTERVALS && i < 2 * NOTES_TRANSIENT_INTERVALS;
		if (noted == passed)
			fail_msg("interval %d", i);
		snapshot_free(snapshot);
	}
	replay_free(replay);
	seen_fini(&seen);
}

/* After a change of the plan the requests are applied again. */
static void test_columns_of_plans(void **state)
{
	(void)state;
	const struct scene scene = {.before = change_columns};
	static const struct engine_column asked[] = {{ENGINE_METRIC, "mine=minor-faults * 2"}};
	struct seen seen = {0};
	struct error err;
	struct replay *replay;

	record(&scene, path_of("plans"), &seen, INTERVALS_MAX);
	/* Not there from the beginning. */
	assert_int_equal(open_replay(path_of("plans"),
				     &(struct engine_config){.columns = asked, .n_columns = 1},
				     &replay, &err),
			 -EINVAL);
	replay = must_open(path_of("plans"), NULL);
	snapshot_free(must_show(replay));
	snapshot_free(must_show(replay));
	struct snapshot *snapshot = after(replay, REQUEST_ADD_METRIC, "mine=minor-faults * 2", 0);
	assert_true(column(snapshot, "mine") >= 0);
	snapshot_free(snapshot);
	for (size_t i = 3; i < seen.n; i++) {
		snapshot = must_show(replay);
		assert_true(column(snapshot, "mine") >= 0);
		same_tally(snapshot->columns, snapshot->totals, seen.items[i]->totals, "totals");
		snapshot_free(snapshot);
	}
	check_end(replay);
	replay_free(replay);
	seen_fini(&seen);
}

static void check_figure(const char *path, const char *name, double want)
{
	struct replay *replay = must_open(path, NULL);
	struct snapshot *snapshot = must_show(replay);
	int index = column(snapshot, name);

	assert_true(index >= 0);
	struct figure figure = snapshot->figures[index];
	if (figure.state != (want > 0 ? FIGURE_VALID : FIGURE_UNSUPPORTED) ||
	    (want > 0 && fabs(figure.value - want) > 1e-6))
		fail_msg("%s is %g (%s)", name, figure.value, figure_state_name(figure.state));
	snapshot_free(snapshot);
	replay_free(replay);
}

/* Writes over a recording: `offset` bytes behind the first `text` that is behind `name`. */
static void write_over(const char *path, const char *name, const char *text, long offset,
		       const void *bytes, size_t n)
{
	FILE *file = fopen(path, "r+");
	char head[16384];

	assert_non_null(file);
	size_t size = fread(head, 1, sizeof(head), file);
	const char *found = memmem(head, size, name, strlen(name) + 1);
	assert_non_null(found);
	found = memmem(found, size - (size_t)(found - head), text, strlen(text));
	assert_non_null(found);
	assert_int_equal(fseek(file, found - head + offset, SEEK_SET), 0);
	assert_int_equal(fwrite(bytes, n, 1, file), 1);
	fclose(file);
}

/* Makes the record of the facts one that this version does not have. */
static void hide_cpu_facts(const char *path)
{
	const uint64_t kind = PERFDATA_NATIVE_BASE + 4711;

	write_over(path, "pmctop:cpu_facts", "pmctop:cpu_facts", -(long)sizeof(kind), &kind,
		   sizeof(kind));
}

/* Formulas use the machine of the recording: three CPUs with a clock of 2 GHz. */
static void test_constants(void **state)
{
	static const struct engine_column asked[] = {
		{ENGINE_METRIC, "clock=SYSTEM_TSC_FREQ / 1e6 * #num_cpus_online"},
		{ENGINE_METRIC, "ipc"},
		{ENGINE_METRIC, "twice=2 * ipc"}};
	static const struct engine_column late[] = {{ENGINE_METRIC, "late=#num_cpus * ipc / ipc"}};
	static const struct engine_column unknown[] = {{ENGINE_METRIC, "late=#num_cores"}};
	struct fk_config machine = fk_machine_intel;
	const struct scene scene = {
		.machine = &machine,
		.config = {.preset = &preset_none, .columns = asked, .n_columns = 3},
	};
	struct seen seen = {0};
	struct error err = {0};
	struct replay *replay;

	(void)state;
	machine.tsc_mult = 1u << 23;
	machine.tsc_shift = 24;
	record(&scene, path_of("constants"), &seen, 2);
	check_figure(path_of("constants"), "clock", 6000);
	replay = must_open(path_of("constants"),
			   &(struct engine_config){.columns = late, .n_columns = 1});
	struct snapshot *snapshot = must_show(replay);
	int ipc = column(snapshot, "ipc"), twice = column(snapshot, "twice");
	assert_true(snapshot->figures[column(snapshot, "late")].value == 3);
	assert_true(snapshot->figures[ipc].value > 0);
	assert_true(fabs(snapshot->figures[twice].value - 2 * snapshot->figures[ipc].value) < 1e-9);
	snapshot_free(snapshot);
	replay_free(replay);
	int ret = open_replay(path_of("constants"),
			      &(struct engine_config){.columns = unknown, .n_columns = 1}, &replay,
			      &err);
	assert_int_equal(ret, -EINVAL);
	assert_non_null(strstr(err.text, "this machine does not have #num_cores"));
	hide_cpu_facts(path_of("constants"));
	check_figure(path_of("constants"), "clock", 0);
	/* The formula that was recorded is used, also if this version's differs. */
	write_over(path_of("constants"), "pmctop:metric", "instructions / cycles", 0,
		   "1 + 5 * 4            ", strlen("instructions / cycles"));
	check_figure(path_of("constants"), "twice", 42);
	seen_fini(&seen);
}

/* A filter searches recorded command lines. Other command lines were not recorded. */
static void test_filter(void **state)
{
	static const struct {
		const char *name;
		enum command_lines recorded, replayed;
		bool has, noted;
	} rows[] = {
		{"recorded", COMMAND_LINES_SHOWN, COMMAND_LINES_MATCHED, true, false},
		{"not recorded", COMMAND_LINES_NONE, COMMAND_LINES_MATCHED, false, true},
		{"read for a filter", COMMAND_LINES_MATCHED, COMMAND_LINES_MATCHED, false, true},
		{"no filter", COMMAND_LINES_MATCHED, COMMAND_LINES_NONE, false, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct scene scene = {.config = {.command_lines = rows[i].recorded}};
		const struct engine_config engine = {.command_lines = rows[i].replayed};
		struct seen seen = {0};
		size_t known = 0;

		record(&scene, path_of("filter"), &seen, 2);
		struct replay *replay = must_open(path_of("filter"), &engine);
		struct snapshot *snapshot = must_show(replay);
		for (size_t k = 0; k < snapshot->threads.n; k++)
			known += snapshot->threads.items[k].cmdline != NULL;
		if ((known > 0) != rows[i].has ||
		    has_note(snapshot, "no command lines (-c)") != rows[i].noted)
			fail_msg("%s: %zu command lines", rows[i].name, known);
		snapshot_free(snapshot);
		replay_free(replay);
		seen_fini(&seen);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_requested_columns), cmocka_unit_test(test_commands),
		cmocka_unit_test(test_refusals_pass),     cmocka_unit_test(test_filter),
		cmocka_unit_test(test_columns_of_plans),  cmocka_unit_test(test_constants),
	};

	return cmocka_run_group_tests(tests, recorded_scenes_setup, recorded_scenes_teardown);
}
