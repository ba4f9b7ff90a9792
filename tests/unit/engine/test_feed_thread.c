// SPDX-License-Identifier: MIT
/*
 * The thread around the engine, on the fake kernel: commands go in, snapshots come out. The fake
 * kernel's waits pause for a moment and return at once; a feed of this file's own waits for good.
 * tests/live/test_feed_thread.c is on the real kernel.
 */
#include "core/output/metrics_export.h"
#include "tests/fake_kernel/fake_kernel.h"
#include "tests/unit/shared/feed_thread_run.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

static const struct engine_config *software(void)
{
	static struct engine_config config;

	config.preset = preset_find("software");
	return &config;
}

static int open_machine(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 2, .wait_pause_us = 1000});

	fk_task(fk, &(struct fk_spec){.tid = 7, .comm = "worker"});
	fk_switch(fk, 0, 7);
	*state = fk;
	return 0;
}

static int close_machine(void **state)
{
	assert_int_equal(fk_open_fds(*state), 0);
	assert_int_equal(fk_mapped(*state), 0);
	fk_free(*state);
	return 0;
}

static void columns_come_and_go(void **state)
{
	struct sys sys = fk_sys(*state);

	feed_thread_check_columns(feed_thread_open(&sys, software(), REFRESH_NS));
}

static void failed_commands_are_noted(void **state)
{
	struct sys sys = fk_sys(*state);
	struct feed_thread *feed_thread = feed_thread_open(&sys, software(), REFRESH_NS);
	bool noted = false;

	feed_thread_send(feed_thread, &(struct request){REQUEST_ADD_EVENTS, "cylces"});
	while (!noted) {
		struct snapshot *snapshot = feed_thread_next(feed_thread);

		for (size_t k = 0; k < snapshot->n_notes; k++)
			noted |= strstr(snapshot->notes[k], "did you mean 'cycles'") != NULL;
		snapshot_free(snapshot);
	}
	feed_thread_free(feed_thread);
}

/* However often a key repeats, each snapshot is of a whole interval or of a short one. */
static void a_held_key_ends_no_interval(void **state)
{
	struct sys sys = fk_sys(*state);
	struct feed_thread *feed_thread = feed_thread_open(&sys, software(), NS_PER_S);

	for (int i = 0; i < 300; i++) {
		struct snapshot *snapshot;

		feed_thread_send(feed_thread,
				 &(struct request){.kind = REQUEST_IDLE, .number = i % 2});
		feed_thread_await(feed_thread);
		if (!(snapshot = feed_thread_pop(feed_thread)))
			continue;
		assert_true(snapshot->interval_ns >= NS_PER_S / 5);
		snapshot_free(snapshot);
	}
	feed_thread_free(feed_thread);
}

struct sleeper {
	const struct sys *sys;
	atomic_bool waits;
};

static int sleeper_wait(void *ctx, uint64_t until_ns, struct error *err)
{
	struct sleeper *sleeper = ctx;

	(void)err;
	atomic_store(&sleeper->waits, true);
	sys_wait(sleeper->sys, NULL, 0, until_ns);
	return 0;
}

static void sleeper_free(void *ctx)
{
	free(ctx);
}

static const struct feed_ops sleeper_ops = {
	.wait = sleeper_wait,
	.free = sleeper_free,
};

/* Ends the current wait, and one that begins at the same moment. Else it never ends. */
static void stops_in_a_long_interval(void **state)
{
	(void)state;
	for (int i = 0; i < 200; i++) {
		struct sleeper *sleeper = xcalloc(1, sizeof(*sleeper));
		struct feed feed = {&sleeper_ops, sleeper};
		struct feed_thread *feed_thread;
		struct error err;

		assert_int_equal(feed_thread_new(&feed_thread, &err), 0);
		sleeper->sys = feed_thread_sys(feed_thread);
		assert_int_equal(feed_thread_start(feed_thread, &feed, &err), 0);
		while (i % 2 && !atomic_load(&sleeper->waits))
			sched_yield();
		feed_thread_free(feed_thread);
	}
}

/* Commands that were not done are freed. */
static void stops_in_the_middle(void **state)
{
	struct sys sys = fk_sys(*state);

	for (int i = 0; i < 5; i++) {
		struct feed_thread *feed_thread = feed_thread_open(&sys, software(), REFRESH_NS);

		for (int k = 0; k < 20; k++)
			feed_thread_send(feed_thread,
					 &(struct request){REQUEST_ADD_EVENTS, "major-faults"});
		feed_thread_free(feed_thread);
	}
}

