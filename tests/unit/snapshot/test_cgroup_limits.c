// SPDX-License-Identifier: MIT
/*
 * What a snapshot has of the limits of cgroups: files of two intervals of one second on the fake
 * kernel, and the values that follow.
 */
#include "core/snapshot/cgroup_reader.h"
#include "tests/unit/shared/engine_run.h"

#include <math.h>
#include <stdio.h>

#define V1                                                       \
	"30 23 0:28 / /cg/memory rw - cgroup cgroup rw,memory\n" \
	"31 23 0:29 / /cg/cpu rw - cgroup cgroup rw,cpu\n"
#define V2 "30 23 0:28 / /cg rw - cgroup2 cgroup2 rw\n"

#define EVENTS(high, max, oom, kill) \
	"low 0\nhigh " #high "\nmax " #max "\noom " #oom "\noom_kill " #kill "\n"
#define PRESSURE(some, full)                                       \
	"some avg10=1.00 avg60=1.00 avg300=1.00 total=" #some "\n" \
	"full avg10=1.00 avg60=1.00 avg300=1.00 total=" #full "\n"
#define STAT(ns)   "nr_periods 9\nnr_throttled 8\nthrottled_time " #ns "\n"
#define STAT_2(us) "nr_periods 9\nnr_throttled 8\nthrottled_usec " #us "\n"

enum { TASK = 50, HOG, FILES_MOST = 16 };

static const struct engine_column column = {.kind = ENGINE_EVENTS,
					    .text = "throttled_time,major-faults"};
static const struct engine_config config = {
	.preset = &preset_none, .columns = &column, .n_columns = 1};

/* A file, as of the first and the second reading. NULL: as before. */
struct file {
	const char *path, *first, *second;
};

struct limits_case {
	const char *name, *mounts, *cgroup; /* the latter is /proc/50/cgroup */
	struct file files[FILES_MOST];
	struct snapshot_cgroup want;
};

#define KNOWN(which) .known[which] = true, .values[which]

