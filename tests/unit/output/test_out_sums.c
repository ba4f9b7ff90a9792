// SPDX-License-Identifier: MIT
/*
 * Scaled counts and their totals: each rule by hand, then in csv and OpenMetrics for groups that
 * take turns on the fake kernel, live and replayed.
 */
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/recorded_scene.h"
#include "tests/unit/shared/sample.h"

#include "core/base/figure_mark.h"
#include "core/output/metrics_export.h"
#include "core/output/out_csv.h"
#include "core/output/out_sums.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { UNKNOWN = -1, ROWS_MAX = 3 };

/* A thread that ran so many ms, and how often cache-misses happened in how many of them. */
struct counted {
	int ms, counted_ms;
	uint64_t count;
	unsigned flags;
	bool other; /* not of the target */
};

static const struct sum_case {
	const char *name;
	struct counted rows[ROWS_MAX];
	uint64_t unattributed;
	enum rollup by;
	size_t top;
	bool targeted;
	/* UNKNOWN: none */
	long total, rest, target;
	const char *total_state, *rest_state;
} sums[] = {
	{.name = "all of the time",
	 .rows = {{100, 100, 1000}, {300, 300, 5}},
	 .unattributed = 3,
	 .total = 1008,
	 .rest = 3,
	 .total_state = "valid",
	 .rest_state = "valid"},
	/* As one tally: 6000 of 400 ms, 250 of which were counted. */
	{.name = "shares differ",
	 .rows = {{100, 100, 1000}, {300, 150, 5000}},
	 .total = 11000,
	 .rest = 0,
	 .total_state = "scaled",
	 .rest_state = "valid"},
	{.name = "one line of all but the first",
	 .rows = {{100, 100, 1000}, {100, 50, 300}, {100, 100, 300}},
	 .top = 1,
	 .total = 1000 + 800,
	 .rest = 0,
	 .total_state = "scaled",
	 .rest_state = "valid"},
	{.name = "one line of all that one user has",
	 .rows = {{100, 100, 1000}, {100, 50, 300}},
	 .by = ROLLUP_USER,
	 .total = 1733,
	 .rest = 0,
	 .total_state = "scaled",
	 .rest_state = "valid"},
	{.name = "an uncounted one, at the rate of the others",
	 .rows = {{100, 100, 1000}, {200, 50, 500}, {100, 0, 0}},
	 .unattributed = 7,
	 .total = 1000 + 2000 + 1005 + 7,
	 .rest = 1005 + 7,
	 .total_state = "scaled",
	 .rest_state = "scaled"},
	{.name = "all are uncounted",
	 .rows = {{100, 0, 0}, {100, 0, 0}},
	 .total = UNKNOWN,
	 .rest = 0,
	 .total_state = "scaled", /* of idle time */
	 .rest_state = "valid"},
	{.name = "records of one were lost",
	 .rows = {{100, 100, 1000}, {300, 150, 5000, ROW_LOST}},
	 .total = 11000,
	 .rest = 0,
	 .total_state = "scaled",
	 .rest_state = "valid"},
	{.name = "of a target",
	 .rows = {{100, 50, 1000}, {100, 0, 0}, {200, 100, 100, .other = true}},
	 .unattributed = 1,
	 .targeted = true,
	 .total = 2000 + 200 + 734 + 1,
	 .rest = 734 + 1,
	 .target = 2000 + 2000,
	 .total_state = "scaled",
	 .rest_state = "scaled"},
};

static void check_count(const char *case_name, const char *name, const struct out_scaled *scaled,
			long want, const char *state)
{
	long got = scaled->known ? (long)scaled->count : UNKNOWN;

	if (got != want)
		fail_msg("%s: %s is %ld, not %ld", case_name, name, got, want);
	if (state && strcmp(figure_state_name(scaled->figure.state), state) != 0)
		fail_msg("%s: %s is %s, not %s", case_name, name,
			 figure_state_name(scaled->figure.state), state);
}

static struct snapshot *make_snapshot(const struct sum_case *this)
{
	struct sample_row tasks[ROWS_MAX] = {{.shared = false}};
	struct sample_row others[ROWS_MAX] = {{.shared = false}};
	size_t n = 0, n_others = 0;

