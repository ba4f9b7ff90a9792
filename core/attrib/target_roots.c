// SPDX-License-Identifier: MIT
/*
 * The roots of a target: the processes, threads and the command that the user gave by number. They
 * are ordered, each once. Each has its start time, so that a younger task with the same number is
 * not taken for it. A root that has ended stays until target_dismiss(): its figures are still
 * shown.
 */
#include "core/attrib/target_internal.h"

#include "core/base/util.h"
#include "core/sys/proc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int refuse_missing(const struct sys *sys, pid_t tid, bool process, struct error *err)
{
	const char *what = process ? "process" : "thread";
	struct proc_stat init;

	if (proc_thread_brief(sys, 1, 1, &init) < 0)
		return error_set(err, -EINVAL,
				 "There is no %s %d, or /proc hides it (hidepid). Try as root.",
				 what, tid);
	return error_set(err, -EINVAL, "There is no %s %d.", what, tid);
}

static bool is_over(const struct proc_stat *stat, bool process)
{
	return process ? proc_has_ended(stat) : stat->state == 'Z' || stat->state == 'X';
}

/* Reads a root from /proc, which may be a zombie. */
static int read_root(const struct sys *sys, pid_t tid, bool process, struct target_root *root,
		     struct error *err)
{
	struct proc_stat stat;
	uint64_t pid = (uint64_t)tid;
	char path[32];

	int result = proc_stat_read(sys, tid, &stat);
	if (result == -ETIMEDOUT) /* its start follows when it lets go of the file */
		result = proc_thread_brief(sys, tid, tid, &stat);
	if (result < 0 || stat.state == 'X')
		return refuse_missing(sys, tid, process, err);
	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	proc_field_number(sys, path, "Tgid", &pid);
	*root = (struct target_root){
		.tid = tid,
		.pid = (pid_t)pid,
		.process = process,
		.zombie = is_over(&stat, process),
		.start_ticks = stat.start_ticks,
		.uid = (uid_t)-1,
	};
	return 0;
}

static void add_root(struct target *target, const struct target_root *root)
{
	target->roots = xreallocarray(target->roots, target->n_roots + 1, sizeof(*target->roots));
	target->roots[target->n_roots++] = *root;
}

static int compare_roots(const void *a, const void *b)
{
	const struct target_root *left = a, *right = b;

	if (left->tid != right->tid)
		return left->tid < right->tid ? -1 : 1;
	return left->process - right->process;
}

static void order_roots(struct target *target)
{
	size_t kept = 0;

	if (target->n_roots > 0)
		qsort(target->roots, target->n_roots, sizeof(*target->roots), compare_roots);
	for (size_t i = 0; i < target->n_roots; i++)
		if (i == 0 || compare_roots(&target->roots[i], &target->roots[kept - 1]) != 0)
			target->roots[kept++] = target->roots[i];
	target->n_roots = kept;
}

static int choose_root(struct target *target, pid_t tid, bool process, struct error *err)
{
	struct target_root root;
	int result = read_root(target->sys, tid, process, &root, err);

	if (result < 0)
		return result;
	if (process && root.pid != tid)
		return error_set(err, -EINVAL,
				 "%d is a thread of process %d. For the thread: -t %d. For the "
				 "process: -p %d.",
				 tid, root.pid, tid, root.pid);
	add_root(target, &root);
	return 0;
}

int target_add_roots(struct target *target, const struct target_spec *spec, struct error *err)
{
	int result = 0;

	for (size_t i = 0; i < spec->n_pids && result == 0; i++)
		result = choose_root(target, spec->pids[i], true, err);
	for (size_t i = 0; i < spec->n_tids && result == 0; i++)
		result = choose_root(target, spec->tids[i], false, err);
	if (spec->command > 0 && result == 0) {
		pid_t tid;
		result = choose_root(target, spec->command, true, err);
		target->command = spec->command;
		sys_self(target->sys, &target->self, &tid);
	}
	order_roots(target);
	return result;
}

struct target_root *target_find_root(const struct target *target, pid_t tid, bool process)
{
	const struct target_root wanted = {.tid = tid, .process = process};

	return target->n_roots > 0 ? bsearch(&wanted, target->roots, target->n_roots,
					     sizeof(*target->roots), compare_roots)
				   : NULL;
}

/* Reads name and user of a root. Returns false if it has ended. */
static bool poll_root(const struct target *target, struct target_root *root)
{
	struct proc_stat stat;
	char path[32];
	int result = proc_stat_read(target->sys, root->tid, &stat);

	if (result == -ENOENT || result == -ESRCH)
		return false;
	if (result < 0)
		return true;
	if (!root->start_ticks)
		root->start_ticks = stat.start_ticks;
	if (stat.start_ticks != root->start_ticks)
		return false;
	/* One that was a zombie when it was chosen is shown until it is gone. */
	if (is_over(&stat, root->process) && !root->zombie)
		return false;
	memcpy(root->comm, stat.comm, sizeof(root->comm));
	snprintf(path, sizeof(path), "/proc/%d", root->tid);
	sys_file_owner(target->sys, path, &root->uid);
	return true;
}

void target_poll_roots(struct target *target, uint64_t now_ns)
{
	for (size_t i = 0; i < target->n_roots; i++)
		if (!target->roots[i].ended_ns && !poll_root(target, &target->roots[i]))
			target->roots[i].ended_ns = now_ns;
}

bool target_has_ended(const struct target *target)
{
	for (size_t i = 0; i < target->n_roots; i++)
		if (!target->roots[i].ended_ns)
			return false;
	return target->n_roots > 0;
}

int target_attach(struct target *target, struct tasks *tasks, pid_t pid, struct error *err)
{
	struct target_root root, *known = target_find_root(target, pid, true);
	int result = read_root(target->sys, pid, true, &root, err);

	if (result < 0)
		return result;
	if (root.pid != pid)
		return error_set(err, -EINVAL, "%d is a thread. Attach to its process, %d.", pid,
				 root.pid);
	struct task *task = tasks_process(tasks, pid, sys_now_ns(target->sys));
	if (task && !target_admits(target, tasks, task))
		return error_set(err, -EINVAL, "Process %d is excluded by -u or -G.", pid);
	if (!known)
		add_root(target, &root);
	else if (known->ended_ns) /* a younger process has its number now */
		*known = root;
	else
		return 0;
	order_roots(target);
	target->generation++;
	return 0;
}

void target_dismiss(struct target *target)
{
	size_t kept = 0;

	for (size_t i = 0; i < target->n_roots; i++)
		if (!target->roots[i].ended_ns)
			target->roots[kept++] = target->roots[i];
	if (kept == target->n_roots)
		kept = 0;
	target->n_roots = kept;
	if (kept > 0)
		return;
	target->command = 0;
	target->dismissed = ++target->generation;
}

void target_set_roots(struct target *target, const struct target_root *roots, size_t n)
{
	target->roots = xreallocarray(target->roots, n, sizeof(*roots));
	target->n_roots = n;
	if (n > 0)
		memcpy(target->roots, roots, n * sizeof(*roots));
	target->has_members = true;
	target->generation++;
}

const struct target_root *target_roots(const struct target *target, size_t *n)
{
	*n = target->n_roots;
	return target->roots;
}
