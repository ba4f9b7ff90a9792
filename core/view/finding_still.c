// SPDX-License-Identifier: MIT
/*
 * Tasks that do not run, and cost no CPU time: stopped ones, in one sentence, as a user may want it
 * so, and zombies, in one for each parent. A parent that is about to wait has some of them for a
 * moment, so a few are found only after a while.
 */
#include "core/view/finding_internal.h"

#include "core/base/hash_table.h"
#include "core/base/text.h"
#include "core/base/util.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	ZOMBIES_FEW = 3,             /* fewer may be a matter of seconds */
	ZOMBIES_LONG_MS = 10 * 1000, /* not for so long */
};

void finding_append_held(char *text, size_t size, uint64_t held_ms)
{
	static const struct {
		uint64_t ms, step;
		const char *unit;
	} units[] = {{24 * 3600 * 1000, 1, "d"},
		     {3600 * 1000, 1, "h"},
		     {60 * 1000, 1, "min"},
		     {10 * 1000, 10, "s"},
		     {1000, 1, "s"}};
	char held[64];

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (held_ms < units[i].ms)
			continue;
		snprintf(held, sizeof(held), " for at least %llu %s",
			 (unsigned long long)(held_ms / units[i].ms * units[i].step),
			 units[i].unit);
		verdict_append(text, size, held);
		return;
	}
}

/*
 * Returns the stopped thread that is so for the longest time, or the first of those that differ by
 * less than a second, and how many processes have one.
 */
static const struct row *find_stopped(const struct losses *losses, size_t *n)
{
	const struct snapshot *snapshot = losses->judge->snapshot;
	const struct row *longest = NULL;
	struct hash_table pids;

	hash_table_init(&pids, 0);
	for (size_t i = 0; i < snapshot_ran(snapshot); i++) {
		const struct row *row = &snapshot->threads.items[i];

		if (losses->verdicts[i] != VERDICT_STOPPED)
			continue;
		if (hash_table_slot(&pids, (uint32_t)row->pid)->number == 0)
			hash_table_add(&pids, (uint32_t)row->pid)->number = 1;
		if (!longest || row->held_ms >= longest->held_ms + 1000)
			longest = row;
	}
	*n = pids.n;
	hash_table_fini(&pids);
	return longest;
}

/* "vim (77) has been stopped for at least 20 s; 2 other processes are stopped, too" */
static void add_stopped(struct findings *findings, const struct losses *losses)
{
	size_t n = 0;
	char others[64];
	const struct row *row = losses->n[VERDICT_STOPPED] > 0 ? find_stopped(losses, &n) : NULL;

	if (!row || findings->n == FINDINGS_MAX)
		return;
	struct finding *finding = findings_add(findings, FINDING_OF_VERDICT, VERDICT_STOPPED);
	const size_t size = sizeof(finding->text);
	bool long_held = row->held_ms >= 1000;
	finding->pid = row->pid;
	finding->tid = row->tid;
	verdict_append_task(finding->text, size, row);
	verdict_append(finding->text, size, long_held ? " has been stopped" : " is stopped");
	finding_append_held(finding->text, size, row->held_ms);
	if (n > 1) {
		snprintf(others, sizeof(others), "; %zu other process%s stopped, too", n - 1,
			 n == 2 ? " is" : "es are");
		verdict_append(finding->text, size, others);
	}
}

/* The zombies of one parent. */
struct family {
	pid_t parent;
	size_t n;
	uint64_t held_ms; /* the first one's */
};

/* Adds the processes with a thread that lives and is not the main one, which may be a zombie. */
static void find_living(const struct snapshot *snapshot, struct hash_table *living)
{
	hash_table_init(living, 0);
	for (size_t i = 0; i < snapshot->threads.n; i++) {
		const struct row *row = &snapshot->threads.items[i];

		if (row->tid != row->pid && !(row->flags & ROW_EXITED) &&
		    hash_table_slot(living, (uint32_t)row->pid)->number == 0)
			hash_table_add(living, (uint32_t)row->pid)->number = 1;
	}
}

