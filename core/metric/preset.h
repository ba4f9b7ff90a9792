// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PRESET_H
#define PMCTOP_PRESET_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * A named list of columns: what is counted and shown. A copy owns all that it points to
 * (preset_fini).
 */
struct preset {
	const char *name;
	const char *help;
	/* Names of metrics; in a user's preset also of events, as for -e; NULL-terminated. */
	const char *const *metrics;
	bool leaves_out; /* drops what this machine cannot count, unless that is everything */
};

extern const struct preset preset_table[];
extern const size_t preset_table_n;
/*
 * The metrics that verdicts need (core/view/verdict_rules.c) and that cost no counter of a PMU and
 * no record: hidden columns, where the user has none of that name. NULL-terminated. Major faults
 * cost a value of each record. Without them thrashing is not recognized before the looks have its
 * reason (core/wait/looks.h), and hardly ever if its waits are short.
 */
extern const char *const verdict_metrics[];
/*
 * The metrics that verdicts about the CPU need, the most useful first: hidden columns beside IPC,
 * counted where counters are free.
 */
extern const char *const verdict_counters[];
extern const struct preset preset_none; /* "none": without columns; not in the table */

/* Returns the built-in preset of that name, or NULL. */
const struct preset *preset_find(const char *name);
/*
 * Sets *preset to the user's preset of that name, else the built-in one, or "none". Returns -EINVAL
 * with a sentence and a similar name.
 */
int preset_choose(const char *name, const struct preset *user, size_t n_user,
		  const struct preset **preset, struct error *err);

/* How much of a preset this machine can count. */
enum preset_extent {
	PRESET_WHOLE,
	PRESET_PARTLY,
	PRESET_NOTHING, /* beside the time on CPUs, which each preset has */
};

/* `counts`: whether a metric or event of that name can be counted. */
enum preset_extent preset_extent(const struct preset *preset,
				 bool (*counts)(void *arg, const char *name), void *arg);

/* Makes a deep copy. help may be NULL. */
void preset_copy(struct preset *copy, const struct preset *preset);
/* For copies, not for built-in presets. Zeroed is fine. */
void preset_fini(struct preset *preset);

#endif
