// SPDX-License-Identifier: MIT
/* Columns in a configuration. A written choice is equal when read again. */
#include "tests/fuzz/fuzz.h"

#include "tui/options/column_choice.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = {data, size};
	char *text = fuzz_text(&bytes), *written, *again;
	struct column_choice choice = {0};

	column_choice_parse(&choice, text);
	for (size_t i = 0; i < choice.n; i++)
		fuzz_check(choice.items[i].name[0], "a column has a name");
	written = column_choice_text(&choice);
	fuzz_check(!written[0] == !choice.n, "only an empty choice has no text");
	column_choice_parse(&choice, written);
	again = column_choice_text(&choice);
	fuzz_check(strcmp(written, again) == 0, "a written choice is equal");
	column_choice_fini(&choice);
	free(text);
	free(written);
	free(again);
	return 0;
}
