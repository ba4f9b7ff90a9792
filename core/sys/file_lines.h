// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FILE_LINES_H
#define PMCTOP_FILE_LINES_H

#include "core/sys/sys.h"

#include <stddef.h>

/*
 * Reads at most `most` bytes of a file of lines, in pieces, and calls fn for each line until it is
 * not 0. A line has no newline, and fn may change it. Lines of more than 64 KiB, and one without a
 * newline at the end, are left out. 0 or -errno.
 */
int file_lines_each(const struct sys *sys, int fd, size_t most, int (*fn)(void *arg, char *line),
		    void *arg);

#endif
