// SPDX-License-Identifier: MIT
#ifndef PMCTOP_COLUMN_CHOICE_H
#define PMCTOP_COLUMN_CHOICE_H

#include "core/snapshot/snapshot.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Which columns of figures are shown and in which order, in all presets. Columns that it does not
 * name are shown in their natural order, except "hottest", which needs samples. As text: "ipc,
 * -mips, ghz", where mips is hidden.
 */
struct column_wish {
	char *name; /* owned */
	bool hidden;
};

struct column_choice {
	struct column_wish *items;
	size_t n, capacity;
};

/* Replaces the choice. Any text is valid. */
void column_choice_parse(struct column_choice *choice, const char *text);
/* The inverse, owned by the caller; "" if nothing is chosen. */
char *column_choice_text(const struct column_choice *choice);
void column_choice_fini(struct column_choice *choice); /* accepts a zeroed one */

/* A column at its place; the name is borrowed from the columns. */
struct column_place {
	const char *name;
	int metric; /* -1: the verdict, or the hottest function */
	bool hidden;
};

enum { COLUMN_CHOICE_EXTRA = 2 }; /* columns that are no metrics */

/*
 * Fills places[columns->n_shown + COLUMN_CHOICE_EXTRA], without metrics of the machine. Returns
 * their number.
 */
size_t column_choice_places(const struct column_choice *choice, const struct columns *columns,
			    struct column_place *places);
/*
 * The names for view_spec.shown, ended by NULL, in an array owned by the caller; NULL if nothing is
 * chosen.
 */
const char **column_choice_shown(const struct column_choice *choice, const struct columns *columns);

/* Whether the column of that name, which is hidden unless it is chosen, is chosen. */
bool column_choice_has(const struct column_choice *choice, const char *name);

/* Shows the column of that name if it is hidden. Returns whether it was. */
bool column_choice_show(struct column_choice *choice, const char *name);
/* Shows or hides the column at a place. Returns false for the last visible figure, which stays. */
bool column_choice_toggle(struct column_choice *choice, const struct columns *columns, size_t at);
/* Swaps the column with its neighbour. Returns its new place. */
size_t column_choice_move(struct column_choice *choice, const struct columns *columns, size_t at,
			  bool down);

#endif
