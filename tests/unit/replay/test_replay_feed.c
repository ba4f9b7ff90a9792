// SPDX-License-Identifier: MIT
/*
 * The replay feed over a synthetic recording: these definitions of replay_* replace those of
 * libcore.a. Interval k ends at k * 1 s (unless a row says otherwise), and has k task names. The
 * clock is the test's: a wait ends at its deadline.
 */
#include "core/base/util.h"
#include "core/replay/replay_feed.h"
#include "core/replay/replay_reader.h"
#include "tests/unit/shared/sample.h"
#include "tests/unit/shared/send_request.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define BEGIN_NS (500 * NS_PER_S)

struct replay {
	uint64_t n;    /* intervals in it */
	uint64_t at;   /* so many of them have been read */
	uint64_t come; /* of a pipe: so many have come */
	bool pipe;
	bool native;
	bool whole;         /* a profile as one interval, until it is read anew ... */
	bool divided;       /* ... after it has got intervals */
	bool profile;       /* it can be one interval ... */
	bool joined;        /* ... after it is read anew */
	bool once;          /* it is gone when it is to begin anew */
	uint64_t gap_after; /* 0: nowhere */
	uint64_t gap_ns;
	uint64_t first_ns, last_ns; /* lengths of the first and last interval; 0: as the others */
	uint64_t broken_after;      /* UINT64_MAX: it is whole */
	uint64_t interval_ns;
	struct columns *columns;
	unsigned rewinds, pictures, skips;
	struct request done;
};

static struct replay *the; /* what replay_new opens */

static uint64_t end_of(const struct replay *replay, uint64_t number)
{
	uint64_t gap_ns = replay->gap_after && number > replay->gap_after ? replay->gap_ns : 0;

	return BEGIN_NS + number * replay->interval_ns + gap_ns;
}

int replay_new(const struct sys *sys, const struct replay_config *config, struct replay **replay,
	       struct error *err)
{
	(void)sys;
	if (strcmp(config->path, "none") == 0)
		return error_set(err, -ENOENT, "There is no file 'none'.");
	*replay = the;
	return 0;
}

void replay_free(struct replay *replay)
{
	(void)replay;
}

/* 1 where there is a next one. */
static int next_is_there(struct replay *replay, struct error *err)
{
	if (replay->at == replay->broken_after)
		return error_set(err, -ENODATA, "It is cut off.");
	if (replay->pipe && replay->at == replay->come && replay->at < replay->n)
		return -EAGAIN;
	return replay->at < replay->n;
}

int replay_next(struct replay *replay, struct snapshot **snapshot, struct error *err)
{
	int rc = next_is_there(replay, err);

	if (rc != 1)
		return rc;
	replay->at++;
	replay->pictures++;
	*snapshot = sample_snapshot(columns_ref(replay->columns), NULL, 0);
	(*snapshot)->sequence = replay->at;
	(*snapshot)->interval_ns = replay->interval_ns;
	if (replay->first_ns && replay->at == 1)
		(*snapshot)->interval_ns = replay->first_ns;
	if (replay->last_ns && replay->at == replay->n)
		(*snapshot)->interval_ns = replay->last_ns;
	(*snapshot)->time_ns = end_of(replay, replay->at);
	(*snapshot)->realtime_ns = 1000 * NS_PER_S + end_of(replay, replay->at);
	return 1;
}

int replay_skip(struct replay *replay, uint64_t *time_ns, struct error *err)
{
	int rc = next_is_there(replay, err);

	assert_false(replay->pipe);
	if (rc != 1)
		return rc;
	replay->at++;
	replay->skips++;
	*time_ns = end_of(replay, replay->at);
	return 1;
}

bool replay_can_rewind(const struct replay *replay)
{
	return !replay->pipe;
}

int replay_rewind(struct replay *replay, struct error *err)
{
	assert_false(replay->pipe);
	replay->at = 0;
	replay->whole = (replay->whole && !replay->divided) || replay->joined;
	__atomic_add_fetch(&replay->rewinds, 1, __ATOMIC_RELEASE);
	return replay->once ? error_set(err, -EIO, "It is gone.") : 0;
}