	for (size_t i = 0; i < ROWS_MAX && this->rows[i].ms; i++) {
		const struct counted *row = &this->rows[i];

		*(row->other ? &others[n_others++] : &tasks[n++]) = (struct sample_row){
			.row = {.pid = (pid_t)(i + 1),
				.tid = (pid_t)(i + 1),
				.threads = 1,
				.flags = row->flags},
			.counts = {[TALLY_TASK_CLOCK] = (uint64_t)row->ms * NS_PER_MS,
				   [SAMPLE_CACHE_MISSES] = row->count},
			.shared = true,
			.group_1_ns = (uint64_t)row->counted_ms * NS_PER_MS,
		};
	}
	struct snapshot *snapshot = sample_snapshot(sample_columns("overview"), tasks, n);
	snapshot->others = xcalloc(SAMPLE_WIDTH, sizeof(uint64_t));
	for (size_t i = 0; i < n_others; i++) {
		uint64_t tally[SAMPLE_WIDTH] = {0};

		sample_tally(&others[i], tally);
		tally_add(&snapshot->columns->plan->shape, snapshot->others, tally);
		tally_add(&snapshot->columns->plan->shape, snapshot->totals, tally);
	}
	snapshot->unattributed[SAMPLE_CACHE_MISSES] = this->unattributed;
	snapshot->totals[SAMPLE_CACHE_MISSES] += this->unattributed;
	snapshot->targeted = this->targeted;
	snapshot_set_target(snapshot);
	return snapshot;
}

static void test_event_totals(void **state)
{
	const struct sum_case *this = *state;
	struct snapshot *snapshot = make_snapshot(this);
	struct view view;
	struct out_sums got;

	view_init(snapshot, &(struct view_spec){.by = this->by, .top = this->top}, &view);
	out_sums_init(&view, &got);
	check_count(this->name, "the total", &got.totals[SAMPLE_CACHE_MISSES], this->total,
		    this->total_state);
	check_count(this->name, "unattributed", &got.unattributed[SAMPLE_CACHE_MISSES], this->rest,
		    this->rest_state);
	if (this->targeted)
		check_count(this->name, "the target", &got.target[SAMPLE_CACHE_MISSES],
			    this->target, NULL);
	else
		assert_null(got.target);
	/* Its group is on all the time. */
	check_count(this->name, "cycles", &got.totals[SAMPLE_CYCLES],
		    (long)snapshot->totals[SAMPLE_CYCLES], "valid");
	out_sums_fini(&got);
	view_fini(&view);
	snapshot_free(snapshot);
}

/* What all frames of a scene had, so that the sums are of something. */
struct met {
	unsigned sums, scaled, uncounted, estimates, lost, machines;
};

/* The fields of a line, which is cut; here none is quoted. */
static size_t split(char *line, char **fields, size_t max)
{
	size_t n = 0;

	for (char *at = line; at && n < max; n++) {
		fields[n] = at;
		at = strchr(at, ',');
		if (at)
			*at++ = '\0';
	}
	return n;
}

enum { FIELDS_MAX = 128, SCOPE = 2, PARENT = 7, STATES = 18, FIRST_EVENT = 20 };

static bool is_part(char *const *fields)
{
	static const char *const parts[] = {"task", "idle", "unattributed", "others", "left_out"};

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (strcmp(fields[SCOPE], parts[i]) == 0)
			return !fields[PARENT][0];
	return false;
}

/* A row's own figures: marked where they are not what was counted. */
static void check_row(char *const *fields, const char *event, const char *raw, const char *scaled,
		      struct met *met)
{
	char mark[64];
	const char *state;

	snprintf(mark, sizeof(mark), "%s=", event);
	state = strstr(fields[STATES], mark);
	met->uncounted += !raw[0];
	if (!state && strcmp(raw, scaled) != 0)
		fail_msg("%s %s: %s of %s without a mark", fields[SCOPE], event, scaled, raw);
	if (state && strncmp(state + strlen(mark), "lost", 4) == 0)
		met->lost++;
	if (state && strtoull(scaled, NULL, 10) > strtoull(raw, NULL, 10))
		met->scaled++;
	if (strcmp(fields[SCOPE], "unattributed") == 0 &&
	    strtoull(scaled, NULL, 10) > strtoull(raw, NULL, 10))
		met->estimates++;
}

