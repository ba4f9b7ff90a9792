// SPDX-License-Identifier: MIT
/*
 * The metrics export: both dialects as in tests/golden. Over a run with many short tasks, counters
 * only grow, and add up.
 */
#include "core/output/metrics_export.h"

#include "core/output/export_counters.h"
#include "tests/unit/shared/day.h"
#include "tests/unit/shared/golden.h"
#include "tests/unit/shared/sample.h"

#include <math.h>
#include <pthread.h>

struct series {
	char *name; /* with labels */
	double value;
};

struct parsed {
	char *text;
	struct series *items;
	size_t n, capacity;
};

static int compare_series(const void *a, const void *b)
{
	return strcmp(((const struct series *)a)->name, ((const struct series *)b)->name);
}

/* Sorted by their names. Each name is there once. */
static void parse_export(struct metrics_export *export, struct parsed *parsed)
{
	size_t size;

	*parsed = (struct parsed){
		.text = metrics_export_text(export, METRICS_EXPORT_OPENMETRICS, &size)};
	assert_int_equal(strlen(parsed->text), size);
	for (char *line = parsed->text, *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		assert_non_null(end);
		*end = '\0';
		if (line[0] == '#')
			continue;
		char *blank = strrchr(line, ' ');
		assert_non_null(blank);
		*blank = '\0';
		parsed->items = array_reserve(parsed->items, &parsed->capacity, parsed->n + 1,
					      sizeof(*parsed->items));
		parsed->items[parsed->n++] = (struct series){line, strtod(blank + 1, NULL)};
	}
	qsort(parsed->items, parsed->n, sizeof(*parsed->items), compare_series);
	for (size_t i = 1; i < parsed->n; i++)
		assert_string_not_equal(parsed->items[i - 1].name, parsed->items[i].name);
}

static void parsed_free(struct parsed *parsed)
{
	free(parsed->items);
	free(parsed->text);
}

/* -1 where it is absent. */
static double value_of(const struct parsed *parsed, const char *name)
{
	struct series key = {.name = (char *)(uintptr_t)name};
	const struct series *found =
		parsed->n ? bsearch(&key, parsed->items, parsed->n, sizeof(key), compare_series)
			  : NULL;

	return found ? found->value : -1;
}

/* All series with a name that begins so. */
static double sum_of(const struct parsed *parsed, const char *start)
{
	double sum = 0;

	for (size_t i = 0; i < parsed->n; i++)
		if (strncmp(parsed->items[i].name, start, strlen(start)) == 0)
			sum += parsed->items[i].value;
	return sum;
}

static struct snapshot *make_snapshot(struct sample_row *rows, size_t n, uint64_t second)
{
	struct snapshot *snapshot = sample_snapshot(sample_columns("overview"), rows, n);

	snapshot->sequence = second;
	snapshot->time_ns = second * NS_PER_S;
	SAMPLE_CGROUPS(snapshot, "/a.slice/\"b\"\\c\n.service", "/");
	return snapshot;
}

static void export_second(struct metrics_export *export, struct sample_row *rows, size_t n,
			  uint64_t second)
{
	struct snapshot *snapshot = make_snapshot(rows, n, second);

	metrics_export_add(export, snapshot);
	snapshot_free(snapshot);
}

static char *text_of(struct metrics_export *export, enum metrics_export_dialect dialect)
{
	size_t size;

	return metrics_export_text(export, dialect, &size);
}

