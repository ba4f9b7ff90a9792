// SPDX-License-Identifier: MIT
#include "tui/run/start_watch.h"

#include "core/base/error.h"
#include "core/base/thread.h"
#include "core/base/util.h"
#include "core/sys/file_wait.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define PATIENCE_NS NS_PER_S

struct start_watch {
	void (*print)(const char *sentence);
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t change;
	bool over; /* guarded by lock */
};

static void print_file(const struct start_watch *watch)
{
	char name[sizeof(((struct error *)0)->text)];
	struct error sentence;

	if (!file_wait_find(name, sizeof(name)))
		return;
	error_set(&sentence, -EIO,
		  "%s%.120s%s does not answer. Restore or unmount (umount -f) its file system.",
		  name[0] ? "'" : "A file", name, name[0] ? "'" : "");
	watch->print(sentence.text);
}

/* Without the lock while it looks and prints: a reader of standard error may not read. */
static void *watch_run(void *arg)
{
	struct start_watch *watch = arg;
	const uint64_t end_ns = monotonic_ns() + PATIENCE_NS;
	const struct timespec end = {.tv_sec = (time_t)(end_ns / NS_PER_S),
				     .tv_nsec = (long)(end_ns % NS_PER_S)};
	int result = 0;

	pthread_mutex_lock(&watch->lock);
	while (!watch->over && result == 0)
		result = pthread_cond_timedwait(&watch->change, &watch->lock, &end);
	bool over = watch->over;
	pthread_mutex_unlock(&watch->lock);
	if (!over)
		print_file(watch);
	return NULL;
}

struct start_watch *start_watch_new(void (*print)(const char *sentence))
{
	struct start_watch *watch = xcalloc(1, sizeof(*watch));
	pthread_condattr_t attributes;

	watch->print = print;
	pthread_mutex_init(&watch->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&watch->change, &attributes);
	pthread_condattr_destroy(&attributes);
	if (thread_start(&watch->thread, watch_run, watch) == 0)
		return watch;
	pthread_cond_destroy(&watch->change);
	pthread_mutex_destroy(&watch->lock);
	free(watch);
	return NULL;
}

void start_watch_free(struct start_watch *watch)
{
	if (!watch)
		return;
	pthread_mutex_lock(&watch->lock);
	watch->over = true;
	pthread_cond_signal(&watch->change);
	pthread_mutex_unlock(&watch->lock);
	pthread_join(watch->thread, NULL);
	pthread_cond_destroy(&watch->change);
	pthread_mutex_destroy(&watch->lock);
	free(watch);
}
