// SPDX-License-Identifier: MIT
/*
 * Snapshots are plain memory once they are made: the only thing that two threads share is the
 * columns, and of those only the count of references ever changes.
 */
#include "core/snapshot/snapshot.h"

#include "core/base/util.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- columns */

struct columns *columns_ref(struct columns *columns)
{
	__atomic_add_fetch(&columns->references, 1, __ATOMIC_RELAXED);
	return columns;
}

void columns_unref(struct columns *columns)
{
	if (!columns)
		return;
	/* Release what this thread did with it; the last one acquires what all the others did. */
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

/* ---- rows */

void rows_init_still(const struct columns *columns, size_t n, size_t n_still, struct rows *rows)
{
	size_t places = n + (n_still > 0);

	*rows = (struct rows){
		.n = n + n_still,
		.n_still = n_still,
		.items = xcalloc(n + n_still, sizeof(*rows->items)),
		.tallies = xcalloc(places,
				   tally_width(&columns->plan->shape) * sizeof(*rows->tallies)),
		.figures = xcalloc(places, columns->n_metrics * sizeof(*rows->figures)),
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
	free(rows->only);
	free(rows->parents);
	*rows = (struct rows){0};
}

/* Evaluates rows one after the other, with the memory that takes. */
struct evaluation {
	const struct columns *columns;
	struct metric_input input;
	struct figure interval_s;
	struct figure *counts;
};

static void evaluation_init(struct evaluation *evaluation, const struct columns *columns,
			    struct figure interval_s)
{
	*evaluation = (struct evaluation){
		.columns = columns,
		.input = {.events = &columns->events, .plan = columns->plan},
		.interval_s = interval_s,
		.counts = xcalloc(columns->readings.n, sizeof(*evaluation->counts)),
	};
}

static void evaluation_fini(struct evaluation *evaluation)
{
	free(evaluation->counts);
}

static void evaluate(struct evaluation *evaluation, const uint64_t *tally, struct figure *figures)
{
	const struct columns *columns = evaluation->columns;

	evaluation->input.tally = tally;
	metric_read(&columns->readings, &evaluation->input, evaluation->counts);
	for (size_t i = 0; i < columns->n_metrics; i++)
		figures[i] = metric_eval(&columns->metrics[i], evaluation->counts,
					 evaluation->interval_s);
}

void rows_evaluate(const struct columns *columns, struct figure interval_s, struct rows *rows)
{
	struct evaluation evaluation;

	evaluation_init(&evaluation, columns, interval_s);
	for (size_t i = 0; i < rows->n && i <= rows->n - rows->n_still; i++) {
		if (rows->only && rows->only[i] != SIZE_MAX)
			continue;
		evaluation.input.lost = rows->items[i].flags & ROW_LOST;
		evaluate(&evaluation, rows_tally(columns, rows, i),
			 rows->figures + i * columns->n_metrics);
	}
	evaluation_fini(&evaluation);
}

void rows_evaluate_sums(const struct columns *columns, struct figure interval_s,
			const struct rows *parts, size_t *only, struct rows *rows)
{
	rows->parts = parts;
	rows->only = only;
	/* Most of it may never be touched. */
	rows->figures = xreallocarray(NULL, rows->n, columns->n_metrics * sizeof(*rows->figures));
	rows_evaluate(columns, interval_s, rows);
}

void rows_evaluate_one(const struct columns *columns, struct figure interval_s,
		       const struct rows *rows, size_t i, struct figure *figures)
{
	struct evaluation evaluation;

	evaluation_init(&evaluation, columns, interval_s);
	evaluation.input.lost = rows->items[i].flags & ROW_LOST;
	evaluate(&evaluation, rows_tally(columns, rows, i), figures);
	evaluation_fini(&evaluation);
}

/* ---- the whole */

const char *snapshot_cgroup(const struct snapshot *snapshot, const struct row *row)
{
	bool known = row->cgroup >= 0 && (size_t)row->cgroup < snapshot->n_cgroups;

	return known ? snapshot->cgroups[row->cgroup] : NULL;
}

void snapshot_evaluate_busy(const struct columns *columns, uint64_t interval_ns, bool machine,
			    const uint64_t *tally, const uint64_t *idle, struct figure *figures)
{
	size_t width = tally_width(&columns->plan->shape);
	uint64_t *busy = xcalloc(width, sizeof(*busy));
	struct evaluation evaluation;

	evaluation_init(&evaluation, columns, figure_exact((double)interval_ns / (double)NS_PER_S));
	evaluation.input.machine = machine;
	for (size_t i = 0; i < width; i++) {
		uint64_t less = idle ? idle[i] : 0;

		/* More idle than there was is rounding between two clocks, not 2^64 of work. */
		busy[i] = tally[i] > less ? tally[i] - less : 0;
	}
	/* A switch away from the idle task is a switch of the CPU all the same. */
	busy[TALLY_SWITCHES] = tally[TALLY_SWITCHES];
	evaluate(&evaluation, busy, figures);
	evaluation_fini(&evaluation);
	free(busy);
}

/* Whether the kernel counted for it, and not /proc alone told of it. */
static bool is_counted(const struct tally_shape *shape, const uint64_t *tally)
{
	for (unsigned i = PLAN_GROUP_SOFTWARE; i < shape->n_groups; i++)
		if (tally[tally_group(shape, i)] > 0)
			return true;
	return false;
}

void snapshot_merge_target(struct snapshot *snapshot)
{
	const struct columns *columns = snapshot->columns;
	const struct tally_shape *shape = &columns->plan->shape;
	const struct rows *rows = &snapshot->threads;
	struct evaluation evaluation;
	size_t n = 0;

	if (!snapshot->targeted && !columns->plan->per_task)
		return;
	uint64_t *sum = xcalloc(tally_width(shape), sizeof(*sum));
	evaluation_init(&evaluation, columns, snapshot_interval_s(snapshot));
	for (size_t i = 0; i < rows->n; i++) {
		const uint64_t *tally = rows_tally(columns, rows, i);
		if (!snapshot->targeted && !is_counted(shape, tally))
			continue;
		tally_add(shape, sum, tally);
		snapshot->target_lost |= (rows->items[i].flags & ROW_LOST) != 0;
		n++;
	}
	evaluation.input.lost = snapshot->target_lost;
	if (snapshot->targeted || n > 0) {
		snapshot->target = sum;
		snapshot->target_figures = xcalloc(columns->n_metrics, sizeof(struct figure));
		evaluate(&evaluation, sum, snapshot->target_figures);
	} else {
		free(sum);
	}
	evaluation_fini(&evaluation);
}

struct figure snapshot_interval_s(const struct snapshot *snapshot)
{
	const struct snapshot_run *run = snapshot->run;
	bool whole_run = run && run->parts == 1 && run->elapsed_ns > 0;
	uint64_t ns = whole_run ? run->elapsed_ns : snapshot->interval_ns;
	struct figure interval = figure_exact((double)ns / (double)NS_PER_S);

	if (snapshot->uneven > 0) {
		interval.state = FIGURE_SCALED;
		interval.share = 1 - snapshot->uneven;
	}
	return interval;
}

uint64_t snapshot_counted_ns(uint64_t interval_ns, const uint64_t *tally, size_t cpus)
{
	uint64_t own_ns = cpus ? tally[TALLY_TASK_CLOCK] / cpus : 0;

	return own_ns ? own_ns : interval_ns;
}

double snapshot_unattributed_time(const struct snapshot *snapshot)
{
	uint64_t used_ns =
		u64_growth(snapshot->idle[TALLY_TASK_CLOCK], snapshot->totals[TALLY_TASK_CLOCK]);

	if (used_ns == 0)
		return 0;
	return (double)snapshot->unattributed[TALLY_TASK_CLOCK] / (double)used_ns;
}

bool snapshot_rows_too_low(const struct snapshot *snapshot)
{
	uint64_t unattributed_ns = snapshot->unattributed[TALLY_TASK_CLOCK];

	return snapshot_unattributed_time(snapshot) > 0.05 &&
	       unattributed_ns > snapshot->totals[TALLY_TASK_CLOCK] / 200;
}

enum { UNATTRIBUTED_MANY = 10000 };

double snapshot_unattributed(const struct snapshot *snapshot, size_t *event)
{
	const struct columns *columns = snapshot->columns;
	double greatest = snapshot_unattributed_time(snapshot);

	*event = TALLY_TASK_CLOCK;
	if (greatest >= 0.01)
		return greatest;
	for (size_t i = 0; i < columns->plan->shape.n_counters; i++) {
		size_t event_index = columns->plan->counters[i].event;
		enum event_kind kind = columns->events.items[event_index].kind;
		bool telling = kind == EVENT_HARDWARE || snapshot->totals[i] >= UNATTRIBUTED_MANY;
		/* What sockets count is nobody's by its nature. */
		if (snapshot->totals[i] == 0 || !telling || kind == EVENT_SOCKET)
			continue;
		double share = (double)snapshot->unattributed[i] / (double)snapshot->totals[i];
		if (share > greatest) {
			greatest = share;
			*event = event_index;
		}
	}
	return greatest;
}

bool snapshot_sharing(const struct snapshot *snapshot, char *text, size_t size)
{
	const struct columns *columns = snapshot->columns;
	const struct plan *plan = columns->plan;
	unsigned turns = plan_most_turns(plan), n = 0;

	if (turns < 2)
		return false;
	for (size_t i = 0; i < plan->n_events; i++)
		n += columns->events.items[i].kind == EVENT_HARDWARE &&
		     plan->first_counter[i + 1] > plan->first_counter[i];
	snprintf(text, size, "%u events in %u turns", n, turns);
	return true;
}

bool snapshot_conserves(const struct snapshot *snapshot, size_t *event)
{
	const struct columns *columns = snapshot->columns;
	/* /proc tells of tasks and of CPUs in two ways that need not agree. */
	bool from_proc = snapshot->mode != COUNT_MODE_SYSTEM;

	for (size_t e = 0; e < columns->plan->shape.n_counters; e++) {
		size_t event_index = columns->plan->counters[e].event;
		enum event_kind kind = columns->events.items[event_index].kind;
		/* Not of CPUs at all, or by another account. */
		bool apart = kind == EVENT_SOCKET || kind == EVENT_PROC;
		uint64_t parts = snapshot->idle[e] + snapshot->unattributed[e] +
				 (snapshot->others ? snapshot->others[e] : 0);
		uint64_t cpus = 0;
		bool counted = false;

		for (size_t i = 0; i < snapshot->threads.n; i++)
			parts += rows_tally(columns, &snapshot->threads, i)[e];
		for (size_t i = 0; i < snapshot->n_cpus; i++) {
			if (!snapshot->cpus[i].tally)
				continue;
			cpus += snapshot->cpus[i].tally[e];
			counted = true;
		}
		bool agree = from_proc || !counted || apart || cpus == snapshot->totals[e];
		if (parts == snapshot->totals[e] && agree)
			continue;
		if (event)
			*event = event_index;
		return false;
	}
	return true;
}

struct snapshot *snapshot_ref(struct snapshot *snapshot)
{
	__atomic_add_fetch(&snapshot->shared, 1, __ATOMIC_RELAXED);
	return snapshot;
}

size_t snapshot_bytes(const struct snapshot *snapshot)
{
	const struct columns *columns = snapshot->columns;
	const struct rows *rows = &snapshot->threads;
	size_t tally = tally_width(&columns->plan->shape) * sizeof(uint64_t);
	size_t figures = columns->n_metrics * sizeof(struct figure);
	size_t places = rows->n - rows->n_still + (rows->n_still > 0);
	size_t bytes = sizeof(*snapshot) + rows->n * sizeof(*rows->items) +
		       places * (tally + figures) +
		       snapshot->n_cpus * (sizeof(*snapshot->cpus) + 2 * tally + figures) +
		       snapshot->n_places * sizeof(*snapshot->places) +
		       snapshot->n_sleeping * sizeof(*snapshot->sleeping) +
		       snapshot->n_cmdlines * sizeof(*snapshot->cmdlines) + 5 * tally + 2 * figures;

	for (size_t i = 0; i < snapshot->n_cgroups; i++)
		bytes += sizeof(char *) + strlen(snapshot->cgroups[i]) + 1;
	for (size_t i = 0; i < snapshot->n_notes; i++)
		bytes += sizeof(char *) + strlen(snapshot->notes[i]) + 1;
	return bytes;
}

void snapshot_free(struct snapshot *snapshot)
{
	/* The last owner acquires what all the others did with it. */
	if (!snapshot || __atomic_fetch_sub(&snapshot->shared, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	rows_fini(&snapshot->threads);
	free(snapshot->places);
	free(snapshot->sleeping);
	for (size_t i = 0; i < snapshot->n_cgroups; i++)
		free(snapshot->cgroups[i]);
	free(snapshot->cgroups);
	for (size_t i = 0; i < snapshot->n_cmdlines; i++)
		cmdline_unref(snapshot->cmdlines[i]);
	free(snapshot->cmdlines);
	for (size_t i = 0; i < snapshot->n_cpus; i++) {
		free(snapshot->cpus[i].tally);
		free(snapshot->cpus[i].idle);
		free(snapshot->cpus[i].figures);
	}
	free(snapshot->cpus);
	free(snapshot->totals);
	free(snapshot->idle);
	free(snapshot->unattributed);
	free(snapshot->others);
	free(snapshot->figures);
	free(snapshot->target);
	free(snapshot->target_figures);
	for (size_t i = 0; i < snapshot->n_notes; i++)
		free(snapshot->notes[i]);
	free(snapshot->notes);
	free(snapshot->run);
	columns_unref(snapshot->columns);
	free(snapshot);
}
