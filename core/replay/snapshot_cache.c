// SPDX-License-Identifier: MIT
#include "core/replay/snapshot_cache.h"

uint64_t snapshot_cache_oldest(const struct snapshot_cache *cache)
{
	return cache->last - cache->n + 1;
}

bool snapshot_cache_has(const struct snapshot_cache *cache, uint64_t number)
{
	return number >= snapshot_cache_oldest(cache) && number <= cache->last;
}

struct snapshot *snapshot_cache_at(const struct snapshot_cache *cache, uint64_t number)
{
	return cache->items[number % SNAPSHOT_CACHE_MOST];
}

static void drop_oldest(struct snapshot_cache *cache)
{
	struct snapshot *oldest = snapshot_cache_at(cache, snapshot_cache_oldest(cache));

	cache->bytes -= snapshot_bytes(oldest);
	cache->begin_ns = oldest->offset_ns;
	snapshot_free(oldest);
	cache->n--;
}

void snapshot_cache_drop_before(struct snapshot_cache *cache, uint64_t number)
{
	while (cache->n > 0 && snapshot_cache_oldest(cache) < number)
		drop_oldest(cache);
}

void snapshot_cache_rewind(struct snapshot_cache *cache)
{
	snapshot_cache_drop_before(cache, UINT64_MAX);
	cache->last = 0;
}

void snapshot_cache_keep(struct snapshot_cache *cache, struct snapshot *snapshot, uint64_t begin_ns)
{
	size_t bytes = snapshot_bytes(snapshot);

	while (cache->n == SNAPSHOT_CACHE_MOST ||
	       (cache->n > 1 && cache->bytes + bytes > SNAPSHOT_CACHE_BYTES))
		drop_oldest(cache);
	if (cache->n == 0)
		cache->begin_ns = begin_ns;
	cache->last++;
	cache->n++;
	cache->items[cache->last % SNAPSHOT_CACHE_MOST] = snapshot;
	cache->bytes += bytes;
}

void snapshot_cache_skip(struct snapshot_cache *cache)
{
	snapshot_cache_drop_before(cache, UINT64_MAX);
	cache->last++;
}

uint64_t snapshot_cache_find(const struct snapshot_cache *cache, uint64_t offset_ns)
{
	uint64_t number = snapshot_cache_oldest(cache);

	if (cache->n == 0 || snapshot_cache_at(cache, cache->last)->offset_ns < offset_ns ||
	    (number > 1 && cache->begin_ns >= offset_ns))
		return 0;
	while (number < cache->last && snapshot_cache_at(cache, number)->offset_ns < offset_ns)
		number++;
	return number;
}
