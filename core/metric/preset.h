// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PRESET_H
#define PMCTOP_PRESET_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * A named list of metric columns: what is counted and shown. What a copy points to is its own,
 * given up by preset_fini.
 */
struct preset {
	const char *name;
	const char *help;
	/* Names of metrics, and as -e has them of events in a user's own; NULL-terminated. */
	const char *const *metrics;
	bool leaves_out; /* what this machine cannot count is left out, unless that is everything */
};

extern const struct preset preset_table[];
extern const size_t preset_table_n;
extern const struct preset preset_none; /* "none": no column of its own; not in the table */

/* NULL where there is none of that name. */
const struct preset *preset_find(const char *name);
/*
 * One of somebody's own, else a built-in one, else "none". -EINVAL and a sentence with what is
 * near.
 */
int preset_choose(const char *name, const struct preset *native, size_t n_own,
		  const struct preset **preset, struct error *err);

/* A deep copy: of a built-in one, or of what a user listed. help may be NULL. */
void preset_copy(struct preset *copy, const struct preset *preset);
/* Of a copy, never of a built-in one. Zeroed is fine. */
void preset_fini(struct preset *preset);

#endif
