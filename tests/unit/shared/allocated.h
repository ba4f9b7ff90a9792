// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_ALLOCATED_H
#define PMCTOP_TESTS_ALLOCATED_H

#include <malloc.h>
#include <stddef.h>

/*
 * By how much allocated_bytes() may grow without a leak. The C library
 * counts freed blocks that it holds for the next call as allocated: 7 of each size up to 1 KiB
 * (230 KiB in all), or 16 of them since glibc 2.42 (530 KiB).
 */
enum { ALLOCATED_SLACK_BYTES = 640 << 10 };

/* Bytes that malloc() has given out. 0 with the allocator of a sanitizer, which does not count. */
static inline size_t allocated_bytes(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

#endif
