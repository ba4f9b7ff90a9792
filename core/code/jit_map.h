// SPDX-License-Identifier: MIT
#ifndef PMCTOP_JIT_MAP_H
#define PMCTOP_JIT_MAP_H

#include "core/code/code_helpers.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The perf map of a process: functions that a just-in-time compiler has written to
 * /tmp/perf-PID.map (CODE_TEXT_PERF_MAP). Each line is "START SIZE NAME". It is read in parts, at
 * most JIT_MAP_PART_BYTES at once, because it may grow for as long as the process runs.
 */
enum {
	JIT_MAP_BYTES = 64 << 20, /* what follows is ignored */
	JIT_MAP_PART_BYTES = 8 << 20,
	JIT_MAP_FUNCTIONS = 1 << 18,
	JIT_MAP_NAMES_BYTES = 32 << 20,
};
struct jit_map;

/*
 * Reads nothing yet. `sys`, for its clock, and `helpers` are borrowed. `recording`: the process is
 * of a recording, so the map does not grow, and is read at once.
 */
struct jit_map *jit_map_new(const struct sys *sys, const struct code_helpers *helpers, pid_t pid,
			    bool recording);
void jit_map_free(struct jit_map *map); /* NULL is fine */

/*
 * Returns the name of the newest function with the address, valid until the next call, or NULL.
 * Reads what the file has grown by, at most once a second, and waits for it until deadline_ns
 * (CLOCK_MONOTONIC).
 */
const char *jit_map_find(struct jit_map *map, uint64_t address, uint64_t deadline_ns);
/* Whether the process has such a file; true until a jit_map_find() has found out. */
bool jit_map_may_exist(const struct jit_map *map);
/* Returns its memory in bytes. */
size_t jit_map_bytes(const struct jit_map *map);

#endif
