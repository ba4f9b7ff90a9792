// SPDX-License-Identifier: MIT
/* What vendors' and perf's formulas have: conditions, d_ratio, constants, names of metrics. */
#include "tests/unit/shared/machine.h"
#include "tests/unit/shared/sample.h"

#include "core/base/figure_mark.h"
#include "core/metric/metric.h"
#include "core/metric/metric_internal.h"
#include "core/metric/metric_user.h"
#include "core/sys/cpu_facts.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define INTERVAL_S 2.0

/* 100 cycles and 200 instructions of a task that ran for a second. */
struct fixture {
	struct event_context context;
	struct event_set events;
	struct plan *plan;
	uint64_t tally[SAMPLE_WIDTH];
	struct metric_input input;
};

static void fixture_init(struct fixture *f)
{
	static const struct sample_row row = {
		.counts = {[TALLY_TASK_CLOCK] = NS_PER_S,
			   [SAMPLE_CYCLES] = 100,
			   [SAMPLE_INSTRUCTIONS] = 200},
	};

	*f = (struct fixture){.plan = sample_plan()};
	sample_events(&f->events);
	f->events.context = &f->context;
	sample_tally(&row, f->tally);
	f->input = (struct metric_input){.events = &f->events, .plan = f->plan, .tally = f->tally};
}

static void fixture_fini(struct fixture *f)
{
	event_set_fini(&f->events);
	plan_unref(f->plan);
}

static int compile(struct fixture *f, const char *expression, struct metric *metric,
		   struct error *err)
{
	struct metric_def def = {.name = "mine", .forms = {{.expression = expression}}};

	*err = (struct error){0};
	int ret = metric_compile(&def, 0, &f->events, metric, err);
	if (ret < 0) {
		assert_null(metric->ops);
		assert_int_equal(err->code, ret);
	}
	return ret;
}

static struct figure evaluate(struct fixture *f, const char *expression)
{
	struct metric metric;
	struct error err;

	if (compile(f, expression, &metric, &err) < 0)
		fail_msg("%s: %s", expression, err.text);
	struct figure figure = sample_eval(&metric, &f->input, INTERVAL_S);
	metric_fini(&metric);
	return figure;
}

/* The values are what Python computes. */
static void computes_as_python(void **state)
{
	static const struct {
		const char *expression;
		double want;
	} rows[] = {
		{"100 if 7 <= 2 else 7 * ( 7 != 100 ) * ( 1 - 10 == 7 - 0 )", 0.0},
		{"max( 0.5 - 1 if 0 - 4 > 1 * 0.5 else 0.5 - 7 , 7 * 7 / ( 1 ) )", 49.0},
		{"( 7 if 1 < 2 else 1 )", 7.0},
		{"10 * 0.5 if 3 + 10 != 100 - 7 else ( 4 )", 5.0},
		{"( ( 0.5 ) ) + 7 / 0.5 if 2 - 100 < 1 * 4 else ( 10 )", 14.5},
		{"( ( 100 if 10 < 10 else 0.5 ) )", 0.5},
		{"( 0.5 * 4 <= 2 * 0.5 ) / ( 0.5 if 7 < 0 else 3 )", 0.0},
		{"7 if 3 >= 1 else 0.5 * 100 * 0 + ( 4 ) if 0.5 - 7 > 0.5 + 0.5 else ( 100 )", 7.0},
		{"2 * 1 - ( 2 ) - max( 0.5 , 3 ) if 0 + 0 < 2 - 2 else ( 4 )", 4.0},
		{"0 if 100 != 10 else 4 * 0 * 2", 0.0},
		{"( 0 ) * ( 3 == 100 ) + 10 * 0.5 if 1 + 0 != 0.5 + 7 else 0.5 if 4 == 0 else 4",
		 5.0},
		{"min( 0 , 4 ) + 7 if 0.5 == 1 else 10", 10.0},
		{"( 4 * 2 != 7 + 100 ) + 3 if 2 == 7 else 4 * ( 0.5 )", 2.0},
		{"max( 7 , 1 ) if 100 * 3 >= 0 * 7 else 10 if 0 <= 0.5 else 0", 7.0},
		{"min( 2 - 1 , 3 - 0 ) if 1 + 3 <= 10 - 100 else max( 10 , 0.5 ) + 0.5 - 4", 6.5},
		{"1 * 10 if 2 * 0 <= 1 + 10 else max( 4 , 0.5 )", 10.0},
		{"( 10 / 10 ) if 2 * 0.5 < 2 * 0.5 else 4 + 4 * ( 3 )", 16.0},
		{"( 0 != 7 ) if 3 + 7 >= 7 + 3 else max( 4 , 3 )", 1.0},
		{"( 0.5 ) if 0 * 0 != 0.5 * 4 else ( 4 <= 0.5 ) - ( ( 2 < 100 ) )", 0.5},
		{"( 100 if 10 >= 0.5 else 7 ) if 100 - 1 >= 100 + 3 else ( 0.5 - 7 >= 10 + 7 )",
		 0.0},
		{"( 0 if 10 == 0 else 0 )", 0.0},
		{"2 / 10 if 100 - 0.5 > 0 - 1 else ( 3 )", 0.2},
		{"( 2 ) if 0 - 0 == 2 + 10 else 10 if 7 < 2 else 100 - ( 0.5 == 10 ) - 2 + 10",
		 108.0},
		{"( 0.5 > 2 ) if 7 + 10 >= 4 - 4 else 10 + 10", 0.0},
		{"( 0 - 0 if 7 - 3 >= 3 * 3 else ( 1 < 100 ) )", 1.0},
		{"( 2 - 3 <= 3 + 100 ) - ( 4 + 0 )", -3.0},
		{"( ( 10 >= 3 ) - 0.5 + 4 )", 4.5},
		{"2 * 3 + 0.5 / 10 + ( 1 > 3 ) * min( 0 , 2 )", 6.05},
		{"100 if 1 == 7 else 100 + ( 3 ) - ( 100 - 2 )", 5.0},
		{"max( 100 , 0.5 ) * ( 1 < 10 )", 100.0},
		{"max( 4 if 3 <= 4 else 3 if 100 * 2 <= 0.5 + 3 else 0.5 + 4 , 1 - 2 / ( 100 ) )",
		 4.0},
		{"( 0.5 * 100 == 3 + 0 )", 0.0},
		{"( 0 if 7 <= 100 else 7 )", 0.0},
		{"max( ( max( 100 , 0 ) ) , min( 4 + 2 , max( 3 , 7 ) ) )", 100.0},
		{"max( ( 0.5 - 7 ) , ( 4 ) - 4 * 0.5 )", 2.0},
		{"( ( 4 + 7 <= 2 - 4 ) )", 0.0},
		{"0.5 * 7 / ( 1 ) - ( 4 > 7 ) + 2 if 4 < 3 else 1", 1.0},
		{"min( ( 0 >= 3 ) , 1 - 100 ) + 7 / 2 if 7 + 1 == 0.5 + 1 else ( 3 < 4 )", 1.0},
		{"2 - 100 + 0 if 3 > 3 else 7 if 3 - 3 != 10 * 4 else max( 2 , 100 ) + 7 + 0", 7.0},
		{"( 3 == 0 ) - 0.5 / 1", -0.5},
	};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct figure got = evaluate(&f, rows[i].expression);
		if (got.state != FIGURE_VALID || fabs(got.value - rows[i].want) > 1e-9)
			fail_msg("%s is %g, not %g", rows[i].expression, got.value, rows[i].want);
	}
	fixture_fini(&f);
}

