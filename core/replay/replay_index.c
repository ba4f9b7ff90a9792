// SPDX-License-Identifier: MIT
#include "core/replay/replay_index.h"

#include "core/base/thread.h"
#include "core/base/util.h"
#include "core/sys/sys.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Drawing again and again what has grown a little is of no use. */
#define TELL_NS (200 * NS_PER_MS)

struct replay_index {
	struct sys sys; /* of the thread */
	struct replay *replay;
	pthread_t thread;
	bool running;
	int news_fd;      /* eventfd */
	uint64_t told_ns; /* when it was last written to */

	pthread_mutex_t lock; /* guards what follows */
	struct history *history;
	bool whole;
	bool stop;
	struct commands commands;
};

static void notify_event(struct replay_index *replay_index)
{
	ssize_t ignored = write(replay_index->news_fd, &(uint64_t){1}, sizeof(uint64_t));
	(void)ignored;
}

struct replay_index *replay_index_new(void)
{
	struct replay_index *replay_index = xcalloc(1, sizeof(*replay_index));

	replay_index->history = history_new_whole();
	replay_index->news_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_init(&replay_index->lock, NULL);
	return replay_index;
}

void replay_index_add(struct replay_index *replay_index, const struct snapshot *snapshot)
{
	pthread_mutex_lock(&replay_index->lock);
	history_add(replay_index->history, snapshot);
	pthread_mutex_unlock(&replay_index->lock);
}

void replay_index_finish(struct replay_index *replay_index)
{
	pthread_mutex_lock(&replay_index->lock);
	history_end(replay_index->history);
	replay_index->whole = true;
	pthread_mutex_unlock(&replay_index->lock);
	notify_event(replay_index);
}

/* ---- the thread */

/* Whether it is to stop; *again: there were commands, and it begins anew. */
static bool apply_commands(struct replay_index *replay_index, bool *again)
{
	struct commands commands = {0};

	pthread_mutex_lock(&replay_index->lock);
	bool stop = replay_index->stop;
	commands_move(&commands, &replay_index->commands);
	if (commands.n > 0) {
		history_free(replay_index->history);
		replay_index->history = history_new_whole();
		replay_index->whole = false;
	}
	pthread_mutex_unlock(&replay_index->lock);

	*again = commands.n > 0;
	for (size_t i = 0; i < commands.n; i++)
		replay_do(replay_index->replay, &commands.items[i]);
	commands_clear(&commands);
	return stop;
}

/* A piece of the file: 1 while there is more. What is wrong with it the player says. */
static int read_on(struct replay_index *replay_index)
{
	struct snapshot *snapshot;
	struct error err;
	int rc = replay_next(replay_index->replay, &snapshot, &err);

	if (rc == 1) {
		replay_index_add(replay_index, snapshot);
		snapshot_free(snapshot);
	} else if (rc != -EAGAIN) {
		replay_index_finish(replay_index);
		rc = 0;
	}
	uint64_t now_ns = sys_now_ns(&replay_index->sys);
	if (now_ns - replay_index->told_ns >= TELL_NS) {
		replay_index->told_ns = now_ns;
		notify_event(replay_index);
	}
	return rc;
}

/* From the beginning on: 1, or 0 where it cannot be read again; nothing more is known then. */
static int rewind_or_finish(struct replay_index *replay_index)
{
	struct error err;

	if (replay_rewind(replay_index->replay, &err) == 0)
		return 1;
	replay_index_finish(replay_index);
	return 0;
}

static void *index_run(void *arg)
{
	struct replay_index *replay_index = arg;
	bool again;
	int more = 1;

	while (!apply_commands(replay_index, &again)) {
		if (again)
			more = rewind_or_finish(replay_index);
		if (more == 1)
			more = read_on(replay_index);
		else
			sys_wait(&replay_index->sys, NULL, 0, UINT64_MAX);
	}
	return NULL;
}

int replay_index_start(struct replay_index *replay_index, const struct replay_config *config,
		       struct error *err)
{
	int rc = replay_index->news_fd < 0 ? -EMFILE : sys_linux_init(&replay_index->sys);

	if (rc < 0)
		return error_set_no_descriptor(err, rc);
	rc = replay_new(&replay_index->sys, config, &replay_index->replay, err);
	if (rc < 0)
		goto fail;
	rc = thread_start(&replay_index->thread, index_run, replay_index);
	if (rc < 0) {
		error_set(err, rc, "The thread that reads the recording cannot be started.");
		goto fail;
	}
	replay_index->running = true;
	return 0;

fail:
	replay_free(replay_index->replay);
	replay_index->replay = NULL;
	sys_linux_fini(&replay_index->sys);
	return rc;
}

void replay_index_free(struct replay_index *replay_index)
{
	if (!replay_index)
		return;
	if (replay_index->running) {
		pthread_mutex_lock(&replay_index->lock);
		replay_index->stop = true;
		pthread_mutex_unlock(&replay_index->lock);
		sys_wake(&replay_index->sys);
		pthread_join(replay_index->thread, NULL);
		replay_free(replay_index->replay);
		sys_linux_fini(&replay_index->sys);
	}
	commands_clear(&replay_index->commands);
	history_free(replay_index->history);
	pthread_mutex_destroy(&replay_index->lock);
	if (replay_index->news_fd >= 0)
		close(replay_index->news_fd);
	free(replay_index);
}

/* ---- whoever asks */

void replay_index_do(struct replay_index *replay_index, const struct command *command)
{
	if (!replay_index->running)
		return;
	pthread_mutex_lock(&replay_index->lock);
	commands_add(&replay_index->commands, command);
	pthread_mutex_unlock(&replay_index->lock);
	sys_wake(&replay_index->sys);
}

bool replay_index_bounds(struct replay_index *replay_index, uint64_t *begin_ns, uint64_t *end_ns)
{
	pthread_mutex_lock(&replay_index->lock);
	history_reach(replay_index->history, begin_ns, end_ns);
	bool whole = replay_index->whole;
	pthread_mutex_unlock(&replay_index->lock);
	return whole;
}

const struct history *replay_index_lock_history(struct replay_index *replay_index)
{
	pthread_mutex_lock(&replay_index->lock);
	return replay_index->history;
}

void replay_index_unlock_history(struct replay_index *replay_index)
{
	pthread_mutex_unlock(&replay_index->lock);
}

int replay_index_fd(const struct replay_index *replay_index)
{
	return replay_index->news_fd;
}

void replay_index_clear_event(struct replay_index *replay_index)
{
	uint64_t count;
	ssize_t ignored = read(replay_index->news_fd, &count, sizeof(count));
	(void)ignored;
}
