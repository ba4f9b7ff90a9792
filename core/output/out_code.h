// SPDX-License-Identifier: MIT
#ifndef PMCTOP_OUT_CODE_H
#define PMCTOP_OUT_CODE_H

#include "core/output/out_value.h"
#include "core/view/code_view.h"
#include "core/view/view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The functions of a view's lines (core/view/code_view.h), as text, csv and json print them. They
 * are sorted by the time event (core/view/code_hottest.h).
 */
struct out_code {
	const struct view *view;
	const struct code_profile *profile; /* the snapshot's; NULL: without functions */
	struct code_index *index;
	unsigned time; /* the time event */
	bool *metrics; /* of each metric of the columns: all its counts are sampled */
};

/* `exact`: each address without a name is a function, as in the snapshot (code_together.h). */
void out_code_init(const struct view *view, bool exact, struct out_code *code);
void out_code_fini(struct out_code *code);

/* The functions of a line, or of a sum of lines. */
struct out_functions {
	struct code_view code;
	struct out_counts_of counts; /* exact, of the line */
	uint64_t *busy;              /* the tally of `counts`, if owned */
	size_t n;                    /* functions to print: all, or as many as --top */
};

/* Fills the functions of a line of the view. A line without samples has none. */
void out_functions_of_line(const struct out_code *code, size_t line,
			   struct out_functions *functions);
/* The same of the target if there is one, else of all tasks. */
void out_functions_of_sum(const struct out_code *code, struct out_functions *functions);
void out_functions_fini(struct out_functions *functions);

/*
 * Returns the share of the row's count of an event of the set that is the function's, with the
 * count. Unknown if the event is not sampled, or without a sample in the function: the share is
 * small then, but not 0.
 */
struct out_scaled out_function_count(const struct out_functions *functions, size_t function,
				     size_t event);
/* Returns whether a share is known: there are samples of the event in the function. */
static inline bool out_share_known(const struct code_share *share)
{
	return share->samples > 0;
}
/*
 * Returns a metric of the function. NOT_COUNTED if its relative error is 100 % or more, or a
 * count that it needs is not sampled there.
 */
struct figure out_function_figure(const struct out_functions *functions, size_t function,
				  size_t metric);

/* Returns the standard error of that figure, in its unit. */
double out_function_error(const struct out_functions *functions, size_t function, size_t metric);

/* "user", "kernel", "unnamed", "rest" */
const char *out_code_kind(enum code_kind kind);

#endif
