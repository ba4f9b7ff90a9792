// SPDX-License-Identifier: MIT
#ifndef PMCTOP_LIST_H
#define PMCTOP_LIST_H

#include "core/view/view.h"
#include "tui/panel/detail_subject.h"
#include "tui/panel/graph_range.h"
#include "tui/term/canvas.h"
#include "tui/term/keymap.h"
#include "tui/widget/row_ref.h"
#include "tui/widget/widget_table.h"

#include <stdbool.h>

/*
 * A table over a view. The view is rebuilt for each snapshot and each change of `spec`. The screens
 * of tasks and of CPUs are one list each.
 *
 * A line that the user has moved to, clicked or tagged is aimed at: the selection stays on its row
 * in the next snapshots. A page up or down, Home, End, the wheel, another order, filter or roll-up
 * ends that, and the selection stays on its line number again.
 */
struct list {
	struct view_spec spec;
	struct table table;
	const struct graph_range *graph_range; /* for the HISTORY column; NULL: none; borrowed */
	struct view view; /* valid while `built`, for the snapshot of the last list_view() */
	bool built;
	struct row_refs tags;          /* tagged lines, in all roll-ups */
	struct row_refs_sum tagged;    /* sum of the tags in the view, while `built` */
	struct row_ref followed;       /* valid while `aimed`: the selection stays on it */
	struct detail_subject subject; /* of that row, as last seen */
	bool aimed;
	bool following;   /* aimed by F or a search: only a movement ends that; the title has it */
	bool away;        /* the row is not in the view: no line is selected */
	size_t line;      /* the last one of the row */
	unsigned lines;   /* list_lines() of the last call */
	bool had_verdict; /* of CPUs, by which the column stays, although the next may have none */
};

void list_init(struct list *list, enum rollup by);
void list_fini(struct list *list);

/* Frees the view. Call before its snapshot is freed and after `spec` has changed. */
void list_invalidate(struct list *list);

/* Returns the view of the snapshot, valid until the next call of a list function. */
const struct view *list_view(struct list *list, const struct snapshot *snapshot);

/* The view of the snapshot as rows of the table, valid as long. */
struct table_rows list_rows(struct list *list, const struct snapshot *snapshot);

/*
 * Compares figures with the baseline (NULL: no comparison). Call before the old baseline is freed.
 */
void list_compare(struct list *list, const struct snapshot *baseline);

/* Changes the roll-up and selects the first line. */
void list_roll_up(struct list *list, enum rollup by);

/* Selects a line and stops following. */
void list_select(struct list *list, size_t line);
/* The selection stays on its line, not on its row, unless F or a search follows the row. */
void list_release(struct list *list);
/*
 * The selected row; if it is not in the view, as last seen. Returns false if there is none. The
 * snapshot may be NULL.
 */
bool list_subject(struct list *list, const struct snapshot *snapshot,
		  struct detail_subject *subject);

/* Follows the selected line, or stops following. */
void list_follow(struct list *list, const struct snapshot *snapshot);
void list_unfollow(struct list *list);
/* True if the followed row had ended before this snapshot. */
bool list_followed_ended(struct list *list, const struct snapshot *snapshot);

/*
 * Calls fn for each row that a key acts on: the tagged ones of the view's kind, or else the
 * selected one, if its lines are processes, threads or a tree. tid is 0 except for a thread.
 * seen_ns is the time of the snapshot that had the row.
 */
typedef void list_chosen_fn(void *arg, pid_t pid, pid_t tid, uint64_t seen_ns);
void list_each_chosen(struct list *list, const struct snapshot *snapshot, list_chosen_fn *fn,
		      void *arg);

/* Sorts by the column of that name, in its natural direction. */
void list_sort(struct list *list, const char *name);

/* Moves, sorts, tags and follows. Returns false for other actions. */
bool list_act(struct list *list, const struct snapshot *snapshot, enum action action);

/*
 * A click at a place of the last drawing: selects a line, sorts by a title, or reverses the order
 * at the sort column's title. Returns true for a line.
 */
bool list_click(struct list *list, const struct snapshot *snapshot, unsigned x, unsigned y);

/*
 * Lines that all rows and the title need. It grows at once, but shrinks only by many lines, so that
 * rows that come and go do not move what is below the list.
 */
unsigned list_lines(struct list *list, const struct snapshot *snapshot);

void list_draw(struct list *list, const struct snapshot *snapshot, struct canvas *canvas,
	       struct rect rect, const char *empty);

#endif
