// SPDX-License-Identifier: MIT
/*
 * What a ring lends: the borrower gets the bytes that were there, whether it comes in time, too
 * late or never, and the kernel never finds less room than was promised.
 */
#include "core/base/util.h"
#include "core/perf/ring_loan.h"
#include "core/perfdata/perfdata_raw.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { RING_BYTES = 2 << 20, WAKE_BYTES = 512 << 10 };

/* ---- a kernel that writes numbered records */

struct kernel {
	struct perf_event_mmap_page *page;
	unsigned char *data;
	uint64_t written; /* how many */
	unsigned unmaps;
};

static int kernel_map(void *ctx, int fd, size_t size, void **address)
{
	struct kernel *kernel = ctx;

	(void)fd;
	*address = calloc(1, size);
	kernel->page = *address;
	kernel->data = (unsigned char *)*address + size - RING_BYTES;
	return 0;
}

static int kernel_unmap(void *ctx, void *address, size_t size)
{
	struct kernel *kernel = ctx;

	(void)size;
	kernel->unmaps++;
	free(address);
	return 0;
}

static const struct sys_ops kernel_ops = {.perf_map = kernel_map, .perf_unmap = kernel_unmap};

struct numbered {
	struct perf_event_header header;
	uint64_t id;
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, reserved;
	uint64_t n, enabled_ns, running_ns, values[3];
};

/*
 * The kernel writes over what is being taken where that takes too long: who takes looks whether it
 * was so. Of a kernel's writes the thread sanitizer would not know.
 */
__attribute__((no_sanitize("thread"), noinline)) static void put_word(void *to, const void *from)
{
	*(uint64_t *)to = *(const uint64_t *)from;
}

static bool kernel_write(struct kernel *kernel)
{
	uint64_t head = kernel->page->data_head, number = kernel->written;
	uint64_t tail = __atomic_load_n(&kernel->page->data_tail, __ATOMIC_ACQUIRE);
	const struct numbered record = {
		.header = {.type = PERF_RECORD_SAMPLE, .size = sizeof(record)},
		.id = 1,
		.time_ns = number,
		.n = 3,
		.enabled_ns = 10 * number,
		.running_ns = 10 * number,
		.values = {number, number, number}};

	if (head + sizeof(record) - tail > RING_BYTES)
		return false;
	for (size_t i = 0; i < sizeof(record); i += 8)
		put_word(kernel->data + (head + i) % RING_BYTES, (const char *)&record + i);
	__atomic_store_n(&kernel->page->data_head, head + sizeof(record), __ATOMIC_RELEASE);
	kernel->written++;
	return true;
}

static void kernel_write_bytes(struct kernel *kernel, size_t bytes)
{
	for (size_t i = 0; i < bytes / sizeof(struct numbered); i++)
		assert_true(kernel_write(kernel));
}

static void open_ring(struct kernel *kernel, struct sys *sys, struct ring *ring)
{
	*kernel = (struct kernel){0};
	*sys = (struct sys){.ops = &kernel_ops, .ctx = kernel};
	assert_int_equal(ring_map(ring, sys, 3, RING_BYTES), 0);
}

/* Reads all that is there; returns where the tail stood. */
static uint64_t consume(struct ring *ring)
{
	uint64_t from = ring->tail;

	while (ring_peek(ring))
		ring_consume(ring);
	return from;
}

/* Writes so much, reads it and lends it; the ring gets back what can be. */
static struct ring_loan *lend(struct kernel *kernel, struct ring *ring, size_t bytes)
{
	kernel_write_bytes(kernel, bytes);
	struct ring_loan *loan = ring_lend(ring, consume(ring));
	ring_release(ring);
	return loan;
}

static uint64_t check_numbers(const void *bytes, size_t n, uint64_t number)
{
	const struct numbered *records = bytes;

	assert_int_equal(n % sizeof(*records), 0);
	for (size_t i = 0; i < n / sizeof(*records); i++) {
		assert_int_equal(records[i].time_ns, number);
		assert_int_equal(records[i].values[2], number++);
	}
	return number;
}

static uint64_t take(struct ring_loan *loan, uint64_t number)
{
	size_t n = ring_loan_bytes(loan);
	void *room = xmalloc(n);

	number = check_numbers(ring_loan_take(loan, room), n, number);
	ring_loan_end(loan);
	free(room);
	return number;
}

/* ---- tests */

