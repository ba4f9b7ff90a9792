// SPDX-License-Identifier: MIT
/*
 * A scanner finds where each entry begins and ends: it skips strings and counts brackets, so no
 * nesting is too deep for it. jansson reads the entries.
 */
#include "core/tables/table_json.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct scan {
	const struct table_json_reader *reader;
	const char *at, *end;
	size_t line;     /* of `at`, from 1 on */
	size_t n_values; /* skipped, names of members included */
	bool ended;      /* after a fault, or what the reader needs is read */
};

static void scan_fail(struct scan *scan, const char *why)
{
	if (!scan->ended)
		scan->reader->fault(scan->reader->arg, scan->line, why);
	scan->ended = true;
}

static void skip_blanks(struct scan *scan)
{
	for (; scan->at < scan->end && strchr(" \t\r\n", *scan->at) && *scan->at; scan->at++)
		scan->line += *scan->at == '\n';
}

/* Whether the next character that is not blank is `c`, which is then skipped. */
static bool skip_character(struct scan *scan, char c)
{
	skip_blanks(scan);
	if (scan->ended || scan->at == scan->end || *scan->at != c)
		return false;
	scan->at++;
	return true;
}

/* Skips a string, of which `at` is the first quote. */
static void skip_string(struct scan *scan)
{
	size_t line = scan->line;

	for (scan->at++; scan->at < scan->end && *scan->at != '"'; scan->at++) {
		scan->line += *scan->at == '\n';
		if (*scan->at == '\\' && scan->at + 1 < scan->end)
			scan->at++;
	}
	if (scan->at < scan->end) {
		scan->at++;
		return;
	}
	scan->line = line;
	scan_fail(scan, "the file ends within a string");
}

/* Skips a word or number. */
static void skip_word(struct scan *scan)
{
	const char *begin = scan->at;

	while (scan->at < scan->end && !strchr(" \t\r\n,]}", *scan->at))
		scan->at++;
	if (scan->at == begin)
		scan_fail(scan, "a value is missing");
}

static void skip_value(struct scan *scan)
{
	size_t depth = 0, line;

	skip_blanks(scan);
	line = scan->line;
	do {
		skip_blanks(scan);
		if (scan->at == scan->end) {
			scan->line = line;
			scan_fail(scan, "the file ends within an entry, which began here");
		} else if (*scan->at == '"') {
			scan->n_values++;
			skip_string(scan);
		} else if (*scan->at == '[' || *scan->at == '{') {
			scan->at++;
			scan->n_values++;
			if (++depth > TABLE_JSON_DEPTH_MAX)
				scan_fail(scan, "values are nested too deep");
		} else if (*scan->at == ']' || *scan->at == '}') {
			scan->at++;
			if (depth-- == 0)
				scan_fail(scan, "a value is missing");
		} else if (depth > 0 && (*scan->at == ',' || *scan->at == ':')) {
			scan->at++;
		} else {
			scan->n_values++;
			skip_word(scan);
		}
	} while (depth > 0 && !scan->ended);
}

static void read_entry(struct scan *scan, const char *section, const char *key)
{
	const struct table_json_reader *reader = scan->reader;
	struct table_json_entry entry = {.section = section, .key = key};
	json_error_t error;

	skip_blanks(scan);
	entry.line = scan->line;
	const char *begin = scan->at;
	size_t n_values = scan->n_values;
	skip_value(scan);
	if (scan->ended)
		return;
	entry.n_values = scan->n_values - n_values;
	if (entry.n_values > TABLE_JSON_VALUES_MAX) {
		reader->fault(reader->arg, entry.line, "an entry has too many values");
		return;
	}
	entry.value = json_loadb(begin, (size_t)(scan->at - begin),
				 JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
	if (entry.value)
		reader->entry(reader->arg, &entry);
	else
		reader->fault(reader->arg,
			      entry.line + (error.line > 0 ? (size_t)error.line - 1 : 0),
			      error.text);
	json_decref(entry.value);
}

/* Reads the name of a member and its colon. A name that is too long is "". */
static bool read_name(struct scan *scan, char name[TABLE_JSON_NAME_MAX + 1])
{
	name[0] = '\0';
	if (!skip_character(scan, '"')) {
		scan_fail(scan, scan->at == scan->end ? "the file ends within an object"
						      : "the name of a member is missing");
		return false;
	}
	const char *begin = scan->at--;
	skip_string(scan);
	if (scan->ended)
		return false;
	size_t length = (size_t)(scan->at - 1 - begin);
	if (length <= TABLE_JSON_NAME_MAX && !memchr(begin, '\0', length)) {
		memcpy(name, begin, length);
		name[length] = '\0';
	}
	if (!skip_character(scan, ':'))
		scan_fail(scan, "a colon is missing");
	return !scan->ended;
}

/* Whether another element or member follows. */
static bool has_next(struct scan *scan, char end)
{
	if (scan->ended || skip_character(scan, end))
		return false;
	if (skip_character(scan, ','))
		return true;
	scan_fail(scan, scan->at == scan->end ? "the file ends here, without its last part"
					      : "a comma is missing");
	return false;
}

static void read_elements(struct scan *scan, const char *section)
{
	if (skip_character(scan, ']'))
		return;
	do
		read_entry(scan, section, "");
	while (has_next(scan, ']'));
}

static void read_members(struct scan *scan, const char *section)
{
	char key[TABLE_JSON_NAME_MAX + 1];

	if (skip_character(scan, '}'))
		return;
	do {
		if (read_name(scan, key))
			read_entry(scan, section, key);
	} while (has_next(scan, '}'));
}

static void read_part(struct scan *scan, const char *section)
{
	const struct table_json_reader *reader = scan->reader;

	switch (reader->part(reader->arg, section)) {
	case TABLE_JSON_NONE:
		skip_value(scan);
		return;
	case TABLE_JSON_WHOLE:
		read_entry(scan, section, "");
		return;
	case TABLE_JSON_EACH:
		if (skip_character(scan, '['))
			read_elements(scan, section);
		else if (skip_character(scan, '{'))
			read_members(scan, section);
		else
			skip_value(scan);
		return;
	case TABLE_JSON_STOP:
		scan->ended = true;
		return;
	}
}

static void read_sections(struct scan *scan)
{
	char section[TABLE_JSON_NAME_MAX + 1];

	if (skip_character(scan, '}'))
		return;
	do {
		if (read_name(scan, section) && section[0])
			read_part(scan, section);
		else
			skip_value(scan);
	} while (has_next(scan, '}'));
}

void table_json_read(const char *text, size_t length, const struct table_json_reader *reader)
{
	static const char mark[] = "\xEF\xBB\xBF"; /* of the byte order */
	struct scan scan = {.reader = reader, .at = text, .end = text + length, .line = 1};

	if (length >= strlen(mark) && memcmp(text, mark, strlen(mark)) == 0)
		scan.at += strlen(mark);
	skip_blanks(&scan);
	if (scan.at < scan.end && *scan.at == '[')
		read_part(&scan, "");
	else if (skip_character(&scan, '{'))
		read_sections(&scan);
	else
		scan_fail(&scan, length == 0 ? "the file is empty" : "this is not JSON");
	skip_blanks(&scan);
	if (scan.at < scan.end)
		scan_fail(&scan, "text follows the last value");
}
