// SPDX-License-Identifier: MIT
/*
 * Brackets are paired by counting. A '<' or '>' of an operator ("operator<<", "operator->") is no
 * bracket, and neither is the '>' of "->" in the type of a Rust function. A name whose brackets do
 * not pair is cut at its front alone.
 */
#include "core/view/code_name.h"

#include "core/base/text.h"
#include "core/base/util.h"

#include <stdbool.h>
#include <string.h>

enum { NAME_BYTES = 4096 }; /* as SYMBOL_NAME_BYTES; a longer name is cut at its end */

/* Returns the bytes at `at` that are an operator with angle brackets and its keyword, or 0. */
static size_t operator_length(const char *name, const char *at)
{
	static const char word[] = "operator";
	size_t length = sizeof(word) - 1, more;

	if (strncmp(at, word, length) != 0 || (at > name && strchr("_$", at[-1])))
		return 0;
	more = strspn(at + length, "<>=-");
	if (more == 0)
		return 0;
	/* In "operator<<int>" the last '<' begins the arguments of a template. */
	if (at[length] == '<' && more == 2 && at[length + 1] == '<' &&
	    !strchr("( ", at[length + 2]))
		more = 1;
	return length + more;
}

/* Returns the bytes of a bracket that is part of a name, or 0. */
static size_t literal_length(const char *name, const char *at, char open)
{
	static const char unnamed[] = "(anonymous namespace)";

	if (open == '<')
		return operator_length(name, at);
	return strncmp(at, unnamed, sizeof(unnamed) - 1) == 0 ? sizeof(unnamed) - 1 : 0;
}

/*
 * Copies the name with each outermost pair of brackets emptied: "(...)" to "()", "<...>" to "<..>".
 * Returns false if they do not pair.
 */
static bool collapse_brackets(const char *name, char open, char close, const char *instead,
			      char *to)
{
	size_t depth = 0, length = 0, more = strlen(instead);

	for (const char *at = name; *at;) {
		size_t skip = literal_length(name, at, open);

		if (skip == 0)
			skip = 1;
		if (skip == 1 && *at == open && depth++ == 0) {
			if (length + more >= NAME_BYTES)
				return false;
			memcpy(to + length, instead, more);
			length += more;
		} else if (skip == 1 && *at == close && !(at > name && at[-1] == '-')) {
			if (depth-- == 0)
				return false;
		} else if (depth == 0) {
			if (length + skip >= NAME_BYTES)
				return false;
			memcpy(to + length, at, skip);
			length += skip;
		}
		at += skip;
	}
	to[length] = '\0';
	return depth == 0;
}

/*
 * Returns the end of a text that has at most so many columns, from a whole character on, and from a
 * "::" on if there is one in the first half.
 */
static const char *last_columns(const char *text, unsigned columns)
{
	struct text_scan scan = {.at = text};
	unsigned skip = text_width(text) - columns;

	for (unsigned skipped = 0; skipped < skip && text_scan_next(&scan);)
		skipped += scan.width;
	const char *part = strstr(scan.at, "::");
	return part && part > scan.at && text_width(part) > columns / 2 ? part : scan.at;
}

/* Returns the "+0x1234" at the end of a text, or its end. */
static const char *find_offset(const char *text)
{
	static const char prefix[] = "+0x";
	const char *end = text + strlen(text), *plus = strrchr(text, '+');

	if (!plus || strncmp(plus, prefix, sizeof(prefix) - 1) != 0)
		return end;
	const char *digits = plus + sizeof(prefix) - 1;
	return *digits && digits[strspn(digits, "0123456789abcdef")] == '\0' ? plus : end;
}

/* Cuts a text before its offset, if it has one and there is room for it, else at its end. */
static size_t cut_end(const char *shown, unsigned width, char *text, size_t size)
{
	const char *offset = find_offset(shown);
	unsigned kept = (unsigned)strlen(offset);

	if (kept + 2 > width) {
		offset += kept;
		kept = 0;
	}
	size_t length = text_printable(text, size, shown, width - kept - 2);
	length += text_copy(text + length, size - length, "..");
	return length + text_copy(text + length, size - length, offset);
}

size_t code_name(const char *name, unsigned width, char *text, size_t size)
{
	char shown[NAME_BYTES], other[NAME_BYTES];

	text_printable(shown, sizeof(shown), name, NAME_BYTES);
	if (text_width(shown) > width && collapse_brackets(shown, '(', ')', "()", other))
		memcpy(shown, other, sizeof(shown));
	/* In "<Vec<T> as Drop>::drop" of Rust the brackets have the name. */
	if (text_width(shown) > width && shown[0] != '<' &&
	    collapse_brackets(shown, '<', '>', "<..>", other))
		memcpy(shown, other, sizeof(shown));
	if (text_width(shown) <= width)
		return text_copy(text, size, shown);
	if (width <= 2)
		return text_printable(text, size, shown, width);
	if (!strstr(shown, "::"))
		return cut_end(shown, width, text, size);
	size_t length = text_copy(text, size, "..");
	return length + text_copy(text + length, size - length, last_columns(shown, width - 2));
}

size_t code_module(const char *module, unsigned width, char *text, size_t size)
{
	static const char suffix[] = ".so";
	char shown[NAME_BYTES];

	text_printable(shown, sizeof(shown), module, NAME_BYTES);
	char *version = strstr(shown, ".so.");
	if (text_width(shown) > width && version)
		version[sizeof(suffix) - 1] = '\0';
	size_t length = strlen(shown), more = sizeof(suffix) - 1;
	if (text_width(shown) > width && length > more &&
	    strcmp(shown + length - more, suffix) == 0)
		shown[length - more] = '\0';
	return text_copy(text, size, shown);
}
