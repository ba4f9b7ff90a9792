// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REPLAY_ORDER_H
#define PMCTOP_REPLAY_ORDER_H

#include "core/perf/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The order of a recording of perf's. perf empties the rings of the CPUs one after the other, and
 * marks with FINISHED_ROUND that it has been at all of them: each CPU's records stand in their own
 * order, those of different CPUs in none but by rounds. Attribution minds the order of a CPU alone
 * (tasks are found by tid and time), so nothing is sorted: what a CPU did after the next cut waits
 * here until the other CPUs have come there too.
 */
struct replay_order;

struct replay_order *replay_order_new(size_t n_cpus);
void replay_order_free(struct replay_order *order); /* NULL is fine */

/* Behind what waits of its CPU already. A copy, with its reading. */
void replay_order_add(struct replay_order *order, size_t cpu, const struct record *record);
/* The next of a CPU, NULL where none waits. Good until the next call that puts or drops. */
const struct record *replay_order_first(const struct replay_order *order, size_t cpu);
void replay_order_drop(struct replay_order *order, size_t cpu);
/* The next sample of a CPU, NULL where none waits; *exit: the last EXIT before it, or NULL. */
const struct record *replay_order_sample(const struct replay_order *order, size_t cpu,
					 const struct record **exit);

/* How many CPUs have samples that wait, and how much all that waits takes. */
size_t replay_order_waiting(const struct replay_order *order);
size_t replay_order_bytes(const struct replay_order *order);

/* A record was made then; in whichever order. */
void replay_order_saw(struct replay_order *order, uint64_t time_ns);
/* A round is finished. */
void replay_order_round(struct replay_order *order);
/* The latest that was seen; 0: none. */
uint64_t replay_order_latest(const struct replay_order *order);
/* All that was made until then has been seen: the latest of the round before. */
uint64_t replay_order_final(const struct replay_order *order);

#endif
