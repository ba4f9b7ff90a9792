// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CPU_STALL_H
#define PMCTOP_CPU_STALL_H

#include "core/metric/metric_def.h"
#include "core/snapshot/rollup.h"
#include "core/snapshot/snapshot.h"

/*
 * The column stall% of CPUs, and their order by it. A CPU of today can retire several instructions
 * a cycle, so a CPU that retires less than one stalls in the other cycles:
 *
 *     stall% = 100 * busy share of the time * max(0, 1 - IPC)
 *
 * This is a lower bound for the CPU as a whole, as is the metric stall_floor_percent. A task with
 * an IPC above 1 hides the stalls of another task on the same CPU. Of CPUs with the same stall%, or
 * without an IPC, the busier one is the worse.
 */

/* Title and format of the column. */
extern const struct metric_def cpu_stall_def;

/* Returns the least share of cycles that stall at that IPC, 0..1. */
double cpu_stall_share(double ipc);
/* Returns stall% of a CPU, in percent of its time. NOT_COUNTED if IPC is not among the metrics. */
struct figure cpu_stall(const struct columns *columns, const struct snapshot_cpu *cpu);
/* Returns the mean stall% of the counted CPUs of a socket or node. */
struct figure cpu_stall_in_unit(const struct snapshot *snapshot, enum rollup by, int unit);

/* Returns the share of its time that the CPU was not idle, 0..1; -1: not counted. */
double cpu_busy(const struct snapshot_cpu *cpu);

/* Returns < 0 if a is worse than b. Of equal CPUs the lower number comes first: never 0 for two. */
int cpu_compare_worst(const struct columns *columns, const struct snapshot_cpu *a,
		      const struct snapshot_cpu *b);

#endif
