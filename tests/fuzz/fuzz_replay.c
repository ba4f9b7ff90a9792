// SPDX-License-Identifier: MIT
/*
 * Any bytes as a recording, replayed to its end. Intervals of perf's recordings conserve, and so
 * does the whole of a profile. After a rewind all intervals are equal, shown or skipped.
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

/* The end times of the intervals, and the result of the last call. */
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
		/* pmctop's recordings contain sums, which may be false. */
		fuzz_check(replay_is_native(replay) || snapshot_conserves(snapshot, &event),
			   "an interval conserves");
		shown->times_ns[shown->n++] = snapshot->time_ns;
		snapshot_free(snapshot);
	}
	fuzz_check(shown->result >= 0 || err.text[0], "an error has a text");
}

static void skip_all(struct replay *replay, struct shown *shown)
{
	struct error err = {0};

	*shown = (struct shown){0};
	while (shown->n < INTERVALS_MAX &&
	       (shown->result = replay_skip(replay, &shown->times_ns[shown->n], &err)) > 0)
		shown->n++;
}

static bool is_same(const struct shown *a, const struct shown *b)
{
	return a->n == b->n && a->result == b->result &&
	       memcmp(a->times_ns, b->times_ns, a->n * sizeof(a->times_ns[0])) == 0;
}

/* A profile as one interval, which grows. */
static void show_whole(const struct sys *sys, const struct replay_config *intervals,
		       const struct perfdata_input *input)
{
	struct replay_config config = *intervals;
	struct replay *replay = NULL;
	struct shown shown;
	struct error err = {0};

	config.whole = config.grows = true;
	fuzz_check(replay_new_from(sys, &config, input, &replay, &err) == 0,
		   "what has intervals has a whole");
	show_all(replay, &shown);
	replay_free(replay);
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
	fuzz_check(result == 0 || (result < 0 && err.text[0]), "a refusal has a text");
	if (result < 0)
		return 0;
	struct shown first, again, skipped;
	show_all(replay, &first);
	fuzz_check(replay_rewind(replay, &err) == 0, "a file can be rewound");
	show_all(replay, &again);
	fuzz_check(is_same(&first, &again), "after a rewind the intervals are equal");
	replay_rewind(replay, &err);
	skip_all(replay, &skipped);
	fuzz_check(is_same(&first, &skipped), "skipped intervals are equal");
	replay_free(replay);
	show_whole(&stub.sys, &config, &input);
	return 0;
}
