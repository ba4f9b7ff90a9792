// SPDX-License-Identifier: MIT
/*
 * A process is found by its pid in a table that knows the latest one of every pid.
 */
#include "core/snapshot/run_summary_part.h"

#include "core/base/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct summary_process {
	struct row row;
	uint64_t sequence; /* the last snapshot that it was in ... */
	unsigned threads;  /* ... with so many threads ... */
	bool has_main;     /* ... the main one among them */
	bool named;        /* comm is the main thread's */
};

static size_t part_width(const struct run_summary_part *part)
{
	return tally_width(&part->columns->plan->shape);
}

static uint64_t *process_tally(const struct run_summary_part *part, size_t i)
{
	return part->tallies + i * part_width(part);
}

/* ---- cgroups */

enum { CGROUPS_MAX = 4096 }; /* of a part; rows of later ones name none */

static int find_cgroup(struct run_summary_part *part, const char *path)
{
	for (size_t i = part->n_cgroups; i-- > 0;)
		if (strcmp(part->cgroups[i], path) == 0)
			return (int)i;
	if (part->n_cgroups == CGROUPS_MAX)
		return -1;
	part->cgroups = array_reserve(part->cgroups, &part->cgroups_capacity, part->n_cgroups + 1,
				      sizeof(*part->cgroups));
	part->cgroups[part->n_cgroups] = xstrdup(path);
	return (int)part->n_cgroups++;
}

/* What the snapshot's cgroups are in the part; the caller frees it. */
static int *map_cgroups(struct run_summary_part *part, const struct snapshot *snapshot)
{
	int *map = xcalloc(snapshot->n_cgroups, sizeof(*map));

	for (size_t i = 0; i < snapshot->n_cgroups; i++)
		map[i] = find_cgroup(part, snapshot->cgroups[i]);
	return map;
}

/* ---- processes by pid */

/* The index + 1 of the latest process with that pid, or 0. */
static size_t find_process(const struct run_summary_part *part, pid_t pid)
{
	return hash_table_slot(&part->table, (uint32_t)pid)->number;
}

static void enter_process(struct run_summary_part *part, size_t i)
{
	uint32_t pid = (uint32_t)part->processes[i].row.pid;
	struct hash_slot *slot = hash_table_slot(&part->table, pid);

	if (!slot->number)
		slot = hash_table_add(&part->table, pid);
	slot->number = i + 1;
}

static size_t add_process(struct run_summary_part *part, const struct row *row)
{
	size_t width = part_width(part);

	part->processes = array_reserve(part->processes, &part->capacity, part->n + 1,
					sizeof(*part->processes));
	part->tallies = array_reserve(part->tallies, &part->tallies_capacity, (part->n + 1) * width,
				      sizeof(*part->tallies));
	memset(process_tally(part, part->n), 0, width * sizeof(*part->tallies));
	part->processes[part->n] = (struct summary_process){.row = *row};
	part->processes[part->n].row.tid = row->pid;
	part->processes[part->n].row.start_ns = 0; /* the main thread's, when that is seen */
	part->processes[part->n].row.flags = 0;
	part->processes[part->n].row.threads = 0;
	part->processes[part->n].row.cgroup = -1;
	enter_process(part, part->n);
	return part->n++;
}

/* Whether a thread belongs to another process than the one that had its pid. */
static bool is_another(const struct summary_process *process, const struct row *thread,
		       uint64_t sequence)
{
	if (thread->tid != thread->pid)
		return false;
	if (process->has_main && process->sequence == sequence)
		return true;
	bool has_ended = process->row.flags & ROW_EXITED;
	if (!thread->start_ns)
		return has_ended && !(thread->flags & ROW_EXITED);
	return process->row.start_ns ? process->row.start_ns != thread->start_ns : has_ended;
}

/* Names as last seen; what is not known now may have been known before. */
static void describe(struct summary_process *process, const struct row *thread, const int *cgroups)
{
	struct row *row = &process->row;
	bool is_main = thread->tid == thread->pid;

	row->flags |= thread->flags & (ROW_KERNEL | ROW_LOST);
	if (is_main) {
		process->has_main = true;
		row->flags |= thread->flags & ROW_EXITED;
		row->start_ns = thread->start_ns ? thread->start_ns : row->start_ns;
	}
	if (thread->comm[0] && (is_main || !process->named)) {
		memcpy(row->comm, thread->comm, sizeof(row->comm));
		process->named = is_main;
	}
	if (thread->user[0]) {
		row->uid = thread->uid;
		memcpy(row->user, thread->user, sizeof(row->user));
	}
	row->ppid = thread->ppid ? thread->ppid : row->ppid;
	if (thread->cgroup >= 0)
		row->cgroup = cgroups[thread->cgroup];
}

