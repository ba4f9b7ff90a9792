// SPDX-License-Identifier: MIT
/*
 * The index of a cgroup differs from snapshot to snapshot, so each row gets the index of its
 * cgroup's path in the sum. Only paths of cgroups with rows are searched: a machine may have
 * thousands of cgroups, and the screen waits for the sum.
 */
#include "core/snapshot/snapshot_sum.h"

#include "core/base/util.h"

#include <stdlib.h>
#include <string.h>

/* A snapshot while it is added. */
struct adding {
	struct snapshot_sum *self;
	struct snapshot *sum;
	const struct snapshot *next;
	size_t *cgroups;        /* index + 1 in the sum of each cgroup of next; 0: not searched */
	struct hash_table rows; /* of the sum, by thread or pid: index + 1 of the latest one */
};

/* Returns index + 1 in the sum; 0 if it is full. */
static size_t find_or_add_cgroup(struct snapshot_sum *self, const char *path)
{
	struct snapshot *sum = self->sum;
	uint64_t key = hash_text(path);
	struct hash_slot *slot = hash_table_slot(&self->cgroups, key);

	while (slot->number && strcmp(sum->cgroups[slot->number - 1], path) != 0)
		slot = hash_table_next(&self->cgroups, slot);
	if (slot->number)
		return slot->number;
	if (sum->n_cgroups == SNAPSHOT_SUM_CGROUPS)
		return 0;
	sum->cgroups = array_reserve(sum->cgroups, &self->cgroups_capacity, sum->n_cgroups + 1,
				     sizeof(*sum->cgroups));
	sum->cgroups[sum->n_cgroups++] = xstrdup(path);
	hash_table_add(&self->cgroups, key)->number = sum->n_cgroups;
	return sum->n_cgroups;
}

/* Returns the sum's index of a cgroup of next. */
static int copy_cgroup(const struct adding *adding, int cgroup)
{
	const char *path = snapshot_cgroup(adding->next, &(struct row){.cgroup = cgroup});

	if (!path)
		return -1;
	size_t *known = &adding->cgroups[cgroup];
	if (!*known)
		*known = find_or_add_cgroup(adding->self, path);
	return (int)*known - 1;
}

/* Returns the row with the sum's index of its cgroup. */
static struct row copy_row(const struct adding *adding, const struct row *row)
{
	struct row to = *row;

	to.before = 0;
	to.cgroup = copy_cgroup(adding, row->cgroup);
	if (adding->self->by == ROLLUP_THREAD) {
		to.cmdline = NULL;
	} else {
		to.processes = 0;
		to.held_ms = 0;
		to.flags &= ~(unsigned)ROW_ZOMBIE;
	}
	return to;
}

/* The same of what a row was before; most 0 in all parts: nothing has changed. */
static struct row_before copy_before(const struct adding *adding, const struct row *row)
{
	const struct snapshot *next = adding->next;
	struct row_before to = {.uid = (uid_t)-1, .cgroup = -1};

	if (adding->self->by == ROLLUP_THREAD && row->before && row->before <= next->n_befores) {
		to = next->befores[row->before - 1];
		to.cgroup = copy_cgroup(adding, to.cgroup);
	}
	return to;
}

/* A row as what it was before. */
static struct row_before as_before(const struct row *row)
{
	struct row_before before = {.uid = row->uid, .cgroup = row->cgroup};

	memcpy(before.comm, row->comm, sizeof(before.comm));
	memcpy(before.user, row->user, sizeof(before.user));
	return before;
}

static void copy_owner(const struct row_before *from, enum task_owner owner, struct row_before *to)
{
	if (owner == TASK_OWNER_COMM) {
		memcpy(to->comm, from->comm, sizeof(to->comm));
	} else if (owner == TASK_OWNER_USER) {
		to->uid = from->uid;
		memcpy(to->user, from->user, sizeof(to->user));
	} else {
		to->cgroup = from->cgroup;
	}
}

static bool has_moved(const struct row *from, const struct row *to, enum task_owner owner)
{
	switch (owner) {
	case TASK_OWNER_COMM:
		return from->comm[0] && to->comm[0] && strcmp(from->comm, to->comm) != 0;
	case TASK_OWNER_USER:
		return from->user[0] && to->user[0] && from->uid != to->uid;
	case TASK_OWNER_CGROUP:
		return from->cgroup >= 0 && to->cgroup >= 0 && from->cgroup != to->cgroup;
	case TASK_OWNERS:
		break;
	}
	return false;
}

