// SPDX-License-Identifier: MIT
#ifndef PMCTOP_NOTES_H
#define PMCTOP_NOTES_H

#include <stddef.h>

/* Sentences for the user about this run, each once, in the order in which they came up. */
struct notes {
	char **items;
	size_t n;
	size_t capacity;
};

/* Adds a sentence unless it is there already. At most 32 are kept. */
void notes_add(struct notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));
void notes_fini(struct notes *notes);

#endif
