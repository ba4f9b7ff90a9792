// SPDX-License-Identifier: MIT
/*
 * A task belongs to the roots (core/attrib/target_roots.c) if its parent does. A FORK record names
 * the parent, also after the parent has exited. For a task that began before pmctop, /proc has the
 * parent. The result is kept in the task (lineage) until the roots change. Users and cgroups then
 * restrict the tasks.
 */
#include "core/attrib/target_internal.h"

#include "core/attrib/cgroup_find.h"
#include "core/attrib/cgroups.h"
#include "core/base/util.h"
#include "core/sys/proc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 256 }; /* of parents: a longer chain is a loop */

static int choose_user(struct target *target, const struct users *users, const char *name,
		       struct error *err)
{
	uid_t uid;

	if (users_find(users, name, &uid) < 0)
		return error_set(err, -EINVAL,
				 "There is no user '%.40s' in /etc/passwd, nor for getent. Give "
				 "the number (uid).",
				 name);
	target->uids = xreallocarray(target->uids, target->n_uids + 1, sizeof(*target->uids));
	target->uids[target->n_uids++] = uid;
	return 0;
}

/* Pops the first part of "a,b" from *list, which is NULL after the last. The caller owns it. */
static char *pop_part(const char **list)
{
	size_t length = strcspn(*list, ",");
	char *part = xstrndup(*list, length);

	*list = (*list)[length] ? *list + length + 1 : NULL;
	return part;
}

static int choose_users(struct target *target, const struct users *users, const char *list,
			struct error *err)
{
	int result = 0;

	while (list && result == 0) {
		char *name = pop_part(&list);
		result = choose_user(target, users, name, err);
		free(name);
	}
	return result;
}

static int choose_cgroup(struct target *target, const char *what, struct error *err)
{
	char *path = cgroup_find(target->sys, what);

	if (!path)
		return error_set(err, -EINVAL,
				 "There is no cgroup '%.80s'. To see those with tasks: --by cgroup",
				 what);
	target->cgroups =
		xreallocarray(target->cgroups, target->n_cgroups + 1, sizeof(*target->cgroups));
	target->cgroups[target->n_cgroups++] = path;
	return 0;
}

/* First the process text is tried: the name of a cgroup may have commas. */
static int choose_cgroups(struct target *target, const char *list, struct error *err)
{
	int result = choose_cgroup(target, list, err);

	if (result == 0 || !strchr(list, ','))
		return result;
	for (result = 0; list && result == 0;) {
		char *name = pop_part(&list);
		result = choose_cgroup(target, name, err);
		free(name);
	}
	return result;
}

static int choose_cpus(struct target *target, const char *list, struct error *err)
{
	struct cpu_list online;
	int result = cpu_list_parse(list, &target->cpus);

	if (result < 0 || target->cpus.n == 0)
		return error_set(err, -EINVAL, "Invalid list of CPUs '%.40s' (example: 0-3,8).",
				 list);
	if (cpus_online(target->sys, &online) < 0)
		return 0;
	for (size_t i = 0; i < target->cpus.n && result == 0; i++)
		if (!cpu_list_has(&online, target->cpus.numbers[i]))
			result = error_set(err, -EINVAL,
					   "CPU %d is not online. To see the online CPUs: --by cpu",
					   target->cpus.numbers[i]);
	cpu_list_fini(&online);
	return result;
}

int target_new(const struct sys *sys, const struct users *users, const struct target_spec *spec,
	       struct target **out, struct error *err)
{
	struct target *target = xcalloc(1, sizeof(*target));
	int result;

	target->sys = sys;
	result = target_add_roots(target, spec, err);
	if (result == 0 && spec->user)
		result = choose_users(target, users, spec->user, err);
	if (result == 0 && spec->cgroup)
		result = choose_cgroups(target, spec->cgroup, err);
	if (result == 0 && spec->cpus)
		result = choose_cpus(target, spec->cpus, err);
	if (result == 0)
		*out = target;
	else
		target_free(target);
	return result;
}

void target_free(struct target *target)
{
	if (!target)
		return;
	cpu_list_fini(&target->cpus);
	for (size_t i = 0; i < target->n_cgroups; i++)
		free(target->cgroups[i]);
	free(target->cgroups);
	free(target->uids);
	free(target->roots);
	free(target);
}

bool target_has_owners(const struct target *target)
{
	return target->n_uids > 0 || target->n_cgroups > 0;
}

bool target_is_all(const struct target *target)
{
	return !target->has_members && target->n_roots == 0 && !target_has_owners(target);
}

bool target_has_roots(const struct target *target)
{
	return target->n_roots > 0;
}

const struct cpu_list *target_cpus(const struct target *target)
{
	return target->cpus.n > 0 ? &target->cpus : NULL;
}