int replay_fd(const struct replay *replay)
{
	return replay->pipe ? 77 : -1;
}

bool replay_is_native(const struct replay *replay)
{
	return replay->native;
}

bool replay_is_profile(const struct replay *replay)
{
	return replay->profile;
}

bool replay_is_whole(const struct replay *replay)
{
	return replay->whole;
}

bool replay_set_whole(struct replay *replay)
{
	replay->joined = replay->profile;
	return replay->profile;
}

void replay_set_interval(struct replay *replay, uint64_t interval_ns)
{
	replay->divided = true;
	replay->joined = false;
	replay->n = replay->n * replay->interval_ns / interval_ns;
	replay->interval_ns = interval_ns;
}

void replay_do(struct replay *replay, const struct request *command)
{
	replay->done = *command;
}

static uint64_t clock_ns;
static int polled_fd; /* of the last wait; 0: none */
static bool woken;    /* the next wait ends early */

static uint64_t now_ns(void *ctx)
{
	(void)ctx;
	return clock_ns;
}

/* No other thread runs: a wait without a deadline would not end. */
static int wait_until(void *ctx, struct pollfd *fds, size_t n, uint64_t deadline_ns)
{
	(void)ctx;
	polled_fd = n > 0 ? fds[0].fd : 0;
	if (woken || deadline_ns == UINT64_MAX) {
		woken = false;
		return -EINTR;
	}
	if (deadline_ns > clock_ns)
		clock_ns = deadline_ns;
	return 0;
}

static const struct sys_ops ops = {.now_ns = now_ns, .wait = wait_until};
static const struct sys fake_sys = {&ops, NULL};

struct stage {
	struct replay replay;
	struct replay_index *replay_index;
	struct feed feed;
	struct playback playback; /* as of the last read_playback() */
	struct error err;
	unsigned waits;
};

static void stage_open(struct stage *stage, const struct replay *replay, uint32_t speed, bool stays)
{
	struct replay_feed_config config = {
		.replay = {.path = "a/b/run.data", .interval_ns = replay->whole ? NS_PER_S : 0},
		.speed = speed,
		.stays = stays,
	};

	*stage = (struct stage){.replay = *replay};
	stage->replay.columns = sample_columns("software");
	if (!stage->replay.interval_ns)
		stage->replay.interval_ns = NS_PER_S;
	if (!stage->replay.broken_after)
		stage->replay.broken_after = UINT64_MAX;
	the = &stage->replay;
	stage->replay_index = config.index = replay_index_new();
	clock_ns = 77;
	woken = false;
	if (replay_feed_open(&fake_sys, &config, &stage->feed, &stage->err))
		fail_msg("%s", stage->err.text);
}

static void stage_close(struct stage *stage)
{
	feed_free(&stage->feed);
	replay_index_free(stage->replay_index);
	columns_unref(stage->replay.columns);
}

static const struct playback *read_playback(struct stage *stage)
{
	assert_true(feed_playback(&stage->feed, &stage->playback));
	return &stage->playback;
}

/* The number of the next picture that comes by itself; 0: none does; or -errno at the end. */
static long next_within(struct stage *stage, uint64_t ns)
{
	uint64_t until_ns = clock_ns + ns;
	int rc = 0;

	for (stage->waits = 0; rc == 0 && stage->waits < 100000; stage->waits++) {
		rc = feed_wait(&stage->feed, until_ns, &stage->err);
		if (clock_ns >= until_ns && rc == 0)
			break;
	}
	if (rc <= 0)
		return rc;
	struct snapshot *snapshot = feed_snapshot(&stage->feed);
	long number = (long)snapshot->sequence;
	assert_string_equal(snapshot->replay, "run.data");
	uint64_t begin_ns = the->first_ns ? end_of(the, 1) - the->first_ns : BEGIN_NS;
	assert_int_equal(snapshot->offset_ns, snapshot->time_ns - begin_ns);
	snapshot_free(snapshot);
	return number;
}

static long next_sequence(struct stage *stage)
{
	return next_within(stage, 100 * NS_PER_S);
}

static void send_command(struct stage *stage, enum request_kind kind, int64_t number)
{
	send_to_feed(&stage->feed, &(struct request){.kind = kind, .number = number});
}

