// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PAGE_H
#define PMCTOP_PAGE_H

#include "tui/term/canvas.h"
#include "tui/term/keymap.h"

#include <stdbool.h>
#include <stddef.h>

/* The shown part of a text that can be longer than the screen. */
struct page {
	unsigned top;   /* first line shown */
	unsigned lines; /* lines of the text and of the screen, of the last drawing */
	unsigned height;
};

/* Moves. Returns false if the action is not a movement. */
bool page_act(struct page *page, enum action action);
/* Sets the number of lines and the height, and keeps `top` within the text. */
void page_settle(struct page *page, unsigned lines, unsigned height);

/* Moves the selected one of n lines up or down by at most `lines`; it stays within 0 to n - 1. */
void page_move_selection(size_t *selected, size_t n, size_t lines, bool down);

/* Writes lines into a rect. Lines above and below the rect are counted and not drawn. */
struct pen {
	struct canvas *canvas; /* a canvas without size only counts lines */
	struct rect rect;
	unsigned skip; /* lines scrolled off at the top */
	unsigned line; /* lines written so far */
};

/* Writes on the current line. */
void pen_put(struct pen *pen, unsigned x, enum style style, const char *text);
/* Writes a line with a blank line before it, except at the top. */
void pen_heading(struct pen *pen, const char *text);
/* Writes a text from column x on, broken at blanks, and ends its line. */
void pen_wrap(struct pen *pen, unsigned x, enum style style, const char *text);

/* Draws a border within the edges of a box of at least 2x2, with a title; "": none. */
void page_draw_border(struct canvas *canvas, struct rect box, enum style style, const char *title);

#endif
