// SPDX-License-Identifier: MIT
/*
 * The ring and its records, in memory that the test writes as the kernel does: a record at every
 * offset, cut by the ring's end at every place, and invalid sizes.
 */
#include "core/base/util.h"
#include "core/perf/record.h"
#include "core/perf/ring.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct memory {
	unsigned char *page; /* the control page, then the data */
	size_t page_bytes, limit_bytes;
	unsigned maps, unmaps;
};

static int memory_map(void *ctx, int fd, size_t size, void **address)
{
	struct memory *memory = ctx;

	(void)fd;
	memory->maps++;
	if (size > memory->page_bytes + memory->limit_bytes)
		return -EPERM;
	*address = memory->page = calloc(1, size);
	return 0;
}

static int memory_unmap(void *ctx, void *address, size_t size)
{
	struct memory *memory = ctx;

	(void)size;
	memory->unmaps++;
	free(address);
	return 0;
}

static const struct sys_ops memory_ops = {.perf_map = memory_map, .perf_unmap = memory_unmap};

static void open_ring(struct memory *memory, struct sys *sys, struct ring *ring)
{
	*memory = (struct memory){.page_bytes = (size_t)sysconf(_SC_PAGESIZE)};
	memory->limit_bytes = 4 * memory->page_bytes;
	*sys = (struct sys){.ops = &memory_ops, .ctx = memory};
	assert_int_equal(ring_map(ring, sys, 3, 4 * memory->page_bytes), 0);
}

/* Appends bytes at head as perf_output_copy does, around the end. */
static void append_bytes(struct memory *memory, struct ring *ring, const void *bytes, size_t size)
{
	struct perf_event_mmap_page *page = (void *)memory->page;
	unsigned char *data = memory->page + memory->page_bytes;

	for (size_t i = 0; i < size; i++)
		data[(page->data_head + i) % ring->data_bytes] = ((const unsigned char *)bytes)[i];
	page->data_head += size;
}

/* Records in the layout of the kernel. */

struct trailer {
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, reserved;
	uint64_t id;
};

struct sample {
	struct perf_event_header header;
	uint64_t id;
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, reserved;
	uint64_t n, enabled_ns, running_ns, values[3];
};

static struct sample a_sample(uint64_t n)
{
	return (struct sample){
		.header = {.type = PERF_RECORD_SAMPLE, .size = sizeof(struct sample)},
		.id = 77,
		.pid = 4,
		.tid = 5,
		.time_ns = 1000 + n,
		.n = 3,
		.enabled_ns = 10 * n,
		.running_ns = 9 * n,
		.values = {n, n + 1, n + 2},
	};
}

static void assert_sample(const struct perf_event_header *header, uint64_t n)
{
	struct record record;

	assert_int_equal(record_decode(header, &record), 0);
	assert_int_equal(record.kind, RECORD_SAMPLE);
	assert_int_equal(record.id, 77);
	assert_int_equal(record.pid, 4);
	assert_int_equal(record.tid, 5);
	assert_int_equal(record.time_ns, 1000 + n);
	assert_int_equal(record.sample.n_values, 3);
	assert_int_equal(record.sample.reading[READING_ENABLED_NS], 10 * n);
	assert_int_equal(record.sample.reading[READING_RUNNING_NS], 9 * n);
	for (uint64_t i = 0; i < 3; i++)
		assert_int_equal(record.sample.reading[READING_VALUES + i], n + i);
}

/* The bytes consumed since `from`, in two parts if the ring's end cuts them. */
static void assert_consumed(const struct ring *ring, uint64_t from, const void *bytes, size_t size)
{
	struct ring_part parts[2];

	ring_consumed(ring, from, parts);
	assert_int_equal(parts[0].n + parts[1].n, size);
	assert_memory_equal(parts[0].bytes, bytes, parts[0].n);
	assert_memory_equal(parts[1].bytes, (const char *)bytes + parts[0].n, parts[1].n);
}

