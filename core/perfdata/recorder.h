// SPDX-License-Identifier: MIT
#ifndef PMCTOP_RECORDER_H
#define PMCTOP_RECORDER_H

#include "core/attrib/attrib.h"
#include "core/attrib/count_mode.h"
#include "core/attrib/interval.h"
#include "core/attrib/target.h"
#include "core/base/error.h"
#include "core/base/unwritten.h"
#include "core/perf/switch_event.h"
#include "core/perfdata/perfdata_raw.h"
#include "core/snapshot/snapshot.h"
#include "core/sys/pmu.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A recording under way. The collector reports each of its actions when it happens. They become
 * records (core/perfdata/perfdata.h) in a file (core/perfdata/recording_file.h). No call waits for
 * a disk, except recorder_finish() and recorder_free(). All calls come from the thread of the
 * engine.
 *
 * A recording begins between two intervals. It can begin again in another file: then the collector
 * reports everything again, so that each file can be replayed alone.
 */
struct recorder;

struct recorder_spec {
	const char *path;            /* "-": standard output */
	int pipe;                    /* an open pipe to write to, then path is its name; 0: none */
	uint64_t switch_bytes;       /* begin another file when it is that large ... */
	uint64_t switch_ns;          /* ... or that old; 0: never */
	size_t switch_files;         /* greatest number of files to keep, with this one; 0: all */
	struct unwritten *unwritten; /* updated while the file is open; may be NULL */
};

/* Opens the file: 0, or -errno with *err filled. */
int recorder_new(const struct recorder_spec *spec, struct recorder **recorder, struct error *err);
/* Records the end. The rest is written in the background. */
void recorder_end(struct recorder *recorder);
/*
 * Waits until all is written, and frees it: 0, or -errno with *err filled. recorder_free() drops
 * the result. NULL is fine.
 */
int recorder_finish(struct recorder *recorder, struct error *err);
void recorder_free(struct recorder *recorder);

/* 0 while it records, else -errno with *err filled. */
int recorder_state(struct recorder *recorder, struct error *err);
/* Bytes of all files so far. */
uint64_t recorder_bytes(struct recorder *recorder);

/* Whether a file is to begin: then the collector reports all open streams again. */
bool recorder_is_due(struct recorder *recorder);
struct recorder_facts {
	const struct sys *sys; /* borrowed for the recorder's life */
	enum count_mode mode;  /* this and the next two as in snapshots */
	const char *host, *pmu;
	const struct pmu_set *pmus;
	struct cpu_list cpus; /* in the order of their index in intervals */
	/* The event that samples switches; NULL: none. */
	const struct switch_event *switches;
};
void recorder_begin(struct recorder *recorder, const struct recorder_facts *facts);
/*
 * Returns whether samples of the tracepoint are recorded with their RAW part, which perf needs.
 * Otherwise they are recorded as samples of the software event.
 */
bool recorder_has_raw(const struct recorder *recorder);
/* The columns from now on. No effect if they have not changed. */
void recorder_columns(struct recorder *recorder, struct columns *columns);

/* An opened event, with its ids on the CPUs. */
void recorder_event(struct recorder *recorder, const struct perf_event_attr *attr,
		    const struct event *event, const char *name, const uint64_t *ids, size_t n);

/* A group on a CPU, and its state, from now on. */
struct recorder_stream {
	size_t cpu; /* index in the interval */
	int number;
	unsigned group;
	struct perfdata_stream *samples; /* owned by the recorder, freed by recorder_drop() */
};
void recorder_open(struct recorder *recorder, const struct recorder_stream *stream,
		   const struct attrib_state *state);
/* Closes all streams of the CPU with that index. */
void recorder_close(struct recorder *recorder, size_t cpu);

/* The report is complete: the interval begins. */
void recorder_go(struct recorder *recorder);

/* The stream has ended: its samples are freed after they are written. */
void recorder_drop(struct recorder *recorder, struct recorder_stream *stream);

/*
 * Copies what was consumed of a CPU's ring since its tail stood at `from`. Call it before the ring
 * is released.
 */
void recorder_records(struct recorder *recorder,
		      struct perfdata_stream *const streams[PERFDATA_STREAMS], struct ring *ring,
		      uint64_t from);
/* A FORK or COMM of another CPU's ring that this CPU uses before its own records. */
void recorder_ahead(struct recorder *recorder, size_t cpu, const struct perf_event_header *header);
/* A reading at the end of an interval, which is in no ring. */
void recorder_tick(struct recorder *recorder, const struct recorder_stream *stream,
		   const struct record *tick);
/* `records` records of the event with that id were lost, and the kernel did not report it. */
void recorder_lost(struct recorder *recorder, uint64_t id, uint64_t records);
/* attrib_pause and attrib_resume of an open stream, with the same arguments. */
void recorder_pause(struct recorder *recorder, const struct recorder_stream *stream,
		    const uint64_t *reading, const struct attrib_runner *runner);
void recorder_resume(struct recorder *recorder, const struct recorder_stream *stream,
		     uint64_t start_ns, uint64_t weight);

/* The EXIT of a task that no ring had. */
void recorder_gone(struct recorder *recorder, const struct record *exit);

/* The end of an interval, with the target if there is one. */
void recorder_cut(struct recorder *recorder, const struct snapshot *snapshot,
		  const struct interval *interval, const struct target *target);

#endif
