// SPDX-License-Identifier: MIT
/*
 * The counters that a metric reads. Events are letters, the plan is for a machine with groups of a
 * given size, and each case sets the counts and times of the groups.
 */
#include "core/base/util.h"
#include "core/event/event_wait.h"
#include "core/event/plan.h"
#include "core/metric/metric.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/letters.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS_MAX = 8, COUNTS_MAX = 4, DOMAINS_MAX = 4 };

static struct plan *make_plan(const struct event_set *set, const char *wants, size_t n_core,
			      size_t most)
{
	const size_t mosts[] = {most, most};

	return letter_plan(set, wants, n_core, &(struct plan_request){.most = mosts});
}

/* What one group counted: how long it was on, and the counts of these letters. */
struct counted_group {
	uint64_t ns;
	const char *letters;
	uint64_t counts[COUNTS_MAX];
};

struct bind_case {
	const char *name;
	size_t most; /* events in a group */
	size_t n_core;
	const char *events, *wants, *expression;
	uint64_t domains_ns[DOMAINS_MAX];
	struct counted_group groups[GROUPS_MAX];
	struct figure figure; /* a share of 0: 1 */
	bool machine, apart;
};

/* Without braces in it, a row keeps to few lines. */
#define LIST(...)           \
	{                   \
		__VA_ARGS__ \
	}
#define ON(time)             \
	{                    \
		.ns = (time) \
	}
#define COUNTED(time, letters, ...) \
	{                           \
		(time), letters,    \
		{                   \
			__VA_ARGS__ \
		}                   \
	}
#define VALID(v)                                    \
	{                                           \
		.value = (v), .state = FIGURE_VALID \
	}
#define SCALED(v, s)                                               \
	{                                                          \
		.value = (v), .share = (s), .state = FIGURE_SCALED \
	}
#define UNKNOWN(s)                  \
	{                           \
		.state = FIGURE_##s \
	}

