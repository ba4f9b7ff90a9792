// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_WIDTHS_H
#define PMCTOP_TESTS_WIDTHS_H

#include "core/base/text.h"
#include "core/base/util.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define BAD "\xef\xbf\xbd" /* U+FFFD */

/* Whether text.c replaces this character for any wcwidth(). */
bool is_deliberate(uint32_t code);

/* The scan of a character behind a letter, so that combining marks are valid. */
struct text_scan shown_character(uint32_t code);

#endif
