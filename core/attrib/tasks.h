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
 * The task table: which task had a tid at a time. COMM, FORK and EXIT records keep it. /proc fills
 * in what was there before pmctop, and only for tasks that run.
 *
 * Rings are read one CPU after the other, so a child's samples may be read before its FORK. So a
 * task is found by (tid, time), and a record of the past changes the task of that time.
 * Linux reuses a tid only after all others. On a system with so few tids that it reuses one within
 * TASKS_REUSE_NS, the FORK must be applied before the child's samples: it ends the older task.
 */

/* Whether a task descends from a root of the target. core/attrib/target writes it. */
enum task_lineage {
	TASK_LINEAGE_UNKNOWN,
	TASK_LINEAGE_OUT,
	TASK_LINEAGE_IN,
};

struct task_target {
	enum task_lineage lineage;
	unsigned generation; /* of the target to which `lineage` applies */
};

/* The state of a task by /proc. task_set_state() writes it. */
struct task_state {
	char letter; /* as proc_stat.state; 0: not read */
	uint64_t read_ns;
	uint64_t interval; /* task.interval at that reading: another one since: it ran */
};

/* Of a recording: tasks_set_facts() writes it. */
struct task_recorded {
	bool known;        /* /proc is never read */
	bool lost;         /* the counts of its last row are lower bounds */
	uint64_t held_ms;  /* as struct row has it */
	uint64_t interval; /* task_facts.interval of the last call */
};

/* The command line, at its last reading. tasks_cmdline() writes it. */
struct task_cmdline {
	struct cmdline *last; /* a reference; NULL: none, or unknown */
	uint64_t read_ns;     /* 0: never ... */
	uint64_t interval;    /* ... and task.interval then */
	bool aged;            /* its process has run since */
};

/* When /proc is read again (tasks_refresh()), and how long after the last time that is. */
struct task_reread {
	uint64_t due_ns, after_ns;
};

/*
 * A task's account of core/wait, which alone writes it: why it did not run in one interval. It
 * belongs to the `run` and the interval of struct waits with these numbers.
 */
enum task_wait_state {
	TASK_RUNNING,
	TASK_PREEMPTED, /* runnable, left its CPU */
	TASK_NEW,       /* runnable since its FORK */
	TASK_WOKEN,     /* runnable since a wake-up that has a record */
	TASK_SLEEPING,
	TASK_UNINTERRUPTIBLE,
	TASK_STOPPED,
	TASK_BLOCKED, /* sleeping, uninterruptible or stopped: no record has which */
	TASK_OFF,     /* off its CPU; no record has the reason */
	TASK_UNKNOWN, /* no record has whether it ran */
	TASK_ENDED,
	TASK_WAIT_STATES,
};

/* How /proc has a task that is blocked by the records. */
enum task_seen {
	TASK_UNSEEN,
	TASK_SEEN_BLOCKED,
	TASK_SEEN_RUNNABLE,
};

