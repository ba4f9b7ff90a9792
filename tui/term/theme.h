// SPDX-License-Identifier: MIT
#ifndef PMCTOP_THEME_H
#define PMCTOP_THEME_H

#include "core/base/error.h"
#include "core/base/notes.h"
#include "tui/term/color.h"
#include "tui/term/style.h"

#include <stddef.h>

/*
 * What the roles of style.h look like. A theme is a text in btop's format,
 *
 *     theme[main_fg]="#cc9900"
 *
 * so that btop's themes work here; keys that only btop or only pmctop knows are ignored by the
 * other. What a theme does not say is derived from what it says. Attributes are not the theme's:
 * they tell roles apart where there are no colours.
 */
enum style_attribute {
	ATTRIBUTE_BOLD = 1 << 0,
	/* The others stand in for colours where those tell nothing apart. */
	ATTRIBUTE_UNDERLINE = 1 << 1,
	ATTRIBUTE_DIM = 1 << 2,
	ATTRIBUTE_REVERSE = 1 << 3,
};

struct theme_style {
	struct color foreground, background;
	unsigned attributes; /* enum style_attribute */
};

struct theme {
	struct theme_style styles[STYLE_COUNT];
};

/*
 * A line that says nothing is noted as "NAME:LINE: ..." and skipped. -EINVAL and a sentence where
 * none says anything: that is no theme.
 */
int theme_parse(const char *name, const char *text, struct theme *theme, struct notes *notes,
		struct error *err);

/* A key that a theme may set. */
struct theme_key {
	const char *name;    /* "main_fg" */
	const char *meaning; /* what has its colour; the key that is taken where it is not set */
	size_t offset;       /* of its colour, in theme.c */
};
extern const struct theme_key theme_keys[];
extern const size_t theme_keys_n;

/* What a theme's first line, a comment, says of it; "" where there is none. */
void theme_about(const char *text, char *about, size_t size);

/* What a terminal of that depth shows: numbers of colour (color_index), and attributes. */
struct theme_look {
	int foreground, background;
	unsigned attributes;
};
struct theme_look theme_look(const struct theme *theme, enum style style, bool selected,
			     enum color_depth depth);

/* themes/ as text, built into the program; the last one's name is NULL. */
struct theme_builtin {
	const char *name, *text;
};
extern const struct theme_builtin theme_builtins[];

/* The text of a built-in theme or NULL. */
const char *theme_builtin_find(const char *name);

#endif
