// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_EVENT_H
#define PMCTOP_CODE_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The events that sample code, and how often they do. Sources of samples on a CPU, all with the
 * ring of CODE_EVENT_RING as their output (PERF_EVENT_IOC_SET_OUTPUT):
 *
 *   - hardware members of the groups that count. An event that was opened with period 0 cannot
 *     sample later (PERF_EVENT_IOC_PERIOD: EINVAL), so members are opened with CODE_PERIOD_OFF and
 *     without a ring. Such a member counts as before: the counter overflows and is set anew as
 *     often as without a period, and no record is made. The layout of readings does not change.
 *     To begin, it gets a ring and a period, to end, CODE_PERIOD_OFF. The kernel stops the whole
 *     PMU while it sets a period, so no member of a group counts meanwhile, and ratios stay exact.
 *   - a cpu-clock where no member counts cycles.
 *   - page-faults, an event of its own.
 */
#define CODE_PERIOD_OFF (UINT64_C(1) << 62)

enum code_event_source {
	CODE_EVENT_RING,   /* counts nothing: MMAP2, COMM, FORK, EXIT and KSYMBOL records */
	CODE_EVENT_CLOCK,  /* the time of tasks; idle CPUs make no samples */
	CODE_EVENT_FAULTS, /* page faults */
	/* Of single threads: */
	CODE_EVENT_OUTPUT, /* counts nothing and makes no records: the ring of others */
	CODE_EVENT_THREAD, /* its time, and its MMAP2, COMM, FORK and EXIT records */
};

/* The attr of an event outside the groups. ring_bytes: of the ring, for ring_wake_bytes(). */
struct perf_event_attr code_event_attr(enum code_event_source source, uint64_t period,
				       size_t ring_bytes);
/* Lets the attr of a counting member sample from CODE_PERIOD_OFF on. */
void code_event_add_sampling(struct perf_event_attr *attr);

/*
 * Periods are fixed. (In frequency mode the kernel begins with period 1, and one of its first
 * samples stood for 66 million cycles.) They are odd, so that they are not in step with loops of a
 * power of two. A period changes only if the rate is off by a factor of 2, so that samples of
 * different intervals weigh the same.
 *
 * From Linux 6.16 on, an event that makes more than perf_event_max_sample_rate / HZ samples in a
 * tick stops its whole group, with its records of switches. So the period is at least what keeps an
 * event at half of that when it occurs as often as is possible at all: CODE_CLOCK_HZ times its most
 * occurrences a cycle, code_event_per_cycle(). A load that suddenly misses the cache with each load
 * does not stop its group. One limit remains: a CPU that has no ticks while it runs (nohz_full)
 * counts the samples of all that time as if in one tick. THROTTLE records mark the gap.
 */
#define CODE_CLOCK_HZ 8000000000.0 /* no CPU has a faster clock */

/* How often an event occurs in a cycle at most: 1 for cycles and misses, 8 for unknown ones. */
unsigned code_event_per_cycle(const struct perf_event_attr *attr);

/*
 * The period of a hardware event for `hz` samples a second, at `rate` occurrences a second of a
 * busy CPU (0: unknown). `period`: the present one, kept if it is near enough; 0: none. max_hz:
 * perf_event_max_sample_rate; 0: unknown, taken as CODE_MAX_HZ.
 */
uint64_t code_event_period(uint64_t period, double rate, unsigned hz, unsigned per_cycle,
			   uint64_t max_hz);
enum { CODE_MAX_HZ = 100000 }; /* the kernel's default */

/* The period of page-faults, from `samples` a second of a busy CPU with the present one. */
uint64_t code_event_faults_period(uint64_t period, double samples, unsigned hz);
enum { CODE_FAULTS_PERIOD = 1009 }; /* to begin with */

#endif
