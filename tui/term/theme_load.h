// SPDX-License-Identifier: MIT
#ifndef PMCTOP_THEME_LOAD_H
#define PMCTOP_THEME_LOAD_H

#include "core/base/error.h"
#include "core/base/notes.h"
#include "tui/term/theme.h"

/*
 * Loads a theme by name or file: DIR/NAME.theme in the user's directory (`dir`, may be NULL), a
 * built-in theme, or a file. NULL is the default theme. Skipped lines are noted. 0, or -ENOENT,
 * -EINVAL ... and a sentence.
 */
int theme_load(const char *name, const char *dir, struct theme *theme, struct notes *notes,
	       struct error *err);

/*
 * The text of the theme that theme_load() would parse, which the caller frees. Returns as
 * theme_load().
 */
int theme_load_text(const char *name, const char *dir, char **text, struct notes *notes,
		    struct error *err);

/* All themes by name; of two with the same name, the one that theme_load() uses. */
struct theme_entry {
	char *name;
	char about[100];
};

struct theme_list {
	struct theme_entry *items;
	size_t n, capacity;
};

void theme_list_read(const char *dir, struct theme_list *list); /* dir: as in theme_load() */
void theme_list_fini(struct theme_list *list);                  /* zeroed is fine */

#endif