static void is_as_golden(void **state)
{
	static const struct {
		const char *path;
		enum metrics_export_dialect dialect;
	} rows[] = {
		{"tests/golden/metrics_export_openmetrics.txt", METRICS_EXPORT_OPENMETRICS},
		{"tests/golden/metrics_export_prometheus.txt", METRICS_EXPORT_PROMETHEUS},
	};
	struct sample_row tasks[] = {
		SAMPLE_TASK(7, 7, 1, 1000, 0, "a\"b\\c\n\xff", 500 * NS_PER_MS),
		SAMPLE_TASK(8, 8, 1, 1001, 1, "\033[2Jx", 100 * NS_PER_MS),
		SAMPLE_TASK(8, 9, 1, 1001, 1, "thread", 50 * NS_PER_MS),
		SAMPLE_TASK(10, 10, 1, 1001, -1, "", 1),
	};

	(void)state;
	tasks[0].counts[SAMPLE_CYCLES] = 1000000007;
	tasks[0].counts[SAMPLE_CACHE_MISSES] = 250;
	tasks[0].shared = true;
	tasks[0].group_1_ns = 250 * NS_PER_MS;
	tasks[2].counts[SAMPLE_INSTRUCTIONS] = 77;
	struct metrics_export *export = metrics_export_new(2);
	for (uint64_t second = 1; second <= 3; second++) {
		struct snapshot *snapshot = make_snapshot(tasks, ARRAY_SIZE(tasks), second);

		snapshot->lost_records = 5;
		sample_machine(snapshot);
		/* A counter keeps its sum, a gauge is absent. */
		if (second == 2)
			machine_set(&snapshot->machine, MACHINE_FORKS, -1);
		if (second == 3)
			machine_set(&snapshot->machine, MACHINE_LOAD_5M, -1);
		snapshot->columns->events.items[SAMPLE_BRANCH_MISSES].state = FIGURE_UNSUPPORTED;
		if (second == 3)
			sample_silence_of(snapshot, 1);
		metrics_export_add(export, snapshot);
		snapshot_free(snapshot);
	}
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *text = text_of(export, rows[i].dialect);

		golden_check(rows[i].path, text);
		free(text);
	}
	metrics_export_free(export);
}

/* Counters of a recording are marked as such. */
static void says_that_it_is_a_replay(void **state)
{
	struct snapshot *snapshot = make_snapshot(NULL, 0, 1);
	struct metrics_export *export = metrics_export_new(2);

	(void)state;
	metrics_export_add(export, snapshot);
	char *live = text_of(export, METRICS_EXPORT_OPENMETRICS);
	assert_null(strstr(live, "replay"));
	text_copy(snapshot->host, sizeof(snapshot->host), "h");
	text_copy(snapshot->replay, sizeof(snapshot->replay), "a\"b.data");
	snapshot->time_ns += NS_PER_S;
	metrics_export_add(export, snapshot);
	char *replayed = text_of(export, METRICS_EXPORT_OPENMETRICS);
	assert_non_null(strstr(replayed, ",host=\"h\",replay=\"a\\\"b.data\","));
	free(live);
	free(replayed);
	snapshot_free(snapshot);
	metrics_export_free(export);
}

/* What is shown once more, or of before, was counted then. */
static void counts_a_replay_once(void **state)
{
	static const uint64_t seconds[] = {1, 2, 2, 1, 3, 2, 3};
	struct metrics_export *export = metrics_export_new(2);
	struct parsed parsed;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(seconds); i++) {
		struct snapshot *snapshot = make_snapshot(NULL, 0, seconds[i]);
		text_copy(snapshot->replay, sizeof(snapshot->replay), "a.data");
		metrics_export_add(export, snapshot);
		snapshot_free(snapshot);
	}
	parse_export(export, &parsed);
	assert_true(value_of(&parsed, "pmctop_snapshots_total") == 3);
	parsed_free(&parsed);
	metrics_export_free(export);
}

static void before_the_first_snapshot(void **state)
{
	struct metrics_export *export = metrics_export_new(50);
	struct parsed parsed;

	(void)state;
	assert_false(metrics_export_is_of_intervals(export));
	parse_export(export, &parsed);
	assert_int_equal(parsed.n, 1); /* build_info */
	parsed_free(&parsed);
	metrics_export_free(export);
}

