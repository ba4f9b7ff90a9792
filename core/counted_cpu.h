// SPDX-License-Identifier: MIT
#ifndef PMCTOP_COUNTED_CPU_H
#define PMCTOP_COUNTED_CPU_H

#include "attrib.h"
#include "event.h"
#include "group.h"
#include "plan.h"
#include "recorder.h"
#include "ring.h"
#include "sys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * One CPU as the system collector counts it: the groups of its domain, the ring that takes all
 * their records, whose turn it is, and what is known of its ticks. Open between counted_cpu_open
 * and counted_cpu_close.
 */
struct counted_group {
	struct group group;
	unsigned index;                  /* in the plan */
	uint64_t armed_ns;               /* when its tick was armed; 0: it is not */
	uint64_t enabled_ns, running_ns; /* when last looked at */
	unsigned off_looks;              /* in which it was off the PMU, in a row */
	struct recorder_stream stream;   /* of the CPU's recorder */
};

struct counted_cpu {
	int number;
	size_t index; /* in the interval */
	const struct sys *sys;
	struct attrib *attrib; /* borrowed: where its records go */
	unsigned domain;

	bool open;
	bool dead;                    /* its counters do not count any more */
	struct counted_group *groups; /* the first is always on */
	size_t n_groups;
	size_t turn; /* which of the others is on; 0: there are none */
	struct ring ring;
	int switches_fd;           /* makes SWITCH records; -1: not asked for */
	uint64_t *reading;         /* scratch, for the largest of them */
	unsigned tickless_cuts;    /* how many in a row */
	unsigned late_turns;       /* how many in a row could not end because no tick came */
	uint64_t idle_credit_ns;   /* idle by /proc/stat, and not in any interval yet */
	struct recorder *recorder; /* borrowed: is told of it; NULL: nobody is */
	uint64_t switches_id; /* of what makes SWITCH records, as the recorder knows it; 0: it does
				 not */
};

enum { COUNTED_OFF_LOOKS = 2 }; /* a group that was off the PMU so often in a row stays off */

/* Where opening failed: a group of the plan, and which of its members. */
struct counted_failure {
	unsigned group;
	size_t member;
};

/* Not open yet. */
void counted_cpu_init(struct counted_cpu *cpu, const struct sys *sys, struct attrib *attrib,
		      int number, size_t index, unsigned domain);

/*
 * Opens the groups of its domain and a ring of ring_bytes, and starts to count from zero. 0 or the
 * kernel's -errno: -ENOBUFS where no locked memory is left for the ring; -EUSERS where `confirm`
 * asks whether the groups run and one does not, though it opens: its counters are taken.
 */
int counted_cpu_open(struct counted_cpu *cpu, const struct event_set *events,
		     const struct plan *plan, size_t ring_bytes, bool confirm,
		     struct counted_failure *failure);
void counted_cpu_close(struct counted_cpu *cpu); /* whether open or not */

/*
 * From now on also asks for SWITCH records, if it is open and has not yet: nothing is opened anew
 * for that. 0 or -errno.
 */
int counted_cpu_ask_switches(struct counted_cpu *cpu);

/*
 * From now on the recorder, which has been told of all events (counted_record.h), is told of all
 * that goes to attrib. 0, or -errno where the kernel does not name the events.
 */
int counted_cpu_record(struct counted_cpu *cpu, struct recorder *recorder);
void counted_cpu_unrecord(struct counted_cpu *cpu);

static inline int counted_cpu_fd(const struct counted_cpu *cpu)
{
	return cpu->groups[0].group.switch_fd;
}

/*
 * Arms the ticks of the groups that are on, or only of the one whose turn it is: not of one that is
 * known to be off the PMU, where none would come.
 */
void counted_cpu_arm(struct counted_cpu *cpu, bool turn_only);
/* Whether a tick is still to come. */
bool counted_cpu_awaits(const struct counted_cpu *cpu);
void counted_cpu_disarm(struct counted_cpu *cpu);

/* Folds in all records, or only those up to the last of the ticks that are awaited. */
void counted_cpu_drain(struct counted_cpu *cpu);
void counted_cpu_drain_to_ticks(struct counted_cpu *cpu);

/*
 * Learns who was born or renamed in records that are not folded in yet: a child may have run on
 * another CPU whose part of the interval ends later.
 */
void counted_cpu_foretell(struct counted_cpu *cpu);

/*
 * Gives the turn to the next group, if several take turns. `runner`: who runs there, where the
 * caller does; NULL: as the tick told just now.
 */
void counted_cpu_turn(struct counted_cpu *cpu, const struct attrib_runner *runner);

/*
 * Looks at the groups that are on, after a cut that nothing told of: is one off the PMU, so that
 * it makes no records at all (off_looks)? Or are the times at a stand (dead): it was dissolved when
 * its CPU went offline, and stays so when the CPU is back.
 */
void counted_cpu_check(struct counted_cpu *cpu);
/* The greatest off_looks of its groups. */
unsigned counted_cpu_off(const struct counted_cpu *cpu);

#endif
