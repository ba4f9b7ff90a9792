// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TASKS_INTERNAL_H
#define PMCTOP_TASKS_INTERNAL_H

#include "core/attrib/tasks.h"
#include "core/base/hash_table.h"
#include "core/sys/proc.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Private to core/attrib/tasks*.c:
 *   tasks.c       the table, and the records that change it
 *   tasks_proc.c  what /proc has about one task
 *   tasks_owner.c changes of name, user and cgroup
 *   tasks_scan.c  background work: tasks that made no record, EXITs that were lost, zombies
 */

/* A task of /proc that may not be in the table. */
struct pending_task {
	pid_t pid, tid;
};

struct tasks {
	const struct sys *sys;
	struct hash_table table; /* by tid: the newest task of it */
	size_t n;                /* older ones too */
	struct task **exited;    /* in order of EXIT, to be freed */
	size_t n_exited, exited_capacity;
	bool list_due; /* the processes of /proc are to become pending */
	struct pending_task *pending;
	size_t n_pending, pending_capacity;
	bool lists_threads;          /* all threads are scanned, not only processes */
	size_t verify_left;          /* slots to compare with /proc; 0: no scan is under way */
	size_t verify_at;            /* the slot that was compared last; the scan goes downwards */
	struct record *missed_exits; /* found by the last tasks_maintain() */
	size_t n_missed_exits, missed_exits_capacity;
	struct cgroups *cgroups;
	pid_t *zombies; /* tids of tasks that may be zombies */
	size_t n_zombies, zombies_capacity;
	size_t zombies_at;       /* the next one that is checked */
	uint64_t zombies_due_ns; /* time of the next search for them */
	bool has_dropped;        /* a main thread was removed since the last one */
	uint64_t n_cuts;         /* begun so far */
	bool in_cut;             /* the last one has not ended */
};

/*
 * tasks.c: adds a task of that tid. An older task of the tid has ended when a younger one began.
 */
struct task *tasks_add(struct tasks *tasks, pid_t pid, pid_t tid, uint64_t time_ns);
void tasks_mark_exited(struct tasks *tasks, struct task *task, uint64_t time_ns);
/* Sets the cgroups of a task, which takes ownership of the two references. */
void tasks_set_cgroups(struct tasks *tasks, struct task *task, struct cgroup *cgroup,
		       struct cgroup *cpu_cgroup);
/* Fills in what is unknown of a task with what its parent has. */
void tasks_inherit(struct tasks *tasks, struct task *task, const struct task *parent,
		   uint64_t time_ns);

/* tasks_owner.c: notes that a COMM record changes the name, before it does. */
void tasks_note_rename(struct tasks *tasks, struct task *task, const char comm[16],
		       uint64_t time_ns);
/*
 * tasks_owner.c: sets what /proc has at now_ns, and notes a change since the last reading. uid -1,
 * cgroup NULL: not read. Takes ownership of the two references.
 */
void tasks_set_owner(struct tasks *tasks, struct task *task, uid_t uid, struct cgroup *cgroup,
		     struct cgroup *cpu_cgroup, uint64_t now_ns);
/*
 * tasks_owner.c: a task has ended before /proc was read again after its exec. It may have changed
 * its user and cgroup for unknown ones, as most programs that do so exec then.
 */
void tasks_doubt_owner(struct tasks *tasks, struct task *task);
/* tasks_owner.c: the number of the cut that ends the interval of what is found now. */
uint64_t tasks_cut(const struct tasks *tasks);
void tasks_forget_before(struct tasks *tasks, struct task *task);

/* tasks_proc.c: reads the stat of a task, without sums of its process. As proc_stat_read(). */
int tasks_read_stat(const struct tasks *tasks, pid_t tid, struct proc_stat *stat);

/* tasks_proc.c: adds a task that /proc has, perhaps as a zombie. */
struct task *tasks_add_listed(struct tasks *tasks, pid_t pid, const struct proc_stat *stat,
			      uint64_t now_ns);

#endif
