// SPDX-License-Identifier: MIT
/* The stack and the signals of a thread. */
#include "core/base/thread.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct seen {
	size_t stack_bytes;
	sigset_t blocked;
};

static void *examine(void *arg)
{
	struct seen *seen = arg;
	pthread_attr_t attributes;

	if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
		pthread_attr_getstacksize(&attributes, &seen->stack_bytes);
		pthread_attr_destroy(&attributes);
	}
	pthread_sigmask(SIG_SETMASK, NULL, &seen->blocked);
	return NULL;
}

static void the_stack_is_known_and_signals_are_blocked(void **state)
{
	struct seen seen = {0};
	sigset_t before, after;
	pthread_t thread;

	(void)state;
	pthread_sigmask(SIG_SETMASK, NULL, &before);
	assert_int_equal(thread_start(&thread, examine, &seen), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	/* glibc's default is the limit of the main thread's stack. */
	assert_int_equal(seen.stack_bytes, THREAD_STACK_BYTES);
	assert_true(sigismember(&seen.blocked, SIGTERM));
	assert_true(sigismember(&seen.blocked, SIGWINCH));
	assert_false(sigismember(&seen.blocked, SIGSEGV));
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	for (int number = 1; number < SIGRTMIN; number++)
		assert_int_equal(sigismember(&before, number), sigismember(&after, number));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_stack_is_known_and_signals_are_blocked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
