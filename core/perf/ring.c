// SPDX-License-Identifier: MIT
/*
 * Records have sizes of a multiple of 8 bytes, and a record may wrap around the end of the ring.
 * Most do not, and are used in place. After a record with an invalid size the rest is dropped: the
 * switch counter N then shows a gap.
 */
#include "core/perf/ring.h"

#include "core/base/util.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* perf_event_header.size is a u16. */
enum { RECORD_MAX_BYTES = 1 << 16 };
/* At 1.6 million records a second the ring has so many after 3 ms. */
enum { WAKE_BYTES_MAX = 512 << 10 };

size_t ring_wake_bytes(size_t ring_bytes)
{
	return size_min(ring_bytes / 2, WAKE_BYTES_MAX);
}

int ring_map(struct ring *ring, const struct sys *sys, int fd, size_t bytes)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	void *address;

	*ring = (struct ring){.sys = sys};
	int result = sys_perf_map(sys, fd, page_bytes + bytes, &address);
	if (result < 0)
		return result;
	ring->page = address;
	ring->map_bytes = page_bytes + bytes;
	ring->data = (const unsigned char *)address + page_bytes;
	ring->data_bytes = bytes;
	ring->tail = ring->head = ring->page->data_tail;
	return 0;
}

void ring_unmap(struct ring *ring)
{
	if (ring->page)
		sys_perf_unmap(ring->sys, ring->page, ring->map_bytes);
	free(ring->joined);
	*ring = (struct ring){0};
}

static const void *contiguous(struct ring *ring, size_t size)
{
	size_t offset = ring->tail & (ring->data_bytes - 1);
	size_t first = size_min(size, ring->data_bytes - offset);

	if (first == size)
		return ring->data + offset;
	if (!ring->joined)
		ring->joined = xmalloc(RECORD_MAX_BYTES);
	memcpy(ring->joined, ring->data + offset, first);
	memcpy((char *)ring->joined + first, ring->data, size - first);
	return ring->joined;
}

uint64_t ring_head(const struct ring *ring)
{
	/* Pairs with the kernel's barrier in perf_output_put_handle(): the records that head covers
	 * are written before head is. */
	return __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

/* Drops all records up to head. */
static void drop_rest(struct ring *ring)
{
	ring->broken++;
	ring->tail = ring->head;
}

static void read_head(struct ring *ring)
{
	ring->head = ring_head(ring);
	if (ring->tail % 8 || ring->head - ring->tail > ring->data_bytes)
		drop_rest(ring);
}

const struct perf_event_header *ring_peek_odd(struct ring *ring)
{
	ring->peeked = 0;
	if (ring->tail == ring->head)
		read_head(ring);
	if (ring->tail == ring->head)
		return NULL;
	const struct perf_event_header *header = ring_at(ring, ring->tail);
	if (!ring_is_sane(header, ring->head - ring->tail)) {
		drop_rest(ring);
		return NULL;
	}
	ring->peeked = header->size;
	return contiguous(ring, header->size);
}

void ring_seek(struct ring *ring, uint32_t types)
{
	uint64_t at = ring->tail, head = ring->head;

	while (at != head) {
		const struct perf_event_header *header = ring_at(ring, at);
		bool wanted = header->type < 32 && (types & RING_TYPE(header->type));
		if (wanted || !ring_is_sane(header, head - at))
			break;
		at += header->size;
	}
	ring->tail = at;
	ring->peeked = 0;
}

void ring_scan_ahead(const struct ring *ring, uint64_t from, struct ring *ahead)
{
	*ahead = *ring;
	ahead->joined = NULL;
	if (ahead->tail < from)
		ahead->tail = from;
	read_head(ahead);
}

void ring_scan_ahead_end(struct ring *ahead)
{
	free(ahead->joined);
	*ahead = (struct ring){0};
}

void ring_consumed(const struct ring *ring, uint64_t from, struct ring_part parts[2])
{
	size_t offset = from & (ring->data_bytes - 1);
	size_t n = size_min(ring->tail - from, ring->data_bytes);
	size_t first = size_min(n, ring->data_bytes - offset);

	parts[0] = (struct ring_part){ring->data + offset, first};
	parts[1] = (struct ring_part){ring->data, n - first};
}

void ring_release(struct ring *ring)
{
	/* Pairs with the kernel's read of data_tail in __perf_output_begin(): our reads of the
	 * records are done before their space may be written again. */
	__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
}
