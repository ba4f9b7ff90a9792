// SPDX-License-Identifier: MIT
/*
 * A process is read when its first row is. A process with one thread has the facts of that thread.
 * I/O is the growth since the last reading. A task without a row in between did nothing, if each
 * task that runs has a slot and all slots have rows.
 *
 * If the state is all that a column needs, no file is read for a task that was runnable at the end
 * of the interval by the records of switches. Most tasks of a crowded machine are. Nor is one read
 * for a task that has not run since its last reading, except for some of them in each snapshot: a
 * wake-up without a run makes no record.
 */
#include "core/snapshot/fact_reader.h"

#include "core/base/hash_table.h"
#include "core/base/util.h"
#include "core/sys/proc.h"
#include "core/sys/proc_machine.h"
#include "core/wait/waits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A task that does not run is read again once in this time times their number. */
#define REREAD_NS (3 * NS_PER_MS)

enum { IO_FACTS = 1u << FACT_READ_BYTES | 1u << FACT_WRITE_BYTES };

/* State of reading the facts of one snapshot. */
struct reading {
	struct fact_reader *reader;
	struct tasks *tasks;
	struct snapshot *snapshot;
	uint64_t now_ns;
	bool stat, io;   /* which files are read */
	bool only_state; /* no other fact is needed */
	bool keeps;      /* states of tasks that do not run are kept */
	size_t rereads;  /* kept states that may be read again */
	struct figure memory_bytes;
	struct hash_table by_pid; /* index of the process + 1 */
	size_t capacity;
};

static const struct figure unknown = {.state = FIGURE_NOT_COUNTED};

static void set_state(const struct proc_stat *stat, struct figure facts[FACTS])
{
	int activity = proc_state_activity(stat->state);

	facts[FACT_STATE] = activity < 0 ? unknown : figure_exact(activity);
}

static void set_stat(const struct reading *reading, const struct proc_stat *stat,
		     struct figure facts[FACTS])
{
	uint64_t ticks = stat->user_ticks + stat->system_ticks;

	set_state(stat, facts);
	facts[FACT_RSS_BYTES] =
		figure_exact((double)stat->rss_pages * (double)sysconf(_SC_PAGESIZE));
	facts[FACT_MEMORY_BYTES] = reading->memory_bytes;
	facts[FACT_TOTAL_TIME_S] =
		figure_exact((double)ticks * (double)proc_tick_ns() / (double)NS_PER_S);
	facts[FACT_NICE] = figure_exact(stat->nice);
	facts[FACT_LAST_CPU] = stat->last_cpu < 0 ? unknown : figure_exact(stat->last_cpu);
	facts[FACT_THREAD_COUNT] = figure_exact(stat->threads);
}

/* Two readings that are as far apart as the interval is long, but for a hundredth. */
static bool is_interval(uint64_t passed_ns, uint64_t interval_ns)
{
	return passed_ns <= interval_ns + interval_ns / 100 &&
	       interval_ns <= passed_ns + passed_ns / 100;
}

/* Readings of one task or process: `from` is the last one, or its start with nothing done. */
struct io_pair {
	struct task_io_reading from;
	bool is_new;     /* `from` is its start */
	uint64_t now_ns; /* time of the present reading */
};

/*
 * Returns the amount of the interval. Two readings at the ends of intervals in a row are not
 * exactly an interval apart, so the growth is divided by the time between them. If the former is
 * older, all of the growth is of this interval, or the amount is an estimate.
 */
static struct figure amount_of(const struct reading *reading, const struct io_pair *pair,
			       uint64_t before, uint64_t now)
{
	const struct fact_reader *reader = reading->reader;
	uint64_t interval_ns = reading->snapshot->interval_ns;
	uint64_t passed_ns = u64_growth(pair->from.read_ns, pair->now_ns);
	bool sure = pair->from.read_ns >= reader->sure_ns;
	bool in_a_row = pair->from.read_ns >= reader->read_ns && !pair->is_new;

	if (now < before || passed_ns == 0)
		return unknown;
	struct figure amount = figure_exact((double)(now - before));
	if (sure && (!in_a_row || is_interval(passed_ns, interval_ns)))
		return amount;
	amount.value *= (double)interval_ns / (double)passed_ns;
	if (!sure) {
		amount.state = FIGURE_SCALED;
		amount.share = 0;
	}
	return amount;
}