bool target_is_hidden(const struct target *target)
{
	struct proc_stat init;
	uid_t owner = (uid_t)-1;
	pid_t pid = 0, tid;
	char path[32];

	if (target->n_uids == 0 || proc_thread_brief(target->sys, 1, 1, &init) == 0)
		return false;
	sys_self(target->sys, &pid, &tid);
	snprintf(path, sizeof(path), "/proc/%d", pid);
	sys_file_owner(target->sys, path, &owner);
	for (size_t i = 0; i < target->n_uids; i++)
		if (target->uids[i] != owner)
			return true;
	return false;
}

/* Whether a task is a root, and not a younger task with the number of a root. */
static bool is_root(const struct target *target, const struct task *task, bool process)
{
	const struct target_root *root =
		target_find_root(target, process ? task->pid : task->tid, process);
	uint64_t born_ns = task->start_ns ? task->start_ns : task->seen_ns;

	return root && (!root->ended_ns || born_ns <= root->ended_ns);
}

/* Its forker, else its process or parent; NULL: unknown. */
static struct task *parent_of(struct tasks *tasks, const struct task *task, uint64_t now_ns)
{
	pid_t parent = task->tid != task->pid ? task->pid : task->ppid;

	if (task->ptid) {
		struct task *forker = tasks_find(tasks, task->ptid, task->start_ns);
		if (forker)
			return forker;
	}
	return parent > 0 ? tasks_at(tasks, parent, parent, now_ns) : NULL;
}

/*
 * Whether the lineage of a task is valid for the current roots. A task that belongs to the target
 * still does after roots were added. Its parents may be gone by now.
 */
static bool is_lineage_valid(const struct target *target, const struct task *task)
{
	if (task->target.lineage == TASK_LINEAGE_IN)
		return task->target.generation >= target->dismissed;
	return task->target.lineage == TASK_LINEAGE_OUT &&
	       task->target.generation == target->generation;
}

/* Whether a task or one of its parents is a root. */
static bool belongs_to_roots(const struct target *target, struct tasks *tasks, struct task *task,
			     unsigned depth)
{
	struct task *parent;

	if (is_lineage_valid(target, task))
		return task->target.lineage == TASK_LINEAGE_IN;
	tasks_read_proc(tasks, task);
	bool in = is_root(target, task, true);
	in |= target->command && target->self > 0 && task->ppid == target->self;
	if (!in && depth < DEPTH_MAX) {
		parent = parent_of(tasks, task, sys_now_ns(target->sys));
		in = parent && parent != task && belongs_to_roots(target, tasks, parent, depth + 1);
	}
	/* Unknown as long as a record may still name its parent. */
	bool known = in || task->ptid || task->ppid || task->pid != task->tid;
	task->target = (struct task_target){in      ? TASK_LINEAGE_IN
					    : known ? TASK_LINEAGE_OUT
						    : TASK_LINEAGE_UNKNOWN,
					    target->generation};
	return in;
}

static bool admits(const struct target *target, uid_t uid, const struct cgroup *cgroup)
{
	bool of_user = target->n_uids == 0, in_cgroup = target->n_cgroups == 0;

	for (size_t i = 0; i < target->n_uids && !of_user; i++)
		of_user = uid == target->uids[i];
	for (size_t i = 0; i < target->n_cgroups && cgroup && !in_cgroup; i++)
		in_cgroup = cgroup_is_within(cgroup->path, target->cgroups[i]);
	return of_user && in_cgroup;
}

bool target_admits(const struct target *target, struct tasks *tasks, struct task *task)
{
	if (!target_has_owners(target))
		return true;
	tasks_read_proc(tasks, task);
	return admits(target, task->uid, task->cgroup);
}

void target_add_member(struct target *target, struct task *task)
{
	task->target = (struct task_target){TASK_LINEAGE_IN, target->generation};
}

void target_set_all(struct target *target)
{
	target->has_members = false;
	target->n_roots = 0;
}

static bool is_of_roots(const struct target *target, struct tasks *tasks, struct task *task)
{
	return target->n_roots == 0 || is_root(target, task, false) ||
	       belongs_to_roots(target, tasks, task, 0);
}

static bool is_member(const struct target *target, const struct task *task)
{
	return task->target.lineage == TASK_LINEAGE_IN &&
	       task->target.generation == target->generation;
}

bool target_has(const struct target *target, struct tasks *tasks, struct task *task)
{
	if (target->has_members)
		return is_member(target, task);
	return is_of_roots(target, tasks, task) && target_admits(target, tasks, task);
}

bool target_had(const struct target *target, struct tasks *tasks, struct task *task, uid_t uid,
		const struct cgroup *cgroup)
{
	if (target->has_members)
		return is_member(target, task);
	return is_of_roots(target, tasks, task) && admits(target, uid, cgroup);
}

bool target_has_any_of(const struct target *target, struct tasks *tasks, struct task *process)
{
	if (target_has(target, tasks, process))
		return true;
	for (size_t i = 0; i < target->n_roots; i++)
		if (target->roots[i].pid == process->pid && !target->roots[i].ended_ns)
			return true;
	return false;
}

unsigned target_generation(const struct target *target)
{
	return target->generation;
}

pid_t target_command(const struct target *target)
{
	return target->command;
}
