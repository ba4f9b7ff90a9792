// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ENGINE_RECORDING_H
#define PMCTOP_ENGINE_RECORDING_H

#include "core/attrib/tasks.h"
#include "core/base/error.h"
#include "core/base/notes.h"
#include "core/collect/collect.h"
#include "core/perfdata/recorder.h"

/* The engine's part in recordings: when they begin, go on and end. Zeroed: there is none. */
struct engine_recording {
	struct recorder *recorder; /* under way; NULL: nobody records */
	struct recorder *ended;    /* writes what is left of the last one; NULL: none does */
	struct error *failed;      /* borrowed: why one has ended too soon; NULL: nobody asks */
};

/* 0, or -EOPNOTSUPP and a sentence where there is nothing to record. */
int engine_recording_can(const struct collect *collect, struct error *err);
/* Ends the one under way; with a path the next one is to begin. 0, or -errno and a sentence. */
int engine_recording_to(struct engine_recording *record, struct collect *collect, const char *path,
			struct error *err);
/*
 * Between two intervals: begins it, or tells what has changed since the last one. One that has
 * ended by itself says why in an urgent note.
 */
void engine_recording_renew(struct engine_recording *record, struct collect *collect,
			    struct columns *columns, const struct recorder_facts *facts,
			    struct notes *notes);
/* Tells whom the last tasks_maintain() found to be gone. */
void engine_recording_gone(struct engine_recording *record, const struct tasks *tasks);
/* Ends it, and waits until all is written; before the collector is closed. */
void engine_recording_fini(struct engine_recording *record, struct collect *collect);

#endif
