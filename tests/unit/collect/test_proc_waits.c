// SPDX-License-Identifier: MIT
/*
 * Why threads do not run, by /proc alone: an ordinary user (uid 1000) on the fake kernel, whose own
 * tasks have counters, and other tasks and modes that have none.
 */
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/engine_run.h"

#include <inttypes.h>

enum { ME = 1000, OTHER = 2000, RUNNER = 50, WAITER = 60 };

static const struct way {
	const char *name;
	int paranoid;
	uid_t uid; /* of the task that waits */
} ways[] = {
	{"own", 2, ME},
	{"another user's", 2, OTHER},
	{"no counters", 3, ME},
};

struct scene {
	struct fk *fk;
	struct sys sys;
	struct engine *engine;
};

/* Two CPUs; CPU 0 runs another task all the time. WAITER sleeps. */
static void begin_scene(struct scene *scene, const struct way *way)
{
	static const struct engine_column column = {
		.kind = ENGINE_EVENTS,
		.text = "runq_time,blocked_time,uninterruptible_time,preempted_time,forks,"
			"voluntary-switches,involuntary-switches"};
	const struct engine_config config = {
		.preset = &preset_none, .columns = &column, .n_columns = 1};

	scene->fk = fk_new(&(struct fk_config){
		.cpus = 2, .unprivileged = true, .uid = ME, .paranoid = way->paranoid});
	scene->sys = fk_sys(scene->fk);
	fk_task(scene->fk, &(struct fk_spec){.tid = RUNNER, .uid = way->uid});
	fk_task(scene->fk, &(struct fk_spec){.tid = WAITER, .uid = way->uid});
	fk_switch(scene->fk, 0, RUNNER);
	scene->engine = open_engine_with(&scene->sys, &config);
	snapshot_free(nth_snapshot(scene->engine, scene->fk, 2));
}

static void end_scene(struct scene *scene)
{
	close_all(scene->engine, scene->fk);
}

/* Fails unless a figure of the next interval has that state, and that part of the interval. */
static void check_next(struct scene *scene, const char *event, enum figure_state state, double part)
{
	struct snapshot *snapshot = next_snapshot(scene->engine, scene->fk, INTERVAL_NS);
	struct figure figure = event_figure(snapshot, WAITER, event);
	double error = figure.value / (double)snapshot->interval_ns - part;

	if (figure.state != state || error < -0.01 || error > 0.01)
		fail_msg("%s: state %d, %.0f of %" PRIu64, event, (int)figure.state, figure.value,
			 snapshot->interval_ns);
	snapshot_free(snapshot);
}

/* A wait that goes on for several intervals is in each of them, and counts once. */
static void a_wait_lasts(void **state)
{
	struct scene scene;

	begin_scene(&scene, *state);
	fk_ready(scene.fk, WAITER);
	check_next(&scene, "runq_time", FIGURE_NOT_COUNTED, 0); /* since when is unknown */
	for (int i = 0; i < 3; i++)
		check_next(&scene, "runq_time", FIGURE_VALID, 1);
	fk_advance(scene.fk, INTERVAL_NS / 2);
	fk_switch(scene.fk, 1, WAITER);
	check_next(&scene, "runq_time", FIGURE_VALID, 1.0 / 3);
	check_next(&scene, "runq_time", FIGURE_VALID, 0);
	check_next(&scene, "blocked_time", FIGURE_VALID, 0);
	end_scene(&scene);
}

/* States are samples. Preemptions and forks are in no file. */
static void a_state_is_a_sample(void **state)
{
	struct scene scene;

	begin_scene(&scene, *state);
	fk_switch(scene.fk, 1, WAITER);
	snapshot_free(next_snapshot(scene.engine, scene.fk, INTERVAL_NS));
	fk_block(scene.fk, WAITER, FK_UNINTERRUPTIBLE);
	fk_switch(scene.fk, 1, 0);
	check_next(&scene, "uninterruptible_time", FIGURE_SCALED, 0.5);
	check_next(&scene, "uninterruptible_time", FIGURE_SCALED, 1);
	check_next(&scene, "blocked_time", FIGURE_VALID, 1);
	check_next(&scene, "preempted_time", FIGURE_DENIED, 0);
	check_next(&scene, "forks", FIGURE_DENIED, 0);
	end_scene(&scene);
}