/* What is to be seen then, once there. */
static long go(struct stage *stage, enum request_kind kind, int64_t number)
{
	send_command(stage, kind, number);
	return next_within(stage, 0);
}

static const struct replay ten = {.n = 10, .native = true};

static void test_pace(void **state)
{
	static const struct {
		uint32_t speed;
		uint64_t apart_ns;
	} rows[] = {
		{PLAYBACK_SPEED_ONE, NS_PER_S}, {2000, NS_PER_S / 2},    {100, 10 * NS_PER_S},
		{1000000, NS_PER_MS},           {PLAYBACK_SPEED_MAX, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct stage stage;

		stage_open(&stage, &ten, rows[i].speed, false);
		for (long number = 1; number <= 10; number++) {
			assert_int_equal(next_sequence(&stage), number);
			assert_int_equal(clock_ns, 77 + (uint64_t)(number - 1) * rows[i].apart_ns);
			assert_int_equal(read_playback(&stage)->position_ns,
					 (uint64_t)number * NS_PER_S);
		}
		assert_int_equal(next_sequence(&stage), -ENODATA);
		stage_close(&stage);
	}
}

/* One that comes late does not delay the others; a suspended process does not bunch them. */
static void test_late(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, &ten, PLAYBACK_SPEED_ONE, false);
	assert_int_equal(next_sequence(&stage), 1);
	assert_int_equal(next_sequence(&stage), 2);
	clock_ns += NS_PER_S + NS_PER_S / 4;
	assert_int_equal(next_sequence(&stage), 3);
	assert_int_equal(next_sequence(&stage), 4);
	assert_int_equal(clock_ns, 77 + 3 * NS_PER_S);
	clock_ns += 3600 * NS_PER_S;
	assert_int_equal(next_sequence(&stage), 5);
	uint64_t then_ns = clock_ns;
	assert_int_equal(next_sequence(&stage), 6);
	assert_int_equal(clock_ns, then_ns + NS_PER_S);
	stage_close(&stage);
}

static void test_position(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, &ten, 2000, true);
	assert_int_equal(read_playback(&stage)->position_ns, 0);
	assert_string_equal(stage.playback.name, "run.data");
	assert_int_equal(stage.playback.speed, 2000);
	assert_int_equal(next_sequence(&stage), 1);
	assert_int_equal(next_sequence(&stage), 2);
	assert_int_equal(read_playback(&stage)->time_ns, BEGIN_NS + 2 * NS_PER_S);
	assert_int_equal(stage.playback.begin_real_ns, 1000 * NS_PER_S + BEGIN_NS);
	assert_false(stage.playback.final || stage.playback.ended || stage.playback.pipe);
	assert_true(stage.playback.native);
	for (long number = 3; number <= 10; number++)
		assert_int_equal(next_sequence(&stage), number);
	/* It stays there. */
	assert_int_equal(next_sequence(&stage), 0);
	assert_true(read_playback(&stage)->ended && stage.playback.final);
	assert_int_equal(stage.playback.length_ns, 10 * NS_PER_S);
	assert_int_equal(go(&stage, REQUEST_STEP, -1), 9);
	assert_false(read_playback(&stage)->ended);
	assert_true(stage.playback.paused);
	stage_close(&stage);
}

/* The usual interval of a native recording; the requested one of a perf recording. */
static void test_usual_interval(void **state)
{
	static const struct {
		uint64_t n, first_ns, last_ns, every_ns;
		bool native;
	} rows[] = {
		{10, 0, 0, NS_PER_S, true},
		{10, NS_PER_S / 5, NS_PER_S / 100, NS_PER_S, true},
		{3, NS_PER_S / 5, NS_PER_S / 100, NS_PER_S, true},
		{2, 0, NS_PER_S / 100, NS_PER_S, true},
		{2, NS_PER_S / 5, 0, NS_PER_S, true},
		{10, 0, NS_PER_S / 100, 0, false}, /* no interval was requested */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct replay replay = {.n = rows[i].n,
					      .native = rows[i].native,
					      .first_ns = rows[i].first_ns,
					      .last_ns = rows[i].last_ns};
		struct stage stage;

		stage_open(&stage, &replay, PLAYBACK_SPEED_ONE, true);
		while (next_sequence(&stage))
			;
		assert_int_equal(read_playback(&stage)->every_ns, rows[i].every_ns);
		stage_close(&stage);
	}
}

