// SPDX-License-Identifier: MIT
/*
 * The tasks of the busy machines. Each CPU runs the tasks of its part, or is idle, for random
 * times. On CPUs that compile, a shell forks one compiler after the other.
 */
#include "tests/fake_kernel/busy.h"

#include "core/base/util.h"
#include "tests/fake_kernel/machines.h"
#include "tests/fake_kernel/mixed_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The rates of a running task. From `branches` on: per 100,000 instructions. */
struct work {
	unsigned mhz, ipc_percent, user_percent;
	unsigned branches, branch_misses, cache_references, cache_misses, l1d_loads, l1d_misses,
		l1i_misses, dtlb_misses, itlb_misses;
	unsigned retiring, bad_spec, frontend; /* percent of slots; the rest is back-end bound */
};

static const struct work waits_for_memory = {
	3100, 38, 88, 18000, 300, 6000, 2400, 30000, 5200, 1800, 350, 60, 14, 4, 12,
};
static const struct work runs_java = {
	3000, 95, 93, 20000, 700, 2400, 320, 28000, 2600, 2900, 180, 150, 27, 9, 36,
};
static const struct work compiles = {
	3300, 88, 91, 22000, 1450, 2200, 210, 27000, 1900, 2400, 90, 80, 26, 31, 25,
};
static const struct work serves = {
	2900, 62, 28, 21000, 420, 3500, 260, 29000, 2300, 5200, 150, 240, 18, 7, 48,
};
static const struct work computes = {
	2400, 285, 99, 6000, 12, 900, 150, 41000, 800, 5, 12, 1, 74, 1, 3,
};
static const struct work wakes = {
	3000, 55, 20, 20000, 350, 2000, 20, 26000, 1200, 3900, 60, 90, 16, 8, 41,
};
static const struct work odd = {
	3200, 160, 80, 17000, 200, 1200, 90, 25000, 900, 700, 40, 30, 44, 10, 18,
};
static const struct work kernels = {
	2800, 70, 0, 19000, 380, 2600, 300, 28000, 2100, 4200, 110, 140, 20, 7, 38,
};

/* Processes of one name, on CPUs of their own. */
struct part {
	const char *comm;
	pid_t first, ppid; /* the first pid; pids and tids are consecutive */
	unsigned processes, threads;
	uid_t uid;
	const char *cgroup;
	const struct work *work;
	int first_cpu, last_cpu;
	unsigned run_us;        /* at a time */
	unsigned busy_percent;  /* of its CPUs' time */
	unsigned fault_percent; /* of its turns begin with a page fault */
	bool forks;             /* each is a shell that forks one child after the other */
	unsigned wave_s;        /* idle times go up and down in so many seconds; 0: they do not */
	enum fk_state state;    /* in which its tasks are off their CPUs ... */
	const struct fk_wait *wait; /* ... and where; NULL: unknown */
};

#define POD            "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1a2b3c4d_5e6f.slice/"
#define CRI(digits)    POD "cri-containerd-" digits digits digits digits ".scope"
#define DOCKER(digits) "/system.slice/docker-" digits digits digits digits ".scope"
#define SESSION        "/user.slice/user-1000.slice/session-3.scope"

static const struct part server_parts[] = {
	{"postgres", 4100, 4000, 36, 1, 26, "/system.slice/postgresql@15-main.service",
	 &waits_for_memory, 0, 13, 6000, 86, 30, false},
	{"walwriter", 4090, 4000, 1, 1, 26, "/system.slice/postgresql@15-main.service", &serves, 15,
	 15, 400, 9, 0, false},
	{"nginx", 5001, 5000, 6, 1, 33, "/system.slice/nginx.service", &serves, 44, 47, 250, 64, 6,
	 false},
	{"nginx", 5007, 5000, 2, 1, 33, "/system.slice/nginx.service", &serves, 14, 15, 250, 41, 6,
	 false},
	{"java", 20000, 19990, 2, 24, 4711, CRI("fedcba9876543210"), &runs_java, 16, 29, 3000, 72,
	 12, false},
	{"java", 21000, 20990, 1, 16, 4711, CRI("0123456789abcdef"), &runs_java, 56, 59, 2000, 23,
	 12, false},
	{"sh", 30100, 30001, 12, 1, 1001, DOCKER("0f1e2d3c4b5a6978"), &compiles, 32, 43, 9000, 100,
	 70, true},
	{"python3", 41000, 40010, 1, 8, 1000, SESSION, &computes, 48, 55, 20000, 99, 0, false},
	{"rsync", 42000, 40010, 2, 1, 1000, SESSION, &serves, 31, 31, 1500, 55, 60, false},
	{"pipebench", 44000, 40010, 2, 1, 1000, SESSION, &wakes, 30, 30, 100, 92, 0, false},
	{"\xe7\xbc\x96\xe8\xaf\x91\xe5\x99\xa8", 43000, 40010, 1, 1, 1000, SESSION, &odd, 60, 60,
	 4000, 34, 5, false},
	{"\033[31mred\n\001", 43100, 1, 1, 1, 4711, "/system.slice/\033[31mred.service", &odd, 61,
	 61, 4000, 21, 5, false},
	{"zstd", 43200, 1, 1, 1, 0, "/system.slice/backup.service", &odd, 62, 62, 5000, 3, 5,
	 false},
};

