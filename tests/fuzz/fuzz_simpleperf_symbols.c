// SPDX-License-Identifier: MIT
/*
 * A file of simpleperf's symbols, in the layout of the first byte. The next 24 bytes are a place in
 * it, whose path is the bytes after them, up to a NUL. A function that is found has a name, and has
 * the address.
 */
#include "tests/fuzz/fuzz.h"

#include "core/perfdata/simpleperf_symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = {data, size};
	struct simpleperf_symbols symbols = {0};
	struct simpleperf_symbol symbol;
	bool message = fuzz_u8(&bytes) & 1;
	struct simpleperf_place place = {.start = fuzz_u64(&bytes)};

	place.offset = fuzz_u64(&bytes);
	place.address = fuzz_u64(&bytes);
	char *path = fuzz_text(&bytes);
	place.path = path;
	/* In a block of its size, so that sanitizers find reads past the end. */
	uint8_t *copy = malloc(bytes.left ? bytes.left : 1);
	if (!copy)
		abort();
	if (bytes.left > 0)
		memcpy(copy, bytes.at, bytes.left);
	/* Twice: the same path is found all the same. */
	for (unsigned i = 0; i < 2; i++)
		simpleperf_symbols_add(&symbols, copy, bytes.left, message);
	fuzz_check(symbols.bytes <= SIMPLEPERF_SYMBOLS_BYTES, "memory is bounded");
	if (simpleperf_symbols_find(&symbols, &place, &symbol))
		fuzz_check(strlen(symbol.name) < symbols.names_bytes && symbol.offset < UINT32_MAX,
			   "a function has a name, and the address");
	simpleperf_symbols_fini(&symbols);
	free(copy);
	free(path);
	return 0;
}
