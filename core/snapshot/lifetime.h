// SPDX-License-Identifier: MIT
#ifndef PMCTOP_LIFETIME_H
#define PMCTOP_LIFETIME_H

#include "core/base/figure.h"
#include "core/snapshot/detail.h"
#include "core/snapshot/snapshot.h"

/*
 * What the threads of a row did in an interval, as parts that do not overlap: on a CPU, runnable,
 * blocked. Their sum is the lifetime of these threads in the interval, which is n intervals for n
 * threads that lived all the time.
 *
 * Events of waiting overlap (core/event/event_wait.h). Disk and paging are taken out of state D.
 * Locks are taken out of the rest of blocked time, and out of state D if they are more. What an
 * estimate has beyond the time from which it is taken is left out.
 */
enum lifetime_part {
	LIFETIME_USER,
	LIFETIME_KERNEL,
	LIFETIME_RUN, /* in place of these two, if kernel_percent is no column or unknown */
	LIFETIME_RUNQ,
	LIFETIME_THROTTLED, /* without a CPU because of the quota of a cgroup */
	LIFETIME_DISK,
	LIFETIME_PAGING,
	LIFETIME_UNINTERRUPTIBLE, /* state D for another reason, or for an unknown one */
	LIFETIME_LOCK,
	LIFETIME_STOPPED,
	LIFETIME_SLEEP,   /* the rest of blocked time */
	LIFETIME_BLOCKED, /* in place of it, if time in state D is unknown */
	LIFETIME_UNKNOWN, /* the rest of the lifetime */
	LIFETIME_PARTS,
};

struct lifetime {
	double ns; /* all parts; 0: none */
	/* ns. UNDEFINED: another part is in its place. NOT_COUNTED: unknown. */
	struct figure parts[LIFETIME_PARTS];
};

/* Times of a row, in ns. Times of waiting have the states of their events. */
struct lifetime_times {
	double ns; /* of the threads */
	double run;
	struct figure kernel_share; /* 0..1, of run */
	struct figure runq, throttled, blocked, uninterruptible, stopped, disk, paging, lock;
};

/* Pure. A lifetime that is less than the sum of the known times becomes that sum. */
void lifetime_split(const struct lifetime_times *times, struct lifetime *lifetime);

/*
 * The lifetime of the subject of `detail` in that snapshot. A thread or process that lives but has
 * no times in mode "system" was blocked all the time. Returns false if nothing is known about the
 * row, or if it is a CPU. Without events of waiting the threads are taken to live all the time,
 * and most of that is LIFETIME_UNKNOWN.
 */
bool lifetime_read(const struct snapshot *snapshot, const struct detail *detail,
		   struct lifetime *lifetime);

#endif
