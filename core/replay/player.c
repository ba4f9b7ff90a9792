// SPDX-License-Identifier: MIT
/*
 * Intervals are numbered from the beginning, from 1 on. The reader is behind number reel.last, and
 * the one that is shown is `at`, usually the one before: the next has been read ahead, since only
 * it knows how long its interval is. Whoever wants to be elsewhere sets a goal, which feed_wait
 * comes nearer to.
 */
#include "core/replay/player.h"

#include "core/base/util.h"
#include "core/replay/reel.h"

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

struct player {
	const struct sys *sys;
	struct replay *replay;
	struct survey *survey;
	struct playback
		playback; /* what of it is kept up to date: the others playback() fills in */
	bool stays;

	struct reel reel;
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

__attribute__((format(printf, 2, 3))) static void say(struct player *player, const char *format,
						      ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(player->playback.text, sizeof(player->playback.text), format, arguments);
	va_end(arguments);
	player->playback.told++;
	player->news = true;
}

static void set_flag(struct player *player, bool *flag, bool value)
{
	player->news |= *flag != value;
	*flag = value;
}

static uint64_t position_of(const struct player *player, uint64_t time_ns)
{
	return u64_growth(player->begin_ns, time_ns);
}

/* ---- reading */

static bool is_all(const struct player *player)
{
	return player->end_known && player->reel.last == player->last;
}

static bool can_rewind(const struct player *player)
{
	return replay_can_rewind(player->replay);
}

static void has_read(struct player *player, uint64_t time_ns)
{
	player->read_position_ns = position_of(player, time_ns);
	if (player->read_position_ns > player->farthest_ns)
		player->farthest_ns = player->read_position_ns;
}

static void has_ended(struct player *player, int rc, const struct error *err)
{
	player->end_known = true;
	player->last = player->reel.last;
	player->news = true;
	if (rc < 0) {
		player->broken = *err;
		text_copy(player->playback.broken, sizeof(player->playback.broken), err->text);
	}
	if (player->survey && player->playback.pipe)
		survey_finish(player->survey);
}

static void begin(struct player *player, const struct snapshot *snapshot)
{
	player->begun = true;
	player->begin_ns = u64_growth(snapshot->interval_ns, snapshot->time_ns);
	player->playback.begin_real_ns = u64_growth(snapshot->interval_ns, snapshot->realtime_ns);
}

/*
 * Of a recording of ours nobody tells the interval, and it may have been changed on the way. Those
 * that are odd, the first and the last, are shorter than the others.
 */
static void see_interval(struct player *player, uint64_t ns)
{
	uint64_t usual_ns = player->usual_ns;
	bool near = ns >= usual_ns - usual_ns / 10 && ns <= usual_ns + usual_ns / 10;

	if (near && player->n_usual < USUAL_MOST) {
		player->n_usual++;
	} else if (!near && (player->n_usual > 1 || (player->n_usual == 1 && ns < usual_ns))) {
		player->n_usual--;
		return;
	} else if (!near) {
		player->n_usual = 1;
	}
	player->usual_ns = ns;
}

/* The next picture: 1, 0 at the end of all, or -EAGAIN. */
static int read_next(struct player *player)
{
	struct snapshot *snapshot;
	struct error err;
	int rc = is_all(player) ? 0 : replay_next(player->replay, &snapshot, &err);

	if (rc == 1) {
		text_copy(snapshot->replay, sizeof(snapshot->replay), player->playback.name);
		if (!player->begun)
			begin(player, snapshot);
		if (player->survey && player->playback.pipe)
			survey_add(player->survey, snapshot);
		snapshot->offset_ns = position_of(player, snapshot->time_ns);
		reel_keep(&player->reel, snapshot, player->read_position_ns);
		player->interval_ns = snapshot->interval_ns;
		see_interval(player, snapshot->interval_ns);
		has_read(player, snapshot->time_ns);
	} else if (rc != -EAGAIN && !is_all(player)) {
		has_ended(player, rc, &err);
	}
	set_flag(player, &player->playback.waiting, rc == -EAGAIN);
	return rc == 1 || rc == -EAGAIN ? rc : 0;
}

/* The same without the picture: then none is kept. */
static int skip_next(struct player *player)
{
	uint64_t time_ns;
	struct error err;
	int rc = is_all(player) ? 0 : replay_skip(player->replay, &time_ns, &err);

	if (rc == 1) {
		reel_skip(&player->reel);
		has_read(player, time_ns);
	} else if (rc != -EAGAIN && !is_all(player)) {
		has_ended(player, rc, &err);
	}
	return rc == 1 || rc == -EAGAIN ? rc : 0;
}

static int rewind_it(struct player *player)
{
	struct error err;
	int rc = replay_rewind(player->replay, &err);

	reel_rewind(&player->reel);
	player->read_position_ns = 0;
	if (rc)
		has_ended(player, rc, &err);
	return rc;
}

/* ---- going somewhere */

static void reach(struct player *player, uint64_t number)
{
	const struct snapshot *snapshot = reel_at(&player->reel, number);

	player->at = number;
	player->playback.position_ns = snapshot->offset_ns;
	player->playback.time_ns = snapshot->time_ns;
	player->goal = GOAL_NONE;
	player->fresh = true;
	set_flag(player, &player->playback.seeking, false);
}

static void give_up(struct player *player)
{
	player->goal = GOAL_NONE;
	player->at = player->reel.last;
	set_flag(player, &player->playback.seeking, false);
}

/* It is nearer to the beginning than what is kept. */
static void go_back(struct player *player)
{
	if (can_rewind(player)) {
		if (rewind_it(player))
			give_up(player);
		return;
	}
	say(player,
	    "Farther back is not kept of what came through a pipe: a file can be read again.");
	if (player->reel.n > 0)
		reach(player, reel_oldest(&player->reel));
	else
		give_up(player);
}

/* All has been read, and the goal was not there. */
static void stop_at_end(struct player *player)
{
	if (player->goal == GOAL_NUMBER && player->goal_number > player->reel.last)
		say(player, "This is the end of the recording.");
	if (player->reel.last == 0) {
		give_up(player);
	} else if (reel_has(&player->reel, player->reel.last)) {
		reach(player, player->reel.last);
	} else {
		player->goal = GOAL_NUMBER;
		player->goal_number = player->reel.last;
	}
}

/* Whether what comes next is so far from the goal that nobody is going to look at it. */
static bool is_far(const struct player *player)
{
	if (!can_rewind(player) || !player->begun)
		return false;
	if (player->goal == GOAL_NUMBER)
		return player->reel.last + PLAYER_BACK < player->goal_number;
	return player->goal_ns > player->read_position_ns &&
	       player->goal_ns - player->read_position_ns > PLAYER_BACK * player->interval_ns;
}

/* An interval nearer to the goal, or there; false where a pipe has no more yet. */
static bool step_to_goal(struct player *player)
{
	bool by_number = player->goal == GOAL_NUMBER;
	uint64_t found =
		by_number ? player->goal_number * reel_has(&player->reel, player->goal_number)
			  : reel_find(&player->reel, player->goal_ns);

	if (found) {
		reach(player, found);
		return true;
	}
	if (by_number ? player->goal_number <= player->reel.last
		      : player->reel.last > 0 && player->goal_ns <= player->read_position_ns) {
		go_back(player);
		return true;
	}
	bool far = is_far(player);
	int rc = far ? skip_next(player) : read_next(player);
	if (rc == 0)
		stop_at_end(player);
	else if (far && !by_number && player->read_position_ns >= player->goal_ns) {
		/* An interval longer than the others was skipped, which is the one. */
		player->goal = GOAL_NUMBER;
		player->goal_number = player->reel.last;
	}
	return rc != -EAGAIN;
}

/* In hundredths; what lies behind what was ever read may be any time away. */
static uint32_t seeking_percent(const struct player *player)
{
	uint64_t all = player->goal_number, done = player->reel.last;

	if (player->goal == GOAL_POSITION) {
		all = player->goal_ns / NS_PER_MS;
		done = player->read_position_ns / NS_PER_MS;
	}
	return all > done ? (uint32_t)((double)done / (double)all * 100) : 100;
}

static int wait_for_pipe(struct player *player, uint64_t until_ns)
{
	struct pollfd more = {.fd = replay_fd(player->replay), .events = POLLIN};

	sys_wait(player->sys, &more, more.fd >= 0, until_ns);
	return 0;
}

static int work(struct player *player, uint64_t until_ns)
{
	uint64_t bit_ns = sys_now_ns(player->sys) + PLAYER_BIT_NS;
	bool more = true;

	while (player->goal != GOAL_NONE && more && sys_now_ns(player->sys) < bit_ns)
		more = step_to_goal(player);
	if (player->fresh)
		return 1;
	set_flag(player, &player->playback.seeking, player->goal != GOAL_NONE);
	if (!more && !player->news)
		return wait_for_pipe(player, until_ns);
	return 0;
}

/* ---- playing */

static bool at_end(const struct player *player)
{
	return is_all(player) && player->at == player->reel.last;
}

/* The feed is over, or waits for someone to go back. */
static int rest(struct player *player, uint64_t until_ns, struct error *err)
{
	if (!player->stays && at_end(player)) {
		if (!player->broken.text[0])
			return -ENODATA;
		*err = player->broken;
		/* Not the plain end, whatever the reader calls it. */
		return player->broken.code == -ENODATA ? -EIO : player->broken.code;
	}
	sys_wait(player->sys, NULL, 0, until_ns);
	return 0;
}

static uint64_t pace_ns(const struct player *player, uint64_t interval_ns)
{
	uint32_t speed = player->playback.speed;

	if (speed == PLAYBACK_SPEED_MAX)
		return 0;
	return (uint64_t)((double)interval_ns * PLAYBACK_SPEED_ONE / speed);
}

static int play(struct player *player, uint64_t until_ns)
{
	if (player->at == player->reel.last) {
		int rc = read_next(player);

		if (player->news)
			return 0;
		if (rc == -EAGAIN)
			return wait_for_pipe(player, until_ns);
	}
	if (player->at == player->reel.last)
		return 0;

	const struct snapshot *next = reel_at(&player->reel, player->at + 1);
	uint64_t due_ns = player->at ? player->shown_ns + pace_ns(player, next->interval_ns) : 0;

	player->due = sys_now_ns(player->sys) >= due_ns;
	if (!player->due &&
	    sys_wait(player->sys, NULL, 0, due_ns < until_ns ? due_ns : until_ns) == 0)
		player->due = due_ns <= until_ns;
	return player->due;
}

static int player_wait(void *ctx, uint64_t until_ns, struct error *err)
{
	struct player *player = ctx;

	player->due = player->news = false;
	if (player->fresh)
		return 1;
	if (player->goal != GOAL_NONE)
		return work(player, until_ns);
	if ((player->playback.paused && player->at > 0) || at_end(player))
		return rest(player, until_ns, err);
	return play(player, until_ns);
}

static struct snapshot *player_snapshot(void *ctx)
{
	struct player *player = ctx;
	uint64_t now_ns = sys_now_ns(player->sys), due_ns = now_ns;

