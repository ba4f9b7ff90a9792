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
 * The counters of one CPU in system mode: the groups of its domain, the ring with all their
 * records, the group that has the turn, and its ticks. Open between cpu_counters_open() and
 * cpu_counters_close().
 */
struct counted_group {
	struct group group;
	unsigned index;                  /* in the plan */
	uint64_t armed_ns;               /* when its tick was armed; 0: not armed */
	uint64_t enabled_ns, running_ns; /* at the last reading */
	uint64_t *end;                   /* reading at the end of the interval */
	unsigned off_readings;           /* consecutive readings with no time on the PMU */
	struct recorder_stream stream;   /* its part of the recording */
};

/* Which part of a CPU's time is counted, and when (core/collect/duty_cycle). */
struct duty_window {
	double share;       /* of the time; 1: all, and the other members mean nothing */
	unsigned calm;      /* consecutive intervals that were cheap enough to count in whole */
	bool shut;          /* between two windows: the groups are disabled */
	uint64_t due_ns;    /* when the next window opens, or the current one closes */
	uint64_t opened_ns; /* the current window */
	uint64_t weight;    /* of the current window */
	uint64_t part_ns, length_ns; /* of a part of the interval, and of the window in it */
	uint64_t late_ns;            /* delay until windows close, smoothed */
	uint64_t part;               /* index of the part with the next or current window */
	uint64_t covered_ns;         /* of the interval, covered by weighted windows so far */
	uint64_t until_ns;           /* of the interval, to be covered after the current window */
	uint64_t weighed_ns;         /* end of the time in covered_ns */
	uint64_t random;             /* state of the generator of window positions */
};

struct cpu_counters {
	int number;
	size_t index; /* in the interval */
	const struct sys *sys;
	struct attrib *attrib;               /* borrowed; gets the records */
	const struct switch_event *switches; /* borrowed; samples the switches */
	unsigned domain;

	bool open;
	bool late;                    /* opened after the interval began */
	bool dead;                    /* the counters stopped for good */
	struct counted_group *groups; /* the first is always on */
	size_t n_groups;
	size_t turn;      /* the other group that is enabled; 0: there is one group */
	size_t next_turn; /* the group after it */
	struct ring ring;
	uint64_t mark; /* in the ring: FORK and COMM records of all CPUs are applied up to here */
	uint64_t forks_scanned_to; /* in the ring: its own FORK and COMM records are scanned up to
				      here */
	bool needs_switches;       /* SWITCH records are needed to name the running task */
	int switches_fd;           /* the event of SWITCH records; -1: not open */
	int wakings_fd;            /* the event that samples wake-ups; -1: not open */
	int lives_fd; /* the event of FORK, EXIT and COMM records between windows; -1: not open */
	int code_fd;  /* the ring to which members write samples of code (cpu_code.h); -1: none */
	struct duty_window window;
	uint64_t records;        /* applied so far */
	uint64_t *reading;       /* scratch, for the largest group */
	uint64_t read_ns[2];     /* the times before and after cpu_counters_read_end() */
	bool ending;             /* the task that ran at the end of the interval is not known yet */
	bool doubted;            /* ... and the one that old records name may have left unseen */
	bool reads_itself;       /* pmctop's thread ran on this CPU when it read that end */
	unsigned tickless_cuts;  /* consecutive cuts without a tick */
	unsigned late_turns;     /* consecutive turns that could not end, since no tick came */
	uint64_t idle_credit_ns; /* idle by /proc/stat, in no interval yet */
	struct recorder *recorder;      /* borrowed; NULL: not recorded */
	uint64_t switches_id, lives_id; /* ids of these events in the recording; 0: not recorded */
};

enum { COUNTED_OFF_READINGS = 2 }; /* a group with that many off_readings stays off the PMU */

/* Where opening failed: a group of the plan, and the index of its member. */
struct counted_failure {
	unsigned group;
	size_t member;
	bool wakings; /* the event of wake-ups, of no group */
};

/* Not open yet. */
void cpu_counters_init(struct cpu_counters *cpu, const struct sys *sys, struct attrib *attrib,
		       const struct switch_event *switches, int number, size_t index,
		       unsigned domain);