/* Returns whether the reading before the present one can be used. */
static bool find_pair(const struct reading *reading, const struct task *task,
		      const struct task_io_reading *last, struct io_pair *pair)
{
	const struct fact_reader *reader = reading->reader;

	if (!task)
		return false;
	pair->from = *last;
	pair->is_new = last->read_ns == 0;
	if (pair->is_new)
		pair->from = (struct task_io_reading){.read_ns = task->start_ns};
	pair->now_ns = sys_now_ns(reader->sys);
	bool missed = last->missed_ns > pair->from.read_ns && last->missed_ns < reading->now_ns;
	return pair->from.read_ns >= reader->begin_ns && !missed;
}

/* Sets what a task or process has read and written. Replaces the last reading. */
static void set_io(const struct reading *reading, int result, const struct proc_io *io,
		   struct task *task, struct task_io_reading *last, struct figure facts[FACTS])
{
	struct io_pair pair = {.now_ns = 0};
	bool known = find_pair(reading, task, last, &pair);

	if (result < 0) {
		bool denied = result == -EACCES || result == -EPERM;

		facts[FACT_READ_BYTES] = facts[FACT_WRITE_BYTES] =
			(struct figure){.state = denied ? FIGURE_DENIED : FIGURE_NOT_COUNTED};
		last->missed_ns = reading->now_ns;
		return;
	}
	facts[FACT_READ_BYTES] = facts[FACT_WRITE_BYTES] = unknown;
	if (known) {
		facts[FACT_READ_BYTES] =
			amount_of(reading, &pair, pair.from.read_bytes, io->read_bytes);
		facts[FACT_WRITE_BYTES] =
			amount_of(reading, &pair, pair.from.write_bytes, io->write_bytes);
	}
	*last = (struct task_io_reading){io->read_bytes, io->write_bytes, pair.now_ns, 0};
}

static void keep_state(const struct reading *reading, pid_t tid, const struct proc_stat *stat)
{
	struct task *task =
		reading->keeps ? tasks_find(reading->tasks, tid, reading->now_ns) : NULL;

	if (task)
		task_set_state(task, stat->state, reading->now_ns);
}

/*
 * Sets what stat has, with the result of its reading. Of a process that holds it back the state
 * alone is known.
 */
static void set_read(const struct reading *reading, pid_t pid, pid_t tid, int result,
		     struct proc_stat *stat, struct figure facts[FACTS])
{
	if (result == 0)
		set_stat(reading, stat, facts);
	else if (result == -ETIMEDOUT &&
		 proc_thread_brief(reading->reader->sys, pid, tid, stat) == 0)
		set_state(stat, facts);
	else
		return;
	keep_state(reading, tid, stat);
}

static void read_process(const struct reading *reading, struct snapshot_process *process)
{
	const struct sys *sys = reading->reader->sys;
	struct proc_stat stat;
	struct proc_io io = {0};
	struct task_io_reading nowhere = {0};

	if (reading->stat || reading->io)
		set_read(reading, process->pid, process->pid,
			 proc_stat_read(sys, process->pid, &stat), &stat, process->facts);
	if (!reading->io)
		return;
	struct task *task = tasks_process(reading->tasks, process->pid, reading->now_ns);
	set_io(reading, proc_io_read(sys, process->pid, &io), &io, task,
	       task ? &task->io.process : &nowhere, process->facts);
}

/* Returns the process. A new one is added without facts; `row` is its first one, or SIZE_MAX. */
static struct snapshot_process *find_or_add_process(struct reading *reading, pid_t pid, size_t row,
						    bool *is_new)
{
	struct snapshot *snapshot = reading->snapshot;
	struct hash_slot *slot = hash_table_slot(&reading->by_pid, (uint64_t)pid);

	*is_new = !slot->number;
	if (slot->number)
		return &snapshot->processes[slot->number - 1];
	snapshot->processes =
		array_reserve(snapshot->processes, &reading->capacity, snapshot->n_processes + 1,
			      sizeof(*snapshot->processes));
	struct snapshot_process *process = &snapshot->processes[snapshot->n_processes++];
	hash_table_add(&reading->by_pid, (uint64_t)pid)->number = snapshot->n_processes;
	*process = (struct snapshot_process){.pid = pid, .first_row = row};
	facts_clear(process->facts, FIGURE_NOT_COUNTED);
	return process;
}

