// SPDX-License-Identifier: MIT
#ifndef PMCTOP_VIEW_H
#define PMCTOP_VIEW_H

#include "core/snapshot/rollup.h"
#include "core/snapshot/snapshot.h"
#include "core/view/verdict.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The rows, columns and order of a snapshot that someone asked for, and the text of each cell.
 * Both the screen and batch text are views; neither formats a number by itself.
 */

/* What a cell means, for the theme to colour. */
enum cell_role {
	CELL_PLAIN,
	CELL_ID,   /* pids, CPU numbers */
	CELL_NAME, /* command, cgroup */
	CELL_DIM,  /* missing, zero, exited */
	CELL_WARN,
	CELL_BAD,
	CELL_SCALED,
};

struct cell {
	/*
	 * Printable UTF-8 (core/base/text.h), not padded: of at most the column's width, but for
	 * the texts of the last column, which take what room there is.
	 */
	char text[256];
	enum cell_role role;
};

/* What a column shows. */
enum view_field {
	FIELD_METRIC,
	FIELD_PID,
	FIELD_TID,
	FIELD_USER,
	FIELD_PROCESSES,
	FIELD_THREADS,
	FIELD_COMMAND,
	FIELD_CGROUP,
	FIELD_CPU, /* or socket, or node */
	FIELD_CPUS,
	FIELD_STALL, /* core/view/cpu_stall.h */
	FIELD_GHZ,   /* of CPUs, if the metric ghz is no column */
	FIELD_TYPE,  /* of a CPU */
	FIELD_VERDICT,
};

struct view_column {
	enum view_field field;
	const char *name; /* "pid", "user", "ipc", "command": what -s takes */
	char title[64];   /* "PID", "USER", "IPC", "COMMAND" */
	int metric;       /* index in columns->metrics, or -1 */
	int then;         /* the same metric in the baseline's; -1: not counted there */
	unsigned width;   /* the same at every refresh; of metrics: number and trust mark */
	unsigned least;   /* of the last one: what others are dropped for; 0: its width */
	bool left;        /* left-aligned; numbers are right-aligned */
	bool down;        /* sorted from the largest down, unless reversed */
	unsigned weight;  /* narrow screens drop the lightest first; 0 is never dropped */
};

/* How often things happen: columns of events and of rates can be shown as either. */
enum view_unit {
	VIEW_UNIT_USUAL, /* events as counts in the interval, rates per second */
	VIEW_UNIT_COUNT,
	VIEW_UNIT_PER_SECOND,
	VIEW_UNIT_PER_KI, /* per 1000 instructions; as unknown as these where they are */
	VIEW_UNIT_KINDS,
};

/* Sockets and nodes that are numbered beyond that do not unfold. */
enum { VIEW_UNITS = 256 };

struct view_spec {
	enum rollup by; /* what a line is */
	/*
	 * A column's name; "" is cpu_percent (or the first metric) for tasks, cpu for CPUs. Of
	 * those "worst" is lost, or where nobody counts cycles, as "" for tasks.
	 */
	char sort[256];
	bool folds; /* sockets and nodes are marked as what can be folded: "+ 0", "- 0" */
	/* By number: which of them have their CPUs below them. */
	bool unfolded[VIEW_UNITS];
	bool reverse;                  /* figures go down, ids and texts up unless reversed */
	struct row_filter_spec filter; /* of tasks; CPUs are all shown */
	size_t top;                    /* so many lines of tasks, the first ones; 0: all */
	bool command_lines;            /* COMMAND shows them, where the snapshot has them */
	bool ascii;                    /* the branches of a tree in ASCII */
	enum view_unit unit;
	/*
	 * Cells show how figures differ from those of the same row then: a task is known by its tid
	 * and start, others by what they are of. Borrowed: must outlive the view. NULL: none.
	 */
	const struct snapshot *baseline;
	/* Keeps from view to view what that was; borrowed. NULL: it is rolled up anew. */
	struct view_then *then;
	/*
	 * The names of the columns to show, in their order; borrowed, NULL behind the last. What
	 * this view has not is passed over. NULL, or where no metric of this view is named: all.
	 */
	const char *const *shown;
};

struct view_then; /* a baseline, rolled up */

