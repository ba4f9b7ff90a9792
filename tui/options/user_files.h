// SPDX-License-Identifier: MIT
#ifndef PMCTOP_USER_FILES_H
#define PMCTOP_USER_FILES_H

#include "core/base/error.h"
#include "core/base/notes.h"
#include "core/tables/tables.h"
#include "tui/options/config.h"

#include <limits.h>

/*
 * The user's files, from the environment: $PMCTOPRC, and those below $XDG_CONFIG_HOME/pmctop or
 * ~/.config/pmctop. Also what perf keeps for the user.
 */

/* The directory of themes; NULL: not known. */
const char *user_files_themes(char path[PATH_MAX]);
/*
 * Where the user's tables of events are: `named` by --event-tables, else the folder in `user`,
 * which the places borrow, else the system's.
 */
void user_files_tables(const char *named, char user[PATH_MAX], struct tables_places *places);
/* perf's cache of programs and symbols: $PERF_BUILDID_DIR, else ~/.debug; NULL: not known. */
const char *user_files_build_id_cache(char path[PATH_MAX]);

/*
 * Loads the first existing configuration of the default places; no file is no error. A file that
 * the user may not read counts as absent (sudo -u keeps $HOME); other files that are ignored are
 * noted in `notes`. A file `named` by --config must be readable. Returns 0, or -errno and a
 * sentence.
 */
int user_files_load(const char *named, struct config *config, struct notes *notes,
		    struct error *err);
/* The file that W saves to: `named`, else $PMCTOPRC, else the user's own; NULL: not known. */
const char *user_files_save(const char *named, char path[PATH_MAX]);

#endif
