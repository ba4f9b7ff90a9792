// SPDX-License-Identifier: MIT
#ifndef PMCTOP_RING_H
#define PMCTOP_RING_H

#include "error.h"
#include "sys.h"

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
	uint64_t head;       /* as last seen */
	uint64_t peeked;     /* size of the record that ring_peek returned; 0: none */
	uint64_t *joined;    /* a record that wraps, put together */
	uint64_t broken;     /* times that a record's size made no sense */
};

/*
 * Maps a ring of that size (a power of two of pages) on an event's descriptor. 0 or -errno: -EPERM
 * where the limit for locked memory refuses.
 */
int ring_map(struct ring *ring, const struct sys *sys, int fd, size_t bytes);
void ring_unmap(struct ring *ring);

/*
 * The next record, contiguous and 8-aligned, or NULL when all have been read. Valid until the next
 * call; ring_consume steps over it, without which it is peeked again.
 */
const struct perf_event_header *ring_peek(struct ring *ring);
void ring_consume(struct ring *ring);
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

#endif
