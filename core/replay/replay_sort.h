// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REPLAY_SORT_H
#define PMCTOP_REPLAY_SORT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Sorts the records of a perf recording by time. perf reads the rings of the CPUs in turn, and
 * writes FINISHED_ROUND after each round: what is older than the newest record of the round before
 * is complete then. Records of one time keep their order.
 *
 * Memory is bounded by REPLAY_SORT_BYTES: beyond it the older half goes on, complete or not. A
 * record that comes later than that is `late`.
 */
struct replay_sort;

enum { REPLAY_SORT_BYTES = 64 << 20 };

struct replay_sort *replay_sort_new(size_t bytes_max); /* REPLAY_SORT_BYTES, but in tests */
void replay_sort_free(struct replay_sort *sort);       /* NULL is fine */

/* Adds a copy of a record. */
void replay_sort_add(struct replay_sort *sort, const struct perf_event_header *record,
		     uint64_t time_ns);
/* A round of perf has ended. */
void replay_sort_round(struct replay_sort *sort);
/* No more records come, so all are complete; until the next one is added. */
void replay_sort_end(struct replay_sort *sort);

/* Returns the oldest record if it is complete, or NULL. Valid until the next drop or add. */
const struct perf_event_header *replay_sort_first(const struct replay_sort *sort,
						  uint64_t *time_ns);
/* Drops that record. */
void replay_sort_drop(struct replay_sort *sort);

/* Number of records that came too late to be in order. */
uint64_t replay_sort_late(const struct replay_sort *sort);

#endif
