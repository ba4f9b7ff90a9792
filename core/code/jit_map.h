// SPDX-License-Identifier: MIT
#ifndef PMCTOP_JIT_MAP_H
#define PMCTOP_JIT_MAP_H

#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The perf map of a process: functions that a just-in-time compiler has written to
 * /tmp/perf-PID.map, by its own pid and below its own root. Each line is "START SIZE NAME".
 *
 * Any user can write such a file for any process, so only a regular file of the process's user or
 * of root is read. It is read in parts, at most JIT_MAP_PART_BYTES at once, because it may grow for
 * as long as the process runs.
 */
enum {
	JIT_MAP_BYTES = 64 << 20, /* what follows is ignored */
	JIT_MAP_PART_BYTES = 8 << 20,
	JIT_MAP_FUNCTIONS = 1 << 18,
	JIT_MAP_NAMES_BYTES = 32 << 20,
};
struct jit_map;

/*
 * Reads nothing yet. `sys` is borrowed. `symfs`: the process is of a recording, and its file is
 * SYMFS/tmp/perf-PID.map, of any user; NULL: the process runs.
 */
struct jit_map *jit_map_new(const struct sys *sys, pid_t pid, const char *symfs);
void jit_map_free(struct jit_map *map); /* NULL is fine */

/*
 * Returns the name of the newest function with the address, valid until the next call, or NULL.
 * Reads what the file has grown by, at most once a second.
 */
const char *jit_map_find(struct jit_map *map, uint64_t address);
/* Whether the process has such a file. Known after the first jit_map_find(). */
bool jit_map_exists(const struct jit_map *map);
/* Returns its memory in bytes. */
size_t jit_map_bytes(const struct jit_map *map);

#endif
