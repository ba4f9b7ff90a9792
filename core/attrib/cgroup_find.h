// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CGROUP_FIND_H
#define PMCTOP_CGROUP_FIND_H

#include "core/sys/sys.h"

#include <stdbool.h>

/*
 * Finds a cgroup by its path, with or without its mount point (/sys/fs/cgroup, of version 2 or 1),
 * or by the name that tables show (core/sys/cgroup_name.h) if a process is in it. Returns the path
 * as in /proc/PID/cgroup, owned by the caller; NULL: there is none.
 */
char *cgroup_find(const struct sys *sys, const char *what);

/* Whether `path` is `above`, or below it. */
bool cgroup_is_within(const char *path, const char *above);

#endif
