// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_COLLECTOR_RUN_H
#define PMCTOP_TESTS_COLLECTOR_RUN_H

#include "core/base/util.h"
#include "core/engine/collector.h"
#include "core/engine/live.h"
#include "core/metric/preset.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define REFRESH_NS (50 * NS_PER_MS)

/*
 * A collector whose feed is an engine, on the fake kernel and on the real one. Tests wait for what
 * they want without a limit: intervals take as long as they take.
 */

/* sys: a fake kernel's, which lives longer than the collector; NULL: the real one. */
static inline struct collector *collector_open(const struct sys *sys,
					       const struct engine_config *config,
					       uint64_t interval_ns)
{
	struct collector *collector;
	struct engine *engine = NULL;
	struct feed feed;
	struct error err;

	if (collector_new(&collector, &err) < 0)
		fail_msg("%s", err.text);
	sys = sys ? sys : collector_sys(collector);
	if (engine_new(sys, config, &engine, &err) < 0)
		fail_msg("%s", err.text);
	live_init(sys, engine, interval_ns, &feed);
	if (collector_start(collector, &feed, &err) < 0)
		fail_msg("%s", err.text);
	return collector;
}

static inline void collector_await(const struct collector *collector)
{
	struct pollfd ready = {.fd = collector_fd(collector), .events = POLLIN};

	while (poll(&ready, 1, -1) != 1)
		;
}

static inline struct snapshot *collector_next(struct collector *collector)
{
	struct snapshot *snapshot;

	while (!(snapshot = collector_take(collector)))
		collector_await(collector);
	return snapshot;
}

/* Takes snapshots until one has, or has not, a column. */
static inline void collector_await_column(struct collector *collector, const char *name,
					  bool wanted)
{
	for (bool found = !wanted; found != wanted;) {
		struct snapshot *snapshot = collector_next(collector);

		found = columns_metric(snapshot->columns, name) >= 0;
		/* Whatever is added or removed, the others are there. */
		assert_true(columns_metric(snapshot->columns, "cpu_percent") >= 0);
		assert_true(strcmp(snapshot->mode, "proc") == 0 ||
			    snapshot_conserves(snapshot, NULL));
		snapshot_free(snapshot);
	}
}

/* Columns that come and go by command. Takes the collector over. */
static inline void collector_check_columns(struct collector *collector)
{
	collector_await_column(collector, "cpu_percent", true);
	collector_do(collector, &(struct command){COMMAND_ADD_EVENTS, "minor-faults"});
	collector_do(collector, &(struct command){COMMAND_ADD_METRIC, "two = 1 + 1"});
	collector_await_column(collector, "minor-faults", true);
	collector_await_column(collector, "two", true);
	collector_do(collector, &(struct command){COMMAND_REMOVE, "minor-faults"});
	collector_await_column(collector, "minor-faults", false);
	collector_await_column(collector, "two", true);
	collector_free(collector);
}

#endif
