// SPDX-License-Identifier: MIT
#ifndef PMCTOP_THROTTLING_H
#define PMCTOP_THROTTLING_H

#include "core/attrib/tasks.h"
#include "core/event/event_wait.h"
#include "core/sys/cgroup_dir.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * How long cgroups were throttled in an interval because their CPU quota was used up. The quota of
 * an ancestor throttles its descendants, so the time of a cgroup is the greatest growth among it
 * and its ancestors. The kernel sums it over CPUs, and adds it when a throttling ends.
 *
 * Files are read only of cgroups in which a task waits for a CPU, and of their ancestors, each once
 * an interval: cpu.stat if there is a quota, and every eighth interval whether there is one. On a
 * virtual machine a file takes 6 us. 1,000 cgroups without a quota cost nothing that can be
 * measured, and 1,000 with one, of which 300 wait at a time, 4 ms of CPU time an interval.
 */
struct throttling {
	const struct sys *sys; /* borrowed */
	struct cgroup_mounts mounts;
	bool mounts_read;
	bool without_quotas; /* the kernel has no CPU quotas (version 1 without CFS_BANDWIDTH) */
	uint64_t
		unwanted; /* the last interval without a column that needs them, set by the owner */
};

void throttling_fini(struct throttling *throttling); /* zeroed is fine */

/*
 * Evaluates a cgroup in the interval of that number: fills in cgroup->quota. It does so once an
 * interval. The first reading of a cgroup with a quota has no growth, so its time is not known.
 */
void throttling_evaluate(struct throttling *throttling, struct cgroup *cgroup, uint64_t interval);

/*
 * Fills in the throttled time of a task, or of the threads of a process: at most the time of its
 * cgroup for each thread, and at most the time in run queues. Without a quota it is 0, else an
 * estimate. interval: its number.
 */
void throttling_estimate(struct throttling *throttling, const struct task *task, uint64_t interval,
			 uint64_t interval_ns, struct wait_values *values);

#endif
