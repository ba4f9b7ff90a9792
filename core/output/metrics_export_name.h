// SPDX-License-Identifier: MIT
#ifndef PMCTOP_METRICS_EXPORT_NAME_H
#define PMCTOP_METRICS_EXPORT_NAME_H

#include "core/event/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Names of events in metrics, constant for a run: an event that comes back has its name again. The
 * name is the event's in small letters, with its base unit: "cycles", "task_clock_seconds",
 * "energy_pkg_joules". Each run of other characters than letters and digits becomes one "_".
 */
struct metrics_export_name {
	char *event;      /* as the user wrote it */
	char *label;      /* name on the screen */
	char *word;       /* part of the metric name; NULL: taken, the event is a label */
	const char *unit; /* "seconds", "joules", "bytes"; "" */
	double scale;     /* a count times this is in that unit */
};

/* Zeroed is empty. */
struct metrics_export_names {
	struct metrics_export_name *items;
	size_t n, capacity;
};

enum { METRICS_EXPORT_NAMES_MAX = 1024 };

/* Index of the name of an event, added if new; SIZE_MAX: too many. */
size_t metrics_export_names_add(struct metrics_export_names *names, const struct event *event);
void metrics_export_names_fini(struct metrics_export_names *names);

/* A count in the unit of the name, as both dialects write numbers. */
void metrics_export_put_count(FILE *out, const struct metrics_export_name *name, uint64_t count);
void metrics_export_put_seconds(FILE *out, uint64_t ns);

/*
 * A text for the quotes of a label: printable UTF-8 (core/base/text.h) on one line, with a
 * backslash before quotes and backslashes. The caller frees it.
 */
char *metrics_export_label(const char *text);
/* Whether a label needs no escapes, as nearly all. */
bool metrics_export_is_plain(const char *text);
void metrics_export_put_label(FILE *out, const char *text);
/* The same for a help line, without quotes, which the dialects escape differently. */
void metrics_export_put_help(FILE *out, const char *text);

#endif
