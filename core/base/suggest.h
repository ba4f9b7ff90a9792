// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SUGGEST_H
#define PMCTOP_SUGGEST_H

#include <stddef.h>

/*
 * "did you mean": the name nearest to a misspelt word. Begin with {.word = word} and offer the
 * names one by one. `nearest` stays NULL if no name is near.
 */
struct suggest {
	const char *word;
	const char *nearest; /* one of the names offered; not owned */
	unsigned edits;
};

void suggest_offer(struct suggest *suggest, const char *name);

/* Fills `text` with " (did you mean 'NAME'?)", or with "" if no name is near. */
void suggest_text(const struct suggest *suggest, char *text, size_t size);

#endif
