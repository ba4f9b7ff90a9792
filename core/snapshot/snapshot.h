// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SNAPSHOT_H
#define PMCTOP_SNAPSHOT_H

#include "core/attrib/cmdline.h"
#include "core/attrib/count_mode.h"
#include "core/attrib/target.h"
#include "core/code/code_profile.h"
#include "core/event/tally.h"
#include "core/snapshot/columns.h"
#include "core/snapshot/rows.h"
#include "core/snapshot/snapshot_cgroup.h"
#include "core/snapshot/snapshot_machine.h"
#include "core/wait/wait_watch.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A picture of one interval: what each task and CPU did, the totals, and how far the figures can be
 * trusted. snapshot_build() makes it from the interval, snapshot_set_facts() adds what the interval
 * does not have. Then the engine or the replay passes the snapshot on. From then
 * on only the number of owners changes, so any thread may read it. For every event, without the
 * rows of tasks that did not run:
 *
 *     sum of rows + others + idle + unattributed = totals = sum of CPUs   (snapshot_conserves)
 *
 * The CPUs take part in mode "system" only. In the other modes the figures of CPUs are from
 * /proc, which need not agree with the figures of tasks.
 */

/* The time that a thread ran on a CPU. */
struct snapshot_place {
	size_t row; /* of the threads */
	int cpu;
	uint64_t ns;
};

struct snapshot_cpu {
	int cpu;
	int socket, node; /* -1: unknown */
	char type[24];    /* as pmu_set_cpu_type(); of a unit: if all its CPUs have the same */
	unsigned cpus;    /* counted CPUs in this: 1, or more if rolled up */
	uint64_t *tally;  /* all that ran there, idle included; NULL: not counted now */
	uint64_t *idle;   /* the idle task's part of tally; NULL: not counted now */
	struct figure *figures; /* n_metrics, of tally - idle; NULL: not counted now */
	uint64_t doubt_ns;      /* by so much the idle time may be wrong ... */
	uint64_t ticks_ns;      /* ... the part of it that does not add up: rounding to ticks */
	bool outside;           /* tasks outside of this pid namespace ran */
};

/* The facts of a process with a row or a sleeping one, with what all its threads have. */
struct snapshot_process {
	pid_t pid;
	size_t first_row; /* its first row of the threads; SIZE_MAX: none */
	struct figure facts[FACTS];
};

/* The command of a summary (core/snapshot/run_summary.h). */
struct snapshot_run {
	char *const *command; /* argv, NULL after its end; borrowed for the snapshot's life */
	int status;           /* 0..255, 128 + signal; -1: still runs, and times are as of now */
	uint64_t elapsed_ns, user_ns, system_ns; /* user and system: 0 while it runs */
	unsigned part, parts; /* from 1; more than one if the events changed meanwhile */
};

/* pmctop's own cost. cpu_ns 0: unknown; a replay has no cost worth counting. */
struct snapshot_cost {
	uint64_t cpu_ns;    /* CPU time of pmctop's process in the interval */
	uint64_t wall_ns;   /* the time in which it was used */
	uint64_t records;   /* records that it read, in mode "system" */
	uint64_t switch_ns; /* the kernel's cost of a switch (duty_cycle.h); 0: unknown */
	uint64_t cycles;    /* of the thread that counts; 0: unknown */
	bool reads_itself;  /* cycles are read in user mode, without a call */
};

/* Most rows of zombies, unless the user wants those of all tasks that did not run. */
enum { SNAPSHOT_ZOMBIES = 20 };

/* Every array of a snapshot is an allocation of its own. */
struct snapshot {
	struct columns *columns; /* a reference */
	uint64_t sequence;       /* 1, 2, 3 ... of the run; 0: the glimpse before */
	uint64_t time_ns;        /* CLOCK_MONOTONIC at the end of the interval */
	uint64_t realtime_ns;    /* CLOCK_REALTIME there; 0: a recording without it */
	uint64_t interval_ns;
	/*
	 * The interval ended before its time, for the first figures or for the effect of a
	 * request: it is no refresh of its own, and the next one is the rest.
	 */
	bool cut_short;
	/* Of a recording from its beginning on: it has all of the snapshot before. */
	bool whole;
	float uneven; /* interval_uneven(): share by which a CPU's part differs; 0: even */
	char host[64];
	char replay[64];    /* file name of the recording, without folders; "": live */
	uint64_t offset_ns; /* end of the interval since the recording began; 0: live */
	enum count_mode mode;
	char pmu[32]; /* "armv8_pmuv3"; "": no hardware counters */

