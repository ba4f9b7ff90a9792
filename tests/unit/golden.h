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
 * Fails unless `got` is what stands in the file (a path from the project's root, where tests run).
 * With GOLDEN_UPDATE=1 in the environment it is written there instead: look at the difference.
 */
static inline void golden_check(const char *path, const char *got)
{
	static char want[1 << 16];

	if (getenv("GOLDEN_UPDATE")) {
		FILE *file = fopen(path, "w");

		if (!file)
			fail_msg("%s cannot be written", path);
		fputs(got, file);
		fclose(file);
		return;
	}
	FILE *file = fopen(path, "r");
	if (!file)
		fail_msg("%s is missing", path);
	want[fread(want, 1, sizeof(want) - 1, file)] = '\0';
	fclose(file);
	if (strcmp(got, want) != 0)
		fail_msg("not as in %s:\n%s", path, got);
}

#endif
