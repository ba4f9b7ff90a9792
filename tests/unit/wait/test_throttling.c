// SPDX-License-Identifier: MIT
/*
 * The throttled time of cgroups from their files, and of tasks on the fake kernel.
 */
#include "core/wait/throttling.h"
#include "tests/unit/shared/engine_run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define V1 "30 23 0:28 / /cg rw - cgroup cgroup rw,cpu\n"
#define V2 "30 23 0:28 / /cg rw - cgroup2 cgroup2 rw\n"
/* A container without a cgroup namespace. */
#define V1_PART "30 23 0:28 /p/c /cg rw - cgroup cgroup rw,cpu\n"

#define NS(n)  "nr_periods 9\nnr_throttled 8\nthrottled_time " #n "\n"
#define US(n)  "usage_usec 9\nnr_periods 9\nnr_throttled 8\nthrottled_usec " #n "\n"
#define NO_CPU "usage_usec 9\n"

/* The files of a cgroup: the quota, and cpu.stat at two readings. NULL: no such file. */
struct files {
	const char *quota, *stats[2];
};

enum { QUOTA = 1, TIME = 2, ALL = QUOTA | TIME };

static const struct {
	const char *name, *mounts;
	struct files child, parent; /* of /p/c and /p */
	int known;                  /* QUOTA, TIME */
	uint64_t most_ns;           /* of the cgroup with the longest throttled time */
	double cpus;                /* the lowest quota */
	const char *most;           /* the cgroup of most_ns, or of the lowest quota if that is 0 */
} rows[] = {
	{"version 1", V1, .child = {"10000\n", {NS(5), NS(80)}}, .parent = {"-1\n", {NS(0), NS(0)}},
	 .known = ALL, .most_ns = 75, .cpus = 0.1, .most = "/p/c"},
	{"version 2", V2, .child = {"10000 100000\n", {US(5), US(80)}},
	 .parent = {"max 100000\n", {US(0), US(0)}}, .known = ALL, .most_ns = 75000, .cpus = 0.1,
	 .most = "/p/c"},
	{"the quota of the parent", V2, .child = {"max 100000\n", {US(0), US(0)}},
	 .parent = {"50000 100000\n", {US(1), US(4)}}, .known = ALL, .most_ns = 3000, .cpus = 0.5,
	 .most = "/p"},
	{"both, the parent more", V2, .child = {"10000 100000\n", {US(5), US(6)}},
	 .parent = {"50000 100000\n", {US(1), US(4)}}, .known = ALL, .most_ns = 3000, .cpus = 0.1,
	 .most = "/p"},
	{"both, no growth: the lowest quota", V2, .child = {"60000 100000\n", {US(5), US(5)}},
	 .parent = {"50000 100000\n", {US(4), US(4)}}, .known = ALL, .cpus = 0.5, .most = "/p"},
	{"no quota", V2, .child = {"max 100000\n", {US(7), US(9)}},
	 .parent = {"max 100000\n", {US(7), US(9)}}, .known = ALL},
	{"no controller in the child", V2, .child = {NULL, {NO_CPU, NO_CPU}},
	 .parent = {"50000 100000\n", {US(1), US(4)}}, .known = ALL, .most_ns = 3000, .cpus = 0.5,
	 .most = "/p"},
	{"no controller at all", V2, .child = {NULL, {NO_CPU, NO_CPU}},
	 .parent = {NULL, {NO_CPU, NO_CPU}}, .known = ALL},
	{"the parent has the lines of a quota and no quota, as the root", V2,
	 .child = {"10000 100000\n", {US(5), US(80)}}, .parent = {NULL, {US(0), US(0)}},
	 .known = ALL, .most_ns = 75000, .cpus = 0.1, .most = "/p/c"},
	{"went backwards", V1, .child = {"10000\n", {NS(80), NS(5)}},
	 .parent = {"-1\n", {NS(0), NS(0)}}, .known = QUOTA, .cpus = 0.1, .most = "/p/c"},
	{"cpu.stat vanished", V1, .child = {"10000\n", {NS(80)}},
	 .parent = {"-1\n", {NS(0), NS(0)}}, .known = QUOTA, .cpus = 0.1, .most = "/p/c"},
	{"cpu.stat is broken", V1, .child = {"10000\n", {NS(1), "nr_periods x\n"}},
	 .parent = {"-1\n", {NS(0), NS(0)}}, .known = QUOTA, .cpus = 0.1, .most = "/p/c"},
	{"the cgroup is gone", V2, .parent = {"max 100000\n", {US(0), US(0)}}},
	{"the parent cannot be read", V2, .child = {"10000 100000\n", {US(5), US(80)}},
	 .most_ns = 75000, .cpus = 0.1, .most = "/p/c"},
	{"a quota that is no number", V2, .child = {"much\n", {US(5), US(80)}},
	 .parent = {"max 100000\n", {US(0), US(0)}}},
	{"the kernel has no quotas", V1, .known = ALL},
	{"of a container, ancestors are not visible", V1_PART,
	 .child = {"10000\n", {NS(5), NS(80)}}, .known = ALL, .most_ns = 75, .cpus = 0.1,
	 .most = "/p/c"},
	{"nothing is mounted", ""},
};

