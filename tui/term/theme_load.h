// SPDX-License-Identifier: MIT
#ifndef PMCTOP_THEME_LOAD_H
#define PMCTOP_THEME_LOAD_H

#include "core/base/error.h"
#include "core/base/notes.h"
#include "tui/term/theme.h"

/*
 * A theme by name or file: DIR/NAME.theme where `dir` (may be NULL) is the user's directory of
 * themes, a built-in one, or a file. NULL is the default. -ENOENT, -EINVAL ... and a sentence; the
 * lines that were skipped are noted.
 */
int theme_load(const char *name, const char *dir, struct theme *theme, struct notes *notes,
	       struct error *err);

/* All that have a name, by it; of two with the same, the one that theme_load takes. */
struct theme_entry {
	char *name;
	char about[100];
};

struct theme_list {
	struct theme_entry *items;
	size_t n, capacity;
};

void theme_list_read(const char *dir, struct theme_list *list); /* dir as above */
void theme_list_fini(struct theme_list *list);                  /* zeroed is fine */

#endif
