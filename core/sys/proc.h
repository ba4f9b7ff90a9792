// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PROC_H
#define PMCTOP_PROC_H

#include "core/sys/sys.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The files of /proc. A *_parse function is pure and accepts any bytes; the others read through
 * struct sys. Formats: proc_pid_stat(5) and Documentation/filesystems/proc.rst.
 */
struct proc_stat {
	pid_t pid, ppid;
	char comm[16];
	char state;  /* R S D Z ... */
	bool kernel; /* PF_KTHREAD */
	uint64_t minor_faults, major_faults;
	uint64_t user_ticks, system_ticks; /* in sysconf(_SC_CLK_TCK) */
	unsigned threads;
	uint64_t start_ticks; /* after boot */
};

/* 0, or -EBADMSG for a line in another format. comm may have any bytes, also ')'. */
int proc_stat_parse(const char *text, struct proc_stat *stat);
/*
 * Whether all threads of a process have ended, and its pid is reserved until the parent waits for
 * it. False if only the main thread has ended.
 */
bool proc_has_ended(const struct proc_stat *stat);
/* /proc/PID/stat: sums over all threads of the process. `pid` may be any thread. 0 or -errno. */
int proc_stat_read(const struct sys *sys, pid_t pid, struct proc_stat *stat);

/*
 * Whether a task has that number, by pidfd_open(2), because hidepid hides tasks in /proc. 0: it
 * has, -ESRCH: none has, another -errno: unknown (before Linux 5.3, seccomp).
 */
int proc_exists(const struct sys *sys, pid_t tid);

/* /proc/PID/task/TID/stat: values of one thread. 0 or -errno. */
int proc_thread_stat(const struct sys *sys, pid_t pid, pid_t tid, struct proc_stat *stat);
/* Time on a CPU in ns, up to the last tick. 0, -ENOENT on kernels without it, or -errno. */
int proc_thread_ran(const struct sys *sys, pid_t pid, pid_t tid, uint64_t *ran_ns);
/* Context switches away from the thread, voluntary or not. 0 or -errno. */
int proc_thread_switches(const struct sys *sys, pid_t pid, pid_t tid, uint64_t *switches);

/* A file such as /proc/PID/status, long only if a user is in hundreds of groups. Do not copy it. */
struct proc_text {
	char brief[4096];
	char *text; /* brief, or allocated */
};

/* Reads the whole file. 0, or -errno and "". The caller calls proc_text_fini() in both cases. */
int proc_text_read(const struct sys *sys, const char *path, struct proc_text *text);
void proc_text_fini(struct proc_text *text);

/* The number behind a name ("Tgid") in the first 4 KiB of such a file. 0 or -errno. */
int proc_field_number(const struct sys *sys, const char *path, const char *name, uint64_t *number);

/* The line of a CPU in /proc/stat, in ticks. */
struct proc_cpu {
	int cpu;
	uint64_t busy_ticks, idle_ticks;
	uint64_t user_ticks, system_ticks; /* parts of busy_ticks, without stolen time */
};

/* The CPUs in /proc/stat, ascending. Offline CPUs have no line. */
struct proc_cpus {
	struct proc_cpu *items;
	size_t n, capacity;
};

/* Parses every "cpuN" line. */
void proc_cpus_parse(const char *text, struct proc_cpus *cpus);
int proc_cpus_read(const struct sys *sys, struct proc_cpus *cpus); /* 0 or -errno */
void proc_cpus_fini(struct proc_cpus *cpus);
/* NULL if that CPU has no line. */
const struct proc_cpu *proc_cpus_find(const struct proc_cpus *cpus, int cpu);

/* Ticks since boot on all CPUs: stolen by a hypervisor, and all. 0 or -errno. */
int proc_stolen(const struct sys *sys, uint64_t *stolen_ticks, uint64_t *all_ticks);

/* The length of a tick: 1 s / sysconf(_SC_CLK_TCK). */
uint64_t proc_tick_ns(void);

/* Page faults of the machine since boot, from /proc/vmstat, and the major ones. 0 or -errno. */
int proc_machine_faults(const struct sys *sys, uint64_t *faults, uint64_t *major);

/*
 * Threads of the whole machine, from /proc/loadavg, even if /proc has only the processes of a pid
 * namespace. 0: unknown.
 */
unsigned proc_threads(const struct sys *sys);

/* Whether /proc has processes that can be read: 0, -ENOENT if it is empty, or another -errno. */
int proc_check(const struct sys *sys);

/* Reads a file with an integer, such as perf_event_paranoid. 0 or -errno. */
int proc_number(const struct sys *sys, const char *path, long *number);

/*
 * Copies the value behind a key at the beginning of a line ("Uid:\t0 0 0 0", "model name\t: x"),
 * cut at size - 1 bytes. False, and "", if there is no such complete line.
 */
bool proc_field(const char *text, const char *key, char *value, size_t size);

/* The pid that a name in /proc stands for, or 0. */
pid_t proc_pid(const char *name);

#endif
