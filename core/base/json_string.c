// SPDX-License-Identifier: MIT
#include "core/base/json_string.h"

#include "core/base/text.h"
#include "core/base/text_width.h"

#include <inttypes.h>

/* As UTF-16, which is how JSON escapes. */
static void put_escape(FILE *out, uint32_t character)
{
	if (character < 0x10000) {
		fprintf(out, "\\u%04" PRIx32, character);
		return;
	}
	character -= 0x10000;
	fprintf(out, "\\u%04" PRIx32 "\\u%04" PRIx32, 0xD800 + (character >> 10),
		0xDC00 + (character & 0x3FF));
}

void json_put_string(FILE *out, const char *text)
{
	uint32_t character;

	fputc('"', out);
	for (size_t n; (n = text_decode(text, &character)) > 0; text += n) {
		if (character == '"' || character == '\\') {
			fputc('\\', out);
			fputc((int)character, out);
		} else if (text_char_width(character) < 0) {
			put_escape(out, character);
		} else {
			char bytes[4];
			size_t n_bytes = text_encode(character, bytes);

			fwrite(bytes, 1, n_bytes, out);
		}
	}
	fputc('"', out);
}

void json_put_string_or_null(FILE *out, const char *text)
{
	if (text[0])
		json_put_string(out, text);
	else
		fputs("null", out);
}
