/* SPDX-License-Identifier: MIT */
/*
 * A file without a name, for load programs that need a disk.
 */
#ifndef TESTS_LOAD_DISK_FILE_H
#define TESTS_LOAD_DISK_FILE_H

#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/vfs.h>
#include <unistd.h>

/*
 * Returns the descriptor of a new file at `path`, which has lost its name already. Exits with
 * status 77 on a file system in memory, with 1 after any other error.
 */
static inline int disk_file_open(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	struct statfs fs;

	if (fd < 0 || unlink(path) || fstatfs(fd, &fs)) {
		perror(path);
		exit(1);
	}
	if (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC) {
		fprintf(stderr, "%s: a file system in memory\n", path);
		exit(77);
	}
	return fd;
}

#endif