static void computes(void **state)
{
	static const struct {
		const char *expression;
		double want;
	} rows[] = {
		{"10 if 1 else 20", 10},
		{"10 if 0 else 20", 20},
		{"10 if 0.5 else 20", 10},
		{"1 + 2 if 0 else 3 * 4", 12},
		{"1 if 2 > 3 else 4", 4},
		{"1 if 0 else 2 if 0 else 3", 3},
		{"1 if 0 else 2 if 1 else 3", 2},
		{"1 if 1 else 2 if 1 else 3", 1},
		{"(1 if 1 else 2) if 0 else 3", 3},
		{"1 if (0 if 1 else 1) else 3", 3},
		{"(1)if(0)else(3)", 3},
		{"1\nif\t1\nelse 2", 1},
		{"if(1, 10, 20) if 1 else 30", 10},
		{"1 if if(0, 1, 0) else 2", 2},
		{"min(1 if 0 else 5, 4)", 4},
		{"100 * (cycles / 2 if 1 else instructions)", 5000},
		{"10 if 1 else 1 / 0", 10},
		{"1 / 0 if 0 else 10", 10},
		{"1 if 1 > 0 & 2 > 3 else 7", 7},
		{"3 & 4", 1},
		{"3 & 0", 0},
		{"0 | 5", 1},
		{"0 | 0", 0},
		{"( 6 > 5 ) & ( 11 > 10 )", 1},
		{"( 6 > 5 ) & ( 9 > 10 )", 0},
		{"6 > 5 & 11 > 10", 1},
		{"6 > 5 & 9 > 10", 0},
		{"0 > 1 | 3 > 2", 1},
		{"0 > 1 | 1 > 2", 0},
		{"1 | 0 & 0", 1},
		{"(1 | 0) & 0", 0},
		{"1 & 1 & 0", 0},
		{"2 + 1 & 1", 1},
		{"-1 & 1", 1},
		{"d_ratio(6, 4)", 1.5},
		{"d_ratio(6, 0)", 0},
		{"d_ratio(0, 0)", 0},
		{"d_ratio(instructions, cycles)", 2},
		{"duration_time", 2},
		{"DURATIONTIMEINSECONDS", 2},
		{"DURATIONTIMEINMILLISECONDS", 2000},
		{"durationtimeinmilliseconds / 1000", 2},
		{"1 - DurationTimeInSeconds", -1},
		{"#core_wide", 0},
		{"1 if #core_wide else 2", 2},
	};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct figure got = evaluate(&f, rows[i].expression);
		if (got.state != FIGURE_VALID || fabs(got.value - rows[i].want) > 1e-9)
			fail_msg("%s is %g (%s), not %g", rows[i].expression, got.value,
				 figure_state_name(got.state), rows[i].want);
	}
	fixture_fini(&f);
}