struct task_wait {
	uint64_t run, interval;
	uint64_t until_ns;      /* the account is complete up to this time */
	uint32_t cpu;           /* index of the CPU of its last slice in this run */
	bool has_run;           /* it has a slice in this run */
	uint64_t placed_ns;     /* the part of runq_time that CPUs have */
	uint64_t came_ns;       /* time at which its last slice began; 0: none in this run */
	uint64_t left_ns;       /* time at which the task left its CPU, or was forked */
	uint64_t woken_ns;      /* its first wake-up since then that has a record; 0: none */
	uint64_t last_woken_ns; /* its latest one */
	bool woken_early;       /* the latest one was in its last slice */
	size_t place;           /* index in the interval's tasks */
	uint64_t sums[TASK_WAIT_STATES]; /* ns in each state; TASK_ENDED: none */
	/* By schedstat, at its last reading: ns in run queues, slices; when that began and ended.
	 */
	uint64_t queue_ns, queue_slices, read_ns[2];
	/* Since that reading: waits of TASK_PREEMPTED to TASK_WOKEN that ended, and slices. */
	uint64_t completed_ns, slices;
	uint32_t completed;   /* how many waits these were */
	uint64_t late_slices; /* of that reading: began after the interval, no record so far */
	bool late_known;      /* late_slices is */
	bool slices_unclear;  /* one began during that reading, or has no record */
	bool slices_hidden;   /* some of its slices have no record */
	/* Wake-ups without a record: all; from TASK_UNINTERRUPTIBLE; from TASK_STOPPED. */
	uint32_t wakeups, wakeups_d, wakeups_stopped;
	uint32_t wakeups_recorded;       /* waits in TASK_WOKEN that ended with a slice */
	uint32_t voluntary, involuntary; /* switches ... */
	bool ends_unclear;               /* ... and some are in neither: no record has which */
	bool hidden;    /* it has had such a switch: the kernel hides its switches and wake-ups */
	uint32_t forks; /* processes that it or its new descendants started ... */
	uint64_t forked_ns;         /* ... and their CPU time */
	enum task_wait_state state; /* since until_ns */
	bool queue_known;           /* queue_ns was read, or the task was new then */
	unsigned char looked;       /* 1 + its index in struct looks (core/wait/looks.h); 0: none */
	bool queued_off; /* TASK_WOKEN at the begin of the interval, after TASK_OFF: or preempted */
	bool queued; /* at the end of the interval: runnable, after a wake-up at an unknown time */
	enum task_seen seen;      /* in /proc, since it left its CPU ... */
	uint64_t seen_ns;         /* ... at that time */
	uint64_t seen_blocked_ns; /* the last time at which it was surely blocked */
	uint64_t known_ns;        /* if that is later than left_ns: since then it is in its state */
	/* By scans of /proc alone, up to the last one: since when it is held; 0: it is not. */
	uint64_t held_ns, held_until_ns;
	uint64_t off_ns;                /* end of its last slice, if it is watched; 0: unknown */
	enum task_wait_state off_state; /* after that slice */
	/* Blocked time of the interval that ended without a record of the wake-up ... */
	uint64_t ended_ns; /* ... all */
	/*
	 * Sleeps that ended so and whose CPU ran another task after the switch, in ns since it:
	 * their sum, the sum of those before a slice on another CPU, the longest of the others.
	 */
	uint64_t busy_ns, moved_ns, stayed_ns;
	/* Waits before the interval that may be in the next growth of schedstat, at most: of the
	 * time off its CPU that lasts, of the one that ended, and of earlier ones. */
	uint64_t crossing_ns, crossed_ns, ahead_ns;
	uint64_t moving_ns;  /* of the wait that lasts, so much may be in that reading */
	uint64_t behind_ns;  /* waits of the interval that the last reading may have, at most */
	uint64_t migrations; /* by /proc, at its last reading */
	uint32_t moves;      /* slices on another CPU than the one before, since that reading */
	uint32_t moves_left; /* migrations without such a slice, of the reading before that one */
	bool migrations_known;
	bool left_idle; /* its CPU was idle after its last slice */
	/* While it is D or stopped: its slices by schedstat before the end of that interval. */
	uint64_t still_slices, still_interval;
	bool stays; /* it did not run in the interval, also in gaps: that number did not grow */
};

/* What schedstat had at the last reading. core/snapshot/run_proof writes it. */
struct task_proof {
	uint64_t sequence; /* of the interval that ended then; 0: never read */
	uint64_t interval; /* the last one until then in which the task had a slot */
	uint64_t run_ns, slices;
};

/* What /proc/PID/io had at the last reading. core/snapshot/fact_reader writes it. */
struct task_io_reading {
	uint64_t read_bytes, write_bytes;
	uint64_t read_ns;   /* time of that reading; 0: never read */
	uint64_t missed_ns; /* end of the last interval in which it ran unread; 0: none */
};

struct task_io {
	struct task_io_reading thread, process; /* `process`: of a main thread's process */
};

/* The CPU time that stat had at the last reading. core/collect/proc_times writes it. */
struct task_times {
	/* The series of cuts (proc_times.run) of that reading. 0: never; UINT_MAX: it ran unread.
	 */
	unsigned run;
	uint64_t user_ticks, system_ticks;
};

