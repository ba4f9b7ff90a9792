// SPDX-License-Identifier: MIT
/* Formulas: values, states of unknown inputs, errors. */
#include "tests/unit/shared/sample.h"

#include "core/base/figure_mark.h"
#include "core/event/sampled_event.h"
#include "core/metric/metric.h"
#include "core/metric/preset.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* A task that ran 0.5 s of a second: 2 GHz, IPC 1.5. */
static const struct sample_row steady = {
	.counts =
		{
			[TALLY_TASK_CLOCK] = NS_PER_S / 2,
			[TALLY_SWITCHES] = 40,
			[SAMPLE_CYCLES] = 1000000000,
			[SAMPLE_INSTRUCTIONS] = 1500000000,
			[SAMPLE_BRANCH_MISSES] = 3000000,
			[SAMPLE_CACHE_MISSES] = 6000000,
			[SAMPLE_PAGE_FAULTS] = 12,
		},
};

#define INTERVAL_S 1.0

struct fixture {
	struct event_set events;
	struct plan *plan;
	uint64_t tally[SAMPLE_WIDTH];
	struct metric_input input;
};

static void fixture_init(struct fixture *f, const struct sample_row *row)
{
	*f = (struct fixture){.plan = sample_plan()};
	sample_events(&f->events);
	sample_tally(row, f->tally);
	f->input = (struct metric_input){.events = &f->events, .plan = f->plan, .tally = f->tally};
}

static void fixture_fini(struct fixture *f)
{
	event_set_fini(&f->events);
	plan_unref(f->plan);
}

static struct figure evaluate(const struct fixture *f, const char *expression)
{
	struct metric_def def = {.name = "m", .forms = {{.expression = expression}}};
	struct event_set events = f->events; /* the formulas here add no events */
	struct error err = {0};
	struct metric metric;

	if (metric_compile(&def, 0, &events, &metric, &err) < 0)
		fail_msg("%s: %s", expression, err.text);
	assert_true(events.n == f->events.n);
	struct figure figure = sample_eval(&metric, &f->input, INTERVAL_S);
	metric_fini(&metric);
	return figure;
}

static void computes(void **state)
{
	static const struct {
		const char *name, *expression;
		double want;
	} rows[] = {
		{"number", "42", 42},
		{"fraction", "0.1", 0.1},
		{"fraction without a whole", ".25", 0.25},
		{"point without a fraction", "3.", 3},
		{"exponent", "1.5e3", 1500},
		{"negative exponent", "25e-2", 0.25},
		{"many digits after the point", "0.3333333333333333333333333333333333333333",
		 1.0 / 3},
		{"tiny", "1e-400", 0},
		{"product before sum", "2 + 3 * 4", 14},
		{"left to right, minus", "10 - 4 - 3", 3},
		{"left to right, division", "100 / 5 / 2", 10},
		{"parentheses", "(2 + 3) * 4", 20},
		{"minus in front", "-2 + 5", 3},
		{"minus twice", "4 - -2", 6},
		{"minuses in a row", "---2", -2},
		{"minuses in pairs", "3 * --2", 6},
		{"minus binds first", "-2 * 3", -6},
		{"no spaces", "2*3+4", 10},
		{"tabs and line ends", "\t2\n*\t3 ", 6},
		{"less", "1 < 2", 1},
		{"not less", "2 < 2", 0},
		{"less or equal", "2 <= 2", 1},
		{"greater", "3 > 2", 1},
		{"not greater", "2 > 2", 0},
		{"greater or equal", "2 >= 3", 0},
		{"equal", "2 == 2", 1},
		{"not equal", "2 != 2", 0},
		{"comparison after sums", "1 + 1 == 4 - 2", 1},
		{"comparison in a function", "min(1 < 2, 5)", 1},
		{"min", "min(3, 2)", 2},
		{"max", "max(3, 2)", 3},
		{"if, yes", "if(1, 10, 20)", 10},
		{"if, no", "if(0, 10, 20)", 20},
		{"if does not evaluate the other branch", "if(1, 10, 1 / 0)", 10},
		{"nested functions", "max(min(1, 2), if(0, 1, 3))", 3},
		{"event", "cycles", 1e9},
		{"event with a dash", "branch-misses", 3e6},
		{"event in quotes", "'branch-misses'", 3e6},
		{"subtraction with spaces", "cycles - instructions", -5e8},
		{"a dash before a digit subtracts", "page-faults-2", 10},
		{"a dash before a parenthesis subtracts", "page-faults-(2)", 10},
		{"derived event", "context-switches", 40},
		{"interval", "interval_s", 1},
		{"CPU time", "cpu_time_s", 0.5},
		{"variables in quotes are events", "'task-clock' / 1e9", 0.5},
		{"IPC", "instructions / cycles", 1.5},
	};
	struct fixture f;

	(void)state;
	fixture_init(&f, &steady);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct figure got = evaluate(&f, rows[i].expression);

		if (got.state != FIGURE_VALID || fabs(got.value - rows[i].want) > 1e-12 ||
		    got.share < 1)
			fail_msg("%s: %s is %g (%s), not %g", rows[i].name, rows[i].expression,
				 got.value, figure_state_name(got.state), rows[i].want);
	}
	fixture_fini(&f);
}

