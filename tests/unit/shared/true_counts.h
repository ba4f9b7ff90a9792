// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_TRUE_COUNTS_H
#define PMCTOP_TESTS_TRUE_COUNTS_H

#include "core/event/event_table.h"
#include "tests/fake_kernel/fake_kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The true counts of events by name on a machine of limited_machines.h, whose tasks have constant
 * rates and stay on their CPU. Names are encoded here, from the machine's files and from the terms
 * of the built-in table, and not by core/event.
 */
enum { TRUE_TASKS_MAX = 16 };

struct true_counts {
	struct fk *fk;
	const struct fk_config *config;
	const struct event_table *table; /* NULL: none */
	struct true_task {
		pid_t tid;
		int cpu;
		struct fk_rate user;            /* its share of user mode */
		uint64_t before_ns, counted_ns; /* CPU time: before, and of the interval */
	} tasks[TRUE_TASKS_MAX];
	size_t n_tasks;
	uint64_t begin_ns, interval_ns;
};

/* The interval begins, or ends, now. */
void true_counts_begin(struct true_counts *counts);
void true_counts_end(struct true_counts *counts);

/* What is summed up. */
struct true_row {
	const struct true_counts *counts;
	pid_t tid;       /* 0: all tasks ... */
	int cpu;         /* ... on this CPU; -1: on all, and the counts of sockets */
	const char *pmu; /* only what this core PMU counts; NULL: all of them */
};

/*
 * The count of an event in the interval; NAN if the machine has no such event, or not for such a
 * row. Also of interval_s, cpu_time_s, task-clock and slots_per_cycle.
 */
double true_count(const struct true_row *row, const char *name);
#endif
