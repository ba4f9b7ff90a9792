// SPDX-License-Identifier: MIT
/*
 * The thread waits until a snapshot is due, publishes it under the lock, and increments an eventfd
 * that wakes the reader. Requests go the other way: the reader stores them under the lock and wakes
 * the thread with sys_wake(). The lock is held for pointers only, never while working. The thread
 * is a fiber, so that refreshes go on although a file of a process does not answer.
 */
#include "core/engine/feed_thread.h"

#include "core/base/fiber.h"
#include "core/base/util.h"
#include "core/sys/sys.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct feed_thread {
	struct sys sys;
	struct feed feed;
	struct fiber *fiber; /* the thread; NULL: it does not run */
	int ready_fd; /* eventfd: incremented by each publication, reset by feed_thread_pop() */

	pthread_mutex_t lock; /* guards all members below */
	struct snapshot *newest;
	uint64_t interval_ns;
	bool interval_changed; /* not yet passed to the feed */
	struct playback playback;
	bool plays;                   /* the feed has a playback */
	struct request_list requests; /* in their order */
	struct reply *replies[REQUEST_KINDS];
	bool stop;
};

/* Passes what the reader wants to the feed. Returns false to stop. */
static bool pass_requests(struct feed_thread *feed_thread)
{
	struct request_list requests = {0};

	pthread_mutex_lock(&feed_thread->lock);
	bool stop = feed_thread->stop, changed = feed_thread->interval_changed;
	uint64_t interval_ns = feed_thread->interval_ns;
	feed_thread->interval_changed = false;
	request_list_move(&requests, &feed_thread->requests);
	pthread_mutex_unlock(&feed_thread->lock);

	if (!stop && changed)
		feed_set_interval(&feed_thread->feed, interval_ns);
	if (!stop && requests.n > 0)
		feed_request(&feed_thread->feed, &requests);
	request_list_clear(&requests);
	return !stop;
}

static void signal_ready(const struct feed_thread *feed_thread)
{
	ssize_t ignored = write(feed_thread->ready_fd, &(uint64_t){1}, sizeof(uint64_t));
	(void)ignored;
}

/* NULL is fine. */
static void publish_snapshot(struct feed_thread *feed_thread, struct snapshot *snapshot)
{
	if (!snapshot)
		return;
	pthread_mutex_lock(&feed_thread->lock);
	struct snapshot *unseen = feed_thread->newest;
	/* A complete one that was not taken counts in the next one. */
	snapshot->cut_short &= !unseen || unseen->cut_short;
	feed_thread->newest = snapshot;
	pthread_mutex_unlock(&feed_thread->lock);

	snapshot_free(unseen);
	signal_ready(feed_thread);
}

static void publish_replies(struct feed_thread *feed_thread)
{
	struct reply **replies = feed_thread->feed.replies, *reply;

	while (replies && (reply = reply_pop(replies)) != NULL) {
		pthread_mutex_lock(&feed_thread->lock);
		struct reply *unseen = feed_thread->replies[reply->kind];
		feed_thread->replies[reply->kind] = reply;
		pthread_mutex_unlock(&feed_thread->lock);

		reply_free(unseen);
		signal_ready(feed_thread);
	}
}

/* Publishes the position in a recording if it has changed. */
static void publish_playback(struct feed_thread *feed_thread)
{
	struct playback playback;

	memset(&playback, 0, sizeof(playback)); /* padding too: bytes are compared */
	if (!feed_playback(&feed_thread->feed, &playback) ||
	    (feed_thread->plays &&
	     memcmp(&playback, &feed_thread->playback, sizeof(playback)) == 0))
		return;
	pthread_mutex_lock(&feed_thread->lock);
	memcpy(&feed_thread->playback, &playback, sizeof(playback));
	feed_thread->plays = true;
	pthread_mutex_unlock(&feed_thread->lock);
	signal_ready(feed_thread);
}