/* Waits for a reply. Snapshots come, and need not be popped. */
static struct reply *next_reply(struct feed_thread *feed_thread)
{
	struct reply *answer;

	while (!(answer = feed_thread_pop_reply(feed_thread))) {
		feed_thread_await(feed_thread);
		snapshot_free(feed_thread_pop(feed_thread));
	}
	return answer;
}

/* While intervals end, columns change and another query comes. */
static void queries_are_answered(void **state)
{
	struct sys sys = fk_sys(*state);
	struct feed_thread *feed_thread = feed_thread_open(&sys, software(), REFRESH_NS);
	struct reply *events = NULL, *answer = NULL;

	feed_thread_send(feed_thread, &(struct request){.kind = REQUEST_EVENTS});
	feed_thread_send(feed_thread, &(struct request){REQUEST_ADD_EVENTS, "minor-faults"});
	do {
		reply_free(events);
		events = next_reply(feed_thread);
		assert_int_equal(events->kind, REQUEST_EVENTS);
	} while (events->n_known < events->event_index->n);
	assert_true(events->n_known > 20);
	feed_thread_send(feed_thread,
			 &(struct request){.kind = REQUEST_PREVIEW, .text = "unread-reply"});
	feed_thread_send(feed_thread,
			 &(struct request){.kind = REQUEST_PREVIEW, .text = "major-faults"});
	do {
		reply_free(answer);
		answer = next_reply(feed_thread);
		assert_int_equal(answer->kind, REQUEST_PREVIEW);
	} while (strcmp(answer->preview->text, "major-faults") != 0);
	assert_int_equal(answer->preview->kind, EVENT_SOFTWARE);
	reply_free(answer);
	feed_thread_await_column(feed_thread, "minor-faults", true);
	/* Open queries and replies that were not popped are freed. Names live as long as the reply.
	 */
	feed_thread_send(feed_thread, &(struct request){.kind = REQUEST_EVENTS});
	feed_thread_send(feed_thread, &(struct request){.kind = REQUEST_PREVIEW, .text = "cycles"});
	feed_thread_free(feed_thread);
	assert_string_equal(events->event_index->items[0].name, "cycles");
	reply_free(events);
}

/* The number of snapshots that the export has counted. */
static unsigned long exported_snapshots(struct metrics_export *export)
{
	static const char name[] = "\npmctop_snapshots_total ";
	size_t size;
	char *text = metrics_export_text(export, METRICS_EXPORT_OPENMETRICS, &size);
	const char *at = strstr(text, name);
	unsigned long n = at ? strtoul(at + strlen(name), NULL, 10) : 0;

	free(text);
	return n;
}

static void export_snapshot(void *export, const struct snapshot *snapshot)
{
	metrics_export_add(export, snapshot);
}

/* As behind a terminal that is stuck: no snapshot is popped, and monitoring gets them all. */
static void dropped_ones_are_served(void **state)
{
	struct sys sys = fk_sys(*state);
	struct metrics_export *export = metrics_export_new(10);
	struct feed_thread *feed_thread;
	struct engine *engine;
	struct feed feed;
	struct error err;

	assert_int_equal(feed_thread_new(&feed_thread, &err), 0);
	assert_int_equal(engine_new(&sys, software(), &engine, &err), 0);
	live_init(&sys, engine, REFRESH_NS, false, &feed);
	feed.finished = export_snapshot;
	feed.arg = export;
	assert_null(feed.ops->playback); /* a machine has none */
	assert_int_equal(feed_thread_start(feed_thread, &feed, &err), 0);
	while (exported_snapshots(export) < 4)
		sched_yield();
	/* It is exported before it can be popped. */
	struct snapshot *newest = feed_thread_next(feed_thread);
	for (; newest->sequence < 4; newest = feed_thread_next(feed_thread))
		snapshot_free(newest);
	assert_true(exported_snapshots(export) >= newest->sequence);
	snapshot_free(newest);
	feed_thread_free(feed_thread);
	metrics_export_free(export);
}

#define ON_MACHINE(test) cmocka_unit_test_setup_teardown(test, open_machine, close_machine)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_MACHINE(columns_come_and_go),
		ON_MACHINE(failed_commands_are_noted),
		ON_MACHINE(queries_are_answered),
		ON_MACHINE(dropped_ones_are_served),
		ON_MACHINE(a_held_key_ends_no_interval),
		ON_MACHINE(stops_in_the_middle),
		cmocka_unit_test(stops_in_a_long_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
