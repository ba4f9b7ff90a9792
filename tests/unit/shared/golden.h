// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_GOLDEN_H
#define PMCTOP_TESTS_GOLDEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/*
 * Fails unless the file has this text. The path is relative to the project's root, where tests run.
 * With GOLDEN_UPDATE=1 in the environment it writes the file instead: read the diff.
 */
void golden_check(const char *path, const char *text);

/* A line of JSON with a line break after each object but the last. The caller frees it. */
char *golden_fold(const char *line);

#endif
