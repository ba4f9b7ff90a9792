// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SAFE_PATH_H
#define PMCTOP_SAFE_PATH_H

#include "core/base/error.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

/*
 * The place of a file to be written: an open directory and a name in it.
 *
 * A symbolic link on the path is followed only if no user but the caller and root can have made it:
 * the link and its directory belong to the caller or root, and no other user may rename files
 * there. So no other user decides which file is overwritten. Later calls use the open directory
 * (openat(2)), which no other user can replace.
 */
struct safe_path {
	int directory; /* O_PATH */
	char name[NAME_MAX + 1];
	bool shared; /* other users may create, rename and remove files in the directory */
	bool exists;
	struct stat status; /* of the file with that name, if it exists */
	/* The file belongs to the caller or root, and no other user can have put it there. Of a
	 * descriptor: it belongs to them. */
	bool trusted;
	/* A link in /proc/self/fd (/dev/stdout): status describes the open file. */
	bool descriptor;
};

/*
 * `follow`: if the last name is a link, its target is the place, which need not exist; else the
 * link is. 0, or -errno and a sentence; then the place needs no safe_path_fini().
 */
int safe_path_find(const char *path, bool follow, struct safe_path *place, struct error *err);
void safe_path_fini(struct safe_path *place);

/*
 * Whether other users may write the file: all, or a group that is neither root's nor the private
 * group of its user. An acl(5) with write access shows in the bits of the group, so it is not
 * detected for a private group.
 */
bool safe_path_is_open(const struct stat *status);

/*
 * Opens a directory that no other user can rename or replace, and no directory that leads to it:
 * each belongs to the caller or root, and has the sticky bit if a group or all may write it. Root
 * may be an unknown user in a user namespace, which is accepted for / and /tmp. `name` gets the
 * path without links, which keeps its meaning. Returns the descriptor (O_PATH), -EPERM if another
 * user can replace one of them, or another -errno. Needs /proc.
 */
int safe_path_open_fixed(const char *path, char name[PATH_MAX]);

/* Returns whether the name in the directory is this file now. */
bool safe_path_is(const struct safe_path *place, const struct stat *file);
/* Fills err with "'path' cannot be written: ..." and the remedy. Returns code. */
int safe_path_refuse(const char *path, int code, struct error *err);
/* Fills err: the file belongs to another user. Returns -EPERM. */
int safe_path_refuse_others(const char *path, struct error *err);

#endif
