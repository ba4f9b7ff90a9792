// SPDX-License-Identifier: MIT
#ifndef PMCTOP_METRICS_EXPORT_INTERNAL_H
#define PMCTOP_METRICS_EXPORT_INTERNAL_H

#include "core/output/export_counters.h"
#include "core/output/metrics_export.h"
#include "core/output/metrics_export_name.h"
#include "core/view/finding.h"

#include <pthread.h>

/*
 * Shared by core/output/metrics_export.c, which updates it, and core/output/metrics_export_text.c,
 * which prints it.
 */

/* An event in the last snapshot. */
struct metrics_export_event {
	bool counted;         /* it has a column */
	struct figure figure; /* of the whole machine */
};

struct metrics_export_cpu {
	int cpu, socket, node; /* -1: unknown */
	char type[24];
	bool present; /* in the last snapshot */
	struct export_counters_sums all, idle;
};

/* The kinds of sums, in the order of the text. */
enum metrics_export_whole {
	METRICS_EXPORT_MACHINE,
	METRICS_EXPORT_IDLE, /* printed only if no CPU is */
	METRICS_EXPORT_UNATTRIBUTED,
	METRICS_EXPORT_OTHERS,
	METRICS_EXPORT_TARGET,
	METRICS_EXPORT_WHOLES,
};

enum metrics_export_crowd {
	METRICS_EXPORT_TASKS,
	METRICS_EXPORT_CGROUPS,
	METRICS_EXPORT_USERS,
	METRICS_EXPORT_COMMANDS,
	METRICS_EXPORT_CROWDS,
};

/* A value of the machine as a metric. */
struct export_machine_value {
	enum machine_value value;
	const char *word, *labels, *unit;
	bool counter;  /* its sum over the time in seconds, else the last value */
	double factor; /* the value is multiplied by this */
	const char *help;
};
/* Those with the same word are one after the other. */
extern const struct export_machine_value export_machine_values[];
extern const size_t export_machine_values_n;

struct metrics_export {
	pthread_mutex_t lock;
	size_t top;
	struct metrics_export_names names;
	struct metrics_export_event events[METRICS_EXPORT_NAMES_MAX];
	struct {
		struct export_counters_sums sums;
		bool present; /* in the last snapshot */
	} wholes[METRICS_EXPORT_WHOLES];
	struct metrics_export_cpu *cpus;
	size_t n_cpus, cpus_capacity;
	struct export_counters crowds[METRICS_EXPORT_CROWDS];

	/* Sums of all snapshots, then facts of the last one. */
	uint64_t snapshots, lost_records;
	uint64_t finding_ns[FINDING_WORDS]; /* time of intervals with such a finding */
	uint64_t records, self_cpu_ns;      /* cost of pmctop; 0: unknown, or a replay */
	bool intervals;                     /* a snapshot of an interval was added */
	uint64_t time_ns, realtime_ns, interval_ns;
	unsigned threads;
	struct snapshot_machine machine; /* of a counter: its sum (export_machine_values) */
	char host[64], replay[64], pmu[32], mode[16];
	const char *levels;
};

#endif
