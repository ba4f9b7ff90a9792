// SPDX-License-Identifier: MIT
/*
 * A scan reads one file per process, and one more per thread of own processes that ran. A process
 * outside the target is read every RECHECK_SCANS scans only: its number may belong to another
 * process by then.
 */
#include "core/collect/proc_scan.h"

#include "core/base/util.h"
#include "core/sys/proc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECHECK_SCANS = 16 }; /* between two readings of what rarely changes */

void proc_scan_init(struct proc_scan *proc_scan, const struct sys *sys, struct tasks *tasks,
		    const struct target *target, bool any_ours)
{
	*proc_scan = (struct proc_scan){
		.sys = sys,
		.tasks = tasks,
		.target = target,
		.any_ours = any_ours,
		.waits = {.sys = sys},
		.tick_ns = proc_tick_ns(),
	};
	hash_table_init(&proc_scan->table, 0);
}

static void free_entry(struct proc_scan_entry *entry)
{
	proc_waits_fini(&entry->waiting);
	free(entry);
}

void proc_scan_fini(struct proc_scan *proc_scan)
{
	for (size_t i = 0; i < proc_scan->n; i++)
		free_entry(proc_scan->items[i]);
	free(proc_scan->items);
	hash_table_fini(&proc_scan->table);
	*proc_scan = (struct proc_scan){0};
}

struct proc_scan_entry *proc_scan_find(const struct proc_scan *proc_scan, pid_t tid)
{
	struct hash_slot *slot = hash_table_slot(&proc_scan->table, (uint32_t)tid);

	while (slot->item && ((struct proc_scan_entry *)slot->item)->gone)
		slot = hash_table_next(&proc_scan->table, slot);
	return slot->item;
}

static struct proc_scan_entry *add_entry(struct proc_scan *proc_scan, pid_t pid, pid_t tid)
{
	struct proc_scan_entry *entry = xcalloc(1, sizeof(*entry));

	entry->pid = pid;
	entry->tid = tid;
	entry->process = entry;
	proc_scan->items = array_reserve(proc_scan->items, &proc_scan->capacity, proc_scan->n + 1,
					 sizeof(struct proc_scan_entry *));
	proc_scan->items[proc_scan->n++] = entry;
	hash_table_add(&proc_scan->table, (uint32_t)tid)->item = entry;
	return entry;
}

/* It has no growth since the scan before. */
static void clear_growth(struct proc_scan_entry *entry)
{
	entry->grown = (struct proc_scan_usage){0};
	entry->entered = false;
	entry->waiting.values = (struct wait_values){0};
}

static struct record record_of(const struct proc_scan_entry *entry, enum record_kind kind,
			       uint64_t now_ns)
{
	return (struct record){
		.kind = kind, .time_ns = now_ns, .pid = entry->pid, .tid = entry->tid};
}

static void mark_gone(struct proc_scan *proc_scan, struct proc_scan_entry *entry, uint64_t now_ns)
{
	const struct record exit = record_of(entry, RECORD_EXIT, now_ns);

	entry->gone = true;
	clear_growth(entry);
	if (entry->task && entry->task->tid == entry->tid && !entry->task->exit_ns)
		tasks_exit(proc_scan->tasks, &exit);
}

/*
 * Adds a task to the task table. An older task of the same number stays another task. Returns
 * whether it is new, or has a new name.
 */
static bool identify(struct proc_scan *proc_scan, struct proc_scan_entry *entry,
		     const struct proc_stat *stat, uint64_t now_ns)
{
	struct task *known = entry->task;

	if (!known && tasks_find(proc_scan->tasks, entry->tid, now_ns) && proc_scan->scan > 1) {
		struct record fork = record_of(entry, RECORD_FORK, now_ns);
		fork.fork.ppid = stat->ppid;
		tasks_fork(proc_scan->tasks, &fork);
	}
	if (known && strcmp(known->comm, stat->comm) == 0)
		return false;
	struct record comm = record_of(entry, RECORD_COMM, now_ns);
	memcpy(comm.comm.text, stat->comm, sizeof(comm.comm.text));
	comm.comm.exec = known && entry->pid == entry->tid;
	entry->task = tasks_comm(proc_scan->tasks, &comm);
	task_set_origin(entry->task, stat->kernel, stat->ppid);
	return true;
}