/* The same, with its facts if it is new. */
static struct snapshot_process *find_or_read_process(struct reading *reading, pid_t pid, size_t row)
{
	bool is_new;
	struct snapshot_process *process = find_or_add_process(reading, pid, row, &is_new);

	if (is_new)
		read_process(reading, process);
	return process;
}

static bool is_runnable(const struct reading *reading, const struct row *row)
{
	const struct task *task = tasks_find(reading->tasks, row->tid, reading->now_ns);

	return task && waits_end_runnable(task, reading->now_ns - reading->snapshot->interval_ns);
}

/* Adds to a process what only its threads have: a main thread may have ended before them. */
static void add_thread_to_process(const struct figure facts[FACTS], struct figure process[FACTS])
{
	struct figure state[FACTS];

	facts_clear(state, FIGURE_UNDEFINED);
	state[FACT_STATE] = facts[FACT_STATE];
	facts_add(process, state);
	if (figure_known(facts[FACT_RSS_BYTES]) &&
	    facts[FACT_RSS_BYTES].value > process[FACT_RSS_BYTES].value)
		process[FACT_RSS_BYTES] = facts[FACT_RSS_BYTES];
}

/* Sets the state of a runnable thread, and of its process. */
static void set_runnable(struct reading *reading, size_t index, struct figure facts[FACTS])
{
	const struct row *row = &reading->snapshot->threads.items[index];
	bool is_new;

	facts_clear(facts, FIGURE_NOT_COUNTED);
	facts[FACT_STATE] = figure_exact(proc_state_activity('R'));
	find_or_add_process(reading, row->pid, index, &is_new)->facts[FACT_STATE] =
		facts[FACT_STATE];
}

/*
 * The state as it was read. SCALED if that was before this interval: the task may have been woken
 * since, and wait for a CPU. A zombie is one to its end.
 */
static struct figure state_of(const struct reading *reading, const struct task *task)
{
	struct figure state = figure_exact(proc_state_activity(task->state.letter));

	if (task->state.read_ns <= reading->reader->read_ns && !task->zombie) {
		state.state = FIGURE_SCALED;
		state.share = 0;
	}
	return state;
}

/* Returns the kept state of a thread; an unknown one: it must be read. */
static struct figure kept_state(struct reading *reading, size_t index)
{
	const struct rows *threads = &reading->snapshot->threads;

	if (!reading->keeps || index < threads->n - threads->n_still)
		return unknown;
	const struct task *task =
		tasks_find(reading->tasks, threads->items[index].tid, reading->now_ns);
	if (!task || task->state.letter == 'R' || task->state.interval != task->interval)
		return unknown;
	if (task->zombie || reading->now_ns - task->state.read_ns < REREAD_NS * threads->n_still ||
	    reading->rereads == 0)
		return state_of(reading, task);
	reading->rereads--;
	return unknown;
}

static void set_kept(struct reading *reading, size_t index, struct figure state,
		     struct figure facts[FACTS])
{
	pid_t pid = reading->snapshot->threads.items[index].pid;
	bool is_new;

	facts_clear(facts, FIGURE_NOT_COUNTED);
	facts[FACT_STATE] = state;
	struct snapshot_process *process = find_or_add_process(reading, pid, index, &is_new);
	if (is_new)
		process->facts[FACT_STATE] = facts[FACT_STATE];
	else
		add_thread_to_process(facts, process->facts);
}

/* Notes that a thread's file is not read because its process's file is. */
static void miss_thread(const struct reading *reading, pid_t tid)
{
	struct task *task = reading->io ? tasks_find(reading->tasks, tid, reading->now_ns) : NULL;

	if (task)
		task->io.thread.missed_ns = reading->now_ns;
}

