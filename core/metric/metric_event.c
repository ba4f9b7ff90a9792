// SPDX-License-Identifier: MIT
/*
 * A column header has room for ten characters, event names have up to forty. The title keeps what
 * identifies the event: the terms of pmu/terms/, the text after the colon of a long EVENT:UMASK or
 * subsystem:tracepoint, and short forms of the words in perf's names. If it still does not fit, a
 * "~" replaces characters.
 */
#include "core/metric/metric_event.h"

#include "core/base/text.h"
#include "core/base/util.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MAX_BYTES = 255, WIDTH = 7 };

static bool is_letter_or_digit(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Replaces a whole word once, but not a part of a word ("branch" in "branches"). */
static void shorten_word(char *name, const char *word, const char *by)
{
	char *at = strstr(name, word);
	size_t length = strlen(word);

	if (!at || (at > name && is_letter_or_digit(at[-1])) || is_letter_or_digit(at[length]))
		return;
	memcpy(at, by, strlen(by));
	memmove(at + strlen(by), at + length, strlen(at + length) + 1);
}

static void shorten_words(char *name)
{
	static const struct {
		const char *word, *by; /* `by` is never longer than `word` */
	} words[] = {
		{"instructions", "insn"},
		{"L1-dcache", "L1d"},
		{"L1-icache", "L1i"},
		{"load-misses", "ldmis"},
		{"store-misses", "stmis"},
		{"prefetch-misses", "pfmis"},
		{"loads", "ld"},
		{"stores", "st"},
		{"prefetches", "pf"},
		{"branch", "br"},
		{"cache", "ca"},
		{"references", "refs"},
		{"stalled-cycles", "stall"},
		{"frontend", "fe"},
		{"backend", "be"},
		{"context-switches", "ctxsw"},
		{"page-faults", "faults"},
		{"major-faults", "majflt"},
		{"minor-faults", "minflt"},
		{"migrations", "migr"},
		{"topdown", "td"},
		{"retiring", "retir"},
		{"bad-spec", "badspec"},
		{"bound", "bnd"},
		{"switch", "sw"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		shorten_word(name, words[i].word, words[i].by);
}

/* ":u", ":ppp". The title keeps it: the same event may be a column without it. */
static bool is_modifier(const char *text)
{
	size_t length = strlen(text);

	return length > 0 && length <= 4 && strspn(text, "ukhpGHIPSDWe") == length;
}

/* Returns whether the text before the colon is part of the name, and not a qualifier. */
static bool is_probe(const char *event)
{
	static const char *const words[] = {
		"mem:", "kprobe:", "kretprobe:", "uprobe:", "uretprobe:"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strncmp(event, words[i], strlen(words[i])) == 0)
			return true;
	return false;
}

/* Names with the same beginning often differ at the end: "sys_~_read", "sys_~write". */
void metric_title_fit(const char *name, size_t room, char *title, size_t size)
{
	size_t width = text_width(name), head = room / 2 - 1, tail = room - head - 1;

	if (width <= room) {
		text_printable(title, size, name, (unsigned)room);
		return;
	}
	/* The beginning of terms identifies them. */
	if (width != strlen(name) || strpbrk(name, "=,")) {
		size_t length = text_printable(title, size - 1, name, (unsigned)room - 1);

		memcpy(title + length, "~", 2);
		return;
	}
	snprintf(title, size, "%.*s~%.*s", (int)head, name, (int)tail, name + width - tail);
}

static void make_title(const char *event, char *title, size_t size)
{
	char name[NAME_MAX_BYTES + 1], printable[3 * NAME_MAX_BYTES + 1];
	char modifier[8] = "", shown[4 * METRIC_TITLE_MAX + 1];
	const char *start = name;
	bool probe = is_probe(event);

	text_copy(name, sizeof(name), event);
	char *slash = strchr(name, '/'), *last_slash = strrchr(name, '/');
	if (!probe && slash < last_slash) { /* pmu/terms/modifiers */
		if (is_modifier(last_slash + 1))
			snprintf(modifier, sizeof(modifier), ":%s", last_slash + 1);
		*last_slash = '\0';
		start = slash + 1;
	} else if (!probe) {
		char *colon = strrchr(name, ':');

		if (colon && is_modifier(colon + 1)) {
			text_copy(modifier, sizeof(modifier), colon);
			*colon = '\0';
		}
	}
	size_t room = METRIC_TITLE_MAX - strlen(modifier);
	if (strlen(start) > room)
		shorten_words(name + (start - name));
	if (!probe && strlen(start) > room && strrchr(start, ':'))
		start = strrchr(start, ':') + 1;
	text_printable(printable, sizeof(printable), *start ? start : event, UINT16_MAX);
	metric_title_fit(printable, room, shown, sizeof(shown));
	snprintf(title, size, "%s%s", shown, modifier);
}

int metric_def_of_event(const char *event, struct metric_def *def, struct error *err)
{
	char title[64], expression[NAME_MAX_BYTES + 3];
	char help[320], printable[256];
	size_t length = strnlen(event, NAME_MAX_BYTES + 1);

	*def = (struct metric_def){0};
	text_printable(printable, sizeof(printable), event, 60);
	if (length == 0 || length > NAME_MAX_BYTES || strchr(event, '\''))
		return error_set(err, -EINVAL, "'%s' cannot be the name of an event.", printable);
	make_title(event, title, sizeof(title));
	snprintf(expression, sizeof(expression), "'%s'", event);
	snprintf(help, sizeof(help), "count of %s in the interval", printable);
	*def = (struct metric_def){
		.name = xstrdup(event),
		.title = xstrdup(title),
		.group = xstrdup("event"),
		.forms = {{.expression = xstrdup(expression)}},
		.unit = xstrdup(""),
		.help = xstrdup(help),
		.kind = METRIC_COUNT,
		.width = WIDTH,
	};
	return 0;
}

void metric_def_rename(struct metric_def *def, const char *name)
{
	char title[64];

	make_title(name, title, sizeof(title));
	xfree(def->name);
	xfree(def->title);
	def->name = xstrdup(name);
	def->title = xstrdup(title);
}

void metric_def_measure(struct metric_def *def, const char *unit, unsigned decimals)
{
	xfree(def->unit);
	def->unit = xstrdup(unit);
	def->decimals = decimals;
}
