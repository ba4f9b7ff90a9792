// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SAVE_SCREEN_H
#define PMCTOP_SAVE_SCREEN_H

#include "tui/screen/app.h"
#include "tui/term/canvas.h"
#include "tui/term/theme.h"

/*
 * Writes the canvas, which shows the app, into two new files in the current directory: NAME.ansi
 * with the colours of the terminal (canvas_print_ansi()) and NAME.svg (canvas_print_svg()). Below
 * the screen they have the host, the time of the figures, the version, and what the marks on the
 * screen mean. NAME is from file_name_suggest(), with a number if it is taken.
 *
 * The files have mode 0600. No existing file is changed. If one of them cannot be written, neither
 * remains. A message to the user names the files or the reason.
 */
void save_screen(struct app *app, const struct canvas *canvas, const struct theme *theme,
		 enum color_depth depth);

#endif