static void test_pause_and_step(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, &ten, PLAYBACK_SPEED_ONE, true);
	assert_int_equal(next_sequence(&stage), 1);
	send_command(&stage, REQUEST_PAUSE, 1);
	assert_int_equal(next_sequence(&stage), 0);
	assert_int_equal(go(&stage, REQUEST_STEP, 1), 2);
	assert_int_equal(go(&stage, REQUEST_STEP, 1), 3);
	assert_int_equal(go(&stage, REQUEST_STEP, -1), 2);
	assert_int_equal(go(&stage, REQUEST_STEP, 3), 5);
	assert_int_equal(next_sequence(&stage), 0);
	assert_int_equal(stage.replay.rewinds, 0);
	/* It goes on from there, an interval later. */
	uint64_t then_ns = clock_ns;
	send_command(&stage, REQUEST_PAUSE, 0);
	assert_int_equal(next_sequence(&stage), 6);
	assert_int_equal(clock_ns, then_ns + NS_PER_S);
	/* Keys that come fast are added up. */
	send_command(&stage, REQUEST_STEP, -1);
	send_command(&stage, REQUEST_STEP, -1);
	assert_int_equal(go(&stage, REQUEST_STEP, -1), 3);
	assert_int_equal(go(&stage, REQUEST_STEP, -100), 1);
	assert_int_equal(read_playback(&stage)->n_texts, 0);
	assert_int_equal(go(&stage, REQUEST_STEP, -1), 0);
	assert_int_equal(read_playback(&stage)->n_texts, 1);
	assert_string_equal(stage.playback.text, "This is the beginning of the recording.");
	assert_int_equal(go(&stage, REQUEST_STEP, 100), 10);
	assert_string_equal(read_playback(&stage)->text, "This is the end of the recording.");
	assert_true(stage.playback.ended);
	stage_close(&stage);
}

static void test_speed(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, &ten, PLAYBACK_SPEED_ONE, true);
	assert_int_equal(next_sequence(&stage), 1);
	send_command(&stage, REQUEST_SPEED, 4000);
	assert_int_equal(next_sequence(&stage), 2);
	assert_int_equal(clock_ns, 77 + NS_PER_S / 4);
	send_command(&stage, REQUEST_SPEED, PLAYBACK_SPEED_MAX);
	assert_int_equal(next_sequence(&stage), 3);
	assert_int_equal(next_sequence(&stage), 4);
	assert_int_equal(clock_ns, 77 + NS_PER_S / 4);
	stage_close(&stage);
}

static void test_seek(void **state)
{
	static const struct replay long_one = {.n = 5000};
	struct stage stage;

	(void)state;
	stage_open(&stage, &long_one, PLAYBACK_SPEED_ONE, true);
	assert_int_equal(next_sequence(&stage), 1);
	send_command(&stage, REQUEST_PAUSE, 1);
	assert_int_equal(go(&stage, REQUEST_SEEK_BY, (int64_t)(3000 * NS_PER_S)), 3001);
	assert_true(stage.replay.pictures < 100); /* those between are skipped */
	unsigned rewinds = stage.replay.rewinds;
	assert_int_equal(go(&stage, REQUEST_STEP, -1), 3000);
	assert_int_equal(go(&stage, REQUEST_SEEK_BY, -(int64_t)(5 * NS_PER_S)), 2995);
	assert_int_equal(stage.replay.rewinds, rewinds); /* all that is kept */
	assert_int_equal(go(&stage, REQUEST_SEEK_BY, -(int64_t)(60 * NS_PER_S)), 2935);
	assert_int_equal(stage.replay.rewinds, rewinds + 1);
	assert_int_equal(go(&stage, REQUEST_SEEK_TO, (int64_t)(70 * NS_PER_S)), 70);
	assert_int_equal(go(&stage, REQUEST_SEEK_TO, (int64_t)(70 * NS_PER_S + 1)), 71);
	assert_int_equal(go(&stage, REQUEST_SEEK_TO, 0), 1);
	assert_int_equal(go(&stage, REQUEST_SEEK_BY, -(int64_t)NS_PER_S), 1);
	assert_int_equal(go(&stage, REQUEST_SEEK_TO, INT64_MAX), 5000);
	assert_true(read_playback(&stage)->ended && stage.playback.final);
	assert_int_equal(go(&stage, REQUEST_STEP, -3), 4997);
	/* Two at once, while the first is under way. */
	send_command(&stage, REQUEST_SEEK_BY, -(int64_t)(1000 * NS_PER_S));
	assert_int_equal(go(&stage, REQUEST_SEEK_BY, -(int64_t)(1000 * NS_PER_S)), 2997);
	stage_close(&stage);
}

