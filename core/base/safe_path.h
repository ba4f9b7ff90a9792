// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SAFE_PATH_H
#define PMCTOP_SAFE_PATH_H

#include "core/base/error.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

/*
 * Where a path leads that something is to be written to: a directory, held open, and a name in it.
 * The path is walked step by step, and a symbolic link on it is followed only where nobody but us
 * and root can have put it there: it is ours or root's, and so is its directory, in which no other
 * may rename things. So nobody else decides what we write over, whoever we are and whoever's the
 * directory is; and what is done to the name afterwards is done in that directory (openat(2)),
 * which nobody can exchange any more.
 */
struct safe_path {
	int directory; /* O_PATH */
	char name[NAME_MAX + 1];
	bool shared; /* others may make, rename and remove things there */
	bool exists;
	struct stat status; /* of what has the name, where it exists */
	/* It is ours or root's, and nobody else can have put it there; of a descriptor: is. */
	bool trusted;
	/* One of /proc/self/fd (/dev/stdout): status is of what is open there. */
	bool descriptor;
};

/*
 * `follow`: the last name, too, where it is a link, which need not lead to anything; else the link
 * itself is the place. 0, or -errno and a sentence; then there is nothing to be closed.
 */
int safe_path_find(const char *path, bool follow, struct safe_path *place, struct error *err);
void safe_path_fini(struct safe_path *place);

/*
 * Whether others may write it: everybody, or a group that is neither root's nor its user's own. A
 * list (acl(5)) that lets somebody write shows in the bits of the group, so of a group that is the
 * user's own that is not seen.
 */
bool safe_path_is_open(const struct stat *status);

/* Whether the name is still, or again, that of this file. */
bool safe_path_is(const struct safe_path *place, const struct stat *file);
/* "'path' cannot be written: ..." and what to do about it; the code. */
int safe_path_refuse(const char *path, int code, struct error *err);
/* That it is somebody else's file; -EPERM. */
int safe_path_refuse_others(const char *path, struct error *err);

#endif
