// SPDX-License-Identifier: MIT
/*
 * A recursive descent: a list has groups and names, a group has names. The modifiers behind a group
 * are appended to each of its names.
 */
#include "core/event/event_names.h"

#include "core/base/util.h"
#include "core/event/event_resolver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct splitter {
	const char *text;
	size_t at;
	struct event_names *list;
	struct error *err;
};

static int fail_at(const struct splitter *s, size_t at, const char *what)
{
	return error_set(s->err, -EINVAL, "Events, position %zu: %s, at '%s'.", at + 1, what,
			 event_quote(s->text + at, 20).text);
}

/* mem:0x10/4 and uprobe:/bin/sh:0x10 have slashes without terms. */
static bool has_plain_slashes(const char *name)
{
	static const char *const prefixes[] = {"mem:", "uprobe:", "uretprobe:"};

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

static void skip_blanks(struct splitter *s)
{
	s->at += strspn(s->text + s->at, " ");
}

/* Moves s->at behind a name, to a comma, a brace or the end. */
static int skip_name(struct splitter *s)
{
	const char *text = s->text;
	size_t start = s->at, opened = 0;
	bool plain = has_plain_slashes(text + start), in_terms = false;

	for (; text[s->at]; s->at++) {
		if (text[s->at] == '/' && !plain) {
			in_terms = !in_terms;
			opened = s->at;
		} else if (!in_terms && strchr(",{}", text[s->at])) {
			break;
		}
	}
	if (in_terms)
		return fail_at(s, opened, "these terms have no '/' at their end");
	if (s->at == start)
		return fail_at(s, start, "expected the name of an event");
	if (s->at - start > EVENT_NAME_MAX_BYTES)
		return fail_at(s, start, "this name is too long");
	return 0;
}

static int split_name(struct splitter *s, unsigned group)
{
	struct event_names *list = s->list;

	skip_blanks(s);
	size_t start = s->at, end;
	int result = skip_name(s);
	if (result < 0)
		return result;
	for (end = s->at; s->text[end - 1] == ' '; end--)
		;
	if (list->n >= EVENT_NAMES_MAX)
		return error_set(s->err, -E2BIG,
				 "Events, position %zu: more than %d cannot be counted at once.",
				 start + 1, EVENT_NAMES_MAX);
	list->items =
		array_reserve(list->items, &list->capacity, list->n + 1, sizeof(*list->items));
	list->items[list->n++] =
		(struct event_name){.name = xstrndup(s->text + start, end - start), .group = group};
	return 0;
}

static void append_modifiers(struct event_name *item, const char *modifiers, size_t length)
{
	size_t n = strlen(item->name);
	char *name = xmalloc(n + length + 1);

	memcpy(name, item->name, n);
	memcpy(name + n, modifiers, length);
	name[n + length] = '\0';
	free(item->name);
	item->name = name;
}

/* Parses {a,b}:u; s->at is at the brace. */
static int split_group(struct splitter *s)
{
	size_t brace = s->at, first = s->list->n;
	int result;

	do {
		s->at++; /* the brace or a comma */
		skip_blanks(s);
		if (s->text[s->at] == '{')
			return fail_at(s, s->at, "groups cannot hold groups");
		result = split_name(s, s->list->n_groups + 1);
		if (result < 0)
			return result;
		if (s->text[s->at] == '{')
			return fail_at(s, s->at, "expected a comma before the group");
	} while (s->text[s->at] == ',');
	if (s->text[s->at] != '}')
		return fail_at(s, brace, "this brace is not closed");
	s->list->n_groups++;
	s->at++;

	size_t length = strcspn(s->text + s->at, " ,{}");
	if (length > 0 && (s->text[s->at] != ':' || length > 32))
		return fail_at(s, s->at, "expected ':' and modifiers, or a comma, behind a group");
	for (size_t i = first; i < s->list->n; i++)
		append_modifiers(&s->list->items[i], s->text + s->at, length);
	s->at += length;
	skip_blanks(s);
	return 0;
}

static int split_list(struct splitter *s)
{
	for (;;) {
		skip_blanks(s);
		int result = s->text[s->at] == '{' ? split_group(s) : split_name(s, 0);

		if (result < 0)
			return result;
		if (s->text[s->at] == '\0')
			return 0;
		if (s->text[s->at] != ',')
			return fail_at(s, s->at, "expected a comma");
		s->at++;
	}
}

int event_names_parse(const char *text, struct event_names *list, struct error *err)
{
	struct splitter s = {.text = text, .list = list, .err = err};
	size_t n = list->n;
	unsigned n_groups = list->n_groups;

	if (strnlen(text, EVENT_NAMES_MAX_BYTES + 1) > EVENT_NAMES_MAX_BYTES)
		return error_set(err, -E2BIG, "The list of events is longer than %d bytes.",
				 EVENT_NAMES_MAX_BYTES);
	int result = split_list(&s);
	if (result == 0)
		return 0;
	while (list->n > n)
		free(list->items[--list->n].name);
	list->n_groups = n_groups;
	return result;
}

void event_names_fini(struct event_names *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->items[i].name);
	free(list->items);
	*list = (struct event_names){0};
}
