// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ENGINE_NOTES_H
#define PMCTOP_ENGINE_NOTES_H

#include "core/attrib/interval.h"
#include "core/attrib/target.h"
#include "core/base/notes.h"
#include "core/event/event.h"
#include "core/metric/selection.h"
#include "core/perf/perf_access.h"
#include "core/snapshot/snapshot.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stdint.h>

/* What the engine notes about the machine, the columns and each interval. */
struct engine_notes {
	const struct sys *sys; /* borrowed */
	struct notes *notes;   /* borrowed */
	struct cpu_note {
		bool online;             /* in the last interval */
		bool seen;               /* online in some interval */
		unsigned intervals_left; /* of "online, and counted from now on" */
	} * cpus;                        /* by index in the interval; owned */
	uint64_t suspended_ns;           /* CLOCK_BOOTTIME less CLOCK_MONOTONIC; an upper bound */
};

void engine_notes_init(struct engine_notes *self, const struct sys *sys, struct notes *notes);
/* Begins the first interval: reads the clocks. */
void engine_notes_begin(struct engine_notes *self);
void engine_notes_fini(struct engine_notes *self); /* zeroed is fine */

/* Notes what an ordinary machine has and this one lacks: /sys, other users' /proc. */
void engine_notes_machine(struct engine_notes *self, const struct target *target);
/* Notes that the kernel denies a privilege level, and the remedy. Replaces earlier such notes. */
void engine_notes_levels(struct engine_notes *self, const struct perf_access *access,
			 enum event_levels levels);
/*
 * Notes events that cannot be counted, metrics without events on this machine, and events that are
 * counted in turns although they belong together. Replaces earlier notes about columns.
 */
void engine_notes_columns(struct engine_notes *self, const struct selection *selection,
			  const struct columns *columns);
/* Notes stolen CPU time. Replaces an earlier such note. */
void engine_notes_steal(struct engine_notes *self, const struct snapshot_machine *machine);
/* Notes that a filter cannot search all command lines yet. Replaces an earlier such note. */
void engine_notes_command_lines(struct engine_notes *self, const struct snapshot *snapshot);
/*
 * Ends an interval: notes lost records, a suspended machine, processes for which /proc does not
 * answer, and CPUs that went offline or came online. All intervals have the same CPUs.
 */
void engine_notes_cut(struct engine_notes *self, const struct interval *interval);

#endif
