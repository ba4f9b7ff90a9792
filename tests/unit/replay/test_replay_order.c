// SPDX-License-Identifier: MIT
/* Records that wait for the other CPUs: in the order of their own, with what they carry. */
#include "core/replay/replay_order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { N_CPUS = 3 };

static void add_record(struct replay_order *order, size_t cpu, enum record_kind kind,
		       uint64_t time_ns)
{
	const uint64_t reading[READING_VALUES + 2] = {time_ns, time_ns, time_ns * 2, cpu};
	struct record record = {.kind = kind, .time_ns = time_ns, .tid = (pid_t)time_ns};

	if (kind == RECORD_SAMPLE) {
		record.sample.reading = reading;
		record.sample.n_values = 2;
	}
	replay_order_add(order, cpu, &record);
}

static void expect_first(const struct replay_order *order, size_t cpu, enum record_kind kind,
			 uint64_t time_ns)
{
	const struct record *first = replay_order_first(order, cpu);

	assert_non_null(first);
	assert_int_equal(first->kind, kind);
	assert_int_equal(first->time_ns, time_ns);
	if (kind == RECORD_SAMPLE) {
		assert_int_equal(first->sample.reading[READING_ENABLED_NS], time_ns);
		assert_int_equal(first->sample.reading[READING_VALUES], time_ns * 2);
		assert_int_equal(first->sample.reading[READING_VALUES + 1], cpu);
	}
}

static void test_each_cpu_keeps_its_order(void **state)
{
	struct replay_order *order = replay_order_new(N_CPUS);

	(void)state;
	/* Times go back where the kernel wrote them so: what counts is where they stand. */
	add_record(order, 0, RECORD_SAMPLE, 10);
	add_record(order, 2, RECORD_EXIT, 5);
	add_record(order, 0, RECORD_SAMPLE, 9);
	add_record(order, 2, RECORD_SAMPLE, 6);
	assert_int_equal(replay_order_waiting(order), 2);
	assert_null(replay_order_first(order, 1));
	expect_first(order, 0, RECORD_SAMPLE, 10);
	replay_order_drop(order, 0);
	expect_first(order, 0, RECORD_SAMPLE, 9);
	expect_first(order, 2, RECORD_EXIT, 5);
	replay_order_drop(order, 2);
	expect_first(order, 2, RECORD_SAMPLE, 6);
	replay_order_drop(order, 2);
	assert_int_equal(replay_order_waiting(order), 1);
	replay_order_drop(order, 0);
	assert_int_equal(replay_order_waiting(order), 0);
	assert_int_equal(replay_order_bytes(order), 0);
	replay_order_free(order);
}

static void test_next_sample_and_exit_before(void **state)
{
	struct replay_order *order = replay_order_new(N_CPUS);
	const struct record *exit, *sample;

	(void)state;
	add_record(order, 1, RECORD_COMM, 1);
	assert_null(replay_order_sample(order, 1, &exit));
	assert_null(exit);
	add_record(order, 1, RECORD_EXIT, 2);
	add_record(order, 1, RECORD_SAMPLE, 3);
	add_record(order, 1, RECORD_EXIT, 4);
	sample = replay_order_sample(order, 1, &exit);
	assert_int_equal(sample->time_ns, 3);
	assert_int_equal(exit->tid, 2);
	replay_order_drop(order, 1);
	replay_order_drop(order, 1);
	sample = replay_order_sample(order, 1, &exit);
	assert_int_equal(sample->time_ns, 3);
	assert_null(exit);
	replay_order_free(order);
}

/* If records are added and dropped by turns, memory is bounded by the records that wait. */
static void test_a_long_way(void **state)
{
	struct replay_order *order = replay_order_new(N_CPUS);
	uint64_t in = 0, out = 0;

	(void)state;
	for (unsigned round = 0; round < 1000; round++) {
		for (unsigned i = 0; i < 1 + round % 7; i++)
			add_record(order, 1, RECORD_SAMPLE, in++);
		for (unsigned i = 0; i < 1 + round % 5 && out < in; i++) {
			expect_first(order, 1, RECORD_SAMPLE, out++);
			replay_order_drop(order, 1);
		}
	}
	while (out < in) {
		expect_first(order, 1, RECORD_SAMPLE, out++);
		replay_order_drop(order, 1);
	}
	assert_null(replay_order_first(order, 1));
	assert_int_equal(replay_order_bytes(order), 0);
	replay_order_free(order);
}

static void test_rounds(void **state)
{
	struct replay_order *order = replay_order_new(N_CPUS);

	(void)state;
	replay_order_note_time(order, 100);
	replay_order_note_time(order, 50);
	assert_int_equal(replay_order_latest(order), 100);
	assert_int_equal(replay_order_final(order), 0);
	replay_order_round(order);
	assert_int_equal(replay_order_final(order), 0);
	replay_order_note_time(order, 70);
	replay_order_note_time(order, 200);
	replay_order_round(order);
	assert_int_equal(replay_order_final(order), 100);
	replay_order_round(order);
	assert_int_equal(replay_order_final(order), 200);
	replay_order_free(order);
	replay_order_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_cpu_keeps_its_order),
		cmocka_unit_test(test_next_sample_and_exit_before),
		cmocka_unit_test(test_a_long_way),
		cmocka_unit_test(test_rounds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
