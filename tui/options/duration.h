// SPDX-License-Identifier: MIT
#ifndef PMCTOP_DURATION_H
#define PMCTOP_DURATION_H

#include "core/base/error.h"

#include <stddef.h>
#include <stdint.h>

/* The refresh interval, as text and in ns. */
#define DURATION_MIN_NS \
	100000000ull /* 0.1 s: below that, pmctop mostly measures its own reading of counters */
#define DURATION_MAX_NS 3600000000000ull /* 1 h */

/*
 * Parses "1", "0.5", "2s", "500ms", with blanks around. Returns 0; -EINVAL, or -ERANGE beyond
 * DURATION_MIN_NS..DURATION_MAX_NS, with a phrase without a full stop, for prompts and sentences.
 */
int duration_parse(const char *text, uint64_t *ns, struct error *err);

/* "1.0s", "0.25s", "60.0s": the shortest text that is exact to the millisecond. */
void duration_format(uint64_t ns, char *text, size_t size);

/* An age: "45 s", "45 min", "6 h". */
void duration_format_age(uint64_t ns, char *text, size_t size);

/* The local time of day, "14:02:10"; of the time 0 `unknown`. */
void duration_format_time_of_day(uint64_t realtime_ns, const char *unknown, char *text,
				 size_t size);

/* "01:02:03"; 100 hours and more have more digits. */
void duration_format_clock(uint64_t ns, char *text, size_t size);

#endif
