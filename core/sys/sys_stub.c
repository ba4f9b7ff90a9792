// SPDX-License-Identifier: MIT
/*
 * Each function of the table fails as on a machine without that file, event or process. Replays use
 * it, so that the machine on which they run does not change their figures.
 */
#include "core/sys/sys_stub.h"

#include <errno.h>

static int no_open(void *ctx, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		   unsigned long flags)
{
	(void)ctx, (void)attr, (void)pid, (void)cpu, (void)group_fd, (void)flags;
	return -ENOSYS;
}

static ssize_t no_read(void *ctx, int fd, void *buffer, size_t size)
{
	(void)ctx, (void)fd, (void)buffer, (void)size;
	return -EBADF;
}

static int no_ioctl(void *ctx, int fd, unsigned long request, uintptr_t argument)
{
	(void)ctx, (void)fd, (void)request, (void)argument;
	return -EBADF;
}

static int no_map(void *ctx, int fd, size_t size, void **address)
{
	(void)ctx, (void)fd, (void)size, (void)address;
	return -EBADF;
}

static int no_unmap(void *ctx, void *address, size_t size)
{
	(void)ctx, (void)address, (void)size;
	return -EINVAL;
}

static int no_close(void *ctx, int fd)
{
	(void)ctx, (void)fd;
	return -EBADF;
}

static int no_wait(void *ctx, struct pollfd *fds, size_t count, uint64_t deadline_ns)
{
	(void)ctx, (void)fds, (void)count, (void)deadline_ns;
	return 0;
}

static void no_wake(void *ctx)
{
	(void)ctx;
}

static uint64_t its_now_ns(void *ctx)
{
	return ((struct sys_stub *)ctx)->now_ns;
}

static int no_cpu(void *ctx)
{
	(void)ctx;
	return -1;
}

static int no_self(void *ctx, pid_t *pid, pid_t *tid)
{
	(void)ctx, (void)pid, (void)tid;
	return -ENOENT;
}

static uint64_t its_realtime_ns(void *ctx)
{
	return ((struct sys_stub *)ctx)->realtime_ns;
}

static ssize_t no_file(void *ctx, const char *path, char *buffer, size_t size)
{
	(void)ctx, (void)path;
	if (size > 0)
		buffer[0] = '\0';
	return -ENOENT;
}

static int no_owner(void *ctx, const char *path, uid_t *owner)
{
	(void)ctx, (void)path, (void)owner;
	return -ENOENT;
}

static int no_directory(void *ctx, const char *path, int (*fn)(void *arg, const char *name),
			void *arg)
{
	(void)ctx, (void)path, (void)fn, (void)arg;
	return -ENOENT;
}

static int no_pidfd(void *ctx, pid_t pid)
{
	(void)ctx, (void)pid;
	return -ENOSYS;
}

static int no_signal(void *ctx, int fd, int signal)
{
	(void)ctx, (void)fd, (void)signal;
	return -EBADF;
}

static int no_nice(void *ctx, pid_t tid, int nice)
{
	(void)ctx, (void)tid, (void)nice;
	return -ESRCH;
}

static const struct sys_ops nowhere_ops = {
	.perf_open = no_open,
	.perf_read = no_read,
	.perf_ioctl = no_ioctl,
	.perf_map = no_map,
	.perf_unmap = no_unmap,
	.close = no_close,
	.wait = no_wait,
	.wake = no_wake,
	.now_ns = its_now_ns,
	.current_cpu = no_cpu,
	.self = no_self,
	.realtime_ns = its_realtime_ns,
	.boottime_ns = its_now_ns,
	.file_read = no_file,
	.link_read = no_file,
	.file_owner = no_owner,
	.dir_each = no_directory,
	.pidfd_open = no_pidfd,
	.pidfd_signal = no_signal,
	.set_nice = no_nice,
};

void sys_stub_init(struct sys_stub *stub)
{
	*stub = (struct sys_stub){.sys = {.ops = &nowhere_ops, .ctx = stub}};
}
