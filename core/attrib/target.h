// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TARGET_H
#define PMCTOP_TARGET_H

#include "core/attrib/tasks.h"
#include "core/base/error.h"
#include "core/sys/cpus.h"
#include "core/sys/sys.h"
#include "core/sys/users.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The tasks of which figures are wanted: processes, threads and a command with all that they start,
 * or all tasks. Processes, threads and the command add up. User and cgroup restrict the tasks.
 */
struct target_spec {
	const pid_t *pids; /* processes, with their threads and descendants */
	size_t n_pids;
	const pid_t *tids; /* single threads */
	size_t n_tids;
	pid_t command;      /* a process, counted from its next exec on; 0: none */
	const char *user;   /* names or numbers, separated by commas; NULL: any */
	const char *cgroup; /* paths as in /proc/PID/cgroup, or below /sys/fs/cgroup; NULL: any */
	const char *cpus;   /* "0-3,8": only these CPUs are counted; NULL: all */
};

static inline bool target_spec_has_roots(const struct target_spec *spec)
{
	return spec->n_pids > 0 || spec->n_tids > 0 || spec->command > 0;
}

/* Whether it is all tasks, on some or all CPUs. */
static inline bool target_spec_is_all(const struct target_spec *spec)
{
	return !target_spec_has_roots(spec) && !spec->user && !spec->cgroup;
}

/* The same with names resolved on this machine. */
struct target;

/* A process or thread that the user gave by its number. */
struct target_root {
	pid_t tid;
	pid_t pid;    /* its process */
	bool process; /* a process with its descendants; false: one thread */
	bool zombie;  /* it had ended when it was chosen, and /proc has it still */
	uint64_t start_ticks;
	uint64_t ended_ns; /* 0: lives */
	char comm[16];     /* its name at the last poll */
	uid_t uid;         /* (uid_t)-1: unknown */
};

/* Returns 0, or -EINVAL with a sentence if there is no such process, thread, user or CPU. Borrows
 * sys. */
int target_new(const struct sys *sys, const struct users *users, const struct target_spec *spec,
	       struct target **target, struct error *err);
void target_free(struct target *target); /* NULL is valid */

bool target_is_all(const struct target *target);
bool target_has_roots(const struct target *target);
/* Whether users or cgroups restrict the tasks. */
bool target_has_owners(const struct target *target);
/* The CPUs, owned by the target; NULL: all. */
const struct cpu_list *target_cpus(const struct target *target);

/* Whether /proc hides (hidepid) the processes of a wanted user. */
bool target_is_hidden(const struct target *target);

/* Whether a task belongs to the target. Reads /proc for the task and its parents if needed. */
bool target_has(const struct target *target, struct tasks *tasks, struct task *task);
/* The same with this user and this cgroup in place of those that the task has now. */
bool target_had(const struct target *target, struct tasks *tasks, struct task *task, uid_t uid,
		const struct cgroup *cgroup);
/* Whether a process, or one of its threads, belongs to the target. */
bool target_has_any_of(const struct target *target, struct tasks *tasks, struct task *process);

/*
 * For a target of another machine (a recording): its roots are these, ordered by number, each once.
 * Tasks belong to it only by target_add_member() after that. NULL and 0: no roots.
 */
void target_set_roots(struct target *target, const struct target_root *roots, size_t n);
void target_add_member(struct target *target, struct task *task);
/* The target is all tasks again. */
void target_set_all(struct target *target);

/* Once an interval: reads the roots from /proc and marks those that have ended. */
void target_poll_roots(struct target *target, uint64_t now_ns);
/* Whether there are roots, and all have ended. */
bool target_has_ended(const struct target *target);
/*
 * Adds a process to the roots, with its descendants. Returns 0, also if it is a root already, or
 * -EINVAL with a sentence if there is no such process, or if user or cgroup exclude it.
 */
int target_attach(struct target *target, struct tasks *tasks, pid_t pid, struct error *err);
/*
 * Removes the roots that have ended. If none has, removes all, so that only user and cgroup
 * restrict the tasks.
 */
void target_dismiss(struct target *target);
/* Grows when tasks may belong to the target that did not before. */
unsigned target_generation(const struct target *target);

/* The target in words; "" if it is all tasks on all CPUs. */
struct target_text {
	char full[96];  /* "postgres 4121", "3 processes: 12 34 56", "user ana, CPU 0-3" */
	char brief[48]; /* "pid 4121", "3 processes", "user ana, CPU 0-3" */
};
void target_describe(const struct target *target, struct users *users, struct target_text *text);

/* The roots, *n of them, ordered by number, each once. */
const struct target_root *target_roots(const struct target *target, size_t *n);
/* target_spec.command, until target_dismiss() removes it; 0: none. */
pid_t target_command(const struct target *target);

#endif