static struct figure evaluate_built_in(const struct fixture *f, const char *metric)
{
	return evaluate(f, metric_def_find(metric)->forms[0].expression);
}

static void built_in_values(void **state)
{
	static const struct {
		const char *metric;
		double want;
	} rows[] = {
		{"cpu_percent", 50},
		{"ghz", 2},
		{"ipc", 1.5},
		{"cpi", 1 / 1.5},
		{"mips", 1500},
		{"stall_floor_percent", 0},
		{"branch_mpki", 2},
		{"cache_mpki", 4},
		{"cs_per_s", 40},
		{"faults_per_s", 12},
		{"migrations_per_s", 0},
	};
	struct fixture f;

	(void)state;
	fixture_init(&f, &steady);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct figure got = evaluate_built_in(&f, rows[i].metric);

		if (got.state != FIGURE_VALID || fabs(got.value - rows[i].want) > 1e-9)
			fail_msg("%s is %g (%s), not %g", rows[i].metric, got.value,
				 figure_state_name(got.state), rows[i].want);
	}
	f.tally[SAMPLE_INSTRUCTIONS] = 250000000; /* of a billion cycles, at least 75 % stalled */
	assert_true(evaluate_built_in(&f, "stall_floor_percent").value == 75);
	fixture_fini(&f);
}

