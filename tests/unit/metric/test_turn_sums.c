// SPDX-License-Identifier: MIT
/*
 * Sums of tasks whose groups take turns: many tasks with known rates, each on a CPU for a part of
 * the turns. A ratio of the sum is that of the tasks' scaled counts, so the four shares of all
 * slots, each in another group, add up to 100. The tasks have one of four classes.
 */
#include "core/metric/metric.h"
#include "tests/unit/shared/sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { GROUPS = 4, PER_GROUP = 2, COUNTERS = TALLY_FIRST_COUNTED + GROUPS * PER_GROUP };
enum { REFRESHES = 400, TASKS_MAX = 64, CLASSES = 4 };

/* Percent of the slots: retiring, bad speculation, front end, back end. */
static const double class_rates[CLASSES][GROUPS] = {
	{30, 5, 15, 50}, {7.5, 1.5, 5, 86}, {25, 40, 20, 15}, {20, 5, 60, 15}};

/* A plan whose group g counts two events: slots, and one of their four kinds. */
static struct plan *turn_plan(unsigned groups)
{
	struct plan *plan = xcalloc(1, sizeof(*plan));

	*plan = (struct plan){
		.shape = {TALLY_FIRST_COUNTED + groups * PER_GROUP, 1 + groups, 1},
		.counters = xcalloc(COUNTERS, sizeof(*plan->counters)),
		.first_counter = xcalloc(COUNTERS + 1, sizeof(*plan->first_counter)),
		.groups = xcalloc(1 + groups, sizeof(*plan->groups)),
		.domains = xcalloc(1, sizeof(*plan->domains)),
		.n_events = TALLY_FIRST_COUNTED + groups * PER_GROUP,
		.references = 1,
		.times_group = -1,
	};
	plan->domains[0].n_groups = 1 + groups;
	for (unsigned i = 0; i < plan->shape.n_counters; i++) {
		plan->counters[i].event = i;
		if (i >= TALLY_FIRST_COUNTED)
			plan->counters[i].group = 1 + (i - TALLY_FIRST_COUNTED) / PER_GROUP;
		plan->first_counter[i + 1] = i + 1;
	}
	return plan;
}

struct turn_case {
	const char *name;
	unsigned groups, tasks;
	uint64_t turn_us;    /* length of a turn */
	uint64_t slice_us;   /* mean length of a slice */
	unsigned least_busy; /* percent of an interval that a task runs */
	double known;        /* part of the refreshes in which the sum is to be known */
	double exact;        /* points: each figure is so near if all tasks had a turn */
};

static uint64_t draw(uint64_t *random, uint64_t n)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return (*random >> 33) % n;
}

/* One task of an interval of a second: slices of random length, of which groups see parts. */
static void run_task(const struct turn_case *this, const struct plan *plan, unsigned class,
		     uint64_t *random, uint64_t *tally)
{
	const struct tally_shape *shape = &plan->shape;
	uint64_t now_us = draw(random, this->turn_us * this->groups);
	uint64_t end_us =
		now_us + 10000 * (this->least_busy + draw(random, 100 - this->least_busy));

	memset(tally, 0, tally_width(shape) * sizeof(*tally));
	while (now_us < end_us) {
		uint64_t length_us = 1 + draw(random, 2 * this->slice_us);

		for (uint64_t left_us = length_us; left_us > 0;) {
			unsigned group = (unsigned)(now_us / this->turn_us % this->groups);
			uint64_t part_us = u64_min(left_us, this->turn_us - now_us % this->turn_us);
			size_t at = TALLY_FIRST_COUNTED + group * PER_GROUP;

			tally[tally_group(shape, 1 + group)] += part_us * 1000;
			tally[at] += part_us * 9600;
			tally[at + 1] += (uint64_t)(96 * (double)part_us *
						    class_rates[class][group % GROUPS]);
			now_us += part_us;
			left_us -= part_us;
		}
		tally[TALLY_TASK_CLOCK] += length_us * 1000;
		now_us += draw(random, 2 * this->slice_us); /* off its CPU */
	}
	tally[tally_domain(shape, 0)] = tally[tally_group(shape, 0)] = tally[TALLY_TASK_CLOCK];
	plan_estimate_turns(plan, tally);
}

