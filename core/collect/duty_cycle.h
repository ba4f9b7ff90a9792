// SPDX-License-Identifier: MIT
#ifndef PMCTOP_DUTY_CYCLE_H
#define PMCTOP_DUTY_CYCLE_H

#include "core/attrib/interval.h"
#include "core/base/notes.h"
#include "core/collect/cpu_counter_set.h"

#include <stdint.h>

/*
 * Keeps the cost of counting within a budget. The cost on a CPU is its switches, times the cost of
 * each for the kernel and for pmctop. If it exceeds the budget, the CPU is counted in windows. The
 * budget allows their total length. An interval has several parts with one window each, at a random
 * place in the part, so that no load is in step with the windows. The counts of a window stand for
 * its whole part (attrib_resume). The whole CPU is counted again after that has been cheap enough
 * for CALM_INTERVALS.
 *
 * Recording makes switches slower. So a task that mostly switches does it more often outside a
 * window than in it.
 *
 * pmctop's cost per record is measured as CPU time. The kernel's cost per switch cannot be
 * measured. The time to read the same counters once is used instead.
 */
struct duty_cycle {
	struct cpu_counter_set *cpus; /* borrowed */
	struct notes *notes;          /* borrowed */
	double budget;                /* share of a CPU's time; 0: no limit */
	uint64_t switch_ns;           /* the kernel's cost of a switch */
	double record_ns;             /* pmctop's cost of a record, smoothed */
	uint64_t drained_ns;          /* CPU time of draining since the last cut */
	uint64_t records;             /* applied up to the last cut */
	uint64_t cut_ns;              /* end of the last interval */
	unsigned windowed_cpus;       /* number of CPUs counted in windows */
	char *noted_cpus;             /* these CPUs, as in the note; NULL: none */
};

void duty_cycle_init(struct duty_cycle *duty, struct cpu_counter_set *cpus, struct notes *notes,
		     double budget);
void duty_cycle_fini(struct duty_cycle *duty);

/* Measures the kernel's cost of a switch, after CPUs were opened. */
void duty_cycle_measure(struct duty_cycle *duty);

/* Applies the records so far. */
void duty_cycle_drain(struct duty_cycle *duty);
/* Ends the interval on every CPU, and closes all windows. */
void duty_cycle_cut(struct duty_cycle *duty);
/*
 * Chooses the share of each CPU's time that is counted from now on, after a cut. Returns the number
 * of records of the interval.
 */
uint64_t duty_cycle_judge(struct duty_cycle *duty, const struct interval *interval);
/* Begins an interval of that length. */
void duty_cycle_begin(struct duty_cycle *duty, uint64_t interval_ns);

/* When the next window opens or closes (CLOCK_MONOTONIC); UINT64_MAX: never. */
uint64_t duty_cycle_due_ns(const struct duty_cycle *duty);
/* Opens and closes the windows that are due. */
void duty_cycle_go_on(struct duty_cycle *duty, uint64_t now_ns);

#endif
