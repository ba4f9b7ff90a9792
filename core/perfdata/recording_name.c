// SPDX-License-Identifier: MIT
/*
 * All steps work on names in one directory, which safe_path holds open. An existing file of the
 * name is opened and locked first. It is renamed only if it is a recording of this user, and if the
 * name still leads to it. So no link or file of another user is followed or replaced.
 */
#include "core/perfdata/recording_name.h"

#include "core/base/file_lock.h"
#include "core/base/safe_path.h"
#include "core/base/util.h"
#include "core/perfdata/perfdata.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	STAMPS_EACH = 100, /* files of the same hundredth of a second: "", ".2", ".3" ... */
	STAMP_LENGTH = 1 + 16,
};

static int refuse_path(struct error *err, int code, const char *path, const char *why)
{
	return error_set(err, code, "'%.120s' %s", path, why);
}

static int refuse_code(struct error *err, int code, const char *path)
{
	return error_set(err, code, "Cannot record to '%.120s': %s.%s", path, error_why(code),
			 error_remedy(code));
}

static bool is_recording(int fd, const struct stat *status)
{
	uint64_t magic = 0;

	return status->st_size == 0 ||
	       (pread(fd, &magic, sizeof(magic), 0) == sizeof(magic) && magic == PERFDATA_MAGIC);
}

/* Opens and locks a file that may be renamed: its descriptor, or -errno with *err filled. */
static int lock_old_file(const struct safe_path *place, const char *name, const char *path,
			 struct stat *status, struct error *err)
{
	int fd = openat(place->directory, name,
			O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int result = fd < 0 ? -errno : 0;

	if (result == -ELOOP)
		return refuse_path(err, result, path, "is a symbolic link. Name its target.");
	if (result == -EISDIR)
		return refuse_path(err, result, path, "is a directory. Name a file.");
	if (result < 0)
		return refuse_code(err, result, path);
	if (fstat(fd, status) < 0 || !S_ISREG(status->st_mode))
		result = refuse_path(err, -EINVAL, path,
				     "is not a regular file. Name a new or a regular file.");
	else if (status->st_uid != geteuid())
		result = refuse_path(err, -EPERM, path,
				     "belongs to another user. Choose another name.");
	else if (file_lock(fd, path, NULL))
		result = refuse_path(err, -EBUSY, path,
				     "is in use by another recording. Choose another name.");
	else if (!is_recording(fd, status))
		result =
			refuse_path(err, -EEXIST, path, "is not a recording. Choose another name.");
	if (result == 0)
		return fd;
	close(fd);
	return result;
}

/*
 * Renames the file to `old`, unless `old` exists and may not be replaced. A replaced `old` is held
 * open in *doomed_fd: to free the blocks of a large file takes time, so the writing thread does it.
 */
static int move_to_old(const struct safe_path *place, const char *path, int *doomed_fd,
		       struct error *err)
{
	char old[NAME_MAX + 1], old_path[PATH_MAX + 4];
	struct stat status;

	if (snprintf(old, sizeof(old), "%s.old", place->name) >= (int)sizeof(old))
		return refuse_code(err, -ENAMETOOLONG, path);
	snprintf(old_path, sizeof(old_path), "%s.old", path);
	int fd = lock_old_file(place, old, old_path, &status, err);
	if (fd < 0 && fd != -ENOENT)
		return fd;
	*doomed_fd = fd < 0 ? -1 : fd;
	return renameat(place->directory, place->name, place->directory, old) < 0
		       ? refuse_code(err, -errno, path)
		       : 0;
}

/* Renames the existing file, or removes it if it is empty. */
static int make_way(const struct safe_path *place, const char *path, int *doomed_fd,
		    struct error *err)
{
	struct stat status;
	int fd = lock_old_file(place, place->name, path, &status, err);

