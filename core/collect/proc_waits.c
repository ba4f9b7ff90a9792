// SPDX-License-Identifier: MIT
#include "core/collect/proc_waits.h"

#include "core/base/util.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void proc_waits_fini(struct proc_waits *waits)
{
	free(waits->threads);
	*waits = (struct proc_waits){.n = 0};
}

void proc_waits_scan_begin(struct proc_waits_scan *scan, uint64_t now_ns, uint64_t boottime_ns)
{
	scan->begin_ns = scan->now_ns;
	scan->now_ns = now_ns;
	scan->boottime_ns = boottime_ns;
}

static bool is_unchanged(const struct wait_thread *wait, const struct proc_schedstat *schedstat)
{
	return wait->known && !wait_is_restless(wait->last.state) &&
	       wait->last.ran_ns == schedstat->run_ns && wait->last.slices == schedstat->slices;
}

static void have_slept(const struct proc_waits_scan *scan, struct wait_thread *wait)
{
	wait->last.time_ns = sys_now_ns(scan->sys);
}

bool proc_waits_have_slept(const struct proc_waits_scan *scan,
			   const struct proc_schedstat *schedstat, struct proc_waits *waits)
{
	if (!scan->wanted)
		return true;
	if (!is_unchanged(&waits->wait, schedstat))
		return false;
	have_slept(scan, &waits->wait);
	return true;
}

static struct wait_reading reading_of(struct proc_waits_scan *scan,
				      const struct proc_waits_files *files)
{
	const struct proc_stat *stat = files->stat;
	bool never_ran = files->schedstat_result == -ENODATA && scan->accounts &&
			 stat->user_ticks + stat->system_ticks == 0;
	struct wait_reading reading = {
		.time_ns = sys_now_ns(scan->sys),
		.queue_known = files->schedstat_result == 0 || never_ran,
		.switches_known = files->switches,
		.state = stat->state,
	};

	if (files->schedstat_result == 0) {
		reading.ran_ns = files->schedstat.run_ns;
		reading.queue_ns = files->schedstat.wait_ns;
		reading.slices = files->schedstat.slices;
		scan->accounts = true;
	}
	if (files->switches) {
		reading.voluntary = files->switches->voluntary;
		reading.involuntary = files->switches->involuntary;
	}
	return reading;
}

/* /proc has the start in ticks after boot. */
static void begin_fresh(const struct proc_waits_scan *scan, const struct proc_stat *stat,
			struct wait_thread *wait)
{
	uint64_t tick_ns = proc_tick_ns();
	uint64_t age_ns = u64_growth(stat->start_ticks * tick_ns, scan->boottime_ns);
	uint64_t start_ns = u64_growth(age_ns, scan->now_ns);

	wait_thread_begin(wait, start_ns > scan->begin_ns ? start_ns : scan->begin_ns, tick_ns);
}

static bool began_since(const struct proc_waits_scan *scan, const struct proc_stat *stat)
{
	uint64_t lasted_ns = scan->now_ns - scan->begin_ns;

	return scan->begin_ns > 0 &&
	       (stat->start_ticks + 1) * proc_tick_ns() > u64_growth(lasted_ns, scan->boottime_ns);
}

static void read_thread(struct proc_waits_scan *scan, const struct proc_waits_files *files,
			bool fresh, struct wait_thread *wait, struct wait_values *values)
{
	const struct wait_reading now = reading_of(scan, files);

	if (fresh && !wait->known)
		begin_fresh(scan, files->stat, wait);
	wait_thread_read(wait, &now, scan->begin_ns, values);
}

void proc_waits_read_thread(struct proc_waits_scan *scan, const struct proc_waits_files *files,
			    bool fresh, struct proc_waits *waits)
{
	if (!scan->wanted)
		return;
	read_thread(scan, files, fresh, &waits->wait, &waits->values);
	waits->restless = wait_is_restless(files->stat->state);
}

/* A process that is read thread by thread. */
struct threads_scan {
	struct proc_waits_scan *scan;
	pid_t pid;
	const struct proc_stat *stat; /* of the process */
	const struct proc_switches *switches;
	struct proc_waits *waits;
	size_t next; /* index of the thread that is probably the next one */
	/* Of the threads that ran: the one of the lowest tid, and of the lowest after sample_tid.
	 */
	pid_t lowest, following;
};

static struct proc_waits_thread *find_thread(struct threads_scan *threads, pid_t tid)
{
	struct proc_waits *waits = threads->waits;

	for (size_t i = 0; i < waits->n; i++) {
		size_t at = (threads->next + i) % waits->n;
		if (waits->threads[at].tid != tid)
			continue;
		threads->next = at + 1;
		return &waits->threads[at];
	}
	waits->threads = array_reserve(waits->threads, &waits->capacity, waits->n + 1,
				       sizeof(*waits->threads));
	waits->threads[waits->n] = (struct proc_waits_thread){.tid = tid};
	return &waits->threads[waits->n++];
}