/*
 * Whether the kernel permits counters of a process: the dummy event counts nothing, so permission
 * decides. Other errors (it has ended, no descriptor is left) leave what was known before.
 */
static bool is_ours(const struct proc_scan *proc_scan, pid_t pid, bool before)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = proc_scan->any_ours
			 ? sys_perf_open(proc_scan->sys, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC)
			 : -EACCES;

	if (fd >= 0)
		sys_close(proc_scan->sys, fd);
	return fd >= 0 || (before && fd != -EACCES && fd != -EPERM);
}

bool proc_scan_is_ours(const struct proc_scan *proc_scan, pid_t pid)
{
	const struct proc_scan_entry *entry = proc_scan_find(proc_scan, pid);

	return !(entry && entry->kernel) && is_ours(proc_scan, pid, !entry || entry->ours);
}

/* Processes are spread over RECHECK_SCANS scans. */
static bool is_recheck_due(const struct proc_scan *proc_scan, pid_t pid)
{
	return ((uint64_t)pid + proc_scan->scan) % RECHECK_SCANS == 0;
}

static struct proc_scan_usage usage_of(const struct proc_scan *proc_scan,
				       const struct proc_stat *stat)
{
	return (struct proc_scan_usage){
		.ran_ns = (stat->user_ticks + stat->system_ticks) * proc_scan->tick_ns,
		.user_ns = stat->user_ticks * proc_scan->tick_ns,
		.system_ns = stat->system_ticks * proc_scan->tick_ns,
		.minor_faults = stat->minor_faults,
		.major_faults = stat->major_faults,
	};
}

/* If a task existed before its first scan, its entry has growth from the second scan on. */
static void update_usage(struct proc_scan_entry *entry, const struct proc_scan_usage *now)
{
	const struct proc_scan_usage *used = &entry->used;
	/* Fewer than before: after an exec, another thread has that number. */
	bool switches_known = entry->fresh || (entry->known && entry->used_switches_known &&
					       now->switches >= used->switches);

	entry->grown = (struct proc_scan_usage){0};
	if (entry->fresh || entry->known)
		entry->grown = (struct proc_scan_usage){
			.ran_ns = u64_growth(used->ran_ns, now->ran_ns),
			.user_ns = u64_growth(used->user_ns, now->user_ns),
			.system_ns = u64_growth(used->system_ns, now->system_ns),
			.minor_faults = u64_growth(used->minor_faults, now->minor_faults),
			.major_faults = u64_growth(used->major_faults, now->major_faults),
			.switches = switches_known ? u64_growth(used->switches, now->switches) : 0,
		};
	entry->used = *now;
	entry->entered = !entry->fresh && !entry->known;
	entry->known = true;
	entry->missed = false;
	entry->switches_known = switches_known;
}

/* /proc has the switches of threads only, so those of a process are known if it has one thread. */
static void update_process_usage(struct proc_scan *proc_scan, struct proc_scan_entry *entry,
				 const struct proc_stat *stat)
{
	struct proc_scan_usage now = usage_of(proc_scan, stat);
	bool known = false;
	struct proc_switches switches = {0};
	bool ran = now.ran_ns > entry->used.ran_ns || !entry->known;

	now.switches = entry->used.switches;
	if (stat->threads <= 1 && ran)
		known = proc_thread_switches(proc_scan->sys, entry->pid, entry->tid, &switches) ==
			0;
	if (known)
		now.switches = switches.voluntary + switches.involuntary;
	ran |= now.minor_faults > entry->used.minor_faults;
	proc_waits_read_process(&proc_scan->waits, entry->pid, stat, ran, known ? &switches : NULL,
				&entry->waiting);
	update_usage(entry, &now);
	entry->switches_known &= known || entry->grown.ran_ns == 0;
	entry->used_switches_known |= known;
}

/* Whether an error of reading a file of /proc means that the task has ended. */
static bool means_gone(int error)
{
	return error == -ENOENT || error == -ESRCH;
}

