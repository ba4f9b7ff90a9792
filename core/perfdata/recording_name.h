// SPDX-License-Identifier: MIT
#ifndef PMCTOP_RECORDING_NAME_H
#define PMCTOP_RECORDING_NAME_H

#include "core/base/error.h"
#include "core/base/unwritten.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * The path of a recording, and the files that had it before: which of them may be renamed or
 * removed. The directory may be writable for all users: files of other users are not touched, and
 * symbolic links are not followed.
 */
struct recording_name {
	char *path;
	size_t keep; /* greatest number of files, with the current one; 0: all */
	/* Files of this run with a stamp, oldest first. */
	struct recording_past *past;
	size_t n_past, capacity;
	int doomed_fd; /* a replaced file: to free its blocks takes time; -1: none */
};

struct recording_past {
	char stamp[32];
	dev_t device;
	ino_t inode;
};

struct recording_rules {
	bool switches; /* files get a stamp */
	size_t keep;
	int pipe;                    /* an open pipe, which is written instead of a file; 0: none */
	struct unwritten *unwritten; /* updated while the file is open; may be NULL */
};

/* Creates the file and returns its descriptor, or -errno with *err filled. */
int recording_name_open(struct recording_name *name, const char *path,
			const struct recording_rules *rules, struct error *err);
/*
 * Renames the current file to PATH.stamp, unless another program has moved or removed it, removes
 * the oldest if there are too many, and creates a new one. *fd becomes its descriptor, or negative.
 */
int recording_name_next(struct recording_name *name, int *fd, const char *stamp, struct error *err);
/* Closes the replaced file, which frees its blocks. */
void recording_name_tidy(struct recording_name *name);
/* Removes the file if it still has the name. */
void recording_name_remove(struct recording_name *name, int fd);
void recording_name_fini(struct recording_name *name);

#endif
