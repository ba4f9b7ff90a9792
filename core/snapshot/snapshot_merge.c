// SPDX-License-Identifier: MIT
/*
 * Adds snapshots up. The index of a cgroup differs from snapshot to snapshot, so each row gets the
 * index of its cgroup's path in the sum. Only paths of cgroups with rows are searched: a machine
 * may have thousands of cgroups, and the screen waits for the sum.
 */
#include "core/snapshot/snapshot_merge.h"

#include "core/base/hash_table.h"
#include "core/base/util.h"

#include <stdlib.h>
#include <string.h>

/* Cgroups of `next`, by their index in the sum. */
struct cgroup_map {
	struct snapshot *sum;
	const struct snapshot *next;
	size_t *known;           /* index + 1 in the sum of each cgroup of next; 0: not searched */
	struct hash_table table; /* by path: index + 1 in the sum */
};

static void cgroup_map_init(struct cgroup_map *map, struct snapshot *sum,
			    const struct snapshot *next)
{
	*map = (struct cgroup_map){
		.sum = sum,
		.next = next,
		.known = xcalloc(next->n_cgroups, sizeof(*map->known)),
	};
	hash_table_init(&map->table, sum->n_cgroups);
	sum->cgroups =
		xreallocarray(sum->cgroups, sum->n_cgroups + next->n_cgroups, sizeof(char *));
	for (size_t i = 0; i < sum->n_cgroups; i++)
		hash_table_add(&map->table, hash_text(sum->cgroups[i]))->number = i + 1;
}

static void cgroup_map_fini(struct cgroup_map *map)
{
	free(map->known);
	hash_table_fini(&map->table);
}

/* Returns index + 1 in the sum, which has room for all cgroups of next. */
static size_t find_or_add_cgroup(struct cgroup_map *map, const char *path)
{
	uint64_t key = hash_text(path);
	struct hash_slot *slot = hash_table_slot(&map->table, key);

	while (slot->number && strcmp(map->sum->cgroups[slot->number - 1], path) != 0)
		slot = hash_table_next(&map->table, slot);
	if (slot->number)
		return slot->number;
	map->sum->cgroups[map->sum->n_cgroups++] = xstrdup(path);
	hash_table_add(&map->table, key)->number = map->sum->n_cgroups;
	return map->sum->n_cgroups;
}

/* Returns the sum's index of a cgroup of next. */
static int copy_cgroup(struct cgroup_map *map, int cgroup)
{
	const char *path = snapshot_cgroup(map->next, &(struct row){.cgroup = cgroup});

	if (!path)
		return -1;
	size_t *known = &map->known[cgroup];
	if (!*known)
		*known = find_or_add_cgroup(map, path);
	return (int)(*known - 1);
}

/* Returns the row with the sum's index of its cgroup, and without its command line. */
static struct row copy_row(const struct row *row, struct cgroup_map *map)
{
	struct row to = *row;

	to.cmdline = NULL;
	to.before = 0;
	to.cgroup = copy_cgroup(map, row->cgroup);
	return to;
}

/* The same of what a row was before; most 0 in all parts: nothing has changed. */
static struct row_before copy_before(const struct row *row, struct cgroup_map *map)
{
	struct row_before to = {.uid = (uid_t)-1, .cgroup = -1};

