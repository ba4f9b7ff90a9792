// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REPLAY_STATE_H
#define PMCTOP_REPLAY_STATE_H

#include "core/attrib/attrib.h"
#include "core/attrib/count_mode.h"
#include "core/attrib/interval.h"
#include "core/attrib/target.h"
#include "core/attrib/tasks.h"
#include "core/base/notes.h"
#include "core/code/code_profile.h"
#include "core/engine/engine_choice.h"
#include "core/perfdata/perfdata_read.h"
#include "core/replay/replay.h"
#include "core/replay/replay_input.h"
#include "core/snapshot/fact_table.h"
#include "core/snapshot/snapshot_machine.h"
#include "core/sys/cpu_facts.h"
#include "core/sys/pmu.h"
#include "core/sys/sys_stub.h"
#include "core/sys/topology.h"
#include "core/sys/users.h"

/* What was counted, and the columns that were shown. */
struct replay_columns {
	struct event_set events; /* all recorded events, with their states */
	struct plan *plan;       /* a reference */
	/*
	 * n_defs 0: the recording has none. Then the preset is the configuration's, or one for
	 * these events.
	 */
	struct metric_def *defs;
	size_t n_defs, n_preset;
	struct metric_def *named; /* that the formulas of defs name */
	size_t n_named;
	bool no_facts; /* of tasks, as of all recordings of perf */
	char *preset;
	enum event_levels levels;
};

/*
 * What a replay owns from the first record of a recording to a rewind: the machine as recorded, the
 * interval under way, and the columns. replay.c creates it and builds the snapshots. A kind of
 * recording (core/replay/replay_kind.h) fills it in.
 */
struct replay_state {
	/* Of the caller of replay_new(); borrowed. */
	const struct engine_config *config;
	struct engine_column *config_columns; /* config->columns */
	bool live;                            /* a pipe: its writer may still record */
	uint64_t interval_ns;                 /* of snapshots of a perf recording */
	const struct sys *here; /* the running machine, for its clock and files with symbols */
	/* Of struct replay_config: */
	bool whole, grows, no_functions;
	const char *symfs, *build_id_cache;

	struct perfdata_reader *reader; /* borrowed */
	struct replay_input *files;     /* of a directory: its files; borrowed; NULL: one input */
	struct error file_error;        /* of the first bad file */
	struct error files_end;         /* what all reads return ... */
	bool files_over;                /* ... behind the last file */
	unsigned bad_files;             /* number of files that could not be read, or were broken */
	uint64_t records;               /* read by replay_state_read */

	/*
	 * The machine: a stub kernel without tasks and files. The kind sets its clocks, and passes
	 * the facts of the recording to tasks, users and topology (tasks_set_facts ...).
	 */
	struct sys_stub stub;
	const struct sys *sys; /* &stub.sys */
	struct pmu_set pmus;
	struct cpu_facts cpu;
	struct tasks *tasks;
	struct users *users;
	struct topology topology;
	struct target *target; /* all tasks, unless the recording has a target, or `chosen` */
	bool chosen;           /* replay_target_choose() has set the target ... */
	bool met;              /* ... and found a member */

	/* The interval under way, created by replay_state_open(). */
	struct interval interval;
	struct attrib *attrib;

	/* Of the interval that has ended. */
	uint64_t sequence, time_ns, realtime_ns, length_ns;
	bool is_whole; /* struct snapshot.whole */
	float uneven;  /* struct snapshot.uneven */
	uint64_t lost_records;
	unsigned threads; /* struct snapshot.tasks */
	size_t threads_ran, threads_counted;
	struct snapshot_machine machine;
	struct code_profile *code; /* functions; NULL: code was not sampled; owned */
	struct fact_table facts;   /* of rows that have some; owned */
	bool command_lines, idle;  /* rows have them */
	bool recorded_marks;       /* the tasks have the marks of their rows */
	struct task *const *still; /* tasks with a row that did not run, in row order; borrowed */
	size_t n_still;

	/* Of all snapshots. */
	enum count_mode mode;
	char host[64], pmu[32];
	struct notes notes;        /* the recorded ones, and the kind's */
	struct notes replay_notes; /* of the replay: shown before `notes` */

	/* The columns (core/replay/replay_columns.c). */
	struct columns *columns; /* by replay_state_columns() */
	struct event_context names;
	struct metric_names named; /* of names of `recorded` */
	struct perf_access access;
	struct engine_choice choice;
	struct replay_columns recorded; /* the latest of the recording; owned */
	struct engine_recorded known;   /* the same, in the form of the choice */
	struct request_list *applied;   /* done so far, to be repeated for a new plan; borrowed */
	bool begun;                     /* the first columns exist: an error becomes a note */
};

/*
 * perfdata_reader_next(), counted. Between two files of a directory it returns a
 * PERFDATA_NEXT_FILE: events, their ids and the formats of tracepoints come from the next file from
 * there on. A file that cannot be read, or is broken, becomes a note. If that is the last
 * file, or all are, it is an error.
 */
int replay_state_read(struct replay_state *state, const struct perf_event_header **record,
		      struct error *err);
/* Opens the first file of a directory. No effect on other inputs. */
int replay_state_open_first(struct replay_state *state, struct error *err);
/* Makes the file that is being read the last one. A note names it. */
void replay_state_end_with_file(struct replay_state *state);
/* Name in the directory of the file that is being read; NULL: there is one file. */
const char *replay_state_file(const struct replay_state *state);

/* Creates the interval and attrib for these CPUs. Once, before the columns. */
void replay_state_open(struct replay_state *state, const int *cpu_numbers, size_t n_cpus);
/* The same for the CPUs 0 to n_cpus - 1. */
void replay_state_open_range(struct replay_state *state, size_t n_cpus);
/* Possible CPUs of a perf recording that does not state their number. */
enum { REPLAY_CPUS_UNSTATED = 1024 };

/*
 * tasks_comm() of a perf recording. It marks kthreadd, the parent by which kernel threads are
 * recognized.
 */
struct task *replay_state_comm(struct replay_state *state, const struct record *record);

/*
 * Sets what is counted from now on, between two intervals: state->columns and the shape of the
 * interval. Adds the columns of config and of requests if the recording has their events. No stream
 * of attrib may be open. Takes over the contents of *columns. 0, or -EINVAL with *err filled if a
 * column of config cannot be shown. After the first call, such a column becomes a note instead.
 */
int replay_state_columns(struct replay_state *state, struct replay_columns *columns,
			 struct error *err);
/*
 * Applies FIGURES of request.def to the columns, and takes over the request. 0, or -errno with *err
 * filled; then request and columns are unchanged.
 */
int replay_state_request(struct replay_state *state, struct request *request, struct error *err);
void replay_state_columns_fini(struct replay_state *state);

#endif
