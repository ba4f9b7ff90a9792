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
 * A whole run of the engine on a fake machine with known true counts. No function here fails the
 * test: the first error of a run is recorded, and the caller continues with the next run.
 */
enum { SWEEP_USER = 1000, PMCTOP = 40, MAIN = 50, THREAD, OTHER = 60, PING, PONG, CHILD = 70 };
#define SWEEP_FILE        "/tmp/pmctop-sweep.data"
#define SWEEP_INTERVAL_NS (50 * NS_PER_MS)

struct sweep_step {
	void (*happen)(struct fk *fk); /* before the interval; NULL: nothing */
	void (*disturb)(struct fk *fk, struct faulty *faulty); /* likewise */
	struct request commands[2];                            /* without kind and text: none */
	struct request query;                                  /* likewise */
	bool forked; /* THREAD and CHILD exist from now on */
};

struct sweep_scene {
	const char *name;
	struct fk_config machine;
	const struct fk_config *model; /* instead of `machine`; or NULL */
	struct engine_config config;
	bool runs;    /* pmctop is on a CPU of its own, which is counted */
	bool examine; /* runs the doctor, without an engine */
	void (*prepare)(struct fk *fk, struct faulty *faulty); /* before the run; or NULL */
	const struct sweep_step *steps;
	size_t n_steps;
};

/* How much data a snapshot has. */
struct sweep_extent {
	size_t n_valid;   /* columns */
	size_t n_cpus;    /* with records */
	size_t n_threads; /* counted */
};

struct sweep_outcome {
	char wrong[256];                /* "": nothing */
	bool refused;                   /* engine_new() failed, with an error text */
	enum count_mode mode;           /* of the last snapshot */
	struct sweep_extent extents[3]; /* of the last three */
	char **notes;                   /* of all snapshots, each once */
	size_t n_notes, notes_capacity;
};

/* The machine at the start of the run. */
struct fk *sweep_machine(const struct sweep_scene *scene);
/* A run on a new machine. The caller sets the fault of `faulty`; this function sets the rest. */
void sweep_run(const struct sweep_scene *scene, struct faulty *faulty,
	       struct sweep_outcome *outcome);
/* Reports known figures that are not true. */
void sweep_check_metrics(const struct snapshot *snapshot, struct sweep_outcome *outcome);
/* Reports a run that has less data than `sane`, a run without faults, but no additional note. */
void sweep_compare(struct sweep_outcome *outcome, const struct sweep_outcome *sane,
		   enum faulty_op op, bool ever, int answer);
void sweep_outcome_fini(struct sweep_outcome *outcome);

/* The name of an injected answer: "EIO", "half". */
const char *sweep_answer_name(int answer);

#endif
