// SPDX-License-Identifier: MIT
/*
 * Makes the names that `promtool check metrics` accepts: base units, no capital letters, and no
 * colons, which are for recording rules.
 */
#include "core/output/metrics_export_name.h"

#include "core/base/text.h"
#include "core/base/util.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_MAX = 200 };

/* The metric of all events without a word of their own. No event may have this word. */
#define SHARED_WORD "event"

/* The units of the kernel and libpfm4, and the base units of Prometheus. */
static const struct {
	const char *unit, *base;
	double factor;
} units[] = {
	{"ns", "seconds", 1e-9},   {"Joules", "joules", 1},   {"KiB", "bytes", 1024},
	{"MiB", "bytes", 1 << 20}, {"GiB", "bytes", 1 << 30}, {"bytes", "bytes", 1},
};

/* "cpu/event=0x3c/" is cpu_event_0x3c */
static size_t make_word(const char *from, char word[WORD_MAX + 1])
{
	size_t n = 0;
	bool gap = false;

	for (; *from; from++) {
		bool fits = isascii((unsigned char)*from) && isalnum((unsigned char)*from);

		if (!fits) {
			gap = n > 0;
			continue;
		}
		if (n + 2 > WORD_MAX)
			return 0;
		if (gap)
			word[n++] = '_';
		word[n++] = (char)tolower((unsigned char)*from);
		gap = false;
	}
	word[n] = '\0';
	return n;
}

static bool is_taken(const struct metrics_export_names *names, const char *word)
{
	for (size_t i = 0; i < names->n; i++)
		if (names->items[i].word && strcmp(names->items[i].word, word) == 0)
			return true;
	return strcmp(word, SHARED_WORD) == 0;
}

/* Returns the word, with the unit at its end. NULL: it is empty or taken. The caller frees it. */
static char *choose_word(const struct metrics_export_names *names, const char *label,
			 const char *unit)
{
	char word[WORD_MAX + 1], whole[WORD_MAX + 32];
	size_t n = make_word(label, word), n_unit = strlen(unit);

	if (n == 0)
		return NULL;
	bool has_unit =
		n > n_unit && strcmp(word + n - n_unit, unit) == 0 && word[n - n_unit - 1] == '_';
	snprintf(whole, sizeof(whole), "%s%s%s", word, *unit && !has_unit ? "_" : "",
		 *unit && !has_unit ? unit : "");
	return is_taken(names, whole) ? NULL : xstrdup(whole);
}

size_t metrics_export_names_add(struct metrics_export_names *names, const struct event *event)
{
	struct metrics_export_name name = {.unit = "", .scale = event->scale};

	for (size_t i = 0; i < names->n; i++)
		if (strcmp(names->items[i].event, event->name) == 0)
			return i;
	if (names->n == METRICS_EXPORT_NAMES_MAX)
		return SIZE_MAX;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (strcmp(event->unit, units[i].unit) == 0) {
			name.unit = units[i].base;
			name.scale = event->scale * units[i].factor;
		}
	name.event = xstrdup(event->name);
	name.label = xstrdup(event_label(event));
	name.word = choose_word(names, name.label, name.unit);
	names->items = array_reserve(names->items, &names->capacity, names->n + 1, sizeof(name));
	names->items[names->n] = name;
	return names->n++;
}

void metrics_export_names_fini(struct metrics_export_names *names)
{
	for (size_t i = 0; i < names->n; i++) {
		free(names->items[i].event);
		free(names->items[i].label);
		free(names->items[i].word);
	}
	free(names->items);
	*names = (struct metrics_export_names){0};
}

void metrics_export_put_seconds(FILE *out, uint64_t ns)
{
	fprintf(out, "%llu.%09llu", ns / NS_PER_S, ns % NS_PER_S);
}

void metrics_export_put_count(FILE *out, const struct metrics_export_name *name, uint64_t count)
{
	char text[400];

	if (name->scale == 1) {
		fprintf(out, "%" PRIu64, count);
	} else if (name->scale == 1e-9) { /* a double would lose the last digits */
		metrics_export_put_seconds(out, count);
	} else {
		text_trimmed(text, sizeof(text), (double)count * name->scale, 9);
		fputs(text, out);
	}
}

/*
 * Returns the escaped text, which the caller frees. `quote` replaces '"' and has at most two bytes.
 */
static char *escape(const char *text, const char *quote)
{
	size_t size = 3 * strlen(text) + 1, n = 0;
	char *printable = xmalloc(size), *escaped = xmalloc(2 * size);

	text_printable(printable, size, text, UINT_MAX);
	for (const char *at = printable; *at; at++) {
		const char as_is[] = {*at, '\0'};
		const char *piece = *at == '"' ? quote : *at == '\\' ? "\\\\" : as_is;

		n += text_copy(escaped + n, 2 * size - n, piece);
	}
	escaped[n] = '\0';
	free(printable);
	return escaped;
}

static void put_escaped(FILE *out, const char *text, const char *quote)
{
	char *escaped = escape(text, quote);

	fputs(escaped, out);
	free(escaped);
}

bool metrics_export_is_plain(const char *text)
{
	while (*text >= ' ' && *text < 0x7f && *text != '"' && *text != '\\')
		text++;
	return !*text;
}

char *metrics_export_label(const char *text)
{
	return metrics_export_is_plain(text) ? xstrdup(text) : escape(text, "\\\"");
}

void metrics_export_put_label(FILE *out, const char *text)
{
	put_escaped(out, text, "\\\"");
}

void metrics_export_put_help(FILE *out, const char *text)
{
	put_escaped(out, text, "'");
}
