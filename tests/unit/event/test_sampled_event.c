// SPDX-License-Identifier: MIT
/* Tallies of samples: counts, numbers of samples, errors, and that all of these add up. */
#include "core/event/sampled_event.h"

#include "core/base/util.h"
#include "tests/unit/shared/cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = TALLY_FIRST_COUNTED, SECOND, EVENTS, WEIGHTS_MAX = 4 };

struct scene {
	struct event_set events;
	struct plan *plan;
};

static void begin(struct scene *scene)
{
	static const char *const names[] = {"cycles", "faults"};

	event_set_init(&scene->events, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct event_set *set = &scene->events;

		set->items =
			array_reserve(set->items, &set->capacity, set->n + 1, sizeof(*set->items));
		set->items[set->n++] = (struct event){.name = xstrdup(names[i]),
						      .scale = 1,
						      .kind = EVENT_SAMPLED,
						      .state = FIGURE_VALID};
	}
	scene->plan = sampled_event_plan(&scene->events);
}

static void end(struct scene *scene)
{
	plan_unref(scene->plan);
	event_set_fini(&scene->events);
}

static uint64_t *new_tally(const struct plan *plan)
{
	return xcalloc(tally_width(&plan->shape), sizeof(uint64_t));
}

static double error_of(const struct plan *plan, const uint64_t *tally, unsigned counter)
{
	return sampled_event_error(&plan->shape, tally, counter,
				   tally_group(&plan->shape, plan->counters[counter].group));
}

struct weights_case {
	const char *name;
	uint64_t weights[WEIGHTS_MAX];
	unsigned n, times; /* each of these weights so many times */
	double error;
};

#define UNIT (UINT64_C(1) << 10) /* the root of SAMPLED_SQUARE */

static const struct weights_case weights[] = {
	{"no samples", {0}, 0, 0, 1},
	{"one sample", {100000}, 1, 1, 1},
	{"four equal ones", {1000000}, 1, 4, 0.5},
	{"10000 equal ones", {4 * UNIT}, 1, 10000, 0.01},
	{"small weights are taken as equal ones", {1, 1, 3, 3}, 4, 25, 0.1},
	{"unequal ones", {UNIT, 3 * UNIT}, 2, 1, 0.790569415},
	{"unequal ones, many times", {UNIT, 3 * UNIT}, 2, 100, 0.0790569415},
	{"one large weight", {1 << 30, 1}, 2, 1, 1},
	{"a sample without weight", {0}, 1, 1, 1},
	{"the greatest weight", {UINT64_MAX}, 1, 1, 1},
};

static void has_error(void **state)
{
	const struct weights_case *row = *state;
	struct scene scene;
	uint64_t sum = 0;

	begin(&scene);
	uint64_t *tally = new_tally(scene.plan);
	for (unsigned i = 0; i < row->n; i++) {
		for (unsigned k = 0; k < row->times; k++)
			sampled_event_add(scene.plan, tally, SECOND, row->weights[i]);
		sum += row->weights[i] * row->times;
	}
	assert_int_equal(plan_count(scene.plan, tally, SECOND), sum);
	assert_int_equal(sampled_event_samples(&scene.plan->shape, tally, SECOND),
			 row->n * row->times);
	assert_true(fabs(error_of(scene.plan, tally, SECOND) - row->error) < 1e-8);
	/* Nothing else was counted. */
	assert_int_equal(plan_count(scene.plan, tally, FIRST), 0);
	assert_int_equal(sampled_event_samples(&scene.plan->shape, tally, FIRST), 0);
	assert_int_equal(plan_count(scene.plan, tally, TALLY_TASK_CLOCK), 0);
	assert_int_equal(plan_count(scene.plan, tally, TALLY_SWITCHES), 0);
	free(tally);
	end(&scene);
}

static void has_a_group_for_each_event(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	const struct plan *plan = scene.plan;
	assert_int_equal(plan->shape.n_counters, EVENTS);
	assert_int_equal(plan->shape.n_groups, EVENTS - TALLY_FIRST_COUNTED);
	for (unsigned event = FIRST; event < EVENTS; event++) {
		unsigned counter = plan->first_counter[event];

		assert_int_equal(plan->counters[counter].event, event);
		assert_int_equal(plan->counters[counter].group, event - TALLY_FIRST_COUNTED);
	}
	end(&scene);
}

static void adds_up(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	const struct tally_shape *shape = &scene.plan->shape;
	uint64_t *parts[2] = {new_tally(scene.plan), new_tally(scene.plan)};
	uint64_t *all = new_tally(scene.plan), *sum = new_tally(scene.plan);
	for (unsigned i = 0; i < 100; i++) {
		uint64_t weight = 5000 + 700 * (uint64_t)i;

		sampled_event_add(scene.plan, parts[i % 3 == 0], FIRST + i % 2, weight);
		sampled_event_add(scene.plan, all, FIRST + i % 2, weight);
	}
	tally_add(shape, sum, parts[0]);
	tally_add(shape, sum, parts[1]);
	assert_memory_equal(sum, all, tally_width(shape) * sizeof(*sum));
	assert_int_equal(sampled_event_samples(shape, sum, FIRST), 50);
	assert_true(error_of(scene.plan, sum, FIRST) < error_of(scene.plan, parts[0], FIRST));
	free(parts[0]);
	free(parts[1]);
	free(all);
	free(sum);
	end(&scene);
}

int main(void)
{
	static const struct cases tables[] = {CASES(has_error, weights)};
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(has_a_group_for_each_event),
		cmocka_unit_test(adds_up),
	};

	return cases_run("sampled_event", tables, ARRAY_SIZE(tables), others, ARRAY_SIZE(others));
}
