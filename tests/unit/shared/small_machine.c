// SPDX-License-Identifier: MIT
#include "tests/unit/shared/small_machine.h"

/* A triangle wave from 0 to 1 and back within `period` seconds. */
static double wave(unsigned second, unsigned period)
{
	unsigned at = second % period;

	return (double)(at < period / 2 ? at : period - at) / ((double)period / 2);
}

static void add_place(struct snapshot *snapshot, size_t row, int cpu, uint64_t ns)
{
	if (ns)
		snapshot->places[snapshot->n_places++] = (struct snapshot_place){row, cpu, ns};
}

static struct sample_row thread_of(struct sample_row row, pid_t tid, uint64_t start_ns)
{
	row.row.tid = tid;
	row.row.start_ns = start_ns;
	row.row.cgroup = 0;
	return row;
}

struct snapshot *second_of(unsigned second)
{
	uint64_t waved = (uint64_t)(900000000 * wave(second, 40));
	struct sample_row rows[] = {
		thread_of(screen_row(4121, "db", "postgres", 50000000 + waved,
				     0.3 + wave(second, 26), 812),
			  4121, 1 * NS_PER_S),
		thread_of(screen_row(4121, "db", "walwriter", 20000000 + waved / 5, 1.25, 55), 4125,
			  2 * NS_PER_S),
		thread_of(screen_row(600, "root", "cron", 3000000, 0.8, 2), 600, 0),
		thread_of(screen_row(5003, "ana", "cc1", 700000000, 1.6, 9), 5003, 90 * NS_PER_S),
	};
	size_t n = second > 100 ? 3 : 4;
	struct snapshot *snapshot;

	if (second == 100)
		rows[3].row.flags = ROW_EXITED;
	if (second % 7)
		rows[2] = rows[--n]; /* cron sleeps */
	snapshot = screen_snapshot_new("overview", "armv8_pmuv3", rows, n, CPUS);
	snapshot->time_ns = (100 + second) * NS_PER_S;
	snapshot->realtime_ns += second * NS_PER_S;
	snapshot->cgroups = xcalloc(1, sizeof(char *));
	snapshot->cgroups[snapshot->n_cgroups++] = xstrdup("/system.slice/postgresql.service");
	snapshot->places = xcalloc(2 * n, sizeof(*snapshot->places));
	for (size_t i = 0; i < n; i++) {
		uint64_t ns =
			rows_tally(snapshot->columns, &snapshot->threads, i)[TALLY_TASK_CLOCK];

		add_place(snapshot, i, (int)i, ns - ns / 4);
		add_place(snapshot, i, (int)i + 1, ns / 4);
	}
	return snapshot;
}
