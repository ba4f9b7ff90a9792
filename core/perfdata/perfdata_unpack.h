// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PERFDATA_UNPACK_H
#define PMCTOP_PERFDATA_UNPACK_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Decompresses the records of 'perf record -z': one zstd stream in pieces. The stream decides how
 * much memory that takes, at most 128 MB (the default limit of zstd). A module of its own because
 * only it includes zstd.h.
 */
struct perfdata_unpacker;

struct perfdata_unpacker *perfdata_unpacker_new(void);
void perfdata_unpacker_free(struct perfdata_unpacker *unpacker); /* NULL is fine */

/* Sets the next piece, after the last one was used up. Borrowed until it is used up. */
void perfdata_unpacker_piece(struct perfdata_unpacker *unpacker, const void *bytes, size_t n);

/*
 * fill() of a record_stream: some of the decompressed bytes; 0: the piece is used up; -EBADMSG or
 * -ENOMEM.
 */
ssize_t perfdata_unpacker_fill(void *unpacker, void *bytes, size_t n);

#endif
