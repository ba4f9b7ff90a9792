// SPDX-License-Identifier: MIT
/*
 * Intervals are numbered from the beginning, from 1 on. The reader is behind number reel.last, and
 * the one that is shown is `at`, usually the one before: the next has been read ahead, since only
 * it knows how long its interval is. Whoever wants to be elsewhere sets a goal, which feed_wait
 * comes nearer to.
 */
#include "core/replay/replay_feed.h"

#include "core/base/util.h"
#include "core/replay/snapshot_cache.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL_MOST = 4 }; /* so many others make another interval the usual one */

/* Where to: the picture of that number, or the first one that ends there or later. */
enum goal {
	GOAL_NONE,
	GOAL_NUMBER,
	GOAL_POSITION,
};

struct replay_feed {
	const struct sys *sys;
	struct replay *replay;
	struct replay_index *replay_index;
	struct playback
		playback; /* what of it is kept up to date: the others playback() fills in */
	bool stays;

	struct snapshot_cache cache;
	uint64_t at;
	bool begun;                /* the first has been read */
	uint64_t begin_ns;         /* in the time of snapshots */
	uint64_t read_position_ns; /* of number reel.last */
	uint64_t farthest_ns;      /* position that was ever read */
	uint64_t interval_ns;      /* how long the last one was */
	uint64_t asked_ns;         /* how long they are to be, where they are not recorded */
	uint64_t usual_ns;         /* how long most of the last ones were ... */
	unsigned n_usual;          /* ... and how sure that is */
	bool end_known;            /* nothing is behind number `last` ... */
	uint64_t last;
	struct error broken; /* ... why, where it is no end */

	enum goal goal;
	uint64_t goal_number, goal_ns;
	bool fresh;        /* `at` has not been handed over yet */
	bool due;          /* the next one is */
	bool news;         /* the playback tells something new */
	uint64_t shown_ns; /* when the last one was handed over, CLOCK_MONOTONIC */
};

__attribute__((format(printf, 2, 3))) static void say(struct replay_feed *replay_feed,
						      const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(replay_feed->playback.text, sizeof(replay_feed->playback.text), format,
		  arguments);
	va_end(arguments);
	replay_feed->playback.told++;
	replay_feed->news = true;
}

static void set_flag(struct replay_feed *replay_feed, bool *flag, bool value)
{
	replay_feed->news |= *flag != value;
	*flag = value;
}

static uint64_t position_of(const struct replay_feed *replay_feed, uint64_t time_ns)
{
	return u64_growth(replay_feed->begin_ns, time_ns);
}

/* ---- reading */

static bool is_all(const struct replay_feed *replay_feed)
{
	return replay_feed->end_known && replay_feed->cache.last == replay_feed->last;
}

static bool can_rewind(const struct replay_feed *replay_feed)
{
	return replay_can_rewind(replay_feed->replay);
}

static void has_read(struct replay_feed *replay_feed, uint64_t time_ns)
{
	replay_feed->read_position_ns = position_of(replay_feed, time_ns);
	if (replay_feed->read_position_ns > replay_feed->farthest_ns)
		replay_feed->farthest_ns = replay_feed->read_position_ns;
}

static void has_ended(struct replay_feed *replay_feed, int rc, const struct error *err)
{
	replay_feed->end_known = true;
	replay_feed->last = replay_feed->cache.last;
	replay_feed->news = true;
	if (rc < 0) {
		replay_feed->broken = *err;
		text_copy(replay_feed->playback.broken, sizeof(replay_feed->playback.broken),
			  err->text);
	}
	if (replay_feed->replay_index && replay_feed->playback.pipe)
		replay_index_finish(replay_feed->replay_index);
}

static void begin(struct replay_feed *replay_feed, const struct snapshot *snapshot)
{
	replay_feed->begun = true;
	replay_feed->begin_ns = u64_growth(snapshot->interval_ns, snapshot->time_ns);
	replay_feed->playback.begin_real_ns =
		u64_growth(snapshot->interval_ns, snapshot->realtime_ns);
}

