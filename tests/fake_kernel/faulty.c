// SPDX-License-Identifier: MIT
#include "tests/fake_kernel/faulty.h"

#include "core/base/util.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const faulty_names[FAULTY_OPS] = {
	[FAULTY_PERF_OPEN] = "perf_open",
	[FAULTY_PERF_READ] = "perf_read",
	[FAULTY_PERF_IOCTL] = "perf_ioctl",
	[FAULTY_PERF_MAP] = "perf_map",
	[FAULTY_PERF_UNMAP] = "perf_unmap",
	[FAULTY_CLOSE] = "close",
	[FAULTY_WAIT] = "wait",
	[FAULTY_CURRENT_CPU] = "current_cpu",
	[FAULTY_SELF] = "self",
	[FAULTY_FILE_READ] = "file_read",
	[FAULTY_LINK_READ] = "link_read",
	[FAULTY_FILE_OWNER] = "file_owner",
	[FAULTY_FILE_OPEN] = "file_open",
	[FAULTY_FILE_PREAD] = "file_pread",
	[FAULTY_FILE_STATUS] = "file_status",
	[FAULTY_FILE_IOCTL] = "file_ioctl",
	[FAULTY_DIR_EACH] = "dir_each",
	[FAULTY_PIDFD_OPEN] = "pidfd_open",
	[FAULTY_PIDFD_SIGNAL] = "pidfd_signal",
	[FAULTY_SET_NICE] = "set_nice",
};

/*
 * perf_event_open(2) and kernel/events/core.c; seccomp filters return EPERM, EACCES or ENOSYS. A
 * read of a pinned event that lost its counter returns 0 bytes, one of a changed group ECHILD.
 * Files of /proc and /sys have more errors than open(2): ESRCH of an exited task, EINVAL, EIO,
 * ENODEV, EOPNOTSUPP and EAGAIN of drivers. ETIMEDOUT is not the kernel's
 * (core/sys/process_call.h).
 */
const int *const faulty_answers[FAULTY_OPS] = {
	[FAULTY_PERF_OPEN] = (const int[]){-E2BIG,     -EACCES, -EAGAIN, -EBADF,     -EBUSY,
					   -EFAULT,    -EINVAL, -EMFILE, -ENFILE,    -ENODEV,
					   -ENOENT,    -ENOMEM, -ENOSPC, -ENOSYS,    -EOPNOTSUPP,
					   -EOVERFLOW, -EPERM,  -ESRCH,  -ETIMEDOUT, 0},
	[FAULTY_PERF_READ] = (const int[]){-EACCES, -ECHILD, -EFAULT, -EINTR, -EINVAL, -EIO,
					   -ENOMEM, -ENOSPC, FAULTY_EMPTY, FAULTY_SHORT, 0},
	[FAULTY_PERF_IOCTL] = (const int[]){-EACCES, -EBADF, -EBUSY, -EFAULT, -EINVAL, -EIO,
					    -ENODEV, -ENOTTY, -EPERM, 0},
	[FAULTY_PERF_MAP] = (const int[]){-EACCES, -EAGAIN, -EBUSY, -EINVAL, -ENFILE, -ENODEV,
					  -ENOMEM, -EPERM, 0},
	[FAULTY_PERF_UNMAP] = (const int[]){-EINVAL, -ENOMEM, 0},
	[FAULTY_CLOSE] = (const int[]){-EINTR, -EIO, 0},
	[FAULTY_WAIT] = (const int[]){-EINTR, -EINVAL, -ENOMEM, 0},
	[FAULTY_CURRENT_CPU] = (const int[]){-1, 0},
	[FAULTY_SELF] = (const int[]){-ESRCH, 0},
	[FAULTY_FILE_READ] =
		(const int[]){-EACCES, -EAGAIN, -EINTR,     -EINVAL,       -EIO,
			      -EISDIR, -ELOOP,  -EMFILE,    -ENAMETOOLONG, -ENFILE,
			      -ENODEV, -ENOENT, -ENOMEM,    -ENOTDIR,      -EOPNOTSUPP,
			      -EPERM,  -ESRCH,  -ETIMEDOUT, FAULTY_EMPTY,  FAULTY_SHORT,
			      0},
	[FAULTY_LINK_READ] = (const int[]){-EACCES, -EINVAL, -EIO, -ELOOP, -ENAMETOOLONG, -ENOENT,
					   -ENOMEM, -ENOTDIR, -ESRCH, -ETIMEDOUT, FAULTY_SHORT, 0},
	[FAULTY_FILE_OWNER] = (const int[]){-EACCES, -EIO, -ELOOP, -ENOENT, -ENOMEM, -ENOTDIR,
					    -EOVERFLOW, -ESRCH, 0},
	[FAULTY_FILE_OPEN] =
		(const int[]){-EACCES, -EINVAL, -EIO, -ELOOP, -EMFILE, -ENAMETOOLONG, -ENFILE,
			      -ENOENT, -ENOMEM, -ENOTDIR, -EPERM, -ESRCH, -ETIMEDOUT, 0},
	[FAULTY_FILE_PREAD] = (const int[]){-EACCES, -EINVAL, -EIO, -ENOMEM, -ESRCH, -ETIMEDOUT,
					    FAULTY_EMPTY, FAULTY_SHORT, 0},
	[FAULTY_FILE_STATUS] = (const int[]){-EIO, -ENOMEM, -EOVERFLOW, 0},
	[FAULTY_FILE_IOCTL] = (const int[]){-EFAULT, -EINVAL, -EIO, -ENAMETOOLONG, -ENOENT, -ENOMEM,
					    -ENOTTY, -EPERM, -ESRCH, -ETIMEDOUT, 0},
	[FAULTY_DIR_EACH] = (const int[]){-EACCES, -EIO, -EMFILE, -ENFILE, -ENOENT, -ENOMEM,
					  -ENOTDIR, FAULTY_EMPTY, FAULTY_SHORT, 0},
	[FAULTY_PIDFD_OPEN] = (const int[]){-EINVAL, -EMFILE, -ENFILE, -ENODEV, -ENOMEM, -ENOSYS,
					    -EPERM, -ESRCH, 0},
	[FAULTY_PIDFD_SIGNAL] = (const int[]){-EINVAL, -ENOSYS, -EPERM, -ESRCH, 0},
	[FAULTY_SET_NICE] = (const int[]){-EACCES, -EPERM, -ESRCH, 0},
};

