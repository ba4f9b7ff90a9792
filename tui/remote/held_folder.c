// SPDX-License-Identifier: MIT
/*
 * `alive` is the last file that is removed. So a folder whose removal was cut off is still stale.
 * Without `alive`, only the pipe is removed: if the maker renames it meanwhile, the folder is not
 * empty, and stays.
 *
 * A folder of another file system was not made by mkdir(2) in `parent`. statx(2) does not wait for
 * its server (AT_STATX_DONT_SYNC).
 */
#include "tui/remote/held_folder.h"

#include "core/base/bounded_read.h"
#include "core/base/util.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

enum { YOUNG_S = 3600, SOCKET_NAME_LENGTH = 18 };

static const char pipe_name[] = "pipe", alive_name[] = "alive";

bool held_folder_boot_id(char id[HELD_FOLDER_BOOT_BYTES])
{
	char *bytes;
	size_t n;

	if (bounded_read("/proc/sys/kernel/random/boot_id", 0, HELD_FOLDER_BOOT_BYTES, &bytes, &n))
		return false;
	bool complete = n == HELD_FOLDER_BOOT_BYTES && bytes[n - 1] == '\n';
	if (complete) {
		memcpy(id, bytes, n);
		id[n - 1] = '\0';
	}
	free(bytes);
	return complete;
}

int held_folder_hold(int folder)
{
	if (mkfifoat(folder, pipe_name, 0600) < 0)
		return -errno;
	int fd = openat(folder, pipe_name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (renameat(folder, pipe_name, folder, alive_name) == 0)
		return fd;
	int code = -errno;
	close(fd);
	return code;
}

/* ssh listens at s.XXXXXXXXXXXXXXXX before it renames it to s. */
static bool is_socket(const char *name)
{
	return name[0] == 's' &&
	       (!name[1] || (name[1] == '.' && strlen(name) == SOCKET_NAME_LENGTH));
}

static bool is_known(const char *name)
{
	static const char *const names[] = {"pmctop", "parcel", "recording", "trial", pipe_name};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return is_socket(name);
}

/* A directory to be listed. NULL: it cannot be. */
static DIR *open_list(int directory)
{
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;

	if (fd >= 0 && !stream)
		close(fd);
	return stream;
}

static void remove_files(int folder)
{
	DIR *stream = open_list(folder);

	for (const struct dirent *entry; stream && (entry = readdir(stream));)
		if (is_known(entry->d_name))
			unlinkat(folder, entry->d_name, 0);
	if (stream)
		closedir(stream);
	unlinkat(folder, alive_name, 0);
}

static void remove_empty(int parent, const char *name, int folder)
{
	struct stat named, own;

	if (fstat(folder, &own) == 0 && fstatat(parent, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	    named.st_dev == own.st_dev && named.st_ino == own.st_ino)
		unlinkat(parent, name, AT_REMOVEDIR);
}

void held_folder_remove(int parent, const char *name, int folder)
{
	remove_files(folder);
	remove_empty(parent, name, folder);
}

/* Whether a folder without `alive` was made too long ago to be still in the making. */
static bool is_old(int folder)
{
	struct stat status;
	time_t now = time(NULL);

	return fstat(folder, &status) == 0 && now - status.st_mtime > YOUNG_S;
}

static void remove_if_stale(int parent, const char *name, int folder)
{
	struct stat status;

	if (fstatat(folder, alive_name, &status, AT_SYMLINK_NOFOLLOW) < 0) {
		if (errno != ENOENT || !is_old(folder))
			return;
		unlinkat(folder, pipe_name, 0);
		remove_empty(parent, name, folder);
		return;
	}
	if (!S_ISFIFO(status.st_mode))
		return;
	int fd = openat(folder, alive_name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0)
		close(fd); /* it has a reader */
	else if (errno == ENXIO)
		held_folder_remove(parent, name, folder);
}

/* Whether it is a private folder of that user, in the file system of its parent. */
static bool is_candidate(int parent, const char *name, const struct stat *place, uid_t owner)
{
	struct statx folder;

	return statx(parent, name,
		     AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC,
		     STATX_TYPE | STATX_MODE | STATX_UID, &folder) == 0 &&
	       S_ISDIR(folder.stx_mode) && !(folder.stx_mode & 077) && folder.stx_uid == owner &&
	       makedev(folder.stx_dev_major, folder.stx_dev_minor) == place->st_dev;
}

void held_folder_remove_stale(int parent, const char *prefix, uid_t owner)
{
	DIR *stream = open_list(parent);
	struct stat place;

	if (!stream)
		return;
	bool known = fstat(parent, &place) == 0;
	for (const struct dirent *entry; known && (entry = readdir(stream));) {
		if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0 ||
		    !is_candidate(parent, entry->d_name, &place, owner))
			continue;
		int folder = openat(parent, entry->d_name,
				    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (folder < 0)
			continue;
		/* Another one may have its name since. */
		if (is_candidate(folder, "", &place, owner))
			remove_if_stale(parent, entry->d_name, folder);
		close(folder);
	}
	closedir(stream);
}
