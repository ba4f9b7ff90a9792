// SPDX-License-Identifier: MIT
#ifndef PMCTOP_THEME_LOAD_H
#define PMCTOP_THEME_LOAD_H

#include "core/base/error.h"
#include "core/base/notes.h"
#include "tui/term/theme.h"

struct theme_text {
	char *name, *text;
};

/* Where the user's themes are. Borrowed; zeroed: there are none. */
struct theme_places {
	const struct theme_text *sent; /* by another machine: these hide others of the name */
	size_t n_sent;
	const char *dir; /* has NAME.theme; NULL: not known */
};

/*
 * Loads a theme by name or file: one of the user's, a built-in theme, or a file. NULL is the
 * default theme. Skipped lines are noted. 0, or -ENOENT, -EINVAL ... and a sentence.
 */
int theme_load(const char *name, const struct theme_places *places, struct theme *theme,
	       struct notes *notes, struct error *err);

/*
 * The text of the theme that theme_load() would parse, which the caller frees. Returns as
 * theme_load().
 */
int theme_load_text(const char *name, const struct theme_places *places, char **text,
		    struct notes *notes, struct error *err);

/* All themes by name, except files outside the places; of two with the same name, the theme that
 * theme_load() uses. */
struct theme_entry {
	char *name;
	char about[100];
};

struct theme_list {
	struct theme_entry *items;
	size_t n, capacity;
};

void theme_list_read(const struct theme_places *places, struct theme_list *list);
void theme_list_fini(struct theme_list *list); /* zeroed is fine */

#endif
