// SPDX-License-Identifier: MIT
#ifndef PMCTOP_COUNTED_WINDOWS_H
#define PMCTOP_COUNTED_WINDOWS_H

#include "core/attrib/interval.h"
#include "core/base/notes.h"
#include "core/collect/counted_cpus.h"

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
struct counted_windows {
	struct counted_cpus *cpus; /* borrowed */
	struct notes *notes;       /* likewise */
	double budget;             /* a share of a CPU's time; 0: there is none */
	uint64_t switch_ns;        /* the kernel's, for each switch */
	double record_ns;          /* our own, for each record: smoothed */
	uint64_t drained_ns;       /* our own since the last cut */
	uint64_t records;          /* folded in up to the last cut */
	uint64_t cut_ns;           /* when the last interval ended */
	char *told; /* the CPUs that are counted so, as the note has them; NULL: none */
};

void counted_windows_init(struct counted_windows *windows, struct counted_cpus *cpus,
			  struct notes *notes, double budget);
void counted_windows_fini(struct counted_windows *windows);

/* CPUs were opened anew: finds out what the kernel takes. */
void counted_windows_measure(struct counted_windows *windows);

/* Folds in what there is; brings every CPU up to the end of the interval, all windows closed. */
void counted_windows_drain(struct counted_windows *windows);
void counted_windows_cut(struct counted_windows *windows);
/*
 * An interval has been cut: chooses how much of each CPU is counted from now on. Returns how many
 * records it had.
 */
uint64_t counted_windows_judge(struct counted_windows *windows, const struct interval *interval);
/* The next interval begins, which is to be so long. */
void counted_windows_begin(struct counted_windows *windows, uint64_t interval_ns);

/* When a window is to be opened or closed; UINT64_MAX: never. Does it. */
uint64_t counted_windows_due_ns(const struct counted_windows *windows);
void counted_windows_go_on(struct counted_windows *windows, uint64_t now_ns);

#endif
