// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PAGE_H
#define PMCTOP_PAGE_H

#include "tui/term/canvas.h"
#include "tui/term/keymap.h"

#include <stdbool.h>
#include <stddef.h>

/* A text that may be longer than the screen: which part of it is shown. */
struct page {
	unsigned top;   /* first line shown */
	unsigned lines; /* of the last drawing: that there are, and that were shown */
	unsigned height;
};

/* Whether the action was one of moving. */
bool page_act(struct page *page, enum action action);
/* There are so many lines, and room for `height`. */
void page_settle(struct page *page, unsigned lines, unsigned height);

/* Moves the selected one of n lines up or down by at most `lines`; it stays within 0 to n - 1. */
void page_move_selection(size_t *selected, size_t n, size_t lines, bool down);

/* Writes lines into a rect, some of them above or below what is shown. */
struct pen {
	struct canvas *canvas; /* one of no size only counts them */
	struct rect rect;
	unsigned skip; /* lines scrolled off at the top */
	unsigned line; /* lines written so far */
};

/* On the current line, which stays the current one. */
void pen_put(struct pen *pen, unsigned x, enum style style, const char *text);
/* A line of its own, one blank line behind what came before it. */
void pen_heading(struct pen *pen, const char *text);
/* A text broken at blanks into lines from column x on. */
void pen_wrap(struct pen *pen, unsigned x, enum style style, const char *text);

#endif
