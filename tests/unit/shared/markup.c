// SPDX-License-Identifier: MIT
#include "tests/unit/shared/markup.h"

#include "core/base/util.h"
#include "tests/fuzz/fuzz.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { DEPTH_MAX = 8, ATTRIBUTES_MAX = 16 };

struct span {
	const char *at;
	size_t n;
};

static bool same_span(struct span a, struct span b)
{
	return a.n == b.n && memcmp(a.at, b.at, a.n) == 0;
}

static bool is_xml_character(long c)
{
	return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c <= 0xD7FF) ||
	       (c >= 0xE000 && c <= 0xFFFD) || (c >= 0x10000 && c <= 0x10FFFF);
}

/* Reads characters up to one of `ends`. */
static const char *read_data(const char **text, const char *ends)
{
	static const char *const entities[] = {"amp;", "lt;", "gt;", "quot;", "apos;"};

	while (**text && !strchr(ends, **text)) {
		long c = fuzz_utf8(text);
		bool known = c != '&';

		if (!is_xml_character(c))
			return "a character that XML does not allow";
		for (size_t i = 0; i < ARRAY_SIZE(entities) && !known; i++)
			if (strncmp(*text, entities[i], strlen(entities[i])) == 0) {
				*text += strlen(entities[i]);
				known = true;
			}
		if (!known)
			return "a bare &";
		if (c == '<')
			return "a bare <";
	}
	return NULL;
}

static struct span read_name(const char **text)
{
	struct span name = {*text, 0};

	while (isalnum((unsigned char)**text) || (name.n && strchr("-:", **text) && **text)) {
		(*text)++;
		name.n++;
	}
	return name;
}

static const char *read_attributes(const char **text)
{
	struct span names[ATTRIBUTES_MAX];
	size_t n = 0;

	while (**text == ' ') {
		*text += strspn(*text, " ");
		struct span name = read_name(text);

		if (name.n == 0 || n == ATTRIBUTES_MAX || strncmp(*text, "=\"", 2) != 0)
			return "an attribute without name or value";
		for (size_t i = 0; i < n; i++)
			if (same_span(names[i], name))
				return "an attribute twice";
		names[n++] = name;
		*text += 2;

		const char *fault = read_data(text, "\"<");

		if (fault || **text != '"')
			return fault ? fault : "a value without its end";
		(*text)++;
	}
	return NULL;
}

const char *xml_fault(const char *text)
{
	struct span open[DEPTH_MAX];
	size_t depth = 0, roots = 0;

	for (;;) {
		const char *begin = text, *fault = read_data(&text, "<");

		if (fault)
			return fault;
		if (depth == 0 && strspn(begin, "\n") != (size_t)(text - begin))
			return "text outside of the root";
		if (!*text)
			break;
		text++;

		bool closes = *text == '/';

		text += closes;
		struct span name = read_name(&text);

		if (name.n == 0)
			return "a tag without a name";
		if (closes) {
			if (depth == 0 || !same_span(open[--depth], name))
				return "an end without its beginning";
		} else {
			roots += depth == 0;
			fault = read_attributes(&text);
			if (fault)
				return fault;
			if (*text == '/')
				text++;
			else if (depth == DEPTH_MAX)
				return "too deep";
			else
				open[depth++] = name;
		}
		if (*text++ != '>')
			return "a tag without its end";
	}
	if (depth > 0)
		return "an element without its end";
	return roots == 1 ? NULL : "not one root";
}

const char *sgr_fault(const char *text)
{
	while (*text) {
		if (strncmp(text, "\033[", 2) == 0) {
			text += 2;
			text += strspn(text, "0123456789;");
			if (*text++ != 'm')
				return "another sequence than SGR";
			continue;
		}
		long c = fuzz_utf8(&text);

		if (c < 0)
			return "no UTF-8";
		if ((c < 0x20 && c != '\n') || (c >= 0x7F && c < 0xA0))
			return "a control character";
	}
	return NULL;
}
