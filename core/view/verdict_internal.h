// SPDX-License-Identifier: MIT
#ifndef PMCTOP_VERDICT_INTERNAL_H
#define PMCTOP_VERDICT_INTERNAL_H

#include "core/view/verdict.h"

/* Shared by verdict.c and verdict_snapshot.c. */

/* Returns what follows "1.9 of 8 CPUs' time": "in memory-bound tasks"; NULL: no loss. */
const char *verdict_time(enum verdict verdict);
/* Appends to a text of `size` bytes, as far as it fits. Returns the new length. */
size_t verdict_append(char *text, size_t size, const char *more);
/* Appends the figures of the rule that fired, with their limits or without. */
void verdict_append_figures(const struct judge *judge, const struct judgement *judgement,
			    const struct figure *figures, bool limits, char *text, size_t size);

#endif
