// SPDX-License-Identifier: MIT
#ifndef PMCTOP_DETAIL_INTERNAL_H
#define PMCTOP_DETAIL_INTERNAL_H

#include "tui/panel/detail_page.h"

#include <stddef.h>

/* What the parts of a detail's page share. */

/* Where the next line goes. */
struct detail_pen {
	const struct detail_page *page;
	struct canvas *canvas;
	struct rect rect;
	unsigned y;
};

enum { DETAIL_SHARE_WIDTH = 6 };

/* A line with a title and something more. */
void detail_pen_heading(struct detail_pen *pen, const char *title, const char *rest);
/* A cell of `width` at *x, which moves behind it: flush right, or cut off where the sheet ends. */
void detail_pen_right(struct detail_pen *pen, unsigned *x, unsigned width, enum style style,
		      const char *text);
void detail_pen_left(struct detail_pen *pen, unsigned *x, unsigned width, enum style style,
		     const char *text);

/* Parts: they begin at the sheet's line and end behind a blank one. */
void detail_draw_threads(struct detail_pen *pen);
void detail_draw_counts(struct detail_pen *pen);

#endif
