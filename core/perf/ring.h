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
 * The memory that the kernel and pmctop share for the records of one CPU: the kernel writes at
 * head, pmctop reads at tail. One thread reads.
 */
struct ring {
	const struct sys *sys;
	struct perf_event_mmap_page *page; /* the mapping; NULL: not mapped */
	size_t map_bytes;
	const unsigned char *data;
	uint64_t data_bytes; /* a power of two */
	uint64_t tail;       /* next byte to read; the kernel sees it after ring_release() */
	uint64_t head;       /* as last read; at most data_bytes after tail */
	uint64_t peeked;     /* size of the record of the last ring_peek(); 0: none */
	uint64_t *joined;    /* copy of a record that wraps */
	uint64_t broken;     /* number of times that a record had an invalid size */
};

/* The number of bytes in a ring of that size at which the kernel wakes its reader. */
size_t ring_wake_bytes(size_t ring_bytes);

/*
 * Maps a ring of that size (a power of two of pages) on an event's descriptor. Returns 0 or -errno;
 * -EPERM: the limit of locked memory is exceeded.
 */
int ring_map(struct ring *ring, const struct sys *sys, int fd, size_t bytes);
void ring_unmap(struct ring *ring);

/* The place where the kernel writes next. Records before it can be read. */
uint64_t ring_head(const struct ring *ring);
/*
 * Returns the next record, contiguous and 8-aligned; NULL: all have been read. Valid until the next
 * call. ring_consume() moves on to the next record.
 */
static inline const struct perf_event_header *ring_peek(struct ring *ring);
static inline void ring_consume(struct ring *ring);
/* Skips records before `head` that are of none of these types, a bit each. */
void ring_seek(struct ring *ring, uint32_t types);
#define RING_TYPE(type) (UINT32_C(1) << (type))
/*
 * Makes a second reader, which begins at `from` or at the tail, whichever is later. It must not
 * release. ring_scan_ahead_end() frees it.
 */
void ring_scan_ahead(const struct ring *ring, uint64_t from, struct ring *ahead);
void ring_scan_ahead_end(struct ring *ahead);

/*
 * The bytes that were consumed since tail was `from`, before ring_release(). Two parts if they
 * wrap, else the second is empty.
 */
struct ring_part {
	const void *bytes;
	size_t n;
};
void ring_consumed(const struct ring *ring, uint64_t from, struct ring_part parts[2]);
/* Returns the consumed space to the kernel. */
void ring_release(struct ring *ring);

/* Inline, as they run for each of millions of records. */

/* The part of ring_peek() for no record, a record that wraps, and an invalid size. */
const struct perf_event_header *ring_peek_odd(struct ring *ring);

/* Sizes are multiples of 8 and so is the ring: a header never wraps. */
static inline const struct perf_event_header *ring_at(const struct ring *ring, uint64_t at)
{
	return (const void *)(ring->data + (at & (ring->data_bytes - 1)));
}

/* Whether the kernel can have written that header. */
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
