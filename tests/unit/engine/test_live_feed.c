// SPDX-License-Identifier: MIT
/* When snapshots of an engine are due, on the fake kernel, whose waits return at the deadline. */
#include "core/engine/live_feed.h"
#include "tests/unit/shared/engine_run.h"
#include "tests/unit/shared/send_request.h"

enum { TASK = 50, HZ = 199, CUTS = 6 };

#define MS(n)   ((n)*NS_PER_MS)
#define LATE_NS (20 * NS_PER_MS) /* a snapshot takes some time */

struct cut {
	uint64_t ms; /* 0: no more are checked */
	bool is_short;
};

struct scene {
	struct fk *fk;
	struct sys sys;
	struct feed feed;
};

static void open_scene(struct scene *scene, uint64_t interval_ns, bool begins_short)
{
	const struct engine_config software = {.preset = preset_find("software")};
	struct engine *engine;
	struct error err;

	scene->fk = fk_new(&(struct fk_config){.cpus = 2});
	scene->sys = fk_sys(scene->fk);
	fk_task(scene->fk, &(struct fk_spec){.tid = TASK});
	fk_switch(scene->fk, 0, TASK);
	assert_int_equal(engine_new(&scene->sys, &software, &engine, &err), 0);
	live_init(&scene->sys, engine, interval_ns, begins_short, &scene->feed);
}

static void close_scene(struct scene *scene)
{
	feed_free(&scene->feed);
	assert_int_equal(fk_open_fds(scene->fk), 0);
	fk_free(scene->fk);
}

/* Waits until a snapshot is due, or until that time: then NULL. */
static struct snapshot *next_until(struct scene *scene, uint64_t until_ns)
{
	struct error err;
	int due;

	do
		due = feed_wait(&scene->feed, until_ns, &err);
	while (due == 0 && fk_now(scene->fk) < until_ns);
	return due == 1 ? feed_snapshot(&scene->feed) : NULL;
}

static void check_cut(struct scene *scene, const struct cut *cut)
{
	struct snapshot *snapshot = next_until(scene, UINT64_MAX);

	assert_non_null(snapshot);
	assert_in_range(snapshot->interval_ns, MS(cut->ms) - LATE_NS, MS(cut->ms) + LATE_NS);
	assert_int_equal(snapshot->cut_short, cut->is_short);
	snapshot_free(snapshot);
}

/*
 * A command adds short intervals. Each leaves enough time to the rest, and the deadlines stay.
 * Where the last rows have all that a command wants, and where nothing waits, there is none.
 */
