// SPDX-License-Identifier: MIT
#ifndef PMCTOP_LISTING_H
#define PMCTOP_LISTING_H

#include "core/base/error.h"
#include "core/base/notes.h"
#include "core/engine/engine.h"
#include "core/sys/sys.h"
#include "tui/options/options.h"
#include "tui/term/keymap.h"

#include <stddef.h>
#include <stdio.h>

/*
 * Prints a list for --list. On a terminal, texts are wrapped to its width, below a heading per PMU
 * or subject. Elsewhere an entry is one line of aligned words, for grep and awk: name, state (ok,
 * n/a, denied, or - if it cannot be tested), PMU or subject, text. The second word of a formula is
 * its column title, of a verdict its tier. Other lists have names and texts.
 */
struct listing {
	enum options_list list;
	const char *pattern;                /* NULL: all */
	const struct engine_config *engine; /* its columns and user metrics are listed */
	const struct preset *presets;       /* the user's */
	size_t n_presets;
	const char *
		cpu_model; /* events and metrics are this CPU's, not probed; NULL: this machine's */
	const struct theme_places *themes; /* the user's */
	const struct keymap *keymap;
	unsigned width; /* columns of the terminal; 0: no terminal */
};

/*
 * Returns the number of printed entries. *remark is "", or a sentence: no entry matches, or how to
 * get what is denied. Adds what is wrong with the user's files of events to `notes`.
 */
int listing_print(const struct listing *listing, const struct sys *sys, FILE *file,
		  struct notes *notes, struct error *remark);

#endif
