// SPDX-License-Identifier: MIT
/*
 * As a shell's >, with three differences: links of other users are not followed, a file in a shared
 * directory must belong to this user, and a file that a second pmctop writes is locked.
 */
#include "core/base/output_file.h"

#include "core/base/file_lock.h"
#include "core/base/safe_path.h"
#include "core/base/util.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

enum { OUTPUT_FLAGS = O_WRONLY | O_CLOEXEC | O_NOCTTY };

/* Refuses an existing file that must not be overwritten. */
static int check_present(const struct safe_path *place, const char *path, struct error *err)
{
	const struct stat *status = &place->status;

	if (S_ISDIR(status->st_mode))
		return safe_path_refuse(path, -EISDIR, err);
	if (S_ISBLK(status->st_mode))
		return error_set(err, -EINVAL, "'%.120s' is a disk. Name a file on it.", path);
	if (S_ISLNK(status->st_mode)) /* made since the path was walked */
		return safe_path_refuse(path, -ELOOP, err);
	if (!place->shared)
		return 0;
	if (status->st_uid != geteuid())
		return safe_path_refuse_others(path, err);
	if (S_ISREG(status->st_mode) && status->st_nlink > 1)
		return error_set(err, -EMLINK,
				 "'%.120s' has several hard links. Another user may have made one. "
				 "Remove it, or choose another name.",
				 path);
	return 0;
}

/* Opens the file that was checked. Fails if another file has its name since. */
static int open_present(struct safe_path *place, const char *path, struct error *err)
{
	bool regular = S_ISREG(place->status.st_mode);
	struct stat opened;
	int result = check_present(place, path, err);

	if (result < 0)
		return result;
	int flags =
		OUTPUT_FLAGS | (place->descriptor ? 0 : O_NOFOLLOW) | (regular ? O_NONBLOCK : 0);
	int fd = openat(place->directory, place->name, flags);
	if (fd < 0)
		return safe_path_refuse(path, -errno, err);
	if (fstat(fd, &opened) < 0 || opened.st_dev != place->status.st_dev ||
	    opened.st_ino != place->status.st_ino)
		result = safe_path_refuse(path, -EEXIST, err);
	else if (regular)
		result = file_lock(fd, path, err);
	if (result == 0 && regular && ftruncate(fd, 0) < 0)
		result = safe_path_refuse(path, -errno, err);
	if (result == 0)
		return fd;
	close(fd);
	return result;
}

static int create_file(const struct safe_path *place, const char *path, struct error *err)
{
	int fd = openat(place->directory, place->name, OUTPUT_FLAGS | O_CREAT | O_EXCL | O_NOFOLLOW,
			0666);

	if (fd < 0)
		return safe_path_refuse(path, -errno, err);
	int result = file_lock(fd, path, err);
	if (result == 0)
		return fd;
	close(fd);
	return result;
}

int output_file_open(const char *path, struct error *err)
{
	struct safe_path place;
	int result = safe_path_find(path, true, &place, err);

	if (result < 0)
		return result;
	result = place.exists ? open_present(&place, path, err) : create_file(&place, path, err);
	safe_path_fini(&place);
	return result;
}

int output_print(const char *path, const char *text, size_t n, struct error *err)
{
	int fd = path ? output_file_open(path, err) : STDOUT_FILENO;

	if (fd < 0)
		return fd;
	int code = write_all(fd, text, n, NULL);
	if (path && close(fd) < 0 && code == 0)
		code = -errno;
	if (code == 0 || code == -EPIPE)
		return 0;
	return path ? safe_path_refuse(path, code, err)
		    : error_set(err, code, "Standard output cannot be written: %s.%s",
				error_why(code), error_remedy(code));
}
