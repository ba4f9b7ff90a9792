// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ATTRIB_H
#define PMCTOP_ATTRIB_H

#include "core/attrib/interval.h"
#include "core/attrib/running_task.h"
#include "core/attrib/tasks.h"
#include "core/event/plan.h"
#include "core/perf/record.h"
#include "core/perf/switch_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Attribution: the records of the CPUs go in, who did what comes out (into an interval). Pure but
 * for the task table.
 *
 * A stream is one counter group on one CPU; a CPU has several where its events do not fit together.
 * Its records carry the group's counts and the switch counter N, in order. Between record N-1 and
 * record N exactly one task ran on that CPU, and record N names it: the difference of their counts
 * is that task's, exactly. A tick is a record of the same group made between switches (N stands
 * still): it names the task that is running, so that an interval can end in the middle of a slice.
 *
 * Some kernels keep the records of protected tasks to themselves (seen in a sandbox: of pid 1, and
 * of the idle task of every CPU that pid 1 brought up). N counts such a switch, and no record
 * comes: a gap without a LOST. The collector then asks for SWITCH records too, which tell
 * when the silent task left and who it was: its time is its own again, its counts are not. The
 * time of several silent tasks in a row is summed up in interval->hidden_ns.
 *
 * The tracepoint sched:sched_switch names the next thread too, so that it is known at any time who
 * runs. Where the next record is of another task (a chain break), some task left no record, and N
 * did not count it: the same as a gap, on a CPU that needs SWITCH records.
 *
 * Of a sample of the software event only the group's reading is surely ours: where someone else
 * samples switches too, the kernel fills in id, time, pid and tid once, for whoever came last
 * [run, 6.18], in their clock. A sample with another id than ours was made when enabled ns tells.
 *
 * What cannot be told apart goes to "unattributed", never to a task:
 *   - a gap in N: records were lost, several tasks may share the difference;
 *   - enabled grew more than running: the group was off the PMU and saw no switches meanwhile;
 *   - the task has lost its number (tid -1) and no EXIT tells who it was.
 */
struct attrib;

/* Borrows both for its life. */
struct attrib *attrib_new(struct tasks *tasks, struct interval *interval);
void attrib_free(struct attrib *attrib);

/* The interval has another shape now. No stream may be open. */
void attrib_reshape(struct attrib *attrib);

/* A group's stream, on the CPU with that index in the interval. */
struct attrib_stream {
	size_t cpu;
	uint64_t tick_id; /* of its ticks */
	const struct attrib_layout *layout;
	uint64_t switch_id; /* of its switch samples; 0: unknown, then all samples are ours */
	const struct switch_format *format; /* of these, borrowed; NULL: no tracepoint makes them */
};

/*
 * The group counts from now on, at start_ns, from this reading (NULL: all zero); one that does not
 * keep the clock waits for its first turn. A stream of the same CPU and group before it is closed.
 */
void attrib_open(struct attrib *attrib, const struct attrib_stream *stream, uint64_t start_ns,
		 const uint64_t *reading);
/* Its CPU is gone. */
void attrib_close(struct attrib *attrib, size_t cpu);

/*
 * A group that takes turns. When its turn is over, its last reading ends the slice that was under
 * way. The slice is attributed to `runner` if given (the caller runs on that CPU itself), else to
 * the running task, else to `unattributed`. All its records must have been folded in before. When
 * its next turn begins, at start_ns, a slice begins.
 *
 * All groups of a CPU that is counted in windows have a `weight`: what they count in the window
 * stands for that many times as much. The clock's time and switches are multiplied by it, and
 * tally_unseen() has how much of the time was not seen. Counts, and the ns of groups, are left as
 * they were counted; what is to be added for the time beside the window is in tally_beside(). Where
 * start_ns is 0 a window goes on, with another weight from its last record on.
 */
enum { ATTRIB_WEIGHT_ONE = 1024 }; /* and no less */
void attrib_pause(struct attrib *attrib, size_t cpu, unsigned group, const uint64_t *reading,
		  const struct attrib_runner *runner);
void attrib_resume(struct attrib *attrib, size_t cpu, unsigned group, uint64_t start_ns,
		   uint64_t weight);

/*
 * What a stream is in the middle of, so that its recording can begin there
 * (core/perfdata/recorder). Records with time_ns 0 are none; all pointers are good until the next
 * call. False where there is none.
 */
struct attrib_state {
	const uint64_t *reading; /* the last one: enum record_reading, then the values */
	bool on;
	bool lost;
	uint64_t origin_ns, last_ns;
	struct attrib_runner runner;
	const struct record *exit, *came;
};
bool attrib_state(const struct attrib *attrib, size_t cpu, unsigned group,
		  struct attrib_state *state);

/*
 * The inverse, of a stream as attrib_open() has it: state->reading may be NULL, all zero. Its tasks
 * are told of the EXIT too.
 */
void attrib_restore(struct attrib *attrib, const struct attrib_stream *stream,
		    const struct attrib_state *state);

/*
 * Who ran on a CPU at a reading of its clock's group, as the next sample of that group says. False
 * where the record is no such sample, or not after the reading. A read is not atomic: values of it
 * that are beyond the records before or after it are set to those.
 */
bool attrib_runner_at(struct attrib *attrib, size_t cpu, const struct record *record,
		      uint64_t *reading, struct attrib_runner *runner);
/*
 * The same before there is such a sample, where the records up to now name who runs: a SWITCH, the
 * tracepoint's next, or a tick. False where none does, or where the reading has seen a switch that
 * has no record yet.
 */
bool attrib_runner_now(const struct attrib *attrib, size_t cpu, const uint64_t *reading,
		       struct attrib_runner *runner);
/* Whether the records up to now name the task that runs on a CPU. */
bool attrib_names_runner(const struct attrib *attrib, size_t cpu);
/* Whether the records of a group reach up to a reading; if not, that is bounded by the last one. */
bool attrib_reaches(const struct attrib *attrib, size_t cpu, unsigned group, uint64_t *reading);

/* Folds in the next record of a CPU's ring: the group whose tick it was, or -1. */
int attrib_record(struct attrib *attrib, size_t cpu, const struct record *record);

/*
 * Ends the interval for a CPU at its last record: fills in the CPU's own tally from the end
 * points, independently of the slices. False where nothing was heard of it.
 */
bool attrib_cut(struct attrib *attrib, size_t cpu);

#endif
