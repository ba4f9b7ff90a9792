// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_DAY_H
#define PMCTOP_TESTS_DAY_H

#include "tests/unit/shared/engine_run.h"

#include <stdio.h>

/*
 * A fake machine for tests of the output of a long run. On the first CPU a shell runs one child
 * after the other. Each child has another name, with bytes that are hard to print, and tids are
 * reused. On the second CPU two tasks wake each other, and records are lost now and then.
 */
enum {
	DAY_SHELL = 50,
	DAY_PING = 60,
	DAY_PONG,
	DAY_FIRST = 1000,
	DAY_CHILDREN = 300, /* tids; one is reused after more than TASKS_REUSE_NS */
};

struct day {
	struct fk *fk;
	struct sys sys;
	struct engine *engine;
	uint64_t turn_ns;
	unsigned n_children; /* that have exited */
	bool child_runs;
	char comm[16];
};

/* Each child runs for turn_ns, and so does the shell between two of them. */
void day_open(struct day *day, uint64_t turn_ns, const struct engine_config *config);

void day_close(struct day *day);

#endif
