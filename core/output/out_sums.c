// SPDX-License-Identifier: MIT
/*
 * Lines are added one by one. Lines for which an event was not counted are also added to a sum for
 * that event. Their estimate is the difference of two readings: of the sum of all lines, and of
 * that sum without these lines. Both are read like every figure, so states, domains and windows
 * need no rule here.
 */
#include "core/output/out_sums.h"

#include "core/base/util.h"

#include <stdlib.h>

/* Lines except idle, added up. */
struct line_sum {
	const struct columns *columns;
	uint64_t *scaled;    /* by event: of the lines that have it */
	uint64_t *idle;      /* by event: of idle time, which is not in the other members */
	uint64_t *tally;     /* of all lines */
	uint64_t *uncounted; /* a tally for each event: the lines for which it was NOT_COUNTED */
};

static void line_sum_init(const struct columns *columns, struct line_sum *sum)
{
	size_t width = tally_width(&columns->plan->shape);

	*sum = (struct line_sum){
		.columns = columns,
		.scaled = xcalloc(columns->events.n, sizeof(uint64_t)),
		.idle = xcalloc(columns->events.n, sizeof(uint64_t)),
		.tally = xcalloc(width, sizeof(uint64_t)),
		.uncounted = xcalloc(columns->events.n * width, sizeof(uint64_t)),
	};
}

static void line_sum_fini(struct line_sum *sum)
{
	free(sum->scaled);
	free(sum->idle);
	free(sum->tally);
	free(sum->uncounted);
}

static uint64_t *uncounted_tally(const struct line_sum *sum, size_t event)
{
	return sum->uncounted + event * tally_width(&sum->columns->plan->shape);
}

/* Counts of sockets and /proc that belong to no task are in the tally of `unattributed` already. */
static bool is_estimated(const struct event *event)
{
	return event->kind != EVENT_SOCKET && event->kind != EVENT_PROC &&
	       event->kind != EVENT_WAIT;
}

static void add_line(struct line_sum *sum, const struct out_counts_of *line)
{
	const struct columns *columns = sum->columns;
	const struct tally_shape *shape = &columns->plan->shape;

	tally_add(shape, sum->tally, line->tally);
	for (size_t i = 0; i < columns->events.n; i++) {
		const struct out_scaled scaled = out_scaled_of(line, i);

		sum->scaled[i] += scaled.count;
		if (scaled.figure.state == FIGURE_NOT_COUNTED &&
		    is_estimated(&columns->events.items[i]))
			tally_add(shape, uncounted_tally(sum, i), line->tally);
	}
}

static void add_idle(struct line_sum *sum, const struct out_counts_of *line)
{
	for (size_t i = 0; i < sum->columns->events.n; i++)
		sum->idle[i] += out_scaled_of(line, i).count;
}

static void add_whole_idle(struct line_sum *sum, const struct snapshot *snapshot)
{
	add_idle(sum, &(struct out_counts_of){
			      .columns = sum->columns, .tally = snapshot->idle, .machine = true});
}

static void add_tasks(struct line_sum *sum, const struct view *view)
{
	const struct columns *columns = sum->columns;
	const struct rows *rows = view->rows ? view->rows : &view->snapshot->threads;
	size_t n = view->rows ? view->n : rows->n;

	for (size_t line = 0; line < n; line++) {
		size_t i = view->rows ? view->order[line] : line;

		if (rows->parents && rows->parents[i] != SIZE_MAX)
			continue;
		add_line(sum, &(struct out_counts_of){.columns = columns,
						      .tally = rows_tally(columns, rows, i)});
	}
	if (view->left_out)
		add_line(sum, &(struct out_counts_of){.columns = columns, .tally = view->left_out});
}

/* Estimates the counts of lines without a value for an event; false if no line has one. */
static bool estimate_uncounted(const struct line_sum *sum, size_t event, uint64_t *count)
{
	size_t width = tally_width(&sum->columns->plan->shape);
	const uint64_t *uncounted = uncounted_tally(sum, event);
	struct out_counts_of all = {.columns = sum->columns, .tally = sum->tally};

	*count = 0;
	if (uncounted[TALLY_TASK_CLOCK] == 0)
		return true;
	const struct out_scaled of_all = out_scaled_of(&all, event);
	if (!of_all.known)
		return false;
	*count = of_all.count;

	uint64_t *counted = xcalloc(width, sizeof(*counted));
	for (size_t i = 0; i < width; i++)
		counted[i] = sum->tally[i] - uncounted[i];
	all.tally = counted;
	const struct out_scaled of_counted = out_scaled_of(&all, event);
	if (of_counted.known)
		*count = u64_growth(of_counted.count, *count);
	free(counted);
	return true;
}

