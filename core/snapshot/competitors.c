// SPDX-License-Identifier: MIT
#include "core/snapshot/competitors.h"

#include "core/base/hash_table.h"
#include "core/base/util.h"

#include <stdlib.h>
#include <string.h>

/* The time of a process on the chosen CPUs. */
struct process_time {
	size_t row; /* its busiest place there */
	uint64_t row_ns, ns;
};

/* What takes part, and the sums so far. */
struct search {
	const struct snapshot *snapshot;
	bool *is_own;  /* by row of the threads */
	bool *is_here; /* by number of a CPU */
	struct hash_table by_pid;
	struct process_time *processes;
	size_t n_processes;
};

static size_t count_cpus(const struct snapshot *snapshot)
{
	int last = -1;

	for (size_t i = 0; i < snapshot->n_places; i++)
		if (snapshot->places[i].cpu > last)
			last = snapshot->places[i].cpu;
	return (size_t)(last + 1);
}

/* cpu: a double, as a recording may have any number as the last CPU. */
static void choose_cpu(const struct search *search, size_t n, double cpu,
		       struct competitors *competitors)
{
	competitors->n_cpus++;
	if (cpu >= 0 && cpu < (double)n)
		search->is_here[(size_t)cpu] = true;
}

static void choose_cpus(const struct search *search, const struct detail *detail, size_t n,
			struct competitors *competitors)
{
	const struct figure *facts = detail->sum.n > 0 ? rows_facts(&detail->sum, 0) : NULL;

	if (detail->n_places > 0) {
		competitors->cpus = COMPETITORS_ON_ITS_CPUS;
		for (size_t i = 0; i < detail->n_places; i++)
			choose_cpu(search, n, detail->places[i].cpu, competitors);
	} else if (facts && figure_known(facts[FACT_LAST_CPU])) {
		competitors->cpus = COMPETITORS_ON_LAST_CPU;
		choose_cpu(search, n, facts[FACT_LAST_CPU].value, competitors);
	} else {
		competitors->cpus = COMPETITORS_EVERYWHERE;
		competitors->n_cpus = search->snapshot->n_cpus;
		memset(search->is_here, true, n);
	}
}

static void add_place(struct search *search, const struct snapshot_place *place)
{
	const struct row *row = &search->snapshot->threads.items[place->row];
	struct hash_slot *slot = hash_table_slot(&search->by_pid, (uint32_t)row->pid);

	if (slot->number == 0) {
		slot = hash_table_add(&search->by_pid, (uint32_t)row->pid);
		slot->number = ++search->n_processes;
	}
	struct process_time *process = &search->processes[slot->number - 1];
	process->ns += place->ns;
	if (place->ns > process->row_ns) {
		process->row_ns = place->ns;
		process->row = place->row;
	}
}

static int compare_processes(const void *a, const void *b)
{
	const struct process_time *left = a, *right = b;

	if (left->ns != right->ns)
		return left->ns < right->ns ? 1 : -1;
	return (left->row > right->row) - (left->row < right->row);
}

static bool is_main_of(const struct row *row, pid_t pid)
{
	return row->pid == pid && row->tid == pid;
}

/* The row that names the process of a thread. */
static const struct row *main_row(const struct snapshot *snapshot, size_t thread)
{
	const struct row *row = &snapshot->threads.items[thread];

	for (size_t i = 0; i < snapshot_ran(snapshot); i++)
		if (is_main_of(&snapshot->threads.items[i], row->pid))
			return &snapshot->threads.items[i];
	for (size_t i = 0; i < snapshot->n_sleeping; i++)
		if (is_main_of(&snapshot->sleeping[i], row->pid))
			return &snapshot->sleeping[i];
	return row;
}

static void choose_busiest(struct search *search, struct competitors *competitors)
{
	qsort(search->processes, search->n_processes, sizeof(*search->processes),
	      compare_processes);
	competitors->n_processes = search->n_processes;
	competitors->n = size_min(search->n_processes, COMPETITORS_MAX);
	for (size_t i = 0; i < search->n_processes; i++)
		competitors->ns += search->processes[i].ns;
	for (size_t i = 0; i < competitors->n; i++)
		competitors->items[i] =
			(struct competitor){main_row(search->snapshot, search->processes[i].row),
					    search->processes[i].ns};
}

void competitors_find(const struct snapshot *snapshot, const struct detail *detail,
		      struct competitors *competitors)
{
	size_t n_cpus = count_cpus(snapshot);
	struct search search = {.snapshot = snapshot};

	*competitors = (struct competitors){.cpus = COMPETITORS_UNKNOWN};
	if (n_cpus == 0 || detail_is_of_cpus(&detail->key))
		return;
	search.is_own = xcalloc(snapshot->threads.n, sizeof(*search.is_own));
	search.is_here = xcalloc(n_cpus, sizeof(*search.is_here));
	search.processes = xcalloc(snapshot->n_places, sizeof(*search.processes));
	hash_table_init(&search.by_pid, 0);
	for (size_t i = 0; i < detail->n_threads; i++)
		search.is_own[detail->threads[i].row] = true;
	choose_cpus(&search, detail, n_cpus, competitors);
	for (size_t i = 0; i < snapshot->n_places; i++) {
		const struct snapshot_place *place = &snapshot->places[i];

		if (search.is_here[place->cpu] && !search.is_own[place->row])
			add_place(&search, place);
	}
	choose_busiest(&search, competitors);
	hash_table_fini(&search.by_pid);
	free(search.processes);
	free(search.is_here);
	free(search.is_own);
}
