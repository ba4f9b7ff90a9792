// SPDX-License-Identifier: MIT
#include "tests/soak/long_day.h"

#include "core/base/util.h"
#include "tests/fake_kernel/machines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	FIRST_TID = 300,
	TIDS = 32768,
	NAME_BYTES = 96,
	SLEEPERS_PER_CPU = 8,
	STORM_GAP_US = 250,
	SOCKET_CPUS = 64,
};

/* A CPU and its tasks. */
struct spot {
	struct long_day *day;
	int cpu;
	pid_t shell; /* of its container */
	pid_t runs;  /* 0: idle */
	bool off;
	unsigned left; /* children until the container ends */
};

struct long_day {
	struct long_day_config config;
	struct fk *fk;
	struct long_day_counts counts;
	uint64_t lot;
	struct spot *spots;
	bool lives[TIDS];
	pid_t last_tid;
	pid_t *sleepers; /* sleeping children, of any container */
	size_t n_sleepers, most_sleepers;
	unsigned next_name;
	char (*cgroups)[NAME_BYTES];
	pid_t *crowd; /* tids of the present crowd */
	unsigned n_crowd;
	unsigned storm_left;
	bool storm_child;
	int hot; /* the CPU that is or was offline last */
};

/* A random number below n. */
static unsigned draw(struct long_day *day, unsigned n)
{
	day->lot = day->lot * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(day->lot >> 33) % n;
}

static pid_t alloc_tid(struct long_day *day)
{
	do
		day->last_tid = day->last_tid + 1 < TIDS ? day->last_tid + 1 : FIRST_TID;
	while (day->lives[day->last_tid]);
	day->lives[day->last_tid] = true;
	day->counts.forks++;
	day->counts.living++;
	return day->last_tid;
}

static void free_tid(struct long_day *day, pid_t tid)
{
	day->lives[tid] = false;
	day->counts.deaths++;
	day->counts.living--;
}

static void run_task(struct spot *spot, pid_t tid)
{
	if (tid != spot->runs)
		fk_switch(spot->day->fk, spot->cpu, tid);
	spot->runs = tid;
}

/* The container starts without a fork: pmctop finds its shell by its records. */
static void begin_container(struct spot *spot)
{
	struct long_day *day = spot->day;
	unsigned name = day->next_name++ % day->config.names;
	struct fk_spec spec = {
		.uid = 2000 + name,
		.comm = "sh",
		.cgroup = day->cgroups[name],
		.rates = {[FK_CYCLES] = {2000 + draw(day, 1000), 1000},
			  [FK_INSTRUCTIONS] = {500 + draw(day, 4000), 1000},
			  [FK_BRANCHES] = {draw(day, 800), 1000},
			  [FK_BRANCH_MISSES] = {draw(day, 40), 1000},
			  [FK_CACHE_MISSES] = {draw(day, 30), 1000}},
	};

	spec.tid = alloc_tid(day);
	spec.pid = spec.tid;
	fk_task(day->fk, &spec);
	spot->shell = spec.tid;
	spot->left = 20 + draw(day, 40);
	day->counts.containers++;
}

static const char *draw_comm(struct long_day *day)
{
	static const char *const comms[] = {"cc1plus",  "ld",          "\033[31mred", "as",
					    "\xff\xfe", "git",         "\n",          "(sd) x",
					    "\"a,b",    "\xe7\xbc\x96"};

	return comms[draw(day, ARRAY_SIZE(comms))];
}

static void exit_running(struct spot *spot, pid_t then)
{
	static const enum fk_exit how[] = {FK_EXIT_REAPED, FK_EXIT_ZOMBIE};
	pid_t tid = spot->runs;

	fk_exit(spot->day->fk, tid, how[draw(spot->day, ARRAY_SIZE(how))]);
	run_task(spot, then);
	free_tid(spot->day, tid);
}

static void sleep_running(struct spot *spot)
{
	struct long_day *day = spot->day;

	if (spot->runs == 0 || spot->runs == spot->shell)
		return run_task(spot, 0);
	if (day->n_sleepers == day->most_sleepers)
		return exit_running(spot, 0);
	day->sleepers[day->n_sleepers++] = spot->runs;
	run_task(spot, 0);
}

static void wake_sleeper(struct spot *spot)
{
	struct long_day *day = spot->day;
	size_t i = draw(day, (unsigned)day->n_sleepers);
	pid_t tid = day->sleepers[i];

	day->sleepers[i] = day->sleepers[--day->n_sleepers];
	run_task(spot, tid);
}