/* cycles and instructions have these states; a value of 0 is one that is not checked. */
static void states(void **state)
{
	static const struct {
		const char *expression;
		enum figure_state cycles, instructions, want;
	} rows[] = {
		{"1 if cycles else 2", FIGURE_DENIED, FIGURE_VALID, FIGURE_DENIED},
		{"1 if cycles else 2", FIGURE_NOT_COUNTED, FIGURE_VALID, FIGURE_NOT_COUNTED},
		{"cycles if 1 else instructions", FIGURE_VALID, FIGURE_DENIED, FIGURE_VALID},
		{"cycles if 0 else instructions", FIGURE_VALID, FIGURE_DENIED, FIGURE_DENIED},
		{"if(1 > 2, cycles, instructions)", FIGURE_DENIED, FIGURE_VALID, FIGURE_VALID},
		{"cycles if cycles else instructions", FIGURE_UNSUPPORTED, FIGURE_DENIED,
		 FIGURE_UNSUPPORTED},
		{"1 if 1 else 2 if cycles else 3", FIGURE_DENIED, FIGURE_VALID, FIGURE_VALID},
		{"cycles & 0", FIGURE_NOT_COUNTED, FIGURE_VALID, FIGURE_VALID},
		{"cycles & 1", FIGURE_NOT_COUNTED, FIGURE_VALID, FIGURE_NOT_COUNTED},
		{"1 | cycles", FIGURE_DENIED, FIGURE_VALID, FIGURE_VALID},
		{"0 | cycles", FIGURE_DENIED, FIGURE_VALID, FIGURE_DENIED},
		{"0 * cycles", FIGURE_DENIED, FIGURE_VALID, FIGURE_VALID},
		{"0 / cycles", FIGURE_DENIED, FIGURE_VALID, FIGURE_DENIED},
		{"cycles | instructions", FIGURE_DENIED, FIGURE_UNSUPPORTED, FIGURE_DENIED},
		{"d_ratio(cycles, 0)", FIGURE_DENIED, FIGURE_VALID, FIGURE_VALID},
		{"d_ratio(1, cycles)", FIGURE_UNSUPPORTED, FIGURE_VALID, FIGURE_UNSUPPORTED},
		{"d_ratio(1, instructions / 0)", FIGURE_VALID, FIGURE_VALID, FIGURE_UNDEFINED},
		{"1 if 1 / 0 else 2", FIGURE_VALID, FIGURE_VALID, FIGURE_UNDEFINED},
		{"1 / 0 & 1", FIGURE_VALID, FIGURE_VALID, FIGURE_UNDEFINED},
		{"ipc", FIGURE_VALID, FIGURE_DENIED, FIGURE_DENIED},
		{"ipc if 0 else 1", FIGURE_VALID, FIGURE_DENIED, FIGURE_VALID},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fixture f;

		fixture_init(&f);
		f.events.items[SAMPLE_CYCLES].state = rows[i].cycles;
		f.events.items[SAMPLE_INSTRUCTIONS].state = rows[i].instructions;
		struct figure got = evaluate(&f, rows[i].expression);
		if (got.state != rows[i].want)
			fail_msg("%s: %s, not %s", rows[i].expression, figure_state_name(got.state),
				 figure_state_name(rows[i].want));
		fixture_fini(&f);
	}
}

/* A part that was counted for a part of the time marks what is computed of it. */
static void shares(void **state)
{
	static const char *const expressions[] = {
		"page-faults if 1 else cycles",
		"1 if page-faults else 2",
		"page-faults & 1",
		"0 | page-faults",
		"d_ratio(1, page-faults)",
		"d_ratio(page-faults, 2)",
		"min(page-faults, 0)",
	};
	static const struct sample_row row = {
		.counts = {[TALLY_TASK_CLOCK] = NS_PER_S,
			   [SAMPLE_CYCLES] = 100,
			   [SAMPLE_PAGE_FAULTS] = 10},
		.shared = true,
		.group_1_ns = NS_PER_S / 4,
	};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	sample_tally(&row, f.tally);
	for (size_t i = 0; i < ARRAY_SIZE(expressions); i++) {
		struct figure got = evaluate(&f, expressions[i]);
		if (got.state != FIGURE_SCALED || fabsf(got.share - 0.25f) > 1e-6f)
			fail_msg("%s: %s, share %f", expressions[i], figure_state_name(got.state),
				 (double)got.share);
	}
	assert_int_equal(evaluate(&f, "cycles if 1 else page-faults").state, FIGURE_VALID);
	fixture_fini(&f);
}

