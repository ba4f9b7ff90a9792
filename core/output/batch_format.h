// SPDX-License-Identifier: MIT
#ifndef PMCTOP_BATCH_FORMAT_H
#define PMCTOP_BATCH_FORMAT_H

#include "core/view/view.h"

#include <stddef.h>
#include <stdio.h>

/* The formats of --format, and how each writes the refreshes of a run. */
struct batch_format {
	const char *name;    /* "text", "json" ... */
	size_t top;          /* number of tasks unless the user gives it; 0: all */
	bool leaves_notes;   /* it does not print notes of snapshots */
	bool functions;      /* it prints functions, if the snapshots have them */
	bool only_functions; /* and nothing else */
	/* Creates the state that is kept between refreshes, for `top` tasks; NULL: none. */
	void *(*begin)(size_t top);
	void (*end)(void *kept);
	/*
	 * write appends a refresh. replace writes a whole text, which replaces the last one; it
	 * writes nothing if nothing is new. A format has one of the two.
	 */
	void (*write)(void *kept, const struct view *view, FILE *out);
	void (*replace)(void *kept, const struct snapshot *snapshot, FILE *out);
	/* Prints what is left at the end of the run; NULL: nothing. */
	void (*finish)(void *kept, FILE *out);
};

/* The first is the default. */
extern const struct batch_format batch_formats[];
extern const size_t batch_formats_n;

/* NULL if there is none of that name. */
const struct batch_format *batch_format_find(const char *name);

/*
 * The format for a file of that name (NULL: none). Files *.prom are for the textfile collector of
 * node_exporter, which supports only the older Prometheus text.
 */
const struct batch_format *batch_format_for(const struct batch_format *format, const char *path);

#endif
