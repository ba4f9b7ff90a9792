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
 * Whose figures are wanted: some processes or threads with all that they start, a user's, a
 * cgroup's; or everybody's. Processes, threads and the command are added up; user and cgroup
 * restrict them.
 */
struct target_spec {
	const pid_t *pids; /* processes: all their threads, and their children and theirs */
	size_t n_pids;
	const pid_t *tids; /* single threads */
	size_t n_tids;
	pid_t command;      /* a process that has still to exec: counted from there; 0: none */
	const char *user;   /* names or numbers, commas between; NULL: any */
	const char *cgroup; /* the same; as in /proc/PID/cgroup, or below /sys/fs/cgroup */
	const char *cpus;   /* "0-3,8": what runs elsewhere is not counted; NULL: all */
};

static inline bool target_spec_has_roots(const struct target_spec *spec)
{
	return spec->n_pids > 0 || spec->n_tids > 0 || spec->command > 0;
}

/* Whether it is everybody (on whichever CPUs). */
static inline bool target_spec_is_all(const struct target_spec *spec)
{
	return !target_spec_has_roots(spec) && !spec->user && !spec->cgroup;
}

/* The same, found on this machine. */
struct target;

/* A process or thread that was asked for by its number. */
struct target_root {
	pid_t tid;
	pid_t pid;  /* its process */
	bool whole; /* the process, and all that it starts */
	uint64_t start_ticks;
	uint64_t ended_ns; /* 0: lives */
	char comm[16];     /* as it was called at the last look */
	uid_t uid;         /* (uid_t)-1 where unknown */
};

/* 0, or -EINVAL and a sentence where there is no such process, thread, user, CPU. Borrows sys. */
int target_new(const struct sys *sys, const struct users *users, const struct target_spec *spec,
	       struct target **target, struct error *err);
void target_free(struct target *target); /* NULL is fine */

bool target_is_all(const struct target *target);
bool target_has_roots(const struct target *target);
/* NULL: all. */
const struct cpu_list *target_cpus(const struct target *target);

/* Whether /proc hides (hidepid) a user that was asked for. */
bool target_is_hidden(const struct target *target);

/* Whether a task belongs to it; looks it up, and its parents where it must. */
bool target_has(const struct target *target, struct tasks *tasks, struct task *task);
/* Whether a process does, or some of its threads. */
bool target_has_any_of(const struct target *target, struct tasks *tasks, struct task *process);

/*
 * Of a target elsewhere: those are its roots (in the order of their numbers, each once), and whom
 * target_add_member() names since is all who belongs to it. NULL and 0 where it has none.
 */
void target_set_roots(struct target *target, const struct target_root *roots, size_t n);
void target_add_member(struct target *target, struct task *task);
/* It is everybody again. */
void target_set_all(struct target *target);

/* Once an interval: which of its roots have ended meanwhile. */
void target_poll_roots(struct target *target, uint64_t now_ns);
/* Whether there were any, and all have. */
bool target_has_ended(const struct target *target);
/*
 * A process becomes one of the roots, with what it has started. 0, also where it is one already; or
 * -EINVAL and a sentence where there is none, or user and cgroup exclude it.
 */
int target_attach(struct target *target, struct tasks *tasks, pid_t pid, struct error *err);
/*
 * Gives up the roots that have ended; where none has, all of them, so that user and cgroup alone
 * restrict what is wanted.
 */
void target_dismiss(struct target *target);
/* Grows whenever tasks may belong to it that did not before. */
unsigned target_generation(const struct target *target);

/* Those that were asked for, *n of them, in the order of their numbers, each once. */
const struct target_root *target_roots(const struct target *target, size_t *n);
/* The process that has still to exec when the target is made; 0: none. */
pid_t target_command(const struct target *target);

#endif
