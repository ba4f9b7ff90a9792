// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CGROUPS_H
#define PMCTOP_CGROUPS_H

#include "core/sys/cgroup_stat.h"
#include "core/sys/pressure.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * What core/wait/throttling has of a cgroup in the hierarchy of the CPU controller. The numbers of
 * intervals are those of struct interval; 0: none.
 */
enum cgroup_limit {
	CGROUP_LIMIT_UNKNOWN,
	CGROUP_OUTSIDE, /* its files are not visible here */
	CGROUP_UNLIMITED,
	CGROUP_LIMITED,
};

struct cgroup_quota_account {
	/* Of the cgroup itself. */
	enum cgroup_limit limit;
	double cpus;           /* of the quota, if limited */
	uint64_t updated;      /* the last interval with a reading */
	uint64_t limit_read;   /* the last interval with a reading of the quota */
	uint64_t throttled_ns; /* since the cgroup was made, at the last reading ... */
	uint64_t stat_read;    /* ... and its interval */
	uint64_t grown_ns;     /* throttled_ns less that of the reading before */
	bool stat_known, grown_known;
	/* Of the cgroup and its ancestors, in the interval `evaluated`. */
	uint64_t evaluated;
	bool known, quota_known;
	uint64_t most_ns;          /* the greatest growth */
	double least_cpus;         /* the lowest quota; 0: none */
	const struct cgroup *most; /* the one with the growth, else with the quota; NULL: none */
};

/* The last reading of its memory files, and the growth since the one before (cgroup_reader.h). */
struct cgroup_memory_account {
	uint64_t read_ns; /* time of the reading; 0: none */
	bool usage_known;
	struct cgroup_memory memory;
	unsigned rates_known;               /* 1 << enum cgroup_memory_event */
	double rates[CGROUP_MEMORY_EVENTS]; /* events per second */
	char *path; /* in the hierarchy of version 1 with the controller; NULL: unknown */
};

struct cgroup_pressure_account {
	uint64_t read_ns;
	struct pressure last; /* of memory */
	bool known[2];        /* some, full */
	double percent[2];    /* of the time between the two readings */
};

/*
 * The cgroups of tasks. Each path is kept once, and freed with its last reference, as containers
 * come and go by the thousand.
 */
struct cgroup {
	char *path; /* below the root of the hierarchy: "/system.slice/nginx.service"; any bytes */
	struct cgroups *table;
	struct cgroup *parent; /* a reference; NULL: none, or cgroup_parent() was not called */
	unsigned references;
	/* What others keep of a cgroup. tests/owners.py has the writer of each member. */
	size_t index; /* in the table of the last snapshot (core/snapshot/cgroup_reader) */
	struct cgroup_quota_account quota;
	struct cgroup_memory_account memory;
	struct cgroup_pressure_account pressure;
};

struct cgroups;

struct cgroups *cgroups_new(void);
void cgroups_free(struct cgroups *cgroups); /* with all cgroups; NULL is valid */

/* A reference to the cgroup of that path, for cgroups_put(). */
struct cgroup *cgroups_get(struct cgroups *cgroups, const char *path);
struct cgroup *cgroup_ref(struct cgroup *cgroup);                 /* NULL is valid */
void cgroups_put(struct cgroups *cgroups, struct cgroup *cgroup); /* NULL is valid */
/* The cgroup above, borrowed; NULL: `cgroup` is the root. */
struct cgroup *cgroup_parent(struct cgroup *cgroup);
size_t cgroups_count(const struct cgroups *cgroups);

/*
 * References to the cgroup of a thread, and to that of the CPU controller, which may be in another
 * hierarchy; NULL: unknown. Returns false if both are.
 */
bool cgroups_read(struct cgroups *cgroups, const struct sys *sys, pid_t tid, struct cgroup **cgroup,
		  struct cgroup **cpu_cgroup);

#endif
