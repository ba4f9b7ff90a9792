// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_WINDOW_H
#define PMCTOP_CODE_WINDOW_H

#include "core/snapshot/snapshot.h"
#include "core/view/code_sum.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The sum of a row over the last snapshots, for errors that shrink: the last CODE_WINDOW_LEAST to
 * CODE_WINDOW_MOST, in blocks. The oldest is dropped as a whole. Snapshots without samples
 * have no part in it, neither their counts. Zeroed: empty, of no row.
 */
enum {
	CODE_WINDOW_BLOCK = 5, /* snapshots */
	CODE_WINDOW_BLOCKS = 6,
	CODE_WINDOW_MOST = CODE_WINDOW_BLOCK * CODE_WINDOW_BLOCKS,
	CODE_WINDOW_LEAST = CODE_WINDOW_MOST - CODE_WINDOW_BLOCK + 1,
};

struct code_window {
	struct history_key key;
	bool tree;
	struct code_sum blocks[CODE_WINDOW_BLOCKS]; /* the oldest first */
	size_t n_blocks;
	struct code_sum closed; /* of all blocks but the last one */
	uint64_t time_ns;       /* of the newest snapshot */
	size_t without;         /* snapshots without samples since the newest with samples */
	uint64_t without_ns;    /* the length of their intervals */
};

/* Empties the window, which is then of that row. */
void code_window_begin(struct code_window *window, const struct history_key *key, bool tree);
void code_window_fini(struct code_window *window);
/* Drops all samples. */
void code_window_clear(struct code_window *window);

/*
 * Adds a snapshot, which is borrowed for the call. Other columns than before, or an earlier time,
 * as in a replay that goes back, begin the window anew.
 */
void code_window_add(struct code_window *window, const struct snapshot *snapshot);
/* Writes the sum of all, which the caller owns; empty if there is none. */
void code_window_sum(const struct code_window *window, struct code_sum *sum);

#endif
