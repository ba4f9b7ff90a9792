// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TARGET_INTERNAL_H
#define PMCTOP_TARGET_INTERNAL_H

#include "core/attrib/target.h"

/*
 * Private to core/attrib/target*.c:
 *   target.c        users, cgroups and CPUs, and which tasks belong to the target
 *   target_roots.c  the roots: given, added, polled and dismissed
 *   target_text.c   the target in words
 */
struct target {
	const struct sys *sys;
	struct target_root *roots; /* ordered by number, each once */
	size_t n_roots;
	unsigned generation;
	bool has_members;   /* tasks belong to it by target_add_member() alone */
	unsigned dismissed; /* the generation at which all roots were removed */
	uid_t *uids;        /* none: any */
	size_t n_uids;
	char **cgroups; /* paths; none: any */
	size_t n_cgroups;
	struct cpu_list cpus; /* none: all */
	pid_t command;        /* 0: none */
	pid_t self;           /* pmctop's process: it adopts orphans of the command */
};

/* Adds the roots of the spec. Returns 0, or -EINVAL and a sentence. */
int target_add_roots(struct target *target, const struct target_spec *spec, struct error *err);
/* The root of that number, `process` or a thread; NULL: none. */
struct target_root *target_find_root(const struct target *target, pid_t tid, bool process);
/* Whether user and cgroup admit a task. */
bool target_admits(const struct target *target, struct tasks *tasks, struct task *task);

#endif
