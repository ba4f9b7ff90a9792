// SPDX-License-Identifier: MIT
#ifndef PMCTOP_WIDGET_METER_H
#define PMCTOP_WIDGET_METER_H

#include "tui/term/canvas.h"

/* From so much on, in percent, a bar has the next colour. */
extern const unsigned meter_mid, meter_high;

/*
 * "[||||      43.2%]": a bar of `width` columns with a figure, in ASCII, at the right end inside,
 * reversed where it is on the bar. UTF-8 has eighths of a column, ASCII '#'. share is clamped to
 * 0..1. Draws nothing if width < 3.
 */
void meter_draw(struct canvas *canvas, unsigned x, unsigned y, unsigned width, double share,
		const char *figure, enum style figure_style);

/* "|||   ": the bar alone, of one colour: for shares that may be large without alarm. */
void bar_draw(struct canvas *canvas, unsigned x, unsigned y, unsigned width, double share);

#endif
