// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REMOTE_FOLDER_H
#define PMCTOP_REMOTE_FOLDER_H

#include "core/base/error.h"
#include "tui/remote/parcel.h"

/*
 * The host's side: the folder that host_setup.sh has made, with this program and its parcel. Reads
 * the parcel, sets the variables of the terminal, opens the pipes, and removes all files and the
 * folder. From then on this process has no file. parcel->link is for link_watch_start(), because a
 * process without a terminal gets no SIGHUP when the connection breaks. SIGINT and SIGTERM are
 * unblocked.
 *
 * The folder must be a folder of this user (as root: of any, because of sudo) that no other user
 * may read. It is removed as held_folder.h says, and so are the stale folders of its user beside
 * it. Returns 0, or -errno and a sentence. *recording becomes the descriptor of the pipe, or -1:
 * nothing is recorded.
 */
int remote_folder_receive(const char *path, struct parcel *parcel, int *recording,
			  struct error *err);

#endif
