// SPDX-License-Identifier: MIT
/*
 * Every operation is passed to the inner feed. Only the snapshots are added to the export on their
 * way.
 */
#include "core/output/metrics_export_feed.h"

#include "core/base/util.h"

#include <stdlib.h>

struct exposed {
	struct metrics_export *export;
	struct feed inner;
	struct feed_ops ops; /* operations that the inner feed lacks are NULL here too */
};

static int exposed_wait(void *ctx, uint64_t until_ns, struct error *err)
{
	struct exposed *exposed = ctx;

	return feed_wait(&exposed->inner, until_ns, err);
}

static struct snapshot *exposed_snapshot(void *ctx)
{
	struct exposed *exposed = ctx;
	struct snapshot *snapshot = feed_snapshot(&exposed->inner);

	if (snapshot)
		metrics_export_add(exposed->export, snapshot);
	return snapshot;
}

static void exposed_set_interval(void *ctx, uint64_t interval_ns)
{
	struct exposed *exposed = ctx;

	feed_set_interval(&exposed->inner, interval_ns);
}

static void exposed_command(void *ctx, const struct command *command)
{
	struct exposed *exposed = ctx;

	feed_do(&exposed->inner, command);
}

static void exposed_query(void *ctx, const struct query *query)
{
	struct exposed *exposed = ctx;

	feed_query(&exposed->inner, query);
}

static struct reply *exposed_pop_reply(void *ctx)
{
	struct exposed *exposed = ctx;

	return feed_pop_reply(&exposed->inner);
}

static void exposed_playback(void *ctx, struct playback *playback)
{
	struct exposed *exposed = ctx;

	feed_playback(&exposed->inner, playback);
}

static void exposed_free(void *ctx)
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
		.wait = exposed_wait,
		.snapshot = exposed_snapshot,
		.set_interval = exposed_set_interval,
		.command = exposed_command,
		.query = exposed_query,
		.pop_reply = exposed_pop_reply,
		.playback = feed->ops->playback ? exposed_playback : NULL,
		.free = exposed_free,
	};
	*feed = (struct feed){.ops = &exposed->ops, .ctx = exposed};
}
