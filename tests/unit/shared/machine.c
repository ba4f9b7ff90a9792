// SPDX-License-Identifier: MIT
#include "tests/unit/shared/machine.h"

#include "core/event/event_table_cache.h"

void recorded_each(const char *name, void (*fn)(void *arg, const char *path, const char *text),
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

static void machine_add_file(void *arg, const char *path, const char *text)
{
	char full[1024];

	snprintf(full, sizeof(full), "/sys/%s", path);
	fk_file(arg, full, text);
}

void machine_init(struct machine *machine, const char *name)
{
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 4, .no_pmu = true});

	recorded_each(name, machine_add_file, fk);
	machine_of(machine, fk);
}

void machine_of(struct machine *machine, struct fk *fk)
{
	machine->fk = fk;
	machine->sys = fk_sys(fk);
	pmu_set_read(&machine->sys, &machine->pmus);
	machine->context = (struct event_context){
		.sys = &machine->sys,
		.pmus = &machine->pmus,
		.tables = event_table_cache_new(&machine->sys),
	};
}

void machine_fini(struct machine *machine)
{
	event_table_cache_free(machine->context.tables);
	pmu_set_fini(&machine->pmus);
	fk_free(machine->fk);
}
