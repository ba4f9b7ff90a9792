// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_FILES_H
#define PMCTOP_TESTS_FILES_H

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Small files, for tests of code that writes files. */
void write_file(const char *path, const char *text);

/* Fails unless the file has this text. */
void expect_file(const char *path, const char *want);

/*
 * Whether chown to other users (12345 and 54321 in tests) works. It fails for root in a user
 * namespace without other users.
 */
bool may_chown(void);

/* Skips the test if may_chown() is false. */
void need_chown(void);

/* Removes a directory with all that is in it. Fails unless it is there. */
void remove_tree(const char *directory);

/* The number of directory entries, except "." and "..". */
unsigned count_files(const char *directory);

#endif