/* What roll-ups sum the counts of a task by. */
enum task_owner {
	TASK_OWNER_COMM,
	TASK_OWNER_USER,
	TASK_OWNER_CGROUP,
	TASK_OWNERS,
};

/*
 * The name, the user and the cgroup of a task before its last change of each. A COMM record has the
 * time of the change. /proc has that it was between two readings.
 */
struct task_before {
	struct {
		uint64_t since_ns, until_ns; /* the change was between these; 0: there was none */
		uint64_t cut; /* the cut before which it was found (tasks_begin_cut) */
		/* Of a recording, in place of times: bounds of the part before; most 0: none. */
		float least, most;
	} changes[TASK_OWNERS];
	/* Of a recording: bounds of the part in its target (struct row_before), and the cut. */
	float target_least, target_most;
	uint64_t target_cut;
	char comm[16];
	uid_t uid;
	struct cgroup *cgroup; /* a reference; NULL: unknown */
};

struct task {
	/* The members that each slice needs are together. */
	pid_t tid, pid;           /* pid: thread group; 0: unknown */
	uint64_t start_ns;        /* time of its FORK; 0: it began before pmctop */
	uint64_t seen_ns;         /* time of the earliest record that names it */
	uint64_t exit_ns;         /* 0: it lives */
	uint64_t interval;        /* sequence of the last interval in which it has a slot ... */
	size_t slot;              /* ... and that slot (core/attrib/interval) */
	uint64_t interval_before; /* the last one before it with a slot */
	struct task *older;       /* an exited task of the same tid; NULL: none */

	pid_t ppid, ptid;  /* 0: unknown */
	uid_t uid;         /* (uid_t)-1: unknown */
	uint64_t uid_ns;   /* time of reading uid from /proc, for it or an ancestor; 0: never */
	char comm[16];     /* untrusted bytes */
	uint64_t exec_ns;  /* time of its last exec; 0: none seen */
	uint64_t comm_ns;  /* time of comm; 0: comm is unknown */
	bool kernel;       /* a kernel thread */
	bool zombie;       /* it has ended, and /proc still has it; exit_ns is 0 ... */
	bool unwaited;     /* ... and so have all threads of its process */
	bool proc_is_read; /* /proc was read since its last exec */
	bool in_exited;    /* it is in the list of exited tasks */
	struct task_recorded recorded;
	struct task_state state;
	struct task_reread reread;
	struct cgroup *cgroup;      /* a reference; NULL: unknown */
	struct cgroup *cpu_cgroup;  /* that of the CPU controller; the same */
	uint64_t owner_ns;          /* time of reading user and cgroup; 0: never ... */
	uint64_t owner_cut;         /* ... and the number of the cut */
	struct task_before *before; /* owned; NULL: nothing has changed */
	struct task_cmdline cmdline;

	/* What others keep of a task. tests/owners.py has the writer of each member. */
	struct task_target target;
	struct task_times times;
	struct task_io io;
	struct task_proof proof;
	/* core/snapshot/snapshot_build: the last interval with it in the snapshot without a slot */
	uint64_t sleeping;
	struct task_wait wait;
};

/* The longest time from a task's EXIT to its last switch, on a crowded CPU. */
#define TASKS_REUSE_NS NS_PER_S

struct tasks;

/* Reads nothing: the first tasks_maintain() lists the processes of /proc. Borrows sys. */
struct tasks *tasks_new(const struct sys *sys);
void tasks_free(struct tasks *tasks); /* NULL is valid */

/* The task that had this tid at that time. Adds one if there is none. pid <= 0: unknown. */
struct task *tasks_at(struct tasks *tasks, pid_t pid, pid_t tid, uint64_t time_ns);
/* The same without adding one: NULL if there is none. */
struct task *tasks_find(const struct tasks *tasks, pid_t tid, uint64_t time_ns);

/* The task of this tid and this start (0: unknown) that has a slot in that interval; NULL: none. */
struct task *tasks_find_in(const struct tasks *tasks, pid_t tid, uint64_t start_ns,
			   uint64_t interval);
