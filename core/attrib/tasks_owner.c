// SPDX-License-Identifier: MIT
/*
 * Changes of what roll-ups sum the counts of a task by: its name, its user, its cgroup. A task has
 * the user and the cgroup of its first reading of /proc from its start on.
 */
#include "core/attrib/tasks_internal.h"

#include "core/base/util.h"

#include <stdlib.h>
#include <string.h>

uint64_t tasks_cut(const struct tasks *tasks)
{
	return tasks->in_cut ? tasks->n_cuts : tasks->n_cuts + 1;
}

uint64_t tasks_begin_cut(struct tasks *tasks)
{
	tasks->in_cut = true;
	return ++tasks->n_cuts;
}

void tasks_end_cut(struct tasks *tasks)
{
	tasks->in_cut = false;
}

static struct task_before *before_of(struct task *task)
{
	if (!task->before) {
		task->before = xcalloc(1, sizeof(*task->before));
		task->before->uid = (uid_t)-1;
	}
	return task->before;
}

static void note_change(struct task *task, enum task_owner owner, uint64_t since_ns,
			uint64_t until_ns, uint64_t cut)
{
	struct task_before *before = before_of(task);

	before->changes[owner].since_ns = since_ns;
	before->changes[owner].until_ns = until_ns;
	before->changes[owner].cut = cut;
}

static void set_cgroup_before(struct tasks *tasks, struct task_before *before,
			      struct cgroup *cgroup)
{
	cgroups_put(tasks->cgroups, before->cgroup);
	before->cgroup = cgroup;
}

void tasks_forget_before(struct tasks *tasks, struct task *task)
{
	if (task->before)
		cgroups_put(tasks->cgroups, task->before->cgroup);
	free(task->before);
	task->before = NULL;
}

/* Of several renames in one interval, the names in between are not known to roll-ups. */
void tasks_note_rename(struct tasks *tasks, struct task *task, const char comm[16],
		       uint64_t time_ns)
{
	uint64_t cut = tasks_cut(tasks);

	/* A recording has the names before. */
	if (!task->comm_ns || task->recorded.known ||
	    memcmp(task->comm, comm, sizeof(task->comm)) == 0)
		return;
	struct task_before *before = before_of(task);
	bool again = before->changes[TASK_OWNER_COMM].until_ns > 0 &&
		     before->changes[TASK_OWNER_COMM].cut == cut;
	if (!again)
		memcpy(before->comm, task->comm, sizeof(task->comm));
	note_change(task, TASK_OWNER_COMM,
		    again ? before->changes[TASK_OWNER_COMM].since_ns : time_ns, time_ns, cut);
}

void tasks_set_owner(struct tasks *tasks, struct task *task, uid_t uid, struct cgroup *cgroup,
		     struct cgroup *cpu_cgroup, uint64_t now_ns)
{
	uint64_t since_ns = task->owner_ns, cut = tasks_cut(tasks);

	if (since_ns && uid != (uid_t)-1 && task->uid != (uid_t)-1 && task->uid != uid) {
		before_of(task)->uid = task->uid;
		note_change(task, TASK_OWNER_USER, since_ns, now_ns, cut);
	}
	if (since_ns && cgroup && task->cgroup && task->cgroup != cgroup) {
		set_cgroup_before(tasks, before_of(task), cgroup_ref(task->cgroup));
		note_change(task, TASK_OWNER_CGROUP, since_ns, now_ns, cut);
	}
	if (uid != (uid_t)-1) {
		task->uid = uid;
		task->uid_ns = now_ns;
	}
	if (!cgroup && !cpu_cgroup)
		return;
	tasks_set_cgroups(tasks, task, cgroup, cpu_cgroup);
	task->owner_ns = now_ns;
	task->owner_cut = cut;
}

void tasks_doubt_owner(struct tasks *tasks, struct task *task)
{
	uint64_t until_ns = task->exit_ns;

	if (!task->owner_ns || task->exec_ns <= task->owner_ns || until_ns <= task->owner_ns)
		return;
	before_of(task)->uid = task->uid;
	set_cgroup_before(tasks, before_of(task), task->cgroup ? cgroup_ref(task->cgroup) : NULL);
	note_change(task, TASK_OWNER_USER, task->owner_ns, until_ns, tasks_cut(tasks));
	note_change(task, TASK_OWNER_CGROUP, task->owner_ns, until_ns, tasks_cut(tasks));
}

void tasks_move(struct tasks *tasks, struct task *task, const char *path, uint64_t time_ns)
{
	if (!task->cgroup || strcmp(task->cgroup->path, path) != 0)
		tasks_set_owner(tasks, task, (uid_t)-1, cgroups_get(tasks->cgroups, path), NULL,
				time_ns);
	task->owner_ns = time_ns;
}

void tasks_set_before(struct tasks *tasks, struct task *task, const struct task_was *was)
{
	struct task_before *before = before_of(task);

	for (size_t i = 0; i < TASK_OWNERS; i++) {
		note_change(task, (enum task_owner)i, 0, 0, tasks_cut(tasks));
		before->changes[i].least = was->least[i];
		before->changes[i].most = was->most[i];
	}
	before->target_least = was->target_least;
	before->target_most = was->target_most;
	before->target_cut = tasks_cut(tasks);
	memset(before->comm, 0, sizeof(before->comm));
	text_copy(before->comm, sizeof(before->comm), was->comm);
	before->uid = was->uid;
	set_cgroup_before(tasks, before,
			  was->cgroup[0] ? cgroups_get(tasks->cgroups, was->cgroup) : NULL);
}
