// SPDX-License-Identifier: MIT
#ifndef PMCTOP_RECORDER_INTERNAL_H
#define PMCTOP_RECORDER_INTERNAL_H

#include "core/perfdata/recorder.h"

/* Shared by core/perfdata/recorder*.c. */
enum { RECORDER_TOLD_MAX = 1 << 16 }; /* rows that are remembered; a power of two */

struct recorder {
	const struct sys *sys; /* since it began */
	uint64_t switch_bytes, switch_ns;
	struct recording_file *file;
	struct perfdata *data; /* being filled */
	char stamp[32];        /* of the file that went before; "": this one goes on */
	uint64_t began_bytes, began_ns;
	bool began;
	bool featured;           /* this file says already where it was made */
	struct perfdata tracing; /* PERFDATA_TRACING_DATA of this file; empty: it has none */
	bool traced;             /* `tracing` is to be recorded behind an event that needs it */
	struct columns *columns; /* as told last; a reference */
	uint64_t *told;          /* by tid: the hash of its row as told last */
	uint64_t told_notes, told_target;
};

/* Passes the records so far to the file. */
void recorder_flush(struct recorder *recorder);
/* The same, if there are many. */
void recorder_flush_full(struct recorder *recorder);
/* Ends the contents of a file with NATIVE_END. */
void recorder_put_end(struct recorder *recorder);

#endif
