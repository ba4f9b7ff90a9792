// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CANVAS_ANSI_H
#define PMCTOP_CANVAS_ANSI_H

#include "tui/term/canvas.h"
#include "tui/term/theme.h"

#include <stdio.h>

/*
 * Prints a canvas as lines of text with colours: UTF-8 and SGR sequences (ECMA-48), no other
 * control characters, whatever the cells contain. Each line can be printed alone: it ends in the
 * terminal's own colours. Blanks at its end that show nothing are left out.
 */
void canvas_print_ansi(const struct canvas *canvas, const struct theme *theme,
		       enum color_depth depth, FILE *out);

#endif
