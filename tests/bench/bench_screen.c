// SPDX-License-Identifier: MIT
/*
 * The CPU time of the screen's thread with 20,000 tasks on 64 CPUs: from a new snapshot until it is
 * drawn on a large screen, history included, and from a key until its effect is drawn. Medians.
 */
#include "core/base/util.h"
#include "tests/bench/measure.h"
#include "tests/unit/shared/screen_snapshot.h"
#include "tui/run/run.h"
#include "tui/screen/app.h"

#include <stdio.h>
#include <stdlib.h>

enum { TASKS = 20000, CPUS = 64, ROUNDS = 15, WIDTH = 200, HEIGHT = 50 };

static double now_ms(void)
{
	return (double)thread_cpu_ns() / 1e6;
}

/* Running tasks, per_process threads a process. The seed selects the busiest. */
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

struct scene {
	const char *name;
	enum rollup by;
	enum view_unit unit;
	const char *filter;
	bool baseline;
	unsigned per_s; /* refreshes */
};

static const struct scene scenes[] = {
	{"processes", ROLLUP_PROCESS, .per_s = 1},
	{"threads", ROLLUP_THREAD, .per_s = 1},
	{"tree", ROLLUP_TREE, .per_s = 1},
	{"users", ROLLUP_USER, .per_s = 1},
	{"processes, filtered", ROLLUP_PROCESS, .filter = "9", .per_s = 1},
	{"tree, filtered", ROLLUP_TREE, .filter = "9", .per_s = 1},
	{"processes, per 1000 instructions", ROLLUP_PROCESS, VIEW_UNIT_PER_KI, .per_s = 1},
	{"processes, against a baseline", ROLLUP_PROCESS, .baseline = true, .per_s = 1},
	{"threads, against a baseline", ROLLUP_THREAD, .baseline = true, .per_s = 1},
	{"tree, against a baseline", ROLLUP_TREE, .baseline = true, .per_s = 1},
	{"processes, ten times a second", ROLLUP_PROCESS, .per_s = 10},
};

struct costs {
	double refresh, down, end;
};

static double draw_ms(struct app *app, struct canvas *canvas, double begin)
{
	app_draw(app, canvas);
	return now_ms() - begin;
}

static void open_scene(struct app *app, const struct scene *scene, struct options *options)
{
	options_init(options);
	options->by = scene->by;
	options->unit = scene->unit;
	options->filter = scene->filter;
	app_init(app, options);
}

static struct costs bench_scene(const struct scene *scene, int per_process)
{
	double refresh[ROUNDS], down[ROUNDS], end[ROUNDS];
	struct options options;
	struct canvas canvas;
	struct app app;

	open_scene(&app, scene, &options);
	canvas_init(&canvas, false);
	canvas_resize(&canvas, WIDTH, HEIGHT);
	for (int i = 0; i < ROUNDS; i++) {
		struct snapshot *snapshot = make_snapshot(per_process, (unsigned)i);

		snapshot->interval_ns = NS_PER_S / scene->per_s;
		snapshot->time_ns = (unsigned)i * snapshot->interval_ns;
		double begin = now_ms();
		app_snapshot(&app, snapshot);
		refresh[i] = draw_ms(&app, &canvas, begin);
		begin = now_ms();
		app_key(&app, KEYMAP_DOWN);
		down[i] = draw_ms(&app, &canvas, begin);
		begin = now_ms();
		app_key(&app, KEYMAP_END);
		end[i] = draw_ms(&app, &canvas, begin);
		app_key(&app, KEYMAP_HOME);
		if (i == 0 && scene->baseline)
			app_act(&app, ACTION_BASELINE);
	}
	canvas_fini(&canvas);
	app_fini(&app);
	options_fini(&options);
	return (struct costs){median(refresh, ROUNDS), median(down, ROUNDS), median(end, ROUNDS)};
}

static void print_scene(const struct scene *scene, int per_process)
{
	const struct costs costs = bench_scene(scene, per_process);
	const struct {
		const char *name;
		double ms;
	} parts[] = {{"refresh", costs.refresh}, {"Down", costs.down}, {"End", costs.end}};

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		char name[128];

		snprintf(name, sizeof(name), "%s, %d a process: %s", scene->name, per_process,
			 parts[i].name);
		print_figure(name, parts[i].ms, "ms");
	}
}

int main(void)
{
	static const int per_process[] = {1, 4};

	run_prepare();
	for (size_t i = 0; i < ARRAY_SIZE(per_process); i++)
		for (size_t k = 0; k < ARRAY_SIZE(scenes); k++)
			print_scene(&scenes[k], per_process[i]);
	return 0;
}
