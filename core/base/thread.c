// SPDX-License-Identifier: MIT
/* The contract is in thread.h. A new thread has the signal mask of its parent at that time. */
#include "core/base/thread.h"

#include "core/base/util.h"

#include <signal.h>

int thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg)
{
	static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
	pthread_attr_t attributes;
	sigset_t all, before;

	int result = pthread_attr_init(&attributes);
	if (result)
		return -result;
	result = pthread_attr_setstacksize(&attributes, THREAD_STACK_BYTES);
	sigfillset(&all);
	for (size_t i = 0; i < ARRAY_SIZE(crashes); i++)
		sigdelset(&all, crashes[i]);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (!result)
		result = pthread_create(thread, &attributes, run, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return -result;
}
