// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_MACHINE_H
#define PMCTOP_TESTS_MACHINE_H

#include "core/base/util.h"
#include "core/event/event.h"
#include "core/sys/pmu.h"
#include "tests/fake_kernel/fake_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Recorded machines: tests/fixtures/NAME.sysfs has a line for each file of sysfs, its path below
 * /sys and its text. recorded_each() calls fn for each line.
 */
void recorded_each(const char *name, void (*fn)(void *arg, const char *path, const char *text),
		   void *arg);

/* A fake kernel, with its PMUs, as the context for event_resolve(). machine_fini() frees all. */
struct machine {
	struct fk *fk;
	struct sys sys;
	struct pmu_set pmus;
	struct event_context context;
};

/* A recorded machine. */
void machine_init(struct machine *machine, const char *name);

/* Takes over the fake kernel. The PMUs are the ones in its files now. */
void machine_of(struct machine *machine, struct fk *fk);

void machine_fini(struct machine *machine);

#endif
