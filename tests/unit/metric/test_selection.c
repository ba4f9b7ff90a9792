// SPDX-License-Identifier: MIT
/* Changes of a selection, and the columns, events and wants after each. */
#include "core/base/util.h"
#include "core/metric/metric_user.h"
#include "core/metric/preset.h"
#include "core/metric/selection.h"
#include "tests/fake_kernel/machines.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum step_kind { EVENTS, METRIC, REMOVE, PRESET, HIDE };

static const char *const hidden[] = {"cpu_percent", "runq_percent", "blocked_percent", NULL};

struct step {
	enum step_kind kind;
	const char *text;
	int result;
	const char *message; /* of an error */
};

enum { STEPS_MAX = 5 };

struct selection_case {
	const char *name;
	const struct fk_config *machine;
	struct step steps[STEPS_MAX];
	const char *columns; /* names, with '?' if they have no form, '.' if they are hidden */
	const char *events;  /* without the two derived ones; '-': cannot be counted */
	const char *wants;   /* events joined by '+' */
};

static const struct selection_case cases[] = {
	{"nothing", &fk_machine_intel, {{0}}, "", "", ""},
	{"events in their order",
	 &fk_machine_intel,
	 {{EVENTS, "cycles,instructions"}, {EVENTS, "branches"}},
	 "cycles instructions branches",
	 "cycles instructions branches",
	 "cycles instructions branches"},
	{"braces are one want",
	 &fk_machine_intel,
	 {{EVENTS, "{cycles,branches},instructions"}, {EVENTS, "{branch-misses,cache-misses}"}},
	 "cycles branches instructions branch-misses cache-misses",
	 "cycles branches instructions branch-misses cache-misses",
	 "cycles+branches instructions branch-misses+cache-misses"},
	{"a metric wants its inputs together",
	 &fk_machine_intel,
	 {{METRIC, "ipc"}, {METRIC, "x = 1000 * branch-misses / instructions"}},
	 "ipc x",
	 "instructions cycles branch-misses",
	 "instructions+cycles branch-misses+instructions"},
	{"the form that can be counted: Zen has no LLC-loads",
	 &fk_machine_zen,
	 {{METRIC, "cache_mpki"}},
	 "cache_mpki",
	 "cache-misses instructions",
	 "cache-misses+instructions"},
	{"a column that cannot be counted",
	 &fk_machine_neoverse,
	 {{EVENTS, "branches"}, {METRIC, "x = branches / cycles"}},
	 "branches x",
	 "-branches cycles",
	 "branches branches+cycles"},
	{"the same column twice is one column",
	 &fk_machine_intel,
	 {{METRIC, "ipc"},
	  {METRIC, "ipc"},
	  {EVENTS, "cycles,cycles"},
	  {METRIC, "x = 1"},
	  {METRIC, "x = 1"}},
	 "ipc cycles x",
	 "instructions cycles",
	 "instructions+cycles cycles "},
	{"two metrics of one name: the second is refused",
	 &fk_machine_intel,
	 {{METRIC, "x = 1"}, {METRIC, "x = 2", -EEXIST, "Column 'x' exists already"}},
	 "x",
	 "",
	 ""},
	{"a label names a column",
	 &fk_machine_intel,
	 {{EVENTS, "cpu/event=0x3c,name=mine/"}},
	 "mine",
	 "cpu/event=0x3c,name=mine/",
	 "cpu/event=0x3c,name=mine/"},
	{"two equal labels: all names or none",
	 &fk_machine_intel,
	 {{EVENTS, "cycles"},
	  {EVENTS, "branches,cpu/event=0x3c,name=x/,cpu/event=0xc0,name=x/", -EEXIST,
	   "is in use already"}},
	 "cycles",
	 "cycles",
	 "cycles"},
	{"a label that is another name already",
	 &fk_machine_intel,
	 {{EVENTS, "cpu/event=0x3c,name=task-clock/", -EEXIST, "is in use already"},
	  {EVENTS, "cpu/event=0x3c,name=ipc/", -EEXIST, "is in use already"},
	  {EVENTS, "cpu/event=0x3c,name=pid/", -EEXIST, "is in use already"}},
	 "",
	 "",
	 ""},
	{"an unknown name among known ones: no column",
	 &fk_machine_intel,
	 {{EVENTS, "cycles"}, {EVENTS, "branches,cylces", -ENOENT, "did you mean 'cycles'"}},
	 "cycles",
	 "cycles",
	 "cycles"},
	{"a removed column removes the events that only it needs",
	 &fk_machine_intel,
	 {{METRIC, "ipc"}, {EVENTS, "branches,cycles"}, {REMOVE, "ipc"}},
	 "branches cycles",
	 "cycles branches",
	 "branches cycles"},
	{"braces keep the events that are left",
	 &fk_machine_intel,
	 {{EVENTS, "{cycles,branches,cache-misses}"}, {REMOVE, "branches"}},
	 "cycles cache-misses",
	 "cycles cache-misses",
	 "cycles+cache-misses"},
	{"no column of that name",
	 &fk_machine_intel,
	 {{EVENTS, "cycles"}, {REMOVE, "branches", -ENOENT}},
	 "cycles",
	 "cycles",
	 "cycles"},
	{"a metric without a form on this machine",
	 &fk_machine_zen,
	 {{METRIC, "ipc"}, {METRIC, "topdown_heavy"}},
	 "ipc ?topdown_heavy",
	 "instructions cycles",
	 "instructions+cycles "},
	{"a preset leaves out a metric without a form",
	 &fk_machine_zen,
	 {{METRIC, "ipc"}, {METRIC, "topdown_heavy"}, {PRESET, ""}},
	 "ipc",
	 "instructions cycles",
	 "instructions+cycles"},
	{"a preset keeps its only metric, also without a form",
	 &fk_machine_zen,
	 {{METRIC, "topdown_heavy"}, {PRESET, ""}},
	 "?topdown_heavy",
	 "",
	 ""},
	{"topdown metrics bring slots",
	 &fk_machine_server,
	 {{EVENTS, "topdown-retiring,topdown-bad-spec:u"}},
	 "topdown-retiring topdown-bad-spec:u",
	 "topdown-retiring slots topdown-bad-spec:u slots:u",
	 "topdown-retiring topdown-bad-spec:u"},
	{"slots stays as long as one needs it",
	 &fk_machine_server,
	 {{EVENTS, "topdown-retiring,topdown-bad-spec,cycles"},
	  {REMOVE, "topdown-retiring"},
	  {REMOVE, "cycles"}},
	 "topdown-bad-spec",
	 "slots topdown-bad-spec",
	 "topdown-bad-spec"},
	{"and goes with the last",
	 &fk_machine_server,
	 {{EVENTS, "topdown-retiring,cycles"}, {REMOVE, "topdown-retiring"}},
	 "cycles",
	 "cycles",
	 "cycles"},
	{"slots of the user",
	 &fk_machine_server,
	 {{EVENTS, "r400,topdown-retiring"}, {REMOVE, "r400"}},
	 "topdown-retiring",
	 "r400 topdown-retiring",
	 "topdown-retiring"},
	{"hidden columns are the last ones",
	 &fk_machine_intel,
	 {{METRIC, "ipc"}, {HIDE, ""}, {EVENTS, "branches"}},
	 "ipc branches .cpu_percent .runq_percent .blocked_percent",
	 "instructions cycles branches runq_time blocked_time",
	 "instructions+cycles branches  runq_time blocked_time"},
	{"a named metric is not hidden, and a removed one is again",
	 &fk_machine_intel,
	 {{HIDE, ""},
	  {METRIC, "blocked_percent"},
	  {METRIC, "runq_percent"},
	  {REMOVE, "blocked_percent"}},
	 "runq_percent .cpu_percent .blocked_percent",
	 "runq_time blocked_time",
	 "runq_time  blocked_time"},
	{"no hidden column is removed, and a refused event changes none",
	 &fk_machine_intel,
	 {{HIDE, ""},
	  {REMOVE, "runq_percent", -ENOENT},
	  {EVENTS, "branches,cylces", -ENOENT, "did you mean 'cycles'"}},
	 ".cpu_percent .runq_percent .blocked_percent",
	 "runq_time blocked_time",
	 "runq_time blocked_time"},
};