static void states(void **state)
{
	static const struct {
		const char *name, *expression;
		enum figure_state cycles, instructions; /* of these two events */
		bool lost;
		enum figure_state want;
	} rows[] = {
		{"unsupported", "instructions / cycles", FIGURE_VALID, FIGURE_UNSUPPORTED, false,
		 FIGURE_UNSUPPORTED},
		{"denied", "instructions / cycles", FIGURE_DENIED, FIGURE_VALID, false,
		 FIGURE_DENIED},
		{"not counted in the whole run", "cycles", FIGURE_NOT_COUNTED, FIGURE_VALID, false,
		 FIGURE_NOT_COUNTED},
		{"lost", "cycles", FIGURE_VALID, FIGURE_VALID, true, FIGURE_LOST},
		{"lost, derived", "cpu_time_s", FIGURE_VALID, FIGURE_VALID, true, FIGURE_LOST},
		{"nothing to lose", "interval_s", FIGURE_VALID, FIGURE_VALID, true, FIGURE_VALID},
		{"denied over unsupported", "instructions / cycles", FIGURE_UNSUPPORTED,
		 FIGURE_DENIED, false, FIGURE_DENIED},
		{"denied over unsupported, turned", "cycles / instructions", FIGURE_UNSUPPORTED,
		 FIGURE_DENIED, false, FIGURE_DENIED},
		{"unsupported over lost", "cycles + instructions", FIGURE_VALID, FIGURE_UNSUPPORTED,
		 true, FIGURE_UNSUPPORTED},
		{"not counted over lost", "cycles + instructions", FIGURE_NOT_COUNTED, FIGURE_VALID,
		 true, FIGURE_NOT_COUNTED},
		{"undefined over lost", "cycles + 1 / 0", FIGURE_VALID, FIGURE_VALID, true,
		 FIGURE_UNDEFINED},
		{"undefined over lost, turned", "1 / 0 + cycles", FIGURE_VALID, FIGURE_VALID, true,
		 FIGURE_UNDEFINED},
		{"not counted over undefined", "cycles + 1 / 0", FIGURE_NOT_COUNTED, FIGURE_VALID,
		 false, FIGURE_NOT_COUNTED},
		{"division by zero", "1 / 0", FIGURE_VALID, FIGURE_VALID, false, FIGURE_UNDEFINED},
		{"zero by zero", "0 / 0", FIGURE_VALID, FIGURE_VALID, false, FIGURE_UNDEFINED},
		{"undefined stays so", "1 + 2 * (1 / 0)", FIGURE_VALID, FIGURE_VALID, false,
		 FIGURE_UNDEFINED},
		{"undefined in min", "min(1 / 0, 3)", FIGURE_VALID, FIGURE_VALID, false,
		 FIGURE_UNDEFINED},
		{"a comparison with undefined", "1 / 0 > 3", FIGURE_VALID, FIGURE_VALID, false,
		 FIGURE_UNDEFINED},
		{"too large for a double", "1e300 * 1e300", FIGURE_VALID, FIGURE_VALID, false,
		 FIGURE_UNDEFINED},
		{"an unknown condition", "if(cycles > 0, 1, 2)", FIGURE_DENIED, FIGURE_VALID, false,
		 FIGURE_DENIED},
		{"an unknown branch that is taken", "if(1, cycles, 2)", FIGURE_DENIED, FIGURE_VALID,
		 false, FIGURE_DENIED},
		{"an unknown branch that is not", "if(0, cycles, 2)", FIGURE_DENIED, FIGURE_VALID,
		 false, FIGURE_VALID},
		{"a minus before unknown", "-cycles", FIGURE_UNSUPPORTED, FIGURE_VALID, false,
		 FIGURE_UNSUPPORTED},
	};
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		fixture_init(&f, &steady);
		f.events.items[SAMPLE_CYCLES].state = rows[i].cycles;
		f.events.items[SAMPLE_INSTRUCTIONS].state = rows[i].instructions;
		f.input.lost = rows[i].lost;
		struct figure got = evaluate(&f, rows[i].expression);

		if (got.state != rows[i].want)
			fail_msg("%s: %s, not %s", rows[i].name, figure_state_name(got.state),
				 figure_state_name(rows[i].want));
		assert_true(isfinite(got.value));
		fixture_fini(&f);
	}
}

/* A part that may be another row's is no lower bound: the figure is an estimate. */
static void doubts(void **state)
{
	static const struct {
		float doubt;
		bool lost;
		enum figure_state want;
	} rows[] = {
		{0, false, FIGURE_VALID},
		{0, true, FIGURE_LOST},
		{0.25f, false, FIGURE_SCALED},
		{0.25f, true, FIGURE_SCALED},
	};
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		fixture_init(&f, &steady);
		f.input.lost = rows[i].lost;
		f.input.doubt = rows[i].doubt;
		struct figure got = evaluate(&f, "cycles");
		assert_int_equal(got.state, rows[i].want);
		if (rows[i].want == FIGURE_SCALED)
			assert_true(got.share == 0.75f);
		fixture_fini(&f);
	}
}