	if (row->before && row->before <= map->next->n_befores) {
		to = map->next->befores[row->before - 1];
		to.cgroup = copy_cgroup(map, to.cgroup);
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
static uint64_t thread_key(const struct row *row)
{
	return row->start_ns ^ (uint64_t)row->tid << 32;
}

/* Returns index + 1 of the same thread in rows, or 0. */
static size_t find_thread(const struct hash_table *table, const struct rows *rows,
			  const struct row *row)
{
	struct hash_slot *slot = hash_table_slot(table, thread_key(row));

	while (slot->number && rows->items[slot->number - 1].tid != row->tid)
		slot = hash_table_next(table, slot);
	return slot->number;
}

/* Reserves `more` rows, not initialised. */
static void reserve_rows(const struct columns *columns, size_t more, struct rows *rows)
{
	size_t width = tally_width(&columns->plan->shape), n = rows->n + more;

	rows->items = xreallocarray(rows->items, n, sizeof(*rows->items));
	rows->tallies = xreallocarray(rows->tallies, n, width * sizeof(*rows->tallies));
}

/* Updates the row from the newer one. What is unknown of the newer one stays. */
static void update_row(const struct row *row, struct row *sum)
{
	const struct row before = *sum;

	*sum = *row;
	sum->before = before.before;
	sum->flags |= before.flags & ROW_LOST;
	sum->doubt_ns += before.doubt_ns;
	if (!row->comm[0])
		memcpy(sum->comm, before.comm, sizeof(sum->comm));
	if (!row->user[0]) {
		sum->uid = before.uid;
		memcpy(sum->user, before.user, sizeof(sum->user));
	}
	if (row->cgroup < 0)
		sum->cgroup = before.cgroup;
}

static void merge_thread(struct snapshot *sum, const struct row *row,
			 const struct row_before *change, const uint64_t *tally,
			 struct hash_table *table)
{
	const struct columns *columns = sum->columns;
	struct rows *to = &sum->threads;
	size_t found = find_thread(table, to, row);

	if (found) {
		struct row *first = &to->items[found - 1];
		uint64_t first_ns = rows_tally(columns, to, found - 1)[TALLY_TASK_CLOCK];
		const struct row_before before = merge_before(
			sum, first, (double)first_ns, row, (double)tally[TALLY_TASK_CLOCK], change);
		if (first->before)
			sum->befores[first->before - 1] = before;
		else if (any_part(&before))
			first->before = store_before(sum, &before);
		update_row(row, first);
		tally_add(&columns->plan->shape, rows_tally(columns, to, found - 1), tally);
		return;
	}
	to->items[to->n] = *row;
	if (any_part(change))
		to->items[to->n].before = store_before(sum, change);
	memcpy(rows_tally(columns, to, to->n), tally,
	       tally_width(&columns->plan->shape) * sizeof(*tally));
	hash_table_add(table, thread_key(row))->number = ++to->n;
}

static void merge_threads(struct snapshot *sum, const struct snapshot *next, struct cgroup_map *map)
{
	struct rows *rows = &sum->threads;
	struct hash_table table;

	reserve_rows(sum->columns, next->threads.n, rows);
	hash_table_init(&table, rows->n);
	for (size_t i = 0; i < rows->n; i++)
		hash_table_add(&table, thread_key(&rows->items[i]))->number = i + 1;
	for (size_t i = 0; i < next->threads.n; i++) {
		const struct row *from = &next->threads.items[i];
		struct row row = copy_row(from, map);
		const struct row_before change = copy_before(from, map);

		merge_thread(sum, &row, &change, rows_tally(sum->columns, &next->threads, i),
			     &table);
	}
	hash_table_fini(&table);
}

/*
 * A process may be in the list twice, or have run in another snapshot. rollup.c uses the first, and
 * only if the process has no row.
 */
static void append_sleeping(struct snapshot *sum, const struct snapshot *next,
			    struct cgroup_map *map)
{
	sum->sleeping = xreallocarray(sum->sleeping, sum->n_sleeping + next->n_sleeping + 1,
				      sizeof(*sum->sleeping));
	for (size_t i = 0; i < next->n_sleeping; i++)
		sum->sleeping[sum->n_sleeping++] = copy_row(&next->sleeping[i], map);
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
	}
}

struct snapshot *snapshot_merge_new(struct columns *columns)
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

void snapshot_merge_add_machine(struct snapshot *sum, const struct snapshot *next)
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

void snapshot_merge_add_code(struct snapshot *sum, const struct snapshot *next)
{
	if (!next->code)
		return;
	struct code_profile *code = code_profile_sum(sum->code, next->code);
	code_profile_free(sum->code);
	sum->code = code;
}

void snapshot_merge_add(struct snapshot *sum, const struct snapshot *next)
{
	struct cgroup_map map;

	cgroup_map_init(&map, sum, next);
	merge_threads(sum, next, &map);
	append_sleeping(sum, next, &map);
	cgroup_map_fini(&map);
	snapshot_merge_add_code(sum, next);
	snapshot_merge_add_machine(sum, next);
}

void snapshot_merge_evaluate(struct snapshot *sum)
{
	const struct columns *columns = sum->columns;
	struct busy_part all = {.machine = true, .tally = sum->totals, .idle = sum->idle};

	snapshot_merge_target(sum);
	for (size_t i = 0; i < sum->n_cpus; i++) {
		struct snapshot_cpu *cpu = &sum->cpus[i];

		if (!cpu->tally)
			continue;
		const struct busy_part part = {.cpus = 1,
					       .tally = cpu->tally,
					       .idle = cpu->idle,
					       .doubt_ns = cpu->doubt_ns};
		all.cpus++;
		all.doubt_ns += cpu->doubt_ns;
		cpu->figures = xcalloc(columns->n_metrics, sizeof(*cpu->figures));
		snapshot_evaluate_busy(sum, &part, cpu->figures);
	}
	sum->figures = xcalloc(columns->n_metrics, sizeof(*sum->figures));
	snapshot_evaluate_busy(sum, &all, sum->figures);
}
