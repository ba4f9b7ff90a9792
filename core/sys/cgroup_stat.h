// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CGROUP_STAT_H
#define PMCTOP_CGROUP_STAT_H

#include "core/sys/cgroup_dir.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The limits of one cgroup and what they did, since it was made. All users can read these files.
 * Formats: Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/. The root of version 2 has none
 * of them: -ENOENT or -ENODATA. So have cgroups in which the controller is off.
 */

/* cpu.stat. Throttled time is a part of the tasks' run-queue wait. */
struct cgroup_throttling {
	uint64_t periods;      /* in which the cgroup ran under a quota */
	uint64_t throttled;    /* those in which the quota was used up */
	uint64_t throttled_ns; /* summed over CPUs */
};

/* 0 or -errno; -ENODATA if a number is missing. */
int cgroup_throttling_read(const struct sys *sys, const struct cgroup_dir *dir,
			   struct cgroup_throttling *throttling);

/* cpu.max, or cpu.cfs_quota_us and cpu.cfs_period_us. */
struct cgroup_quota {
	bool limited;
	double cpus; /* how many CPUs may be used; 0 if not limited */
};

int cgroup_quota_read(const struct sys *sys, const struct cgroup_dir *dir,
		      struct cgroup_quota *quota); /* 0 or -errno */

/* memory.events, with the cgroups below. Version 1 has MAX (memory.failcnt) and OOM_KILL. */
enum cgroup_memory_event {
	CGROUP_MEMORY_LOW,      /* reclaimed although usage was below memory.low */
	CGROUP_MEMORY_HIGH,     /* slowed down, because usage was above memory.high */
	CGROUP_MEMORY_MAX,      /* usage was about to exceed memory.max */
	CGROUP_MEMORY_OOM,      /* an allocation was about to fail */
	CGROUP_MEMORY_OOM_KILL, /* a process was killed */
	CGROUP_MEMORY_EVENTS,
};

struct cgroup_memory {
	uint64_t current_bytes;
	/* CGROUP_NO_LIMIT if there is no limit. Version 1 has no high limit. */
	uint64_t max_bytes, high_bytes;
	bool limits_known;
	unsigned events_known; /* 1 << enum cgroup_memory_event */
	uint64_t events[CGROUP_MEMORY_EVENTS];
};
#define CGROUP_NO_LIMIT UINT64_MAX

/* 0 if the usage is known, else -errno. */
int cgroup_memory_read(const struct sys *sys, const struct cgroup_dir *dir,
		       struct cgroup_memory *memory);

#endif
