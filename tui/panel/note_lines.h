// SPDX-License-Identifier: MIT
#ifndef PMCTOP_NOTE_LINES_H
#define PMCTOP_NOTE_LINES_H

#include "tui/term/canvas.h"

#include <stddef.h>

/*
 * A note to the user, wrapped at blanks. Its last line ends with " (+2 more: L)" for 2 further
 * notes, or with " (more: L)" if the note is cut.
 */

/* The number of lines that the note needs at that width, at most `most`, which is not 0. */
unsigned note_lines(const char *note, size_t further, unsigned width, unsigned most);
/* Draws as much of the note as the rect has room for, from its first line on. */
void note_lines_draw(const char *note, size_t further, struct canvas *canvas, struct rect rect);

#endif