/* Skips an entry without growth. */
static void skip_entry(const struct proc_scan *proc_scan, struct proc_scan_entry *entry)
{
	entry->scan = entry->gone ? entry->scan : proc_scan->scan;
	clear_growth(entry);
}

/* Skips an entry that cannot be read. */
static void miss_entry(struct proc_scan *proc_scan, struct proc_scan_entry *entry)
{
	skip_entry(proc_scan, entry);
	entry->missed |= !proc_scan->again;
	proc_scan->unread = true;
}

static void skip_threads(const struct proc_scan *proc_scan, struct proc_scan_entry *process)
{
	for (struct proc_scan_entry *entry = process->threads; entry; entry = entry->next_thread)
		skip_entry(proc_scan, entry);
	clear_growth(process);
}

static void miss_threads(struct proc_scan *proc_scan, struct proc_scan_entry *process)
{
	for (struct proc_scan_entry *entry = process->threads; entry; entry = entry->next_thread)
		miss_entry(proc_scan, entry);
	miss_entry(proc_scan, process);
}

/*
 * Whether a task that is seen for the first time has started since the scan before. It may have
 * been hidden, or not found.
 */
static bool has_just_begun(const struct proc_scan *proc_scan, const struct proc_stat *stat)
{
	return proc_scan->scan > 1 &&
	       (stat->start_ticks + 1) * proc_scan->tick_ns > proc_scan->before_boottime_ns;
}

/* Whether a thread is read although it did not run. */
static bool is_restless(const struct proc_scan *proc_scan, const struct proc_stat *stat)
{
	return proc_scan->waits.wanted && wait_is_restless(stat->state);
}

/* No more files are read for a thread that did not run, unless it is or was restless. */
static void scan_thread(struct proc_scan *proc_scan, struct proc_scan_entry *process, pid_t tid,
			uint64_t now_ns)
{
	const struct sys *sys = proc_scan->sys;
	struct proc_scan_entry *entry =
		tid == process->tid ? process : proc_scan_find(proc_scan, tid);
	struct proc_stat stat;
	struct proc_schedstat schedstat = {0};
	struct proc_switches switches;
	int result_ran = proc_thread_schedstat(sys, process->pid, tid, &schedstat);

	if (entry && entry->process == process && entry->known && !proc_scan->anew &&
	    result_ran == 0 && schedstat.run_ns == entry->used.ran_ns &&
	    !(entry == process && process->restless) &&
	    proc_waits_have_slept(&proc_scan->waits, &schedstat, &entry->waiting)) {
		entry->scan = proc_scan->scan;
		clear_growth(entry);
		return;
	}
	int result = proc_thread_stat(sys, process->pid, tid, &stat);
	if (result < 0) {
		if (entry && entry->process == process && !means_gone(result))
			miss_entry(proc_scan, entry);
		return;
	}
	if (entry && entry != process &&
	    (entry->start_ticks != stat.start_ticks || entry->process != process)) {
		mark_gone(proc_scan, entry, now_ns);
		entry = NULL;
	}
	if (!entry) {
		entry = add_entry(proc_scan, process->pid, tid);
		entry->process = process;
		entry->next_thread = process->threads;
		process->threads = entry;
		entry->fresh =
			(process->fresh || process->by_thread) && has_just_begun(proc_scan, &stat);
		entry->start_ticks = stat.start_ticks;
		entry->ours = true;
	}
	entry->scan = proc_scan->scan;
	entry->ppid = process->ppid;
	identify(proc_scan, entry, &stat, now_ns);
	entry->wanted = target_has(proc_scan->target, proc_scan->tasks, entry->task);
	struct proc_scan_usage now = usage_of(proc_scan, &stat);
	if (result_ran == 0)
		now.ran_ns = schedstat.run_ns;
	bool known = proc_thread_switches(sys, process->pid, tid, &switches) == 0;
	if (known)
		now.switches = switches.voluntary + switches.involuntary;
	update_usage(entry, &now);
	entry->switches_known &= known;
	entry->used_switches_known = known;
	const struct proc_waits_files files = {.stat = &stat,
					       .schedstat_result = result_ran,
					       .schedstat = schedstat,
					       .switches = known ? &switches : NULL};
	proc_waits_read_thread(&proc_scan->waits, &files, entry->fresh, &entry->waiting);
	process->restless |= is_restless(proc_scan, &stat);
}

