// SPDX-License-Identifier: MIT
/*
 * The cost of 20,000 running tasks in an interval: the first scan of /proc (through the files of
 * this process), later scans, and roll-ups.
 */
#include "core/attrib/tasks.h"
#include "core/base/util.h"
#include "core/sys/sys.h"
#include "core/view/view.h"
#include "tests/bench/measure.h"
#include "tests/unit/shared/sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { TASKS = 20000, PER_PROCESS = 4, SECONDS = 120 };

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

/* The kernel, with /proc/NUMBER replaced by /proc/self. */
static struct sys real;

static const char *self_path(const char *path, char *text, size_t size)
{
	const char *rest = strncmp(path, "/proc/", 6) == 0 ? strchr(path + 6, '/') : NULL;

	if (strncmp(path, "/proc/", 6) != 0)
		return path;
	snprintf(text, size, "/proc/self%s", rest ? rest : "");
	return text;
}

static ssize_t file_read(void *ctx, const char *path, char *buffer, size_t size)
{
	char text[64];

	(void)ctx;
	return sys_file_read(&real, self_path(path, text, sizeof(text)), buffer, size);
}

static int file_owner(void *ctx, const char *path, uid_t *owner)
{
	char text[64];

	(void)ctx;
	return sys_file_owner(&real, self_path(path, text, sizeof(text)), owner);
}

static int dir_each(void *ctx, const char *path, int (*fn)(void *arg, const char *name), void *arg)
{
	(void)ctx, (void)path, (void)fn, (void)arg;
	return 0;
}

static uint64_t now_ns(void *ctx)
{
	(void)ctx;
	return sys_now_ns(&real);
}

static int pidfd_open(void *ctx, pid_t pid)
{
	(void)ctx, (void)pid;
	return sys_pidfd_open(&real, getpid());
}

static int close_fd(void *ctx, int fd)
{
	(void)ctx;
	return sys_close(&real, fd);
}

static void bench_scans(void)
{
	static const struct sys_ops ops = {.file_read = file_read,
					   .file_owner = file_owner,
					   .dir_each = dir_each,
					   .pidfd_open = pidfd_open,
					   .close = close_fd,
					   .now_ns = now_ns};
	const struct sys sys = {.ops = &ops};
	struct tasks *tasks = tasks_new(&sys);
	struct task **all = xcalloc(TASKS, sizeof(struct task *));
	uint64_t start_ns = sys_now_ns(&sys);
	double begin = now_ms(), worst = 0, total = 0;
	unsigned none = 0;

	for (int i = 0; i < TASKS; i++) {
		all[i] = tasks_at(tasks, i + 1, i + 1, start_ns);
		tasks_refresh(tasks, all[i], start_ns, &none);
	}
	print_figure("first scan of 20,000 tasks", now_ms() - begin, "ms");
	for (unsigned s = 1; s <= SECONDS; s++) {
		unsigned budget = 501;

		begin = now_ms();
		for (int i = 0; i < TASKS; i++)
			tasks_refresh(tasks, all[i], start_ns + s * NS_PER_S, &budget);
		double took = now_ms() - begin;
		worst = took > worst ? took : worst;
		total += took;
	}
	print_figure("later scans, a second", total / SECONDS, "ms");
	print_figure("later scans, at worst", worst, "ms");
	tasks_free(tasks);
	free(all);
}

static void bench_views(void)
{
	struct columns *columns = sample_columns("overview");
	struct snapshot *snapshot = sample_snapshot(columns, NULL, 0);

	rows_fini(&snapshot->threads);
	rows_init(columns, TASKS, &snapshot->threads);
	for (int i = 0; i < TASKS; i++) {
		pid_t pid = 1 + i / PER_PROCESS;

		snapshot->threads.items[i] = (struct row){.pid = pid,
							  .tid = i % PER_PROCESS ? TASKS + i : pid,
							  .ppid = pid / 3,
							  .uid = (uid_t)(pid % 50),
							  .cgroup = pid % 200,
							  .threads = 1};
		rows_tally(columns, &snapshot->threads, (size_t)i)[TALLY_TASK_CLOCK] =
			(uint64_t)(i * 7919) % NS_PER_S;
	}
	rows_evaluate(columns, (struct metric_scope){figure_exact(1), NULL}, &snapshot->threads);
	for (size_t by = 0; !rollup_is_of_cpus((enum rollup)by); by++) {
		struct view view;
		double begin = now_ms();

		view_init(snapshot, &(struct view_spec){.by = (enum rollup)by}, &view);
		char name[64];

		snprintf(name, sizeof(name), "view of 20,000 tasks by %s", rollup_name(by));
		print_figure(name, now_ms() - begin, "ms");
		view_fini(&view);
	}
	snapshot_free(snapshot);
}

int main(void)
{
	if (sys_linux_init(&real) < 0)
		return 1;
	bench_scans();
	bench_views();
	sys_linux_fini(&real);
	return 0;
}