static size_t store_before(struct snapshot *sum, const struct row_before *before)
{
	sum->befores = xreallocarray(sum->befores, sum->n_befores + 1, sizeof(*sum->befores));
	sum->befores[sum->n_befores++] = *before;
	return sum->n_befores;
}

/*
 * Returns what the sum of two rows was before: the first one, if the second one has another name,
 * user or cgroup. Of several changes the last one is known.
 */
static struct row_before merge_before(const struct snapshot *sum, const struct row *first,
				      double first_ns, const struct row *second, double second_ns,
				      const struct row_before *change)
{
	struct row_before before = {.uid = (uid_t)-1, .cgroup = -1};
	const struct row_before was = as_before(first);

	if (first->before)
		before = sum->befores[first->before - 1];
	for (size_t i = 0; i < TASK_OWNERS && first_ns + second_ns > 0; i++) {
		enum task_owner owner = (enum task_owner)i;
		bool moved = has_moved(first, second, owner), changes = change->parts[i].most > 0;
		double least = moved ? 1 : (double)before.parts[i].least;
		double most = moved ? 1 : (double)before.parts[i].most;

		least = least * first_ns + (double)change->parts[i].least * second_ns;
		most = most * first_ns + (double)change->parts[i].most * second_ns;
		before.parts[i].least = (float)(least / (first_ns + second_ns));
		before.parts[i].most = (float)(most / (first_ns + second_ns));
		if (moved || changes)
			copy_owner(changes ? change : &was, owner, &before);
	}
	return before;
}

static bool any_part(const struct row_before *before)
{
	bool any = false;

	for (size_t i = 0; i < TASK_OWNERS; i++)
		any |= before->parts[i].most > 0;
	return any;
}

/* The start identifies a thread whose tid was reused. */
static uint64_t key_of(const struct snapshot_sum *self, const struct row *row)
{
	return self->by == ROLLUP_THREAD ? row->start_ns ^ (uint64_t)row->tid << 32
					 : (uint32_t)row->pid;
}

/* Whether the main thread of a process is known. */
static bool has_main(const struct snapshot *snapshot, pid_t pid)
{
	for (size_t i = 0; i < snapshot->threads.n; i++)
		if (snapshot->threads.items[i].tid == pid)
			return true;
	for (size_t i = 0; i < snapshot->n_sleeping; i++)
		if (snapshot->sleeping[i].tid == pid)
			return true;
	return false;
}

/* Row i of the sum has the pid of this process. Returns whether it is another process. */
static bool is_another(const struct adding *adding, size_t i, const struct row *row)
{
	const struct row *before = &adding->sum->threads.items[i];
	bool has_ended = before->flags & ROW_EXITED;

	if (adding->self->last_added[i] == adding->self->added) /* two in one snapshot */
		return true;
	if (row->start_ns)
		return before->start_ns ? before->start_ns != row->start_ns : has_ended;
	/* Threads may live on without their main thread. */
	return has_ended && !(row->flags & ROW_EXITED) && has_main(adding->next, row->pid);
}

/* Returns index + 1 of the same thread or process in the sum, or 0. */
static size_t find_row(const struct adding *adding, const struct row *row)
{
	const struct snapshot_sum *self = adding->self;
	struct hash_slot *slot = hash_table_slot(&adding->rows, key_of(self, row));

	if (self->by == ROLLUP_THREAD) {
		while (slot->number && adding->sum->threads.items[slot->number - 1].tid != row->tid)
			slot = hash_table_next(&adding->rows, slot);
		return slot->number;
	}
	return slot->number && !is_another(adding, slot->number - 1, row) ? slot->number : 0;
}

/* Enters row i. The latest process with a pid replaces the one before. */
static void enter_row(struct adding *adding, size_t i)
{
	uint64_t key = key_of(adding->self, &adding->sum->threads.items[i]);
	struct hash_slot *slot =
		adding->self->by == ROLLUP_THREAD ? NULL : hash_table_slot(&adding->rows, key);

	if (!slot || !slot->number)
		slot = hash_table_add(&adding->rows, key);
	slot->number = i + 1;
}

static void drop_cmdline(const struct row *row)
{
	if (row->cmdline)
		cmdline_unref(cmdline_of(row->cmdline));
}

