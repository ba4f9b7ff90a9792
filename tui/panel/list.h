// SPDX-License-Identifier: MIT
#ifndef PMCTOP_LIST_H
#define PMCTOP_LIST_H

#include "core/view/view.h"
#include "tui/panel/graph_range.h"
#include "tui/term/canvas.h"
#include "tui/term/keymap.h"
#include "tui/widget/row_ref.h"
#include "tui/widget/widget_table.h"

#include <stdbool.h>

/*
 * A table over a view that is rebuilt when it must be: for another snapshot, another order. Both
 * list screens, tasks and CPUs, are one of these.
 */
struct list {
	struct view_spec spec;
	struct table table;
	const struct graph_range
		*graph_range; /* shown as a column of its own; NULL: it is not; borrowed */
	struct view view;     /* of the snapshot it was last asked for, while `built` */
	bool built;
	struct row_refs tags;       /* lines that were tagged, of all roll-ups */
	struct row_refs_sum tagged; /* of the view, while `built` */
	struct row_ref followed;    /* while `following`: the selection stays on it */
	bool following;
	bool away; /* the followed one is not in the view */
};

void list_init(struct list *list, enum rollup by);
void list_fini(struct list *list);

/* The view is of no use any more: call before its snapshot is freed and after spec has changed. */
void list_invalidate(struct list *list);

/* The view of the snapshot; valid until the next call of any of these. */
const struct view *list_view(struct list *list, const struct snapshot *snapshot);

/*
 * With what figures are compared from now on, or NULL; call before what they were compared with is
 * freed.
 */
void list_compare(struct list *list, const struct snapshot *baseline);

/* Another roll-up, from its first line on. */
void list_roll_up(struct list *list, enum rollup by);

/* Another line; whoever was followed is not any more. */
void list_select(struct list *list, size_t line);

/* Follows the selected line, or nobody any more. */
void list_follow(struct list *list, const struct snapshot *snapshot);
void list_unfollow(struct list *list);
/* Whether the one that is followed had ended before this snapshot. */
bool list_followed_ended(struct list *list, const struct snapshot *snapshot);

/* Moves, sorts, tags and follows; false where the action is none of the list's. */
bool list_act(struct list *list, const struct snapshot *snapshot, enum action action);

/*
 * A click on what was drawn last: on a title sorts by it, or turns the order where it is sorted by
 * it already; on a line selects it. Whether there is a line.
 */
bool list_click(struct list *list, const struct snapshot *snapshot, unsigned x, unsigned y);

void list_draw(struct list *list, const struct snapshot *snapshot, struct canvas *canvas,
	       struct rect rect, const char *empty);

#endif
