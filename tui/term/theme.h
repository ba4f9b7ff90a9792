// SPDX-License-Identifier: MIT
#ifndef PMCTOP_THEME_H
#define PMCTOP_THEME_H

#include "core/base/error.h"
#include "core/base/notes.h"
#include "tui/term/color.h"
#include "tui/term/paint.h"
#include "tui/term/style.h"

#include <stddef.h>

/*
 * Colours and attributes of the roles of style.h. A theme is a text in btop's format,
 *
 *	    theme[main_fg]="#cc9900"
 *
 * so themes of btop work. Keys that only btop has are ignored. Colours that are not set are
 * derived from others. A theme sets no attributes: these distinguish roles on terminals without
 * colours.
 */
struct theme_style {
	struct color foreground, background;
	unsigned attributes; /* enum paint_attribute */
};

struct theme {
	struct theme_style styles[STYLE_COUNT];
};

/*
 * An invalid line is noted as "NAME:LINE: ..." and skipped. -EINVAL and a sentence if no line is
 * valid.
 */
int theme_parse(const char *name, const char *text, struct theme *theme, struct notes *notes,
		struct error *err);

/* A key that a theme may set. */
struct theme_key {
	const char *name;    /* "main_fg" */
	const char *meaning; /* what has this colour; the key used if it is not set */
	size_t offset;       /* offset of the colour in theme.c's palette */
};
extern const struct theme_key theme_keys[];
extern const size_t theme_keys_n;

/* The first line of a theme, a comment, as its description; "" if there is none. */
void theme_about(const char *text, char *about, size_t size);

/* A style at a depth. */
struct paint theme_paint(const struct theme *theme, enum style style, bool selected,
			 enum color_depth depth);
struct paints theme_paints(const struct theme *theme, enum color_depth depth);

/* themes/ as text, built into the program; the last one's name is NULL. */
struct theme_builtin {
	const char *name, *text;
};
extern const struct theme_builtin theme_builtins[];

/* The text of a built-in theme or NULL. */
const char *theme_builtin_find(const char *name);

#endif
