// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_SWEEP_H
#define PMCTOP_TESTS_SWEEP_H

#include "core/base/util.h"
#include "core/engine/engine.h"
#include "tests/fake_kernel/fake_kernel.h"
#include "tests/fake_kernel/faulty.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A whole run on a machine of which the truth is known, and what was wrong with it. Nothing here
 * asserts: a run that goes wrong is told, and the next one begins.
 */
enum { SWEEP_USER = 1000, PMCTOP = 40, MAIN = 50, THREAD, OTHER = 60, PING, PONG, CHILD = 70 };
#define SWEEP_FILE        "/tmp/pmctop-sweep.data"
#define SWEEP_INTERVAL_NS (50 * NS_PER_MS)

struct sweep_step {
	void (*happen)(struct fk *fk); /* before the interval; NULL: nothing */
	void (*disturb)(struct fk *fk, struct faulty *faulty); /* likewise */
	struct command commands[2];                            /* those with a kind or a text */
	struct query query; /* asked, if it has a kind or a text */
	bool forked;        /* THREAD and CHILD are there from now on */
};

struct sweep_scene {
	const char *name;
	struct fk_config machine;
	const struct fk_config *model; /* instead of it */
	struct engine_config config;
	bool runs;    /* pmctop is on a CPU of its own, which is counted */
	bool examine; /* the doctor looks; no engine */
	void (*prepare)(struct fk *fk, struct faulty *faulty); /* before it begins; or NULL */
	const struct sweep_step *steps;
	size_t n_steps;
};

/* How much is known of an interval. */
struct sweep_extent {
	size_t n_valid;   /* columns */
	size_t n_cpus;    /* heard of */
	size_t n_threads; /* counted */
};

struct sweep_outcome {
	char wrong[256];                /* "": nothing */
	bool refused;                   /* engine_new failed, and said why */
	enum count_mode mode;           /* of the last snapshot */
	struct sweep_extent extents[3]; /* of the last three */
	char **notes;                   /* of all snapshots, each once */
	size_t n_notes, notes_capacity;
};

/* The machine before it begins. */
struct fk *sweep_machine(const struct sweep_scene *scene);
/* Everything from the machine's making to its end; faulty has its fault, and gets its machine. */
void sweep_run(const struct sweep_scene *scene, struct faulty *faulty,
	       struct sweep_outcome *outcome);
/* Tells of each figure that is known and not true. */
void sweep_check_metrics(const struct snapshot *snapshot, struct sweep_outcome *outcome);
/* What there is less than where nothing fails, is told. */
void sweep_compare(struct sweep_outcome *outcome, const struct sweep_outcome *sane,
		   enum faulty_op op, bool ever, int answer);
void sweep_outcome_fini(struct sweep_outcome *outcome);

/* "EIO", "half": what a call was answered. */
const char *sweep_answer_name(int answer);

#endif
