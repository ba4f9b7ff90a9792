// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ATOMIC_FILE_H
#define PMCTOP_ATOMIC_FILE_H

#include "core/base/safe_path.h"

/*
 * A file that replaces another when it is complete. Before that it has no name if the file system
 * supports O_TMPFILE, so a killed pmctop leaves no file behind. Its mode is 0600.
 */
struct atomic_file {
	const struct safe_path *place;
	int fd;
	char name[NAME_MAX + 1]; /* the temporary name; "": none */
};

/* 0 or -errno. The place must outlive the file. */
int atomic_file_open(const struct safe_path *place, struct atomic_file *file);
/* Gives the file the place's name, which replaces the old file. 0, or -errno: the old file stays.
 */
int atomic_file_put(struct atomic_file *file);
/* Closes fd unless the caller set it to -1. Removes a file that was not put. */
void atomic_file_fini(struct atomic_file *file);

#endif