static void refuses(void **state)
{
	static const struct {
		const char *expression;
		int code;
		const char *message;
	} rows[] = {
		{"1 if 2", -EINVAL, "position 7: expected 'else', found the end"},
		{"1 if 2 3", -EINVAL, "position 8: expected 'else', found '3'"},
		{"1 if else 2", -EINVAL, "position 11: expected 'else', found '2'"},
		{"1 else 2", -EINVAL, "position 3: expected an operator or the end"},
		{"1 if 2 elsewhere 3", -EINVAL, "position 8: expected 'else'"},
		{"1 iffy 2 else 3", -EINVAL, "position 3: expected an operator or the end"},
		{"1 if 2 else", -EINVAL, "position 12: expected a number"},
		{"1 && 2", -EINVAL, "position 4: expected a number"},
		{"1 || 2", -EINVAL, "position 4: expected a number"},
		{"1 &", -EINVAL, "position 4: expected a number"},
		{"1 < 2 < 3", -EINVAL, "position 7: expected an operator"},
		{"1 ^ 1", -EINVAL, "position 3: '^' is a bitwise operator elsewhere. Compare"},
		{"d_ratio(1)", -EINVAL, "position 10: expected ','"},
		{"d_ratio(1, 2, 3)", -EINVAL, "position 13: expected ')'"},
		{"min(1)", -EINVAL, "position 6: expected ','"},
		{"max(1, 2, 3)", -EINVAL, "position 9: expected ')'"},
		{"1 + #has_pmem", -EINVAL, "position 5: '#has_pmem' is not known: #smt_on, "},
		{"#", -EINVAL, "position 1: '#' is not known"},
		{"#SMT_ON", -EINVAL, "position 1: '#SMT_ON' is not known"},
		{"has_event(cycles)", -EINVAL, "position 1: there is no such function"},
		{"4Kc", -EINVAL, "position 2: expected an operator after the number, found 'K'"},
		{"4_", -EINVAL, "position 2: expected an operator after the number, found '_'"},
		{"4.5K", -EINVAL, "position 4: expected an operator after the number"},
		{"4e_x", -EINVAL, "position 2: expected digits after the exponent's e"},
		{"ipcs", -ENOENT, "position 1: "},
		{"'ipc'", -ENOENT, "position 1: "},
	};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct metric metric;
		struct error err;
		int code = compile(&f, rows[i].expression, &metric, &err);
		if (code != rows[i].code || !strstr(err.text, rows[i].message))
			fail_msg("%s: %d, \"%s\"", rows[i].expression, code, err.text);
	}
	fixture_fini(&f);
}

#define DEF(title, text)                                             \
	{                                                            \
		.name = (title), .forms = { {.expression = (text)} } \
	}

static void names_metrics(void **state)
{
	static const struct metric_def defs[] = {
		DEF("two", "2"),
		DEF("four", "two * two"),
		DEF("4K_Aliasing", "four * 1024"),
		DEF("tma_top", "1 if 4K_Aliasing > 4000 else 0"),
		DEF("cycles", "1 / 0"),
		DEF("sum", "two + four + two + four"),
		{.name = "forms", .forms = {{.expression = "nonsense"}, {.expression = "two"}}},
		{.name = "half",
		 .forms = {{.expression = "two + sum + nonsense"}, {.expression = "two - 1"}}},
	};
	static const struct metric_names names = {defs, ARRAY_SIZE(defs)};
	static const struct {
		const char *expression;
		double want;
	} rows[] = {
		{"two", 2},
		{"10 - two - two", 6},
		{"four", 4},
		{"1 + four * two", 9},
		{"4K_Aliasing", 4096},
		{"4K_Aliasing / 4", 1024},
		{"( 4K_Aliasing > 20 ) & ( two > 1 )", 1},
		{"tma_top", 1},
		{"sum + sum", 24},
		{"cycles", 100}, /* the event */
		{"forms", 2},
		{"half + two + sum", 15},
		{"ipc", 2},
		{"ipc / ipc + two", 3},
		{"ipc * cycles - instructions", 0},
		{"context-switches + two", 2},
	};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	f.context.metrics = &names;
	size_t n = f.events.n;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct figure got = evaluate(&f, rows[i].expression);
		if (got.state != FIGURE_VALID || fabs(got.value - rows[i].want) > 1e-9)
			fail_msg("%s is %g (%s), not %g", rows[i].expression, got.value,
				 figure_state_name(got.state), rows[i].want);
		assert_int_equal(f.events.n, n);
	}
	fixture_fini(&f);
}

/* The events of a form that is not used are not counted. */
static void forgets_events_of_other_forms(void **state)
{
	static const struct metric_def defs[] = {
		{.name = "forms",
		 .forms = {{.expression = "cpu-clock + nonsense"}, {.expression = "major-faults"}}},
		{.name = "user",
		 .forms = {{.expression = "minor-faults", .all_levels = true},
			   {.expression = "alignment-faults"}}},
	};
	static const struct metric_names names = {defs, ARRAY_SIZE(defs)};
	struct fixture f;
	struct metric metric;
	struct error err;

	(void)state;
	fixture_init(&f);
	f.context.metrics = &names;
	f.context.levels = EVENT_LEVELS_USER;
	size_t n = f.events.n;
	assert_int_equal(compile(&f, "forms + user", &metric, &err), 0);
	assert_int_equal(f.events.n, n + 2);
	assert_string_equal(f.events.items[n].name, "major-faults");
	assert_string_equal(f.events.items[n + 1].name, "alignment-faults");
	metric_fini(&metric);
	fixture_fini(&f);
}

