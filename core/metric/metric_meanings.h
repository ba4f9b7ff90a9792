// SPDX-License-Identifier: MIT
#ifndef PMCTOP_METRIC_MEANINGS_H
#define PMCTOP_METRIC_MEANINGS_H

#include <stddef.h>

/*
 * What the letters in a vendor's formula are: "a=EVENT b=EVENT", or the same of constants
 * (struct event_table_metric). The text is borrowed.
 */
struct metric_meaning {
	const char *name, *text; /* not terminated */
	size_t n_name, n_text;
};

struct metric_meanings {
	struct metric_meaning *items; /* sorted by name; owned */
	size_t n;
};

/* Words without "=" are left out. */
void metric_meanings_init(struct metric_meanings *meanings, const char *pairs);
void metric_meanings_fini(struct metric_meanings *meanings);
/* Returns the meaning of a name and its length, or NULL. Of equal names the first is used. */
const char *metric_meanings_find(const struct metric_meanings *meanings, const char *name,
				 size_t n_name, size_t *length);

#endif
