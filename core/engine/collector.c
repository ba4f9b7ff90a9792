// SPDX-License-Identifier: MIT
/*
 * The thread's whole life: wait until a snapshot is due, put it where the other side finds it.
 */
#include "core/engine/collector.h"

#include "core/base/thread.h"
#include "core/base/util.h"
#include "core/sys/sys.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct collector {
	struct sys sys;
	struct feed feed;
	pthread_t thread;
	bool running;
	int ready_fd; /* eventfd: counts up when something is put, read by collector_take */

	pthread_mutex_t lock; /* guards what follows; held for pointers only, never while working */
	struct snapshot *newest;
	uint64_t interval_ns;
	bool interval_changed; /* and the feed does not know yet */
	struct playback playback;
	bool plays;                                /* there is one */
	struct commands commands;                  /* in the order they came */
	struct question questions[QUESTION_KINDS]; /* those that are asked; texts are owned */
	bool asked[QUESTION_KINDS];
	struct answer *answers[QUESTION_KINDS];
	bool stop;
};

/* *changed: the interval is to be *interval_ns. */
static bool stopping(struct collector *collector, uint64_t *interval_ns, bool *changed)
{
	pthread_mutex_lock(&collector->lock);
	bool stop = collector->stop;
	*interval_ns = collector->interval_ns;
	*changed = collector->interval_changed;
	collector->interval_changed = false;
	pthread_mutex_unlock(&collector->lock);
	return stop;
}

static void tell(const struct collector *collector)
{
	ssize_t ignored = write(collector->ready_fd, &(uint64_t){1}, sizeof(uint64_t));
	(void)ignored;
}

/* NULL is none. */
static void put(struct collector *collector, struct snapshot *snapshot)
{
	if (!snapshot)
		return;
	pthread_mutex_lock(&collector->lock);
	struct snapshot *unseen = collector->newest;
	collector->newest = snapshot;
	pthread_mutex_unlock(&collector->lock);

	snapshot_free(unseen);
	tell(collector);
}

static void put_answers(struct collector *collector)
{
	struct answer *answer;

	while ((answer = feed_take_answer(&collector->feed)) != NULL) {
		pthread_mutex_lock(&collector->lock);
		struct answer *unseen = collector->answers[answer->kind];
		collector->answers[answer->kind] = answer;
		pthread_mutex_unlock(&collector->lock);

		answer_free(unseen);
		tell(collector);
	}
}

static void ask_questions(struct collector *collector)
{
	for (size_t i = 0; i < QUESTION_KINDS; i++) {
		pthread_mutex_lock(&collector->lock);
		bool asked = collector->asked[i];
		struct question question = collector->questions[i];
		collector->asked[i] = false;
		collector->questions[i].text = NULL;
		pthread_mutex_unlock(&collector->lock);

		if (asked)
			feed_ask(&collector->feed, &question);
		xfree(question.text);
	}
}

/* Hands all commands on to the feed; whether there were any. */
static bool do_commands(struct collector *collector)
{
	struct commands commands = {0};

	pthread_mutex_lock(&collector->lock);
	commands_move(&commands, &collector->commands);
	pthread_mutex_unlock(&collector->lock);

	bool any = commands.n > 0;
	for (size_t i = 0; i < commands.n; i++)
		feed_do(&collector->feed, &commands.items[i]);
	commands_clear(&commands);
	return any;
}

/* Tells where a recording is, where that has changed. */
static void put_playback(struct collector *collector)
{
	struct playback playback;

	memset(&playback, 0, sizeof(playback)); /* the gaps too: bytes are compared */
	if (!feed_playback(&collector->feed, &playback) ||
	    (collector->plays && memcmp(&playback, &collector->playback, sizeof(playback)) == 0))
		return;
	pthread_mutex_lock(&collector->lock);
	memcpy(&collector->playback, &playback, sizeof(playback));
	collector->plays = true;
	pthread_mutex_unlock(&collector->lock);
	tell(collector);
}

