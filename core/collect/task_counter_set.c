// SPDX-License-Identifier: MIT
/*
 * Order matters when counters are opened. All new ones are opened, disabled, before old ones are
 * opened again, so that a task that starts meanwhile inherits one or the other. They are enabled
 * after the inherited ones are closed, since both might not fit on the PMU together.
 */
#include "core/collect/task_counter_set.h"

#include "core/base/util.h"
#include "core/perf/probe.h"
#include "core/sys/rlimit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	FDS_SPARED = 48,    /* for the terminal, files of /proc, a recording ... */
	FDS_MOST = 1 << 14, /* bounds kernel memory and the time to read them */
	FDS_DEFAULT = 1024, /* the usual limit, if it cannot be read */
	IDLE_SCANS = 5,     /* a thread that was idle for that many scans may lose its counters */
	PARENTS_MOST = 64,  /* ancestors that are searched for counters */
};

/* Descriptors for counters, within the limit. */
static size_t fds_most(const struct task_counter_set *tasks)
{
	const struct resource_limit limit = rlimit_read(tasks->sys, "Max open files");
	uint64_t files = limit.known ? limit.soft : FDS_DEFAULT;

	files = files > FDS_SPARED ? files - FDS_SPARED : 0;
	return files < FDS_MOST ? files : FDS_MOST;
}

size_t task_counter_set_room(const struct task_counter_set *tasks)
{
	size_t each = task_counters_fds(tasks->plan);

	return each == 0 ? 0 : fds_most(tasks) / each;
}

size_t task_counter_set_free_fds(const struct task_counter_set *tasks)
{
	size_t used = tasks->n * task_counters_fds(tasks->plan), most = fds_most(tasks);

	return most > used ? most - used : 0;
}

static bool has_counters(const struct proc_scan_entry *process)
{
	bool any = process->counted;

	for (const struct proc_scan_entry *thread = process->threads; thread && !any;
	     thread = thread->next_thread)
		any = thread->counted;
	return any;
}

/* Removes covers with counters that are closed, or will be opened again. */
static void drop_covers(const struct proc_scan *proc_scan)
{
	for (size_t i = 0; i < proc_scan->n; i++) {
		struct proc_scan_entry *entry = proc_scan->items[i];
		if (entry->cover && (entry->cover->renew || !has_counters(entry->cover)))
			entry->cover = NULL;
	}
}

void task_counter_set_stop(struct task_counter_set *tasks, struct proc_scan_entry *entry)
{
	if (!entry->counted)
		return;
	task_counters_close(&entry->counters);
	entry->counted = false;
	tasks->n--;
}

void task_counter_set_stop_all(struct task_counter_set *tasks)
{
	for (size_t i = 0; i < tasks->proc_scan->n; i++)
		task_counter_set_stop(tasks, tasks->proc_scan->items[i]);
	drop_covers(tasks->proc_scan);
}

/* Whether a counter is refused for every thread, not for this one alone. */
static bool is_refused(const struct task_counter_set *tasks, int counter)
{
	const struct plan_counter *planned = &tasks->plan->counters[counter];
	const struct event *event = &tasks->events->items[planned->event];
	struct event_code code = event->codes[planned->code];

	event_probe_code(tasks->sys, tasks->events->context->pmus, event->kind, &code);
	return code.state != FIGURE_VALID;
}

/* Returns 0 or -errno. A thread that turns out to be foreign is not tried again. */
static int open_counters(struct task_counter_set *tasks, struct proc_scan_entry *entry,
			 struct task_counters *counters)
{
	int failed;
	int result = task_counters_open(counters, tasks->sys, tasks->events, tasks->plan,
					entry->tid, entry->tid == tasks->command, &failed);

	if (result == 0 || result == -ESRCH) /* it has ended */
		return result;
	tasks->refusal = result;
	if (result == -EMFILE || result == -ENFILE)
		tasks->most = tasks->n;
	else if (failed >= 0 && is_refused(tasks, failed))
		tasks->refused = failed;
	else if (result == -EACCES || result == -EPERM)
		entry->ours = false;
	return result;
}

static void begin_counting(struct task_counter_set *tasks, struct proc_scan_entry *entry)
{
	entry->waits = false;
	int result = entry->tid != tasks->command ? task_counters_begin(&entry->counters) : 0;
	if (result < 0) {
		tasks->refusal = result;
		task_counter_set_stop(tasks, entry);
	}
}

