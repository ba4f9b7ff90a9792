// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_FUZZ_FILE_H
#define PMCTOP_TESTS_FUZZ_FILE_H

#include "core/base/util.h"

#include <stdint.h>
#include <string.h>
#include <sys/types.h>

/*
 * Functions of a struct sys_ops for an entry whose kernel has one file: any path opens this text.
 * Their context is a struct fuzz_file, or a struct that begins with one.
 */
struct fuzz_file {
	const char *text;
	size_t size;
	size_t piece; /* bytes that one read returns at most */
	uint64_t now_ns;
};

static inline int fuzz_file_open(void *ctx, const char *path)
{
	(void)ctx, (void)path;
	return 3;
}

static inline ssize_t fuzz_file_pread(void *ctx, int fd, void *buffer, size_t size, uint64_t offset)
{
	const struct fuzz_file *file = ctx;

	(void)fd;
	if (offset >= file->size)
		return 0;
	size_t n = size_min(size_min(size, file->piece), file->size - offset);
	memcpy(buffer, file->text + offset, n);
	return (ssize_t)n;
}

static inline int fuzz_file_close(void *ctx, int fd)
{
	(void)ctx, (void)fd;
	return 0;
}

#endif
