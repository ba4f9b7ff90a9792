// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CONFIG_EDIT_H
#define PMCTOP_CONFIG_EDIT_H

#include "core/base/error.h"

#include <stddef.h>

/*
 * Changes in a configuration's text (config.h). Whatever else is in it stays as it is: comments,
 * order, lines that were never understood.
 */
struct config_change {
	const char *section, *name;
	const char *value; /* NULL: the entry goes */
};

/*
 * The changed text, which the caller frees. A value that is there changes where it stands, another
 * comes last in its section. NULL and a sentence where one cannot be written so that it is read as
 * it is: -EINVAL, or -E2BIG where the section or the file is full.
 */
char *config_edit(const char *text, const struct config_change *changes, size_t n,
		  struct error *err);

#endif
