// SPDX-License-Identifier: MIT
/* Totals since zero, and the errors of estimates. */
#include "core/snapshot/event_totals.h"
#include "tests/unit/shared/sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* Adds a second with that many cache-misses, counted in that share of it. */
static struct snapshot *second(uint64_t cache_misses, double share)
{
	struct snapshot *snapshot = sample_snapshot_new(sample_columns("overview"), "h", "cpu");
	uint64_t *totals = snapshot->totals;

	totals[TALLY_TASK_CLOCK] = totals[SAMPLE_DOMAIN] = totals[SAMPLE_GROUP_0] = NS_PER_S;
	totals[SAMPLE_CYCLES] = 1000;
	totals[SAMPLE_CACHE_MISSES] = cache_misses;
	totals[SAMPLE_GROUP_1] = (uint64_t)(share * (double)NS_PER_S);
	plan_estimate_turns(snapshot->columns->plan, totals);
	return snapshot;
}

static void add_second(struct event_totals *sums, uint64_t cache_misses, double share)
{
	struct snapshot *snapshot = second(cache_misses, share);

	event_totals_add(sums, snapshot);
	snapshot_free(snapshot);
}

static void adds_up(void **state)
{
	struct event_totals sums = {0};

	(void)state;
	add_second(&sums, 100, 1);
	add_second(&sums, 100, 0.5);
	const struct event_sum *misses = event_totals_find(&sums, "cache-misses");
	assert_true(fabs(misses->total.value - 300) < 1e-6);
	assert_int_equal(misses->total.state, FIGURE_SCALED);
	assert_true(event_totals_find(&sums, "cycles")->total.value == 2000);
	assert_int_equal(event_totals_find(&sums, "cycles")->total.state, FIGURE_VALID);
	assert_int_equal(sums.time_ns, 2 * NS_PER_S);
	assert_null(event_totals_find(&sums, "stars"));
	event_totals_zero(&sums);
	assert_int_equal(sums.time_ns, 0);
	assert_true(misses->total.value == 0);
	add_second(&sums, 100, 1);
	assert_true(misses->total.value == 100);
	assert_int_equal(misses->total.state, FIGURE_VALID);
	add_second(&sums, 0, 0); /* not counted meanwhile */
	assert_true(misses->total.value == 100);
	assert_int_equal(misses->total.state, FIGURE_LOST);
	event_totals_fini(&sums);
}

/* A lower bound and an estimate with an unknown error: their sum is no lower bound. */
static void an_open_estimate_is_no_bound(void **state)
{
	struct event_totals sums = {0};
	struct snapshot *snapshot = second(100, 1);
	struct metric_input input = event_totals_input(snapshot);

	(void)state;
	input.lost = true;
	event_totals_add_row(&sums, snapshot, &input);
	const struct event_sum *misses = event_totals_find(&sums, "cache-misses");
	assert_int_equal(misses->total.state, FIGURE_LOST);
	snapshot->totals[SAMPLE_GROUP_1] /= 2;
	snapshot->totals[tally_unseen(&snapshot->columns->plan->shape)] = 1;
	event_totals_add_row(&sums, snapshot, &input);
	assert_int_equal(misses->total.state, FIGURE_SCALED);
	assert_true(misses->total.share == 0);
	event_totals_add_row(&sums, snapshot, &input);
	add_second(&sums, 0, 0); /* not counted meanwhile */
	assert_int_equal(misses->total.state, FIGURE_SCALED);
	snapshot_free(snapshot);
	event_totals_fini(&sums);
}

/* Each snapshot of a recording that is shown as one interval has all of the one before. */
static void has_a_whole_once(void **state)
{
	struct event_totals sums = {0};

	(void)state;
	for (uint64_t i = 1; i <= 3; i++) {
		struct snapshot *snapshot = second(100 * i, 1);

		snapshot->whole = true;
		event_totals_add(&sums, snapshot);
		snapshot_free(snapshot);
		assert_true(event_totals_find(&sums, "cache-misses")->total.value ==
			    100.0 * (double)i);
		assert_int_equal(sums.time_ns, NS_PER_S);
	}
	event_totals_fini(&sums);
}

/* Events are found by name across plans. Sums of the machine are not the sums of a target. */
static void finds_events_by_name(void **state)
{
	struct event_totals sums = {0};
	struct snapshot *other = second(100, 1);

	(void)state;
	add_second(&sums, 100, 1);
	free(other->columns->events.items[SAMPLE_CACHE_MISSES].name);
	other->columns->events.items[SAMPLE_CACHE_MISSES].name = xstrdup("stars");
	event_totals_add(&sums, other);
	assert_null(event_totals_find(&sums, "cache-misses"));
	assert_true(event_totals_find(&sums, "stars")->total.value == 100);
	assert_true(event_totals_find(&sums, "cycles")->total.value == 2000);
	other->targeted = true;
	snapshot_set_target(other);
	event_totals_add(&sums, other);
	assert_true(event_totals_find(&sums, "cycles")->total.value == 0);
	assert_int_equal(sums.time_ns, NS_PER_S);
	snapshot_free(other);
	event_totals_fini(&sums);
}

