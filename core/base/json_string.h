// SPDX-License-Identifier: MIT
#ifndef PMCTOP_JSON_STRING_H
#define PMCTOP_JSON_STRING_H

#include <stdio.h>

/*
 * A string in its quotes, valid JSON in valid UTF-8 whatever bytes are in it: what is no UTF-8
 * becomes U+FFFD; what a terminal must not be sent (text.h: controls, what turns the line) is
 * written as \uXXXX, so that nothing is lost and the line can be looked at.
 */
void json_put_string(FILE *out, const char *text);

/* The same, but null where the text is "". */
void json_put_string_or_null(FILE *out, const char *text);

#endif
