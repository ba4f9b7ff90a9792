// SPDX-License-Identifier: MIT
/* The thread around the engine, on this kernel: commands go in, snapshots come out. */
#include "core/collector.h"
#include "core/preset.h"
#include "core/util.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define REFRESH_NS (50 * NS_PER_MS)

static struct collector *start(void)
{
	const struct engine_config config = {.preset = preset_find("software")};
	struct collector *collector;
	struct error err;

	if (collector_start(&config, REFRESH_NS, &collector, &err) < 0)
		fail_msg("%s", err.text);
	return collector;
}

/* The next one, whatever it takes: this is no test of time. */
static struct snapshot *next(struct collector *collector)
{
	struct pollfd ready = {.fd = collector_fd(collector), .events = POLLIN};
	struct snapshot *snapshot = NULL;

	while (!snapshot) {
		assert_int_equal(poll(&ready, 1, 20000), 1);
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
	collector_stop(collector);
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
	collector_stop(collector);
}

/* However long an interval is, and whatever the rings do: it is told at once. */
static void stops_in_a_long_interval(void **state)
{
	static const struct engine_config config;
	struct collector *collector;
	struct timespec began, ended;
	struct error err;

	(void)state;
	for (int i = 0; i < 10; i++) {
		if (collector_start(&config, 3600 * NS_PER_S, &collector, &err) < 0)
			fail_msg("%s", err.text);
		clock_gettime(CLOCK_MONOTONIC, &began);
		usleep((unsigned)i * 300);
		collector_stop(collector);
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
		collector_stop(collector);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_come_and_go),
		cmocka_unit_test(what_cannot_be_done_is_told),
		cmocka_unit_test(stops_in_the_middle),
		cmocka_unit_test(stops_in_a_long_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
