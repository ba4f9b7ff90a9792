// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CGROUP_PATH_H
#define PMCTOP_CGROUP_PATH_H

#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * The paths in /proc/PID/cgroup (cgroups(7)), readable for all users. The file has a line per
 * mounted hierarchy: one for version 2, and one for each of version 1. A path begins with '/', may
 * have any other bytes but a newline, and loses the " (deleted)" of a removed cgroup. It is cut at
 * size - 1 bytes.
 */
enum { CGROUP_PATH_MAX = 4096 }; /* PATH_MAX; longer ones are cut */

/*
 * The path that names the cgroup: the path in version 2 unless it is the root, else the deepest
 * path in the hierarchies of version 1 that services and containers use. False if no line has a
 * path.
 */
bool cgroup_parse(const char *text, char *path, size_t size);
/* The same for a thread. */
bool cgroup_of(const struct sys *sys, pid_t tid, char *path, size_t size);

/* The path that names the cgroup of a thread, and its path in the CPU controller ("": unknown). */
struct cgroup_paths {
	char name[CGROUP_PATH_MAX], cpu[CGROUP_PATH_MAX];
};
bool cgroup_paths_of(const struct sys *sys, pid_t tid, struct cgroup_paths *paths);

/*
 * The path in the hierarchy of version 1 with that controller ("cpu"), or of version 2 if it is
 * NULL. False if there is no such line.
 */
bool cgroup_parse_controller(const char *text, const char *controller, char *path, size_t size);
/* The same for a thread. 0 or -errno; -ENOENT also if there is no such line. */
int cgroup_of_controller(const struct sys *sys, pid_t tid, const char *controller, char *path,
			 size_t size);

/* Whether a word is in "cpu,cpuacct", a text of `length` bytes. */
bool cgroup_list_has(const char *list, size_t length, const char *word);

#endif
