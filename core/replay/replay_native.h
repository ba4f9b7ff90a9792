// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REPLAY_NATIVE_H
#define PMCTOP_REPLAY_NATIVE_H

#include "core/base/hash_table.h"
#include "core/perfdata/native_record.h"
#include "core/replay/replay_kind.h"

/*
 * What the files of core/replay/replay_native*.c share: a recording of ours on its way. An `own_`
 * record is refused (-EBADMSG) by whoever reads it; what it makes of it is whole then.
 */

/* What is counted, while it is told. */
struct native_plan {
	struct plan *plan; /* NULL: none is under way */
	struct event_set events;
	struct metric_def *defs;
	size_t n_events, n_columns, n_preset; /* that there will be */
	size_t got_events, got_groups, got_columns;
	char *preset;
	enum event_levels levels;
};

struct native_tids {
	pid_t *items;
	size_t n, capacity;
};

struct replay_native {
	struct replay_kind base;
	struct replay_state *state;
	size_t pmus_left; /* that have still to be told */
	struct native_plan plan;
	struct hash_table ids; /* of events: CPU index + 1 */
	int *index_of_cpu;     /* by number; -1: of no interval */
	uint64_t *reading;     /* scratch */
	size_t reading_max;    /* values of it */
	bool *apart;           /* of a tally: not by switches, so that nothing can be compared */

	bool raw; /* samples may have RAW parts */

	int broken;         /* what goes wrong from here on: -errno ... */
	struct error error; /* ... and a sentence */

	/* The interval that is under way, or has ended. */
	bool cut;                 /* NATIVE_CUT has come, and the rest of it not yet */
	bool whole;               /* it has ended */
	uint64_t n_whole;         /* intervals that have ended so far */
	bool ended;               /* the recording, as it says itself */
	uint64_t begin_ns;        /* of the interval: the cut before */
	uint64_t realtime_off_ns; /* from CLOCK_MONOTONIC to CLOCK_REALTIME */
	uint64_t flags;           /* enum native_rows */
	bool differs;             /* from what was shown live */
	uint64_t *found;          /* at the cut: tallies of CPUs, of their idle, unattributed ... */
	bool *found_counted;      /* ... and which of the CPUs were heard of */
	size_t task_times;        /* slots whose NATIVE_TASK_TIME has come */
	struct target_root *roots; /* as told last */
	size_t n_roots;
	struct native_tids listed[NATIVE_STILL + 1];
	struct task **still;
	size_t still_capacity;
};

/* core/replay/replay_native_streams.c: what an interval consists of. */
int native_parse_open(struct replay_native *native, struct native_words *words);
int native_parse_close(struct replay_native *native, struct native_words *words);
int native_parse_pause(struct replay_native *native, struct native_words *words);
int native_parse_resume(struct replay_native *native, struct native_words *words);
int native_parse_ahead(struct replay_native *native, struct native_words *words);
int native_parse_gone(struct replay_native *native, struct native_words *words);
int native_parse_sample(struct replay_native *native, const struct perf_event_header *header);
/* COMM, FORK, EXIT, SWITCH, LOST. */
int native_parse_kernel(struct replay_native *native, const struct perf_event_header *header);

/* core/replay/replay_native_plan.c: NATIVE_PLAN and what follows it. */
int native_parse_plan(struct replay_native *native, struct native_words *words);
int native_parse_event(struct replay_native *native, struct native_words *words);
int native_parse_group(struct replay_native *native, struct native_words *words);
int native_parse_column(struct replay_native *native, struct native_words *words);
/* Whether all of it has come; then it is what is counted. 1, 0, or -errno and a sentence. */
int native_end_plan(struct replay_native *native, struct error *err);
void native_plan_fini(struct native_plan *plan);

/* core/replay/replay_native_cut.c: NATIVE_CUT and what follows it. */
int native_parse_cut(struct replay_native *native, struct native_words *words);
int native_parse_tally(struct replay_native *native, struct native_words *words);
int native_parse_task(struct replay_native *native, struct native_words *words);
int native_parse_notes(struct replay_native *native, struct native_words *words);
int native_parse_target(struct replay_native *native, struct native_words *words);
int native_parse_rows(struct replay_native *native, struct native_words *words);
/* All of it has come. */
void native_end_cut(struct replay_native *native);

#endif
