// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_SCREEN_SNAPSHOT_H
#define PMCTOP_TESTS_SCREEN_SNAPSHOT_H

#include "tests/unit/shared/sample.h"

#include <stdio.h>

/*
 * Snapshots for goldens of screens: every kind of row and every mark of a figure, on any number of
 * CPUs. All values are constant.
 */
struct sample_row screen_row(pid_t pid, const char *user, const char *comm, uint64_t cpu_ns,
			     double ipc, uint64_t switches);

struct snapshot *screen_snapshot_new(const char *preset, const char *pmu,
				     const struct sample_row *rows, size_t n_rows, size_t n_cpus);

/* A machine with counters, all kinds of rows. */
struct snapshot *screen_snapshot(size_t n_cpus);

/* The same machine with lost records. */
struct snapshot *screen_snapshot_lossy(size_t n_cpus);

/* The same machine, which lacks memory. */
struct snapshot *screen_snapshot_sick(size_t n_cpus);

/* A virtual machine without hardware counters, with many rows. */
struct snapshot *screen_snapshot_software(size_t n_cpus, size_t n_rows);

/* Processes with parents, users and cgroups, on at least 2 CPUs of two sockets. */
struct snapshot *screen_snapshot_family(size_t n_cpus);

#endif