static void scaling(void **state)
{
	static const struct {
		const char *name, *expression;
		uint64_t cpu_ns, group_0_ns, group_1_ns;
		enum figure_state want_state;
		double want, want_share;
		bool lost;
		uint64_t unseen_ns;
	} rows[] = {
		{"counted all the time", "cycles", 1000, 1000, 1000, FIGURE_VALID, 1e9, 1},
		{"a little more than the task ran", "cycles", 1000, 1003, 0, FIGURE_VALID, 1e9, 1},
		{"a clock's breadth less", "cycles", 1000, 996, 0, FIGURE_VALID, 1e9, 1},
		{"one part in a hundred less", "cycles", 1000, 990, 0, FIGURE_SCALED, 1e9 / 0.99,
		 0.99},
		{"a quarter of the time", "cycles", 1000, 250, 0, FIGURE_SCALED, 4e9, 0.25},
		{"a quarter of the time, and some was lost", "cycles", 1000, 250, 0, FIGURE_LOST,
		 4e9, 0.25, true},
		{"beside windows, and some was lost: no lower bound", "cycles", 1000, 250, 0,
		 FIGURE_SCALED, 4e9, 0, true, 500},
		{"a time, of which a part is beside windows", "cpu_time_s", 1000, 250, 0,
		 FIGURE_SCALED, 1e-6, 0.5, false, 500},
		{"the same, and some was lost", "cpu_time_s", 1000, 250, 0, FIGURE_SCALED, 1e-6, 0,
		 true, 500},
		{"a moment beside windows does not matter to a time", "cpu_time_s", 1000, 250, 0,
		 FIGURE_VALID, 1e-6, 1, false, 2},
		{"but many switches may be in it", "context-switches", 1000, 250, 0, FIGURE_SCALED,
		 40, 0.998, false, 2},
		{"not while it ran", "cache-misses", 1000, 1000, 0, FIGURE_NOT_COUNTED, 0, 0},
		{"counted in no time", "branch-misses", 1000, 0, 1000, FIGURE_VALID, 3e6, 1},
		{"it did not run", "cycles", 0, 0, 0, FIGURE_VALID, 1e9, 1},
		{"the clock was not read", "cache-misses", 0, 1000, 0, FIGURE_NOT_COUNTED, 0, 0},
		{"derived events are never scaled", "context-switches", 1000, 250, 250,
		 FIGURE_VALID, 40, 1},
		{"the smallest share wins", "cycles + cache-misses", 1000, 500, 250, FIGURE_SCALED,
		 2e9 + 24e6, 0.25},
		{"the smallest share wins, turned", "cache-misses + cycles", 1000, 500, 250,
		 FIGURE_SCALED, 2e9 + 24e6, 0.25},
		{"one scaled is enough", "cycles + cache-misses", 1000, 1000, 500, FIGURE_SCALED,
		 1e9 + 12e6, 0.5},
		{"both of one group: the ratio is exact", "instructions / cycles", 1000, 500, 0,
		 FIGURE_SCALED, 1.5, 0.5},
		{"a scaled condition marks", "if(cycles > 0, 7, 8)", 1000, 500, 0, FIGURE_SCALED, 7,
		 0.5},
	};
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		fixture_init(&f, &steady);
		f.tally[TALLY_TASK_CLOCK] = f.tally[SAMPLE_DOMAIN] = rows[i].cpu_ns;
		f.tally[SAMPLE_GROUP_0] = rows[i].group_0_ns;
		f.tally[SAMPLE_GROUP_1] = rows[i].group_1_ns;
		f.input.lost = rows[i].lost;
		f.tally[tally_unseen(&f.plan->shape)] = rows[i].unseen_ns;
		if (rows[i].want_state == FIGURE_NOT_COUNTED)
			f.tally[SAMPLE_CACHE_MISSES] = 0;
		struct figure got = evaluate(&f, rows[i].expression);

		if (got.state != rows[i].want_state ||
		    fabs(got.value - rows[i].want) > 1e-9 * rows[i].want ||
		    fabs((double)got.share - rows[i].want_share) > 1e-6)
			fail_msg("%s: %g (%s, share %g), not %g", rows[i].name, got.value,
				 figure_state_name(got.state), (double)got.share, rows[i].want);
		fixture_fini(&f);
	}
}

