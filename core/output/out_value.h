// SPDX-License-Identifier: MIT
#ifndef PMCTOP_OUT_VALUE_H
#define PMCTOP_OUT_VALUE_H

#include "core/snapshot/snapshot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* How csv and json print counts: numbers as in JSON, in every locale. */

/* A count that is scaled to the whole time, of a line or of a sum (core/output/out_sums.h). */
struct out_scaled {
	struct figure figure; /* state of the event in this line, also of its raw count */
	uint64_t count;       /* as in tallies, before the scale of the event; 0 if not known */
	bool known;
};

/* The counts of one line. */
struct out_counts_of {
	const struct columns *columns;
	const uint64_t *tally;           /* NULL: unknown */
	bool machine;                    /* the whole machine, with counts of sockets */
	bool lost;                       /* a lower bound: ROW_LOST */
	float doubt;                     /* row_doubt() */
	const struct out_scaled *scaled; /* by event; NULL: the tally, scaled by its own share */
};

struct figure out_event_figure(const struct out_counts_of *counts, size_t event);
/* figures NULL: unknown. */
struct figure out_metric_figure(const struct figure *figures, size_t metric);
/* Whether a column with that name shows an event. */
bool out_is_event(const struct columns *columns, const char *name);

/* A cell in text, where fields are counted: one that is blank on the screen is "-". */
static inline const char *out_cell(const char *text)
{
	return text[0] ? text : "-";
}

/* Six digits at least; exponents only below 0.001. */
void out_number(FILE *out, double value);
/* The value of a known metric: a number, or a letter in these quotes. */
void out_metric(FILE *out, const struct metric_def *def, struct figure figure, const char *quote);
/* Six decimals. */
void out_seconds(FILE *out, uint64_t ns);
/*
 * Prints the count of an event, not scaled, in its unit. False: it is unknown, and nothing is
 * printed.
 */
bool out_event(FILE *out, const struct out_counts_of *counts, size_t event);
/*
 * Prints the count of an event scaled to the whole time, in its unit; whole counts as integers.
 * Equal to out_event() if the event was counted all the time. False: it is unknown, and nothing is
 * printed.
 */
bool out_scaled(FILE *out, const struct out_counts_of *counts, size_t event);
/* Returns what out_scaled() prints, before the scale of the event. */
struct out_scaled out_scaled_of(const struct out_counts_of *counts, size_t event);
/* "scaled:0.75", "unsupported" */
void out_state(FILE *out, struct figure figure);

#endif
