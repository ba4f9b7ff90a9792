// SPDX-License-Identifier: MIT
#ifndef PMCTOP_RECORDER_H
#define PMCTOP_RECORDER_H

#include "core/attrib/attrib.h"
#include "core/attrib/count_mode.h"
#include "core/attrib/interval.h"
#include "core/attrib/target.h"
#include "core/base/error.h"
#include "core/perf/switch_event.h"
#include "core/perfdata/perfdata_raw.h"
#include "core/snapshot/snapshot.h"
#include "core/sys/pmu.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A recording under way: whoever counts tells it what it does, as it does it, and it becomes
 * records (core/perfdata/perfdata.h) in a file (core/perfdata/recording_file.h). Nothing here waits
 * for a disk. All calls come from the collector's thread.
 *
 * A recording begins between two intervals, and may begin anew in another file: then everything is
 * told from the start, so that each file stands for itself.
 */
struct recorder;

struct recorder_spec {
	const char *path;      /* "-": standard output */
	uint64_t switch_bytes; /* begin anew in another file when it is that large ... */
	uint64_t switch_ns;    /* ... or that old; 0: never */
	size_t switch_files;   /* keep no more files than that, this one included; 0: all */
};

/* Opens its file: 0, or -errno and a sentence. */
int recorder_new(const struct recorder_spec *spec, struct recorder **recorder, struct error *err);
/* Nothing more comes, and it says so: what is left is written, while nobody waits. */
void recorder_end(struct recorder *recorder);
/*
 * Waits until all that it was told is written, and frees it: 0, or -errno and a sentence. The same
 * where nobody asks. NULL is fine.
 */
int recorder_finish(struct recorder *recorder, struct error *err);
void recorder_free(struct recorder *recorder);

/* Whether it still records: else -errno and a sentence. */
int recorder_state(struct recorder *recorder, struct error *err);
/* Of all of its files, up to now. */
uint64_t recorder_bytes(struct recorder *recorder);

/* ---- between two intervals */

/* Whether it is to begin, or to begin anew: then everything that is open is told again. */
bool recorder_is_due(struct recorder *recorder);
struct recorder_facts {
	const struct sys *sys; /* borrowed for the recorder's life */
	enum count_mode mode;  /* this and the next two as in snapshots */
	const char *host, *pmu;
	const struct pmu_set *pmus;
	struct cpu_list cpus; /* of intervals, in their order */
	/* The event that samples the switches; NULL: none does. */
	const struct switch_event *switches;
};
void recorder_begin(struct recorder *recorder, const struct recorder_facts *facts);
/*
 * Whether samples of the tracepoint are recorded with their RAW part, as perf wants them. Otherwise
 * the recording has them as those of the software event.
 */
bool recorder_has_raw(const struct recorder *recorder);
/* What is counted and shown from here on, where that is not what it was told last. */
void recorder_columns(struct recorder *recorder, struct columns *columns);

/* An event as it was opened, with the ids that it has on the CPUs. */
void recorder_event(struct recorder *recorder, const struct perf_event_attr *attr,
		    const struct event *event, const char *name, const uint64_t *ids, size_t n);

/* A group on a CPU, from now on: of its samples, and what it is in the middle of. */
struct recorder_stream {
	size_t cpu; /* index in the interval */
	int number;
	unsigned group;
	struct perfdata_stream *samples; /* the recorder's, which frees it when it is dropped */
};
void recorder_open(struct recorder *recorder, const struct recorder_stream *stream,
		   const struct attrib_state *state);
/* No stream of that CPU (its index) is open any more. */
void recorder_close(struct recorder *recorder, size_t cpu);

/* Everything has been told: the interval begins. */
void recorder_go(struct recorder *recorder);

/* Of the stream no more is told: its samples are given up when they are written. */
void recorder_drop(struct recorder *recorder, struct recorder_stream *stream);

/* ---- while an interval runs: what goes to core/attrib */

/*
 * Copies what was consumed of a CPU's ring since its tail stood at `from`. Call it before the ring
 * is released.
 */
void recorder_records(struct recorder *recorder,
		      struct perfdata_stream *const streams[PERFDATA_STREAMS], struct ring *ring,
		      uint64_t from);
/* A record of another CPU's ring that this CPU is told of before its own: who was born. */
void recorder_ahead(struct recorder *recorder, size_t cpu, const struct perf_event_header *header);
/* A tick that no ring has: a reading at the end of an interval. */
void recorder_tick(struct recorder *recorder, const struct recorder_stream *stream,
		   const struct record *tick);
/* So many records of the event with that id were lost without the kernel's saying so. */
void recorder_lost(struct recorder *recorder, uint64_t id, uint64_t records);
/* attrib_pause and attrib_resume, of a stream that was opened; `reading` as they have it. */
void recorder_pause(struct recorder *recorder, const struct recorder_stream *stream,
		    const uint64_t *reading, const struct attrib_runner *runner);
void recorder_resume(struct recorder *recorder, const struct recorder_stream *stream,
		     uint64_t start_ns, uint64_t weight);

/* Someone's EXIT that no ring told of. */
void recorder_gone(struct recorder *recorder, const struct record *exit);

/* ---- when it has ended */

/* A target, if there is one, is told of with it. */
void recorder_cut(struct recorder *recorder, const struct snapshot *snapshot,
		  const struct interval *interval, const struct target *target);

#endif
