// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ATOMIC_FILE_H
#define PMCTOP_ATOMIC_FILE_H

#include "core/base/safe_path.h"

/*
 * A file that takes the name of another when it is whole. Until then it has none, where the file
 * system can do that: whoever kills us meanwhile leaves nothing behind. For its user alone at first
 * (0600).
 */
struct atomic_file {
	const struct safe_path *place;
	int fd;
	char name[NAME_MAX + 1]; /* that it has for now; "": none */
};

/* 0 or -errno. The place must outlive it. */
int atomic_file_open(const struct safe_path *place, struct atomic_file *file);
/*
 * It has the place's name, and what had it is gone: 0, or -errno and the old file is there still.
 */
int atomic_file_put(struct atomic_file *file);
/* Closes it where the caller has not taken fd (-1 then); one that was not put is gone. */
void atomic_file_fini(struct atomic_file *file);

#endif
