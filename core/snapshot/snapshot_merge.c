// SPDX-License-Identifier: MIT
#include "core/snapshot/snapshot_merge.h"

#include "core/base/hash_table.h"
#include "core/base/util.h"

#include <stdlib.h>
#include <string.h>

/* ---- cgroups */

/*
 * What the next one's cgroups are in the sum. Rows that are added ask: of thousands of cgroups few
 * may have run, and sums are made where keys wait.
 */
struct cgroup_map {
	struct snapshot *sum;
	const struct snapshot *next;
	size_t *known; /* index + 1 of each of the next one's; 0: no row has named it yet */
	struct hash_table table; /* by path: the index + 1 in the sum */
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

/* Its index + 1 in the sum, where there is room for all that the next one has. */
static size_t find_cgroup(struct cgroup_map *map, const char *path)
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

/* What it says of others than itself must be the sum's own; command lines are not. */
static struct row renamed(const struct row *row, struct cgroup_map *map)
{
	const char *path = snapshot_cgroup(map->next, row);
	struct row to = *row;

	to.cmdline = NULL;
	to.cgroup = -1;
	if (path) {
		size_t *known = &map->known[row->cgroup];

		if (!*known)
			*known = find_cgroup(map, path);
		to.cgroup = (int)(*known - 1);
	}
	return to;
}

/* ---- threads */

/* A number that was given out again is told apart by its start. */
static uint64_t key_of(const struct row *row)
{
	return row->start_ns ^ (uint64_t)row->tid << 32;
}

/* The index + 1 of the same thread in the table, or 0. */
static size_t find_thread(const struct hash_table *table, const struct rows *rows,
			  const struct row *row)
{
	struct hash_slot *slot = hash_table_slot(table, key_of(row));

	while (slot->number && rows->items[slot->number - 1].tid != row->tid)
		slot = hash_table_next(table, slot);
	return slot->number;
}

/* Room for `more` rows behind its own; what is in it is not said yet. */
static void make_room(const struct columns *columns, size_t more, struct rows *rows)
{
	size_t width = tally_width(&columns->plan->shape), n = rows->n + more;

	rows->items = xreallocarray(rows->items, n, sizeof(*rows->items));
	rows->tallies = xreallocarray(rows->tallies, n, width * sizeof(*rows->tallies));
}

/* What is there of the same thread already goes into what comes. */
static void describe(const struct row *row, struct row *sum)
{
	const struct row before = *sum;

	*sum = *row;
	sum->flags |= before.flags & ROW_LOST;
	if (!row->comm[0])
		memcpy(sum->comm, before.comm, sizeof(sum->comm));
	if (!row->user[0]) {
		sum->uid = before.uid;
		memcpy(sum->user, before.user, sizeof(sum->user));
	}
	if (row->cgroup < 0)
		sum->cgroup = before.cgroup;
}

static void add_thread(const struct columns *columns, const struct row *row, const uint64_t *tally,
		       struct hash_table *table, struct rows *to)
{
	size_t found = find_thread(table, to, row);

	if (found) {
		describe(row, &to->items[found - 1]);
		tally_add(&columns->plan->shape, rows_tally(columns, to, found - 1), tally);
		return;
	}
	to->items[to->n] = *row;
	memcpy(rows_tally(columns, to, to->n), tally,
	       tally_width(&columns->plan->shape) * sizeof(*tally));
	hash_table_add(table, key_of(row))->number = ++to->n;
}

static void add_threads(struct snapshot *sum, const struct snapshot *next, struct cgroup_map *map)
{
	struct rows *rows = &sum->threads;
	struct hash_table table;

	make_room(sum->columns, next->threads.n, rows);
	hash_table_init(&table, rows->n);
	for (size_t i = 0; i < rows->n; i++)
		hash_table_add(&table, key_of(&rows->items[i]))->number = i + 1;
	for (size_t i = 0; i < next->threads.n; i++) {
		struct row row = renamed(&next->threads.items[i], map);

		add_thread(sum->columns, &row, rows_tally(sum->columns, &next->threads, i), &table,
			   rows);
	}
	hash_table_fini(&table);
}

/* Those who slept in one part ran in another, or are there twice: whoever adds up looks once. */
static void add_sleeping(struct snapshot *sum, const struct snapshot *next, struct cgroup_map *map)
{
	sum->sleeping = xreallocarray(sum->sleeping, sum->n_sleeping + next->n_sleeping + 1,
				      sizeof(*sum->sleeping));
	for (size_t i = 0; i < next->n_sleeping; i++)
		sum->sleeping[sum->n_sleeping++] = renamed(&next->sleeping[i], map);
}

/* ---- CPUs */

static struct snapshot_cpu *find_cpu(struct snapshot *sum, const struct snapshot_cpu *cpu)
{
	size_t width = tally_width(&sum->columns->plan->shape);

