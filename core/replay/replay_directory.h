// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REPLAY_DIRECTORY_H
#define PMCTOP_REPLAY_DIRECTORY_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The name that perf gives to a recording. */
#define REPLAY_DIRECTORY_USUAL "perf.data"

/*
 * The files of a directory that are one recording: perf.data, or the files of 'perf record
 * --switch-output'. These are perf.data.YYYYMMDDhhmmsscc, with the local time of their end. A perf
 * that still runs, or was killed, leaves the last part in perf.data, whose header then has no size
 * of the data. A complete perf.data is a later recording, because perf renames an earlier one to
 * perf.data.old when it begins. Then it is the only file.
 *
 * 'perf record --kcore' makes a directory in place of the file, with the recording in data.
 */
struct replay_directory {
	int fd;           /* of the directory; owned */
	uint64_t *stamps; /* of the files with one, ascending; owned */
	size_t n_stamps;
	const char *last; /* name of the last file if it has no stamp; NULL: it has one */
	size_t n_other;   /* files with a stamp that belong to another recording */
};

/* Most files of a recording: 8 MB of stamps. */
enum { REPLAY_DIRECTORY_MAX = 1 << 20, REPLAY_DIRECTORY_NAME = 32 };

/*
 * Takes over fd, also on failure. `path` is its name in messages. 0, or -errno with *err filled: no
 * such file, or 'perf record --threads' made the directory.
 */
int replay_directory_init(struct replay_directory *directory, int fd, const char *path,
			  struct error *err);
void replay_directory_fini(struct replay_directory *directory);

/* Number of files. */
size_t replay_directory_n(const struct replay_directory *directory);
/* Name of a file, REPLAY_DIRECTORY_NAME bytes. */
void replay_directory_name(const struct replay_directory *directory, size_t index, char *name);

#endif
