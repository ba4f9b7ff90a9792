// SPDX-License-Identifier: MIT
/*
 * Direct calls first, then the same with the memory of a fiber's thread (core/base/fiber.h), where
 * nothing of the caller is lost if a call returns late.
 */
#include "core/sys/process_call.h"

#include "core/base/fiber.h"
#include "core/base/util.h"
#include "core/sys/proc_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Descriptors that events leave free for reading /proc and /sys. */
enum { FILES_KEPT = 6 };

/* The first event of a task also waits for all CPUs (synchronize_rcu()), often for 0.1 s. */
#define EVENT_PATIENCE_NS NS_PER_S

enum { PROCESS_PATH = 64 }; /* of a file of a process, with the NUL */

/* The members are what a call of that kind needs. */
struct process_call {
	enum process_call_kind {
		CALL_EVENT,
		CALL_READ,
		CALL_LINK,
		CALL_OPEN,
		CALL_PREAD,
		CALL_QUERY,
	} kind;
	char path[PROCESS_PATH];
	struct perf_event_attr attr;
	pid_t pid;
	int cpu, fd;
	unsigned long flags;
	uint64_t offset;
	size_t size;
	char bytes[]; /* the result of a reading; of a query: the struct, then what it points to */
};

/*
 * Returns whether a new descriptor is one that must stay free. A new descriptor is always the
 * lowest free one.
 */
static bool is_reserved(int fd)
{
	struct rlimit files;

	return getrlimit(RLIMIT_NOFILE, &files) == 0 && (rlim_t)fd + FILES_KEPT >= files.rlim_cur;
}

static int open_event(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		      unsigned long flags)
{
	long fd;
	do /* it waits for locks, and a signal interrupts that */
		fd = syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, flags);
	while (fd < 0 && errno == EINTR);
	if (fd < 0)
		return -errno;
	if (is_reserved((int)fd)) {
		close((int)fd);
		return -EMFILE;
	}
	return (int)fd;
}

static ssize_t read_file(const char *path, char *buffer, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return -errno;
	/* A read of /proc returns at most a page, so read up to the end. */
	size_t length = 0;
	ssize_t got = 0;
	while (length < size - 1) {
		got = read(fd, buffer + length, size - 1 - length);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		length += (size_t)got;
	}
	int code = got < 0 ? -errno : 0;
	close(fd);
	buffer[length] = '\0';
	return code ? code : (ssize_t)length;
}

static ssize_t read_link(const char *path, char *buffer, size_t size)
{
	ssize_t length = readlink(path, buffer, size - 1);
	int code = length < 0 ? -errno : 0;
	buffer[length < 0 ? 0 : length] = '\0';
	return code ? code : length;
}

/*
 * Opening some devices changes the machine, and a user may replace a library by a link to one. So
 * the path is resolved with O_PATH first, which opens nothing.
 */
static int open_file(const char *path)
{
	char again[32];
	struct stat status;
	int place = open(path, O_PATH | O_CLOEXEC);

	if (place < 0)
		return -errno;
	int fd = fstat(place, &status) < 0 ? -errno : S_ISREG(status.st_mode) ? 0 : -EINVAL;
	if (fd == 0) {
		snprintf(again, sizeof(again), "/proc/self/fd/%d", place);
		fd = open(again, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
		fd = fd < 0 ? -errno : fd;
	}
	close(place);
	return fd;
}

static ssize_t pread_file(int fd, void *buffer, size_t size, uint64_t offset)
{
	if (offset > INT64_MAX)
		return 0;
	ssize_t length;
	do
		length = pread(fd, buffer, size, (off_t)offset);
	while (length < 0 && errno == EINTR);
	return length < 0 ? -errno : length;
}

/*
 * The process of a file of /proc that may wait for a lock of it; 0: none. The kernel takes no such
 * lock for the files in `free`.
 */
static pid_t process_of_path(const char *path)
{
	static const char *const free[] = {"cgroup", "comm", "sched", "schedstat", "status"};
	static const char proc[] = "/proc/";
	const char *name = strrchr(path, '/');
	unsigned pid = 0;

	if (strncmp(path, proc, strlen(proc)) != 0 || strlen(path) >= PROCESS_PATH)
		return 0;
	for (path += strlen(proc); *path >= '0' && *path <= '9' && pid < INT32_MAX / 10; path++)
		pid = pid * 10 + (unsigned)(*path - '0');
	if (*path != '/')
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(free); i++)
		if (strcmp(name + 1, free[i]) == 0)
			return 0;
	return (pid_t)pid;
}

static pid_t process_of_file(const struct process_files *files, int fd)
{
	for (size_t i = 0; i < PROCESS_FILES_MOST; i++)
		if (files->items[i].fd == fd)
			return files->items[i].pid;
	return 0;
}

static int64_t run_call(void *memory)
{
	struct process_call *call = memory;

	switch (call->kind) {
	case CALL_EVENT:
		return open_event(&call->attr, call->pid, call->cpu, call->fd, call->flags);
	case CALL_READ:
		return read_file(call->path, call->bytes, call->size);
	case CALL_LINK:
		return read_link(call->path, call->bytes, call->size);
	case CALL_OPEN:
		return open_file(call->path);
	case CALL_PREAD:
		return pread_file(call->fd, call->bytes, call->size, call->offset);
	case CALL_QUERY:
		return ioctl(call->fd, PROCMAP_QUERY, call->bytes) < 0 ? -errno : 0;
	}
	return -ENOSYS;
}

