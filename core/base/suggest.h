// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SUGGEST_H
#define PMCTOP_SUGGEST_H

#include <stddef.h>

/*
 * "did you mean": the name that is nearest to a word by edits (a swap of neighbours is one), or
 * NULL where none is near. Offer names one by one to a `struct suggest` that starts zeroed but for
 * `word`.
 */
struct suggest {
	const char *word;
	const char *nearest; /* borrowed from what was offered */
	unsigned edits;
};

void suggest_offer(struct suggest *suggest, const char *name);

/* Fills `text` with " (did you mean 'NAME'?)", or with "" where nothing is near. */
void suggest_text(const struct suggest *suggest, char *text, size_t size);

#endif
