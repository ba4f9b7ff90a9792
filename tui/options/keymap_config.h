// SPDX-License-Identifier: MIT
#ifndef PMCTOP_KEYMAP_CONFIG_H
#define PMCTOP_KEYMAP_CONFIG_H

#include "tui/options/config.h"
#include "tui/term/keymap.h"

/*
 * Applies [keys] to the default keys: "quit = q F10 ^C" gives an action exactly these keys, and
 * other actions lose them. If two lines name a key, the first gets it. Quit and help always keep a
 * key. Errors become notes of the configuration.
 */
void keymap_configure(struct keymap *keymap, struct config *config);

#endif
