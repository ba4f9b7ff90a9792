// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CANVAS_SVG_H
#define PMCTOP_CANVAS_SVG_H

#include "tui/term/canvas.h"
#include "tui/term/theme.h"

#include <stdbool.h>
#include <stdio.h>

/*
 * Prints a canvas as a picture: SVG 1.1 without scripts, styles, fonts and references. It is
 * well-formed UTF-8 whatever the cells and the title contain: a character that a terminal must not
 * get (struct text_scan) is printed as U+FFFD.
 *
 * Colours are the theme's, in 24 bits. Where the theme leaves text and ground to the
 * terminal, the ground is dark. `color` false: attributes alone, as on a terminal without colours.
 */
void canvas_print_svg(const struct canvas *canvas, const struct theme *theme, bool color,
		      const char *title, FILE *out);

#endif
