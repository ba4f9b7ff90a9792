// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CPU_NOTES_H
#define PMCTOP_CPU_NOTES_H

#include "core/attrib/interval.h"
#include "core/base/notes.h"

#include <stdbool.h>

/*
 * Says which CPUs went away and which came back, whoever counts them. Who went is told for as long
 * as they are away, who came for CPU_NOTES_REFRESHES intervals.
 */
enum { CPU_NOTES_REFRESHES = 10 };

struct cpu_notes {
	struct cpu_note {
		bool online;     /* as of the last interval */
		bool seen;       /* in any */
		unsigned recent; /* for so many more intervals one that came */
	} * items;               /* by index in the interval */
};

void cpu_notes_fini(struct cpu_notes *self); /* zeroed is fine */

/* At the end of each interval; all of them are over the same CPUs. */
void cpu_notes_renew(struct cpu_notes *self, const struct interval *interval, struct notes *notes);

#endif
