// SPDX-License-Identifier: MIT
/*
 * What run_live.c and run_batch.c share: the set-up of the process, and the feed that they read.
 */
#include "tui/run/run.h"

#include "core/engine/live_feed.h"
#include "core/replay/replay_feed.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
	NICE = -10,
	KEPT_BYTES = 32 << 20,
};

void run_prepare(void)
{
	struct rlimit files;

	/* Without these signals write() returns the error: EPIPE, or EFBIG (ulimit -f). */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	/*
	 * Snapshots are allocated and freed each refresh; returning their memory costs more than
	 * making them.
	 */
	mallopt(M_MMAP_THRESHOLD, KEPT_BYTES);
	mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
	/* Both are optional. */
	if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	if (getpriority(PRIO_PROCESS, 0) > NICE)
		setpriority(PRIO_PROCESS, 0, NICE);
}

enum run_status run_open_machine(const struct options *options, struct engine_config *config,
				 bool begins_short, const struct sys *sys, struct feed *feed,
				 struct error *err)
{
	struct engine *engine;

	struct recorder_spec record = options->record;

	record.unwritten = config->unwritten;
	if (record.path && recorder_new(&record, &config->recorder, err))
		return RUN_FAILED;
	int rc = engine_new(sys, config, &engine, err);
	if (rc)
		return rc == -EINVAL ? RUN_USAGE : rc == -EOPNOTSUPP ? RUN_FAILED : RUN_NOTHING;
	err->text[0] = '\0'; /* a note has the same text */
	live_init(sys, engine, options->interval_ns, begins_short, feed);
	return RUN_OK;
}

enum run_status run_open_replay(const struct options *options, const struct replay_config *replay,
				bool stays, struct replay_index *replay_index,
				const struct sys *sys, struct feed *feed, struct error *err)
{
	const struct replay_feed_config config = {
		.replay = *replay,
		/* A screen replays at the recorded speed, batch output as fast as possible. */
		.speed = options->paced ? options->speed
			 : stays        ? PLAYBACK_SPEED_ONE
					: PLAYBACK_SPEED_MAX,
		.stays = stays,
		.index = replay_index,
	};
	struct playback playback;

	if (strcmp(replay->path, "-") == 0 && isatty(STDIN_FILENO)) {
		error_set(err, -EINVAL,
			  "Standard input is a terminal, not a recording. Use 'perf record -o - "
			  "... | pmctop --replay -' or '--replay FILE'.");
		return RUN_USAGE;
	}
	if (replay_feed_open(sys, &config, feed, err))
		return RUN_FAILED;
	feed_playback(feed, &playback);
	if (replay_index && !playback.pipe && replay_index_start(replay_index, replay, err)) {
		feed_free(feed);
		return RUN_FAILED;
	}
	return RUN_OK;
}