static void count_call(struct faulty *faulty)
{
	if (++faulty->total <= faulty->most || !faulty->most)
		return;
	fprintf(stderr, "faulty: more than %lu calls: this goes on for ever\n", faulty->most);
	abort();
}

static bool is_held(const struct faulty *faulty, const char *path)
{
	static const char *const free[] = {"cgroup", "comm", "sched", "schedstat", "status"};
	char prefix[32];

	snprintf(prefix, sizeof(prefix), "/proc/%d/", faulty->held);
	if (!faulty->held || !path || strncmp(path, prefix, strlen(prefix)) != 0)
		return false;
	for (size_t i = 0; i < sizeof(free) / sizeof(free[0]); i++)
		if (strcmp(strrchr(path, '/') + 1, free[i]) == 0)
			return false;
	return strcmp(strrchr(path, '/'), "/task") != 0;
}

/* The injected answer of the call; 0: none. */
static int enter(struct faulty *faulty, enum faulty_op op, const char *path)
{
	unsigned call = ++faulty->calls[op];

	count_call(faulty);
	if (is_held(faulty, path))
		return -ETIMEDOUT;
	if (!faulty->answer)
		return 0;
	if (faulty->below) {
		if (!path || strncmp(path, faulty->below, strlen(faulty->below)) != 0)
			return 0;
	} else if (faulty->op != op || !faulty->call ||
		   !(faulty->ever ? call >= faulty->call : call == faulty->call)) {
		return 0;
	}
	faulty->failed++;
	return faulty->answer;
}

static int faulty_perf_open(void *ctx, struct perf_event_attr *attr, pid_t pid, int cpu,
			    int group_fd, unsigned long flags)
{
	struct faulty *faulty = ctx;
	int answer = enter(faulty, FAULTY_PERF_OPEN, NULL);

	if (faulty->held && pid == faulty->held)
		return -ETIMEDOUT;
	return answer ? answer : sys_perf_open(&faulty->to, attr, pid, cpu, group_fd, flags);
}

static ssize_t faulty_perf_read(void *ctx, int fd, void *buffer, size_t size)
{
	struct faulty *faulty = ctx;
	int answer = enter(faulty, FAULTY_PERF_READ, NULL);

	if (answer < 0 || answer == FAULTY_EMPTY)
		return answer < 0 ? answer : 0;
	ssize_t length = sys_perf_read(&faulty->to, fd, buffer, size);
	return answer == FAULTY_SHORT && length > 0 ? length / 2 : length;
}

static int faulty_perf_ioctl(void *ctx, int fd, unsigned long request, uintptr_t argument)
{
	struct faulty *faulty = ctx;
	int answer = enter(faulty, FAULTY_PERF_IOCTL, NULL);

	return answer ? answer : sys_perf_ioctl(&faulty->to, fd, request, argument);
}

static int faulty_perf_map(void *ctx, int fd, size_t size, void **address)
{
	struct faulty *faulty = ctx;
	int answer = enter(faulty, FAULTY_PERF_MAP, NULL);

	return answer ? answer : sys_perf_map(&faulty->to, fd, size, address);
}