static unsigned long long lot = 1;

/* 0 .. 999 */
static unsigned draw(void)
{
	lot = lot * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(lot >> 33) % 1000;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

enum { TURNS = 20, SECONDS = 3000 };

struct error_case {
	const char *name;
	unsigned seen;          /* turns of TURNS */
	unsigned least, spread; /* of the count of a turn */
	bool even;              /* all turns of a second together are the same in each */
	unsigned restart;       /* seconds after which the sums restart; 0: never */
	double most;            /* the stated error against the true one, medians */
};

/* The counts of a second: of the seen turns, and of all. */
static void count_second(const struct error_case *this, uint64_t *counted, uint64_t *all)
{
	uint64_t turns[TURNS];

	*counted = *all = 0;
	for (unsigned i = 0; i < TURNS; i++) {
		/* Half of the turns count much, half little, in random order. */
		turns[i] = this->even ? this->least + (i % 2) * this->spread
				      : this->least + draw() * this->spread / 1000;
		unsigned k = draw() % (i + 1);
		uint64_t other = turns[k];
		turns[k] = turns[i];
		turns[i] = other;
	}
	for (unsigned i = 0; i < TURNS; i++) {
		*all += turns[i];
		*counted += i < this->seen ? turns[i] : 0;
	}
}

/* The true value is within the stated error in 95 %, and the error is not too large. */
static void states_its_error(void **state)
{
	static const struct error_case rows[] = {
		{"half the time, wild", 10, 0, 1000, false, 0, 4},
		{"half the time, steady", 10, 10000, 1000, false, 0, 4},
		{"half the time, even seconds", 10, 0, 1000, true, 0, 3},
		{"a tenth of it", 2, 500, 2000, false, 0, 3},
		{"a quarter of even seconds", 5, 500, 2000, true, 0, 4},
		{"nearly always", 18, 0, 1000, false, 0, 9},
		{"half the time, eight seconds", 10, 10000, 1000, false, 8, 6},
		{"a quarter of eight even seconds", 5, 500, 2000, true, 8, 5.5},
	};
	static double stated[SECONDS], happened[SECONDS];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double share = rows[i].seen / (double)TURNS;
		struct event_totals sums = {0};
		size_t n = 0, within = 0;

		for (unsigned second_of = 0; second_of < SECONDS; second_of++) {
			uint64_t all, counted;

			if (rows[i].restart && second_of % rows[i].restart == 0)
				event_totals_fini(&sums);
			count_second(&rows[i], &counted, &all);
			add_second(&sums, counted, share);
			const struct event_sum *sum = event_totals_find(&sums, "cache-misses");
			double error = event_sum_error(sum, share);
			if (sum->n < SUMS_LEAST) {
				assert_true(isnan(error));
				continue;
			}
			double value = (double)counted / share;
			stated[n] = error * value;
			happened[n] = fabs(value - (double)all);
			within += happened[n] <= stated[n];
			n++;
		}
		qsort(stated, n, sizeof(*stated), ascending);
		qsort(happened, n, sizeof(*happened), ascending);
		double times = stated[n / 2] / happened[n / 2];
		if ((double)within < 0.95 * (double)n || times > rows[i].most)
			fail_msg("%s: %.1f %% within it, %.2f times as large", rows[i].name,
				 100 * (double)within / (double)n, times);
		event_totals_fini(&sums);
	}
}

/* The error of an estimate includes a burst counted in full, and soon falls again. */
static void jumps(void **state)
{
	struct event_totals sums = {0};

	(void)state;
	for (unsigned i = 0; i < SUMS_MEMORY; i++)
		add_second(&sums, 100, 0.5);
	add_second(&sums, 1000, 0.5);
	assert_true(event_sum_error(event_totals_find(&sums, "cache-misses"), 0.5) > 0.9);
	/* No burst: the rate stays. */
	for (unsigned i = 0; i < SUMS_MEMORY; i++)
		add_second(&sums, 1000, 0.5);
	assert_true(event_sum_error(event_totals_find(&sums, "cache-misses"), 0.5) < 0.2);
	add_second(&sums, 0, 0.5);
	assert_true(isnan(event_sum_error(event_totals_find(&sums, "cache-misses"), 0.5)));
	event_totals_fini(&sums);
}

static void has_no_error_if_counted_in_full(void **state)
{
	struct event_totals sums = {0};

	(void)state;
	for (unsigned i = 0; i < 10; i++)
		add_second(&sums, draw(), 1);
	assert_true(event_sum_error(event_totals_find(&sums, "cache-misses"), 1) == 0);
	assert_true(isnan(event_sum_error(NULL, 0.5)));
	event_totals_fini(&sums);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adds_up),
		cmocka_unit_test(an_open_estimate_is_no_bound),
		cmocka_unit_test(has_a_whole_once),
		cmocka_unit_test(finds_events_by_name),
		cmocka_unit_test(states_its_error),
		cmocka_unit_test(jumps),
		cmocka_unit_test(has_no_error_if_counted_in_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
