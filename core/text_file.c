// SPDX-License-Identifier: MIT
#include "text_file.h"

#include "util.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static int check(int fd, uint64_t patience_ns)
{
	struct stat status;

	if (fstat(fd, &status))
		return -errno;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	return patience_ns == 0 && !S_ISREG(status.st_mode) ? -EINVAL : 0;
}

static int await(int fd, uint64_t deadline_ns)
{
	struct pollfd more = {.fd = fd, .events = POLLIN};
	uint64_t now = now_ns();

	if (now >= deadline_ns)
		return -ETIMEDOUT;
	poll(&more, 1, (int)((deadline_ns - now) / NS_PER_MS) + 1);
	return 0;
}

static ssize_t read_all(int fd, uint64_t patience_ns, size_t most, char *text)
{
	uint64_t deadline_ns = now_ns() + patience_ns;
	size_t length = 0;

	while (length < most) {
		ssize_t some = read(fd, text + length, most - length);
		int rc = some < 0 ? -errno : 0;

		if (some == 0)
			break;
		if (rc == -EAGAIN)
			rc = await(fd, deadline_ns);
		if (rc && rc != -EINTR)
			return rc;
		length += some > 0 ? (size_t)some : 0;
	}
	return (ssize_t)length;
}

int text_file_read(const char *path, uint64_t patience_ns, size_t most, char **text, size_t *length)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0)
		return -errno;

	char *bytes = xmalloc(most + 1);
	int rc = check(fd, patience_ns);
	ssize_t n = rc ? rc : read_all(fd, patience_ns, most, bytes);

	close(fd);
	if (n < 0) {
		free(bytes);
		return (int)n;
	}
	bytes[n] = '\0';
	*text = bytes;
	*length = (size_t)n;
	return 0;
}
