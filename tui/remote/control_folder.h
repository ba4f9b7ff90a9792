// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CONTROL_FOLDER_H
#define PMCTOP_CONTROL_FOLDER_H

#include "core/base/error.h"

/*
 * The private folder here with the socket of ssh's shared connection. This process holds it
 * (held_folder.h), and the next run of the same user removes what a killed one has left.
 *
 * ssh gets the socket's absolute path. It keeps its meaning, because no other user can rename or
 * replace a folder on it (safe_path_open_fixed()). All else is relative to descriptors.
 */
struct control_folder {
	char path[96];    /* "": none; then the descriptors are not valid */
	char socket[100]; /* ssh appends 17 bytes for a while, and a socket's path has 108 */
	int parent, folder, alive;
};

/*
 * Makes it in `parent`, or in /tmp if that is NULL, too long, has characters that ssh would change,
 * or may be replaced by another user. 0, or -errno and a sentence.
 */
int control_folder_make(const char *parent, struct control_folder *folder, struct error *err);
/* Removes the socket and the folder. Accepts a zeroed one. */
void control_folder_remove(struct control_folder *folder);

#endif
