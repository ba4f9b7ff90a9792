// SPDX-License-Identifier: MIT
/*
 * The running kernel behind struct sys. A wait is a ppoll(2) on the caller's descriptors and an
 * eventfd. sys_wake() writes to the eventfd from another thread or a signal handler.
 */
#include "core/sys/sys.h"

#include "core/base/fiber.h"
#include "core/base/util.h"
#include "core/sys/proc_maps.h"
#include "core/sys/process_call.h"
#include "core/sys/time_namespace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The duration of a wait that fails. */
#define FAILED_WAIT_NS (10 * NS_PER_MS)

struct sys_linux {
	int wake_fd;
	uint64_t ahead_ns;  /* time_namespace_ahead_ns(), modulo 2^64 */
	struct pollfd *fds; /* scratch: the caller's, and the eventfd */
	size_t capacity;
	struct process_files files;
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * NS_PER_S + (uint64_t)time.tv_nsec;
}

static int linux_perf_open(void *ctx, struct perf_event_attr *attr, pid_t pid, int cpu,
			   int group_fd, unsigned long flags)
{
	(void)ctx;
	return process_call_event(attr, pid, cpu, group_fd, flags);
}

static ssize_t linux_perf_read(void *ctx, int fd, void *buffer, size_t size)
{
	(void)ctx;
	ssize_t length = read(fd, buffer, size);
	return length < 0 ? -errno : length;
}

static int linux_perf_ioctl(void *ctx, int fd, unsigned long request, uintptr_t argument)
{
	(void)ctx;
	int result = ioctl(fd, request, argument);
	return result < 0 ? -errno : result;
}

static int linux_perf_map(void *ctx, int fd, size_t size, void **address)
{
	(void)ctx;
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		return -errno;
	*address = memory;
	return 0;
}

static int linux_perf_unmap(void *ctx, void *address, size_t size)
{
	(void)ctx;
	return munmap(address, size) < 0 ? -errno : 0;
}

static int linux_close(void *ctx, int fd)
{
	struct sys_linux *self = ctx;

	process_call_close(&self->files, fd);
	return close(fd) < 0 ? -errno : 0;
}

static uint64_t linux_now_ns(void *ctx)
{
	const struct sys_linux *self = ctx;

	return clock_ns(CLOCK_MONOTONIC) - self->ahead_ns;
}

static int linux_wait(void *ctx, struct pollfd *fds, size_t count, uint64_t deadline_ns)
{
	struct sys_linux *self = ctx;
	uint64_t now_ns = linux_now_ns(self);
	uint64_t left_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;
	struct timespec timeout = {
		.tv_sec = (time_t)(left_ns / NS_PER_S),
		.tv_nsec = (long)(left_ns % NS_PER_S),
	};

	self->fds = array_reserve(self->fds, &self->capacity, count + 1, sizeof(*self->fds));
	if (count > 0)
		memcpy(self->fds, fds, count * sizeof(*fds));
	self->fds[count] = (struct pollfd){.fd = self->wake_fd, .events = POLLIN};
	int ready = ppoll(self->fds, count + 1, &timeout, NULL), error = errno;
	for (size_t i = 0; i < count; i++)
		fds[i].revents = ready > 0 ? self->fds[i].revents : 0;
	if (ready < 0) {
		/* A caller that waits in a loop must not spin. */
		if (error != EINTR && left_ns > 0)
			nanosleep(&(struct timespec){.tv_nsec = (long)(left_ns < FAILED_WAIT_NS
									       ? left_ns
									       : FAILED_WAIT_NS)},
				  NULL);
		return -error;
	}
	if (!self->fds[count].revents)
		return ready;
	uint64_t wakes;
	ssize_t ignored = read(self->wake_fd, &wakes, sizeof(wakes));
	(void)ignored;
	return -EINTR;
}

static void linux_wake(void *ctx)
{
	struct sys_linux *self = ctx;
	int saved = errno; /* the caller may be a signal handler */
	ssize_t ignored = write(self->wake_fd, &(uint64_t){1}, sizeof(uint64_t));

	(void)ignored;
	errno = saved;
}

static int linux_self(void *ctx, pid_t *pid, pid_t *tid)
{
	(void)ctx;
	*pid = getpid();
	*tid = gettid();
	return 0;
}

static uint64_t linux_cpu_ns(void *ctx, bool process)
{
	const struct fiber *fiber = process ? NULL : fiber_current();

	(void)ctx;
	if (fiber)
		return fiber_cpu_ns(fiber);
	return clock_ns(process ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID);
}

static int linux_current_cpu(void *ctx)
{
	(void)ctx;
	return sched_getcpu();
}

static uint64_t linux_realtime_ns(void *ctx)
{
	(void)ctx;
	return clock_ns(CLOCK_REALTIME);
}

