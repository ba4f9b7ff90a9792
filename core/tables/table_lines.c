// SPDX-License-Identifier: MIT
/*
 * A program: prints the lines that the files in PLACE give for a CPU. It fails if anything is wrong
 * with the files. make_tables.py makes the built-in table by it.
 */
#include "core/tables/tables.h"

#include <stdio.h>

int main(int argc, char **argv)
{
	struct tables_text text;
	struct notes notes = {0};

	if (argc != 3) {
		fprintf(stderr, "Usage: table_lines PLACE CPU\n");
		return 2;
	}
	int result = tables_read(&(struct tables_places){.named = argv[1]}, argv[2], &text, &notes);
	if (result == 0)
		fputs(text.text, stdout);
	for (size_t i = 0; i < notes.n; i++)
		fprintf(stderr, "%s\n", notes.items[i].text);
	bool faultless = result == 0 && notes.n == 0;
	tables_text_fini(&text);
	notes_fini(&notes);
	return faultless ? 0 : 1;
}
