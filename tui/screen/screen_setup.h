// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SCREEN_SETUP_H
#define PMCTOP_SCREEN_SETUP_H

#include "tui/widget/widget_table.h"

/* Selects the first option, for the key F2, or the first column, for the key f. */
void setup_select_options(struct table *setup);
void setup_select_columns(struct table *setup);

#endif