static void sum_target(const struct line_sum *sum, const struct snapshot *snapshot,
		       struct out_scaled *target)
{
	const struct out_counts_of line = {
		.columns = snapshot->columns,
		.tally = snapshot->target,
		.lost = snapshot->target_lost,
	};

	for (size_t i = 0; i < snapshot->columns->events.n; i++) {
		uint64_t estimate;
		bool known = estimate_uncounted(sum, i, &estimate);

		target[i].figure = out_event_figure(&line, i);
		target[i].known = known && figure_known(target[i].figure);
		if (target[i].known)
			target[i].count = sum->scaled[i] + estimate;
	}
}

/* A count with an estimate for the uncounted time beside its own is SCALED. */
static struct figure with_estimate(struct figure figure, uint64_t counted_ns, uint64_t uncounted_ns)
{
	if (figure.state != FIGURE_VALID)
		return figure;
	figure.state = FIGURE_SCALED;
	figure.share = (float)((double)counted_ns / (double)(counted_ns + uncounted_ns));
	return figure;
}

static void sum_totals(const struct line_sum *sum, const struct snapshot *snapshot,
		       struct out_sums *sums)
{
	const struct columns *columns = snapshot->columns;
	const struct out_counts_of all = {
		.columns = columns, .tally = snapshot->totals, .machine = true};
	const struct out_counts_of rest = {
		.columns = columns, .tally = snapshot->unattributed, .machine = true};

	for (size_t i = 0; i < columns->events.n; i++) {
		struct out_scaled *totals = &sums->totals[i];
		struct out_scaled *unattributed = &sums->unattributed[i];
		uint64_t estimate = 0;

		totals->figure = out_event_figure(&all, i);
		totals->known =
			figure_known(totals->figure) && estimate_uncounted(sum, i, &estimate);
		if (totals->known)
			totals->count = sum->scaled[i] + sum->idle[i] + estimate;

		*unattributed = out_scaled_of(&rest, i);
		if (estimate > 0) {
			unattributed->known = true;
			unattributed->count += estimate;
			unattributed->figure = with_estimate(
				unattributed->figure, snapshot->unattributed[TALLY_TASK_CLOCK],
				uncounted_tally(sum, i)[TALLY_TASK_CLOCK]);
		}
	}
}

/* Adds all lines but the tasks' and the idle time's. */
static void make_sums(struct line_sum *sum, const struct snapshot *snapshot, struct out_sums *sums)
{
	const struct columns *columns = snapshot->columns;

	*sums = (struct out_sums){
		.totals = xcalloc(columns->events.n, sizeof(*sums->totals)),
		.unattributed = xcalloc(columns->events.n, sizeof(*sums->unattributed)),
	};
	if (snapshot->targeted) {
		sums->target = xcalloc(columns->events.n, sizeof(*sums->target));
		sum_target(sum, snapshot, sums->target);
	}
	if (snapshot_has_others(snapshot))
		add_line(sum,
			 &(struct out_counts_of){.columns = columns, .tally = snapshot->others});
	add_line(sum, &(struct out_counts_of){.columns = columns,
					      .tally = snapshot->unattributed,
					      .machine = true});
	sum_totals(sum, snapshot, sums);
}

void out_sums_init(const struct view *view, struct out_sums *sums)
{
	struct line_sum sum;

	line_sum_init(view->snapshot->columns, &sum);
	add_tasks(&sum, view);
	add_whole_idle(&sum, view->snapshot);
	make_sums(&sum, view->snapshot, sums);
	line_sum_fini(&sum);
}

void out_sums_init_rows(const struct snapshot *snapshot, const struct rows *rows,
			struct out_sums *sums)
{
	const struct columns *columns = snapshot->columns;
	struct line_sum sum;
	bool any_cpu = false;

	line_sum_init(columns, &sum);
	for (size_t i = 0; i < rows->n; i++)
		add_line(&sum, &(struct out_counts_of){.columns = columns,
						       .tally = rows_tally(columns, rows, i)});
	for (size_t i = 0; i < snapshot->n_cpus; i++) {
		const uint64_t *idle = snapshot->cpus[i].idle;

		any_cpu |= idle != NULL;
		if (idle)
			add_idle(&sum, &(struct out_counts_of){.columns = columns, .tally = idle});
	}
	if (!any_cpu)
		add_whole_idle(&sum, snapshot);
	make_sums(&sum, snapshot, sums);
	line_sum_fini(&sum);
}

void out_sums_fini(struct out_sums *sums)
{
	free(sums->totals);
	free(sums->unattributed);
	free(sums->target);
	*sums = (struct out_sums){0};
}