/* A gap of an hour: a seek into it ends at the next interval. */
static void test_seek_over_gap(void **state)
{
	static const struct replay gap = {.n = 200, .gap_after = 100, .gap_ns = 3600 * NS_PER_S};
	static const uint64_t to_s[] = {100, 101, 130, 1800, 3699, 3700, 3701, 3702, 3730};
	static const long want[] = {100, 101, 101, 101, 101, 101, 101, 102, 130};
	struct stage stage;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(to_s); i++)
		for (long from = 1; from <= 200; from += 199 / 2) {
			stage_open(&stage, &gap, PLAYBACK_SPEED_MAX, true);
			assert_int_equal(next_sequence(&stage), 1);
			send_command(&stage, REQUEST_PAUSE, 1);
			go(&stage, REQUEST_STEP, from - 1);
			long got = go(&stage, REQUEST_SEEK_TO, (int64_t)(to_s[i] * NS_PER_S));
			if (got != want[i])
				fail_msg("from %ld to %d s: %ld, not %ld", from, (int)to_s[i], got,
					 want[i]);
			stage_close(&stage);
		}
}

/* A long seek returns between turns, so that another command can come. */
static void test_seek_returns_between_turns(void **state)
{
	static const struct replay long_one = {.n = 100000};
	struct stage stage;

	(void)state;
	stage_open(&stage, &long_one, PLAYBACK_SPEED_ONE, true);
	assert_int_equal(next_sequence(&stage), 1);
	send_command(&stage, REQUEST_SEEK_TO, (int64_t)(90000 * NS_PER_S));
	/* The clock stands still, so a bit ends when it is done: let it go on by itself. */
	clock_ns += REPLAY_FEED_TURN_NS;
	assert_int_equal(feed_wait(&stage.feed, UINT64_MAX, &stage.err), 1);
	stage_close(&stage);
}

static void test_kept_snapshots_are_bounded(void **state)
{
	static const struct replay long_one = {.n = 3000};
	struct stage stage;

	(void)state;
	stage_open(&stage, &long_one, PLAYBACK_SPEED_MAX, true);
	for (long number = 1; number <= 2000; number++)
		assert_int_equal(next_sequence(&stage), number);
	assert_int_equal(go(&stage, REQUEST_STEP, -(REPLAY_READER_SNAPSHOTS - 10)),
			 2000 - (REPLAY_READER_SNAPSHOTS - 10));
	assert_int_equal(stage.replay.rewinds, 0);
	assert_int_equal(go(&stage, REQUEST_STEP, -20), 1990 - REPLAY_READER_SNAPSHOTS);
	assert_int_equal(stage.replay.rewinds, 1);
	stage_close(&stage);
}

