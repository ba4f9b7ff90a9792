// SPDX-License-Identifier: MIT
#ifndef PMCTOP_BATCH_FORMAT_H
#define PMCTOP_BATCH_FORMAT_H

#include "core/view/view.h"

#include <stddef.h>
#include <stdio.h>

/* What --format takes, and how each writes the refreshes of a run. */
struct batch_format {
	const char *name;  /* "text", "json" ... */
	size_t top;        /* of how many tasks it tells where nobody says; 0: of all */
	bool leaves_notes; /* its text has no place for a snapshot's notes */
	/* What it keeps from refresh to refresh, of so many tasks; NULL: nothing. */
	void *(*begin)(size_t top);
	void (*end)(void *kept);
	/*
	 * Appends a refresh; or, with `replace`, writes all there is to know by now, so that the
	 * text takes the place of the last one. What writes nothing has nothing to say.
	 */
	void (*write)(void *kept, const struct view *view, FILE *out);
	void (*replace)(void *kept, const struct snapshot *snapshot, FILE *out);
};

/* The first is the default. */
extern const struct batch_format batch_formats[];
extern const size_t batch_formats_n;

/* NULL where there is none of that name. */
const struct batch_format *batch_format_find(const char *name);

/*
 * The format in which a file of that name (NULL: none) is read: those called *.prom are for
 * node_exporter's textfile collector, which knows the older dialect of OpenMetrics alone.
 */
const struct batch_format *batch_format_for(const struct batch_format *format, const char *path);

#endif
