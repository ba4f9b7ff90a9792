// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CPU_STALL_H
#define PMCTOP_CPU_STALL_H

#include "core/metric/metric_def.h"
#include "core/snapshot/rollup.h"
#include "core/snapshot/snapshot.h"

/*
 * Which CPUs are the worst: those that lose most of their time. A core of today can retire several
 * instructions a cycle, so where it retires less than one it must have stood still meanwhile:
 *
 *     lost = share of time that it was busy * max(0, 1 - IPC)
 *
 * It is of the CPU as a whole: what one task loses, another one's IPC above 1 makes up for.
 * A lower bound, as the stall floor is (metric stall_floor_percent), and blind above IPC 1. Of
 * CPUs that lose the same, be it that nobody counts cycles, the busier is the worse.
 */

/* "lost%", as a column of CPUs. */
extern const struct metric_def cpu_stall_def;

/* The share of cycles that is lost at that IPC, at least: 0..1. */
double cpu_stall_share(double ipc);
/* In percent of its time; NOT_COUNTED where IPC is not among the metrics. */
struct figure cpu_lost(const struct columns *columns, const struct snapshot_cpu *cpu);
/* Of a socket or node: the mean of its CPUs that were counted. */
struct figure cpu_stall_in_unit(const struct snapshot *snapshot, enum rollup by, int unit);

/* The share of its time that was not idle, 0..1; -1 where nothing is known of it. */
double cpu_busy(const struct snapshot_cpu *cpu);

/* Less than 0: a is worse. Never 0 for two CPUs: of equals the lower number comes first. */
int cpu_compare_worst(const struct columns *columns, const struct snapshot_cpu *a,
		      const struct snapshot_cpu *b);

#endif
