// SPDX-License-Identifier: MIT
/*
 * One small file a process and look, and for the threads of our own busy processes one more. What
 * does not concern the target is not read again, but now and then: its number may have been given
 * to someone else.
 */
#include "core/collect/census.h"

#include "core/base/util.h"
#include "core/sys/proc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	FIRST_BUCKETS = 1024,
	TURN_LOOKS = 16, /* what does not change often is asked again after so many */
};

void census_init(struct census *census, const struct sys *sys, struct tasks *tasks,
		 const struct target *target, bool any_ours)
{
	*census = (struct census){
		.sys = sys,
		.tasks = tasks,
		.target = target,
		.any_ours = any_ours,
		.tick_ns = proc_tick_ns(),
		.n_buckets = FIRST_BUCKETS,
		.buckets = xcalloc(FIRST_BUCKETS, sizeof(*census->buckets)),
	};
}

void census_fini(struct census *census)
{
	for (size_t i = 0; i < census->n; i++)
		free(census->items[i]);
	free(census->items);
	free(census->buckets);
	*census = (struct census){0};
}

/* ---- the table */

static struct census_entry **bucket_of(const struct census *census, pid_t tid)
{
	return &census->buckets[(size_t)tid & (census->n_buckets - 1)];
}

struct census_entry *census_find(const struct census *census, pid_t tid)
{
	struct census_entry *entry = *bucket_of(census, tid);

	while (entry && (entry->tid != tid || entry->gone))
		entry = entry->next_in_bucket;
	return entry;
}

static void hash_anew(struct census *census, size_t n_buckets)
{
	free(census->buckets);
	census->buckets = xcalloc(n_buckets, sizeof(*census->buckets));
	census->n_buckets = n_buckets;
	for (size_t i = 0; i < census->n; i++) {
		struct census_entry **bucket = bucket_of(census, census->items[i]->tid);
		census->items[i]->next_in_bucket = *bucket;
		*bucket = census->items[i];
	}
}

static struct census_entry *add(struct census *census, pid_t pid, pid_t tid)
{
	struct census_entry *entry = xcalloc(1, sizeof(*entry));

	entry->pid = pid;
	entry->tid = tid;
	entry->process = entry;
	census->items = array_reserve(census->items, &census->capacity, census->n + 1,
				      sizeof(struct census_entry *));
	census->items[census->n++] = entry;
	if (census->n > census->n_buckets) {
		hash_anew(census, census->n_buckets * 2);
		return entry;
	}
	struct census_entry **bucket = bucket_of(census, tid);
	entry->next_in_bucket = *bucket;
	*bucket = entry;
	return entry;
}

/* ---- who it is */

static struct record record_of(const struct census_entry *entry, enum record_kind kind,
			       uint64_t now_ns)
{
	return (struct record){
		.kind = kind, .time_ns = now_ns, .pid = entry->pid, .tid = entry->tid};
}

static void leave(struct census *census, struct census_entry *entry, uint64_t now_ns)
{
	const struct record exit = record_of(entry, RECORD_EXIT, now_ns);

	entry->gone = true;
	entry->grown = (struct census_usage){0};
	if (entry->task && entry->task->tid == entry->tid && !entry->task->exit_ns)
		tasks_exit(census->tasks, &exit);
}

/*
 * A new one is told apart from whoever had its number before. Whether it is new, or called
 * something else than before.
 */
static bool identify(struct census *census, struct census_entry *entry,
		     const struct proc_stat *stat, uint64_t now_ns)
{
	struct task *known = entry->task;

	if (!known && tasks_find(census->tasks, entry->tid, now_ns) && census->look > 1) {
		struct record fork = record_of(entry, RECORD_FORK, now_ns);
		fork.fork.ppid = stat->ppid;
		tasks_fork(census->tasks, &fork);
	}
	if (known && strcmp(known->comm, stat->comm) == 0)
		return false;
	struct record comm = record_of(entry, RECORD_COMM, now_ns);
	memcpy(comm.comm.text, stat->comm, sizeof(comm.comm.text));
	comm.comm.exec = known && entry->pid == entry->tid;
	entry->task = tasks_comm(census->tasks, &comm);
	entry->task->kernel = stat->kernel;
	entry->task->ppid = stat->ppid;
	return true;
}

/*
 * Whether perf_event_open takes it: the dummy counts nothing, so that rights decide. Other refusals
 * (it has just ended, there is no descriptor) do not make it another's.
 */
static bool is_ours(const struct census *census, pid_t pid)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = census->any_ours
			 ? sys_perf_open(census->sys, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC)
			 : -EACCES;

	if (fd >= 0)
		sys_close(census->sys, fd);
	return fd != -EACCES && fd != -EPERM;
}

bool census_is_ours(const struct census *census, pid_t pid)
{
	const struct census_entry *entry = census_find(census, pid);

	return !(entry && entry->kernel) && is_ours(census, pid);
}

/* Each process has its turn at another look. */
static bool is_turn(const struct census *census, pid_t pid)
{
	return ((uint64_t)pid + census->look) % TURN_LOOKS == 0;
}

/* ---- what it used */