static void test_pipe(void **state)
{
	static const struct replay pipe = {.n = 2000, .pipe = true};
	struct stage stage;
	uint64_t begin_ns, end_ns;

	(void)state;
	stage_open(&stage, &pipe, PLAYBACK_SPEED_MAX, true);
	stage.replay.come = 1;
	assert_int_equal(next_sequence(&stage), 1);
	/* The pipe is empty: its descriptor is polled, and the playback is `waiting`. */
	assert_int_equal(next_sequence(&stage), 0);
	assert_int_equal(polled_fd, 77);
	assert_true(read_playback(&stage)->waiting && stage.playback.pipe);
	stage.replay.come = 1500;
	for (long number = 2; number <= 1500; number++)
		assert_int_equal(next_sequence(&stage), number);
	assert_false(read_playback(&stage)->final);
	/* Back as far as it is kept. */
	assert_int_equal(go(&stage, REQUEST_SEEK_BY, -(int64_t)(100 * NS_PER_S)), 1400);
	assert_int_equal(read_playback(&stage)->n_texts, 0);
	send_command(&stage, REQUEST_PAUSE, 1);
	assert_int_equal(go(&stage, REQUEST_SEEK_TO, 0), 1500 - REPLAY_READER_SNAPSHOTS + 1);
	assert_int_equal(read_playback(&stage)->n_texts, 1);
	assert_non_null(strstr(stage.playback.text, "pipe"));
	/* Forward to where it is not yet: it waits for records or another command. */
	assert_int_equal(go(&stage, REQUEST_SEEK_TO, (int64_t)(1700 * NS_PER_S)), 0);
	assert_true(read_playback(&stage)->seeking && stage.playback.waiting);
	stage.replay.come = 1800;
	assert_int_equal(next_within(&stage, 0), 1700);
	assert_int_equal(go(&stage, REQUEST_SEEK_TO, INT64_MAX), 0);
	assert_int_equal(go(&stage, REQUEST_STEP, -1), 1699);
	stage.replay.come = 2000;
	assert_int_equal(go(&stage, REQUEST_SEEK_TO, INT64_MAX), 2000);
	assert_true(read_playback(&stage)->ended && stage.playback.final);
	/* The index has all of it. */
	assert_true(replay_index_bounds(stage.replay_index, &begin_ns, &end_ns));
	assert_int_equal(end_ns - begin_ns, 2000 * NS_PER_S);
	stage_close(&stage);
}

/* Its figures up to there, and why. */
static void test_truncated(void **state)
{
	static const struct replay cut = {.n = 10, .broken_after = 5};
	static const struct replay nothing = {.n = 0};
	struct stage stage;

	(void)state;
	stage_open(&stage, &cut, PLAYBACK_SPEED_MAX, false);
	for (long number = 1; number <= 5; number++)
		assert_int_equal(next_sequence(&stage), number);
	assert_int_equal(next_sequence(&stage), -EIO);
	assert_string_equal(stage.err.text, "It is cut off.");
	stage_close(&stage);

	stage_open(&stage, &cut, PLAYBACK_SPEED_MAX, true);
	for (long number = 1; number <= 5; number++)
		assert_int_equal(next_sequence(&stage), number);
	assert_int_equal(next_sequence(&stage), 0);
	assert_string_equal(read_playback(&stage)->broken, "It is cut off.");
	assert_true(stage.playback.ended);
	assert_int_equal(go(&stage, REQUEST_STEP, -1), 4);
	assert_int_equal(go(&stage, REQUEST_SEEK_TO, INT64_MAX), 5);
	stage_close(&stage);

	stage_open(&stage, &nothing, PLAYBACK_SPEED_MAX, false);
	assert_int_equal(next_sequence(&stage), -ENODATA);
	stage_close(&stage);
	stage_open(&stage, &nothing, PLAYBACK_SPEED_MAX, true);
	assert_int_equal(go(&stage, REQUEST_STEP, 1), 0);
	assert_int_equal(go(&stage, REQUEST_SEEK_TO, INT64_MAX), 0);
	stage_close(&stage);
	stage_open(&stage, &cut, PLAYBACK_SPEED_MAX, true);
	stage.replay.broken_after = 0;
	assert_int_equal(next_sequence(&stage), 0);
	assert_string_equal(read_playback(&stage)->broken, "It is cut off.");
	assert_true(stage.playback.ended);
	stage_close(&stage);
	assert_int_equal(replay_feed_open(&fake_sys,
					  &(struct replay_feed_config){.replay = {.path = "none"}},
					  &stage.feed, &stage.err),
			 -ENOENT);
}