static void add_thread(struct run_summary_part *part, const struct row *thread, const int *cgroups,
		       const uint64_t *tally, uint64_t sequence)
{
	size_t found = find_process(part, thread->pid);
	bool known = found && !is_another(&part->processes[found - 1], thread, sequence);
	size_t at = known ? found - 1 : add_process(part, thread);
	struct summary_process *process = &part->processes[at];

	if (process->sequence != sequence) {
		process->sequence = sequence;
		process->threads = 0;
		process->has_main = false;
	}
	describe(process, thread, cgroups);
	process->threads += thread->threads ? thread->threads : 1;
	if (process->threads > process->row.threads)
		process->row.threads = process->threads;
	tally_add(&part->columns->plan->shape, process_tally(part, at), tally);
}

/* A process whose main thread slept has that one's name all the same. */
static void name_sleeping(struct run_summary_part *part, const struct row *sleeping,
			  const int *cgroups, uint64_t sequence)
{
	size_t found = find_process(part, sleeping->pid);
	struct summary_process *process = found ? &part->processes[found - 1] : NULL;

	if (process && process->sequence == sequence && !process->has_main)
		describe(process, sleeping, cgroups);
}

/* ---- what becomes too much */

/* First what is folded first: what has ended, the smallest of it first, the oldest of equals. */
static int compare_worth(const void *index_a, const void *index_b, void *arg)
{
	const struct run_summary_part *part = arg;
	size_t a = *(const size_t *)index_a, b = *(const size_t *)index_b;
	unsigned ended_a = part->processes[a].row.flags & ROW_EXITED;
	unsigned ended_b = part->processes[b].row.flags & ROW_EXITED;
	uint64_t ns_a = process_tally(part, a)[TALLY_TASK_CLOCK];
	uint64_t ns_b = process_tally(part, b)[TALLY_TASK_CLOCK];

	if (ended_a != ended_b)
		return ended_a ? -1 : 1;
	if (ns_a != ns_b)
		return ns_a < ns_b ? -1 : 1;
	return a < b ? -1 : 1;
}

static void fold_process(struct run_summary_part *part, size_t i)
{
	tally_add(&part->columns->plan->shape, part->folded, process_tally(part, i));
	part->folded_flags |= part->processes[i].row.flags & ROW_LOST;
	part->n_folded++;
}

/* Leaves `left` processes; half of what there was, so that it is not done at every refresh. */
static void fold(struct run_summary_part *part, size_t left)
{
	size_t width = part_width(part), n_folded = part->n - left, kept = 0;
	size_t *order = xcalloc(part->n, sizeof(*order));
	bool *folded = xcalloc(part->n, sizeof(*folded));

	if (!part->folded)
		part->folded = xcalloc(width, sizeof(*part->folded));
	for (size_t i = 0; i < part->n; i++)
		order[i] = i;
	qsort_r(order, part->n, sizeof(*order), compare_worth, part);
	for (size_t i = 0; i < n_folded; i++)
		folded[order[i]] = true;
	for (size_t i = 0; i < part->n; i++) {
		if (folded[i]) {
			fold_process(part, i);
			continue;
		}
		part->processes[kept] = part->processes[i];
		memmove(process_tally(part, kept), process_tally(part, i),
			width * sizeof(*part->tallies));
		kept++;
	}
	part->n = kept;
	hash_table_clear(&part->table);
	for (size_t i = 0; i < kept; i++)
		enter_process(part, i);
	free(order);
	free(folded);
}

/* ---- an interval */

static void add_cpu(struct run_summary_part *part, const struct snapshot_cpu *from)
{
	const struct tally_shape *shape = &part->columns->plan->shape;
	size_t width = part_width(part), i = 0;

	while (i < part->n_cpus && part->cpus[i].cpu != from->cpu)
		i++;
	if (i == part->n_cpus) {
		part->cpus = xreallocarray(part->cpus, part->n_cpus + 1, sizeof(*part->cpus));
		part->cpus[part->n_cpus++] = (struct snapshot_cpu){
			.cpu = from->cpu, .socket = from->socket, .node = from->node};
		text_copy(part->cpus[i].type, sizeof(part->cpus[i].type), from->type);
	}
	if (!from->tally)
		return;
	struct snapshot_cpu *cpu = &part->cpus[i];
	if (!cpu->tally) {
		cpu->tally = xcalloc(width, sizeof(*cpu->tally));
		cpu->idle = xcalloc(width, sizeof(*cpu->idle));
		cpu->cpus = from->cpus;
	}
	tally_add(shape, cpu->tally, from->tally);
	tally_add(shape, cpu->idle, from->idle);
}

