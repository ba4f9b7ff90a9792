// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_LONG_DAY_H
#define PMCTOP_TESTS_LONG_DAY_H

#include "tests/fake_kernel/fake_kernel.h"

#include <stdbool.h>

/*
 * A large machine at work on the fake kernel's clock, for as long as one likes. Each CPU has a
 * container whose shell forks, execs, renames and reaps children, some of which stay and sleep;
 * containers end and others come in their place, each in a cgroup and with a user of its own. Now
 * and then there is a fork storm, a crowd that comes and goes, a CPU goes off and on, records are
 * lost, and another profiler takes the counters. Numbers of tasks wrap around at 32768.
 *
 * All of it comes again after `period_s`, so that what is kept at the same time of two periods can
 * be compared.
 */
struct long_day;

struct long_day_config {
	unsigned cpus, period_s;
	unsigned names;  /* of cgroups and of users */
	unsigned storm;  /* tasks that a storm forks, four a millisecond */
	unsigned crowd;  /* tasks that come, sleep for a while and go */
	unsigned gap_us; /* between two things that a CPU does, about */
};

struct long_day *long_day_new(const struct long_day_config *config);
void long_day_free(struct long_day *day);

struct fk *long_day_kernel(struct long_day *day); /* lives as long as it does */

struct long_day_counts {
	unsigned long forks, deaths, renames, containers, offlines, holds, losses;
	unsigned living;
};
struct long_day_counts long_day_counts(const struct long_day *day);

#endif