/* Other columns: what was kept does not have them. */
static void test_commands_change_columns(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, &ten, PLAYBACK_SPEED_ONE, true);
	for (long number = 1; number <= 5; number++)
		assert_int_equal(next_sequence(&stage), number);
	send_to_feed(&stage.feed, &(struct request){REQUEST_REMOVE, "ipc", 0});
	assert_int_equal(stage.replay.done.kind, REQUEST_REMOVE);
	assert_int_equal(next_sequence(&stage), 6);
	send_command(&stage, REQUEST_PAUSE, 1);
	assert_int_equal(go(&stage, REQUEST_IDLE, 1), 6);
	assert_int_equal(stage.replay.rewinds, 1);
	assert_int_equal(go(&stage, REQUEST_STEP, 1), 7);
	stage_close(&stage);
}

static void test_set_interval(void **state)
{
	static const struct replay perf = {.n = 1000};
	struct stage stage;

	(void)state;
	stage_open(&stage, &perf, PLAYBACK_SPEED_ONE, true);
	assert_int_equal(next_sequence(&stage), 1);
	send_command(&stage, REQUEST_PAUSE, 1);
	assert_int_equal(go(&stage, REQUEST_SEEK_TO, (int64_t)(500 * NS_PER_S)), 500);
	feed_set_interval(&stage.feed, 2 * NS_PER_S);
	assert_int_equal(next_within(&stage, 0), 250);
	assert_int_equal(read_playback(&stage)->position_ns, 500 * NS_PER_S);
	assert_int_equal(go(&stage, REQUEST_STEP, -1), 249);
	stage_close(&stage);

	stage_open(&stage, &ten, PLAYBACK_SPEED_ONE, true);
	assert_int_equal(next_sequence(&stage), 1);
	feed_set_interval(&stage.feed, 2 * NS_PER_S);
	assert_int_equal(stage.replay.interval_ns, NS_PER_S);
	assert_non_null(strstr(read_playback(&stage)->text, "its own intervals"));
	stage_close(&stage);
}

/* Its pictures grow as fast as it is read. What goes to a place in it finds intervals there. */
static void test_whole(void **state)
{
	static const struct replay whole = {.n = 10, .whole = true};
	static const struct {
		enum request_kind kind;
		int64_t number;
		long shown;
	} rows[] = {
		{REQUEST_STEP, -1, 10}, /* to the last one */
		{REQUEST_SEEK_TO, 3 * (int64_t)NS_PER_S, 3},
		{REQUEST_SEEK_BY, -2 * (int64_t)NS_PER_S, 8},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct stage stage;

		stage_open(&stage, &whole, PLAYBACK_SPEED_ONE, true);
		for (long number = 1; number <= 10; number++)
			assert_int_equal(next_within(&stage, 0), number);
		assert_int_equal(clock_ns, 77);
		assert_int_equal(go(&stage, rows[i].kind, rows[i].number), rows[i].shown);
		assert_false(stage.replay.whole);
		assert_int_equal(stage.replay.interval_ns, NS_PER_S);
		assert_true(read_playback(&stage)->paused);
		assert_int_equal(next_within(&stage, NS_PER_S / 2), 0);
		send_command(&stage, REQUEST_PAUSE, 0);
		if (rows[i].shown < 10)
			assert_int_equal(next_within(&stage, NS_PER_S), rows[i].shown + 1);
		stage_close(&stage);
	}
}

