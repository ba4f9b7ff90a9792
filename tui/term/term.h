// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TERM_H
#define PMCTOP_TERM_H

#include "core/base/error.h"
#include "tui/term/canvas.h"
#include "tui/term/theme.h"

#include <stdbool.h>

/*
 * The terminal. It copies the changed cells of a canvas to the terminal and restores the terminal
 * at the end, while stopped, and after a crash (term_restore.h). One at a time, as in ncurses.
 */
struct term;

struct term_config {
	const struct theme *theme; /* borrowed while opening */
	const char *type;          /* $TERM; NULL and "" are unknown types */
	bool color;                /* false: attributes only */
	bool direct_color;         /* COLORTERM promises 24 bits */
	bool mouse;                /* report clicks, if the terminal has a mouse */
};

/*
 * Call it first, in a process with one thread: if terminfo lacks this type, it sets $TERMINFO to a
 * built-in description.
 */
void term_prepare(const char *type);

/*
 * Draws on standard output and reads keys from standard input or, if that is no terminal, from
 * /dev/tty. xterm-256color, then vt100, replace an unknown type. Returns 0, or -ENOTTY or -ENOENT
 * with a sentence.
 */
int term_open(const struct term_config *config, struct term **term, struct error *err);
void term_close(struct term *term); /* NULL is fine */

/* The descriptor to poll for keys. */
int term_input_fd(const struct term *term);
/* The colours that the terminal has. */
enum color_depth term_depth(const struct term *term);
/* Whether the terminal takes output now; false if it is stopped (^S). */
bool term_writable(const struct term *term);
/*
 * The time until a drawing may be sent although earlier ones are still on their way to the
 * terminal, in ms (flow.h). 0: now. term_set_shown() can end it earlier.
 */
int term_wait_ms(const struct term *term);

/*
 * Reads the size, for example after SIGWINCH: of the window, else LINES and COLUMNS of the
 * environment, else of terminfo. At least 1x1, at most TERM_SIDE_MAX each way, because an ssh
 * client chooses the size and a cell takes some 100 bytes. The rest of a larger window stays empty.
 */
enum { TERM_SIDE_MAX = 1000 };
void term_measure(struct term *term, unsigned *width, unsigned *height);

/* Changes the colours at the next drawing. The theme is borrowed for the call. */
void term_set_theme(struct term *term, const struct theme *theme);

/*
 * Sets the title of the terminal's window, if it can also restore the old one. Control characters
 * of the text become U+FFFD. ascii: other characters than ASCII become "?".
 */
enum { TERM_TITLE_BYTES = 256, TERM_TITLE_COLUMNS = 80 };
void term_set_title(struct term *term, const char *text, bool ascii);

/* The terminal's answer about one of its modes (DECRQM): term_open() requests mode 2026. */
void term_set_mode(struct term *term, unsigned mode, unsigned state);
/* The terminal's answer to a status query, which term_open() and term_draw() send. */
void term_set_shown(struct term *term);

/* Copies the cells that differ from the last drawing. */
void term_draw(struct term *term, const struct canvas *canvas);
/* Forgets what is on the screen: the next drawing sends everything. */
void term_forget(struct term *term);

/* Gives the terminal back for a while, and takes it again. */
void term_suspend(struct term *term);
void term_resume(struct term *term);

#endif