	if (fd < 0)
		return fd;
	int result = 0;
	if (status.st_size > 0)
		result = move_to_old(place, path, doomed_fd, err);
	else if (unlinkat(place->directory, place->name, 0) < 0)
		result = refuse_code(err, -errno, path);
	close(fd);
	return result;
}

static int create_file(const struct safe_path *place)
{
	int fd = openat(place->directory, place->name,
			O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	return fd < 0 ? -errno : fd;
}

/* Whether the path still leads to the file. */
static bool is_named(const struct safe_path *place, int fd, struct stat *mine)
{
	return fstat(fd, mine) == 0 && safe_path_is(place, mine);
}

/* A new file in that place, locked: a descriptor, or -errno and a sentence. */
static int create_in(const struct safe_path *place, const char *path, int *doomed_fd,
		     struct error *err)
{
	struct stat mine;
	int fd = create_file(place);

	if (fd == -EEXIST) {
		int result = make_way(place, path, doomed_fd, err);
		if (result < 0)
			return result;
		fd = create_file(place);
	}
	if (fd < 0)
		return refuse_code(err, fd, path);
	/* Another process may have created a file between the two calls. */
	if (file_lock(fd, path, NULL) == 0 && is_named(place, fd, &mine))
		return fd;
	close(fd);
	return refuse_path(err, -EBUSY, path,
			   "is in use by another recording. Choose another name.");
}

static int open_place(const char *path, struct safe_path *place, struct error *err)
{
	int result = safe_path_find(path, false, place, err);

	/* For a symbolic link on the path there is another message. */
	return result < 0 && result != -ELOOP ? refuse_code(err, result, path) : result;
}

static int create_locked(const char *path, int *doomed_fd, struct error *err)
{
	struct safe_path place;
	int result = open_place(path, &place, err);

	if (result < 0)
		return result;
	result = create_in(&place, path, doomed_fd, err);
	safe_path_fini(&place);
	return result;
}

static int name_too_long(const char *path, struct error *err)
{
	return refuse_path(err, -ENAMETOOLONG, path,
			   "is too long: the time is added to it. Choose a shorter name.");
}

static int check_length(const char *path, struct error *err)
{
	const char *slash = strrchr(path, '/');

	if (strlen(slash ? slash + 1 : path) + STAMP_LENGTH > NAME_MAX ||
	    strlen(path) + STAMP_LENGTH >= PATH_MAX)
		return name_too_long(path, err);
	return 0;
}

int recording_name_open(struct recording_name *name, const char *path,
			const struct recording_rules *rules, struct error *err)
{
	*name = (struct recording_name){.keep = rules->keep, .doomed_fd = -1};
	int result = rules->switches ? check_length(path, err) : 0;
	if (result == 0)
		result = create_locked(path, &name->doomed_fd, err);
	if (result < 0)
		recording_name_tidy(name);
	else
		name->path = xstrdup(path);
	return result;
}

/* A stamp without a file; the clock may have been set back. */
static int stamp_name(const struct safe_path *place, const char *stamp, struct recording_past *past,
		      char stamped[NAME_MAX + 1])
{
	struct stat ignored;

	for (unsigned i = 1; i <= STAMPS_EACH; i++) {
		int n = i == 1 ? snprintf(past->stamp, sizeof(past->stamp), "%s", stamp)
			       : snprintf(past->stamp, sizeof(past->stamp), "%s.%u", stamp, i);
		if (n >= (int)sizeof(past->stamp) ||
		    snprintf(stamped, NAME_MAX + 1, "%s.%s", place->name, past->stamp) > NAME_MAX)
			return -ENAMETOOLONG;
		if (fstatat(place->directory, stamped, &ignored, AT_SYMLINK_NOFOLLOW) < 0)
			return 0;
	}
	return -EEXIST;
}

/* Another file of that name is not removed. */
static void remove_past(const struct safe_path *place, const struct recording_past *past)
{
	char name[NAME_MAX + 1];
	struct stat status;

	if (snprintf(name, sizeof(name), "%s.%s", place->name, past->stamp) < (int)sizeof(name) &&
	    fstatat(place->directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	    status.st_dev == past->device && status.st_ino == past->inode)
		unlinkat(place->directory, name, 0);
}

static void keep_stamped(struct recording_name *name, const struct safe_path *place,
			 const struct recording_past *past)
{
	if (name->keep == 0)
		return;
	name->past =
		array_reserve(name->past, &name->capacity, name->n_past + 1, sizeof(*name->past));
	name->past[name->n_past++] = *past;
	while (name->n_past >= name->keep) {
		remove_past(place, &name->past[0]);
		memmove(name->past, name->past + 1, --name->n_past * sizeof(*name->past));
	}
}

/* Renames the current file to its stamp, if it still has the name. */
static int put_behind(struct recording_name *name, const struct safe_path *place, int fd,
		      const char *stamp)
{
	char stamped[NAME_MAX + 1];
	struct recording_past past;
	struct stat status;

	if (!is_named(place, fd, &status))
		return 0;
	int result = stamp_name(place, stamp, &past, stamped);
	if (result == 0 && renameat(place->directory, place->name, place->directory, stamped) < 0)
		result = -errno;
	if (result < 0)
		return result;
	past.device = status.st_dev;
	past.inode = status.st_ino;
	keep_stamped(name, place, &past);
	return 0;
}

int recording_name_next(struct recording_name *name, int *fd, const char *stamp, struct error *err)
{
	struct safe_path place;
	int result = open_place(name->path, &place, err);

	if (result == 0) {
		result = put_behind(name, &place, *fd, stamp);
		if (result < 0) {
			refuse_code(err, result, name->path);
			safe_path_fini(&place);
		}
	}
	if (result < 0)
		return result;
	close(*fd);
	*fd = create_in(&place, name->path, &name->doomed_fd, err);
	safe_path_fini(&place);
	return *fd < 0 ? *fd : 0;
}

void recording_name_tidy(struct recording_name *name)
{
	if (name->doomed_fd >= 0)
		close(name->doomed_fd);
	name->doomed_fd = -1;
}

void recording_name_remove(struct recording_name *name, int fd)
{
	struct safe_path place;
	struct stat status;

	if (safe_path_find(name->path, false, &place, NULL))
		return;
	if (is_named(&place, fd, &status))
		unlinkat(place.directory, place.name, 0);
	safe_path_fini(&place);
}

void recording_name_fini(struct recording_name *name)
{
	recording_name_tidy(name);
	free(name->path);
	free(name->past);
	*name = (struct recording_name){.doomed_fd = -1};
}