/* Updates the row from the newer one. What is unknown of the newer one stays. */
static void update_row(const struct row *row, struct row *sum)
{
	const struct row before = *sum;

	*sum = *row;
	sum->before = before.before;
	sum->flags |= before.flags & ROW_LOST;
	sum->doubt_ns += before.doubt_ns;
	sum->threads = before.threads > row->threads ? before.threads : row->threads;
	sum->start_ns = row->start_ns ? row->start_ns : before.start_ns;
	sum->ppid = row->ppid ? row->ppid : before.ppid;
	if (!row->comm[0])
		memcpy(sum->comm, before.comm, sizeof(sum->comm));
	if (!row->user[0]) {
		sum->uid = before.uid;
		memcpy(sum->user, before.user, sizeof(sum->user));
	}
	if (row->cgroup < 0)
		sum->cgroup = before.cgroup;
	if (row->cmdline)
		drop_cmdline(&before);
	else
		sum->cmdline = before.cmdline;
}

static void merge_changes(const struct adding *adding, size_t i, const struct row *row,
			  const uint64_t *tally, const struct row_before *change)
{
	struct snapshot *sum = adding->sum;
	struct row *first = &sum->threads.items[i];
	uint64_t first_ns = rows_tally(sum->columns, &sum->threads, i)[TALLY_TASK_CLOCK];
	const struct row_before before = merge_before(sum, first, (double)first_ns, row,
						      (double)tally[TALLY_TASK_CLOCK], change);

	if (first->before)
		sum->befores[first->before - 1] = before;
	else if (any_part(&before))
		first->before = store_before(sum, &before);
}

/* Reserves memory for `more` rows at once: most of it may never be touched. */
static void reserve_rows(struct snapshot_sum *self, size_t more)
{
	struct rows *rows = &self->sum->threads;
	size_t width = tally_width(&self->sum->columns->plan->shape), n = rows->n + more;

	rows->items = xreallocarray(rows->items, n, sizeof(*rows->items));
	rows->tallies = xreallocarray(rows->tallies, n, width * sizeof(*rows->tallies));
	self->last_added = xreallocarray(self->last_added, n, sizeof(*self->last_added));
}

/* Appends a row with a tally of 0. There is memory for it. */
static size_t append_row(struct adding *adding, const struct row *row)
{
	struct rows *rows = &adding->sum->threads;
	size_t width = tally_width(&adding->sum->columns->plan->shape), i = rows->n++;

	memset(rows->tallies + i * width, 0, width * sizeof(*rows->tallies));
	rows->items[i] = *row;
	enter_row(adding, i);
	return i;
}

static void add_row(struct adding *adding, const struct row *from, const uint64_t *tally)
{
	struct snapshot *sum = adding->sum;
	struct row row = copy_row(adding, from);
	const struct row_before change = copy_before(adding, from);
	size_t found = find_row(adding, &row), at = found - 1;

	if (row.cmdline)
		row.cmdline = cmdline_ref(cmdline_of(row.cmdline))->text;
	if (found) {
		if (adding->self->by == ROLLUP_THREAD)
			merge_changes(adding, at, &row, tally, &change);
		update_row(&row, &sum->threads.items[at]);
	} else {
		at = append_row(adding, &row);
		if (any_part(&change))
			sum->threads.items[at].before = store_before(sum, &change);
	}
	adding->self->last_added[at] = adding->self->added;
	tally_add(&sum->columns->plan->shape, rows_tally(sum->columns, &sum->threads, at), tally);
}

static void add_rows(struct adding *adding, const struct rows *rows)
{
	const struct rows *known = &adding->sum->threads;

	reserve_rows(adding->self, rows->n);
	/* A table that is kept would not be in the cache at the next snapshot, if there are many.
	 */
	hash_table_init(&adding->rows, known->n);
	for (size_t i = 0; i < known->n; i++)
		enter_row(adding, i);
	for (size_t i = 0; i < rows->n; i++)
		add_row(adding, &rows->items[i], rows_tally(adding->next->columns, rows, i));
	hash_table_fini(&adding->rows);
}

/*
 * A process may be in the list twice, or have run in another snapshot. rollup.c uses the first, and
 * only if the process has no row.
 */