struct thread_scan {
	struct proc_scan *proc_scan;
	struct proc_scan_entry *process;
	uint64_t now_ns;
};

static int scan_thread_name(void *arg, const char *name)
{
	struct thread_scan *scan = arg;
	pid_t tid = proc_pid(name);

	if (tid)
		scan_thread(scan->proc_scan, scan->process, tid, scan->now_ns);
	return 0;
}

static void scan_threads(struct proc_scan *proc_scan, struct proc_scan_entry *process,
			 const struct proc_stat *stat, uint64_t now_ns)
{
	struct thread_scan scan = {proc_scan, process, now_ns};
	char path[32];

	process->restless = is_restless(proc_scan, stat);
	if (stat->threads <= 1) {
		scan_thread(proc_scan, process, process->tid, now_ns);
		return;
	}
	snprintf(path, sizeof(path), "/proc/%d/task", process->pid);
	int result = sys_dir_each(proc_scan->sys, path, scan_thread_name, &scan);
	if (result < 0 && !means_gone(result))
		miss_threads(proc_scan, process);
}

/* Reads the usage of a wanted process. ran: since the scan before. */
static void scan_inside(struct proc_scan *proc_scan, struct proc_scan_entry *entry,
			const struct proc_stat *stat, bool ran, uint64_t now_ns)
{
	/* The entry was a thread and becomes a process, or the reverse. */
	if (entry->ours != entry->by_thread)
		entry->known = false;
	if (!entry->ours)
		update_process_usage(proc_scan, entry, stat);
	/* A process has the sum of its threads' ticks: if it did not run, no thread did. */
	else if (!ran && entry->by_thread && !entry->restless && !is_restless(proc_scan, stat) &&
		 !target_has_roots(proc_scan->target))
		skip_threads(proc_scan, entry);
	else
		scan_threads(proc_scan, entry, stat, now_ns);
	entry->by_thread = entry->ours;
}

/* Returns 0, or -errno if the process cannot be read. */
static int scan_process(struct proc_scan *proc_scan, pid_t pid, uint64_t now_ns)
{
	struct proc_scan_entry *entry = proc_scan_find(proc_scan, pid);
	struct proc_stat stat;

	if (entry && entry->process == entry && !entry->inside && !proc_scan->anew &&
	    !is_recheck_due(proc_scan, pid)) {
		entry->scan = proc_scan->scan;
		return 0;
	}
	int result = proc_stat_read(proc_scan->sys, pid, &stat);
	if (result < 0) {
		if (entry && entry->process == entry && !means_gone(result))
			miss_threads(proc_scan, entry);
		return result;
	}
	if (entry && (entry->start_ticks != stat.start_ticks || entry->process != entry)) {
		mark_gone(proc_scan, entry, now_ns);
		entry = NULL;
	}
	if (!entry) {
		entry = add_entry(proc_scan, pid, pid);
		entry->start_ticks = stat.start_ticks;
		entry->kernel = stat.kernel;
		entry->ours = true;
		entry->fresh = has_just_begun(proc_scan, &stat);
	}
	bool was_inside = entry->inside;
	bool renamed = identify(proc_scan, entry, &stat, now_ns);
	tasks_set_zombie(proc_scan->tasks, entry->task, proc_has_ended(&stat), now_ns);
	bool ran = entry->process_ticks != stat.user_ticks + stat.system_ticks;
	entry->scan = proc_scan->scan;
	entry->ppid = stat.ppid;
	entry->process_ticks = stat.user_ticks + stat.system_ticks;
	/* Those inside are read when the rows are made: until then they are counted. */
	if (!was_inside && ran && target_has_owners(proc_scan->target))
		tasks_notice_move(proc_scan->tasks, entry->task, now_ns);
	entry->inside = target_has_any_of(proc_scan->target, proc_scan->tasks, entry->task);
	entry->wanted =
		entry->inside && target_has(proc_scan->target, proc_scan->tasks, entry->task);
	if (!entry->inside) {
		entry->known = entry->by_thread = false;
		return 0;
	}
	/* exec or a change of user may change the permission. */
	if (!was_inside || renamed || (!entry->ours && ran && is_recheck_due(proc_scan, pid)))
		entry->ours = !entry->kernel && is_ours(proc_scan, pid, entry->ours);
	scan_inside(proc_scan, entry, &stat, ran, now_ns);
	return 0;
}

