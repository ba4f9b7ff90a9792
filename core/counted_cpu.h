// SPDX-License-Identifier: MIT
#ifndef PMCTOP_COUNTED_CPU_H
#define PMCTOP_COUNTED_CPU_H

#include "attrib.h"
#include "event.h"
#include "group.h"
#include "plan.h"
#include "ring.h"
#include "sys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * One CPU as the system collector counts it: its counter group, the ring of its records, and what
 * is known of its ticks. Open between counted_cpu_open and counted_cpu_close.
 */
struct counted_cpu {
	int number;
	size_t index; /* in the interval */
	const struct sys *sys;
	struct attrib *attrib; /* borrowed: where its records go */

	bool open;
	bool dead; /* its counters do not count any more: it was offline meanwhile */
	struct group group;
	struct ring ring;
	uint64_t armed_ns;               /* when its tick was armed; 0: it is not */
	uint64_t enabled_ns, running_ns; /* when last looked at by counted_cpu_check */
	unsigned tickless_cuts;          /* how many in a row */
	unsigned off_cuts;               /* in which its group was off the PMU, in a row */
	uint64_t idle_credit_ns;         /* idle by /proc/stat, and not in any interval yet */
};

/* Not open yet. */
void counted_cpu_init(struct counted_cpu *cpu, const struct sys *sys, struct attrib *attrib,
		      int number, size_t index);

/*
 * Opens the group and a ring of ring_bytes, and starts to count from zero. 0 or the kernel's
 * -errno: -ENOBUFS where no locked memory is left for the ring; else *failed is the index of the
 * member that was refused.
 */
int counted_cpu_open(struct counted_cpu *cpu, const struct event_set *events,
		     const struct plan_group *plan, size_t ring_bytes, size_t *failed);
void counted_cpu_close(struct counted_cpu *cpu); /* whether open or not */

/*
 * Folds in records up to the first tick made at or after until_ns (UINT64_MAX: all there are): true
 * where it came to one.
 */
bool counted_cpu_drain(struct counted_cpu *cpu, uint64_t until_ns);

/* Arms the tick; false where the kernel refuses. Disarms it, whether it came or not. */
bool counted_cpu_arm(struct counted_cpu *cpu);
void counted_cpu_disarm(struct counted_cpu *cpu, bool ticked);

/*
 * After a cut that nothing told of: is the group off the PMU (off_cuts), so that it makes no
 * records at all? Or are its enabled ns at a stand (dead): it was dissolved when its CPU went
 * offline, and stays so when the CPU is back.
 */
void counted_cpu_check(struct counted_cpu *cpu);

#endif
