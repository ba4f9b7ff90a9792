// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CGROUP_READER_H
#define PMCTOP_CGROUP_READER_H

#include "core/attrib/tasks.h"
#include "core/snapshot/snapshot.h"
#include "core/sys/cgroup_dir.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Fills in the limits of the cgroups of a snapshot. Limits of the CPU are in the accounts of
 * core/wait/throttling, and cost nothing here. Limits of memory are read if a column or a verdict
 * needs throttled_time: at most CGROUP_READINGS a snapshot, ancestors included, which take less
 * than 1 ms, and each at most once a second. Cgroups with major faults come first, the others in
 * turns. Values older than CGROUP_VALUES_LAST_NS are unknown.
 */
enum { CGROUP_READINGS = 32 };
#define CGROUP_VALUES_LAST_NS (5 * NS_PER_S)

/* A cgroup of the snapshot that is built, in the order of its paths. */
struct cgroup_subject {
	struct cgroup *cgroup; /* a reference */
	pid_t tid;             /* a living thread of it; 0: none */
	bool faults;           /* a row of it had major faults */
};

/* The subjects of one snapshot. */
struct cgroup_subjects {
	struct cgroup_subject *items;
	size_t n, capacity, paths_capacity, limits_capacity;
};

struct cgroup_reader {
	const struct sys *sys; /* borrowed */
	struct cgroup_mounts mounts;
	bool mounts_read;
	size_t next; /* the subject with which the turns go on */
};

void cgroup_reader_fini(struct cgroup_reader *reader); /* zeroed is fine */

/*
 * Returns the index of a task's cgroup in the paths of the snapshot, which its first row adds. -1:
 * unknown. Adds the CPU quota that holds for the task, in the interval of that sequence.
 */
int cgroup_subjects_add(struct cgroup_subjects *subjects, struct snapshot *snapshot,
			const struct task *task, uint64_t sequence);
/* The same for a cgroup alone, without a quota. NULL: -1. */
int cgroup_subjects_add_cgroup(struct cgroup_subjects *subjects, struct snapshot *snapshot,
			       struct cgroup *cgroup);
/* Fills in the rest, after the rows. reader NULL: nothing is read. Frees the subjects. */
void cgroup_subjects_end(struct cgroup_subjects *subjects, struct cgroup_reader *reader,
			 uint64_t now_ns, struct snapshot *snapshot);

#endif