struct process_scan {
	struct proc_scan *proc_scan;
	uint64_t now_ns;
	int failure; /* of the last process that was not read; 0: none */
};

static int scan_process_name(void *arg, const char *name)
{
	struct process_scan *scan = arg;
	pid_t pid = proc_pid(name);
	int result = pid ? scan_process(scan->proc_scan, pid, scan->now_ns) : 0;

	if (result < 0)
		scan->failure = result;
	return 0;
}

/* Without a reading at the end of the last interval, the growth would be of more than one. */
static void begin_entry(struct proc_scan *proc_scan, struct proc_scan_entry *entry)
{
	entry->fresh = false;
	if (proc_scan->again)
		return;
	proc_scan->unread |= entry->known && entry->missed;
	entry->known &= !entry->missed;
	entry->missed = false;
}

int proc_scan_run(struct proc_scan *proc_scan, bool again)
{
	struct process_scan scan = {proc_scan, sys_now_ns(proc_scan->sys), 0};
	uint64_t boottime_ns = sys_boottime_ns(proc_scan->sys);

	proc_waits_scan_begin(&proc_scan->waits, scan.now_ns, boottime_ns);
	proc_scan->scan++;
	proc_scan->anew = proc_scan->generation != target_generation(proc_scan->target);
	proc_scan->generation = target_generation(proc_scan->target);
	proc_scan->again = again;
	proc_scan->unread &= again;
	for (size_t i = 0; i < proc_scan->n; i++)
		begin_entry(proc_scan, proc_scan->items[i]);
	int result = sys_dir_each(proc_scan->sys, "/proc", scan_process_name, &scan);
	size_t seen = 0;
	for (size_t i = 0; i < proc_scan->n; i++)
		seen += proc_scan->items[i]->scan == proc_scan->scan;
	if (result == 0 && seen == 0) /* not even pmctop: /proc was unmounted */
		result = scan.failure ? scan.failure : -ENOENT;
	for (size_t i = 0; i < proc_scan->n; i++) {
		struct proc_scan_entry *entry = proc_scan->items[i];
		if (entry->gone || entry->scan == proc_scan->scan)
			continue;
		if (result < 0)
			miss_entry(proc_scan, entry);
		else
			mark_gone(proc_scan, entry, scan.now_ns);
	}
	proc_scan->before_boottime_ns = boottime_ns;
	return result;
}

/* Removes the links to entries that will be freed. */
static void unlink_gone(struct proc_scan *proc_scan)
{
	for (size_t i = 0; i < proc_scan->n; i++) {
		struct proc_scan_entry *entry = proc_scan->items[i];
		struct proc_scan_entry **link = &entry->threads;
		while (*link) {
			if ((*link)->gone)
				*link = (*link)->next_thread;
			else
				link = &(*link)->next_thread;
		}
		if (entry->process->gone)
			entry->process = entry;
		if (entry->cover && entry->cover->gone)
			entry->cover = NULL;
	}
}

void proc_scan_free_gone(struct proc_scan *proc_scan)
{
	size_t kept = 0, n = proc_scan->n;

	unlink_gone(proc_scan);
	for (size_t i = 0; i < n; i++) {
		struct proc_scan_entry *entry = proc_scan->items[i];

		if (!entry->gone) {
			proc_scan->items[kept++] = entry;
			continue;
		}
		hash_table_remove_item(&proc_scan->table, (uint32_t)entry->tid, entry);
		free_entry(entry);
	}
	proc_scan->n = kept;
}
