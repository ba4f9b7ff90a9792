// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SILENCE_H
#define PMCTOP_SILENCE_H

#include "core/attrib/interval.h"
#include "core/collect/counted_cpus.h"
#include "core/sys/proc.h"

#include <stdbool.h>

/*
 * A kernel that makes no samples of some switches. SWITCH records (counted_cpus_ask_switches) tell
 * when, but not of whom: the time of several silent tasks in a row is nobody's.
 * /proc/stat tells how much of it was idle: without that an idle CPU would look busy there.
 */
struct silence {
	bool seen;
	bool begins;             /* it was, in the interval that has just been cut */
	struct proc_cpus before; /* once seen: what /proc/stat said at the last cut */
};

void silence_fini(struct silence *silence); /* zeroed is fine */

/* An interval has been cut, and its CPUs are not summed up yet. */
void silence_cut(struct silence *silence, const struct counted_cpus *cpus,
		 struct interval *interval);
/* Looks for it in the interval that has been cut, before that is reset. */
void silence_look(struct silence *silence, const struct interval *interval);
/* The next one begins. `anew`: all was opened anew. */
void silence_renew(struct silence *silence, const struct counted_cpus *cpus, bool anew);

#endif
