// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REMOTE_FOLDER_H
#define PMCTOP_REMOTE_FOLDER_H

#include "core/base/error.h"
#include "tui/remote/parcel.h"

/*
 * The host's side: the folder that pmctop --ssh has made, with this program and its parcel. Reads
 * the parcel, opens the pipe of the recording, and removes all files and the folder. From then on
 * this process has no file.
 *
 * The folder must be a folder of this user (as root: of any, because of sudo) that no other user
 * may read. Only fixed names in it are removed. Returns 0, or -errno and a sentence. *recording
 * becomes the descriptor of the pipe, or -1: nothing is recorded.
 */
int remote_folder_receive(const char *path, struct parcel *parcel, int *recording,
			  struct error *err);

/*
 * Lets SIGIO end this process when standard input ends, because a process without a terminal gets
 * no SIGHUP when the connection breaks. True if it has ended already.
 */
bool remote_folder_watch_input(void);

#endif
