// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CGROUPS_H
#define PMCTOP_CGROUPS_H

#include "core/sys/sys.h"

#include <stdbool.h>
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

/*
 * Finds the path in the text of /proc/PID/cgroup (cgroups(7)): that of version 2 unless it is the
 * root, else the deepest of the hierarchies of version 1 that services and containers use. Removes
 * the " (deleted)" of a removed cgroup. Returns false if no line has a path.
 */
bool cgroup_parse(const char *text, char *path, size_t size);
enum { CGROUP_PATH_MAX = 4096 }; /* PATH_MAX; longer ones are cut */
/* The same for a thread. */
bool cgroup_of(const struct sys *sys, pid_t tid, char *path, size_t size);
/* A reference to the cgroup of a thread; NULL: unknown. */
struct cgroup *cgroups_read(struct cgroups *cgroups, const struct sys *sys, pid_t tid);

#endif
