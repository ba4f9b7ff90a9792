// SPDX-License-Identifier: MIT
/*
 * A struct replay_reader reads the intervals, and this file decides when each of them is due. The
 * reader is usually one interval ahead of the shown one (`at`): only the next snapshot contains
 * the length of its interval. A seek sets a goal (core/replay/replay_goal.h). feed_wait works
 * towards it for at most REPLAY_FEED_TURN_NS and then returns, so the caller can send another
 * request.
 */
#include "core/replay/replay_feed.h"

#include "core/base/util.h"
#include "core/replay/replay_goal.h"
#include "core/replay/replay_reader.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct replay_feed {
	const struct sys *sys;
	struct replay_index *index;
	struct replay_reader reader;
	struct playback playback; /* some members are filled by replay_feed_playback() alone */
	bool stays;
	uint64_t interval_ns; /* interval of the snapshots of a perf recording */

	uint64_t at; /* number of the shown interval; 0: none */
	struct replay_goal goal;
	bool fresh;        /* `at` was not returned by replay_feed_snapshot() yet */
	bool due;          /* interval `at` + 1 is due */
	bool news;         /* the playback has changed */
	uint64_t shown_ns; /* when the last snapshot was returned, CLOCK_MONOTONIC */
};

__attribute__((format(printf, 2, 3))) static void set_text(struct replay_feed *feed,
							   const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(feed->playback.text, sizeof(feed->playback.text), format, arguments);
	va_end(arguments);
	feed->playback.n_texts++;
	feed->news = true;
}

static void set_seeking(struct replay_feed *feed, bool seeking)
{
	feed->news |= feed->playback.seeking != seeking;
	feed->playback.seeking = seeking;
}

static bool has_news(const struct replay_feed *feed)
{
	return feed->news || feed->reader.changed;
}

static void show_number(struct replay_feed *feed, uint64_t number)
{
	const struct snapshot *snapshot = replay_reader_at(&feed->reader, number);

	feed->at = number;
	feed->playback.position_ns = snapshot->offset_ns;
	feed->playback.time_ns = snapshot->time_ns;
	feed->goal.kind = REPLAY_GOAL_NONE;
	feed->fresh = true;
	set_seeking(feed, false);
}

static void drop_goal(struct replay_feed *feed)
{
	feed->goal.kind = REPLAY_GOAL_NONE;
	feed->at = feed->reader.last;
	set_seeking(feed, false);
}

static enum replay_goal_step step_to_goal(struct replay_feed *feed)
{
	uint64_t number;
	const char *text = NULL;
	enum replay_goal_step step = replay_goal_step(&feed->goal, &feed->reader, &number, &text);

	if (text)
		set_text(feed, "%s", text);
	if (step == REPLAY_GOAL_REACHED)
		show_number(feed, number);
	else if (step == REPLAY_GOAL_FAILED)
		drop_goal(feed);
	return step;
}

static int wait_for_pipe(struct replay_feed *feed, uint64_t until_ns)
{
	struct pollfd more = {.fd = replay_fd(feed->reader.replay), .events = POLLIN};

	sys_wait(feed->sys, &more, more.fd >= 0, until_ns);
	return 0;
}

static int wait_goal(struct replay_feed *feed, uint64_t until_ns)
{
	uint64_t stop_ns = sys_now_ns(feed->sys) + REPLAY_FEED_TURN_NS;
	enum replay_goal_step step = REPLAY_GOAL_NEARER;

	while (step == REPLAY_GOAL_NEARER && sys_now_ns(feed->sys) < stop_ns)
		step = step_to_goal(feed);
	if (feed->fresh)
		return 1;
	set_seeking(feed, feed->goal.kind != REPLAY_GOAL_NONE);
	if (step == REPLAY_GOAL_WAITS && !has_news(feed))
		return wait_for_pipe(feed, until_ns);
	return 0;
}

static bool at_end(const struct replay_feed *feed)
{
	return replay_reader_at_end(&feed->reader) && feed->at == feed->reader.last;
}

