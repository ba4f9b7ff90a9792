// SPDX-License-Identifier: MIT
/*
 * A snapshot is plain memory that does not change once it is passed on. Threads share it and count
 * its owners. Figures of CPUs and of the machine are about the busy time: what is in the tally less
 * what the idle task did.
 */
#include "core/snapshot/snapshot.h"

#include "core/base/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_cgroup(const struct snapshot *snapshot, const struct row *row)
{
	return row->cgroup >= 0 && (size_t)row->cgroup < snapshot->n_cgroups;
}

const char *snapshot_shown_cmdline(const struct snapshot *snapshot, const struct row *row)
{
	return snapshot->command_lines == COMMAND_LINES_SHOWN ? row->cmdline : NULL;
}

const char *snapshot_cgroup(const struct snapshot *snapshot, const struct row *row)
{
	return has_cgroup(snapshot, row) ? snapshot->cgroups[row->cgroup] : NULL;
}

const struct snapshot_cgroup *snapshot_cgroup_limits(const struct snapshot *snapshot,
						     const struct row *row)
{
	if (!snapshot->cgroup_limits || !has_cgroup(snapshot, row))
		return NULL;
	return &snapshot->cgroup_limits[row->cgroup];
}

uint64_t *snapshot_busy_tally(const struct columns *columns, const uint64_t *tally,
			      const uint64_t *idle)
{
	size_t width = tally_width(&columns->plan->shape);
	uint64_t *busy = xcalloc(width, sizeof(*busy));

	for (size_t i = 0; i < width; i++)
		busy[i] = u64_growth(idle ? idle[i] : 0, tally[i]);
	return busy;
}

void snapshot_evaluate_busy(const struct snapshot *snapshot, const struct busy_part *part,
			    struct figure *figures)
{
	const struct columns *columns = snapshot->columns;
	const uint64_t *tally = part->tally;
	uint64_t interval_ns = snapshot_counted_ns(snapshot->interval_ns, tally, part->cpus);
	uint64_t *busy = snapshot_busy_tally(columns, tally, part->idle);
	struct evaluator evaluator;

	const struct metric_scope scope = {
		.interval_s = figure_exact((double)interval_ns / (double)NS_PER_S),
		.totals = snapshot->totals,
	};

	evaluator_init(&evaluator, columns, scope);
	evaluator.input.machine = part->machine;
	/* A tick of a second is a hundredth, also if the second is a little short. */
	if (part->doubt_ns > tally[TALLY_TASK_CLOCK] / 100 * 11 / 10)
		evaluator.input.clock_doubt_ns = part->doubt_ns;
	evaluator.input.outside = part->outside;
	evaluator.input.sum = true;
	/* A switch away from the idle task is a switch of the CPU too. */
	busy[TALLY_SWITCHES] = tally[TALLY_SWITCHES];
	evaluator_run(&evaluator, busy, figures);
	evaluator_fini(&evaluator);
	free(busy);
}

/* Whether counters were open for the task. Else all its figures are from /proc. */
static bool has_counts(const struct plan *plan, const uint64_t *tally)
{
	for (unsigned i = PLAN_GROUP_SOFTWARE; i < plan->shape.n_groups; i++)
		if (!plan->domains[plan->groups[i].domain].waits &&
		    tally[tally_group(&plan->shape, i)] > 0)
			return true;
	return false;
}

