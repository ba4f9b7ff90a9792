// SPDX-License-Identifier: MIT
#ifndef PMCTOP_RUNNING_TASK_H
#define PMCTOP_RUNNING_TASK_H

#include "core/attrib/tasks.h"
#include "core/perf/record.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The running task of a CPU: which task runs there, and since which record.
 *
 * Three sources name it: the tracepoint's next in a switch sample, a SWITCH record of a task that
 * came, and a tick, which names the task that it interrupts. A switch sample names the task that
 * ran until then. Each counter group of a CPU has samples of its own at the same switch, so each
 * knows the running task since its own last sample; all other records are the CPU's.
 *
 * Times are the records', in ns. What was heard before what is a matter of their order in the ring
 * alone, since a sample's time may be an estimate.
 */

/* tid -1: not known. pid -1 beside a tid: the thread alone is known. 0 and 0: the idle task. */
struct attrib_runner {
	pid_t pid, tid;
};
extern const struct attrib_runner attrib_nobody;

/* What the records of a CPU have told. All zero: nothing. */
struct running_task {
	bool shifted;                       /* the last sample had another program's time */
	uint64_t heard;                     /* so many records */
	struct record exit;                 /* the last EXIT */
	struct record came;                 /* the last SWITCH of a task that came */
	uint64_t exit_at, came_at, lost_at; /* `heard` at these and at the last LOST; 0: none */
	uint64_t throttled_at;              /* at the last THROTTLE or UNTHROTTLE */
};

/* What a group's last sample has told. */
struct running_since {
	struct attrib_runner runner; /* since then */
	uint64_t time_ns;            /* of that sample; 0: there was none */
	uint64_t heard;              /* by then */
	uint64_t switch_heard;       /* by the last sample of a switch */
	uint64_t exit_heard;         /* by the last one that was not of the same slice */
};

/* An EXIT, SWITCH, LOST or THROTTLE record. */
void running_task_hear(struct running_task *task, const struct record *record);

/*
 * As a recording has them (core/perfdata/recorder); time_ns 0: none. All groups of a CPU that are
 * restored have the same exit and came, if they have one.
 */
struct running_since running_restore(struct running_task *task, const struct record *exit,
				     const struct record *came, bool lost);

/* A group's turn begins at time_ns, with no sample yet. */
static inline void running_since_begin(struct running_since *since, const struct running_task *task,
				       uint64_t time_ns)
{
	*since = (struct running_since){
		.runner = {-1, -1},
		.time_ns = time_ns,
		.heard = task->heard,
		.switch_heard = task->heard,
		.exit_heard = task->heard,
	};
}

/*
 * A group's sample: its last one from now on. A tick is of no switch, and may be a reading, made
 * before the SWITCH that was heard last. `grown`: the switch counter has grown.
 */
static inline void running_since_sample(struct running_since *since,
					const struct running_task *task,
					const struct attrib_runner *runner, uint64_t time_ns,
					bool tick, bool grown)
{
	since->runner = *runner;
	since->time_ns = time_ns;
	if (!tick || task->came.time_ns <= time_ns)
		since->heard = task->heard;
	if (!tick)
		since->switch_heard = task->heard;
	if (!tick || grown)
		since->exit_heard = task->heard;
}

/*
 * What was heard since the last sample: an EXIT and a LOST since the last one of a switch. NULL or
 * false: none.
 */
static inline const struct record *running_exit(const struct running_task *task,
						const struct running_since *since)
{
	return task->exit_at > since->exit_heard ? &task->exit : NULL;
}

static inline const struct record *running_came(const struct running_task *task,
						const struct running_since *since)
{
	return task->came_at > since->heard ? &task->came : NULL;
}

static inline bool running_lost(const struct running_task *task, const struct running_since *since)
{
	return task->lost_at > since->switch_heard;
}

/* The switch counter stood still for a while since the last sample, whatever switches there were.
 */
static inline bool running_throttled(const struct running_task *task,
				     const struct running_since *since)
{
	return task->throttled_at > since->heard;
}

/* ---- who ran until a sample that names `runner`, made at time_ns */

/*
 * Whether it was the idle task, or one outside this pid namespace: the kernel writes tid 0 for
 * both, and -1 in the last switch of the second one, after an EXIT of tid 0.
 */
bool running_is_idle(const struct running_task *task, const struct running_since *since,
		     const struct attrib_runner *runner);

/*
 * The task; NULL: none that is known. One that is past its EXIT may have lost its number before its
 * last switch: the kernel then writes tid -1. If an EXIT was heard since, it is that one.
 * A tid without a pid is that of a known task, else of a process with one thread.
 */
struct task *running_search(const struct running_task *task, const struct running_since *since,
			    struct tasks *tasks, const struct attrib_runner *runner,
			    uint64_t time_ns); /* where it takes more than a look */
static inline struct task *running_find(const struct running_task *task,
					const struct running_since *since, struct tasks *tasks,
					const struct attrib_runner *runner, uint64_t time_ns)
{
	if (running_exit(task, since) || runner->tid <= 0 || runner->pid == -1)
		return running_search(task, since, tasks, runner, time_ns);
	return tasks_at(tasks, runner->pid, runner->tid, time_ns);
}

/*
 * Whether another task ran than the last sample said: some switch between made no sample, and the
 * switch counter does not have it. `execed`: a thread that execs takes its process's number.
 */
bool running_has_execed(const struct running_since *since, const struct tasks *tasks,
			const struct attrib_runner *runner);
static inline bool running_is_broken(const struct running_since *since, const struct tasks *tasks,
				     const struct attrib_runner *runner)
{
	return since->runner.tid != -1 && runner->tid != -1 && since->runner.tid != runner->tid &&
	       !running_has_execed(since, tasks, runner);
}

/*
 * Of a sample whose numbers are not to be trusted: by the SWITCH since the last sample, else by
 * that.
 */
struct attrib_runner running_untold(const struct running_task *task,
				    const struct running_since *since);

/*
 * Who runs at time_ns, after the last sample: nobody where only a SWITCH of after it names it, or
 * where the group was throttled since.
 */
struct attrib_runner running_at(const struct running_task *task, const struct running_since *since,
				uint64_t time_ns);

#endif