/* 16 CPUs; 14 and 15 are for what hardly runs. */
#define SERVICE(name) "/system.slice/" name ".service"
static const struct part mixed_parts[] = {
	{.comm = "postgres",
	 .first = 2110,
	 .ppid = 2100,
	 .processes = 4,
	 .threads = 1,
	 .uid = 26,
	 .cgroup = SERVICE("postgresql@15-main"),
	 .work = &waits_for_memory,
	 .first_cpu = 0,
	 .last_cpu = 3,
	 .run_us = 4000,
	 .busy_percent = 78,
	 .fault_percent = 20,
	 .wave_s = 23},
	{.comm = "java",
	 .first = 5300,
	 .ppid = 1,
	 .processes = 1,
	 .threads = 16,
	 .uid = 4711,
	 .cgroup = SERVICE("orders"),
	 .work = &runs_java,
	 .first_cpu = 4,
	 .last_cpu = 5,
	 .run_us = 700,
	 .busy_percent = 38,
	 .fault_percent = 3,
	 .wave_s = 31,
	 .wait = &mixed_waits[MIXED_LOCK]},
	{.comm = "nginx",
	 .first = 1801,
	 .ppid = 1800,
	 .processes = 2,
	 .threads = 1,
	 .uid = 33,
	 .cgroup = SERVICE("nginx"),
	 .work = &serves,
	 .first_cpu = 6,
	 .last_cpu = 7,
	 .run_us = 220,
	 .busy_percent = 52,
	 .fault_percent = 4,
	 .wave_s = 17},
	{.comm = "sh",
	 .first = 30100,
	 .ppid = 30001,
	 .processes = 2,
	 .threads = 1,
	 .uid = 1001,
	 .cgroup = SESSION,
	 .work = &compiles,
	 .first_cpu = 8,
	 .last_cpu = 9,
	 .run_us = 9000,
	 .busy_percent = 100,
	 .fault_percent = 70,
	 .forks = true},
	{.comm = "python3",
	 .first = 41000,
	 .ppid = 40010,
	 .processes = 1,
	 .threads = 1,
	 .uid = 1000,
	 .cgroup = SESSION,
	 .work = &computes,
	 .first_cpu = 11,
	 .last_cpu = 11,
	 .run_us = 20000,
	 .busy_percent = 99},
	{.comm = "rsync",
	 .first = 7702,
	 .ppid = 7700,
	 .processes = 1,
	 .threads = 1,
	 .cgroup = SERVICE("backup"),
	 .work = &serves,
	 .first_cpu = 12,
	 .last_cpu = 12,
	 .run_us = 600,
	 .busy_percent = 14,
	 .fault_percent = 2,
	 .wave_s = 19,
	 .state = FK_UNINTERRUPTIBLE,
	 .wait = &mixed_waits[MIXED_DISK]},
	{.comm = "redis-server",
	 .first = 1640,
	 .ppid = 1,
	 .processes = 1,
	 .threads = 1,
	 .uid = 112,
	 .cgroup = SERVICE("redis-server"),
	 .work = &odd,
	 .first_cpu = 13,
	 .last_cpu = 13,
	 .run_us = 150,
	 .busy_percent = 22,
	 .fault_percent = 1,
	 .wave_s = 13},
	{.comm = "prometheus",
	 .first = 1502,
	 .ppid = 1,
	 .processes = 1,
	 .threads = 1,
	 .uid = 118,
	 .cgroup = SERVICE("prometheus"),
	 .work = &odd,
	 .first_cpu = 14,
	 .last_cpu = 14,
	 .run_us = 900,
	 .busy_percent = 4,
	 .fault_percent = 3,
	 .wave_s = 11},
	{.comm = "systemd-journal",
	 .first = 410,
	 .ppid = 1,
	 .processes = 1,
	 .threads = 1,
	 .cgroup = SERVICE("systemd-journald"),
	 .work = &odd,
	 .first_cpu = 15,
	 .last_cpu = 15,
	 .run_us = 300,
	 .busy_percent = 1},
};

