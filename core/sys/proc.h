// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PROC_H
#define PMCTOP_PROC_H

#include "core/sys/sys.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The files of /proc about tasks; proc_machine.h has those about the machine. A *_parse function is
 * pure and accepts any bytes; the others read through struct sys. Formats: proc_pid_stat(5) and
 * Documentation/filesystems/proc.rst.
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
	int nice;
	uint64_t rss_pages;
	/* Address of the code. 0: a kernel thread, or the memory is new: it execs. 1: no right. */
	uint64_t start_code;
	int last_cpu;         /* -1: not in the line, as the next two */
	unsigned rt_priority; /* 1 to 99; 0: not real-time */
	int policy;           /* SCHED_* of <sched.h>; -1: unknown */
};

/* 0, or -EBADMSG for a line in another format. comm may have any bytes, also ')'. */
int proc_stat_parse(const char *text, struct proc_stat *stat);
/*
 * The state as a number that grows with the activity: I idle, X dead, Z zombie, P parked, t traced,
 * T stopped, S sleeps, D uninterruptible, R runs. -1: another letter.
 */
int proc_state_activity(char state);
/* The letter of that number, '?' for a number out of range. */
char proc_state_letter(double activity);
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

/*
 * /proc/PID/task/TID/stat: values of one thread. 0 or -errno, -ETIMEDOUT while the process holds
 * the file back (core/sys/process_call.h).
 */
int proc_thread_stat(const struct sys *sys, pid_t pid, pid_t tid, struct proc_stat *stat);
/*
 * The members pid, ppid, comm, state, kernel, threads and last_cpu alone; the others are 0. From
 * the files comm and status while the process holds stat back, without last_cpu. 0 or -errno.
 */
int proc_thread_brief(const struct sys *sys, pid_t pid, pid_t tid, struct proc_stat *stat);

/*
 * /proc/PID/task/TID/schedstat, readable for all users. The numbers are of that thread alone. The
 * wait grows when the thread gets a CPU or is moved to the queue of another one: a wait that still
 * lasts is not in it.
 */
struct proc_schedstat {
	uint64_t run_ns;  /* on a CPU, up to the last tick */
	uint64_t wait_ns; /* runnable, but not on a CPU */
	uint64_t slices;  /* how often it got a CPU */
};

/*
 * 0, -EBADMSG for a line that is cut off or in another format, or -ENODATA for three zeros: the
 * thread has never run, or the kernel (up to 5.10) does not account it.
 */
int proc_schedstat_parse(const char *text, struct proc_schedstat *schedstat);
/* The same, or another -errno; -ENOENT also on kernels without CONFIG_SCHED_INFO. */
int proc_thread_schedstat(const struct sys *sys, pid_t pid, pid_t tid,
			  struct proc_schedstat *schedstat);

/* How often a thread was moved to another CPU, from /proc/PID/task/TID/sched. 0 or -errno. */
int proc_thread_migrations(const struct sys *sys, pid_t pid, pid_t tid, uint64_t *migrations);

/*
 * Whether the wait of schedstat may have a sleep. From Linux 6.12 on a task that goes to sleep may
 * stay in its run queue for a while. If it is moved to another CPU meanwhile, the kernel counts all
 * of the sleep from then on (seen on 6.18).
 */
bool proc_schedstat_has_sleeps(const struct sys *sys);

/* Context switches away from a thread since its start. */
struct proc_switches {
	uint64_t voluntary; /* it blocked */
	uint64_t involuntary;
};

/* From /proc/PID/task/TID/status, readable for all users. 0 or -errno. */
int proc_thread_switches(const struct sys *sys, pid_t pid, pid_t tid,
			 struct proc_switches *switches);

/* Bytes that a process has read from and written to block devices, ended threads included. */
struct proc_io {
	uint64_t read_bytes, write_bytes;
};

/*
 * /proc/PID/io. 0 or -errno: -EACCES for a process of another user without CAP_SYS_PTRACE, -ENOENT
 * also on kernels without CONFIG_TASK_IO_ACCOUNTING.
 */
int proc_io_read(const struct sys *sys, pid_t pid, struct proc_io *io);

/* The same of one thread: /proc/PID/task/TID/io. */
int proc_thread_io(const struct sys *sys, pid_t pid, pid_t tid, struct proc_io *io);

/* A file such as /proc/PID/status, long only if a user is in hundreds of groups. Do not copy it. */
struct proc_text {
	char brief[4096];
	char *text; /* brief, or allocated */
};

/* Reads the whole file. 0, or -errno and "". The caller calls proc_text_fini() in both cases. */
int proc_text_read(const struct sys *sys, const char *path, struct proc_text *text);
void proc_text_fini(struct proc_text *text);

/* A file of up to 1 MiB, owned by the caller. NULL, and -errno in *code, if it cannot be read. */
char *proc_long_text(const struct sys *sys, const char *path, int *code);

/* The number behind a name ("Tgid") at the beginning of a line. 0 or -errno. */
int proc_field_parse(const char *text, const char *name, uint64_t *number);
/* The same for a line "name number" (/proc/vmstat, cgroups). False if there is no such line. */
bool proc_count_parse(const char *text, const char *name, uint64_t *number);
/* As proc_field_parse(), in the first 4 KiB of a file. */
int proc_field_number(const struct sys *sys, const char *path, const char *name, uint64_t *number);

/* The length of a tick: 1 s / sysconf(_SC_CLK_TCK). */
uint64_t proc_tick_ns(void);

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