	/* Every task that ran, idle excepted, unsorted; after them the tasks that did not run. */
	struct rows threads;
	/*
	 * The CPUs that each row ran on, rows ascending. The times of a row add up to its
	 * task-clock. None in modes "task" and "proc".
	 */
	struct snapshot_place *places;
	size_t n_places;
	/* Processes that did not run, but have threads or descendants that did; each once. */
	struct row *sleeping;
	size_t n_sleeping;
	struct snapshot_process *processes; /* by pid; none if no column needs facts */
	size_t n_processes;
	struct row_before *befores; /* of rows that have changed name, user or cgroup */
	size_t n_befores;
	char **cgroups; /* paths that rows refer to, each once */
	size_t n_cgroups;
	struct snapshot_cgroup *cgroup_limits; /* of each of them; NULL: all are unknown */
	enum command_lines command_lines;      /* what the rows' are for */
	struct cmdline **cmdlines;             /* references: rows point into these */
	size_t n_cmdlines;
	size_t unread_cmdlines; /* tasks whose command line is not read yet */
	struct snapshot_cpu *cpus;
	size_t n_cpus;

	uint64_t *totals;
	uint64_t *idle;
	uint64_t *unattributed;
	uint64_t *others;       /* tasks outside the target or this pid namespace; else 0 */
	struct figure *figures; /* of totals - idle */
	bool targeted;          /* the target is not all tasks */
	struct target_text target_text;
	bool ended; /* all processes of the target have ended */
	/*
	 * Sum of the rows. In modes "task" and "proc" without a target: sum of the rows with
	 * counters. Else NULL.
	 */
	uint64_t *target;
	struct figure *target_figures;
	bool target_lost; /* one of these rows is ROW_LOST */

	struct snapshot_machine machine;
	struct snapshot_cost cost;
	uint64_t lost_records;
	/* At most so much of the CPU time of a task is in no row. 0: not known. */
	uint64_t most_unseen_ns;
	unsigned windowed_cpus;  /* counted part of the time, and scaled (duty_cycle.h) */
	uint64_t recorded_bytes; /* of the recording in progress; 0: none */
	unsigned tasks;          /* threads of the machine; 0: unknown, or another pid namespace */
	/* In mode "task": threads that ran and may be counted, and those with counters. */
	size_t threads_ran, threads_counted;
	struct wait_watch *waits;  /* of the watched task; NULL: none, or unknown */
	struct code_profile *code; /* a reference; NULL: functions are not wanted */
	char **notes;              /* sentences for the user, in the order of core/base/notes */
	size_t n_notes;
	struct snapshot_run *run; /* of a summary; NULL: of one interval */
	unsigned shared;          /* owners beside the first: snapshot_ref */
};

/* Adds an owner; any thread. */
struct snapshot *snapshot_ref(struct snapshot *snapshot);
/* Drops an owner. The last one frees the snapshot; any thread; NULL is fine. */
void snapshot_free(struct snapshot *snapshot);
/* Returns the memory of the snapshot in bytes, its columns excepted. */
size_t snapshot_bytes(const struct snapshot *snapshot);

/* Returns how many tasks ran. */
static inline size_t snapshot_ran(const struct snapshot *snapshot)
{
	return snapshot->threads.n - snapshot->threads.n_still;
}