/* Expressions, the events that are counted for them, and their values. */
static const struct constant_case {
	const char *expression, *events;
	double want;
} constant_cases[] = {
	{"cpu-clock if 1 else major-faults", "cpu-clock", 0},
	{"cpu-clock if 0 else major-faults", "major-faults", 0},
	{"cpu-clock if major-faults else 2", "cpu-clock major-faults", 2},
	{"if(2 > 1, cpu-clock, major-faults)", "cpu-clock", 0},
	{"if(2 < 1, cpu-clock, major-faults) + 1", "major-faults", 1},
	{"cpu-clock if #core_wide else major-faults if 1 else minor-faults", "major-faults", 0},
	{"cpu-clock if 0 else major-faults if #core_wide else minor-faults", "minor-faults", 0},
	{"(cpu-clock + 1 if 1 else major-faults) / (2 if 1 else minor-faults)", "cpu-clock", 0.5},
	{"cpu-clock if (1 if 0 else 0) | 0 else 7", "", 7},
	{"cpu-clock if two - 1 else major-faults", "cpu-clock", 0},
	{"cpu-clock if -1 else major-faults", "cpu-clock", 0},
	{"cpu-clock if 1 / 0 else major-faults", "cpu-clock major-faults", (double)NAN},
	{"cpu-clock if duration_time else major-faults", "cpu-clock major-faults", 0},
	{"5 + 0 * cpu-clock", "", 5},
	{"5 - cpu-clock * (1 - 1)", "", 5},
	{"cpu-clock & 0", "", 0},
	{"3 | cpu-clock", "", 1},
	{"0 | cpu-clock", "cpu-clock", 0},
	{"d_ratio(0, cpu-clock) + d_ratio(cpu-clock, 0)", "", 0},
	{"min(0, cpu-clock) + max(1, major-faults)", "cpu-clock major-faults", 1},
	{"0 / (cpu-clock + 1)", "cpu-clock", 0},
	/* The value of a metric is kept where it is named first. */
	{"kept + 1 if 0 else kept * 2 + cycles", "cpu-clock", 106},
	{"(kept if 0 else 1) + (cycles - kept * kept)", "cpu-clock", 92},
	{"0 * (1 + kept) + cycles / (kept - 2)", "cpu-clock", 100},
	{"0 * deep + (deep + kept if 1 else other)", "cpu-clock", 9},
	{"(kept if 0 else 1) + (kept if 0 else 2)", "", 3},
	{"other if 0 else kept", "cpu-clock", 3},
	{"two * kept - two", "cpu-clock", 4},
	/* What does not exist is needed by no branch that is taken. */
	{"nonsense if 0 else 4", "", 4},
	{"5 if 1 else nonsense + cpu-clock", "", 5},
	{"absent + kept if 0 else kept", "cpu-clock", 3},
	{"0 * (nonsense + 'more nonsense' + nonsense)", "", 0},
	{"percentile(nonsense, 50) if 0 else 1", "", 1},
	{"SYSTEM_TSC_FREQ if 0 else 6", "", 6},
	{"forms", "", 8},
	{"part", "minor-faults", 9},
};

static void counts_what_is_used(void **state)
{
	static const struct metric_def defs[] = {
		DEF("two", "2"),
		DEF("kept", "cpu-clock + 3"),
		DEF("deep", "kept * two"),
		DEF("other", "major-faults"),
		DEF("absent", "1 + nonsense"),
		{.name = "forms", .forms = {{.expression = "nonsense"}, {.expression = "8"}}},
		{.name = "part",
		 .forms = {{.expression = "minor-faults + 9 if 1 else nonsense * SYSTEM_TSC_FREQ"},
			   {.expression = "8"}}},
	};
	static const struct metric_names names = {defs, ARRAY_SIZE(defs)};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(constant_cases); i++) {
		const struct constant_case *this = &constant_cases[i];
		char events[128] = "";
		struct metric metric;
		struct fixture f;
		struct error err;

		fixture_init(&f);
		f.context.metrics = &names;
		size_t n = f.events.n;
		if (compile(&f, this->expression, &metric, &err) < 0)
			fail_msg("%s: %s", this->expression, err.text);
		for (size_t k = n; k < f.events.n; k++)
			snprintf(events + strlen(events), sizeof(events) - strlen(events), "%s%s",
				 k > n ? " " : "", f.events.items[k].name);
		if (strcmp(events, this->events) != 0)
			fail_msg("%s: '%s', not '%s'", this->expression, events, this->events);
		/* The events have no counters here, so they are replaced by a count of 0. */
		for (size_t k = 0; k < metric.n_ops; k++)
			if (metric.ops[k].code == OP_EVENT && metric.ops[k].event >= n)
				metric.ops[k] = (struct metric_op){.code = OP_NUMBER};
		struct figure got = sample_eval(&metric, &f.input, INTERVAL_S);
		if (isnan(this->want)
			    ? got.state != FIGURE_UNDEFINED
			    : got.state != FIGURE_VALID || fabs(got.value - this->want) > 1e-9)
			fail_msg("%s: %g (%s), not %g", this->expression, got.value,
				 figure_state_name(got.state), this->want);
		metric_fini(&metric);
		fixture_fini(&f);
	}
}

/* A recording has the events of the branches that were taken. */
static void compiles_with_recorded_events(void **state)
{
	struct metric metric;
	struct fixture f;
	struct error err;

	(void)state;
	fixture_init(&f);
	f.events.frozen = true;
	assert_int_equal(compile(&f, "cycles if 1 else cpu-clock", &metric, &err), 0);
	metric_fini(&metric);
	assert_int_equal(compile(&f, "cycles if 0 else cpu-clock", &metric, &err), -ENOENT);
	assert_string_equal(err.text, "Metric mine, position 18: 'cpu-clock' was not recorded.");
	fixture_fini(&f);
}

