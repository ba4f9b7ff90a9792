// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SNAPSHOT_H
#define PMCTOP_SNAPSHOT_H

#include "core/attrib/cmdline.h"
#include "core/attrib/count_mode.h"
#include "core/event/event.h"
#include "core/event/tally.h"
#include "core/metric/metric.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * An immutable picture of one interval: what every task and CPU did, the totals, and how far the
 * figures can be trusted. Made by the engine, owned by whoever it is handed to, read by views and
 * outputs. For every event of the set:
 *
 *     sum of rows + others + idle + unattributed = totals = sum of CPUs   (snapshot_conserves)
 *
 * (without the CPUs where tasks are counted one by one: of them /proc tells, in another way).
 * It shares the columns (events and metrics), which are counted by reference and never change.
 */

/*
 * Events and compiled metrics of a run; a change of either makes a new one. Made with xcalloc and
 * one reference by whoever fills it in; the last columns_unref frees all that it holds.
 */
struct columns {
	struct event_set events;
	struct plan *plan;       /* a reference: what tallies are shaped by */
	struct metric_def *defs; /* of the metrics; copies */
	struct metric *metrics;
	size_t n_metrics;
	size_t n_preset; /* the first so many are the preset's, the others someone asked for */
	struct metric_readings readings;       /* of all metrics */
	struct metric_readings event_readings; /* of each event, over all its counters */
	char *preset;                          /* its name, owned */
	char **pmus; /* names of those that event codes and domains tell by index; owned */
	size_t n_pmus;
	enum event_levels levels; /* that are counted where names don't say */
	unsigned references;
};

struct columns *columns_ref(struct columns *columns); /* any thread */
void columns_unref(struct columns *columns);          /* any thread; NULL is fine */
/* The index of a metric by its name or -ENOENT. */
int columns_metric(const struct columns *columns, const char *name);

enum row_flag {
	ROW_EXITED = 1 << 0, /* ended within this interval */
	ROW_KERNEL = 1 << 1, /* a kernel thread */
	ROW_LOST = 1 << 2,   /* a CPU that it ran on had gaps: its counts are a lower bound */
	ROW_ABOVE = 1 << 3,  /* does not pass the filter: it only stands above some that do */
};

struct row {
	pid_t pid; /* process (thread group) */
	pid_t tid; /* == pid for the main thread, and in rolled-up rows */
	pid_t ppid;
	uid_t uid;           /* (uid_t)-1 where unknown */
	int cgroup;          /* which of the snapshot's; -1 where unknown (snapshot_cgroup) */
	uint64_t start_ns;   /* 0 where unknown: with tid it names the task for good */
	unsigned threads;    /* how many that ran are in this row: 1, or more when rolled up */
	unsigned processes;  /* of which they are; 0 in rows that are not rolled up */
	unsigned flags;      /* enum row_flag */
	char comm[16];       /* hostile bytes, NUL-terminated; "" where unknown */
	const char *cmdline; /* the snapshot's; hostile bytes; NULL where it has none, or unknown */
	char user[24];       /* name, or the number where there is none; "" where unknown */
};

/* Rows with their tallies and figures, as parallel arrays. */
struct rows {
	size_t n;
	size_t n_still; /* the last so many did nothing: they share one tally of zeros */
	struct row *items;
	uint64_t *tallies;      /* tally_width(shape) each */
	struct figure *figures; /* n_metrics each; NULL: they were not evaluated */
	/*
	 * Of rows that others were added up to: which one of these `parts` (borrowed) is all there
	 * is in the row, whose figures it has; SIZE_MAX: more, or none. Else NULL.
	 */
	const struct rows *parts;
	size_t *only;
	/* By tree: of each row which one is its parent, SIZE_MAX where none is; else NULL. */
	size_t *parents;
};

/* That a thread ran on a CPU. */
struct snapshot_place {
	size_t row; /* of the threads */
	int cpu;
	uint64_t ns;
};

struct snapshot_cpu {
	int cpu;
	int socket, node; /* -1 where unknown */
	char type[24];    /* pmu_set_cpu_type; of what is rolled up, where all are alike */
	unsigned cpus;    /* how many that were counted are in this: 1, more when rolled up */
	uint64_t *tally;  /* everything that ran there, idle included; NULL: not heard of now */
	uint64_t *idle;   /* the idle task's part of it; NULL where tally is */
	struct figure *figures; /* n_metrics, over tally - idle; NULL where tally is */
};

