// SPDX-License-Identifier: MIT
/*
 * rename(2) gives the name to another file of the directory. It follows no link and needs no right
 * to the old file, so check_present() decides first whether that may be replaced. There is no
 * fsync(2): figures of a second ago have no value after a crash, and the name never points to half
 * a file.
 */
#include "core/base/published_file.h"

#include "core/base/atomic_file.h"
#include "core/base/file_lock.h"
#include "core/base/safe_path.h"
#include "core/base/util.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* -EBUSY if another pmctop has put the present file. */
static int check_lock(const struct published_file_replace *file, const struct safe_path *place,
		      struct error *err)
{
	struct stat mine;

	if (file->fd >= 0 && fstat(file->fd, &mine) == 0 && safe_path_is(place, &mine))
		return 0;
	int fd = openat(place->directory, place->name,
			O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int rc = fd < 0 ? 0 : file_lock(fd, file->path, err);
	if (fd >= 0)
		close(fd);
	return rc;
}

/* 1: may be replaced, 0: only written to, or -errno. */
static int check_present(const struct published_file_replace *file, const struct safe_path *place,
			 struct error *err)
{
	const struct stat *status = &place->status;
	struct stat target;
	bool link = S_ISLNK(status->st_mode);

	/* /dev/stdout is a link to a device or a pipe. */
	if (link && fstatat(place->directory, place->name, &target, 0) == 0 &&
	    !S_ISREG(target.st_mode) && !S_ISDIR(target.st_mode))
		return 0;
	if (link)
		return error_set(
			err, -ELOOP,
			"'%.120s' is a symbolic link and would be replaced. Name its target.",
			file->path);
	if (S_ISDIR(status->st_mode))
		return safe_path_refuse(file->path, -EISDIR, err);
	if (!S_ISREG(status->st_mode))
		return 0;
	if (status->st_uid != geteuid())
		return safe_path_refuse_others(file->path, err);
	int rc = check_lock(file, place, err);
	return rc ? rc : 1;
}

/* As published_file_open(). The place is open only after 1. */
static int find_place(const struct published_file_replace *file, struct safe_path *place,
		      struct error *err)
{
	int rc = safe_path_find(file->path, false, place, err);

	if (rc < 0)
		return rc;
	rc = place->exists ? check_present(file, place, err) : 1;
	if (rc <= 0)
		safe_path_fini(place);
	return rc;
}

int published_file_open(const char *path, struct published_file_replace *file, struct error *err)
{
	struct safe_path place;

	*file = (struct published_file_replace){.path = xstrdup(path), .fd = -1};
	int rc = find_place(file, &place, err);
	if (rc > 0) {
		if (faccessat(place.directory, ".", W_OK | X_OK, AT_EACCESS))
			rc = safe_path_refuse(path, -errno, err);
		safe_path_fini(&place);
	}
	if (rc <= 0)
		published_file_fini(file);
	return rc;
}

void published_file_fini(struct published_file_replace *file)
{
	if (!file)
		return;
	if (file->fd >= 0)
		close(file->fd);
	free(file->path);
	*file = (struct published_file_replace){.fd = -1};
}

static int put_file(struct published_file_replace *file, const struct safe_path *place,
		    const void *bytes, size_t n, const atomic_int *stop)
{
	struct atomic_file new;
	int rc = atomic_file_open(place, &new);

	if (rc < 0)
		return rc;
	rc = write_all(new.fd, bytes, n, stop);
	if (!rc && fchmod(new.fd, 0644))
		rc = -errno;
	if (!rc)
		rc = file_lock(new.fd, file->path, NULL);
	if (!rc)
		rc = atomic_file_put(&new);
	if (!rc) {
		if (file->fd >= 0)
			close(file->fd);
		file->fd = new.fd;
		new.fd = -1;
	}
	atomic_file_fini(&new);
	return rc;
}

int published_file_replace(struct published_file_replace *file, const void *bytes, size_t n,
			   const atomic_int *stop, struct error *err)
{
	struct safe_path place;
	/* Checked each time: another file may have the name now. */
	int rc = find_place(file, &place, err);

	if (rc <= 0)
		return rc ? rc : safe_path_refuse(file->path, -EEXIST, err);
	rc = put_file(file, &place, bytes, n, stop);
	safe_path_fini(&place);
	if (rc == 0 || (rc == -EINTR && stop && *stop))
		return rc;
	return error_set(err, rc, "'%.120s' was not replaced: %s.%s", file->path, error_why(rc),
			 error_remedy(rc));
}
