// SPDX-License-Identifier: MIT
/*
 * A goal among the kept snapshots is reached at once. A goal before them needs a rewind. Towards a
 * goal behind them, intervals that are far from it are skipped: a skip makes no snapshot and is
 * faster. The last REPLAY_GOAL_BACK intervals before the goal are read, so that the user can step
 * back from it.
 */
#include "core/replay/replay_goal.h"

#include "core/base/util.h"

#include <errno.h>

#define TEXT_PIPE "Older intervals from a pipe are not kept. To go further back, replay a file."

static void set_number(struct replay_goal *goal, uint64_t number)
{
	*goal = (struct replay_goal){.kind = REPLAY_GOAL_NUMBER, .number = number};
}

/* Number of the goal if it is kept, else 0. */
static uint64_t kept_number(const struct replay_goal *goal, const struct replay_reader *reader)
{
	if (goal->kind == REPLAY_GOAL_POSITION)
		return replay_reader_find(reader, goal->position_ns);
	return replay_reader_has(reader, goal->number) ? goal->number : 0;
}

/* Whether the goal was read, and is not kept any more. */
static bool is_behind(const struct replay_goal *goal, const struct replay_reader *reader)
{
	if (goal->kind == REPLAY_GOAL_NUMBER)
		return goal->number <= reader->last;
	return reader->last > 0 && goal->position_ns <= reader->position_ns;
}

static enum replay_goal_step step_back(struct replay_reader *reader, uint64_t *number,
				       const char **text)
{
	if (replay_reader_can_rewind(reader))
		return replay_reader_rewind(reader) ? REPLAY_GOAL_FAILED : REPLAY_GOAL_NEARER;
	*text = TEXT_PIPE;
	*number = replay_reader_oldest(reader);
	return reader->n > 0 ? REPLAY_GOAL_REACHED : REPLAY_GOAL_FAILED;
}

/* The whole recording was read, and the goal was not in it. */
static enum replay_goal_step stop_at_end(struct replay_goal *goal,
					 const struct replay_reader *reader, uint64_t *number,
					 const char **text)
{
	if (goal->kind == REPLAY_GOAL_NUMBER && goal->number > reader->last)
		*text = REPLAY_AT_END;
	if (reader->last == 0)
		return REPLAY_GOAL_FAILED;
	*number = reader->last;
	if (replay_reader_has(reader, reader->last))
		return REPLAY_GOAL_REACHED;
	set_number(goal, reader->last);
	return REPLAY_GOAL_NEARER;
}

static bool is_far(const struct replay_goal *goal, const struct replay_reader *reader)
{
	if (!replay_reader_can_rewind(reader) || !reader->begun)
		return false;
	if (goal->kind == REPLAY_GOAL_NUMBER)
		return reader->last + REPLAY_GOAL_BACK < goal->number;
	return goal->position_ns > reader->position_ns &&
	       goal->position_ns - reader->position_ns > REPLAY_GOAL_BACK * reader->interval_ns;
}

enum replay_goal_step replay_goal_step(struct replay_goal *goal, struct replay_reader *reader,
				       uint64_t *number, const char **text)
{
	*number = kept_number(goal, reader);
	if (*number)
		return REPLAY_GOAL_REACHED;
	if (is_behind(goal, reader))
		return step_back(reader, number, text);
	bool far = is_far(goal, reader);
	int rc = far ? replay_reader_skip(reader) : replay_reader_next(reader);
	if (rc == 0)
		return stop_at_end(goal, reader, number, text);
	if (rc == -EAGAIN)
		return REPLAY_GOAL_WAITS;
	/* The skipped interval was longer than the others, and is the goal. */
	if (far && goal->kind == REPLAY_GOAL_POSITION && reader->position_ns >= goal->position_ns)
		set_number(goal, reader->last);
	return REPLAY_GOAL_NEARER;
}

uint32_t replay_goal_percent(const struct replay_goal *goal, const struct replay_reader *reader)
{
	uint64_t all = goal->number, done = reader->last;

	if (goal->kind == REPLAY_GOAL_POSITION) {
		all = goal->position_ns / NS_PER_MS;
		done = reader->position_ns / NS_PER_MS;
	}
	return all > done ? (uint32_t)((double)done / (double)all * 100) : 100;
}
