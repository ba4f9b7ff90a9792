// SPDX-License-Identifier: MIT
#ifndef PMCTOP_BLOCKED_H
#define PMCTOP_BLOCKED_H

#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Why a thread does not run at this instant: its state, the kernel function in which it waits
 * (/proc/PID/task/TID/wchan), its system call (syscall) and its kernel stack (stack). The files are
 * read one after the other, so the thread may run in between.
 *
 * Rights: wchan needs CAP_SYS_PTRACE for threads of other users; syscall needs CAP_SYS_PTRACE and
 * CAP_DAC_READ_SEARCH for them, and CAP_SYS_PTRACE from kernel.yama.ptrace_scope 1 on; stack needs
 * CAP_SYS_ADMIN and the rights of syscall.
 *
 * Locks: syscall and stack wait for signal->exec_update_lock (lock_trace()), on newer kernels stat
 * and wchan too. execve() has it while it closes files, which lasts as long as a file system of a
 * network or FUSE takes to flush them. The state is known then, and the process has new memory
 * without code: syscall and stack are not read while stat shows that. The other results are
 * -ETIMEDOUT (core/sys/process_call.h).
 */
enum blocked_reason {
	BLOCKED_UNKNOWN,
	BLOCKED_NOT,     /* it runs, waits for a CPU, or has ended */
	BLOCKED_LOCK,    /* that another thread holds: a mutex, a file lock */
	BLOCKED_FUTEX,   /* a lock or a condition variable: the call does not show which */
	BLOCKED_DISK,    /* a block device: only with a kernel function that shows it */
	BLOCKED_PAGE,    /* a page of a file or of swap */
	BLOCKED_SLEEP,   /* time, an event, a message, a semaphore, a child, work */
	BLOCKED_VFORK,   /* its child shares its memory until it execs or ends */
	BLOCKED_STOPPED, /* SIGSTOP, SIGTSTP */
	BLOCKED_TRACED,  /* stopped by its tracer */
	BLOCKED_FREEZER, /* its cgroup is frozen */
	BLOCKED_IDLE,    /* a kernel thread without work, state I */
	BLOCKED_REASONS,
};

enum {
	BLOCKED_FUNCTION = 64, /* bytes of a function's name, cut */
	BLOCKED_STACK = 64,    /* as many as the kernel writes */
	BLOCKED_ARGUMENTS = 6,
};

enum blocked_call {
	BLOCKED_CALL,         /* in a system call */
	BLOCKED_CALL_NONE,    /* in the kernel without one: page fault, kernel thread */
	BLOCKED_CALL_RUNNING, /* it is not blocked any more */
};

struct blocked_syscall {
	enum blocked_call kind;
	long number; /* of the thread's own architecture: syscall_name.h */
	uint64_t arguments[BLOCKED_ARGUMENTS];
};

/* From the innermost function outwards, without the scheduler's (schedule, io_schedule,
 * mutex_lock), which the kernel leaves out. */
struct blocked_stack {
	size_t n;
	char functions[BLOCKED_STACK][BLOCKED_FUNCTION];
};

/* 0 or -EBADMSG. */
int blocked_syscall_parse(const char *text, struct blocked_syscall *call);
/* Lines such as "[<0>] do_wait+0x5b/0x130 [module]"; others are left out. */
void blocked_stack_parse(const char *text, struct blocked_stack *stack);

/* One look at a thread. Each part has 0 or -errno. */
struct blocked {
	char state;  /* letter of proc_stat */
	bool kernel; /* a kernel thread */
	bool local;  /* as in blocked_rights */
	/*
	 * -EACCES: no right, -ENODATA: not read, or not blocked in a function at that instant. Of
	 * wchan -EAGAIN: it is not known whether there is the right. Of the others -EBUSY: the
	 * thread execs.
	 */
	int wchan_result, syscall_result, stack_result;
	char wchan[BLOCKED_FUNCTION]; /* "" if not known */
	struct blocked_syscall syscall;
	struct blocked_stack stack;
};

/*
 * Pure. The reason by state, function and system call: unknown where they do not show it. State D
 * is not disk: kernel mutexes, vfork, NFS and the freezer are D too.
 *
 * A futex is a lock if the arguments of the call show one: FUTEX_LOCK_PI, or a wait without a
 * timeout while the word is 2 (mutexes of glibc, Rust's std and Go's runtime that have waiters), or
 * FUTEX_WAITERS and an owner (mutexes of musl, robust ones of glibc). Condition variables of glibc
 * have FUTEX_CLOCK_REALTIME. Condition variables of Rust's std count notifications, and are
 * taken for a lock while the number is 2; a barrier of glibc too.
 */
enum blocked_reason blocked_classify(const struct blocked *blocked);
/*
 * Whether the reason needs no more readings. Without the system call a futex may be a lock. A page
 * may be waited for because of a page fault or by a system call that reads the disk: the system
 * call shows it if all file systems are local, else the stack. A stack without the function of
 * wchan belongs to another wait, and is not used.
 */
bool blocked_is_settled(const struct blocked *blocked);
/* "lock", "disk" ... for texts and outputs. */
const char *blocked_reason_name(enum blocked_reason reason);

/*
 * The kernel writes "0" in place of a refused wchan, without an error. Whether there is the right
 * is tried on threads that are known to sleep, and remembered.
 */
struct blocked_rights {
	bool uid_known;
	uid_t uid; /* effective, of this process */
	/* No file system of a network or of FUSE was mounted when this was initialized. */
	bool local;
	enum {
		BLOCKED_RIGHT_UNTRIED,
		BLOCKED_RIGHT_GRANTED,
		BLOCKED_RIGHT_REFUSED,
	} wchan; /* of other users' threads */
};

void blocked_rights_init(struct blocked_rights *rights, const struct sys *sys);

/*
 * Looks at a thread. 0 if its state is known, else -errno, as -ENOENT or -ESRCH for one that ended.
 * Of a thread that is not blocked only the state is read.
 */
int blocked_read(const struct sys *sys, struct blocked_rights *rights, pid_t pid, pid_t tid,
		 struct blocked *blocked);
/*
 * The same as cheaply as possible, for samples: wchan, which is one instant, then only what the
 * reason needs. If stat is not read, `state` follows from the function. Returns 0, or -errno if
 * wchan is not known: -ENODATA, -ENOENT, -ESRCH ..., or -EACCES, -EAGAIN as above. With these two
 * `state` is from stat; -ENODATA if the thread is not blocked.
 * CPU time in us, 6.18 on x86-64: wchan 6; then of a futex syscall 6; of a page stat 7 and syscall
 * 6; of an unknown function, or if the file may be of a network, stat 7 and stack 10.
 */
int blocked_sample(const struct sys *sys, struct blocked_rights *rights, pid_t pid, pid_t tid,
		   struct blocked *blocked);

#endif
