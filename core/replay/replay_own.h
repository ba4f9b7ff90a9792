// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REPLAY_OWN_H
#define PMCTOP_REPLAY_OWN_H

#include "core/perfdata/own_read.h"
#include "core/replay/replay_part.h"

/*
 * What the files of core/replay/replay_own*.c share: a recording of ours on its way. An `own_`
 * record is refused (-EBADMSG) by whoever reads it; what it makes of it is whole then.
 */

/* Whose CPU an event's id is: open addressing, a power of two; id 0 is a free place. */
struct own_id {
	uint64_t id;
	size_t cpu;
};

/* What is counted, while it is told. */
struct own_plan {
	struct plan *plan; /* NULL: none is under way */
	struct event_set events;
	struct metric_def *defs;
	size_t n_events, n_columns, n_preset; /* that there will be */
	size_t got_events, got_groups, got_columns;
	char *preset;
	enum event_levels levels;
};

struct own_tids {
	pid_t *items;
	size_t n, capacity;
};

struct replay_own {
	struct replay_kind base;
	struct replay_part *part;
	size_t pmus_left; /* that have still to be told */
	struct own_plan plan;
	struct own_id *ids;
	size_t n_ids, ids_size;
	struct own_id last_id; /* of the last record: mostly of the next one too */
	int *index_of_cpu;     /* by number; -1: of no interval */
	uint64_t *reading;     /* scratch */
	size_t reading_max;    /* values of it */
	bool *apart;           /* of a tally: not by switches, so that nothing can be compared */

	bool raw; /* samples may have RAW parts */

	int broken;         /* what goes wrong from here on: -errno ... */
	struct error error; /* ... and a sentence */

	/* The interval that is under way, or has ended. */
	bool cut;                 /* OWN_CUT has come, and the rest of it not yet */
	bool whole;               /* it has ended */
	uint64_t n_whole;         /* intervals that have ended so far */
	bool ended;               /* the recording, as it says itself */
	uint64_t begin_ns;        /* of the interval: the cut before */
	uint64_t realtime_off_ns; /* from CLOCK_MONOTONIC to CLOCK_REALTIME */
	uint64_t flags;           /* enum own_rows */
	bool differs;             /* from what was shown live */
	uint64_t *found;          /* at the cut: tallies of CPUs, of their idle, unattributed ... */
	bool *found_counted;      /* ... and which of the CPUs were heard of */
	size_t task_times;        /* slots whose OWN_TASK_TIME has come */
	struct target_root *roots; /* as told last */
	size_t n_roots;
	struct own_tids listed[OWN_STILL + 1];
	struct task **still;
	size_t still_capacity;
};

/* core/replay/replay_own_streams.c: what an interval consists of. */
int own_take_open(struct replay_own *own, struct own_words *words);
int own_take_close(struct replay_own *own, struct own_words *words);
int own_take_pause(struct replay_own *own, struct own_words *words);
int own_take_resume(struct replay_own *own, struct own_words *words);
int own_take_ahead(struct replay_own *own, struct own_words *words);
int own_take_gone(struct replay_own *own, struct own_words *words);
int own_take_sample(struct replay_own *own, const struct perf_event_header *header);
/* COMM, FORK, EXIT, SWITCH, LOST. */
int own_take_told(struct replay_own *own, const struct perf_event_header *header);
/* A table that is as large as it must be, without those of a CPU (SIZE_MAX: of none). */
void own_renew_ids(struct replay_own *own, size_t without);

/* core/replay/replay_own_plan.c: OWN_PLAN and what follows it. */
int own_take_plan(struct replay_own *own, struct own_words *words);
int own_take_event(struct replay_own *own, struct own_words *words);
int own_take_group(struct replay_own *own, struct own_words *words);
int own_take_column(struct replay_own *own, struct own_words *words);
/* Whether all of it has come; then it is what is counted. 1, 0, or -errno and a sentence. */
int own_end_plan(struct replay_own *own, struct error *err);
void own_plan_fini(struct own_plan *plan);

/* core/replay/replay_own_cut.c: OWN_CUT and what follows it. */
int own_take_cut(struct replay_own *own, struct own_words *words);
int own_take_tally(struct replay_own *own, struct own_words *words);
int own_take_task(struct replay_own *own, struct own_words *words);
int own_take_notes(struct replay_own *own, struct own_words *words);
int own_take_target(struct replay_own *own, struct own_words *words);
int own_take_rows(struct replay_own *own, struct own_words *words);
/* All of it has come. */
void own_end_cut(struct replay_own *own);

#endif
