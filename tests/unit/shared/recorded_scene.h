// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_RECORDED_SCENE_H
#define PMCTOP_TESTS_RECORDED_SCENE_H

#include "core/engine/engine.h"
#include "core/engine/request.h"
#include "core/perfdata/perfdata_read.h"
#include "core/perfdata/recorder.h"
#include "core/replay/replay.h"
#include "tests/fake_kernel/busy.h"
#include "tests/fake_kernel/machines.h"
#include "tests/unit/shared/engine_run.h"
#include "tests/unit/shared/same_snapshot.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/*
 * Fake machines that are recorded while a test keeps their snapshots, and the comparison of these
 * with a replay of the recording. The recordings are in a directory of their own, which exists
 * between the two group functions of cmocka: recorded_scenes_setup() and ..._teardown().
 */
enum { INTERVALS_MAX = 8, SEEN_MAX = 32 };

extern char recorded_directory[];
int recorded_scenes_setup(void **state);
int recorded_scenes_teardown(void **state);
/* The path of a file there, valid until the next call. */
const char *path_of(const char *name);

/* Three CPUs on which six tasks of two users run, some of them in turns. */
struct fk *workers_new(const struct fk_config *config);
/* Schedules forks, exits, faults and lost records on the first CPU. */
void add_lives(struct fk *fk);
/*
 * Task 50 on CPU 1 forks every 7 ms. Its children run on CPU 0, the ring that is read first, and
 * exit late. They have two tids only, so each tid soon belongs to another child.
 */
struct fk *storm_new(const struct fk_config *config);

struct scene {
	const char *name;
	const struct fk_config *machine; /* NULL: 3 CPUs with `slots` counters each */
	unsigned slots;
	bool server, hybrid; /* a machine of busy.h */
	bool lives;          /* add_lives() */
	bool storm;          /* storm_new() in place of workers_new() */
	bool own_pids;       /* in a pid namespace */
	struct engine_config config;
	bool midway; /* the recording begins by command, after 2 intervals */
	void (*before)(struct engine *engine, struct fk *fk, size_t interval);
	const char *live_note; /* a note that only the live run has */
	bool lost;             /* records are lost */
};

struct seen {
	struct snapshot *items[SEEN_MAX]; /* owned */
	size_t n;
};

void seen_fini(struct seen *seen);

/* Fails the test on error. */
struct recorder *open_recorder(const char *path, uint64_t switch_bytes);
/* Records n intervals of a scene and appends their snapshots to *seen. */
void record(const struct scene *scene, const char *path, struct seen *seen, size_t n);

/* A replay makes no system calls: this has none. */
extern const struct sys recorded_sys;

int open_replay(const char *path, const struct engine_config *engine, struct replay **replay,
		struct error *err);
/* The same, and fails the test on error. */
struct replay *must_open(const char *path, const struct engine_config *engine);
/* The next snapshot, owned by the caller; fails the test at the end and on error. */
struct snapshot *must_show(struct replay *replay);
/* Fails unless the replay is at its end. */
void check_end(struct replay *replay);
/* Fails unless the replay shows these snapshots, and no more. */
void check_replay(struct replay *replay, const struct seen *seen);

/* A `before` of scenes: one command per interval. Each changes columns or rows. */
void change_columns(struct engine *engine, struct fk *fk, size_t interval);

#endif
