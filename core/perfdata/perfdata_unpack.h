// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PERFDATA_UNPACK_H
#define PMCTOP_PERFDATA_UNPACK_H

#include <stddef.h>
#include <sys/types.h>

/*
 * What 'perf record -z' packs: one stream of zstd, that comes in pieces. How much memory it takes
 * is said by the stream, at most 128 MB (what zstd takes without being asked to).
 */
struct perfdata_unpacker;

struct perfdata_unpacker *perfdata_unpacker_new(void);
void perfdata_unpacker_free(struct perfdata_unpacker *unpacker); /* NULL is fine */

/* The next piece; the one before has been used up. Borrowed until it is, too. */
void perfdata_unpacker_piece(struct perfdata_unpacker *unpacker, const void *bytes, size_t n);

/*
 * As the fill() of a window: some of what the piece holds, 0 where it is used up, -EBADMSG or
 * -ENOMEM.
 */
ssize_t perfdata_unpacker_fill(void *unpacker, void *bytes, size_t n);

#endif
