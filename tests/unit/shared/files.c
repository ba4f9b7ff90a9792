// SPDX-License-Identifier: MIT
#include "tests/unit/shared/files.h"

#include <ftw.h>

void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

void expect_file(const char *path, const char *want)
{
	char text[4096];
	FILE *file = fopen(path, "re");

	if (!file)
		fail_msg("no %s", path);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	assert_string_equal(text, want);
}

bool may_chown(void)
{
	char path[] = "/tmp/pmctop-owner-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	unlink(path);
	bool may = fchown(fd, 12345, 54321) == 0;
	close(fd);
	return may;
}

void need_chown(void)
{
	if (may_chown())
		return;
	print_message("# skipped: files cannot be given to other users here\n");
	skip();
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *at)
{
	(void)status, (void)kind, (void)at;
	return remove(path);
}

void remove_tree(const char *directory)
{
	enum { FDS_MAX = 8 };

	if (nftw(directory, remove_entry, FDS_MAX, FTW_DEPTH | FTW_PHYS) != 0)
		fail_msg("%s cannot be removed", directory);
}

unsigned count_files(const char *directory)
{
	DIR *stream = opendir(directory);
	unsigned n = 0;

	assert_non_null(stream);
	for (const struct dirent *entry; (entry = readdir(stream));)
		n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	closedir(stream);
	return n;
}
