// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_SMALL_TERMINAL_H
#define PMCTOP_TESTS_SMALL_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A terminal in memory: it shows what a program sends. It has what ncurses and pmctop send to
 * xterm, screen, linux, ansi and vt100. Anything else fails the test.
 */
struct small_terminal_cell {
	char text[32];              /* "" in the right half of a wide character */
	unsigned attributes;        /* enum paint_attribute */
	int foreground, background; /* -1: its own; SMALL_TERMINAL_DIRECT + 0xrrggbb */
};

enum { SMALL_TERMINAL_DIRECT = 1 << 24, SMALL_TERMINAL_BROKEN = '~' };

struct small_terminal {
	unsigned width, height;
	bool wraps_at_once;    /* no xenl */
	bool fills_background; /* bce */
	bool returns;          /* "\n" is "\r\n", as on the way through another terminal */
	struct small_terminal_cell *cells; /* owned */
	struct small_terminal_cell now;    /* attributes and colours of the next character */
	unsigned scroll_end;               /* the line after the lines that scroll */
	unsigned x, y;                     /* x == width: the next character wraps */
	unsigned last_x, last_y;           /* of the last character, which gets a combining mark */
	bool cursor_hidden;
	unsigned scrolled; /* lines that left at the top */
	char title[256];
	char saved_title[256]; /* on the stack, which has one place */
	unsigned saved_titles;
	unsigned queries; /* of the status; it does not answer */
};

/* Changes the size. All cells become blank. {0} has no cells. */
void small_terminal_resize(struct small_terminal *terminal, unsigned width, unsigned height);
void small_terminal_fini(struct small_terminal *terminal);
/*
 * Half of a wide character that is overwritten leaves SMALL_TERMINAL_BROKEN in the other half,
 * because terminals differ.
 */
void small_terminal_write(struct small_terminal *terminal, const char *bytes, size_t n);
const struct small_terminal_cell *small_terminal_at(const struct small_terminal *terminal,
						    unsigned x, unsigned y);

#endif
