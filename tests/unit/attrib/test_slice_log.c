// SPDX-License-Identifier: MIT
/* Slices of several CPUs, added one CPU after the other, come out in the order of their ends. */
#include "core/attrib/slice_log.h"

#include "core/base/util.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { CPUS = 4, PARTS_MAX = 12 };

struct part {
	size_t cpu;
	uint64_t begin_ns, end_ns;
	enum slice_end end;
};

/* A pop up to until_ns, and the slices that it returns. */
struct pop {
	uint64_t until_ns;
	bool split;
	struct part expected[PARTS_MAX];
};

static const struct {
	const char *name;
	struct part added[PARTS_MAX];
	struct pop pops[4]; /* up to the first of zeros */
} rows[] = {
	{
		"one CPU",
		{{0, 1, 2, SLICE_SLEEPS}, {0, 3, 5, SLICE_RUNNABLE}},
		{{9, false, {{0, 1, 2, SLICE_SLEEPS}, {0, 3, 5, SLICE_RUNNABLE}}}},
	},
	{
		"CPUs in turns",
		{{0, 1, 2, SLICE_SLEEPS},
		 {0, 4, 6, SLICE_SLEEPS},
		 {1, 2, 3, SLICE_RUNNABLE},
		 {1, 6, 9, SLICE_SLEEPS},
		 {3, 1, 5, SLICE_STOPPED}},
		{{9,
		  false,
		  {{0, 1, 2, SLICE_SLEEPS},
		   {0, 2, 3, SLICE_RUNNABLE},
		   {0, 1, 5, SLICE_STOPPED},
		   {0, 4, 6, SLICE_SLEEPS},
		   {0, 6, 9, SLICE_SLEEPS}}}},
	},
	{
		"what ends later stays",
		{{0, 1, 4, SLICE_SLEEPS}, {1, 1, 3, SLICE_RUNNABLE}, {1, 3, 8, SLICE_SLEEPS}},
		{{3, false, {{0, 1, 3, SLICE_RUNNABLE}}},
		 {8, false, {{0, 1, 4, SLICE_SLEEPS}, {0, 3, 8, SLICE_SLEEPS}}}},
	},
	{
		"a slice is split, and what has not begun stays",
		{{0, 1, 4, SLICE_SLEEPS}, {0, 5, 8, SLICE_SLEEPS}, {1, 2, 9, SLICE_RUNNABLE}},
		{{4, true, {{0, 1, 4, SLICE_SLEEPS}, {0, 2, 4, SLICE_RUNS_ON}}},
		 {6, true, {{0, 5, 6, SLICE_RUNS_ON}, {0, 4, 6, SLICE_RUNS_ON}}},
		 {9, true, {{0, 6, 8, SLICE_SLEEPS}, {0, 6, 9, SLICE_RUNNABLE}}}},
	},
};

static void check_pop(struct slice_log *log, const char *name, const struct pop *pop)
{
	struct slice slice;
	size_t n = 0;

	slice_log_merge(log);
	for (; slice_log_pop(log, pop->until_ns, pop->split, &slice); n++) {
		const struct part *part = &pop->expected[n];
		if (slice.begin_ns != part->begin_ns || slice.end_ns != part->end_ns ||
		    slice.end != part->end)
			fail_msg("%s: slice %zu is %" PRIu64 "-%" PRIu64 " %d", name, n,
				 slice.begin_ns, slice.end_ns, (int)slice.end);
	}
	if (pop->expected[n].end_ns)
		fail_msg("%s: only %zu slices", name, n);
}

static void test_order(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct slice_log log;

		slice_log_init(&log, CPUS);
		for (const struct part *part = rows[i].added; part->end_ns; part++)
			slice_log_add(&log, part->cpu,
				      &(struct slice){.begin_ns = part->begin_ns,
						      .end_ns = part->end_ns,
						      .end = part->end});
		for (const struct pop *pop = rows[i].pops; pop->until_ns; pop++)
			check_pop(&log, rows[i].name, pop);
		slice_log_fini(&log);
	}
}

/* FORK records are applied ahead of the others, and again with them. */
static void test_forks(void **state)
{
	struct task first = {.start_ns = 5}, second = {.start_ns = 7};
	struct slice_log log;

	(void)state;
	slice_log_init(&log, 1);
	slice_log_fork(&log, &first);
	slice_log_fork(&log, &second);
	slice_log_add(&log, 0, &(struct slice){&first, 5, 6, SLICE_SLEEPS, 0});
	slice_log_fork(&log, &first);
	slice_log_fork(&log, &second);
	slice_log_add(&log, 0, &(struct slice){&second, 8, 9, SLICE_SLEEPS, 0});
	check_pop(&log, "forks",
		  &(struct pop){9,
				false,
				{{0, 5, 5, SLICE_FORKED},
				 {0, 5, 6, SLICE_SLEEPS},
				 {0, 7, 7, SLICE_FORKED},
				 {0, 8, 9, SLICE_SLEEPS}}});
	slice_log_fini(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_forks),
	};

	return cmocka_run_group_tests_name("slice log", tests, NULL, NULL);
}
