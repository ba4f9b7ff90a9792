// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FILE_WAIT_H
#define PMCTOP_FILE_WAIT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether a thread of this process, but the caller, stands in a system call on a file. `name` gets
 * the file, cut if longer; "": not known, because the file is being closed, or the program has file
 * capabilities and may not read its own system calls. Then a thread that the kernel does not let go
 * (state D) counts. Touches only files of /proc/self.
 */
bool file_wait_find(char *name, size_t size);

#endif
