// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CPU_COUNTER_SET_H
#define PMCTOP_CPU_COUNTER_SET_H

#include "core/collect/cpu_counters.h"
#include "core/sys/sys.h"

#include <stddef.h>
#include <stdint.h>

/*
 * In a rotation every group has one turn, all of the same length. An interval has whole rotations,
 * so that all groups share its time equally on every CPU, if they fit in. Their boundaries are
 * random, and so is the group that begins: a load that is in step with the intervals is not in step
 * with the turns of a group.
 */
struct counted_rotation {
	unsigned turns, turn;    /* in a rotation; which is next */
	uint64_t n, most;        /* 1-based number in the interval; how many are planned */
	uint64_t begin_ns;       /* of the interval */
	uint64_t length_ns;      /* on average */
	uint64_t from_ns, to_ns; /* this one */
	uint64_t random;         /* 0: not yet drawn */
};

/* All CPUs of a machine as they are counted: what is done to all of them at once. */
struct cpu_counter_set {
	const struct sys *sys;
	struct cpu_counters *items; /* by index in the interval: every possible CPU */
	size_t n;
	uint64_t turn_due_ns; /* when the next turn begins; UINT64_MAX: nobody waits for one */
	struct fork_scan fork_scan; /* scratch */
	uint64_t turn_cost_ns;      /* what a turn takes of our time, smoothed */
	struct counted_rotation rotation;
};

/* An action where the running task is known: cpu_counters_turn, cpu_counters_close_window. */
typedef void cpu_counters_act(struct cpu_counters *cpu, const struct attrib_runner *runner);

/* Folds in what there is. */
void cpu_counter_set_drain(struct cpu_counter_set *cpus);

/* All were opened: the first interval begins at a reading, as others do, not where each opened. */
void cpu_counter_set_begin(struct cpu_counter_set *cpus);
/*
 * The end of an interval, for every CPU at the reading of its counters now. Who ran there then says
 * its next record, a tick if no other comes before; on the CPU that we run on it is us. Where none
 * comes in time the rest of the interval is nobody's.
 */
void cpu_counter_set_end(struct cpu_counter_set *cpus);

/* Learns who was born, in all that is there: also beyond what is folded in. */
void cpu_counter_set_scan_forks(struct cpu_counter_set *cpus);

/*
 * Folds in the records of CPUs without SWITCH records, after which interval.cpu_unclear has whether
 * a rival makes those necessary. CPUs that are counted in windows need no check: their records are
 * folded in at the end of each window.
 */
bool cpu_counter_set_need_rival_check(const struct cpu_counter_set *cpus);
void cpu_counter_set_check_rivals(struct cpu_counter_set *cpus);
/*
 * On CPUs where they are needed (interval.cpu_unclear) SWITCH records are wanted from then on, and
 * nowhere else: each switch costs more with them. Requests those that are wanted and not there.
 * Returns whether there are new ones.
 */
void cpu_counter_set_wants_switch_records(struct cpu_counter_set *cpus,
					  const struct interval *interval);
bool cpu_counter_set_enable_switch_records(struct cpu_counter_set *cpus);

/*
 * An interval of that length begins, in which `turns` groups take turns: plans its rotations, and
 * its first turn is due now.
 */
void cpu_counter_set_begin_turns(struct cpu_counter_set *cpus, unsigned turns,
				 uint64_t interval_ns);
/* Gives the turn to the next group on every CPU where several wait for it, and schedules the next.
 */
void cpu_counter_set_turn(struct cpu_counter_set *cpus);
/* Closes the windows that are due by then. */
void cpu_counter_set_close_windows(struct cpu_counter_set *cpus, uint64_t until_ns);

#endif
