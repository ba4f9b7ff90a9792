// SPDX-License-Identifier: MIT
/*
 * Two paths may be one file through links or relative names, and a file may not exist yet. So files
 * are compared by device and inode, and absent files by directory and name. Separate from
 * run_batch.c for its own test.
 */
#include "tui/options/output_apart.h"

#include "core/base/safe_path.h"
#include "core/replay/replay_directory.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Devices do not count as the same: /dev/null may be both files. */
static bool is_same_file(const struct stat *one, const struct stat *other)
{
	return one->st_dev == other->st_dev && one->st_ino == other->st_ino &&
	       (S_ISREG(one->st_mode) || S_ISFIFO(one->st_mode));
}

static bool is_same_place(const struct safe_path *one, const struct safe_path *other)
{
	struct stat directory, other_directory;

	if (one->exists || other->exists)
		return one->exists && other->exists && is_same_file(&one->status, &other->status);
	return strcmp(one->name, other->name) == 0 && fstat(one->directory, &directory) == 0 &&
	       fstat(other->directory, &other_directory) == 0 &&
	       directory.st_dev == other_directory.st_dev &&
	       directory.st_ino == other_directory.st_ino;
}

/*
 * Whether path and suffix name the same file as `output`. Errors are reported when the file is
 * opened.
 */
static bool is_same(const char *path, const char *suffix, const char *output)
{
	char whole[PATH_MAX];
	struct safe_path one, other;

	if (snprintf(whole, sizeof(whole), "%s%s", path, suffix) >= (int)sizeof(whole) ||
	    safe_path_find(whole, true, &one, NULL))
		return false;
	bool same = false;
	if (safe_path_find(output, true, &other, NULL) == 0) {
		same = is_same_place(&one, &other);
		safe_path_fini(&other);
	}
	safe_path_fini(&one);
	return same;
}

/* Whether path is a directory of recordings, and `output` has the name of one there. */
static bool is_in_directory(const char *path, const char *output)
{
	struct safe_path place;
	struct stat directory, parent;

	if (stat(path, &directory) < 0 || !S_ISDIR(directory.st_mode) ||
	    safe_path_find(output, true, &place, NULL))
		return false;
	bool same =
		strncmp(place.name, REPLAY_DIRECTORY_USUAL, strlen(REPLAY_DIRECTORY_USUAL)) == 0 &&
		fstat(place.directory, &parent) == 0 && parent.st_dev == directory.st_dev &&
		parent.st_ino == directory.st_ino;
	safe_path_fini(&place);
	return same;
}

static bool is_standard(int standard, const char *output)
{
	struct stat one, other;

	return fstat(standard, &one) == 0 && stat(output, &other) == 0 &&
	       is_same_file(&one, &other);
}

static int set_refusal(const char *output, const char *what, struct error *err)
{
	return error_set(err, -EINVAL, "'%.120s' is %s. Give -o another file.", output, what);
}

int output_apart_check(const struct options *options, struct error *err)
{
	const char *output = options->output;
	const char *replay = options->replay, *record = options->record.path;

	if (!output)
		return 0;
	if (replay && (strcmp(replay, "-") == 0
			       ? is_standard(STDIN_FILENO, output)
			       : is_same(replay, "", output) || is_in_directory(replay, output)))
		return set_refusal(output, "the recording that is replayed", err);
	if (record && (strcmp(record, "-") == 0 ? is_standard(STDOUT_FILENO, output)
						: is_same(record, "", output)))
		return set_refusal(output, "the recording that --record writes", err);
	if (record && strcmp(record, "-") != 0 && is_same(record, ".old", output))
		return set_refusal(output, "the name that the previous recording gets", err);
	if (options->config && is_same(options->config, "", output))
		return set_refusal(output, "the configuration", err);
	return 0;
}