/*
 * Of a recording of ours nobody tells the interval, and it may have been changed on the way. Those
 * that are odd, the first and the last, are shorter than the others.
 */
static void see_interval(struct replay_feed *replay_feed, uint64_t ns)
{
	uint64_t usual_ns = replay_feed->usual_ns;
	bool near = ns >= usual_ns - usual_ns / 10 && ns <= usual_ns + usual_ns / 10;

	if (near && replay_feed->n_usual < USUAL_MOST) {
		replay_feed->n_usual++;
	} else if (!near &&
		   (replay_feed->n_usual > 1 || (replay_feed->n_usual == 1 && ns < usual_ns))) {
		replay_feed->n_usual--;
		return;
	} else if (!near) {
		replay_feed->n_usual = 1;
	}
	replay_feed->usual_ns = ns;
}

/* The next picture: 1, 0 at the end of all, or -EAGAIN. */
static int read_next(struct replay_feed *replay_feed)
{
	struct snapshot *snapshot;
	struct error err;
	int rc = is_all(replay_feed) ? 0 : replay_next(replay_feed->replay, &snapshot, &err);

	if (rc == 1) {
		text_copy(snapshot->replay, sizeof(snapshot->replay), replay_feed->playback.name);
		if (!replay_feed->begun)
			begin(replay_feed, snapshot);
		if (replay_feed->replay_index && replay_feed->playback.pipe)
			replay_index_add(replay_feed->replay_index, snapshot);
		snapshot->offset_ns = position_of(replay_feed, snapshot->time_ns);
		snapshot_cache_keep(&replay_feed->cache, snapshot, replay_feed->read_position_ns);
		replay_feed->interval_ns = snapshot->interval_ns;
		see_interval(replay_feed, snapshot->interval_ns);
		has_read(replay_feed, snapshot->time_ns);
	} else if (rc != -EAGAIN && !is_all(replay_feed)) {
		has_ended(replay_feed, rc, &err);
	}
	set_flag(replay_feed, &replay_feed->playback.waiting, rc == -EAGAIN);
	return rc == 1 || rc == -EAGAIN ? rc : 0;
}

/* The same without the picture: then none is kept. */
static int skip_next(struct replay_feed *replay_feed)
{
	uint64_t time_ns;
	struct error err;
	int rc = is_all(replay_feed) ? 0 : replay_skip(replay_feed->replay, &time_ns, &err);

	if (rc == 1) {
		snapshot_cache_skip(&replay_feed->cache);
		has_read(replay_feed, time_ns);
	} else if (rc != -EAGAIN && !is_all(replay_feed)) {
		has_ended(replay_feed, rc, &err);
	}
	return rc == 1 || rc == -EAGAIN ? rc : 0;
}

static int rewind_it(struct replay_feed *replay_feed)
{
	struct error err;
	int rc = replay_rewind(replay_feed->replay, &err);

	snapshot_cache_rewind(&replay_feed->cache);
	replay_feed->read_position_ns = 0;
	if (rc)
		has_ended(replay_feed, rc, &err);
	return rc;
}

/* ---- going somewhere */

static void reach(struct replay_feed *replay_feed, uint64_t number)
{
	const struct snapshot *snapshot = snapshot_cache_at(&replay_feed->cache, number);

	replay_feed->at = number;
	replay_feed->playback.position_ns = snapshot->offset_ns;
	replay_feed->playback.time_ns = snapshot->time_ns;
	replay_feed->goal = GOAL_NONE;
	replay_feed->fresh = true;
	set_flag(replay_feed, &replay_feed->playback.seeking, false);
}

static void give_up(struct replay_feed *replay_feed)
{
	replay_feed->goal = GOAL_NONE;
	replay_feed->at = replay_feed->cache.last;
	set_flag(replay_feed, &replay_feed->playback.seeking, false);
}

