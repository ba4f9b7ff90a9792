// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PROC_MACHINE_H
#define PMCTOP_PROC_MACHINE_H

#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The files of /proc about the machine as a whole, readable for all users. A *_parse function is
 * pure and accepts any bytes. Formats: Documentation/filesystems/proc.rst.
 */

/* The line of a CPU in /proc/stat, in ticks. The last rows are parts of the first ones. */
struct proc_cpu {
	int cpu;
	uint64_t busy_ticks, idle_ticks;
	uint64_t user_ticks, system_ticks; /* of busy_ticks, without steal_ticks */
	uint64_t irq_ticks, softirq_ticks; /* of system_ticks */
	uint64_t steal_ticks;              /* of busy_ticks: taken by a hypervisor */
	uint64_t iowait_ticks;             /* of idle_ticks */
};

/* Tasks in /proc/stat. All or none of them are known. */
struct proc_counts {
	bool known;
	uint64_t forks;   /* processes and threads started since boot: "processes" */
	uint64_t running; /* threads that run or wait for a CPU */
	uint64_t blocked; /* threads in io_schedule(), not all in state D */
};

/* The CPUs in /proc/stat, ascending. Offline CPUs have no line. */
struct proc_cpus {
	struct proc_cpu *items;
	size_t n, capacity;
	struct proc_counts counts;
};

/* Parses every "cpuN" line, and the counts. */
void proc_cpus_parse(const char *text, struct proc_cpus *cpus);
/* 0, -EBADMSG if the end of the text is missing, or another -errno. */
int proc_cpus_read(const struct sys *sys, struct proc_cpus *cpus);
void proc_cpus_fini(struct proc_cpus *cpus);
/* NULL if that CPU has no line. */
const struct proc_cpu *proc_cpus_find(const struct proc_cpus *cpus, int cpu);

/* Page faults of the machine since boot, from /proc/vmstat, and the major ones. 0 or -errno. */
int proc_machine_faults(const struct sys *sys, uint64_t *faults, uint64_t *major);

/*
 * /proc/loadavg: of the whole machine, even if /proc has only the processes of a pid namespace.
 * (A container manager may replace the file, as lxcfs does.)
 */
struct proc_load {
	double average[3]; /* threads that run, wait for a CPU or are in state D: 1, 5, 15 minutes
			    */
	uint64_t runnable; /* threads that run or wait for a CPU */
	uint64_t threads;
};

int proc_load_parse(const char *text, struct proc_load *load);     /* 0 or -EBADMSG */
int proc_load_read(const struct sys *sys, struct proc_load *load); /* 0 or -errno */

/*
 * The links of /proc are its directories (fs/proc/root.c): of all processes of the machine, also
 * hidden ones and processes of other pid namespaces, and some others, which change seldom.
 */
struct proc_links {
	const struct sys *sys; /* borrowed */
	uint64_t others;       /* 0: unknown, as no other directory is mounted (subset=pid) */
};

void proc_links_init(struct proc_links *links, const struct sys *sys);
/* The number of processes. 0, or -ENOENT if it is unknown. */
int proc_links_processes(const struct proc_links *links, uint64_t *processes);

/* /proc/meminfo. */
struct proc_memory {
	uint64_t total_bytes, available_bytes; /* available: without swapping, an estimate */
	uint64_t swap_total_bytes, swap_free_bytes;
	bool cache_known;
	uint64_t cache_bytes; /* of files: buffers, page cache and its slabs, without shared memory
			       */
};

/* 0 or -errno; -ENOENT or -EBADMSG if one of the first four is missing or no number. */
int proc_memory_read(const struct sys *sys, struct proc_memory *memory);

#endif
