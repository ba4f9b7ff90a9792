// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CGROUPS_H
#define PMCTOP_CGROUPS_H

#include "core/sys/sys.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The cgroups of tasks. Each path is kept once, and freed with its last reference, as containers
 * come and go by the thousand.
 */
struct cgroup {
	char *path; /* below the root of the hierarchy: "/system.slice/nginx.service"; any bytes */
	unsigned references;
	size_t index; /* in the table of the last snapshot (core/snapshot/snapshot_build) */
};

struct cgroups;

struct cgroups *cgroups_new(void);
void cgroups_free(struct cgroups *cgroups); /* with all cgroups; NULL is valid */

/* A reference to the cgroup of that path, for cgroups_put(). */
struct cgroup *cgroups_get(struct cgroups *cgroups, const char *path);
void cgroups_put(struct cgroups *cgroups, struct cgroup *cgroup); /* NULL is valid */
size_t cgroups_count(const struct cgroups *cgroups);

/* A reference to the cgroup of a thread; NULL: unknown. */
struct cgroup *cgroups_read(struct cgroups *cgroups, const struct sys *sys, pid_t tid);

#endif