/* REQUEST_WHOLE joins the intervals of a profile in a file, and divides it again. */
static void test_join(void **state)
{
	static const struct {
		struct replay replay;
		enum request_kind first; /* what divides it */
		bool joins;
		const char *text;
	} rows[] = {
		{{.n = 10, .whole = true, .profile = true}, REQUEST_STEP, true, ""},
		{{.n = 10, .whole = true, .profile = true}, REQUEST_WHOLE, true, ""},
		{{.n = 10}, REQUEST_STEP, false, "Only a profile in a file can be"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct stage stage;

		stage_open(&stage, &rows[i].replay, PLAYBACK_SPEED_MAX, true);
		for (long number = 1; number <= 10; number++)
			assert_int_equal(next_within(&stage, 0), number);
		assert_int_equal(go(&stage, rows[i].first, rows[i].first == REQUEST_STEP ? -1 : 0),
				 rows[i].joins ? 10 : 9);
		assert_false(stage.replay.whole);
		send_command(&stage, REQUEST_WHOLE, 1);
		assert_non_null(strstr(read_playback(&stage)->text, rows[i].text));
		assert_int_equal(stage.replay.whole, rows[i].joins);
		if (rows[i].joins) {
			for (long number = 1; number <= 10; number++)
				assert_int_equal(next_within(&stage, 0), number);
			assert_int_equal(next_within(&stage, 0), 0);
			assert_true(read_playback(&stage)->ended && !stage.playback.paused);
			send_command(&stage, REQUEST_WHOLE, 1);
			assert_int_equal(next_within(&stage, 0), 0);
		}
		stage_close(&stage);
	}
}

static void await_whole(struct replay_index *replay_index, uint64_t *begin_ns, uint64_t *end_ns)
{
	struct pollfd news = {.fd = replay_index_fd(replay_index), .events = POLLIN};

	while (!replay_index_bounds(replay_index, begin_ns, end_ns)) {
		poll(&news, 1, -1);
		replay_index_clear_event(replay_index);
	}
}

/* Waits until the index has the whole recording. */
static void await(struct replay_index *replay_index)
{
	uint64_t begin_ns, end_ns;

	await_whole(replay_index, &begin_ns, &end_ns);
	assert_int_equal(begin_ns, BEGIN_NS);
	assert_int_equal(end_ns, BEGIN_NS + the->n * NS_PER_S);
}

/* Other columns are requested while it reads: it begins again. */
static void start_anew(struct replay_index *replay_index, struct replay *replay)
{
	static const struct replay_config config = {.path = "run.data"};
	struct error err;

	the = replay;
	if (replay_index_start(replay_index, &config, &err))
		fail_msg("%s", err.text);
	await(replay_index);
	replay_index_do(replay_index, &(struct request){REQUEST_IDLE, NULL, 1});
	while (__atomic_load_n(&replay->rewinds, __ATOMIC_ACQUIRE) == 0)
		sched_yield();
}

/* A thread reads the file from its beginning to its end, and anew where figures are others. */
static void test_index(void **state)
{
	struct replay replay = {.n = 3000,
				.broken_after = UINT64_MAX,
				.interval_ns = NS_PER_S,
				.columns = sample_columns("software")};
	struct history_key machine = history_key_of_all(HISTORY_MACHINE);
	struct replay_index *replay_index = replay_index_new();
	float values[2];

	(void)state;
	start_anew(replay_index, &replay);
	await(replay_index);
	history_read_range(replay_index_lock_history(replay_index), &machine, "cpu_percent",
			   BEGIN_NS, BEGIN_NS + 3000 * NS_PER_S, 2, values);
	assert_true(values[0] >= 0 && values[1] >= 0); /* known */
	replay_index_unlock_history(replay_index);
	replay_index_do(replay_index, &(struct request){REQUEST_IDLE, NULL, 1});
	replay_index_free(replay_index); /* in the middle of it */
	columns_unref(replay.columns);
}

/* A failed rewind ends the index. */
static void test_index_rewind_fails(void **state)
{
	struct replay replay = {.n = 10,
				.broken_after = UINT64_MAX,
				.interval_ns = NS_PER_S,
				.once = true,
				.columns = sample_columns("software")};
	struct replay_index *replay_index = replay_index_new();
	uint64_t begin_ns, end_ns;

	(void)state;
	start_anew(replay_index, &replay);
	await_whole(replay_index, &begin_ns, &end_ns);
	assert_int_equal(end_ns, begin_ns);
	replay_index_free(replay_index);
	columns_unref(replay.columns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pace),
		cmocka_unit_test(test_late),
		cmocka_unit_test(test_position),
		cmocka_unit_test(test_usual_interval),
		cmocka_unit_test(test_pause_and_step),
		cmocka_unit_test(test_speed),
		cmocka_unit_test(test_seek),
		cmocka_unit_test(test_seek_over_gap),
		cmocka_unit_test(test_seek_returns_between_turns),
		cmocka_unit_test(test_kept_snapshots_are_bounded),
		cmocka_unit_test(test_pipe),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_commands_change_columns),
		cmocka_unit_test(test_set_interval),
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_join),
		cmocka_unit_test(test_index),
		cmocka_unit_test(test_index_rewind_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