static struct census_usage usage_of(const struct census *census, const struct proc_stat *stat)
{
	return (struct census_usage){
		.ran_ns = (stat->user_ticks + stat->system_ticks) * census->tick_ns,
		.user_ns = stat->user_ticks * census->tick_ns,
		.system_ns = stat->system_ticks * census->tick_ns,
		.minor_faults = stat->minor_faults,
		.major_faults = stat->major_faults,
	};
}

/* Of whoever was there before only the second look tells what it used since. */
static void grow(struct census_entry *entry, const struct census_usage *now)
{
	const struct census_usage *used = &entry->used;
	/* Fewer than before: another thread, by exec, has that number now. */
	bool told = entry->fresh ||
		    (entry->known && entry->told_switches && now->switches >= used->switches);

	entry->grown = (struct census_usage){0};
	if (entry->fresh || entry->known)
		entry->grown = (struct census_usage){
			.ran_ns = u64_growth(used->ran_ns, now->ran_ns),
			.user_ns = u64_growth(used->user_ns, now->user_ns),
			.system_ns = u64_growth(used->system_ns, now->system_ns),
			.minor_faults = u64_growth(used->minor_faults, now->minor_faults),
			.major_faults = u64_growth(used->major_faults, now->major_faults),
			.switches = told ? u64_growth(used->switches, now->switches) : 0,
		};
	entry->used = *now;
	entry->known = true;
	entry->knows_switches = told;
}

/* A process that had several threads tells of its main one's switches only. */
static void grow_process(const struct census *census, struct census_entry *entry,
			 const struct proc_stat *stat)
{
	struct census_usage now = usage_of(census, stat);
	bool known = false;

	if (stat->threads <= 1 && (now.ran_ns > entry->used.ran_ns || !entry->known))
		known = proc_thread_switches(census->sys, entry->pid, entry->tid, &now.switches) ==
			0;
	else
		now.switches = entry->used.switches;
	grow(entry, &now);
	entry->knows_switches &= known || entry->grown.ran_ns == 0;
	entry->told_switches |= known;
}

/* Where a file of /proc cannot be read: whether that is since nobody is there any more. */
static bool tells_end(int error)
{
	return error == -ENOENT || error == -ESRCH;
}

/* Nothing is learned of it this time: what it does meanwhile is of the next look. */
static void pass_over(const struct census *census, struct census_entry *entry)
{
	entry->look = entry->gone ? entry->look : census->look;
	entry->grown = (struct census_usage){0};
}

static void pass_over_threads(const struct census *census, struct census_entry *process)
{
	for (struct census_entry *entry = process->threads; entry; entry = entry->next_thread)
		pass_over(census, entry);
	process->grown = (struct census_usage){0};
}

/*
 * Who is there for the first time need not have begun since the look before: it may have been
 * hidden, or not been found.
 */
static bool has_just_begun(const struct census *census, const struct proc_stat *stat)
{
	return census->look > 1 &&
	       (stat->start_ticks + 1) * census->tick_ns > census->before_boottime_ns;
}

/* A thread that did not run is left in peace. */
static void look_at_thread(struct census *census, struct census_entry *process, pid_t tid,
			   uint64_t now_ns)
{
	const struct sys *sys = census->sys;
	struct census_entry *entry = tid == process->tid ? process : census_find(census, tid);
	struct proc_stat stat;
	uint64_t ran_ns;
	int told = proc_thread_ran(sys, process->pid, tid, &ran_ns);

	if (entry && entry->process == process && entry->known && !census->anew && told == 0 &&
	    ran_ns == entry->used.ran_ns) {
		entry->look = census->look;
		entry->grown = (struct census_usage){0};
		return;
	}
	int result = proc_thread_stat(sys, process->pid, tid, &stat);
	if (result < 0) {
		if (entry && entry->process == process && !tells_end(result))
			pass_over(census, entry);
		return;
	}
	if (entry && entry != process &&
	    (entry->start_ticks != stat.start_ticks || entry->process != process)) {
		leave(census, entry, now_ns);
		entry = NULL;
	}
	if (!entry) {
		entry = add(census, process->pid, tid);
		entry->process = process;
		entry->next_thread = process->threads;
		process->threads = entry;
		entry->fresh =
			(process->fresh || process->by_thread) && has_just_begun(census, &stat);
		entry->start_ticks = stat.start_ticks;
		entry->ours = true;
	}
	entry->look = census->look;
	entry->ppid = process->ppid;
	identify(census, entry, &stat, now_ns);
	entry->wanted = target_has(census->target, census->tasks, entry->task);
	struct census_usage now = usage_of(census, &stat);
	if (told == 0)
		now.ran_ns = ran_ns;
	bool known = proc_thread_switches(sys, process->pid, tid, &now.switches) == 0;
	grow(entry, &now);
	entry->knows_switches &= known;
	entry->told_switches = known;
}

struct thread_look {
	struct census *census;
	struct census_entry *process;
	uint64_t now_ns;
};

static int found_thread(void *arg, const char *name)
{
	struct thread_look *look = arg;
	pid_t tid = proc_pid(name);

	if (tid)
		look_at_thread(look->census, look->process, tid, look->now_ns);
	return 0;
}

