// SPDX-License-Identifier: MIT
/*
 * Deadlines are counted from the first wait, not from the last snapshot, so a late snapshot does
 * not shift the next ones. `due` is set by a wait that reached its deadline; a snapshot before
 * that (a key, the end of the run) begins a new sequence. All other calls go to the engine.
 *
 * The first interval with samples of code is short, because a user waits for functions. It does
 * not change the deadlines after it.
 */
#include "core/engine/live_feed.h"

#include "core/base/util.h"

#include <stdlib.h>

/* 30 samples of a busy task at 199 a second. */
#define CODE_FIRST_NS (150 * NS_PER_MS)

struct live_feed {
	const struct sys *sys;
	struct engine *engine;
	uint64_t interval_ns;
	uint64_t ended_ns; /* deadline of the last interval */
	bool begun;
	bool due;            /* the interval is over */
	bool taken;          /* its snapshot was returned, and the next wait follows */
	bool short_interval; /* the current one is short */
};

/* Sets the begin of the current interval: the last deadline that has passed, or now. */
static void begin_interval(struct live_feed *live)
{
	uint64_t now_ns = sys_now_ns(live->sys);

	if (live->taken) {
		uint64_t late_ns = now_ns - live->ended_ns;

		live->ended_ns += late_ns - late_ns % live->interval_ns;
	} else {
		live->ended_ns = now_ns;
	}
	live->taken = false;
	live->begun = true;
}

static int live_wait(void *ctx, uint64_t until_ns, struct error *err)
{
	struct live_feed *live = ctx;

	(void)err;
	if (!live->begun || live->taken)
		begin_interval(live);
	uint64_t length_ns = live->interval_ns;
	if (live->short_interval && length_ns > CODE_FIRST_NS)
		length_ns = CODE_FIRST_NS;
	uint64_t end_ns = live->ended_ns + length_ns;
	bool early = engine_wait(live->engine, end_ns < until_ns ? end_ns : until_ns);
	live->due = !early && end_ns <= until_ns;
	return live->due;
}

static struct snapshot *live_snapshot(void *ctx)
{
	struct live_feed *live = ctx;
	struct snapshot *snapshot = engine_snapshot(live->engine);

	live->taken = live->due;
	live->begun = live->due;
	live->short_interval &= !live->due;
	live->due = false;
	return snapshot;
}

static void live_set_interval(void *ctx, uint64_t interval_ns)
{
	struct live_feed *live = ctx;

	live->interval_ns = interval_ns;
}

static void live_command(void *ctx, const struct command *command)
{
	struct live_feed *live = ctx;

	live->short_interval |= command->kind == COMMAND_CODE && command->number > 0;
	engine_do(live->engine, command);
}

static void live_query(void *ctx, const struct query *query)
{
	struct live_feed *live = ctx;

	engine_query(live->engine, query);
}

static struct reply *live_pop_reply(void *ctx)
{
	struct live_feed *live = ctx;

	return engine_pop_reply(live->engine);
}

static void live_free(void *ctx)
{
	struct live_feed *live = ctx;

	engine_free(live->engine);
	free(live);
}

static const struct feed_ops live_ops = {
	.wait = live_wait,
	.snapshot = live_snapshot,
	.set_interval = live_set_interval,
	.command = live_command,
	.query = live_query,
	.pop_reply = live_pop_reply,
	.free = live_free,
};

void live_init(const struct sys *sys, struct engine *engine, uint64_t interval_ns,
	       struct feed *feed)
{
	struct live_feed *live = xcalloc(1, sizeof(*live));

	*live = (struct live_feed){.sys = sys, .engine = engine, .interval_ns = interval_ns};
	*feed = (struct feed){&live_ops, live};
}
