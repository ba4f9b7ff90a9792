// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TARGET_PART_H
#define PMCTOP_TARGET_PART_H

#include "core/attrib/target.h"
#include "core/attrib/tasks.h"
#include "core/snapshot/rows.h"

#include <stdbool.h>

/*
 * The part of a task's CPU time in an interval in which it was in the target. That is all or
 * nothing, unless a change of its user or cgroup made it enter or leave the target meanwhile. The
 * time of the change is not known, so the part has bounds.
 */
struct target_part {
	float least, most; /* 0..1 */
	/* The user, or the cgroup, that it had in the target is the one before the change. */
	bool was_user, was_cgroup;
};

/*
 * `changes` has the bounds of the changes of a task that ran. If the part is neither all nor
 * nothing, it is stored there as well, and changes that divide it are removed: the row of that part
 * has one user and one cgroup. A part that is there already, of a recording, is returned.
 */
struct target_part target_part_find(const struct target *target, struct tasks *tasks,
				    struct task *task, struct row_before *changes);

#endif
