// SPDX-License-Identifier: MIT
/*
 * Deadlines are counted from the first wait, not from the last snapshot, so a late snapshot does
 * not shift the next ones. `due` is set by a wait that reached its deadline; a snapshot before
 * that (the end of the run) begins a new sequence.
 *
 * A user who has pressed a key waits for its effect, but a key ends no interval. So a request adds
 * short intervals, and the deadlines stay. A short interval takes at least SHORT_NS, and leaves as
 * much to the one that it is a part of. If the deadline is too near for that, there is none.
 */
#include "core/engine/live_feed.h"

#include "core/base/util.h"

#include <stdlib.h>

/* At most four a second. */
#define SHORT_NS (250 * NS_PER_MS)

/* The first interval with samples of code: 30 samples of a busy task at 199 a second. */
#define CODE_FIRST_NS (150 * NS_PER_MS)

struct live_feed {
	const struct sys *sys;
	struct engine *engine;
	uint64_t interval_ns;
	uint64_t ended_ns; /* deadline of the last interval, short ones excepted */
	uint64_t cut_ns;   /* end of the last interval */
	bool begun;
	bool due;         /* the interval is over */
	bool taken;       /* its snapshot was returned, and the next wait follows */
	bool is_short;    /* the current one ends before its deadline */
	bool code_begins; /* the last of `shorts` is the first with samples of code */
	unsigned shorts;  /* short intervals that requests, or the beginning, wait for */
};

/* Sets the begin of the current interval: the last deadline that has passed, or now. */
static void begin_interval(struct live_feed *live)
{
	uint64_t now_ns = sys_now_ns(live->sys);

	if (!live->begun && !live->cut_ns)
		live->cut_ns = now_ns;
	if (live->taken) {
		uint64_t late_ns = now_ns - live->ended_ns;

		live->ended_ns += late_ns - late_ns % live->interval_ns;
	} else {
		live->ended_ns = now_ns;
	}
	live->taken = false;
	live->begun = true;
}

/* The least length of the interval: the usual one, or that of a short one that is wanted. */
static uint64_t least_ns(const struct live_feed *live)
{
	bool of_code = live->code_begins && live->shorts == 1;
	uint64_t short_ns = of_code ? CODE_FIRST_NS : SHORT_NS;

	return live->shorts && short_ns < live->interval_ns ? short_ns : live->interval_ns;
}

/* Returns the end of the current interval. Sets is_short. */
static uint64_t choose_end(struct live_feed *live)
{
	uint64_t deadline_ns = live->ended_ns + live->interval_ns;
	uint64_t now_ns = sys_now_ns(live->sys);
	uint64_t end_ns = live->cut_ns + least_ns(live);

	if (end_ns < now_ns)
		end_ns = now_ns;
	live->is_short = live->shorts > 0 && end_ns + least_ns(live) <= deadline_ns;
	return live->is_short ? end_ns : deadline_ns;
}

static int live_wait(void *ctx, uint64_t until_ns, struct error *err)
{
	struct live_feed *live = ctx;

	(void)err;
	if (!live->begun || live->taken)
		begin_interval(live);
	uint64_t end_ns = choose_end(live);
	bool early = engine_wait(live->engine, end_ns < until_ns ? end_ns : until_ns);
	live->due = !early && end_ns <= until_ns;
	return live->due;
}

static struct snapshot *live_snapshot(void *ctx)
{
	struct live_feed *live = ctx;

	live->shorts -= live->shorts > 0;
	live->code_begins &= live->shorts > 0;
	/* A short interval leaves the rest of the one that it is a part of. */
	uint64_t rest_ns = u64_growth(sys_now_ns(live->sys), live->ended_ns + live->interval_ns);
	bool part = live->due && live->is_short;
	engine_expect(live->engine, part ? u64_min(least_ns(live), rest_ns) : least_ns(live));
	struct snapshot *snapshot = engine_snapshot(live->engine);
	snapshot->cut_short = live->due && live->is_short;
	live->taken = live->due && !live->is_short;
	live->begun = live->due;
	live->due = false;
	live->cut_ns = sys_now_ns(live->sys);
	return snapshot;
}

static void live_set_interval(void *ctx, uint64_t interval_ns)
{
	struct live_feed *live = ctx;

	live->interval_ns = interval_ns;
}

static void live_request(void *ctx, struct request_list *requests)
{
	struct live_feed *live = ctx;

	for (size_t i = 0; i < requests->n; i++)
		live->code_begins |=
			requests->items[i].kind == REQUEST_CODE && requests->items[i].number > 0;
	unsigned shorts = engine_request(live->engine, requests);
	if (live->shorts < shorts)
		live->shorts = shorts;
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
	.request = live_request,
	.free = live_free,
};

void live_init(const struct sys *sys, struct engine *engine, uint64_t interval_ns,
	       bool begins_short, struct feed *feed)
{
	struct live_feed *live = xcalloc(1, sizeof(*live));

	*live = (struct live_feed){
		.sys = sys,
		.engine = engine,
		.interval_ns = interval_ns,
		.shorts = begins_short,
	};
	*feed = (struct feed){.ops = &live_ops, .ctx = live, .replies = engine_replies(engine)};
}
