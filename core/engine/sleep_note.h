// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SLEEP_NOTE_H
#define PMCTOP_SLEEP_NOTE_H

#include "core/engine/passing_notes.h"
#include "core/sys/sys.h"

#include <stdint.h>

/*
 * Says that the machine slept, and for how long: the clock of records and intervals
 * (CLOCK_MONOTONIC) stands still meanwhile, CLOCK_BOOTTIME does not.
 */
struct sleep_note {
	uint64_t asleep_ns; /* how much of CLOCK_BOOTTIME is not in CLOCK_MONOTONIC, at most */
};

void sleep_note_init(struct sleep_note *self, const struct sys *sys);
/* At the end of each interval. */
void sleep_note_renew(struct sleep_note *self, const struct sys *sys, struct passing_notes *passing,
		      struct notes *notes);

#endif
