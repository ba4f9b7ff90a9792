// SPDX-License-Identifier: MIT
#ifndef PMCTOP_COLUMN_CHOICE_H
#define PMCTOP_COLUMN_CHOICE_H

#include "core/snapshot/snapshot.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Which columns of figures are shown and in which order, across presets: what it does not name is
 * shown where it stands by itself, and the others stand in their order in the places that are
 * theirs together. As text: "ipc, -mips, ghz", where mips is hidden.
 */
struct column_wish {
	char *name; /* owned */
	bool hidden;
};

struct column_choice {
	struct column_wish *items;
	size_t n, capacity;
};

/* Replaces what there is; any text will do. */
void column_choice_parse(struct column_choice *choice, const char *text);
/* The inverse; the caller frees it. "" where nothing was chosen. */
char *column_choice_text(const struct column_choice *choice);
void column_choice_fini(struct column_choice *choice); /* zeroed is fine */

/* A column in its place; the name is borrowed from the columns. */
struct column_place {
	const char *name;
	int metric; /* -1: the verdict */
	bool hidden;
};

/* Fills places[columns->n_metrics + 1], those of no task left out; returns how many there are. */
size_t column_choice_places(const struct column_choice *choice, const struct columns *columns,
			    struct column_place *places);
/*
 * All names for view_spec.shown in an array that the caller frees, with NULL behind the last; NULL
 * where nothing was chosen.
 */
const char **column_choice_shown(const struct column_choice *choice, const struct columns *columns);

/* Shows or hides the column at a place. False where it is the last figure. */
bool column_choice_toggle(struct column_choice *choice, const struct columns *columns, size_t at);
/* Swaps it with its neighbour; returns where it is then. */
size_t column_choice_move(struct column_choice *choice, const struct columns *columns, size_t at,
			  bool down);

#endif