static const struct work computes_slowly = {
	2100, 140, 97, 9000, 90, 1100, 220, 38000, 900, 60, 30, 10, 50, 6, 8,
};

static const struct part hybrid_parts[] = {
	{"blender", 3000, 1, 1, 6, 1000, SESSION, &computes, 0, 5, 12000, 97, 0, false},
	{"Web Content", 3100, 1, 4, 3, 1000, SESSION, &runs_java, 6, 9, 900, 52, 10, false},
	{"sh", 3300, 3200, 4, 1, 1000, SESSION, &compiles, 10, 13, 7000, 100, 70, true},
	{"updatedb", 3400, 1, 1, 1, 0, "/system.slice/updatedb.service", &computes_slowly, 14, 14,
	 2500, 61, 40, false},
};

/* A sleeping process, for the tree. */
struct sleeper {
	pid_t pid, ppid;
	uid_t uid;
	const char *comm, *cgroup;
};

static const struct sleeper server_sleepers[] = {
	{1, 0, 0, "systemd", "/init.scope"},
	{900, 1, 0, "sshd", "/system.slice/ssh.service"},
	{950, 1, 0, "dockerd", "/system.slice/docker.service"},
	{960, 1, 0, "cron", "/system.slice/cron.service"},
	{970, 1, 0, "containerd", "/system.slice/containerd.service"},
	{4000, 1, 26, "postgres", "/system.slice/postgresql@15-main.service"},
	{4001, 4000, 26, "checkpointer", "/system.slice/postgresql@15-main.service"},
	{5000, 1, 0, "nginx", "/system.slice/nginx.service"},
	{19980, 970, 0, "containerd-shim", "/system.slice/containerd.service"},
	{19990, 19980, 0, "tini", CRI("fedcba9876543210")},
	{20990, 19980, 0, "tini", CRI("0123456789abcdef")},
	{30000, 950, 0, "containerd-shim", "/system.slice/docker.service"},
	{30001, 30000, 1001, "make", DOCKER("0f1e2d3c4b5a6978")},
	{40000, 900, 0, "sshd", SESSION},
	{40010, 40000, 1000, "bash", SESSION},
};

static const struct sleeper mixed_sleepers[] = {
	{1, 0, 0, "systemd", "/init.scope"},
	{900, 1, 0, "sshd", SERVICE("ssh")},
	{960, 1, 0, "cron", SERVICE("cron")},
	{1800, 1, 0, "nginx", SERVICE("nginx")},
	{2100, 1, 26, "postgres", SERVICE("postgresql@15-main")},
	{7700, 960, 0, "backup.sh", SERVICE("backup")},
	{40000, 900, 0, "sshd", SESSION},
	{40010, 40000, 1000, "bash", SESSION},
	{30000, 900, 0, "sshd", SESSION},
	{30001, 30000, 1001, "make", SESSION},
};

static const struct sleeper hybrid_sleepers[] = {
	{1, 0, 0, "systemd", "/init.scope"},
	{3200, 1, 1000, "make", SESSION},
};

struct queue {
	const struct part *part;
	pid_t *tids; /* sleeping tasks, the longest waiting first */
	size_t n;
};

struct busy_cpu {
	struct busy *busy;
	int number;
	struct queue *queue; /* NULL: there is only the kernel to run */
	pid_t runs;          /* 0: idle */
	pid_t kworker;
	pid_t shell;    /* 0: it does not compile */
	unsigned turns; /* left for the shell's child */
};

struct busy {
	struct fk *fk;
	uint64_t lot;
	struct queue *queues;
	size_t n_queues;
	struct busy_cpu *cpus;
	size_t n_cpus;
	pid_t next_child;
};

static struct fk_rate per_ms(uint64_t count)
{
	return (struct fk_rate){(uint32_t)count, 1000000};
}