/* It is nearer to the beginning than what is kept. */
static void go_back(struct replay_feed *replay_feed)
{
	if (can_rewind(replay_feed)) {
		if (rewind_it(replay_feed))
			give_up(replay_feed);
		return;
	}
	say(replay_feed,
	    "Farther back is not kept of what came through a pipe: a file can be read again.");
	if (replay_feed->cache.n > 0)
		reach(replay_feed, snapshot_cache_oldest(&replay_feed->cache));
	else
		give_up(replay_feed);
}

/* All has been read, and the goal was not there. */
static void stop_at_end(struct replay_feed *replay_feed)
{
	if (replay_feed->goal == GOAL_NUMBER && replay_feed->goal_number > replay_feed->cache.last)
		say(replay_feed, "This is the end of the recording.");
	if (replay_feed->cache.last == 0) {
		give_up(replay_feed);
	} else if (snapshot_cache_has(&replay_feed->cache, replay_feed->cache.last)) {
		reach(replay_feed, replay_feed->cache.last);
	} else {
		replay_feed->goal = GOAL_NUMBER;
		replay_feed->goal_number = replay_feed->cache.last;
	}
}

/* Whether what comes next is so far from the goal that nobody is going to look at it. */
static bool is_far(const struct replay_feed *replay_feed)
{
	if (!can_rewind(replay_feed) || !replay_feed->begun)
		return false;
	if (replay_feed->goal == GOAL_NUMBER)
		return replay_feed->cache.last + REPLAY_FEED_BACK < replay_feed->goal_number;
	return replay_feed->goal_ns > replay_feed->read_position_ns &&
	       replay_feed->goal_ns - replay_feed->read_position_ns >
		       REPLAY_FEED_BACK * replay_feed->interval_ns;
}

/* An interval nearer to the goal, or there; false where a pipe has no more yet. */
static bool step_to_goal(struct replay_feed *replay_feed)
{
	bool by_number = replay_feed->goal == GOAL_NUMBER;
	uint64_t found =
		by_number ? replay_feed->goal_number * snapshot_cache_has(&replay_feed->cache,
									  replay_feed->goal_number)
			  : snapshot_cache_find(&replay_feed->cache, replay_feed->goal_ns);

	if (found) {
		reach(replay_feed, found);
		return true;
	}
	if (by_number ? replay_feed->goal_number <= replay_feed->cache.last
		      : replay_feed->cache.last > 0 &&
				replay_feed->goal_ns <= replay_feed->read_position_ns) {
		go_back(replay_feed);
		return true;
	}
	bool far = is_far(replay_feed);
	int rc = far ? skip_next(replay_feed) : read_next(replay_feed);
	if (rc == 0)
		stop_at_end(replay_feed);
	else if (far && !by_number && replay_feed->read_position_ns >= replay_feed->goal_ns) {
		/* An interval longer than the others was skipped, which is the one. */
		replay_feed->goal = GOAL_NUMBER;
		replay_feed->goal_number = replay_feed->cache.last;
	}
	return rc != -EAGAIN;
}

/* In hundredths; what lies behind what was ever read may be any time away. */
static uint32_t seeking_percent(const struct replay_feed *replay_feed)
{
	uint64_t all = replay_feed->goal_number, done = replay_feed->cache.last;

	if (replay_feed->goal == GOAL_POSITION) {
		all = replay_feed->goal_ns / NS_PER_MS;
		done = replay_feed->read_position_ns / NS_PER_MS;
	}
	return all > done ? (uint32_t)((double)done / (double)all * 100) : 100;
}

static int wait_for_pipe(struct replay_feed *replay_feed, uint64_t until_ns)
{
	struct pollfd more = {.fd = replay_fd(replay_feed->replay), .events = POLLIN};

	sys_wait(replay_feed->sys, &more, more.fd >= 0, until_ns);
	return 0;
}

static int work(struct replay_feed *replay_feed, uint64_t until_ns)
{
	uint64_t bit_ns = sys_now_ns(replay_feed->sys) + REPLAY_FEED_BIT_NS;
	bool more = true;

	while (replay_feed->goal != GOAL_NONE && more && sys_now_ns(replay_feed->sys) < bit_ns)
		more = step_to_goal(replay_feed);
	if (replay_feed->fresh)
		return 1;
	set_flag(replay_feed, &replay_feed->playback.seeking, replay_feed->goal != GOAL_NONE);
	if (!more && !replay_feed->news)
		return wait_for_pipe(replay_feed, until_ns);
	return 0;
}

