// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SCREEN_SETUP_H
#define PMCTOP_SCREEN_SETUP_H

#include <stddef.h>

/* State of the setup screen. */
struct setup {
	size_t selected; /* index in options and columns together */
	size_t top;      /* first line shown */
	size_t page;     /* lines of the last drawing */
};

/* Selects the first option, for the key F2, or the first column, for the key f. */
void setup_select_options(struct setup *setup);
void setup_select_columns(struct setup *setup);

#endif