static int do_step(struct selection *selection, const struct step *step, struct error *err)
{
	struct metric_def def;
	int result;

	switch (step->kind) {
	case EVENTS:
		return selection_add_events(selection, step->text, err);
	case METRIC:
		if (metric_def_find(step->text))
			return selection_add_metric(selection, metric_def_find(step->text), err);
		assert_int_equal(metric_def_parse(step->text, &def, err), 0);
		result = selection_add_metric(selection, &def, err);
		metric_def_fini(&def);
		return result;
	case REMOVE:
		return selection_remove(selection, step->text);
	case PRESET:
		selection_mark_preset(selection, true);
		return 0;
	case HIDE:
		selection_hide(selection, hidden);
		return 0;
	}
	return -EINVAL;
}

static void add_word(char *text, size_t size, const char *gap, const char *mark, const char *word)
{
	size_t n = strlen(text);

	snprintf(text + n, size - n, "%s%s%s", n ? gap : "", mark, word);
}

static void check_selection(const struct selection *selection, const struct selection_case *this)
{
	char columns[512] = "", events[512] = "", wants[512] = "";

	for (size_t i = 0; i < selection->n; i++)
		add_word(columns, sizeof(columns), " ",
			 selection->columns[i].form == METRIC_FORMS_MAX ? "?"
			 : i >= selection->n_shown                      ? "."
									: "",
			 selection->columns[i].def.name);
	for (size_t i = TALLY_FIRST_COUNTED; i < selection->events.n; i++) {
		const struct event *event = &selection->events.items[i];
		add_word(events, sizeof(events), " ", event->state == FIGURE_VALID ? "" : "-",
			 event->name);
		/* A missing column has a reason. */
		assert_int_equal(event->answer != 0, event->state != FIGURE_VALID);
	}
	for (size_t i = 0; i < selection->wants.n; i++) {
		const struct plan_want *want = &selection->wants.items[i];
		char one[256] = "";
		for (size_t k = 0; k < want->n; k++)
			add_word(one, sizeof(one), "+", "",
				 selection->events.items[want->events[k]].name);
		add_word(wants, sizeof(wants), " ", "", one);
	}
	assert_string_equal(columns, this->columns);
	assert_string_equal(events, this->events);
	assert_string_equal(wants, this->wants);
}

