// SPDX-License-Identifier: MIT
#include "core/perfdata/own_read.h"

#include "core/base/text.h"
#include "core/base/util.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool own_open(const struct perf_event_header *header, uint64_t *kind, struct own_words *words)
{
	const struct perfdata_own *own = (const void *)header;

	if (header->type != PERFDATA_OWN || header->size < sizeof(*own) ||
	    own->kind < PERFDATA_OWN_BASE || own->kind > PERFDATA_OWN_BASE + UINT16_MAX)
		return false;
	*kind = own->kind - PERFDATA_OWN_BASE;
	*words = (struct own_words){
		.at = (const uint64_t *)(own + 1),
		.end = (const uint64_t *)((const char *)header + header->size / 8 * 8),
	};
	return true;
}

bool own_is(const struct perf_event_header *header, enum own_kind wanted)
{
	struct own_words words;
	uint64_t kind;

	return own_open(header, &kind, &words) && kind == wanted;
}

static size_t left(const struct own_words *words)
{
	return (size_t)(words->end - words->at);
}

uint64_t own_word(struct own_words *words)
{
	if (words->at < words->end)
		return *words->at++;
	words->broken = true;
	return 0;
}

uint64_t own_number(struct own_words *words, uint64_t most)
{
	uint64_t number = own_word(words);

	if (number <= most)
		return number;
	words->broken = true;
	return 0;
}

double own_double(struct own_words *words)
{
	uint64_t bits = own_word(words);
	double number;

	memcpy(&number, &bits, sizeof(number));
	if (isfinite(number))
		return number;
	words->broken = true;
	return 0;
}

pid_t own_pid(struct own_words *words)
{
	int64_t number = (int64_t)own_word(words);

	if (number >= -1 && number <= OWN_PID_MAX)
		return (pid_t)number;
	words->broken = true;
	return 0;
}

const uint64_t *own_array(struct own_words *words, size_t n)
{
	const uint64_t *array = words->at;

	if (n > left(words)) {
		words->broken = true;
		return NULL;
	}
	words->at += n;
	return array;
}

char *own_bytes(struct own_words *words)
{
	uint64_t length = own_number(words, left(words) * sizeof(uint64_t));
	const uint64_t *bytes = own_array(words, (length + 7) / 8);

	return bytes ? xstrndup((const char *)bytes, length) : xstrdup("");
}

char *own_text(struct own_words *words)
{
	char *bytes = own_bytes(words);
	size_t size = 3 * strlen(bytes) + 1;
	char *text = xmalloc(size);

	text_printable(text, size, bytes, UINT_MAX);
	free(bytes);
	return text;
}

void own_text_to(struct own_words *words, char *text, size_t size)
{
	char *whole = own_text(words);

	text_copy(text, size, whole);
	free(whole);
}
