// SPDX-License-Identifier: MIT
/*
 * A line of `format` is
 *
 *	field:char next_comm[16];	offset:40;	size:16;	signed:0;
 *
 * and its name is the last word before the first ';', without the [16].
 */
#include "core/perf/switch_format.h"

#include "core/base/util.h"
#include "core/event/event_resolver.h"
#include "core/sys/proc.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	TEXT_BYTES = 8192, /* four times the text of Linux 6.18 */
	DIGITS_MAX = 5,
};

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* Whether a declaration such as "char next_comm[16]" declares that name. */
static bool declares(const char *declaration, size_t length, const char *name)
{
	const char *bracket = memchr(declaration, '[', length);
	const char *end = bracket ? bracket : declaration + length;
	const char *begin = end;

	while (begin > declaration && is_name(begin[-1]))
		begin--;
	return (size_t)(end - begin) == strlen(name) &&
	       memcmp(begin, name, (size_t)(end - begin)) == 0;
}

/* Parses "\tsize:16;" at *at, and moves *at behind it. Returns false if it is something else. */
static bool read_number(const char **at, const char *key, uint16_t *number)
{
	unsigned value = 0, digits = 0;
	const char *text = *at + strspn(*at, " \t");

	if (strncmp(text, key, strlen(key)) != 0)
		return false;
	for (text += strlen(key); *text >= '0' && *text <= '9' && digits < DIGITS_MAX; digits++)
		value = value * 10 + (unsigned)(*text++ - '0');
	if (digits == 0 || *text != ';' || value > UINT16_MAX)
		return false;
	*number = (uint16_t)value;
	*at = text + 1;
	return true;
}

/* Parses one line, up to its newline. Returns whether it declares the field. */
static bool read_field(const char *line, const char *name, struct switch_field *field)
{
	static const char begin[] = "field:";
	const char *at = line + strspn(line, " \t");

	if (strncmp(at, begin, sizeof(begin) - 1) != 0)
		return false;
	at += sizeof(begin) - 1;
	size_t length = strcspn(at, ";\n");
	if (at[length] != ';' || !declares(at, length, name))
		return false;
	at += length + 1;
	return read_number(&at, "offset:", &field->offset) &&
	       read_number(&at, "size:", &field->size);
}

static bool find_field(const char *text, const char *name, struct switch_field *field)
{
	for (const char *line = text, *end; !read_field(line, name, field); line = end + 1)
		if (!(end = strchr(line, '\n')))
			return false;
	return true;
}

/* A field that a format must have, in one of two sizes. */
struct wanted_field {
	const char *name;
	struct switch_field *field;
	uint16_t size, other_size;
};

/* Sets *bytes to the end of the last one. 0 or -EBADMSG. */
static int parse_fields(const char *text, const struct wanted_field *wanted, size_t n,
			size_t *bytes)
{
	*bytes = 0;
	for (size_t i = 0; i < n; i++) {
		const struct switch_field *field = wanted[i].field;
		if (!find_field(text, wanted[i].name, wanted[i].field) ||
		    (field->size != wanted[i].size && field->size != wanted[i].other_size) ||
		    field->offset + field->size > SWITCH_FORMAT_BYTES_MAX)
			return -EBADMSG;
		if (*bytes < (size_t)field->offset + field->size)
			*bytes = (size_t)field->offset + field->size;
	}
	return 0;
}

int switch_format_parse(const char *text, struct switch_format *format)
{
	const struct wanted_field wanted[] = {
		{"prev_pid", &format->prev_pid, 4, 4},
		{"prev_state", &format->prev_state, 8, 4},
		{"next_comm", &format->next_comm, 16, 16},
		{"next_pid", &format->next_pid, 4, 4},
		{"next_prio", &format->next_prio, 4, 4},
	};

	return parse_fields(text, wanted, ARRAY_SIZE(wanted), &format->bytes);
}

