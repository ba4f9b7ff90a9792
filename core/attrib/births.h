// SPDX-License-Identifier: MIT
#ifndef PMCTOP_BIRTHS_H
#define PMCTOP_BIRTHS_H

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
struct birth {
	struct record record;
	size_t cpu;       /* whose ring it is in, as the caller counts them */
	size_t order;     /* of those that were added */
	uint64_t raw[16]; /* its bytes; none (size 0) where they are more */
};

struct births {
	struct birth *items;
	size_t n, capacity;
};

void births_fini(struct births *births); /* zeroed is fine */
void births_clear(struct births *births);

/* Adds the record if it is a FORK, or a COMM and `names`; the bytes are copied. */
void births_add(struct births *births, size_t cpu, const struct perf_event_header *header,
		bool names);
/* By their times. */
void births_sort(struct births *births);

#endif
