// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_GOLDEN_H
#define PMCTOP_TESTS_GOLDEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/*
 * Fails unless `text` is what stands in the file (a path from the project's root, where tests run).
 * With GOLDEN_UPDATE=1 in the environment it is written there instead: look at the difference.
 */
static inline void golden_check(const char *path, const char *text)
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

/* A line of JSON as people read it: a new one after every object that is followed by something. */
static inline char *golden_fold(const char *line)
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

#endif
