// SPDX-License-Identifier: MIT
/*
 * Two changes, of the user and of the cgroup, divide an interval into three parts at most. In each
 * of them the task is in the target or not.
 */
#include "core/snapshot/target_part.h"

#include <stddef.h>

/* A smaller part is none. */
#define NEGLIGIBLE 0.001f

/* Whether the task is in the target: in[of its user now][of its cgroup now], else of those before.
 */
struct membership {
	bool in[2][2];
};

static struct membership find_membership(const struct target *target, struct tasks *tasks,
					 struct task *task, const struct row_before *changes)
{
	bool new_user = changes->parts[TASK_OWNER_USER].most > 0;
	bool new_cgroup = changes->parts[TASK_OWNER_CGROUP].most > 0;
	struct membership found;

	for (int user = 0; user < 2; user++)
		for (int cgroup = 0; cgroup < 2; cgroup++)
			found.in[user][cgroup] = target_had(
				target, tasks, task,
				new_user && !user ? task->before->uid : task->uid,
				new_cgroup && !cgroup ? task->before->cgroup : task->cgroup);
	return found;
}

/* The part in the target, if the user and the cgroup changed after these parts of the time. */
static float part_after(const struct membership *membership, float user, float cgroup)
{
	float first = user < cgroup ? user : cgroup, last = user < cgroup ? cgroup : user;
	bool between = membership->in[user < cgroup][cgroup < user];

	return (membership->in[0][0] ? first : 0) + (between ? last - first : 0) +
	       (membership->in[1][1] ? 1 - last : 0);
}

/* The part grows, or falls, with the time of each change: each bound is at a bound of a change. */
static void find_bounds(const struct membership *membership, const struct row_before *changes,
			struct target_part *part)
{
	float user[] = {changes->parts[TASK_OWNER_USER].least,
			changes->parts[TASK_OWNER_USER].most};
	float cgroup[] = {changes->parts[TASK_OWNER_CGROUP].least,
			  changes->parts[TASK_OWNER_CGROUP].most};

	part->least = 1;
	part->most = 0;
	for (size_t i = 0; i < 4; i++) {
		float share = part_after(membership, user[i / 2], cgroup[i % 2]);
		part->least = share < part->least ? share : part->least;
		part->most = share > part->most ? share : part->most;
	}
	if (part->most < NEGLIGIBLE)
		part->least = part->most = 0;
	if (part->least > 1 - NEGLIGIBLE)
		part->least = part->most = 1;
}

struct target_part target_part_find(const struct target *target, struct tasks *tasks,
				    struct task *task, struct row_before *changes)
{
	float in = target_has(target, tasks, task);
	struct target_part part = {.least = in, .most = in};

	if (changes->target.most > 0) {
		part.least = changes->target.least;
		part.most = changes->target.most;
		return part;
	}
	if (target_is_all(target) || (changes->parts[TASK_OWNER_USER].most <= 0 &&
				      changes->parts[TASK_OWNER_CGROUP].most <= 0))
		return part;
	const struct membership m = find_membership(target, tasks, task, changes);
	bool by_user = m.in[0][0] != m.in[1][0] || m.in[0][1] != m.in[1][1];
	bool by_cgroup = m.in[0][0] != m.in[0][1] || m.in[1][0] != m.in[1][1];
	find_bounds(&m, changes, &part);
	if (part.most <= 0 || part.least >= 1)
		return part;
	part.was_user = by_user && !m.in[1][0] && !m.in[1][1];
	part.was_cgroup = by_cgroup && !m.in[0][1] && !m.in[1][1];
	changes->target.least = part.least;
	changes->target.most = part.most;
	if (by_user)
		changes->parts[TASK_OWNER_USER].least = changes->parts[TASK_OWNER_USER].most = 0;
	if (by_cgroup)
		changes->parts[TASK_OWNER_CGROUP].least = changes->parts[TASK_OWNER_CGROUP].most =
			0;
	return part;
}