int waking_format_parse(const char *text, struct waking_format *format)
{
	const struct wanted_field wanted[] = {{"pid", &format->pid, 4, 4}};

	return parse_fields(text, wanted, ARRAY_SIZE(wanted), &format->bytes);
}

/* The reason why a file of a tracefs cannot be read. Every tracefs has header_page. */
static enum switch_format_state explain_root(const struct sys *sys, const char *root, int answer)
{
	char path[128], text[64];

	if (answer != -ENOENT)
		return SWITCH_FORMAT_DENIED;
	snprintf(path, sizeof(path), "%s/header_page", root);
	return sys_file_read(sys, path, text, sizeof(text)) == -ENOENT ? SWITCH_FORMAT_NOT_MOUNTED
								       : SWITCH_FORMAT_ABSENT;
}

/* Reads the number of a tracepoint of the scheduler and the text of its format. */
static enum switch_format_state read_root(const struct sys *sys, const char *root,
					  const char *tracepoint, uint64_t *id, char *text)
{
	char path[128];
	long number;

	snprintf(path, sizeof(path), "%s/sched/%s/id", root, tracepoint);
	int result = proc_number(sys, path, &number);
	if (result < 0 && result != -EBADMSG)
		return explain_root(sys, root, result);
	if (result < 0 || number < 0)
		return SWITCH_FORMAT_UNKNOWN;
	snprintf(path, sizeof(path), "%s/sched/%s/format", root, tracepoint);
	ssize_t length = sys_file_read(sys, path, text, TEXT_BYTES);
	if (length < 0)
		return explain_root(sys, root, (int)length);
	*id = (uint64_t)number;
	return SWITCH_FORMAT_READ;
}

typedef int parse_fn(const char *text, void *format);

/* Reads the first place that has a text which `parse` accepts. */
static enum switch_format_state read_format(const struct sys *sys, const char *tracepoint,
					    parse_fn *parse, void *format, uint64_t *id)
{
	enum switch_format_state best = SWITCH_FORMAT_NOT_MOUNTED;
	char text[TEXT_BYTES];

	for (size_t i = 0; i < EVENT_TRACEFS_ROOTS; i++) {
		enum switch_format_state state =
			read_root(sys, event_tracefs_roots[i], tracepoint, id, text);

		if (state == SWITCH_FORMAT_READ && parse(text, format) < 0)
			state = SWITCH_FORMAT_UNKNOWN;
		if (state == SWITCH_FORMAT_READ)
			return state;
		/* The second place is below debugfs, which only root may enter. */
		if (i == 0)
			best = state;
	}
	return best;
}

static int parse_switch(const char *text, void *format)
{
	return switch_format_parse(text, format);
}

static int parse_waking(const char *text, void *format)
{
	return waking_format_parse(text, format);
}

enum switch_format_state switch_format_read(const struct sys *sys, struct switch_format *format)
{
	struct switch_format read = {0};
	enum switch_format_state state =
		read_format(sys, "sched_switch", parse_switch, &read, &read.id);

	if (state == SWITCH_FORMAT_READ)
		*format = read;
	return state;
}

enum switch_format_state waking_format_read(const struct sys *sys, struct waking_format *format)
{
	struct waking_format read = {0};
	enum switch_format_state state =
		read_format(sys, "sched_waking", parse_waking, &read, &read.id);

	if (state == SWITCH_FORMAT_READ)
		*format = read;
	return state;
}

bool switch_texts_read(const struct sys *sys, struct switch_texts *texts)
{
	static const char *const names[SWITCH_TEXTS] = {
		[SWITCH_TEXT_PAGE] = "header_page",
		[SWITCH_TEXT_EVENT] = "header_event",
		[SWITCH_TEXT_FORMAT] = "sched/sched_switch/format",
	};
	char path[128], text[TEXT_BYTES];

	*texts = (struct switch_texts){0};
	for (size_t i = 0; i < EVENT_TRACEFS_ROOTS && !texts->items[SWITCH_TEXTS - 1]; i++) {
		switch_texts_fini(texts);
		for (size_t k = 0; k < SWITCH_TEXTS; k++) {
			snprintf(path, sizeof(path), "%s/%s", event_tracefs_roots[i], names[k]);
			if (sys_file_read(sys, path, text, sizeof(text)) <= 0)
				break;
			texts->items[k] = xstrdup(text);
		}
	}
	if (texts->items[SWITCH_TEXTS - 1])
		return true;
	switch_texts_fini(texts);
	return false;
}

