// SPDX-License-Identifier: MIT
/*
 * A snapshot may have 20,000 rows. So each cgroup is matched once, not for each row in it, and a
 * pid is converted to text only if a word is a number.
 */
#include "core/snapshot/row_filter.h"

#include "core/base/util.h"
#include "core/sys/cgroup_name.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert(ROW_FILTER_BYTES / 2 <= 64, "a bit for each word");

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Returns whether the text contains a word in lower case. */
static bool contains(const char *text, const char *word)
{
	for (; *text; text++) {
		size_t i = 0;

		while (word[i] && lower(text[i]) == word[i])
			i++;
		if (!word[i])
			return true;
	}
	return false;
}

static const char *word_at(const struct row_filter *filter, size_t i)
{
	return filter->text + filter->words[i];
}

static uint64_t words_in(const struct row_filter *filter, const char *text)
{
	uint64_t found = 0;

	for (size_t i = 0; i < filter->n_words; i++)
		if (contains(text, word_at(filter, i)))
			found |= (uint64_t)1 << i;
	return found;
}

static uint64_t words_in_number(const struct row_filter *filter, pid_t number)
{
	char text[16];
	size_t at = sizeof(text) - 1;

	text[at] = '\0';
	for (unsigned left = (unsigned)number; left > 0; left /= 10)
		text[--at] = (char)('0' + left % 10);
	return words_in(filter, text + at);
}

static void split_words(struct row_filter *filter)
{
	const char *text = filter->spec->text;
	bool within = false;

	for (size_t i = 0; i < ROW_FILTER_BYTES && text[i]; i++) {
		bool blank = text[i] == ' ' || text[i] == '\t';

		filter->text[i] = blank ? '\0' : lower(text[i]);
		if (!blank && !within)
			filter->words[filter->n_words++] = (unsigned char)i;
		within = !blank;
	}
	for (size_t i = 0; i < filter->n_words; i++) {
		const char *word = word_at(filter, i);

		if (word[strspn(word, "0123456789")] == '\0')
			filter->numbers |= (uint64_t)1 << i;
	}
}

static bool has_words(const char *text)
{
	return text[strspn(text, " \t")] != '\0';
}

bool row_filter_is_set(const struct row_filter_spec *spec)
{
	return spec->one_user || has_words(spec->text);
}

enum command_lines row_filter_lines(const char *text)
{
	return has_words(text) ? COMMAND_LINES_MATCHED : COMMAND_LINES_NONE;
}

void row_filter_init(const struct row_filter_spec *spec, const struct snapshot *snapshot,
		     struct row_filter *filter)
{
	*filter = (struct row_filter){.spec = spec, .n_cgroups = snapshot->n_cgroups};
	split_words(filter);
	filter->cgroups = xcalloc(filter->n_cgroups, sizeof(*filter->cgroups));
	for (size_t i = 0; i < filter->n_cgroups; i++) {
		char name[256];

		cgroup_name(snapshot->cgroups[i], name, sizeof(name));
		filter->cgroups[i] =
			words_in(filter, snapshot->cgroups[i]) | words_in(filter, name);
	}
}

void row_filter_fini(struct row_filter *filter)
{
	free(filter->cgroups);
	*filter = (struct row_filter){0};
}

bool row_filter_passes(const struct row_filter *filter, const struct row *row)
{
	uint64_t all = filter->n_words < 64 ? ((uint64_t)1 << filter->n_words) - 1 : UINT64_MAX;
	uint64_t found = 0;

	if (filter->spec->one_user && row->uid != filter->spec->uid)
		return false;
	if (row->cgroup >= 0 && (size_t)row->cgroup < filter->n_cgroups)
		found |= filter->cgroups[row->cgroup];
	if (found != all)
		found |= words_in(filter, row->comm) | words_in(filter, row->user);
	if (found != all && row->cmdline)
		found |= words_in(filter, row->cmdline);
	if (found != all && filter->numbers)
		found |= words_in_number(filter, row->pid) | words_in_number(filter, row->tid);
	return found == all;
}
