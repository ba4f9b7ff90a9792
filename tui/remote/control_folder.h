// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CONTROL_FOLDER_H
#define PMCTOP_CONTROL_FOLDER_H

#include "core/base/error.h"

/*
 * The private folder here with the socket of ssh's shared connection. Its name has the number of
 * this process, so that the next run of the same user removes what a killed one has left.
 */
struct control_folder {
	char path[96];    /* "": none */
	char socket[100]; /* ssh appends 17 bytes for a while, and a socket's path has 108 */
};

/*
 * Makes it in `parent`, or in /tmp if that is NULL, too long, or has characters that ssh would
 * change. 0, or -errno and a sentence.
 */
int control_folder_make(const char *parent, struct control_folder *folder, struct error *err);
/* Removes the socket and the folder. Accepts a zeroed one. */
void control_folder_remove(struct control_folder *folder);

#endif
