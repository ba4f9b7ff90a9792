// SPDX-License-Identifier: MIT
/*
 * Writes and parses HEADER_TRACING_DATA. The parser is a cursor over untrusted bytes: after the
 * first missing byte it is `broken`, and returns 0 and "" from then on.
 */
#include "core/perfdata/perfdata_tracing.h"

#include "core/base/util.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char magic[] = "\x17\x08\x44tracing";
static const unsigned char big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

static void put_u32(struct perfdata *data, uint32_t number)
{
	perfdata_append(data, &number, sizeof(number));
}

static void put_name(struct perfdata *data, const char *name)
{
	perfdata_append(data, name, strlen(name) + 1);
}

static void put_text(struct perfdata *data, const char *text)
{
	perfdata_word(data, strlen(text));
	perfdata_append(data, text, strlen(text));
}

static void put_texts(struct perfdata *data, const struct switch_texts *texts)
{
	const unsigned char order_and_long[] = {big_endian, sizeof(long)};

	perfdata_append(data, magic, sizeof(magic) - 1);
	put_name(data, "0.6");
	perfdata_append(data, order_and_long, sizeof(order_and_long));
	put_u32(data, (uint32_t)sysconf(_SC_PAGESIZE));
	put_name(data, "header_page");
	put_text(data, texts->items[SWITCH_TEXT_PAGE]);
	put_name(data, "header_event");
	put_text(data, texts->items[SWITCH_TEXT_EVENT]);
	put_u32(data, 0);
	put_u32(data, 1);
	put_name(data, "sched");
	put_u32(data, 1);
	put_text(data, texts->items[SWITCH_TEXT_FORMAT]);
	put_u32(data, 0);
	put_u32(data, 0);
	perfdata_word(data, 0);
}

void perfdata_tracing(struct perfdata *data, const struct switch_texts *texts)
{
	const struct perfdata_tracing_record record = {
		.header = {.type = PERFDATA_TRACING_DATA, .size = sizeof(record)}};
	size_t begin = data->n;

	perfdata_append(data, &record, sizeof(record));
	put_texts(data, texts);
	while (data->n % sizeof(uint64_t) != begin % sizeof(uint64_t))
		perfdata_append(data, "", 1);
	uint32_t bytes = (uint32_t)(data->n - begin - sizeof(record));
	memcpy(data->bytes + begin + offsetof(struct perfdata_tracing_record, bytes), &bytes,
	       sizeof(bytes));
}

/* The unread bytes. `broken`: bytes are missing; all that follows is 0. */
struct cursor {
	const unsigned char *at, *end;
	bool broken;
};

static const void *cursor_bytes(struct cursor *cursor, uint64_t n)
{
	const unsigned char *at = cursor->at;

	if (cursor->broken || n > (uint64_t)(cursor->end - at)) {
		cursor->broken = true;
		return NULL;
	}
	cursor->at += n;
	return at;
}

static uint64_t cursor_number(struct cursor *cursor, size_t size)
{
	const void *at = cursor_bytes(cursor, size);
	uint32_t half;
	uint64_t word;

	if (!at)
		return 0;
	if (size == sizeof(half)) {
		memcpy(&half, at, sizeof(half));
		return half;
	}
	memcpy(&word, at, sizeof(word));
	return word;
}

static const char *cursor_name(struct cursor *cursor)
{
	const void *nul = memchr(cursor->at, '\0', (size_t)(cursor->end - cursor->at));

	if (!nul)
		cursor->broken = true;
	return nul ? cursor_bytes(cursor, (uint64_t)((const unsigned char *)nul - cursor->at + 1))
		   : "";
}

static void cursor_expect(struct cursor *cursor, const void *bytes, size_t n)
{
	const void *at = cursor_bytes(cursor, n);

	cursor->broken = cursor->broken || memcmp(at, bytes, n) != 0;
}

static void pass_text(struct cursor *cursor)
{
	cursor_bytes(cursor, cursor_number(cursor, sizeof(uint64_t)));
}

bool perfdata_tracing_begins(const unsigned char *bytes, size_t n)
{
	return n >= sizeof(magic) - 1 && memcmp(bytes, magic, sizeof(magic) - 1) == 0;
}

static void parse_head(struct cursor *cursor)
{
	static const char page[] = "header_page", event[] = "header_event";

	cursor_expect(cursor, magic, sizeof(magic) - 1);
	cursor_name(cursor); /* the version */
	cursor_expect(cursor, &big_endian, sizeof(big_endian));
	cursor_bytes(cursor, 1 + sizeof(uint32_t));
	cursor_expect(cursor, page, sizeof(page));
	pass_text(cursor);
	cursor_expect(cursor, event, sizeof(event));
	pass_text(cursor);
	for (uint64_t n = cursor_number(cursor, sizeof(uint32_t)); n > 0 && !cursor->broken; n--)
		pass_text(cursor);
}

