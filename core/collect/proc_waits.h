// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PROC_WAITS_H
#define PMCTOP_PROC_WAITS_H

#include "core/sys/proc.h"
#include "core/sys/sys.h"
#include "core/wait/wait_scan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Why threads do not run (core/wait/wait_scan.h), in the scans of core/collect/proc_scan. An entry
 * of a scan is a thread, or a process whose threads have no entries. Then its threads are read one
 * by one, at most PROC_WAITS_THREADS. The files of a thread are read if it ran since the last scan,
 * or was in state R or D at the last scan.
 */
#define PROC_WAITS_THREADS 256

struct proc_waits_scan {
	const struct sys *sys;
	bool accounts;        /* the kernel fills in schedstat, so zeros mean: no run so far */
	bool wanted;          /* the plan has events of waiting; else nothing is read */
	uint64_t begin_ns;    /* time of the previous scan; 0: none */
	uint64_t now_ns;      /* time of this scan */
	uint64_t boottime_ns; /* the same, CLOCK_BOOTTIME */
};

/* A thread without an entry of the scan. */
struct proc_waits_thread {
	pid_t tid;
	bool seen; /* by the current scan */
	struct wait_thread wait;
};

/* The waits of an entry: of a thread, or of the threads of a process. */
struct proc_waits {
	struct wait_values values; /* since the previous scan; all 0: not read */
	struct wait_thread wait;   /* of a thread */
	struct proc_waits_thread *threads;
	size_t n, capacity;
	pid_t sample_tid; /* a thread that ran, another one at each scan; 0: none */
	bool restless; /* the entry, or one of its threads, was in state R or D at the last reading
			*/
};

void proc_waits_fini(struct proc_waits *waits); /* zeroed is fine */

void proc_waits_scan_begin(struct proc_waits_scan *scan, uint64_t now_ns, uint64_t boottime_ns);

/* The files of a thread, read at one time. */
struct proc_waits_files {
	const struct proc_stat *stat;
	int schedstat_result; /* 0 or -errno */
	struct proc_schedstat schedstat;
	const struct proc_switches *switches; /* NULL: unknown */
};

/* Whether a thread has slept since its last reading. Then that reading is as of now. */
bool proc_waits_have_slept(const struct proc_waits_scan *scan,
			   const struct proc_schedstat *schedstat, struct proc_waits *waits);
/* Reads a thread with an entry. fresh: it began since the previous scan. */
void proc_waits_read_thread(struct proc_waits_scan *scan, const struct proc_waits_files *files,
			    bool fresh, struct proc_waits *waits);
/*
 * Reads a process with an entry, whose threads have none. ran: its stat shows that it ran since the
 * previous scan. switches: of its only thread; NULL: not read.
 */
void proc_waits_read_process(struct proc_waits_scan *scan, pid_t pid, const struct proc_stat *stat,
			     bool ran, const struct proc_switches *switches,
			     struct proc_waits *waits);

/* Returns since when the thread, or one of the process, is in state D, T or t at least; 0: none. */
uint64_t proc_waits_held_since(const struct proc_waits *waits);

/* Returns whether a task that did not run has a row because it waited. */
static inline bool proc_waits_have_row(const struct proc_waits *waits)
{
	return waits->values.lifetime_ns > 0 &&
	       (waits->restless || waits->values.counts[WAIT_RUNQ] > 0);
}

#endif
