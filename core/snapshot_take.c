// SPDX-License-Identifier: MIT
#include "snapshot_take.h"

#include "util.h"

#include <string.h>

static void fill_row(const struct snapshot_source *source, struct task *task, struct row *row)
{
	tasks_look_up(source->tasks, task);
	*row = (struct row){
		.pid = task->pid > 0 ? task->pid : task->tid,
		.tid = task->tid,
		.ppid = task->ppid,
		.uid = task->uid,
		.start_ns = task->start_ns,
		.threads = 1,
		.flags = (task->exit_ns ? ROW_EXITED : 0u) | (task->kernel ? ROW_KERNEL : 0u) |
			 (task->lost == task->interval ? ROW_LOST : 0u),
	};
	memcpy(row->comm, task->comm, sizeof(row->comm));
	users_name(source->users, row->uid, row->user, sizeof(row->user));
}

/* Whom one asked for by number has a row, also when it sleeps or has ended. */
static void fill_silent_roots(const struct snapshot_source *source, uint64_t now_ns,
			      struct rows *rows)
{
	size_t n;
	const struct target_root *roots = target_roots(source->target, &n);

	for (size_t i = 0; i < n; i++) {
		bool found = false;
		for (size_t k = 0; k < rows->n && !found; k++)
			found = rows->items[k].tid == roots[i].tid;
		if (found)
			continue;
		struct row *row = &rows->items[rows->n++];
		fill_row(source, tasks_at(source->tasks, roots[i].pid, roots[i].tid, now_ns), row);
		row->flags = (row->flags & ROW_KERNEL) | (roots[i].ended_ns ? ROW_EXITED : 0u);
	}
}

/* The target's rows; what is not its own is summed up. */
static void fill_threads(const struct snapshot_source *source, uint64_t now_ns,
			 struct snapshot *snapshot)
{
	const struct interval *interval = source->interval;
	const struct columns *columns = snapshot->columns;
	struct rows *rows = &snapshot->threads;
	size_t width = tally_width(&interval->shape), n_roots;

	target_roots(source->target, &n_roots);
	rows_init(columns, interval->n_ran + n_roots, rows);
	rows->n = 0;
	for (size_t i = 0; i < interval->n_ran; i++) {
		const uint64_t *tally = interval->tallies + i * width;
		if (!target_has(source->target, source->tasks, interval->ran[i])) {
			tally_add(&interval->shape, snapshot->others, tally);
			continue;
		}
		fill_row(source, interval->ran[i], &rows->items[rows->n]);
		memcpy(rows_tally(columns, rows, rows->n), tally, width * sizeof(*tally));
		rows->n++;
	}
	fill_silent_roots(source, now_ns, rows);
	rows_evaluate(columns, snapshot->interval_ns, rows);
}

/* What the target did as a whole. */
static void fill_target(const struct snapshot_source *source, struct snapshot *snapshot)
{
	const struct columns *columns = snapshot->columns;

	snapshot->targeted = !target_is_all(source->target);
	snapshot->ended = target_has_ended(source->target);
	if (!snapshot->targeted)
		return;
	snapshot->target = xcalloc(tally_width(&columns->plan->shape), sizeof(uint64_t));
	snapshot->target_figures = xcalloc(columns->n_metrics, sizeof(struct figure));
	for (size_t i = 0; i < snapshot->threads.n; i++)
		tally_add(&columns->plan->shape, snapshot->target,
			  rows_tally(columns, &snapshot->threads, i));
	snapshot_evaluate_busy(columns, snapshot->interval_ns, false, snapshot->target, NULL,
			       snapshot->target_figures);
}

/* What an interval's ns are of a tally: a CPU's part of it ends at that CPU's own last record. */
static uint64_t own_interval_ns(const struct snapshot *snapshot, const uint64_t *tally, size_t cpus)
{
	uint64_t own_ns = cpus ? tally[TALLY_TASK_CLOCK] / cpus : 0;

	return own_ns ? own_ns : snapshot->interval_ns;
}

static void fill_cpu(const struct interval *interval, size_t index, struct snapshot *snapshot)
{
	const struct columns *columns = snapshot->columns;
	size_t bytes = tally_width(&interval->shape) * sizeof(uint64_t);
	struct snapshot_cpu *cpu = &snapshot->cpus[snapshot->n_cpus++];

	cpu->cpu = interval->cpu_numbers[index];
	if (!interval->cpu_counted[index])
		return;
	cpu->tally = memcpy(xmalloc(bytes), interval_cpu(interval, index), bytes);
	cpu->idle = memcpy(xmalloc(bytes), interval_idle(interval, index), bytes);
	cpu->figures = xcalloc(columns->n_metrics, sizeof(struct figure));
	snapshot_evaluate_busy(columns, own_interval_ns(snapshot, cpu->tally, 1), false, cpu->tally,
			       cpu->idle, cpu->figures);
}

static void fill_cpus(const struct interval *interval, struct snapshot *snapshot)
{
	size_t width = tally_width(&interval->shape), bytes = width * sizeof(uint64_t);
	size_t counted = 0;

	snapshot->cpus = xcalloc(interval->n_cpus, sizeof(*snapshot->cpus));
	snapshot->totals = memcpy(xmalloc(bytes), interval->totals, bytes);
	snapshot->idle = xcalloc(width, sizeof(uint64_t));
	snapshot->unattributed = memcpy(xmalloc(bytes), interval->unattributed, bytes);
	snapshot->figures = xcalloc(snapshot->columns->n_metrics, sizeof(struct figure));
	for (size_t i = 0; i < interval->n_cpus; i++) {
		tally_add(&interval->shape, snapshot->idle, interval_idle(interval, i));
		counted += interval->cpu_counted[i];
		if (interval->cpu_online[i] || interval->cpu_counted[i])
			fill_cpu(interval, i, snapshot);
	}
	snapshot_evaluate_busy(snapshot->columns,
			       own_interval_ns(snapshot, snapshot->totals, counted), true,
			       snapshot->totals, snapshot->idle, snapshot->figures);
}

static void fill_notes(const struct notes *notes, struct snapshot *snapshot)
{
	snapshot->notes = xcalloc(notes->n, sizeof(char *));
	for (size_t i = 0; i < notes->n; i++)
		snapshot->notes[snapshot->n_notes++] = xstrdup(notes->items[i]);
}

struct snapshot *snapshot_take(const struct snapshot_source *source, uint64_t now_ns,
			       uint64_t interval_ns)
{
	struct snapshot *snapshot = xcalloc(1, sizeof(*snapshot));
	size_t width = tally_width(&source->interval->shape);

	snapshot->columns = columns_ref(source->columns);
	snapshot->interval_ns = interval_ns;
	snapshot->lost_records = source->interval->lost_records;
	snapshot->others = memcpy(xmalloc(width * sizeof(uint64_t)), source->interval->others,
				  width * sizeof(uint64_t));
	fill_threads(source, now_ns, snapshot);
	fill_target(source, snapshot);
	fill_cpus(source->interval, snapshot);
	fill_notes(source->notes, snapshot);
	return snapshot;
}