/* ---- playing */

static bool at_end(const struct replay_feed *replay_feed)
{
	return is_all(replay_feed) && replay_feed->at == replay_feed->cache.last;
}

/* The feed is over, or waits for someone to go back. */
static int rest(struct replay_feed *replay_feed, uint64_t until_ns, struct error *err)
{
	if (!replay_feed->stays && at_end(replay_feed)) {
		if (!replay_feed->broken.text[0])
			return -ENODATA;
		*err = replay_feed->broken;
		/* Not the plain end, whatever the reader calls it. */
		return replay_feed->broken.code == -ENODATA ? -EIO : replay_feed->broken.code;
	}
	sys_wait(replay_feed->sys, NULL, 0, until_ns);
	return 0;
}

static uint64_t pace_ns(const struct replay_feed *replay_feed, uint64_t interval_ns)
{
	uint32_t speed = replay_feed->playback.speed;

	if (speed == PLAYBACK_SPEED_MAX)
		return 0;
	return (uint64_t)((double)interval_ns * PLAYBACK_SPEED_ONE / speed);
}

static int play(struct replay_feed *replay_feed, uint64_t until_ns)
{
	if (replay_feed->at == replay_feed->cache.last) {
		int rc = read_next(replay_feed);

		if (replay_feed->news)
			return 0;
		if (rc == -EAGAIN)
			return wait_for_pipe(replay_feed, until_ns);
	}
	if (replay_feed->at == replay_feed->cache.last)
		return 0;

	const struct snapshot *next = snapshot_cache_at(&replay_feed->cache, replay_feed->at + 1);
	uint64_t due_ns = replay_feed->at
				  ? replay_feed->shown_ns + pace_ns(replay_feed, next->interval_ns)
				  : 0;

	replay_feed->due = sys_now_ns(replay_feed->sys) >= due_ns;
	if (!replay_feed->due &&
	    sys_wait(replay_feed->sys, NULL, 0, due_ns < until_ns ? due_ns : until_ns) == 0)
		replay_feed->due = due_ns <= until_ns;
	return replay_feed->due;
}

static int replay_feed_wait(void *ctx, uint64_t until_ns, struct error *err)
{
	struct replay_feed *replay_feed = ctx;

	replay_feed->due = replay_feed->news = false;
	if (replay_feed->fresh)
		return 1;
	if (replay_feed->goal != GOAL_NONE)
		return work(replay_feed, until_ns);
	if ((replay_feed->playback.paused && replay_feed->at > 0) || at_end(replay_feed))
		return rest(replay_feed, until_ns, err);
	return play(replay_feed, until_ns);
}

static struct snapshot *replay_feed_snapshot(void *ctx)
{
	struct replay_feed *replay_feed = ctx;
	uint64_t now_ns = sys_now_ns(replay_feed->sys), due_ns = now_ns;

	if (!replay_feed->fresh && !replay_feed->due)
		return NULL;
	if (replay_feed->due && !replay_feed->fresh) {
		const struct snapshot *next =
			snapshot_cache_at(&replay_feed->cache, replay_feed->at + 1);
		uint64_t pace = pace_ns(replay_feed, next->interval_ns);

		/* One that comes a little late does not delay those behind it. */
		if (replay_feed->at && now_ns < replay_feed->shown_ns + 2 * pace)
			due_ns = replay_feed->shown_ns + pace;
		reach(replay_feed, replay_feed->at + 1);
	}
	replay_feed->fresh = replay_feed->due = false;
	replay_feed->shown_ns = due_ns;
	return snapshot_ref(snapshot_cache_at(&replay_feed->cache, replay_feed->at));
}

/* ---- what is asked of it */

static void go_to_number(struct replay_feed *replay_feed, uint64_t number)
{
	replay_feed->goal = GOAL_NUMBER;
	replay_feed->goal_number = number;
	replay_feed->fresh = false;
}

