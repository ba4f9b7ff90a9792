// SPDX-License-Identifier: MIT
/*
 * Rows are added up twice: threads to processes within a group (user, cgroup), so that processes
 * are counted, then these to their groups. Rows with the same key become one row. The groupings
 * differ only in the key, and in what the row of a key is called. By command the first sum is that
 * by process, because threads may have names of their own.
 *
 * The tree is made of processes: each is added to its parent, from the leaves to the roots.
 *
 * A task that changed its name, user or cgroup in the interval is divided by that grouping.
 */
#include "core/snapshot/rollup.h"

#include "core/base/hash_table.h"
#include "core/base/util.h"

#include <stdlib.h>
#include <string.h>

#define NO_PARENT SIZE_MAX

const char *rollup_name(size_t i)
{
	static const char *const rollup_names[] = {
		[ROLLUP_PROCESS] = "process", [ROLLUP_THREAD] = "thread",
		[ROLLUP_TREE] = "tree",       [ROLLUP_USER] = "user",
		[ROLLUP_CGROUP] = "cgroup",   [ROLLUP_COMMAND] = "command",
		[ROLLUP_CPU] = "cpu",         [ROLLUP_SOCKET] = "socket",
		[ROLLUP_NODE] = "node",
	};

	return i < ARRAY_SIZE(rollup_names) ? rollup_names[i] : NULL;
}

const char *rollup_text(const struct snapshot *snapshot, enum rollup by, const struct row *row)
{
	const char *text = by == ROLLUP_CGROUP    ? snapshot_cgroup(snapshot, row)
			   : by == ROLLUP_COMMAND ? row->comm
						  : NULL;

	return text ? text : "";
}

static uint64_t group_of(enum rollup by, const struct row *row)
{
	return by == ROLLUP_USER      ? row->uid
	       : by == ROLLUP_CGROUP  ? (uint32_t)row->cgroup
	       : by == ROLLUP_COMMAND ? hash_text(row->comm)
				      : 0;
}

struct adding {
	enum rollup by;
	bool processes;                   /* the first pass: by process within the group */
	const struct snapshot *snapshot;  /* its threads are added; NULL: processes are */
	const struct row_before *befores; /* of the rows that are divided here; NULL: none */
	const struct row_filter *filter;  /* NULL: all rows pass */
	struct rows *rows;
	bool *has_main; /* of each row: it was described by its main thread */
	bool *lives;    /* of each row: a row added to it lives */
	bool *passes;   /* of each row: it, or a row added to it, passes the filter */
	size_t *only;   /* of each row: the only row added to it; SIZE_MAX: none, or several */
	size_t width;   /* of a tally */
	struct hash_table table; /* by key: row index + 1, the newest row of a pid first */
};

static uint64_t key_of(const struct adding *adding, const struct row *row)
{
	pid_t pid = adding->processes ? row->pid : 0; /* 0: processes do not matter */

	return (uint64_t)pid << 32 | group_of(adding->by, row);
}

static void adding_init(struct adding *adding, const struct columns *columns, size_t most)
{
	size_t width = tally_width(&columns->plan->shape);

	/* Rows are zeroed when they are used: most of this memory may never be touched. */
	*adding->rows = (struct rows){
		.items = xreallocarray(NULL, most, sizeof(*adding->rows->items)),
		.tallies = xreallocarray(NULL, most, width * sizeof(*adding->rows->tallies)),
	};
	if (columns_facts(columns))
		adding->rows->facts =
			xreallocarray(NULL, most, FACTS * sizeof(*adding->rows->facts));
	adding->width = width;
	adding->has_main = xcalloc(most, sizeof(*adding->has_main));
	adding->lives = xcalloc(most, sizeof(*adding->lives));
	adding->passes = xcalloc(most, sizeof(*adding->passes));
	adding->only = xcalloc(most, sizeof(*adding->only));
	memset(adding->only, 0xff, most * sizeof(*adding->only));
	hash_table_init(&adding->table, 0);
}

static void adding_fini(struct adding *adding)
{
	free(adding->has_main);
	free(adding->lives);
	free(adding->passes);
	free(adding->only);
	hash_table_fini(&adding->table);
}

