// SPDX-License-Identifier: MIT
/*
 * The file is opened without blocking, and the bytes read are limited, so that no file (a pipe
 * without a writer, /dev/zero) can stop pmctop or exhaust the memory.
 */
#include "core/base/bounded_read.h"

#include "core/base/safe_path.h"
#include "core/base/util.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static int open_at(int directory, const char *path, int flags)
{
	int fd = openat(directory, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | flags);

	return fd < 0 ? -errno : fd;
}

static int check_kind(int fd, uint64_t patience_ns)
{
	struct stat status;

	if (fstat(fd, &status))
		return -errno;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	return patience_ns == 0 && !S_ISREG(status.st_mode) ? -EINVAL : 0;
}

static int wait_for_bytes(int fd, uint64_t deadline_ns)
{
	struct pollfd more = {.fd = fd, .events = POLLIN};
	uint64_t now = monotonic_ns();

	if (now >= deadline_ns)
		return -ETIMEDOUT;
	poll(&more, 1, (int)((deadline_ns - now) / NS_PER_MS) + 1);
	return 0;
}

static ssize_t read_all(int fd, uint64_t patience_ns, size_t most, char *text)
{
	uint64_t deadline_ns = monotonic_ns() + patience_ns;
	size_t length = 0;

	while (length < most) {
		ssize_t some = read(fd, text + length, most - length);
		int rc = some < 0 ? -errno : 0;

		if (some == 0)
			break;
		if (rc == -EAGAIN)
			rc = wait_for_bytes(fd, deadline_ns);
		if (rc && rc != -EINTR)
			return rc;
		length += some > 0 ? (size_t)some : 0;
	}
	return (ssize_t)length;
}

/* A regular file, a pipe, or /dev/null. */
static bool is_harmless(const struct stat *status)
{
	bool null = S_ISCHR(status->st_mode) && status->st_rdev == makedev(1, 3);

	return S_ISREG(status->st_mode) || S_ISFIFO(status->st_mode) || null;
}

/*
 * Opens neither a device, since opening some devices changes the machine, nor a path through
 * another user's link.
 */
static int open_trusted(const char *path)
{
	struct safe_path place;
	int fd = -EPERM;
	int rc = safe_path_find(path, true, &place, NULL);

	if (rc)
		return rc == -ELOOP ? -EPERM : rc;
	if (!place.exists)
		fd = -ENOENT;
	else if (S_ISDIR(place.status.st_mode))
		fd = -EISDIR;
	else if (!is_harmless(&place.status))
		fd = -EINVAL;
	else if (place.trusted &&
		 (S_ISCHR(place.status.st_mode) || !safe_path_is_open(&place.status)))
		fd = open_at(place.directory, place.name, place.descriptor ? 0 : O_NOFOLLOW);
	safe_path_fini(&place);
	return fd;
}

static int read_file(const char *path, bool trusted, uint64_t patience_ns, size_t most, char **text,
		     size_t *length)
{
	int fd = trusted ? open_trusted(path) : open_at(AT_FDCWD, path, 0);

	if (fd < 0)
		return fd;

	char *bytes = xmalloc(most + 1);
	int rc = check_kind(fd, patience_ns);
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

int bounded_read(const char *path, uint64_t patience_ns, size_t most, char **text, size_t *length)
{
	return read_file(path, false, patience_ns, most, text, length);
}

int bounded_read_trusted(const char *path, uint64_t patience_ns, size_t most, char **text,
			 size_t *length)
{
	return read_file(path, true, patience_ns, most, text, length);
}
