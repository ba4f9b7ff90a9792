// SPDX-License-Identifier: MIT
#ifndef PMCTOP_DURATION_H
#define PMCTOP_DURATION_H

#include "core/base/error.h"

#include <stddef.h>
#include <stdint.h>

/* The interval between two refreshes, as it is typed and shown. */
#define DURATION_MIN_NS 100000000ull /* 0.1 s: below, reading the counters is what is measured */
#define DURATION_MAX_NS 3600000000000ull /* 1 h */

/*
 * "1", "0.5", "2s", "500ms"; blanks around are fine. -EINVAL for what is no duration, -ERANGE for
 * what lies beyond DURATION_MIN_NS..DURATION_MAX_NS, with a phrase that names the limit: "0 is
 * below ...", for a prompt to show or for a sentence to take in.
 */
int duration_parse(const char *text, uint64_t *ns, struct error *err);

/* "1.0s", "0.25s", "60.0s": the shortest that is exact to the millisecond. */
void duration_format(uint64_t ns, char *text, size_t size);

/* How long something has lasted: "45 s", "45 min", "6 h". */
void duration_format_age(uint64_t ns, char *text, size_t size);

/* "01:02:03"; more than 99 hours have as many digits as they take. */
void duration_format_clock(uint64_t ns, char *text, size_t size);

#endif
