// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_FILES_H
#define PMCTOP_TESTS_FILES_H

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* What tests of files that are written do with small ones. */
static inline void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static inline void expect_file(const char *path, const char *want)
{
	char text[4096];
	FILE *file = fopen(path, "re");

	if (!file)
		fail_msg("no %s", path);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	assert_string_equal(text, want);
}

/* Whatever its name; a test's own files are all that there is. */
static inline unsigned count_files(const char *directory)
{
	DIR *stream = opendir(directory);
	unsigned n = 0;

	assert_non_null(stream);
	for (const struct dirent *entry; (entry = readdir(stream));)
		n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	closedir(stream);
	return n;
}

#endif
