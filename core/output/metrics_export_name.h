// SPDX-License-Identifier: MIT
#ifndef PMCTOP_METRICS_EXPORT_NAME_H
#define PMCTOP_METRICS_EXPORT_NAME_H

#include "core/event/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * What monitoring calls the events of a run, for all of it: an event that comes back has the name
 * that it had. The name of a metric is made of its event's, in small letters, with its base unit:
 * "cycles", "task_clock_seconds", "energy_pkg_joules"; what is neither letter nor digit is one "_".
 */
struct metrics_export_name {
	char *event; /* as its user wrote it */
	char *label; /* what it is shown as */
	char *word;  /* of the metric's name; NULL: taken already, a label has to tell the event */
	const char *unit; /* "seconds", "joules", "bytes"; "" */
	double scale;     /* a count times this is in that unit */
};

/* Zeroed is empty. */
struct metrics_export_names {
	struct metrics_export_name *items;
	size_t n, capacity;
};

enum { METRICS_EXPORT_NAMES_MAX = 1024 };

/* The index of an event's name, which is new or known; SIZE_MAX where they are too many. */
size_t metrics_export_names_add(struct metrics_export_names *names, const struct event *event);
void metrics_export_names_fini(struct metrics_export_names *names);

/* A count in the unit of the name, as both dialects write numbers. */
void metrics_export_put_count(FILE *out, const struct metrics_export_name *name, uint64_t count);
void metrics_export_put_seconds(FILE *out, uint64_t ns);

/*
 * A text as it stands in the quotes of a label: printable UTF-8 (core/base/text.h) on one line
 * whatever bytes are in it, with a backslash before quotes and backslashes. The text is the
 * caller's.
 */
char *metrics_export_label(const char *text);
/* Whether a label is the text as it stands, as nearly all are. */
bool metrics_export_is_plain(const char *text);
void metrics_export_put_label(FILE *out, const char *text);
/* The same in a help line, where the dialects disagree on quotes: there are none. */
void metrics_export_put_help(FILE *out, const char *text);

#endif
