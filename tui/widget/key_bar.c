// SPDX-License-Identifier: MIT
/*
 * The key bar is a line of segments. It remembers where each was drawn, so that a click finds its
 * action. Separate from app_draw.c, which chooses the keys.
 */
#include "tui/widget/key_bar.h"

#include "core/base/text.h"
#include "core/base/util.h"

#include <string.h>

enum {
	WEIGHT = 50,      /* of the first action; each later one is lighter */
	WEIGHT_QUIT = 99, /* quit stays on a narrow line */
};

static void add_key(struct segments *segments, unsigned weight, const char *keys, const char *text)
{
	struct segment *segment = segments_add(segments, weight);

	text_copy(segment->label, sizeof(segment->label), keys);
	text_copy(segment->text, sizeof(segment->text), text);
	segment->label_style = STYLE_KEY;
	segment->text_style = STYLE_KEY_LABEL;
}

void key_bar_draw(struct key_bar *bar, const struct keymap *keymap, const struct key_bar_key *keys,
		  size_t n, struct canvas *canvas, struct rect rect)
{
	struct segments segments = {0};

	*bar = (struct key_bar){.y = rect.y};
	for (size_t i = 0; i < n; i++) {
		enum action action = keys[i].action;
		unsigned weight = WEIGHT - (unsigned)i;
		char name[24];

		keymap_first_key(keymap, action, name, sizeof(name));
		if (!name[0])
			continue;
		bar->items[segments.n].action = action;
		add_key(&segments, action == ACTION_QUIT ? WEIGHT_QUIT : weight, name,
			keys[i].label ? keys[i].label : key_row(action)->bar);
	}
	segments_draw(&segments, canvas, rect);
	bar->n = rect.height > 0 ? segments.n : 0;
	for (size_t i = 0; i < bar->n; i++) {
		bar->items[i].x = segments.items[i].x;
		bar->items[i].width = segments.items[i].width;
		bar->items[i].label_x =
			segments.items[i].x + text_width(segments.items[i].label) + 1;
	}
}

void key_bar_draw_picker(struct key_bar *bar, struct canvas *canvas, struct rect rect)
{
	static const char *const keys[][2] = {
		{"Enter", "Choose"},
		{"Esc", "Back"},
		{"Up Down PgUp PgDn", "Move"},
		{"a-z", "Find"},
	};
	struct segments segments = {0};

	key_bar_clear(bar);
	for (unsigned i = 0; i < ARRAY_SIZE(keys); i++)
		add_key(&segments, WEIGHT - i, keys[i][0], keys[i][1]);
	segments_draw(&segments, canvas, rect);
}

void key_bar_clear(struct key_bar *bar)
{
	*bar = (struct key_bar){0};
}

enum action key_bar_action(const struct key_bar *bar, unsigned x, unsigned y)
{
	for (size_t i = 0; i < bar->n; i++)
		if (y == bar->y && x >= bar->items[i].x &&
		    x - bar->items[i].x < bar->items[i].width)
			return bar->items[i].action;
	return ACTION_NONE;
}

int key_bar_label_column(const struct key_bar *bar, enum action action, unsigned x)
{
	size_t i = 0;

	while (bar->items[i].action != action)
		i++;
	return (int)x - (int)bar->items[i].label_x;
}
