// SPDX-License-Identifier: MIT
/*
 * The end of an interval: its tallies, and the rows of its snapshot. Rows, notes and roots of a
 * target are recorded only if they have changed, which a hash decides.
 */
#include "core/perfdata/recorder_internal.h"

#include "core/base/hash_table.h"
#include "core/base/util.h"
#include "core/snapshot/fact_table.h"

#include <string.h>

static uint64_t hash_row(const struct row *row, const char *cgroup, const char *cmdline)
{
	const uint64_t words[] = {(uint64_t)row->pid, (uint64_t)row->tid, (uint64_t)row->ppid,
				  row->uid,           row->start_ns,      row->flags,
				  row->held_ms};
	uint64_t hash = hash_bytes(HASH_BEGIN, words, sizeof(words));

	hash = hash_bytes(hash, row->comm, strnlen(row->comm, sizeof(row->comm)));
	hash = hash_bytes(hash, row->user, strnlen(row->user, sizeof(row->user)));
	if (cmdline)
		hash = hash_bytes(hash, cmdline, strlen(cmdline) + 1);
	return cgroup ? hash_bytes(hash, cgroup, strlen(cgroup)) : hash;
}

static_assert((int)ROW_FLAGS <= (int)NATIVE_HELD_SHIFT, "flags and a time fit in a word");

static void put_row(struct recorder *recorder, const struct snapshot *snapshot,
		    const struct row *row)
{
	struct perfdata *data = recorder->data;
	const char *cgroup = snapshot_cgroup(snapshot, row);
	const char *cmdline = snapshot_shown_cmdline(snapshot, row);
	uint64_t hash = hash_row(row, cgroup, cmdline);
	uint64_t *recorded = &recorder->row_hashes[(size_t)row->tid & (RECORDER_ROW_SLOTS - 1)];

	/* A replay keeps a task only for a while after its end. Then its tid is another task's. */
	if (*recorded == hash && !(row->flags & ROW_EXITED))
		return;
	*recorded = hash;
	perfdata_native_begin(data, NATIVE_TASK);
	perfdata_pid(data, row->pid);
	perfdata_pid(data, row->tid);
	perfdata_pid(data, row->ppid);
	perfdata_word(data, row->uid);
	perfdata_word(data, row->start_ns);
	perfdata_word(data, row->flags | row->held_ms << NATIVE_HELD_SHIFT);
	perfdata_text(data, row->comm);
	perfdata_text(data, row->user);
	perfdata_text(data, cgroup);
	perfdata_text(data, cmdline);
	perfdata_native_end(data);
	/* For tasks that started later, the kernel's COMM record is in the recording. */
	if (row->start_ns < recorder->began_ns && row->comm[0])
		perfdata_comm(data, row->pid, row->tid, row->comm);
	recorder_flush_full(recorder);
}

static void put_before(struct recorder *recorder, const struct snapshot *snapshot,
		       const struct row *row)
{
	struct perfdata *data = recorder->data;

	if (!row->before)
		return;
	const struct row_before *before = &snapshot->befores[row->before - 1];
	bool has_cgroup = before->cgroup >= 0 && (size_t)before->cgroup < snapshot->n_cgroups;
	perfdata_native_begin(data, NATIVE_BEFORE);
	perfdata_pid(data, row->tid);
	perfdata_word(data, row->start_ns);
	for (size_t i = 0; i < TASK_OWNERS; i++) {
		perfdata_double(data, (double)before->parts[i].least);
		perfdata_double(data, (double)before->parts[i].most);
	}
	perfdata_word(data, before->uid);
	perfdata_text(data, before->comm);
	perfdata_text(data, before->user);
	perfdata_text(data, has_cgroup ? snapshot->cgroups[before->cgroup] : NULL);
	perfdata_double(data, (double)before->target.least);
	perfdata_double(data, (double)before->target.most);
	perfdata_native_end(data);
	recorder_flush_full(recorder);
}

static void put_tally(struct perfdata *data, enum native_scope scope, const uint64_t *facts,
		      size_t n, const uint64_t *tally, size_t width)
{
	perfdata_native_begin(data, NATIVE_TALLY);
	perfdata_word(data, scope);
	perfdata_words(data, facts, n);
	perfdata_word(data, width);
	perfdata_words(data, tally, width);
	perfdata_native_end(data);
}

