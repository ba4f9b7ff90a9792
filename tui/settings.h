// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SETTINGS_H
#define PMCTOP_SETTINGS_H

#include "core/error.h"
#include "options.h"

/*
 * What of the options a configuration keeps, the inverse of options_set: writes what is other in
 * *now than the file says into it (core/config_save.h), and a formula of -m as an own metric.
 *
 * `pattern` (may be NULL) is the file that was read instead where there is none at `path`: its text
 * comes along. 0, or -errno and a sentence.
 */
int settings_save(const char *path, const char *pattern, const struct options *now,
		  struct error *err);

#endif
