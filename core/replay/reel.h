// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REEL_H
#define PMCTOP_REEL_H

#include "core/snapshot/snapshot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The last snapshots of a recording, so that steps back are immediate: at most REEL_MOST of them
 * and REEL_BYTES all together, but the latest two in any case. They are numbered from 1 on, as they
 * were read; those that are kept are the last ones up to number `last`. Zeroed is empty.
 */
enum {
	REEL_MOST = 600,
	REEL_BYTES = 64 << 20,
};

struct reel {
	struct snapshot *items[REEL_MOST]; /* number n is at n % REEL_MOST; owned */
	size_t n, bytes;
	uint64_t last;     /* the one that was read last, kept or not; 0: none was */
	uint64_t begin_ns; /* the offset where the oldest that is kept begins */
};

/* Drops all; then it is as zeroed. */
void reel_rewind(struct reel *reel);

/*
 * Takes over the snapshot that was read next, whose offset_ns is filled in, and which begins at
 * begin_ns; the oldest make room. The same without one: then none is kept.
 */
void reel_keep(struct reel *reel, struct snapshot *snapshot, uint64_t begin_ns);
void reel_skip(struct reel *reel);
/* Drops those before that number; UINT64_MAX: all. */
void reel_drop_before(struct reel *reel, uint64_t number);

/* The oldest that is kept; last + 1 where none is. */
uint64_t reel_oldest(const struct reel *reel);
bool reel_has(const struct reel *reel, uint64_t number);
/* One that is kept; borrowed. */
struct snapshot *reel_at(const struct reel *reel, uint64_t number);
/* The number of the first that ends at that offset or later; 0: it is not kept, or not known. */
uint64_t reel_find(const struct reel *reel, uint64_t offset_ns);

#endif
