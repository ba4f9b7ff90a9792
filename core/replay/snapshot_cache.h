// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SNAPSHOT_CACHE_H
#define PMCTOP_SNAPSHOT_CACHE_H

#include "core/snapshot/snapshot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The last snapshots of a recording, so that steps back are immediate: at most SNAPSHOT_CACHE_MOST
 * of them and SNAPSHOT_CACHE_BYTES all together, but the latest two in any case. They are numbered
 * from 1 on, as they were read; those that are kept are the last ones up to number `last`. Zeroed
 * is empty.
 */
enum {
	SNAPSHOT_CACHE_MOST = 600,
	SNAPSHOT_CACHE_BYTES = 64 << 20,
};

struct snapshot_cache {
	struct snapshot
		*items[SNAPSHOT_CACHE_MOST]; /* number n is at n % SNAPSHOT_CACHE_MOST; owned */
	size_t n, bytes;
	uint64_t last;     /* the one that was read last, kept or not; 0: none was */
	uint64_t begin_ns; /* the offset where the oldest that is kept begins */
};

/* Drops all; then it is as zeroed. */
void snapshot_cache_rewind(struct snapshot_cache *cache);

/*
 * Takes over the snapshot that was read next, whose offset_ns is filled in, and which begins at
 * begin_ns; the oldest make room. The same without one: then none is kept.
 */
void snapshot_cache_keep(struct snapshot_cache *cache, struct snapshot *snapshot,
			 uint64_t begin_ns);
void snapshot_cache_skip(struct snapshot_cache *cache);
/* Drops those before that number; UINT64_MAX: all. */
void snapshot_cache_drop_before(struct snapshot_cache *cache, uint64_t number);

/* The oldest that is kept; last + 1 where none is. */
uint64_t snapshot_cache_oldest(const struct snapshot_cache *cache);
bool snapshot_cache_has(const struct snapshot_cache *cache, uint64_t number);
/* One that is kept; borrowed. */
struct snapshot *snapshot_cache_at(const struct snapshot_cache *cache, uint64_t number);
/* The number of the first that ends at that offset or later; 0: it is not kept, or not known. */
uint64_t snapshot_cache_find(const struct snapshot_cache *cache, uint64_t offset_ns);

#endif