void rollup_describe_process(struct row *process, const struct row *thread)
{
	unsigned threads = process->threads, lost = process->flags & ROW_LOST;
	uint64_t doubt_ns = process->doubt_ns, held_ms = process->held_ms;

	*process = *thread;
	process->doubt_ns = doubt_ns;
	process->held_ms = held_ms;
	process->threads = threads;
	process->processes = 1;
	process->flags |= lost;
	if (thread->tid == thread->pid)
		return;
	process->tid = thread->pid;
	process->start_ns = 0;
	process->flags &= ~(unsigned)(ROW_EXITED | ROW_ZOMBIE);
}

static void describe_group(enum rollup by, struct row *group, const struct row *process)
{
	*group = (struct row){.uid = (uid_t)-1, .cgroup = -1};
	if (by == ROLLUP_CGROUP) {
		group->cgroup = process->cgroup;
	} else if (by == ROLLUP_COMMAND) {
		memcpy(group->comm, process->comm, sizeof(group->comm));
		group->flags = process->flags & ROW_KERNEL;
	} else {
		group->uid = process->uid;
		memcpy(group->user, process->user, sizeof(group->user));
	}
}

/* Adds a row for that key. An older row with the same, reused pid goes behind it in the table. */
static size_t begin_row(struct adding *adding, uint64_t key)
{
	struct hash_slot *slot = hash_table_slot(&adding->table, key);
	size_t n = adding->rows->n++, older = slot->number;

	adding->rows->items[n] = (struct row){0};
	memset(adding->rows->tallies + n * adding->width, 0, adding->width * sizeof(uint64_t));
	if (adding->rows->facts)
		facts_clear(rows_facts(adding->rows, n), FIGURE_UNDEFINED);
	if (older)
		slot->number = n + 1;
	hash_table_add(&adding->table, key)->number = older ? older : n + 1;
	return n;
}

/* Returns index + 1 of the row with that key, or 0. The hashes of two commands may be equal. */
static size_t find_row(const struct adding *adding, uint64_t key, const struct row *row)
{
	struct hash_slot *slot = hash_table_slot(&adding->table, key);

	while (adding->by == ROLLUP_COMMAND && slot->number &&
	       strcmp(adding->rows->items[slot->number - 1].comm, row->comm) != 0)
		slot = hash_table_next(&adding->table, slot);
	return slot->number;
}

/* Finds or makes the row that this row is added to, and describes it. */
static size_t find_or_begin_row(struct adding *adding, const struct row *row)
{
	uint64_t key = key_of(adding, row);
	size_t found = find_row(adding, key, row);
	bool is_main = adding->processes && row->tid == row->pid;
	bool is_new = found == 0 || (is_main && adding->has_main[found - 1]);
	size_t at = is_new ? begin_row(adding, key) : found - 1;
	struct row *to = &adding->rows->items[at];

	if (!adding->processes && is_new)
		describe_group(adding->by, to, row);
	else if (is_new || is_main)
		rollup_describe_process(to, row);
	adding->has_main[at] |= is_main;
	return at;
}

static bool passes(const struct adding *adding, const struct row *row)
{
	return !adding->filter || row_filter_passes(adding->filter, row);
}

/* Gives a row the facts of its process. Groups have no facts of one task alone. */
static void add_process_facts(const struct adding *adding, size_t at, const struct figure *facts)
{
	struct figure *to = rows_facts(adding->rows, at);

	if (!facts || !to)
		return;
	if (adding->processes)
		memcpy(to, facts, FACTS * sizeof(*to));
	else
		facts_add(to, facts);
}

/* The index of a row whose figures no other row may share. */
#define NOT_ALONE SIZE_MAX

/* Adds a row, or a part of one, with the index that it has if it may be the only one. */
static void add_row(struct adding *adding, const struct columns *columns, const struct row *row,
		    const uint64_t *tally, uint64_t doubt_ns, const struct figure *facts,
		    size_t index)
{
	size_t at = find_or_begin_row(adding, row);
	struct row *to = &adding->rows->items[at];

	adding->passes[at] |= passes(adding, row);
	adding->only[at] = to->threads ? NOT_ALONE : index;
	add_process_facts(adding, at, facts);
	to->threads += row->threads ? row->threads : 1;
	to->processes += adding->processes ? 0 : row->processes;
	to->doubt_ns += doubt_ns;
	if (adding->processes && row->held_ms > to->held_ms)
		to->held_ms = row->held_ms;
	to->flags |= row->flags & ROW_LOST;
	to->flags &= row->flags | ~(unsigned)ROW_KERNEL;
	/* A process goes on without its main thread. */
	adding->lives[at] |= !(row->flags & ROW_EXITED);
	if (adding->lives[at] && to->flags & ROW_ZOMBIE)
		to->flags &= ~(unsigned)(ROW_EXITED | ROW_ZOMBIE);
	tally_add(&columns->plan->shape, rows_tally(columns, adding->rows, at), tally);
}

