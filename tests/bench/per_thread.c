// SPDX-License-Identifier: MIT
/*
 * per_thread EVENT[,EVENT...]: counts by thread, like tiptop. It has a counter for each thread and
 * event, reads them one by one each second, and finds new threads in /proc. After the first refresh
 * it prints "ready", the number of threads, the descriptors it wanted and got, and the milliseconds
 * of the refresh. Ends when killed.
 */
#include "core/base/util.h"
#include "core/sys/sys.h"
#include "tests/bench/event_attrs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { EVENTS_MAX = 8, TIDS = 1 << 22 /* PID_MAX_LIMIT */ };

struct thread {
	pid_t tid;
	int fds[EVENTS_MAX];
	uint64_t counts[EVENTS_MAX];
	bool seen;
};

static struct sys kernel;
static struct perf_event_attr attrs[EVENTS_MAX];
static size_t n_attrs;
static struct thread *threads;
static size_t n_threads, capacity;
static uint32_t *index_of; /* by tid, + 1 */
static size_t refused;

static void count_thread(pid_t tid)
{
	if (index_of[tid]) {
		threads[index_of[tid] - 1].seen = true;
		return;
	}
	threads = array_reserve(threads, &capacity, n_threads + 1, sizeof(*threads));
	struct thread *thread = &threads[n_threads++];
	*thread = (struct thread){.tid = tid, .seen = true};
	index_of[tid] = (uint32_t)n_threads;
	for (size_t i = 0; i < n_attrs; i++) {
		thread->fds[i] =
			sys_perf_open(&kernel, &attrs[i], tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
		refused += thread->fds[i] < 0 && thread->fds[i] != -ESRCH;
	}
}

static int scan_thread(void *unused, const char *name)
{
	long tid = strtol(name, NULL, 10);

	(void)unused;
	if (tid > 0 && tid < TIDS)
		count_thread((pid_t)tid);
	return 0;
}

static int scan_process(void *unused, const char *name)
{
	char path[64];

	if (name[0] < '0' || name[0] > '9')
		return 0;
	snprintf(path, sizeof(path), "/proc/%.16s/task", name);
	sys_dir_each(&kernel, path, scan_thread, unused);
	return 0;
}

static void drop_thread(size_t at)
{
	struct thread *thread = &threads[at];

	for (size_t i = 0; i < n_attrs; i++)
		if (thread->fds[i] >= 0)
			sys_close(&kernel, thread->fds[i]);
	index_of[thread->tid] = 0;
	*thread = threads[--n_threads];
	if (at < n_threads)
		index_of[thread->tid] = (uint32_t)at + 1;
}

static void refresh(void)
{
	sys_dir_each(&kernel, "/proc", scan_process, NULL);
	for (size_t k = 0; k < n_threads;) {
		struct thread *thread = &threads[k];
		uint64_t reading[3];

		if (!thread->seen) {
			drop_thread(k);
			continue;
		}
		thread->seen = false;
		for (size_t i = 0; i < n_attrs; i++)
			if (thread->fds[i] >= 0 &&
			    sys_perf_read(&kernel, thread->fds[i], reading, sizeof(reading)) > 0)
				thread->counts[i] = reading[0];
		k++;
	}
}

int main(int argc, char **argv)
{
	struct rlimit files;

	if (argc != 2) {
		fputs("usage: per_thread EVENT[,EVENT...]\n", stderr);
		return 2;
	}
	if (sys_linux_init(&kernel) < 0)
		return 1;
	int n = event_attrs(&kernel, argv[1], attrs, EVENTS_MAX);
	if (n < 0)
		return 1;
	n_attrs = (size_t)n;
	for (size_t i = 0; i < n_attrs; i++)
		attrs[i].read_format =
			PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	/* As many descriptors as root may have. */
	files = (struct rlimit){1 << 20, 1 << 20};
	if (setrlimit(RLIMIT_NOFILE, &files) < 0 && getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	index_of = xcalloc(TIDS, sizeof(*index_of));

	uint64_t begin_ns = sys_now_ns(&kernel);
	refresh();
	printf("ready %zu %zu %zu %.1f\n", n_threads, n_threads * n_attrs,
	       n_threads * n_attrs - refused, (double)(sys_now_ns(&kernel) - begin_ns) / NS_PER_MS);
	fflush(stdout);
	for (;;) {
		sleep(1);
		refresh();
	}
}
