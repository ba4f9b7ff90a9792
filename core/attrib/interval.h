// SPDX-License-Identifier: MIT
#ifndef PMCTOP_INTERVAL_H
#define PMCTOP_INTERVAL_H

#include "core/attrib/tasks.h"
#include "core/event/tally.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What was counted since the last cut, by task, CPU, idle and unattributed. A collector adds to
 * it, the engine turns it into a snapshot and resets it. Only tasks that ran have a slot here, so
 * an interval costs O(tasks that ran), not O(tasks).
 */

/* That the task of a slot ran on a CPU, and for how long. */
struct interval_place {
	uint64_t ns;
	uint32_t cpu;  /* its index; INTERVAL_NOWHERE: nobody tells */
	uint32_t next; /* of places that of another CPU, + 1; 0: there is none */
};
#define INTERVAL_NOWHERE UINT32_MAX

struct interval {
	struct tally_shape shape;
	uint64_t sequence; /* of this interval; a task's slot is valid where task->interval is it */

	struct task **ran; /* slot -> task */
	uint64_t *tallies; /* slot -> tally */
	size_t n_ran, capacity;
	struct interval_place *last_places; /* slot -> where it ran last ... */
	struct interval_place *places;      /* ... and all that were before */
	size_t n_places, places_capacity;

	int *cpu_numbers;    /* index -> CPU */
	uint64_t *cpus;      /* index -> tally of all that ran there, by the CPU's own end points */
	uint64_t *idle;      /* index -> tally of its idle task */
	bool *cpu_online;    /* index -> as of the cut */
	bool *cpu_whole;     /* index -> was counted from the beginning on, to the end, all of it */
	bool *cpu_counted;   /* index -> whether it was heard of at all */
	bool *cpu_gaps;      /* index -> slices of tasks that ran there are unattributed */
	bool *cpu_unclear;   /* index -> only SWITCH records name the tasks that ran there */
	bool *cpu_unnamed;   /* index -> nobody knows who ran there at the end */
	uint64_t *hidden_ns; /* index -> unattributed time without records, which may be idle */
	size_t n_cpus;
	bool uncounted; /* some CPU is not counted (from opening on): any task may have run there */

	uint64_t *unattributed; /* one tally */
	uint64_t *others;      /* one tally: of tasks that are not the target's, and have no slot */
	uint64_t *totals;      /* one tally: what the parts add up to, found at the cut */
	uint64_t contended_ns; /* of slices in which a group was off the PMU for a while */
	uint64_t lost_records; /* as LOST records tell */
	uint64_t gaps;         /* switches that N counted without a record */
	uint64_t unexplained;  /* those of them of which nothing else tells either */
};

/* An empty interval 1 over these CPUs. */
void interval_init(struct interval *interval, const struct tally_shape *shape,
		   const int *cpu_numbers, size_t n_cpus);
void interval_fini(struct interval *interval);
/* Begins the next one: everything back to zero. */
void interval_reset(struct interval *interval);
/* The same, in another shape. */
void interval_reshape(struct interval *interval, const struct tally_shape *shape);

/* At the cut: totals from the CPUs, or from the parts where /proc tells of the CPUs. */
void interval_sum_cpus(struct interval *interval);
void interval_sum_parts(struct interval *interval);

/*
 * How long the interval was for the CPUs, on average: each ends at its own reading, or in a
 * recording of perf's at its last record, and rates are of what was counted. Those that came or
 * went meanwhile, or were hardly heard of, do not count; `wall_ns` where none does.
 */
uint64_t interval_counted_ns(const struct interval *interval, uint64_t wall_ns);

/*
 * The largest part of `length_ns`, 0..1, by which the interval was longer or shorter for one of the
 * CPUs that are counted at its end; 0 if it is at most INTERVAL_EVEN. Rates of tasks that ran there
 * may be wrong by as much. If a CPU is read late, its part of this interval is longer, and its part
 * of the next one is shorter.
 */
#define INTERVAL_EVEN 0.02
float interval_uneven(const struct interval *interval, uint64_t length_ns);

/* What stands at a place of the tallies of all tasks, added up. */
uint64_t interval_sum_tasks(const struct interval *interval, size_t at);

/* Gives a task a slot, which it has not yet. */
void interval_admit(struct interval *interval, struct task *task);

/* The tally of a task, given a slot if it has none yet. Valid until the next call. */
static inline uint64_t *interval_task(struct interval *interval, struct task *task)
{
	if (task->interval != interval->sequence)
		interval_admit(interval, task);
	return interval->tallies + task->slot * tally_width(&interval->shape);
}

/* Makes that CPU the one where a slot ran last. */
void interval_come(struct interval *interval, size_t slot, size_t cpu);

/* A task that has a slot ran so long on the CPU of that index: mostly that of the slice before. */
static inline void interval_ran(struct interval *interval, const struct task *task, size_t cpu,
				uint64_t ns)
{
	if (interval->last_places[task->slot].cpu != cpu)
		interval_come(interval, task->slot, cpu);
	interval->last_places[task->slot].ns += ns;
}

/*
 * At the cut, when silent time that was idle has been found (interval_hidden_to_idle): of CPUs
 * that are unnamed and have more than a hundredth left some task's counts are too low (cpu_gaps).
 */
void interval_mark_unnamed(struct interval *interval);
/* Whether the task of a slot ran on a CPU with gaps: its counts are then a lower bound. */
bool interval_has_gaps(const struct interval *interval, size_t slot);

/*
 * Silent time of a CPU, which belongs to that domain, that was idle after all, as someone else
 * tells; returns how much of it.
 */
uint64_t interval_hidden_to_idle(struct interval *interval, size_t index, unsigned domain,
				 uint64_t idle_ns);

static inline uint64_t *interval_cpu(const struct interval *interval, size_t index)
{
	return interval->cpus + index * tally_width(&interval->shape);
}

static inline uint64_t *interval_idle(const struct interval *interval, size_t index)
{
	return interval->idle + index * tally_width(&interval->shape);
}

#endif