static void add_to_family(struct hash_table *index, const struct row *row, struct family *families,
			  size_t *n)
{
	size_t at = hash_table_slot(index, (uint32_t)row->ppid)->number;

	if (at == 0) {
		families[*n].parent = row->ppid;
		at = ++*n;
		hash_table_add(index, (uint32_t)row->ppid)->number = at;
	}
	struct family *family = &families[at - 1];
	family->n++;
	if (row->held_ms > family->held_ms)
		family->held_ms = row->held_ms;
}

/* Returns `n` families, which the caller frees, and the number of zombies in `all`. */
static struct family *find_families(const struct snapshot *snapshot, size_t *n, size_t *all)
{
	struct family *families = xcalloc(snapshot->threads.n, sizeof(*families));
	struct hash_table index, living;

	*n = *all = 0;
	hash_table_init(&index, 0);
	find_living(snapshot, &living);
	for (size_t i = 0; i < snapshot->threads.n; i++) {
		const struct row *row = &snapshot->threads.items[i];

		if (!(row->flags & ROW_ZOMBIE) || row->tid != row->pid || row->ppid <= 0 ||
		    hash_table_slot(&living, (uint32_t)row->pid)->number > 0)
			continue;
		++*all;
		add_to_family(&index, row, families, n);
	}
	hash_table_fini(&index);
	hash_table_fini(&living);
	return families;
}

static bool stands_out(const struct family *family)
{
	return family->held_ms >= ZOMBIES_LONG_MS ||
	       (family->n >= ZOMBIES_FEW && family->held_ms > 0);
}

/* "python3 (77)", or "process 77" if it is not in the snapshot. */
static void append_parent(const struct snapshot *snapshot, pid_t pid, char *text, size_t size)
{
	const struct rows *rows = &snapshot->threads;
	char process[32];

	for (size_t i = 0; i < rows->n + snapshot->n_sleeping; i++) {
		const struct row *row =
			i < rows->n ? &rows->items[i] : &snapshot->sleeping[i - rows->n];

		if (row->pid == pid && row->tid == pid) {
			verdict_append_task(text, size, row);
			return;
		}
	}
	snprintf(process, sizeof(process), "process %d", (int)pid);
	verdict_append(text, size, process);
}

/* "python3 (77) has not waited for 12 ended children, the first for at least 20 s" */
static void describe_family(const struct snapshot *snapshot, const struct family *family,
			    bool is_bound, struct finding *finding)
{
	const size_t size = sizeof(finding->text);
	char children[80];

	finding->pid = finding->tid = family->parent;
	text_copy(finding->subject, sizeof(finding->subject), "zombies");
	append_parent(snapshot, family->parent, finding->text, size);
	snprintf(children, sizeof(children), " has not waited for %s%zu ended %s",
		 is_bound ? "at least " : "", family->n, family->n == 1 ? "child" : "children");
	verdict_append(finding->text, size, children);
	if (family->n > 1 && family->held_ms >= 1000)
		verdict_append(finding->text, size, ", the first");
	finding_append_held(finding->text, size, family->held_ms);
}

/* The parents with most zombies come first. */
static void add_zombies(struct findings *findings, const struct snapshot *snapshot)
{
	size_t n, all;
	struct family *families = find_families(snapshot, &n, &all);
	const struct snapshot_machine *machine = &snapshot->machine;
	bool is_bound =
		!machine->known[MACHINE_ZOMBIES] || machine->values[MACHINE_ZOMBIES] > (double)all;

	while (findings->n < FINDINGS_MAX) {
		struct family *most = NULL;

		for (size_t i = 0; i < n; i++)
			if (stands_out(&families[i]) && (!most || families[i].n > most->n))
				most = &families[i];
		if (!most)
			break;
		describe_family(snapshot, most, is_bound,
				findings_add(findings, FINDING_OF_MACHINE, VERDICT_NONE));
		*most = (struct family){0};
	}
	free(families);
}

void findings_add_still(struct findings *findings, const struct losses *losses)
{
	add_zombies(findings, losses->judge->snapshot);
	add_stopped(findings, losses);
}
