// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PROCESS_CALL_H
#define PMCTOP_PROCESS_CALL_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * System calls that may wait for a process: the kernel takes locks of the process for them. A
 * process that execs holds signal->exec_update_lock while it closes files; one that maps a file
 * holds mm->mmap_lock while pages of the file are read. Both last as long as a file system takes to
 * answer. The waits are killable.
 *
 * Measured on 6.18. During the exec these wait: stat, maps, io, stack, syscall, wchan, environ, and
 * the links exe, cwd, root and ns/. During the mapping: cmdline, environ, numa_maps; before per-VMA
 * locks maps too. cgroup, comm, sched, schedstat and status answer always. perf_event_open() takes
 * exec_update_lock.
 *
 * On a fiber (core/base/fiber.h) a call returns -ETIMEDOUT if the process does not let it through,
 * and so does each further one for that process until then. Else the call waits. Other results are
 * as in core/sys/sys.h.
 */

enum { PROCESS_FILES_MOST = 4 };

/* Open files of processes. Zeroed: none. */
struct process_files {
	struct process_file {
		int fd;
		pid_t pid; /* 0: a free place */
	} items[PROCESS_FILES_MOST];
};

struct procmap_query;

int process_call_event(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		       unsigned long flags);
ssize_t process_call_read(const char *path, char *buffer, size_t size);
ssize_t process_call_link(const char *path, char *buffer, size_t size);
/* -EMFILE with PROCESS_FILES_MOST files of processes. */
int process_call_open(struct process_files *files, const char *path);
ssize_t process_call_pread(const struct process_files *files, int fd, void *buffer, size_t size,
			   uint64_t offset);
/* PROCMAP_QUERY (core/sys/proc_maps.h). */
int process_call_query(const struct process_files *files, int fd, struct procmap_query *query);
/* The file will be closed. Any descriptor is fine. */
void process_call_close(struct process_files *files, int fd);

/* Copies at most `most` numbers of processes, or threads, that calls wait for. Returns how many. */
size_t process_call_stuck(pid_t *pids, size_t most);

#endif