static void *run(void *arg)
{
	struct collector *collector = arg;
	bool changed;
	uint64_t interval_ns = 0;
	struct error err;

	while (!stopping(collector, &interval_ns, &changed)) {
		if (changed)
			feed_set_interval(&collector->feed, interval_ns);
		ask_questions(collector);
		if (do_commands(collector))
			put(collector, feed_snapshot(&collector->feed));
		put_playback(collector);
		/*
		 * Nothing is due: there is a command, a question or an answer, the interval was
		 * changed, or it is time to stop.
		 */
		int due = feed_wait(&collector->feed, UINT64_MAX, &err);
		put_answers(collector);
		if (due < 0) /* until someone wants something */
			sys_wait(&collector->sys, NULL, 0, UINT64_MAX);
		if (due == 1)
			put(collector, feed_snapshot(&collector->feed));
	}
	return NULL;
}

int collector_new(struct collector **out, struct error *err)
{
	struct collector *collector = xcalloc(1, sizeof(*collector));
	int result = 0;

	collector->ready_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (collector->ready_fd < 0)
		result = -errno;
	else
		result = sys_linux_init(&collector->sys);
	if (result < 0) {
		if (collector->ready_fd >= 0)
			close(collector->ready_fd);
		free(collector);
		return error_set_no_descriptor(err, result);
	}
	pthread_mutex_init(&collector->lock, NULL);
	*out = collector;
	return 0;
}

const struct sys *collector_sys(const struct collector *collector)
{
	return &collector->sys;
}

int collector_start(struct collector *collector, const struct feed *feed, struct error *err)
{
	collector->feed = *feed;
	int result = thread_start(&collector->thread, run, collector);
	if (result < 0)
		return error_set(err, result, "The collector's thread cannot be started.");
	collector->running = true;
	return 0;
}

void collector_free(struct collector *collector)
{
	if (!collector)
		return;
	if (collector->running) {
		pthread_mutex_lock(&collector->lock);
		collector->stop = true;
		pthread_mutex_unlock(&collector->lock);
		sys_wake(&collector->sys);
		pthread_join(collector->thread, NULL);
	}
	snapshot_free(collector->newest);
	commands_clear(&collector->commands);
	for (size_t i = 0; i < QUESTION_KINDS; i++) {
		xfree(collector->questions[i].text);
		answer_free(collector->answers[i]);
	}
	feed_free(&collector->feed);
	sys_linux_fini(&collector->sys);
	close(collector->ready_fd);
	pthread_mutex_destroy(&collector->lock);
	free(collector);
}

int collector_fd(const struct collector *collector)
{
	return collector->ready_fd;
}

struct snapshot *collector_take(struct collector *collector)
{
	uint64_t count;
	ssize_t ignored = read(collector->ready_fd, &count, sizeof(count));
	(void)ignored;

	pthread_mutex_lock(&collector->lock);
	struct snapshot *newest = collector->newest;
	collector->newest = NULL;
	pthread_mutex_unlock(&collector->lock);
	return newest;
}

void collector_set_interval(struct collector *collector, uint64_t interval_ns)
{
	pthread_mutex_lock(&collector->lock);
	collector->interval_ns = interval_ns;
	collector->interval_changed = true;
	pthread_mutex_unlock(&collector->lock);
	sys_wake(&collector->sys);
}

void collector_do(struct collector *collector, const struct command *command)
{
	pthread_mutex_lock(&collector->lock);
	commands_add(&collector->commands, command);
	pthread_mutex_unlock(&collector->lock);
	sys_wake(&collector->sys);
}

void collector_ask(struct collector *collector, const struct question *question)
{
	struct question copy = *question;

	copy.text = question->text ? xstrdup(question->text) : NULL;
	pthread_mutex_lock(&collector->lock);
	const char *before = collector->questions[copy.kind].text;
	collector->questions[copy.kind] = copy;
	collector->asked[copy.kind] = true;
	pthread_mutex_unlock(&collector->lock);

	xfree(before);
	sys_wake(&collector->sys);
}

struct answer *collector_take_answer(struct collector *collector)
{
	struct answer *answer = NULL;

	pthread_mutex_lock(&collector->lock);
	for (size_t i = 0; i < QUESTION_KINDS && !answer; i++) {
		answer = collector->answers[i];
		collector->answers[i] = NULL;
	}
	pthread_mutex_unlock(&collector->lock);
	return answer;
}

bool collector_playback(struct collector *collector, struct playback *playback)
{
	pthread_mutex_lock(&collector->lock);
	*playback = collector->playback;
	bool plays = collector->plays;
	pthread_mutex_unlock(&collector->lock);
	return plays;
}
