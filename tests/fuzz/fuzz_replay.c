// SPDX-License-Identifier: MIT
/*
 * Any bytes as a recording, shown to its end: the intervals of perf's keep their sums; all are the
 * same again after a rewind, whether they are shown or stepped over.
 */
#include "tests/fuzz/fuzz.h"

#include "core/engine/engine.h"
#include "core/perfdata/perfdata_read.h"
#include "core/replay/replay.h"
#include "core/sys/sys_stub.h"

enum { INTERVALS_MAX = 64 };

struct source {
	const uint8_t *bytes;
	size_t n;
};

static ssize_t read_source(void *arg, uint64_t at, void *bytes, size_t n)
{
	const struct source *source = arg;

	if (at >= source->n)
		return 0;
	if (n > source->n - at)
		n = source->n - (size_t)at;
	memcpy(bytes, source->bytes + at, n);
	return (ssize_t)n;
}

/* The times of its intervals, and how it ended. */
struct shown {
	uint64_t times_ns[INTERVALS_MAX];
	size_t n;
	int result;
};

static void show_all(struct replay *replay, struct shown *shown)
{
	struct snapshot *snapshot = NULL;
	struct error err = {0};
	size_t event;

	*shown = (struct shown){0};
	while (shown->n < INTERVALS_MAX &&
	       (shown->result = replay_next(replay, &snapshot, &err)) > 0) {
		/* Ours say what some sums were: these may lie. */
		fuzz_check(replay_is_native(replay) || snapshot_conserves(snapshot, &event),
			   "an interval keeps its sums");
		shown->times_ns[shown->n++] = snapshot->time_ns;
		snapshot_free(snapshot);
	}
	fuzz_check(shown->result >= 0 || err.text[0], "why it ends is said");
}

static void skip_all(struct replay *replay, struct shown *shown)
{
	struct error err = {0};

	*shown = (struct shown){0};
	while (shown->n < INTERVALS_MAX &&
	       (shown->result = replay_skip(replay, &shown->times_ns[shown->n], &err)) > 0)
		shown->n++;
}

static bool same(const struct shown *a, const struct shown *b)
{
	return a->n == b->n && a->result == b->result &&
	       memcmp(a->times_ns, b->times_ns, a->n * sizeof(a->times_ns[0])) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct engine_config everything;
	struct source source = {data, size};
	const struct perfdata_input input = {read_source, &source, true, size};
	const struct replay_config config = {.engine = &everything, .interval_ns = 1000};
	struct sys_stub stub;
	struct replay *replay = NULL;
	struct error err = {0};

	sys_stub_init(&stub);
	int result = replay_new_from(&stub.sys, &config, &input, &replay, &err);
	fuzz_check(result == 0 || (result < 0 && err.text[0]), "why it cannot be shown is said");
	if (result < 0)
		return 0;
	struct shown first, again, skipped;
	show_all(replay, &first);
	fuzz_check(replay_rewind(replay, &err) == 0, "a file can be rewound");
	show_all(replay, &again);
	fuzz_check(same(&first, &again), "rewound, it shows the same");
	replay_rewind(replay, &err);
	skip_all(replay, &skipped);
	fuzz_check(same(&first, &skipped), "what is stepped over is what would be shown");
	replay_free(replay);
	return 0;
}
