// SPDX-License-Identifier: MIT
/*
 * A backtracking matcher that reads the pattern itself. What follows a piece of the pattern is a
 * list of the groups that it stands in, on the stack, so recursion is as deep as a match is long.
 * Steps and depth are bounded.
 */
#include "core/tables/table_pattern.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum {
	PATTERN_MAX = 255,
	GROUPS_MAX = 16,
	DEPTH_MAX = 256, /* several times the length of an id */
};

struct match {
	const char *end; /* of the text */
	unsigned steps_left, depth;
	bool too_long;
};

/* What follows the end of a group: the pattern behind it, and what follows that. */
struct follow {
	const char *at, *end; /* the rest of an alternative */
	const struct follow *next;
};

static bool match_rest(struct match *match, const char *at, const char *end, const char *text,
		       const struct follow *follow);

/* The end of a [set], behind its bracket; NULL: there is none. */
static const char *set_end(const char *set, const char *end)
{
	const char *at = set + 1;

	at += at < end && *at == '^';
	at += at < end && *at == ']';
	for (; at < end && *at != ']'; at++)
		if (at + 1 < end && at[0] == '[' && at[1] == ':') {
			at += 2;
			while (at + 1 < end && (at[0] != ':' || at[1] != ']'))
				at++;
			at++;
		}
	return at < end ? at + 1 : NULL;
}

/* The end of a (group), behind its parenthesis; NULL: there is none. */
static const char *group_end(const char *group, const char *end)
{
	unsigned depth = 0;

	for (const char *at = group; at && at < end; at++) {
		if (*at == '\\')
			at++;
		else if (*at == '[')
			at = set_end(at, end) ? set_end(at, end) - 1 : end;
		else if (*at == '(')
			depth++;
		else if (*at == ')' && --depth == 0)
			return at + 1;
	}
	return NULL;
}

/* The end of the piece that begins at `at`, without its * + ?; NULL: it has none. */
static const char *piece_end(const char *at, const char *end)
{
	if (*at == '[')
		return set_end(at, end);
	if (*at == '(')
		return group_end(at, end);
	if (*at == '\\')
		return at + 1 < end ? at + 2 : NULL;
	return at + 1;
}

