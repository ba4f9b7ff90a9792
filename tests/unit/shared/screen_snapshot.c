// SPDX-License-Identifier: MIT
#include "tests/unit/shared/screen_snapshot.h"

struct sample_row screen_row(pid_t pid, const char *user, const char *comm, uint64_t cpu_ns,
			     double ipc, uint64_t switches)
{
	uint64_t cycles = cpu_ns * 3;
	struct sample_row row = {
		.row = {.pid = pid, .tid = pid, .ppid = 1, .uid = 1000, .threads = 1},
		.counts =
			{
				[TALLY_TASK_CLOCK] = cpu_ns,
				[TALLY_SWITCHES] = switches,
				[SAMPLE_CYCLES] = cycles,
				[SAMPLE_INSTRUCTIONS] = (uint64_t)((double)cycles * ipc),
				[SAMPLE_BRANCH_MISSES] = cycles / 1000,
				[SAMPLE_CACHE_MISSES] = cycles / 400,
				[SAMPLE_PAGE_FAULTS] = switches / 3,
				[SAMPLE_MIGRATIONS] = switches / 10,
			},
	};

	text_copy(row.row.comm, sizeof(row.row.comm), comm);
	text_copy(row.row.user, sizeof(row.row.user), user);
	return row;
}

/* n CPUs that were busy for different shares of the second; of 8 or more the last is offline. */
static void screen_fill_cpus(struct snapshot *snapshot, size_t n_cpus)
{
	sample_cpus(snapshot, n_cpus);
	for (size_t i = 0; i < n_cpus; i++) {
		struct snapshot_cpu *cpu = &snapshot->cpus[i];
		uint64_t busy_ns = NS_PER_S / 50 + 900000000 * ((i * 7) % n_cpus) / n_cpus;
		struct sample_row busy = screen_row(0, "", "", busy_ns, 1.25, 500 + 40 * i);
		struct sample_row idle = screen_row(0, "", "", NS_PER_S - busy_ns, 0.1, 0);

		sample_tally(&busy, cpu->tally);
		sample_tally(&idle, cpu->idle);
		tally_add(&snapshot->columns->plan->shape, cpu->tally, cpu->idle);
		if (n_cpus >= 8 && i + 1 == n_cpus)
			sample_silence(cpu);
	}
}

static void screen_mark(struct snapshot *snapshot, size_t row, const char *metric,
			enum figure_state state)
{
	size_t n_metrics = snapshot->columns->n_metrics;
	int index = columns_metric(snapshot->columns, metric);

	if (index >= 0)
		snapshot->threads.figures[row * n_metrics + (size_t)index].state = state;
}

static void screen_note(struct snapshot *snapshot, const char *note)
{
	snapshot->notes =
		xreallocarray(snapshot->notes, snapshot->n_notes + 1, sizeof(*snapshot->notes));
	snapshot->notes[snapshot->n_notes++] = xstrdup(note);
}

struct snapshot *screen_snapshot_new(const char *preset, const char *pmu,
				     const struct sample_row *rows, size_t n_rows, size_t n_cpus)
{
	struct snapshot *snapshot = sample_snapshot_new(sample_columns(preset), "build-7", pmu);

	sample_fill_rows(snapshot, rows, n_rows);
	screen_fill_cpus(snapshot, n_cpus);
	sample_evaluate(snapshot);
	return snapshot;
}

struct snapshot *screen_snapshot(size_t n_cpus)
{
	struct sample_row rows[] = {
		screen_row(4121, "db", "postgres", 996000000, 0.31, 812),
		screen_row(4122, "db", "postgres", 430000000, 1.04, 23456),
		screen_row(77, "root", "kworker/0:1-mm_", 120000000, 0.87, 140000),
		screen_row(900123, "verylongusername", "\033[31mred\n\001", 90000000, 2.5, 12),
		screen_row(5000, "ana", "\xe7\xbc\x96\xe8\xaf\x91\xe5\x99\xa8", 70000000, 1.9, 3),
		screen_row(5001, "ana", "half\xe7\xbc", 60000000, 1.9, 3),
		screen_row(5002, "ana", "gone", 50000000, 1.1, 1),
		screen_row(5003, "", "", 40000000, 1.2, 0),
		screen_row(5004, "ana", "scaled", 30000000, 1.5, 5),
		screen_row(5005, "ana", "unsupported", 20000000, 1.5, 5),
		screen_row(5006, "ana", "denied", 10000000, 1.5, 5),
		screen_row(5007, "ana", "lost", 9000000, 1.5, 5),
		screen_row(5008, "ana", "undefined", 1000, 0, 1),
	};
	struct snapshot *snapshot;

	rows[2].row.flags = ROW_KERNEL;
	rows[6].row.flags = ROW_EXITED;
	rows[8].shared = true;
	rows[8].group_1_ns = 9000000;
	snapshot = screen_snapshot_new("overview", "armv8_pmuv3", rows, ARRAY_SIZE(rows), n_cpus);
	screen_mark(snapshot, 9, "branch_mpki", FIGURE_UNSUPPORTED);
	screen_mark(snapshot, 10, "ipc", FIGURE_DENIED);
	screen_mark(snapshot, 11, "ipc", FIGURE_LOST);
	screen_mark(snapshot, 12, "ipc", FIGURE_UNDEFINED);
	return snapshot;
}

struct snapshot *screen_snapshot_lossy(size_t n_cpus)
{
	struct snapshot *snapshot = screen_snapshot(n_cpus);

	snapshot->lost_records = 1234;
	snapshot->unattributed[TALLY_TASK_CLOCK] = snapshot->totals[TALLY_TASK_CLOCK] / 50;
	screen_note(snapshot, "Records were lost: the rings are too small for this many switches.");
	screen_note(snapshot, "Event cache-misses is not supported on this CPU. (column n/a)");
	return snapshot;
}

