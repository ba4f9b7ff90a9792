// SPDX-License-Identifier: MIT
#ifndef PMCTOP_DETAIL_H
#define PMCTOP_DETAIL_H

#include "core/snapshot/history.h"
#include "core/snapshot/rollup.h"
#include "core/snapshot/snapshot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * All that a snapshot has about one task, process, user, cgroup, command, CPU, socket or node. It
 * is found by its key in the history, whether it ran or not, and summed from its own threads.
 */
struct detail_thread {
	size_t row;  /* of the snapshot's threads */
	uint64_t ns; /* CPU time, or what columns_rank() has; for a CPU: on that CPU */
};

struct detail_place {
	int cpu;
	uint64_t ns;
};

struct detail {
	struct history_key key;
	/* One row with tally and figures; n is 0 if nothing ran. Without a name, except a task. */
	struct rows sum;
	struct detail_thread
		*threads; /* its threads, or those on the CPU, that ran; the busiest first */
	size_t n_threads;
	struct detail_place *places; /* CPUs that it ran on, the busiest first; none: unknown */
	size_t n_places;
};

/* Whether the key is of a CPU, socket or node. */
bool detail_is_of_cpus(const struct history_key *key);
/* Of such a key: whether that CPU belongs to it, and the grouping of rollup_cpus() that has it. */
bool detail_has_cpu(const struct snapshot *snapshot, const struct history_key *key, int number);
enum rollup detail_rollup_of_cpus(const struct history_key *key);

void detail_init(const struct snapshot *snapshot, const struct history_key *key,
		 struct detail *detail);
void detail_fini(struct detail *detail);

#endif