	for (size_t i = 0; i < sum->n_cpus; i++)
		if (sum->cpus[i].cpu == cpu->cpu)
			return &sum->cpus[i];
	sum->cpus = xreallocarray(sum->cpus, sum->n_cpus + 1, sizeof(*sum->cpus));
	sum->cpus[sum->n_cpus] = *cpu;
	sum->cpus[sum->n_cpus].tally = xcalloc(width, sizeof(uint64_t));
	sum->cpus[sum->n_cpus].idle = xcalloc(width, sizeof(uint64_t));
	sum->cpus[sum->n_cpus].figures = NULL;
	return &sum->cpus[sum->n_cpus++];
}

static void add_cpus(struct snapshot *sum, const struct snapshot *next)
{
	const struct tally_shape *shape = &sum->columns->plan->shape;

	for (size_t i = 0; i < next->n_cpus; i++) {
		const struct snapshot_cpu *cpu = &next->cpus[i];

		if (!cpu->tally)
			continue;
		struct snapshot_cpu *to = find_cpu(sum, cpu);
		tally_add(shape, to->tally, cpu->tally);
		tally_add(shape, to->idle, cpu->idle);
	}
}

/* ---- the whole */

struct snapshot *snapshot_merge_new(const struct snapshot *first)
{
	struct snapshot *sum = xcalloc(1, sizeof(*sum));
	size_t width = tally_width(&first->columns->plan->shape);

	sum->columns = columns_ref(first->columns);
	sum->mode = first->mode;
	sum->targeted = first->targeted;
	sum->totals = xcalloc(width, sizeof(uint64_t));
	sum->idle = xcalloc(width, sizeof(uint64_t));
	sum->unattributed = xcalloc(width, sizeof(uint64_t));
	sum->others = xcalloc(width, sizeof(uint64_t));
	snapshot_merge_add(sum, first);
	return sum;
}

void snapshot_merge_add(struct snapshot *sum, const struct snapshot *next)
{
	const struct tally_shape *shape = &sum->columns->plan->shape;
	struct cgroup_map map;

	cgroup_map_init(&map, sum, next);
	add_threads(sum, next, &map);
	add_sleeping(sum, next, &map);
	add_cpus(sum, next);
	tally_add(shape, sum->totals, next->totals);
	tally_add(shape, sum->idle, next->idle);
	tally_add(shape, sum->unattributed, next->unattributed);
	if (next->others)
		tally_add(shape, sum->others, next->others);
	sum->sequence = next->sequence;
	sum->time_ns = next->time_ns;
	sum->realtime_ns = next->realtime_ns;
	sum->interval_ns += next->interval_ns;
	cgroup_map_fini(&map);
}

void snapshot_merge_evaluate(struct snapshot *sum)
{
	const struct columns *columns = sum->columns;

	snapshot_merge_target(sum);
	for (size_t i = 0; i < sum->n_cpus; i++) {
		struct snapshot_cpu *cpu = &sum->cpus[i];

		cpu->figures = xcalloc(columns->n_metrics, sizeof(*cpu->figures));
		snapshot_evaluate_busy(columns,
				       snapshot_counted_ns(sum->interval_ns, cpu->tally, 1), false,
				       cpu->tally, cpu->idle, cpu->figures);
	}
	sum->figures = xcalloc(columns->n_metrics, sizeof(*sum->figures));
	snapshot_evaluate_busy(columns,
			       snapshot_counted_ns(sum->interval_ns, sum->totals, sum->n_cpus),
			       true, sum->totals, sum->idle, sum->figures);
}
