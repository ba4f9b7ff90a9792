// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ENCODE_H
#define PMCTOP_ENCODE_H

#include "core/base/text_buffer.h"
#include "tui/term/canvas.h"
#include "tui/term/changed_runs.h"
#include "tui/term/paint.h"
#include "tui/term/term_cursor.h"
#include "tui/term/terminfo.h"

/*
 * The bytes that turn what a terminal shows into a canvas, as few as possible: links are slow.
 * Pure, except for terminfo's tiparm().
 */

struct encoder {
	struct terminfo terminfo;
	struct paints paints;      /* set by the caller */
	struct text_buffer output; /* owned */
	struct term_cursor cursor;
	const struct paint *now; /* the paint of the next character; NULL: unknown */
	struct changed_runs runs;
};

void encode_init(struct encoder *encoder, struct terminfo terminfo);
void encode_fini(struct encoder *encoder);

/* Empties `output`. What another program did to cursor and paint meanwhile has no effect. */
void encode_begin(struct encoder *encoder);
/* Appends a string of terminfo without its padding. NULL appends nothing. */
void encode_string(struct encoder *encoder, const char *string);
/* Appends what sets plain characters in the terminal's own colours. */
void encode_plain(struct encoder *encoder);
/* Appends the shortest way to the cell (x, y). */
void encode_move(struct encoder *encoder, unsigned x, unsigned y);
/* Appends what turns `last` into `canvas`, of the same size. NULL: it clears the screen first. */
void encode_canvas(struct encoder *encoder, const struct canvas *last, const struct canvas *canvas);

#endif
