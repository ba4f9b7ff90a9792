// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SEARCH_H
#define PMCTOP_SEARCH_H

#include "core/snapshot/row_filter.h"

#include <stddef.h>

struct app;

/*
 * Search and filter. A search selects the next line with the words; the filter hides lines without
 * them. Both follow each typed letter, and Esc undoes them. The found row is followed until the
 * selection moves. core/snapshot/row_filter.h defines when a row has a word; a CPU matches its
 * number.
 */
struct search {
	char text[ROW_FILTER_BYTES];          /* of the last search */
	size_t from;                          /* selected line when the search began */
	char filter_before[ROW_FILTER_BYTES]; /* the filter when its prompt was opened; Esc restores
						 it */
	char user[24];                        /* name of the only user shown: pick_user() */
};

void search_open(struct app *app);
/* Selects the next match of the last search. */
void search_next(struct app *app);

void filter_open(struct app *app);

/* What search and filter need command lines for. */
enum command_lines search_lines(const struct app *app);

#endif
