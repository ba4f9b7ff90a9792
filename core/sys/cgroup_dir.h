// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CGROUP_DIR_H
#define PMCTOP_CGROUP_DIR_H

#include "core/sys/cgroup_path.h"
#include "core/sys/sys.h"

/*
 * The directories of cgroups: from a path in /proc/PID/cgroup to the files of a controller. A
 * controller is in a hierarchy of version 1, else in version 2's; a machine may have both.
 */
enum cgroup_controller {
	CGROUP_CPU,
	CGROUP_MEMORY,
	CGROUP_UNIFIED, /* version 2, which alone has pressure files */
	CGROUP_CONTROLLERS,
};

struct cgroup_mount {
	unsigned version; /* 1 or 2; 0: not mounted */
	char *root;       /* the cgroup that is mounted: "/", in a container "/docker/ID" */
	char *point;      /* "/sys/fs/cgroup/memory" */
};

struct cgroup_mounts {
	struct cgroup_mount items[CGROUP_CONTROLLERS];
};

/* Parses a text of /proc/PID/mountinfo (proc_pid_mountinfo(5)). */
void cgroup_mounts_parse(const char *text, struct cgroup_mounts *mounts);
/* The mounts of this process. 0 or -errno. The caller calls cgroup_mounts_fini() in both cases. */
int cgroup_mounts_read(const struct sys *sys, struct cgroup_mounts *mounts);
void cgroup_mounts_fini(struct cgroup_mounts *mounts);

struct cgroup_dir {
	unsigned version; /* 1 or 2 */
	char path[2 * CGROUP_PATH_MAX];
};

/*
 * The directory of a path in /proc/PID/cgroup. 0, or -ENOENT if the controller is not mounted, or
 * the path is outside the mount or the cgroup namespace.
 */
int cgroup_dir_find(const struct cgroup_mounts *mounts, enum cgroup_controller controller,
		    const char *path, struct cgroup_dir *dir);

#endif
