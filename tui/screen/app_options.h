// SPDX-License-Identifier: MIT
#ifndef PMCTOP_APP_OPTIONS_H
#define PMCTOP_APP_OPTIONS_H

#include "tui/options/options.h"
#include "tui/screen/app.h"

/*
 * Fills *now with options that would restore the screen, as far as a configuration has them.
 * Settings that no key changes come from `began`. Texts are borrowed from the app or owned by *now:
 * options_fini().
 */
void app_options(const struct app *app, const struct options *began, struct options *now);

#endif
