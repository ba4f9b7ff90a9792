// SPDX-License-Identifier: MIT
/*
 * A day of a large machine (long_day.h) in all parts of pmctop: the engine, the history, the
 *metrics export, the formats, and the screen with random keys. Each snapshot must conserve. Memory,
 * descriptors and mappings must not grow after the first periods. Without arguments it runs a few
 * short periods of a small machine. With arguments it runs for that long and prints its progress:
 *
 *	test_tui_long_day HOURS [CPUS=256 [PERIOD_SECONDS=3600]]
 */
#include "core/output/batch_format.h"
#include "core/output/metrics_export.h"
#include "tests/soak/long_day.h"
#include "tests/unit/shared/allocated.h"
#include "tests/unit/shared/engine_run.h"
#include "tests/unit/shared/send_request.h"
#include "tests/unit/shared/stage.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

struct soak {
	struct long_day_config config;
	unsigned refreshes;
	size_t spare_bytes; /* allowed difference of the allocated bytes */
	bool prints;
};

/* The resources at one moment. */
struct level {
	size_t bytes; /* allocated, without the fake kernel's */
	size_t rss_bytes;
	unsigned events, rings, fds; /* of the fake kernel; of this process */
};

struct run {
	const struct soak *soak;
	struct long_day *day;
	struct fk *fk;
	uint64_t start_ns;
	struct sys sys;
	struct engine *engine;
	struct metrics_export *export;
	struct stage stage;
	unsigned lot;
	struct level *levels; /* at the end of each period */
	size_t n_levels;
	size_t most_rows;
	uint64_t rows, lost;
	unsigned long texts, keys, screens;
};

static size_t rss_bytes(void)
{
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	if (!file || fscanf(file, "%*u %lu", &pages) != 1)
		pages = 0;
	if (file)
		fclose(file);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static unsigned open_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned n = 0;

	for (; dir && readdir(dir); n++)
		;
	if (dir)
		closedir(dir);
	return n;
}

static struct level measure(const struct run *run)
{
	size_t bytes = allocated_bytes(), own_bytes = fk_bytes(run->fk);

	return (struct level){
		.bytes = bytes > own_bytes ? bytes - own_bytes : 0,
		.rss_bytes = rss_bytes(),
		.events = fk_open_fds(run->fk),
		.rings = fk_mapped(run->fk),
		.fds = open_fds(),
	};
}

/* No keys that quit or change the counted columns. */
static const int keys[] = {
	'<',          '>',         'R',           'H',          't',       'g',         'c',
	'?',          '/',         'n',           'F',          'm',       'B',         'z',
	'L',          'j',         ' ',           'C',          'Z',       '\t',        '\\',
	'u',          'T',         KEYMAP_ESCAPE, KEYMAP_ENTER, KEYMAP_UP, KEYMAP_DOWN, KEYMAP_LEFT,
	KEYMAP_RIGHT, KEYMAP_HOME, KEYMAP_END,
};

static void press_keys(struct run *run)
{
	static const unsigned sizes[][2] = {{80, 24}, {120, 40}, {200, 50}, {40, 12}};

	for (unsigned i = 0; i < 3; i++) {
		run->lot = run->lot * 1664525u + 1013904223u;
		app_key(&run->stage.app, keys[(run->lot >> 16) % ARRAY_SIZE(keys)]);
		run->keys++;
	}
	run->lot = run->lot * 1664525u + 1013904223u;
	unsigned size = (run->lot >> 16) % ARRAY_SIZE(sizes);
	canvas_resize(&run->stage.canvas, sizes[size][0], sizes[size][1]);
	app_draw(&run->stage.app, &run->stage.canvas);
	run->screens++;
	engine_request(run->engine, &run->stage.app.out.list);
}

