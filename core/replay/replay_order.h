// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REPLAY_ORDER_H
#define PMCTOP_REPLAY_ORDER_H

#include "core/perf/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Queues of the records of a perf recording, one for each CPU. perf reads the rings of the CPUs in
 * turn, and writes FINISHED_ROUND after each round. The records of one CPU are in order; records of
 * different CPUs are in order by rounds only. Attribution needs the order of each CPU alone (tasks
 * are found by tid and time), so nothing is sorted: records after the next cut wait here until the
 * other CPUs have reached the cut.
 */
struct replay_order;

struct replay_order *replay_order_new(size_t n_cpus);
void replay_order_free(struct replay_order *order); /* NULL is fine */

/* Appends a copy, with its reading, to the queue of the CPU. */
void replay_order_add(struct replay_order *order, size_t cpu, const struct record *record);
/* The first record of a CPU, or NULL. Valid until the next add or drop. */
const struct record *replay_order_first(const struct replay_order *order, size_t cpu);
void replay_order_drop(struct replay_order *order, size_t cpu);
/* The first sample of a CPU, or NULL; *exit: the last EXIT before it, or NULL. */
const struct record *replay_order_sample(const struct replay_order *order, size_t cpu,
					 const struct record **exit);

/* Number of CPUs with queued samples; bytes of all queues. */
size_t replay_order_waiting(const struct replay_order *order);
size_t replay_order_bytes(const struct replay_order *order);

/* Notes the time of a record, in any order. */
void replay_order_note_time(struct replay_order *order, uint64_t time_ns);
/* Notes the end of a round. */
void replay_order_round(struct replay_order *order);
/* Latest time noted; 0: none. */
uint64_t replay_order_latest(const struct replay_order *order);
/* All records up to this time were read: the latest time of the round before. */
uint64_t replay_order_final(const struct replay_order *order);

#endif
