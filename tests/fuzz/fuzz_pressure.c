// SPDX-License-Identifier: MIT
/* A pressure file: a share is between 0 and 1, or the line is unknown. */
#include "tests/fuzz/fuzz.h"

#include "core/sys/pressure.h"

static void check_line(const struct pressure_line *line, const char *text, const char *word)
{
	if (!line->known)
		return;
	fuzz_check(line->avg10 >= 0 && line->avg10 <= 1, "a share is between 0 and 1");
	fuzz_check(strstr(text, word), "a known line stands in the text");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = {data, size};
	char *text = fuzz_text(&bytes);
	struct pressure pressure;
	int result = pressure_parse(text, &pressure);

	fuzz_check((result == 0) == (pressure.some.known || pressure.full.known),
		   "0 if one of the lines is known");
	check_line(&pressure.some, text, "some ");
	check_line(&pressure.full, text, "full ");
	free(text);
	return 0;
}
