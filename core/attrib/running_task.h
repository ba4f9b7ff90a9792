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
 * Three sources name it: `next` of the tracepoint in a switch sample, a SWITCH record of a task
 * that came, and a tick, which names the task that it interrupts. A switch sample also names the
 * task that ran until then. Each counter group of a CPU has samples of its own, so there is a
 * struct running_since for each; all other records are the CPU's.
 *
 * Times are those of records, in ns. Records are ordered by their place in the ring, not by their
 * time, because a sample's time may be an estimate.
 */

/* tid -1: unknown. pid -1 with a tid: only the thread is known. 0 and 0: the idle task. */
struct attrib_runner {
	pid_t pid, tid;
};
extern const struct attrib_runner attrib_unknown;

/* From the records of a CPU that are not samples. All zero: there were none. */
struct running_task {
	bool shifted;       /* the last sample had another program's time */
	uint64_t n_records; /* noted so far */
	struct record exit; /* the last EXIT */
	struct record came; /* the last SWITCH of a task that came */
	struct record left; /* the last SWITCH of a task that left */
	/* n_records with these and the last LOST; 0: none */
	uint64_t exit_at, came_at, left_at, lost_at;
	uint64_t throttled_at; /* with the last THROTTLE or UNTHROTTLE */
};

/* From the last sample of a group. */
struct running_since {
	struct attrib_runner runner; /* the task that runs since then */
	uint64_t time_ns;            /* of that sample; 0: there was none */
	uint64_t sample_at;          /* n_records at that sample */
	uint64_t switch_at;          /* n_records at the last sample of a switch */
	uint64_t slice_at;           /* the same, or at a later tick if the switch counter grew */
	bool tick;                   /* the last sample is a tick, or a reading */
};

/* Notes a record of the CPU that is not a sample. */
void running_note(struct running_task *task, const struct record *record);

/*
 * Restores the state that a recording has (core/perfdata/recorder); a record with time_ns 0 is
 * none. `exit` and `came` are of the CPU: all its groups pass the same ones, or none. A recording
 * begins at a reading.
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
		.sample_at = task->n_records,
		.switch_at = task->n_records,
		.slice_at = task->n_records,
	};
}

/*
 * Notes a group's sample, after which `runner` runs. A tick is not a switch. It may be made from a
 * reading, at a time before the last SWITCH record. `grown`: the switch counter has grown.
 */
static inline void running_since_sample(struct running_since *since,
					const struct running_task *task,
					const struct attrib_runner *runner, uint64_t time_ns,
					bool tick, bool grown)
{
	since->runner = *runner;
	since->time_ns = time_ns;
	since->tick = tick;
	if (!tick || task->came.time_ns <= time_ns)
		since->sample_at = task->n_records;
	if (!tick)
		since->switch_at = task->n_records;
	if (!tick || grown)
		since->slice_at = task->n_records;
}

/*
 * The functions below return a record that came after the last sample; NULL or false: none. An EXIT
 * counts from slice_at on, a LOST from switch_at on.
 */
static inline const struct record *running_exit(const struct running_task *task,
						const struct running_since *since)
{
	return task->exit_at > since->slice_at ? &task->exit : NULL;
}

static inline const struct record *running_came(const struct running_task *task,
						const struct running_since *since)
{
	return task->came_at > since->sample_at ? &task->came : NULL;
}

static inline bool running_lost(const struct running_task *task, const struct running_since *since)
{
	return task->lost_at > since->switch_at;
}

/* If true, the switch counter stood still for a while since the last sample. */
static inline bool running_throttled(const struct running_task *task,
				     const struct running_since *since)
{
	return task->throttled_at > since->sample_at;
}

/*
 * The functions below return the task that ran until a sample. `runner` is the task that the sample
 * names, time_ns its time.
 */

/*
 * Whether it was the idle task, or one outside this pid namespace: the kernel writes tid 0 for
 * both, and -1 in the last switch of the second one, after an EXIT of tid 0.
 */
bool running_is_idle(const struct running_task *task, const struct running_since *since,
		     const struct attrib_runner *runner);

/*
 * The task; NULL: unknown. A task that is past its EXIT may have lost its number before its last
 * switch: the kernel then writes tid -1. If there was an EXIT in the slice, it is that task.
 * A tid without a pid is that of a known task, else of a process with one thread.
 * running_search() is the part of running_find() that is seldom needed.
 */
struct task *running_search(const struct running_task *task, const struct running_since *since,
			    struct tasks *tasks, const struct attrib_runner *runner,
			    uint64_t time_ns);
static inline struct task *running_find(const struct running_task *task,
					const struct running_since *since, struct tasks *tasks,
					const struct attrib_runner *runner, uint64_t time_ns)
{
	if (running_exit(task, since) || runner->tid <= 0 || runner->pid == -1)
		return running_search(task, since, tasks, runner, time_ns);
	return tasks_at(tasks, runner->pid, runner->tid, time_ns);
}

/*
 * Whether another task ran than the one expected after the last sample: a switch between them made
 * no sample, and the switch counter did not count it. running_has_execed() finds the exception: a
 * thread that execs takes the number of its process.
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
 * The task that runs by the records since the last sample alone: a SWITCH names it, else the last
 * sample.
 */
struct attrib_runner running_expected(const struct running_task *task,
				      const struct running_since *since);

/*
 * The task that runs at time_ns, after the last sample. Unknown if a SWITCH came after time_ns, or
 * if the group was throttled since the last sample.
 */
struct attrib_runner running_at(const struct running_task *task, const struct running_since *since,
				uint64_t time_ns);

#endif
