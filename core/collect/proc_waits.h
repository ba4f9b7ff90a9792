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
 * Why threads do not run (core/wait/wait_scan.h), in the scans of core/collect/proc_scan. The files
 * of a thread are read if it ran since the last scan, or was in state R or D then. A process of
 * which no thread has an entry is read thread by thread, up to PROC_WAITS_THREADS of them.
 */
#define PROC_WAITS_THREADS 256

struct proc_waits_scan {
	const struct sys *sys;
	bool accounts;        /* the kernel has numbers in schedstat: zeros are no run so far */
	bool wanted;          /* the plan has events of waiting; if not, nothing is read */
	uint64_t begin_ns;    /* time of the scan before; 0: there was none */
	uint64_t now_ns;      /* time of this scan */
	uint64_t boottime_ns; /* the same, CLOCK_BOOTTIME */
};

/* A thread without an entry of the scan. */
struct proc_waits_thread {
	pid_t tid;
	bool seen; /* by the current scan */
	struct wait_thread wait;
};

/* Of an entry of the scan: a thread, or the threads of a process. */
struct proc_waits {
	struct wait_values values; /* since the scan before; all 0: not read */
	struct wait_thread wait;   /* of a thread */
	struct proc_waits_thread *threads;
	size_t n, capacity;
	pid_t sample_tid; /* of the threads, one that ran; another one at each scan; 0: none */
	bool restless;    /* at the last reading it, or one of the threads, was in state R or D */
};

void proc_waits_fini(struct proc_waits *waits); /* zeroed is fine */

void proc_waits_scan_begin(struct proc_waits_scan *scan, uint64_t now_ns, uint64_t boottime_ns);

/* What was read of a thread at once. */
struct proc_waits_files {
	const struct proc_stat *stat;
	int schedstat_result; /* 0 or -errno */
	struct proc_schedstat schedstat;
	const struct proc_switches *switches; /* NULL: unknown */
};

/* Whether a thread has slept since its last reading. Then that reading is as of now. */
bool proc_waits_have_slept(const struct proc_waits_scan *scan,
			   const struct proc_schedstat *schedstat, struct proc_waits *waits);
/* A thread with an entry. fresh: it began since the scan before. */
void proc_waits_read_thread(struct proc_waits_scan *scan, const struct proc_waits_files *files,
			    bool fresh, struct proc_waits *waits);
/*
 * A process with an entry, whose threads have none. ran: by its stat, since the scan before.
 * switches: of its only thread; NULL: not read.
 */
void proc_waits_read_process(struct proc_waits_scan *scan, pid_t pid, const struct proc_stat *stat,
			     bool ran, const struct proc_switches *switches,
			     struct proc_waits *waits);

/* Whether a task that did not run has a row because it waited. */
static inline bool proc_waits_have_row(const struct proc_waits *waits)
{
	return waits->values.lifetime_ns > 0 &&
	       (waits->restless || waits->values.counts[WAIT_RUNQ] > 0);
}

#endif
