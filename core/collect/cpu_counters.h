// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CPU_COUNTERS_H
#define PMCTOP_CPU_COUNTERS_H

#include "core/attrib/attrib.h"
#include "core/attrib/fork_scan.h"
#include "core/event/event.h"
#include "core/event/plan.h"
#include "core/perf/group.h"
#include "core/perf/ring.h"
#include "core/perf/switch_event.h"
#include "core/perfdata/recorder.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * One CPU as the system collector counts it: the groups of its domain, the ring that takes all
 * their records, whose turn it is, and what is known of its ticks. Open between cpu_counters_open
 * and cpu_counters_close.
 */
struct counted_group {
	struct group group;
	unsigned index;                  /* in the plan */
	uint64_t armed_ns;               /* when its tick was armed; 0: it is not */
	uint64_t enabled_ns, running_ns; /* when last looked at */
	uint64_t *end;                   /* its reading at the end of the interval */
	unsigned off_readings;           /* in which it was off the PMU, in a row */
	struct recorder_stream stream;   /* of the CPU's recorder */
};

/* How much of a CPU's time is counted, and when (core/collect/duty_cycle). */
struct duty_window {
	double share;                /* of the time; 1: all of it, and the rest has no meaning */
	unsigned calm;               /* intervals in a row in which all could have been counted */
	bool shut;                   /* between two windows: its groups are off */
	uint64_t due_ns;             /* when the next one opens, or this one closes */
	uint64_t opened_ns;          /* this one */
	uint64_t weight;             /* of this one */
	uint64_t part_ns, length_ns; /* the interval has parts, each of them a window of a length */
	uint64_t late_ns;            /* how much longer windows are than that: smoothed */
	uint64_t part;               /* whose window is the next, or this one */
	uint64_t covered_ns;         /* of the interval, as its windows told */
	uint64_t until_ns;   /* of the interval, what they are to have told after this one */
	uint64_t weighed_ns; /* up to when they have told */
	uint64_t random;     /* where in its part a window begins */
};

struct cpu_counters {
	int number;
	size_t index; /* in the interval */
	const struct sys *sys;
	struct attrib *attrib;               /* borrowed: where its records go */
	const struct switch_event *switches; /* borrowed: what samples its switches */
	unsigned domain;

	bool open;
	bool late;                    /* since a moment after the interval began */
	bool dead;                    /* its counters do not count any more */
	struct counted_group *groups; /* the first is always on */
	size_t n_groups;
	size_t turn;      /* which of the others is on; 0: there are none */
	size_t next_turn; /* which of them is on after it */
	struct ring ring;
	uint64_t mark; /* in the ring: up to there all births on any CPU have been told */
	uint64_t forks_scanned_to; /* in the ring: up to there its own have */
	bool wants_switches;       /* SWITCH records: without them it is unclear which task ran */
	int switches_fd;           /* makes them; -1: not open */
	int lives_fd;              /* makes FORK, EXIT and COMM records beside windows; -1: none */
	struct duty_window window;
	uint64_t records;               /* that were folded in */
	uint64_t *reading;              /* scratch, for the largest of them */
	uint64_t read_ns[2];            /* the times before and after cpu_counters_read_end() */
	bool ending;                    /* who ran at the end of the interval is not known yet */
	bool reads_itself;              /* that end was read by us on that CPU */
	unsigned tickless_cuts;         /* how many in a row */
	unsigned late_turns;            /* how many in a row could not end because no tick came */
	uint64_t idle_credit_ns;        /* idle by /proc/stat, and not in any interval yet */
	struct recorder *recorder;      /* borrowed: is told of it; NULL: nobody is */
	uint64_t switches_id, lives_id; /* of these events, as it knows them; 0: it does not */
};

enum { COUNTED_OFF_READINGS = 2 }; /* a group that was off the PMU so often in a row stays off */

/* Where opening failed: a group of the plan, and which of its members. */
struct counted_failure {
	unsigned group;
	size_t member;
};

/* Not open yet. */
void cpu_counters_init(struct cpu_counters *cpu, const struct sys *sys, struct attrib *attrib,
		       const struct switch_event *switches, int number, size_t index,
		       unsigned domain);

