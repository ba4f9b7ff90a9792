// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_TERM_STAGE_H
#define PMCTOP_TESTS_TERM_STAGE_H

#include "tests/unit/shared/pty.h"
#include "tests/unit/shared/small_terminal.h"
#include "tui/term/term.h"

#include <stdbool.h>
#include <stddef.h>

/* A term on a pseudo terminal, and a terminal in memory that shows the bytes that it sends. */
struct term_stage {
	struct pty pty;
	struct term *term;
	struct theme theme;
	struct canvas canvas;
	struct small_terminal terminal;
	char sent[1 << 20]; /* at the last term_stage_show(); NUL-terminated */
};

/* Of 20x26 cells. Returns false if terminfo lacks the type. To be closed in both cases. */
bool term_stage_open(struct term_stage *stage, const char *type, bool color, bool direct_color);
void term_stage_close(struct term_stage *stage);

/* Changes the size of the pseudo terminal, of the canvas and of the terminal in memory. */
void term_stage_resize(struct term_stage *stage, unsigned width, unsigned height);
/* Parses a built-in theme. The term has it after term_set_theme(). */
void term_stage_load_theme(struct term_stage *stage, const char *name);

/* Shows what was sent since the last call. Returns its bytes. */
size_t term_stage_show(struct term_stage *stage);
/* Its two halves: marks the end of what was sent, and shows it until there. */
void term_stage_mark_end(void);
size_t term_stage_show_until_end(struct term_stage *stage);

/* Sends the terminal's answer to a query of its status. It has arrived when this returns. */
void term_stage_answer(const struct term_stage *stage);

#endif
