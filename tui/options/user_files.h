// SPDX-License-Identifier: MIT
#ifndef PMCTOP_USER_FILES_H
#define PMCTOP_USER_FILES_H

#include "core/base/error.h"
#include "core/base/notes.h"
#include "tui/options/config.h"

#include <limits.h>

/*
 * Which files are the user's, as the environment says: $PMCTOPRC, and what is below
 * $XDG_CONFIG_HOME/pmctop, else ~/.config/pmctop.
 */

/* The directory of themes; NULL where that cannot be known. */
const char *user_files_themes(char path[PATH_MAX]);

/*
 * The first configuration that exists of the usual ones; none is no error. One that the user has no
 * right to see does not exist for them (sudo -u keeps $HOME); what else is passed over is `said`.
 * One that is `named`, by --config, must be readable. 0, or -errno and a sentence.
 */
int user_files_load(const char *named, struct config *config, struct notes *said,
		    struct error *err);
/* Where W writes to: what is named, or $PMCTOPRC is, else the user's own; NULL: nowhere. */
const char *user_files_save(const char *named, char path[PATH_MAX]);

#endif