static void refuses_metrics(void **state)
{
	static const struct metric_def defs[] = {
		DEF("self", "1 + self"),
		DEF("a", "b + 1"),
		DEF("b", "2 * c"),
		DEF("c", "a"),
		DEF("wrong", "1 +"),
		DEF("event", "nonsense"),
		DEF("scale", "SYSTEM_TSC_FREQ * 2"),
		{.name = "memory", .forms = {{.expression = "memory_bytes"}}, .machine = true},
		{.name = "none", .forms = {{.expression = "1", .where = 1u << 30}}},
		DEF("mine", "1"),
	};
	static const struct metric_names names = {defs, ARRAY_SIZE(defs)};
	static const struct {
		const char *expression;
		int code;
		const char *message;
	} rows[] = {
		{"self", -ELOOP, "Metric self, position 5: a cycle: self, named by self"},
		{"1 + a", -ELOOP,
		 "Metric c, position 1: a cycle: a, named by c, named by b, named by a"},
		{"mine", -ELOOP, "Metric mine, position 1: a cycle: mine, named by mine"},
		{"wrong", -EINVAL, "Metric wrong, position 4: expected a number"},
		{"event", -ENOENT, "Metric event, position 1: "},
		{"2 * scale", -ENOENT,
		 "Metric mine, position 5: scale: this machine does not have SYSTEM_TSC_FREQ"},
		{"memory / 2", -EINVAL,
		 "Metric mine, position 1: memory is a metric of the whole machine only"},
		{"none", -ENOENT, "Metric mine, position 1: none: this CPU has no events for it"},
		{"percentile(two, 50)", -ENOENT, "position 12: "},
		{"samples(none)", -ENOENT, "position 9: "},
	};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	f.context.metrics = &names;
	size_t n = f.events.n;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct metric metric;
		struct error err;
		int code = compile(&f, rows[i].expression, &metric, &err);
		if (code != rows[i].code || !strstr(err.text, rows[i].message))
			fail_msg("%s: %d, \"%s\"", rows[i].expression, code, err.text);
		assert_int_equal(f.events.n, n);
	}
	fixture_fini(&f);
}

/* m0 is a number, and the others name the one before, twice if they are wide. */
static struct metric_def *make_chain(size_t n, bool wide)
{
	struct metric_def *defs = xcalloc(n, sizeof(*defs));
	char name[16], expression[64];

	for (size_t i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "m%zu", i);
		snprintf(expression, sizeof(expression), wide ? "m%zu + m%zu" : "m%zu", i - 1,
			 i - 1);
		defs[i].name = xstrdup(name);
		defs[i].forms[0].expression = xstrdup(i == 0 ? "1" : expression);
	}
	return defs;
}

static void free_chain(struct metric_def *defs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		metric_def_fini(&defs[i]);
	free(defs);
}

static void bounds_nesting(void **state)
{
	enum { N = 18 };
	struct metric_def *defs = make_chain(N, true);
	const struct metric_names names = {defs, N};
	struct fixture f;
	struct metric metric;
	struct error err;

	(void)state;
	fixture_init(&f);
	f.context.metrics = &names;
	/* Each is computed once, so 2^15 additions are 15. */
	assert_int_equal(compile(&f, "m15", &metric, &err), 0);
	assert_in_range(metric.n_ops, 1, 100);
	assert_true(sample_eval(&metric, &f.input, INTERVAL_S).value == 32768);
	metric_fini(&metric);
	assert_int_equal(compile(&f, "m16", &metric, &err), -E2BIG);
	assert_non_null(strstr(err.text, "metrics that name metrics, more than 16 deep"));
	fixture_fini(&f);
	free_chain(defs, N);
}

/* Values that are not kept are computed again, so the number of the metrics may double each time.
 */
static void bounds_uses(void **state)
{
	enum { N = 14 };
	struct metric_def *defs = make_chain(N, true), *all;
	struct fixture f;
	struct metric metric;
	struct error err;
	char sum[METRIC_KEPT_MAX * 8 + 16] = "", *end = sum;

	(void)state;
	all = xreallocarray(defs, N + METRIC_KEPT_MAX, sizeof(*defs));
	for (size_t i = 0; i < METRIC_KEPT_MAX; i++) {
		struct metric_def *def = &all[N + i];
		char name[16];

		snprintf(name, sizeof(name), "x%zu", i);
		*def = (struct metric_def){.name = xstrdup(name),
					   .forms = {{.expression = xstrdup("1")}}};
		end += sprintf(end, "x%zu + ", i);
	}
	const struct metric_names names = {all, N + METRIC_KEPT_MAX};
	fixture_init(&f);
	f.context.metrics = &names;
	strcpy(end, "m5");
	assert_int_equal(compile(&f, sum, &metric, &err), 0);
	assert_true(sample_eval(&metric, &f.input, INTERVAL_S).value == METRIC_KEPT_MAX + 32);
	metric_fini(&metric);
	strcpy(end, "m13");
	assert_int_equal(compile(&f, sum, &metric, &err), -E2BIG);
	assert_non_null(strstr(err.text, "more than 256 metrics are named"));
	fixture_fini(&f);
	free_chain(all, N + METRIC_KEPT_MAX);
}