static const struct bind_case cases[] = {
	{"one group has all", 2, 1, "ab", "ab", "a / b", LIST(100),
	 LIST(COUNTED(100, "ab", 60, 20)), VALID(3)},
	{"software beside it", 2, 1, "au", "au", "a / u", LIST(100),
	 LIST(COUNTED(100, "au", 60, 20)), VALID(3)},
	{"a group of its own, on for half of the time", 2, 1, "abc", "ab c", "a", LIST(100),
	 LIST(ON(100), COUNTED(50, "ab", 60, 20), COUNTED(50, "c", 1)), SCALED(120, 0.5f)},
	{"a ratio of what was counted together", 2, 1, "abc", "ab c", "a / b", LIST(100),
	 LIST(ON(100), COUNTED(25, "ab", 60, 20), COUNTED(75, "c", 1)), SCALED(3, 0.25f)},
	{"an event that is in another group too: that group is not read", 2, 1, "abc", "ab ac",
	 "a / b", LIST(100), LIST(ON(100), COUNTED(50, "ab", 60, 20), COUNTED(50, "ac", 9999, 7)),
	 SCALED(3, 0.5f)},
	{"an event alone is read from all its groups", 2, 1, "abc", "ab ac", "a", LIST(100),
	 LIST(ON(100), COUNTED(25, "ab", 60, 20), COUNTED(25, "ac", 40, 7)), SCALED(200, 0.5f)},
	{"all groups that have all its inputs", 3, 1, "abcd", "abc abd", "a / b", LIST(100),
	 LIST(ON(100), COUNTED(50, "ab", 60, 20), COUNTED(30, "ab", 40, 5)), SCALED(4, 0.8f)},
	{"groups that had all of the time between them", 3, 1, "abcd", "abc abd", "a", LIST(100),
	 LIST(ON(100), COUNTED(50, "ab", 60, 20), COUNTED(50, "ab", 40, 5)), VALID(100)},
	{"in different groups: each scaled by its own share", 1, 1, "ab", "ab", "a / b", LIST(100),
	 LIST(ON(100), COUNTED(50, "a", 60), COUNTED(25, "b", 10)), SCALED(3, 0.25f),
	 .apart = true},
	{"none of its groups was on", 2, 1, "abc", "ab c", "a / b", LIST(100),
	 LIST(ON(100), ON(0), COUNTED(100, "c", 1)), UNKNOWN(NOT_COUNTED)},
	{"one of its groups was not on", 1, 1, "ab", "ab", "a / b", LIST(100),
	 LIST(ON(100), COUNTED(50, "a", 60), ON(0)), UNKNOWN(NOT_COUNTED), .apart = true},
	{"a task that did not run has nothing", 2, 1, "abc", "ab c", "a", LIST(0), LIST(ON(0)),
	 VALID(0)},
	{"nearly all of the time is all of it", 2, 1, "abc", "ab c", "a", LIST(10000),
	 LIST(ON(10000), COUNTED(9990, "ab", 60, 20)), VALID(60)},
	{"an event that is unsupported", 2, 1, "a-b", "ab", "a / b", LIST(100),
	 LIST(COUNTED(100, "a", 60)), UNKNOWN(UNSUPPORTED)},
	{"two PMUs: the sum", 2, 2, "ab", "ab", "a", LIST(100, 300),
	 LIST(COUNTED(100, "ab", 60, 20), COUNTED(300, "ab", 40, 30)), VALID(100)},
	{"two PMUs: each is scaled by its own share", 2, 2, "abc", "ab c", "a", LIST(100, 300),
	 LIST(ON(100), COUNTED(50, "ab", 60, 20), ON(50), ON(300), COUNTED(30, "ab", 7, 3),
	      ON(270)),
	 SCALED(120 + 70, 0.2f)},
	{"two PMUs: one did not count it, and the sum is not raised for that", 2, 2, "abc", "ab c",
	 "a", LIST(100, 300),
	 LIST(ON(100), COUNTED(100, "ab", 60, 20), ON(0), ON(300), ON(0), ON(300)),
	 SCALED(60, 0.25f)},
	{"two PMUs: the task ran on one", 2, 2, "ab", "ab", "a / b", LIST(0, 300),
	 LIST(ON(0), COUNTED(300, "ab", 60, 20)), VALID(3)},
	{"two PMUs, one lacks an input: only the other counts", 2, 2, "a1b", "ab", "a / b",
	 LIST(100, 300), LIST(COUNTED(100, "ab", 60, 20), COUNTED(300, "a", 9999)),
	 SCALED(3, 0.25f)},
	{"two PMUs, one lacks an input: the task ran there alone", 2, 2, "a1b", "ab", "a / b",
	 LIST(0, 300), LIST(ON(0), COUNTED(300, "a", 9999)), UNKNOWN(NOT_COUNTED)},
	{"two PMUs, each lacks another input", 2, 2, "1a2b", "ab", "a / b", LIST(100, 300),
	 LIST(COUNTED(100, "a", 60), COUNTED(300, "b", 20)), UNKNOWN(NOT_COUNTED)},
	{"an event of sockets, for the machine: in its unit", 2, 1, "az", "a z", "z",
	 LIST(100, 500), LIST(COUNTED(100, "a", 60), COUNTED(500, "z", 80)), VALID(20),
	 .machine = true},
	{"an event of sockets, scaled by its own time", 2, 1, "az", "a z", "z", LIST(100, 500),
	 LIST(COUNTED(100, "a", 60), COUNTED(250, "z", 80)), SCALED(40, 0.5f), .machine = true},
	{"events of sockets and of CPUs", 2, 1, "az", "az", "a / z", LIST(100, 500),
	 LIST(COUNTED(100, "a", 60), COUNTED(500, "z", 80)), VALID(3), .machine = true},
	{"an event of sockets, without a reading", 2, 1, "az", "a z", "z", LIST(100, 0),
	 LIST(COUNTED(100, "a", 60), ON(0)), UNKNOWN(NOT_COUNTED), .machine = true},
	{"an event of sockets, for a task", 2, 1, "az", "a z", "z", LIST(100, 500),
	 LIST(COUNTED(100, "a", 60), COUNTED(500, "z", 80)), UNKNOWN(UNSUPPORTED)},
};

static void make_def(const char *expression, struct metric_def *def)
{
	*def = (struct metric_def){
		.name = "m", .title = "m", .unit = "", .forms = {{.expression = expression}}};
}

static void fill_tally(const struct bind_case *this, const struct event_set *set,
		       const struct plan *plan, uint64_t *tally)
{
	const struct tally_shape *shape = &plan->shape;

	for (unsigned i = 0; i < shape->n_domains; i++) {
		tally[tally_domain(shape, i)] = this->domains_ns[i];
		if (!plan->domains[i].socket)
			tally[TALLY_TASK_CLOCK] += this->domains_ns[i];
	}
	for (unsigned g = 0; g < shape->n_groups; g++) {
		const struct counted_group *group = &this->groups[g];
		const char *letters = group->letters ? group->letters : "";
		tally[tally_group(shape, g)] = group->ns;
		for (size_t i = 0; letters[i]; i++) {
			int event = event_set_find(set, (char[]){letters[i], '\0'});
			int counter = plan_counter_in(plan, g, (unsigned)event);
			assert_true(counter >= 0);
			tally[counter] = group->counts[i];
		}
	}
}

