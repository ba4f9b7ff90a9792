// SPDX-License-Identifier: MIT
#ifndef PMCTOP_WIDGET_METER_H
#define PMCTOP_WIDGET_METER_H

#include "tui/term/canvas.h"

/*
 * "[||||      43.2%]": a bar of `width` columns with its figure at the right end inside. The bar
 * has eighths of a column in UTF-8 and '#' in ASCII; share is clamped to 0..1. Draws nothing where
 * there is no room for one column of bar.
 */
void meter_draw(struct canvas *canvas, unsigned x, unsigned y, unsigned width, double share,
		const char *figure, enum style figure_style);

#endif