static void go_to_position(struct replay_feed *replay_feed, uint64_t position_ns)
{
	uint64_t begin_ns, end_ns;

	replay_feed->goal = GOAL_POSITION;
	replay_feed->goal_ns = position_ns ? position_ns : 1;
	replay_feed->fresh = false;
	/* Nearer than "somewhere behind": then it need not be read twice. */
	if (replay_feed->replay_index &&
	    replay_index_bounds(replay_feed->replay_index, &begin_ns, &end_ns) &&
	    end_ns > begin_ns && replay_feed->goal_ns > end_ns - begin_ns)
		replay_feed->goal_ns = end_ns - begin_ns;
}

static void step(struct replay_feed *replay_feed, int64_t intervals)
{
	uint64_t from =
		replay_feed->goal == GOAL_NUMBER ? replay_feed->goal_number : replay_feed->at;

	replay_feed->playback.paused = true;
	if (intervals < 0 && from <= 1)
		say(replay_feed, "This is the beginning of the recording.");
	else if (intervals > 0 && at_end(replay_feed) && replay_feed->goal == GOAL_NONE)
		say(replay_feed, "This is the end of the recording.");
	else if (intervals < 0)
		go_to_number(replay_feed,
			     from > (uint64_t)-intervals ? from - (uint64_t)-intervals : 1);
	else
		go_to_number(replay_feed, from + (uint64_t)intervals);
}

static void seek_by(struct replay_feed *replay_feed, int64_t ns)
{
	uint64_t from_ns = replay_feed->playback.position_ns;

	if (replay_feed->goal == GOAL_POSITION)
		from_ns = replay_feed->goal_ns;
	if (ns < 0)
		go_to_position(replay_feed, u64_growth((uint64_t)-ns, from_ns));
	else
		go_to_position(replay_feed, from_ns + (uint64_t)ns);
}

static void go_on(struct replay_feed *replay_feed)
{
	replay_feed->shown_ns = sys_now_ns(replay_feed->sys);
	if (at_end(replay_feed))
		say(replay_feed, "This is the end of the recording.");
}

/* Other figures: what is kept does not have them. */
static void change(struct replay_feed *replay_feed, const struct command *command)
{
	replay_do(replay_feed->replay, command);
	if (!can_rewind(replay_feed))
		return;
	if (replay_feed->replay_index)
		replay_index_do(replay_feed->replay_index, command);
	if (replay_feed->playback.paused || at_end(replay_feed)) {
		if (replay_feed->goal == GOAL_NONE)
			go_to_number(replay_feed, replay_feed->at ? replay_feed->at : 1);
		snapshot_cache_drop_before(&replay_feed->cache, UINT64_MAX);
	} else if (replay_feed->goal == GOAL_NONE) {
		snapshot_cache_drop_before(&replay_feed->cache, replay_feed->at + 1);
	}
}

static void replay_feed_command(void *ctx, const struct command *command)
{
	struct replay_feed *replay_feed = ctx;

	switch (command->kind) {
	case COMMAND_PAUSE:
		replay_feed->playback.paused = command->number != 0;
		if (!replay_feed->playback.paused)
			go_on(replay_feed);
		break;
	case COMMAND_STEP:
		step(replay_feed, command->number);
		break;
	case COMMAND_SEEK_BY:
		seek_by(replay_feed, command->number);
		break;
	case COMMAND_SEEK_TO:
		go_to_position(replay_feed, command->number > 0 ? (uint64_t)command->number : 0);
		break;
	case COMMAND_SPEED:
		replay_feed->playback.speed = (uint32_t)command->number;
		break;
	case COMMAND_ADD_EVENTS:
	case COMMAND_ADD_METRIC:
	case COMMAND_REMOVE:
	case COMMAND_LEVELS:
	case COMMAND_PRESET:
	case COMMAND_ATTACH:
	case COMMAND_COMMAND_LINES:
	case COMMAND_IDLE:
	case COMMAND_DISMISS:
	case COMMAND_RECORD:
		change(replay_feed, command);
		break;
	}
}

