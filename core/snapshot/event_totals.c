// SPDX-License-Identifier: MIT
/*
 * Totals by event, and the error of the last estimate. The error is computed from the changes of
 * the rate from snapshot to snapshot: see event_totals.h for the formula and its limits.
 */
#include "core/snapshot/event_totals.h"

#include "core/base/util.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct metric_input event_totals_input(const struct snapshot *snapshot)
{
	return (struct metric_input){
		.events = &snapshot->columns->events,
		.plan = snapshot->columns->plan,
		.tally = snapshot->target ? snapshot->target : snapshot->totals,
		.machine = !snapshot->target,
		/* Counts of CPUs need no records, those of tasks do. */
		.lost = snapshot->target && (snapshot->target_lost || snapshot->lost_records > 0),
	};
}

/* Found by tests/unit/engine/test_scaled_counts.c and tests/unit/snapshot/test_event_totals.c. */
#define SPREADS   1.6 /* in standard deviations of the estimates, if there are many */
#define JUMPS     1.4
#define JUMP_LEFT 0.85 /* of a jump, in the next snapshot */

static struct event_sum *find_sum(const struct event_totals *sums, const char *name)
{
	for (size_t i = 0; i < sums->n; i++)
		if (sums->items[i].name && strcmp(sums->items[i].name, name) == 0)
			return &sums->items[i];
	return NULL;
}

const struct event_sum *event_totals_find(const struct event_totals *sums, const char *name)
{
	return find_sum(sums, name);
}

static void update_rate(struct event_sum *sum, double rate)
{
	double step = rate - sum->rate, off = rate - sum->mean;
	/* The mean of all rates so far, then an exponential mean. */
	double weight = 1 / (double)(sum->n + 1);

	sum->jump = fmin(fmax(fabs(step), JUMP_LEFT * sum->jump), fabs(off));
	sum->mean += off * weight;
	if (sum->n > 0)
		sum->variance += (step * step / 2 - sum->variance) / (double)sum->n;
	sum->rate = rate;
	if (sum->n < SUMS_MEMORY)
		sum->n++;
}

static void add_count(struct event_sum *sum, struct figure count, double interval_s)
{
	if (!figure_known(count)) {
		if (sum->n > 0) /* it was known before: the total lacks this interval */
			sum->total = figure_sum(sum->total, FIGURE_MISSING);
		return;
	}
	sum->total = figure_sum(sum->total, count);
	if (interval_s > 0)
		update_rate(sum, count.value / interval_s);
}

/* Sets the events of the columns, in their order, and keeps the sums of known events. */
static void replace_events(struct event_totals *sums, const struct event_set *events)
{
	struct event_sum *items = xcalloc(events->n, sizeof(*items));

	for (size_t i = 0; i < events->n; i++) {
		struct event_sum *known = find_sum(sums, events->items[i].name);

		items[i].total = figure_exact(0);
		if (known)
			items[i] = *known;
		else
			items[i].name = xstrdup(events->items[i].name);
		if (known)
			known->name = NULL;
	}
	for (size_t i = 0; i < sums->n; i++)
		free(sums->items[i].name);
	free(sums->items);
	sums->items = items;
	sums->n = events->n;
}

static bool same_events(const struct event_totals *sums, const struct event_set *events)
{
	if (sums->n != events->n)
		return false;
	for (size_t i = 0; i < events->n; i++)
		if (strcmp(sums->items[i].name, events->items[i].name) != 0)
			return false;
	return true;
}

void event_totals_add_row(struct event_totals *sums, const struct snapshot *snapshot,
			  const struct metric_input *row)
{
	const struct columns *columns = snapshot->columns;

	if (snapshot->whole)
		event_totals_zero(sums);
	if (!same_events(sums, &columns->events))
		replace_events(sums, &columns->events);
	sums->time_ns += snapshot->interval_ns;
	for (size_t i = 0; i < sums->n; i++)
		add_count(&sums->items[i], metric_read_one(&columns->event_readings.items[i], row),
			  (double)snapshot->interval_ns / (double)NS_PER_S);
}

void event_totals_add(struct event_totals *sums, const struct snapshot *snapshot)
{
	const struct metric_input input = event_totals_input(snapshot);

	if (sums->targeted != (snapshot->target != NULL)) { /* sums of another scope */
		event_totals_fini(sums);
		sums->targeted = snapshot->target != NULL;
	}
	event_totals_add_row(sums, snapshot, &input);
}

void event_totals_zero(struct event_totals *sums)
{
	for (size_t i = 0; i < sums->n; i++)
		sums->items[i].total = figure_exact(0);
	sums->time_ns = 0;
}

void event_totals_fini(struct event_totals *sums)
{
	for (size_t i = 0; i < sums->n; i++)
		free(sums->items[i].name);
	free(sums->items);
	*sums = (struct event_totals){0};
}

double event_sum_error(const struct event_sum *sum, double share)
{
	if (share >= 1)
		return 0;
	if (!sum || sum->n < SUMS_LEAST || sum->rate <= 0)
		return (double)NAN;
	/* n differences of neighbours are worth 2/3 n samples. */
	double few = 1.5 / (sum->n < SUMS_MEMORY ? sum->n - 1 : 2 * SUMS_MEMORY - 1);
	double spread = SPREADS * (1 + 2 * few + 2 * few * few) * sqrt(sum->variance);
	return fmax(spread, JUMPS * sum->jump) / sum->rate;
}
