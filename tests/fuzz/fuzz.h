// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_FUZZ_H
#define PMCTOP_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Functions of all fuzz entries. An entry passes any bytes to one parser and aborts if a promise of
 * the parser's header is broken. Sanitizers find wrong memory accesses. The bytes come from
 * libFuzzer (make fuzz) or, one file at a time, from tests/fuzz/corpus.c (make test).
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void fuzz_check(bool holds, const char *promise)
{
	if (holds)
		return;
	fprintf(stderr, "broken: %s\n", promise);
	abort();
}

/* Checks that a text ends within the record that contains it. NULL and "" are fine. */
static inline void fuzz_check_text(const void *record, size_t size, const char *text)
{
	const char *begin = record, *end = begin + size;

	if (!text || text[0] == '\0') /* "" may be a constant */
		return;
	fuzz_check(text > begin && text < end && memchr(text, '\0', (size_t)(end - text)),
		   "a text ends within its record");
}

/* The input, read from its start. Bytes past its end are 0. */
struct fuzz_bytes {
	const uint8_t *at;
	size_t left;
};

static inline void fuzz_read(struct fuzz_bytes *bytes, void *to, size_t size)
{
	size_t n = size < bytes->left ? size : bytes->left;

	memset(to, 0, size);
	if (n == 0)
		return;
	memcpy(to, bytes->at, n);
	bytes->at += n;
	bytes->left -= n;
}

static inline uint8_t fuzz_u8(struct fuzz_bytes *bytes)
{
	uint8_t value;

	fuzz_read(bytes, &value, sizeof(value));
	return value;
}

static inline uint64_t fuzz_u64(struct fuzz_bytes *bytes)
{
	uint64_t value;

	fuzz_read(bytes, &value, sizeof(value));
	return value;
}

/* The text up to the next NUL or the end, in a block of its size. The caller frees it. */
static inline char *fuzz_text(struct fuzz_bytes *bytes)
{
	size_t length = bytes->left ? strnlen((const char *)bytes->at, bytes->left) : 0;
	char *text = malloc(length + 1);

	if (!text)
		abort();
	fuzz_read(bytes, text, length);
	text[length] = '\0';
	if (bytes->left > 0)
		fuzz_u8(bytes); /* the NUL */
	return text;
}

/*
 * The first character of strict UTF-8, or -1. It is independent of core/base/text.c and follows the
 * table of well-formed byte sequences in the Unicode standard (3.9, D92).
 */
static inline long fuzz_utf8(const char **text)
{
	static const struct {
		unsigned char lead[2], next[2];
		unsigned more;
	} rows[] = {
		{{0x00, 0x7F}, {0x00, 0x00}, 0}, {{0xC2, 0xDF}, {0x80, 0xBF}, 1},
		{{0xE0, 0xE0}, {0xA0, 0xBF}, 2}, {{0xE1, 0xEC}, {0x80, 0xBF}, 2},
		{{0xED, 0xED}, {0x80, 0x9F}, 2}, {{0xEE, 0xEF}, {0x80, 0xBF}, 2},
		{{0xF0, 0xF0}, {0x90, 0xBF}, 3}, {{0xF1, 0xF3}, {0x80, 0xBF}, 3},
		{{0xF4, 0xF4}, {0x80, 0x8F}, 3},
	};
	unsigned char lead = (unsigned char)*(*text)++;

	for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
		if (lead < rows[row].lead[0] || lead > rows[row].lead[1])
			continue;
		long value = rows[row].more ? lead & (0x3F >> rows[row].more) : lead;
		for (unsigned i = 0; i < rows[row].more; i++) {
			unsigned char next = (unsigned char)**text;
			if (next < (i ? 0x80 : rows[row].next[0]) ||
			    next > (i ? 0xBF : rows[row].next[1]))
				return -1;
			value = value << 6 | (next & 0x3F);
			(*text)++;
		}
		return value;
	}
	return -1;
}

/* Whether a text is valid UTF-8 without control characters and without changes of direction. */
static inline bool fuzz_is_printable(const char *text)
{
	while (*text) {
		long c = fuzz_utf8(&text);
		bool control = c < 0x20 || (c >= 0x7F && c < 0xA0);
		bool turns = (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) ||
			     c == 0x200E || c == 0x200F || c == 0x061C;
		if (control || turns)
			return false;
	}
	return true;
}

#endif
