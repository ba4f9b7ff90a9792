// SPDX-License-Identifier: MIT
/*
 * The distance is by optimal string alignment: insertions, deletions, substitutions and swaps
 * of neighbours each count 1. Case does not count.
 */
#include "core/base/suggest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { SUGGEST_LONGEST = 40 };

static unsigned smallest(unsigned a, unsigned b, unsigned c)
{
	unsigned least = a < b ? a : b;

	return least < c ? least : c;
}

/* tolower() depends on the locale. */
static char lower(const char *text, size_t i)
{
	return text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] - 'A' + 'a') : text[i];
}

/* Whether a name begins with a word. */
static bool begins(const char *name, const char *word)
{
	size_t i = 0;

	while (word[i] && lower(name, i) == lower(word, i))
		i++;
	return !word[i];
}

/* Three rows of the matrix are enough. */
static unsigned edits_between(const char *a, size_t n_a, const char *b, size_t n_b)
{
	unsigned rows[3][SUGGEST_LONGEST + 1];

	for (size_t j = 0; j <= n_b; j++)
		rows[0][j] = (unsigned)j;
	for (size_t i = 1; i <= n_a; i++) {
		unsigned *before = rows[(i + 1) % 3], *above = rows[(i - 1) % 3],
			 *row = rows[i % 3];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= n_b; j++) {
			unsigned differs = lower(a, i - 1) != lower(b, j - 1);

			row[j] = smallest(above[j] + 1, row[j - 1] + 1, above[j - 1] + differs);
			if (i > 1 && j > 1 && lower(a, i - 1) == lower(b, j - 2) &&
			    lower(a, i - 2) == lower(b, j - 1))
				row[j] = smallest(row[j], before[j - 2] + 1, row[j]);
		}
	}
	return rows[n_a % 3][n_b];
}

void suggest_offer(struct suggest *suggest, const char *name)
{
	size_t n_word = strlen(suggest->word), n_name = strlen(name);

	if (n_word == 0 || n_word > SUGGEST_LONGEST || n_name > SUGGEST_LONGEST)
		return;

	size_t longer = n_word > n_name ? n_word : n_name;
	unsigned edits = edits_between(suggest->word, n_word, name, n_name);

	/* A prefix counts as near: "brief" for "briefly", "cpu" for "cpu_percent". */
	if (n_word >= 3 && begins(name, suggest->word))
		edits = 1;
	if (edits > 1 + longer / 4 || edits >= longer)
		return;
	if (!suggest->nearest || edits < suggest->edits) {
		suggest->nearest = name;
		suggest->edits = edits;
	}
}

void suggest_text(const struct suggest *suggest, char *text, size_t size)
{
	if (suggest->nearest)
		snprintf(text, size, " (did you mean '%s'?)", suggest->nearest);
	else
		snprintf(text, size, "%s", "");
}
