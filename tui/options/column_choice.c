// SPDX-License-Identifier: MIT
/*
 * The choice is a list of column names. It is kept when the preset changes, with the names that the
 * present columns lack. Chosen columns are shown in the chosen order, at the places that they have
 * together in the natural order. All other columns keep their places.
 */
#include "tui/options/column_choice.h"

#include "core/base/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WISHES_MAX = 1024 };

static void append_wish(struct column_choice *choice, const char *name, size_t length, bool hidden)
{
	if (choice->n == WISHES_MAX)
		return;
	choice->items = array_reserve(choice->items, &choice->capacity, choice->n + 1,
				      sizeof(*choice->items));
	choice->items[choice->n++] =
		(struct column_wish){.name = xstrndup(name, length), .hidden = hidden};
}

void column_choice_fini(struct column_choice *choice)
{
	for (size_t i = 0; i < choice->n; i++)
		free(choice->items[i].name);
	free(choice->items);
	*choice = (struct column_choice){0};
}

/* The length of a name. Names of events may have commas between slashes, as in -e. */
static size_t name_length(const char *text)
{
	const char *slash = strchr(text, '/'), *comma = strchr(text, ',');
	const char *end = slash && comma && slash < comma ? strchr(slash + 1, '/') : NULL;

	comma = strchr(end ? end : text, ',');
	return comma ? (size_t)(comma - text) : strlen(text);
}

void column_choice_parse(struct column_choice *choice, const char *text)
{
	column_choice_fini(choice);
	for (text += strspn(text, ", "); *text; text += strspn(text, ", ")) {
		bool hidden = *text == '-';
		size_t length, end;

		text += hidden;
		length = end = name_length(text);
		while (end > 0 && text[end - 1] == ' ')
			end--;
		if (end > 0)
			append_wish(choice, text, end, hidden);
		text += length;
	}
}

char *column_choice_text(const struct column_choice *choice)
{
	char *text = NULL;
	size_t size;
	FILE *file = xopen_memstream(&text, &size);

	for (size_t i = 0; i < choice->n; i++)
		fprintf(file, "%s%s%s", i ? ", " : "", choice->items[i].hidden ? "-" : "",
			choice->items[i].name);
	fclose(file);
	return text;
}

static size_t list_natural(const struct columns *columns, struct column_place *places)
{
	size_t n = 0;

	for (size_t i = 0; i < columns->n_shown; i++)
		if (!columns->defs[i].machine)
			places[n++] = (struct column_place){.name = columns->defs[i].name,
							    .metric = (int)i};
	places[n++] = (struct column_place){.name = "verdict", .metric = -1};
	places[n++] = (struct column_place){.name = "hottest", .metric = -1, .hidden = true};
	return n;
}

static bool is_wished(const struct column_choice *choice, const char *name)
{
	for (size_t i = 0; i < choice->n; i++)
		if (strcmp(choice->items[i].name, name) == 0)
			return true;
	return false;
}

bool column_choice_has(const struct column_choice *choice, const char *name)
{
	for (size_t i = 0; i < choice->n; i++)
		if (strcmp(choice->items[i].name, name) == 0)
			return !choice->items[i].hidden;
	return false;
}

static const struct column_place *find_place(const struct column_place *places, size_t n,
					     const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(places[i].name, name) == 0)
			return &places[i];
	return NULL;
}

size_t column_choice_places(const struct column_choice *choice, const struct columns *columns,
			    struct column_place *places)
{
	size_t n = list_natural(columns, places), next = 0;
	struct column_place *natural = xcalloc(n, sizeof(*natural));

	memcpy(natural, places, n * sizeof(*natural));
	for (size_t i = 0; i < n; i++) {
		const struct column_place *wished = NULL;
		bool hidden = false;

		if (!is_wished(choice, natural[i].name))
			continue;
		while (!wished && next < choice->n) {
			hidden = choice->items[next].hidden;
			wished = find_place(natural, n, choice->items[next++].name);
		}
		if (wished) {
			places[i] = *wished;
			places[i].hidden = hidden;
		}
	}
	free(natural);
	return n;
}

const char **column_choice_shown(const struct column_choice *choice, const struct columns *columns)
{
	struct column_place *places;
	const char **shown;
	size_t n, at = 0;

	if (choice->n == 0)
		return NULL;
	places = xcalloc(columns->n_shown + COLUMN_CHOICE_EXTRA, sizeof(*places));
	n = column_choice_places(choice, columns, places);
	shown = xcalloc(n + 1, sizeof(*shown));
	for (size_t i = 0; i < n; i++)
		if (!places[i].hidden)
			shown[at++] = places[i].name;
	free(places);
	return shown;
}

/* Replaces the wishes by the present columns in this order, then the wishes for other columns. */
static void set_places(struct column_choice *choice, const struct column_place *places, size_t n)
{
	struct column_choice before = *choice;

	*choice = (struct column_choice){0};
	for (size_t i = 0; i < n; i++)
		append_wish(choice, places[i].name, strlen(places[i].name), places[i].hidden);
	for (size_t i = 0; i < before.n; i++)
		if (!find_place(places, n, before.items[i].name))
			append_wish(choice, before.items[i].name, strlen(before.items[i].name),
				    before.items[i].hidden);
	column_choice_fini(&before);
}

/* Empties a choice that equals the natural order with nothing hidden. */
static void drop_if_natural(struct column_choice *choice, const struct columns *columns)
{
	struct column_place *natural =
		xcalloc(columns->n_shown + COLUMN_CHOICE_EXTRA, sizeof(*natural));
	size_t n = list_natural(columns, natural);
	bool same = choice->n == n;

	for (size_t i = 0; i < n && same; i++)
		same = choice->items[i].hidden == natural[i].hidden &&
		       strcmp(choice->items[i].name, natural[i].name) == 0;
	free(natural);
	if (same)
		column_choice_fini(choice);
}

bool column_choice_show(struct column_choice *choice, const char *name)
{
	for (size_t i = 0; i < choice->n; i++)
		if (choice->items[i].hidden && strcmp(choice->items[i].name, name) == 0) {
			choice->items[i].hidden = false;
			return true;
		}
	return false;
}

bool column_choice_toggle(struct column_choice *choice, const struct columns *columns, size_t at)
{
	struct column_place *places =
		xcalloc(columns->n_shown + COLUMN_CHOICE_EXTRA, sizeof(*places));
	size_t n = column_choice_places(choice, columns, places), figures = 0;

	places[at].hidden = !places[at].hidden;
	for (size_t i = 0; i < n; i++)
		figures += places[i].metric >= 0 && !places[i].hidden;
	if (figures > 0) {
		set_places(choice, places, n);
		drop_if_natural(choice, columns);
	}
	free(places);
	return figures > 0;
}

size_t column_choice_move(struct column_choice *choice, const struct columns *columns, size_t at,
			  bool down)
{
	struct column_place *places =
		xcalloc(columns->n_shown + COLUMN_CHOICE_EXTRA, sizeof(*places));
	size_t n = column_choice_places(choice, columns, places);
	size_t to = down ? at + 1 : at - 1;

	if (to < n) {
		struct column_place moved = places[at];

		places[at] = places[to];
		places[to] = moved;
		set_places(choice, places, n);
		drop_if_natural(choice, columns);
	} else {
		to = at;
	}
	free(places);
	return to;
}