static bool is_of_class(const char *name, size_t length, char c)
{
	static const struct {
		const char *name, *characters;
	} classes[] = {
		{"xdigit", "0123456789abcdefABCDEF"},
		{"digit", "0123456789"},
		{"upper", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"},
		{"lower", "abcdefghijklmnopqrstuvwxyz"},
		{"alpha", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"},
		{"alnum", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"},
	};

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (strlen(classes[i].name) == length &&
		    strncmp(classes[i].name, name, length) == 0)
			return strchr(classes[i].characters, c) != NULL;
	return false;
}

static bool matches_set(const char *set, const char *end, char c)
{
	const char *at = set + 1, *last = end - 1;
	bool inverted = *at == '^', found = false;

	at += inverted;
	for (bool first = true; at < last; first = false) {
		const char *close =
			at + 1 < last && at[0] == '[' && at[1] == ':' ? strstr(at, ":]") : NULL;

		if (close && close < last) {
			found |= is_of_class(at + 2, (size_t)(close - at - 2), c);
			at = close + 2;
		} else if (at + 2 < last && at[1] == '-' && !(first && *at == ']')) {
			found |= c >= at[0] && c <= at[2];
			at += 3;
		} else {
			found |= *at == c;
			at++;
		}
	}
	return found != inverted;
}

static bool matches_character(const char *at, const char *end, char c)
{
	if (*at == '[')
		return matches_set(at, end, c);
	if (*at == '\\')
		return at[1] == c;
	return *at == '.' || *at == c;
}

/* Matches the alternatives of a group, and then what follows it. */
static bool match_group(struct match *match, const char *at, const char *end, const char *text,
			const struct follow *follow)
{
	while (at <= end) {
		const char *stop = at;

		while (stop < end && *stop != '|')
			stop = piece_end(stop, end);
		if (match_rest(match, at, stop, text, follow))
			return true;
		at = stop + 1;
	}
	return false;
}

/* One occurrence of the piece, and then what follows it. */
static bool match_once(struct match *match, const char *piece, const char *end, const char *text,
		       const struct follow *follow)
{
	if (*piece == '(')
		return match_group(match, piece + 1, end - 1, text, follow);
	return text < match->end && matches_character(piece, end, *text) &&
	       match_rest(match, follow->at, follow->end, text + 1, follow->next);
}

/* The piece of a * is followed by the piece and its star again. */
static bool match_pieces(struct match *match, const char *at, const char *end, const char *text,
			 const struct follow *follow)
{
	const char *stop = piece_end(at, end);
	char count = stop < end && strchr("*+?", *stop) ? *stop : '\0';
	const struct follow behind = {stop + (count != '\0'), end, follow};

	if (count == '*' || count == '+') {
		const struct follow once = {stop + 1, end, follow};
		const struct follow again = {at, end, follow};

		if (match_once(match, at, stop, text, count == '+' ? &once : &again))
			return true;
		if (count == '+')
			return match_once(match, at, stop, text, &again);
	} else if (match_once(match, at, stop, text, &behind)) {
		return true;
	}
	return (count == '*' || count == '?') &&
	       match_rest(match, behind.at, behind.end, text, follow);
}

/* Matches the pattern from `at` to `end`, and then what follows. */
static bool match_rest(struct match *match, const char *at, const char *end, const char *text,
		       const struct follow *follow)
{
	bool found;

	if (match->steps_left == 0 || match->depth >= DEPTH_MAX)
		match->too_long = true;
	if (match->too_long)
		return false;
	match->steps_left--;
	match->depth++;
	if (at < end)
		found = match_pieces(match, at, end, text, follow);
	else if (follow)
		found = match_rest(match, follow->at, follow->end, text, follow->next);
	else
		found = text == match->end;
	match->depth--;
	return found;
}

/* Whether it is of the subset, and its groups are few. */
static bool is_valid(const char *at, const char *end, unsigned *groups)
{
	bool repeatable = false;

	while (at < end) {
		if (strchr("*+?", *at)) {
			if (!repeatable)
				return false;
			repeatable = false;
			at++;
			continue;
		}
		if (strchr("){}^$", *at))
			return false;
		const char *stop = piece_end(at, end);
		if (!stop)
			return false;
		if (*at == '(' && (++*groups > GROUPS_MAX || !is_valid(at + 1, stop - 1, groups)))
			return false;
		repeatable = *at != '|';
		at = stop;
	}
	return true;
}

/* Whether it matches all of the id, or its first parts. */
static bool match_parts(struct match *match, const char *pattern, const char *end, const char *id)
{
	size_t left = strlen(id);

	while (left > 0) {
		match->end = id + left;
		if (match_group(match, pattern, end, id, NULL))
			return true;
		const char *dash = memrchr(id, '-', left);
		left = dash ? (size_t)(dash - id) : 0;
	}
	return false;
}

enum table_pattern_answer table_pattern_match(const char *pattern, const char *id,
					      unsigned *steps_left)
{
	size_t length = strnlen(pattern, PATTERN_MAX + 1);
	const char *end = pattern + length;
	unsigned most =
		*steps_left < TABLE_PATTERN_STEPS_MAX ? *steps_left : TABLE_PATTERN_STEPS_MAX;
	struct match match = {.end = id, .steps_left = most};
	unsigned groups = 0;

	if (length > PATTERN_MAX || length == 0 || !is_valid(pattern, end, &groups))
		return TABLE_PATTERN_INVALID;
	bool found = match_parts(&match, pattern, end, id);
	*steps_left -= most - match.steps_left;
	return found            ? TABLE_PATTERN_YES
	       : match.too_long ? TABLE_PATTERN_TOO_LONG
				: TABLE_PATTERN_NO;
}
