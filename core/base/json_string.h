// SPDX-License-Identifier: MIT
#ifndef PMCTOP_JSON_STRING_H
#define PMCTOP_JSON_STRING_H

#include <stdio.h>

/*
 * A string in its quotes, valid JSON in valid UTF-8 whatever bytes are in it: what is no UTF-8
 * becomes U+FFFD; a character that must not be shown (struct text_scan) is written as \uXXXX. A
 * reader gets the same characters, and the line can be sent to a terminal.
 */
void json_put_string(FILE *out, const char *text);

/* The same, but null where the text is "". */
void json_put_string_or_null(FILE *out, const char *text);

#endif
