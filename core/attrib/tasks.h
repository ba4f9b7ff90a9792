// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TASKS_H
#define PMCTOP_TASKS_H

#include "core/attrib/cgroups.h"
#include "core/attrib/cmdline.h"
#include "core/base/util.h"
#include "core/perf/record.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The task table: who is behind a tid at a time. COMM, FORK and EXIT records keep it; /proc fills
 * in what was there before we came, and only for tasks that run.
 *
 * Rings are read one CPU after the other, so a child's samples may come before the FORK that made
 * it. Therefore a task is found by (tid, time), and a record about the past finds the past task.
 * Linux reuses a tid only after all others. Where there are so few that it does so within
 * TASKS_REUSE_NS, a FORK must be told before what the child did: it ends the one before.
 */
enum task_lineage {
	TASK_LINEAGE_UNKNOWN,
	TASK_LINEAGE_OUT,
	TASK_LINEAGE_IN,
};

struct task {
	/* What each of its slices asks for stands together. */
	pid_t tid, pid;     /* pid: thread group; 0 where unknown */
	uint64_t start_ns;  /* its FORK; 0 where it was there before us */
	uint64_t seen_ns;   /* the earliest record that named it */
	uint64_t exit_ns;   /* 0: lives */
	uint64_t interval;  /* the last interval in which it has a slot ... */
	size_t slot;        /* ... and which (core/attrib/interval) */
	struct task *older; /* an exited task of the same tid that is still wanted */

	pid_t ppid, ptid; /* 0 where unknown */
	uid_t uid;        /* (uid_t)-1 where unknown */
	uint64_t uid_ns;  /* when /proc was read for it, or for an ancestor's; 0: never */
	char comm[16];    /* hostile bytes */
	uint64_t exec_ns; /* its last exec; 0: none seen */
	uint64_t comm_ns; /* when comm was taken; 0: comm is not known */
	bool kernel;      /* a kernel thread */
	bool zombie;      /* /proc said so */
	bool looked_up;   /* /proc was asked since its last exec */
	bool told;        /* by tasks_set_facts: nobody else is asked */
	bool listed;      /* among those to be forgotten, once */
	enum task_lineage
		lineage;     /* whether it descends from who is watched (core/attrib/target) ... */
	unsigned lineage_of; /* ... in that generation of it */
	unsigned times_run;  /* in which run core/collect/proc_times read its times; 0: never ... */
	uint64_t user_ticks, system_ticks; /* ... and what it read */
	uint64_t again_ns;                 /* when /proc is to be asked again ... */
	uint64_t age_ns;                   /* ... and how long after the last time that is */
	struct cgroup *cgroup;             /* held; NULL where unknown */
	struct cmdline *cmdline;           /* a reference; NULL where it has none, or unknown ... */
	uint64_t cmdline_ns;               /* ... when /proc was asked for it; 0: never */
	uint64_t sleeping; /* the last interval in which it is in a picture without a slot */
};

/* As long as one that has ended may wait for its last switch, where its CPU is crowded. */
#define TASKS_REUSE_NS NS_PER_S

struct tasks;

struct tasks *tasks_new(const struct sys *sys);
void tasks_free(struct tasks *tasks);

/* The task that had this tid at that time; made up (and looked up later) where none is known. */
struct task *tasks_at(struct tasks *tasks, pid_t pid, pid_t tid, uint64_t time_ns);
/* The same without making one: NULL where none is known. */
struct task *tasks_find(const struct tasks *tasks, pid_t tid, uint64_t time_ns);

/* A task is in that cgroup now, as someone else than /proc tells. */
void tasks_move(struct tasks *tasks, struct task *task, const char *cgroup);

/* What a record of that kind tells; each returns its task, made up where it is new. */
struct task *tasks_fork(struct tasks *tasks, const struct record *record);
struct task *tasks_comm(struct tasks *tasks, const struct record *record);
struct task *tasks_exit(struct tasks *tasks, const struct record *record);

/*
 * All that there is to be known of a task of a machine elsewhere, as of time_ns. Of those that have
 * this tid it is the one that began then (and has ended, or not, just so), or whose beginning is
 * not known, or a new one.
 */
struct task_facts {
	pid_t pid, tid, ppid;
	uid_t uid;
	uint64_t start_ns;
	bool exited, kernel;
	const char *comm;
	const char *cgroup, *cmdline; /* "": unknown, or none */
};
struct task *tasks_set_facts(struct tasks *tasks, const struct task_facts *facts, uint64_t time_ns);

/*
 * Fills in comm, user, cgroup and parent from /proc, or from the parent where the task is gone
 * already. Two small files and one stat, once per exec. A task that is gone has the user of its
 * nearest ancestor that is not, as /proc has it after the fork: setuid() makes no record. That is
 * one stat more for each such ancestor between two calls, however many children it had.
 */
void tasks_read_proc(struct tasks *tasks, struct task *task);

/*
 * The same, and again after a while: setuid(), a move to another cgroup and a new parent make no
 * record. The first times soon, since that is when programs do it, later every TASKS_AGAIN_MOST_NS.
 * At most *budget tasks are asked for again; it counts down.
 */
void tasks_refresh(struct tasks *tasks, struct task *task, uint64_t now_ns, unsigned *budget);
#define TASKS_AGAIN_FIRST_NS (250 * NS_PER_MS)
#define TASKS_AGAIN_MOST_NS  (30 * NS_PER_S)

/*
 * Its command line, as /proc says since its last exec; NULL where it has none, or is not known yet.
 * Of whom `ran` since the last time it is asked again every TASKS_CMDLINE_NS: servers write there
 * what they do. At most *budget are asked for; it counts down.
 */
struct cmdline *tasks_cmdline(struct tasks *tasks, struct task *task, bool ran, uint64_t now_ns,
			      unsigned *budget);
#define TASKS_CMDLINE_NS (5 * NS_PER_S)

/*
 * The main thread of a living process, looked up in /proc where the table does not know it; NULL
 * where there is none.
 */
struct task *tasks_process(struct tasks *tasks, pid_t pid, uint64_t now_ns);
/*
 * That of its process where it is another thread, else of its parent. Whose parent has ended gets
 * the one that took it in; NULL where it has none that can be seen.
 */
struct task *tasks_above(struct tasks *tasks, struct task *task, uint64_t now_ns);

/* Calls fn for every task that lives, of those that are known. */
void tasks_each(const struct tasks *tasks, void (*fn)(void *arg, struct task *task), void *arg);

/* From now on looks up threads, too, that were there at the start and never ran since. */
void tasks_list_threads(struct tasks *tasks);
/* Whether some that were there at the start have still to be looked up. */
bool tasks_are_pending(const struct tasks *tasks);
/*
 * For who is not told of all that begin and end: looks for processes that are not known, and
 * whether those that are live still, as background work. Nothing while the last one is under way.
 */
void tasks_rescan(struct tasks *tasks);

/*
 * Background work for at most budget_ns: looks up those that were there at the start, and
 * after records were lost finds tasks whose EXIT was among them.
 */
void tasks_maintain(struct tasks *tasks, uint64_t budget_ns);
void tasks_records_lost(struct tasks *tasks);
/* The EXITs, made up, of those whom the last tasks_maintain() found to be gone. */
const struct record *tasks_missed_exits(const struct tasks *tasks, size_t *n);

/*
 * Frees the tasks that exited more than TASKS_REUSE_NS before time_ns: call it when their last
 * interval was shown. Pointers to them die.
 */
void tasks_free_exited(struct tasks *tasks, uint64_t time_ns);

size_t tasks_count(const struct tasks *tasks); /* in the table, exited ones too */

#endif