static enum task_owner owner_of(enum rollup by)
{
	return by == ROLLUP_USER     ? TASK_OWNER_USER
	       : by == ROLLUP_CGROUP ? TASK_OWNER_CGROUP
				     : TASK_OWNER_COMM;
}

/* A row that has changed what the rows are summed by, as it was before. */
static struct row row_as_before(const struct adding *adding, const struct row *row)
{
	const struct row_before *before = &adding->befores[row->before - 1];
	struct row was = *row;

	if (adding->by == ROLLUP_USER) {
		was.uid = before->uid;
		memcpy(was.user, before->user, sizeof(was.user));
	} else if (adding->by == ROLLUP_CGROUP) {
		was.cgroup = before->cgroup;
	} else {
		memcpy(was.comm, before->comm, sizeof(was.comm));
	}
	return was;
}

/* Whether a row has changed what the rows are summed by. */
static bool is_divided(const struct adding *adding, const struct row *row)
{
	return adding->befores && row->before &&
	       adding->befores[row->before - 1].parts[owner_of(adding->by)].most > 0;
}

/* Adds the part of a row before a change to one row, and the rest to another. */
static void add_divided(struct adding *adding, const struct columns *columns, const struct row *row,
			const uint64_t *tally, const struct figure *facts)
{
	const struct row_before *before = &adding->befores[row->before - 1];
	double least = (double)before->parts[owner_of(adding->by)].least;
	double most = (double)before->parts[owner_of(adding->by)].most;
	const struct row was = row_as_before(adding, row);
	uint64_t doubt_ns = (uint64_t)((most - least) / 2 * (double)tally[TALLY_TASK_CLOCK]);

	/* It may have changed, and to what is not known. */
	if (key_of(adding, &was) == key_of(adding, row)) {
		add_row(adding, columns, row, tally, 2 * doubt_ns + row->doubt_ns, facts,
			NOT_ALONE);
		return;
	}
	uint64_t *earlier = xcalloc(2 * adding->width, sizeof(*earlier));
	uint64_t *later = earlier + adding->width;

	tally_divide(&columns->plan->shape, tally, (least + most) / 2, earlier, later);
	add_row(adding, columns, &was, earlier, doubt_ns + was.doubt_ns, NULL, NOT_ALONE);
	add_row(adding, columns, row, later, doubt_ns + row->doubt_ns, facts, NOT_ALONE);
	free(earlier);
}

static void add_rows(struct adding *adding, const struct columns *columns, const struct rows *from)
{
	for (size_t i = 0; i < from->n; i++) {
		const struct row *row = &from->items[i];
		const uint64_t *tally = rows_tally(columns, from, i);
		const struct figure *facts = adding->snapshot
						     ? snapshot_facts_once(adding->snapshot, i)
						     : rows_facts(from, i);

		if (is_divided(adding, row))
			add_divided(adding, columns, row, tally, facts);
		else /* a process has other facts than its thread */
			add_row(adding, columns, row, tally, row->doubt_ns, facts,
				from->facts ? NOT_ALONE : i);
	}
}

/*
 * Processes that did not run themselves describe the rows of their threads. In a tree they have a
 * row in any case.
 */
static void describe_by_sleeping(struct adding *adding, const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->n_sleeping; i++) {
		const struct row *process = &snapshot->sleeping[i];
		uint64_t key = key_of(adding, process);
		size_t found = hash_table_slot(&adding->table, key)->number;

		if (found == 0 && adding->by != ROLLUP_TREE)
			continue;
		if (found && adding->has_main[found - 1])
			continue;
		bool is_new = found == 0;
		size_t at = is_new ? begin_row(adding, key) : found - 1;
		struct row *row = &adding->rows->items[at];
		rollup_describe_process(row, process);
		if (is_new) {
			const struct snapshot_process *its = snapshot_process(snapshot, row->pid);

			row->processes = 0;
			add_process_facts(adding, at, its ? its->facts : NULL);
		}
		adding->has_main[at] = true;
		adding->passes[at] |= passes(adding, row);
	}
}

