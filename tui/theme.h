// SPDX-License-Identifier: MIT
#ifndef PMCTOP_THEME_H
#define PMCTOP_THEME_H

#include "color.h"
#include "core/error.h"
#include "style.h"

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
	/* The others stand in for colours where there are none. */
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
 * -EINVAL for a bad colour, with the line's number, or for a text with no theme[...] line at all.
 * What it says is a phrase for a sentence that names the theme, and so is color_parse's.
 */
int theme_parse(const char *text, struct theme *theme, struct error *err);

/* themes/ as text, built into the program; the last one's name is NULL. */
struct theme_builtin {
	const char *name, *text;
};
extern const struct theme_builtin theme_builtins[];

/* The text of a built-in theme or NULL. */
const char *theme_builtin_find(const char *name);

#endif
