// SPDX-License-Identifier: MIT
/*
 * Counts of a process add up under its pid, and a table by pid has the latest process of each pid.
 * A snapshot has threads, so a process is described by its main thread if that is known, else by
 * another one. CPUs, totals and times add up as in core/snapshot/snapshot_merge.h.
 *
 * The sum is divided into parts, one for each plan. If the events change back, the earlier part
 * goes on.
 */
#include "core/snapshot/run_summary.h"

#include "core/base/hash_table.h"
#include "core/base/notes.h"
#include "core/base/util.h"
#include "core/snapshot/snapshot_merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a part: more than processes, as cgroups of ended ones stay. Rows of further cgroups have none.
 */
enum { CGROUPS_MAX = 1 << 15 };

struct process {
	struct row row;    /* its command line is a reference */
	uint64_t sequence; /* of the last snapshot that has the process */
	unsigned threads;  /* of the process in that snapshot */
	bool has_main;     /* the main thread is one of these */
	bool named;        /* comm is the main thread's */
	bool lives;        /* a thread of that snapshot lives */
};

/* The sum of the snapshots of one plan. */
struct part {
	struct snapshot *sum; /* CPUs, totals and times; no rows; the latest columns of the plan */
	struct process *processes;
	uint64_t *tallies; /* one for each process */
	size_t n, capacity, tallies_capacity;
	struct hash_table table; /* by pid: index + 1 of the latest process with it */
	uint64_t *folded;        /* tally of the folded processes; NULL: none */
	size_t n_folded;
	unsigned folded_flags;
	char **cgroups; /* paths that rows refer to, each once */
	size_t n_cgroups, cgroups_capacity;
	struct hash_table by_path; /* of cgroups: index + 1 */
};

struct run_summary {
	size_t most; /* processes of a part */
	struct part parts[SUMMARY_PARTS_MAX];
	size_t n_parts;
	struct notes notes;
	uint64_t sequence;
	bool full; /* a part was left out */
};

static size_t part_width(const struct part *part)
{
	return tally_width(&part->sum->columns->plan->shape);
}

static uint64_t *process_tally(const struct part *part, size_t i)
{
	return part->tallies + i * part_width(part);
}

/* Returns the index of the path in the part; -1 if the part is full. */
static int find_or_add_cgroup(struct part *part, const char *path)
{
	uint64_t key = hash_text(path);
	struct hash_slot *slot = hash_table_slot(&part->by_path, key);

	while (slot->number && strcmp(part->cgroups[slot->number - 1], path) != 0)
		slot = hash_table_next(&part->by_path, slot);
	if (slot->number)
		return (int)slot->number - 1;
	if (part->n_cgroups == CGROUPS_MAX)
		return -1;
	part->cgroups = array_reserve(part->cgroups, &part->cgroups_capacity, part->n_cgroups + 1,
				      sizeof(*part->cgroups));
	part->cgroups[part->n_cgroups] = xstrdup(path);
	hash_table_add(&part->by_path, key)->number = ++part->n_cgroups;
	return (int)part->n_cgroups - 1;
}

/* Returns the index in the part of each cgroup of the snapshot; the caller frees it. */
static int *map_cgroups(struct part *part, const struct snapshot *snapshot)
{
	int *map = xcalloc(snapshot->n_cgroups, sizeof(*map));

	for (size_t i = 0; i < snapshot->n_cgroups; i++)
		map[i] = find_or_add_cgroup(part, snapshot->cgroups[i]);
	return map;
}

/* Returns index + 1 of the latest process with that pid, or 0. */
static size_t find_process(const struct part *part, pid_t pid)
{
	return hash_table_slot(&part->table, (uint32_t)pid)->number;
}

static void enter_process(struct part *part, size_t i)
{
	uint32_t pid = (uint32_t)part->processes[i].row.pid;
	struct hash_slot *slot = hash_table_slot(&part->table, pid);

	if (!slot->number)
		slot = hash_table_add(&part->table, pid);
	slot->number = i + 1;
}

