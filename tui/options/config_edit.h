// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CONFIG_EDIT_H
#define PMCTOP_CONFIG_EDIT_H

#include "core/base/error.h"

#include <stddef.h>

/*
 * Changes entries in a configuration's text (config.h). The rest of the text stays: comments,
 * order, invalid lines.
 */
struct config_change {
	const char *section, *name;
	const char *value; /* NULL: remove the entry */
};

/*
 * The changed text, owned by the caller. The value of an existing entry is replaced in place, a new
 * entry comes last in its section. NULL and a sentence if a value cannot be written: -EINVAL, or
 * -E2BIG if the section or the file is full.
 */
char *config_edit(const char *text, const struct config_change *changes, size_t n,
		  struct error *err);

#endif
