// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ATTRIB_H
#define PMCTOP_ATTRIB_H

#include "interval.h"
#include "record.h"
#include "tasks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Attribution: the records of the CPUs go in, who did what comes out (into an interval). Pure but
 * for the task table.
 *
 * A stream is one counter group on one CPU. Its records carry the group's counts and the switch
 * counter N, in order. Between record N-1 and record N exactly one task ran on that CPU, and
 * record N names it: the difference of their counts is that task's, exactly. A tick is a record of
 * the same group made between switches (N stands still): it names the task that is running, so
 * that an interval can end in the middle of a slice.
 *
 * Some kernels keep the records of protected tasks to themselves (seen in a sandbox: of pid 1, and
 * of the idle task of every CPU that pid 1 brought up). N counts such a switch, and no record
 * comes: a gap without a LOST. The collector then asks for SWITCH records too, which tell
 * when the silent task left and who it was: its time is its own again, its counts are not. The
 * time of several silent tasks in a row is summed up in interval->silent_ns.
 *
 * Of a switch record only the group's reading and the task are surely ours: where someone else
 * samples switches too, the kernel fills in id and time once, for whoever came last (seen on 6.18),
 * in their clock. So a sample that is not the tick's is the switch's, made when enabled ns tells.
 *
 * What cannot be told apart goes to "unattributed", never to a task:
 *   - a gap in N: records were lost, several tasks may share the difference;
 *   - enabled grew more than running: the group was off the PMU and saw no switches meanwhile;
 *   - the task has lost its number (tid -1) and no EXIT tells who it was.
 */
struct attrib;

/* What the values of a group's records mean. Borrowed; must outlive the streams that use it. */
struct attrib_layout {
	size_t n_values;
	size_t n_hardware;   /* the first so many need the PMU: the idle task has some too */
	size_t switch_value; /* which value is N */
	const int *event_of; /* value -> index of the event in tallies, or -1 */
	unsigned group;      /* index of its group ns in tallies */
	bool clock;          /* its slices make task-clock and context-switches */
};

/* Borrows both for its life. */
struct attrib *attrib_new(struct tasks *tasks, struct interval *interval);
void attrib_free(struct attrib *attrib);

/*
 * A group that begins to count from zero now, at start_ns, on the CPU with that index in the
 * interval; its records come under these two ids. A stream of the same CPU and group before it is
 * closed.
 */
void attrib_open(struct attrib *attrib, size_t cpu, uint64_t switch_id, uint64_t tick_id,
		 uint64_t start_ns, const struct attrib_layout *layout);
/* Its CPU is gone. */
void attrib_close(struct attrib *attrib, size_t cpu);

/* Folds in the next record of a CPU's ring. True where it was a tick. */
bool attrib_record(struct attrib *attrib, size_t cpu, const struct record *record);

/*
 * Ends the interval for a CPU at its last record: fills in the CPU's own tally from the end
 * points, independently of the slices. False where nothing was heard of it.
 */
bool attrib_cut(struct attrib *attrib, size_t cpu);

#endif
