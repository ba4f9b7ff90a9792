// SPDX-License-Identifier: MIT
/* The contract is in perfdata_unpack.h; it also has the reason why this module stands alone. */
#include "core/perfdata/perfdata_unpack.h"

#include "core/base/util.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <zstd.h>

struct perfdata_unpacker {
	ZSTD_DStream *stream; /* owned; NULL: out of memory */
	ZSTD_inBuffer piece;
	bool full; /* the last output buffer was too small */
};

struct perfdata_unpacker *perfdata_unpacker_new(void)
{
	struct perfdata_unpacker *unpacker = xcalloc(1, sizeof(*unpacker));

	unpacker->stream = ZSTD_createDStream();
	return unpacker;
}

void perfdata_unpacker_free(struct perfdata_unpacker *unpacker)
{
	if (!unpacker)
		return;
	ZSTD_freeDStream(unpacker->stream);
	free(unpacker);
}

void perfdata_unpacker_piece(struct perfdata_unpacker *unpacker, const void *bytes, size_t n)
{
	unpacker->piece = (ZSTD_inBuffer){.src = bytes, .size = n};
}

ssize_t perfdata_unpacker_fill(void *arg, void *bytes, size_t n)
{
	struct perfdata_unpacker *unpacker = arg;
	ZSTD_outBuffer out = {.dst = bytes, .size = n};

	if (!unpacker->stream)
		return -ENOMEM;
	while (out.pos == 0 && (unpacker->full || unpacker->piece.pos < unpacker->piece.size)) {
		size_t result = ZSTD_decompressStream(unpacker->stream, &out, &unpacker->piece);
		if (ZSTD_isError(result))
			return -EBADMSG;
		unpacker->full = out.pos == out.size;
	}
	return (ssize_t)out.pos;
}
