// SPDX-License-Identifier: MIT
#include "tests/unit/shared/day.h"

/* Cut at 15 bytes, as in the kernel: also within a character. */
static const char *day_comm(struct day *day)
{
	static const char *const hard[][2] = {
		{"", ""},        {"\"", "\",\""},  {"", "\n,x"}, {"\033[31m", ""},
		{"=", "+\\"},    {"", "\xff\xfe"}, {" ", " "},   {"\xe7\xbc\x96", "\xe7"},
		{"{", "}=\"\\"}, {"#", ";a=b"},
	};
	const char *const *around = hard[day->n_children % ARRAY_SIZE(hard)];

	snprintf(day->comm, sizeof(day->comm), "%s%u%s", around[0], day->n_children, around[1]);
	return day->comm;
}

static void day_step(struct fk *fk, void *arg)
{
	struct day *day = arg;
	pid_t child = DAY_FIRST + (pid_t)(day->n_children % DAY_CHILDREN);

	if (day->child_runs) {
		fk_exit(fk, child, day->n_children % 2 ? FK_EXIT_REAPED : FK_EXIT_ZOMBIE);
		fk_switch(fk, 0, DAY_SHELL);
		day->n_children++;
	} else {
		fk_fork(fk, DAY_SHELL, child);
		fk_switch(fk, 0, child);
		fk_exec(fk, child, day_comm(day));
		fk_fault(fk, 0, false);
		if (day->n_children % 500 == 499)
			fk_lose(fk, 1, 2);
	}
	day->child_runs = !day->child_runs;
	fk_after(fk, day->turn_ns, day_step, day);
}

void day_open(struct day *day, uint64_t turn_ns, const struct engine_config *config)
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

void day_close(struct day *day)
{
	close_all(day->engine, day->fk);
}