	if (!player->fresh && !player->due)
		return NULL;
	if (player->due && !player->fresh) {
		const struct snapshot *next = reel_at(&player->reel, player->at + 1);
		uint64_t pace = pace_ns(player, next->interval_ns);

		/* One that comes a little late does not delay those behind it. */
		if (player->at && now_ns < player->shown_ns + 2 * pace)
			due_ns = player->shown_ns + pace;
		reach(player, player->at + 1);
	}
	player->fresh = player->due = false;
	player->shown_ns = due_ns;
	return snapshot_ref(reel_at(&player->reel, player->at));
}

/* ---- what is asked of it */

static void go_to_number(struct player *player, uint64_t number)
{
	player->goal = GOAL_NUMBER;
	player->goal_number = number;
	player->fresh = false;
}

static void go_to_position(struct player *player, uint64_t position_ns)
{
	uint64_t begin_ns, end_ns;

	player->goal = GOAL_POSITION;
	player->goal_ns = position_ns ? position_ns : 1;
	player->fresh = false;
	/* Nearer than "somewhere behind": then it need not be read twice. */
	if (player->survey && survey_reach(player->survey, &begin_ns, &end_ns) &&
	    end_ns > begin_ns && player->goal_ns > end_ns - begin_ns)
		player->goal_ns = end_ns - begin_ns;
}

static void step(struct player *player, int64_t intervals)
{
	uint64_t from = player->goal == GOAL_NUMBER ? player->goal_number : player->at;

	player->playback.paused = true;
	if (intervals < 0 && from <= 1)
		say(player, "This is the beginning of the recording.");
	else if (intervals > 0 && at_end(player) && player->goal == GOAL_NONE)
		say(player, "This is the end of the recording.");
	else if (intervals < 0)
		go_to_number(player, from > (uint64_t)-intervals ? from - (uint64_t)-intervals : 1);
	else
		go_to_number(player, from + (uint64_t)intervals);
}

static void seek_by(struct player *player, int64_t ns)
{
	uint64_t from_ns = player->playback.position_ns;

	if (player->goal == GOAL_POSITION)
		from_ns = player->goal_ns;
	if (ns < 0)
		go_to_position(player, u64_growth((uint64_t)-ns, from_ns));
	else
		go_to_position(player, from_ns + (uint64_t)ns);
}

static void go_on(struct player *player)
{
	player->shown_ns = sys_now_ns(player->sys);
	if (at_end(player))
		say(player, "This is the end of the recording.");
}

/* Other figures: what is kept does not have them. */
static void change(struct player *player, const struct command *command)
{
	replay_do(player->replay, command);
	if (!can_rewind(player))
		return;
	if (player->survey)
		survey_do(player->survey, command);
	if (player->playback.paused || at_end(player)) {
		if (player->goal == GOAL_NONE)
			go_to_number(player, player->at ? player->at : 1);
		reel_drop_before(&player->reel, UINT64_MAX);
	} else if (player->goal == GOAL_NONE) {
		reel_drop_before(&player->reel, player->at + 1);
	}
}

static void player_command(void *ctx, const struct command *command)
{
	struct player *player = ctx;

	switch (command->kind) {
	case COMMAND_PAUSE:
		player->playback.paused = command->number != 0;
		if (!player->playback.paused)
			go_on(player);
		break;
	case COMMAND_STEP:
		step(player, command->number);
		break;
	case COMMAND_SEEK_BY:
		seek_by(player, command->number);
		break;
	case COMMAND_SEEK_TO:
		go_to_position(player, command->number > 0 ? (uint64_t)command->number : 0);
		break;
	case COMMAND_SPEED:
		player->playback.speed = (uint32_t)command->number;
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
		change(player, command);
		break;
	}
}

static void player_set_interval(void *ctx, uint64_t interval_ns)
{
	struct player *player = ctx;

	if (replay_is_own(player->replay)) {
		say(player,
		    "The intervals are those that were recorded: [ and ] change the speed.");
		return;
	}
	replay_set_interval(player->replay, interval_ns);
	player->asked_ns = interval_ns;
	if (!can_rewind(player) || player->at == 0)
		return;
	/* Numbers are others from here on. */
	go_to_position(player, player->playback.position_ns);
	player->end_known = false;
	rewind_it(player);
}

/* Nobody can tell what could be counted there. */
static void player_ask(void *ctx, const struct question *question)
{
	(void)ctx, (void)question;
}

static struct answer *player_take_answer(void *ctx)
{
	(void)ctx;
	return NULL;
}

static void player_playback(void *ctx, struct playback *playback)
{
	struct player *player = ctx;
	uint64_t begin_ns, end_ns;

	player->playback.whole = player->end_known;
	player->playback.own = replay_is_own(player->replay);
	player->playback.every_ns = player->playback.own ? player->usual_ns : player->asked_ns;
	player->playback.length_ns = player->farthest_ns;
	player->playback.seeking_percent = player->playback.seeking ? seeking_percent(player) : 0;
	if (player->survey) {
		player->playback.whole |= survey_reach(player->survey, &begin_ns, &end_ns);
		if (end_ns - begin_ns > player->playback.length_ns)
			player->playback.length_ns = end_ns - begin_ns;
	}
	/* The survey may know that it is the last when nobody has tried to read on. */
	player->playback.ended =
		player->goal == GOAL_NONE &&
		(at_end(player) || (player->at > 0 && player->playback.whole &&
				    player->playback.position_ns >= player->playback.length_ns));
	memcpy(playback, &player->playback, sizeof(*playback));
}

/* ---- all of it */

static void player_free(void *ctx)
{
	struct player *player = ctx;

	reel_drop_before(&player->reel, UINT64_MAX);
	replay_free(player->replay);
	free(player);
}

static const struct feed_ops player_ops = {
	.wait = player_wait,
	.snapshot = player_snapshot,
	.set_interval = player_set_interval,
	.command = player_command,
	.ask = player_ask,
	.take_answer = player_take_answer,
	.playback = player_playback,
	.free = player_free,
};

int player_open(const struct sys *sys, const struct player_config *config, struct feed *feed,
		struct error *err)
{
	const char *path = config->replay.path, *slash = strrchr(path, '/');
	struct player *player = xcalloc(1, sizeof(*player));
	int rc = replay_new(sys, &config->replay, &player->replay, err);

	if (rc) {
		free(player);
		return rc;
	}
	player->sys = sys;
	player->survey = config->survey;
	player->stays = config->stays;
	player->asked_ns = config->replay.interval_ns;
	player->playback.speed = config->speed;
	player->playback.pipe = !replay_can_rewind(player->replay);
	text_copy(player->playback.name, sizeof(player->playback.name),
		  slash && slash[1] ? slash + 1 : path);
	*feed = (struct feed){&player_ops, player};
	return 0;
}