static void keys_end_no_interval(void **state)
{
	static const struct {
		const char *name;
		uint64_t interval_ms, at_ms; /* commands come so long after the first interval */
		struct request commands[2];
		size_t n;
		struct cut cuts[CUTS];
	} rows[] = {
		{"rows",
		 1000,
		 400,
		 {{.kind = REQUEST_IDLE, .number = 1}},
		 1,
		 {{400, true}, {600}, {1000}}},
		{"rows, at once after a refresh",
		 1000,
		 0,
		 {{.kind = REQUEST_COMMAND_LINES, .number = COMMAND_LINES_SHOWN}},
		 1,
		 {{250, true}, {750}, {1000}}},
		{"rows, soon before a refresh",
		 1000,
		 800,
		 {{.kind = REQUEST_IDLE, .number = 1}},
		 1,
		 {{1000}, {1000}}},
		{"rows of a long interval",
		 10000,
		 3000,
		 {{.kind = REQUEST_IDLE, .number = 1}},
		 1,
		 {{3000, true}, {7000}, {10000}}},
		{"rows are there",
		 1000,
		 400,
		 {{.kind = REQUEST_IDLE, .number = 0}},
		 1,
		 {{1000}, {1000}}},
		{"rows, and back",
		 1000,
		 0,
		 {{.kind = REQUEST_COMMAND_LINES, .number = COMMAND_LINES_SHOWN},
		  {.kind = REQUEST_COMMAND_LINES, .number = COMMAND_LINES_NONE}},
		 2,
		 {{250, true}, {750}, {1000}}},
		{"columns",
		 1000,
		 300,
		 {{.kind = REQUEST_REMOVE, .text = "cpu_percent"}},
		 1,
		 {{300, true}, {250, true}, {450}, {1000}}},
		{"columns of a long interval",
		 10000,
		 3000,
		 {{.kind = REQUEST_RECORD}},
		 1,
		 {{3000, true}, {250, true}, {6750}, {10000}}},
		{"columns of a short interval",
		 400,
		 100,
		 {{.kind = REQUEST_DISMISS}},
		 1,
		 {{400}, {400}, {400}}},
		{"code begins",
		 1000,
		 0,
		 {{.kind = REQUEST_CODE, .number = HZ}},
		 1,
		 {{250, true}, {150, true}, {600}, {1000}}},
		{"code begins soon before a refresh",
		 1000,
		 900,
		 {{.kind = REQUEST_CODE, .number = HZ}},
		 1,
		 {{1000}, {150, true}, {850}, {1000}}},
		{"code begins, with another command behind it",
		 1000,
		 0,
		 {{.kind = REQUEST_CODE, .number = HZ}, {.kind = REQUEST_IDLE, .number = 1}},
		 2,
		 {{250, true}, {150, true}, {600}, {1000}}},
		{"code begins in an interval that is shorter anyway",
		 130,
		 0,
		 {{.kind = REQUEST_CODE, .number = HZ}},
		 1,
		 {{130}, {130}, {130}}},
		{"code ends",
		 1000,
		 400,
		 {{.kind = REQUEST_CODE, .number = 0}},
		 1,
		 {{1000}, {1000}}},
		{"nothing is watched any more",
		 1000,
		 400,
		 {{.kind = REQUEST_WATCH, .number = 0}},
		 1,
		 {{1000}, {1000}}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct scene scene;

		print_message("# %s\n", rows[i].name);
		open_scene(&scene, MS(rows[i].interval_ms), false);
		check_cut(&scene, &(struct cut){rows[i].interval_ms});
		assert_null(next_until(&scene, fk_now(scene.fk) + MS(rows[i].at_ms)));
		for (size_t k = 0; k < rows[i].n; k++)
			send_to_feed(&scene.feed, &rows[i].commands[k]);
		for (size_t k = 0; k < CUTS && rows[i].cuts[k].ms; k++)
			check_cut(&scene, &rows[i].cuts[k]);
		close_scene(&scene);
	}
}

/* A key that repeats 30 times a second makes at most four snapshots a second beside the usual. */
static void held_keys_cost_little(void **state)
{
	static const struct request commands[] = {{.kind = REQUEST_IDLE},
						  {.kind = REQUEST_DISMISS}};
	enum { REPEATS = 300, INTERVALS = 10 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		struct scene scene;
		unsigned n = 0, n_short = 0;

		open_scene(&scene, MS(1000), false);
		check_cut(&scene, &(struct cut){1000});
		uint64_t begin_ns = fk_now(scene.fk);
		for (unsigned k = 1; k <= REPEATS; k++) {
			struct request command = commands[i];
			struct snapshot *snapshot;

			command.number = k % 2;
			send_to_feed(&scene.feed, &command);
			while ((snapshot = next_until(&scene, begin_ns + k * MS(1000) / 30))) {
				n += !snapshot->cut_short;
				n_short += snapshot->cut_short;
				assert_true(snapshot->interval_ns >= MS(250));
				snapshot_free(snapshot);
			}
		}
		assert_int_equal(n, INTERVALS);
		assert_in_range(n_short, INTERVALS, 4 * INTERVALS);
		close_scene(&scene);
	}
}

/* The first figures come soon. They are no refresh: the first one is on time. */
static void begins_with_a_short_interval(void **state)
{
	static const struct {
		uint64_t interval_ms;
		struct cut cuts[CUTS];
	} rows[] = {
		{2000, {{250, true}, {1750}, {2000}, {2000}}},
		{500, {{250, true}, {250}, {500}}},
		{300, {{300}, {300}}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct scene scene;

		open_scene(&scene, MS(rows[i].interval_ms), true);
		for (size_t k = 0; k < CUTS && rows[i].cuts[k].ms; k++)
			check_cut(&scene, &rows[i].cuts[k]);
		close_scene(&scene);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_end_no_interval),
		cmocka_unit_test(held_keys_cost_little),
		cmocka_unit_test(begins_with_a_short_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
