// SPDX-License-Identifier: MIT
/*
 * Any bytes, made printable in any number of bytes and columns. The result is valid UTF-8 without
 * control characters, and fits.
 */
#include "tests/fuzz/fuzz.h"

#include "core/base/text.h"

/* Decoding and encoding a character gives the same bytes. */
static void check_characters(const char *text)
{
	uint32_t character;

	for (size_t n; (n = text_decode(text, &character)) > 0; text += n) {
		const char *at = text;
		long other = fuzz_utf8(&at);
		char again[4];

		if (other < 0) {
			fuzz_check(n == 1 && character == TEXT_REPLACEMENT,
				   "an invalid byte is replaced");
			continue;
		}
		fuzz_check(character == (uint32_t)other && text + n == at,
			   "a character is decoded as in Unicode");
		fuzz_check(text_encode(character, again) == n && memcmp(again, text, n) == 0,
			   "a character is encoded as it was");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = {data, size};
	uint8_t room = fuzz_u8(&bytes), columns = fuzz_u8(&bytes);
	char *text = fuzz_text(&bytes);
	size_t all = 3 * strlen(text) + 1;
	char *small = malloc(room ? room : 1), *large = malloc(all);

	if (!small || !large)
		abort();
	check_characters(text);

	size_t length = text_printable(small, room, text, columns);
	fuzz_check(room ? length < room && small[length] == '\0' : length == 0, "the text fits");
	if (room) {
		fuzz_check(strlen(small) == length, "the length is right");
		fuzz_check(fuzz_is_printable(small), "the text is printable");
		fuzz_check(text_width(small) <= columns, "the text is not too wide");
	}

	length = text_printable(large, all, text, (unsigned)-1);
	fuzz_check(fuzz_is_printable(large), "the text is printable");
	fuzz_check(length < all && text_width(large) == text_width(text),
		   "with enough room nothing is cut");
	fuzz_check(!room || strncmp(small, large, strlen(small)) == 0, "less room cuts the end");
	free(small);
	free(large);
	free(text);
	return 0;
}