static void test_wrap_at_every_offset(void **state)
{
	struct memory memory;
	struct sys sys;
	struct ring ring;

	(void)state;
	open_ring(&memory, &sys, &ring);
	/* gcd(88, 4096) is 8: after 512 records a record has begun at every offset. */
	struct perf_event_mmap_page *page = (void *)memory.page;
	size_t wrapped = 0;
	for (uint64_t n = 0; n < 3 * ring.data_bytes / 8; n++) {
		struct sample sample = a_sample(n);
		wrapped += page->data_head % ring.data_bytes + sizeof(sample) > ring.data_bytes;
		append_bytes(&memory, &ring, &sample, sizeof(sample));
		const struct perf_event_header *header = ring_peek(&ring);
		assert_non_null(header);
		assert_int_equal((uintptr_t)header % 8, 0);
		assert_sample(header, n);
		assert_ptr_equal(ring_peek(&ring), header);
		uint64_t from = ring.tail;
		ring_consume(&ring);
		assert_consumed(&ring, from, &sample, sizeof(sample));
		assert_null(ring_peek(&ring));
		ring_release(&ring);
		assert_int_equal(page->data_tail, page->data_head);
	}
	assert_true(wrapped >= 10);
	ring_unmap(&ring);
	assert_int_equal(memory.unmaps, 1);
}

static void test_many_records_at_once(void **state)
{
	struct memory memory;
	struct sys sys;
	struct ring ring;
	uint64_t written = 0, read = 0;

	(void)state;
	open_ring(&memory, &sys, &ring);
	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < 40; i++) {
			struct sample sample = a_sample(written++);
			append_bytes(&memory, &ring, &sample, sizeof(sample));
		}
		for (const struct perf_event_header *header; (header = ring_peek(&ring));) {
			assert_sample(header, read++);
			ring_consume(&ring);
		}
		ring_release(&ring);
		assert_int_equal(read, written);
	}
	ring_unmap(&ring);
}

static void test_invalid_sizes(void **state)
{
	static const uint16_t sizes[] = {0, 4, 7, 12, 89, 1 << 15};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct memory memory;
		struct sys sys;
		struct ring ring;
		open_ring(&memory, &sys, &ring);
		struct sample sample = a_sample(1);
		sample.header.size = sizes[i];
		append_bytes(&memory, &ring, &sample, sizeof(sample));
		assert_null(ring_peek(&ring));
		assert_int_equal(ring.broken, 1);
		/* Records after it are read. */
		sample = a_sample(2);
		append_bytes(&memory, &ring, &sample, sizeof(sample));
		assert_sample(ring_peek(&ring), 2);
		ring_unmap(&ring);
	}
}

/* A record with the layout of a sample, and any type. */
static void append_numbered(struct memory *memory, struct ring *ring, uint64_t n, uint32_t type)
{
	struct sample sample = a_sample(n);

	sample.header.type = type;
	append_bytes(memory, ring, &sample, sizeof(sample));
}

/* Skips records of other types at any place, also at the ring's end, and unknown types. */
static void test_seek(void **state)
{
	enum { ROUNDS = 200 };
	struct memory memory;
	struct sys sys;
	struct ring ring;

	(void)state;
	open_ring(&memory, &sys, &ring);
	for (uint64_t round = 0; round < ROUNDS; round++) {
		for (uint64_t i = 0; i < 11; i++)
			append_numbered(&memory, &ring, i,
					i % 4 == 3   ? PERF_RECORD_COMM
					: i % 4 == 2 ? 32 + PERF_RECORD_COMM
						     : PERF_RECORD_SAMPLE);
		assert_non_null(ring_peek(&ring)); /* reads head */
		for (uint64_t i = 3; i < 11; i += 4) {
			const struct perf_event_header *header;
			ring_seek(&ring, RING_TYPE(PERF_RECORD_COMM));
			header = ring_peek(&ring);
			assert_int_equal(header->type, PERF_RECORD_COMM);
			ring_seek(&ring, RING_TYPE(PERF_RECORD_COMM));
			assert_ptr_equal(ring_peek(&ring), header);
			ring_consume(&ring);
		}
		ring_seek(&ring, RING_TYPE(PERF_RECORD_COMM));
		assert_null(ring_peek(&ring));
		ring_release(&ring);
	}
	assert_int_equal(ring.broken, 0);
	/* A record with an invalid size is not skipped. ring_peek() counts it. */
	struct sample sample = a_sample(1);
	sample.header.size = 12;
	append_bytes(&memory, &ring, &sample, sizeof(sample));
	assert_null(ring_peek(&ring));
	assert_int_equal(ring.broken, 1);
	ring_unmap(&ring);
}