void switch_texts_fini(struct switch_texts *texts)
{
	for (size_t i = 0; i < SWITCH_TEXTS; i++)
		free(texts->items[i]);
	*texts = (struct switch_texts){0};
}

static int read_int(const char *data, struct switch_field field)
{
	int value;

	memcpy(&value, data + field.offset, sizeof(value));
	return value;
}

static uint64_t read_state(const char *data, struct switch_field field)
{
	uint64_t value;

	if (field.size != sizeof(value))
		return (uint32_t)read_int(data, field);
	memcpy(&value, data + field.offset, sizeof(value));
	return value;
}

/* The tracepoint's data of at least that many bytes; NULL: too short. */
static const char *raw_bytes(size_t bytes, const struct record *record)
{
	uint32_t size;

	if (record->sample.rest_bytes < sizeof(size))
		return NULL;
	memcpy(&size, record->sample.rest, sizeof(size));
	if (size > record->sample.rest_bytes - sizeof(size) || size < bytes)
		return NULL;
	return (const char *)record->sample.rest + sizeof(size);
}

static const char *raw_data(const struct switch_format *format, const struct record *record)
{
	return raw_bytes(format->bytes, record);
}

int switch_raw_read(const struct switch_format *format, const struct record *record,
		    struct switch_raw *raw)
{
	const char *data = raw_data(format, record);

	if (!data)
		return -EBADMSG;
	raw->prev_pid = read_int(data, format->prev_pid);
	raw->prev_state = read_state(data, format->prev_state);
	raw->next_pid = read_int(data, format->next_pid);
	raw->next_prio = read_int(data, format->next_prio);
	memcpy(raw->next_comm, data + format->next_comm.offset, sizeof(raw->next_comm));
	raw->next_comm[sizeof(raw->next_comm) - 1] = '\0';
	return 0;
}

static void write_pid(char *data, struct switch_field field, pid_t pid)
{
	memcpy(data + field.offset, &pid, sizeof(pid));
}

size_t switch_raw_write(const struct switch_format *format, pid_t tid, void *to)
{
	size_t bytes = (sizeof(uint32_t) + format->bytes + 7) / 8 * 8;
	uint32_t size = (uint32_t)(bytes - sizeof(size));
	char *data = (char *)to + sizeof(size);

	memset(to, 0, bytes);
	memcpy(to, &size, sizeof(size));
	write_pid(data, format->prev_pid, tid);
	write_pid(data, format->next_pid, tid);
	return bytes;
}

pid_t switch_raw_tid(const struct switch_format *format, const struct record *record)
{
	const char *data = record->tid == -1 && format ? raw_data(format, record) : NULL;

	return data ? read_int(data, format->prev_pid) : record->tid;
}

uint32_t switch_raw_next(const struct switch_format *format, const struct record *record)
{
	const char *data = format ? raw_data(format, record) : NULL;

	return data ? (uint32_t)read_int(data, format->next_pid) + 1 : record->sample.next;
}

uint64_t switch_raw_state(const struct switch_format *format, const struct record *record)
{
	const char *data = format ? raw_data(format, record) : NULL;

	return data ? read_state(data, format->prev_state) : record->sample.state;
}

pid_t waking_raw_tid(const struct waking_format *format, const struct record *record)
{
	const char *data = raw_bytes(format->bytes, record);

	return data ? read_int(data, format->pid) : -1;
}