/* Paused, or at the end: the feed ends, or waits for a request. */
static int wait_request(struct replay_feed *feed, uint64_t until_ns, struct error *err)
{
	const struct error *broken = &feed->reader.broken;

	if (!feed->stays && at_end(feed)) {
		if (!broken->text[0])
			return -ENODATA;
		*err = *broken;
		/* -ENODATA is the plain end of a feed. */
		return broken->code == -ENODATA ? -EIO : broken->code;
	}
	sys_wait(feed->sys, NULL, 0, until_ns);
	return 0;
}

/* Real time between two snapshots. */
static uint64_t pace_ns(const struct replay_feed *feed, uint64_t interval_ns)
{
	uint32_t speed = feed->playback.speed;

	if (speed == PLAYBACK_SPEED_MAX || replay_is_whole(feed->reader.replay))
		return 0;
	return (uint64_t)((double)interval_ns * PLAYBACK_SPEED_ONE / speed);
}

static int wait_next(struct replay_feed *feed, uint64_t until_ns)
{
	struct replay_reader *reader = &feed->reader;

	if (feed->at == reader->last) {
		int rc = replay_reader_next(reader);

		if (has_news(feed))
			return 0;
		if (rc == -EAGAIN)
			return wait_for_pipe(feed, until_ns);
	}
	if (feed->at == reader->last)
		return 0;

	const struct snapshot *next = replay_reader_at(reader, feed->at + 1);
	uint64_t due_ns = feed->at ? feed->shown_ns + pace_ns(feed, next->interval_ns) : 0;

	feed->due = sys_now_ns(feed->sys) >= due_ns;
	if (!feed->due && sys_wait(feed->sys, NULL, 0, due_ns < until_ns ? due_ns : until_ns) == 0)
		feed->due = due_ns <= until_ns;
	return feed->due;
}

static int replay_feed_wait(void *ctx, uint64_t until_ns, struct error *err)
{
	struct replay_feed *feed = ctx;

	feed->due = feed->news = feed->reader.changed = false;
	if (feed->fresh)
		return 1;
	if (feed->goal.kind != REPLAY_GOAL_NONE)
		return wait_goal(feed, until_ns);
	if ((feed->playback.paused && feed->at > 0) || at_end(feed))
		return wait_request(feed, until_ns, err);
	return wait_next(feed, until_ns);
}

static struct snapshot *replay_feed_snapshot(void *ctx)
{
	struct replay_feed *feed = ctx;
	uint64_t now_ns = sys_now_ns(feed->sys), due_ns = now_ns;

	if (!feed->fresh && !feed->due)
		return NULL;
	if (feed->due && !feed->fresh) {
		const struct snapshot *next = replay_reader_at(&feed->reader, feed->at + 1);
		uint64_t pace = pace_ns(feed, next->interval_ns);

		/* A snapshot that is a little late does not delay the next ones. */
		if (feed->at && now_ns < feed->shown_ns + 2 * pace)
			due_ns = feed->shown_ns + pace;
		show_number(feed, feed->at + 1);
	}
	feed->fresh = feed->due = false;
	feed->shown_ns = due_ns;
	return snapshot_ref(replay_reader_at(&feed->reader, feed->at));
}

static void go_to_number(struct replay_feed *feed, uint64_t number)
{
	feed->goal = (struct replay_goal){.kind = REPLAY_GOAL_NUMBER, .number = number};
	feed->fresh = false;
}

static void go_to_position(struct replay_feed *feed, uint64_t position_ns)
{
	uint64_t begin_ns, end_ns;

	if (position_ns == 0)
		position_ns = 1;
	/* The index may contain the end: the file need not be read twice to reach it. */
	if (feed->index && replay_index_bounds(feed->index, &begin_ns, &end_ns) &&
	    end_ns > begin_ns && position_ns > end_ns - begin_ns)
		position_ns = end_ns - begin_ns;
	feed->goal = (struct replay_goal){.kind = REPLAY_GOAL_POSITION, .position_ns = position_ns};
	feed->fresh = false;
}