/* The descriptor is closed in spite of the error, as in Linux. */
static int faulty_perf_unmap(void *ctx, void *address, size_t size)
{
	struct faulty *faulty = ctx;
	int answer = enter(faulty, FAULTY_PERF_UNMAP, NULL);
	int result = sys_perf_unmap(&faulty->to, address, size);

	return answer ? answer : result;
}

/* Linux closes a descriptor whatever close() returns. */
static int faulty_close(void *ctx, int fd)
{
	struct faulty *faulty = ctx;
	int answer = enter(faulty, FAULTY_CLOSE, NULL);
	int result = sys_close(&faulty->to, fd);

	return answer ? answer : result;
}

static int faulty_wait(void *ctx, struct pollfd *fds, size_t count, uint64_t deadline_ns)
{
	struct faulty *faulty = ctx;
	int answer = enter(faulty, FAULTY_WAIT, NULL);

	for (size_t i = 0; answer && i < count; i++)
		fds[i].revents = 0;
	if (answer)
		return answer;
	if (!faulty->stands)
		deadline_ns -= (uint64_t)faulty->monotonic_ns;
	return sys_wait(&faulty->to, fds, count, deadline_ns);
}

static void faulty_wake(void *ctx)
{
	struct faulty *faulty = ctx;

	sys_wake(&faulty->to);
}

static uint64_t faulty_now_ns(void *ctx)
{
	struct faulty *faulty = ctx;

	count_call(faulty);
	if (faulty->stands) {
		faulty->stands--;
		return faulty->stood_ns;
	}
	return sys_now_ns(&faulty->to) + (uint64_t)faulty->monotonic_ns;
}

static uint64_t faulty_cpu_ns(void *ctx, bool process)
{
	return sys_cpu_ns(&((struct faulty *)ctx)->to, process);
}

static int faulty_current_cpu(void *ctx)
{
	struct faulty *faulty = ctx;
	int answer = enter(faulty, FAULTY_CURRENT_CPU, NULL);

	return answer ? answer : sys_current_cpu(&faulty->to);
}

static int faulty_self(void *ctx, pid_t *pid, pid_t *tid)
{
	struct faulty *faulty = ctx;
	int answer = enter(faulty, FAULTY_SELF, NULL);

	return answer ? answer : sys_self(&faulty->to, pid, tid);
}

static uint64_t faulty_realtime_ns(void *ctx)
{
	struct faulty *faulty = ctx;

	count_call(faulty);
	return sys_realtime_ns(&faulty->to) + (uint64_t)faulty->realtime_ns;
}

static uint64_t faulty_boottime_ns(void *ctx)
{
	struct faulty *faulty = ctx;

	count_call(faulty);
	return sys_boottime_ns(&faulty->to) + (uint64_t)faulty->boottime_ns;
}

/* The result of a call that has filled a text. */
static ssize_t cut(int answer, char *buffer, ssize_t length)
{
	if (answer != FAULTY_SHORT || length <= 0)
		return length;
	buffer[length / 2] = '\0';
	return length / 2;
}

static ssize_t faulty_file_read(void *ctx, const char *path, char *buffer, size_t size)
{
	struct faulty *faulty = ctx;
	int answer = enter(faulty, FAULTY_FILE_READ, path);

	if (answer < 0 || answer == FAULTY_EMPTY) {
		buffer[0] = '\0';
		return answer < 0 ? answer : 0;
	}
	return cut(answer, buffer, sys_file_read(&faulty->to, path, buffer, size));
}

static ssize_t faulty_link_read(void *ctx, const char *path, char *buffer, size_t size)
{
	struct faulty *faulty = ctx;
	int answer = enter(faulty, FAULTY_LINK_READ, path);

	if (answer < 0) {
		buffer[0] = '\0';
		return answer;
	}
	return cut(answer, buffer, sys_link_read(&faulty->to, path, buffer, size));
}

static int faulty_file_owner(void *ctx, const char *path, uid_t *owner)
{
	struct faulty *faulty = ctx;
	int answer = enter(faulty, FAULTY_FILE_OWNER, path);

	return answer < 0 ? answer : sys_file_owner(&faulty->to, path, owner);
}

static int faulty_file_open(void *ctx, const char *path)
{
	struct faulty *faulty = ctx;
	int answer = enter(faulty, FAULTY_FILE_OPEN, path);

	return answer < 0 ? answer : sys_file_open(&faulty->to, path);
}

static ssize_t faulty_file_pread(void *ctx, int fd, void *buffer, size_t size, uint64_t offset)
{
	struct faulty *faulty = ctx;
	int answer = enter(faulty, FAULTY_FILE_PREAD, NULL);

	if (answer < 0 || answer == FAULTY_EMPTY)
		return answer < 0 ? answer : 0;
	ssize_t length = sys_file_pread(&faulty->to, fd, buffer, size, offset);
	return answer == FAULTY_SHORT && length > 1 ? length / 2 : length;
}

