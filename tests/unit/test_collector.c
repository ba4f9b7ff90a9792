// SPDX-License-Identifier: MIT
/* The thread around the engine, on this kernel: commands go in, snapshots come out. */
#include "core/collector.h"
#include "core/exposition_feed.h"
#include "core/live.h"
#include "core/preset.h"
#include "core/util.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define REFRESH_NS (50 * NS_PER_MS)

static struct collector *start_with(const struct engine_config *config, uint64_t interval_ns)
{
	struct collector *collector;
	struct engine *engine = NULL;
	struct feed feed;
	struct error err;

	if (collector_new(&collector, &err) < 0 ||
	    engine_new(collector_sys(collector), config, &engine, &err) < 0)
		fail_msg("%s", err.text);
	live_init(collector_sys(collector), engine, interval_ns, &feed);
	if (collector_start(collector, &feed, &err) < 0)
		fail_msg("%s", err.text);
	return collector;
}

static struct collector *start(void)
{
	return start_with(&(struct engine_config){.preset = preset_find("software")}, REFRESH_NS);
}

/* The next one, whatever it takes: this is no test of time. */
static struct snapshot *next(struct collector *collector)
{
	struct pollfd ready = {.fd = collector_fd(collector), .events = POLLIN};
	struct snapshot *snapshot = NULL;

	while (!snapshot) {
		assert_int_equal(poll(&ready, 1, 120000), 1);
		snapshot = collector_take(collector);
	}
	return snapshot;
}

/* Takes snapshots until one has, or has not, a column; in a hundred there must be such a one. */
static void wait_for_column(struct collector *collector, const char *name, bool wanted)
{
	for (int i = 0; i < 100; i++) {
		struct snapshot *snapshot = next(collector);
		bool found = columns_metric(snapshot->columns, name) >= 0;

		/* Whatever is added or removed, the others are there. */
		assert_true(columns_metric(snapshot->columns, "cpu_percent") >= 0);
		assert_true(strcmp(snapshot->mode, "proc") == 0 ||
			    snapshot_conserves(snapshot, NULL));
		snapshot_free(snapshot);
		if (found == wanted)
			return;
	}
	fail_msg("%s is %s", name, wanted ? "not there" : "still there");
}

static void columns_come_and_go(void **state)
{
	struct collector *collector = start();

	(void)state;
	wait_for_column(collector, "cpu_percent", true);
	collector_do(collector, &(struct command){COMMAND_ADD_EVENTS, "minor-faults"});
	collector_do(collector, &(struct command){COMMAND_ADD_METRIC, "two = 1 + 1"});
	wait_for_column(collector, "minor-faults", true);
	wait_for_column(collector, "two", true);
	collector_do(collector, &(struct command){COMMAND_REMOVE, "minor-faults"});
	wait_for_column(collector, "minor-faults", false);
	wait_for_column(collector, "two", true);
	collector_free(collector);
}

static void what_cannot_be_done_is_told(void **state)
{
	struct collector *collector = start();
	bool told = false;

	(void)state;
	collector_do(collector, &(struct command){COMMAND_ADD_EVENTS, "cylces"});
	for (int i = 0; i < 100 && !told; i++) {
		struct snapshot *snapshot = next(collector);

		for (size_t k = 0; k < snapshot->n_notes; k++)
			told |= strstr(snapshot->notes[k], "did you mean 'cycles'") != NULL;
		snapshot_free(snapshot);
	}
	assert_true(told);
	collector_free(collector);
}

/* However long an interval is, and whatever the rings do: it is told at once. */
static void stops_in_a_long_interval(void **state)
{
	static const struct engine_config config;
	struct timespec began, ended;

	(void)state;
	for (int i = 0; i < 10; i++) {
		struct collector *collector = start_with(&config, 3600 * NS_PER_S);

		clock_gettime(CLOCK_MONOTONIC, &began);
		usleep((unsigned)i * 300);
		collector_free(collector);
		clock_gettime(CLOCK_MONOTONIC, &ended);
		assert_true(ended.tv_sec - began.tv_sec < 600);
	}
}

