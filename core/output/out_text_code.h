// SPDX-License-Identifier: MIT
#ifndef PMCTOP_OUT_TEXT_CODE_H
#define PMCTOP_OUT_TEXT_CODE_H

#include "core/view/view.h"

#include <stdio.h>

/*
 * The hottest functions, as out_text() prints them behind the table: of the sum, if several lines
 * have samples, then of each line that has any, OUT_TEXT_FUNCTIONS or --top of each. Nothing
 * without a profile. An estimated figure has the mark "~", an unknown one is "-".
 */
enum { OUT_TEXT_FUNCTIONS = 10 };

void out_text_code(const struct view *view, FILE *out);

#endif
