// SPDX-License-Identifier: MIT
/* Totals since zero, and how far estimates can be trusted. */
#include "core/snapshot/sums.h"
#include "tests/unit/shared/sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A second in which the machine counted so many cache-misses in that share of it. */
static struct snapshot *second(uint64_t cache_misses, double share)
{
	struct snapshot *snapshot = sample_snapshot_new(sample_columns("overview"), "h", "cpu");
	uint64_t *totals = snapshot->totals;

	totals[TALLY_TASK_CLOCK] = totals[SAMPLE_DOMAIN] = totals[SAMPLE_GROUP_0] = NS_PER_S;
	totals[SAMPLE_CYCLES] = 1000;
	totals[SAMPLE_CACHE_MISSES] = cache_misses;
	totals[SAMPLE_GROUP_1] = (uint64_t)(share * (double)NS_PER_S);
	return snapshot;
}

static void add_second(struct sums *sums, uint64_t cache_misses, double share)
{
	struct snapshot *snapshot = second(cache_misses, share);

	sums_add(sums, snapshot);
	snapshot_free(snapshot);
}

static void adds_up(void **state)
{
	struct sums sums = {0};

	(void)state;
	add_second(&sums, 100, 1);
	add_second(&sums, 100, 0.5);
	const struct event_sum *misses = sums_find(&sums, "cache-misses");
	assert_true(fabs(misses->total - 300) < 1e-6);
	assert_int_equal(misses->state, FIGURE_SCALED);
	assert_true(sums_find(&sums, "cycles")->total == 2000);
	assert_int_equal(sums_find(&sums, "cycles")->state, FIGURE_VALID);
	assert_int_equal(sums.time_ns, 2 * NS_PER_S);
	assert_null(sums_find(&sums, "stars"));
	sums_zero(&sums);
	assert_int_equal(sums.time_ns, 0);
	assert_true(misses->total == 0);
	add_second(&sums, 100, 1);
	assert_true(misses->total == 100);
	assert_int_equal(misses->state, FIGURE_VALID);
	add_second(&sums, 0, 0); /* nobody counted it meanwhile */
	assert_true(misses->total == 100);
	assert_int_equal(misses->state, FIGURE_LOST);
	sums_fini(&sums);
}

/* By name, so that another plan is no other event; and not of the target what the machine did. */
static void goes_by_names(void **state)
{
	struct sums sums = {0};
	struct snapshot *other = second(100, 1);

	(void)state;
	add_second(&sums, 100, 1);
	free(other->columns->events.items[SAMPLE_CACHE_MISSES].name);
	other->columns->events.items[SAMPLE_CACHE_MISSES].name = xstrdup("stars");
	sums_add(&sums, other);
	assert_null(sums_find(&sums, "cache-misses"));
	assert_true(sums_find(&sums, "stars")->total == 100);
	assert_true(sums_find(&sums, "cycles")->total == 2000);
	other->targeted = true;
	snapshot_sum_target(other);
	sums_add(&sums, other);
	assert_true(sums_find(&sums, "cycles")->total == 0);
	assert_int_equal(sums.time_ns, NS_PER_S);
	snapshot_free(other);
	sums_fini(&sums);
}

static unsigned long long lot = 1;

/* 0 .. 999 */
static unsigned draw(void)
{
	lot = lot * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(lot >> 33) % 1000;
}

/* What is told of the error against what it was: turns that know nothing of each other. */
static void knows_its_error(void **state)
{
	static const struct {
		const char *name;
		unsigned seen;          /* turns of TURNS */
		unsigned least, spread; /* of the count of a turn */
	} rows[] = {
		{"half the time, wild", 10, 0, 1000},
		{"half the time, steady", 10, 10000, 1000},
		{"a tenth of it", 2, 500, 2000},
		{"nearly always", 18, 0, 1000},
	};
	enum { TURNS = 20, SECONDS = 3000 };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double share = rows[i].seen / (double)TURNS, told = 0, happened = 0;
		struct sums sums = {0};

		for (unsigned second_of = 0; second_of < SECONDS; second_of++) {
			uint64_t all = 0, counted = 0;

			for (unsigned turn = 0; turn < TURNS; turn++) {
				uint64_t n = rows[i].least + draw() * rows[i].spread / 1000;

				all += n;
				counted += turn < rows[i].seen ? n : 0;
			}
			add_second(&sums, counted, share);
			double error = event_sum_error(sums_find(&sums, "cache-misses"), share);
			if (second_of + 1 < SUMS_LEAST) {
				assert_true(isnan(error));
				continue;
			}
			double off = (double)counted / share / (double)all - 1;
			told += error * error;
			happened += off * off;
		}
		if (fabs(sqrt(told / happened) - 1) > 0.1)
			fail_msg("%s: %g times as far off", rows[i].name, sqrt(happened / told));
		sums_fini(&sums);
	}
}

static void has_none_where_all_was_seen(void **state)
{
	struct sums sums = {0};

	(void)state;
	for (unsigned i = 0; i < 10; i++)
		add_second(&sums, draw(), 1);
	assert_true(event_sum_error(sums_find(&sums, "cache-misses"), 1) == 0);
	assert_true(isnan(event_sum_error(NULL, 0.5)));
	sums_fini(&sums);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adds_up),
		cmocka_unit_test(goes_by_names),
		cmocka_unit_test(knows_its_error),
		cmocka_unit_test(has_none_where_all_was_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
