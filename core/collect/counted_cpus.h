// SPDX-License-Identifier: MIT
#ifndef PMCTOP_COUNTED_CPUS_H
#define PMCTOP_COUNTED_CPUS_H

#include "core/collect/counted_cpu.h"
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
struct counted_cpus {
	const struct sys *sys;
	struct counted_cpu *items; /* by index in the interval: every possible CPU */
	size_t n;
	uint64_t turn_due_ns;  /* when the next turn begins; UINT64_MAX: nobody waits for one */
	struct births births;  /* scratch */
	uint64_t turn_cost_ns; /* what a turn takes of our time, smoothed */
	struct counted_rotation rotation;
};

/* An action where the running task is known: counted_cpu_turn, counted_cpu_close_window. */
typedef void counted_cpu_act(struct counted_cpu *cpu, const struct attrib_runner *runner);

/* Folds in what there is. */
void counted_cpus_drain(struct counted_cpus *cpus);

/* All were opened: the first interval begins at a reading, as others do, not where each opened. */
void counted_cpus_begin(struct counted_cpus *cpus);
/*
 * The end of an interval, for every CPU at the reading of its counters now. Who ran there then says
 * its next record, a tick if no other comes before; on the CPU that we run on it is us. Where none
 * comes in time the rest of the interval is nobody's.
 */
void counted_cpus_end(struct counted_cpus *cpus);

/* Learns who was born, in all that is there: also beyond what is folded in. */
void counted_cpus_look_ahead(struct counted_cpus *cpus);

/*
 * Folds in the records of CPUs without SWITCH records, after which interval.cpu_unclear has whether
 * a rival makes those necessary. CPUs that are counted in windows need no check: their records are
 * folded in at the end of each window.
 */
bool counted_cpus_need_rival_check(const struct counted_cpus *cpus);
void counted_cpus_check_rivals(struct counted_cpus *cpus);
/*
 * On CPUs where they are needed (interval.cpu_unclear) SWITCH records are wanted from then on, and
 * nowhere else: each switch costs more with them. Requests those that are wanted and not there.
 * Returns whether there are new ones.
 */
void counted_cpus_want_switches(struct counted_cpus *cpus, const struct interval *interval);
bool counted_cpus_ask_switches(struct counted_cpus *cpus);

/*
 * An interval of that length begins, in which `turns` groups take turns: plans its rotations, and
 * its first turn is due now.
 */
void counted_cpus_begin_turns(struct counted_cpus *cpus, unsigned turns, uint64_t interval_ns);
/* Gives the turn to the next group on every CPU where several wait for it, and schedules the next.
 */
void counted_cpus_turn(struct counted_cpus *cpus);
/* Closes the windows that are due by then. */
void counted_cpus_close_windows(struct counted_cpus *cpus, uint64_t until_ns);

#endif