static void append_sleeping(const struct adding *adding)
{
	struct snapshot *sum = adding->sum;
	const struct snapshot *next = adding->next;

	sum->sleeping = xreallocarray(sum->sleeping, sum->n_sleeping + next->n_sleeping + 1,
				      sizeof(*sum->sleeping));
	for (size_t i = 0; i < next->n_sleeping; i++)
		sum->sleeping[sum->n_sleeping++] = copy_row(adding, &next->sleeping[i]);
}

static struct snapshot_cpu *find_or_add_cpu(struct snapshot *sum, const struct snapshot_cpu *cpu)
{
	for (size_t i = 0; i < sum->n_cpus; i++)
		if (sum->cpus[i].cpu == cpu->cpu)
			return &sum->cpus[i];
	sum->cpus = xreallocarray(sum->cpus, sum->n_cpus + 1, sizeof(*sum->cpus));
	struct snapshot_cpu *added = &sum->cpus[sum->n_cpus++];
	*added = (struct snapshot_cpu){.cpu = cpu->cpu, .socket = cpu->socket, .node = cpu->node};
	text_copy(added->type, sizeof(added->type), cpu->type);
	return added;
}

/* A CPU that was not counted yet has no tally. */
static void merge_cpus(struct snapshot *sum, const struct snapshot *next)
{
	const struct tally_shape *shape = &sum->columns->plan->shape;

	for (size_t i = 0; i < next->n_cpus; i++) {
		const struct snapshot_cpu *cpu = &next->cpus[i];
		struct snapshot_cpu *to = find_or_add_cpu(sum, cpu);

		if (!cpu->tally)
			continue;
		if (!to->tally) {
			to->tally = xcalloc(tally_width(shape), sizeof(uint64_t));
			to->idle = xcalloc(tally_width(shape), sizeof(uint64_t));
			to->cpus = cpu->cpus;
		}
		tally_add(shape, to->tally, cpu->tally);
		tally_add(shape, to->idle, cpu->idle);
		/* Ticks are sums: their rounding does not add up. */
		uint64_t gaps_ns = to->doubt_ns - to->ticks_ns + cpu->doubt_ns - cpu->ticks_ns;
		if (cpu->ticks_ns > to->ticks_ns)
			to->ticks_ns = cpu->ticks_ns;
		to->doubt_ns = gaps_ns + to->ticks_ns;
		to->outside |= cpu->outside;
	}
}

static struct snapshot *sum_new(struct columns *columns)
{
	struct snapshot *sum = xcalloc(1, sizeof(*sum));
	size_t width = tally_width(&columns->plan->shape);

	sum->columns = columns_ref(columns);
	sum->totals = xcalloc(width, sizeof(uint64_t));
	sum->idle = xcalloc(width, sizeof(uint64_t));
	sum->unattributed = xcalloc(width, sizeof(uint64_t));
	sum->others = xcalloc(width, sizeof(uint64_t));
	return sum;
}

/* Adds CPUs, totals, times and the values of the machine. */
static void merge_machine(struct snapshot *sum, const struct snapshot *next)
{
	const struct tally_shape *shape = &sum->columns->plan->shape;

	merge_cpus(sum, next);
	tally_add(shape, sum->totals, next->totals);
	tally_add(shape, sum->idle, next->idle);
	tally_add(shape, sum->unattributed, next->unattributed);
	if (next->others)
		tally_add(shape, sum->others, next->others);
	machine_merge(&sum->machine, sum->interval_ns, &next->machine, next->interval_ns);
	sum->sequence = next->sequence;
	sum->time_ns = next->time_ns;
	sum->realtime_ns = next->realtime_ns;
	sum->interval_ns += next->interval_ns;
	sum->lost_records += next->lost_records;
	sum->mode = next->mode;
	sum->tasks = next->tasks;
	sum->targeted = next->targeted;
	sum->target_text = next->target_text;
	sum->ended = next->ended;
	memcpy(sum->host, next->host, sizeof(sum->host));
	memcpy(sum->pmu, next->pmu, sizeof(sum->pmu));
}

/* Adds the samples of code. They count events of the columns. */
static void merge_code(struct snapshot *sum, const struct snapshot *next)
{
	if (!next->code)
		return;
	struct code_profile *code = code_profile_sum(sum->code, next->code);
	code_profile_free(sum->code);
	sum->code = code;
}

void snapshot_sum_init(struct snapshot_sum *self, struct columns *columns, enum rollup by)
{
	*self = (struct snapshot_sum){.sum = sum_new(columns), .by = by};
	hash_table_init(&self->cgroups, 0);
}