/* What the tests of cgroups need: no machine but its files. */
struct scene {
	struct fk *fk;
	struct sys sys;
	struct throttling throttling;
	struct cgroups *cgroups;
};

static void scene_init(struct scene *scene, const char *mounts)
{
	scene->fk = fk_new(NULL);
	scene->sys = fk_sys(scene->fk);
	scene->throttling = (struct throttling){.sys = &scene->sys};
	scene->cgroups = cgroups_new();
	fk_file(scene->fk, "/proc/self/mountinfo", mounts);
}

static void scene_fini(struct scene *scene)
{
	assert_int_equal(cgroups_count(scene->cgroups), 0);
	cgroups_free(scene->cgroups);
	throttling_fini(&scene->throttling);
	fk_free(scene->fk);
}

static void write_files(struct fk *fk, const char *dir, const struct files *files, bool v1,
			size_t reading)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", dir, v1 ? "cpu.cfs_quota_us" : "cpu.max");
	fk_file(fk, path, files->quota);
	snprintf(path, sizeof(path), "%s/cpu.cfs_period_us", dir);
	fk_file(fk, path, v1 ? "100000\n" : NULL);
	snprintf(path, sizeof(path), "%s/cpu.stat", dir);
	fk_file(fk, path, files->stats[reading]);
}

static void test_cgroups(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct scene scene;

		scene_init(&scene, rows[i].mounts);
		struct cgroup *cgroup = cgroups_get(scene.cgroups, "/p/c");
		const struct cgroup_quota_account *got = &cgroup->quota;
		bool v1 = strcmp(rows[i].mounts, V2) != 0;
		bool part = strcmp(rows[i].mounts, V1_PART) == 0;
		const struct files root = {v1 && rows[i].child.quota ? "-1\n" : NULL, {NO_CPU}};

		write_files(scene.fk, "/cg", &root, v1, 0);
		for (size_t reading = 0; reading < 2; reading++) {
			write_files(scene.fk, part ? "/cg" : "/cg/p/c", &rows[i].child, v1,
				    reading);
			write_files(scene.fk, "/cg/p", &rows[i].parent, v1, reading);
			throttling_evaluate(&scene.throttling, cgroup, reading + 1);
			if (reading == 0 && rows[i].cpus > 0 && got->known)
				fail_msg("%s: known at the first reading", rows[i].name);
		}
		const int known = (got->known ? TIME : 0) | (got->quota_known ? QUOTA : 0);
		const char *most = got->most ? got->most->path : "none";
		if (known != rows[i].known || got->most_ns != rows[i].most_ns ||
		    got->least_cpus != rows[i].cpus ||
		    strcmp(most, rows[i].most ? rows[i].most : "none") != 0)
			fail_msg("%s: known %d; %" PRIu64 " ns, %g CPUs, %s", rows[i].name, known,
				 got->most_ns, got->least_cpus, most);
		cgroups_put(scene.cgroups, cgroup);
		scene_fini(&scene);
	}
}

/* A growth since a reading before an interval without the column belongs to no interval. */
static void test_unwanted(void **state)
{
	static const struct files files = {"10000 100000\n", {US(5), US(80)}};
	static const struct files root = {NULL, {NO_CPU}};
	struct scene scene;

	(void)state;
	scene_init(&scene, V2);
	struct cgroup *cgroup = cgroups_get(scene.cgroups, "/p");
	write_files(scene.fk, "/cg", &root, false, 0);
	for (uint64_t interval = 1; interval < 6; interval++) {
		write_files(scene.fk, "/cg/p", &files, false, interval > 2);
		if (interval == 3)
			scene.throttling.unwanted = 3;
		else
			throttling_evaluate(&scene.throttling, cgroup, interval);
		assert_int_equal(cgroup->quota.known, interval != 1 && interval != 4);
		assert_int_equal(cgroup->quota.most_ns, 0);
	}
	cgroups_put(scene.cgroups, cgroup);
	scene_fini(&scene);
}

