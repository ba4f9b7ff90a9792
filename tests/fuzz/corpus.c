// SPDX-License-Identifier: MIT
/*
 * Runs a fuzz entry as an ordinary test and prints TAP. Each file of the corpus runs in its own
 * process, so that a crash is reported with the name of the file. fuzz_NAME reads
 * tests/fuzz/corpus/NAME, or the files in its arguments.
 */
#include "tests/fuzz/fuzz.h"
#include "tests/unit/shared/signals.h"

#include <dirent.h>
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILE_BYTES_MAX = 1 << 20 };

static size_t read_file(const char *path, uint8_t *bytes)
{
	FILE *file = fopen(path, "re");

	if (!file) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(2);
	}
	size_t size = fread(bytes, 1, FILE_BYTES_MAX, file);
	fclose(file);
	return size;
}

static void run_file(const char *path)
{
	uint8_t *bytes = malloc(FILE_BYTES_MAX);

	if (!bytes)
		abort();
	size_t size = read_file(path, bytes);
	/* In a block of its size, so that sanitizers find reads past the end. */
	uint8_t *shrunk = realloc(bytes, size ? size : 1);
	if (!shrunk)
		abort();
	LLVMFuzzerTestOneInput(shrunk, size);
	free(shrunk);
}

/* Runs a file and prints its TAP line. Returns whether it passed. */
static bool report_file(unsigned number, const char *name, const char *path)
{
	const char *slash = strrchr(path, '/');
	int status = 0;

	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		run_file(path);
		exit(0);
	}
	bool ok = child > 0 && waitpid(child, &status, 0) == child && status == 0;
	printf("%sok %u - %s: %s\n", ok ? "" : "not ", number, name, slash ? slash + 1 : path);
	return ok;
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static bool report_corpus(const char *name)
{
	struct dirent **entries;
	char path[512];
	bool ok = true;

	snprintf(path, sizeof(path), "tests/fuzz/corpus/%s", name);
	int n = scandir(path, &entries, is_visible, alphasort);
	if (n <= 0) {
		printf("1..1\nnot ok 1 - %s: no corpus in %s\n", name, path);
		return false;
	}
	printf("1..%d\n", n);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "tests/fuzz/corpus/%s/%s", name, entries[i]->d_name);
		ok &= report_file((unsigned)i + 1, name, path);
		free(entries[i]);
	}
	free(entries);
	return ok;
}

int main(int argc, char **argv)
{
	const char *name = basename(argv[0]);
	bool ok = true;

	signals_restore();
	if (strncmp(name, "fuzz_", strlen("fuzz_")) == 0)
		name += strlen("fuzz_");
	if (argc == 1)
		return report_corpus(name) ? 0 : 1;
	for (int i = 1; i < argc; i++)
		ok &= report_file((unsigned)i, name, argv[i]);
	return ok ? 0 : 1;
}
