// SPDX-License-Identifier: MIT
#ifndef PMCTOP_VIEW_H
#define PMCTOP_VIEW_H

#include "snapshot.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The rows, columns and order of a snapshot that someone asked for, and the text of each cell.
 * Both the screen and batch text are views; neither formats a number by itself.
 */

enum view_subject {
	VIEW_TASKS,
	VIEW_CPUS,
};

/* What a cell means, for the theme to colour. */
enum cell_role {
	CELL_PLAIN,
	CELL_ID,   /* pids, CPU numbers */
	CELL_NAME, /* command */
	CELL_DIM,  /* missing, zero, exited */
	CELL_WARN,
	CELL_BAD,
	CELL_SCALED,
};

struct cell {
	char text[48]; /* printable UTF-8 (core/text.h) of at most the column's width, not padded */
	enum cell_role role;
};

struct view_column {
	const char *name;  /* "pid", "user", "ipc", "command": what -s takes */
	const char *title; /* "PID", "USER", "IPC", "COMMAND" */
	int metric;        /* index in columns->metrics, or -1 */
	unsigned width;    /* the same at every refresh; of metrics: number and trust mark */
	bool left;         /* left-aligned; numbers are right-aligned */
	unsigned weight;   /* narrow screens drop the lightest first; 0 is never dropped */
};

struct view_spec {
	enum view_subject subject;
	char sort[256]; /* a column's name; "" is cpu_percent (or the first metric) for tasks, cpu
			   for CPUs */
	bool reverse;   /* figures go down, ids and texts up unless reversed */
	bool threads;   /* threads instead of processes */
};

struct view {
	const struct snapshot *snapshot; /* borrowed: must outlive the view */
	struct view_spec spec;
	struct view_column *columns;
	size_t n_columns;
	size_t sort_column;
	struct rows processes;   /* when rolled up */
	const struct rows *rows; /* what is shown (tasks): &snapshot->threads or &processes */
	size_t *order;           /* indices in rows or in snapshot->cpus */
	size_t n;
};

/*
 * Builds a view. An unknown sort column falls back to the default, a known one that is not in
 * this preset as well (presets change while running). What is not known sorts last in both
 * directions; ties go by pid and tid (or CPU), upwards.
 */
void view_init(const struct snapshot *snapshot, const struct view_spec *spec, struct view *view);
void view_fini(struct view *view);

/*
 * The text of a cell. COMMAND has kernel threads in [brackets] and tasks that ended within the
 * interval in (parentheses).
 */
void view_cell(const struct view *view, size_t line, size_t column, struct cell *cell);
/* The row at a line (tasks), to follow it or to show its detail. */
const struct row *view_row(const struct view *view, size_t line);

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

#endif