#define CLOCK "pmctop_task_task_clock_seconds_total"
#define A     CLOCK "{pid=\"1\",comm=\"a\",user=\"1\",cgroup=\"/\"}"
#define B     CLOCK "{pid=\"2\",comm=\"b\",user=\"1\",cgroup=\"/\"}"

static void nothing_is_lost_below_the_top(void **state)
{
	static const struct {
		const char *name;
		uint64_t second;
		unsigned a_ms, b_ms; /* that they ran in it */
		bool a_ends;
		double a, b, not_shown; /* exported values; -1: none */
	} rows[] = {
		{"a is first", 1, 900, 100, false, .9, -1, 1},
		{"b has not caught up", 2, 100, 500, false, 1, -1, 1},
		{"b is first", 3, 100, 900, false, -1, 1.5, 1},
		{"b goes on", 4, 0, 500, false, -1, 2, 1},
		{"a has lost nothing", 5, 999, 0, false, 2.099, -1, 1},
		{"a ends", 6, 900, 0, true, 2.999, -1, 1},
		{"a is exported once more", 60, 0, 0, false, 2.999, -1, 1},
		{"and no more", 67, 0, 1, false, -1, 2.001, 0},
		{"another a", 68, 2500, 0, false, 2.5, -1, 1},
		{"b is silent", 68 + 901, 1, 0, false, 2.501, -1, 0},
		{"b has lost nothing", 68 + 902, 0, 999, false, -1, 3, 1},
	};
	struct metrics_export *export = metrics_export_new(1);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sample_row tasks[] = {
			SAMPLE_TASK(1, 1, 1, 1, 1, "a", rows[i].a_ms * NS_PER_MS),
			SAMPLE_TASK(2, 2, 1, 1, 1, "b", rows[i].b_ms * NS_PER_MS),
		};
		struct parsed parsed;

		tasks[0].row.flags = rows[i].a_ends ? ROW_EXITED : 0;
		export_second(export, tasks, ARRAY_SIZE(tasks), rows[i].second);
		parse_export(export, &parsed);
		if (fabs(value_of(&parsed, A) - rows[i].a) > 1e-9 ||
		    fabs(value_of(&parsed, B) - rows[i].b) > 1e-9 ||
		    fabs(value_of(&parsed, "pmctop_tasks_not_shown") - rows[i].not_shown) > 1e-9)
			fail_msg("%s: %f %f %f", rows[i].name, value_of(&parsed, A),
				 value_of(&parsed, B), value_of(&parsed, "pmctop_tasks_not_shown"));
		parsed_free(&parsed);
	}
	metrics_export_free(export);
}