/* Parses "name: NAME\nID: 7\n". Returns the text behind it, or NULL if it is something else. */
static const char *read_head(const char *text, const char *name, uint64_t *id)
{
	static const char before[] = "name: ", between[] = "\nID: ";
	char *end;

	if (strncmp(text, before, sizeof(before) - 1) != 0)
		return NULL;
	text += sizeof(before) - 1;
	if (strncmp(text, name, strlen(name)) != 0)
		return NULL;
	text += strlen(name);
	if (strncmp(text, between, sizeof(between) - 1) != 0)
		return NULL;
	text += sizeof(between) - 1;
	*id = strtoul(text, &end, 10);
	return end != text && *end == '\n' ? end : NULL;
}

static void read_waking(const char *text, struct waking_format *format)
{
	static const char *const names[] = {"sched_waking", "sched_wakeup", "sched_wakeup_new"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct waking_format read = {0};
		const char *fields = read_head(text, names[i], &read.id);
		if (fields && waking_format_parse(fields, &read) == 0)
			*format = read;
	}
}

/* 0, -ENOENT if it is another tracepoint, or -EBADMSG. */
static int read_switch(const char *text, struct switch_format *format)
{
	static const char name[] = "name: sched_switch\n";
	struct switch_format read = {0};

	if (strncmp(text, name, sizeof(name) - 1) != 0)
		return -ENOENT;
	const char *fields = read_head(text, "sched_switch", &read.id);
	if (!fields || switch_format_parse(fields, &read) < 0)
		return -EBADMSG;
	*format = read;
	return 0;
}

static void parse_sched(struct cursor format, struct perfdata_tracing *tracing)
{
	char *text = xstrndup((const char *)format.at, (size_t)(format.end - format.at));

	if (tracing->result == -ENOENT)
		tracing->result = read_switch(text, &tracing->format);
	if (tracing->n_wakings < PERFDATA_WAKINGS) {
		struct waking_format *waking = &tracing->wakings[tracing->n_wakings];
		read_waking(text, waking);
		tracing->n_wakings += waking->bytes > 0;
	}
	free(text);
}

enum { NAME_BYTES_MAX = 128, HEAD_BYTES_MAX = 192 };

/* Appends "system:name" with the number of the tracepoint. */
static void put_tracepoint(struct perfdata *names, const char *system, struct cursor format)
{
	char head[HEAD_BYTES_MAX], name[NAME_BYTES_MAX], full[2 * NAME_BYTES_MAX];
	struct perfdata_tracepoint record = {.header.type = PERFDATA_NATIVE};
	size_t n = size_min((size_t)(format.end - format.at), sizeof(head) - 1);

	memcpy(head, format.at, n);
	head[n] = '\0';
	if (sscanf(head, "name: %127[^\n]", name) != 1 || !read_head(head, name, &record.config))
		return;
	int length = snprintf(full, sizeof(full), "%s:%s", system, name);
	if (length >= (int)sizeof(full))
		return;
	size_t bytes = (size_t)length / sizeof(uint64_t) * sizeof(uint64_t) + sizeof(uint64_t);
	memset(full + length, 0, sizeof(full) - (size_t)length);
	record.header.size = (uint16_t)(sizeof(record) + bytes);
	perfdata_append(names, &record, sizeof(record));
	perfdata_append(names, full, bytes);
}

/* The bytes of the next format; none if it is broken. */
static struct cursor next_format(struct cursor *cursor)
{
	uint64_t size = cursor_number(cursor, sizeof(size));
	const unsigned char *at = cursor_bytes(cursor, size);

	return at ? (struct cursor){at, at + size, false} : (struct cursor){NULL, NULL, true};
}

void perfdata_tracing_read(const unsigned char *bytes, size_t n, struct perfdata_tracing *tracing,
			   struct perfdata *names)
{
	struct cursor cursor = {bytes, bytes + n, false};
	size_t left = names ? PERFDATA_TRACEPOINTS_MAX : 0;

	*tracing = (struct perfdata_tracing){.result = -ENOENT};
	parse_head(&cursor);
	for (uint64_t i = cursor_number(&cursor, sizeof(uint32_t)); i > 0 && !cursor.broken; i--) {
		const char *system = cursor_name(&cursor);
		uint64_t formats = cursor_number(&cursor, sizeof(uint32_t));
		for (; formats > 0 && !cursor.broken; formats--) {
			struct cursor format = next_format(&cursor);
			if (!format.broken && strcmp(system, "sched") == 0)
				parse_sched(format, tracing);
			if (!format.broken && left > 0 && left--)
				put_tracepoint(names, system, format);
		}
	}
	if (cursor.broken && tracing->result == -ENOENT)
		tracing->result = -EBADMSG;
}
