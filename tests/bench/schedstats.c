// SPDX-License-Identifier: MIT
/*
 * schedstats: reads /proc/PID/task/TID/schedstat of all threads, once a second, and adds up the
 * time that they waited for a CPU: what a tool does that knows waiting from /proc alone. It prints
 * "ready", the number of threads and the milliseconds of the first reading. Ends when killed.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static uint64_t threads, waited_ns;

static void add_thread(int task, const char *tid)
{
	char path[32], text[96];

	snprintf(path, sizeof(path), "%.20s/schedstat", tid);
	int fd = openat(task, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	ssize_t length = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (length <= 0)
		return;
	text[length] = '\0';
	char *end;
	strtoull(text, &end, 10);
	waited_ns += strtoull(end, NULL, 10);
	threads++;
}

static void add_process(int proc, const char *pid)
{
	char path[32];
	const struct dirent *entry;

	snprintf(path, sizeof(path), "%.20s/task", pid);
	int fd = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *task = fd < 0 ? NULL : fdopendir(fd);
	if (!task) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(task)))
		if (entry->d_name[0] != '.')
			add_thread(dirfd(task), entry->d_name);
	closedir(task);
}

static void read_all(void)
{
	DIR *proc = opendir("/proc");
	const struct dirent *entry;

	if (!proc) {
		perror("schedstats: /proc");
		exit(1);
	}
	threads = waited_ns = 0;
	while ((entry = readdir(proc)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			add_process(dirfd(proc), entry->d_name);
	closedir(proc);
}

static double now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

int main(void)
{
	double began_ms = now_ms();

	read_all();
	printf("ready %ju %.3f\n", (uintmax_t)threads, now_ms() - began_ms);
	fflush(stdout);
	for (;;) {
		sleep(1);
		read_all();
	}
}
