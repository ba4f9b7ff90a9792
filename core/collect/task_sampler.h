// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TASK_SAMPLER_H
#define PMCTOP_TASK_SAMPLER_H

#include "core/attrib/target.h"
#include "core/base/notes.h"
#include "core/code/code_profile.h"
#include "core/collect/code_rings.h"
#include "core/collect/proc_scan.h"
#include "core/event/event.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Samples the code of single threads, without the right to count whole CPUs: those of the target
 * that ran most in the last interval. Counts are not changed. A thread has a cpu-clock and
 * page-faults on each CPU, all with the ring of that CPU as their output: a ring cannot be of a
 * thread on all CPUs. The ring is of an event of pmctop itself, since each sampled thread may end
 * before the others. Members of its counters cannot sample: they are inherited.
 *
 * Bounded: TASK_SAMPLER_THREADS threads, TASK_SAMPLER_FDS descriptors, fewer where the limit of
 * descriptors is low, because counters of threads come first. Where TASK_SAMPLER_BOTH threads have
 * no room with both events, all have the cpu-clock alone. A thread is sampled from the interval
 * after the one in which it is first seen, so tasks that live less than that are not sampled. While
 * nothing is requested it has no descriptor, ring or memory.
 *
 * Without permission for the kernel's code (kernel.perf_event_paranoid 2) samples are of user mode
 * alone. Then the events are "cpu-clock:u", whose exact count is user_time, if that is counted, and
 * "page-faults:u".
 */
enum {
	TASK_SAMPLER_THREADS = 64,
	TASK_SAMPLER_FDS = 512,
	TASK_SAMPLER_BOTH = 8,
	TASK_SAMPLER_EVENTS = 2,
};

struct task_sampler {
	const struct proc_scan *proc_scan; /* borrowed, as are the next two */
	const struct target *target;
	const struct event_set *set;
	bool user_only;
	struct code_rings rings;
	pid_t threads[TASK_SAMPLER_THREADS];
	size_t n_threads;
	size_t most; /* threads; fewer after descriptors ran out */
	struct code_event events[TASK_SAMPLER_EVENTS];
	uint64_t periods[TASK_SAMPLER_EVENTS];
	unsigned n_events; /* chosen while no thread is sampled */
	int refusal;       /* -errno of the last renew; 0: none */
};

/* Samples nothing yet. */
void task_sampler_init(struct task_sampler *sampler, const struct sys *sys,
		       const struct proc_scan *proc_scan, const struct target *target,
		       const struct event_set *events, struct notes *notes, bool user_only);
/* Closes all. */
void task_sampler_fini(struct task_sampler *sampler);

/*
 * Between two intervals, after the scan of /proc: chooses threads, opens and closes their events.
 * fds: descriptors that counters do not need; a part of them is used. other_ns: CPU time that the
 * samples of the interval cost the sink elsewhere.
 */
void task_sampler_renew(struct task_sampler *sampler, const struct code_request *request,
			size_t fds, uint64_t other_ns);

/* The sampled events, borrowed until the next renew; *n is 0 while nothing is sampled. */
static inline const struct code_event *task_sampler_events(const struct task_sampler *sampler,
							   size_t *n)
{
	*n = sampler->rings.n > 0 ? sampler->n_events : 0;
	return sampler->events;
}

#endif
