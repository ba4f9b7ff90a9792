// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REPLAY_NATIVE_H
#define PMCTOP_REPLAY_NATIVE_H

#include "core/base/hash_table.h"
#include "core/code/code_profile.h"
#include "core/perfdata/native_record.h"
#include "core/replay/replay_kind.h"

/*
 * Shared by core/replay/replay_native*.c: a native recording that is being replayed. A parser
 * refuses an invalid record with -EBADMSG, and then leaves all it owns in a state that can be
 * freed.
 */

/* A plan while its records are read. */
struct native_plan {
	struct plan *plan; /* NULL: none */
	struct event_set events;
	struct metric_def *defs;
	struct metric_def *named; /* that formulas name */
	size_t n_named, named_capacity;
	size_t n_events, n_columns, n_preset; /* announced by NATIVE_PLAN */
	size_t got_events, got_groups, got_columns;
	char *preset;
	enum event_levels levels;
};

struct native_tids {
	pid_t *items;
	size_t n, capacity;
};

/* A profile while its records are read. */
struct native_code {
	struct code_profile_builder *builder; /* NULL: none */
	uint32_t *events;                     /* in the profile, of the recorded index; owned */
	uint32_t *functions;                  /* the same; owned */
	size_t n_events, n_functions, functions_capacity;
	size_t names_bytes;
};

struct replay_native {
	struct replay_kind base;
	struct replay_state *state;
	size_t pmus_left; /* NATIVE_PMU records still to come */
	struct native_plan plan;
	struct hash_table ids; /* of events: CPU index + 1 */
	int *index_of_cpu;     /* by CPU number; -1: not in intervals */
	uint64_t *reading;     /* scratch */
	size_t reading_max;    /* its size */
	bool *apart; /* by value of a tally: not counted by switches, so it is not compared */

	bool raw; /* samples may have RAW parts */

	int broken;         /* -errno of all later calls ... */
	struct error error; /* ... and its text */

	/* The interval under way, or the last one. */
	bool cut;            /* NATIVE_CUT was read, and its PERFDATA_ROUND was not */
	bool complete;       /* all of it was read */
	uint64_t n_complete; /* complete intervals so far */
	bool ended;          /* NATIVE_END was read */
	uint64_t begin_ns;   /* time of the cut before */
	uint64_t flags;      /* enum native_rows */
	bool differs;        /* a figure differs from the recorded one */
	uint64_t *found; /* computed at the cut: tallies of CPUs, of their idle time, unattributed
			    ... */
	bool *found_counted;       /* ... and which CPUs have samples */
	size_t task_values;        /* number of NATIVE_TASK_VALUES so far */
	struct target_root *roots; /* latest NATIVE_TARGET */
	size_t n_roots;
	struct native_tids listed[NATIVE_STILL + 1];
	struct native_code code;
	struct task **still;
	size_t still_capacity;
};

/* core/replay/replay_native_streams.c: the records of an interval. */
int native_parse_open(struct replay_native *native, struct native_words *words);
int native_parse_close(struct replay_native *native, struct native_words *words);
int native_parse_pause(struct replay_native *native, struct native_words *words);
int native_parse_resume(struct replay_native *native, struct native_words *words);
int native_parse_ahead(struct replay_native *native, struct native_words *words);
int native_parse_gone(struct replay_native *native, struct native_words *words);
int native_parse_sample(struct replay_native *native, const struct perf_event_header *header);
/* COMM, FORK, EXIT, SWITCH, LOST. */
int native_parse_kernel(struct replay_native *native, const struct perf_event_header *header);

/* core/replay/replay_native_plan.c: NATIVE_PLAN and its parts. */
int native_parse_plan(struct replay_native *native, struct native_words *words);
int native_parse_event(struct replay_native *native, struct native_words *words);
int native_parse_group(struct replay_native *native, struct native_words *words);
int native_parse_metric(struct replay_native *native, struct native_words *words);
int native_parse_column(struct replay_native *native, struct native_words *words);
/* Applies the plan if it is complete: 1; 0: it is not; or -errno with *err filled. */
int native_end_plan(struct replay_native *native, struct error *err);
void native_plan_fini(struct native_plan *plan);

/* core/replay/replay_native_cut.c: NATIVE_CUT and its parts. */
int native_parse_cut(struct replay_native *native, struct native_words *words);
int native_parse_tally(struct replay_native *native, struct native_words *words);
int native_parse_task(struct replay_native *native, struct native_words *words);
int native_parse_before(struct replay_native *native, struct native_words *words);
int native_parse_facts(struct replay_native *native, struct native_words *words);
int native_parse_machine(struct replay_native *native, struct native_words *words);
int native_parse_notes(struct replay_native *native, struct native_words *words);
int native_parse_target(struct replay_native *native, struct native_words *words);
int native_parse_rows(struct replay_native *native, struct native_words *words);
/* core/replay/replay_native_code.c: the functions of an interval. */
int native_parse_code_events(struct replay_native *native, struct native_words *words);
int native_parse_code_functions(struct replay_native *native, struct native_words *words);
int native_parse_code_stacks(struct replay_native *native, struct native_words *words);
/* The profile, owned by the caller; NULL: code was not sampled. */
struct code_profile *native_end_code(struct replay_native *native);
void native_clear_code(struct replay_native *native);
void native_free_code(struct replay_native *native);

/* Ends the interval, after its last record. */
void native_end_cut(struct replay_native *native);

#endif