static void read_thread(struct reading *reading, size_t index)
{
	const struct sys *sys = reading->reader->sys;
	const struct row *row = &reading->snapshot->threads.items[index];
	struct figure *facts = rows_facts(&reading->snapshot->threads, index);
	struct proc_stat stat;
	struct proc_io io = {0};
	struct task_io_reading nowhere = {0};

	if (!facts || row_has_just_ended(row))
		return;
	if (reading->only_state && is_runnable(reading, row)) {
		set_runnable(reading, index, facts);
		return;
	}
	struct figure kept = kept_state(reading, index);
	if (figure_known(kept)) {
		set_kept(reading, index, kept, facts);
		return;
	}
	struct snapshot_process *process = find_or_read_process(reading, row->pid, index);
	const struct figure threads = process->facts[FACT_THREAD_COUNT];
	memcpy(facts, process->facts, FACTS * sizeof(*facts));
	if (row->tid == row->pid &&
	    (figure_known(threads) ? threads.value == 1 : !reading->only_state)) {
		miss_thread(reading, row->tid);
		return;
	}
	facts_clear(facts, FIGURE_NOT_COUNTED);
	if (reading->stat) {
		set_read(reading, row->pid, row->tid,
			 proc_thread_stat(sys, row->pid, row->tid, &stat), &stat, facts);
		add_thread_to_process(facts, process->facts);
	}
	facts[FACT_THREAD_COUNT] = threads;
	if (!reading->io)
		return;
	struct task *task = tasks_find(reading->tasks, row->tid, reading->now_ns);
	set_io(reading, proc_thread_io(sys, row->pid, row->tid, &io), &io, task,
	       task ? &task->io.thread : &nowhere, facts);
}

static int compare_processes(const void *a, const void *b)
{
	pid_t left = ((const struct snapshot_process *)a)->pid;
	pid_t right = ((const struct snapshot_process *)b)->pid;

	return (left > right) - (left < right);
}

/* Begins, continues or ends the series of snapshots with columns of I/O. */
static void continue_series(struct fact_reader *reader, bool io, uint64_t now_ns)
{
	if (io && !reader->in_series)
		reader->begin_ns = reader->sure_ns = now_ns;
	reader->in_series = io;
}

void fact_reader_miss(const struct fact_reader *reader, struct tasks *tasks, uint64_t now_ns,
		      struct task *task)
{
	if (!reader->in_series)
		return;
	struct task *process = task->pid > 0 ? tasks_find(tasks, task->pid, now_ns) : NULL;

	task->io.thread.missed_ns = now_ns;
	if (process)
		process->io.process.missed_ns = now_ns;
}

void fact_reader_read(struct fact_reader *reader, struct tasks *tasks, uint64_t now_ns,
		      struct snapshot *snapshot)
{
	unsigned wanted = columns_facts(snapshot->columns);
	struct reading reading = {
		.reader = reader,
		.tasks = tasks,
		.snapshot = snapshot,
		.now_ns = now_ns,
		.stat = wanted & ~(unsigned)IO_FACTS,
		.io = wanted & IO_FACTS,
		.only_state = wanted == 1u << FACT_STATE,
		.memory_bytes = unknown,
		.rereads = 1 + (size_t)(snapshot->interval_ns / REREAD_NS),
	};
	struct proc_memory memory;

	reading.keeps = reading.only_state && reader->each_run_known && snapshot->threads.n_still;
	continue_series(reader, reading.io, now_ns);
	if (!wanted)
		return;
	if ((wanted & 1u << FACT_MEMORY_BYTES) && proc_memory_read(reader->sys, &memory) == 0)
		reading.memory_bytes = figure_exact((double)memory.total_bytes);
	hash_table_init(&reading.by_pid, snapshot->threads.n);
	for (size_t i = 0; i < snapshot->threads.n; i++)
		read_thread(&reading, i);
	for (size_t i = 0; i < snapshot->n_sleeping; i++)
		find_or_read_process(&reading, snapshot->sleeping[i].pid, SIZE_MAX);
	hash_table_fini(&reading.by_pid);
	reader->read_ns = now_ns;
	if (!reader->each_run_known)
		reader->sure_ns = now_ns;
	if (snapshot->n_processes > 0)
		qsort(snapshot->processes, snapshot->n_processes, sizeof(*snapshot->processes),
		      compare_processes);
}