/* Drops the own counts of an ancestor that does not pass the filter. */
static void empty_row(const struct columns *columns, const struct adding *adding, size_t i)
{
	struct row *row = &adding->rows->items[i];

	row->threads = row->processes = 0;
	row->flags = (row->flags & ~(unsigned)ROW_LOST) | ROW_ABOVE;
	adding->only[i] = SIZE_MAX;
	if (adding->rows->facts)
		facts_clear(rows_facts(adding->rows, i), FIGURE_UNDEFINED);
	memset(rows_tally(columns, adding->rows, i), 0,
	       tally_width(&columns->plan->shape) * sizeof(uint64_t));
}

static void move_row(const struct columns *columns, const struct adding *adding, size_t from,
		     size_t to)
{
	struct rows *rows = adding->rows;

	rows->items[to] = rows->items[from];
	adding->only[to] = adding->only[from];
	memcpy(rows_tally(columns, rows, to), rows_tally(columns, rows, from),
	       tally_width(&columns->plan->shape) * sizeof(uint64_t));
	if (rows->facts)
		memcpy(rows_facts(rows, to), rows_facts(rows, from), FACTS * sizeof(*rows->facts));
	if (rows->parents)
		rows->parents[to] = rows->parents[from];
}

/* Removes rows that do not pass. In a tree, such a row has no descendant that passes. */
static void remove_rows(const struct columns *columns, const struct adding *adding)
{
	struct rows *rows = adding->rows;
	size_t *moved = xcalloc(rows->n, sizeof(*moved)), n = 0;

	for (size_t i = 0; i < rows->n; i++) {
		if (!adding->passes[i])
			continue;
		moved[i] = n;
		if (n != i)
			move_row(columns, adding, i, n);
		n++;
	}
	for (size_t i = 0; rows->parents && i < n; i++)
		if (rows->parents[i] != NO_PARENT)
			rows->parents[i] = moved[rows->parents[i]];
	rows->n = n;
	free(moved);
}

/* Returns the youngest row with that pid that is not younger than the child. */
static size_t find_parent(const struct adding *adding, size_t child)
{
	const struct row *rows = adding->rows->items, *row = &rows[child];
	size_t best = NO_PARENT;

	if (row->ppid <= 0)
		return best;
	struct hash_slot *slot = hash_table_slot(&adding->table, (uint64_t)row->ppid << 32);
	for (; slot->number; slot = hash_table_next(&adding->table, slot)) {
		size_t i = slot->number - 1;

		if (i == child || (row->start_ns && rows[i].start_ns > row->start_ns))
			continue;
		if (best == NO_PARENT || rows[i].start_ns > rows[best].start_ns)
			best = i;
	}
	return best;
}

/* Parents that were read at different times may form a ring. One of its links is cut. */
static void cut_rings(size_t *parents, size_t n)
{
	size_t *walk =
		xcalloc(n, sizeof(*walk)); /* number of the last walk that passed here, from 1 on */

	for (size_t i = 0; i < n; i++) {
		size_t at = i;

		while (!walk[at]) {
			walk[at] = i + 1;
			size_t above = parents[at];
			if (above == NO_PARENT)
				break;
			if (walk[above] == i + 1)
				parents[at] = NO_PARENT;
			else
				at = above;
		}
	}
	free(walk);
}

static void add_to_parent(const struct columns *columns, const struct adding *adding, size_t from,
			  size_t to)
{
	struct rows *rows = adding->rows;

	adding->only[to] = SIZE_MAX;
	rows->items[to].threads += rows->items[from].threads;
	rows->items[to].processes += rows->items[from].processes;
	rows->items[to].flags |= rows->items[from].flags & ROW_LOST;
	if (rows->facts)
		facts_add(rows_facts(rows, to), rows_facts(rows, from));
	tally_add(&columns->plan->shape, rows_tally(columns, rows, to),
		  rows_tally(columns, rows, from));
}

