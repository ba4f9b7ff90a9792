// SPDX-License-Identifier: MIT
/*
 * A thread, because the shell can be sent a signal only as long as its pipe shows that it runs, and
 * the main program uses its timers for itself. It runs as long as the process.
 */
#include "tui/remote/link_watch.h"

#include "core/base/thread.h"
#include "core/base/util.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct watch {
	struct host_link link;
	int patience_ms;
};

static bool has_ended(ssize_t got)
{
	return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

static void pass_signals_on(const char *bytes, ssize_t n)
{
	for (ssize_t i = 0; i < n; i++)
		if (bytes[i] == 'i' || bytes[i] == 't')
			kill(getpid(), bytes[i] == 'i' ? SIGINT : SIGTERM);
}

/* With sudo, the user of the folder chooses the number. */
static bool is_owned(pid_t pid, uid_t owner)
{
	char path[32];
	struct stat status;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	return stat(path, &status) == 0 && status.st_uid == owner;
}

static void *watch_link(void *arg)
{
	struct watch watch = *(struct watch *)arg;
	struct pollfd alive = {.fd = watch.link.alive, .events = POLLIN};
	int patience_ms = -1, ready;
	char bytes[64];

	free(arg);
	while ((ready = poll(&alive, 1, patience_ms)) != 0) {
		ssize_t got = ready < 0 ? -1 : read(watch.link.alive, bytes, sizeof(bytes));

		if (has_ended(got))
			break;
		pass_signals_on(bytes, got);
		if (got > 0)
			patience_ms = watch.patience_ms;
	}
	if (ready == 0 && watch.link.shell > 1 && is_owned(watch.link.shell, watch.link.owner))
		kill(watch.link.shell, SIGHUP);
	kill(getpid(), SIGIO);
	return NULL;
}

int link_watch_start(const struct host_link *link, int patience_ms)
{
	if (link->alive < 0)
		return 0;
	struct watch *watch = xmalloc(sizeof(*watch));
	pthread_t thread;

	*watch = (struct watch){*link, patience_ms};
	int rc = thread_start(&thread, watch_link, watch);
	if (rc)
		free(watch);
	else
		pthread_detach(thread);
	return rc;
}