struct view {
	const struct snapshot *snapshot; /* borrowed: must outlive the view */
	struct view_spec spec;
	struct view_column *columns;
	size_t n_columns;
	size_t sort_column;
	struct rows rolled;     /* when rolled up */
	struct cpu_units units; /* the same */
	/* The units, then the CPUs of those that are unfolded; borrows from them. */
	struct snapshot_cpu *cpu_lines;
	const struct rows *rows; /* what is shown: &snapshot->threads or &rolled; NULL: CPUs */
	const struct snapshot_cpu *cpus; /* the snapshot's or cpu_lines; NULL: tasks */
	char **names;       /* by cgroup: of each row (core/sys/cgroup_name), or NULL */
	bool *last;         /* by tree: of each row, whether no sibling follows */
	size_t *order;      /* indices in rows or cpus, of the lines */
	size_t n;           /* lines: fewer than rows by thread with a filter, and by spec.top */
	size_t n_left_out;  /* lines that spec.top left out */
	struct judge judge; /* of the snapshot's columns */
	struct view_baseline *baseline; /* what cells differ from; NULL: nothing */
	uint64_t *left_out; /* the tally of all tasks that filter and top keep out; NULL: neither */
};

/*
 * Builds a view. An unknown sort column falls back to the default, a known one that is not in
 * this preset as well (presets change while running). What is not known sorts last in both
 * directions; ties go by pid and tid (or CPU, user, cgroup), upwards. In a tree it is siblings that
 * are sorted, and every row stands above its descendants.
 */
void view_init(const struct snapshot *snapshot, const struct view_spec *spec, struct view *view);
void view_fini(struct view *view);

struct view_then *view_then_new(void);
/* Before its baseline is freed; NULL is fine. */
void view_then_forget(struct view_then *then);
void view_then_free(struct view_then *then); /* NULL is fine */

/*
 * The text of a cell. COMMAND has kernel threads in [brackets] and tasks that ended within the
 * interval in (parentheses), which means nothing in a summary, behind the branches of a tree. A
 * command line stands there as it is.
 */
void view_cell(const struct view *view, size_t line, size_t column, struct cell *cell);
/* A metric of the row or CPU of that index. */
struct figure view_figure(const struct view *view, size_t index, int metric);
/* What a column of a metric shows of it: in the spec's unit, or how that differs from then. */
struct figure view_value(const struct view *view, size_t index, const struct view_column *column);
/* What is to be said of the row or CPU of that index. */
struct judgement view_verdict(const struct view *view, size_t index);
/* Whether the row or CPU of that index had not run in the baseline's interval. */
bool view_is_new(const struct view *view, size_t index);
/* The row at a line (tasks), to follow it or to show its detail. */
const struct row *view_row(const struct view *view, size_t line);
/* The CPU, socket or node at a line; NULL: tasks. */
const struct snapshot_cpu *view_cpu(const struct view *view, size_t line);
/* Whether that is a socket or node, which can be unfolded. */
bool view_is_unit(const struct view *view, size_t line);

/*
 * Which columns fit into `width` screen columns, one blank between two: the lightest are dropped
 * first, the last one (COMMAND) gets what is left. Fills widths[n_columns], 0 for a dropped column.
 * The sort column is never dropped. On screens too narrow for what is never dropped, the last ones
 * are cut: widths and blanks never exceed `width`.
 */
void view_fit(const struct view *view, unsigned width, unsigned *widths);

/*
 * A figure as the view shows it, for headers and meters too: a number of at most def->width
 * columns, larger ones with k, M, G ...; one more in front for the "~" of what is scaled; or why it
 * is not known ("-", "n/a", "!", "?").
 */
void figure_format(const struct metric_def *def, struct figure figure, struct cell *cell);
/*
 * The same of a difference, with its sign: one column more. A change for the worse that is to be
 * noticed, a tenth at least of what it was (now - difference), is CELL_WARN, and CELL_BAD where
 * `now` is bad by itself.
 */
void figure_format_difference(const struct metric_def *def, struct figure difference, double now,
			      struct cell *cell);

/* "as usual", "counts", "per second", "per 1000 instructions" */
const char *view_unit_name(enum view_unit unit);

#endif
