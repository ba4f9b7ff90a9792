// SPDX-License-Identifier: MIT
#ifndef PMCTOP_RING_H
#define PMCTOP_RING_H

#include "core/base/error.h"
#include "core/sys/sys.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The memory through which the kernel hands over the records of one CPU: it writes at head, we
 * read at tail. One reader thread.
 */
struct ring {
	const struct sys *sys;
	struct perf_event_mmap_page *page; /* the mapping; NULL: not mapped */
	size_t map_bytes;
	const unsigned char *data;
	uint64_t data_bytes; /* a power of two */
	uint64_t tail;       /* next byte to read; published by ring_release */
	uint64_t head;       /* as last seen; at most data_bytes ahead */
	uint64_t peeked;     /* size of the record that ring_peek returned; 0: none */
	uint64_t *joined;    /* a record that wraps, put together */
	uint64_t broken;     /* times that a record's size made no sense */
};

/* How much is to be in a ring of that size when its reader is woken. */
size_t ring_wake_bytes(size_t ring_bytes);

/*
 * Maps a ring of that size (a power of two of pages) on an event's descriptor. 0 or -errno: -EPERM
 * where the limit for locked memory refuses.
 */
int ring_map(struct ring *ring, const struct sys *sys, int fd, size_t bytes);
void ring_unmap(struct ring *ring);

/* Where the kernel writes next: what stands before that can be peeked. */
uint64_t ring_head(const struct ring *ring);
/*
 * The next record, contiguous and 8-aligned, or NULL when all have been read. Valid until the next
 * call; ring_consume steps over it, without which it is peeked again.
 */
static inline const struct perf_event_header *ring_peek(struct ring *ring);
static inline void ring_consume(struct ring *ring);
/* Steps over what is of none of those types, a bit each, of the records known to be there. */
void ring_seek(struct ring *ring, uint32_t types);
#define RING_TYPE(type) (UINT32_C(1) << (type))
/*
 * Another reader, who begins at `from`, or at the tail where that is further on, and gives nothing
 * back.
 */
void ring_scan_ahead(const struct ring *ring, uint64_t from, struct ring *ahead);
void ring_scan_ahead_end(struct ring *ahead);

/*
 * What was consumed since tail stood at `from` and is not released yet: its bytes, in two parts
 * where it wraps (else the second is empty).
 */
struct ring_part {
	const void *bytes;
	size_t n;
};
void ring_consumed(const struct ring *ring, uint64_t from, struct ring_part parts[2]);
/* Gives what was consumed back to the kernel. */
void ring_release(struct ring *ring);

/* ---- what is done for each of millions of records */

/* Where there is no record, or one that wraps, or makes no sense. */
const struct perf_event_header *ring_peek_odd(struct ring *ring);

/* Sizes are multiples of 8 and so is the ring: a header never wraps. */
static inline const struct perf_event_header *ring_at(const struct ring *ring, uint64_t at)
{
	return (const void *)(ring->data + (at & (ring->data_bytes - 1)));
}

/* Of a header that is there: whether the kernel can have written it. */
static inline bool ring_is_sane(const struct perf_event_header *header, uint64_t available)
{
	return header->size >= sizeof(*header) && header->size % 8 == 0 &&
	       header->size <= available;
}

static inline const struct perf_event_header *ring_peek(struct ring *ring)
{
	uint64_t available = ring->head - ring->tail;
	const struct perf_event_header *header = ring_at(ring, ring->tail);

	if (available == 0 || !ring_is_sane(header, available) ||
	    (const unsigned char *)header + header->size > ring->data + ring->data_bytes)
		return ring_peek_odd(ring);
	ring->peeked = header->size;
	return header;
}

static inline void ring_consume(struct ring *ring)
{
	ring->tail += ring->peeked;
	ring->peeked = 0;
}

#endif
