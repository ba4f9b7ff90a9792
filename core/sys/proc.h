// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PROC_H
#define PMCTOP_PROC_H

#include "core/sys/sys.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The text of /proc, parsed. Pure parsers (bytes in, value out) and the reads around them. See
 * proc_pid_stat(5) and Documentation/filesystems/proc.rst.
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

/* -EBADMSG where the line is not what the kernel writes. comm may hold anything, ')' too. */
int proc_stat_parse(const char *text, struct proc_stat *stat);
/*
 * Whether all threads of a process have ended, whose number is kept until its parent has asked. One
 * whose main thread alone has ended goes on.
 */
bool proc_has_ended(const struct proc_stat *stat);
/* Of a process, all its threads added up: /proc/PID/stat. Any thread's number does. */
int proc_stat_read(const struct sys *sys, pid_t pid, struct proc_stat *stat);

/*
 * What the kernel says of a number, /proc or not (hidepid hides it there): 0 where a task has it,
 * -ESRCH where none has, other -errnos where it does not tell (before Linux 5.3, seccomp).
 */
int proc_exists(const struct sys *sys, pid_t tid);

/* What a single thread tells: /proc/PID/task/TID/. 0 or -errno. */
int proc_thread_stat(const struct sys *sys, pid_t pid, pid_t tid, struct proc_stat *stat);
/* ns on a CPU, to the last tick; -ENOENT where the kernel keeps no such account. */
int proc_thread_ran(const struct sys *sys, pid_t pid, pid_t tid, uint64_t *ran_ns);
/* Context switches away from it, voluntary or not. */
int proc_thread_switches(const struct sys *sys, pid_t pid, pid_t tid, uint64_t *switches);

/* A file like /proc/PID/status: short, but where a user is in hundreds of groups. Don't copy it. */
struct proc_text {
	char brief[4096];
	char *text; /* brief, or where that is too short what proc_text_fini frees */
};

/* All of the file; 0, or -errno and "". Either way proc_text_fini ends it. */
int proc_text_read(const struct sys *sys, const char *path, struct proc_text *text);
void proc_text_fini(struct proc_text *text);

/* A number behind its name in the first 4 KiB of one, "Tgid"; 0, or -ENOENT and the like. */
int proc_field_number(const struct sys *sys, const char *path, const char *name, uint64_t *number);

/* One CPU's line of /proc/stat, in ticks. */
struct proc_cpu {
	int cpu;
	uint64_t busy_ticks, idle_ticks;
	uint64_t user_ticks, system_ticks; /* of the busy ones, without what was stolen */
};

/* The CPUs of /proc/stat at one time, ascending; offline ones have no line. */
struct proc_cpus {
	struct proc_cpu *items;
	size_t n, capacity;
};

/* Parses every "cpuN" line. */
void proc_cpus_parse(const char *text, struct proc_cpus *cpus);
int proc_cpus_read(const struct sys *sys, struct proc_cpus *cpus); /* 0 or -errno */
void proc_cpus_fini(struct proc_cpus *cpus);
/* NULL where that CPU has no line. */
const struct proc_cpu *proc_cpus_find(const struct proc_cpus *cpus, int cpu);

/* Ticks since boot that a hypervisor took from all CPUs, and of all there were. 0 or -errno. */
int proc_stolen(const struct sys *sys, uint64_t *stolen_ticks, uint64_t *all_ticks);

/* What one tick is: 1 s / sysconf(_SC_CLK_TCK). */
uint64_t proc_tick_ns(void);

/*
 * Page faults of the whole machine since boot, from /proc/vmstat, and `major` those of them that
 * read from a disk. 0, or -errno where it does not tell.
 */
int proc_machine_faults(const struct sys *sys, uint64_t *faults, uint64_t *major);

/*
 * Threads of the whole machine, from /proc/loadavg, also if /proc has only the processes of a pid
 * namespace; 0 where unknown.
 */
unsigned proc_threads(const struct sys *sys);

/* Whether /proc has processes that can be read: 0, -ENOENT if it is empty, or another -errno. */
int proc_check(const struct sys *sys);

/* An integer file such as /proc/sys/kernel/perf_event_paranoid; 0 or -errno. */
int proc_number(const struct sys *sys, const char *path, long *number);

/*
 * What stands behind a key at the beginning of a line ("Uid:\t0 0 0 0", "model name\t: x"), cut at
 * size - 1 bytes. False, and "", where there is no such whole line.
 */
bool proc_field(const char *text, const char *key, char *value, size_t size);

/* Whether a directory's name is a pid, and which: else 0. */
pid_t proc_pid(const char *name);

#endif