/* The newest one of this tid and this start that has none in that interval; NULL: none. */
struct task *tasks_find_outside(const struct tasks *tasks, pid_t tid, uint64_t start_ns,
				uint64_t interval);

/* Sets the cgroup that a task has at a time, from another source than /proc. */
void tasks_move(struct tasks *tasks, struct task *task, const char *cgroup, uint64_t time_ns);

/* Applies a record of that kind. Each returns the task, which it adds if there is none. */
struct task *tasks_fork(struct tasks *tasks, const struct record *record);
struct task *tasks_comm(struct tasks *tasks, const struct record *record);
struct task *tasks_exit(struct tasks *tasks, const struct record *record);

/*
 * Sets all that is known of a task of another machine (a recording), as of time_ns. It is the task
 * of this tid with the same start, else one with an unknown start, else a new one. Of several tasks
 * with the same start it is the one that lives. Exited ones that ran in the interval have facts in
 * the order of their slots there.
 */
struct task_facts {
	pid_t pid, tid, ppid;
	uid_t uid;
	uint64_t start_ns;
	uint64_t interval; /* sequence of the interval that these facts are of */
	uint64_t held_ms;
	bool exited, zombie, kernel, lost;
	const char *comm;
	const char *cgroup, *cmdline; /* "": unknown, or none */
};
struct task *tasks_set_facts(struct tasks *tasks, const struct task_facts *facts, uint64_t time_ns);

/*
 * Reads comm, user, cgroup and parent from /proc, once per exec: two small files and one stat. A
 * task that is gone gets those of its parent, except the user: setuid() makes no record, so the
 * user is read from the nearest ancestor that is alive, after the fork. Between two calls that
 * costs one stat for each such ancestor, for any number of children.
 */
void tasks_read_proc(struct tasks *tasks, struct task *task);

/*
 * The same, and reads again after a while: setuid(), a move to another cgroup and a new parent make
 * no record. The first time is soon, as programs do this when they start; later it is every
 * TASKS_AGAIN_MOST_NS. Each repeated reading decrements *budget; none at 0.
 */
void tasks_refresh(struct tasks *tasks, struct task *task, uint64_t now_ns, unsigned *budget);
#define TASKS_AGAIN_FIRST_NS (250 * NS_PER_MS)
#define TASKS_AGAIN_MOST_NS  (30 * NS_PER_S)

/*
 * A change that is found until the end of a cut is of the interval that this cut ends. Returns the
 * number of the cut: 1, 2 ...
 */
uint64_t tasks_begin_cut(struct tasks *tasks);
void tasks_end_cut(struct tasks *tasks);
/*
 * Reads user and cgroup of a task that was read before, but not since the last cut, or in this one.
 * Here as elsewhere, a change since the last reading is noted in task->before.
 */
void tasks_notice_move(struct tasks *tasks, struct task *task, uint64_t now_ns);
/* Sets task->before of a recording, for the next cut. comm and cgroup "": unknown. */
struct task_was {
	float least[TASK_OWNERS], most[TASK_OWNERS]; /* as in struct task_before ... */
	float target_least, target_most;             /* ... and these */
	uid_t uid;
	const char *comm, *cgroup;
};
void tasks_set_before(struct tasks *tasks, struct task *task, const struct task_was *was);

/*
 * Returns the command line that /proc has since the last exec; NULL: none, or not known yet. The
 * caller borrows it. If the task `ran` since the last call, it is read again TASKS_CMDLINE_NS after
 * the last reading, as servers write there what they do.
 */
struct cmdline_budget {
	unsigned left; /* readings; none at 0 */
	size_t unread; /* tasks whose command line was not read for that reason */
};
struct cmdline *tasks_cmdline(struct tasks *tasks, struct task *task, bool ran, uint64_t now_ns,
			      struct cmdline_budget *budget);
#define TASKS_CMDLINE_NS (5 * NS_PER_S)

