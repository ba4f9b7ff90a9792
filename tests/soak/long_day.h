// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_LONG_DAY_H
#define PMCTOP_TESTS_LONG_DAY_H

#include "tests/fake_kernel/fake_kernel.h"

#include <stdbool.h>

/*
 * A large busy machine on the fake kernel's clock, without an end. Each CPU has a container. Its
 * shell forks, execs, renames and reaps children, and some children sleep. Containers end and are
 * replaced; each has its own cgroup and user. From time to time there is a fork storm, a crowd of
 * sleeping tasks starts and exits, a CPU goes offline and online, records are lost, and another
 * profiler takes the counters. Tids wrap around at 32768.
 *
 * Everything repeats after `period_s`, so the memory at the same time of two periods can be
 * compared.
 */
struct long_day;

struct long_day_config {
	unsigned cpus, period_s;
	unsigned names;  /* of cgroups and of users */
	unsigned storm;  /* tasks that a storm forks, four a millisecond */
	unsigned crowd;  /* tasks that start, sleep for a while and exit */
	unsigned gap_us; /* mean time between two actions of a CPU */
};

struct long_day *long_day_new(const struct long_day_config *config);
void long_day_free(struct long_day *day);

struct fk *long_day_kernel(struct long_day *day); /* owned by the long_day */

struct long_day_counts {
	unsigned long forks, deaths, renames, containers, offlines, holds, losses;
	unsigned living;
};
struct long_day_counts long_day_counts(const struct long_day *day);

#endif