/* The words of a tally: with its estimates only if there are waits and it has some. */
static size_t words_of(const struct interval *interval, bool waits, const uint64_t *tally)
{
	size_t width = tally_width(&interval->shape);
	size_t recorded = tally_recorded_width(&interval->shape);

	for (size_t i = recorded; waits && i < width; i++)
		if (tally[i] > 0)
			return width;
	return recorded;
}

/* The snapshot has the CPUs that are online or were counted, in the same order. */
static void put_cpus(struct recorder *recorder, const struct snapshot *snapshot,
		     const struct interval *interval, bool waits)
{
	size_t shown = 0;

	for (size_t i = 0; i < interval->n_cpus; i++) {
		if (!interval->coverage[i].online && !interval->coverage[i].counted)
			continue;
		const struct snapshot_cpu *cpu = &snapshot->cpus[shown++];
		uint64_t flags = (interval->coverage[i].counted ? NATIVE_CPU_COUNTED : 0u) |
				 (interval->coverage[i].gaps ? NATIVE_CPU_GAPS : 0u) |
				 (interval->coverage[i].outside ? NATIVE_CPU_OUTSIDE : 0u) |
				 interval->coverage[i].doubt_ns << NATIVE_CPU_DOUBT;
		const uint64_t facts[] = {i,
					  (uint64_t)cpu->cpu,
					  (uint64_t)(int64_t)cpu->socket,
					  (uint64_t)(int64_t)cpu->node,
					  interval->coverage[i].online,
					  flags};
		put_tally(recorder->data, NATIVE_CPU, facts, ARRAY_SIZE(facts),
			  interval_cpu(interval, i),
			  words_of(interval, waits, interval_cpu(interval, i)));
		put_tally(recorder->data, NATIVE_IDLE, facts, ARRAY_SIZE(facts),
			  interval_idle(interval, i),
			  words_of(interval, waits, interval_idle(interval, i)));
		recorder_flush_full(recorder);
	}
}

static void put_task_values(struct recorder *recorder, const struct interval *interval)
{
	size_t width = tally_width(&interval->shape);

	for (size_t i = 0; i < interval->n_ran; i++) {
		const struct task *task = interval->ran[i];
		const uint64_t facts[] = {(uint64_t)(int64_t)task->pid,
					  (uint64_t)(int64_t)task->tid, task->start_ns};
		const uint64_t *tally = interval->tallies + i * width;

		put_tally(recorder->data, NATIVE_WAIT_VALUES, facts, ARRAY_SIZE(facts), tally,
			  words_of(interval, true, tally));
		recorder_flush_full(recorder);
	}
}

/* Number of rows of tasks that ran. Rows of roots of a target follow them. */
static size_t count_ran(const struct snapshot *snapshot, const struct interval *interval)
{
	size_t n = 0, n_rows = snapshot_ran(snapshot);

	for (size_t i = 0; i < interval->n_ran && n < n_rows; i++)
		n += snapshot->threads.items[n].tid == interval->ran[i]->tid;
	return n;
}

static void put_tids(struct recorder *recorder, enum native_list listed, const struct row *rows,
		     size_t n)
{
	enum { EACH = 8000 };

	for (size_t done = 0; done < n; done += EACH) {
		size_t some = size_min(n - done, EACH);
		perfdata_native_begin(recorder->data, NATIVE_ROWS);
		perfdata_word(recorder->data, listed);
		perfdata_word(recorder->data, some);
		for (size_t i = done; i < done + some; i += 2) {
			uint64_t next = i + 1 < done + some ? (uint32_t)rows[i + 1].tid : 0;
			perfdata_word(recorder->data, next << 32 | (uint32_t)rows[i].tid);
		}
		perfdata_native_end(recorder->data);
		recorder_flush_full(recorder);
	}
}

