// SPDX-License-Identifier: MIT
#ifndef PMCTOP_METRICS_EXPORT_H
#define PMCTOP_METRICS_EXPORT_H

#include "core/snapshot/snapshot.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * What monitoring reads: counters that only grow, of the machine, its CPUs and the tasks that did
 * most, and gauges, as OpenMetrics or as Prometheus' older text. Snapshots are added, every one of
 * them, by whoever collects; texts are taken at any time, by any thread.
 *
 * X is an event (core/output/metrics_export_name.h): cycles, task_clock_seconds.
 *
 *	pmctop_machine_X_total                     all of it, idle time included
 *	pmctop_cpu_X_total{cpu}                    the same of each CPU
 *	pmctop_idle_X_total{cpu}                   the idle part of that
 *	pmctop_unattributed_X_total                what was credited to nobody
 *	pmctop_target_X_total, pmctop_others_X_total   where some tasks were asked for
 *	pmctop_task_X_total{pid,comm,user,cgroup}  processes ...
 *	pmctop_cgroup_X_total{cgroup}, pmctop_user_X_total{user}   ... and what they are in
 *	pmctop_tasks_not_shown ...                 how many more of these there are
 *	pmctop_event_counted_ratio{event}          1, or how far its counters are estimates
 *	pmctop_snapshots_total, pmctop_lost_records_total, pmctop_interval_seconds,
 *	pmctop_snapshot_timestamp_seconds, pmctop_threads
 *	pmctop_own_cpu_seconds_total, pmctop_records_total   what pmctop takes itself, and reads
 *	pmctop_topology_info{cpu,socket,node,type}, pmctop_host_info{host,mode,pmu,count},
 *	pmctop_build_info{version,schema}
 *
 * Of a recording pmctop_host_info has the label replay, too, the name of the file ("-": a pipe):
 * what is told is not what happens on that host now.
 *
 * For each X, task + others + idle + unattributed = machine, over all tasks and CPUs, also where
 * counters are estimates (core/output/out_sums.h). cpu, cgroup and user are then estimates of their
 * own, which add up to nearly the same.
 *
 * An event whose name is another's already is told as pmctop_cpu_event_total{event} and so on. What
 * is not known is absent, and so is what is not counted now, and CPUs that are off. All who ran
 * have sums, whether they are told or not (core/output/export_counters.h): of whom is told are
 *those who ran most in the last minutes, and who ended lately. A pid that is used again is another
 *series by its comm, or begins anew.
 */
struct metrics_export;

enum metrics_export_dialect {
	METRICS_EXPORT_OPENMETRICS, /* application/openmetrics-text; version=1.0.0 */
	METRICS_EXPORT_PROMETHEUS,  /* text/plain; version=0.0.4, as node_exporter's textfiles */
};

/* Of how many tasks it tells where nobody says. */
enum { METRICS_EXPORT_TOP = 50 };

/* How many tasks, cgroups and users are told of, at most. */
struct metrics_export *metrics_export_new(size_t top);
void metrics_export_free(struct metrics_export *export);

void metrics_export_add(struct metrics_export *export, const struct snapshot *snapshot);

/* Whether it was given snapshots of intervals; else it is empty, or of summaries alone. */
bool metrics_export_is_of_intervals(const struct metrics_export *export);

/* All of it as of the last snapshot; the caller frees it. Any thread. */
char *metrics_export_text(struct metrics_export *export, enum metrics_export_dialect dialect,
			  size_t *size);

#endif