/* One refresh: task + left_out + others + idle + unattributed = system, of NAME and NAME_scaled. */
static void check_csv(char *text, size_t n_events, struct met *met)
{
	char *names[FIELDS_MAX], *fields[FIELDS_MAX], *rest = text;
	uint64_t sum[2][FIELDS_MAX] = {{0}}, total[2][FIELDS_MAX] = {{0}};
	bool known[2][FIELDS_MAX] = {{0}};
	size_t n = split(strtok_r(text, "\n", &rest), names, FIELDS_MAX);

	for (size_t i = 0; i < n_events; i++) {
		char name[64];

		snprintf(name, sizeof(name), "%s_scaled", names[FIRST_EVENT + i]);
		assert_string_equal(names[n - n_events + i], name);
	}
	for (char *line; (line = strtok_r(NULL, "\n", &rest));) {
		assert_int_equal(split(line, fields, FIELDS_MAX), n);
		for (size_t i = 0; i < n_events; i++) {
			const char *const both[] = {fields[FIRST_EVENT + i],
						    fields[n - n_events + i]};

			check_row(fields, names[FIRST_EVENT + i], both[0], both[1], met);
			for (size_t k = 0; k < 2; k++) {
				uint64_t count = strtoull(both[k], NULL, 10);

				if (is_part(fields))
					sum[k][i] += count;
				if (strcmp(fields[SCOPE], "system") != 0)
					continue;
				total[k][i] = count;
				known[k][i] = both[k][0];
			}
		}
	}
	for (size_t i = 0; i < n_events; i++)
		for (size_t k = 0; k < 2; k++) {
			if (known[k][i] && sum[k][i] != total[k][i])
				fail_msg("%s: %llu of %llu",
					 names[FIRST_EVENT + i + k * (n - n_events - FIRST_EVENT)],
					 (unsigned long long)sum[k][i],
					 (unsigned long long)total[k][i]);
			met->sums += known[k][i];
		}
}

/* The sums of an event's series in an exposition. */
struct series {
	char word[64]; /* "cycles_total" */
	double parts, machine;
	bool known;
};

static struct series *find_series(struct series *series, size_t n, const char *word)
{
	size_t i = 0;

	while (i + 1 < n && series[i].word[0] && strcmp(series[i].word, word) != 0)
		i++;
	text_copy(series[i].word, sizeof(series[i].word), word);
	return &series[i];
}

static void add_series(struct series *series, size_t n, char *name, double value)
{
	static const char *const prefixes[] = {"machine", "task", "idle", "unattributed", "others"};

	name[strcspn(name, "{ ")] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		char start[32];
		int length = snprintf(start, sizeof(start), "pmctop_%s_", prefixes[i]);

		if (strncmp(name, start, (size_t)length) != 0)
			continue;
		struct series *event = find_series(series, n, name + length);
		event->known |= i == 0;
		*(i == 0 ? &event->machine : &event->parts) += value;
	}
}

/* A second task of a number begins its series anew, so the first is in none. */
static bool has_number_twice(const struct snapshot *snapshot)
{
	const struct rows *rows = &snapshot->threads;

	for (size_t i = 0; i < rows->n; i++)
		for (size_t k = 0; k < i; k++)
			if (rows->items[i].tid == rows->items[k].tid)
				return true;
	return false;
}

/* task + others + idle of all CPUs + unattributed = machine. */
static void check_exposition(const struct snapshot *snapshot, struct met *met)
{
	struct metrics_export *export = metrics_export_new(10000);
	struct series series[FIELDS_MAX] = {{.known = false}};
	size_t size;

	metrics_export_add(export, snapshot);
	char *text = metrics_export_text(export, METRICS_EXPORT_OPENMETRICS, &size), *rest = text;
	for (char *line; (line = strtok_r(rest, "\n", &rest));)
		if (line[0] != '#')
			add_series(series, FIELDS_MAX, line, strtod(strrchr(line, ' '), NULL));
	for (size_t i = 0; i < FIELDS_MAX; i++) {
		if (series[i].known && fabs(series[i].parts - series[i].machine) > 1e-6)
			fail_msg("%s: %f of %f", series[i].word, series[i].parts,
				 series[i].machine);
		met->machines += series[i].known;
	}
	free(text);
	metrics_export_free(export);
}

static void check_snapshot(const struct snapshot *snapshot, struct met *met)
{
	static const struct view_spec specs[] = {
		{.by = ROLLUP_PROCESS},
		{.by = ROLLUP_THREAD},
		{.by = ROLLUP_THREAD, .top = 2},
		{.by = ROLLUP_TREE},
		{.by = ROLLUP_TREE, .top = 1},
		{.by = ROLLUP_USER},
		{.by = ROLLUP_CGROUP},
		{.by = ROLLUP_COMMAND},
		{.by = ROLLUP_PROCESS, .filter = {.text = "worker"}},
	};

	for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
		struct csv *csv = csv_new();
		char *text = NULL;
		size_t size = 0;
		FILE *out = open_memstream(&text, &size);
		struct view view;

		view_init(snapshot, &specs[i], &view);
		out_csv(csv, &view, out);
		view_fini(&view);
		fclose(out);
		csv_free(csv);
		check_csv(text, event_set_shown(&snapshot->columns->events), met);
		free(text);
	}
	if (!has_number_twice(snapshot))
		check_exposition(snapshot, met);
}

