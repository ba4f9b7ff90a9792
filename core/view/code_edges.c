// SPDX-License-Identifier: MIT
/* Callers and callees of a function: in each stack the frames beside its innermost one. */
#include "core/view/code_view_internal.h"

#include "core/base/hash_table.h"
#include "core/base/util.h"

#include <stdlib.h>

static int compare_edges(const void *a, const void *b)
{
	const struct code_edge *left = a, *right = b;
	double difference = left->share.share - right->share.share;

	if (difference != 0)
		return difference < 0 ? 1 : -1;
	if (!left->function || !right->function)
		return !left->function - !right->function;
	return code_compare_functions(left->function, right->function);
}

static struct code_edge *make_edges(const struct code_profile *profile, struct function_sums *sums,
				    const struct code_total *total)
{
	struct code_edge *edges = xcalloc(sums->n, sizeof(*edges));

	for (size_t i = 0; i < sums->n; i++) {
		uint32_t id = sums->functions[i];

		edges[i] = (struct code_edge){
			.function = id == UINT32_MAX ? NULL : &profile->functions[id],
			.id = id,
			.share = code_share_of(sums->samples[i], sums->weights[i], total),
		};
	}
	if (sums->n > 0)
		qsort(edges, sums->n, sizeof(*edges), compare_edges);
	return edges;
}

/* Returns the innermost frame of a function, or the depth. */
static uint32_t find_frame(const struct code_profile *profile, const struct code_entry *entry,
			   uint32_t function)
{
	uint32_t k = 0;

	while (k < entry->depth && profile->frames[entry->frame + k] != function)
		k++;
	return k;
}

uint32_t code_find_caller(const struct code_profile *profile, const struct code_entry *entry,
			  uint32_t k)
{
	if (k + 1 >= entry->depth)
		return UINT32_MAX;
	uint32_t id = profile->frames[entry->frame + k + 1];
	const struct code_function *function = &profile->functions[id];
	bool is_nowhere = function->kind == CODE_UNNAMED && !function->module[0];
	return is_nowhere ? UINT32_MAX : id;
}

void code_edges_init(const struct code_view *view, uint32_t function, unsigned event,
		     struct code_edges *edges)
{
	const struct code_profile *profile = view->profile;
	struct function_sums callers = {0}, callees = {0};
	struct code_total total = {0};

	hash_table_init(&callers.table, 0);
	hash_table_init(&callees.table, 0);
	for (size_t i = 0; i < view->n_entries; i++) {
		const struct code_entry *entry = view->entries[i];
		const uint32_t *frames = profile->frames + entry->frame;
		uint32_t k = find_frame(profile, entry, function);

		if (entry->event != event || k == entry->depth)
			continue;
		code_total_add(&total, entry);
		function_sums_add(&callers, code_find_caller(profile, entry, k), 1, 0, entry);
		function_sums_add(&callees, k > 0 ? frames[k - 1] : UINT32_MAX, 1, 0, entry);
	}
	*edges = (struct code_edges){
		.samples = total.samples,
		.callers = make_edges(profile, &callers, &total),
		.n_callers = callers.n,
		.callees = make_edges(profile, &callees, &total),
		.n_callees = callees.n,
	};
	function_sums_fini(&callers);
	function_sums_fini(&callees);
}

void code_edges_fini(struct code_edges *edges)
{
	free(edges->callers);
	free(edges->callees);
	*edges = (struct code_edges){0};
}