static size_t add_process(struct part *part, const struct row *row)
{
	size_t width = part_width(part);

	part->processes = array_reserve(part->processes, &part->capacity, part->n + 1,
					sizeof(*part->processes));
	part->tallies = array_reserve(part->tallies, &part->tallies_capacity, (part->n + 1) * width,
				      sizeof(*part->tallies));
	memset(process_tally(part, part->n), 0, width * sizeof(*part->tallies));
	part->processes[part->n] = (struct process){.row = *row};
	part->processes[part->n].row.tid = row->pid;
	part->processes[part->n].row.start_ns = 0; /* set by the main thread */
	part->processes[part->n].row.flags = 0;
	part->processes[part->n].row.threads = 0;
	part->processes[part->n].row.cgroup = -1;
	part->processes[part->n].row.cmdline = NULL;
	enter_process(part, part->n);
	return part->n++;
}

/* Returns whether the thread belongs to a new process that reuses the pid. */
static bool is_another(const struct process *process, const struct row *thread, uint64_t sequence)
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

static void cmdline_drop(const char *cmdline)
{
	if (cmdline)
		cmdline_unref(cmdline_of(cmdline));
}

static void replace_cmdline(struct row *row, const char *cmdline)
{
	if (!cmdline || row->cmdline == cmdline)
		return;
	cmdline_drop(row->cmdline);
	row->cmdline = cmdline_ref(cmdline_of(cmdline))->text;
}

/* Updates the process from one of its threads. What is unknown of the thread stays. */
static void describe_by_thread(struct process *process, const struct row *thread,
			       const int *cgroups)
{
	struct row *row = &process->row;
	bool is_main = thread->tid == thread->pid;

	row->flags |= thread->flags & (ROW_KERNEL | ROW_LOST);
	process->lives |= !(thread->flags & ROW_EXITED);
	if (is_main) {
		process->has_main = true;
		row->flags |= thread->flags & ROW_EXITED;
		row->start_ns = thread->start_ns ? thread->start_ns : row->start_ns;
	}
	if (process->lives) /* it goes on without its main thread */
		row->flags &= ~(unsigned)ROW_EXITED;
	if (thread->comm[0] && (is_main || !process->named)) {
		memcpy(row->comm, thread->comm, sizeof(row->comm));
		process->named = is_main;
	}
	if (thread->user[0]) {
		row->uid = thread->uid;
		memcpy(row->user, thread->user, sizeof(row->user));
	}
	replace_cmdline(row, thread->cmdline);
	row->ppid = thread->ppid ? thread->ppid : row->ppid;
	if (thread->cgroup >= 0)
		row->cgroup = cgroups[thread->cgroup];
}

static void add_thread(struct part *part, const struct row *thread, const int *cgroups,
		       const uint64_t *tally, uint64_t sequence)
{
	size_t found = find_process(part, thread->pid);
	bool known = found && !is_another(&part->processes[found - 1], thread, sequence);
	size_t at = known ? found - 1 : add_process(part, thread);
	struct process *process = &part->processes[at];

	if (process->sequence != sequence) {
		process->sequence = sequence;
		process->threads = 0;
		process->has_main = false;
		process->lives = false;
	}
	describe_by_thread(process, thread, cgroups);
	process->threads += thread->threads ? thread->threads : 1;
	if (process->threads > process->row.threads)
		process->row.threads = process->threads;
	tally_add(&part->sum->columns->plan->shape, process_tally(part, at), tally);
}

/* Names a process by its main thread, also if that thread did not run. */
static void describe_by_sleeping(struct part *part, const struct row *sleeping, const int *cgroups,
				 uint64_t sequence)
{
	size_t found = find_process(part, sleeping->pid);
	struct process *process = found ? &part->processes[found - 1] : NULL;

	if (process && process->sequence == sequence && !process->has_main)
		describe_by_thread(process, sleeping, cgroups);
}

