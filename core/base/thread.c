// SPDX-License-Identifier: MIT
/* The contract is in thread.h. A new thread has the signal mask of its parent at that time. */
#include "core/base/thread.h"

#include "core/base/util.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

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

ssize_t thread_read_file(pid_t tid, const char *name, char *text, size_t size)
{
	char path[64];

	text[0] = '\0';
	snprintf(path, sizeof(path), "/proc/self/task/%d/%s", tid, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ssize_t length = read(fd, text, size - 1);
	int code = errno;
	close(fd);
	text[length > 0 ? length : 0] = '\0';
	return length < 0 ? -code : length;
}