struct snapshot *screen_snapshot_sick(size_t n_cpus)
{
	struct snapshot *snapshot = screen_snapshot(n_cpus);

	sample_machine(snapshot);
	return snapshot;
}

struct snapshot *screen_snapshot_software(size_t n_cpus, size_t n_rows)
{
	struct snapshot *snapshot;
	struct sample_row *rows = xcalloc(n_rows, sizeof(*rows));

	for (size_t i = 0; i < n_rows; i++) {
		char comm[32];

		snprintf(comm, sizeof(comm), "task-%zu", i);
		rows[i] = screen_row((pid_t)(1000 + i), "ana", comm, (n_rows - i) * 1000000, 1, i);
	}
	snapshot = screen_snapshot_new("software", "", rows, n_rows, n_cpus);
	screen_note(snapshot, "No hardware counters (in a VM: enable vPMU).");
	free(rows);
	return snapshot;
}

/* The row with this parent, uid and cgroup. */
static struct sample_row screen_child(struct sample_row row, pid_t ppid, uid_t uid, int cgroup)
{
	row.row.ppid = ppid;
	row.row.uid = uid;
	row.row.cgroup = cgroup;
	return row;
}

/* Each row ran on one of the CPUs, which are idle for the rest of the second. */
static void screen_run_rows(struct snapshot *snapshot, size_t n_cpus)
{
	const struct tally_shape *shape = &snapshot->columns->plan->shape;

	sample_cpus(snapshot, n_cpus);
	for (size_t i = 0; i < snapshot->threads.n; i++)
		tally_add(shape, snapshot->cpus[i % n_cpus].tally,
			  rows_tally(snapshot->columns, &snapshot->threads, i));
	for (size_t i = 0; i < n_cpus; i++) {
		struct snapshot_cpu *cpu = &snapshot->cpus[i];
		uint64_t busy_ns = cpu->tally[TALLY_TASK_CLOCK];
		struct sample_row idle = screen_row(0, "", "", NS_PER_S - busy_ns, 0.1, 0);

		sample_tally(&idle, cpu->idle);
		tally_add(shape, cpu->tally, cpu->idle);
	}
}

struct snapshot *screen_snapshot_family(size_t n_cpus)
{
	static const char *const cgroups[] = {
		"/init.scope",
		"/system.slice/nginx.service",
		"/system.slice/docker-0123456789abcdef0123456789abcdef.scope",
		"/kubepods.slice/kubepods-burstable.slice/"
		"kubepods-burstable-pod1a2b3c4d_1111.slice/"
		"cri-containerd-fedcba9876543210fedcba98.scope",
		"/user.slice/user-1000.slice/session-3.scope",
		"/system.slice/\033[31mred.service",
	};
	struct sample_row rows[] = {
		screen_child(screen_row(200, "www", "nginx", 30000000, 1.2, 40), 100, 33, 1),
		screen_child(screen_row(201, "www", "nginx", 420000000, 1.4, 900), 100, 33, 1),
		screen_child(screen_row(300, "db", "postgres", 560000000, 0.4, 120), 1, 26, 2),
		screen_child(screen_row(301, "db", "walwriter", 2000000, 1.1, 55), 300, 26, 2),
		screen_child(screen_row(400, "4711", "server", 250000000, 2.1, 9), 1, 4711, 3),
		screen_child(screen_row(503, "ana", "cc1", 340000000, 1.6, 3), 502, 1000, 4),
		screen_child(screen_row(502, "ana", "make", 9000000, 1.3, 20), 500, 1000, 4),
		screen_child(screen_row(504, "ana", "as", 60000000, 0.9, 3), 502, 1000, 4),
		screen_child(screen_row(600, "", "", 5000000, 0.9, 3), 9999, (uid_t)-1, -1),
		screen_child(screen_row(700, "root", "red", 4000000, 0.9, 3), 1, 0, 5),
		screen_child(screen_row(77, "root", "kworker/0:1", 3000000, 0.8, 9), 2, 0, 0),
	};
	struct row sleeping[] = {
		{.pid = 100, .tid = 100, .ppid = 1, .comm = "nginx", .user = "root"},
		{.pid = 1, .tid = 1, .comm = "systemd", .user = "root"},
		{.pid = 500, .tid = 500, .ppid = 1, .comm = "bash", .user = "ana"},
		{.pid = 2, .tid = 2, .comm = "kthreadd", .user = "root", .flags = ROW_KERNEL},
	};
	struct snapshot *snapshot;

	rows[7].row.flags = ROW_EXITED;
	rows[10].row.flags = ROW_KERNEL;
	snapshot = sample_snapshot_new(sample_columns("overview"), "build-7", "armv8_pmuv3");
	sample_fill_rows(snapshot, rows, ARRAY_SIZE(rows));
	screen_run_rows(snapshot, n_cpus);
	sample_evaluate(snapshot);
	snapshot->sleeping = xcalloc(1, sizeof(sleeping));
	memcpy(snapshot->sleeping, sleeping, sizeof(sleeping));
	snapshot->n_sleeping = ARRAY_SIZE(sleeping);
	snapshot->cgroups = xcalloc(ARRAY_SIZE(cgroups), sizeof(char *));
	for (; snapshot->n_cgroups < ARRAY_SIZE(cgroups); snapshot->n_cgroups++)
		snapshot->cgroups[snapshot->n_cgroups] = xstrdup(cgroups[snapshot->n_cgroups]);
	for (size_t i = 0; i < n_cpus; i++) {
		snapshot->cpus[i].socket = i >= n_cpus / 2;
		snapshot->cpus[i].node = i == 0 ? -1 : (int)i % 2;
	}
	return snapshot;
}