static void undo_call(void *memory, int64_t result)
{
	const struct process_call *call = memory;

	if ((call->kind == CALL_EVENT || call->kind == CALL_OPEN) && result >= 0)
		close((int)result);
}

/* A call with room for `size` bytes. NULL: the caller makes the call itself. */
static struct process_call *begin_call(pid_t pid, enum process_call_kind kind, const char *path,
				       size_t size)
{
	struct fiber *fiber = pid > 0 ? fiber_current() : NULL;

	if (!fiber)
		return NULL;
	struct process_call *call = fiber_memory(fiber, sizeof(*call) + size);
	call->kind = kind;
	call->pid = pid;
	call->size = size;
	snprintf(call->path, sizeof(call->path), "%s", path);
	return call;
}

static int64_t end_call(const struct process_call *call)
{
	uint64_t patience_ns = call->kind == CALL_EVENT ? EVENT_PATIENCE_NS : 0;

	return fiber_call(fiber_current(), (uint64_t)call->pid, patience_ns, run_call, undo_call);
}

int process_call_event(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		       unsigned long flags)
{
	struct process_call *call = begin_call(pid, CALL_EVENT, "", 0);

	if (!call)
		return open_event(attr, pid, cpu, group_fd, flags);
	call->attr = *attr;
	call->cpu = cpu;
	call->fd = group_fd;
	call->flags = flags;
	int fd = (int)end_call(call);
	if (fd == -E2BIG) /* the kernel returns its own size */
		attr->size = call->attr.size;
	return fd;
}

/* Of a file or a link. */
static ssize_t read_text(enum process_call_kind kind, const char *path, char *buffer, size_t size)
{
	struct process_call *call = begin_call(process_of_path(path), kind, path, size);

	if (!call)
		return kind == CALL_READ ? read_file(path, buffer, size)
					 : read_link(path, buffer, size);
	ssize_t length = end_call(call);
	buffer[0] = '\0';
	if (length >= 0)
		memcpy(buffer, call->bytes, (size_t)length + 1);
	return length;
}

ssize_t process_call_read(const char *path, char *buffer, size_t size)
{
	return read_text(CALL_READ, path, buffer, size);
}

ssize_t process_call_link(const char *path, char *buffer, size_t size)
{
	return read_text(CALL_LINK, path, buffer, size);
}

int process_call_open(struct process_files *files, const char *path)
{
	pid_t pid = process_of_path(path);
	struct process_call *call = begin_call(pid, CALL_OPEN, path, 0);
	size_t i = 0;

	if (!call)
		return open_file(path);
	while (i < PROCESS_FILES_MOST && files->items[i].pid)
		i++;
	int fd = i < PROCESS_FILES_MOST ? (int)end_call(call) : -EMFILE;
	if (fd >= 0)
		files->items[i] = (struct process_file){fd, pid};
	return fd;
}

void process_call_close(struct process_files *files, int fd)
{
	for (size_t i = 0; i < PROCESS_FILES_MOST; i++)
		if (files->items[i].fd == fd)
			files->items[i].pid = 0;
}

ssize_t process_call_pread(const struct process_files *files, int fd, void *buffer, size_t size,
			   uint64_t offset)
{
	struct process_call *call = begin_call(process_of_file(files, fd), CALL_PREAD, "", size);

	if (!call)
		return pread_file(fd, buffer, size, offset);
	call->fd = fd;
	call->offset = offset;
	ssize_t length = end_call(call);
	if (length > 0)
		memcpy(buffer, call->bytes, (size_t)length);
	return length;
}

int process_call_query(const struct process_files *files, int fd, struct procmap_query *query)
{
	const struct procmap_query asked = *query;
	size_t size = sizeof(asked) + asked.vma_name_size + asked.build_id_size;
	struct process_call *call = begin_call(process_of_file(files, fd), CALL_QUERY, "", size);

	if (!call)
		return ioctl(fd, PROCMAP_QUERY, query) < 0 ? -errno : 0;
	struct procmap_query inside = asked;
	char *name = call->bytes + sizeof(asked), *id = name + asked.vma_name_size;
	call->fd = fd;
	/* The kernel refuses an address without a size (EINVAL). */
	inside.vma_name_addr = asked.vma_name_size ? (uintptr_t)name : 0;
	inside.build_id_addr = asked.build_id_size ? (uintptr_t)id : 0;
	memcpy(call->bytes, &inside, sizeof(inside));
	int rc = (int)end_call(call);
	if (rc)
		return rc;
	memcpy(query, call->bytes, sizeof(*query));
	query->vma_name_addr = asked.vma_name_addr;
	query->build_id_addr = asked.build_id_addr;
	if (asked.vma_name_size)
		memcpy((void *)(uintptr_t)asked.vma_name_addr, name, asked.vma_name_size);
	if (asked.build_id_size)
		memcpy((void *)(uintptr_t)asked.build_id_addr, id, asked.build_id_size);
	return 0;
}

size_t process_call_stuck(pid_t *pids, size_t most)
{
	uint64_t keys[FIBER_STUCK_MOST];
	struct fiber *fiber = fiber_current();
	size_t n = fiber ? fiber_stuck(fiber, keys, size_min(most, FIBER_STUCK_MOST)) : 0;

	for (size_t i = 0; i < n; i++)
		pids[i] = (pid_t)keys[i];
	return n;
}
