// SPDX-License-Identifier: MIT
#ifndef PMCTOP_VIEW_H
#define PMCTOP_VIEW_H

#include "core/snapshot/rollup.h"
#include "core/snapshot/snapshot.h"
#include "core/view/code_view.h"
#include "core/view/verdict.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * A view: the rows, columns and order of a snapshot that the user wants, and the text of each cell.
 * The screen and batch text are views. Neither formats a number by itself.
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
	 * Printable UTF-8 (core/base/text.h), not padded, at most as wide as the column. Texts of
	 * the last column may be wider: the caller cuts them.
	 */
	char text[256];
	enum cell_role role;
	/* Of a command line: the bytes of its name. What is around them is less. end 0: the whole.
	 */
	unsigned stressed_begin, stressed_end;
	/* Of COMMAND: bytes before the ancestors on the line, and before the name. */
	size_t chain, name;
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
	FIELD_HOTTEST, /* core/view/code_hottest.h; only if spec.shown names it */
};

struct view_column {
	enum view_field field;
	const char *name; /* "pid", "user", "ipc", "command": the name for -s */
	char title[64];   /* "PID", "USER", "IPC", "COMMAND" */
	int metric;       /* index in columns->metrics, or -1 */
	int then;         /* the same metric in the baseline's columns; -1: not counted */
	unsigned width;   /* the same at every refresh; metrics: number and mark */
	unsigned least;   /* for which others are dropped, <= width; 0: width */
	bool left;        /* left-aligned; numbers are right-aligned */
	bool down;        /* sorted from the largest down, unless reversed */
	unsigned weight;  /* narrow screens drop the lightest column first; 0: never */
};

/* Unit of columns of events and of rates. */
enum view_unit {
	VIEW_UNIT_USUAL, /* events as counts in the interval, rates per second */
	VIEW_UNIT_COUNT,
	VIEW_UNIT_PER_SECOND,
	VIEW_UNIT_PER_KI, /* per 1000 instructions; unknown if these are unknown */
	VIEW_UNIT_KINDS,
};

/* What COMMAND has of a row of which the snapshot has the command line. */
enum view_command {
	VIEW_COMMAND_NAME,
	VIEW_COMMAND_SHORT, /* as command_text_short(); of a thread the name */
	VIEW_COMMAND_WHOLE,
};

/* Sockets and nodes with larger numbers do not unfold. */
enum { VIEW_UNITS = 256 };

struct view_spec {
	enum rollup by; /* what a line is */
	/*
	 * Name of a column. "": cpu_percent (or the first metric) for tasks, cpu for CPUs. "worst":
	 * stall for CPUs, or "" as for tasks if cycles are not counted.
	 */
	char sort[256];
	bool folds; /* sockets and nodes have fold marks: "+ 0", "- 0" */
	/* By number: the socket or node has its CPUs below it. */
	bool unfolded[VIEW_UNITS];
	bool reverse;                  /* default: figures down, ids and texts up */
	struct row_filter_spec filter; /* for tasks; CPUs are all shown */
	size_t top;                    /* at most this many lines of tasks; 0: all */
	/*
	 * In the default order, tasks that are held stand before those that hardly ran. At most so
	 * many, the rest comes last; 0: all.
	 */
	size_t most_held;
	enum view_command command;
	bool ascii; /* the branches of a tree in ASCII */
	/*
	 * A tree for a screen: COMMAND is behind PID, and a row whose figures are those of its only
	 * child is no line of its own ("bash > make > sh").
	 */
	bool compact;
	unsigned width;  /* of the text output, which drops columns; 0: no limit */
	bool sort_marks; /* columns have room for a mark behind each title */
	/*
	 * Marks and roles as figure_show() has them. In the default order, tasks that are shown
	 * with 0.0 are equal.
	 */
	bool screen;
	enum view_unit unit;
	/*
	 * If set, cells show differences from the same row of this snapshot. A task is identified
	 * by its tid and start, other rows by their group. Borrowed: must outlive the view.
	 */
	const struct snapshot *baseline;
	/* Caches the rolled-up baseline from view to view; borrowed. NULL: no cache. */
	struct view_then *then;
	/*
	 * Names of the metrics, "verdict" and "hottest" to show, in order; borrowed,
	 * NULL-terminated. Unknown names are ignored. NULL, or no metric of this view among them:
	 * all. The columns before the metrics, and the last one, are always shown.
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
	struct rows rolled;     /* if rolled up */
	struct cpu_units units; /* by socket or node */
	/* The units, then the CPUs of unfolded units; borrows their tallies. */
	struct snapshot_cpu *cpu_lines;
	const struct rows *rows;         /* &snapshot->threads or &rolled; NULL: lines are CPUs */
	const struct snapshot_cpu *cpus; /* the snapshot's or cpu_lines; NULL: lines are tasks */
	char **names;  /* by cgroup: name of each row (core/sys/cgroup_name), or NULL */
	bool *last;    /* by tree: the row is the last of its siblings */
	size_t *below; /* by tree: number of descendants, which the figures of the row include */
	size_t *above; /* by tree: the parent, if it is on the line of the row; else SIZE_MAX */
	size_t *order; /* indices in rows or cpus, of the lines */
	size_t n; /* number of lines; a filter by thread or spec.top can make it less than the rows
		   */
	size_t n_left_out;              /* lines that spec.top left out */
	struct judge judge;             /* for the snapshot's columns */
	struct view_baseline *baseline; /* NULL: no differences */
	struct code_index *code;        /* for FIELD_HOTTEST; NULL: no such column, or no samples */
	uint64_t
		*left_out; /* tally of the tasks that filter and top leave out; NULL: neither set */
};

