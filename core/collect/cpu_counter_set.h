// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CPU_COUNTER_SET_H
#define PMCTOP_CPU_COUNTER_SET_H

#include "core/collect/cpu_counters.h"
#include "core/sys/sys.h"

#include <stddef.h>
#include <stdint.h>

/*
 * In a rotation every group has one turn, all of the same length. An interval has whole rotations
 * if they fit, so all groups get the same share of it on every CPU. The boundaries of rotations and
 * the first group are random: a load in step with the intervals is not in step with the turns.
 */
struct counted_rotation {
	unsigned turns, turn;    /* per rotation; index of the next */
	uint64_t n, most;        /* 1-based number in the interval; planned number */
	uint64_t begin_ns;       /* of the interval */
	uint64_t length_ns;      /* of a rotation, on average */
	uint64_t from_ns, to_ns; /* the current rotation */
	uint64_t random;         /* state of the generator; 0: not seeded */
};

/* The counters of all CPUs of a machine, and what is done to all at once. */
struct cpu_counter_set {
	const struct sys *sys;
	struct cpu_counters *items; /* by index in the interval: every possible CPU */
	size_t n;
	uint64_t turn_due_ns;       /* when the next turn begins; UINT64_MAX: no turns */
	struct fork_scan fork_scan; /* scratch */
	uint64_t turn_cost_ns;      /* pmctop's time for a turn, smoothed */
	struct counted_rotation rotation;
};

/* An action that needs the running task: cpu_counters_turn(), cpu_counters_close_window(). */
typedef void cpu_counters_act(struct cpu_counters *cpu, const struct attrib_runner *runner);

/* Applies the records so far. */
void cpu_counter_set_drain(struct cpu_counter_set *cpus);

/* Begins the first interval after the CPUs were opened: at a reading, as every interval. */
void cpu_counter_set_begin(struct cpu_counter_set *cpus);
/*
 * Ends the interval, on every CPU at a reading of its counters. The next record names the task that
 * ran then; a tick is armed, in case no other comes. On this thread's CPU it is pmctop. If no
 * record comes in time, the rest of the interval is unattributed.
 */
void cpu_counter_set_end(struct cpu_counter_set *cpus);

/* Applies the FORK and COMM records of all rings, also beyond the other records applied. */
void cpu_counter_set_scan_forks(struct cpu_counter_set *cpus);

/*
 * cpu_counter_set_check_rivals() applies the records of CPUs without SWITCH records. Then
 * cpu_coverage.unclear shows whether another profiler makes those necessary. CPUs that are counted
 * in windows need no check: their records are applied at the end of each window.
 */
bool cpu_counter_set_need_rival_check(const struct cpu_counter_set *cpus);
void cpu_counter_set_check_rivals(struct cpu_counter_set *cpus);
/*
 * cpu_counter_set_mark_unclear() marks the CPUs that need SWITCH records from now on
 * (cpu_coverage.unclear), all of them if the kernel hides switches; with these records each switch
 * costs more. cpu_counter_set_enable_switch_records() requests the missing ones, and returns
 * whether there are new ones.
 */
void cpu_counter_set_mark_unclear(struct cpu_counter_set *cpus, const struct interval *interval,
				  bool hides);
bool cpu_counter_set_enable_switch_records(struct cpu_counter_set *cpus);

/* Plans the rotations of an interval with `turns` groups. The first turn is due now. */
void cpu_counter_set_begin_turns(struct cpu_counter_set *cpus, unsigned turns,
				 uint64_t interval_ns);
/* Gives the turn to the next group on every CPU with several, and schedules the next turn. */
void cpu_counter_set_turn(struct cpu_counter_set *cpus);
/* Closes the windows that are due by until_ns. */
void cpu_counter_set_close_windows(struct cpu_counter_set *cpus, uint64_t until_ns);

#endif