/* Files are read once an interval, and without a quota seldom. */
static void test_reads(void **state)
{
	enum { CGROUPS = 50, INTERVALS = 16 };
	static const struct {
		const char *parent;
		unsigned most_reads; /* in all intervals */
	} cases[] = {
		{"max 100000\n", 1 + 2 * 2 * (CGROUPS + 2)},
		{"50000 100000\n", 1 + 2 * 2 * (CGROUPS + 2) + INTERVALS},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct cgroup *children[CGROUPS];
		struct scene scene;
		char text[64];

		scene_init(&scene, V2);
		fk_file(scene.fk, "/cg/cpu.stat", NO_CPU);
		fk_file(scene.fk, "/cg/p/cpu.max", cases[i].parent);
		fk_file(scene.fk, "/cg/p/cpu.stat", US(5));
		for (int k = 0; k < CGROUPS; k++) {
			snprintf(text, sizeof(text), "/cg/p/%d/cpu.max", k);
			fk_file(scene.fk, text, "max 100000\n");
			snprintf(text, sizeof(text), "/p/%d", k);
			children[k] = cgroups_get(scene.cgroups, text);
		}
		unsigned before = fk_calls(scene.fk, FK_FILE_READ);
		for (uint64_t interval = 1; interval <= INTERVALS; interval++)
			for (int k = 0; k < CGROUPS; k++) {
				throttling_evaluate(&scene.throttling, children[k], interval);
				throttling_evaluate(&scene.throttling, children[k], interval);
			}
		assert_in_range(fk_calls(scene.fk, FK_FILE_READ) - before, CGROUPS,
				cases[i].most_reads);
		for (int k = 0; k < CGROUPS; k++) {
			assert_true(children[k]->quota.known);
			cgroups_put(scene.cgroups, children[k]);
		}
		scene_fini(&scene);
	}
}

/* A machine with one CPU and a task whose quota is a tenth of it. */
enum { VICTIM = 50, OTHER, PERIODS = 10 };

static void set_stat(struct fk *fk, uint64_t throttled_ns)
{
	char text[128];

	snprintf(text, sizeof(text), "nr_periods 9\nnr_throttled 8\nthrottled_time %" PRIu64 "\n",
		 throttled_ns);
	fk_file(fk, "/cg/p/cpu.stat", text);
}

/* The victim runs for 10 ms of each 100 ms, and waits for the rest of it. */
static void run_periods(struct fk *fk)
{
	for (int i = 0; i < PERIODS; i++) {
		fk_switch(fk, 0, VICTIM);
		fk_advance(fk, 10 * NS_PER_MS);
		fk_block(fk, VICTIM, FK_PREEMPTED);
		fk_switch(fk, 0, OTHER);
		fk_advance(fk, 90 * NS_PER_MS);
		fk_block(fk, OTHER, FK_PREEMPTED);
	}
	set_stat(fk, fk_truth_state(fk, VICTIM, FK_PREEMPTED));
}

/* unknown: intervals up to the first reading of the cgroup. */
static void check_task(const struct fk_config *config, int unknown)
{
	static const struct engine_column column = {.kind = ENGINE_EVENTS,
						    .text = "throttled_time,runq_time"};
	const struct engine_config engine_config = {
		.preset = &preset_none, .columns = &column, .n_columns = 1};
	struct fk *fk = fk_new(config);
	struct sys sys = fk_sys(fk);
	uint64_t before_ns = 0;

	fk_file(fk, "/proc/self/mountinfo", V1);
	fk_file(fk, "/cg/cpu.cfs_quota_us", "-1\n");
	fk_file(fk, "/cg/p/cpu.cfs_quota_us", "10000\n");
	fk_file(fk, "/cg/p/cpu.cfs_period_us", "100000\n");
	fk_file(fk, "/proc/50/cgroup", "4:cpu:/p\n3:memory:/some/deeper/one\n0::/\n");
	fk_file(fk, "/proc/51/cgroup", "4:cpu:/\n3:memory:/some/deeper/one\n0::/\n");
	set_stat(fk, 0);
	fk_task(fk, &(struct fk_spec){.tid = VICTIM});
	fk_task(fk, &(struct fk_spec){.tid = OTHER});
	struct engine *engine = open_engine_with(&sys, &engine_config);
	for (int interval = 0; interval < 5; interval++) {
		run_periods(fk);
		struct snapshot *snapshot = next_snapshot(engine, fk, 0);
		struct figure victim = event_figure(snapshot, VICTIM, "throttled_time");
		struct figure other = event_figure(snapshot, OTHER, "throttled_time");
		uint64_t true_ns = fk_truth_state(fk, VICTIM, FK_PREEMPTED);
		if (interval < unknown) {
			assert_int_equal(victim.state, FIGURE_NOT_COUNTED);
		} else {
			assert_int_equal(victim.state, FIGURE_SCALED);
			assert_true(fabs(victim.value - (double)(true_ns - before_ns)) < 1e6);
			/* It has no quota. */
			assert_int_equal(other.state, FIGURE_VALID);
			assert_true(other.value == 0);
			assert_true(event_figure(snapshot, OTHER, "runq_time").value > 5e7);
		}
		before_ns = true_ns;
		snapshot_free(snapshot);
	}
	close_all(engine, fk);
}

/* With records of switches, with counters of tasks, and with /proc alone. */
static void test_task(void **state)
{
	(void)state;
	check_task(&(struct fk_config){.tracefs = FK_TRACEFS_MOUNTED}, 1);
	check_task(&(struct fk_config){.unprivileged = true, .paranoid = 2}, 2);
	check_task(&(struct fk_config){.unprivileged = true, .paranoid = 3}, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cgroups),
		cmocka_unit_test(test_unwanted),
		cmocka_unit_test(test_reads),
		cmocka_unit_test(test_task),
	};

	return cmocka_run_group_tests_name("throttling", tests, NULL, NULL);
}
