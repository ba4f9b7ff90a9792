// SPDX-License-Identifier: MIT
/* Threads that block each in its own way, and the reason that core/sys/blocked finds. */
#include "core/base/util.h"
#include "core/sys/blocked.h"

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include <cmocka.h>

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER; /* by the main thread */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER; /* never signalled */
static char path[] = "/tmp/pmctop-blocked-XXXXXX";

static void wait_for_a_mutex(void)
{
	pthread_mutex_lock(&held);
}

static void wait_on_a_condition(void)
{
	pthread_mutex_lock(&mutex);
	pthread_cond_wait(&condition, &mutex);
}

static void wait_on_a_condition_until(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 3600;
	pthread_mutex_lock(&mutex);
	pthread_cond_timedwait(&condition, &mutex, &until);
}

static void wait_for_a_semaphore(void)
{
	sem_t semaphore;

	sem_init(&semaphore, 0, 0);
	sem_wait(&semaphore);
}

static void wait_for_a_file_lock(void)
{
	flock(open(path, O_RDWR | O_CLOEXEC), LOCK_EX);
}

static void wait_for_a_pipe(void)
{
	int ends[2];
	char byte;

	if (pipe(ends) == 0)
		byte = (char)read(ends[0], &byte, 1);
}

struct blocker {
	const char *name;
	void (*block)(void);
	enum blocked_reason want;
	_Atomic pid_t tid;
};

static void *block(void *arg)
{
	struct blocker *blocker = arg;

	blocker->tid = gettid();
	blocker->block();
	return NULL;
}

/* Each thread has its reason as soon as it is blocked: another one would last for ever. */
static void each_thread_has_its_reason(void **state)
{
	static struct blocker rows[] = {
		{"mutex", wait_for_a_mutex, BLOCKED_LOCK},
		{"condition variable", wait_on_a_condition, BLOCKED_FUTEX},
		{"condition variable, until a time", wait_on_a_condition_until, BLOCKED_FUTEX},
		{"semaphore", wait_for_a_semaphore, BLOCKED_FUTEX},
		{"file lock", wait_for_a_file_lock, BLOCKED_LOCK},
		{"pipe", wait_for_a_pipe, BLOCKED_SLEEP},
	};
	struct blocked_rights rights;
	struct sys sys;

	(void)state;
	assert_int_equal(sys_linux_init(&sys), 0);
	blocked_rights_init(&rights, &sys);
	assert_int_equal(flock(mkostemp(path, O_CLOEXEC), LOCK_EX), 0);
	pthread_mutex_lock(&held);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct blocked blocked = {.state = '?'};
		pthread_t thread;

		print_message("%s\n", rows[i].name);
		assert_int_equal(pthread_create(&thread, NULL, block, &rows[i]), 0);
		while (rows[i].tid == 0 || blocked_classify(&blocked) != rows[i].want) {
			usleep(1000);
			if (rows[i].tid)
				blocked_read(&sys, &rights, getpid(), rows[i].tid, &blocked);
		}
	}
	unlink(path);
	sys_linux_fini(&sys);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_thread_has_its_reason),
	};

	return cmocka_run_group_tests_name("blocked_reasons", tests, NULL, NULL);
}
