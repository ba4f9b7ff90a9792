// SPDX-License-Identifier: MIT
/* The contract is in json_string.h; core/base/text.h has the rules of what can be shown. */
#include "core/base/json_string.h"

#include "core/base/text.h"

#include <inttypes.h>

/* JSON escapes are UTF-16. */
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
	fputc('"', out);
	for (struct text_scan scan = {.at = text}; text_scan_next(&scan);) {
		if (scan.character == '"' || scan.character == '\\') {
			fputc('\\', out);
			fputc((int)scan.character, out);
		} else if (scan.replaced) {
			put_escape(out, scan.character);
		} else {
			char bytes[4];
			size_t n_bytes = text_scan_shown(&scan, bytes);

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