/* More metrics than values are kept: the sum of all is right, and too large a one is refused. */
static void bounds_operations(void **state)
{
	enum { N = 200, TERMS = 4000 };
	struct metric_def *defs = xcalloc(N, sizeof(*defs));
	const struct metric_names names = {defs, N};
	char *sum = xcalloc(TERMS, 8), *end = sum, *all = xcalloc(N, 8), *last = all, name[16];
	struct fixture f;
	struct metric metric;
	struct error err;

	(void)state;
	for (size_t i = 0; i < TERMS; i++)
		end = stpcpy(end, i ? "+1" : "1");
	for (size_t i = 0; i < N; i++) {
		snprintf(name, sizeof(name), "m%zu", i);
		defs[i].name = xstrdup(name);
		defs[i].forms[0].expression = xstrdup(i < METRIC_KEPT_MAX ? "1" : sum);
		last += sprintf(last, "%sm%zu", i ? "+" : "", i);
	}
	fixture_init(&f);
	f.context.metrics = &names;
	assert_int_equal(compile(&f, all, &metric, &err), -E2BIG);
	assert_non_null(strstr(err.text, "more than 65536 operations"));
	*strstr(all, "+m132") = '\0';
	assert_int_equal(compile(&f, all, &metric, &err), 0);
	assert_true(sample_eval(&metric, &f.input, INTERVAL_S).value ==
		    METRIC_KEPT_MAX + 4.0 * TERMS);
	metric_fini(&metric);
	fixture_fini(&f);
	free(all);
	free(sum);
	free_chain(defs, N);
}

/* A user's text is shorter, because of the configuration. */
static void bounds_users(void **state)
{
	char *text = xcalloc(1, 5000);
	struct metric_def def;
	struct error err;

	(void)state;
	memset(text, ' ', 4999);
	memcpy(text, "x = 1", 5);
	memcpy(text + 4 + 4096 - 2, "+1", 2);
	text[4 + 4096] = '\0';
	assert_int_equal(metric_def_parse(text, &def, &err), 0);
	metric_def_fini(&def);
	memcpy(text + 4 + 4096 - 2, " +1", 4);
	assert_int_equal(metric_def_parse(text, &def, &err), -E2BIG);
	assert_string_equal(err.text, "Metric x: its expression is longer than 4096 bytes.");
	assert_true(metric_name_is_taken("system_tsc_freq"));
	assert_true(metric_name_is_taken("duration_time"));
	free(text);
}

#define TOPOLOGY(cpu) "/sys/devices/system/cpu/cpu" cpu "/topology/"

/* Two sockets with two cores each, of two threads. */
static void add_topology(struct fk *fk)
{
	char path[96], text[16];

	for (int cpu = 0; cpu < 8; cpu++) {
		snprintf(path, sizeof(path), TOPOLOGY("%d") "core_cpus_list", cpu);
		snprintf(text, sizeof(text), "%d,%d\n", cpu % 4, cpu % 4 + 4);
		fk_file(fk, path, text);
		snprintf(path, sizeof(path), TOPOLOGY("%d") "die_cpus_list", cpu);
		fk_file(fk, path, cpu % 4 < 2 ? "0-1,4-5\n" : "2-3,6-7\n");
		snprintf(path, sizeof(path), TOPOLOGY("%d") "package_cpus_list", cpu);
		fk_file(fk, path, cpu % 4 < 2 ? "0-1,4-5\n" : "2-3,6-7\n");
	}
}

static const struct fk_device chas[] = {
	{.name = "uncore_cha_0", .type = 40},
	{.name = "uncore_cha_1", .type = 41},
	{.name = "uncore_cha_2", .type = 42},
	{.name = "uncore_imc_0", .type = 43},
};
static const struct fk_device *const devices[] = {&chas[0], &chas[1], &chas[2], &chas[3]};

#define INTEL "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nstepping\t: 4\n\n"

/* NAN: unsupported. */
static void check_constants(struct event_context *context, const char *const *names,
			    const double *want, size_t n)
{
	struct fixture f;

	fixture_init(&f);
	f.events.context = context;
	for (size_t i = 0; i < n; i++) {
		struct figure got = evaluate(&f, names[i]);
		if (isnan(want[i]) ? got.state != FIGURE_UNSUPPORTED
				   : got.state != FIGURE_VALID || fabs(got.value - want[i]) > 1e-9)
			fail_msg("%s is %g (%s), not %g", names[i], got.value,
				 figure_state_name(got.state), want[i]);
	}
	fixture_fini(&f);
}

static const char *const constant_names[] = {
	"#smt_on",           "#num_cpus",        "#num_cpus_online", "#num_cores",
	"#num_dies",         "#num_packages",    "#slots",           "#system_tsc_freq",
	"HYPERTHREADING_ON", "THREADS_PER_CORE", "SOCKET_COUNT",     "CORES_PER_SOCKET",
	"CHAS_PER_SOCKET",   "system_tsc_freq",  "slots_per_cycle",  "socket_count",
};
enum { CONSTANTS = ARRAY_SIZE(constant_names) };