/* A reused pid: (facts before, facts now) -> whether the sums continue. */
static void a_number_used_again_begins_anew(void **state)
{
	static const struct {
		const char *name;
		uint64_t start_before, start_now;
		bool ended, another;
	} rows[] = {
		{"the same", 5, 5, false, false},
		{"another start", 5, 9, false, true},
		{"the main thread slept", 5, 0, false, false},
		{"its start is known now", 0, 5, false, false},
		{"was there before us, and ended", 0, 5, true, true},
		{"a late record of it", 5, 0, true, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sample_row task = SAMPLE_TASK(1, 1, 1, 1, 1, "a", NS_PER_MS);
		struct metrics_export *export = metrics_export_new(1);
		struct parsed parsed;

		task.row.start_ns = rows[i].start_before;
		task.row.flags = rows[i].ended ? ROW_EXITED : 0;
		export_second(export, &task, 1, 1);
		task.row.start_ns = rows[i].start_now;
		task.row.flags = 0;
		export_second(export, &task, 1, 2);
		parse_export(export, &parsed);
		if ((value_of(&parsed, A) < .0015) != rows[i].another)
			fail_msg("%s: %f", rows[i].name, value_of(&parsed, A));
		parsed_free(&parsed);
		metrics_export_free(export);
	}
}

static void names_are_metrics(void **state)
{
	static const struct {
		const char *event, *unit;
		double scale;
		const char *want; /* of a count of 3000 of the machine */
		double value;
	} rows[] = {
		{"faults", "", 1, "faults_total", 3000},
		{"faults:u", "", 1, "faults_u_total", 3000},
		{"faults_u", "", 1, "event_total{event=\"faults_u\"}", 3000},
		{"Faults:U", "", 1, "event_total{event=\"Faults:U\"}", 3000},
		{"cpu/event=0x3c,umask=1/", "", 1, "cpu_event_0x3c_umask_1_total", 3000},
		{"L1-dcache-loads", "", 1, "l1_dcache_loads_total", 3000},
		{"sched:sched_switch", "", 1, "sched_sched_switch_total", 3000},
		{"wait-clock", "ns", 1, "wait_clock_seconds_total", 3e-6},
		{"wait_seconds", "ns", 1, "wait_seconds_total", 3e-6},
		{"power/energy-pkg/", "Joules", .5, "power_energy_pkg_joules_total", 1500},
		{"imc/reads/", "MiB", .25, "imc_reads_bytes_total", 750. * 1048576},
		{"event", "", 1, "event_total{event=\"event\"}", 3000},
		{"\"\\\n\xff", "", 1, "event_total{event=\"\\\"\\\\\xEF\xBF\xBD\xEF\xBF\xBD\"}",
		 3000},
	};
	struct columns *columns = sample_columns("software");
	struct sample_row task = SAMPLE_TASK(1, 1, 1, 1, 1, "a", NS_PER_MS);
	struct metrics_export *export = metrics_export_new(1);

	(void)state;
	/* One event is each of them in turn. */
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct event *event = &columns->events.items[SAMPLE_PAGE_FAULTS];
		char name[100];
		struct parsed parsed;

		free(event->name);
		event->name = xstrdup(rows[i].event);
		text_copy(event->unit, sizeof(event->unit), rows[i].unit);
		event->scale = rows[i].scale;
		task.counts[SAMPLE_PAGE_FAULTS] = 3000;
		struct snapshot *snapshot = sample_snapshot(columns_ref(columns), &task, 1);
		metrics_export_add(export, snapshot);
		snapshot_free(snapshot);
		parse_export(export, &parsed);
		snprintf(name, sizeof(name), "pmctop_machine_%s", rows[i].want);
		if (fabs(value_of(&parsed, name) - rows[i].value) > 1e-9)
			fail_msg("%s: no %s", rows[i].event, name);
		/* Events that are not counted any more are absent. */
		assert_true((value_of(&parsed, "pmctop_machine_faults_total") < 0) == (i > 0));
		parsed_free(&parsed);
	}
	columns_unref(columns);
	metrics_export_free(export);
}

/* Processes that come and go are one series, which has all of them. */
static void a_command_has_its_processes(void **state)
{
	enum { SECONDS = 5, EACH = 3 };
	struct metrics_export *export = metrics_export_new(2);
	struct parsed parsed;

	(void)state;
	for (uint64_t second = 1; second <= SECONDS; second++) {
		struct sample_row tasks[EACH + 1] = {
			SAMPLE_TASK(1, 1, 0, 0, 0, "make", 10 * NS_PER_MS)};

		for (pid_t i = 1; i <= EACH; i++) {
			tasks[i] = (struct sample_row)SAMPLE_TASK(10 * (pid_t)second + i, 0, 1, 0,
								  0, "cc1", 20 * NS_PER_MS);
			tasks[i].row.tid = tasks[i].row.pid;
			tasks[i].row.flags = ROW_EXITED;
		}
		export_second(export, tasks, ARRAY_SIZE(tasks), second);
	}
	parse_export(export, &parsed);
	double cc1 = value_of(&parsed, "pmctop_command_task_clock_seconds_total{comm=\"cc1\"}");
	double make = value_of(&parsed, "pmctop_command_task_clock_seconds_total{comm=\"make\"}");
	assert_true(fabs(cc1 - SECONDS * EACH * 0.02) < 1e-9);
	assert_true(fabs(make - SECONDS * 0.01) < 1e-9);
	assert_true(value_of(&parsed, "pmctop_commands_not_shown") == 0);
	parsed_free(&parsed);
	metrics_export_free(export);
}

