// SPDX-License-Identifier: MIT
#include "core/output/metrics_export_feed.h"

#include "core/base/util.h"

#include <stdlib.h>

struct exposed {
	struct metrics_export *export;
	struct feed inner;
	struct feed_ops ops; /* what the inner one does not have, it has not either */
};

static int wait_inner(void *ctx, uint64_t until_ns, struct error *err)
{
	struct exposed *exposed = ctx;

	return feed_wait(&exposed->inner, until_ns, err);
}

static struct snapshot *take_snapshot(void *ctx)
{
	struct exposed *exposed = ctx;
	struct snapshot *snapshot = feed_snapshot(&exposed->inner);

	if (snapshot)
		metrics_export_add(exposed->export, snapshot);
	return snapshot;
}

static void set_interval(void *ctx, uint64_t interval_ns)
{
	struct exposed *exposed = ctx;

	feed_set_interval(&exposed->inner, interval_ns);
}

static void do_command(void *ctx, const struct command *command)
{
	struct exposed *exposed = ctx;

	feed_do(&exposed->inner, command);
}

static void ask(void *ctx, const struct query *query)
{
	struct exposed *exposed = ctx;

	feed_query(&exposed->inner, query);
}

static struct reply *pop_reply(void *ctx)
{
	struct exposed *exposed = ctx;

	return feed_pop_reply(&exposed->inner);
}

static void get_playback(void *ctx, struct playback *playback)
{
	struct exposed *exposed = ctx;

	feed_playback(&exposed->inner, playback);
}

static void free_both(void *ctx)
{
	struct exposed *exposed = ctx;

	feed_free(&exposed->inner);
	free(exposed);
}

void metrics_export_feed_init(struct metrics_export *export, struct feed *feed)
{
	struct exposed *exposed = xcalloc(1, sizeof(*exposed));

	exposed->export = export;
	exposed->inner = *feed;
	exposed->ops = (struct feed_ops){
		.wait = wait_inner,
		.snapshot = take_snapshot,
		.set_interval = set_interval,
		.command = do_command,
		.ask = ask,
		.pop_reply = pop_reply,
		.playback = feed->ops->playback ? get_playback : NULL,
		.free = free_both,
	};
	*feed = (struct feed){.ops = &exposed->ops, .ctx = exposed};
}