static void put_roots(struct recorder *recorder, const struct target_root *roots, size_t n)
{
	uint64_t hash = hash_bytes(HASH_BEGIN, &n, sizeof(n));

	for (size_t i = 0; i < n; i++) {
		const uint64_t words[] = {(uint64_t)roots[i].tid, (uint64_t)roots[i].pid,
					  roots[i].process, roots[i].ended_ns, roots[i].uid};
		hash = hash_bytes(hash, words, sizeof(words));
		hash = hash_bytes(hash, roots[i].comm, sizeof(roots[i].comm));
	}
	if (hash == recorder->target_hash)
		return;
	recorder->target_hash = hash;
	perfdata_native_begin(recorder->data, NATIVE_TARGET);
	perfdata_word(recorder->data, n);
	for (size_t i = 0; i < n; i++) {
		perfdata_pid(recorder->data, roots[i].tid);
		perfdata_pid(recorder->data, roots[i].pid);
		perfdata_word(recorder->data, roots[i].process);
		perfdata_word(recorder->data, roots[i].ended_ns);
		perfdata_word(recorder->data, roots[i].uid);
	}
	for (size_t i = 0; i < n; i++)
		perfdata_text(recorder->data, roots[i].comm);
	perfdata_native_end(recorder->data);
}

static void put_rows(struct recorder *recorder, const struct snapshot *snapshot,
		     const struct interval *interval, const struct target *target)
{
	const struct rows *rows = &snapshot->threads;
	size_t n_shown = snapshot_ran(snapshot), n_ran = count_ran(snapshot, interval), n_roots;

	if (snapshot->targeted) {
		const struct target_root *roots = target_roots(target, &n_roots);
		put_roots(recorder, roots, n_roots);
		put_tids(recorder, NATIVE_RAN, rows->items, n_shown);
		put_tids(recorder, NATIVE_ABOVE, snapshot->sleeping, snapshot->n_sleeping);
	}
	put_tids(recorder, NATIVE_STILL, rows->items + n_shown, rows->n_still);
	for (size_t i = 0; i < rows->n; i++) {
		bool ended_root = i >= n_ran && i < n_shown && row_has_just_ended(&rows->items[i]);
		if (ended_root) /* it is in NATIVE_TARGET */
			continue;
		put_row(recorder, snapshot, &rows->items[i]);
		put_before(recorder, snapshot, &rows->items[i]);
	}
	for (size_t i = 0; i < snapshot->n_sleeping; i++)
		put_row(recorder, snapshot, &snapshot->sleeping[i]);
}

static void put_notes(struct recorder *recorder, const struct snapshot *snapshot)
{
	uint64_t hash = HASH_BEGIN;

	for (size_t i = 0; i < snapshot->n_notes; i++)
		hash = hash_bytes(hash, snapshot->notes[i], strlen(snapshot->notes[i]) + 1);
	if (hash == recorder->notes_hash)
		return;
	recorder->notes_hash = hash;
	perfdata_native_begin(recorder->data, NATIVE_NOTES);
	perfdata_word(recorder->data, snapshot->n_notes);
	for (size_t i = 0; i < snapshot->n_notes; i++)
		perfdata_text(recorder->data, snapshot->notes[i]);
	perfdata_native_end(recorder->data);
}

static void put_machine(struct recorder *recorder, const struct snapshot_machine *machine)
{
	struct perfdata *data = recorder->data; /* another one after recorder_flush_full() */

	if (!machine_is_known(machine))
		return;
	perfdata_native_begin(data, NATIVE_MACHINE);
	perfdata_word(data, MACHINE_VALUES);
	for (size_t i = 0; i < MACHINE_VALUES; i++) {
		perfdata_word(data, machine->known[i]);
		perfdata_double(data, machine->values[i]);
	}
	perfdata_word(data, machine->n_interrupts);
	for (size_t i = 0; i < machine->n_interrupts; i++) {
		perfdata_word(data, (uint64_t)machine->interrupts[i].cpu);
		perfdata_word(data, machine->interrupts[i].soft);
		perfdata_double(data, machine->interrupts[i].percent);
	}
	for (size_t i = 0; i < machine->n_interrupts; i++)
		perfdata_text(data, machine->interrupts[i].name);
	perfdata_native_end(data);
}

static_assert((int)FACTS <= (int)NATIVE_FACTS_MAX, "the states of all facts fit in a word");

