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

static const struct {
	const char *name, *mounts;
	struct files child, parent; /* of /p/c and /p */
	bool known, quota_known;
	uint64_t most_ns;
	double cpus;
	const char *most;
} rows[] = {
	{"version 1",
	 V1,
	 {"10000\n", {NS(5), NS(80)}},
	 {"-1\n", {NS(0), NS(0)}},
	 true,
	 true,
	 75,
	 0.1,
	 "/p/c"},
	{"version 2",
	 V2,
	 {"10000 100000\n", {US(5), US(80)}},
	 {"max 100000\n", {US(0), US(0)}},
	 true,
	 true,
	 75000,
	 0.1,
	 "/p/c"},
	{"the quota of the parent",
	 V2,
	 {"max 100000\n", {US(0), US(0)}},
	 {"50000 100000\n", {US(1), US(4)}},
	 true,
	 true,
	 3000,
	 0.5,
	 "/p"},
	{"both, the parent more",
	 V2,
	 {"10000 100000\n", {US(5), US(6)}},
	 {"50000 100000\n", {US(1), US(4)}},
	 true,
	 true,
	 3000,
	 0.1,
	 "/p"},
	{"both, no growth: the lowest quota",
	 V2,
	 {"60000 100000\n", {US(5), US(5)}},
	 {"50000 100000\n", {US(4), US(4)}},
	 true,
	 true,
	 0,
	 0.5,
	 "/p"},
	{"no quota",
	 V2,
	 {"max 100000\n", {US(7), US(9)}},
	 {"max 100000\n", {US(7), US(9)}},
	 true,
	 true,
	 0,
	 0,
	 NULL},
	{"no controller in the child",
	 V2,
	 {NULL, {NO_CPU, NO_CPU}},
	 {"50000 100000\n", {US(1), US(4)}},
	 true,
	 true,
	 3000,
	 0.5,
	 "/p"},
	{"no controller at all",
	 V2,
	 {NULL, {NO_CPU, NO_CPU}},
	 {NULL, {NO_CPU, NO_CPU}},
	 true,
	 true,
	 0,
	 0,
	 NULL},
	{"the parent has the lines of a quota and no quota, as the root",
	 V2,
	 {"10000 100000\n", {US(5), US(80)}},
	 {NULL, {US(0), US(0)}},
	 true,
	 true,
	 75000,
	 0.1,
	 "/p/c"},
	{"went backwards",
	 V1,
	 {"10000\n", {NS(80), NS(5)}},
	 {"-1\n", {NS(0), NS(0)}},
	 false,
	 true,
	 0,
	 0.1,
	 "/p/c"},
	{"cpu.stat vanished",
	 V1,
	 {"10000\n", {NS(80), NULL}},
	 {"-1\n", {NS(0), NS(0)}},
	 false,
	 true,
	 0,
	 0.1,
	 "/p/c"},
	{"cpu.stat is broken",
	 V1,
	 {"10000\n", {NS(1), "nr_periods x\n"}},
	 {"-1\n", {NS(0), NS(0)}},
	 false,
	 true,
	 0,
	 0.1,
	 "/p/c"},
	{"the cgroup is gone",
	 V2,
	 {NULL, {NULL, NULL}},
	 {"max 100000\n", {US(0), US(0)}},
	 false,
	 false,
	 0,
	 0,
	 NULL},
	{"the parent cannot be read",
	 V2,
	 {"10000 100000\n", {US(5), US(80)}},
	 {NULL, {NULL, NULL}},
	 false,
	 false,
	 75000,
	 0.1,
	 "/p/c"},
	{"a quota that is no number",
	 V2,
	 {"much\n", {US(5), US(80)}},
	 {"max 100000\n", {US(0), US(0)}},
	 false,
	 false,
	 0,
	 0,
	 NULL},
	{"the kernel has no quotas",
	 V1,
	 {NULL, {NULL, NULL}},
	 {NULL, {NULL, NULL}},
	 true,
	 true,
	 0,
	 0,
	 NULL},
	{"of a container, ancestors are not visible",
	 V1_PART,
	 {"10000\n", {NS(5), NS(80)}},
	 {NULL, {NULL, NULL}},
	 true,
	 true,
	 75,
	 0.1,
	 "/p/c"},
	{"nothing is mounted",
	 "",
	 {NULL, {NULL, NULL}},
	 {NULL, {NULL, NULL}},
	 false,
	 false,
	 0,
	 0,
	 NULL},
};

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
		struct fk *fk = fk_new(NULL);
		struct sys sys = fk_sys(fk);
		struct throttling throttling = {.sys = &sys};
		struct cgroups *cgroups = cgroups_new();
		struct cgroup *cgroup = cgroups_get(cgroups, "/p/c");
		const struct cgroup_quota_account *got = &cgroup->quota;
		bool v1 = strcmp(rows[i].mounts, V2) != 0;
		bool part = strcmp(rows[i].mounts, V1_PART) == 0;
		const struct files root = {v1 && rows[i].child.quota ? "-1\n" : NULL, {NO_CPU}};

		fk_file(fk, "/proc/self/mountinfo", rows[i].mounts);
		write_files(fk, "/cg", &root, v1, 0);
		for (size_t reading = 0; reading < 2; reading++) {
			write_files(fk, part ? "/cg" : "/cg/p/c", &rows[i].child, v1, reading);
			write_files(fk, "/cg/p", &rows[i].parent, v1, reading);
			throttling_evaluate(&throttling, cgroup, reading + 1);
			if (reading == 0 && rows[i].cpus > 0 && got->known)
				fail_msg("%s: known at the first reading", rows[i].name);
		}
		const char *most = got->most ? got->most->path : "none";
		if (got->known != rows[i].known || got->quota_known != rows[i].quota_known ||
		    got->most_ns != rows[i].most_ns || got->least_cpus != rows[i].cpus ||
		    strcmp(most, rows[i].most ? rows[i].most : "none") != 0)
			fail_msg("%s: known %d, %d; %" PRIu64 " ns, %g CPUs, %s", rows[i].name,
				 got->known, got->quota_known, got->most_ns, got->least_cpus, most);
		cgroups_put(cgroups, cgroup);
		assert_int_equal(cgroups_count(cgroups), 0);
		cgroups_free(cgroups);
		throttling_fini(&throttling);
		fk_free(fk);
	}
}

