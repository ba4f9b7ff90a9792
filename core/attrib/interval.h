// SPDX-License-Identifier: MIT
#ifndef PMCTOP_INTERVAL_H
#define PMCTOP_INTERVAL_H

#include "core/attrib/tasks.h"
#include "core/event/tally.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The counts since the last cut, by task, CPU, idle and unattributed. A collector adds to it. The
 * engine makes a snapshot of it and resets it. Only tasks that ran have a slot here, so an interval
 * costs O(tasks that ran), not O(tasks).
 *
 * Below, `index` is that of a CPU in cpu_numbers.
 */

/* A CPU on which the task of a slot ran. */
struct interval_place {
	uint64_t ns;   /* run time there */
	uint32_t cpu;  /* index; INTERVAL_NOWHERE: unknown */
	uint32_t next; /* 1 + index in `places` of another CPU; 0: none */
};
#define INTERVAL_NOWHERE UINT32_MAX

/* How a CPU was counted in an interval. */
struct cpu_coverage {
	bool online;        /* at the cut */
	bool whole;         /* counted in the whole interval */
	bool counted;       /* there were records */
	bool gaps;          /* slices of its tasks are unattributed */
	bool throttled;     /* a group or an event was throttled: it counted too little */
	bool unclear;       /* only SWITCH records name its tasks */
	bool unnamed;       /* no record names the task at the end */
	bool outside;       /* `others` has tasks outside of this pid namespace */
	uint64_t hidden_ns; /* unattributed time without records; it may be idle */
	uint64_t doubt_ns;  /* by so much its idle time may be wrong: all of these ... */
	uint64_t ticks_ns;  /* ... its rounding to ticks, which does not add up */
	uint64_t gap_ns;    /* time of the slices of `gaps`: any task may have run */
};

/* Of tasks without a slot, in the events of waiting: what a cut found. */
struct interval_still {
	bool known;    /* none of them ran: all were off their CPUs */
	bool blocked;  /* ... and none of them waited for a CPU */
	bool sleeping; /* ... and none was in uninterruptible sleep, or stopped */
};

/* Other rooms write the tallies. They set other members by the functions below. */
struct interval {
	struct tally_shape shape;
	uint64_t sequence; /* of this interval; a task has a slot if task->interval equals it */

	struct task **ran; /* slot -> task */
	uint64_t *tallies; /* slot -> tally */
	size_t n_ran, capacity;
	struct interval_place *last_places; /* slot -> the CPU of its last slice ... */
	struct interval_place *places;      /* ... and its other CPUs */
	size_t n_places, places_capacity;

	int *cpu_numbers; /* index -> CPU */
	uint64_t *cpus;   /* index -> tally of all tasks there, by the CPU's end points */
	uint64_t *idle;   /* index -> tally of its idle task */
	struct cpu_coverage *coverage; /* by index */
	size_t n_cpus;
	struct interval_still still; /* by the last cut */
	uint64_t wall_ns;            /* between this cut and the one before */
	bool uncounted; /* some CPU is not counted (from opening on): any task may have run there */
	uint64_t gaps_until_ns; /* end of the last slice of gap_ns; UINT64_MAX: the cut */

	uint64_t *unattributed; /* one tally */
	uint64_t *others;       /* one tally: tasks outside the target or the pid namespace */
	uint64_t *totals;       /* one tally: the sum of the parts, made at the cut */
	uint64_t contended_ns;  /* time of slices in which a group was off the PMU */
	uint64_t lost_records;  /* by LOST records */
	uint64_t gaps;          /* switches that N counted and that made no record */
	uint64_t unexplained;   /* ... and that no SWITCH record explains */
};

/* Makes an empty interval, with sequence 1, over these CPUs. Copies the numbers. */
void interval_init(struct interval *interval, const struct tally_shape *shape,
		   const int *cpu_numbers, size_t n_cpus);
void interval_fini(struct interval *interval);
/* Begins the next interval: all counts are 0. */
void interval_reset(struct interval *interval);
/* The same with another shape. */
void interval_reshape(struct interval *interval, const struct tally_shape *shape);

/* At the cut: adds up totals from the CPUs, or from the parts if the CPUs are those of /proc. */
void interval_sum_cpus(struct interval *interval);
void interval_sum_parts(struct interval *interval);

/*
 * The average length of the interval over the CPUs, in ns, for rates. Each CPU ends at its own
 * reading, or in a recording of perf at its last record. CPUs that came or went in the interval, or
 * with less than half of the longest time, are left out. If none is left: wall_ns.
 */
uint64_t interval_counted_ns(const struct interval *interval);

/*
 * The largest part of `length_ns`, 0..1, by which the interval was longer or shorter for one of the
 * CPUs that are counted at its end; 0 if it is at most INTERVAL_EVEN. Rates of tasks that ran there
 * may be wrong by as much. If a CPU is read late, its part of this interval is longer, and its part
 * of the next one is shorter.
 */
#define INTERVAL_EVEN 0.02
float interval_uneven(const struct interval *interval, uint64_t length_ns);

/* The sum over all tasks of the tally's element `at`. */
uint64_t interval_sum_tasks(const struct interval *interval, size_t at);

/* Adds a slot for a task without one. */
void interval_admit(struct interval *interval, struct task *task);