/* What a snapshot says beside its arrays; times and losses add up. */
static void note_last(struct run_summary_part *part, const struct snapshot *snapshot)
{
	struct snapshot *last = &part->last;
	uint64_t interval_ns = last->interval_ns + snapshot->interval_ns;
	uint64_t lost_records = last->lost_records + snapshot->lost_records;

	*last = (struct snapshot){
		.time_ns = snapshot->time_ns,
		.realtime_ns = snapshot->realtime_ns,
		.interval_ns = interval_ns,
		.mode = snapshot->mode,
		.lost_records = lost_records,
		.tasks = snapshot->tasks,
		.targeted = snapshot->targeted,
		.ended = snapshot->ended,
	};
	memcpy(last->host, snapshot->host, sizeof(last->host));
	memcpy(last->pmu, snapshot->pmu, sizeof(last->pmu));
}

void run_summary_part_add(struct run_summary_part *part, const struct snapshot *snapshot,
			  uint64_t sequence, size_t most)
{
	const struct tally_shape *shape = &snapshot->columns->plan->shape;
	struct columns *before = part->columns;
	int *cgroups = map_cgroups(part, snapshot);

	part->columns = columns_ref(snapshot->columns);
	columns_unref(before);
	for (size_t i = 0; i < snapshot->threads.n; i++)
		add_thread(part, &snapshot->threads.items[i], cgroups,
			   rows_tally(snapshot->columns, &snapshot->threads, i), sequence);
	for (size_t i = 0; i < snapshot->n_sleeping; i++)
		name_sleeping(part, &snapshot->sleeping[i], cgroups, sequence);
	free(cgroups);
	if (part->n > most)
		fold(part, most / 2);
	for (size_t i = 0; i < snapshot->n_cpus; i++)
		add_cpu(part, &snapshot->cpus[i]);
	tally_add(shape, part->totals, snapshot->totals);
	tally_add(shape, part->idle, snapshot->idle);
	tally_add(shape, part->unattributed, snapshot->unattributed);
	if (snapshot->others)
		tally_add(shape, part->others, snapshot->others);
	note_last(part, snapshot);
}

/* ---- all of it */

void run_summary_part_init(struct run_summary_part *part, const struct snapshot *snapshot)
{
	size_t width = tally_width(&snapshot->columns->plan->shape);

	*part = (struct run_summary_part){
		.columns = columns_ref(snapshot->columns),
		.totals = xcalloc(width, sizeof(uint64_t)),
		.idle = xcalloc(width, sizeof(uint64_t)),
		.unattributed = xcalloc(width, sizeof(uint64_t)),
		.others = xcalloc(width, sizeof(uint64_t)),
	};
	hash_table_init(&part->table, 0);
}

void run_summary_part_fini(struct run_summary_part *part)
{
	for (size_t i = 0; i < part->n_cgroups; i++)
		free(part->cgroups[i]);
	free(part->cgroups);
	for (size_t i = 0; i < part->n_cpus; i++) {
		free(part->cpus[i].tally);
		free(part->cpus[i].idle);
	}
	free(part->cpus);
	free(part->totals);
	free(part->idle);
	free(part->unattributed);
	free(part->others);
	free(part->processes);
	free(part->tallies);
	hash_table_fini(&part->table);
	free(part->folded);
	columns_unref(part->columns);
}

/* Plans may differ in how they come by a number. */
bool run_summary_part_fits(const struct run_summary_part *part, const struct columns *b)
{
	const struct columns *a = part->columns;
	const struct plan *plan_a = a->plan, *plan_b = b->plan;

	if (plan_a == plan_b)
		return true;
	if (a->levels != b->levels || a->events.n != b->events.n ||
	    plan_a->n_events != plan_b->n_events ||
	    memcmp(&plan_a->shape, &plan_b->shape, sizeof(plan_a->shape)) != 0)
		return false;
	for (size_t i = 0; i < a->events.n; i++)
		if (strcmp(a->events.items[i].name, b->events.items[i].name) != 0 ||
		    a->events.items[i].state != b->events.items[i].state)
			return false;
	for (unsigned i = 0; i < plan_a->shape.n_counters; i++)
		if (plan_a->counters[i].event != plan_b->counters[i].event ||
		    plan_a->counters[i].code != plan_b->counters[i].code ||
		    plan_a->counters[i].group != plan_b->counters[i].group)
			return false;
	for (unsigned i = 0; i < plan_a->shape.n_groups; i++)
		if (plan_a->groups[i].domain != plan_b->groups[i].domain)
			return false;
	return true;
}