static void refuses(void **state)
{
	static const struct {
		const char *name, *expression;
		int code;
		const char *message; /* a part of it */
	} rows[] = {
		{"nothing", "", -EINVAL,
		 "position 1: expected a number, an event or '(', found the end"},
		{"only blanks", "   ", -EINVAL, "position 4: expected a number"},
		{"no right side", "1 +", -EINVAL, "position 4: expected a number"},
		{"no operator", "1 2", -EINVAL,
		 "position 3: expected an operator or the end, found '2'"},
		{"not closed", "(1", -EINVAL,
		 "position 3: expected an operator or ')', found the end"},
		{"closed too often", "1)", -EINVAL, "position 2: expected an operator or the end"},
		{"empty parentheses", "()", -EINVAL, "position 2: expected a number"},
		{"two comparisons", "1 < 2 < 3", -EINVAL,
		 "position 7: expected an operator or the end"},
		{"assignment", "1 = 2", -EINVAL, "position 3: expected an operator"},
		{"one argument", "min(1)", -EINVAL, "position 6: expected ','"},
		{"three arguments", "min(1, 2, 3)", -EINVAL, "position 9: expected ')'"},
		{"if with two", "if(1, 2)", -EINVAL, "position 8: expected ','"},
		{"unknown function", "sqrt(2)", -EINVAL, "position 1: there is no such function"},
		{"percentile of no histogram", "percentile(cycles, 50)", -EINVAL,
		 "position 1: percentile(event, p) needs"},
		{"percentile of a number", "percentile(2, 50)", -EINVAL,
		 "position 1: percentile(event, p) needs"},
		{"percentile of a sum", "percentile(cycles + 1, 50)", -EINVAL,
		 "position 19: expected ','"},
		{"percentile without a number", "percentile(cycles)", -EINVAL,
		 "position 18: expected ','"},
		{"percentile by an event", "percentile(cycles, cycles)", -EINVAL,
		 "position 20: expected a number"},
		{"percentile of three", "percentile(cycles, 1, 2)", -EINVAL,
		 "position 21: expected ')'"},
		{"samples of a counted event", "samples(cycles)", -EINVAL,
		 "position 1: samples(event), error(event) and share(event) need an event of a "
		 "recorded profile"},
		{"error of a counted event", "1 + error(cycles)", -EINVAL, "position 5: samples("},
		{"share of a number", "share(2)", -EINVAL, "position 1: samples("},
		{"share of nothing", "share()", -EINVAL, "position 7: expected a number"},
		{"share of a sum", "share(cycles + 1)", -EINVAL, "position 14: expected ')'"},
		{"share of two", "share(cycles, cycles)", -EINVAL, "position 13: expected ')'"},
		{"share without an end", "share(cycles", -EINVAL, "position 13: expected ')'"},
		{"number and letters", "2x", -EINVAL, "position 2: expected an operator after"},
		{"exponent without digits", "1e+", -EINVAL, "position 2: expected digits"},
		{"a huge number", "1e999", -EINVAL, "position 1: this number is too large"},
		{"quote not closed", "1 + 'cycles", -EINVAL,
		 "position 5: this quote is not closed"},
		{"empty quotes", "''", -EINVAL, "position 1: expected the name of an event"},
		{"unknown event", "1 + nonsense-event", -ENOENT, "position 5: "},
		{"dollar", "$", -EINVAL,
		 "position 1: expected a number, an event or '(', found '$'"},
		{"control character", "1 \x1b[2J", -EINVAL, "found '\xef\xbf\xbd'"},
		{"half a character", "1 \xc3", -EINVAL, "found '\xef\xbf\xbd'"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct metric_def def = {.name = "mine",
					 .forms = {{.expression = rows[i].expression}}};
		struct event_set events;
		struct metric metric;
		struct error err = {0};

		sample_events(&events);
		int code = metric_compile(&def, 0, &events, &metric, &err);
		if (code != rows[i].code || err.code != code ||
		    strncmp(err.text, "Metric mine, ", 13) != 0 ||
		    !strstr(err.text, rows[i].message))
			fail_msg("%s: %d, \"%s\"", rows[i].name, code, err.text);
		assert_null(metric.ops);
		event_set_fini(&events);
	}
}

/* A tracepoint that this machine does not have is no matter of the text. */
/* 16 samples of 'cycles' of 100000 each, which are 1/4 of all, and two of 'faults', unequal. */
static void test_reads_profile(void **state)
{
	static const struct {
		const char *expression;
		enum figure_state state;
		double value;
		float share;
		bool alone; /* totals are unknown */
	} rows[] = {
		{"cycles", FIGURE_SCALED, 1600000, 0.75f, false},
		{"samples(cycles)", FIGURE_VALID, 16, 0, false},
		{"error(cycles)", FIGURE_VALID, 25, 0, false},
		{"share(cycles)", FIGURE_SCALED, 25, 0.75f, false},
		{"share(cycles)", FIGURE_UNDEFINED, 0, 0, true},
		{"cycles", FIGURE_SCALED, 1600000, 0.75f, true},
		{"cycles / samples(cycles)", FIGURE_SCALED, 100000, 0.75f, false},
		{"'cycles'", FIGURE_SCALED, 1600000, 0.75f, false},
		{"samples('cycles') + 1", FIGURE_VALID, 17, 0, false},
		{"faults", FIGURE_SCALED, 0.5 * 4096, 0.209430585f, false},
		{"error(faults)", FIGURE_VALID, 79.0569415, 0, false},
		{"share(faults)", FIGURE_SCALED, 100, 0.209430585f, false},
		{"misses", FIGURE_NOT_COUNTED, 0, 0, false},
		{"samples(misses)", FIGURE_VALID, 0, 0, false},
		{"error(misses)", FIGURE_NOT_COUNTED, 0, 0, false},
		{"share(misses)", FIGURE_NOT_COUNTED, 0, 0, false},
		{"cycles / misses", FIGURE_NOT_COUNTED, 0, 0, false},
	};
	static const char *const names[] = {"cycles", "faults", "misses"};
	struct fixture f = {0};

	(void)state;
	event_set_init(&f.events, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct event_set *set = &f.events;

		set->items =
			array_reserve(set->items, &set->capacity, set->n + 1, sizeof(*set->items));
		set->items[set->n++] = (struct event){.name = xstrdup(names[i]),
						      .scale = i == 1 ? 0.5 : 1,
						      .kind = EVENT_SAMPLED,
						      .state = FIGURE_VALID};
	}
	f.plan = sampled_event_plan(&f.events);
	const struct tally_shape *shape = &f.plan->shape;
	uint64_t *tally = xcalloc(tally_width(shape), sizeof(*tally));
	uint64_t *totals = xcalloc(tally_width(shape), sizeof(*totals));
	for (size_t i = 0; i < 16; i++)
		sampled_event_add(f.plan, tally, TALLY_FIRST_COUNTED, 100000);
	sampled_event_add(f.plan, tally, TALLY_FIRST_COUNTED + 1, 1024);
	sampled_event_add(f.plan, tally, TALLY_FIRST_COUNTED + 1, 3072);
	tally_add(shape, totals, tally);
	sampled_event_add(f.plan, totals, TALLY_FIRST_COUNTED, 4800000);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		f.input = (struct metric_input){.events = &f.events,
						.plan = f.plan,
						.tally = tally,
						.totals = rows[i].alone ? NULL : totals};
		struct figure figure = evaluate(&f, rows[i].expression);
		if (figure.state != rows[i].state || fabs(figure.value - rows[i].value) > 1e-6 ||
		    (figure.state == FIGURE_SCALED && fabsf(figure.share - rows[i].share) > 1e-6f))
			fail_msg("%s: %f, state %d, share %f", rows[i].expression, figure.value,
				 figure.state, (double)figure.share);
	}
	free(totals);
	free(tally);
	fixture_fini(&f);
}