/* What was run, of a snapshot that is a summary (core/snapshot/run_summary.h). */
struct snapshot_run {
	char *const *command; /* argv, NULL behind its end; borrowed for the snapshot's life */
	int status;           /* 0..255, 128 + signal; -1: it still runs, and times are as of now */
	uint64_t elapsed_ns, user_ns, system_ns; /* user and system: 0 while it runs */
	unsigned part, parts; /* from 1; more than one where events changed meanwhile */
};

/* What pmctop took itself; cpu_ns 0: that is not known, and a replay took nothing that matters. */
struct snapshot_cost {
	uint64_t cpu_ns;    /* CPU time of its process in the interval */
	uint64_t wall_ns;   /* how long that was */
	uint64_t records;   /* that it read, where whole CPUs are counted */
	uint64_t switch_ns; /* what the kernel takes for a switch (duty_cycle.h); 0: unknown */
	uint64_t cycles;    /* of the thread that counts; 0: unknown */
	bool reads_itself;  /* cycles are read in user mode, without a call */
};

/* Every array that a snapshot holds is an allocation of its own. */

struct snapshot {
	struct columns *columns; /* a reference of its own */
	uint64_t sequence;       /* 1, 2, 3 ... of the run */
	uint64_t time_ns;        /* CLOCK_MONOTONIC at its end */
	uint64_t realtime_ns;    /* CLOCK_REALTIME at its end; 0 where a recording does not tell */
	uint64_t interval_ns;
	float uneven; /* interval_uneven(): how much longer or shorter it was for a CPU; 0: even */
	char host[64];
	char replay[64];    /* the file that it is from, without its folders; "": it is of now */
	uint64_t offset_ns; /* of its end since the beginning of that recording; 0 where it is of
			       now */
	enum count_mode mode;
	char pmu[32]; /* "armv8_pmuv3"; "" where there are no hardware counters */

	/* Every task that ran, idle excepted, in no order; behind them those that are still. */
	struct rows threads;
	/*
	 * Where they ran: of each row as much as its task-clock, rows ascending. None where threads
	 * are counted one by one: there nobody tells.
	 */
	struct snapshot_place *places;
	size_t n_places;
	/* Processes whose threads or descendants are among them, but not themselves: each once. */
	struct row *sleeping;
	size_t n_sleeping;
	char **cgroups; /* paths of those that rows name, each once */
	size_t n_cgroups;
	bool command_lines;        /* they were asked for */
	struct cmdline **cmdlines; /* references: of those that rows point into */
	size_t n_cmdlines;
	struct snapshot_cpu *cpus;
	size_t n_cpus;

	uint64_t *totals;
	uint64_t *idle;
	uint64_t *unattributed;
	uint64_t *others;       /* tasks that are not the target's; 0 where it is everybody */
	struct figure *figures; /* of totals - idle */
	bool targeted;          /* rows are of a target, and not of everybody */
	bool ended;             /* the target was processes that have all ended */
	/*
	 * Sum of the rows; where everybody is wanted and threads are counted one by one, of those
	 * that were; else NULL.
	 */
	uint64_t *target;
	struct figure *target_figures;
	bool target_lost; /* one of its rows is ROW_LOST */

	struct snapshot_cost cost;
	uint64_t lost_records;
	uint64_t recorded_bytes; /* of the recording under way; 0: there is none */
	unsigned tasks;          /* threads of the machine; 0: unknown, or not of this namespace */
	/* Where tasks are counted one by one: how many threads ran that might be, and were. */
	size_t threads_ran, threads_counted;
	char **notes; /* sentences for the user, as core/base/notes orders them */
	size_t n_notes;
	struct snapshot_run *run; /* of a summary; NULL: it is of one interval */
	unsigned shared;          /* how many own it beside one: snapshot_ref */
};

/* One more owner of it, who frees it too; any thread. */
struct snapshot *snapshot_ref(struct snapshot *snapshot);
/* The last owner frees what is in it; any thread; NULL is fine. */
void snapshot_free(struct snapshot *snapshot);
/* How much memory it takes, its columns excepted. */
size_t snapshot_bytes(const struct snapshot *snapshot);

