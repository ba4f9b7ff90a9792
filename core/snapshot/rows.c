// SPDX-License-Identifier: MIT
/*
 * Rows are parallel arrays, so that sums and metrics run over dense memory. Rows that did not run
 * share one tally and its figures: a machine may have thousands of them. The rows of a snapshot
 * and of a rollup are both this struct.
 */
#include "core/snapshot/rows.h"

#include "core/base/util.h"

#include <stdlib.h>

static struct figure *facts_new(size_t n)
{
	struct figure *facts = xcalloc(n, FACTS * sizeof(*facts));

	for (size_t i = 0; i < n; i++)
		facts_clear(facts + i * FACTS, FIGURE_UNDEFINED);
	return facts;
}

void rows_init_still(const struct columns *columns, size_t n, size_t n_still, struct rows *rows)
{
	bool has_facts = columns_facts(columns);
	size_t places = n + (has_facts || n_still == 0 ? n_still : ROWS_SHARED);

	*rows = (struct rows){
		.n = n + n_still,
		.n_still = n_still,
		.items = xcalloc(n + n_still, sizeof(*rows->items)),
		.tallies = xcalloc(places,
				   tally_width(&columns->plan->shape) * sizeof(*rows->tallies)),
		.figures = xcalloc(places, columns->n_metrics * sizeof(*rows->figures)),
		.facts = has_facts ? facts_new(n + n_still) : NULL,
	};
}

void rows_init(const struct columns *columns, size_t n, struct rows *rows)
{
	rows_init_still(columns, n, 0, rows);
}

void rows_fini(struct rows *rows)
{
	free(rows->items);
	free(rows->tallies);
	free(rows->figures);
	free(rows->facts);
	free(rows->only);
	free(rows->parents);
	*rows = (struct rows){0};
}

/* The figures that rows share, in the order of rows_place(). */
static void evaluate_shared(struct evaluator *evaluator, const struct columns *columns,
			    struct rows *rows)
{
	size_t apart = rows_apart(rows), width = tally_width(&columns->plan->shape);

	evaluator->input.sum = false;
	evaluator->facts = NULL;
	for (size_t i = 0; apart < rows->n && i < ROWS_SHARED; i++) {
		evaluator->input.lost = i == 1;
		evaluator_run(evaluator, rows->tallies + (apart + i) * width,
			      rows->figures + (apart + i) * columns->n_metrics);
	}
}

void rows_evaluate(const struct columns *columns, struct metric_scope scope, struct rows *rows)
{
	struct evaluator evaluator;

	evaluator_init(&evaluator, columns, scope);
	for (size_t i = 0; i < rows_apart(rows); i++) {
		if (rows->only && rows->only[i] != SIZE_MAX)
			continue;
		evaluator.input.lost = rows->items[i].flags & ROW_LOST;
		evaluator.input.doubt = row_doubt(&rows->items[i], rows_tally(columns, rows, i));
		evaluator.input.sum = rows->items[i].processes > 1;
		evaluator.facts = rows_facts(rows, i);
		evaluator_run(&evaluator, rows_tally(columns, rows, i),
			      rows->figures + i * columns->n_metrics);
	}
	evaluate_shared(&evaluator, columns, rows);
	evaluator_fini(&evaluator);
}

void rows_evaluate_sums(const struct columns *columns, struct metric_scope scope,
			const struct rows *parts, size_t *only, struct rows *rows)
{
	rows->parts = parts;
	rows->only = only;
	/* Not zeroed: most pages may never be touched. */
	rows->figures = xreallocarray(NULL, rows->n, columns->n_metrics * sizeof(*rows->figures));
	rows_evaluate(columns, scope, rows);
}

void rows_evaluate_one(const struct columns *columns, struct metric_scope scope,
		       const struct rows *rows, size_t i, struct figure *figures)
{
	struct evaluator evaluator;

	evaluator_init(&evaluator, columns, scope);
	evaluator.input.lost = rows->items[i].flags & ROW_LOST;
	evaluator.input.doubt = row_doubt(&rows->items[i], rows_tally(columns, rows, i));
	evaluator.input.sum = rows->items[i].processes > 1;
	evaluator.facts = rows_facts(rows, i);
	evaluator_run(&evaluator, rows_tally(columns, rows, i), figures);
	evaluator_fini(&evaluator);
}
