// SPDX-License-Identifier: MIT
#ifndef PMCTOP_JSON_STRING_H
#define PMCTOP_JSON_STRING_H

#include <stdio.h>

/*
 * Writes a JSON string with its quotes, valid UTF-8 for any bytes. A byte that is not UTF-8 becomes
 * U+FFFD. A character that must not be shown (struct text_scan) is written as \uXXXX, so that the
 * line can be sent to a terminal and a JSON reader gets the same characters.
 */
void json_put_string(FILE *out, const char *text);

/* The same, but null for "". */
void json_put_string_or_null(FILE *out, const char *text);

#endif