static void test_refuses_nested_percentile(void **state)
{
	struct error err = {0};

	(void)state;
	assert_int_equal(metric_check("mine", "percentile(wakeups, 50)", &err), 0);
	assert_int_equal(metric_check("mine", "percentile(percentile(wakeups, 50), 50)", &err),
			 -EINVAL);
	assert_string_equal(err.text, "Metric mine, position 1: percentile(event, p) needs "
				      "'wakeups' and a number up to 100");
}

/* `count` times `unit`, between two texts. */
static char *repeated(const char *before, const char *unit, size_t count, const char *after)
{
	size_t size = strlen(before) + count * strlen(unit) + strlen(after) + 1;
	char *text = xcalloc(1, size), *end = stpcpy(text, before);

	while (count-- > 0)
		end = stpcpy(end, unit);
	strcpy(end, after);
	return text;
}

static void limits(void **state)
{
	static const struct {
		const char *name, *before, *unit;
		size_t count;
		const char *after;
		int code;
		const char *message;
	} rows[] = {
		{"32 KiB", "1", " ", 32767, "", 0, ""},
		{"a byte more", "1", " ", 32768, "", -E2BIG, "longer than 32768 bytes"},
		{"far too long", "", "1+", 100000, "1", -E2BIG, "longer than 32768 bytes"},
		{"a long sum needs no depth", "1", "+1", 2000, "", 0, ""},
		{"open parentheses", "", "(", 4000, "", -E2BIG, "nested more than 128 deep"},
		{"open functions", "", "min(", 1000, "", -E2BIG, "nested more than 128 deep"},
		{"many minuses are no nesting", "", "-", 4000, "1", 0, ""},
		{"values wait for operators", "", "1+2*(", 100, "1", -E2BIG, "values are kept"},
		{"conditions wait for the last", "1", " if 1 else 1", 63, "", 0, ""},
		{"too many wait", "1", " if 1 else 1", 64, "", -E2BIG, "values are kept"},
		{"a name of 255 bytes", "'", "n", 255, "'", -ENOENT, "position 1"},
		{"a name of 256 bytes", "'", "n", 256, "'", -E2BIG, "more than 255 bytes"},
		{"a name of 4000 bytes", "", "n", 4000, "", -E2BIG, "more than 255 bytes"},
	};
	struct fixture f;

	(void)state;
	fixture_init(&f, &steady);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *text = repeated(rows[i].before, rows[i].unit, rows[i].count, rows[i].after);
		struct metric_def def = {.name = "m", .forms = {{.expression = text}}};
		struct metric metric;
		struct error err = {0};
		int code = metric_compile(&def, 0, &f.events, &metric, &err);

		if (code != rows[i].code || !strstr(err.text, rows[i].message))
			fail_msg("%s: %d, \"%s\"", rows[i].name, code, err.text);
		if (code == 0)
			assert_true(isfinite(sample_eval(&metric, &f.input, INTERVAL_S).value));
		metric_fini(&metric);
		free(text);
	}
	fixture_fini(&f);
}