/*
 * Opens the groups of its domain and a ring of ring_bytes, and starts to count from zero. 0 or the
 * kernel's -errno: -ENOBUFS where no locked memory is left for the ring, -ENOMEM where no memory
 * is; -EUSERS where `confirm` asks whether the groups run and one does not, though it opens: its
 * counters are taken.
 */
int cpu_counters_open(struct cpu_counters *cpu, const struct event_set *events,
		      const struct plan *plan, size_t ring_bytes, bool confirm,
		      struct counted_failure *failure);
void cpu_counters_close(struct cpu_counters *cpu); /* whether open or not; keeps window.share */

/*
 * Requests SWITCH records if they are wanted and the CPU is open. Returns whether it had none until
 * now, and has them from now on.
 */
bool cpu_counters_enable_switch_records(struct cpu_counters *cpu);

/*
 * From now on it is counted in windows, of which one is open; and in whole again. 0 or -errno:
 * nothing has changed. While none is open the groups are off, and what takes turns goes on with
 * the next window. What a window's clock says stands for `weight` times as much
 * (attrib_resume). `runner`: as for cpu_counters_turn.
 */
int cpu_counters_begin_windows(struct cpu_counters *cpu);
void cpu_counters_end_windows(struct cpu_counters *cpu);
void cpu_counters_open_window(struct cpu_counters *cpu, uint64_t weight);
void cpu_counters_close_window(struct cpu_counters *cpu, const struct attrib_runner *runner);

/* The recorder (cpu_counter_recording.h), if there is one, is told of nothing any more. */
void cpu_counters_unrecord(struct cpu_counters *cpu);

static inline int cpu_counters_fd(const struct cpu_counters *cpu)
{
	return cpu->groups[0].group.switch_fd;
}

/*
 * Arms the ticks of the groups that are on, or only of the one whose turn it is: not of one that is
 * known to be off the PMU, where none would come.
 */
void cpu_counters_arm(struct cpu_counters *cpu, bool turn_only);
/* Whether a tick is still to come. */
bool cpu_counters_awaits(const struct cpu_counters *cpu);
void cpu_counters_disarm(struct cpu_counters *cpu);
void counted_group_disarm(struct counted_group *counted);

/*
 * Before records of any CPU are folded in, all are told who was born meanwhile: each is marked
 * where its ring ends now, then each adds who was born since the last time, and who got a name up
 * to its mark, and of these each is told what it added (core/attrib/fork_scan).
 */
void cpu_counters_mark(struct cpu_counters *cpu);
void cpu_counters_scan_forks(struct cpu_counters *cpu, struct fork_scan *fork_scan);
void cpu_counters_apply_fork(struct cpu_counters *cpu, const struct fork_scan_item *item);
/* Folds in all records in the ring, also beyond the mark. */
void cpu_counters_drain_all(struct cpu_counters *cpu);
/* Folds in the records up to the mark, or of these those up to the last awaited tick. */
void cpu_counters_drain_to_mark(struct cpu_counters *cpu);
void cpu_counters_drain_to_ticks(struct cpu_counters *cpu);

/* Folds in the records up to the mark. Returns whether they name the task that runs there now. */
bool cpu_counters_names_runner(struct cpu_counters *cpu);

/*
 * Gives the turn to the next group, if several take turns. `runner`: the task that runs there, if
 * the caller runs on that CPU; NULL: the task that the records name.
 */
void cpu_counters_turn(struct cpu_counters *cpu, const struct attrib_runner *runner);

/*
 * The end of an interval: the groups that are on are read, and there its part of the interval ends
 * (cpu->ending). It also shows whether one is off the PMU and makes no records (off_readings), and
 * whether all were dissolved when the CPU went offline (dead), which they stay when it is back.
 */
void cpu_counters_read_end(struct cpu_counters *cpu);
/*
 * Folds in the records up to that reading: the next sample, which is left, says who ran then. Where
 * there is none yet, the CPU goes on ending.
 */
void cpu_counters_drain_to_end(struct cpu_counters *cpu);
/* `runner`: the task that ran, or attrib_unknown. */
void cpu_counters_end(struct cpu_counters *cpu, const struct attrib_runner *runner);
/* The greatest off_readings of its groups. */
unsigned cpu_counters_off(const struct cpu_counters *cpu);

#endif
