// SPDX-License-Identifier: MIT
/*
 * syncer FILE: appends one page to a new FILE and waits for the disk (fsync), again and again.
 *
 * FILE grows, so the file system's journal has to wait too. At LIMIT_BYTES it begins anew. Prints
 * "ready" after the first fsync. It runs until it is killed; FILE has no name then. Exit
 * status 77: FILE is in memory.
 */
#include <stdio.h>
#include <unistd.h>

#include "tests/load/disk_file.h"

#define LIMIT_BYTES (16 << 20)

static void append_and_sync(int fd)
{
	static const char page[4096] = "x";

	if (lseek(fd, 0, SEEK_CUR) >= LIMIT_BYTES && (ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET))) {
		perror("syncer");
		exit(1);
	}
	if (write(fd, page, sizeof(page)) < 0 || fsync(fd)) {
		perror("syncer");
		exit(1);
	}
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fputs("usage: syncer FILE\n", stderr);
		return 2;
	}

	int fd = disk_file_open(argv[1]);

	append_and_sync(fd);
	puts("ready");
	fflush(stdout);
	for (;;)
		append_and_sync(fd);
}