static void fork_child(struct spot *spot)
{
	struct long_day *day = spot->day;
	pid_t child = alloc_tid(day);

	fk_fork(day->fk, spot->shell, child);
	run_task(spot, child);
	if (draw(day, 4))
		fk_exec(day->fk, child, draw_comm(day));
	fk_fault(day->fk, spot->cpu, draw(day, 20) == 0);
	if (spot->left > 0)
		spot->left--;
}

static void step_shell(struct spot *spot)
{
	unsigned lot = draw(spot->day, 10);

	if (spot->left == 0) {
		exit_running(spot, 0);
		begin_container(spot);
	} else if (lot < 6) {
		fork_child(spot);
	} else {
		run_task(spot, 0);
	}
}

static void step_child(struct spot *spot)
{
	struct long_day *day = spot->day;
	unsigned lot = draw(day, 10);

	if (lot < 5) {
		exit_running(spot, spot->shell);
	} else if (lot < 7) {
		fk_comm(day->fk, spot->runs, draw_comm(day));
		day->counts.renames++;
	} else {
		sleep_running(spot);
	}
}

static void take_turn(struct fk *fk, void *arg)
{
	struct spot *spot = arg;
	struct long_day *day = spot->day;
	unsigned gap_us = day->config.gap_us;

	fk_after(fk, (gap_us / 2 + draw(day, gap_us)) * NS_PER_US, take_turn, spot);
	if (spot->off)
		return;
	if (spot->runs == 0 && day->n_sleepers > 0 && draw(day, 3) == 0)
		wake_sleeper(spot);
	else if (spot->runs == 0)
		run_task(spot, spot->shell);
	else if (spot->runs == spot->shell)
		step_shell(spot);
	else
		step_child(spot);
}

static void storm_step(struct fk *fk, void *arg)
{
	struct long_day *day = arg;
	struct spot *spot = &day->spots[0];

	if (spot->runs != spot->shell && spot->runs) {
		exit_running(spot, spot->shell);
		day->storm_left--;
	} else {
		run_task(spot, spot->shell);
		fork_child(spot);
	}
	if (day->storm_left > 0)
		fk_after(fk, STORM_GAP_US / 2 * NS_PER_US, storm_step, day);
	else
		run_task(spot, 0);
}

static void begin_storm(struct fk *fk, void *arg)
{
	struct long_day *day = arg;

	fk_after(fk, day->config.period_s * NS_PER_S, begin_storm, day);
	day->storm_left = day->config.storm;
	if (day->storm_left > 0)
		storm_step(fk, day);
}

static void crowd_comes(struct fk *fk, void *arg)
{
	struct long_day *day = arg;
	struct spot *spot = &day->spots[0];

	run_task(spot, spot->shell);
	for (unsigned i = 0; i < 64 && day->n_crowd < day->config.crowd; i++) {
		day->crowd[day->n_crowd] = alloc_tid(day);
		fk_fork(day->fk, spot->shell, day->crowd[day->n_crowd++]);
	}
	run_task(spot, 0);
	if (day->n_crowd < day->config.crowd)
		fk_after(fk, 5 * NS_PER_MS, crowd_comes, day);
}

static void crowd_goes(struct fk *fk, void *arg)
{
	struct long_day *day = arg;

	for (unsigned i = 0; i < 16 && day->n_crowd > 0; i++) {
		run_task(&day->spots[0], day->crowd[--day->n_crowd]);
		exit_running(&day->spots[0], 0);
	}
	if (day->n_crowd > 0)
		fk_after(fk, 5 * NS_PER_MS, crowd_goes, day);
}

static void come_and_go(struct fk *fk, void *arg)
{
	struct long_day *day = arg;
	uint64_t period_ns = day->config.period_s * NS_PER_S;

	fk_after(fk, period_ns, come_and_go, day);
	fk_after(fk, 0, crowd_comes, day);
	fk_after(fk, period_ns / 4, crowd_goes, day);
}

static void hotplug(struct fk *fk, void *arg)
{
	struct long_day *day = arg;
	struct spot *spot = &day->spots[day->hot];

	if (spot->off) {
		fk_cpu_online(fk, day->hot);
		spot->off = false;
		fk_after(fk, day->config.period_s * NS_PER_S / 40 * 3, hotplug, day);
		return;
	}
	/* Not CPU 0, which Linux keeps online. */
	day->hot = 1 + (int)draw(day, day->config.cpus - 1);
	spot = &day->spots[day->hot];
	sleep_running(spot);
	run_task(spot, 0);
	fk_cpu_offline(fk, day->hot);
	spot->off = true;
	day->counts.offlines++;
	fk_after(fk, day->config.period_s * NS_PER_S / 40, hotplug, day);
}