static void constants(void **state)
{
	static const struct fk_config config = {
		.cpus = 8,
		.devices = devices,
		.n_devices = ARRAY_SIZE(devices),
		.tsc_mult = 5033164, /* 0.3 ns a tick */
		.tsc_shift = 24,
	};
	const double no = (double)NAN, hz = round(1e9 * (1 << 24) / 5033164);
	const double want[CONSTANTS] = {1, 8, 8, 4, 2, 2, no, hz, 1, 2, 2, 2, 3, hz, no, 2};
	/* The lists of the other CPUs are as before. */
	const double less[CONSTANTS] = {1, 8, 7, 4, 2, 2, no, hz, 1, 2, 2, 2, 3, hz, no, 2};
	const double none[CONSTANTS] = {no, no, no, no, no, no, no, no,
					no, no, no, no, no, no, no, no};
	struct event_context nothing = {0};
	struct machine machine;
	struct cpu_facts facts;

	(void)state;
	machine_of(&machine, fk_new(&config));
	fk_file(machine.fk, "/proc/cpuinfo", INTEL);
	add_topology(machine.fk);
	check_constants(&machine.context, constant_names, want, CONSTANTS);
	/* Facts that were read stay. */
	cpu_facts_init(&facts, &machine.sys, &machine.pmus);
	machine.context.cpu = &facts;
	check_constants(&machine.context, constant_names, want, CONSTANTS);
	fk_cpu_offline(machine.fk, 7);
	check_constants(&machine.context, constant_names, want, CONSTANTS);
	cpu_facts_init(&facts, &machine.sys, &machine.pmus);
	check_constants(&machine.context, constant_names, less, CONSTANTS);
	machine_fini(&machine);
	check_constants(&nothing, constant_names, none, CONSTANTS);
}

static void unknown_constants(void **state)
{
	static const struct {
		const char *name, *cpuinfo, *path, *text;
		uint32_t mult;
		uint16_t shift;
		const char *unknown; /* marks: x for what is unsupported */
	} rows[] = {
		{"another clock", INTEL, NULL, NULL, 0, 24, "......xx.....xx."},
		{"a strange shift", INTEL, NULL, NULL, 1, 60, "......xx.....xx."},
		{"not x86", "CPU implementer\t: 0x41\n\n", NULL, NULL, 5033164, 24,
		 "......xx.....xx."},
		{"no list of a core", INTEL, TOPOLOGY("5") "core_cpus_list", NULL, 5033164, 24,
		 "x..x..x.xx.x..x."},
		{"no dies", INTEL, TOPOLOGY("0") "die_cpus_list", NULL, 5033164, 24,
		 "....x.x.......x."},
		{"nonsense of a socket", INTEL, TOPOLOGY("1") "package_cpus_list", "many\n",
		 5033164, 24, ".....xx...xx..xx"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct fk_config config = {
			.cpus = 8,
			.devices = devices,
			.n_devices = ARRAY_SIZE(devices),
			.tsc_mult = rows[i].mult,
			.tsc_shift = rows[i].shift,
		};
		struct machine machine;
		struct fixture f;

		machine_of(&machine, fk_new(&config));
		fk_file(machine.fk, "/proc/cpuinfo", rows[i].cpuinfo);
		add_topology(machine.fk);
		if (rows[i].path)
			fk_file(machine.fk, rows[i].path, rows[i].text);
		fixture_init(&f);
		f.events.context = &machine.context;
		for (size_t k = 0; k < CONSTANTS; k++) {
			enum figure_state got = evaluate(&f, constant_names[k]).state;
			if (got != (rows[i].unknown[k] == 'x' ? FIGURE_UNSUPPORTED : FIGURE_VALID))
				fail_msg("%s: %s is %s", rows[i].name, constant_names[k],
					 figure_state_name(got));
		}
		fixture_fini(&f);
		machine_fini(&machine);
	}
}

/* Nothing of the machine is read for a formula that does not need it. */
static void reads_when_needed(void **state)
{
	struct machine machine;
	struct cpu_facts facts;
	struct fixture f;

	(void)state;
	machine_of(&machine, fk_new(&(struct fk_config){.cpus = 2}));
	cpu_facts_init(&facts, &machine.sys, &machine.pmus);
	machine.context.cpu = &facts;
	fixture_init(&f);
	f.events.context = &machine.context;
	evaluate(&f, "instructions / cycles if interval_s else duration_time");
	assert_int_equal(facts.read, 0);
	evaluate(&f, "#num_cpus");
	assert_int_equal(facts.read, 1u << CPU_FACT_CPUS);
	fixture_fini(&f);
	machine_fini(&machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(computes_as_python),
		cmocka_unit_test(computes),
		cmocka_unit_test(states),
		cmocka_unit_test(shares),
		cmocka_unit_test(refuses),
		cmocka_unit_test(names_metrics),
		cmocka_unit_test(forgets_events_of_other_forms),
		cmocka_unit_test(counts_what_is_used),
		cmocka_unit_test(compiles_with_recorded_events),
		cmocka_unit_test(refuses_metrics),
		cmocka_unit_test(bounds_nesting),
		cmocka_unit_test(bounds_uses),
		cmocka_unit_test(bounds_operations),
		cmocka_unit_test(bounds_users),
		cmocka_unit_test(constants),
		cmocka_unit_test(unknown_constants),
		cmocka_unit_test(reads_when_needed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