/* A scan ahead reads all records, and does not move head or tail. */
static void test_scan_ahead(void **state)
{
	struct memory memory;
	struct sys sys;
	struct ring ring, ahead;

	(void)state;
	open_ring(&memory, &sys, &ring);
	const struct perf_event_mmap_page *page = (const void *)memory.page;
	append_numbered(&memory, &ring, 1, PERF_RECORD_SAMPLE);
	assert_sample(ring_peek(&ring), 1);
	append_numbered(&memory, &ring, 2, PERF_RECORD_SAMPLE);
	uint64_t second = ring_head(&ring);
	append_numbered(&memory, &ring, 3, PERF_RECORD_SAMPLE);

	ring_scan_ahead(&ring, 0, &ahead);
	for (uint64_t n = 1; n <= 3; n++, ring_consume(&ahead))
		assert_sample(ring_peek(&ahead), n);
	assert_null(ring_peek(&ahead));
	ring_scan_ahead_end(&ahead);

	/* From behind the head that the reader has read. */
	ring_scan_ahead(&ring, second, &ahead);
	assert_sample(ring_peek(&ahead), 3);
	ring_scan_ahead_end(&ahead);

	assert_sample(ring_peek(&ring), 1);
	assert_int_equal(page->data_tail, 0);
	assert_int_equal(ring.broken, 0);
	ring_unmap(&ring);
}

static void test_map_returns_errno_of_kernel(void **state)
{
	struct memory memory = {.page_bytes = (size_t)sysconf(_SC_PAGESIZE)};
	struct sys sys = {.ops = &memory_ops, .ctx = &memory};
	struct ring ring;

	(void)state;
	memory.limit_bytes = 2 * memory.page_bytes;
	assert_int_equal(ring_map(&ring, &sys, 3, 2 * memory.page_bytes), 0);
	assert_int_equal(ring.data_bytes, 2 * memory.page_bytes);
	ring_unmap(&ring);
	assert_int_equal(ring_map(&ring, &sys, 3, 4 * memory.page_bytes), -EPERM);
	assert_null(ring.page);
	ring_unmap(&ring); /* does nothing, as it is not mapped */
	assert_int_equal(memory.unmaps, 1);
}

static void test_sizes_that_do_not_fit_their_kind(void **state)
{
	static const uint32_t types[] = {PERF_RECORD_SAMPLE, PERF_RECORD_COMM,
					 PERF_RECORD_FORK,   PERF_RECORD_EXIT,
					 PERF_RECORD_LOST,   PERF_RECORD_SWITCH_CPU_WIDE};
	uint64_t bytes[32];
	struct record record;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		memset(bytes, 0xff, sizeof(bytes));
		struct perf_event_header *header = (void *)bytes;
		*header = (struct perf_event_header){.type = types[i], .size = 8};
		assert_int_equal(record_decode(header, &record), -EBADMSG);
		if (types[i] == PERF_RECORD_COMM)
			continue; /* its size varies */
		header->size = sizeof(bytes);
		assert_int_equal(record_decode(header, &record), -EBADMSG);
	}
	struct perf_event_header *header = (void *)bytes;
	*header = (struct perf_event_header){.type = PERF_RECORD_MMAP2, .size = 64};
	assert_int_equal(record_decode(header, &record), 0);
	assert_int_equal(record.kind, RECORD_OTHER);
}

static void test_comm(void **state)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		char text[16];
		struct trailer trailer;
	} bytes = {
		.header = {.type = PERF_RECORD_COMM,
			   .misc = PERF_RECORD_MISC_COMM_EXEC,
			   .size = sizeof(bytes)},
		.pid = 4,
		.tid = 5,
		.trailer = {.time_ns = 99, .id = 7},
	};
	struct record record;

	(void)state;
	memset(bytes.text, 'x', sizeof(bytes.text)); /* no NUL: 15 bytes are kept */
	assert_int_equal(record_decode(&bytes.header, &record), 0);
	assert_int_equal(record.kind, RECORD_COMM);
	assert_string_equal(record.comm.text, "xxxxxxxxxxxxxxx");
	assert_true(record.comm.exec);
	assert_int_equal(record.time_ns, 99);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrap_at_every_offset),
		cmocka_unit_test(test_many_records_at_once),
		cmocka_unit_test(test_invalid_sizes),
		cmocka_unit_test(test_seek),
		cmocka_unit_test(test_scan_ahead),
		cmocka_unit_test(test_map_returns_errno_of_kernel),
		cmocka_unit_test(test_sizes_that_do_not_fit_their_kind),
		cmocka_unit_test(test_comm),
	};

	return cmocka_run_group_tests_name("ring", tests, NULL, NULL);
}