/* The tally of a task in this interval; NULL: it has none. */
const uint64_t *interval_tally(const struct interval *interval, const struct task *task);
/* The tally of a task. Adds a slot if there is none. Valid until the next call. */
static inline uint64_t *interval_task(struct interval *interval, struct task *task)
{
	if (task->interval != interval->sequence)
		interval_admit(interval, task);
	return interval->tallies + task->slot * tally_width(&interval->shape);
}

/* Makes that CPU the CPU of the slot's last slice. */
void interval_come(struct interval *interval, size_t slot, size_t cpu);

/* Adds run time of a task, which has a slot, on a CPU: mostly that of its last slice. */
static inline void interval_ran(struct interval *interval, const struct task *task, size_t cpu,
				uint64_t ns)
{
	if (interval->last_places[task->slot].cpu != cpu)
		interval_come(interval, task->slot, cpu);
	interval->last_places[task->slot].ns += ns;
}

/* Adds a slice in which any task may have run on that CPU: ns up to end_ns. */
void interval_add_gap(struct interval *interval, size_t cpu, uint64_t ns, uint64_t end_ns);

/* At the cut: no CPU is online, until interval_set_online(). */
void interval_set_offline(struct interval *interval);
/* At the cut: whether a CPU is online, and whether it was counted in the whole interval. */
static inline void interval_set_online(struct interval *interval, size_t cpu, bool online,
				       bool whole)
{
	interval->coverage[cpu].online = online;
	interval->coverage[cpu].whole = whole;
}

static inline void interval_set_counted(struct interval *interval, size_t cpu, bool counted)
{
	interval->coverage[cpu].counted = counted;
}

/* Slices of its tasks are unattributed. How long these were is unknown. */
static inline void interval_mark_gaps(struct interval *interval, size_t cpu)
{
	interval->coverage[cpu].gaps = true;
}

/* At the cut: by how much the idle time of a CPU may be wrong. ticks_ns is a part of doubt_ns. */
static inline void interval_set_doubt(struct interval *interval, size_t cpu, uint64_t doubt_ns,
				      uint64_t ticks_ns)
{
	interval->coverage[cpu].doubt_ns = doubt_ns;
	interval->coverage[cpu].ticks_ns = ticks_ns;
}

/* After interval_set_doubt(): adds the gaps of each CPU. The idle task may have run in them. */
void interval_doubt_gaps(struct interval *interval);

/* At the begin of the cut. */
static inline void interval_set_wall(struct interval *interval, uint64_t wall_ns)
{
	interval->wall_ns = wall_ns;
}

static inline void interval_set_uncounted(struct interval *interval, bool uncounted)
{
	interval->uncounted = uncounted;
}

static inline void interval_add_lost(struct interval *interval, uint64_t records)
{
	interval->lost_records += records;
}

static inline void interval_set_still(struct interval *interval, struct interval_still still)
{
	interval->still = still;
}

/*
 * At the cut, after interval_hidden_to_idle(): makes the hidden time of a CPU a gap, if more than a
 * hundredth is left, as the counts of some task are too low.
 */
void interval_mark_hidden(struct interval *interval);

/* What is unknown of an interval, for all its tasks. */
struct interval_gaps {
	uint64_t length_ns;  /* the longest time of a CPU */
	uint64_t unknown_ns; /* gaps and uncounted CPUs, at most length_ns */
	uint64_t beside_ns;  /* time of CPUs beside windows, at most length_ns */
	bool any;            /* gaps, or uncounted CPUs */
};
/* At the cut, after all gaps were added. */
struct interval_gaps interval_gaps(const struct interval *interval);
/*
 * Whether the counts of a task are lower bounds: it ran on a CPU with gaps, or it may have run for
 * more than INTERVAL_UNSEEN of the interval in a gap. A task is on one CPU at a time, so its slices
 * leave no more than the rest of the interval for that.
 */
bool interval_has_gaps(const struct interval *interval, const struct interval_gaps *gaps,
		       const struct task *task);
#define INTERVAL_UNSEEN 0.01
/*
 * Whether no window shows a task, but it may have run for more than INTERVAL_UNSEEN of the interval
 * beside them. A task that a window shows has an estimate.
 */
bool interval_may_be_unseen(const struct interval *interval, const struct interval_gaps *gaps,
			    const struct task *task);

/*
 * Moves hidden time of a CPU, which is in that domain, to its idle task: at most idle_ns. Returns
 * the moved ns.
 */
uint64_t interval_hidden_to_idle(struct interval *interval, size_t index, unsigned domain,
				 uint64_t idle_ns);

/*
 * Moves time of a CPU from idle to others, as tasks outside of this pid namespace ran then: the
 * records have tid 0 for them, as for the idle task. All counts go with it. Those of the idle task,
 * which are few, cannot be told apart. ns is more than 0, and at most the idle time.
 */
void interval_idle_to_others(struct interval *interval, size_t index, uint64_t ns);
static inline void interval_set_outside(struct interval *interval, size_t cpu, bool outside)
{
	interval->coverage[cpu].outside = outside;
}

static inline uint64_t *interval_cpu(const struct interval *interval, size_t index)
{
	return interval->cpus + index * tally_width(&interval->shape);
}

static inline uint64_t *interval_idle(const struct interval *interval, size_t index)
{
	return interval->idle + index * tally_width(&interval->shape);
}

#endif
