// SPDX-License-Identifier: MIT
#ifndef PMCTOP_KEYMAP_CONFIG_H
#define PMCTOP_KEYMAP_CONFIG_H

#include "tui/options/config.h"
#include "tui/term/keymap.h"

/*
 * What [keys] says, on top of the usual keys: "quit = q F10 ^C" gives an action these keys and no
 * others, and whoever had them before loses them. Of two lines that want one key the first gets it;
 * quit and help are never left without. What is wrong with a line is noted in the configuration.
 */
void keymap_configure(struct keymap *keymap, struct config *config);

#endif
