// SPDX-License-Identifier: MIT
/*
 * Snapshots share columns, and snapshots move between threads. The count of references is the only
 * part of columns that changes.
 */
#include "core/snapshot/columns.h"

#include "core/base/util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct columns *columns_ref(struct columns *columns)
{
	__atomic_add_fetch(&columns->references, 1, __ATOMIC_RELAXED);
	return columns;
}

void columns_unref(struct columns *columns)
{
	if (!columns)
		return;
	/* Release this thread's uses. The last owner acquires the uses of all other threads. */
	if (__atomic_sub_fetch(&columns->references, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	for (size_t i = 0; i < columns->n_metrics; i++) {
		metric_fini(&columns->metrics[i]);
		metric_def_fini(&columns->defs[i]);
	}
	free(columns->metrics);
	free(columns->defs);
	metric_readings_fini(&columns->readings);
	metric_readings_fini(&columns->event_readings);
	event_set_fini(&columns->events);
	plan_unref(columns->plan);
	for (size_t i = 0; i < columns->n_pmus; i++)
		free(columns->pmus[i]);
	free(columns->pmus);
	free(columns->preset);
	free(columns);
}

int columns_metric(const struct columns *columns, const char *name)
{
	for (size_t i = 0; i < columns->n_metrics; i++)
		if (strcmp(columns->metrics[i].def->name, name) == 0)
			return (int)i;
	return -ENOENT;
}

bool columns_show(const struct columns *columns, const char *name)
{
	int metric = columns_metric(columns, name);

	return metric >= 0 && (size_t)metric < columns->n_shown;
}

unsigned columns_facts(const struct columns *columns)
{
	unsigned facts = 0;

	for (size_t i = 0; i < columns->n_metrics; i++)
		facts |= metric_facts(&columns->metrics[i]);
	return facts;
}

bool columns_of_profile(const struct columns *columns)
{
	const struct event_set *events = &columns->events;

	return events->n > TALLY_FIRST_COUNTED &&
	       events->items[TALLY_FIRST_COUNTED].kind == EVENT_SAMPLED;
}

size_t columns_rank(const struct columns *columns)
{
	return columns_of_profile(columns) ? TALLY_FIRST_COUNTED : TALLY_TASK_CLOCK;
}

void evaluator_init(struct evaluator *evaluator, const struct columns *columns,
		    struct metric_scope scope)
{
	*evaluator = (struct evaluator){
		.columns = columns,
		.input = {.events = &columns->events,
			  .plan = columns->plan,
			  .totals = scope.totals},
		.interval_s = scope.interval_s,
		.counts = xcalloc(columns->readings.n, sizeof(*evaluator->counts)),
	};
}

void evaluator_fini(struct evaluator *evaluator)
{
	free(evaluator->counts);
}

void evaluator_run(struct evaluator *evaluator, const uint64_t *tally, struct figure *figures)
{
	const struct columns *columns = evaluator->columns;

	evaluator->input.tally = tally;
	metric_read(&columns->readings, &evaluator->input, evaluator->counts);
	for (size_t i = 0; i < columns->n_metrics; i++)
		figures[i] = metric_eval(&columns->metrics[i], evaluator->counts, evaluator->facts,
					 evaluator->interval_s);
}