static void show_intervals(struct replay_feed *feed)
{
	go_to_position(feed, feed->playback.position_ns);
	feed->reader.end_known = false;
	replay_reader_rewind(&feed->reader);
}

/*
 * If a profile is shown as one interval, divides it into intervals and shows the last one, because
 * there is no other to go to. Returns whether it was shown as one.
 */
static bool leave_whole(struct replay_feed *feed)
{
	if (!replay_is_whole(feed->reader.replay))
		return false;
	feed->playback.paused = true;
	replay_set_interval(feed->reader.replay, feed->interval_ns);
	show_intervals(feed);
	return true;
}

static void step_by(struct replay_feed *feed, const struct request *request)
{
	int64_t intervals = request->number;

	if (leave_whole(feed))
		return;
	uint64_t from = feed->goal.kind == REPLAY_GOAL_NUMBER ? feed->goal.number : feed->at;

	feed->playback.paused = true;
	if (intervals < 0 && from <= 1)
		set_text(feed, "This is the beginning of the recording.");
	else if (intervals > 0 && at_end(feed) && feed->goal.kind == REPLAY_GOAL_NONE)
		set_text(feed, REPLAY_AT_END);
	else if (intervals < 0)
		go_to_number(feed, from > (uint64_t)-intervals ? from - (uint64_t)-intervals : 1);
	else
		go_to_number(feed, from + (uint64_t)intervals);
}

static void seek_by(struct replay_feed *feed, const struct request *request)
{
	int64_t ns = request->number;

	leave_whole(feed);
	uint64_t from_ns = feed->playback.position_ns;

	if (feed->goal.kind == REPLAY_GOAL_POSITION)
		from_ns = feed->goal.position_ns;
	if (ns < 0)
		go_to_position(feed, u64_growth((uint64_t)-ns, from_ns));
	else
		go_to_position(feed, from_ns + (uint64_t)ns);
}

static void set_paused(struct replay_feed *feed, const struct request *request)
{
	feed->playback.paused = request->number != 0;
	if (feed->playback.paused)
		return;
	feed->shown_ns = sys_now_ns(feed->sys);
	if (at_end(feed))
		set_text(feed, REPLAY_AT_END);
}

/* Drops the kept snapshots, which do not have the new figures. */
static void change_figures(struct replay_feed *feed, const struct request *request)
{
	struct replay_reader *reader = &feed->reader;

	replay_do(reader->replay, request);
	if (!replay_reader_can_rewind(reader))
		return;
	if (feed->index)
		replay_index_do(feed->index, request);
	if (feed->playback.paused || at_end(feed)) {
		if (feed->goal.kind == REPLAY_GOAL_NONE)
			go_to_number(feed, feed->at ? feed->at : 1);
		replay_reader_drop_before(reader, UINT64_MAX);
	} else if (feed->goal.kind == REPLAY_GOAL_NONE) {
		replay_reader_drop_before(reader, feed->at + 1);
	}
}

/* Shows a profile as one interval again: it is read from its beginning. */
static void join_intervals(struct replay_feed *feed)
{
	if (replay_is_whole(feed->reader.replay))
		return;
	if (!replay_set_whole(feed->reader.replay)) {
		set_text(feed, "Only a profile in a file can be shown as one interval.");
		return;
	}
	feed->goal.kind = REPLAY_GOAL_NONE;
	feed->fresh = feed->playback.paused = false;
	feed->at = 0;
	feed->reader.end_known = false;
	replay_reader_rewind(&feed->reader);
}

static void seek_to(struct replay_feed *feed, const struct request *request)
{
	leave_whole(feed);
	go_to_position(feed, request->number > 0 ? (uint64_t)request->number : 0);
}

static void set_speed(struct replay_feed *feed, const struct request *request)
{
	feed->playback.speed = (uint32_t)request->number;
}

static void set_whole(struct replay_feed *feed, const struct request *request)
{
	if (request->number)
		join_intervals(feed);
	else
		leave_whole(feed);
}

#define NOTHING           NULL
#define PLACE(function)   function
#define FIGURES(function) change_figures
#define REFUSED(why)      change_figures

