// SPDX-License-Identifier: MIT
#ifndef PMCTOP_HIDDEN_SWITCHES_H
#define PMCTOP_HIDDEN_SWITCHES_H

#include "core/attrib/interval.h"
#include "core/collect/cpu_counter_set.h"
#include "core/sys/proc_machine.h"

#include <stdbool.h>

/*
 * Switches of which the records do not have all. The idle time of /proc/stat has the rest.
 *
 * Some kernels emit no sample for some switches. SWITCH records
 * (cpu_counter_set_enable_switch_records) have their times, but not always their tasks, so that
 * time is unattributed; without /proc/stat an idle CPU would look busy. Time in which another
 * program had the counters is no different.
 *
 * In a pid namespace of its own, records of tasks outside have tid 0, as those of the idle task;
 * without /proc/stat a busy CPU would look idle.
 */
struct hidden_switches {
	bool outside;            /* tasks outside of this pid namespace run on the CPUs too */
	bool replaced;           /* /proc/stat is not the machine's: it is not read */
	bool seen;               /* the kernel hides switches */
	bool begins;             /* first seen in the last interval */
	struct proc_cpus before; /* outside, or once seen: /proc/stat at the last cut */
};

void hidden_switches_fini(struct hidden_switches *hidden); /* zeroed is fine */

/*
 * Moves idle time from unattributed to idle, and time of tasks outside from idle to others. After a
 * cut, before the CPUs are summed. Sets ticks_ns and doubt_ns of the interval: without /proc/stat,
 * any of the hidden time may have been idle, and in the idle time tasks outside may have run.
 */
void hidden_switches_cut(struct hidden_switches *hidden, const struct cpu_counter_set *cpus,
			 struct interval *interval);
/* Detects hidden switches in the interval that has been cut, before it is reset. */
void hidden_switches_detect(struct hidden_switches *hidden, const struct interval *interval);
/* Begins the next interval. `anew`: all counters were opened again. */
void hidden_switches_renew(struct hidden_switches *hidden, const struct cpu_counter_set *cpus,
			   bool anew);

#endif
