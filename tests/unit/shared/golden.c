// SPDX-License-Identifier: MIT
#include "tests/unit/shared/golden.h"

void golden_check(const char *path, const char *text)
{
	static char want[256 * 1024];

	if (getenv("GOLDEN_UPDATE")) {
		FILE *file = fopen(path, "w");

		if (!file)
			fail_msg("%s cannot be written", path);
		fputs(text, file);
		fclose(file);
		return;
	}
	FILE *file = fopen(path, "r");
	if (!file)
		fail_msg("%s is missing: GOLDEN_UPDATE=1 writes it", path);
	want[fread(want, 1, sizeof(want) - 1, file)] = '\0';
	fclose(file);
	if (strcmp(text, want) != 0) {
		/* Whole: fail_msg would cut a screen short. */
		fprintf(stderr, "not as in %s:\n%s", path, text);
		fail();
	}
}

char *golden_fold(const char *line)
{
	char *text = calloc(2, strlen(line) + 1), *to = text;

	if (!text)
		abort();
	for (; *line; line++) {
		*to++ = *line;
		if (line[0] == ',' && line[-1] == '}')
			*to++ = '\n';
	}
	return text;
}
