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
 * A machine, real or fake, with a task "me" that runs on `cpu`. Contract tests run each case
 * through struct sys on three of them, so that the fake kernel stays like Linux: the fake one, one
 * with a silent idle task, and the real kernel (software events only, so any machine will do). The
 * real one is skipped with a message if it refuses per-CPU events.
 *
 * The environment variable WORLD selects them: "fake" the fake ones only, without any call of the
 * real kernel; "linux" the real one only; unset: all.
 */
struct world {
	struct sys sys;
	struct fk *fk; /* NULL: the real one */
	int cpu;
	pid_t me;
	pid_t next_tid;   /* of the fake */
	unsigned version; /* kernel version: major << 8 | minor */
	bool silent_idle; /* the idle task makes no records, or this is not known */
	cpu_set_t affinity;
	size_t page_size;
};

struct world_case {
	const char *name;
	void (*run)(void **state); /* *state is a struct world; all is closed at the end */
};

#define WORLD_CASE(function) #function, function

/* Runs all cases in the worlds of WORLD, named "fake: CASE". Returns an exit status. */
int world_run(const char *name, const struct world_case *cases, size_t n);

/*
 * Whether pids are those of the initial pid namespace (PROC_PID_INIT_INO of the kernel), as in the
 * fake ones. In another one, tasks outside have tid 0.
 */
bool world_has_first_pids(const struct world *world);

/* Opens an event on the CPU of "me"; the test fails on error. */
int world_open(const struct world *world, struct perf_event_attr attr, int group_fd);

/* The group that pmctop opens without hardware counters, not enabled yet. */
enum { LEADER, SWITCHES, TICK, MEMBERS };
void world_group(const struct world *world, size_t pages, struct perf_group *group);

void me_spins(struct world *world, uint64_t ns);
/*
 * Uses so much CPU time of this thread, plus a tenth: time charged for its own switches is not
 * counted by events.
 */
void linux_spins(uint64_t ns);
void me_sleeps(struct world *world); /* off the CPU and on again */
void me_is_called(struct world *world, const char *comm);
/* A child process that execs "true" (or not) and exits; returns its pid, reaped. */
pid_t me_forks(struct world *world, bool exec);
/* A thread that exits at once; returns its tid. */
pid_t me_threads(struct world *world);

#endif