static void replay_feed_set_interval(void *ctx, uint64_t interval_ns)
{
	struct replay_feed *replay_feed = ctx;

	if (replay_is_native(replay_feed->replay)) {
		say(replay_feed,
		    "The intervals are those that were recorded: [ and ] change the speed.");
		return;
	}
	replay_set_interval(replay_feed->replay, interval_ns);
	replay_feed->asked_ns = interval_ns;
	if (!can_rewind(replay_feed) || replay_feed->at == 0)
		return;
	/* Numbers are others from here on. */
	go_to_position(replay_feed, replay_feed->playback.position_ns);
	replay_feed->end_known = false;
	rewind_it(replay_feed);
}

/* Nobody can tell what could be counted there. */
static void replay_feed_query(void *ctx, const struct query *query)
{
	(void)ctx, (void)query;
}

static struct reply *replay_feed_pop_reply(void *ctx)
{
	(void)ctx;
	return NULL;
}

static void replay_feed_playback(void *ctx, struct playback *playback)
{
	struct replay_feed *replay_feed = ctx;
	uint64_t begin_ns, end_ns;

	replay_feed->playback.whole = replay_feed->end_known;
	replay_feed->playback.native = replay_is_native(replay_feed->replay);
	replay_feed->playback.every_ns =
		replay_feed->playback.native ? replay_feed->usual_ns : replay_feed->asked_ns;
	replay_feed->playback.length_ns = replay_feed->farthest_ns;
	replay_feed->playback.seeking_percent =
		replay_feed->playback.seeking ? seeking_percent(replay_feed) : 0;
	if (replay_feed->replay_index) {
		replay_feed->playback.whole |=
			replay_index_bounds(replay_feed->replay_index, &begin_ns, &end_ns);
		if (end_ns - begin_ns > replay_feed->playback.length_ns)
			replay_feed->playback.length_ns = end_ns - begin_ns;
	}
	/* The survey may know that it is the last when nobody has tried to read on. */
	replay_feed->playback.ended =
		replay_feed->goal == GOAL_NONE &&
		(at_end(replay_feed) ||
		 (replay_feed->at > 0 && replay_feed->playback.whole &&
		  replay_feed->playback.position_ns >= replay_feed->playback.length_ns));
	memcpy(playback, &replay_feed->playback, sizeof(*playback));
}

/* ---- all of it */

static void replay_feed_free(void *ctx)
{
	struct replay_feed *replay_feed = ctx;

	snapshot_cache_drop_before(&replay_feed->cache, UINT64_MAX);
	replay_free(replay_feed->replay);
	free(replay_feed);
}

static const struct feed_ops replay_feed_ops = {
	.wait = replay_feed_wait,
	.snapshot = replay_feed_snapshot,
	.set_interval = replay_feed_set_interval,
	.command = replay_feed_command,
	.ask = replay_feed_query,
	.pop_reply = replay_feed_pop_reply,
	.playback = replay_feed_playback,
	.free = replay_feed_free,
};

int replay_feed_open(const struct sys *sys, const struct replay_feed_config *config,
		     struct feed *feed, struct error *err)
{
	const char *path = config->replay.path, *slash = strrchr(path, '/');
	struct replay_feed *replay_feed = xcalloc(1, sizeof(*replay_feed));
	int rc = replay_new(sys, &config->replay, &replay_feed->replay, err);

	if (rc) {
		free(replay_feed);
		return rc;
	}
	replay_feed->sys = sys;
	replay_feed->replay_index = config->replay_index;
	replay_feed->stays = config->stays;
	replay_feed->asked_ns = config->replay.interval_ns;
	replay_feed->playback.speed = config->speed;
	replay_feed->playback.pipe = !replay_can_rewind(replay_feed->replay);
	text_copy(replay_feed->playback.name, sizeof(replay_feed->playback.name),
		  slash && slash[1] ? slash + 1 : path);
	*feed = (struct feed){&replay_feed_ops, replay_feed};
	return 0;
}
