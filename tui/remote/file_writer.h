// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FILE_WRITER_H
#define PMCTOP_FILE_WRITER_H

#include "core/base/error.h"
#include "core/base/unwritten.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Writes a regular file on a thread of its own, so that a file that does not answer delays neither
 * signals nor the connection. poll(2) does not help there: it may hang in the file, too.
 *
 * All functions are for the thread that made it.
 */
struct file_writer;

/* Borrows the descriptor, and `unwritten`, which may be NULL. 0, or -errno and a sentence. */
int file_writer_new(int fd, struct unwritten *unwritten, struct file_writer **writer,
		    struct error *err);
/* Waits until all is written, without a limit. Returns file_writer_error(). NULL is fine. */
int file_writer_free(struct file_writer *writer);

/* Copies the bytes to the queue. Returns false if that is full. After an error they are dropped. */
bool file_writer_append(struct file_writer *writer, const void *bytes, size_t n);
/* Readable while the queue has room, as far as is known: an append finds out that it is full. */
int file_writer_room(const struct file_writer *writer);
/* -errno of the first write that failed; 0: none has. */
int file_writer_error(struct file_writer *writer);

#endif
