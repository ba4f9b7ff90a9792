// SPDX-License-Identifier: MIT
/* The contract is in file_lock.h; fcntl(2) has the rules of these locks (F_OFD_SETLK). */
#include "core/base/file_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>

/*
 * Whether another program has a write lock. A process that may only read the file can have a read
 * lock, or one of flock(2); neither keeps pmctop from writing.
 */
static bool is_locked(int fd)
{
	struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	if (fcntl(fd, F_OFD_SETLK, &all) == 0 || (errno != EAGAIN && errno != EACCES))
		return false;
	all = (struct flock){.l_type = F_RDLCK, .l_whence = SEEK_SET};
	return fcntl(fd, F_OFD_GETLK, &all) == 0 && all.l_type == F_WRLCK;
}

int file_lock(int fd, const char *path, struct error *err)
{
	if (!is_locked(fd))
		return 0;
	return error_set(err, -EBUSY,
			 "'%.120s' is being written by another pmctop. Choose another name.", path);
}
