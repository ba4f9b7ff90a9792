// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ENGINE_RECORDING_H
#define PMCTOP_ENGINE_RECORDING_H

#include "core/attrib/tasks.h"
#include "core/base/error.h"
#include "core/base/notes.h"
#include "core/base/unwritten.h"
#include "core/collect/collect.h"
#include "core/perfdata/recorder.h"

/* When a recording begins, goes on and ends. Zeroed: no recording. */
struct engine_recording {
	struct recorder *recorder;   /* the current one; NULL: none */
	struct recorder *ended;      /* the last one, while it writes the rest; NULL: none */
	struct error *failed;        /* borrowed; why a recording ended early; NULL: not needed */
	struct unwritten *unwritten; /* borrowed; of the file of engine_recording_to(); or NULL */
};

/* Returns 0, or -EOPNOTSUPP and a sentence if this mode has no records. */
int engine_recording_can(const struct collect *collect, struct error *err);
/*
 * Ends the current recording, and prepares one to `path` unless it is NULL. Returns 0, or -errno
 * and a sentence.
 */
int engine_recording_to(struct engine_recording *record, struct collect *collect, const char *path,
			struct error *err);
/*
 * Between two intervals: begins a recording, or records what has changed since the last interval. A
 * recording that ended by itself makes an urgent note.
 */
void engine_recording_renew(struct engine_recording *record, struct collect *collect,
			    struct columns *columns, const struct recorder_facts *facts,
			    struct notes *notes);
/* Records the exits that the last tasks_maintain() found. */
void engine_recording_gone(struct engine_recording *record, const struct tasks *tasks);
/* Ends the recording and waits until all is written. Call it before the collector is closed. */
void engine_recording_fini(struct engine_recording *record, struct collect *collect);

#endif
