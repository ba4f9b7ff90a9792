// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CGROUPS_H
#define PMCTOP_CGROUPS_H

#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The cgroups that tasks are in, each path kept once for as long as someone holds it: containers
 * come and go by the thousand.
 */
struct cgroup {
	char *path; /* below the root of the hierarchy: "/system.slice/nginx.service"; any bytes */
	unsigned references;
	size_t index; /* in the last table that it was put into (core/snapshot/snapshot_build) */
};

struct cgroups;

struct cgroups *cgroups_new(void);
void cgroups_free(struct cgroups *cgroups); /* whoever still holds one; NULL is fine */

/* The cgroup of that path, held once more. */
struct cgroup *cgroups_get(struct cgroups *cgroups, const char *path);
void cgroups_put(struct cgroups *cgroups, struct cgroup *cgroup); /* NULL is fine */
size_t cgroups_count(const struct cgroups *cgroups);

/*
 * The path out of /proc/PID/cgroup (cgroups(7)): that of version 2, or where all is in its root
 * the deepest of the hierarchies of version 1 that tell of services and containers. A cgroup that
 * was removed under its task has lost its " (deleted)". False where no line is of use.
 */
bool cgroup_parse(const char *text, char *path, size_t size);
enum { CGROUP_PATH_MAX = 4096 }; /* PATH_MAX; longer ones are cut */
/* The same of any thread. */
bool cgroup_of(const struct sys *sys, pid_t tid, char *path, size_t size);
/* Of any thread, held once; NULL where the kernel does not tell. */
struct cgroup *cgroups_read(struct cgroups *cgroups, const struct sys *sys, pid_t tid);

#endif