/* A depth of 128 is allowed and uses the last slot of the stack. */
static void as_deep_as_allowed(void **state)
{
	struct fixture f;
	char *nested = repeated("", "(", 127, "1"), *closed = repeated(nested, ")", 127, "");
	char *waiting = repeated("", "1+(", 127, "1"), *summed = repeated(waiting, ")", 127, "");

	(void)state;
	fixture_init(&f, &steady);
	assert_true(evaluate(&f, closed).value == 1);
	assert_true(evaluate(&f, summed).value == 128);
	assert_int_equal(
		metric_eval(&(struct metric){0}, NULL, NULL, figure_exact(INTERVAL_S)).state,
		FIGURE_UNSUPPORTED);
	free(nested);
	free(closed);
	free(waiting);
	free(summed);
	fixture_fini(&f);
}

/* Any input is an error with a text, or a program that stays in its stack and is finite. */
static void garbage(void **state)
{
	static const char *const pieces[] = {
		"1",
		"2.5",
		"1e9",
		"cycles",
		"instructions",
		"cache-misses",
		"(",
		")",
		"(",
		")",
		"+",
		"-",
		"*",
		"/",
		"<",
		">=",
		"!=",
		",",
		"min(",
		"max(",
		"if(",
		" ",
		"'",
		"interval_s",
		"\xff",
		"e",
		"cpu_time_s",
		"0",
		".",
		"'cycles'",
		"-",
		" ",
	};
	struct fixture f;
	uint32_t random = 12345;
	unsigned compiled = 0, refused = 0;

	(void)state;
	fixture_init(&f, &steady);
	for (unsigned round = 0; round < 100000; round++) {
		char text[128] = "";
		struct metric_def def = {.name = "m", .forms = {{.expression = text}}};
		struct metric metric;
		struct error err = {0};

		random = random * 1664525 + 1013904223;
		for (unsigned n = random >> 28; n > 0 && strlen(text) < 100; n--) {
			random = random * 1664525 + 1013904223;
			strcat(text, pieces[random >> 27]);
		}
		if (metric_compile(&def, 0, &f.events, &metric, &err) < 0) {
			refused++;
			if (err.text[0] == '\0')
				fail_msg("no message for %s", text);
			continue;
		}
		compiled++;
		assert_in_range(metric.depth, 1, 64);
		if (!isfinite(sample_eval(&metric, &f.input, INTERVAL_S).value))
			fail_msg("not finite: %s", text);
		metric_fini(&metric);
	}
	/* The generator makes both valid and invalid formulas. */
	assert_in_range(compiled, 1000, 99000);
	assert_in_range(refused, 1000, 99000);
	fixture_fini(&f);
}

