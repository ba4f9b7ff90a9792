// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SYS_H
#define PMCTOP_SYS_H

#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/*
 * The table of kernel calls for what pmctop observes: perf events, /proc, /sys, processes, clocks
 * and waits. All of core reads these through it, so tests replace them: tests/fake_kernel has the
 * same layouts and errnos, and a clock that the test sets.
 *
 * Not through this table: files that pmctop writes (core/base, core/perfdata, tui/options),
 * recordings that it reads (core/replay), sockets (core/output), descriptors between threads
 * (core/engine), capabilities and the terminal (tui), the files that libpfm4 reads, the vendors'
 * files of events (core/tables), the ELF headers
 * of files that this table has opened and the processes that open files and read their symbols
 * (core/code), and monotonic_ns(). These modules turn errno into -errno where they call the kernel.
 * tests/live/faults_test.py (all of it: make sweep) makes each of these calls fail with strace;
 * tests/unit/engine/test_sweep.c does so with the calls of this table.
 *
 * A function returns a value >= 0 or -errno. perf_open() of a task, and the files of a process in
 * /proc, return -ETIMEDOUT if the process does not let the call through
 * (core/sys/process_call.h). Times are CLOCK_MONOTONIC nanoseconds unless the name
 * has another clock; records have the same clock (attr.use_clockid). It is the host's also in a
 * time namespace (core/sys/time_namespace.h), so do not compare these times with monotonic_ns().
 * One thread at a time uses a sys, except sys_wake(), which is for any thread.
 */
