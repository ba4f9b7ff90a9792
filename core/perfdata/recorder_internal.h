// SPDX-License-Identifier: MIT
#ifndef PMCTOP_RECORDER_INTERNAL_H
#define PMCTOP_RECORDER_INTERNAL_H

#include "core/base/hash_table.h"
#include "core/code/code_profile.h"
#include "core/perfdata/recorder.h"

/* Shared by core/perfdata/recorder*.c. */
enum {
	RECORDER_ROW_SLOTS = 1 << 16, /* slots of recorder.row_hashes; a power of two */
	RECORDER_CODE_EVENTS = 16,    /* that sample at the same time */
};

/* Samples of code in this file. */
struct recorded_code {
	struct code_event *events; /* with an attr, by id; owned */
	size_t n_events, capacity;
	uint64_t ids[RECORDER_CODE_EVENTS]; /* of the events that sample now, by index */
	size_t n;
	bool kernel;                /* the mappings of the kernel are recorded */
	struct hash_table lives;    /* by pid: execs, forks and exits so far */
	struct hash_table begins;   /* by pid: time of its first sample in this interval */
	struct hash_table mappings; /* by process and address: hash of the one recorded last */
};

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
	struct recorded_code code;
};

/* Passes the records so far to the file. */
void recorder_flush(struct recorder *recorder);
/* The same, if there are many. */
void recorder_flush_full(struct recorder *recorder);
/* core/perfdata/recorder_code.c: a file begins, it ends, and the profile of an interval. */
void recorder_begin_code(struct recorder *recorder);
void recorder_free_code(struct recorder *recorder);
void recorder_cut_code(struct recorder *recorder, const struct code_profile *profile);
/* core/perfdata/recorder_kernel.c: the mappings of the kernel and its modules. */
void recorder_put_kernel(struct recorder *recorder);
/* Ends the contents of a file with NATIVE_END. */
void recorder_put_end(struct recorder *recorder);

#endif
