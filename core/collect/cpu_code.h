// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CPU_CODE_H
#define PMCTOP_CPU_CODE_H

#include "core/collect/cpu_counters.h"
#include "core/event/plan.h"
#include "core/perf/code_event.h"
#include "core/perf/code_record.h"
#include "core/perf/ring.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The samples of code of one CPU: a ring of their own, and the events that write to it. */

/* An event with this CPU's samples. */
struct cpu_code_event {
	unsigned event; /* index in the list of sampled events */
	int fd;
	uint64_t id;
	/* Opened here, and its period is the weight; else it is a member of a group that counts. */
	bool owned;
	bool has_period; /* in its samples */
	bool is_clock;   /* its period is in ns */
	pid_t tid;       /* the thread that it samples; 0: all */
	uint64_t period;
	/* Since then it makes no samples, and does not count if it is a member; 0: it does. */
	uint64_t throttled_ns;
	uint64_t samples; /* read since its owner has set it to 0 */
	int restored_fd;  /* of a member: its output before; -1: none */
};

struct cpu_code {
	const struct sys *sys;
	int number;
	int ring_fd; /* the event with the ring; -1: not open */
	struct ring ring;
	struct cpu_code_event *events;
	size_t n, capacity;
	uint64_t samples; /* read since its owner has set it to 0 */
};

/*
 * Opens the ring and the event of its records. *ring_bytes is halved while locked memory does not
 * suffice. Returns 0 or -errno; -ENOBUFS without locked memory.
 */
int cpu_code_open(struct cpu_code *code, const struct sys *sys, int number, size_t *ring_bytes);
/*
 * The same for events of single threads, without the right to count the CPU: CODE_EVENT_OUTPUT of
 * the calling thread has the ring. So the ring does not depend on the life of a sampled thread.
 */
int cpu_code_open_own(struct cpu_code *code, const struct sys *sys, int number, size_t *ring_bytes);
/*
 * Members of groups only count again, if `cpu` is still as it was (NULL: it has no members). Zeroed
 * is not valid.
 */
void cpu_code_close(struct cpu_code *code, struct cpu_counters *cpu);

/* Opens an event beside the groups, as that sampled event. Returns 0 or -errno. */
int cpu_code_add(struct cpu_code *code, unsigned event, enum code_event_source source,
		 uint64_t period, size_t ring_bytes);
/*
 * Opens an event of one thread on this CPU, as that sampled event. user_only: the kernel's code is
 * not sampled. Returns 0 or -errno; -ESRCH if the thread has ended.
 */
int cpu_code_add_thread(struct cpu_code *code, unsigned event, enum code_event_source source,
			pid_t tid, bool user_only, uint64_t period);
/* Closes the events of a thread. */
void cpu_code_remove_thread(struct cpu_code *code, pid_t tid);
/* Whether the CPU has events of a thread. */
bool cpu_code_has_thread(const struct cpu_code *code, pid_t tid);
/* Whether the CPU has members that can sample an event of the plan. */
bool cpu_code_can_attach(const struct cpu_counters *cpu, const struct plan *plan, unsigned counted);
/*
 * Lets those members sample which count an event of the plan, as that sampled event. Returns how
 * many do; fewer if the kernel refuses some.
 */
size_t cpu_code_attach(struct cpu_code *code, struct cpu_counters *cpu, const struct plan *plan,
		       unsigned counted, unsigned event, uint64_t period);
/* Sets the period of a sampled event. */
void cpu_code_set_period(struct cpu_code *code, unsigned event, uint64_t period);
/*
 * Lets throttled events go on, by setting their period again. The kernel does it at the next tick,
 * which an idle CPU does not have.
 */
void cpu_code_resume(struct cpu_code *code);

/*
 * The event of a sample, or NULL. A sample of a software event may have the id of another program's
 * event (core/attrib/attrib.h).
 */
struct cpu_code_event *cpu_code_find(const struct cpu_code *code, uint64_t id);

#endif