/* Returns the process of that pid, or NULL. */
const struct snapshot_process *snapshot_process(const struct snapshot *snapshot, pid_t pid);
/* Returns the facts of a row's process if the row is its first one, else NULL: to add each once. */
const struct figure *snapshot_facts_once(const struct snapshot *snapshot, size_t row);
/* Returns the command line of a row to print or record; NULL: not wanted, or unknown. */
const char *snapshot_shown_cmdline(const struct snapshot *snapshot, const struct row *row);
/* Returns the path of a row's cgroup, or NULL if unknown. */
const char *snapshot_cgroup(const struct snapshot *snapshot, const struct row *row);
/* Returns the limits of a row's cgroup, or NULL if unknown. */
const struct snapshot_cgroup *snapshot_cgroup_limits(const struct snapshot *snapshot,
						     const struct row *row);

/*
 * Returns tally - idle, 0 where idle is more: two clocks round differently. The caller frees it.
 * idle may be NULL.
 */
uint64_t *snapshot_busy_tally(const struct columns *columns, const uint64_t *tally,
			      const uint64_t *idle);
/* The counts of one or several CPUs, or of the whole machine. */
struct busy_part {
	size_t cpus; /* counted ones; 0: unknown */
	bool machine;
	const uint64_t *tally, *idle; /* idle may be NULL */
	uint64_t doubt_ns;            /* by so much the time of idle may be wrong */
	bool outside;                 /* counts of its idle time are in it */
};
/*
 * Evaluates all metrics of tally - idle, of a snapshot that has columns, interval and totals. %CPU
 * is the busy share, IPC is about the busy time. Busy time is SCALED if more than 1.1 hundredths of
 * the CPUs' time is in doubt, and counts are SCALED if some are of idle time. Context switches are
 * taken from tally: a switch away from the idle task counts too, as in vmstat and perf stat.
 */
void snapshot_evaluate_busy(const struct snapshot *snapshot, const struct busy_part *part,
			    struct figure *figures);
/* Whether `others` is a part of the totals: with a target, or if tasks outside of this pid
 * namespace ran. */
static inline bool snapshot_has_others(const struct snapshot *snapshot)
{
	return snapshot->others && (snapshot->targeted || snapshot->others[TALLY_TASK_CLOCK] > 0);
}

/* By so much the idle time of all CPUs may be wrong, beside its rounding. */
uint64_t snapshot_doubt_ns(const struct snapshot *snapshot);

/* Sets target and target_figures from the rows. */
void snapshot_set_target(struct snapshot *snapshot);

/*
 * Returns the seconds that rates of tasks divide by: the interval. In a summary of one part it is
 * the elapsed time of the command, because pmctop counts before the command starts and after it
 * ends. SCALED if the interval is uneven.
 */
struct metric_scope snapshot_scope(const struct snapshot *snapshot);
struct figure snapshot_interval_s(const struct snapshot *snapshot);
/*
 * Returns the ns that the rates of a tally of so many CPUs divide by. It is not interval_ns,
 * because the part of each CPU ends at that CPU's own last record.
 */
uint64_t snapshot_counted_ns(uint64_t interval_ns, const uint64_t *tally, size_t cpus);

/*
 * Returns the unattributed share of an event, 0..1, and the index of that event. From 0.01 on the
 * event is task-clock (snapshot_unattributed_time), else the one with the greatest share. Software
 * events take part from 10,000 on: the share of a few switches or faults means nothing.
 */
double snapshot_unattributed(const struct snapshot *snapshot, size_t *event);
/* Returns the unattributed share, 0..1, of the busy CPU time. */
double snapshot_unattributed_time(const struct snapshot *snapshot);
/*
 * Returns whether rows are too low for verdicts: more than 1/20 of the busy time, and more than
 * 1/200 of all CPU time, is unattributed. The second condition is for machines that are nearly
 * idle.
 */
bool snapshot_rows_too_low(const struct snapshot *snapshot);

/*
 * Writes how the hardware events share the counters, for headers: "14 events in 2 turns". Returns
 * false if all events are counted all the time.
 */
bool snapshot_sharing(const struct snapshot *snapshot, char *text, size_t size);

/*
 * Returns whether the conservation above holds. Else *event (which may be NULL) is the first event
 * that breaks it. CPUs take part if one of them was counted.
 */
bool snapshot_conserves(const struct snapshot *snapshot, size_t *event);

#endif
