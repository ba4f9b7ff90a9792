// SPDX-License-Identifier: MIT
#ifndef PMCTOP_METRICS_EXPORT_H
#define PMCTOP_METRICS_EXPORT_H

#include "core/snapshot/snapshot.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Metrics for monitoring: counters that only grow, of the machine, its CPUs and the tasks with most
 * CPU time, and gauges, as OpenMetrics or as the older Prometheus text. The collector adds every
 * snapshot. Any thread can get a text at any time.
 *
 * X is an event (core/output/metrics_export_name.h): cycles, task_clock_seconds.
 *
 *	pmctop_machine_X_total                     the machine, with idle time
 *	pmctop_cpu_X_total{cpu}                    the same for each CPU
 *	pmctop_idle_X_total{cpu}                   the idle part of that
 *	pmctop_unattributed_X_total                not attributed to any task
 *	pmctop_target_X_total, pmctop_others_X_total   if there is a target
 *	pmctop_task_X_total{pid,comm,user,cgroup}  processes ...
 *	pmctop_cgroup_X_total{cgroup}, pmctop_user_X_total{user},
 *	pmctop_command_X_total{comm}               ... and their groups
 *	pmctop_tasks_not_shown ...                 how many more of these there are
 *	pmctop_event_counted_ratio{event}          1, or the share of time that was counted
 *	pmctop_snapshots_total, pmctop_lost_records_total, pmctop_interval_seconds,
 *	pmctop_snapshot_timestamp_seconds, pmctop_processes, pmctop_threads
 *	pmctop_load_average{minutes}, pmctop_runnable_threads, pmctop_memory_bytes,
 *	pmctop_memory_available_bytes, pmctop_swap_bytes, pmctop_swap_free_bytes,
 *	pmctop_pressure_seconds_total{resource,kind}, pmctop_steal_ratio, pmctop_iowait_ratio,
 *	pmctop_forks_total                         the machine, from /proc
 *	pmctop_own_cpu_seconds_total, pmctop_records_total   CPU time of pmctop, records it read
 *	pmctop_topology_info{cpu,socket,node,type}, pmctop_host_info{host,mode,pmu,count},
 *	pmctop_build_info{version,schema}
 *
 * For a recording pmctop_host_info has the label replay too, with the name of the file ("-": a
 * pipe): the figures are not of that host now.
 *
 * For each X, task + others + idle + unattributed = machine, over all tasks and CPUs, also where
 * counters are estimates (core/output/out_sums.h). cpu, cgroup, user and command are separate
 * estimates, whose sums are nearly the same.
 *
 * An event whose metric name is taken is exported as pmctop_cpu_event_total{event} and so on.
 * Unknown values, events that are not counted now, and offline CPUs are absent. All tasks that ran
 * have sums. Exported are the tasks with most CPU time in the last minutes, and tasks that ended
 *lately (core/output/export_counters.h). A reused pid is another series by its comm, or begins
 *again at 0.
 */
struct metrics_export;

enum metrics_export_dialect {
	METRICS_EXPORT_OPENMETRICS, /* application/openmetrics-text; version=1.0.0 */
	METRICS_EXPORT_PROMETHEUS,  /* text/plain; version=0.0.4, as node_exporter's textfiles */
};

/* Default number of tasks. */
enum { METRICS_EXPORT_TOP = 50 };

/* Exports at most `top` tasks, cgroups, users and commands each. */
struct metrics_export *metrics_export_new(size_t top);
void metrics_export_free(struct metrics_export *export);

void metrics_export_add(struct metrics_export *export, const struct snapshot *snapshot);

/* Whether a snapshot of an interval was added; else it is empty, or has summaries only. */
bool metrics_export_is_of_intervals(const struct metrics_export *export);

/* The text of all metrics as of the last snapshot; the caller frees it. Any thread. */
char *metrics_export_text(struct metrics_export *export, enum metrics_export_dialect dialect,
			  size_t *size);

#endif
