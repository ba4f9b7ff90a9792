// SPDX-License-Identifier: MIT
/*
 * Runs steps, and stops at the first error. The file is locked while it is read and replaced, so
 * that two pmctop that save at once lose nothing. Nothing is written through a link of another user
 * or into another user's directory (core/base/safe_path.h), because root saves with these functions
 * too.
 */
#include "tui/options/config_save.h"

#include "core/base/atomic_file.h"
#include "core/base/bounded_read.h"
#include "core/base/file_lock.h"
#include "core/base/safe_path.h"
#include "core/base/util.h"
#include "tui/options/config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct save {
	const char *named; /* the path that the user gave, for messages */
	const char *pattern;
	const struct config_change *changes;
	size_t n_changes;
	struct safe_path place; /* resolved */
	bool found;             /* place is valid */
	int fd;                 /* the present file, locked against others that save; -1: none */
	char *text;             /* text of that file or of the pattern; NULL: neither exists */
	char *edited;
};

/* Returns 0, or -errno and a sentence; 1: done, no further step. */
typedef int save_step(struct save *save, struct error *err);

static int run_steps(struct save *save, save_step *const *steps, size_t n, struct error *err)
{
	int result = 0;

	for (size_t i = 0; i < n && result == 0; i++)
		result = steps[i](save, err);
	return result;
}

static int set_refusal(const struct save *save, int code, const char *why, struct error *err)
{
	return error_set(err, code, "Not saved: %.80s ('%.100s'). %s", why, save->named,
			 code == -EBUSY ? "Try again." : "Name another file with --config.");
}

static int set_errno_refusal(const struct save *save, int code, struct error *err)
{
	/* Root gets this only after it has dropped CAP_DAC_OVERRIDE. */
	if (code == -EACCES && geteuid() == 0)
		return set_refusal(save, code, "its directory is not root's", err);
	return error_set(err, code, "Not saved: %s ('%.80s').%s", error_why(code), save->named,
			 error_remedy(code));
}

/* Creates missing directories, from the first. */
static int make_directories(struct save *save, struct error *err)
{
	char path[PATH_MAX];
	const char *slash = save->named[0] ? strchr(save->named + 1, '/') : NULL;

	for (; slash; slash = strchr(slash + 1, '/')) {
		struct safe_path place;

		text_copy(path, (size_t)(slash - save->named) + 1, save->named);
		int rc = safe_path_find(path, true, &place, NULL);
		if (rc)
			return set_errno_refusal(save, rc, err);
		if (!place.exists && mkdirat(place.directory, place.name, 0700) && errno != EEXIST)
			rc = -errno;
		safe_path_fini(&place);
		if (rc)
			return set_errno_refusal(save, rc, err);
	}
	return 0;
}

static int resolve_place(struct save *save, struct error *err)
{
	int rc = strlen(save->named) >= PATH_MAX
			 ? -ENAMETOOLONG
			 : safe_path_find(save->named, true, &save->place, NULL);

	save->found = rc == 0;
	if (rc == -ELOOP)
		return set_refusal(save, rc, "it is a link that another user may have made", err);
	return rc && rc != -ENOENT ? set_errno_refusal(save, rc, err) : 0;
}

static int check_owner(struct save *save, struct error *err)
{
	const struct safe_path *place = &save->place;
	uid_t owner = place->status.st_uid, self = geteuid();
	struct stat directory;

	if (!save->found)
		return 0;
	if (fstat(place->directory, &directory))
		return set_errno_refusal(save, -errno, err);
	if (directory.st_uid != 0 && directory.st_uid != self)
		return set_refusal(save, -EPERM, "its directory belongs to another user", err);
	if (!place->exists)
		return 0;
	if (!S_ISREG(place->status.st_mode))
		return set_refusal(save, -EINVAL, "it is not a regular file", err);
	if (owner != self && (self != 0 || place->shared))
		return set_refusal(save, -EPERM, "it belongs to another user", err);
	if (faccessat(place->directory, place->name, W_OK, AT_EACCESS))
		return set_errno_refusal(save, -errno, err);
	return 0;
}