static void test_case(void **state)
{
	const struct selection_case *this = *state;
	struct selection selection;
	struct machine machine;

	machine_of(&machine, fk_new(this->machine));
	selection_init(&selection, &machine.context);
	for (size_t i = 0; i < STEPS_MAX && this->steps[i].text; i++) {
		const struct step *step = &this->steps[i];
		struct error err = {0};
		int result = do_step(&selection, step, &err);

		if (result != step->result || !strstr(err.text, step->message ? step->message : ""))
			fail_msg("step %zu: %d, %s", i + 1, result, err.text);
	}
	check_selection(&selection, this);
	selection_fini(&selection);
	assert_int_equal(fk_open_fds(machine.fk), 0);
	machine_fini(&machine);
}

/* A change does not resolve known names again. */
static void test_files_that_go(void **state)
{
	struct selection selection;
	struct machine machine;
	struct metric metric;
	struct error err;

	(void)state;
	machine_of(&machine, fk_new(&fk_machine_intel));
	fk_tracepoint(machine.fk, 314);
	fk_file(machine.fk, "/sys/kernel/tracing/events/sched/sched_switch/id", "314\n");
	selection_init(&selection, &machine.context);
	assert_int_equal(
		selection_add_events(&selection, "sched:sched_switch,page-faults,cycles", &err), 0);
	fk_file(machine.fk, "/sys/kernel/tracing/events/sched/sched_switch/id", NULL);
	assert_int_equal(selection_remove(&selection, "page-faults"), 0);
	for (int i = 0; i < 40; i++) {
		char name[16];
		snprintf(name, sizeof(name), "r%d", 100 + i);
		assert_int_equal(selection_add_events(&selection, name, &err), 0);
	}
	assert_int_equal(selection.n, 42);
	assert_int_equal(event_set_find(&selection.events, "sched:sched_switch"),
			 TALLY_FIRST_COUNTED);
	selection_compile(&selection.columns[0], &selection.columns[0].def, &selection.events,
			  &metric);
	assert_int_equal(metric_state(&metric, &selection.events), FIGURE_VALID);
	metric_fini(&metric);
	/* An event outside the set: a metric without figures, and no event is added. */
	event_set_keep(&selection.events, (bool[64]){false});
	selection_compile(&selection.columns[0], &selection.columns[0].def, &selection.events,
			  &metric);
	assert_ptr_equal(metric.def, &selection.columns[0].def);
	assert_int_equal(selection.events.n, TALLY_FIRST_COUNTED);
	metric_fini(&metric);
	selection_fini(&selection);
	machine_fini(&machine);
}

