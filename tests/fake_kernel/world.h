// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FAKE_KERNEL_WORLD_H
#define PMCTOP_FAKE_KERNEL_WORLD_H

#include "core/sys/sys.h"
#include "tests/fake_kernel/fake_kernel.h"
#include "tests/fake_kernel/perf_group.h"
#include "tests/fake_kernel/reader.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <cmocka.h>

/*
 * One machine, real or fake, with a task "me" that runs on `cpu`. Contract tests run each case in
 * three of them through struct sys, so that the fake kernel cannot drift from Linux: the fake one,
 * one whose idle task is silent, and the kernel this test runs on (software events only, so any
 * machine will do). The real third is skipped, aloud, where the kernel refuses per-CPU events.
 *
 * The environment variable WORLD selects the kernels: "fake" runs the fake ones and asks the real
 * one nothing, "linux" runs the real one only; not set, all of them run.
 */
struct world {
	struct sys sys;
	struct fk *fk; /* NULL: the real one */
	int cpu;
	pid_t me;
	pid_t next_tid;   /* of the fake */
	unsigned version; /* of the kernel: major << 8 | minor */
	bool silent_idle; /* the idle task makes no records (or it is not known that it does) */
	cpu_set_t affinity;
	size_t page_size;
};

struct world_case {
	const char *name;
	void (*run)(void **state); /* *state is a struct world; everything is closed at the end */
};

#define WORLD_CASE(function) #function, function

/* All cases in the worlds of WORLD, under names "fake: CASE"; an exit status for main to return. */
int world_run(const char *name, const struct world_case *cases, size_t n);

/* ---- events on the CPU of "me"; the test fails where they do not open */

int world_open(const struct world *world, struct perf_event_attr attr, int group_fd);

/* The group that pmctop opens where there are no counters, not enabled yet. */
enum { LEADER, SWITCHES, TICK, MEMBERS };
void world_group(const struct world *world, size_t pages, struct perf_group *group);

/* ---- what "me" can do */

void me_spins(struct world *world, uint64_t ns);
/*
 * So much of this thread's own CPU time, and a tenth more: what it is charged for being switched
 * out and in, no event counts.
 */
void linux_spins(uint64_t ns);
void me_sleeps(struct world *world); /* off the CPU and on again */
void me_is_called(struct world *world, const char *comm);
/* A child process that execs "true" (or not) and exits; returns its pid, reaped. */
pid_t me_forks(struct world *world, bool exec);
/* A thread that exits at once; returns its tid. */
pid_t me_threads(struct world *world);

#endif