/* Rates vary from task to task. */
static void describe_work(const struct work *work, struct fk_spec *spec)
{
	unsigned tid = (unsigned)spec->tid, misses_percent = 85 + tid * 11 % 31;
	uint64_t cycles = work->mhz * (970ull + tid * 13 % 61);
	uint64_t instructions = cycles * work->ipc_percent * (88 + tid * 7 % 25) / 10000;
	unsigned backend = 100 - work->retiring - work->bad_spec - work->frontend;
	const struct {
		enum fk_event event;
		unsigned of_100000;
	} parts[] = {
		{FK_BRANCHES, work->branches},
		{FK_BRANCH_MISSES, work->branch_misses},
		{FK_CACHE_REFERENCES, work->cache_references},
		{FK_CACHE_MISSES, work->cache_misses},
		{FK_LLC_LOADS, work->cache_references},
		{FK_LLC_LOAD_MISSES, work->cache_misses},
		{FK_L1D_LOADS, work->l1d_loads},
		{FK_L1D_LOAD_MISSES, work->l1d_misses},
		{FK_L1I_LOAD_MISSES, work->l1i_misses},
		{FK_DTLB_LOAD_MISSES, work->dtlb_misses},
		{FK_ITLB_LOAD_MISSES, work->itlb_misses},
	};
	const struct fk_raw raws[] = {
		{0x400, per_ms(5 * cycles)}, /* slots */
		{0x8000, per_ms(5 * cycles * work->retiring / 100)},
		{0x8100, per_ms(5 * cycles * work->bad_spec / 100)},
		{0x8200, per_ms(5 * cycles * work->frontend / 100)},
		{0x8300, per_ms(5 * cycles * backend / 100)},
	};

	spec->user = (struct fk_rate){work->user_percent, 100};
	spec->rates[FK_CYCLES] = per_ms(cycles);
	spec->rates[FK_INSTRUCTIONS] = per_ms(instructions);
	spec->rates[FK_REF_CYCLES] = per_ms(2000000);
	spec->rates[FK_BUS_CYCLES] = per_ms(25000);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		spec->rates[parts[i].event] =
			per_ms(instructions * parts[i].of_100000 * misses_percent / 10000000);
	for (size_t i = 0; i < ARRAY_SIZE(raws); i++)
		spec->raws[i] = raws[i];
}

static void add_part(struct busy *busy, const struct part *part)
{
	struct queue *queue = &busy->queues[busy->n_queues++];

	queue->part = part;
	queue->tids = xcalloc((size_t)part->processes * part->threads, sizeof(*queue->tids));
	for (unsigned i = 0; i < part->processes * part->threads; i++) {
		struct fk_spec spec = {
			.tid = part->first + (pid_t)i,
			.pid = part->first + (pid_t)(i - i % part->threads),
			.ppid = part->ppid,
			.uid = part->uid,
			.comm = part->comm,
			.cgroup = part->cgroup,
		};

		describe_work(part->work, &spec);
		fk_task(busy->fk, &spec);
		queue->tids[queue->n++] = spec.tid;
	}
	for (int cpu = part->first_cpu; cpu <= part->last_cpu; cpu++) {
		if (part->forks)
			busy->cpus[cpu].shell = queue->tids[--queue->n];
		busy->cpus[cpu].queue = queue;
	}
}

/* Two kernel threads a CPU, as in Linux. */
static void add_kernel_threads(struct busy *busy)
{
	struct fk_spec spec = {.tid = 2, .ppid = 0, .kernel = true, .comm = "kthreadd"};

	describe_work(&kernels, &spec);
	fk_task(busy->fk, &spec);
	for (size_t i = 0; i < busy->n_cpus; i++) {
		char comm[40];

		spec.comm = comm;
		spec.ppid = 2;
		spec.tid = (pid_t)(10 + 2 * i);
		snprintf(comm, sizeof(comm), "ksoftirqd/%zu", i);
		fk_task(busy->fk, &spec);
		spec.tid++;
		snprintf(comm, sizeof(comm), "kworker/%zu:0", i);
		fk_task(busy->fk, &spec);
		busy->cpus[i].kworker = spec.tid;
	}
}

static void add_sleepers(struct busy *busy, const struct sleeper *sleepers, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fk_task(busy->fk, &(struct fk_spec){.tid = sleepers[i].pid,
						    .ppid = sleepers[i].ppid,
						    .uid = sleepers[i].uid,
						    .comm = sleepers[i].comm,
						    .cgroup = sleepers[i].cgroup});
}

