// SPDX-License-Identifier: MIT
#ifndef PMCTOP_RECORDING_NAME_H
#define PMCTOP_RECORDING_NAME_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * The name of a recording, and the files that have had it: whose they are, which may be moved out
 * of the way and which removed. A directory may be everybody's: what is not our own stays as it is,
 * and a symbolic link is not followed.
 */
struct recording_name {
	char *path;
	size_t keep; /* files at most, the one that has the name included; 0: all */
	/* Those of this run that have their time behind their name, oldest first. */
	struct recording_past *past;
	size_t n_past, capacity;
	int doomed_fd; /* of a file that was replaced: to free its blocks takes time; -1: of none */
};

struct recording_past {
	char stamp[32];
	dev_t device;
	ino_t inode;
};

struct recording_rules {
	bool switches; /* the time is to stand behind the name */
	size_t keep;
};

/* Makes a new file of that name: its descriptor, or -errno and a sentence. */
int recording_name_open(struct recording_name *name, const char *path,
			const struct recording_rules *rules, struct error *err);
/*
 * The file so far gets the stamp, unless somebody has moved or removed it, and the oldest goes
 * where there are too many; then as above. *fd is the new one then; negative where there is none.
 */
int recording_name_next(struct recording_name *name, int *fd, const char *stamp, struct error *err);
/* Frees what was replaced. */
void recording_name_tidy(struct recording_name *name);
/* Nothing came of it: the file goes, if it still has the name. */
void recording_name_remove(struct recording_name *name, int fd);
void recording_name_fini(struct recording_name *name);

#endif
