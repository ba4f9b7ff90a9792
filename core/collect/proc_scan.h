// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PROC_SCAN_H
#define PMCTOP_PROC_SCAN_H

#include "core/attrib/target.h"
#include "core/attrib/tasks.h"
#include "core/base/hash_table.h"
#include "core/collect/task_counters.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Who there is and what they used, as /proc tells: every process, and of those whose counters we
 * may open every thread. Looked at once an interval; what grew between two looks is the interval's.
 * What came and went between two looks was never seen.
 */
struct proc_scan_usage {
	uint64_t ran_ns, user_ns, system_ns;
	uint64_t minor_faults, major_faults;
	uint64_t switches;
};

struct proc_scan_entry {
	pid_t pid, tid;
	uint64_t start_ticks;
	uint64_t process_ticks;          /* of a process: what all its threads ran */
	struct task *task;               /* who it is; gone with its entry */
	struct proc_scan_entry *process; /* of its main thread, which may be itself */
	struct proc_scan_entry *threads; /* of a main thread: the others, by next_thread */
	struct proc_scan_entry *next_thread;
	pid_t ppid;
	uint64_t scan; /* the last one that saw it */
	bool wanted;   /* by the target */
	bool inside;   /* of a process: it or some of its threads are */
	bool ours;     /* its counters may be opened; then an entry is one thread, else a process */
	bool by_thread; /* of a process: its threads had entries at the look before */
	bool kernel;
	bool fresh;                  /* began since the look before */
	bool gone;                   /* seen by the look before, and not by the last one */
	bool known;                  /* used is of the look before: not so of who was no concern */
	bool used_switches_known;    /* used.switches too */
	struct proc_scan_usage used; /* up to the last look */
	struct proc_scan_usage
		grown;       /* since the look before; all it ever used where it is fresh */
	bool switches_known; /* grown.switches is known */

	/* Whoever counts keeps its own here. */
	struct task_counters counters;
	bool counted;
	bool waits;          /* its counters are open, and do not count yet */
	unsigned idle_scans; /* in a row */
	bool orphan;         /* whose parents are gone: it may have inherited anybody's counters */
	struct proc_scan_entry *cover; /* main thread of the process whose counters it inherited */
	bool renew;
};

struct proc_scan {
	const struct sys *sys;
	struct tasks *tasks;
	const struct target *target;
	bool any_ours; /* whether there is any right to count; else every process is foreign */
	unsigned generation; /* of the target, at the last look */
	bool anew;           /* more may be wanted than at that one */
	uint64_t scan;
	uint64_t before_boottime_ns; /* CLOCK_BOOTTIME, when the last look began */
	uint64_t tick_ns;
	struct proc_scan_entry **items;
	size_t n, capacity;
	struct hash_table table; /* by tid: entries */
};

void proc_scan_init(struct proc_scan *proc_scan, const struct sys *sys, struct tasks *tasks,
		    const struct target *target, bool any_ours);
/* The counters of its entries must have been closed. */
void proc_scan_fini(struct proc_scan *proc_scan);

/*
 * 0, or -errno where /proc cannot be read: then nobody has gone, and what was not found has grown
 * by nothing until the next scan.
 */
int proc_scan_run(struct proc_scan *proc_scan);
/* Whether a process that need not have been seen is ours. */
bool proc_scan_is_ours(const struct proc_scan *proc_scan, pid_t pid);
/* Frees the entries that are gone, before core/attrib/tasks forgets who they were. */
void proc_scan_free_gone(struct proc_scan *proc_scan);

/* NULL where there is none. */
struct proc_scan_entry *proc_scan_find(const struct proc_scan *proc_scan, pid_t tid);

#endif
