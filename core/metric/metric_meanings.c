// SPDX-License-Identifier: MIT
/*
 * Sorted once for a formula, because a formula of the user's files may have a million names, and as
 * many meanings.
 */
#include "core/metric/metric_meanings.h"

#include "core/base/util.h"

#include <stdlib.h>
#include <string.h>

static int compare_meanings(const void *a, const void *b)
{
	const struct metric_meaning *left = a, *right = b;
	int order = memcmp(left->name, right->name, size_min(left->n_name, right->n_name));

	if (order == 0 && left->n_name != right->n_name)
		order = left->n_name < right->n_name ? -1 : 1;
	return order;
}

/* Of equal names the first is used. */
static int compare_in_order(const void *a, const void *b)
{
	const struct metric_meaning *left = a, *right = b;
	int order = compare_meanings(left, right);

	return order ? order : (left->name > right->name) - (left->name < right->name);
}

void metric_meanings_init(struct metric_meanings *meanings, const char *pairs)
{
	size_t capacity = 0;

	*meanings = (struct metric_meanings){0};
	for (const char *at = pairs; *at; at += strspn(at, " ")) {
		size_t n = strcspn(at, " ");
		const char *equals = memchr(at, '=', n);

		if (equals) {
			meanings->items = array_reserve(meanings->items, &capacity, meanings->n + 1,
							sizeof(*meanings->items));
			meanings->items[meanings->n++] = (struct metric_meaning){
				.name = at,
				.n_name = (size_t)(equals - at),
				.text = equals + 1,
				.n_text = (size_t)(at + n - equals - 1),
			};
		}
		at += n;
	}
	if (meanings->n > 0)
		qsort(meanings->items, meanings->n, sizeof(*meanings->items), compare_in_order);
}

void metric_meanings_fini(struct metric_meanings *meanings)
{
	free(meanings->items);
	*meanings = (struct metric_meanings){0};
}

const char *metric_meanings_find(const struct metric_meanings *meanings, const char *name,
				 size_t n_name, size_t *length)
{
	const struct metric_meaning key = {.name = name, .n_name = n_name};
	size_t first = 0, last = meanings->n;

	while (first < last) {
		size_t middle = first + (last - first) / 2;

		if (compare_meanings(&key, &meanings->items[middle]) <= 0)
			last = middle;
		else
			first = middle + 1;
	}
	if (first == meanings->n || compare_meanings(&key, &meanings->items[first]) != 0)
		return NULL;
	*length = meanings->items[first].n_text;
	return meanings->items[first].text;
}