/* Opens the counters of a thread, disabled. Returns whether that worked. */
static bool open_thread(struct task_counter_set *tasks, struct proc_scan_entry *entry)
{
	if (open_counters(tasks, entry, &entry->counters) < 0)
		return false;
	entry->counted = entry->waits = true;
	entry->idle_scans = 0;
	tasks->n++;
	return true;
}

/*
 * Opens the counters of a thread again, without the tasks that inherited them. The new ones are
 * opened before the old ones are closed, so a task that starts meanwhile inherits one of them.
 */
static void reopen_thread(struct task_counter_set *tasks, struct proc_scan_entry *entry)
{
	struct task_counters fresh = {0};

	if (!entry->counted || entry->waits)
		return;
	bool opened = open_counters(tasks, entry, &fresh) == 0;
	task_counters_read(&entry->counters, interval_task(tasks->interval, entry->task));
	task_counter_set_stop(tasks, entry);
	if (!opened) { /* no descriptor was free then */
		if (open_thread(tasks, entry))
			begin_counting(tasks, entry);
		return;
	}
	entry->counters = fresh;
	entry->counted = true;
	tasks->n++;
	begin_counting(tasks, entry);
}

/* The process of a thread, or the parent of a process; NULL if that is not in the target. */
static struct proc_scan_entry *parent_of(const struct proc_scan *proc_scan,
					 const struct proc_scan_entry *entry)
{
	if (entry->process != entry)
		return entry->process;
	const struct proc_scan_entry *parent = proc_scan_find(proc_scan, entry->ppid);
	bool inside = parent && parent->process != entry && parent->process->inside;
	return inside ? parent->process : NULL;
}

/*
 * Whether a process adopts orphans: process 1 (unless it is a shell with counters), or a user's
 * service manager.
 */
static bool is_reaper(const struct proc_scan_entry *process)
{
	if (process->tid == 1)
		return !has_counters(process);
	return process->ppid == 1 && process->task && strcmp(process->task->comm, "systemd") == 0;
}

/*
 * Finds the process that a fresh thread inherited counters from: its own, or an ancestor. An orphan
 * (a daemon, or what a command left behind) may have inherited those of any process.
 */
static void find_cover(const struct task_counter_set *tasks, struct proc_scan_entry *entry)
{
	const struct proc_scan_entry *youngest = entry;
	struct proc_scan_entry *process = parent_of(tasks->proc_scan, entry);

	for (unsigned depth = 0; process && !is_reaper(process) && depth < PARENTS_MOST; depth++) {
		if (has_counters(process)) {
			entry->cover = process;
			return;
		}
		if (!process->fresh) {
			entry->cover = process->cover;
			entry->orphan = process->orphan;
			return;
		}
		youngest = process;
		process = parent_of(tasks->proc_scan, process);
	}
	bool adopted = process ? is_reaper(process) : youngest->ppid == 1;
	entry->orphan = adopted || target_has_roots(tasks->target);
	for (size_t i = 0; i < tasks->proc_scan->n && entry->orphan && !entry->cover; i++)
		if (tasks->proc_scan->items[i]->counted)
			entry->cover = tasks->proc_scan->items[i]->process;
}

void task_counter_set_find_covers(const struct task_counter_set *tasks)
{
	for (size_t i = 0; i < tasks->proc_scan->n; i++) {
		struct proc_scan_entry *entry = tasks->proc_scan->items[i];
		if (entry->fresh && entry->wanted && entry->ours && !entry->gone)
			find_cover(tasks, entry);
	}
}

/* Marks the processes that these entries inherited counters from, to open those again. */
static void mark_covers(const struct proc_scan *proc_scan, struct proc_scan_entry *const *entries,
			size_t n)
{
	bool all = false;

	for (size_t i = 0; i < n; i++) {
		if (!entries[i]->counted)
			continue;
		all |= entries[i]->orphan;
		if (entries[i]->cover)
			entries[i]->cover->renew = true;
		entries[i]->cover = NULL;
		entries[i]->orphan = false;
	}
	for (size_t i = 0; i < proc_scan->n && all; i++)
		proc_scan->items[i]->process->renew = true;
}