/* A growth since a reading before an interval without the column is not that of an interval. */
static void test_unwanted(void **state)
{
	static const struct files files = {"10000 100000\n", {US(5), US(80)}};
	static const struct files root = {NULL, {NO_CPU}};
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);
	struct throttling throttling = {.sys = &sys};
	struct cgroups *cgroups = cgroups_new();
	struct cgroup *cgroup = cgroups_get(cgroups, "/p");

	(void)state;
	fk_file(fk, "/proc/self/mountinfo", V2);
	write_files(fk, "/cg", &root, false, 0);
	for (uint64_t interval = 1; interval < 6; interval++) {
		write_files(fk, "/cg/p", &files, false, interval > 2);
		if (interval == 3)
			throttling.unwanted = 3;
		else
			throttling_evaluate(&throttling, cgroup, interval);
		assert_int_equal(cgroup->quota.known, interval != 1 && interval != 4);
		assert_int_equal(cgroup->quota.most_ns, 0);
	}
	cgroups_put(cgroups, cgroup);
	cgroups_free(cgroups);
	throttling_fini(&throttling);
	fk_free(fk);
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
		struct fk *fk = fk_new(NULL);
		struct sys sys = fk_sys(fk);
		struct throttling throttling = {.sys = &sys};
		struct cgroups *cgroups = cgroups_new();
		struct cgroup *children[CGROUPS];
		char text[64];

		fk_file(fk, "/proc/self/mountinfo", V2);
		fk_file(fk, "/cg/cpu.stat", NO_CPU);
		fk_file(fk, "/cg/p/cpu.max", cases[i].parent);
		fk_file(fk, "/cg/p/cpu.stat", US(5));
		for (int k = 0; k < CGROUPS; k++) {
			snprintf(text, sizeof(text), "/cg/p/%d/cpu.max", k);
			fk_file(fk, text, "max 100000\n");
			snprintf(text, sizeof(text), "/p/%d", k);
			children[k] = cgroups_get(cgroups, text);
		}
		unsigned before = fk_calls(fk, FK_FILE_READ);
		for (uint64_t interval = 1; interval <= INTERVALS; interval++)
			for (int k = 0; k < CGROUPS; k++) {
				throttling_evaluate(&throttling, children[k], interval);
				throttling_evaluate(&throttling, children[k], interval);
			}
		assert_in_range(fk_calls(fk, FK_FILE_READ) - before, CGROUPS, cases[i].most_reads);
		for (int k = 0; k < CGROUPS; k++) {
			assert_true(children[k]->quota.known);
			cgroups_put(cgroups, children[k]);
		}
		cgroups_free(cgroups);
		throttling_fini(&throttling);
		fk_free(fk);
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
			assert_int_equal(other.state, FIGURE_SCALED);
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
