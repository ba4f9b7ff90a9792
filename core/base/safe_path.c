// SPDX-License-Identifier: MIT
/*
 * The path is walked name by name with O_PATH descriptors. Each symbolic link on it is read and
 * walked here, not by the kernel, after the owners of the link and of its directory have been
 * checked. A link in /proc is left to the kernel, because /proc/self/fd/N may lead to a pipe or a
 * deleted file.
 */
#include "core/base/safe_path.h"

#include "core/base/util.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { LINKS_MAX = 40 }; /* as in the kernel */

struct walk {
	struct safe_path *place;
	char rest[2 * PATH_MAX]; /* the part of the path not walked yet */
	unsigned links;
	bool follow;
};

int safe_path_refuse(const char *path, int code, struct error *err)
{
	return error_set(err, code, "'%.120s' cannot be written: %s.%s", path, error_why(code),
			 error_remedy(code));
}

int safe_path_refuse_others(const char *path, struct error *err)
{
	return error_set(err, -EPERM,
			 "'%.120s' belongs to another user. Remove it, or choose another name.",
			 path);
}

static bool is_ours(const struct stat *status)
{
	return status->st_uid == 0 || status->st_uid == geteuid();
}

bool safe_path_is_open(const struct stat *status)
{
	/* A user private group has the number of its user, and no other member. */
	bool group = status->st_gid != 0 && status->st_gid != status->st_uid;

	return status->st_mode & S_IWOTH || (group && status->st_mode & S_IWGRP);
}

/* Whether other users may create files in a directory. */
static bool is_shared(const struct stat *directory)
{
	return !is_ours(directory) || safe_path_is_open(directory);
}

/* Whether only this user or root can have given this file, or link, its name. */
static bool is_trusted(const struct stat *file, const struct stat *directory)
{
	return is_ours(file) && is_ours(directory) &&
	       (!is_shared(directory) || directory->st_mode & S_ISVTX);
}