static void choose_sample(struct threads_scan *threads, pid_t tid)
{
	if (!threads->lowest || tid < threads->lowest)
		threads->lowest = tid;
	if (tid > threads->waits->sample_tid && (!threads->following || tid < threads->following))
		threads->following = tid;
}

/* Threads that slept are left out, as they are in sums of rows. */
static bool add_values(const struct wait_thread *wait, uint64_t slices,
		       const struct wait_values *values, struct proc_waits *waits)
{
	waits->restless |= wait_is_restless(wait->last.state);
	if (wait->last.slices == slices && !wait_is_restless(wait->last.state))
		return false;
	for (size_t i = 0; i < WAIT_EVENTS; i++)
		waits->values.counts[i] += values->counts[i];
	for (size_t i = 0; i < WAIT_GROUPS; i++) {
		waits->values.known_ns[i] += values->known_ns[i];
		waits->values.estimated_ns[i] += values->estimated_ns[i];
	}
	waits->values.lifetime_ns += values->lifetime_ns;
	return true;
}

static void scan_thread(struct threads_scan *threads, pid_t tid)
{
	const struct sys *sys = threads->scan->sys;
	struct proc_waits_thread *thread = find_thread(threads, tid);
	struct proc_waits_files files = {.stat = tid == threads->pid ? threads->stat : NULL,
					 .switches = threads->switches};
	uint64_t slices = thread->wait.last.slices;
	struct proc_switches switches;
	struct wait_values values;
	struct proc_stat stat;

	thread->seen = true;
	files.schedstat_result = proc_thread_schedstat(sys, threads->pid, tid, &files.schedstat);
	if (files.schedstat_result == 0 && is_unchanged(&thread->wait, &files.schedstat) &&
	    !(files.stat && wait_is_restless(files.stat->state))) {
		have_slept(threads->scan, &thread->wait);
		return;
	}
	if (!files.stat) {
		if (proc_thread_stat(sys, threads->pid, tid, &stat) < 0)
			return;
		files.stat = &stat;
	}
	bool fresh = began_since(threads->scan, files.stat);
	bool needed = fresh || thread->wait.known || wait_is_restless(files.stat->state);
	if (!files.switches && needed &&
	    proc_thread_switches(sys, threads->pid, tid, &switches) == 0)
		files.switches = &switches;
	read_thread(threads->scan, &files, fresh, &thread->wait, &values);
	if (add_values(&thread->wait, slices, &values, threads->waits))
		choose_sample(threads, tid);
}

static int scan_thread_name(void *arg, const char *name)
{
	pid_t tid = proc_pid(name);

	if (tid)
		scan_thread(arg, tid);
	return 0;
}

/* Of a thread that ended in the interval, nothing is known. */
static void remove_ended(const struct proc_waits_scan *scan, struct proc_waits *waits)
{
	size_t kept = 0;

	for (size_t i = 0; i < waits->n; i++) {
		if (waits->threads[i].seen)
			waits->threads[kept++] = waits->threads[i];
		else
			waits->values.lifetime_ns += scan->now_ns - scan->begin_ns;
	}
	waits->n = kept;
}

void proc_waits_read_process(struct proc_waits_scan *scan, pid_t pid, const struct proc_stat *stat,
			     bool ran, const struct proc_switches *switches,
			     struct proc_waits *waits)
{
	struct threads_scan threads = {
		.scan = scan, .pid = pid, .stat = stat, .switches = switches, .waits = waits};
	char path[32];

	waits->values = (struct wait_values){0};
	/* Threads that are not read may run less than a tick. */
	for (size_t i = 0; i < waits->n; i++) {
		waits->threads[i].seen = false;
		if (!waits->restless)
			waits->threads[i].wait.held_ns = 0;
	}
	if (!scan->wanted || (!ran && !waits->restless && !wait_is_restless(stat->state)))
		return;
	waits->restless = false;
	if (stat->threads <= 1) {
		scan_thread(&threads, pid);
	} else if (stat->threads <= PROC_WAITS_THREADS) {
		snprintf(path, sizeof(path), "/proc/%d/task", pid);
		sys_dir_each(scan->sys, path, scan_thread_name, &threads);
	}
	waits->sample_tid = threads.following ? threads.following : threads.lowest;
	remove_ended(scan, waits);
}

uint64_t proc_waits_held_since(const struct proc_waits *waits)
{
	uint64_t since_ns = waits->wait.held_ns;

	for (size_t i = 0; i < waits->n; i++) {
		const uint64_t held_ns = waits->threads[i].wait.held_ns;

		if (held_ns > 0 && (since_ns == 0 || held_ns < since_ns))
			since_ns = held_ns;
	}
	return since_ns;
}
