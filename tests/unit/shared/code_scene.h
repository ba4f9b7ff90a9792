// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_CODE_SCENE_H
#define PMCTOP_TESTS_CODE_SCENE_H

#include "core/snapshot/snapshot.h"

/*
 * Snapshots with samples, for screens of code: screen_snapshot() of 2 CPUs, in which process 4121
 * has functions of all kinds (C++, Rust, kernel, without a name), 5000 has one function, and the
 * others have no samples.
 */
enum code_scene {
	CODE_SCENE,        /* 62 % of 4121's cycles and most of its misses are in hash_lookup */
	CODE_SCENE_LATER,  /* hash_lookup is gone, and another function there */
	CODE_SCENE_CLOCK,  /* cpu-clock alone, of a machine without a PMU */
	CODE_SCENE_FLAT,   /* cpu-clock alone, with twelve functions of equal shares */
	CODE_SCENE_SILENT, /* a profile without samples */
	CODE_SCENE_NONE,   /* no profile */
};

/* The nth second. All have these columns; NULL: columns of its own. */
struct snapshot *code_scene_snapshot(enum code_scene scene, unsigned nth, struct columns *columns);

#endif
