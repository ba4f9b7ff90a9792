// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ROWS_H
#define PMCTOP_ROWS_H

#include "core/attrib/tasks.h"
#include "core/base/figure.h"
#include "core/event/tally.h"
#include "core/snapshot/columns.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Tasks, or groups of tasks (core/snapshot/rollup.h), with their tallies and figures. */

enum row_flag {
	ROW_EXITED = 1 << 0, /* has ended: within this interval, or ... */
	ROW_KERNEL = 1 << 1, /* a kernel thread */
	ROW_LOST = 1 << 2,   /* ran on a CPU that had gaps: its counts are a lower bound */
	ROW_ABOVE = 1 << 3,  /* does not pass the filter, but has descendants that do */
	ROW_ZOMBIE = 1 << 4, /* ... /proc has it still: nothing has waited for its end */
	ROW_FLAGS = 5,       /* how many bits there are */
};

struct row {
	pid_t pid; /* process (thread group) */
	pid_t tid; /* == pid for the main thread, and in rolled-up rows */
	pid_t ppid;
	uid_t uid;         /* (uid_t)-1: unknown */
	int cgroup;        /* index in the snapshot's cgroups (snapshot_cgroup); -1: unknown */
	uint64_t start_ns; /* identifies the task together with tid; 0: unknown */
	/*
	 * For so long, at least, it has been in uninterruptible sleep, stopped or a zombie; of a
	 * process, one of its threads. 0: not for longer than the interval, or unknown.
	 */
	uint64_t held_ms;
	unsigned threads;    /* threads in this row: 1, or more if rolled up */
	unsigned processes;  /* processes of these threads; 0 if not rolled up */
	unsigned flags;      /* enum row_flag */
	char comm[16];       /* hostile bytes, NUL-terminated; "": unknown */
	const char *cmdline; /* the snapshot's; hostile bytes; NULL: none, or unknown */
	char user[24];       /* name, or the number if it has no name; "": unknown */
	size_t before;       /* 1 + index in the snapshot's befores; 0: nothing has changed */
	/* CPU time that may be another row's, or not the target's (row_before). */
	uint64_t doubt_ns;
};

/*
 * What a task was before it changed its name, user or cgroup in this interval. A roll-up by what
 * has changed divides the counts between both: in the middle of the bounds.
 */
struct row_before {
	/* Bounds of the part of its CPU time before each change, 0..1. most 0: no change. */
	struct {
		float least, most;
	} parts[TASK_OWNERS];
	/*
	 * The row is a part of its task, which entered or left the target: bounds of that part, as
	 * above. most 0: it is the whole.
	 */
	struct {
		float least, most;
	} target;
	char comm[16];
	uid_t uid;
	int cgroup; /* index in the snapshot's cgroups; -1: unknown */
	char user[24];
};

/* Whether the row's task has ended within this interval. */
static inline bool row_has_just_ended(const struct row *row)
{
	return (row->flags & (ROW_EXITED | ROW_ZOMBIE)) == ROW_EXITED;
}

/* Parallel arrays: one entry of each for each row. */
struct rows {
	size_t n;
	/*
	 * Rows that did not run, the last ones. They share a tally, the ROW_LOST ones another, and
	 * the ROW_ZOMBIE ones a third.
	 */
	size_t n_still;
	struct row *items;
	uint64_t *tallies;      /* tally_width(shape) each */
	struct figure *figures; /* n_metrics each; NULL: not evaluated */
	/* FACTS each (core/metric/fact.h). NULL: no column needs them. */
	struct figure *facts;
	/*
	 * For sums of rows: only[i] is the index in `parts` (borrowed) of the single row that row i
	 * consists of, which has the figures of row i. SIZE_MAX: row i has several rows, or none.
	 * NULL: not sums.
	 */
	const struct rows *parts;
	size_t *only;
	size_t *parents; /* by tree: index of each row's parent, SIZE_MAX: none; else NULL */
};

enum { ROWS_SHARED = 3 }; /* tallies of these */

/* How many rows have a tally and figures of their own: with facts, no two rows are alike. */
static inline size_t rows_apart(const struct rows *rows)
{
	return rows->facts ? rows->n : rows->n - rows->n_still;
}

/* The part of a row's CPU time that may be another row's, 0..1; 0 if it is at most 1/100. */
static inline float row_doubt(const struct row *row, const uint64_t *tally)
{
	uint64_t clock_ns = tally[TALLY_TASK_CLOCK];

	if (row->doubt_ns <= clock_ns / 100)
		return 0;
	return row->doubt_ns < clock_ns ? (float)((double)row->doubt_ns / (double)clock_ns) : 1;
}

/* The place of a row in tallies and figures. */
static inline size_t rows_place(const struct rows *rows, size_t i)
{
	size_t apart = rows_apart(rows);

	if (i < apart || rows->n_still == 0 || rows->facts)
		return i;
	unsigned flags = rows->items[i].flags;
	return apart + (flags & ROW_LOST ? 1 : flags & ROW_ZOMBIE ? 2 : 0);
}

/* The facts of a row, or NULL. */
static inline struct figure *rows_facts(const struct rows *rows, size_t i)
{
	return rows->facts ? rows->facts + i * FACTS : NULL;
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

/* Allocates n zeroed rows. Facts that a column needs are UNDEFINED. */
void rows_init(const struct columns *columns, size_t n, struct rows *rows);
/* The same, and n_still after them that share tallies and their figures, if no column has facts. */
void rows_init_still(const struct columns *columns, size_t n, size_t n_still, struct rows *rows);
void rows_fini(struct rows *rows);
/* Evaluates every metric of every row. */
void rows_evaluate(const struct columns *columns, struct metric_scope scope, struct rows *rows);
/*
 * Evaluates sums of the rows of `parts`, with `only` as in struct rows, which takes `only` over.
 * Both may be NULL. Allocates the figures.
 */
void rows_evaluate_sums(const struct columns *columns, struct metric_scope scope,
			const struct rows *parts, size_t *only, struct rows *rows);
/* Fills figures[n_metrics] of row i, whether or not the rows were evaluated. */
void rows_evaluate_one(const struct columns *columns, struct metric_scope scope,
		       const struct rows *rows, size_t i, struct figure *figures);

#endif
