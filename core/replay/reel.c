// SPDX-License-Identifier: MIT
#include "core/replay/reel.h"

uint64_t reel_oldest(const struct reel *reel)
{
	return reel->last - reel->n + 1;
}

bool reel_has(const struct reel *reel, uint64_t number)
{
	return number >= reel_oldest(reel) && number <= reel->last;
}

struct snapshot *reel_at(const struct reel *reel, uint64_t number)
{
	return reel->items[number % REEL_MOST];
}

static void drop_oldest(struct reel *reel)
{
	struct snapshot *oldest = reel_at(reel, reel_oldest(reel));

	reel->bytes -= snapshot_bytes(oldest);
	reel->begin_ns = oldest->offset_ns;
	snapshot_free(oldest);
	reel->n--;
}

void reel_drop_before(struct reel *reel, uint64_t number)
{
	while (reel->n > 0 && reel_oldest(reel) < number)
		drop_oldest(reel);
}

void reel_rewind(struct reel *reel)
{
	reel_drop_before(reel, UINT64_MAX);
	reel->last = 0;
}

void reel_keep(struct reel *reel, struct snapshot *snapshot, uint64_t begin_ns)
{
	size_t bytes = snapshot_bytes(snapshot);

	while (reel->n == REEL_MOST || (reel->n > 1 && reel->bytes + bytes > REEL_BYTES))
		drop_oldest(reel);
	if (reel->n == 0)
		reel->begin_ns = begin_ns;
	reel->last++;
	reel->n++;
	reel->items[reel->last % REEL_MOST] = snapshot;
	reel->bytes += bytes;
}

void reel_skip(struct reel *reel)
{
	reel_drop_before(reel, UINT64_MAX);
	reel->last++;
}

uint64_t reel_find(const struct reel *reel, uint64_t offset_ns)
{
	uint64_t number = reel_oldest(reel);

	if (reel->n == 0 || reel_at(reel, reel->last)->offset_ns < offset_ns ||
	    (number > 1 && reel->begin_ns >= offset_ns))
		return 0;
	while (number < reel->last && reel_at(reel, number)->offset_ns < offset_ns)
		number++;
	return number;
}