size_t *rollup_leaves_first(const struct rows *tree)
{
	unsigned *children = xcalloc(tree->n, sizeof(*children));
	size_t *order = xcalloc(tree->n, sizeof(*order)), n = 0;

	for (size_t i = 0; i < tree->n; i++)
		if (tree->parents[i] != NO_PARENT)
			children[tree->parents[i]]++;
	for (size_t i = 0; i < tree->n; i++) {
		/* A row becomes a leaf once: here, or below, after its last child. */
		for (size_t at = i; children[at] == 0;) {
			size_t above = tree->parents[at];

			order[n++] = at;
			children[at] = UINT32_MAX;
			if (above == NO_PARENT)
				break;
			children[above]--;
			at = above;
		}
	}
	free(children);
	return order;
}

static void add_descendants(const struct columns *columns, const struct adding *adding)
{
	size_t *order = rollup_leaves_first(adding->rows);

	for (size_t i = 0; i < adding->rows->n; i++) {
		size_t at = order[i], above = adding->rows->parents[at];

		if (above == NO_PARENT)
			continue;
		add_to_parent(columns, adding, at, above);
		adding->passes[above] |= adding->passes[at];
	}
	free(order);
}

static void make_tree(const struct adding *adding, const struct columns *columns)
{
	struct rows *rows = adding->rows;

	for (size_t i = 0; i < rows->n; i++)
		if (!adding->passes[i])
			empty_row(columns, adding, i);
	rows->parents = xcalloc(rows->n, sizeof(*rows->parents));
	for (size_t i = 0; i < rows->n; i++)
		rows->parents[i] = find_parent(adding, i);
	cut_rings(rows->parents, rows->n);
	add_descendants(columns, adding);
}

/* Sums of processes, so that each process is counted once. */
static void rollup_groups(const struct snapshot *snapshot, enum rollup by,
			  const struct rows *processes, struct rows *rows)
{
	struct adding adding = {
		.by = by, .befores = by == ROLLUP_COMMAND ? snapshot->befores : NULL, .rows = rows};

	adding_init(&adding, snapshot->columns, processes->n + snapshot->n_befores);
	add_rows(&adding, snapshot->columns, processes);
	adding_fini(&adding);
}

/*
 * Adds the threads up, to processes (within their user or cgroup) or to users or cgroups. Returns
 * what struct rows has as `only`.
 */
static size_t *add_threads(const struct snapshot *snapshot, enum rollup by, bool processes,
			   const struct row_filter *filter, struct rows *rows)
{
	const struct columns *columns = snapshot->columns;
	bool groups = rollup_is_of_groups(by);
	struct adding adding = {
		.by = by,
		.processes = processes,
		.snapshot = snapshot,
		.befores = groups ? snapshot->befores : NULL,
		.filter = filter,
		.rows = rows,
	};

	adding_init(&adding, columns,
		    snapshot->threads.n + snapshot->n_sleeping + snapshot->n_befores);
	add_rows(&adding, columns, &snapshot->threads);
	if (processes && (!groups || filter))
		describe_by_sleeping(&adding, snapshot);
	if (by == ROLLUP_TREE)
		make_tree(&adding, columns);
	if (filter)
		remove_rows(columns, &adding);
	size_t *only = adding.only;
	adding.only = NULL;
	adding_fini(&adding);
	return only;
}

void rollup_rows(const struct snapshot *snapshot, enum rollup by, const struct row_filter *filter,
		 struct rows *rows)
{
	const struct columns *columns = snapshot->columns;
	struct rows processes;
	size_t *only = add_threads(snapshot, by == ROLLUP_COMMAND ? ROLLUP_PROCESS : by, true,
				   filter, &processes);

	if (rollup_is_of_groups(by)) {
		rollup_groups(snapshot, by, &processes, rows);
		rows_evaluate_sums(columns, snapshot_scope(snapshot), NULL, NULL, rows);
		rows_fini(&processes);
		free(only);
	} else {
		rows_evaluate_sums(columns, snapshot_scope(snapshot), &snapshot->threads, only,
				   &processes);
		*rows = processes;
	}
}

void rollup_tallies(const struct snapshot *snapshot, enum rollup by, struct rows *rows)
{
	struct rows processes;

	if (by == ROLLUP_COMMAND) {
		rollup_tallies(snapshot, ROLLUP_PROCESS, &processes);
		rollup_groups(snapshot, by, &processes, rows);
		rows_fini(&processes);
		return;
	}
	free(add_threads(snapshot, by, !rollup_is_of_groups(by), NULL, rows));
}
