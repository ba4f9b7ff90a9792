// SPDX-License-Identifier: MIT
#include "ring.h"

#include "util.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* perf_event_header.size is a u16. */
enum { RECORD_MAX_BYTES = 1 << 16 };

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

const struct perf_event_header *ring_peek(struct ring *ring)
{
	if (ring->tail == ring->head) {
		/* Pairs with the kernel's barrier in perf_output_put_handle(): the records that
		 * head covers are written before head is. */
		ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
		if (ring->tail == ring->head) {
			ring->peeked = 0;
			return NULL;
		}
	}
	uint64_t available = ring->head - ring->tail;
	/* Sizes are multiples of 8 and so is the ring: a header never wraps. */
	const struct perf_event_header *header =
		(const void *)(ring->data + (ring->tail & (ring->data_bytes - 1)));
	bool sane = ring->tail % 8 == 0 && available <= ring->data_bytes;
	size_t size = sane ? header->size : 0;
	if (size < sizeof(*header) || size % 8 || size > available) {
		/* Nothing after a broken size can be trusted: what is lost shows as a gap in N. */
		ring->broken++;
		ring->tail = ring->head;
		ring->peeked = 0;
		return NULL;
	}
	ring->peeked = size;
	return contiguous(ring, size);
}

void ring_consume(struct ring *ring)
{
	ring->tail += ring->peeked;
	ring->peeked = 0;
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
