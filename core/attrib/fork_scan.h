// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FORK_SCAN_H
#define PMCTOP_FORK_SCAN_H

#include "core/perf/record.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Who was born and who got a name on any CPU, in the order of time, before the rings are read one
 * after the other: whoever was born on one CPU may run on another whose ring is read first, and
 * Linux gives a number to somebody else soon where there are few of them.
 */
struct fork_scan_item {
	struct record record;
	size_t cpu;       /* whose ring it is in, as the caller counts them */
	size_t order;     /* of those that were added */
	uint64_t raw[16]; /* its bytes; none (size 0) where they are more */
};

struct fork_scan {
	struct fork_scan_item *items;
	size_t n, capacity;
};

void fork_scan_fini(struct fork_scan *fork_scan); /* zeroed is fine */
void fork_scan_clear(struct fork_scan *fork_scan);

/* Adds the record if it is a FORK, or a COMM and `names`; the bytes are copied. */
void fork_scan_add(struct fork_scan *fork_scan, size_t cpu, const struct perf_event_header *header,
		   bool names);
/* By their times. */
void fork_scan_sort(struct fork_scan *fork_scan);

#endif
