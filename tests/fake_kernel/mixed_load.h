// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FAKE_KERNEL_MIXED_LOAD_H
#define PMCTOP_FAKE_KERNEL_MIXED_LOAD_H

#include "tests/fake_kernel/fake_kernel.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * A load of tasks that run, are preempted, sleep, wait in D, are stopped, wake up, wait in one run
 * queue for all CPUs, fork and exit, at random times. The same seed makes the same load. Its tasks
 * have the numbers from `first` on; children have the next ones.
 */
struct mixed_load_spec {
	unsigned cpus, tasks;
	uid_t uid;
	pid_t first;
	uint64_t seed;
	unsigned fork_percent; /* of slices */
	bool deep;             /* children fork too */
	/* Of the slices before a sleep: with a wake-up that changes nothing, and with a real one.
	 */
	unsigned early_percent;
	unsigned move_percent; /* of preemptions: moved to another CPU, while queued */
	uint64_t queue_ns;     /* most time in the run queue while a CPU is idle */
};

/* Where its tasks are blocked. */
enum {
	MIXED_SLEEP,
	MIXED_LOCK,
	MIXED_CONDITION,
	MIXED_VFORK,
	MIXED_DISK,
	MIXED_PAGE,
	MIXED_STOP,
	MIXED_WAITS,
};
extern const struct fk_wait mixed_waits[MIXED_WAITS];

struct mixed_load;

struct mixed_load *mixed_load_new(struct fk *fk, const struct mixed_load_spec *spec);
void mixed_load_free(struct mixed_load *load); /* after its kernel */
/* The number after the newest child. */
pid_t mixed_load_end(const struct mixed_load *load);
/* The parent of a child, 0 of other tasks. */
pid_t mixed_load_parent(const struct mixed_load *load, pid_t tid);
bool mixed_load_has_ended(const struct mixed_load *load, pid_t tid);

#endif
