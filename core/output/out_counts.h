// SPDX-License-Identifier: MIT
#ifndef PMCTOP_OUT_COUNTS_H
#define PMCTOP_OUT_COUNTS_H

#include "core/snapshot/snapshot.h"

#include <stdio.h>

/*
 * Counts of a run, in the style of `perf stat`: of all rows together the count of every event, with
 * the metrics, and the times (snapshot->run, which must be set).
 *
 *	   1,372.20 ms  task-clock              137.2 %CPU
 *	         42     context-switches         4.20 cs/s
 *	 ~4,393,000     cycles (25%)             3.20 GHz
 *	        n/a     cache-misses              n/a caMPKI
 *
 *	10.250000 s elapsed, 13.600000 s user, 0.120000 s system, status 0
 *
 * Counts are scaled and marked like all figures ("~" "?" "n/a" "!" "-"), with the share of the time
 * in which they were counted.
 */
void out_counts(const struct snapshot *snapshot, FILE *out);

#endif
