// SPDX-License-Identifier: MIT
/*
 * Native records are read word by word. After the first missing or invalid word all words read as
 * 0, so a caller checks `broken` once, after the last one.
 */
#include "core/perfdata/native_record.h"

#include "core/base/text.h"
#include "core/base/util.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool native_is_kind(uint64_t kind)
{
	return kind >= PERFDATA_NATIVE_BASE && kind <= PERFDATA_NATIVE_BASE + UINT16_MAX;
}

bool native_open(const struct perf_event_header *header, uint64_t *kind, struct native_words *words)
{
	const struct native_head *native = (const void *)header;

	if (header->type != PERFDATA_NATIVE || header->size < sizeof(*native) ||
	    !native_is_kind(native->kind))
		return false;
	*kind = native->kind - PERFDATA_NATIVE_BASE;
	*words = (struct native_words){
		.at = (const uint64_t *)(native + 1),
		.end = (const uint64_t *)((const char *)header + header->size / 8 * 8),
	};
	return true;
}

bool native_is(const struct perf_event_header *header, enum native_kind wanted)
{
	struct native_words words;
	uint64_t kind;

	return native_open(header, &kind, &words) && kind == wanted;
}

static size_t words_left(const struct native_words *words)
{
	return (size_t)(words->end - words->at);
}

uint64_t native_word(struct native_words *words)
{
	if (words->at < words->end)
		return *words->at++;
	words->broken = true;
	return 0;
}

uint64_t native_number(struct native_words *words, uint64_t most)
{
	uint64_t number = native_word(words);

	if (number <= most)
		return number;
	words->broken = true;
	return 0;
}

double native_double(struct native_words *words)
{
	uint64_t bits = native_word(words);
	double number;

	memcpy(&number, &bits, sizeof(number));
	if (isfinite(number))
		return number;
	words->broken = true;
	return 0;
}

pid_t native_pid(struct native_words *words)
{
	int64_t number = (int64_t)native_word(words);

	if (number >= -1 && number <= NATIVE_PID_MAX)
		return (pid_t)number;
	words->broken = true;
	return 0;
}

const uint64_t *native_array(struct native_words *words, size_t n)
{
	const uint64_t *array = words->at;

	if (n > words_left(words)) {
		words->broken = true;
		return NULL;
	}
	words->at += n;
	return array;
}

char *native_bytes(struct native_words *words)
{
	uint64_t length = native_number(words, words_left(words) * sizeof(uint64_t));
	const uint64_t *bytes = native_array(words, (length + 7) / 8);

	return bytes ? xstrndup((const char *)bytes, length) : xstrdup("");
}

char *native_text(struct native_words *words)
{
	char *bytes = native_bytes(words);
	size_t size = 3 * strlen(bytes) + 1;
	char *text = xmalloc(size);

	text_printable(text, size, bytes, UINT_MAX);
	free(bytes);
	return text;
}

void native_text_to(struct native_words *words, char *text, size_t size)
{
	char *whole = native_text(words);

	text_copy(text, size, whole);
	free(whole);
}
