// SPDX-License-Identifier: MIT
#ifndef PMCTOP_OUT_VALUE_H
#define PMCTOP_OUT_VALUE_H

#include "core/snapshot/snapshot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* How the formats for machines write what is counted: as JSON has numbers, in every locale. */

/* Whose counts these are. */
struct out_counts_of {
	const struct columns *columns;
	const uint64_t *tally; /* NULL: nothing was heard of it */
	bool machine;          /* the machine as a whole, with what sockets count */
	bool lost;             /* a lower bound: ROW_LOST */
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
 * An event's count scaled up to the whole time, before the event's scale, as tallies have it.
 * `figure` is what out_event_figure() returned, and known.
 */
uint64_t out_scaled_count(const struct out_counts_of *counts, size_t event, struct figure figure);
/* "scaled:0.75", "unsupported" */
void out_state(FILE *out, struct figure figure);

#endif