/* How long it is held, at least, by the readings of its state. A slice ends that. */
static void it_is_held(void **state)
{
	struct scene scene;

	begin_scene(&scene, *state);
	for (int slice = 0; slice < 2; slice++) {
		fk_switch(scene.fk, 1, WAITER);
		fk_advance(scene.fk, 20 * NS_PER_MS);
		fk_block(scene.fk, WAITER, FK_UNINTERRUPTIBLE);
		fk_switch(scene.fk, 1, 0);
		for (uint64_t i = 0; i < 5; i++) {
			struct snapshot *snapshot =
				next_snapshot(scene.engine, scene.fk, INTERVAL_NS);
			const struct row *row = row_of(snapshot, WAITER);
			const uint64_t intervals_ms = i * INTERVAL_NS / NS_PER_MS;

			assert_non_null(row);
			/* Not of the first interval, nor as long as the second one. */
			assert_in_range(row->held_ms, i < 2 ? 0 : intervals_ms,
					i < 1 ? 0 : intervals_ms + 5);
			snapshot_free(snapshot);
		}
	}
	end_scene(&scene);
}

/* A kernel without schedstat, or whose numbers go backwards: unknown, not 0. */
static void schedstat_is_unknown(void **state)
{
	static const char path[] = "/proc/60/task/60/schedstat";
	struct scene scene;

	begin_scene(&scene, *state);
	fk_switch(scene.fk, 1, WAITER);
	snapshot_free(nth_snapshot(scene.engine, scene.fk, 2));
	check_next(&scene, "runq_time", FIGURE_VALID, 0);
	fk_file(scene.fk, path, "0 0 0\n");
	check_next(&scene, "runq_time", FIGURE_NOT_COUNTED, 0);
	check_next(&scene, "blocked_time", FIGURE_NOT_COUNTED, 0);
	fk_file(scene.fk, path, NULL);
	check_next(&scene, "runq_time", FIGURE_NOT_COUNTED, 0);
	fk_file(scene.fk, path, "9000000000 9000000000 90\n");
	check_next(&scene, "runq_time", FIGURE_NOT_COUNTED, 0);
	fk_file(scene.fk, path, "8000000000 9000000000 90\n");
	check_next(&scene, "runq_time", FIGURE_NOT_COUNTED, 0);
	fk_file(scene.fk, path, "8100000000 9000000000 90\n");
	check_next(&scene, "runq_time", FIGURE_VALID, 0);
	end_scene(&scene);
}

/* A process without counters has the waits of its threads, if they are not too many. */
static void threads_of_a_process(void **state)
{
	static const struct {
		const char *name;
		pid_t threads;
		enum figure_state state;
		double part;
	} rows[] = {
		{"few threads", 10, FIGURE_VALID, 1},
		{"too many threads", 300, FIGURE_NOT_COUNTED, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct scene scene;
		begin_scene(&scene, &ways[1]);
		fk_switch(scene.fk, 1, WAITER);
		for (pid_t tid = 0; tid < rows[i].threads; tid++)
			fk_thread(scene.fk, WAITER, 1000 + tid);
		for (pid_t tid = 1; tid < rows[i].threads; tid++) {
			fk_switch(scene.fk, 1, 1000 + tid);
			fk_switch(scene.fk, 1, WAITER);
		}
		snapshot_free(nth_snapshot(scene.engine, scene.fk, 2));
		check_next(&scene, "runq_time", rows[i].state, rows[i].part); /* of 1000 */
		fk_switch(scene.fk, 1, 1000);
		fk_exit(scene.fk, 1000, FK_EXIT_THREAD);
		fk_switch(scene.fk, 1, WAITER);
		if (rows[i].state == FIGURE_VALID)
			check_next(&scene, "runq_time", FIGURE_LOST, 0);
		end_scene(&scene);
	}
}

int main(void)
{
	static const struct cases tables[] = {
		CASES(a_wait_lasts, ways),
		CASES(a_state_is_a_sample, ways),
		CASES(it_is_held, ways),
		CASES(schedstat_is_unknown, ways),
	};
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(threads_of_a_process),
	};

	return cases_run("waits of /proc", tables, ARRAY_SIZE(tables), others, ARRAY_SIZE(others));
}
