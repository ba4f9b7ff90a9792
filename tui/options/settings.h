// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SETTINGS_H
#define PMCTOP_SETTINGS_H

#include "core/base/error.h"
#include "tui/options/config.h"
#include "tui/options/options.h"

/* What a configuration sets, by options_set(); a note for each line that is of no use. */
void settings_apply(struct config *config, struct options *options);

/*
 * What of the options a configuration keeps, the inverse of options_set: writes what is other in
 * *now than the file says into it (tui/options/config_save.h), and a formula of -m as an own
 * metric.
 *
 * `pattern` (may be NULL) is the file that was read instead where there is none at `path`: its text
 * comes along. 0; 1 where there is nothing to save; or -errno and a sentence.
 */
int settings_save(const char *path, const char *pattern, const struct options *now,
		  struct error *err);

#endif