static const struct limits_case cases[] = {
	{"version 2",
	 V2,
	 "0::/p/c\n",
	 {{"/cg/p/c/memory.current", "4096\n", "8192\n"},
	  {"/cg/p/c/memory.max", "1048576\n", NULL},
	  {"/cg/p/c/memory.high", "max\n", NULL},
	  {"/cg/p/c/memory.events", EVENTS(1, 2, 0, 0), EVENTS(1, 12, 0, 0)},
	  {"/cg/p/c/memory.pressure", PRESSURE(0, 0), PRESSURE(500000, 250000)},
	  {"/cg/p/memory.current", "4096\n", NULL},
	  {"/cg/p/memory.max", "max\n", NULL},
	  {"/cg/p/memory.high", "524288\n", NULL},
	  {"/cg/p/memory.events", EVENTS(5, 2, 0, 1), EVENTS(25, 12, 0, 2)},
	  {"/cg/p/c/cpu.max", "max 100000\n", NULL},
	  {"/cg/p/c/cpu.stat", STAT_2(0), NULL},
	  {"/cg/p/cpu.max", "150000 100000\n", NULL},
	  {"/cg/p/cpu.stat", STAT_2(1000), STAT_2(401000)},
	  {"/cg/cpu.stat", "usage_usec 1\n", NULL}},
	 {KNOWN(CGROUP_THROTTLED_S) = 0.4, KNOWN(CGROUP_QUOTA) = 1.5, KNOWN(CGROUP_USAGE) = 8192,
	  KNOWN(CGROUP_LIMIT) = 524288, KNOWN(CGROUP_HIGHS) = 20, KNOWN(CGROUP_MAXES) = 10,
	  KNOWN(CGROUP_OOMS) = 0, KNOWN(CGROUP_OOM_KILLS) = 1, KNOWN(CGROUP_PRESSURE) = 50,
	  KNOWN(CGROUP_PRESSURE_FULL) = 25, .quota_path = (char[]){"/p"}}},
	{"version 1",
	 V1,
	 "4:cpu:/c\n3:memory:/some/deeper/one\n",
	 {{"/cg/memory/some/deeper/one/memory.usage_in_bytes", "4096\n", NULL},
	  {"/cg/memory/some/deeper/one/memory.limit_in_bytes", "1048576\n", NULL},
	  {"/cg/memory/some/deeper/one/memory.failcnt", "7\n", "9\n"},
	  {"/cg/memory/some/deeper/one/memory.oom_control", "oom_kill 3\n", NULL},
	  {"/cg/cpu/c/cpu.cfs_quota_us", "10000\n", NULL},
	  {"/cg/cpu/c/cpu.cfs_period_us", "100000\n", NULL},
	  {"/cg/cpu/c/cpu.stat", STAT(5), STAT(300000005)},
	  {"/cg/cpu/cpu.cfs_quota_us", "-1\n", NULL}},
	 {KNOWN(CGROUP_THROTTLED_S) = 0.3, KNOWN(CGROUP_QUOTA) = 0.1, KNOWN(CGROUP_USAGE) = 4096,
	  KNOWN(CGROUP_LIMIT) = 1048576, KNOWN(CGROUP_MAXES) = 2, KNOWN(CGROUP_OOM_KILLS) = 0,
	  .quota_path = (char[]){"/c"}}},
	{"no limits",
	 V2,
	 "0::/c\n",
	 {{"/cg/c/memory.current", "4096\n", NULL},
	  {"/cg/c/memory.max", "max\n", NULL},
	  {"/cg/c/memory.high", "max\n", NULL},
	  {"/cg/c/cpu.max", "max 100000\n", NULL},
	  {"/cg/cpu.stat", "usage_usec 1\n", NULL}},
	 {KNOWN(CGROUP_THROTTLED_S) = 0, KNOWN(CGROUP_QUOTA) = 0, KNOWN(CGROUP_USAGE) = 4096,
	  KNOWN(CGROUP_LIMIT) = 0}},
	{"counts that fall",
	 V2,
	 "0::/c\n",
	 {{"/cg/c/memory.current", "4096\n", NULL},
	  {"/cg/c/memory.events", EVENTS(9, 9, 9, 9), EVENTS(1, 1, 1, 1)},
	  {"/cg/c/memory.pressure", PRESSURE(9, 9), PRESSURE(1, 1)}},
	 {KNOWN(CGROUP_USAGE) = 4096}},
	{"no files", V2, "0::/c\n", {{0}}, {.quota_path = NULL}},
	{"not mounted", "", "0::/c\n", {{0}}, {.quota_path = NULL}},
};

static void write_files(struct fk *fk, const struct limits_case *row, bool second)
{
	for (const struct file *file = row->files; file->path; file++)
		if (!second || file->second)
			fk_file(fk, file->path, second ? file->second : file->first);
}

/* One second in which the task waits for a CPU half of the time. */
static struct snapshot *run_second(struct engine *engine, struct fk *fk)
{
	for (int i = 0; i < 10; i++) {
		fk_switch(fk, 0, TASK);
		fk_advance(fk, 50 * NS_PER_MS);
		fk_block(fk, TASK, FK_PREEMPTED);
		fk_switch(fk, 0, HOG);
		fk_advance(fk, 50 * NS_PER_MS);
	}
	return next_snapshot(engine, fk, 0);
}

static void check_limits(const struct limits_case *row, const struct snapshot_cgroup *got)
{
	const char *path = got->quota_path ? got->quota_path : "";

	for (size_t i = 0; i < CGROUP_VALUES; i++)
		if (got->known[i] != row->want.known[i] ||
		    fabs(got->values[i] - row->want.values[i]) >
			    0.001 * fabs(row->want.values[i]) + 1e-9)
			fail_msg("%s: value %zu is %g (known %d), not %g (%d)", row->name, i,
				 got->values[i], got->known[i], row->want.values[i],
				 row->want.known[i]);
	assert_string_equal(path, row->want.quota_path ? row->want.quota_path : "");
}

