// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TERM_H
#define PMCTOP_TERM_H

#include "core/base/error.h"
#include "tui/term/canvas.h"
#include "tui/term/theme.h"

#include <stdbool.h>

/*
 * The terminal. It copies a canvas to it, as little as has changed, and gives it back as it was:
 * at the end, while stopped, and when the program dies (term_restore.h). One at a time, as ncurses
 * wants it.
 */
struct term;

struct term_config {
	const struct theme *theme; /* borrowed while opening */
	const char *type;          /* $TERM; NULL or "" as if it were unknown */
	bool color;                /* false: attributes only */
	bool direct_color;         /* COLORTERM promises 24 bits */
	bool mouse;                /* to be told of clicks, where it has a mouse */
};

/*
 * To be called first, while there is one thread: where this machine describes no terminal at all,
 * ncurses is led to a description that is built in, by the environment.
 */
void term_prepare(const char *type);

/*
 * Draws on standard output and reads keys from standard input or, where that is no terminal, from
 * /dev/tty. An unknown type is taken for xterm-256color, then vt100. -ENOTTY or -ENOENT and a
 * sentence where there is nothing to draw on.
 */
int term_open(const struct term_config *config, struct term **term, struct error *err);
void term_close(struct term *term); /* NULL is fine */

/* The descriptor that keys come from, to poll. */
int term_input_fd(const struct term *term);
/* Whether the terminal takes output now; a frozen one does not. */
bool term_writable(const struct term *term);

/*
 * Asks for the size anew, as after SIGWINCH: that of the window, else LINES and COLUMNS of the
 * environment, else terminfo's. At least 1x1, at most TERM_SIDE_MAX each way: an ssh client chooses
 * the size, and a cell takes some 100 bytes. What is beyond stays empty.
 */
enum { TERM_SIDE_MAX = 1000 };
void term_measure(struct term *term, unsigned *width, unsigned *height);

/* Other colours from the next drawing on. The theme is borrowed for the call. */
void term_set_theme(struct term *term, const struct theme *theme);

/* Copies the cells that differ from the last drawing. */
void term_draw(struct term *term, const struct canvas *canvas);
/* Forgets what is on the screen: the next drawing sends everything. */
void term_forget(struct term *term);

/* Gives the terminal back for a while, and takes it again. */
void term_suspend(struct term *term);
void term_resume(struct term *term);

#endif