void snapshot_sum_fini(struct snapshot_sum *self)
{
	for (size_t i = 0; self->sum && i < self->sum->threads.n; i++)
		drop_cmdline(&self->sum->threads.items[i]);
	snapshot_free(self->sum);
	free(self->last_added);
	hash_table_fini(&self->cgroups);
	*self = (struct snapshot_sum){0};
}

void snapshot_sum_add(struct snapshot_sum *self, const struct snapshot *next)
{
	struct snapshot *sum = self->sum;
	struct columns *columns = sum->columns;
	struct adding adding = {
		.self = self,
		.sum = sum,
		.next = next,
		.cgroups = xcalloc(next->n_cgroups, sizeof(*adding.cgroups)),
	};
	struct rows processes;

	self->added++;
	sum->columns = columns_ref(next->columns);
	columns_unref(columns);
	if (self->by == ROLLUP_THREAD) {
		add_rows(&adding, &next->threads);
		append_sleeping(&adding);
	} else {
		sum->command_lines = next->command_lines;
		rollup_tallies(next, ROLLUP_PROCESS, &processes);
		add_rows(&adding, &processes);
		rows_fini(&processes);
	}
	free(adding.cgroups);
	merge_code(sum, next);
	merge_machine(sum, next);
}

void snapshot_sum_keep_rows(struct snapshot_sum *self, const bool *marks)
{
	struct rows *rows = &self->sum->threads;
	size_t width = tally_width(&self->sum->columns->plan->shape), n = 0;

	for (size_t i = 0; i < rows->n; i++) {
		if (!marks[i]) {
			drop_cmdline(&rows->items[i]);
			continue;
		}
		rows->items[n] = rows->items[i];
		self->last_added[n] = self->last_added[i];
		memmove(rows->tallies + n * width, rows->tallies + i * width,
			width * sizeof(*rows->tallies));
		n++;
	}
	rows->n = n;
}

struct snapshot *snapshot_sum_copy(const struct snapshot_sum *self, size_t more)
{
	const struct snapshot *sum = self->sum;
	const struct rows *rows = &sum->threads;
	struct snapshot *copy = sum_new(sum->columns);
	size_t width = tally_width(&sum->columns->plan->shape);

	merge_machine(copy, sum);
	copy->code = code_profile_ref(sum->code);
	copy->command_lines = sum->command_lines;
	copy->cmdlines = xcalloc(rows->n, sizeof(*copy->cmdlines));
	rows_init(copy->columns, rows->n + more, &copy->threads);
	for (size_t i = 0; i < rows->n; i++) {
		copy->threads.items[i] = rows->items[i];
		if (rows->items[i].cmdline)
			copy->cmdlines[copy->n_cmdlines++] =
				cmdline_ref(cmdline_of(rows->items[i].cmdline));
	}
	if (rows->n > 0)
		memcpy(copy->threads.tallies, rows->tallies,
		       rows->n * width * sizeof(*rows->tallies));
	copy->cgroups = xcalloc(sum->n_cgroups, sizeof(*copy->cgroups));
	for (size_t i = 0; i < sum->n_cgroups; i++)
		copy->cgroups[copy->n_cgroups++] = xstrdup(sum->cgroups[i]);
	return copy;
}

void snapshot_sum_evaluate(struct snapshot *sum)
{
	const struct columns *columns = sum->columns;
	struct busy_part all = {.machine = true, .tally = sum->totals, .idle = sum->idle};

	snapshot_set_target(sum);
	for (size_t i = 0; i < sum->n_cpus; i++) {
		struct snapshot_cpu *cpu = &sum->cpus[i];

		if (!cpu->tally)
			continue;
		const struct busy_part part = {.cpus = 1,
					       .tally = cpu->tally,
					       .idle = cpu->idle,
					       .doubt_ns = cpu->doubt_ns,
					       .outside = cpu->outside};
		all.cpus++;
		all.doubt_ns += cpu->doubt_ns;
		all.outside |= cpu->outside;
		cpu->figures = xcalloc(columns->n_metrics, sizeof(*cpu->figures));
		snapshot_evaluate_busy(sum, &part, cpu->figures);
	}
	sum->figures = xcalloc(columns->n_metrics, sizeof(*sum->figures));
	snapshot_evaluate_busy(sum, &all, sum->figures);
}
