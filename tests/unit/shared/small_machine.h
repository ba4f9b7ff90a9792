// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_SMALL_MACHINE_H
#define PMCTOP_TESTS_SMALL_MACHINE_H

#include "tests/unit/shared/screen_snapshot.h"

/* Invented snapshots of a machine with 4 CPUs, one per second. */
enum { SECONDS = 130, CPUS = 4 };

/*
 * The snapshot of that second, owned by the caller. The load of postgres goes up and down and it
 * has two threads, a compiler exits after 100 s, and cron runs every 7 s.
 */
struct snapshot *second_of(unsigned second);

#endif