static uint64_t linux_boottime_ns(void *ctx)
{
	(void)ctx;
	return clock_ns(CLOCK_BOOTTIME);
}

static ssize_t linux_file_read(void *ctx, const char *path, char *buffer, size_t size)
{
	(void)ctx;
	return process_call_read(path, buffer, size);
}

static ssize_t linux_link_read(void *ctx, const char *path, char *buffer, size_t size)
{
	(void)ctx;
	return process_call_link(path, buffer, size);
}

static int linux_file_owner(void *ctx, const char *path, uid_t *owner)
{
	(void)ctx;
	struct stat status;

	if (stat(path, &status) < 0)
		return -errno;
	*owner = status.st_uid;
	return 0;
}

static int linux_file_open(void *ctx, const char *path)
{
	struct sys_linux *self = ctx;

	return process_call_open(&self->files, path);
}

static ssize_t linux_file_pread(void *ctx, int fd, void *buffer, size_t size, uint64_t offset)
{
	const struct sys_linux *self = ctx;

	return process_call_pread(&self->files, fd, buffer, size, offset);
}

static int linux_file_ioctl(void *ctx, int fd, unsigned long request, void *argument)
{
	const struct sys_linux *self = ctx;

	if (request == PROCMAP_QUERY)
		return process_call_query(&self->files, fd, argument);
	return ioctl(fd, request, argument) < 0 ? -errno : 0;
}

static size_t linux_stuck(void *ctx, pid_t *pids, size_t most)
{
	(void)ctx;
	return process_call_stuck(pids, most);
}

static int linux_file_status(void *ctx, int fd, struct stat *status)
{
	(void)ctx;
	return fstat(fd, status) < 0 ? -errno : 0;
}

static int linux_dir_links(void *ctx, const char *path, uint64_t *links)
{
	(void)ctx;
	struct stat status;

	if (stat(path, &status) < 0)
		return -errno;
	*links = status.st_nlink;
	return 0;
}

static int linux_dir_each(void *ctx, const char *path, int (*fn)(void *arg, const char *name),
			  void *arg)
{
	(void)ctx;
	DIR *dir = opendir(path);
	if (!dir)
		return -errno;
	const struct dirent *entry;
	int result = 0;
	while ((errno = 0, entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (fn(arg, entry->d_name))
			break;
	}
	if (!entry) /* the end, or an error */
		result = -errno;
	closedir(dir);
	return result;
}

static int linux_pidfd_open(void *ctx, pid_t pid)
{
	(void)ctx;
	long fd = syscall(SYS_pidfd_open, pid, 0);
	return fd < 0 ? -errno : (int)fd;
}

static int linux_pidfd_signal(void *ctx, int fd, int signal)
{
	(void)ctx;
	return syscall(SYS_pidfd_send_signal, fd, signal, NULL, 0) < 0 ? -errno : 0;
}

static int linux_set_nice(void *ctx, pid_t tid, int nice)
{
	(void)ctx;
	return setpriority(PRIO_PROCESS, (id_t)tid, nice) ? -errno : 0;
}

static const struct sys_ops linux_ops = {
	.shared = true,
	.perf_open = linux_perf_open,
	.perf_read = linux_perf_read,
	.perf_ioctl = linux_perf_ioctl,
	.perf_map = linux_perf_map,
	.perf_unmap = linux_perf_unmap,
	.close = linux_close,
	.wait = linux_wait,
	.wake = linux_wake,
	.now_ns = linux_now_ns,
	.cpu_ns = linux_cpu_ns,
	.current_cpu = linux_current_cpu,
	.self = linux_self,
	.realtime_ns = linux_realtime_ns,
	.boottime_ns = linux_boottime_ns,
	.file_read = linux_file_read,
	.link_read = linux_link_read,
	.file_owner = linux_file_owner,
	.file_open = linux_file_open,
	.file_pread = linux_file_pread,
	.file_status = linux_file_status,
	.file_ioctl = linux_file_ioctl,
	.stuck = linux_stuck,
	.dir_links = linux_dir_links,
	.dir_each = linux_dir_each,
	.pidfd_open = linux_pidfd_open,
	.pidfd_signal = linux_pidfd_signal,
	.set_nice = linux_set_nice,
};

int sys_linux_init(struct sys *sys)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	if (fd < 0)
		return -errno;
	struct sys_linux *self = xcalloc(1, sizeof(*self));
	self->wake_fd = fd;
	*sys = (struct sys){.ops = &linux_ops, .ctx = self};
	self->ahead_ns = (uint64_t)time_namespace_ahead_ns(sys);
	return 0;
}

void sys_linux_fini(struct sys *sys)
{
	struct sys_linux *self = sys->ctx;

	if (!self)
		return;
	close(self->wake_fd);
	free(self->fds);
	free(self);
	*sys = (struct sys){0};
}
