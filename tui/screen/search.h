// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SEARCH_H
#define PMCTOP_SEARCH_H

#include "core/snapshot/row_filter.h"

#include <stddef.h>

struct app;

/*
 * What narrows a list by words: searching, which takes the selection to the next line that has
 * them, and the filter, which leaves out the lines that have them not. Both follow each letter, and
 * Esc takes them back. What was found is followed until the selection moves. A line has a word as
 * core/snapshot/row_filter says, a CPU where it is its number.
 */
struct search {
	char text[ROW_FILTER_BYTES];          /* searched for last */
	size_t from;                          /* the line where it began */
	char filter_before[ROW_FILTER_BYTES]; /* to be taken back to */
	char user[24];                        /* name of the only user shown: pick_user() */
};

void search_open(struct app *app);
/* The next line that has what was searched for last. */
void search_next(struct app *app);

void filter_open(struct app *app);

#endif
