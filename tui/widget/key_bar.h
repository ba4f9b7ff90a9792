// SPDX-License-Identifier: MIT
#ifndef PMCTOP_KEY_BAR_H
#define PMCTOP_KEY_BAR_H

#include "tui/term/canvas.h"
#include "tui/term/keymap.h"
#include "tui/widget/segments.h"

#include <stddef.h>

/* The last line: which keys do what here. A click on one of them does it too. */
struct key_bar {
	unsigned y;
	size_t n;
	struct {
		unsigned x, width;
		enum action action;
	} items[SEGMENTS_MAX];
};

/*
 * Of these actions, up to ACTION_NONE: those that come first stay longest where there is no room.
 */
void key_bar_draw(struct key_bar *bar, const struct keymap *keymap, const enum action *actions,
		  struct canvas *canvas, struct rect rect);
/* The keys of a picker, which are no actions: nothing is there to be clicked on. */
void key_bar_draw_picker(struct key_bar *bar, struct canvas *canvas, struct rect rect);
/* Nothing was drawn. */
void key_bar_clear(struct key_bar *bar);

/* What was drawn at that place; ACTION_NONE: nothing. */
enum action key_bar_action(const struct key_bar *bar, unsigned x, unsigned y);

#endif
