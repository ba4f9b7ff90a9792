// SPDX-License-Identifier: MIT
/*
 * The function behind a verdict. The event is the one of the rule's metrics, such as cache-misses,
 * if it is sampled, else the time event.
 */
#include "core/view/verdict_internal.h"

#include "core/base/text.h"
#include "core/view/code_hottest.h"
#include "core/view/code_name.h"

enum {
	SAMPLES_LEAST = 20, /* fewer do not name a function */
	NAME_WIDTH = 60,
	MODULE_WIDTH = 30,
};

#define SHARE_LEAST 0.1 /* a function with less explains no verdict */

/* Every metric per instruction or cycle has these events; they are not what a rule is about. */
static bool is_base(const char *event)
{
	return code_is_event(event, "instructions") || code_is_event(event, "cycles") ||
	       code_is_event(event, "cpu-clock");
}

/* Returns a sampled event of a metric that says what the metric is about, or SIZE_MAX. */
static size_t event_of_metric(const struct code_profile *profile, const struct metric *metric)
{
	unsigned events[METRIC_EVENTS_MAX];
	size_t n = metric_events(metric, events, METRIC_EVENTS_MAX);

	for (size_t i = 0; i < n; i++) {
		size_t event = code_find_counted(profile, events[i]);

		if (event != SIZE_MAX && !is_base(profile->events[event].name))
			return event;
	}
	return SIZE_MAX;
}

static size_t event_of_rule(const struct judge *judge, int rule)
{
	const struct code_profile *profile = judge->snapshot->code;
	const struct columns *columns = judge->snapshot->columns;

	for (size_t k = 0; k < VERDICT_CONDITIONS_MAX && verdict_rules[rule].conditions[k].metric;
	     k++) {
		short metric = judge->conditions[rule][k].metric;
		size_t event =
			metric < 0 ? SIZE_MAX : event_of_metric(profile, &columns->metrics[metric]);

		if (event != SIZE_MAX)
			return event;
	}
	return code_time_event(profile);
}

/* Whether the verdict is about what the row does while it runs. */
static bool is_about_code(enum verdict verdict)
{
	enum verdict_cost cost = verdict_cost(verdict);

	return cost == COST_CPU_TIME || cost == COST_STALLS || verdict == VERDICT_CPU;
}

static bool is_clear(const struct code_hottest *hottest)
{
	bool is_named =
		hottest->function->kind == CODE_USER || hottest->function->kind == CODE_KERNEL;

	return is_named && hottest->total >= SAMPLES_LEAST && hottest->share.share >= SHARE_LEAST &&
	       hottest->share.share > 2 * hottest->share.error;
}

static void append_printable(char *text, size_t size, const char *from, unsigned width)
{
	char shown[4 * MODULE_WIDTH];

	text_printable(shown, sizeof(shown), from, width);
	verdict_append(text, size, shown);
}

/* "62 % of its time is in compress_block (libz.so.1)" */
static void append_hottest(const struct code_profile *profile, unsigned event, const char *whose,
			   const struct code_hottest *hottest, char *text, size_t size)
{
	char number[40], name[4 * NAME_WIDTH];

	text_fixed(number, sizeof(number), 100 * hottest->share.share, 0);
	verdict_append(text, size, number);
	verdict_append(text, size, " % of ");
	verdict_append(text, size, whose);
	if (code_is_time(profile->events[event].name)) {
		verdict_append(text, size, "time is");
	} else {
		append_printable(text, size, profile->events[event].name, MODULE_WIDTH);
		verdict_append(text, size, " are");
	}
	verdict_append(text, size, " in ");
	code_name(hottest->function->name, NAME_WIDTH, name, sizeof(name));
	verdict_append(text, size, name);
	if (!hottest->function->module[0])
		return;
	verdict_append(text, size, " (");
	append_printable(text, size, hottest->function->module, MODULE_WIDTH);
	verdict_append(text, size, ")");
}

void verdict_append_function(const struct judge *judge, const struct judgement *judgement,
			     const struct code_subject *subject, char *text, size_t size)
{
	const struct code_profile *profile = judge->snapshot->code;
	struct code_hottest hottest;

	if (!profile || judgement->rule < 0 || !is_about_code(judgement->verdict))
		return;
	size_t event = event_of_rule(judge, judgement->rule);
	struct code_index *index = code_index_new(judge->snapshot);
	bool found = code_hottest_find(index, subject, (unsigned)event, &hottest);
	if (found && is_clear(&hottest)) {
		verdict_append(text, size, "; ");
		append_hottest(profile, (unsigned)event, "its ", &hottest, text, size);
	}
	code_index_free(index);
}

void verdict_of_profile(const struct snapshot *snapshot, char *text, size_t size)
{
	const struct code_subject all = {.key = history_key_of_all(HISTORY_MACHINE)};
	struct code_index *index = code_index_new(snapshot);
	struct code_hottest hottest;

	text[0] = '\0';
	if (!index)
		return;
	unsigned event = code_time_event(snapshot->code);
	if (code_hottest_find(index, &all, event, &hottest) && is_clear(&hottest))
		append_hottest(snapshot->code, event, "the ", &hottest, text, size);
	code_index_free(index);
}