static bool is_counter(const char *name)
{
	const char *end = name + strcspn(name, "{");

	return end - name > 6 && strncmp(end - 6, "_total", 6) == 0;
}

static void check_growth(const struct parsed *before, const struct parsed *now)
{
	for (size_t i = 0; i < before->n; i++) {
		const struct series *old = &before->items[i];
		double value = value_of(now, old->name);

		if (is_counter(old->name) && value >= 0 && value < old->value)
			fail_msg("%s: %f after %f", old->name, value, old->value);
	}
}

static void check_sums(const struct parsed *parsed)
{
	static const char *const events[] = {"cycles", "instructions", "context_switches",
					     "page_faults", "task_clock_seconds"};
	static const char *const parts[] = {"user", "cgroup"};

	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		char name[100];

		snprintf(name, sizeof(name), "pmctop_machine_%s_total", events[i]);
		double all = value_of(parsed, name);
		assert_true(all >= 0);
		snprintf(name, sizeof(name), "pmctop_cpu_%s_total", events[i]);
		double cpus = sum_of(parsed, name);
		snprintf(name, sizeof(name), "pmctop_idle_%s_total", events[i]);
		double others = sum_of(parsed, name);
		snprintf(name, sizeof(name), "pmctop_unattributed_%s_total", events[i]);
		others += sum_of(parsed, name);
		if (fabs(cpus - all) > 1e-6)
			fail_msg("%s: %f on CPUs, %f of all", events[i], cpus, all);
		for (size_t k = 0; k < ARRAY_SIZE(parts); k++) {
			snprintf(name, sizeof(name), "pmctop_%s_%s_total", parts[k], events[i]);
			double sum = sum_of(parsed, name) + others;
			if (fabs(sum - all) > 1e-6)
				fail_msg("%s: %f by %s, %f of all", events[i], sum, parts[k], all);
		}
	}
}

static void counters_only_grow_and_add_up(void **state)
{
	enum { SNAPSHOTS = 100, TOP = 20 };
	static const struct engine_config config;
	struct metrics_export *export = metrics_export_new(TOP);
	struct parsed before = {0}, now;
	uint64_t records = 0;
	struct day day;

	(void)state;
	day_open(&day, 20 * NS_PER_MS, &config);
	for (unsigned i = 1; i <= SNAPSHOTS; i++) {
		struct snapshot *snapshot = next_snapshot(day.engine, day.fk, NS_PER_S);

		records += snapshot->lost_records;
		metrics_export_add(export, snapshot);
		snapshot_free(snapshot);
		parse_export(export, &now);
		assert_true(value_of(&now, "pmctop_snapshots_total") == i);
		assert_true(value_of(&now, "pmctop_lost_records_total") == (double)records);
		assert_true(value_of(&now, "pmctop_event_counted_ratio{event=\"cycles\"}") == 1);
		check_growth(&before, &now);
		check_sums(&now);
		unsigned tasks = 0;
		for (size_t k = 0; k < now.n; k++)
			tasks += strncmp(now.items[k].name, CLOCK, strlen(CLOCK)) == 0;
		assert_int_equal(tasks, TOP);
		parsed_free(&before);
		before = now;
	}
	assert_true(records > 0);
	assert_true(value_of(&before, "pmctop_tasks_not_shown") > DAY_CHILDREN / 2);
	parsed_free(&before);
	day_close(&day);
	metrics_export_free(export);
}

/* Texts are built while another thread adds. */
static void *build_texts(void *arg)
{
	for (unsigned i = 0; i < 200; i++) {
		size_t size;
		char *text = metrics_export_text(arg, METRICS_EXPORT_PROMETHEUS, &size);

		assert_true(strlen(text) == size);
		free(text);
	}
	return NULL;
}

