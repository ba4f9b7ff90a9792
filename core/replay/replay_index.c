// SPDX-License-Identifier: MIT
/*
 * The thread reads one interval after the other and adds its snapshot to the history, under the
 * lock. Before each interval it applies new requests: these change all figures, so the history and
 * the reading begin again. A defect of the file ends the history; the feed reports it.
 */
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

/* Period of replay_index_fd: a redraw for each interval would be wasted. */
#define NOTIFY_NS (200 * NS_PER_MS)

struct replay_index {
	struct sys sys; /* of the thread */
	struct replay *replay;
	pthread_t thread;
	bool running;
	int event_fd;         /* eventfd */
	uint64_t notified_ns; /* time of the last write to event_fd */

	pthread_mutex_t lock; /* guards what follows */
	struct history *history;
	bool complete;
	bool stop;
	struct request_list requests;
};

static void notify_event(struct replay_index *index)
{
	ssize_t ignored = write(index->event_fd, &(uint64_t){1}, sizeof(uint64_t));
	(void)ignored;
}

struct replay_index *replay_index_new(void)
{
	struct replay_index *index = xcalloc(1, sizeof(*index));

	index->history = history_new_recorded();
	index->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_init(&index->lock, NULL);
	return index;
}

void replay_index_add(struct replay_index *index, const struct snapshot *snapshot)
{
	pthread_mutex_lock(&index->lock);
	history_add(index->history, snapshot);
	pthread_mutex_unlock(&index->lock);
}

void replay_index_finish(struct replay_index *index)
{
	pthread_mutex_lock(&index->lock);
	history_end(index->history);
	index->complete = true;
	pthread_mutex_unlock(&index->lock);
	notify_event(index);
}

/*
 * Returns whether to stop. *again: requests were applied, and the file is read from its beginning.
 */
static bool apply_requests(struct replay_index *index, bool *again)
{
	struct request_list requests = {0};

	pthread_mutex_lock(&index->lock);
	bool stop = index->stop;
	request_list_move(&requests, &index->requests);
	if (requests.n > 0) {
		history_free(index->history);
		index->history = history_new_recorded();
		index->complete = false;
	}
	pthread_mutex_unlock(&index->lock);

	*again = requests.n > 0;
	for (size_t i = 0; i < requests.n; i++)
		replay_do(index->replay, &requests.items[i]);
	request_list_clear(&requests);
	return stop;
}

/* Reads an interval: 1; 0 at the end or a defect; -EAGAIN. */
static int read_on(struct replay_index *index)
{
	struct snapshot *snapshot;
	struct error err;
	int rc = replay_next(index->replay, &snapshot, &err);

	if (rc == 1) {
		replay_index_add(index, snapshot);
		snapshot_free(snapshot);
	} else if (rc != -EAGAIN) {
		replay_index_finish(index);
		rc = 0;
	}
	uint64_t now_ns = sys_now_ns(&index->sys);
	if (now_ns - index->notified_ns >= NOTIFY_NS) {
		index->notified_ns = now_ns;
		notify_event(index);
	}
	return rc;
}

/* Rewinds: 1; 0: the file cannot be read again, and the history ends here. */
static int rewind_or_finish(struct replay_index *index)
{
	struct error err;

	if (replay_rewind(index->replay, &err) == 0)
		return 1;
	replay_index_finish(index);
	return 0;
}

static void *index_run(void *arg)
{
	struct replay_index *index = arg;
	bool again;
	int more = 1;

	while (!apply_requests(index, &again)) {
		if (again)
			more = rewind_or_finish(index);
		if (more == 1)
			more = read_on(index);
		else
			sys_wait(&index->sys, NULL, 0, UINT64_MAX);
	}
	return NULL;
}

int replay_index_start(struct replay_index *index, const struct replay_config *config,
		       struct error *err)
{
	int rc = index->event_fd < 0 ? -EMFILE : sys_linux_init(&index->sys);

	if (rc < 0)
		return error_set_no_descriptor(err, rc);
	struct replay_config figures = *config;
	figures.no_functions = true;
	figures.whole = false;
	rc = replay_new(&index->sys, &figures, &index->replay, err);
	if (rc < 0)
		goto fail;
	rc = thread_start(&index->thread, index_run, index);
	if (rc < 0) {
		error_set_not_started(err, rc, "The thread that reads the recording");
		goto fail;
	}
	index->running = true;
	return 0;

fail:
	replay_free(index->replay);
	index->replay = NULL;
	sys_linux_fini(&index->sys);
	return rc;
}

void replay_index_free(struct replay_index *index)
{
	if (!index)
		return;
	if (index->running) {
		pthread_mutex_lock(&index->lock);
		index->stop = true;
		pthread_mutex_unlock(&index->lock);
		sys_wake(&index->sys);
		pthread_join(index->thread, NULL);
		replay_free(index->replay);
		sys_linux_fini(&index->sys);
	}
	request_list_clear(&index->requests);
	history_free(index->history);
	pthread_mutex_destroy(&index->lock);
	if (index->event_fd >= 0)
		close(index->event_fd);
	free(index);
}

void replay_index_do(struct replay_index *index, const struct request *request)
{
	if (!index->running)
		return;
	pthread_mutex_lock(&index->lock);
	request_list_add(&index->requests, request);
	pthread_mutex_unlock(&index->lock);
	sys_wake(&index->sys);
}

bool replay_index_bounds(struct replay_index *index, uint64_t *begin_ns, uint64_t *end_ns)
{
	pthread_mutex_lock(&index->lock);
	history_reach(index->history, begin_ns, end_ns);
	bool complete = index->complete;
	pthread_mutex_unlock(&index->lock);
	return complete;
}

const struct history *replay_index_lock_history(struct replay_index *index)
{
	pthread_mutex_lock(&index->lock);
	return index->history;
}

void replay_index_unlock_history(struct replay_index *index)
{
	pthread_mutex_unlock(&index->lock);
}

int replay_index_fd(const struct replay_index *index)
{
	return index->event_fd;
}

void replay_index_clear_event(struct replay_index *index)
{
	uint64_t count;
	ssize_t ignored = read(index->event_fd, &count, sizeof(count));
	(void)ignored;
}
