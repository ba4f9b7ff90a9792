// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ATTRIB_H
#define PMCTOP_ATTRIB_H

#include "core/attrib/interval.h"
#include "core/attrib/running_task.h"
#include "core/attrib/slice_log.h"
#include "core/attrib/tasks.h"
#include "core/event/plan.h"
#include "core/perf/record.h"
#include "core/perf/switch_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Attribution: consumes the records of the CPUs, and adds to an interval what each task did. Its
 * only other state is the task table.
 *
 * A stream is one counter group on one CPU. A CPU has several if its events do not fit into one.
 * Its records carry the counts of the group and the switch counter N, in order. Between record N-1
 * and record N exactly one task ran on that CPU, and record N names it. So the difference of their
 * counts is exactly that task's. A tick is a record of the same group between two switches (N does
 * not grow). It names the task that is running, so that an interval can end within a slice.
 *
 * Some kernels make no records for protected tasks (seen in a sandbox: pid 1, and the idle task of
 * every CPU that pid 1 brought up). N counts such a switch but there is no record: a gap without a
 * LOST. The collector then requests SWITCH records too. They have the time at which the hidden task
 * left, and its pid and tid. Its time is then attributed to it, its counts are not. The time of
 * several hidden tasks in a row is added to the hidden_ns of the CPU.
 *
 * The tracepoint sched:sched_switch also names the next thread, so the running task is always
 * known. If the next record is of another task (a chain break), some task left no record, and N did
 * not count it. That is handled as a gap, on a CPU that needs SWITCH records. So a name in an old
 * record is no proof (attrib_runner_is_old()).
 *
 * Of a sample of the software event only the reading of the group is certain. If another program
 * samples switches too, the kernel fills in id, time, pid and tid once, for the listener that was
 * opened last (seen on 6.18), with that listener's clock. The time of a sample with a foreign id is
 * computed from enabled ns.
 *
 * These counts are unattributed:
 *   - a gap in N: records were lost, and several tasks may share the difference;
 *   - enabled grew more than running: the group was off the PMU and saw no switches meanwhile;
 *   - the task has lost its number (tid -1) and no EXIT names it.
 */
struct attrib;

/* Borrows both until attrib_free(). */
struct attrib *attrib_new(struct tasks *tasks, struct interval *interval);
void attrib_free(struct attrib *attrib); /* NULL is valid */

/*
 * From now on each slice of a known task is added to the log, with the CPU's index in the interval.
 * Borrowed; NULL: to none.
 */
void attrib_log_slices(struct attrib *attrib, struct slice_log *log);

/*
 * From now on wake-ups are added to that log too. They are samples of sched:sched_waking in the
 * rings of the CPUs, each with one value: a group has at least two. Borrowed; NULL: they are
 * dropped.
 */
void attrib_log_wakings(struct attrib *attrib, const struct waking_format *format);

/* Call this after the interval got another shape. No stream may be open. */
void attrib_reshape(struct attrib *attrib);

/* A group's stream. */
struct attrib_stream {
	size_t cpu;       /* index in the interval */
	uint64_t tick_id; /* id of its ticks */
	const struct attrib_layout *layout;
	uint64_t switch_id; /* id of its switch samples; 0: unknown, then all are pmctop's */
	const struct switch_format *format; /* of its samples, borrowed; NULL: no tracepoint */
};

/*
 * Opens a stream that counts from start_ns on. `reading`: the counts at that time; NULL: all zero.
 * A group that does not keep the clock waits for its first turn. Replaces an open stream of the
 * same CPU and group.
 */
void attrib_open(struct attrib *attrib, const struct attrib_stream *stream, uint64_t start_ns,
		 const uint64_t *reading);
/* Closes all streams of a CPU. */
void attrib_close(struct attrib *attrib, size_t cpu);

/*
 * A group that takes turns. attrib_pause() ends a turn: its last reading ends the slice. The slice
 * is attributed to `runner` if given (the caller runs on that CPU itself), else to the running
 * task, else to `unattributed`. Call it after all records of the turn. attrib_resume() begins a
 * turn and a slice, at start_ns.
 *
 * On a CPU that is counted in windows all groups have a `weight`: what they count in the window
 * stands for weight / ATTRIB_WEIGHT_ONE times as much. The clock's time and switches are multiplied
 * by it, and tally_unseen() has the time that was not counted. Counts, and the ns of groups, are
 * left as they were counted; the estimates for the time beside the window are in tally_beside().
 * With start_ns 0 attrib_resume() changes the weight of the current window, from its last record
 * on.
 */
enum { ATTRIB_WEIGHT_ONE = 1024 }; /* the smallest weight */
void attrib_pause(struct attrib *attrib, size_t cpu, unsigned group, const uint64_t *reading,
		  const struct attrib_runner *runner);
void attrib_resume(struct attrib *attrib, size_t cpu, unsigned group, uint64_t start_ns,
		   uint64_t weight);

/*
 * The state of a stream, with which a recording begins (core/perfdata/recorder). A record with
 * time_ns 0 is none. Pointers are valid until the next call.
 */
struct attrib_state {
	const uint64_t *reading; /* the last one: enum record_reading, then the values */
	bool on;
	bool lost; /* records were lost since the last switch */
	uint64_t origin_ns, last_ns;
	struct attrib_runner runner;
	const struct record *exit, *came;
};
/* Returns false if there is no such stream. */
bool attrib_state(const struct attrib *attrib, size_t cpu, unsigned group,
		  struct attrib_state *state);

/*
 * Opens a stream in that state. state->reading may be NULL: all zero. Applies state->exit to the
 * task table too.
 */
void attrib_restore(struct attrib *attrib, const struct attrib_stream *stream,
		    const struct attrib_state *state);

/*
 * Finds the task that ran on a CPU at a reading of the clock's group, by the next sample of that
 * group. Returns false if the record is no such sample, or not after the reading. The kernel does
 * not read all values at once, so values of the reading are limited to those of the records before
 * and after it. Marks a CPU on which another program's sample names the task.
 */
bool attrib_runner_at(struct attrib *attrib, size_t cpu, const struct record *record,
		      uint64_t *reading, struct attrib_runner *runner);
/*
 * The same while there is no such sample, by the records up to now: a SWITCH, the tracepoint's
 * next, or a tick. Returns false if none names the task, or if the reading has a switch without a
 * record.
 */
bool attrib_runner_now(const struct attrib *attrib, size_t cpu, const uint64_t *reading,
		       struct attrib_runner *runner);
/* Whether the records up to now name the task that runs on a CPU. Its pid is -1 if not known. */
bool attrib_names_runner(const struct attrib *attrib, size_t cpu, struct attrib_runner *runner);
/*
 * Whether the record that names that task is old: it is so for more than INTERVAL_UNSEEN of the
 * CPU's time in the interval so far. If the kernel hides its switch, another task runs since then.
 */
bool attrib_runner_is_old(const struct attrib *attrib, size_t cpu, uint64_t now_ns);
/*
 * Whether the records of a group reach up to a reading. If not, values of the reading that are
 * below those of the last record are set to these.
 */
bool attrib_reaches(const struct attrib *attrib, size_t cpu, unsigned group, uint64_t *reading);

/* Applies the next record of a CPU's ring. Returns the group if it is a tick, else -1. */
int attrib_record(struct attrib *attrib, size_t cpu, const struct record *record);

/*
 * Ends the interval for a CPU at its last record. Fills in the CPU's tally from the end points,
 * independently of the slices. Returns false if the CPU had no records.
 */
bool attrib_cut(struct attrib *attrib, size_t cpu);

#endif