void snapshot_set_target(struct snapshot *snapshot)
{
	const struct columns *columns = snapshot->columns;
	const struct tally_shape *shape = &columns->plan->shape;
	const struct rows *rows = &snapshot->threads;
	struct evaluator evaluator;
	struct row all = {.doubt_ns = 0};
	size_t n = 0;

	if (!snapshot->targeted && !columns->plan->per_task)
		return;
	uint64_t *sum = xcalloc(tally_width(shape), sizeof(*sum));
	evaluator_init(&evaluator, columns, snapshot_scope(snapshot));
	for (size_t i = 0; i < rows->n; i++) {
		const uint64_t *tally = rows_tally(columns, rows, i);
		if (!snapshot->targeted && !has_counts(columns->plan, tally))
			continue;
		tally_add(shape, sum, tally);
		snapshot->target_lost |= (rows->items[i].flags & ROW_LOST) != 0;
		evaluator.input.sum |= rows->items[i].pid != rows->items[0].pid;
		all.doubt_ns += rows->items[i].doubt_ns;
		n++;
	}
	evaluator.input.lost = snapshot->target_lost;
	evaluator.input.doubt = row_doubt(&all, sum);
	if (snapshot->targeted || n > 0) {
		snapshot->target = sum;
		snapshot->target_figures = xcalloc(columns->n_metrics, sizeof(struct figure));
		evaluator_run(&evaluator, sum, snapshot->target_figures);
	} else {
		free(sum);
	}
	evaluator_fini(&evaluator);
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

struct metric_scope snapshot_scope(const struct snapshot *snapshot)
{
	return (struct metric_scope){snapshot_interval_s(snapshot), snapshot->totals};
}

uint64_t snapshot_counted_ns(uint64_t interval_ns, const uint64_t *tally, size_t cpus)
{
	uint64_t counted_ns = cpus ? tally[TALLY_TASK_CLOCK] / cpus : 0;

	return counted_ns ? counted_ns : interval_ns;
}

uint64_t snapshot_doubt_ns(const struct snapshot *snapshot)
{
	uint64_t doubt_ns = 0;

	for (size_t i = 0; i < snapshot->n_cpus; i++)
		doubt_ns += snapshot->cpus[i].doubt_ns - snapshot->cpus[i].ticks_ns;
	return doubt_ns;
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
		bool significant =
			kind == EVENT_HARDWARE || snapshot->totals[i] >= UNATTRIBUTED_MANY;
		/* Counts of sockets belong to no task, and /proc has no times of ended tasks. */
		if (snapshot->totals[i] == 0 || !significant || kind == EVENT_SOCKET ||
		    kind == EVENT_WAIT || kind == EVENT_PROC)
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
	/* /proc counts tasks and CPUs in two ways that need not agree. */
	bool from_proc = snapshot->mode != COUNT_MODE_SYSTEM;

	for (size_t e = 0; e < columns->plan->shape.n_counters; e++) {
		size_t event_index = columns->plan->counters[e].event;
		enum event_kind kind = columns->events.items[event_index].kind;
		/* Counted by socket, or by /proc: not the sum of CPUs. */
		bool apart = kind == EVENT_SOCKET || kind == EVENT_PROC || kind == EVENT_WAIT;
		uint64_t parts = snapshot->idle[e] + snapshot->unattributed[e] +
				 (snapshot->others ? snapshot->others[e] : 0);
		uint64_t cpus = 0;
		bool counted = false;

		/* Tasks that did not run have times of waiting alone, which the totals lack. */
		for (size_t i = 0; i < snapshot->threads.n - snapshot->threads.n_still; i++)
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

const struct snapshot_process *snapshot_process(const struct snapshot *snapshot, pid_t pid)
{
	size_t low = 0, high = snapshot->n_processes;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (snapshot->processes[middle].pid == pid)
			return &snapshot->processes[middle];
		if (snapshot->processes[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

const struct figure *snapshot_facts_once(const struct snapshot *snapshot, size_t row)
{
	const struct snapshot_process *process =
		snapshot_process(snapshot, snapshot->threads.items[row].pid);

	return process && process->first_row == row ? process->facts : NULL;
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
	size_t places = rows_apart(rows) + (rows_apart(rows) < rows->n ? ROWS_SHARED : 0);
	size_t bytes = sizeof(*snapshot) + rows->n * sizeof(*rows->items) +
		       places * (tally + figures) +
		       snapshot->n_cpus * (sizeof(*snapshot->cpus) + 2 * tally + figures) +
		       snapshot->n_places * sizeof(*snapshot->places) +
		       (rows->facts ? rows->n * FACTS * sizeof(*rows->facts) : 0) +
		       snapshot->n_sleeping * sizeof(*snapshot->sleeping) +
		       snapshot->n_befores * sizeof(*snapshot->befores) +
		       snapshot->n_processes * sizeof(*snapshot->processes) +
		       (snapshot->waits ? sizeof(*snapshot->waits) : 0) +
		       code_profile_bytes(snapshot->code) +
		       snapshot->n_cmdlines * sizeof(*snapshot->cmdlines) + 5 * tally + 2 * figures;

	for (size_t i = 0; i < snapshot->n_cgroups; i++)
		bytes += sizeof(char *) + sizeof(struct snapshot_cgroup) +
			 strlen(snapshot->cgroups[i]) + 1;
	for (size_t i = 0; i < snapshot->n_notes; i++)
		bytes += sizeof(char *) + strlen(snapshot->notes[i]) + 1;
	return bytes;
}

void snapshot_free(struct snapshot *snapshot)
{
	/* The last owner acquires the uses of all other threads. */
	if (!snapshot || __atomic_fetch_sub(&snapshot->shared, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	rows_fini(&snapshot->threads);
	free(snapshot->places);
	free(snapshot->sleeping);
	free(snapshot->befores);
	free(snapshot->processes);
	free(snapshot->waits);
	code_profile_free(snapshot->code);
	for (size_t i = 0; i < snapshot->n_cgroups; i++) {
		free(snapshot->cgroups[i]);
		if (snapshot->cgroup_limits)
			free(snapshot->cgroup_limits[i].quota_path);
	}
	free(snapshot->cgroups);
	free(snapshot->cgroup_limits);
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