/* The main thread of a living process. Reads /proc if it is not in the table. NULL: none. */
struct task *tasks_process(struct tasks *tasks, pid_t pid, uint64_t now_ns);
/*
 * The main thread of its process, or of a main thread the parent. If the parent has ended, it is
 * the process that adopted it. NULL: none that /proc shows.
 */
struct task *tasks_above(struct tasks *tasks, struct task *task, uint64_t now_ns);

/* Keeps the state that /proc had at now_ns, between two intervals. */
static inline void task_set_state(struct task *task, char state, uint64_t now_ns)
{
	task->state = (struct task_state){state, now_ns, task->interval};
}

/* Sets what a source has that the table does not read: a scan of /proc, or a recording. */
static inline void task_set_origin(struct task *task, bool kernel, pid_t ppid)
{
	task->kernel = kernel;
	task->ppid = ppid;
}

/* 0: it began at an unknown time. */
static inline void task_set_start(struct task *task, uint64_t start_ns)
{
	task->start_ns = start_ns;
}

/* Makes it the idle task of the CPUs, with the name that perf gives it. */
void task_set_idle(struct task *task);
/*
 * A task that has ended, and of which /proc has a file, since nothing has waited for it: a process,
 * or a main thread with living threads. It is in the table without an exit_ns until /proc has no
 * file.
 */
void tasks_mark_zombie(struct tasks *tasks, struct task *task, uint64_t now_ns);
/* The same of a process, for a caller that scans all of /proc each time. */
void tasks_set_zombie(struct tasks *tasks, struct task *task, bool zombie, uint64_t now_ns);
/*
 * Drops zombies that are gone. Call it before they are shown. Of more than TASKS_ZOMBIES_CHECKED it
 * checks so many, each time others.
 */
void tasks_check_zombies(struct tasks *tasks);
enum { TASKS_ZOMBIES_CHECKED = 100 };
/*
 * Checks all of them, and finds zombies that are not in the table, in a list of /proc: they made no
 * record since pmctop began, or their EXIT is past. Does nothing if it is soon after the last call,
 * so that it costs at most 1 % of a CPU if `often`, else 0.1 %. If not `often`, /proc is listed
 * only after the table has dropped a process.
 */
void tasks_find_zombies(struct tasks *tasks, bool often);
#define TASKS_ZOMBIES_PAUSE  99
#define TASKS_ZOMBIES_SELDOM 999
/*
 * Calls fn, which may be NULL, for every process that has ended and that its parent has not waited
 * for. Returns their number.
 */
size_t tasks_each_zombie(struct tasks *tasks, void (*fn)(void *arg, struct task *task), void *arg);

/* Calls fn for every living task of the table, and for zombies. */
void tasks_each(const struct tasks *tasks, void (*fn)(void *arg, struct task *task), void *arg);

/* From now on, threads that existed at the start and have not run are read too. */
void tasks_list_threads(struct tasks *tasks);
/* Whether tasks that existed at the start are still to be read. */
bool tasks_are_pending(const struct tasks *tasks);
/*
 * Begins to search /proc for processes that are not in the table, and for tasks that are gone. For
 * a caller that does not get all records. Does nothing while such a search is under way.
 */
void tasks_rescan(struct tasks *tasks);

/*
 * Background work for at most budget_ns: reads tasks that existed at the start, and after records
 * were lost finds tasks of which the EXIT was among them.
 */
void tasks_maintain(struct tasks *tasks, uint64_t budget_ns);
void tasks_records_lost(struct tasks *tasks);
/* EXIT records, made up, of the tasks that the last tasks_maintain() did not find. Borrowed. */
const struct record *tasks_missed_exits(const struct tasks *tasks, size_t *n);

/*
 * Frees the tasks that exited more than TASKS_REUSE_NS before time_ns. Call it after their last
 * interval is in a snapshot: pointers to them become invalid.
 */
void tasks_free_exited(struct tasks *tasks, uint64_t time_ns);
/* The same during the interval with that sequence: tasks with a slot in it are kept. */
void tasks_free_unused(struct tasks *tasks, uint64_t time_ns, uint64_t interval);

size_t tasks_count(const struct tasks *tasks); /* in the table, exited ones included */

#endif
