// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_ROOTED_H
#define PMCTOP_TESTS_ROOTED_H

#include "core/sys/sys.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The running kernel with another root: paths of the code under test are below a new folder in
 * /tmp. Only /proc/self is the real one. Links in it have full paths, and are read without the
 * folder's.
 */
struct rooted {
	struct sys sys, to;
	struct sys_ops ops;
	char root[64];
	uint64_t now_ns; /* not 0: the clock shows this */
	int open_error;  /* not 0: -errno of each open */
	unsigned opened; /* files that are not closed */
};

void rooted_init(struct rooted *rooted);
/* Removes the folder. */
void rooted_fini(struct rooted *rooted);

/* The full path, in a buffer that the fourth call after this one uses again. */
const char *rooted_path(const struct rooted *rooted, const char *path);
/* Make a file or a link to a path of this root, and the folders on its path. */
void rooted_text(const struct rooted *rooted, const char *path, const char *text);
void rooted_link(const struct rooted *rooted, const char *path, const char *target);
void rooted_folders(const struct rooted *rooted, const char *path);

#endif