/* Order of folding: ended processes first, then by CPU time ascending, then by age. */
static int compare_for_fold(const void *index_a, const void *index_b, void *arg)
{
	const struct part *part = arg;
	size_t a = *(const size_t *)index_a, b = *(const size_t *)index_b;
	unsigned ended_a = part->processes[a].row.flags & ROW_EXITED;
	unsigned ended_b = part->processes[b].row.flags & ROW_EXITED;
	size_t rank = columns_rank(part->sum->columns);
	uint64_t ns_a = process_tally(part, a)[rank];
	uint64_t ns_b = process_tally(part, b)[rank];

	if (ended_a != ended_b)
		return ended_a ? -1 : 1;
	if (ns_a != ns_b)
		return ns_a < ns_b ? -1 : 1;
	return a < b ? -1 : 1;
}

static void fold_process(struct part *part, size_t i)
{
	tally_add(&part->sum->columns->plan->shape, part->folded, process_tally(part, i));
	part->folded_flags |= part->processes[i].row.flags & ROW_LOST;
	cmdline_drop(part->processes[i].row.cmdline);
	part->n_folded++;
}

/* Folds all but `left` processes: half of them, so that this is not done at every refresh. */
static void fold_processes(struct part *part, size_t left)
{
	size_t width = part_width(part), n_folded = part->n - left, kept = 0;
	size_t *order = xcalloc(part->n, sizeof(*order));
	bool *folded = xcalloc(part->n, sizeof(*folded));

	if (!part->folded)
		part->folded = xcalloc(width, sizeof(*part->folded));
	for (size_t i = 0; i < part->n; i++)
		order[i] = i;
	qsort_r(order, part->n, sizeof(*order), compare_for_fold, part);
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

static void part_add(struct part *part, const struct snapshot *snapshot, uint64_t sequence,
		     size_t most)
{
	struct columns *before = part->sum->columns;
	int *cgroups = map_cgroups(part, snapshot);

	part->sum->columns = columns_ref(snapshot->columns);
	columns_unref(before);
	part->sum->command_lines = snapshot->command_lines;
	for (size_t i = 0; i < snapshot->threads.n; i++)
		add_thread(part, &snapshot->threads.items[i], cgroups,
			   rows_tally(snapshot->columns, &snapshot->threads, i), sequence);
	for (size_t i = 0; i < snapshot->n_sleeping; i++)
		describe_by_sleeping(part, &snapshot->sleeping[i], cgroups, sequence);
	free(cgroups);
	if (part->n > most)
		fold_processes(part, most / 2);
	snapshot_merge_add_machine(part->sum, snapshot);
	snapshot_merge_add_code(part->sum, snapshot);
}

static void part_init(struct part *part, struct columns *columns)
{
	*part = (struct part){.sum = snapshot_merge_new(columns)};
	hash_table_init(&part->table, 0);
	hash_table_init(&part->by_path, 0);
}

static void part_fini(struct part *part)
{
	for (size_t i = 0; i < part->n_cgroups; i++)
		free(part->cgroups[i]);
	free(part->cgroups);
	for (size_t i = 0; i < part->n; i++)
		cmdline_drop(part->processes[i].row.cmdline);
	free(part->processes);
	free(part->tallies);
	hash_table_fini(&part->table);
	hash_table_fini(&part->by_path);
	free(part->folded);
	snapshot_free(part->sum);
}

/* Returns whether tallies of these columns have the meaning of the part's. */
static bool part_fits(const struct part *part, const struct columns *b)
{
	const struct columns *a = part->sum->columns;
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

static void fill_rows(const struct part *part, struct snapshot *snapshot)
{
	struct rows *rows = &snapshot->threads;
	size_t bytes = part_width(part) * sizeof(uint64_t);

	rows_init(snapshot->columns, part->n + (part->folded != NULL), rows);
	snapshot->command_lines = part->sum->command_lines;
	snapshot->cmdlines = xcalloc(part->n, sizeof(*snapshot->cmdlines));
	for (size_t i = 0; i < part->n; i++) {
		const char *cmdline = part->processes[i].row.cmdline;

		if (cmdline)
			snapshot->cmdlines[snapshot->n_cmdlines++] =
				cmdline_ref(cmdline_of(cmdline));
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
	rows_evaluate(snapshot->columns, snapshot_scope(snapshot), rows);
	snapshot->cgroups = xcalloc(part->n_cgroups, sizeof(*snapshot->cgroups));
	for (size_t i = 0; i < part->n_cgroups; i++)
		snapshot->cgroups[snapshot->n_cgroups++] = xstrdup(part->cgroups[i]);
}

/* Returns the part as a snapshot without sequence and notes. */
static struct snapshot *part_snapshot(const struct part *part, const struct snapshot_run *run)
{
	struct snapshot *snapshot = snapshot_merge_new(part->sum->columns);

	snapshot_merge_add_machine(snapshot, part->sum);
	snapshot->code = code_profile_ref(part->sum->code);
	snapshot->run = xmalloc(sizeof(*run));
	*snapshot->run = *run;
	fill_rows(part, snapshot);
	snapshot_merge_evaluate(snapshot);
	return snapshot;
}

/* Returns the part of the snapshot's plan; NULL if there are too many. */
static struct part *find_or_add_part(struct run_summary *summary, struct columns *columns)
{
	for (size_t i = summary->n_parts; i-- > 0;)
		if (part_fits(&summary->parts[i], columns))
			return &summary->parts[i];
	if (summary->n_parts == SUMMARY_PARTS_MAX) {
		summary->full = true;
		return NULL;
	}
	part_init(&summary->parts[summary->n_parts], columns);
	return &summary->parts[summary->n_parts++];
}

void run_summary_add(struct run_summary *summary, const struct snapshot *snapshot)
{
	struct part *part = find_or_add_part(summary, snapshot->columns);

	if (!part)
		return;
	part_add(part, snapshot, ++summary->sequence, summary->most);
	for (size_t i = 0; i < snapshot->n_notes; i++)
		notes_add(&summary->notes, "%s", snapshot->notes[i]);
}

static void fill_notes(const struct run_summary *summary, struct snapshot *snapshot)
{
	static const char too_many[] =
		"Summary: the events changed too often. Counts of the latest events are left out.";

	snapshot->notes = xcalloc(summary->notes.n + 1, sizeof(char *));
	if (summary->full)
		snapshot->notes[snapshot->n_notes++] = xstrdup(too_many);
	for (size_t i = 0; i < summary->notes.n; i++)
		snapshot->notes[snapshot->n_notes++] = xstrdup(summary->notes.items[i].text);
}

struct snapshot *run_summary_snapshot(const struct run_summary *summary, size_t part,
				      const struct snapshot_run *run)
{
	struct snapshot_run whole = *run;

	whole.part = (unsigned)part + 1;
	whole.parts = (unsigned)summary->n_parts;
	struct snapshot *snapshot = part_snapshot(&summary->parts[part], &whole);
	snapshot->sequence = part + 1;
	fill_notes(summary, snapshot);
	return snapshot;
}

size_t run_summary_parts(const struct run_summary *summary)
{
	return summary->n_parts;
}

struct run_summary *run_summary_new(size_t most)
{
	struct run_summary *summary = xcalloc(1, sizeof(*summary));

	summary->most = most;
	return summary;
}

void run_summary_free(struct run_summary *summary)
{
	if (!summary)
		return;
	for (size_t i = 0; i < summary->n_parts; i++)
		part_fini(&summary->parts[i]);
	notes_fini(&summary->notes);
	free(summary);
}