/* What verdicts need takes no counter of a PMU, and one value of a record: major faults. */
static void test_verdict_metrics(void **state)
{
	struct selection selection;
	struct machine machine;

	(void)state;
	machine_of(&machine, fk_new(&fk_machine_intel));
	selection_init(&selection, &machine.context);
	selection_hide(&selection, verdict_metrics);
	for (size_t i = 0; verdict_metrics[i]; i++)
		assert_string_equal(selection.columns[i].def.name, verdict_metrics[i]);
	assert_int_equal(selection.n_shown, 0);
	const struct plan_request request = {
		.events = &selection.events, .pmus = &machine.pmus, .wants = &selection.wants};
	struct plan *plan = plan_new(&request);
	for (size_t i = TALLY_FIRST_COUNTED; i < selection.events.n; i++)
		if (strcmp(selection.events.items[i].name, "major-faults") != 0)
			assert_int_equal(selection.events.items[i].kind, EVENT_WAIT);
	size_t counters = 0;
	for (unsigned i = 0; i < plan->shape.n_groups; i++)
		for (size_t k = 0; k < plan->groups[i].n_members; k++)
			counters += plan->groups[i].members[k] >= 0;
	assert_int_equal(counters, 1);
	plan_unref(plan);
	selection_fini(&selection);
	machine_fini(&machine);
}

/* They are hidden beside IPC of the preset alone, and with events that can be counted. */
static void test_optional_metrics(void **state)
{
	static const char *const optional[] = {"branch_mpki", "stalled_frontend_percent", NULL};
	struct selection selection;
	struct machine machine;
	struct error err;

	(void)state;
	machine_of(&machine, fk_new(&fk_machine_hybrid));
	selection_init(&selection, &machine.context);
	selection_hide_optional(&selection, optional, "ipc");
	assert_int_equal(selection_add_metric(&selection, metric_def_find("ipc"), &err), 0);
	assert_int_equal(selection.n, 1);
	selection_mark_preset(&selection, false);
	assert_int_equal(selection.n, 2);
	assert_string_equal(selection.columns[1].def.name, "branch_mpki");
	assert_int_equal(event_set_find(&selection.events, "stalled-cycles-frontend"), -ENOENT);
	assert_int_equal(selection.wants.n, 2);
	assert_false(selection.wants.items[0].optional);
	assert_true(selection.wants.items[1].optional);
	assert_int_equal(selection_renew(&selection, &err), 0);
	assert_int_equal(selection.n, 2);
	assert_int_equal(selection_remove(&selection, "ipc"), 0);
	assert_int_equal(selection.n, 0);
	selection_fini(&selection);
	machine_fini(&machine);
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_verdict_metrics),
		cmocka_unit_test(test_optional_metrics),
		cmocka_unit_test(test_files_that_go),
	};
	static const struct cases table = CASES(test_case, cases);

	return cases_run("selection", &table, 1, others, ARRAY_SIZE(others));
}
