// SPDX-License-Identifier: MIT
/*
 * The thread's whole life: wait until the next deadline, make a snapshot, put it where the other
 * side finds it. Deadlines are absolute, so that a slow interval does not shift the later ones;
 * those that passed meanwhile are skipped.
 */
#include "collector.h"

#include "sys.h"
#include "util.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct collector {
	struct sys sys;
	struct engine *engine;
	pthread_t thread;
	int ready_fd; /* eventfd: counts up when something is put, read by collector_take */

	pthread_mutex_t lock; /* guards what follows; held for pointers only, never while working */
	struct snapshot *newest;
	uint64_t interval_ns;
	struct commands commands;                  /* in the order they came */
	struct question questions[QUESTION_KINDS]; /* those that are asked; texts are owned */
	bool asked[QUESTION_KINDS];
	struct answer *answers[QUESTION_KINDS];
	bool stop;
};

static bool stopping(struct collector *collector, uint64_t *interval_ns)
{
	pthread_mutex_lock(&collector->lock);
	bool stop = collector->stop;
	*interval_ns = collector->interval_ns;
	pthread_mutex_unlock(&collector->lock);
	return stop;
}

static void tell(const struct collector *collector)
{
	ssize_t ignored = write(collector->ready_fd, &(uint64_t){1}, sizeof(uint64_t));
	(void)ignored;
}

static void put(struct collector *collector, struct snapshot *snapshot)
{
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

	while ((answer = engine_take_answer(collector->engine)) != NULL) {
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
			engine_ask(collector->engine, &question);
		xfree(question.text);
	}
}

/* Hands all commands on to the engine; whether there were any. */
static bool do_commands(struct collector *collector)
{
	struct commands commands = {0};

	pthread_mutex_lock(&collector->lock);
	commands_move(&commands, &collector->commands);
	pthread_mutex_unlock(&collector->lock);

	bool any = commands.n > 0;
	for (size_t i = 0; i < commands.n; i++)
		engine_do(collector->engine, &commands.items[i]);
	commands_clear(&commands);
	return any;
}

static void *run(void *arg)
{
	struct collector *collector = arg;
	uint64_t ended_ns = sys_now_ns(&collector->sys);
	uint64_t interval_ns;

	while (!stopping(collector, &interval_ns)) {
		ask_questions(collector);
		if (do_commands(collector)) {
			put(collector, engine_snapshot(collector->engine));
			ended_ns = sys_now_ns(&collector->sys);
		}
		/*
		 * Woken early: there is a command, a question or an answer, the interval was
		 * changed, or it is time to stop.
		 */
		bool early = engine_wait(collector->engine, ended_ns + interval_ns);
		put_answers(collector);
		if (early)
			continue;
		put(collector, engine_snapshot(collector->engine));
		uint64_t late_ns = sys_now_ns(&collector->sys) - ended_ns;
		ended_ns += late_ns - late_ns % interval_ns;
	}
	return NULL;
}

/* Signals belong to the thread that owns the terminal; but for those of a crash right here. */
static int start_thread(struct collector *collector)
{
	static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
	sigset_t all, before;

	sigfillset(&all);
	for (size_t i = 0; i < ARRAY_SIZE(crashes); i++)
		sigdelset(&all, crashes[i]);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int result = pthread_create(&collector->thread, NULL, run, collector);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -result;
}

int collector_start(const struct engine_config *config, uint64_t interval_ns,
		    struct collector **out, struct error *err)
{
	struct collector *collector = xcalloc(1, sizeof(*collector));
	int result;

	collector->interval_ns = interval_ns;
	pthread_mutex_init(&collector->lock, NULL);
	collector->ready_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (collector->ready_fd < 0) {
		result = error_set(err, -errno, "No file descriptor is left.");
		recorder_free(config->recorder);
		goto fail_fd;
	}
	result = sys_linux_init(&collector->sys);
	if (result < 0) {
		error_set(err, result, "No file descriptor is left.");
		recorder_free(config->recorder);
		goto fail_sys;
	}
	result = engine_new(&collector->sys, config, &collector->engine, err);
	if (result < 0)
		goto fail_engine;
	result = start_thread(collector);
	if (result < 0) {
		error_set(err, result, "The collector's thread cannot be started.");
		goto fail_thread;
	}
	*out = collector;
	return 0;

fail_thread:
	engine_free(collector->engine);
fail_engine:
	sys_linux_fini(&collector->sys);
fail_sys:
	close(collector->ready_fd);
fail_fd:
	pthread_mutex_destroy(&collector->lock);
	free(collector);
	return result;
}

void collector_stop(struct collector *collector)
{
	if (!collector)
		return;
	pthread_mutex_lock(&collector->lock);
	collector->stop = true;
	pthread_mutex_unlock(&collector->lock);
	sys_wake(&collector->sys);
	pthread_join(collector->thread, NULL);

	snapshot_free(collector->newest);
	commands_clear(&collector->commands);
	for (size_t i = 0; i < QUESTION_KINDS; i++) {
		xfree(collector->questions[i].text);
		answer_free(collector->answers[i]);
	}
	engine_free(collector->engine);
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
