// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REPLAY_STATE_H
#define PMCTOP_REPLAY_STATE_H

#include "core/attrib/attrib.h"
#include "core/attrib/count_mode.h"
#include "core/attrib/interval.h"
#include "core/attrib/target.h"
#include "core/attrib/tasks.h"
#include "core/base/notes.h"
#include "core/engine/engine_choice.h"
#include "core/perfdata/perfdata_read.h"
#include "core/replay/replay.h"
#include "core/sys/cpu_model.h"
#include "core/sys/pmu.h"
#include "core/sys/sys_stub.h"
#include "core/sys/topology.h"
#include "core/sys/users.h"

/* What was counted, and with which columns it was shown. */
struct replay_columns {
	struct event_set events; /* all that were recorded, with their states */
	struct plan *plan;       /* a reference */
	/* None: nobody says; the configuration's preset, or the one for such events. */
	struct metric_def *defs;
	size_t n_defs, n_preset;
	char *preset;
	enum event_levels levels;
};

/*
 * What core/replay/replay.c and the kinds of recordings share. A kind reads records and folds them
 * into the part's interval, as a collector does; replay.c owns the part, asks for the next interval
 * and takes its picture.
 */
struct replay_state {
	const struct engine_config *config;
	struct engine_column *config_columns; /* config->columns */
	bool live;            /* it comes through a pipe: whoever makes it may go on yet */
	uint64_t interval_ns; /* of pictures, where the recording does not tell */
	struct perfdata_reader *reader;
	uint64_t records; /* counted by replay_state_read */

	/*
	 * A kernel where nothing is, whose clocks stand where the recording is: a kind sets them
	 * as it goes on. What the following would ask it, the recording tells (tasks_set_facts
	 * ...).
	 */
	struct sys_stub stub;
	const struct sys *sys; /* &nowhere.sys */
	struct pmu_set pmus;   /* filled by the kind before it tells its columns; given up here */
	struct cpu_facts cpu;  /* the same */
	struct tasks *tasks;
	struct users *users;
	struct topology topology;
	struct target *target; /* everybody, until it is told otherwise */
	bool chosen;           /* it was, by replay_target_choose() ... */
	bool met;              /* ... and somebody belonged to it */

	/*
	 * By replay_state_open(). A kind resets the interval when the next one begins, and closes
	 * its accounts (attrib_cut, interval_sum_cpus) when it has ended.
	 */
	struct interval interval;
	struct attrib *attrib;

	struct notes notes;      /* as they were shown live: the kind's */
	struct notes said;       /* of the replay itself: shown before those */
	struct columns *columns; /* by replay_state_columns() */

	/* Of the interval that has ended, and all of them. */
	uint64_t sequence, time_ns, realtime_ns, length_ns;
	float uneven; /* as struct snapshot has it */
	uint64_t lost_records;
	unsigned threads; /* snapshot.tasks */
	size_t threads_ran, threads_counted;
	enum count_mode mode;
	char host[64], pmu[32];
	bool command_lines, idle; /* rows have them */
	/* Those that have rows without having run, in their order; where idle. Borrowed. */
	struct task *const *still;
	size_t n_still;

	/*
	 * What is shown of what was counted (core/replay/replay_columns.c): `asked` was done by
	 * commands, and is done again where the plan changes, or all begins anew.
	 */
	struct event_context names;
	struct perf_access access;
	struct engine_choice choice;
	struct replay_columns recorded; /* as told last; owned */
	struct engine_recorded known;   /* the same, as the choice has it */
	struct commands *asked;         /* replay.c's */
	bool begun;                     /* the first columns are there: others only add notes */
};

struct replay_kind;

struct replay_kind_ops {
	/*
	 * What is made is told at once, also where it fails: it is freed by replay.c. `record` is
	 * the first of the recording, the reader stands behind it. 0; -EAGAIN where there is no
	 * more yet (then it is called again, with NULL); or -errno and a sentence: there is nothing
	 * that can be shown.
	 */
	int (*open)(struct replay_state *state, const struct perf_event_header *record,
		    struct replay_kind **kind, struct error *err);
	/* The same, reading on until the columns are told. NULL: they are by then. */
	int (*begin)(struct replay_kind *kind, struct error *err);
	/*
	 * Begins the next interval, if the last one had ended, and reads on to its end: 1, and all
	 * of the part is about that interval until the next call; 0 at the end of the recording;
	 * -EAGAIN where there is no more yet; -errno and a sentence where it is broken, again at
	 * each call. Where a recording of perf's ends or is cut off in the middle of an interval:
	 * 1, and the rest the next time. Of pmctop's only complete intervals are returned: where
	 * the records of a CPU are not all there, no figure of the interval is right.
	 */
	int (*advance)(struct replay_kind *kind, struct error *err);
	/* state->interval_ns has changed. NULL: of no meaning here. */
	void (*set_interval)(struct replay_kind *kind);
	void (*free)(struct replay_kind *kind);
};

/* What a kind begins with. */
struct replay_kind {
	const struct replay_kind_ops *ops;
	struct replay_state *state;
};

extern const struct replay_kind_ops replay_native_ops, replay_perf_ops;

/* perfdata_reader_next, counted. */
static inline int replay_state_read(struct replay_state *state,
				    const struct perf_event_header **record, struct error *err)
{
	int result = perfdata_reader_next(state->reader, record, err);

	state->records += result > 0;
	return result;
}

/* The interval and attrib, over these CPUs. Once, before the columns. */
void replay_state_open(struct replay_state *state, const int *cpu_numbers, size_t n_cpus);

/*
 * What is counted from now on, between two intervals: state->columns, with what was asked for in
 * config->engine and by replay_do() as far as there are events for it, and the shape of the
 * interval. No stream of attrib may be open. Takes over all that *columns has. 0, or -EINVAL and a
 * sentence where what config->engine asks for cannot be had; later that is a note.
 */
int replay_state_columns(struct replay_state *state, struct replay_columns *columns,
			 struct error *err);
/* What a command asks of columns: 0, or -errno and a sentence; then they are as they were. */
int replay_state_command(struct replay_state *state, const struct command *command,
			 struct error *err);
void replay_state_columns_fini(struct replay_state *state);

#endif