static void any_thread_may_build_texts(void **state)
{
	struct sample_row task = SAMPLE_TASK(1, 1, 1, 1, 1, "a", NS_PER_MS);
	struct metrics_export *export = metrics_export_new(5);
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, build_texts, export), 0);
	for (uint64_t i = 1; i <= 100; i++) {
		task.row.pid = task.row.tid = (pid_t)i;
		export_second(export, &task, 1, i);
	}
	pthread_join(thread, NULL);
	metrics_export_free(export);
}

/* The first of all that a sort would put there, however many there are; of equals by their keys. */
static void the_heaviest_are_chosen(void **state)
{
	enum { MOST = 5000 };
	static const size_t tops[] = {0, 1, 2, 7, 50, MOST - 1, MOST, MOST + 1};
	struct export_counters counters;
	unsigned lot = 1;

	(void)state;
	export_counters_init(&counters, MOST);
	for (unsigned i = 0; i < MOST; i++) {
		char key[16];

		snprintf(key, sizeof(key), "%u", i);
		lot = lot * 1664525u + 1013904223u;
		export_counters_run(&counters, key, 0, "", 1, (lot >> 20) % 1000);
	}
	for (size_t k = 0; k < ARRAY_SIZE(tops); k++) {
		struct account **items, **all;
		size_t left_out,
			n = export_counters_choose(&counters, tops[k], 1, &items, &left_out);

		assert_int_equal(n, size_min(tops[k], MOST));
		assert_int_equal(n + left_out, MOST);
		assert_int_equal(export_counters_choose(&counters, MOST, 1, &all, &left_out), MOST);
		for (size_t i = 0; i < n; i++)
			assert_ptr_equal(items[i], all[i]);
		for (size_t i = 1; i < MOST; i++)
			assert_true(all[i - 1]->weight > all[i]->weight ||
				    (all[i - 1]->weight >= all[i]->weight &&
				     strcmp(all[i - 1]->key, all[i]->key) < 0));
		free(items);
		free(all);
	}
	export_counters_fini(&counters);
}

static void counters_are_bounded(void **state)
{
	enum { MOST = 64, COME = 1000 };
	struct export_counters counters;
	char key[16];

	(void)state;
	export_counters_init(&counters, MOST);
	for (unsigned i = 0; i < COME; i++) {
		snprintf(key, sizeof(key), "%u", i);
		export_counters_pass(&counters, i, 1);
		export_counters_sums_add(&export_counters_run(&counters, key, 0, key, i, 1)->sums,
					 3, 1);
		/* A running task keeps its account, however many others come. */
		export_counters_sums_add(&export_counters_run(&counters, "busy", 0, "", i, 1)->sums,
					 3, 1);
		assert_true(counters.table.n <= MOST + 2);
	}
	struct account *busy = export_counters_run(&counters, "busy", 0, "", COME, 0);
	assert_int_equal(busy->sums.counts[3], COME);
	assert_true(export_counters_sums_has(&busy->sums, 3));
	assert_false(export_counters_sums_has(&busy->sums, 2));
	assert_false(export_counters_sums_has(&busy->sums, 4));
	export_counters_fini(&counters);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_as_golden),
		cmocka_unit_test(says_that_it_is_a_replay),
		cmocka_unit_test(counts_a_replay_once),
		cmocka_unit_test(before_the_first_snapshot),
		cmocka_unit_test(nothing_is_lost_below_the_top),
		cmocka_unit_test(a_number_used_again_begins_anew),
		cmocka_unit_test(names_are_metrics),
		cmocka_unit_test(a_command_has_its_processes),
		cmocka_unit_test(counters_only_grow_and_add_up),
		cmocka_unit_test(any_thread_may_build_texts),
		cmocka_unit_test(the_heaviest_are_chosen),
		cmocka_unit_test(counters_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
