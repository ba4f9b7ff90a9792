// SPDX-License-Identifier: MIT
#include "config_save.h"

#include "config.h"
#include "text_file.h"
#include "util.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct save {
	const char *named;        /* as the user knows it */
	char path[PATH_MAX];      /* the file itself, no link */
	char directory[PATH_MAX]; /* that it is in */
	bool exists;
	struct stat was;
};

static int refuse(const struct save *save, int code, const char *why, struct error *err)
{
	return error_set(err, code, "Not saved: %.80s ('%.140s').", why, save->named);
}

static int refuse_errno(const struct save *save, int code, struct error *err)
{
	return refuse(save, code, strerror(-code), err);
}

/* ---- where it is */

static void set_directory(struct save *save)
{
	char *slash;

	text_copy(save->directory, sizeof(save->directory), save->path);
	slash = strrchr(save->directory, '/');
	if (!slash)
		text_copy(save->directory, sizeof(save->directory), ".");
	else
		slash[slash == save->directory] = '\0';
}

static bool is_others(const struct stat *status)
{
	return status->st_uid != 0 && status->st_uid != geteuid();
}

/* The link may be anybody's where anybody may make one. */
static int follow_link(struct save *save, struct error *err)
{
	struct stat directory;
	char *real;

	if (stat(save->directory, &directory))
		return refuse_errno(save, -errno, err);
	if (is_others(&save->was) || is_others(&directory) || (directory.st_mode & S_IWOTH))
		return refuse(save, -EPERM, "it is a link that somebody else may have made", err);
	real = realpath(save->named, NULL);
	if (!real || lstat(real, &save->was)) {
		int code = -errno;

		free(real);
		return refuse_errno(save, code, err);
	}
	text_copy(save->path, sizeof(save->path), real);
	free(real);
	set_directory(save);
	return 0;
}

static int find(struct save *save, struct error *err)
{
	if (text_copy(save->path, sizeof(save->path), save->named) < strlen(save->named))
		return refuse_errno(save, -ENAMETOOLONG, err);
	set_directory(save);
	save->exists = lstat(save->path, &save->was) == 0;
	if (!save->exists)
		return errno == ENOENT ? 0 : refuse_errno(save, -errno, err);

	int rc = S_ISLNK(save->was.st_mode) ? follow_link(save, err) : 0;

	if (rc)
		return rc;
	if (!S_ISREG(save->was.st_mode))
		return refuse(save, -EINVAL, "it is no ordinary file", err);
	if (geteuid() != 0 && save->was.st_uid != geteuid())
		return refuse(save, -EPERM, "it is another user's", err);
	if (faccessat(AT_FDCWD, save->path, W_OK, AT_EACCESS))
		return refuse_errno(save, -errno, err);
	return 0;
}

static int make_directories(struct save *save, struct error *err)
{
	for (char *slash = strchr(save->directory + 1, '/');; slash = strchr(slash + 1, '/')) {
		if (slash)
			*slash = '\0';
		int rc = mkdir(save->directory, 0700) && errno != EEXIST ? -errno : 0;
		if (slash)
			*slash = '/';
		/* What cannot be made may be there: / on a read-only disk. */
		if (rc && (!slash || (rc != -EROFS && rc != -EACCES && rc != -EPERM)))
			return refuse_errno(save, rc, err);
		if (!slash)
			return 0;
	}
}

/* ---- what is in it */

static int read_text(const struct save *save, const char *path, char **text, struct error *err)
{
	size_t length;
	int rc = text_file_read(path, 0, CONFIG_BYTES_MAX + 1, text, &length);

	if (rc)
		return refuse_errno(save, rc, err);
	if (length <= CONFIG_BYTES_MAX && !memchr(*text, '\0', length))
		return 0;
	free(*text);
	*text = NULL;
	return refuse(save, -EINVAL, "what is there is no configuration", err);
}

static int write_all(int fd, const char *text)
{
	for (size_t left = strlen(text); left > 0;) {
		ssize_t length = write(fd, text, left);

		if (length < 0 && errno == EINTR)
			continue;
		if (length < 0)
			return -errno;
		text += length;
		left -= (size_t)length;
	}
	return fsync(fd) ? -errno : 0;
}

static int keep_rights(const struct save *save, int fd)
{
	const struct stat *was = &save->was;
	struct stat now;

	if (!save->exists)
		return 0;
	if (fstat(fd, &now))
		return -errno;
	if ((now.st_uid != was->st_uid || now.st_gid != was->st_gid) &&
	    fchown(fd, was->st_uid, was->st_gid))
		return -errno;
	return fchmod(fd, was->st_mode & 07777) ? -errno : 0;
}

/* The name is on the disk, too. */
static void sync_directory(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
}

static int replace(const struct save *save, const char *text)
{
	char path[PATH_MAX];
	int fd, rc;

	if (snprintf(path, sizeof(path), "%s.XXXXXX", save->path) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	rc = write_all(fd, text);
	if (!rc)
		rc = keep_rights(save, fd);
	if (close(fd) && !rc)
		rc = -errno;
	if (!rc && rename(path, save->path))
		rc = -errno;
	if (rc)
		unlink(path);
	else
		sync_directory(save->directory);
	return rc;
}

int config_save(const char *path, const char *pattern, const struct config_change *changes,
		size_t n, struct error *err)
{
	struct save save = {.named = path};
	char *text = NULL, *edited = NULL;
	int rc = find(&save, err);

	if (!rc && (save.exists || pattern))
		rc = read_text(&save, save.exists ? save.path : pattern, &text, err);
	if (!rc) {
		edited = config_edit(text ? text : "", changes, n, err);
		rc = edited ? 0 : err->code;
	}
	if (!rc && !save.exists)
		rc = make_directories(&save, err);
	if (!rc) {
		rc = replace(&save, edited);
		if (rc)
			refuse_errno(&save, rc, err);
	}
	free(text);
	free(edited);
	return rc;
}
