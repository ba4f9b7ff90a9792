// SPDX-License-Identifier: MIT
#ifndef PMCTOP_DETAIL_INTERNAL_H
#define PMCTOP_DETAIL_INTERNAL_H

#include "tui/panel/detail_page.h"

#include <stddef.h>

/* What the parts of a detail's page share. */

/* Where the next line goes. */
struct output_buffer {
	const struct detail_page *page;
	struct canvas *canvas;
	struct rect rect;
	unsigned y;
};

enum { SHEET_SHARE_WIDTH = 6 };

/* A line with a title and something more. */
void sheet_heading(struct output_buffer *buffer, const char *title, const char *rest);
/* A cell of `width` at *x, which moves behind it: flush right, or cut off where the sheet ends. */
void sheet_put_right(struct output_buffer *buffer, unsigned *x, unsigned width, enum style style,
		     const char *text);
void sheet_put_left(struct output_buffer *buffer, unsigned *x, unsigned width, enum style style,
		    const char *text);

/* Parts: they begin at the sheet's line and end behind a blank one. */
void detail_draw_threads(struct output_buffer *buffer);
void detail_draw_counts(struct output_buffer *buffer);

#endif
