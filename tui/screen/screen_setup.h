// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SCREEN_SETUP_H
#define PMCTOP_SCREEN_SETUP_H

#include <stddef.h>

struct app;

/* Where the setup stands. */
struct setup {
	size_t selected; /* of options and columns together */
	size_t top;      /* line shown first */
	size_t page;     /* lines shown last */
};

/* It begins with its columns, as f wants it. */
void screen_setup_select_columns(struct app *app);

#endif
