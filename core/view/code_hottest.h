// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_HOTTEST_H
#define PMCTOP_CODE_HOTTEST_H

#include "core/code/code_profile.h"
#include "core/view/code_view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fewer samples of a row than this do not show which function is its hottest. */
enum { CODE_HOTTEST_LEAST = 10 };

/* The function of a row that has the largest share of one event. */
struct code_hottest {
	const struct code_function *function; /* borrowed from the index, as the event */
	const struct code_event *event;
	struct code_share share;
	uint64_t total; /* samples of the row */
};

/* Returns whether a name means the event, with modifiers ("cycles:u") or without. */
bool code_is_event(const char *name, const char *event);
/* Returns whether shares of an event of that name are shares of time. */
bool code_is_time(const char *name);
/*
 * Returns the index of the time event, whose shares are shares of time: cycles, else the clock of a
 * CPU, else 0.
 */
unsigned code_time_event(const struct code_profile *profile);
/* Returns the index of the event of that name, or SIZE_MAX. */
size_t code_find_event(const struct code_profile *profile, const char *name);
/* Returns the index of the event that has the counts of that event of the columns, or SIZE_MAX. */
size_t code_find_counted(const struct code_profile *profile, unsigned counted);

/* Returns false if the row has no sample of the event. */
bool code_hottest_find(const struct code_index *index, const struct code_subject *subject,
		       unsigned event, struct code_hottest *hottest);

#endif
