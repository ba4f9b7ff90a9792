// SPDX-License-Identifier: MIT
/*
 * The detail page shows one row, so its sum is computed from its own threads and not by a roll-up
 * of the whole snapshot. For a CPU it has the threads that ran there, from the snapshot's
 * places.
 */
#include "core/snapshot/detail.h"

#include "core/base/hash_table.h"
#include "core/base/util.h"

#include <stdlib.h>
#include <string.h>

bool detail_is_of_cpus(const struct history_key *key)
{
	return key->kind == HISTORY_CPU || key->kind == HISTORY_SOCKET || key->kind == HISTORY_NODE;
}

static enum rollup rollup_of(const struct history_key *key)
{
	return key->kind == HISTORY_THREAD    ? ROLLUP_THREAD
	       : key->kind == HISTORY_USER    ? ROLLUP_USER
	       : key->kind == HISTORY_CGROUP  ? ROLLUP_CGROUP
	       : key->kind == HISTORY_COMMAND ? ROLLUP_COMMAND
					      : ROLLUP_PROCESS;
}

/* An unknown start matches any start. */
static bool starts_match(uint64_t start, uint64_t other)
{
	return !start || !other || start == other;
}

/* The pids of the processes of a command: their other threads may have names of their own. */
static void find_pids(const struct snapshot *snapshot, const struct history_key *key,
		      struct hash_table *pids)
{
	struct rows processes;

	hash_table_init(pids, 0);
	if (key->kind != HISTORY_COMMAND)
		return;
	rollup_tallies(snapshot, ROLLUP_PROCESS, &processes);
	for (size_t i = 0; i < processes.n; i++) {
		const struct row *row = &processes.items[i];

		if (history_key_of_row(snapshot, ROLLUP_COMMAND, row).start == key->start)
			hash_table_add(pids, (uint32_t)row->pid)->number = 1;
	}
	rows_fini(&processes);
}

/* Only the main thread's start identifies a process: other threads have starts of their own. */
static bool has_thread(const struct snapshot *snapshot, const struct history_key *key,
		       const struct hash_table *pids, const struct row *row)
{
	/* A quick check, which is enough for most rows: there may be 20,000. */
	if (key->kind == HISTORY_PROCESS && (uint32_t)row->pid != key->number)
		return false;
	if (key->kind == HISTORY_COMMAND && row->tid != row->pid)
		return hash_table_slot(pids, (uint32_t)row->pid)->number;
	struct history_key its = history_key_of_row(snapshot, rollup_of(key), row);

	if (its.number != key->number)
		return false;
	if (key->kind == HISTORY_PROCESS && row->tid != row->pid)
		return true;
	return starts_match(its.start, key->start);
}

static void add_thread(const struct history_key *key, const struct row *thread, struct row *sum)
{
	bool is_first = sum->threads == 0, is_main = thread->tid == thread->pid;

	if (key->kind == HISTORY_PROCESS && (is_first || is_main))
		rollup_describe_process(sum, thread);
	else if (is_first)
		*sum = *thread;
	if (key->kind != HISTORY_THREAD && key->kind != HISTORY_PROCESS) {
		sum->flags &= ROW_LOST;
		sum->pid = sum->tid = sum->ppid = 0;
		sum->comm[0] = '\0';
	}
	sum->threads = (is_first ? 0 : sum->threads) + (thread->threads ? thread->threads : 1);
	sum->flags |= thread->flags & ROW_LOST;
	sum->doubt_ns = (is_first ? 0 : sum->doubt_ns) + thread->doubt_ns;
}

/* Describes a process by its main thread, which did not run. */
static void describe_by_sleeping(const struct snapshot *snapshot, const struct history_key *key,
				 struct row *sum)
{
	for (size_t i = 0; i < snapshot->n_sleeping && key->kind == HISTORY_PROCESS; i++) {
		const struct row *row = &snapshot->sleeping[i];

		if (row->pid == sum->pid && starts_match(row->start_ns, key->start))
			rollup_describe_process(sum, row);
	}
}

/* Adds the facts of the thread itself, or once the facts of its process. */
static void add_facts(const struct snapshot *snapshot, const struct history_key *key, size_t row,
		      struct figure *sum)
{
	const struct figure *facts = key->kind == HISTORY_THREAD
					     ? rows_facts(&snapshot->threads, row)
					     : snapshot_facts_once(snapshot, row);

	if (!sum || !facts)
		return;
	if (key->kind == HISTORY_THREAD || key->kind == HISTORY_PROCESS)
		memcpy(sum, facts, FACTS * sizeof(*sum));
	else
		facts_add(sum, facts);
}

static void add_threads(const struct snapshot *snapshot, const struct history_key *key,
			struct detail *detail)
{
	const struct rows *rows = &snapshot->threads;
	const struct columns *columns = snapshot->columns;
	struct hash_table pids;
	bool lives = false;

