// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PUBLISHED_FILE_H
#define PMCTOP_PUBLISHED_FILE_H

#include "core/base/error.h"

#include <stdatomic.h>
#include <stddef.h>

/*
 * A file that other programs read while pmctop replaces it repeatedly. They find the old file or
 * the new one, complete, and every user may read it (0644). The present file is locked, so a second
 * pmctop with the same name fails.
 */
struct published_file_replace {
	char *path;
	int fd; /* the present file; -1: none yet */
};

/*
 * 1 if files of this name are to be replaced. 0 if the path is a device or a pipe, which is only
 * written to. -errno and a sentence for a link, a directory, a file of another user, a file that
 * another pmctop replaces, or a directory without write access. Only 1 needs published_file_fini().
 */
int published_file_open(const char *path, struct published_file_replace *file, struct error *err);
/* `file` may be NULL, or zeroed with fd -1. */
void published_file_fini(struct published_file_replace *file);

/*
 * Replaces the file. 0, or -errno and a sentence; then the file is unchanged. -EINTR without a
 * sentence if a signal set *stop meanwhile.
 */
int published_file_replace(struct published_file_replace *file, const void *bytes, size_t n,
			   const atomic_int *stop, struct error *err);

#endif