static int faulty_file_status(void *ctx, int fd, struct stat *status)
{
	struct faulty *faulty = ctx;
	int answer = enter(faulty, FAULTY_FILE_STATUS, NULL);

	return answer ? answer : sys_file_status(&faulty->to, fd, status);
}

static int faulty_file_ioctl(void *ctx, int fd, unsigned long request, void *argument)
{
	struct faulty *faulty = ctx;
	int answer = enter(faulty, FAULTY_FILE_IOCTL, NULL);

	return answer ? answer : sys_file_ioctl(&faulty->to, fd, request, argument);
}

/* Returns half of the names without an error, as a failing readdir() does. */
struct half {
	int (*fn)(void *arg, const char *name);
	void *arg;
	unsigned names, most;
};

static int count_name(void *arg, const char *name)
{
	(void)name;
	((struct half *)arg)->most++;
	return 0;
}

static int pass_name(void *arg, const char *name)
{
	struct half *half = arg;

	return half->names++ < half->most / 2 ? half->fn(half->arg, name) : 1;
}

static size_t faulty_stuck(void *ctx, pid_t *pids, size_t most)
{
	const struct faulty *faulty = ctx;

	if (!faulty->held || most == 0)
		return 0;
	pids[0] = faulty->held;
	return 1;
}

static int faulty_dir_each(void *ctx, const char *path, int (*fn)(void *arg, const char *name),
			   void *arg)
{
	struct faulty *faulty = ctx;
	int answer = enter(faulty, FAULTY_DIR_EACH, path);
	struct half half = {.fn = fn, .arg = arg};

	if (answer < 0 || answer == FAULTY_EMPTY)
		return answer < 0 ? answer : 0;
	if (answer != FAULTY_SHORT)
		return sys_dir_each(&faulty->to, path, fn, arg);
	sys_dir_each(&faulty->to, path, count_name, &half);
	return sys_dir_each(&faulty->to, path, pass_name, &half);
}

static int faulty_pidfd_open(void *ctx, pid_t pid)
{
	struct faulty *faulty = ctx;
	int answer = enter(faulty, FAULTY_PIDFD_OPEN, NULL);

	return answer ? answer : sys_pidfd_open(&faulty->to, pid);
}

static int faulty_pidfd_signal(void *ctx, int fd, int signal)
{
	struct faulty *faulty = ctx;
	int answer = enter(faulty, FAULTY_PIDFD_SIGNAL, NULL);

	return answer ? answer : sys_pidfd_signal(&faulty->to, fd, signal);
}

static int faulty_set_nice(void *ctx, pid_t tid, int nice)
{
	struct faulty *faulty = ctx;
	int answer = enter(faulty, FAULTY_SET_NICE, NULL);

	return answer ? answer : sys_set_nice(&faulty->to, tid, nice);
}

static const struct sys_ops faulty_ops = {
	.perf_open = faulty_perf_open,
	.perf_read = faulty_perf_read,
	.perf_ioctl = faulty_perf_ioctl,
	.perf_map = faulty_perf_map,
	.perf_unmap = faulty_perf_unmap,
	.close = faulty_close,
	.wait = faulty_wait,
	.wake = faulty_wake,
	.now_ns = faulty_now_ns,
	.cpu_ns = faulty_cpu_ns,
	.current_cpu = faulty_current_cpu,
	.self = faulty_self,
	.realtime_ns = faulty_realtime_ns,
	.boottime_ns = faulty_boottime_ns,
	.file_read = faulty_file_read,
	.link_read = faulty_link_read,
	.file_owner = faulty_file_owner,
	.file_open = faulty_file_open,
	.file_pread = faulty_file_pread,
	.file_status = faulty_file_status,
	.file_ioctl = faulty_file_ioctl,
	.stuck = faulty_stuck,
	.dir_each = faulty_dir_each,
	.pidfd_open = faulty_pidfd_open,
	.pidfd_signal = faulty_pidfd_signal,
	.set_nice = faulty_set_nice,
};

void faulty_init(struct faulty *faulty, const struct sys *to)
{
	*faulty = (struct faulty){.to = *to};
}

struct sys faulty_sys(struct faulty *faulty)
{
	return (struct sys){.ops = &faulty_ops, .ctx = faulty};
}

void faulty_hold(struct faulty *faulty, pid_t pid)
{
	faulty->held = pid;
}

void faulty_fail(struct faulty *faulty, enum faulty_op op, unsigned call, bool ever, int answer)
{
	memset(faulty->calls, 0, sizeof(faulty->calls));
	faulty->op = op;
	faulty->call = call;
	faulty->ever = ever;
	faulty->answer = answer;
	faulty->below = NULL;
}

void faulty_hide(struct faulty *faulty, const char *below, int answer)
{
	faulty->below = below;
	faulty->answer = answer;
}
