// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FILE_LOCK_H
#define PMCTOP_FILE_LOCK_H

#include "core/base/error.h"

/*
 * Locks a file that is open for writing against a second pmctop, until it is closed: fcntl(2)'s
 * F_OFD_SETLK. 0, or -EBUSY and a sentence if another process has a write lock. A file system
 * without locks is no error.
 */
int file_lock(int fd, const char *path, struct error *err);

#endif
