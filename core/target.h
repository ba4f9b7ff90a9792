// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TARGET_H
#define PMCTOP_TARGET_H

#include "error.h"
#include "sys.h"
#include "tasks.h"

#include <stdbool.h>
#include <stddef.h>
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
	const char *user;   /* name or number; NULL: any */
	const char *cgroup; /* as in /proc/PID/cgroup, or below /sys/fs/cgroup; NULL: any */
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

#endif
