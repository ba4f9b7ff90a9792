// SPDX-License-Identifier: MIT
/*
 * A task belongs to the target if it, or one of its ancestors, was requested, and its user and
 * cgroup match. The recording has only the tasks that ran, so ancestry is decided once for a task
 * and kept.
 */
#include "core/replay/replay_target.h"

#include "core/base/util.h"
#include "core/sys/cgroup_name.h"
#include "core/sys/cgroup_path.h"

#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 256 }; /* parents; a longer chain is a cycle */

#define TEXT_NO_MATCH "No selected task was recorded so far."
#define TEXT_ALREADY  "This recording has only the tasks of its own target. All of them are shown."

static bool has_number(const pid_t *numbers, size_t n, pid_t number)
{
	for (size_t i = 0; i < n; i++)
		if (numbers[i] == number)
			return true;
	return false;
}

/* A member remains one after its parents have ended. */
static bool descends(const struct target_spec *spec, struct tasks *tasks, struct task *task,
		     unsigned depth)
{
	if (task->target.lineage == TASK_LINEAGE_IN ||
	    has_number(spec->tids, spec->n_tids, task->tid) ||
	    has_number(spec->pids, spec->n_pids, task->pid > 0 ? task->pid : task->tid))
		return true;
	if (depth == DEPTH_MAX)
		return false;
	struct task *parent = task->ptid ? tasks_find(tasks, task->ptid, task->start_ns) : NULL;
	pid_t above = task->pid > 0 && task->pid != task->tid ? task->pid : task->ppid;
	if (!parent && above > 0)
		parent = tasks_find(tasks, above, task->seen_ns);
	/* Children of a requested thread (-t) are not requested. */
	if (!parent || parent == task || has_number(spec->tids, spec->n_tids, parent->tid))
		return false;
	return descends(spec, tasks, parent, depth + 1);
}

/* Whether a list "a,b" contains a word. */
static bool is_listed(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; length > 0; at += strcspn(at, ",") + 1) {
		if (strcspn(at, ",") == length && strncmp(at, word, length) == 0)
			return true;
		if (!at[strcspn(at, ",")])
			break;
	}
	return false;
}

static bool is_of_user(struct replay_state *state, const char *list, const struct task *task)
{
	char name[64], number[16];

	users_name(state->users, task->uid, name, sizeof(name));
	snprintf(number, sizeof(number), "%u", task->uid);
	return task->uid != (uid_t)-1 && (is_listed(list, name) || is_listed(list, number));
}

/* Whether the list has the cgroup or one of its parents, as a path or as shown in tables. */
static bool is_in_cgroup(const char *list, const struct task *task)
{
	char path[CGROUP_PATH_MAX], name[CGROUP_PATH_MAX];

	if (!task->cgroup)
		return false;
	cgroup_name(task->cgroup->path, name, sizeof(name));
	if (is_listed(list, name))
		return true;
	text_copy(path, sizeof(path), task->cgroup->path);
	for (char *end = path + strlen(path); end && end > path; end = strrchr(path, '/')) {
		*end = '\0';
		if (is_listed(list, path))
			return true;
	}
	return is_listed(list, "/");
}

static bool is_chosen(struct replay_state *state, const struct target_spec *spec, struct task *task)
{
	bool in = !target_spec_has_roots(spec) || descends(spec, state->tasks, task, 0);

	return in && (!spec->user || is_of_user(state, spec->user, task)) &&
	       (!spec->cgroup || is_in_cgroup(spec->cgroup, task));
}

static void add_chosen(struct replay_state *state, struct task *task)
{
	target_add_member(state->target, task);
	state->met = true;
}

void replay_target_choose(struct replay_state *state, const struct target_spec *spec)
{
	const struct interval *interval = &state->interval;
	struct task *const *ran = interval->ran;

	if (target_spec_is_all(spec))
		return;
	if (!target_is_all(state->target) && !state->chosen) {
		notes_add_urgent(&state->replay_notes, TEXT_ALREADY);
		return;
	}
	state->chosen = true;
	target_set_roots(state->target, NULL, 0);
	for (size_t i = 0; i < interval->n_ran; i++) {
		struct task *task = ran[i];
		/* Also its parents, which have rows beside it. */
		for (unsigned depth = 0; task && depth < DEPTH_MAX; depth++) {
			if (!is_chosen(state, spec, task))
				break;
			add_chosen(state, task);
			task = tasks_above(state->tasks, task, state->time_ns);
		}
	}
	for (size_t i = 0; i < state->n_still; i++)
		if (is_chosen(state, spec, state->still[i]))
			add_chosen(state, state->still[i]);
	if (state->met)
		notes_remove(&state->replay_notes, NOTE_NO_MATCH);
	else
		notes_add_as(&state->replay_notes, NOTE_NO_MATCH, TEXT_NO_MATCH);
}
