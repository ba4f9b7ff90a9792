// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CONFIG_SAVE_H
#define PMCTOP_CONFIG_SAVE_H

#include "config_edit.h"

/*
 * Writes changes into a configuration file, all or nothing: another file in the same directory
 * takes its place when it is whole and on the disk, with the same mode and owner. Where there is
 * none it is made, with its directories, out of the text of `pattern` (NULL: of nothing).
 *
 * A link is followed to the file it names, unless somebody else may have put it there. 0, or -errno
 * and a sentence; the file is as it was then.
 */
int config_save(const char *path, const char *pattern, const struct config_change *changes,
		size_t n, struct error *err);

#endif
