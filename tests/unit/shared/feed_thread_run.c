// SPDX-License-Identifier: MIT
#include "tests/unit/shared/feed_thread_run.h"

struct feed_thread *feed_thread_open(const struct sys *sys, const struct engine_config *config,
				     uint64_t interval_ns)
{
	struct feed_thread *feed_thread;
	struct engine *engine = NULL;
	struct feed feed;
	struct error err;

	if (feed_thread_new(&feed_thread, &err) < 0)
		fail_msg("%s", err.text);
	sys = sys ? sys : feed_thread_sys(feed_thread);
	if (engine_new(sys, config, &engine, &err) < 0)
		fail_msg("%s", err.text);
	live_init(sys, engine, interval_ns, false, &feed);
	if (feed_thread_start(feed_thread, &feed, &err) < 0)
		fail_msg("%s", err.text);
	return feed_thread;
}

void feed_thread_send(struct feed_thread *feed_thread, const struct request *request)
{
	struct request_list list = {0};

	request_list_add(&list, request);
	feed_thread_request(feed_thread, &list);
}

void feed_thread_await(const struct feed_thread *feed_thread)
{
	struct pollfd ready = {.fd = feed_thread_fd(feed_thread), .events = POLLIN};

	while (poll(&ready, 1, -1) != 1)
		;
}

struct snapshot *feed_thread_next(struct feed_thread *feed_thread)
{
	struct snapshot *snapshot;

	while (!(snapshot = feed_thread_pop(feed_thread)))
		feed_thread_await(feed_thread);
	return snapshot;
}

void feed_thread_await_column(struct feed_thread *feed_thread, const char *name, bool wanted)
{
	for (bool found = !wanted; found != wanted;) {
		struct snapshot *snapshot = feed_thread_next(feed_thread);

		found = columns_metric(snapshot->columns, name) >= 0;
		/* The other columns stay. */
		assert_true(columns_metric(snapshot->columns, "cpu_percent") >= 0);
		assert_true(snapshot->mode == COUNT_MODE_PROC ||
			    snapshot_conserves(snapshot, NULL));
		snapshot_free(snapshot);
	}
}

void feed_thread_check_columns(struct feed_thread *feed_thread)
{
	feed_thread_await_column(feed_thread, "cpu_percent", true);
	feed_thread_send(feed_thread, &(struct request){REQUEST_ADD_EVENTS, "minor-faults"});
	feed_thread_send(feed_thread, &(struct request){REQUEST_ADD_METRIC, "two = 1 + 1"});
	feed_thread_await_column(feed_thread, "minor-faults", true);
	feed_thread_await_column(feed_thread, "two", true);
	feed_thread_send(feed_thread, &(struct request){REQUEST_REMOVE, "minor-faults"});
	feed_thread_await_column(feed_thread, "minor-faults", false);
	feed_thread_await_column(feed_thread, "two", true);
	feed_thread_free(feed_thread);
}
