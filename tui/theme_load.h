// SPDX-License-Identifier: MIT
#ifndef PMCTOP_THEME_LOAD_H
#define PMCTOP_THEME_LOAD_H

#include "core/error.h"
#include "theme.h"

/*
 * A theme by name or file: a built-in one, DIR/NAME.theme where `dir` (may be NULL) is the user's
 * directory of themes, or a file. NULL is the default. -ENOENT, -EINVAL ... and a sentence.
 */
int theme_load(const char *name, const char *dir, struct theme *theme, struct error *err);

#endif