static void (*const acts[REQUEST_KINDS])(struct replay_feed *feed,
					 const struct request *request) = {
#define REQUEST(kind, when, live, replay) [REQUEST_##kind] = (replay),
#include "core/engine/request.def"
#undef REQUEST
};

static void replay_feed_request(void *ctx, struct request_list *requests)
{
	for (size_t i = 0; i < requests->n; i++) {
		const struct request *request = &requests->items[i];

		if (acts[request->kind])
			acts[request->kind](ctx, request);
	}
	request_list_clear(requests);
}

static void replay_feed_set_interval(void *ctx, uint64_t interval_ns)
{
	struct replay_feed *feed = ctx;

	if (replay_is_native(feed->reader.replay)) {
		set_text(feed, "The recording has its own intervals. [ and ] change the speed.");
		return;
	}
	replay_set_interval(feed->reader.replay, interval_ns);
	feed->interval_ns = interval_ns;
	if (!replay_reader_can_rewind(&feed->reader) || feed->at == 0)
		return;
	/* The new intervals have other numbers. */
	show_intervals(feed);
}

static void fill_length(const struct replay_feed *feed, struct playback *playback)
{
	uint64_t begin_ns, end_ns;

	playback->final = feed->reader.end_known;
	playback->length_ns = feed->reader.farthest_ns;
	if (!feed->index)
		return;
	playback->final |= replay_index_bounds(feed->index, &begin_ns, &end_ns);
	if (end_ns - begin_ns > playback->length_ns)
		playback->length_ns = end_ns - begin_ns;
}

static void replay_feed_playback(void *ctx, struct playback *out)
{
	struct replay_feed *feed = ctx;
	const struct replay_reader *reader = &feed->reader;
	struct playback *playback = &feed->playback;

	playback->native = replay_is_native(reader->replay);
	playback->profile = replay_is_profile(reader->replay);
	playback->every_ns = playback->native ? reader->usual_ns : feed->interval_ns;
	playback->begin_real_ns = reader->begin_real_ns;
	playback->waiting = reader->waiting;
	text_copy(playback->broken, sizeof(playback->broken), reader->broken.text);
	playback->seeking_percent =
		playback->seeking ? replay_goal_percent(&feed->goal, reader) : 0;
	fill_length(feed, playback);
	/* The index may contain the end before the reader has reached it. */
	playback->ended = feed->goal.kind == REPLAY_GOAL_NONE &&
			  (at_end(feed) || (feed->at > 0 && playback->final &&
					    playback->position_ns >= playback->length_ns));
	memcpy(out, playback, sizeof(*out));
}

static void replay_feed_free(void *ctx)
{
	struct replay_feed *feed = ctx;

	replay_reader_fini(&feed->reader);
	free(feed);
}

static const struct feed_ops replay_feed_ops = {
	.wait = replay_feed_wait,
	.snapshot = replay_feed_snapshot,
	.set_interval = replay_feed_set_interval,
	.request = replay_feed_request,
	.playback = replay_feed_playback,
	.free = replay_feed_free,
};

int replay_feed_open(const struct sys *sys, const struct replay_feed_config *config,
		     struct feed *out, struct error *err)
{
	const char *path = config->replay.path, *slash = strrchr(path, '/');
	struct replay *replay;
	int rc = replay_new(sys, &config->replay, &replay, err);

	if (rc)
		return rc;
	struct replay_feed *feed = xcalloc(1, sizeof(*feed));
	feed->sys = sys;
	feed->index = config->index;
	feed->stays = config->stays;
	feed->interval_ns = config->replay.interval_ns;
	feed->playback.speed = config->speed;
	feed->playback.pipe = !replay_can_rewind(replay);
	text_copy(feed->playback.name, sizeof(feed->playback.name),
		  slash && slash[1] ? slash + 1 : path);
	replay_reader_init(&feed->reader, replay, feed->playback.pipe ? config->index : NULL,
			   feed->playback.name);
	*out = (struct feed){.ops = &replay_feed_ops, .ctx = feed};
	return 0;
}