/* A random number below n. */
static unsigned draw(struct busy *busy, unsigned n)
{
	busy->lot = busy->lot * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(busy->lot >> 33) % n;
}

static void begin(struct busy_cpu *cpu, pid_t tid)
{
	if (tid && tid != cpu->runs)
		fk_rouse(cpu->busy->fk, tid);
	if (tid != cpu->runs)
		fk_switch(cpu->busy->fk, cpu->number, tid);
	cpu->runs = tid;
}

/* The random time of the next run, in us. */
static unsigned draw_run(struct busy_cpu *cpu)
{
	unsigned us = cpu->queue->part->run_us;

	if (draw(cpu->busy, 100) < cpu->queue->part->fault_percent)
		fk_fault(cpu->busy->fk, cpu->number, draw(cpu->busy, 20) == 0);
	return us / 2 + draw(cpu->busy, us);
}

/* The shell forks, its child runs for a number of turns, exits, and so on. */
static unsigned compile(struct busy_cpu *cpu)
{
	struct busy *busy = cpu->busy;

	if (cpu->runs == cpu->shell) {
		pid_t child = ++busy->next_child;

		fk_fork(busy->fk, cpu->shell, child);
		begin(cpu, child);
		fk_exec(busy->fk, child, draw(busy, 4) ? "cc1plus" : "as");
		cpu->turns = 20 + draw(busy, 100);
	} else if (!cpu->runs || --cpu->turns == 0) {
		if (cpu->runs)
			fk_exit(busy->fk, cpu->runs, FK_EXIT_REAPED);
		begin(cpu, cpu->shell);
		return 300 + draw(busy, 300);
	}
	return draw_run(cpu);
}

static unsigned run_next(struct busy_cpu *cpu)
{
	struct queue *queue = cpu->queue;

	begin(cpu, queue->tids[0]);
	memmove(queue->tids, queue->tids + 1, --queue->n * sizeof(*queue->tids));
	return draw_run(cpu);
}

/* 40 to 160, and back. */
static unsigned wave_percent(const struct part *part, uint64_t now_ns)
{
	uint64_t length_ns = part->wave_s * NS_PER_S;

	if (length_ns == 0)
		return 100;
	uint64_t percent = now_ns % length_ns * 240 / length_ns;
	return (unsigned)(percent < 120 ? 40 + percent : 280 - percent);
}

/* Idle time of a CPU, sometimes with a run of a kernel thread first. */
static unsigned rest(struct busy_cpu *cpu)
{
	struct queue *queue = cpu->queue;
	bool kernel = cpu->runs != cpu->kworker && draw(cpu->busy, 8) == 0;

	if (cpu->runs && cpu->runs != cpu->kworker) {
		queue->tids[queue->n++] = cpu->runs;
		if (queue->part->wait)
			fk_block_in(cpu->busy->fk, cpu->runs, queue->part->state,
				    queue->part->wait);
	}
	begin(cpu, kernel ? cpu->kworker : 0);
	if (kernel)
		return 20 + draw(cpu->busy, 60);
	if (!queue)
		return 20000 + draw(cpu->busy, 20000);
	unsigned us =
		queue->part->run_us * (100 - queue->part->busy_percent) / queue->part->busy_percent;
	us = us * wave_percent(queue->part, fk_now(cpu->busy->fk)) / 100;
	return 1 + us / 2 + draw(cpu->busy, us + 1);
}

static void take_turn(struct fk *fk, void *arg)
{
	struct busy_cpu *cpu = arg;
	unsigned us;

	if (cpu->shell)
		us = compile(cpu);
	else if (!cpu->runs && cpu->queue && cpu->queue->n > 0)
		us = run_next(cpu);
	else
		us = rest(cpu);
	fk_after(fk, us * 1000ull, take_turn, cpu);
}