/* More than any of these machines counts at once. */
static const struct engine_column many_events = {
	ENGINE_EVENTS, "branches,cache-references,cache-misses,LLC-loads,LLC-load-misses,"
		       "dTLB-loads,dTLB-load-misses,iTLB-load-misses,ref-cycles"};

static const struct scene scenes[] = {
	{.name = "all counters fit", .slots = 6, .lives = true},
	{.name = "in turns", .slots = 2, .lives = true},
	{.name = "a storm in turns", .slots = 2, .storm = true},
	{.name = "a target in turns", .slots = 2, .config = {.target.user = "ana"}},
	{.name = "two kinds of CPUs, in turns",
	 .hybrid = true,
	 .config = {.columns = &many_events, .n_columns = 1}},
};

static void test_scene(void **state)
{
	const struct scene *scene = *state;
	struct met live = {0}, replayed = {0};
	struct seen seen = {0};

	record(scene, path_of("sums"), &seen, scene->hybrid ? 2 : 4);
	for (size_t i = 0; i < seen.n; i++)
		check_snapshot(seen.items[i], &live);
	struct replay *replay = must_open(path_of("sums"), NULL);
	for (size_t i = 0; i < seen.n; i++) {
		struct snapshot *snapshot = must_show(replay);

		check_snapshot(snapshot, &replayed);
		snapshot_free(snapshot);
	}
	replay_free(replay);
	seen_fini(&seen);
	assert_memory_equal(&live, &replayed, sizeof(live));
	print_message("# %u sums, %u scaled, %u uncounted, %u estimates, %u lost\n", live.sums,
		      live.scaled, live.uncounted, live.estimates, live.lost);
	assert_true(live.sums > 0 && (live.machines > 0 || scene->storm));
	bool in_turns = scene->slots != 6;
	assert_int_equal(live.scaled > 0, in_turns);
	assert_int_equal(live.lost > 0, scene->lives);
	/* The target's tasks run for longer than a turn, others do not. */
	assert_int_equal(live.estimates > 0, in_turns && !scene->config.target.user);
}

static uint64_t all_cycles(struct fk *fk)
{
	uint64_t sum = 0;

	for (int cpu = 0; cpu < 3; cpu++)
		sum += fk_truth_cpu(fk, cpu, FK_CYCLES);
	return sum;
}

/* What was not counted is in the totals, too: of tasks that live for less than a turn an eighth. */
static void totals_are_true(void **state)
{
	const struct fk_config machine = {.cpus = 3, .slots = 2};

	(void)state;
	for (int storm = 0; storm <= 1; storm++) {
		struct fk *fk = storm ? storm_new(&machine) : workers_new(&machine);
		struct sys sys = fk_sys(fk);
		struct engine *engine = open_engine(&sys);
		double total = 0, rows = 0;

		snapshot_free(next_snapshot(engine, fk, INTERVAL_NS));
		uint64_t before = all_cycles(fk);
		for (int i = 0; i < 8; i++) {
			struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
			size_t cycles = event_index(snapshot, "cycles");
			struct view view;
			struct out_sums got;

			view_init(snapshot, &(struct view_spec){.by = ROLLUP_PROCESS}, &view);
			out_sums_init(&view, &got);
			total += (double)got.totals[cycles].count;
			rows += (double)(got.totals[cycles].count - got.unattributed[cycles].count);
			out_sums_fini(&got);
			view_fini(&view);
			snapshot_free(snapshot);
		}
		double truth = (double)(all_cycles(fk) - before);
		print_message("# of the truth %.4f, by rows that are known %.4f\n", total / truth,
			      rows / truth);
		assert_true(total > 0.99 * truth && total < 1.01 * truth);
		assert_true(!storm || rows < 0.9 * truth);
		close_all(engine, fk);
	}
}

int main(void)
{
	static const struct CMUnitTest others[] = {cmocka_unit_test(totals_are_true)};
	static const struct cases tables[] = {CASES(test_event_totals, sums),
					      CASES(test_scene, scenes)};

	if (recorded_scenes_setup(NULL) < 0)
		return 1;
	int failed = cases_run("sums of scaled counts", tables, ARRAY_SIZE(tables), others,
			       ARRAY_SIZE(others));
	recorded_scenes_teardown(NULL);
	return failed;
}
