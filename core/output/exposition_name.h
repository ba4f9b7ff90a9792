// SPDX-License-Identifier: MIT
#ifndef PMCTOP_EXPOSITION_NAME_H
#define PMCTOP_EXPOSITION_NAME_H

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
struct exposition_name {
	char *event; /* as its user wrote it */
	char *label; /* what it is shown as */
	char *word;  /* of the metric's name; NULL: taken already, a label has to tell the event */
	const char *unit; /* "seconds", "joules", "bytes"; "" */
	double scale;     /* a count times this is in that unit */
};

/* Zeroed is empty. */
struct exposition_names {
	struct exposition_name *items;
	size_t n, capacity;
};

enum { EXPOSITION_NAMES_MAX = 1024 };

/* The index of an event's name, which is new or known; SIZE_MAX where they are too many. */
size_t exposition_names_add(struct exposition_names *names, const struct event *event);
void exposition_names_fini(struct exposition_names *names);

/* A count in the unit of the name, as both dialects write numbers. */
void exposition_put_count(FILE *out, const struct exposition_name *name, uint64_t count);
void exposition_put_seconds(FILE *out, uint64_t ns);

/*
 * A text as it stands in the quotes of a label: printable UTF-8 (core/base/text.h) on one line
 * whatever bytes are in it, with a backslash before quotes and backslashes. The text is the
 * caller's.
 */
char *exposition_label(const char *text);
/* Whether a label is the text as it stands, as nearly all are. */
bool exposition_is_plain(const char *text);
void exposition_put_label(FILE *out, const char *text);
/* The same in a help line, where the dialects disagree on quotes: there are none. */
void exposition_put_help(FILE *out, const char *text);

#endif
