// SPDX-License-Identifier: MIT
#ifndef PMCTOP_OUT_VALUE_H
#define PMCTOP_OUT_VALUE_H

#include "core/snapshot/snapshot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* How the formats for machines write what is counted: as JSON has numbers, in every locale. */

/* A scaled count that is a sum of other lines' (core/output/out_sums.h). */
struct out_scaled {
	struct figure figure; /* the event's state in this line, also of its raw count */
	uint64_t count;       /* before the event's scale, as tallies have it */
	bool known;
};

/* Whose counts these are. */
struct out_counts_of {
	const struct columns *columns;
	const uint64_t *tally;           /* NULL: nothing was heard of it */
	bool machine;                    /* the machine as a whole, with what sockets count */
	bool lost;                       /* a lower bound: ROW_LOST */
	const struct out_scaled *scaled; /* by event; NULL: the tally scaled by its own share */
};

struct figure out_event_figure(const struct out_counts_of *counts, size_t event);
/* figures NULL: nothing was heard of it. */
struct figure out_metric_figure(const struct figure *figures, size_t metric);
/* A column that shows an event has its name, and its state. */
bool out_is_event(const struct columns *columns, const char *name);

/* Six digits at least, whatever the size; exponents only below a thousandth. */
void out_number(FILE *out, double value);
/* To the microsecond. */
void out_seconds(FILE *out, uint64_t ns);
/*
 * An event's count as it was counted, not scaled, but in its unit; false where it is not known, and
 * nothing is written.
 */
bool out_event(FILE *out, const struct out_counts_of *counts, size_t event);
/*
 * An event's count scaled up to the whole time, in its unit, whole counts as integers. Equal to
 * out_event()'s if the event was counted all the time. False if it is not known, and nothing is
 * written.
 */
bool out_scaled(FILE *out, const struct out_counts_of *counts, size_t event);
/* The same number before the event's scale, by `figure`: what out_event_figure() read, known. */
uint64_t out_scaled_count(const struct out_counts_of *counts, size_t event, struct figure figure);
/* "scaled:0.75", "unsupported" */
void out_state(FILE *out, struct figure figure);

#endif
