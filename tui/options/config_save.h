// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CONFIG_SAVE_H
#define PMCTOP_CONFIG_SAVE_H

#include "tui/options/config_edit.h"

/*
 * Writes changes into a configuration file, all or nothing: a new file in the same directory
 * replaces it when it is complete and on the disk, with the same mode and owner. If there is no
 * file, it is created with its directories, from the text of `pattern` (NULL: empty), which must
 * belong to the user (core/base/bounded_read.h).
 *
 * Links are followed, unless another user may have made them (core/base/safe_path.h). Nothing is
 * created in another user's directory and no other user's file replaced; but root may in root's
 * directories. If two save at once, the second gets an error.
 *
 * Returns 0; 1 if the file has these values already, so that nothing is written; or -errno and a
 * sentence, and the file is unchanged.
 */
int config_save(const char *path, const char *pattern, const struct config_change *changes,
		size_t n, struct error *err);

#endif
