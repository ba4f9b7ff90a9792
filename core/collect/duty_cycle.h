// SPDX-License-Identifier: MIT
#ifndef PMCTOP_DUTY_CYCLE_H
#define PMCTOP_DUTY_CYCLE_H

#include "core/attrib/interval.h"
#include "core/base/notes.h"
#include "core/collect/cpu_counter_set.h"

#include <stdint.h>

/*
 * Keeps counting within a budget: what it takes of a CPU is its switches, times what the kernel and
 * we take for each. Where that is more than the budget, the CPU is counted in windows, as long
 * together as the budget allows. An interval has several parts and each of these a window, which
 * begins wherever in it, so that no load is in step with them; what is seen in it stands for all of
 * its part (attrib_resume). All is counted again when that has been cheap enough for a while.
 *
 * How often tasks switch in a window is how often they do while each switch is told of: those that
 * do little else switch more often beside it.
 *
 * What we take is measured, CPU time for records. What the kernel takes nobody tells: it is taken
 * to be what reading the same counters once takes, which is measured too.
 */
struct duty_cycle {
	struct cpu_counter_set *cpus; /* borrowed */
	struct notes *notes;          /* likewise */
	double budget;                /* a share of a CPU's time; 0: there is none */
	uint64_t switch_ns;           /* the kernel's, for each switch */
	double record_ns;             /* our own, for each record: smoothed */
	uint64_t drained_ns;          /* our own since the last cut */
	uint64_t records;             /* folded in up to the last cut */
	uint64_t cut_ns;              /* when the last interval ended */
	char *noted_cpus; /* the CPUs that are counted so, as the note has them; NULL: none */
};

void duty_cycle_init(struct duty_cycle *duty, struct cpu_counter_set *cpus, struct notes *notes,
		     double budget);
void duty_cycle_fini(struct duty_cycle *duty);

/* CPUs were opened anew: finds out what the kernel takes. */
void duty_cycle_measure(struct duty_cycle *duty);

/* Folds in what there is; brings every CPU up to the end of the interval, all windows closed. */
void duty_cycle_drain(struct duty_cycle *duty);
void duty_cycle_cut(struct duty_cycle *duty);
/*
 * An interval has been cut: chooses how much of each CPU is counted from now on. Returns how many
 * records it had.
 */
uint64_t duty_cycle_judge(struct duty_cycle *duty, const struct interval *interval);
/* The next interval begins, which is to be so long. */
void duty_cycle_begin(struct duty_cycle *duty, uint64_t interval_ns);

/* When a window is to be opened or closed; UINT64_MAX: never. Does it. */
uint64_t duty_cycle_due_ns(const struct duty_cycle *duty);
void duty_cycle_go_on(struct duty_cycle *duty, uint64_t now_ns);

#endif
