// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_PERFDATA_IMAGE_H
#define PMCTOP_TESTS_PERFDATA_IMAGE_H

#include "core/base/util.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * Builds the bytes of a perf.data file from perf's documentation, without core/perfdata: in either
 * byte order, as a pipe or in perf's usual format, compressed or not.
 */
struct image {
	unsigned char *bytes;
	size_t n, capacity;
	bool swapped; /* the other byte order */
};

void image_fini(struct image *image);

/* Append bytes, or a number of that size. */
void image_bytes(struct image *image, const void *bytes, size_t n);
void image_u16(struct image *image, uint64_t value);
void image_u32(struct image *image, uint64_t value);
void image_u64(struct image *image, uint64_t value);

/* Overwrites n bytes at an offset with a number. */
void image_set(struct image *image, size_t at, uint64_t value, size_t n);

/* Appends a text, padded with zeroes to `size` bytes. */
void image_text(struct image *image, const char *text, size_t size);

/* Appends a text as features have it: its padded size, then the text. */
void image_string(struct image *image, const char *text);

/* A record: image_begin() returns the offset that image_end() sets its size with. */
size_t image_begin(struct image *image, uint32_t type, uint16_t misc);
void image_end(struct image *image, size_t begin);

struct image_attr {
	uint32_t type;
	uint64_t config, period, sample_type, read_format;
	uint64_t flags; /* the bit fields of perf_event_attr; bit 0 is the first */
	uint32_t size;  /* 0: 136 */
};

enum {
	IMAGE_FREQ = 1 << 10,
	IMAGE_SAMPLE_ID_ALL = 1 << 18,
};

void image_attr(struct image *image, const struct image_attr *attr);

/*
 * Appends records compressed as perf does it: one zstd stream, flushed after each `piece` bytes of
 * input. `two`: PERF_RECORD_COMPRESSED2, which has a size and padding.
 */
void image_pack(struct image *image, const unsigned char *bytes, size_t n, size_t piece, bool two);

#endif