struct sys_ops {
	/* Other processes see the same files, so they may open them (core/code). */
	bool shared;
	/*
	 * perf_event_open(2): a descriptor or -errno, not -EINTR. -EMFILE also while the last few
	 * descriptors are free: they are for the other functions.
	 */
	int (*perf_open)(void *ctx, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
			 unsigned long flags);
	/* read(2) of an event: bytes or -errno. */
	ssize_t (*perf_read)(void *ctx, int fd, void *buffer, size_t size);
	/* ioctl(2) with PERF_EVENT_IOC_*; argument is its integer or address. */
	int (*perf_ioctl)(void *ctx, int fd, unsigned long request, uintptr_t argument);
	/* mmap(2) of a ring: size is (1 + 2^k) pages. */
	int (*perf_map)(void *ctx, int fd, size_t size, void **address);
	int (*perf_unmap)(void *ctx, void *address, size_t size);
	int (*close)(void *ctx, int fd);
	/*
	 * Sleeps until a descriptor is ready, sys_wake() is called, a signal comes or the clock
	 * reaches deadline_ns. Returns how many are ready (revents set), 0 at the deadline, -EINTR
	 * after sys_wake() or a signal (revents set too). A past deadline polls once.
	 */
	int (*wait)(void *ctx, struct pollfd *fds, size_t count, uint64_t deadline_ns);
	/* Ends the present wait, or the next one. For any thread and signal handlers. */
	void (*wake)(void *ctx);
	uint64_t (*now_ns)(void *ctx);
	/*
	 * CPU time in ns of the calling thread (on a fiber: of the fiber) or process; 0: unknown.
	 * May be NULL.
	 */
	uint64_t (*cpu_ns)(void *ctx, bool process);
	/* The CPU on which the caller runs now; -1: unknown. */
	int (*current_cpu)(void *ctx);
	/* The caller's process and thread, with the numbers of records. 0 or -errno. */
	int (*self)(void *ctx, pid_t *pid, pid_t *tid);
	/* Nanoseconds since the epoch, CLOCK_REALTIME. */
	uint64_t (*realtime_ns)(void *ctx);
	/* CLOCK_BOOTTIME of the time namespace, the clock of start times in /proc. */
	uint64_t (*boottime_ns)(void *ctx);
	/*
	 * Reads a small file by its absolute path ("/proc/7/comm"; tests have another root): at
	 * most size - 1 bytes, always NUL-terminated. Returns the length or -errno.
	 */
	ssize_t (*file_read)(void *ctx, const char *path, char *buffer, size_t size);
	/*
	 * readlink(2), but always NUL-terminated and cut at size - 1 bytes. Returns the length or
	 * -errno.
	 */
	ssize_t (*link_read)(void *ctx, const char *path, char *buffer, size_t size);
	/*
	 * The user that owns a path. For /proc/PID this is the effective user, also if the files in
	 * it are root's (setuid and other programs that are not dumpable). 0 or -errno.
	 */
	int (*file_owner)(void *ctx, const char *path, uid_t *owner);
	/*
	 * Opens a regular file to read, which another user may have replaced by anything: a FIFO
	 * does not block, a device is not opened. A descriptor (O_CLOEXEC), -EINVAL for what is no
	 * regular file, or another -errno. This function and the next three may be NULL.
	 */
	int (*file_open)(void *ctx, const char *path);
	/* pread(2), again if a signal interrupts it: bytes, 0 at the end, or -errno. */
	ssize_t (*file_pread)(void *ctx, int fd, void *buffer, size_t size, uint64_t offset);
	/* fstat(2): 0 or -errno. */
	int (*file_status)(void *ctx, int fd, struct stat *status);
	/* ioctl(2) of a file of /proc, with the address of its argument. 0 or -errno. */
	int (*file_ioctl)(void *ctx, int fd, unsigned long request, void *argument);
	/*
	 * Copies at most `most` numbers of processes, or of their threads, for which calls return
	 * -ETIMEDOUT now. Returns how many. May be NULL.
	 */
	size_t (*stuck)(void *ctx, pid_t *pids, size_t most);
	/* The number of links of a directory (st_nlink). 0 or -errno. May be NULL. */
	int (*dir_links)(void *ctx, const char *path, uint64_t *links);
	/* Calls fn for each name in a directory but "." and "..", until it is != 0. 0 or -errno. */
	int (*dir_each)(void *ctx, const char *path, int (*fn)(void *arg, const char *name),
			void *arg);
	/* pidfd_open(2): a descriptor for a process, or -errno. */
	int (*pidfd_open)(void *ctx, pid_t pid);
	/* pidfd_send_signal(2): 0 or -errno. */
	int (*pidfd_signal)(void *ctx, int fd, int signal);
	/*
	 * setpriority(2) of one thread. 0 or -errno: -EPERM for a thread of another user, -EACCES
	 * without the right to a lower value.
	 */
	int (*set_nice)(void *ctx, pid_t tid, int nice);
};

struct sys {
	const struct sys_ops *ops;
	void *ctx;
};

/* The running kernel. 0 or -errno. Call fini on the thread that used it. */
int sys_linux_init(struct sys *sys);
void sys_linux_fini(struct sys *sys);

static inline int sys_perf_open(const struct sys *sys, struct perf_event_attr *attr, pid_t pid,
				int cpu, int group_fd, unsigned long flags)
{
	return sys->ops->perf_open(sys->ctx, attr, pid, cpu, group_fd, flags);
}

static inline ssize_t sys_perf_read(const struct sys *sys, int fd, void *buffer, size_t size)
{
	return sys->ops->perf_read(sys->ctx, fd, buffer, size);
}

static inline int sys_perf_ioctl(const struct sys *sys, int fd, unsigned long request,
				 uintptr_t argument)
{
	return sys->ops->perf_ioctl(sys->ctx, fd, request, argument);
}

static inline int sys_perf_map(const struct sys *sys, int fd, size_t size, void **address)
{
	return sys->ops->perf_map(sys->ctx, fd, size, address);
}

static inline int sys_perf_unmap(const struct sys *sys, void *address, size_t size)
{
	return sys->ops->perf_unmap(sys->ctx, address, size);
}