static void test_in_time(void **state)
{
	struct kernel kernel;
	struct ring ring;
	struct sys sys;
	uint64_t number = 0;

	(void)state;
	open_ring(&kernel, &sys, &ring);
	for (size_t i = 0; i < 50; i++) {
		uint64_t tail = kernel.page->data_tail;
		struct ring_loan *loan = lend(&kernel, &ring, WAKE_BYTES - i * 1000);
		assert_non_null(loan);
		assert_int_equal(kernel.page->data_tail, tail);
		number = take(loan, number);
		assert_int_equal(kernel.page->data_tail, kernel.page->data_head);
	}
	assert_int_equal(number, kernel.written);
	ring_unmap(&ring);
	assert_int_equal(kernel.unmaps, 1);
}

/* At every time there is room for what wakes the reader, and for as much again. */
static void test_too_late(void **state)
{
	struct kernel kernel;
	struct ring ring;
	struct sys sys;
	struct ring_loan *loans[100];
	uint64_t number = 0;

	(void)state;
	open_ring(&kernel, &sys, &ring);
	for (size_t i = 0; i < ARRAY_SIZE(loans); i++) {
		loans[i] = lend(&kernel, &ring, WAKE_BYTES / (1 + i % 3));
		assert_non_null(loans[i]);
		uint64_t used = kernel.page->data_head - kernel.page->data_tail;
		assert_true(used + 2 * WAKE_BYTES <= RING_BYTES);
	}
	for (size_t i = 0; i < ARRAY_SIZE(loans); i++)
		number = take(loans[i], number);
	assert_int_equal(number, kernel.written);
	assert_int_equal(kernel.page->data_tail, kernel.page->data_head);
	ring_unmap(&ring);
}

static void test_what_is_not_lent(void **state)
{
	struct kernel kernel;
	struct ring ring;
	struct sys sys;

	(void)state;
	open_ring(&kernel, &sys, &ring);
	assert_null(lend(&kernel, &ring, 1000));
	assert_int_equal(kernel.page->data_tail, kernel.page->data_head);
	assert_null(lend(&kernel, &ring, RING_BYTES - WAKE_BYTES));
	assert_int_equal(kernel.page->data_tail, kernel.page->data_head);
	/* The little that was copied waits behind what is lent. */
	struct ring_loan *loan = lend(&kernel, &ring, WAKE_BYTES);
	uint64_t tail = kernel.page->data_tail;
	assert_null(lend(&kernel, &ring, 1000));
	assert_int_equal(kernel.page->data_tail, tail);
	ring_loan_end(loan);
	ring_release(&ring);
	assert_int_equal(kernel.page->data_tail, kernel.page->data_head);
	ring_unmap(&ring);
}

/* A ring that is small is full when its reader is woken. */
static void test_small_ring(void **state)
{
	struct kernel kernel;
	struct ring ring;
	struct sys sys;

	(void)state;
	for (size_t bytes = 64 << 10; bytes < RING_BYTES; bytes *= 2) {
		assert_int_equal(ring_wake_bytes(bytes), bytes / 2);
		open_ring(&kernel, &sys, &ring);
		ring.data_bytes = bytes;
		ring.tail = bytes / 2;
		assert_null(ring_lend(&ring, 0));
		ring_unmap(&ring);
	}
}

/* What is given up does not give back what was lent before. */
static void test_given_up(void **state)
{
	struct kernel kernel;
	struct ring ring;
	struct sys sys;

	(void)state;
	open_ring(&kernel, &sys, &ring);
	struct ring_loan *first = lend(&kernel, &ring, WAKE_BYTES / 2);
	struct ring_loan *second = lend(&kernel, &ring, WAKE_BYTES / 2);
	uint64_t tail = kernel.page->data_tail;
	ring_loan_end(second);
	ring_release(&ring);
	assert_int_equal(kernel.page->data_tail, tail);
	take(first, 0);
	ring_release(&ring);
	assert_int_equal(kernel.page->data_tail, kernel.page->data_head);
	ring_unmap(&ring);
}

static void test_ring_goes(void **state)
{
	struct kernel kernel;
	struct ring ring;
	struct sys sys;

	(void)state;
	open_ring(&kernel, &sys, &ring);
	struct ring_loan *first = lend(&kernel, &ring, WAKE_BYTES / 2);
	struct ring_loan *second = lend(&kernel, &ring, WAKE_BYTES / 2);
	ring_unmap(&ring);
	assert_int_equal(kernel.unmaps, 1);
	take(second, take(first, 0));
}

