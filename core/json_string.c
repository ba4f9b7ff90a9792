// SPDX-License-Identifier: MIT
#include "json_string.h"

#include "text.h"

#include <inttypes.h>

void json_put_string(FILE *out, const char *text)
{
	uint32_t character;

	fputc('"', out);
	for (size_t n; (n = text_decode(text, &character)) > 0; text += n) {
		if (character == '"' || character == '\\') {
			fputc('\\', out);
			fputc((int)character, out);
		} else if (character < 0x20 || (character >= 0x7F && character < 0xA0)) {
			fprintf(out, "\\u%04" PRIx32, character);
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
