// SPDX-License-Identifier: MIT
#ifndef PMCTOP_HELD_FOLDER_H
#define PMCTOP_HELD_FOLDER_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * The private folders of --ssh and --via: the program's on the host (host_setup.sh) and the
 * folder of ssh's socket here (control_folder.h). A process holds a folder: it has the pipe `alive`
 *in it open for reading. An open(2) for writing shows that in every pid namespace, and the kernel
 *closes the pipe with the process. The pipe gets its name when it is open:
 *
 *	mkdir FOLDER, mkfifo pipe, open pipe for reading and writing, rename pipe to alive
 *
 * So a folder is stale if no process reads `alive`. One without `alive` is being made, or was being
 * made when its maker was killed. It is stale after an hour; its maker then chooses another place.
 *
 * On another machine with the same file system the pipe has no reader. So the name of a folder has
 * the name and the boot id of its machine, and only a program of the same boot removes it.
 *
 * All names are relative to descriptors. No link is followed, and only files with known names are
 * removed.
 */

enum { HELD_FOLDER_BOOT_BYTES = 37 };

/* The boot id of this kernel. False if it is unknown: then no folder is known to be stale. */
bool held_folder_boot_id(char id[HELD_FOLDER_BOOT_BYTES]);

/* Makes the pipe of a new folder. Returns the descriptor that holds it, or -errno. */
int held_folder_hold(int folder);

/* Removes the known files in a folder, and the folder, if `name` in `parent` is still its name. */
void held_folder_remove(int parent, const char *name, int folder);

/*
 * Removes the stale folders in `parent` that are private folders of `owner` and have a name that
 * begins with `prefix`.
 */
void held_folder_remove_stale(int parent, const char *prefix, uid_t owner);

#endif