static void assert_figure(struct figure figure, struct figure want)
{
	float share = want.share > 0 ? want.share : 1;

	assert_int_equal(figure.state, want.state);
	if (!figure_known(want))
		return;
	assert_true(fabs(figure.value - want.value) < 1e-9 * (1 + fabs(want.value)));
	assert_true(fabsf(figure.share - share) < 1e-6f);
}

static void test_case(void **state)
{
	const struct bind_case *this = *state;
	struct metric_readings readings = {0};
	struct event_set set;
	struct metric metric;
	struct metric_def def;
	struct error err;

	letter_events(this->events, this->n_core, &set);
	struct plan *plan = make_plan(&set, this->wants, this->n_core, this->most);
	uint64_t *tally = xcalloc(tally_width(&plan->shape), sizeof(*tally));
	fill_tally(this, &set, plan, tally);
	make_def(this->expression, &def);
	assert_int_equal(metric_compile(&def, 0, &set, &metric, &err), 0);
	metric_bind(&metric, &set, plan, &readings);
	const struct metric_input input = {
		.events = &set, .plan = plan, .tally = tally, .machine = this->machine};
	struct figure *counts = xcalloc(readings.n, sizeof(*counts));
	metric_read(&readings, &input, counts);
	assert_figure(metric_eval(&metric, counts, NULL, figure_exact(1)), this->figure);
	assert_int_equal(metric_is_apart(&metric, &set, plan), this->apart);
	free(counts);
	metric_readings_fini(&readings);
	metric_fini(&metric);
	free(tally);
	plan_unref(plan);
	event_set_fini(&set);
}

/* Metrics with the same counters share a reading; other groups are other readings. */
static void test_shared_readings(void **state)
{
	static const struct {
		const char *expression;
		size_t readings; /* of all metrics so far */
	} steps[] = {
		{"a / b", 2},          {"b / a", 2}, {"a * a + b", 2},
		{"a / c", 4},          {"a", 5},     {"a + cpu_time_s", 6},
		{"cpu_time_s", 6},     {"u", 7},     {"u + cpu_time_s", 7},
		{"interval_s + 1", 7}, {"b", 7},
	};
	struct metric_readings readings = {0};
	struct event_set set;

	(void)state;
	letter_events("abcu", 1, &set);
	struct plan *plan = make_plan(&set, "ab ac", 1, 2);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		struct metric metric;
		struct metric_def def;
		struct error err;
		make_def(steps[i].expression, &def);
		assert_int_equal(metric_compile(&def, 0, &set, &metric, &err), 0);
		metric_bind(&metric, &set, plan, &readings);
		assert_int_equal(readings.n, steps[i].readings);
		metric_fini(&metric);
	}
	metric_readings_fini(&readings);
	plan_unref(plan);
	event_set_fini(&set);
}

/* An event that was added after the plan was made is not counted. */
static void test_event_beyond_the_plan(void **state)
{
	struct metric_readings readings = {0};
	struct metric metric;
	struct event_set few, more;
	struct metric_def def;
	struct error err;

	(void)state;
	letter_events("a", 1, &few);
	letter_events("au", 1, &more);
	struct plan *plan = make_plan(&few, "a", 1, 2);
	make_def("a + u", &def);
	assert_int_equal(metric_compile(&def, 0, &more, &metric, &err), 0);
	metric_bind(&metric, &more, plan, &readings);
	assert_int_equal(readings.n, 2);
	assert_int_equal(readings.items[1].n, 0);
	metric_readings_fini(&readings);
	metric_fini(&metric);
	plan_unref(plan);
	event_set_fini(&few);
	event_set_fini(&more);
}

