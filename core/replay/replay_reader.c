// SPDX-License-Identifier: MIT
/*
 * The kept snapshots are a ring, indexed by their number. Reading on appends to the ring and drops
 * the oldest. Skipping and rewinding empty it, so the kept numbers always end with `last`. At the
 * end of the recording the reader stores the last number: after a rewind the end is known.
 */
#include "core/replay/replay_reader.h"

#include "core/base/util.h"

#include <errno.h>
#include <string.h>

enum { USUAL_MOST = 4 }; /* this many other lengths in a row replace usual_ns */

void replay_reader_init(struct replay_reader *reader, struct replay *replay,
			struct replay_index *pipe_index, const char *name)
{
	memset(reader, 0, sizeof(*reader));
	reader->replay = replay;
	reader->pipe_index = pipe_index;
	reader->name = name;
}

void replay_reader_fini(struct replay_reader *reader)
{
	replay_reader_drop_before(reader, UINT64_MAX);
	replay_free(reader->replay);
}

uint64_t replay_reader_oldest(const struct replay_reader *reader)
{
	return reader->last - reader->n + 1;
}

bool replay_reader_has(const struct replay_reader *reader, uint64_t number)
{
	return number >= replay_reader_oldest(reader) && number <= reader->last;
}

struct snapshot *replay_reader_at(const struct replay_reader *reader, uint64_t number)
{
	return reader->items[number % REPLAY_READER_SNAPSHOTS];
}

uint64_t replay_reader_find(const struct replay_reader *reader, uint64_t position_ns)
{
	uint64_t number = replay_reader_oldest(reader);

	if (reader->n == 0 || replay_reader_at(reader, reader->last)->offset_ns < position_ns ||
	    (number > 1 && reader->oldest_begin_ns >= position_ns))
		return 0;
	while (number < reader->last && replay_reader_at(reader, number)->offset_ns < position_ns)
		number++;
	return number;
}

static void drop_oldest(struct replay_reader *reader)
{
	struct snapshot *oldest = replay_reader_at(reader, replay_reader_oldest(reader));

	reader->bytes -= snapshot_bytes(oldest);
	reader->oldest_begin_ns = oldest->offset_ns;
	snapshot_free(oldest);
	reader->n--;
}

void replay_reader_drop_before(struct replay_reader *reader, uint64_t number)
{
	while (reader->n > 0 && replay_reader_oldest(reader) < number)
		drop_oldest(reader);
}

/* Keeps the snapshot of interval last + 1, which begins at reader->position_ns. */
static void keep_snapshot(struct replay_reader *reader, struct snapshot *snapshot)
{
	size_t bytes = snapshot_bytes(snapshot);

	while (reader->n == REPLAY_READER_SNAPSHOTS ||
	       (reader->n > 1 && reader->bytes + bytes > REPLAY_READER_BYTES))
		drop_oldest(reader);
	if (reader->n == 0)
		reader->oldest_begin_ns = reader->position_ns;
	reader->last++;
	reader->n++;
	reader->items[reader->last % REPLAY_READER_SNAPSHOTS] = snapshot;
	reader->bytes += bytes;
}

bool replay_reader_at_end(const struct replay_reader *reader)
{
	return reader->end_known && reader->last == reader->end;
}

bool replay_reader_can_rewind(const struct replay_reader *reader)
{
	return replay_can_rewind(reader->replay);
}

static void set_position(struct replay_reader *reader, uint64_t time_ns)
{
	reader->position_ns = u64_growth(reader->begin_ns, time_ns);
	if (reader->position_ns > reader->farthest_ns)
		reader->farthest_ns = reader->position_ns;
}

static void set_end(struct replay_reader *reader, int rc, const struct error *err)
{
	reader->end_known = true;
	reader->end = reader->last;
	reader->changed = true;
	if (rc < 0)
		reader->broken = *err;
	if (reader->pipe_index)
		replay_index_finish(reader->pipe_index);
}

static void set_begin(struct replay_reader *reader, const struct snapshot *first)
{
	reader->begun = true;
	reader->begin_ns = u64_growth(first->interval_ns, first->time_ns);
	reader->begin_real_ns = u64_growth(first->interval_ns, first->realtime_ns);
}

/*
 * A native recording does not contain its interval, and the user may have changed it meanwhile.
 * The first and the last interval may be shorter than the others.
 */
static void update_usual(struct replay_reader *reader, uint64_t ns)
{
	uint64_t usual_ns = reader->usual_ns;
	bool near = ns >= usual_ns - usual_ns / 10 && ns <= usual_ns + usual_ns / 10;

	if (near && reader->n_usual < USUAL_MOST) {
		reader->n_usual++;
	} else if (!near && (reader->n_usual > 1 || (reader->n_usual == 1 && ns < usual_ns))) {
		reader->n_usual--;
		return;
	} else if (!near) {
		reader->n_usual = 1;
	}
	reader->usual_ns = ns;
}

static void add_snapshot(struct replay_reader *reader, struct snapshot *snapshot)
{
	text_copy(snapshot->replay, sizeof(snapshot->replay), reader->name);
	if (!reader->begun)
		set_begin(reader, snapshot);
	if (reader->pipe_index)
		replay_index_add(reader->pipe_index, snapshot);
	snapshot->offset_ns = u64_growth(reader->begin_ns, snapshot->time_ns);
	keep_snapshot(reader, snapshot);
	reader->interval_ns = snapshot->interval_ns;
	update_usual(reader, snapshot->interval_ns);
	set_position(reader, snapshot->time_ns);
}

int replay_reader_next(struct replay_reader *reader)
{
	struct snapshot *snapshot;
	struct error err;
	bool at_end = replay_reader_at_end(reader);
	int rc = at_end ? 0 : replay_next(reader->replay, &snapshot, &err);

	if (rc == 1)
		add_snapshot(reader, snapshot);
	else if (rc != -EAGAIN && !at_end)
		set_end(reader, rc, &err);
	reader->changed |= reader->waiting != (rc == -EAGAIN);
	reader->waiting = rc == -EAGAIN;
	return rc == 1 || rc == -EAGAIN ? rc : 0;
}

int replay_reader_skip(struct replay_reader *reader)
{
	uint64_t time_ns;
	struct error err;
	bool at_end = replay_reader_at_end(reader);
	int rc = at_end ? 0 : replay_skip(reader->replay, &time_ns, &err);

	if (rc == 1) {
		replay_reader_drop_before(reader, UINT64_MAX);
		reader->last++;
		set_position(reader, time_ns);
	} else if (rc != -EAGAIN && !at_end) {
		set_end(reader, rc, &err);
	}
	return rc == 1 || rc == -EAGAIN ? rc : 0;
}

int replay_reader_rewind(struct replay_reader *reader)
{
	struct error err;
	int rc = replay_rewind(reader->replay, &err);

	replay_reader_drop_before(reader, UINT64_MAX);
	reader->last = 0;
	reader->position_ns = 0;
	if (rc)
		set_end(reader, rc, &err);
	return rc;
}