/* Commands that nobody came to are given up with the rest. */
static void stops_in_the_middle(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++) {
		struct collector *collector = start();

		for (int k = 0; k < 20; k++)
			collector_do(collector,
				     &(struct command){COMMAND_ADD_EVENTS, "major-faults"});
		collector_free(collector);
	}
}

/* Waits for an answer; snapshots come as ever, and nobody need take them. */
static struct answer *next_answer(struct collector *collector)
{
	struct pollfd ready = {.fd = collector_fd(collector), .events = POLLIN};
	struct answer *answer = collector_take_answer(collector);

	while (!answer) {
		assert_int_equal(poll(&ready, 1, 120000), 1);
		snapshot_free(collector_take(collector));
		answer = collector_take_answer(collector);
	}
	return answer;
}

/* While intervals end, columns change and another question comes. */
static void questions_are_answered(void **state)
{
	struct collector *collector = start();
	struct answer *events = NULL, *answer = NULL;

	(void)state;
	collector_ask(collector, &(struct question){.kind = QUESTION_EVENTS});
	collector_do(collector, &(struct command){COMMAND_ADD_EVENTS, "minor-faults"});
	do {
		answer_free(events);
		events = next_answer(collector);
		assert_int_equal(events->kind, QUESTION_EVENTS);
	} while (events->n_known < events->inventory->n);
	assert_true(events->n_known > 20);
	collector_ask(collector, &(struct question){QUESTION_OUTLOOK, "nobody-asks"});
	collector_ask(collector, &(struct question){QUESTION_OUTLOOK, "major-faults"});
	do {
		answer_free(answer);
		answer = next_answer(collector);
		assert_int_equal(answer->kind, QUESTION_OUTLOOK);
	} while (strcmp(answer->outlook->text, "major-faults") != 0);
	assert_int_equal(answer->outlook->kind, EVENT_SOFTWARE);
	answer_free(answer);
	wait_for_column(collector, "minor-faults", true);
	/* What is under way is given up, and what nobody took; names live as long as the answer. */
	collector_ask(collector, &(struct question){.kind = QUESTION_EVENTS});
	collector_ask(collector, &(struct question){QUESTION_OUTLOOK, "cycles"});
	collector_free(collector);
	assert_string_equal(events->inventory->items[0].name, "cycles");
	answer_free(events);
}

/* How many snapshots it tells of. */
static unsigned long told(struct exposition *exposition)
{
	static const char name[] = "\npmctop_snapshots_total ";
	size_t size;
	char *text = exposition_text(exposition, EXPOSITION_OPENMETRICS, &size);
	const char *at = strstr(text, name);
	unsigned long n = at ? strtoul(at + strlen(name), NULL, 10) : 0;

	free(text);
	return n;
}

/* As behind a terminal that is stuck: nobody takes a snapshot, and monitoring gets them all. */
static void dropped_ones_are_served(void **state)
{
	const struct timespec moment = {.tv_nsec = 5 * NS_PER_MS};
	struct exposition *exposition = exposition_new(10);
	struct collector *collector;
	struct engine *engine;
	struct feed feed;
	struct error err;

	(void)state;
	assert_int_equal(collector_new(&collector, &err), 0);
	assert_int_equal(engine_new(collector_sys(collector),
				    &(struct engine_config){.preset = preset_find("software")},
				    &engine, &err),
			 0);
	live_init(collector_sys(collector), engine, REFRESH_NS, &feed);
	exposition_feed_init(exposition, &feed);
	assert_null(feed.ops->playback); /* a machine has none */
	assert_int_equal(collector_start(collector, &feed, &err), 0);
	for (int i = 0; i < 4000 && told(exposition) < 4; i++)
		nanosleep(&moment, NULL);
	/* It is told of before it can be taken. */
	struct snapshot *newest = next(collector);
	for (; newest->sequence < 4; newest = next(collector))
		snapshot_free(newest);
	assert_true(told(exposition) >= newest->sequence);
	snapshot_free(newest);
	collector_free(collector);
	exposition_free(exposition);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_come_and_go),
		cmocka_unit_test(what_cannot_be_done_is_told),
		cmocka_unit_test(questions_are_answered),
		cmocka_unit_test(dropped_ones_are_served),
		cmocka_unit_test(stops_in_the_middle),
		cmocka_unit_test(stops_in_a_long_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