/* The events of waiting: how much of the lifetime is known decides the state. */
static void test_waits(void **state)
{
	static const struct {
		const char *event;
		uint64_t known_ns;
		enum figure_state state;
		double percentile;
	} rows[] = {
		{"wakeups", 5000, FIGURE_LOST},
		{"wakeups", 9996, FIGURE_VALID, 50},
		{"wakeups", 5000, FIGURE_SCALED, 50},
		{"wakeups", 5000, FIGURE_LOST, 100},
		{"runq_time", 10000, FIGURE_VALID},
		{"runq_time", 9996, FIGURE_VALID},
		{"runq_time", 5000, FIGURE_LOST},
		{"runq_time", 0, FIGURE_NOT_COUNTED},
		{"throttled_time", 9996, FIGURE_VALID},
		{"throttled_time", 9000, FIGURE_SCALED},
		{"throttled_time", 0, FIGURE_NOT_COUNTED},
		{"lock_time", 10000, FIGURE_SCALED},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct metric_readings readings = {0};
		struct wait_places places;
		struct event_set set;

		letter_events("a", 1, &set);
		size_t event = set.n - 1;
		free(set.items[event].name);
		set.items[event].name = xstrdup(rows[i].event);
		set.items[event].kind = EVENT_WAIT;
		struct plan *plan = make_plan(&set, "", 1, 1);
		metric_read_events(&readings, &set, plan);
		wait_places_find(&places, plan, &set);

		enum event_wait wait = event_wait_of(&set.items[event]);
		uint64_t *tally = xcalloc(tally_width(&plan->shape), sizeof(*tally));
		tally[places.counts[wait]] = 7;
		tally[places.groups[event_wait_group(wait)]] = rows[i].known_ns;
		tally[places.lifetime] = 10000;
		struct metric_input input = {.events = &set, .plan = plan, .tally = tally};
		readings.items[event].percentile = rows[i].percentile;
		struct figure figure = metric_read_one(&readings.items[event], &input);
		bool counts = figure_known(figure) && rows[i].percentile == 0;
		if (figure.state != rows[i].state || (counts && figure.value != 7))
			fail_msg("%s, %" PRIu64 " ns known: state %d, value %g", rows[i].event,
				 rows[i].known_ns, (int)figure.state, figure.value);
		free(tally);
		metric_readings_fini(&readings);
		plan_unref(plan);
		event_set_fini(&set);
	}
}

/* A wait has an error of at most what is not known of the lifetime. */
static void test_close_waits(void **state)
{
	static const struct {
		const char *event, *expression;
		uint64_t known_ns;
		bool lost, close;
	} rows[] = {
		{"runq_time", "100e-9 * runq_time / interval_s", 10000, false, true},
		{"runq_time", "100e-9 * runq_time / interval_s", 9901, false, true},
		{"runq_time", "100e-9 * runq_time / interval_s", 9900, false, false},
		{"runq_time", "100e-9 * runq_time / interval_s", 9901, true, false},
		{"runq_time", "200e-9 * runq_time / interval_s", 9999, false, false},
		{"runq_time", "100e-9 * runq_time / cpu_time_s", 9999, false, false},
		{"runq_time", "interval_s / runq_time", 9999, false, false},
		{"throttled_time", "100e-9 * throttled_time / interval_s", 9901, false, true},
		{"throttled_time", "100e-9 * throttled_time / interval_s", 9900, false, false},
		{"lock_time", "100e-9 * lock_time / interval_s", 9999, false, false},
		{"forks", "100e-9 * forks / interval_s", 9999, false, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct metric_readings readings = {0};
		struct wait_places places;
		struct metric metric;
		struct event_set set;
		struct error err;

		letter_events("a", 1, &set);
		struct event *event = &set.items[set.n - 1];
		free(event->name);
		event->name = xstrdup(rows[i].event);
		event->kind = EVENT_WAIT;
		const struct metric_def def = {
			.name = "wait", .unit = "%", .forms = {{.expression = rows[i].expression}}};
		assert_int_equal(metric_compile(&def, 0, &set, &metric, &err), 0);
		struct plan *plan = make_plan(&set, "", 1, 1);
		metric_bind(&metric, &set, plan, &readings);
		wait_places_find(&places, plan, &set);

		enum event_wait_group group = event_wait_group(event_wait_of(event));
		uint64_t *tally = xcalloc(tally_width(&plan->shape), sizeof(*tally));
		tally[places.groups[group]] = rows[i].known_ns;
		tally[places.lifetime] = 10000;
		const struct metric_input input = {
			.events = &set, .plan = plan, .tally = tally, .lost = rows[i].lost};
		const struct metric_bounds bounds = {.interval_ns = 10000, .clock_ns = UINT64_MAX};
		if (metric_is_close(&metric, &readings, &input, &bounds) != rows[i].close)
			fail_msg("%s, %" PRIu64 " ns known", rows[i].expression, rows[i].known_ns);
		free(tally);
		metric_readings_fini(&readings);
		metric_fini(&metric);
		plan_unref(plan);
		event_set_fini(&set);
	}
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_shared_readings),
		cmocka_unit_test(test_event_beyond_the_plan),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_close_waits),
	};
	static const struct cases table = CASES(test_case, cases);

	return cases_run("metric bind", &table, 1, others, ARRAY_SIZE(others));
}