/* Without the lock, two that save at once could undo each other's change. */
static int lock_present(struct save *save, struct error *err)
{
	const struct safe_path *place = &save->place;

	if (!save->found || !place->exists)
		return 0;
	save->fd = openat(place->directory, place->name,
			  O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (save->fd < 0)
		return set_errno_refusal(save, -errno, err);
	if (file_lock(save->fd, save->named, NULL) || !safe_path_is(place, &place->status))
		return set_refusal(save, -EBUSY, "another pmctop is saving it", err);
	return 0;
}

/* A regular file: read() does not block. */
static ssize_t read_bytes(int fd, char *text, size_t most)
{
	size_t length = 0;

	while (length < most) {
		ssize_t some = pread(fd, text + length, most - length, (off_t)length);
		if (some < 0 && errno == EINTR)
			continue;
		if (some < 0)
			return -errno;
		if (some == 0)
			break;
		length += (size_t)some;
	}
	text[length] = '\0';
	return (ssize_t)length;
}

static int read_text(struct save *save, struct error *err)
{
	size_t most = CONFIG_BYTES_MAX + 1, length = 0;
	int rc = 0;

	if (save->fd >= 0) {
		save->text = xmalloc(most + 1);
		ssize_t n = read_bytes(save->fd, save->text, most);
		length = n < 0 ? 0 : (size_t)n;
		rc = n < 0 ? (int)n : 0;
	} else if (save->pattern) {
		rc = bounded_read_trusted(save->pattern, 0, most, &save->text, &length);
		if (rc == -ENOENT) /* removed meanwhile */
			return 0;
		if (rc == -EPERM)
			return error_set(err, rc,
					 "Not saved: '%.120s', which was read before, now belongs "
					 "to another user, or others may write to it.",
					 save->pattern);
	}
	if (rc)
		return set_errno_refusal(save, rc, err);
	if (!save->text || (length <= CONFIG_BYTES_MAX && !memchr(save->text, '\0', length)))
		return 0;
	return set_refusal(save, -EINVAL, "its present content is not a configuration", err);
}

static int copy_owner_and_mode(const struct save *save, int fd)
{
	const struct stat *was = &save->place.status;
	struct stat now;

	if (!save->place.exists)
		return 0;
	if (fstat(fd, &now))
		return -errno;
	if ((now.st_uid != was->st_uid || now.st_gid != was->st_gid) &&
	    fchown(fd, was->st_uid, was->st_gid))
		return -errno;
	return fchmod(fd, was->st_mode & 07777) ? -errno : 0;
}

/* Makes the rename durable. */
static void sync_directory(const struct safe_path *place)
{
	int fd = openat(place->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
}

static int replace_file(const struct save *save, const char *text)
{
	struct atomic_file file;
	int rc = atomic_file_open(&save->place, &file);

	if (rc)
		return rc;
	rc = write_all(file.fd, text, strlen(text), NULL);
	if (!rc && fsync(file.fd))
		rc = -errno;
	if (!rc)
		rc = copy_owner_and_mode(save, file.fd);
	if (!rc)
		rc = atomic_file_put(&file);
	atomic_file_fini(&file);
	if (!rc)
		sync_directory(&save->place);
	return rc;
}

static int edit_text(struct save *save, struct error *err)
{
	const char *text = save->text ? save->text : "";

	save->edited = config_edit(text, save->changes, save->n_changes, err);
	if (!save->edited)
		return err->code;
	return strcmp(save->edited, text) == 0; /* nothing has changed */
}

/*
 * Creates the directories if the place did not exist. A file that appeared meanwhile is not
 * replaced.
 */
static int make_place(struct save *save, struct error *err)
{
	static save_step *const steps[] = {make_directories, resolve_place, check_owner};
	int rc = save->found ? 0 : run_steps(save, steps, ARRAY_SIZE(steps), err);

	if (rc)
		return rc;
	if (!save->found)
		return set_errno_refusal(save, -ENOENT, err);
	return save->place.exists && save->fd < 0 ? set_errno_refusal(save, -EEXIST, err) : 0;
}

static int write_text(struct save *save, struct error *err)
{
	int rc = replace_file(save, save->edited);

	return rc ? set_errno_refusal(save, rc, err) : 0;
}

int config_save(const char *path, const char *pattern, const struct config_change *changes,
		size_t n, struct error *err)
{
	static save_step *const steps[] = {resolve_place, check_owner, lock_present, read_text,
					   edit_text,     make_place,  write_text};
	struct save save = {
		.named = path, .pattern = pattern, .changes = changes, .n_changes = n, .fd = -1};
	int result = run_steps(&save, steps, ARRAY_SIZE(steps), err);

	free(save.text);
	free(save.edited);
	if (save.fd >= 0)
		close(save.fd);
	if (save.found)
		safe_path_fini(&save.place);
	return result;
}
