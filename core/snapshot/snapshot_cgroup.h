// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SNAPSHOT_CGROUP_H
#define PMCTOP_SNAPSHOT_CGROUP_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The limits of a cgroup with rows, and what they did. A limit of an ancestor holds for its
 * descendants, so each value is the worst of the cgroup and its ancestors, as far as they are
 * visible here. Usage and pressure, and in version 1 all values of memory, are the cgroup's own.
 * In version 1 the tasks of one path may be in several cgroups of the CPU controller: then quota
 * and throttled time are the worst of these, and do not hold for each of the tasks.
 *
 * Times and counts are the growth between two readings, so they are unknown at the first one. The
 * values of memory and pressure are not read at every cut if there are many cgroups
 * (cgroup_reader.h): then they are from the last two readings.
 */
enum cgroup_value {
	CGROUP_THROTTLED_S, /* seconds in the interval, summed over CPUs */
	CGROUP_QUOTA,       /* CPUs that may be used: 0.5; 0: no quota */
	CGROUP_USAGE,       /* bytes of memory, of the cgroup itself */
	CGROUP_LIMIT,       /* bytes of memory, the lowest limit (max or high); 0: none */
	/* memory.events, growth per second. Version 1 has CGROUP_MAXES and CGROUP_OOM_KILLS. */
	CGROUP_HIGHS, /* tasks were slowed down because of memory.high */
	CGROUP_MAXES, /* usage was about to exceed memory.max (version 1: memory.failcnt) */
	CGROUP_OOMS,  /* an allocation was about to fail */
	CGROUP_OOM_KILLS,
	/* Percent of the time in which some tasks, or all that could run, waited for memory. */
	CGROUP_PRESSURE,
	CGROUP_PRESSURE_FULL,
	CGROUP_VALUES,
};

/* Zeroed: all values are unknown. */
struct snapshot_cgroup {
	double values[CGROUP_VALUES]; /* 0 where unknown */
	bool known[CGROUP_VALUES];
	/*
	 * Path of the cgroup with the quota: the most throttled one, else the one with the lowest
	 * quota. NULL: no quota, or unknown. Owned by the snapshot.
	 */
	char *quota_path;
};

#endif
