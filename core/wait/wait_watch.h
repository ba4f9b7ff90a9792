// SPDX-License-Identifier: MIT
#ifndef PMCTOP_WAIT_WATCH_H
#define PMCTOP_WAIT_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * How long each wait of one process or thread took. A wait counts in the interval in which it ends:
 * the task gets a CPU again. What lasts is in no count yet.
 */
enum wait_kind {
	WAIT_KIND_PREEMPTED, /* runnable, from a preemption or its FORK until it runs */
	WAIT_KIND_BLOCKED,   /* from the switch until it runs, so with the latency of the wake-up */
	WAIT_KIND_OFF,       /* one of these: no record has which */
	WAIT_KINDS,
};

/*
 * Bucket i < 4 has waits of i ns. From there on each power of two is divided into four buckets, so
 * that a percentile is too high by at most a quarter.
 */
enum { WAIT_BUCKETS = 160 }; /* the last one begins at 7 * 2^38 ns, half an hour */

struct wait_histogram {
	uint32_t counts[WAIT_BUCKETS];
	uint64_t n, max_ns;
};

void wait_histogram_add(struct wait_histogram *histogram, uint64_t ns);
void wait_histogram_merge(struct wait_histogram *histogram, const struct wait_histogram *more);
/*
 * The time in ns that a share (0..1) of the waits did not exceed: the upper end of its bucket, or
 * the longest wait if that is less. 0 without waits.
 */
uint64_t wait_histogram_percentile(const struct wait_histogram *histogram, double share);

/* The waits of one subject in one interval. Zeroed: nothing is watched. */
struct wait_watch {
	pid_t pid, tid;    /* one of them is not 0: all threads of a process, or a thread */
	uint64_t since_ns; /* waits that began before are not counted */
	bool lost;         /* records were lost: waits may be missing, or too long */
	struct wait_histogram kinds[WAIT_KINDS];
};

static inline bool wait_watch_has(const struct wait_watch *watch, pid_t pid, pid_t tid)
{
	return watch->pid ? pid == watch->pid : watch->tid != 0 && tid == watch->tid;
}

/* Begins an interval. */
void wait_watch_reset(struct wait_watch *watch);

#endif
