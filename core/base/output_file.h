// SPDX-License-Identifier: MIT
#ifndef PMCTOP_OUTPUT_FILE_H
#define PMCTOP_OUTPUT_FILE_H

#include "core/base/error.h"

#include <stddef.h>

/*
 * Opens a file for writing from its beginning, as a shell's >. In a directory where other users can
 * create files, an existing file is overwritten only if it belongs to the caller. Links:
 * core/base/safe_path.h. A pipe, a terminal or a device such as /dev/null is opened too, a disk is
 * not. A regular file is locked against a second pmctop (core/base/file_lock.h).
 *
 * Returns the descriptor, or -errno and a sentence; then the file is unchanged. -EINTR if a signal
 * came while a pipe had no reader.
 */
int output_file_open(const char *path, struct error *err);

/*
 * Writes a text to that file, or to standard output if path is NULL. 0, or -errno and a sentence. A
 * reader that closed its pipe (head) is no error.
 */
int output_print(const char *path, const char *text, size_t n, struct error *err);

#endif
