// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CGROUP_FIND_H
#define PMCTOP_CGROUP_FIND_H

#include "core/sys/sys.h"

#include <stdbool.h>

/*
 * The path of a cgroup as /proc/PID/cgroup spells it, which is looked for by its path, with where
 * it is mounted (/sys/fs/cgroup, of version 2 or 1) or without, or by what tables call it
 * (core/sys/cgroup_name.h), if a process is in it. The caller's; NULL where there is none.
 */
char *cgroup_find(const struct sys *sys, const char *what);

/* Whether one path is the other, or below it. */
bool cgroup_is_within(const char *path, const char *above);

#endif
