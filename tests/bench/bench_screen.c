// SPDX-License-Identifier: MIT
/*
 * What the screen's thread spends with 20,000 tasks on 64 CPUs: making the rows of a view, drawing
 * a new snapshot, and drawing after a key. Medians, of this process's own CPU time.
 */
#include "core/util.h"
#include "core/view.h"
#include "tests/unit/screen_snapshot.h"
#include "tui/app.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TASKS = 20000, CPUS = 64, ROUNDS = 41, WIDTH = 200, HEIGHT = 50 };

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static int compare_times(const void *a, const void *b)
{
	double time_a = *(const double *)a, time_b = *(const double *)b;

	return (time_a > time_b) - (time_a < time_b);
}

static double median(double times[ROUNDS])
{
	qsort(times, ROUNDS, sizeof(times[0]), compare_times);
	return times[ROUNDS / 2];
}

/* All that run, so many threads a process; each time other ones are the busiest. */
static struct snapshot *make_snapshot(int per_process, unsigned seed)
{
	struct sample_row *rows = xcalloc(TASKS, sizeof(*rows));
	struct snapshot *snapshot;

	for (int i = 0; i < TASKS; i++) {
		pid_t pid = 1 + i / per_process;
		uint64_t ns = ((unsigned)i * 2654435761u ^ seed) % NS_PER_S;
		char comm[16];

		snprintf(comm, sizeof(comm), "task-%d", i);
		rows[i] = screen_row(pid, "user", comm, ns, 1.5, ns % 1000);
		rows[i].row.tid = i % per_process ? TASKS + i : pid;
		rows[i].row.ppid = pid / 3;
		rows[i].row.uid = (uid_t)(pid % 50);
		rows[i].row.start_ns = 1;
	}
	snapshot = screen_snapshot_new("overview", "armv8_pmuv3", rows, TASKS, CPUS);
	free(rows);
	return snapshot;
}

static void bench_views(int per_process)
{
	struct snapshot *snapshot = make_snapshot(per_process, 0);

	for (size_t by = 0; !rollup_is_of_cpus((enum rollup)by); by++) {
		double times[ROUNDS];
		size_t n = 0;

		for (int i = 0; i < ROUNDS; i++) {
			struct view view;
			double begin = now_ms();

			view_init(snapshot, &(struct view_spec){.by = (enum rollup)by}, &view);
			times[i] = now_ms() - begin;
			n = view.n;
			view_fini(&view);
		}
		printf("  view by %-8s %6zu lines: %6.2f ms\n", rollup_name(by), n, median(times));
	}
	snapshot_free(snapshot);
}

static void bench_app(int per_process, enum rollup by)
{
	struct options options;
	double drawing[ROUNDS], key[ROUNDS], end[ROUNDS];
	struct canvas canvas;
	struct app app;

	options_init(&options);
	options.by = by;
	app_init(&app, &options);
	canvas_init(&canvas, false);
	canvas_resize(&canvas, WIDTH, HEIGHT);
	for (int i = 0; i < ROUNDS; i++) {
		struct snapshot *snapshot = make_snapshot(per_process, (unsigned)i);

		double begin = now_ms();
		app_snapshot(&app, snapshot);
		app_draw(&app, &canvas);
		drawing[i] = now_ms() - begin;

		begin = now_ms();
		app_key(&app, KEYMAP_DOWN);
		app_draw(&app, &canvas);
		key[i] = now_ms() - begin;

		begin = now_ms();
		app_key(&app, KEYMAP_END);
		app_draw(&app, &canvas);
		end[i] = now_ms() - begin;
		app_key(&app, KEYMAP_HOME);
	}
	printf("  by %-8s a new snapshot: %6.2f ms, Down: %5.2f ms, End: %5.2f ms\n",
	       rollup_name(by), median(drawing), median(key), median(end));
	canvas_fini(&canvas);
	app_fini(&app);
	options_fini(&options);
}

int main(void)
{
	static const int per_process[] = {1, 4};

	for (size_t i = 0; i < ARRAY_SIZE(per_process); i++) {
		printf("%d tasks, %d of each process, %d CPUs, %dx%d:\n", TASKS, per_process[i],
		       CPUS, WIDTH, HEIGHT);
		bench_views(per_process[i]);
		bench_app(per_process[i], ROLLUP_PROCESS);
		bench_app(per_process[i], ROLLUP_THREAD);
		bench_app(per_process[i], ROLLUP_TREE);
	}
	return 0;
}