	find_pids(snapshot, key, &pids);
	for (size_t i = 0; i < snapshot_ran(snapshot); i++) {
		const uint64_t *tally = rows_tally(columns, rows, i);

		if (!has_thread(snapshot, key, &pids, &rows->items[i]))
			continue;
		add_thread(key, &rows->items[i], &detail->sum.items[0]);
		lives |= !(rows->items[i].flags & ROW_EXITED);
		tally_add(&columns->plan->shape, detail->sum.tallies, tally);
		add_facts(snapshot, key, i, rows_facts(&detail->sum, 0));
		detail->threads[detail->n_threads++] =
			(struct detail_thread){i, tally[columns_rank(columns)]};
	}
	hash_table_fini(&pids);
	if (detail->n_threads == 0) {
		detail->sum.n = 0;
		return;
	}
	if (detail->sum.items[0].start_ns == 0)
		describe_by_sleeping(snapshot, key, &detail->sum.items[0]);
	/* A process goes on without its main thread. */
	if (lives && detail->sum.items[0].flags & ROW_ZOMBIE)
		detail->sum.items[0].flags &= ~(unsigned)(ROW_EXITED | ROW_ZOMBIE);
	rows_evaluate(columns, snapshot_scope(snapshot), &detail->sum);
}

static void add_place(struct detail *detail, int cpu, uint64_t ns)
{
	for (size_t i = 0; i < detail->n_places; i++)
		if (detail->places[i].cpu == cpu) {
			detail->places[i].ns += ns;
			return;
		}
	detail->places[detail->n_places++] = (struct detail_place){cpu, ns};
}

/* Threads and places are both in the order of the snapshot's rows. */
static void add_places(const struct snapshot *snapshot, struct detail *detail)
{
	size_t thread = 0;

	for (size_t i = 0; i < snapshot->n_places; i++) {
		const struct snapshot_place *place = &snapshot->places[i];

		while (thread < detail->n_threads && detail->threads[thread].row < place->row)
			thread++;
		if (thread < detail->n_threads && detail->threads[thread].row == place->row)
			add_place(detail, place->cpu, place->ns);
	}
}

bool detail_has_cpu(const struct snapshot *snapshot, const struct history_key *key, int number)
{
	if (key->kind == HISTORY_CPU)
		return key->number == (uint32_t)number;
	for (size_t i = 0; i < snapshot->n_cpus; i++) {
		const struct snapshot_cpu *cpu = &snapshot->cpus[i];

		if (cpu->cpu == number)
			return key->number ==
			       (uint32_t)(key->kind == HISTORY_NODE ? cpu->node : cpu->socket);
	}
	return false;
}

enum rollup detail_rollup_of_cpus(const struct history_key *key)
{
	return key->kind == HISTORY_NODE     ? ROLLUP_NODE
	       : key->kind == HISTORY_SOCKET ? ROLLUP_SOCKET
					     : ROLLUP_CPU;
}

static void add_cpus(const struct snapshot *snapshot, const struct history_key *key,
		     struct detail *detail)
{
	const struct columns *columns = snapshot->columns;
	struct cpu_units units;

	rollup_cpus(snapshot, detail_rollup_of_cpus(key), &units);
	detail->sum.n = 0;
	for (size_t i = 0; i < units.n; i++) {
		const struct snapshot_cpu *unit = &units.items[i];

		if ((uint32_t)unit->cpu != key->number || !unit->tally)
			continue;
		detail->sum.n = 1;
		memcpy(detail->sum.tallies, unit->tally,
		       tally_width(&columns->plan->shape) * sizeof(uint64_t));
		memcpy(detail->sum.figures, unit->figures,
		       columns->n_metrics * sizeof(struct figure));
	}
	cpu_units_fini(&units);
}

/* Collects the threads that ran on the CPU. The places of a row are consecutive. */
static void add_guests(const struct snapshot *snapshot, const struct history_key *key,
		       struct detail *detail)
{
	for (size_t i = 0; i < snapshot->n_places; i++) {
		const struct snapshot_place *place = &snapshot->places[i];
		struct detail_thread *last =
			detail->n_threads ? &detail->threads[detail->n_threads - 1] : NULL;

		if (!detail_has_cpu(snapshot, key, place->cpu))
			continue;
		if (!last || last->row != place->row) {
			last = &detail->threads[detail->n_threads++];
			*last = (struct detail_thread){place->row, 0};
		}
		last->ns += place->ns;
		if (key->kind != HISTORY_CPU)
			add_place(detail, place->cpu, place->ns);
	}
}

static int compare_threads(const void *a, const void *b)
{
	const struct detail_thread *left = a, *right = b;

	if (left->ns != right->ns)
		return left->ns < right->ns ? 1 : -1;
	return (left->row > right->row) - (left->row < right->row);
}

static int compare_places(const void *a, const void *b)
{
	const struct detail_place *left = a, *right = b;

	if (left->ns != right->ns)
		return left->ns < right->ns ? 1 : -1;
	return (left->cpu > right->cpu) - (left->cpu < right->cpu);
}

void detail_init(const struct snapshot *snapshot, const struct history_key *key,
		 struct detail *detail)
{
	*detail = (struct detail){.key = *key};
	rows_init(snapshot->columns, 1, &detail->sum);
	detail->threads = xcalloc(snapshot->threads.n, sizeof(*detail->threads));
	detail->places = xcalloc(snapshot->n_cpus + snapshot->n_places, sizeof(*detail->places));
	if (detail_is_of_cpus(key)) {
		add_cpus(snapshot, key, detail);
		add_guests(snapshot, key, detail);
	} else {
		add_threads(snapshot, key, detail);
		add_places(snapshot, detail);
	}
	qsort(detail->threads, detail->n_threads, sizeof(*detail->threads), compare_threads);
	qsort(detail->places, detail->n_places, sizeof(*detail->places), compare_places);
}

void detail_fini(struct detail *detail)
{
	rows_fini(&detail->sum);
	free(detail->threads);
	free(detail->places);
	*detail = (struct detail){0};
}