static void renew_marked(struct task_counter_set *tasks)
{
	const struct proc_scan *proc_scan = tasks->proc_scan;

	for (size_t i = 0; i < proc_scan->n; i++) {
		struct proc_scan_entry *process = proc_scan->items[i];
		if (!process->renew)
			continue;
		reopen_thread(tasks, process);
		for (struct proc_scan_entry *thread = process->threads; thread;
		     thread = thread->next_thread)
			reopen_thread(tasks, thread);
	}
	drop_covers(proc_scan);
	for (size_t i = 0; i < proc_scan->n; i++)
		proc_scan->items[i]->renew = false;
}

static bool is_candidate(const struct task_counter_set *tasks, const struct proc_scan_entry *entry)
{
	if (!entry->wanted || !entry->ours || entry->counted || entry->gone)
		return false;
	/* A process of -p has counters before it runs. */
	return entry->grown.ran_ns > 0 || target_has_roots(tasks->target);
}

static int by_time(const void *a, const void *b)
{
	const struct proc_scan_entry *left = *(struct proc_scan_entry *const *)a;
	const struct proc_scan_entry *right = *(struct proc_scan_entry *const *)b;

	if (left->grown.ran_ns != right->grown.ran_ns)
		return left->grown.ran_ns > right->grown.ran_ns ? -1 : 1;
	return (left->tid > right->tid) - (left->tid < right->tid);
}

/* Returns the entries that need counters, the busiest first; the caller frees the array. */
static struct proc_scan_entry **find_candidates(const struct task_counter_set *tasks, size_t *n)
{
	const struct proc_scan *proc_scan = tasks->proc_scan;
	struct proc_scan_entry **candidates =
		xcalloc(proc_scan->n, sizeof(struct proc_scan_entry *));

	*n = 0;
	for (size_t i = 0; i < proc_scan->n; i++)
		if (is_candidate(tasks, proc_scan->items[i]))
			candidates[(*n)++] = proc_scan->items[i];
	if (*n > 0)
		qsort(candidates, *n, sizeof(struct proc_scan_entry *), by_time);
	return candidates;
}

/* Closes counters of idle threads, the idlest first, as many as `wanted` need. */
static void make_room(struct task_counter_set *tasks, size_t wanted)
{
	static const unsigned idle_scans[] = {IDLE_SCANS, 1};
	const struct proc_scan *proc_scan = tasks->proc_scan;

	for (size_t k = 0; k < ARRAY_SIZE(idle_scans); k++)
		for (size_t i = 0; i < proc_scan->n && tasks->n + wanted > tasks->most; i++)
			if (proc_scan->items[i]->counted &&
			    proc_scan->items[i]->idle_scans >= idle_scans[k])
				task_counter_set_stop(tasks, proc_scan->items[i]);
}

void task_counter_set_renew(struct task_counter_set *tasks, bool again)
{
	size_t n, busy = 0;

	tasks->given = 0;
	tasks->refused = -1;
	if (!again) {
		tasks->refusal = 0;
		tasks->cramped = false;
	}
	/* After descriptors ran out some may be free again: tries a few more each time. */
	if (tasks->most < tasks->room && !again)
		tasks->most = size_min(tasks->room, tasks->most + 1 + tasks->most / 8);
	for (size_t i = 0; i < tasks->proc_scan->n; i++) {
		struct proc_scan_entry *entry = tasks->proc_scan->items[i];
		if (!entry->wanted || !entry->ours)
			task_counter_set_stop(tasks, entry);
	}
	struct proc_scan_entry **candidates = find_candidates(tasks, &n);
	while (busy < n && candidates[busy]->grown.ran_ns > 0)
		busy++;
	make_room(tasks, busy);
	drop_covers(tasks->proc_scan);
	size_t due = size_min(n, tasks->most > tasks->n ? tasks->most - tasks->n : 0);
	for (size_t i = 0; i < due && tasks->n < tasks->most; i++)
		tasks->given += open_thread(tasks, candidates[i]);
	mark_covers(tasks->proc_scan, candidates, due);
	renew_marked(tasks);
	for (size_t i = 0; i < due; i++)
		if (candidates[i]->counted && candidates[i]->waits)
			begin_counting(tasks, candidates[i]);
	tasks->cramped |= tasks->given < busy && tasks->n >= tasks->most;
	free(candidates);
}