static void put_fact_entry(struct perfdata *data, unsigned wanted, const struct fact_entry *entry)
{
	uint64_t states = 0;
	unsigned shift = 0;

	perfdata_word(data, (uint64_t)(uint32_t)entry->tid << 32 | (uint32_t)entry->pid);
	for (size_t i = 0; i < FACTS; i++)
		if (wanted & 1u << i) {
			states |= (uint64_t)entry->facts[i].state << shift;
			shift += NATIVE_FACT_BITS;
		}
	perfdata_word(data, states);
	for (size_t i = 0; i < FACTS; i++)
		if (wanted & 1u << i && figure_known(entry->facts[i]))
			perfdata_double(data, entry->facts[i].value);
}

static void put_fact_record(struct recorder *recorder, unsigned wanted,
			    const struct fact_table *table, size_t first, size_t n)
{
	perfdata_native_begin(recorder->data, NATIVE_FACTS);
	perfdata_word(recorder->data, wanted);
	perfdata_word(recorder->data, n);
	for (size_t i = first; i < first + n; i++)
		put_fact_entry(recorder->data, wanted, &table->items[i]);
	perfdata_native_end(recorder->data);
	recorder_flush_full(recorder);
}

static void put_facts(struct recorder *recorder, const struct snapshot *snapshot)
{
	enum { EACH = 500 }; /* a record has at most 64 KiB */
	unsigned wanted = columns_facts(snapshot->columns);
	struct fact_table table = {0};

	if (!wanted)
		return;
	fact_table_copy(&table, snapshot);
	for (size_t done = 0; done < table.n; done += EACH)
		put_fact_record(recorder, wanted, &table, done, size_min(table.n - done, EACH));
	fact_table_fini(&table);
}

/* Flags of the interval and of its rows. */
static uint64_t native_rows(const struct snapshot *snapshot, const struct interval *interval)
{
	return (snapshot->command_lines == COMMAND_LINES_SHOWN ? NATIVE_COMMAND_LINES : 0u) |
	       (snapshot->threads.n_still > 0 ? NATIVE_IDLE_ROWS : 0u) |
	       (snapshot->targeted ? NATIVE_TARGETED : 0u) |
	       (interval->uncounted ? NATIVE_UNCOUNTED : 0u) |
	       (interval->still.known ? NATIVE_STILL_KNOWN : 0u) |
	       (interval->still.blocked ? NATIVE_STILL_BLOCKED : 0u) |
	       (interval->still.sleeping ? NATIVE_STILL_SLEEPING : 0u);
}

void recorder_cut(struct recorder *recorder, const struct snapshot *snapshot,
		  const struct interval *interval, const struct target *target)
{
	struct perfdata *data = recorder->data;
	bool waits = plan_has_task_values(snapshot->columns->plan, &snapshot->columns->events);

	perfdata_native_begin(data, NATIVE_CUT);
	perfdata_word(data, snapshot->sequence);
	perfdata_word(data, snapshot->time_ns);
	perfdata_word(data, snapshot->realtime_ns);
	perfdata_word(data, snapshot->interval_ns);
	perfdata_word(data, snapshot->tasks);
	perfdata_word(data, snapshot->lost_records);
	perfdata_word(data, snapshot->threads_ran);
	perfdata_word(data, snapshot->threads_counted);
	perfdata_word(data, native_rows(snapshot, interval));
	perfdata_native_end(data);
	put_tally(data, NATIVE_TOTALS, NULL, 0, interval->totals,
		  words_of(interval, waits, interval->totals));
	put_tally(data, NATIVE_UNATTRIBUTED, NULL, 0, interval->unattributed,
		  words_of(interval, waits, interval->unattributed));
	put_cpus(recorder, snapshot, interval, waits);
	if (waits)
		put_task_values(recorder, interval);
	put_rows(recorder, snapshot, interval, target);
	put_facts(recorder, snapshot);
	put_machine(recorder, &snapshot->machine);
	recorder_cut_code(recorder, snapshot->code);
	put_notes(recorder, snapshot);
	perfdata_round(recorder->data);
	recorder_flush(recorder);
}
