// SPDX-License-Identifier: MIT
/* Patterns of CPUs: any pattern, a NUL, and any id. */
#include "tests/fuzz/fuzz.h"

#include "core/tables/table_pattern.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = {data, size};
	char *pattern = fuzz_text(&bytes), *id = fuzz_text(&bytes);
	enum table_pattern_answer answer = table_pattern_match(pattern, id);

	fuzz_check(answer <= TABLE_PATTERN_INVALID, "an answer of the header");
	/* A pattern without a special character matches itself, and nothing longer before a dash.
	 */
	if (pattern[0] && strlen(pattern) <= TABLE_PATTERN_BYTES &&
	    !strpbrk(pattern, "\\[](){}.|*+?^$"))
		fuzz_check((answer == TABLE_PATTERN_YES) ==
				   (strncmp(pattern, id, strlen(pattern)) == 0 &&
				    (id[strlen(pattern)] == '\0' || id[strlen(pattern)] == '-')),
			   "a literal matches the first parts of an id");
	free(pattern);
	free(id);
	return 0;
}
