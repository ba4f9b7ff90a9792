// SPDX-License-Identifier: MIT
#ifndef PMCTOP_KEY_BAR_H
#define PMCTOP_KEY_BAR_H

#include "tui/term/canvas.h"
#include "tui/term/keymap.h"
#include "tui/widget/segments.h"

#include <stddef.h>

/* The last line of a screen: keys and their actions. A click on one does the action. */
struct key_bar {
	unsigned y;
	size_t n;
	struct {
		unsigned x, width;
		unsigned label_x; /* behind the key */
		enum action action;
	} items[SEGMENTS_MAX];
};

struct key_bar_key {
	enum action action;
	const char *label; /* NULL: key_table.c's */
};

/* Draws n keys, at most SEGMENTS_MAX. A narrow line keeps the first ones and quit. */
void key_bar_draw(struct key_bar *bar, const struct keymap *keymap, const struct key_bar_key *keys,
		  size_t n, struct canvas *canvas, struct rect rect);
/* Draws the keys of a picker. They are not actions, so a click on them does nothing. */
void key_bar_draw_picker(struct key_bar *bar, struct canvas *canvas, struct rect rect);
/* Forgets the last drawing. */
void key_bar_clear(struct key_bar *bar);

/* The action drawn at a place; ACTION_NONE if there is none. */
enum action key_bar_action(const struct key_bar *bar, unsigned x, unsigned y);
/* Column of x in the label of the action, negative left of the label. The action is in the bar. */
int key_bar_label_column(const struct key_bar *bar, enum action action, unsigned x);

#endif
