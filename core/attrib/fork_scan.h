// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FORK_SCAN_H
#define PMCTOP_FORK_SCAN_H

#include "core/perf/record.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * FORK and COMM records of all CPUs in the order of time. They are collected before the rings are
 * read one after the other: a task that was forked on one CPU may run on another CPU of which the
 * ring is read first. And Linux soon reuses a tid if there are few.
 */
struct fork_scan_item {
	struct record record;
	size_t cpu;       /* the caller's index of the CPU */
	size_t order;     /* in which it was added */
	uint64_t raw[16]; /* its bytes; header.size 0: there are more than fit */
};

struct fork_scan {
	struct fork_scan_item *items;
	size_t n, capacity;
};

void fork_scan_fini(struct fork_scan *fork_scan); /* zeroed is valid */
void fork_scan_clear(struct fork_scan *fork_scan);

/* Adds a copy of the record if it is a FORK, or a COMM and `names`. */
void fork_scan_add(struct fork_scan *fork_scan, size_t cpu, const struct perf_event_header *header,
		   bool names);
/* Sorts by time. */
void fork_scan_sort(struct fork_scan *fork_scan);

#endif
