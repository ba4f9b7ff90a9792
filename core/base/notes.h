// SPDX-License-Identifier: MIT
#ifndef PMCTOP_NOTES_H
#define PMCTOP_NOTES_H

#include <stdbool.h>
#include <stddef.h>

enum { NOTES_MAX = 32 };

/*
 * Sentences for the user about this run, each once: urgent ones first, the latest of them on top.
 */
struct notes {
	char **items;
	size_t n;
	size_t capacity;
};

/*
 * Adds a sentence unless it is there already. At most NOTES_MAX are kept, the urgent ones rather.
 */
void notes_add(struct notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for what changes all that is on the screen, not one column. */
void notes_add_urgent(struct notes *notes, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The same as number `at` of them, for those that have an order; whether it is there now. */
bool notes_insert(struct notes *notes, size_t at, const char *sentence);
/* Removes what begins with these words: it is over, or will be told anew. */
void notes_remove(struct notes *notes, const char *words);
void notes_fini(struct notes *notes);

#endif