/* The share of one kind of slots of a tally, in percent. */
static struct figure share_of(const struct plan *plan, const struct event_set *events,
			      const uint64_t *tally, unsigned group, bool sum)
{
	struct metric_input input = {
		.events = events, .plan = plan, .tally = tally, .sum = sum, .machine = sum};
	struct figure counts[PER_GROUP];

	for (unsigned i = 0; i < PER_GROUP; i++) {
		unsigned at = TALLY_FIRST_COUNTED + group * PER_GROUP + i;
		struct metric_counter counter = {at, (unsigned)tally_group(&plan->shape, 1 + group),
						 (unsigned)tally_domain(&plan->shape, 0)};
		const struct metric_reading reading = {.event = at, .items = &counter, .n = 1};

		counts[i] = metric_read_one(&reading, &input);
	}
	struct figure both = figure_of_two(counts[0], counts[1]);
	both.value = 100 * counts[1].value / counts[0].value;
	return both;
}

static void make_events(const struct plan *plan, struct event_set *events)
{
	event_set_init(events, NULL);
	for (unsigned i = TALLY_FIRST_COUNTED; i < plan->shape.n_counters; i++) {
		events->items = array_reserve(events->items, &events->capacity, events->n + 1,
					      sizeof(*events->items));
		events->items[events->n++] =
			(struct event){.name = xstrdup("x"), .scale = 1, .kind = EVENT_HARDWARE};
	}
}

static const struct turn_case turn_cases[] = {
	{"two turns, long slices", 2, 8, 50000, 40000, 30, 1, 0.05},
	{"four turns, long slices", 4, 8, 50000, 40000, 60, 1, 0.05},
	{"four turns, short slices", 4, 40, 20000, 500, 20, 1, 0.05},
	{"four turns, few short tasks", 4, 6, 100000, 60000, 5, 0.8, 0.05},
};

/*
 * Where each task had a turn in each group, a sum is exact. Where some had none, the part of the
 * time that is not known has the mean of the others: the error is at most that part of the span of
 * the classes.
 */
static void sums_weigh_by_run_time(void **state)
{
	static uint64_t tally[64], sum[64];

	(void)state;
	for (size_t c = 0; c < sizeof(turn_cases) / sizeof(turn_cases[0]); c++) {
		const struct turn_case *this = &turn_cases[c];
		struct plan *plan = turn_plan(this->groups);
		const size_t width = tally_width(&plan->shape);
		uint64_t random = 4711 + c;
		size_t figures = 0, known = 0, within = 0, whole = 0;
		struct event_set events;

		assert_true(width <= 64);
		make_events(plan, &events);
		for (unsigned refresh = 0; refresh < REFRESHES; refresh++) {
			double truth[GROUPS] = {0}, all_ns = 0, missing_ns[GROUPS] = {0};

			memset(sum, 0, sizeof(sum));
			for (unsigned i = 0; i < this->tasks; i++) {
				unsigned class = (unsigned)draw(&random, CLASSES);

				run_task(this, plan, class, &random, tally);
				tally_add(&plan->shape, sum, tally);
				all_ns += (double)tally[TALLY_TASK_CLOCK];
				for (unsigned g = 0; g < this->groups; g++) {
					truth[g] += (double)tally[TALLY_TASK_CLOCK] *
						    class_rates[class][g];
					bool seen = tally[tally_group(&plan->shape, 1 + g)] > 0;
					missing_ns[g] += seen ? 0 : (double)tally[TALLY_TASK_CLOCK];
				}
			}
			for (unsigned g = 0; g < this->groups; g++) {
				struct figure got = share_of(plan, &events, sum, g, true);
				double part = missing_ns[g] / all_ns, span = 0;

				for (unsigned i = 0; i < CLASSES; i++)
					for (unsigned k = 0; k < CLASSES; k++)
						span = fmax(span,
							    class_rates[i][g] - class_rates[k][g]);
				figures++;
				if (part > 0.501)
					assert_int_equal(got.state, FIGURE_NOT_COUNTED);
				if (!figure_known(got))
					continue;
				double off = fabs(got.value - truth[g] / all_ns);
				known++;
				whole += part <= 0;
				within += off <= this->exact + part * span;
				if (part <= 0 && off > this->exact)
					fail_msg("%s: %.2f points off", this->name, off);
			}
		}
		print_message("%s: %zu of %zu known, %zu of all tasks, %zu within\n", this->name,
			      known, figures, whole, within);
		if ((double)known < this->known * (double)figures || whole == 0)
			fail_msg("%s: %zu of %zu known, %zu of all tasks", this->name, known,
				 figures, whole);
		if (within < known)
			fail_msg("%s: %zu of %zu within", this->name, within, known);
		event_set_fini(&events);
		plan_unref(plan);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_weigh_by_run_time),
	};

	return cmocka_run_group_tests_name("sums of turns", tests, NULL, NULL);
}
