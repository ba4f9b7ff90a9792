// SPDX-License-Identifier: MIT
#ifndef PMCTOP_APP_OPTIONS_H
#define PMCTOP_APP_OPTIONS_H

#include "tui/options/options.h"
#include "tui/screen/app.h"

/*
 * The options that would bring up the screen as it is, as far as a configuration keeps them;
 * what no key changes is taken from those it began with. *now is owned: options_fini.
 */
void app_options(const struct app *app, const struct options *began, struct options *now);

#endif