static void levels(void **state)
{
	static const struct {
		const char *name, *metric;
		struct figure figure;
		enum metric_level want;
	} rows[] = {
		{"IPC, fine", "ipc", {1.2, 1, FIGURE_VALID}, METRIC_PLAIN},
		{"IPC, at the threshold", "ipc", {1.0, 1, FIGURE_VALID}, METRIC_PLAIN},
		{"IPC, low", "ipc", {0.9, 1, FIGURE_VALID}, METRIC_WARN},
		{"IPC, very low", "ipc", {0.4, 1, FIGURE_VALID}, METRIC_BAD},
		{"IPC, at the second threshold", "ipc", {0.5, 1, FIGURE_VALID}, METRIC_WARN},
		{"IPC, very low but not known", "ipc", {0, 0, FIGURE_UNSUPPORTED}, METRIC_PLAIN},
		{"IPC, scaled", "ipc", {0.4, 0.5f, FIGURE_SCALED}, METRIC_BAD},
		{"misses, none", "cache_mpki", {0, 1, FIGURE_VALID}, METRIC_PLAIN},
		{"misses, some", "cache_mpki", {2, 1, FIGURE_VALID}, METRIC_WARN},
		{"misses, many", "cache_mpki", {11, 1, FIGURE_VALID}, METRIC_BAD},
		{"a neutral one", "ghz", {1e9, 1, FIGURE_VALID}, METRIC_PLAIN},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (metric_level(metric_def_find(rows[i].metric), rows[i].figure) != rows[i].want)
			fail_msg("%s", rows[i].name);
}

static void check_forms(const struct metric_def *def)
{
	size_t n = 0;

	for (; n < METRIC_FORMS_MAX && def->forms[n].expression; n++) {
		const struct metric_form *form = &def->forms[n];
		struct error err = {0};

		if (metric_check(def->name, form->expression, &err) < 0)
			fail_msg("%s", err.text);
		assert_in_range(strlen(form->title ? form->title : def->title), 1, 8);
		/* A form for all CPUs is the last resort. */
		assert_true(form->where || form->all_levels || n + 1 == METRIC_FORMS_MAX ||
			    !def->forms[n + 1].expression);
	}
	assert_true(n > 0);
}

/* The tables are data: these are the properties that other code relies on. */
static void tables(void **state)
{
	(void)state;
	for (size_t i = 0; i < metric_table_n; i++) {
		const struct metric_def *def = &metric_table[i];

		check_forms(def);
		assert_ptr_equal(metric_def_find(def->name), def); /* and so the names differ */
		if (def->format != METRIC_FORMAT_LETTER) {
			assert_in_range(def->width, 4, 8);
			assert_in_range(def->decimals, 0, def->width - 2);
		}
		assert_true(def->help[0] != '\0');
		assert_true(def->group[0] != '\0');
		if (def->better == METRIC_HIGHER)
			assert_true(def->bad < def->warn);
		if (def->better == METRIC_LOWER)
			assert_true(def->bad > def->warn);
	}
	assert_null(metric_def_find("nonsense"));
	for (size_t i = 0; i < preset_table_n; i++) {
		assert_ptr_equal(preset_find(preset_table[i].name), &preset_table[i]);
		for (const char *const *name = preset_table[i].metrics; *name; name++)
			if (!metric_def_find(*name))
				fail_msg("preset %s: no metric %s", preset_table[i].name, *name);
	}
	assert_null(preset_find("nonsense"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(computes),
		cmocka_unit_test(built_in_values),
		cmocka_unit_test(states),
		cmocka_unit_test(doubts),
		cmocka_unit_test(scaling),
		cmocka_unit_test(refuses),
		cmocka_unit_test(test_reads_profile),
		cmocka_unit_test(test_refuses_nested_percentile),
		cmocka_unit_test(limits),
		cmocka_unit_test(as_deep_as_allowed),
		cmocka_unit_test(garbage),
		cmocka_unit_test(levels),
		cmocka_unit_test(tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
