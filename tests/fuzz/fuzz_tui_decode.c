// SPDX-License-Identifier: MIT
/*
 * Any bytes from a terminal. The decoder ends and returns existing keys, the same ones for any size
 * of pieces.
 */
#include "tests/fuzz/fuzz.h"

#include "core/base/util.h"
#include "tui/term/decode.h"
#include "tui/term/keymap.h"

static bool is_key(int key)
{
	int bare = key & ~KEYMAP_ALT;

	return (bare > 0 && bare < 0x80) || (bare >= 0xa0 && bare < 0xd800) ||
	       (bare >= 0xe000 && bare <= 0x10ffff) ||
	       (bare >= KEYMAP_UP && bare <= KEYMAP_F12 && bare != KEYMAP_F0) ||
	       (key >= DECODE_CLICK && key <= DECODE_STATUS);
}

/* A checksum of the keys that the bytes decode to, in pieces of `piece` bytes. */
static uint64_t keys_of(const char *bytes, size_t n, size_t piece)
{
	static const struct decode_string own[] = {
		{"\033[@", KEYMAP_HOME},
		{"\033OP", KEYMAP_F0 + 1},
		{"\010", KEYMAP_BACKSPACE},
		{"\033[[A", KEYMAP_F0 + 1},
	};
	struct decoder decoder = {.strings = own, .n_strings = ARRAY_SIZE(own)};
	uint64_t sum = 0;
	size_t from = 0, to = 0;

	while (from < n) {
		struct decoded decoded;
		bool final = to == n;
		size_t used = decode(&decoder, bytes + from, to - from, final, &decoded);

		fuzz_check(used <= to - from, "only given bytes are used");
		fuzz_check(used > 0 || !final, "the last piece is decoded");
		fuzz_check(used > 0 || decoded.key == DECODE_NOTHING, "a key uses bytes");
		fuzz_check(used > 0 || to - from < 2 * DECODE_LONGEST, "few bytes wait");
		if (decoded.key != DECODE_NOTHING) {
			fuzz_check(is_key(decoded.key), "a key exists");
			sum = sum * 31 + (uint64_t)decoded.key;
			sum = (sum * 31 + decoded.x) * 31 + decoded.y;
		}
		from += used;
		if (used == 0)
			to = size_min(to + piece, n);
	}
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *bytes = (const char *)data;
	uint64_t at_once = keys_of(bytes, size, size);

	fuzz_check(keys_of(bytes, size, 1) == at_once, "single bytes give the same keys");
	fuzz_check(keys_of(bytes, size, 7) == at_once, "pieces of 7 give the same keys");
	return 0;
}