/* Where the tally and the figures of a row stand. */
static inline size_t rows_place(const struct rows *rows, size_t i)
{
	return i < rows->n - rows->n_still ? i : rows->n - rows->n_still;
}

static inline uint64_t *rows_tally(const struct columns *columns, const struct rows *rows, size_t i)
{
	return rows->tallies + rows_place(rows, i) * tally_width(&columns->plan->shape);
}

static inline const struct figure *rows_figures(const struct columns *columns,
						const struct rows *rows, size_t i)
{
	if (rows->only && rows->only[i] != SIZE_MAX) {
		i = rows->only[i];
		rows = rows->parts;
	}
	return rows->figures + rows_place(rows, i) * columns->n_metrics;
}

/* How many tasks ran. */
static inline size_t snapshot_ran(const struct snapshot *snapshot)
{
	return snapshot->threads.n - snapshot->threads.n_still;
}

/* Room for n zeroed rows. */
void rows_init(const struct columns *columns, size_t n, struct rows *rows);
/* The same, and for n_still more behind them that share what they have. */
void rows_init_still(const struct columns *columns, size_t n, size_t n_still, struct rows *rows);
void rows_fini(struct rows *rows);
/* Evaluates every metric of every row. */
void rows_evaluate(const struct columns *columns, struct figure interval_s, struct rows *rows);
/*
 * The same of rows that those of `parts` were added up to, as rows->only tells, which is taken
 * over. Both may be NULL: there is none.
 */
void rows_evaluate_sums(const struct columns *columns, struct figure interval_s,
			const struct rows *parts, size_t *only, struct rows *rows);
/* Every metric of one row, which need not have been evaluated. */
void rows_evaluate_one(const struct columns *columns, struct figure interval_s,
		       const struct rows *rows, size_t i, struct figure *figures);
/* The path of a row's cgroup; NULL where unknown. */
const char *snapshot_cgroup(const struct snapshot *snapshot, const struct row *row);

/*
 * All metrics over tally - idle (idle may be NULL), as shown for CPUs and the whole `machine`:
 * there %CPU is what was busy, and IPC that of what ran; context switches alone are all of them,
 * those away from the idle task too, as vmstat and perf stat tell them. Allocates nothing that it
 * does not free.
 */
void snapshot_evaluate_busy(const struct columns *columns, uint64_t interval_ns, bool machine,
			    const uint64_t *tally, const uint64_t *idle, struct figure *figures);
/* Fills in target and target_figures, from the rows that there are. */
void snapshot_merge_target(struct snapshot *snapshot);

/*
 * The seconds that rates of tasks divide by: the interval. In a summary of one part it is the time
 * that the command took: pmctop counts before it starts and after it has ended. SCALED where the
 * interval is uneven.
 */
struct figure snapshot_interval_s(const struct snapshot *snapshot);
/*
 * What an interval's ns are of a tally of so many CPUs: each one's part ends at its own last
 * record.
 */
uint64_t snapshot_counted_ns(uint64_t interval_ns, const uint64_t *tally, size_t cpus);

/*
 * The share of an event that was credited to no task, 0..1, and the index of the event. From a
 * hundredth on that is task-clock, by snapshot_unattributed_time(); else the event of which that
 * share is greatest. Of switches, faults and the like a handful says nothing by its share: they
 * take thousands.
 */
double snapshot_unattributed(const struct snapshot *snapshot, size_t *event);
/* The share, 0..1, of the CPU time in use (not idle) that was credited to no task. */
double snapshot_unattributed_time(const struct snapshot *snapshot);
/*
 * Whether rows are too low to be judged: that share is more than a 20th, and on a machine that is
 * nearly idle not only a 200th of all CPU time.
 */
bool snapshot_rows_too_low(const struct snapshot *snapshot);

/*
 * How the hardware events share the counters, for headers: "14 events in 2 turns". False where
 * nobody waits for a turn.
 */
bool snapshot_sharing(const struct snapshot *snapshot, char *text, size_t size);

/*
 * Whether the conservation above holds; else *event (which may be NULL) is the first that breaks
 * it. CPUs take part where any of them was counted.
 */
bool snapshot_conserves(const struct snapshot *snapshot, size_t *event);

#endif