/*
 * Opens the groups of its domain and a ring of ring_bytes, and starts to count from zero. confirm:
 * checks that every group runs. Returns 0, or -errno and *failure: -ENOBUFS without locked memory
 * for the ring, -ENOMEM without memory, -EUSERS if a group opens and does not run: its counters are
 * taken.
 */
int cpu_counters_open(struct cpu_counters *cpu, const struct event_set *events,
		      const struct plan *plan, size_t ring_bytes, bool confirm,
		      struct counted_failure *failure);
void cpu_counters_close(struct cpu_counters *cpu); /* also if it is not open; keeps window.share */

/* Requests SWITCH records if needs_switches and the CPU is open. Returns whether they are new. */
bool cpu_counters_enable_switch_records(struct cpu_counters *cpu);

/*
 * Begins to count in windows, with the first one open, or ends it. cpu_counters_begin_windows()
 * returns 0, or -errno and changes nothing. Between windows the groups are disabled, and the next
 * window has the next turn. Counts of a window are multiplied by `weight` (attrib_resume).
 * `runner`: as for cpu_counters_turn().
 */
int cpu_counters_begin_windows(struct cpu_counters *cpu);
void cpu_counters_end_windows(struct cpu_counters *cpu);
void cpu_counters_open_window(struct cpu_counters *cpu, uint64_t weight);
void cpu_counters_close_window(struct cpu_counters *cpu, const struct attrib_runner *runner);

/* Ends the recording of this CPU (cpu_counter_recording.h), if there is one. */
void cpu_counters_unrecord(struct cpu_counters *cpu);

static inline int cpu_counters_fd(const struct cpu_counters *cpu)
{
	return cpu->groups[0].group.switch_fd;
}

/*
 * Arms the ticks of the groups that are enabled; turn_only: only of the group that has the turn. A
 * group that stays off the PMU would have no tick and is left out.
 */
void cpu_counters_arm(struct cpu_counters *cpu, bool turn_only);
/* Whether an armed tick has not come. */
bool cpu_counters_awaits(const struct cpu_counters *cpu);
void cpu_counters_disarm(struct cpu_counters *cpu);
void counted_group_disarm(struct counted_group *counted);

/*
 * The FORK and COMM records of all CPUs are applied before any other records
 * (core/attrib/fork_scan). Each CPU marks where its ring ends, and adds its FORK and COMM records
 * up to that mark. Then each CPU applies the ones that it added, in the order of time.
 */
void cpu_counters_mark(struct cpu_counters *cpu);
void cpu_counters_scan_forks(struct cpu_counters *cpu, struct fork_scan *fork_scan);
void cpu_counters_apply_fork(struct cpu_counters *cpu, const struct fork_scan_item *item);
/* Applies all records in the ring, also beyond the mark. */
void cpu_counters_drain_all(struct cpu_counters *cpu);
/* Applies the records up to the mark, or up to the last awaited tick before it. */
void cpu_counters_drain_to_mark(struct cpu_counters *cpu);
void cpu_counters_drain_to_ticks(struct cpu_counters *cpu);

/*
 * Applies the records up to the mark. Returns whether they name the task that runs there now, and
 * it has not left without a record.
 */
bool cpu_counters_names_runner(struct cpu_counters *cpu);

/*
 * Gives the turn to the next group, if several take turns. The slice that ends is credited to
 * `runner` if the caller runs on that CPU, with NULL to the task that the records name.
 */
void cpu_counters_turn(struct cpu_counters *cpu, const struct attrib_runner *runner);

/*
 * Reads the enabled groups: the CPU's part of the interval ends there (cpu->ending). Updates
 * off_readings, and sets `dead` if the groups were dissolved when the CPU went offline. They stay
 * dissolved when it is back.
 */
void cpu_counters_read_end(struct cpu_counters *cpu);
/*
 * Applies the records up to that reading. The next sample names the task that ran then, and stays
 * in the ring. Without such a sample, the records before name it, or cpu->ending stays true: they
 * do not, or that task may have left without a record.
 */
void cpu_counters_drain_to_end(struct cpu_counters *cpu);
/* Ends the interval. `runner`: the task that ran then, or attrib_unknown. */
void cpu_counters_end(struct cpu_counters *cpu, const struct attrib_runner *runner);
/* Returns the greatest off_readings of its groups. */
unsigned cpu_counters_off(const struct cpu_counters *cpu);

#endif