static void run_feed(void *arg)
{
	struct feed_thread *feed_thread = arg;
	struct error err;

	while (pass_requests(feed_thread)) {
		publish_playback(feed_thread);
		/* Returns 0 after a request, with a reply, or to stop. */
		int due = feed_wait(&feed_thread->feed, UINT64_MAX, &err);
		publish_replies(feed_thread);
		if (due < 0) /* until the next request */
			sys_wait(&feed_thread->sys, NULL, 0, UINT64_MAX);
		if (due == 1)
			publish_snapshot(feed_thread, feed_snapshot(&feed_thread->feed));
	}
}

int feed_thread_new(struct feed_thread **out, struct error *err)
{
	struct feed_thread *feed_thread = xcalloc(1, sizeof(*feed_thread));
	int result = 0;

	feed_thread->ready_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (feed_thread->ready_fd < 0)
		result = -errno;
	else
		result = sys_linux_init(&feed_thread->sys);
	if (result < 0) {
		if (feed_thread->ready_fd >= 0)
			close(feed_thread->ready_fd);
		free(feed_thread);
		return error_set_no_descriptor(err, result);
	}
	pthread_mutex_init(&feed_thread->lock, NULL);
	*out = feed_thread;
	return 0;
}

const struct sys *feed_thread_sys(const struct feed_thread *feed_thread)
{
	return &feed_thread->sys;
}

int feed_thread_start(struct feed_thread *feed_thread, const struct feed *feed, struct error *err)
{
	feed_thread->feed = *feed;
	int result = fiber_start(&feed_thread->fiber, run_feed, feed_thread);
	return result < 0 ? error_set_not_started(err, result, "The thread that counts") : 0;
}

void feed_thread_free(struct feed_thread *feed_thread)
{
	if (!feed_thread)
		return;
	if (feed_thread->fiber) {
		pthread_mutex_lock(&feed_thread->lock);
		feed_thread->stop = true;
		pthread_mutex_unlock(&feed_thread->lock);
		sys_wake(&feed_thread->sys);
		fiber_join(feed_thread->fiber);
	}
	snapshot_free(feed_thread->newest);
	request_list_clear(&feed_thread->requests);
	for (size_t i = 0; i < REQUEST_KINDS; i++)
		reply_free(feed_thread->replies[i]);
	feed_free(&feed_thread->feed);
	sys_linux_fini(&feed_thread->sys);
	close(feed_thread->ready_fd);
	pthread_mutex_destroy(&feed_thread->lock);
	free(feed_thread);
}

int feed_thread_fd(const struct feed_thread *feed_thread)
{
	return feed_thread->ready_fd;
}

struct snapshot *feed_thread_pop(struct feed_thread *feed_thread)
{
	uint64_t count;
	ssize_t ignored = read(feed_thread->ready_fd, &count, sizeof(count));
	(void)ignored;

	pthread_mutex_lock(&feed_thread->lock);
	struct snapshot *newest = feed_thread->newest;
	feed_thread->newest = NULL;
	pthread_mutex_unlock(&feed_thread->lock);
	return newest;
}

void feed_thread_set_interval(struct feed_thread *feed_thread, uint64_t interval_ns)
{
	pthread_mutex_lock(&feed_thread->lock);
	feed_thread->interval_ns = interval_ns;
	feed_thread->interval_changed = true;
	pthread_mutex_unlock(&feed_thread->lock);
	sys_wake(&feed_thread->sys);
}

void feed_thread_request(struct feed_thread *feed_thread, struct request_list *requests)
{
	pthread_mutex_lock(&feed_thread->lock);
	request_list_move(&feed_thread->requests, requests);
	pthread_mutex_unlock(&feed_thread->lock);
	sys_wake(&feed_thread->sys);
}

struct reply *feed_thread_pop_reply(struct feed_thread *feed_thread)
{
	pthread_mutex_lock(&feed_thread->lock);
	struct reply *reply = reply_pop(feed_thread->replies);
	pthread_mutex_unlock(&feed_thread->lock);
	return reply;
}

bool feed_thread_playback(struct feed_thread *feed_thread, struct playback *playback)
{
	pthread_mutex_lock(&feed_thread->lock);
	*playback = feed_thread->playback;
	bool plays = feed_thread->plays;
	pthread_mutex_unlock(&feed_thread->lock);
	return plays;
}
