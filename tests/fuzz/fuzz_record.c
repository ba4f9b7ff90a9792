// SPDX-License-Identifier: MIT
/*
 * A ring of one page with any content, tail and head. It is read within its bounds, each record is
 * decoded within its own, and the reader ends.
 */
#include "tests/fuzz/fuzz.h"

#include "core/perf/record.h"
#include "core/perf/ring.h"

#include <unistd.h>

enum { ROUNDS = 2 }; /* moves of the head by the kernel */

static int map(void *ctx, int fd, size_t size, void **address)
{
	(void)fd, (void)size;
	*address = ctx;
	return 0;
}

static int unmap(void *ctx, void *address, size_t size)
{
	(void)ctx, (void)address, (void)size;
	return 0;
}

static const struct sys_ops ops = {.perf_map = map, .perf_unmap = unmap};

static void check_record(const struct perf_event_header *header, const struct record *record)
{
	const char *begin = (const char *)header, *end = begin + header->size;

	switch (record->kind) {
	case RECORD_SAMPLE: {
		const uint64_t *reading = record->sample.reading;
		const uint64_t *last = reading + READING_VALUES + record->sample.n_values;
		fuzz_check((const char *)reading >= begin && (const char *)last <= end &&
				   last >= reading,
			   "a sample's values lie within its record");
		fuzz_check(record->sample.rest == (const void *)last &&
				   (size_t)(end - (const char *)last) == record->sample.rest_bytes,
			   "bytes after the values end with the record");
		break;
	}
	case RECORD_COMM:
		fuzz_check(memchr(record->comm.text, '\0', sizeof(record->comm.text)),
			   "comm ends with a NUL");
		break;
	case RECORD_FORK:
	case RECORD_EXIT:
	case RECORD_SWITCH:
	case RECORD_LOST:
	case RECORD_THROTTLE:
	case RECORD_WAKING:
		break;
	case RECORD_OTHER:
		fuzz_check(record->id == 0 && record->time_ns == 0,
			   "other records have no id and time");
		break;
	}
}

static void read_all(struct ring *ring)
{
	const struct perf_event_header *header;
	uint64_t bytes = 0;

	while ((header = ring_peek(ring))) {
		/* A copy in a block of its size, so that sanitizers find reads past the end. */
		struct perf_event_header *copy = malloc(header->size);
		struct record record;
		if (!copy)
			abort();
		memcpy(copy, header, header->size);
		if (record_decode(copy, &record) == 0)
			check_record(copy, &record);
		free(copy);
		bytes += header->size;
		fuzz_check(bytes <= ring->data_bytes, "no more is read than the ring holds");
		ring_consume(ring);
	}
	ring_release(ring);
	fuzz_check(ring->tail == ring->head, "all records are read");
	/* A head that moves back (the kernel never does that) does not move the tail back. */
	fuzz_check((int64_t)(ring->tail - ring->page->data_tail) <= 0, "read space is returned");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = {data, size};
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char *memory = aligned_alloc(page_bytes, 2 * page_bytes);
	const struct sys sys = {.ops = &ops, .ctx = memory};
	struct ring ring;

	if (!memory)
		abort();
	memset(memory, 0, 2 * page_bytes);
	struct perf_event_mmap_page *page = (void *)memory;
	uint64_t head[ROUNDS], tail = fuzz_u64(&bytes);
	for (size_t i = 0; i < ROUNDS; i++)
		head[i] = tail + fuzz_u64(&bytes);
	/* The content begins at the tail and wraps, as in the kernel. */
	for (size_t i = 0; i < page_bytes && bytes.left > 0; i++)
		memory[page_bytes + ((tail + i) & (page_bytes - 1))] = fuzz_u8(&bytes);

	page->data_tail = tail;
	if (ring_map(&ring, &sys, 0, page_bytes) < 0)
		abort();
	for (size_t i = 0; i < ROUNDS; i++) {
		page->data_head = head[i];
		read_all(&ring);
	}
	ring_unmap(&ring);
	free(memory);
	return 0;
}