static void look_at_threads(struct census *census, struct census_entry *process, unsigned threads,
			    uint64_t now_ns)
{
	struct thread_look look = {census, process, now_ns};
	char path[32];

	if (threads <= 1) {
		look_at_thread(census, process, process->tid, now_ns);
		return;
	}
	snprintf(path, sizeof(path), "/proc/%d/task", process->pid);
	int result = sys_dir_each(census->sys, path, found_thread, &look);
	if (result < 0 && !tells_end(result))
		pass_over_threads(census, process);
}

/* ---- a look */

/* All of a process that concerns us: `ran` since the look before. */
static void look_inside(struct census *census, struct census_entry *entry,
			const struct proc_stat *stat, bool ran, uint64_t now_ns)
{
	/* What it used so far was that of one thread, or of all. */
	if (entry->ours != entry->by_thread)
		entry->known = false;
	if (!entry->ours)
		grow_process(census, entry, stat);
	/* What did not run has threads that did not: the kernel adds them up in ticks. */
	else if (!ran && entry->by_thread && !target_has_roots(census->target))
		pass_over_threads(census, entry);
	else
		look_at_threads(census, entry, stat->threads, now_ns);
	entry->by_thread = entry->ours;
}

static void look_at_process(struct census *census, pid_t pid, uint64_t now_ns)
{
	struct census_entry *entry = census_find(census, pid);
	struct proc_stat stat;

	if (entry && entry->process == entry && !entry->inside && !census->anew &&
	    !is_turn(census, pid)) {
		entry->look = census->look;
		return;
	}
	int result = proc_stat_read(census->sys, pid, &stat);
	if (result < 0) {
		if (entry && entry->process == entry && !tells_end(result)) {
			pass_over(census, entry);
			pass_over_threads(census, entry);
		}
		return;
	}
	if (entry && (entry->start_ticks != stat.start_ticks || entry->process != entry)) {
		leave(census, entry, now_ns);
		entry = NULL;
	}
	if (!entry) {
		entry = add(census, pid, pid);
		entry->start_ticks = stat.start_ticks;
		entry->kernel = stat.kernel;
		entry->fresh = has_just_begun(census, &stat);
	}
	bool was_inside = entry->inside;
	bool renamed = identify(census, entry, &stat, now_ns);
	entry->task->zombie = proc_has_ended(&stat);
	bool ran = entry->process_ticks != stat.user_ticks + stat.system_ticks;
	entry->look = census->look;
	entry->ppid = stat.ppid;
	entry->process_ticks = stat.user_ticks + stat.system_ticks;
	entry->inside = target_has_any_of(census->target, census->tasks, entry->task);
	entry->wanted = entry->inside && target_has(census->target, census->tasks, entry->task);
	if (!entry->inside) {
		entry->known = entry->by_thread = false;
		return;
	}
	/* Whoever execs, or changes its user, may become ours, or no longer be. */
	if (!was_inside || renamed || (!entry->ours && ran && is_turn(census, pid)))
		entry->ours = !entry->kernel && is_ours(census, pid);
	look_inside(census, entry, &stat, ran, now_ns);
}

struct process_look {
	struct census *census;
	uint64_t now_ns;
};

static int found_process(void *arg, const char *name)
{
	const struct process_look *look = arg;
	pid_t pid = proc_pid(name);

	if (pid)
		look_at_process(look->census, pid, look->now_ns);
	return 0;
}

int census_look(struct census *census)
{
	struct process_look look = {census, sys_now_ns(census->sys)};
	uint64_t boottime_ns = sys_boottime_ns(census->sys);

	census->look++;
	census->anew = census->generation != target_generation(census->target);
	census->generation = target_generation(census->target);
	for (size_t i = 0; i < census->n; i++)
		census->items[i]->fresh = false;
	int result = sys_dir_each(census->sys, "/proc", found_process, &look);
	size_t seen = 0;
	for (size_t i = 0; i < census->n; i++)
		seen += census->items[i]->look == census->look;
	if (result == 0 && seen == 0) /* not even us: it was unmounted */
		result = -ENOENT;
	for (size_t i = 0; i < census->n; i++) {
		struct census_entry *entry = census->items[i];
		if (entry->gone || entry->look == census->look)
			continue;
		if (result < 0)
			pass_over(census, entry);
		else
			leave(census, entry, look.now_ns);
	}
	census->before_boottime_ns = boottime_ns;
	return result;
}

/* Links to what will be freed are taken out first. */
static void unlink_gone(struct census *census)
{
	for (size_t i = 0; i < census->n; i++) {
		struct census_entry *entry = census->items[i];
		struct census_entry **link = &entry->threads;
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

void census_forget(struct census *census)
{
	size_t kept = 0, n = census->n;

	unlink_gone(census);
	for (size_t i = 0; i < n; i++) {
		if (census->items[i]->gone)
			free(census->items[i]);
		else
			census->items[kept++] = census->items[i];
	}
	census->n = kept;
	if (kept != n)
		hash_anew(census, census->n_buckets);
}