/* All changes are undone by the end of a period. */
static void change_columns(struct run *run, unsigned second)
{
	static const struct {
		unsigned percent; /* of the period */
		struct request command;
	} rows[] = {
		{10, {REQUEST_ADD_METRIC, "soak=branch-misses/branches", 0}},
		{14, {REQUEST_ADD_EVENTS, "page-faults,cache-references:u", 0}},
		{30, {REQUEST_REMOVE, "soak", 0}},
		{34, {REQUEST_REMOVE, "page-faults", 0}},
		{38, {REQUEST_REMOVE, "cache-references:u", 0}},
		{48, {REQUEST_IDLE, NULL, 1}},
		{60, {REQUEST_PRESET, "software", 0}},
		{70, {REQUEST_PRESET, "overview", 0}},
		{55, {REQUEST_IDLE, NULL, 0}},
	};
	unsigned period_s = run->soak->config.period_s;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (second % period_s == rows[i].percent * period_s / 100)
			send_request(run->engine, &rows[i].command);
}

static void print_formats(struct run *run, const struct snapshot *snapshot, unsigned second)
{
	const struct batch_format *format = &batch_formats[second % batch_formats_n];
	FILE *out = fopen("/dev/null", "we");
	struct view view;
	size_t size;

	assert_non_null(out);
	free(metrics_export_text(run->export, METRICS_EXPORT_OPENMETRICS, &size));
	if (!format->replace && !format->begin) {
		view_init(snapshot, &(struct view_spec){.by = ROLLUP_PROCESS, .top = 50}, &view);
		format->write(NULL, &view, out);
		view_fini(&view);
	}
	fclose(out);
	run->texts++;
}

static void refresh(struct run *run, unsigned second)
{
	change_columns(run, second);
	/* Ends at fixed times, so that all periods are equal. */
	uint64_t until_ns = run->start_ns + second * NS_PER_S;
	struct snapshot *snapshot = next_snapshot(run->engine, run->fk, until_ns - fk_now(run->fk));

	run->rows += snapshot->threads.n;
	run->most_rows =
		snapshot->threads.n > run->most_rows ? snapshot->threads.n : run->most_rows;
	run->lost += snapshot->lost_records;
	metrics_export_add(run->export, snapshot);
	if (second % 15 == 14)
		print_formats(run, snapshot, second / 15);
	app_snapshot(&run->stage.app, snapshot);
	if (second % 7 == 0)
		press_keys(run);
	fk_bury(run->fk);
}

static double in_mib(size_t bytes)
{
	return (double)bytes / (1 << 20);
}

static void print_level(const struct run *run, unsigned second)
{
	const struct level *level = &run->levels[run->n_levels - 1];
	struct long_day_counts counts = long_day_counts(run->day);

	if (!run->soak->prints)
		return;
	printf("# %5.2f h: %7.2f MiB kept, RSS %.1f MiB, %u events, %u rings, %u descriptors; "
	       "%u tasks live of %lu born\n",
	       second / 3600.0, in_mib(level->bytes), in_mib(level->rss_bytes), level->events,
	       level->rings, level->fds, counts.living, counts.forks);
	fflush(stdout);
}

static void run_open(struct run *run, const struct soak *soak)
{
	static const struct engine_config config = {.command_lines = true};

	*run = (struct run){.soak = soak, .lot = 1};
	run->day = long_day_new(&soak->config);
	run->fk = long_day_kernel(run->day);
	run->sys = fk_sys(run->fk);
	run->start_ns = fk_now(run->fk);
	run->engine = open_engine_with(&run->sys, &config);
	run->export = metrics_export_new(METRICS_EXPORT_TOP);
	run->levels = xcalloc(soak->refreshes / soak->config.period_s + 1, sizeof(*run->levels));
	stage_open(&run->stage, 120, 40, false, NULL);
}

static void run_close(struct run *run)
{
	stage_close(&run->stage);
	metrics_export_free(run->export);
	engine_free(run->engine);
	assert_int_equal(fk_open_fds(run->fk), 0);
	assert_int_equal(fk_mapped(run->fk), 0);
	long_day_free(run->day);
	free(run->levels);
}

