// SPDX-License-Identifier: MIT
#include "core/sys/file_wait.h"

#include "core/base/thread.h"
#include "core/base/util.h"
#include "core/sys/syscall_name.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { ARGUMENTS = 6, TEXT_BYTES = 256 };

struct file_call {
	long number;
	uint64_t arguments[ARGUMENTS];
};

/* False: it runs, or stands in no system call. */
static bool parse_call(const char *text, struct file_call *call)
{
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return false;
	call->number = strtol(text, &end, 10);
	for (size_t i = 0; i < ARGUMENTS; i++)
		call->arguments[i] = strtoull(end, &end, 16);
	return true;
}

/*
 * The path that a thread passed to the kernel. The thread may go on meanwhile, and free it: so the
 * kernel copies it, at most to the end of the next page.
 */
static void copy_path(uint64_t address, char *path, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), first = page - address % page;
	const struct iovec there[] = {
		{.iov_base = (void *)(uintptr_t)address, .iov_len = first < size ? first : size},
		{.iov_base = (void *)(uintptr_t)(address + first),
		 .iov_len = first < size ? size - first : 0},
	};
	const struct iovec here = {.iov_base = path, .iov_len = size};

	ssize_t n = process_vm_readv(getpid(), &here, 1, there, ARRAY_SIZE(there), 0);
	path[n > 0 && (size_t)n < size ? (size_t)n : n > 0 ? size - 1 : 0] = '\0';
}

/* The name of a descriptor; "" without one. */
static void read_descriptor(int fd, char *name, size_t size)
{
	char link[32];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t length = readlink(link, name, size - 1);
	name[length > 0 ? length : 0] = '\0';
}

static void find_name(const struct file_call *call, char *name, size_t size)
{
	char folder[PATH_MAX] = "", path[PATH_MAX] = "";
	int argument = syscall_path(call->number);

	if (argument >= 0)
		copy_path(call->arguments[argument], path, sizeof(path));
	if (argument != 0 && path[0] != '/')
		read_descriptor((int)call->arguments[0], folder, sizeof(folder));
	/* A pipe, a socket and the like have no name. */
	if (argument < 0 && folder[0] != '/')
		folder[0] = '\0';
	snprintf(name, size, "%s%s%s", folder, folder[0] && path[0] ? "/" : "", path);
}

static bool is_in_file(pid_t tid, char *name, size_t size)
{
	char text[TEXT_BYTES], again[TEXT_BYTES];
	struct file_call call;

	if (thread_read_file(tid, "syscall", text, sizeof(text)) > 0) {
		if (!parse_call(text, &call) || syscall_kind(call.number) != SYSCALL_FILE)
			return false;
		find_name(&call, name, size);
		/* Else the name may be one of another call. */
		return thread_read_file(tid, "syscall", again, sizeof(again)) > 0 &&
		       strcmp(text, again) == 0;
	}
	thread_read_file(tid, "stat", text, sizeof(text));
	const char *end = strrchr(text, ')');
	return end && strncmp(end, ") D", 3) == 0;
}

bool file_wait_find(char *name, size_t size)
{
	DIR *tasks = opendir("/proc/self/task");
	bool found = false;

	name[0] = '\0';
	for (struct dirent *task; tasks && !found && (task = readdir(tasks)) != NULL;) {
		pid_t tid = atoi(task->d_name); /* 0: "." and ".." */

		found = tid > 0 && tid != gettid() && is_in_file(tid, name, size);
	}
	if (tasks)
		closedir(tasks);
	if (!found)
		name[0] = '\0';
	return found;
}
