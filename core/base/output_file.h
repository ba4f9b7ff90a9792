// SPDX-License-Identifier: MIT
#ifndef PMCTOP_OUTPUT_FILE_H
#define PMCTOP_OUTPUT_FILE_H

#include "core/base/error.h"

#include <stddef.h>

/*
 * A file that is written from its beginning, as a shell's > opens it, for our eyes and the user's:
 * what has the name already is written over where it is ours, and where nobody else can make things
 * in its directory also where we only have the right to. Links: core/base/safe_path.h. A pipe, a
 * terminal and a device such as /dev/null are written to as they are; a disk is not. While a file
 * is written it is locked against a second pmctop.
 *
 * The descriptor, or -errno and a sentence: then the file is what it was. -EINTR where a signal
 * came while a pipe had no reader.
 */
int output_file_open(const char *path, struct error *err);

/*
 * All of a text there, or on standard output where path is NULL. 0, or -errno and a sentence; but a
 * reader that has seen enough (head) is no failure.
 */
int output_print(const char *path, const char *text, size_t n, struct error *err);

#endif