static void lose_records(struct fk *fk, void *arg)
{
	struct long_day *day = arg;

	fk_lose(fk, (int)draw(day, day->config.cpus), 1 + draw(day, 30));
	day->counts.losses++;
	fk_after(fk, day->config.period_s * NS_PER_S / 30, lose_records, day);
}

/* The other profiler runs for a fifteenth of the period. */
static void profile(struct fk *fk, void *arg)
{
	struct long_day *day = arg;
	bool begins = day->counts.holds % 2 == 0;
	uint64_t share = begins ? 1 : 14;

	for (unsigned i = 0; i < day->config.cpus; i++)
		if (!day->spots[i].off)
			fk_hold(fk, (int)i, begins ? 5 : 0);
	day->counts.holds++;
	fk_after(fk, day->config.period_s * NS_PER_S / 15 * share, profile, day);
}

static void name_cgroups(struct long_day *day)
{
	day->cgroups = xcalloc(day->config.names, NAME_BYTES);
	for (unsigned i = 0; i < day->config.names; i++)
		snprintf(day->cgroups[i], NAME_BYTES,
			 "/kubepods.slice/pod%u/cri-containerd-%08x.scope", i / 4, i * 2654435761u);
}

/* Half of the users have names. */
static void name_users(struct long_day *day)
{
	size_t size;
	char *text = NULL;
	FILE *out = xopen_memstream(&text, &size);

	fputs("root:x:0:0::/:\n", out);
	for (unsigned i = 0; i < day->config.names; i += 2)
		fprintf(out, "user%u:x:%u:100::/:\n", i, 2000 + i);
	fclose(out);
	fk_file(day->fk, "/etc/passwd", text);
	free(text);
}

static void place_cpus(struct long_day *day)
{
	for (unsigned cpu = 0; cpu < day->config.cpus; cpu++) {
		char path[96], text[16];

		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%u/topology/physical_package_id", cpu);
		snprintf(text, sizeof(text), "%u\n", cpu / SOCKET_CPUS);
		fk_file(day->fk, path, text);
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/node%u/cpulist", cpu,
			 cpu / SOCKET_CPUS);
		fk_file(day->fk, path, "");
	}
}

struct long_day *long_day_new(const struct long_day_config *config)
{
	struct long_day *day = xcalloc(1, sizeof(*day));
	struct fk_config machine = fk_machine_server;
	uint64_t period_ns = config->period_s * NS_PER_S;

	machine.cpus = config->cpus;
	machine.fd_limit = 1 << 20;
	day->config = *config;
	day->fk = fk_new(&machine);
	day->lot = 42;
	day->last_tid = FIRST_TID;
	day->most_sleepers = SLEEPERS_PER_CPU * config->cpus;
	day->sleepers = xcalloc(day->most_sleepers, sizeof(*day->sleepers));
	day->crowd = xcalloc(config->crowd, sizeof(*day->crowd));
	day->spots = xcalloc(config->cpus, sizeof(*day->spots));
	name_cgroups(day);
	name_users(day);
	place_cpus(day);
	for (unsigned i = 0; i < config->cpus; i++) {
		day->spots[i] = (struct spot){.day = day, .cpu = (int)i};
		begin_container(&day->spots[i]);
		if (i > 0)
			fk_after(day->fk, i * 137 * NS_PER_US, take_turn, &day->spots[i]);
	}
	fk_after(day->fk, period_ns / 3, begin_storm, day);
	fk_after(day->fk, period_ns / 2, come_and_go, day);
	fk_after(day->fk, period_ns / 40, hotplug, day);
	fk_after(day->fk, period_ns / 11, lose_records, day);
	fk_after(day->fk, period_ns / 5, profile, day);
	return day;
}

void long_day_free(struct long_day *day)
{
	fk_free(day->fk);
	free(day->sleepers);
	free(day->crowd);
	free(day->spots);
	free(day->cgroups);
	free(day);
}

struct fk *long_day_kernel(struct long_day *day)
{
	return day->fk;
}

struct long_day_counts long_day_counts(const struct long_day *day)
{
	return day->counts;
}
