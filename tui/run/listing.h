// SPDX-License-Identifier: MIT
#ifndef PMCTOP_LISTING_H
#define PMCTOP_LISTING_H

#include "core/base/error.h"
#include "core/engine/engine.h"
#include "core/sys/sys.h"
#include "tui/options/options.h"
#include "tui/term/keymap.h"

#include <stddef.h>
#include <stdio.h>

/*
 * What --list prints. On a terminal texts are broken to its width, under a heading for each PMU or
 * subject; elsewhere an entry is a line of aligned words, for grep and awk: name, whether it can be
 * counted (ok, n/a, denied or - where that cannot be asked), PMU or subject, text. Of a formula the
 * second word is the title of the column, of a verdict the tier. Other lists have names and texts.
 */
struct listing {
	enum options_list list;
	const char *pattern;                /* NULL: all */
	const struct engine_config *engine; /* its columns and the user's metrics */
	const struct preset *presets;       /* the user's */
	size_t n_presets;
	const char *theme_dir; /* the user's themes; may be NULL */
	const struct keymap *keymap;
	unsigned width; /* of the terminal; 0: there is none */
};

/*
 * How many entries were printed. *remark is what is left to say: nothing matches, how to get what
 * is denied; its text "" where there is nothing.
 */
int listing_print(const struct listing *listing, const struct sys *sys, FILE *file,
		  struct error *remark);

#endif