static inline int sys_close(const struct sys *sys, int fd)
{
	return sys->ops->close(sys->ctx, fd);
}

static inline int sys_wait(const struct sys *sys, struct pollfd *fds, size_t count,
			   uint64_t deadline_ns)
{
	return sys->ops->wait(sys->ctx, fds, count, deadline_ns);
}

static inline void sys_wake(const struct sys *sys)
{
	sys->ops->wake(sys->ctx);
}

static inline uint64_t sys_now_ns(const struct sys *sys)
{
	return sys->ops->now_ns(sys->ctx);
}

static inline uint64_t sys_cpu_ns(const struct sys *sys, bool process)
{
	return sys->ops->cpu_ns ? sys->ops->cpu_ns(sys->ctx, process) : 0;
}

static inline int sys_current_cpu(const struct sys *sys)
{
	return sys->ops->current_cpu(sys->ctx);
}

static inline int sys_self(const struct sys *sys, pid_t *pid, pid_t *tid)
{
	return sys->ops->self(sys->ctx, pid, tid);
}

static inline uint64_t sys_realtime_ns(const struct sys *sys)
{
	return sys->ops->realtime_ns(sys->ctx);
}

static inline uint64_t sys_boottime_ns(const struct sys *sys)
{
	return sys->ops->boottime_ns(sys->ctx);
}

static inline ssize_t sys_file_read(const struct sys *sys, const char *path, char *buffer,
				    size_t size)
{
	return sys->ops->file_read(sys->ctx, path, buffer, size);
}

static inline ssize_t sys_link_read(const struct sys *sys, const char *path, char *buffer,
				    size_t size)
{
	return sys->ops->link_read(sys->ctx, path, buffer, size);
}

static inline int sys_file_owner(const struct sys *sys, const char *path, uid_t *owner)
{
	return sys->ops->file_owner(sys->ctx, path, owner);
}

static inline int sys_file_open(const struct sys *sys, const char *path)
{
	return sys->ops->file_open ? sys->ops->file_open(sys->ctx, path) : -ENOSYS;
}

static inline ssize_t sys_file_pread(const struct sys *sys, int fd, void *buffer, size_t size,
				     uint64_t offset)
{
	return sys->ops->file_pread ? sys->ops->file_pread(sys->ctx, fd, buffer, size, offset)
				    : -ENOSYS;
}

static inline int sys_file_status(const struct sys *sys, int fd, struct stat *status)
{
	return sys->ops->file_status ? sys->ops->file_status(sys->ctx, fd, status) : -ENOSYS;
}

static inline int sys_file_ioctl(const struct sys *sys, int fd, unsigned long request,
				 void *argument)
{
	return sys->ops->file_ioctl ? sys->ops->file_ioctl(sys->ctx, fd, request, argument)
				    : -ENOSYS;
}

static inline size_t sys_stuck(const struct sys *sys, pid_t *pids, size_t most)
{
	return sys->ops->stuck ? sys->ops->stuck(sys->ctx, pids, most) : 0;
}

static inline int sys_dir_links(const struct sys *sys, const char *path, uint64_t *links)
{
	return sys->ops->dir_links ? sys->ops->dir_links(sys->ctx, path, links) : -ENOSYS;
}

static inline int sys_dir_each(const struct sys *sys, const char *path,
			       int (*fn)(void *arg, const char *name), void *arg)
{
	return sys->ops->dir_each(sys->ctx, path, fn, arg);
}

static inline int sys_pidfd_open(const struct sys *sys, pid_t pid)
{
	return sys->ops->pidfd_open(sys->ctx, pid);
}

static inline int sys_pidfd_signal(const struct sys *sys, int fd, int signal)
{
	return sys->ops->pidfd_signal(sys->ctx, fd, signal);
}

static inline int sys_set_nice(const struct sys *sys, pid_t tid, int nice)
{
	return sys->ops->set_nice(sys->ctx, tid, nice);
}

#endif