static bool is_proc(int directory)
{
	struct statfs system;

	return fstatfs(directory, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

static int enter_directory(struct safe_path *place, const char *name, int flags)
{
	int fd = openat(place->directory, name, O_PATH | O_DIRECTORY | O_CLOEXEC | flags);

	if (fd < 0)
		return -errno;
	if (place->directory >= 0)
		close(place->directory);
	place->directory = fd;
	return 0;
}

static int walk_start(struct walk *walk)
{
	return enter_directory(walk->place, walk->rest[0] == '/' ? "/" : ".", 0);
}

/* Moves the next name of the rest to place->name. *last: there is no further one. */
static int pop_name(struct walk *walk, bool *last)
{
	char *from = walk->rest + strspn(walk->rest, "/");
	size_t length = strcspn(from, "/");
	char *next = from + length;

	if (length > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(walk->place->name, from, length);
	walk->place->name[length] = '\0';
	*last = *next == '\0';
	memmove(walk->rest, next, strlen(next) + 1);
	return 0;
}

/* Puts the target of the link in front of the rest. */
static int follow_link(struct walk *walk, const char *rest)
{
	char target[PATH_MAX], whole[2 * PATH_MAX];
	ssize_t length =
		readlinkat(walk->place->directory, walk->place->name, target, sizeof(target) - 1);

	if (length < 0)
		return -errno;
	if (++walk->links > LINKS_MAX)
		return -ELOOP;
	target[length] = '\0';
	int n = snprintf(whole, sizeof(whole), "%s%s", target, rest);
	if (length == 0 || length >= PATH_MAX - 1 || n >= PATH_MAX)
		return length ? -ENAMETOOLONG : -ENOENT;
	text_copy(walk->rest, sizeof(walk->rest), whole);
	return walk->rest[0] == '/' ? walk_start(walk) : 0;
}

/* Walks one name of the path. Returns 1 if it was the last name, 0, or -errno. */
static int walk_name(struct walk *walk, const char *path, struct error *err)
{
	struct safe_path *place = walk->place;
	struct stat directory;
	bool last;
	int result = pop_name(walk, &last);

	if (result < 0)
		return result;
	if (fstat(place->directory, &directory) < 0)
		return -errno;
	/* "dir/" ends with an empty name: the directory itself. */
	if (!place->name[0])
		text_copy(place->name, sizeof(place->name), ".");
	const char *name = place->name;
	place->shared = is_shared(&directory);
	place->exists = fstatat(place->directory, name, &place->status, AT_SYMLINK_NOFOLLOW) == 0;
	if (!place->exists)
		return last && errno == ENOENT ? 1 : -errno;
	place->trusted = is_trusted(&place->status, &directory);
	if (!S_ISLNK(place->status.st_mode) || (last && !walk->follow))
		return last ? 1 : enter_directory(place, name, O_NOFOLLOW);
	if (!place->trusted)
		return error_set(err, -ELOOP,
				 "'%.100s' contains a symbolic link ('%.60s') that another user "
				 "may have made. Use a path without it.",
				 path, place->name);
	if (!is_proc(place->directory))
		return follow_link(walk, walk->rest);
	if (!last)
		return enter_directory(place, name, 0);
	place->descriptor = true;
	place->shared = false;
	if (fstatat(place->directory, name, &place->status, 0) < 0)
		return -errno;
	place->trusted = is_ours(&place->status);
	return 1;
}

int safe_path_find(const char *path, bool follow_last, struct safe_path *place, struct error *err)
{
	struct walk walk = {.place = place, .follow = follow_last};
	struct error why = {0};

	*place = (struct safe_path){.directory = AT_FDCWD};
	int result = strlen(path) >= PATH_MAX ? -ENAMETOOLONG : path[0] ? 0 : -ENOENT;
	if (result == 0) {
		text_copy(walk.rest, sizeof(walk.rest), path);
		result = walk_start(&walk);
	}
	while (result == 0)
		result = walk_name(&walk, path, &why);
	if (result > 0)
		return 0;
	safe_path_fini(place);
	if (!why.text[0])
		return safe_path_refuse(path, result, err);
	if (err)
		*err = why;
	return result;
}

void safe_path_fini(struct safe_path *place)
{
	if (place->directory >= 0)
		close(place->directory);
	place->directory = AT_FDCWD;
}

bool safe_path_is(const struct safe_path *place, const struct stat *file)
{
	struct stat named;

	return fstatat(place->directory, place->name, &named,
		       place->descriptor ? 0 : AT_SYMLINK_NOFOLLOW) == 0 &&
	       named.st_dev == file->st_dev && named.st_ino == file->st_ino;
}

/* `name` has `length` bytes, and none for the root directory. */
static bool is_fixed(const struct stat *directory, const char *name, size_t length)
{
	enum { UNKNOWN_USER = 65534 }; /* of root's files, in a user namespace without that user */
	bool systems =
		length == 0 || (length == strlen("/tmp") && memcmp(name, "/tmp", length) == 0);

	return (is_ours(directory) || (systems && directory->st_uid == UNKNOWN_USER)) &&
	       (!(directory->st_mode & (S_IWGRP | S_IWOTH)) || directory->st_mode & S_ISVTX);
}

/* The path of an open directory, without links. */
static int read_name(int fd, char name[PATH_MAX])
{
	char link[32];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t length = readlink(link, name, PATH_MAX);
	if (length < 0)
		return -errno;
	if (length == PATH_MAX)
		return -ENAMETOOLONG;
	name[length] = '\0';
	return name[0] == '/' ? 0 : -ENOENT;
}

/*
 * Examines a directory, then its parent, up to the root: no other user can change meanwhile what
 * was examined.
 */
static int check_fixed(int fd, const char *name)
{
	size_t length = name[1] ? strlen(name) : 0;
	int at = fd, result = 0;

	for (;;) {
		struct stat status;

		if (fstat(at, &status) < 0)
			result = -errno;
		else if (!is_fixed(&status, name, length))
			result = -EPERM;
		if (result || length == 0)
			break;
		int up = openat(at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (at != fd)
			close(at);
		at = up;
		while (name[--length] != '/')
			;
	}
	if (at != fd && at >= 0)
		close(at);
	return result;
}

int safe_path_open_fixed(const char *path, char name[PATH_MAX])
{
	char now[PATH_MAX];
	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	int result = read_name(fd, name);
	if (result == 0)
		result = check_fixed(fd, name);
	if (result == 0)
		result = read_name(fd, now);
	if (result == 0 && strcmp(name, now) != 0)
		result = -EPERM;
	if (result == 0)
		return fd;
	close(fd);
	return result;
}
