// SPDX-License-Identifier: MIT
/*
 * O_TMPFILE makes a file without a name, linkat(2) gives it a random one, and renameat(2) the final
 * one. A file system without O_TMPFILE, or a machine without /proc, gets a file with a random name
 * at once.
 */
#include "core/base/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { TRIES = 100, SUFFIX = 1 + 12 };

/* Makes a random name, so that no other user can create it first. */
static int make_random_name(struct atomic_file *file)
{
	uint64_t number;

	if (strlen(file->place->name) + SUFFIX > NAME_MAX)
		return -ENAMETOOLONG;
	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return -errno;
	snprintf(file->name, sizeof(file->name), "%.*s.%012llx", NAME_MAX - SUFFIX,
		 file->place->name, (unsigned long long)(number >> 16));
	return 0;
}

static int open_named(struct atomic_file *file)
{
	int rc = -EEXIST;

	for (unsigned i = 0; i < TRIES && rc == -EEXIST; i++) {
		rc = make_random_name(file);
		if (rc < 0)
			break;
		file->fd = openat(file->place->directory, file->name,
				  O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		rc = file->fd < 0 ? -errno : 0;
	}
	if (rc < 0)
		file->name[0] = '\0';
	return rc;
}

/* By /proc/self/fd, because AT_EMPTY_PATH needs CAP_DAC_READ_SEARCH. */
static int link_random_name(struct atomic_file *file)
{
	char self[32];
	int rc = -EEXIST;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", file->fd);
	for (unsigned i = 0; i < TRIES && rc == -EEXIST; i++) {
		rc = make_random_name(file);
		if (rc == 0 && linkat(AT_FDCWD, self, file->place->directory, file->name,
				      AT_SYMLINK_FOLLOW) < 0)
			rc = -errno;
	}
	if (rc < 0)
		file->name[0] = '\0';
	return rc;
}

int atomic_file_open(const struct safe_path *place, struct atomic_file *file)
{
	*file = (struct atomic_file){.place = place};
	/* Without /proc a nameless file could not get a name. */
	if (access("/proc/self/fd", X_OK) == 0) {
		file->fd = openat(place->directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
		if (file->fd >= 0)
			return 0;
	}
	return open_named(file);
}

int atomic_file_put(struct atomic_file *file)
{
	const struct safe_path *place = file->place;
	int rc = file->name[0] ? 0 : link_random_name(file);

	if (rc == 0 && renameat(place->directory, file->name, place->directory, place->name) < 0)
		rc = -errno;
	if (rc == 0)
		file->name[0] = '\0';
	return rc;
}

void atomic_file_fini(struct atomic_file *file)
{
	if (file->name[0])
		unlinkat(file->place->directory, file->name, 0);
	file->name[0] = '\0';
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}