/* ---- with a borrower of its own */

enum { LOANS = 400 };

struct borrower {
	pthread_mutex_t lock;
	pthread_cond_t more;
	struct ring_loan *loans[LOANS];
	size_t n;
	uint64_t numbers; /* that were taken, in their order */
	bool wrong;
};

static void *borrow(void *arg)
{
	struct borrower *borrower = arg;
	unsigned char *room = xmalloc(RING_BYTES);

	for (size_t i = 0; i < LOANS; i++) {
		pthread_mutex_lock(&borrower->lock);
		while (borrower->n <= i)
			pthread_cond_wait(&borrower->more, &borrower->lock);
		struct ring_loan *loan = borrower->loans[i];
		pthread_mutex_unlock(&borrower->lock);
		const struct numbered *records = ring_loan_take(loan, room);
		for (size_t k = 0; k < ring_loan_bytes(loan) / sizeof(*records); k++)
			borrower->wrong |= records[k].values[2] != borrower->numbers++;
		ring_loan_end(loan);
	}
	free(room);
	return NULL;
}

static void test_two_threads(void **state)
{
	struct borrower borrower = {.lock = PTHREAD_MUTEX_INITIALIZER,
				    .more = PTHREAD_COND_INITIALIZER};
	struct kernel kernel;
	struct ring ring;
	struct sys sys;
	pthread_t thread;

	(void)state;
	open_ring(&kernel, &sys, &ring);
	assert_int_equal(pthread_create(&thread, NULL, borrow, &borrower), 0);
	for (size_t i = 0; i < LOANS; i++) {
		struct ring_loan *loan = lend(&kernel, &ring, 8192 + i * 12345 % WAKE_BYTES);
		assert_non_null(loan);
		pthread_mutex_lock(&borrower.lock);
		borrower.loans[borrower.n++] = loan;
		pthread_cond_signal(&borrower.more);
		pthread_mutex_unlock(&borrower.lock);
	}
	ring_unmap(&ring); /* what is still lent is taken back */
	pthread_join(thread, NULL);
	assert_int_equal(borrower.numbers, kernel.written);
	assert_false(borrower.wrong);
}

/* ---- as part of a recording */

static void test_same_bytes(void **state)
{
	struct kernel kernel;
	struct ring ring;
	struct sys sys;
	uint64_t ids[3] = {11, 12, 13}, base[READING_VALUES + 3] = {0};
	struct perfdata_stream stream = {.switch_id = 1, .n_values = 3, .ids = ids, .base = base};
	struct perfdata_stream *const streams[PERFDATA_STREAMS] = {&stream};
	struct perfdata copied = {0}, lent = {0}, text[2] = {{0}, {0}};

	(void)state;
	open_ring(&kernel, &sys, &ring);
	for (size_t i = 0; i < 20; i++) {
		struct ring_part parts[2];
		kernel_write_bytes(&kernel, WAKE_BYTES / (1 + i % 4));
		uint64_t from = consume(&ring);
		ring_consumed(&ring, from, parts);
		perfdata_raw(&copied, streams, parts);
		struct ring_loan *loan = ring_lend(&ring, from);
		assert_non_null(loan);
		perfdata_lent(&lent, streams, loan);
		perfdata_round(&copied);
		perfdata_round(&lent);
		ring_release(&ring);
	}
	assert_int_equal(lent.lent, kernel.page->data_head);
	perfdata_translate(&text[0], &copied);
	stream.last_ns = 0;
	perfdata_translate(&text[1], &lent);
	assert_int_equal(text[0].n, text[1].n);
	assert_true(text[0].n > kernel.page->data_head);
	assert_memory_equal(text[0].bytes, text[1].bytes, text[0].n);
	ring_unmap(&ring);
	perfdata_fini(&copied);
	perfdata_fini(&lent);
	perfdata_fini(&text[0]);
	perfdata_fini(&text[1]);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_time),     cmocka_unit_test(test_too_late),
		cmocka_unit_test(test_given_up),    cmocka_unit_test(test_what_is_not_lent),
		cmocka_unit_test(test_small_ring),  cmocka_unit_test(test_ring_goes),
		cmocka_unit_test(test_two_threads), cmocka_unit_test(test_same_bytes),
	};

	return cmocka_run_group_tests_name("ring_loan", tests, NULL, NULL);
}
