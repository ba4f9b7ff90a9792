// SPDX-License-Identifier: MIT
#ifndef PMCTOP_RECORDER_INTERNAL_H
#define PMCTOP_RECORDER_INTERNAL_H

#include "core/perfdata/recorder.h"

/* Shared by core/perfdata/recorder*.c. */
enum { RECORDER_ROW_SLOTS = 1 << 16 }; /* slots of recorder.row_hashes; a power of two */

struct recorder {
	const struct sys *sys; /* borrowed, since recorder_begin() */
	uint64_t switch_bytes, switch_ns;
	struct recording_file *file;
	struct perfdata *data; /* records not passed to the file yet */
	char stamp[32];        /* time stamp for the previous file; "": no new file */
	uint64_t began_bytes, began_ns;
	bool began;
	bool featured;           /* the features of this file are recorded */
	struct perfdata tracing; /* PERFDATA_TRACING_DATA of this file; empty: none */
	bool traced;             /* `tracing` is to be recorded after the events */
	struct columns *columns; /* as recorded last; a reference */
	uint64_t *row_hashes;    /* by tid: hash of the row recorded last */
	uint64_t notes_hash, target_hash;
};

/* Passes the records so far to the file. */
void recorder_flush(struct recorder *recorder);
/* The same, if there are many. */
void recorder_flush_full(struct recorder *recorder);
/* Ends the contents of a file with NATIVE_END. */
void recorder_put_end(struct recorder *recorder);

#endif
