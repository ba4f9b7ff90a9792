// SPDX-License-Identifier: MIT
/* The result grows by doubling, so a small section costs little. */
#include "core/code/elf_debug_data.h"

#include "core/base/util.h"

#include <lzma.h>
#include <stdlib.h>

enum {
	INPUT_BYTES = 16 << 10,
	OUTPUT_BYTES = 256 << 10,
};

struct inflation {
	const struct elf_source *source;
	uint64_t offset, left;
	uint8_t input[INPUT_BYTES];
	uint8_t *output;
	size_t size, capacity;
};

/* Reads more input if there is none. False: it cannot be read. */
static bool refill_input(struct inflation *inflation, lzma_stream *stream)
{
	if (stream->avail_in > 0 || inflation->left == 0)
		return true;
	size_t n = inflation->left < INPUT_BYTES ? (size_t)inflation->left : INPUT_BYTES;
	if (!elf_source_read(inflation->source, inflation->offset, inflation->input, n))
		return false;
	inflation->offset += n;
	inflation->left -= n;
	stream->next_in = inflation->input;
	stream->avail_in = n;
	return true;
}

static bool run_decoder(struct inflation *inflation, lzma_stream *stream)
{
	lzma_ret rc = LZMA_OK;

	while (rc == LZMA_OK) {
		if (inflation->size == DEBUG_DATA_BYTES || !refill_input(inflation, stream))
			return false;
		if (inflation->size == inflation->capacity) {
			size_t want = inflation->capacity ? 2 * inflation->capacity : OUTPUT_BYTES;

			inflation->capacity = size_min(want, DEBUG_DATA_BYTES);
			inflation->output =
				xreallocarray(inflation->output, inflation->capacity, 1);
		}
		stream->next_out = inflation->output + inflation->size;
		stream->avail_out = inflation->capacity - inflation->size;
		rc = lzma_code(stream, inflation->left ? LZMA_RUN : LZMA_FINISH);
		inflation->size = inflation->capacity - stream->avail_out;
	}
	return rc == LZMA_STREAM_END;
}

uint8_t *elf_debug_data_inflate(const struct elf_source *source, uint64_t offset, uint64_t n,
				size_t *size)
{
	struct inflation inflation = {.source = source, .offset = offset, .left = n};
	lzma_stream stream = LZMA_STREAM_INIT;
	bool done = lzma_stream_decoder(&stream, DEBUG_DATA_DECODER_BYTES, 0) == LZMA_OK &&
		    run_decoder(&inflation, &stream);

	lzma_end(&stream);
	if (!done || inflation.size == 0) {
		free(inflation.output);
		return NULL;
	}
	*size = inflation.size;
	return xreallocarray(inflation.output, inflation.size, 1);
}
