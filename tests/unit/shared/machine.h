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
 * Machines recorded as one text a machine, tests/fixtures/NAME.sysfs: a line for each file of
 * sysfs, its path below /sys and what it says.
 */
static inline void recorded_each(const char *name,
				 void (*fn)(void *arg, const char *path, const char *text),
				 void *arg)
{
	char path[256], line[512];

	snprintf(path, sizeof(path), "tests/fixtures/%s.sysfs", name);
	FILE *file = fopen(path, "r");
	if (!file) {
		perror(path); /* tests/run starts tests from the top */
		abort();
	}
	while (fgets(line, sizeof(line), file)) {
		char *blank = strchr(line, ' ');

		if (line[0] == '#' || !blank)
			continue;
		*blank = '\0';
		fn(arg, line, blank + 1);
	}
	fclose(file);
}

/* Such a machine behind the fake kernel, as event_resolve() wants it. */
struct machine {
	struct fk *fk;
	struct sys sys;
	struct pmu_set pmus;
	struct event_context context;
};

static inline void machine_add_file(void *arg, const char *path, const char *text)
{
	char full[1024];

	snprintf(full, sizeof(full), "/sys/%s", path);
	fk_file(arg, full, text);
}

static inline void machine_init(struct machine *machine, const char *name)
{
	machine->fk = fk_new(&(struct fk_config){.cpus = 4, .no_pmu = true});
	recorded_each(name, machine_add_file, machine->fk);
	machine->sys = fk_sys(machine->fk);
	pmu_set_read(&machine->sys, &machine->pmus);
	machine->context = (struct event_context){&machine->sys, &machine->pmus};
}

static inline void machine_fini(struct machine *machine)
{
	pmu_set_fini(&machine->pmus);
	fk_free(machine->fk);
}

#endif
