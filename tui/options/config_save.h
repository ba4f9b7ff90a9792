// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CONFIG_SAVE_H
#define PMCTOP_CONFIG_SAVE_H

#include "tui/options/config_edit.h"

/*
 * Writes changes into a configuration file, all or nothing: another file in the same directory
 * takes its place when it is whole and on the disk, with the same mode and owner. Where there is
 * none it is made, with its directories, out of the text of `pattern` (NULL: of nothing), which is
 * to be the user's own (core/base/bounded_read.h).
 *
 * A link is followed to the file it names, unless somebody else may have put it there
 * (core/base/safe_path.h); nothing is made in another user's directory, and nothing of another
 * user's replaced, but by root in a directory of root's. Two that save at once: the second says so.
 * 0; 1 where the text says all that already, so that nothing is written; or -errno and a sentence,
 * and the file is as it was.
 */
int config_save(const char *path, const char *pattern, const struct config_change *changes,
		size_t n, struct error *err);

#endif
