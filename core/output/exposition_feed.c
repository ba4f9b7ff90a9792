// SPDX-License-Identifier: MIT
#include "core/output/exposition_feed.h"

#include "core/base/util.h"

#include <stdlib.h>

struct exposed {
	struct exposition *exposition;
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
		exposition_add(exposed->exposition, snapshot);
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

static void ask(void *ctx, const struct question *question)
{
	struct exposed *exposed = ctx;

	feed_ask(&exposed->inner, question);
}

static struct answer *take_answer(void *ctx)
{
	struct exposed *exposed = ctx;

	return feed_take_answer(&exposed->inner);
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

void exposition_feed_init(struct exposition *exposition, struct feed *feed)
{
	struct exposed *exposed = xcalloc(1, sizeof(*exposed));

	exposed->exposition = exposition;
	exposed->inner = *feed;
	exposed->ops = (struct feed_ops){
		.wait = wait_inner,
		.snapshot = take_snapshot,
		.set_interval = set_interval,
		.command = do_command,
		.ask = ask,
		.take_answer = take_answer,
		.playback = feed->ops->playback ? get_playback : NULL,
		.free = free_both,
	};
	*feed = (struct feed){.ops = &exposed->ops, .ctx = exposed};
}
