// SPDX-License-Identifier: MIT
#include "core/replay/survey.h"

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

struct survey {
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

static void tell(struct survey *survey)
{
	ssize_t ignored = write(survey->news_fd, &(uint64_t){1}, sizeof(uint64_t));
	(void)ignored;
}

struct survey *survey_new(void)
{
	struct survey *survey = xcalloc(1, sizeof(*survey));

	survey->history = history_new_whole();
	survey->news_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_init(&survey->lock, NULL);
	return survey;
}

void survey_add(struct survey *survey, const struct snapshot *snapshot)
{
	pthread_mutex_lock(&survey->lock);
	history_add(survey->history, snapshot);
	pthread_mutex_unlock(&survey->lock);
}

void survey_finish(struct survey *survey)
{
	pthread_mutex_lock(&survey->lock);
	history_end(survey->history);
	survey->whole = true;
	pthread_mutex_unlock(&survey->lock);
	tell(survey);
}

/* ---- the thread */

/* Whether it is to stop; *again: there were commands, and it begins anew. */
static bool look(struct survey *survey, bool *again)
{
	struct commands commands = {0};

	pthread_mutex_lock(&survey->lock);
	bool stop = survey->stop;
	commands_move(&commands, &survey->commands);
	if (commands.n > 0) {
		history_free(survey->history);
		survey->history = history_new_whole();
		survey->whole = false;
	}
	pthread_mutex_unlock(&survey->lock);

	*again = commands.n > 0;
	for (size_t i = 0; i < commands.n; i++)
		replay_do(survey->replay, &commands.items[i]);
	commands_clear(&commands);
	return stop;
}

/* A piece of the file: 1 while there is more. What is wrong with it the player says. */
static int read_on(struct survey *survey)
{
	struct snapshot *snapshot;
	struct error err;
	int rc = replay_next(survey->replay, &snapshot, &err);

	if (rc == 1) {
		survey_add(survey, snapshot);
		snapshot_free(snapshot);
	} else if (rc != -EAGAIN) {
		survey_finish(survey);
		rc = 0;
	}
	uint64_t now_ns = sys_now_ns(&survey->sys);
	if (now_ns - survey->told_ns >= TELL_NS) {
		survey->told_ns = now_ns;
		tell(survey);
	}
	return rc;
}

/* From the beginning on: 1, or 0 where it cannot be read again; nothing more is known then. */
static int rewind_or_finish(struct survey *survey)
{
	struct error err;

	if (replay_rewind(survey->replay, &err) == 0)
		return 1;
	survey_finish(survey);
	return 0;
}

static void *run(void *arg)
{
	struct survey *survey = arg;
	bool again;
	int more = 1;

	while (!look(survey, &again)) {
		if (again)
			more = rewind_or_finish(survey);
		if (more == 1)
			more = read_on(survey);
		else
			sys_wait(&survey->sys, NULL, 0, UINT64_MAX);
	}
	return NULL;
}

int survey_start(struct survey *survey, const struct replay_config *config, struct error *err)
{
	int rc = survey->news_fd < 0 ? -EMFILE : sys_linux_init(&survey->sys);

	if (rc < 0)
		return error_set_no_descriptor(err, rc);
	rc = replay_new(&survey->sys, config, &survey->replay, err);
	if (rc < 0)
		goto fail;
	rc = thread_start(&survey->thread, run, survey);
	if (rc < 0) {
		error_set(err, rc, "The thread that reads the recording cannot be started.");
		goto fail;
	}
	survey->running = true;
	return 0;

fail:
	replay_free(survey->replay);
	survey->replay = NULL;
	sys_linux_fini(&survey->sys);
	return rc;
}

void survey_free(struct survey *survey)
{
	if (!survey)
		return;
	if (survey->running) {
		pthread_mutex_lock(&survey->lock);
		survey->stop = true;
		pthread_mutex_unlock(&survey->lock);
		sys_wake(&survey->sys);
		pthread_join(survey->thread, NULL);
		replay_free(survey->replay);
		sys_linux_fini(&survey->sys);
	}
	commands_clear(&survey->commands);
	history_free(survey->history);
	pthread_mutex_destroy(&survey->lock);
	if (survey->news_fd >= 0)
		close(survey->news_fd);
	free(survey);
}

/* ---- whoever asks */

void survey_do(struct survey *survey, const struct command *command)
{
	if (!survey->running)
		return;
	pthread_mutex_lock(&survey->lock);
	commands_add(&survey->commands, command);
	pthread_mutex_unlock(&survey->lock);
	sys_wake(&survey->sys);
}

bool survey_reach(struct survey *survey, uint64_t *begin_ns, uint64_t *end_ns)
{
	pthread_mutex_lock(&survey->lock);
	history_reach(survey->history, begin_ns, end_ns);
	bool whole = survey->whole;
	pthread_mutex_unlock(&survey->lock);
	return whole;
}

const struct history *survey_take(struct survey *survey)
{
	pthread_mutex_lock(&survey->lock);
	return survey->history;
}

void survey_give(struct survey *survey)
{
	pthread_mutex_unlock(&survey->lock);
}

int survey_fd(const struct survey *survey)
{
	return survey->news_fd;
}

void survey_heard(struct survey *survey)
{
	uint64_t count;
	ssize_t ignored = read(survey->news_fd, &count, sizeof(count));
	(void)ignored;
}
