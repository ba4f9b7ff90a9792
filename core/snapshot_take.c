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

static void fill_threads(const struct snapshot_source *source, struct snapshot *snapshot)
{
	const struct interval *interval = source->interval;
	size_t width = tally_width(&interval->shape);

	rows_init(snapshot->columns, interval->n_ran, &snapshot->threads);
	for (size_t i = 0; i < interval->n_ran; i++)
		fill_row(source, interval->ran[i], &snapshot->threads.items[i]);
	if (interval->n_ran > 0)
		memcpy(snapshot->threads.tallies, interval->tallies,
		       interval->n_ran * width * sizeof(uint64_t));
	rows_evaluate(snapshot->columns, snapshot->interval_ns, &snapshot->threads);
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

struct snapshot *snapshot_take(const struct snapshot_source *source, uint64_t interval_ns)
{
	struct snapshot *snapshot = xcalloc(1, sizeof(*snapshot));

	snapshot->columns = columns_ref(source->columns);
	snapshot->interval_ns = interval_ns;
	snapshot->lost_records = source->interval->lost_records;
	fill_threads(source, snapshot);
	fill_cpus(source->interval, snapshot);
	fill_notes(source->notes, snapshot);
	return snapshot;
}
