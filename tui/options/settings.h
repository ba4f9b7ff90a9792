// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SETTINGS_H
#define PMCTOP_SETTINGS_H

#include "core/base/error.h"
#include "tui/options/config.h"
#include "tui/options/options.h"

/* Applies the settings of a configuration by options_set(). An invalid line becomes a note. */
void settings_apply(struct config *config, struct options *options);

/*
 * Saves the options that are settings, the inverse of options_set(): writes the settings of *now
 * that differ from the file's (tui/options/config_save.h). A formula of -m becomes a metric
 * of the file.
 *
 * `pattern` (may be NULL) is the file that was read because none exists at `path`: its text is
 * copied. Returns 0; 1 if nothing has changed; or -errno and a sentence.
 */
int settings_save(const char *path, const char *pattern, const struct options *now,
		  struct error *err);

#endif
