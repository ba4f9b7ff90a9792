// SPDX-License-Identifier: MIT
/*
 * The part of running_task.h that is not needed for each record. What is needed for each of
 * millions of records is inline in the header. Separate from attrib.c, which has the slices.
 */
#include "core/attrib/running_task.h"

#include "core/base/util.h"

const struct attrib_runner attrib_unknown = {-1, -1};

void running_note(struct running_task *task, const struct record *record)
{
	task->n_records++;
	if (record->kind == RECORD_EXIT) {
		task->exit = *record;
		task->exit_at = task->n_records;
	} else if (record->kind == RECORD_SWITCH && record->change.out) {
		task->left = *record;
		task->left_at = task->n_records;
	} else if (record->kind == RECORD_SWITCH) {
		task->came = *record;
		task->came_at = task->n_records;
	} else if (record->kind == RECORD_LOST) {
		task->lost_at = task->n_records;
	} else if (record->kind == RECORD_THROTTLE) {
		task->throttled_at = task->n_records;
	}
}

struct running_since running_restore(struct running_task *task, const struct record *exit,
				     const struct record *came, bool lost)
{
	task->n_records = 1;
	if (came->time_ns) {
		task->came = *came;
		task->came_at = 1;
	}
	if (exit->time_ns) {
		task->exit = *exit;
		task->exit_at = 1;
	}
	if (lost)
		task->lost_at = 1;
	return (struct running_since){
		.sample_at = !came->time_ns,
		.switch_at = !lost,
		.slice_at = !exit->time_ns,
		.tick = true,
	};
}

bool running_is_idle(const struct running_task *task, const struct running_since *since,
		     const struct attrib_runner *runner)
{
	const struct record *exit = running_exit(task, since);

	if (runner->tid == -1)
		return exit && exit->tid == 0;
	return runner->pid == 0 && runner->tid == 0;
}

SELDOM struct task *running_search(const struct running_task *task,
				   const struct running_since *since, struct tasks *tasks,
				   const struct attrib_runner *runner, uint64_t time_ns)
{
	const struct record *exit = running_exit(task, since);

	if (exit && (runner->tid == -1 || runner->tid == exit->tid))
		return tasks_find(tasks, exit->tid, exit->time_ns);
	if (runner->tid <= 0)
		return NULL;
	bool is_known = runner->pid != -1 || tasks_find(tasks, runner->tid, time_ns);
	return tasks_at(tasks, is_known ? runner->pid : runner->tid, runner->tid, time_ns);
}

SELDOM bool running_has_execed(const struct running_since *since, const struct tasks *tasks,
			       const struct attrib_runner *runner)
{
	const struct task *task = tasks_find(tasks, since->runner.tid, since->time_ns);

	return runner->tid == runner->pid && task && task->pid == runner->pid;
}

SELDOM struct attrib_runner running_expected(const struct running_task *task,
					     const struct running_since *since)
{
	const struct record *came = running_came(task, since);

	return came ? (struct attrib_runner){came->pid, came->tid} : since->runner;
}

struct attrib_runner running_at(const struct running_task *task, const struct running_since *since,
				uint64_t time_ns)
{
	const struct record *came = running_came(task, since);

	return (came && came->time_ns > time_ns) || running_throttled(task, since)
		       ? attrib_unknown
		       : running_expected(task, since);
}