/*
 * Builds a view. A sort column that is unknown, or not in this preset, is replaced by the default
 * (presets change while pmctop runs). Unknown figures sort last in both directions. Ties are sorted
 * by pid and tid (or CPU, user, cgroup, command), upwards. In a tree siblings are sorted, and every
 * row is above its descendants.
 */
void view_init(const struct snapshot *snapshot, const struct view_spec *spec, struct view *view);
void view_fini(struct view *view);

struct view_then *view_then_new(void);
/* Call it before the baseline is freed; NULL is fine. */
void view_then_clear(struct view_then *then);
void view_then_free(struct view_then *then); /* NULL is fine */

/*
 * Formats a cell. COMMAND has the branches of a tree and "+3 " if the figures of the row include
 * those of 3 descendants, then the ancestors on its line and the name: kernel threads in
 * [brackets], tasks that ended within the interval in (parentheses), except in a summary; of a
 * short command line these are around its name.
 */
void view_cell(const struct view *view, size_t line, size_t column, struct cell *cell);
/* Returns a metric of the row or CPU of that index. */
struct figure view_figure(const struct view *view, size_t index, int metric);
/* Returns what a column of a metric shows: in the spec's unit, or the difference. */
struct figure view_value(const struct view *view, size_t index, const struct view_column *column);
/* Returns the verdict of the row or CPU of that index. */
struct judgement view_verdict(const struct view *view, size_t index);
/* Returns whether the row or CPU of that index did not run in the baseline. */
bool view_is_new(const struct view *view, size_t index);
/* Returns the row at a line; NULL: lines are CPUs. */
const struct row *view_row(const struct view *view, size_t line);
/* Returns the CPU, socket or node at a line; NULL: lines are tasks. */
const struct snapshot_cpu *view_cpu(const struct view *view, size_t line);
/* Returns whether a row of the line passes: its own, or one that is no line of its own. */
bool view_line_passes(const struct view *view, size_t line, const struct row_filter *filter);
/* Returns whether the line is a socket or node, which can be unfolded. */
bool view_is_unit(const struct view *view, size_t line);

/*
 * Fits columns of any table into `width` screen columns, with one blank between two. The lightest
 * columns are dropped first, but never `kept`, the sort column (n: none). Columns with a least
 * width get what is left, and then the last one, if it is a text. Fills widths[n], 0: dropped, or
 * without a width. If the columns that are never dropped are too wide, the last ones are cut:
 * widths and blanks never exceed `width`.
 */
void view_fit(const struct view_column *columns, size_t n, size_t kept, unsigned width,
	      unsigned *widths);

/* Whether the title of a right-aligned column fills that width. */
bool view_title_is_full(const struct view_column *column, unsigned width);

/*
 * Formats a figure, for cells, headers and meters. A number has at most def->width columns; large
 * numbers end with k, M, G ... One more column in front is for "~" (scaled) or "?" (lost). An
 * unknown figure is "-", "n/a" or "!", and blank if it is UNDEFINED.
 */
void figure_format(const struct metric_def *def, struct figure figure, struct cell *cell);
/*
 * Formats a difference, with its sign: one column more. A change for the worse of at least a tenth
 * of the baseline (now - difference) is CELL_WARN, or CELL_BAD if `now` is bad by itself.
 */
void figure_format_difference(const struct metric_def *def, struct figure difference, double now,
			      struct cell *cell);

/* The figures of a row, a CPU or the machine, for the screen. Borrowed. */
struct shown_figures {
	const struct snapshot *snapshot;
	const struct figure *figures; /* n_metrics; NULL: not counted */
	const uint64_t *tally;        /* of which they were made; NULL: unknown */
	const struct row *row;        /* NULL: a CPU, or the machine */
};

/* Returns the figure, VALID if its error is known to be small (metric_is_close). */
struct figure figure_shown(const struct shown_figures *of, size_t metric, struct figure figure);
/* Returns whether a figure of a thread that ran has such a small error. */
bool figures_have_small_errors(const struct snapshot *snapshot);
/*
 * Returns the role of a figure of that role, which is no warning if it has no weight: of less than
 * 5 % of a CPU, the kernel's share in a kernel thread, or a wait that is less than a third of the
 * wait and the CPU time. The kernel's share is not bad below 50 % of a CPU.
 */
enum cell_role figure_role(const struct shown_figures *of, const struct metric_def *def,
			   struct figure figure, enum cell_role role);
/* Formats a metric, with the mark and the role that these two give it. */
void figure_show(const struct shown_figures *of, size_t metric, struct cell *cell);

/* "as usual", "counts", "per second", "per 1000 instructions" */
const char *view_unit_name(enum view_unit unit);

#endif
