// SPDX-License-Identifier: MIT
#ifndef PMCTOP_HIDDEN_SWITCHES_H
#define PMCTOP_HIDDEN_SWITCHES_H

#include "core/attrib/interval.h"
#include "core/collect/cpu_counter_set.h"
#include "core/sys/proc.h"

#include <stdbool.h>

/*
 * A kernel that makes no samples of some switches. SWITCH records
 * (cpu_counter_set_enable_switch_records) tell when, but not of whom: the time of several silent
 * tasks in a row is nobody's. /proc/stat tells how much of it was idle: without that an idle CPU
 * would look busy there.
 */
struct hidden_switches {
	bool seen;
	bool begins;             /* it was, in the interval that has just been cut */
	struct proc_cpus before; /* once seen: what /proc/stat said at the last cut */
};

void hidden_switches_fini(struct hidden_switches *hidden); /* zeroed is fine */

/* An interval has been cut, and its CPUs are not summed up yet. */
void hidden_switches_cut(struct hidden_switches *hidden, const struct cpu_counter_set *cpus,
			 struct interval *interval);
/* Looks for it in the interval that has been cut, before that is reset. */
void hidden_switches_detect(struct hidden_switches *hidden, const struct interval *interval);
/* The next one begins. `anew`: all was opened anew. */
void hidden_switches_renew(struct hidden_switches *hidden, const struct cpu_counter_set *cpus,
			   bool anew);

#endif
