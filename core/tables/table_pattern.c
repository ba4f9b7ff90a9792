// SPDX-License-Identifier: MIT
#include "core/tables/table_pattern.h"

#include <ctype.h>
#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The last byte of the [set] at `at`; NULL: it has no end. */
static const char *set_end(const char *at)
{
	at += 1 + (at[1] == '^');
	at += *at == ']';
	while (*at && *at != ']') {
		const char *class_end = strncmp(at, "[:", 2) == 0 ? strstr(at + 2, ":]") : NULL;

		at = class_end ? class_end + 2 : at + 1;
	}
	return *at ? at : NULL;
}

/* The subset of the header. What else is wrong, regcomp() finds. */
static bool is_of_subset(const char *pattern)
{
	bool repeatable = false;
	unsigned depth = 0;

	for (const char *at = pattern; *at; at++) {
		if (strchr("*+?", *at)) {
			if (!repeatable)
				return false;
			repeatable = false;
			continue;
		}
		repeatable = !strchr("(|)", *at);
		if (*at == '\\') {
			if (!ispunct((unsigned char)*++at))
				return false;
		} else if (*at == '[') {
			if (!(at = set_end(at)))
				return false;
		} else if (strchr("{}^$", *at) || (*at == ')' && depth == 0)) {
			return false;
		} else {
			depth += *at == '(';
			depth -= *at == ')';
		}
	}
	return depth == 0 && pattern[0] && strlen(pattern) <= TABLE_PATTERN_BYTES;
}

enum table_pattern_answer table_pattern_match(const char *pattern, const char *id)
{
	char whole[TABLE_PATTERN_BYTES + 16];
	regex_t regex;

	if (!is_of_subset(pattern))
		return TABLE_PATTERN_INVALID;
	snprintf(whole, sizeof(whole), "^(%s)(-.*)?$", pattern);
	if (regcomp(&regex, whole, REG_EXTENDED | REG_NOSUB))
		return TABLE_PATTERN_INVALID;
	bool found = regexec(&regex, id, 0, NULL, 0) == 0;
	regfree(&regex);
	return found ? TABLE_PATTERN_YES : TABLE_PATTERN_NO;
}