/* ---- as a snapshot */

static uint64_t *copy_tally(const struct run_summary_part *part, const uint64_t *tally)
{
	size_t bytes = part_width(part) * sizeof(*tally);

	return memcpy(xmalloc(bytes), tally, bytes);
}

static void fill_rows(const struct run_summary_part *part, struct snapshot *snapshot)
{
	struct rows *rows = &snapshot->threads;
	size_t bytes = part_width(part) * sizeof(uint64_t);

	rows_init(snapshot->columns, part->n + (part->folded != NULL), rows);
	for (size_t i = 0; i < part->n; i++) {
		rows->items[i] = part->processes[i].row;
		memcpy(rows_tally(snapshot->columns, rows, i), process_tally(part, i), bytes);
	}
	if (part->folded) {
		struct row *more = &rows->items[part->n];

		*more = (struct row){
			.uid = (uid_t)-1, .cgroup = -1, .threads = 1, .flags = part->folded_flags};
		snprintf(more->comm, sizeof(more->comm), "%zu more", part->n_folded);
		memcpy(rows_tally(snapshot->columns, rows, part->n), part->folded, bytes);
	}
	rows_evaluate(snapshot->columns, snapshot_interval_s(snapshot), rows);
	snapshot->cgroups = xcalloc(part->n_cgroups, sizeof(*snapshot->cgroups));
	for (size_t i = 0; i < part->n_cgroups; i++)
		snapshot->cgroups[snapshot->n_cgroups++] = xstrdup(part->cgroups[i]);
}

static void fill_cpus(const struct run_summary_part *part, struct snapshot *snapshot)
{
	const struct columns *columns = snapshot->columns;

	snapshot->cpus = xcalloc(part->n_cpus, sizeof(*snapshot->cpus));
	snapshot->n_cpus = part->n_cpus;
	for (size_t i = 0; i < part->n_cpus; i++) {
		const struct snapshot_cpu *from = &part->cpus[i];
		struct snapshot_cpu *cpu = &snapshot->cpus[i];

		*cpu = (struct snapshot_cpu){
			.cpu = from->cpu,
			.socket = from->socket,
			.node = from->node,
			.cpus = from->cpus,
		};
		text_copy(cpu->type, sizeof(cpu->type), from->type);
		if (!from->tally)
			continue;
		cpu->tally = copy_tally(part, from->tally);
		cpu->idle = copy_tally(part, from->idle);
		cpu->figures = xcalloc(columns->n_metrics, sizeof(*cpu->figures));
		snapshot_evaluate_busy(columns,
				       snapshot_counted_ns(snapshot->interval_ns, cpu->tally, 1),
				       false, cpu->tally, cpu->idle, cpu->figures);
	}
}

static void fill_totals(const struct run_summary_part *part, struct snapshot *snapshot)
{
	size_t counted = 0;

	for (size_t i = 0; i < part->n_cpus; i++)
		counted += part->cpus[i].tally != NULL;
	snapshot->totals = copy_tally(part, part->totals);
	snapshot->idle = copy_tally(part, part->idle);
	snapshot->unattributed = copy_tally(part, part->unattributed);
	snapshot->others = copy_tally(part, part->others);
	snapshot->figures = xcalloc(part->columns->n_metrics, sizeof(*snapshot->figures));
	snapshot_evaluate_busy(part->columns,
			       snapshot_counted_ns(snapshot->interval_ns, part->totals, counted),
			       true, snapshot->totals, snapshot->idle, snapshot->figures);
}

struct snapshot *run_summary_part_snapshot(const struct run_summary_part *part,
					   const struct snapshot_run *run)
{
	struct snapshot *snapshot = xmalloc(sizeof(*snapshot));

	*snapshot = part->last;
	snapshot->run = xmalloc(sizeof(*run));
	*snapshot->run = *run;
	snapshot->columns = columns_ref(part->columns);
	fill_rows(part, snapshot);
	snapshot_merge_target(snapshot);
	fill_cpus(part, snapshot);
	fill_totals(part, snapshot);
	return snapshot;
}