static void test_values(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fk *fk =
			fk_new(&(struct fk_config){.cpus = 1, .tracefs = FK_TRACEFS_MOUNTED});
		struct sys sys = fk_sys(fk);

		fk_file(fk, "/proc/self/mountinfo", cases[i].mounts);
		fk_file(fk, "/proc/50/cgroup", cases[i].cgroup);
		fk_task(fk, &(struct fk_spec){.tid = TASK});
		fk_task(fk, &(struct fk_spec){.tid = HOG});
		write_files(fk, &cases[i], false);
		struct engine *engine = open_engine_with(&sys, &config);
		snapshot_free(run_second(engine, fk));
		write_files(fk, &cases[i], true);
		struct snapshot *snapshot = run_second(engine, fk);
		const struct snapshot_cgroup *got =
			snapshot_cgroup_limits(snapshot, row_of(snapshot, TASK));
		assert_non_null(got);
		check_limits(&cases[i], got);
		snapshot_free(snapshot);
		close_all(engine, fk);
	}
}

/* The kernel under test, and how many files of memory were read. */
static ssize_t (*read_file)(void *ctx, const char *path, char *buffer, size_t size);
static unsigned n_reads;

static ssize_t count_read(void *ctx, const char *path, char *buffer, size_t size)
{
	n_reads += strstr(path, "/memory.") != NULL;
	return read_file(ctx, path, buffer, size);
}

/* With many cgroups some are read at each cut, and one with major faults at every cut. */
static void test_many_cgroups(void **state)
{
	enum { CGROUPS = 200, FIRST = 100, LAST = FIRST + CGROUPS - 1, REFRESHES = 20 };
	enum { READS_MOST = 5 * CGROUP_READINGS };
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 1, .tracefs = FK_TRACEFS_MOUNTED});
	struct sys sys = fk_sys(fk);
	struct sys_ops ops = *sys.ops;
	static char paths[CGROUPS][16];
	bool seen[CGROUPS] = {false};

	(void)state;
	read_file = ops.file_read;
	ops.file_read = count_read;
	sys.ops = &ops;
	fk_file(fk, "/proc/self/mountinfo", V2);
	for (int i = 0; i < CGROUPS; i++) {
		char file[64];
		snprintf(paths[i], sizeof(paths[i]), "/%d", i);
		snprintf(file, sizeof(file), "/cg/%d/memory.current", i);
		fk_file(fk, file, "4096\n");
		fk_task(fk, &(struct fk_spec){.tid = FIRST + i, .cgroup = paths[i]});
	}
	struct engine *engine = open_engine_with(&sys, &config);
	for (int refresh = 0; refresh < REFRESHES; refresh++) {
		for (int i = 0; i < CGROUPS; i++) {
			fk_switch(fk, 0, FIRST + i);
			fk_advance(fk, 5 * NS_PER_MS);
		}
		fk_fault(fk, 0, true); /* of the last task */
		n_reads = 0;
		struct snapshot *snapshot = next_snapshot(engine, fk, 0);
		assert_in_range(n_reads, 1, READS_MOST);
		for (int i = 0; i < CGROUPS; i++) {
			const struct row *row = row_of(snapshot, FIRST + i);
			bool known = snapshot_cgroup_limits(snapshot, row)->known[CGROUP_USAGE];
			seen[i] |= known;
			assert_true(known || FIRST + i < LAST);
		}
		snapshot_free(snapshot);
	}
	for (int i = 0; i < CGROUPS; i++)
		assert_true(seen[i]);
	close_all(engine, fk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_many_cgroups),
	};

	return cmocka_run_group_tests_name("cgroup limits", tests, NULL, NULL);
}