/* The growth of the allocated bytes, per period (least squares). */
static double growth_per_period(const struct level *levels, size_t n)
{
	double sum_xy = 0, sum_xx = 0, mean = 0;

	for (size_t i = 0; i < n; i++)
		mean += (double)levels[i].bytes / (double)n;
	for (size_t i = 0; i < n; i++) {
		double x = (double)i - (double)(n - 1) / 2;

		sum_xy += x * ((double)levels[i].bytes - mean);
		sum_xx += x * x;
	}
	return sum_xx > 0 ? sum_xy / sum_xx : 0;
}

/* The first half of the periods is a warm-up. */
static void check_flat(const struct run *run)
{
	size_t half = run->n_levels / 2;
	const struct level *warm = &run->levels[half], *end = &run->levels[run->n_levels - 1];
	size_t most = 0;

	for (size_t i = half; i < run->n_levels; i++)
		most = run->levels[i].bytes > most ? run->levels[i].bytes : most;
	if (run->soak->prints)
		printf("# after the first half: %+.1f KiB, %.2f KiB a period; at most %.2f MiB\n",
		       ((double)end->bytes - (double)warm->bytes) / 1024,
		       growth_per_period(warm, run->n_levels - half) / 1024, in_mib(most));
	if (most > warm->bytes + run->soak->spare_bytes)
		fail_msg("%zu bytes are kept, and were %zu", most, warm->bytes);
	assert_int_equal(end->events, warm->events);
	assert_int_equal(end->rings, warm->rings);
	assert_int_equal(end->fds, warm->fds);
}

static void run_soak(const struct soak *soak)
{
	struct run run;

	run_open(&run, soak);
	for (unsigned second = 1; second <= soak->refreshes; second++) {
		refresh(&run, second);
		if (second % soak->config.period_s > 0)
			continue;
		run.levels[run.n_levels++] = measure(&run);
		print_level(&run, second);
	}
	check_flat(&run);
	struct long_day_counts counts = long_day_counts(run.day);
	if (soak->prints)
		printf("# %u refreshes conserve; %llu rows, %zu at most; %lu tasks born, %lu died, "
		       "%lu renamed; %lu containers, %lu CPUs off, %lu profilers, %lu losses of "
		       "%llu "
		       "records; %lu screens, %lu keys, %lu texts\n",
		       soak->refreshes, (unsigned long long)run.rows, run.most_rows, counts.forks,
		       counts.deaths, counts.renames, counts.containers, counts.offlines,
		       counts.holds, counts.losses, (unsigned long long)run.lost, run.screens,
		       run.keys, run.texts);
	assert_true(run.lost > 0);
	assert_true(counts.deaths > counts.forks / 2);
	run_close(&run);
}

static void a_short_day(void **state)
{
	static const struct soak soak = {
		.config = {.cpus = 12,
			   .period_s = 100,
			   .names = 300,
			   .storm = 1000,
			   .crowd = 500,
			   .gap_us = 100000},
		.refreshes = 1400,
		.spare_bytes = ALLOCATED_SLACK_BYTES,
	};

	(void)state;
	run_soak(&soak);
}

static struct soak long_soak; /* from the arguments; cmocka's tests have none */

static void a_day(void **state)
{
	(void)state;
	run_soak(&long_soak);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_short_day)};
	const struct CMUnitTest days[] = {cmocka_unit_test(a_day)};

	if (argc < 2)
		return cmocka_run_group_tests(tests, stage_set_zone, NULL);
	long_soak = (struct soak){
		.config = {.cpus = argc > 2 ? (unsigned)atoi(argv[2]) : 256,
			   .period_s = argc > 3 ? (unsigned)atoi(argv[3]) : 3600,
			   .names = 10000,
			   .storm = 4000,
			   .crowd = 5000,
			   .gap_us = 4000000},
		.refreshes = (unsigned)(atof(argv[1]) * 3600),
		.spare_bytes = 2 << 20,
		.prints = true,
	};
	return cmocka_run_group_tests(days, stage_set_zone, NULL);
}
