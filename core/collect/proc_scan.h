// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PROC_SCAN_H
#define PMCTOP_PROC_SCAN_H

#include "core/attrib/target.h"
#include "core/attrib/tasks.h"
#include "core/base/hash_table.h"
#include "core/collect/proc_waits.h"
#include "core/collect/task_counters.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * All processes in /proc with their usage, and the threads of processes that may be counted.
 * /proc is scanned once an interval: the growth between two scans is the interval's usage. A task
 * that starts and ends between two scans is not seen.
 */
struct proc_scan_usage {
	uint64_t ran_ns, user_ns, system_ns;
	uint64_t minor_faults, major_faults;
	uint64_t switches;
};

struct proc_scan_entry {
	pid_t pid, tid;
	uint64_t start_ticks;
	uint64_t process_ticks;          /* of a process: run time of all its threads */
	struct task *task;               /* in the task table; valid as long as the entry */
	struct proc_scan_entry *process; /* its main thread, which may be itself */
	struct proc_scan_entry *threads; /* of a main thread: the other threads, by next_thread */
	struct proc_scan_entry *next_thread;
	pid_t ppid;
	uint64_t scan; /* number of the last scan that saw it */
	bool wanted;   /* in the target */
	bool inside;   /* of a process: it or one of its threads is wanted */
	bool ours; /* its counters may be opened; such an entry is a thread, another one a process
		    */
	bool by_thread; /* of a process: its threads had entries at the scan before */
	bool kernel;
	bool fresh;   /* started since the scan before */
	bool gone;    /* ended: not seen by the last scan */
	bool known;   /* `used` is of the scan before; false: it was not wanted or not read then */
	bool missed;  /* it was not read at the end of the interval */
	bool entered; /* it was not `known` at the last scan: `grown` is unknown */
	bool used_switches_known;     /* so is used.switches */
	struct proc_scan_usage used;  /* up to the last scan */
	struct proc_scan_usage grown; /* since the scan before; all usage of a fresh entry */
	bool switches_known;          /* grown.switches is known */
	bool restless; /* of a process: a thread was in state R or D at its last reading, or is */
	struct proc_waits waiting; /* of the thread, or of the process' threads */

	/* Of core/collect/task_counter_set. */
	struct task_counters counters;
	bool counted;
	bool waits;          /* its counters are open and disabled */
	unsigned idle_scans; /* consecutive scans in which its counters did not grow */
	bool orphan;         /* its parents ended: it may have inherited counters of any process */
	struct proc_scan_entry
		*cover; /* main thread of the process that it inherited counters from */
	bool renew;     /* of a process: its counters are opened again */
};

struct proc_scan {
	const struct sys *sys;
	struct tasks *tasks;
	const struct target *target;
	bool any_ours;                /* counting is permitted; else no process is own */
	struct proc_waits_scan waits; /* its member `wanted` is set by the caller */
	unsigned generation;          /* of the target, at the last scan */
	bool anew;                    /* the target has changed since the scan before */
	bool again;                   /* the last scan was in the interval of the one before */
	bool unread;                  /* some task has no growth, as it is or was not read */
	uint64_t scan;
	uint64_t before_boottime_ns; /* CLOCK_BOOTTIME at the begin of the last scan */
	uint64_t tick_ns;
	struct proc_scan_entry **items;
	size_t n, capacity;
	struct hash_table table; /* by tid: entries */
};

void proc_scan_init(struct proc_scan *proc_scan, const struct sys *sys, struct tasks *tasks,
		    const struct target *target, bool any_ours);
/* The counters of all entries must be closed. */
void proc_scan_fini(struct proc_scan *proc_scan);

/*
 * Scans at the end of an interval, or `again` a moment later. 0, or -errno where /proc cannot be
 * read: then no entry is gone. An entry that was not read has no growth, and none in the next
 * interval.
 */
int proc_scan_run(struct proc_scan *proc_scan, bool again);
/* Whether the counters of a process may be opened; true if unknown. It need not have an entry. */
bool proc_scan_is_ours(const struct proc_scan *proc_scan, pid_t pid);
/* Frees entries that are gone. Call it before tasks_free_exited(). */
void proc_scan_free_gone(struct proc_scan *proc_scan);

/* NULL: no entry. */
struct proc_scan_entry *proc_scan_find(const struct proc_scan *proc_scan, pid_t tid);

#endif