static struct busy *busy_new(const struct fk_config *config, const struct part *parts,
			     size_t n_parts, const struct sleeper *sleepers, size_t n_sleepers)
{
	struct busy *busy = xcalloc(1, sizeof(*busy));

	busy->fk = fk_new(config);
	busy->lot = 42;
	busy->next_child = 500000;
	busy->n_cpus = config->cpus;
	busy->cpus = xcalloc(busy->n_cpus, sizeof(*busy->cpus));
	busy->queues = xcalloc(n_parts, sizeof(*busy->queues));
	for (size_t i = 0; i < busy->n_cpus; i++)
		busy->cpus[i] = (struct busy_cpu){.busy = busy, .number = (int)i};
	add_sleepers(busy, sleepers, n_sleepers);
	add_kernel_threads(busy);
	for (size_t i = 0; i < n_parts; i++)
		add_part(busy, &parts[i]);
	fk_file(busy->fk, "/proc/sys/kernel/hostname", "build-7\n");
	fk_file(busy->fk, "/etc/passwd",
		"root:x:0:0::/:\npostgres:x:26:26::/:\nwww-data:x:33:33::/:\n"
		"ana:x:1000:1000::/:\nci:x:1001:1001::/:\n");
	return busy;
}

static void place_cpu(struct busy *busy, size_t cpu, unsigned socket, unsigned node)
{
	char path[96], text[16];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%zu/topology/physical_package_id",
		 cpu);
	snprintf(text, sizeof(text), "%u\n", socket);
	fk_file(busy->fk, path, text);
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%zu/node%u/cpulist", cpu, node);
	fk_file(busy->fk, path, "");
}

/* Of the first n CPUs. */
static void start(struct busy *busy, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fk_after(busy->fk, (1 + i) * 37000, take_turn, &busy->cpus[i]);
}

struct busy *busy_server_new(void)
{
	enum { SOCKET_CPUS = 32, NODE_CPUS = 16 };
	struct fk_config config = fk_machine_server;

	config.step_ns = 1; /* the number of clock reads then has no effect */
	struct busy *busy = busy_new(&config, server_parts, ARRAY_SIZE(server_parts),
				     server_sleepers, ARRAY_SIZE(server_sleepers));
	for (unsigned cpu = 0; cpu < busy->n_cpus; cpu++)
		place_cpu(busy, cpu, cpu / SOCKET_CPUS, cpu / NODE_CPUS);
	fk_cpu_offline(busy->fk, (int)busy->n_cpus - 1);
	start(busy, busy->n_cpus - 1);
	return busy;
}

struct busy *busy_hybrid_new(void)
{
	struct fk_config config = fk_machine_hybrid;
	struct fk_pmu pmus[] = {config.pmus[0], config.pmus[1]};

	config.step_ns = 1;
	config.cpus = 16;
	config.pmus = pmus;
	pmus[0].last_cpu = 7;
	pmus[1].first_cpu = 8;
	pmus[1].last_cpu = 15;
	struct busy *busy = busy_new(&config, hybrid_parts, ARRAY_SIZE(hybrid_parts),
				     hybrid_sleepers, ARRAY_SIZE(hybrid_sleepers));
	for (unsigned cpu = 0; cpu < busy->n_cpus; cpu++)
		place_cpu(busy, cpu, 0, 0);
	start(busy, busy->n_cpus);
	return busy;
}

struct busy *busy_mixed_new(void)
{
	struct fk_config config = fk_machine_server;

	config.step_ns = 1;
	config.cpus = 16;
	config.tracefs = FK_TRACEFS_MOUNTED;
	struct busy *busy = busy_new(&config, mixed_parts, ARRAY_SIZE(mixed_parts), mixed_sleepers,
				     ARRAY_SIZE(mixed_sleepers));
	for (unsigned cpu = 0; cpu < busy->n_cpus; cpu++)
		place_cpu(busy, cpu, 0, 0);
	fk_file(busy->fk, "/proc/sys/kernel/hostname", "simulated\n");
	fk_file(busy->fk, "/proc/loadavg", "9.41 8.87 8.02 8/74 500252\n");
	fk_file(busy->fk, "/etc/passwd",
		"root:x:0:0::/:\npostgres:x:26:26::/:\nwww-data:x:33:33::/:\n"
		"redis:x:112:112::/:\nprometheus:x:118:118::/:\nana:x:1000:1000::/:\n"
		"ci:x:1001:1001::/:\norders:x:4711:4711::/:\n");
	start(busy, busy->n_cpus);
	return busy;
}

void busy_free(struct busy *busy)
{
	if (!busy)
		return;
	fk_free(busy->fk);
	for (size_t i = 0; i < busy->n_queues; i++)
		free(busy->queues[i].tids);
	free(busy->queues);
	free(busy->cpus);
	free(busy);
}

struct fk *busy_kernel(struct busy *busy)
{
	return busy->fk;
}
