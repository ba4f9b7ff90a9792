// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_DAY_H
#define PMCTOP_TESTS_DAY_H

#include "tests/unit/shared/engine_run.h"

#include <stdio.h>

/*
 * A machine on which tasks come and go for ever, for tests of what is told of a long run: a shell
 * on the first CPU runs one child after the other, each with a name of its own that is hard to
 * print, and numbers that come round again; on the second CPU two wake each other, and records are
 * lost now and then.
 */
enum {
	DAY_SHELL = 50,
	DAY_PING = 60,
	DAY_PONG,
	DAY_FIRST = 1000,
	DAY_CHILDREN = 300, /* numbers; more apart in time than TASKS_REUSE_NS */
};

struct day {
	struct fk *fk;
	struct sys sys;
	struct engine *engine;
	uint64_t turn_ns;
	unsigned fork_scan;
	bool child_runs;
	char comm[16];
};

/* Cut at 15 bytes, like the kernel does: also between those of a character. */
static inline const char *day_comm(struct day *day)
{
	static const char *const hard[][2] = {
		{"", ""},        {"\"", "\",\""},  {"", "\n,x"}, {"\033[31m", ""},
		{"=", "+\\"},    {"", "\xff\xfe"}, {" ", " "},   {"\xe7\xbc\x96", "\xe7"},
		{"{", "}=\"\\"}, {"#", ";a=b"},
	};
	const char *const *around = hard[day->fork_scan % ARRAY_SIZE(hard)];

	snprintf(day->comm, sizeof(day->comm), "%s%u%s", around[0], day->fork_scan, around[1]);
	return day->comm;
}

static inline void day_step(struct fk *fk, void *arg)
{
	struct day *day = arg;
	pid_t child = DAY_FIRST + (pid_t)(day->fork_scan % DAY_CHILDREN);

	if (day->child_runs) {
		fk_exit(fk, child, day->fork_scan % 2 ? FK_EXIT_REAPED : FK_EXIT_ZOMBIE);
		fk_switch(fk, 0, DAY_SHELL);
		day->fork_scan++;
	} else {
		fk_fork(fk, DAY_SHELL, child);
		fk_switch(fk, 0, child);
		fk_exec(fk, child, day_comm(day));
		fk_fault(fk, 0, false);
		if (day->fork_scan % 500 == 499)
			fk_lose(fk, 1, 2);
	}
	day->child_runs = !day->child_runs;
	fk_after(fk, day->turn_ns, day_step, day);
}

/* A child takes a turn, and so does the shell between two of them. */
static inline void day_open(struct day *day, uint64_t turn_ns, const struct engine_config *config)
{
	static const struct fk_spec tasks[] = {
		{.tid = DAY_SHELL, .comm = "sh", .uid = 0, .cgroup = "/a/b c", .rates = HALF_IPC},
		{.tid = DAY_PING, .comm = "ping", .uid = 77, .cgroup = "/\"x\"", .rates = FULL_IPC},
		{.tid = DAY_PONG, .comm = "pong", .uid = 77, .cgroup = "/\"x\"", .rates = HALF_IPC},
	};

	*day = (struct day){.fk = fk_new(&(struct fk_config){.cpus = 2}), .turn_ns = turn_ns};
	day->sys = fk_sys(day->fk);
	for (size_t i = 0; i < ARRAY_SIZE(tasks); i++)
		fk_task(day->fk, &tasks[i]);
	fk_switch(day->fk, 0, DAY_SHELL);
	fk_ping_pong(day->fk, 1, DAY_PING, DAY_PONG, 1700 * NS_PER_US, UINT32_MAX);
	fk_after(day->fk, turn_ns, day_step, day);
	day->engine = open_engine_with(&day->sys, config);
}

static inline void day_close(struct day *day)
{
	close_all(day->engine, day->fk);
}

#endif
