// SPDX-License-Identifier: MIT
/*
 * The kernel, CPUs, PMUs and hypervisor, and the counters that are free.
 */
#include "core/doctor/doctor_internal.h"

#include "core/base/util.h"
#include "core/event/event_table_cache.h"
#include "core/sys/cpu_name.h"
#include "core/sys/proc.h"

#include <stdio.h>
#include <string.h>

#define MACHINE DOCTOR_MACHINE

/* The first line of a file, or "". */
static void read_line(const struct sys *sys, const char *path, char *line, size_t size)
{
	if (sys_file_read(sys, path, line, size) < 0)
		line[0] = '\0';
	line[strcspn(line, "\n")] = '\0';
}

static void report_kernel(struct doctor *doctor, const struct doctor_facts *facts)
{
	char release[128], arch[32];

	read_line(facts->sys, "/proc/sys/kernel/osrelease", release, sizeof(release));
	read_line(facts->sys, "/proc/sys/kernel/arch", arch, sizeof(arch));
	if (facts->denial == DENIAL_NO_PERF)
		doctor_add(doctor, MACHINE, DOCTOR_BAD, "kernel",
			   "Linux %s, built without CONFIG_PERF_EVENTS", release);
	else
		doctor_add(doctor, MACHINE, DOCTOR_OK, "kernel", "Linux %s%s%s",
			   release[0] ? release : "of unknown release", arch[0] ? ", " : "", arch);
}

static void report_cpus(struct doctor *doctor, const struct doctor_facts *facts)
{
	struct cpu_list possible;
	char name[256], offline[64] = "";

	cpu_name_read(facts->sys, name, sizeof(name));
	if (cpus_possible(facts->sys, &possible) == 0) {
		if (possible.n > facts->n_cpus)
			snprintf(offline, sizeof(offline), " of %zu", possible.n);
		cpu_list_fini(&possible);
	}
	if (facts->n_cpus == 0)
		doctor_add(doctor, MACHINE, DOCTOR_WARN, "CPU", "unknown");
	else
		doctor_add(doctor, MACHINE, DOCTOR_OK, "CPU", "%s%s%zu%s online", name,
			   name[0] ? ", " : "", facts->n_cpus, offline);
}

/* The length without the full stop, as findings have none. */
static int length_of_clause(const char *text)
{
	size_t length = strlen(text);

	return (int)(length - (length > 0 && text[length - 1] == '.'));
}

/* "skylakex, version 1.37, 2025-04-18" */
static void name_table(char *text, size_t size, const char *cpu, const char *version,
		       const char *date)
{
	snprintf(text, size, "%s%s%s%s%s", cpu, version[0] ? ", version " : "", version,
		 date[0] ? ", " : "", date);
}

/* The vendor's table. The kernel and libpfm4 have other events, other metrics are built in. */
static void report_events(struct doctor *doctor, const struct doctor_facts *facts)
{
	struct event_table_cache *cache = event_table_cache_new(facts->sys);
	char built_in[160], files[160];

	event_table_cache_set(cache, &facts->tables, NULL);
	const struct event_table *table = event_table_cache_get(cache);
	const struct notes *notes = event_table_cache_notes(cache);
	if (table) {
		name_table(built_in, sizeof(built_in), table->cpu, table->version, table->date);
		if (table->folder)
			name_table(files, sizeof(files), table->files_cpu, table->files_version,
				   table->files_date);
	}
	if (table && table->folder)
		doctor_add(doctor, MACHINE, DOCTOR_OK, "events",
			   "%zu events, %zu from %.200s (%s)%s%s%s", table->n, table->n_of_files,
			   table->folder, files, table->built_in ? ", others built in (" : "",
			   table->built_in ? built_in : "", table->built_in ? ")" : "");
	else if (table)
		doctor_add(doctor, MACHINE, DOCTOR_OK, "events",
			   "%zu events and %zu metrics of %s (version %s, %s)", table->n,
			   table->n_metrics, table->cpu, table->version, table->date);
	for (size_t i = 0; i < notes->n; i++)
		doctor_add(doctor, MACHINE, DOCTOR_WARN, "event tables", "%.*s",
			   length_of_clause(notes->items[i].text), notes->items[i].text);
	event_table_cache_free(cache);
}

/* A finding only if /sys is missing. */
static void report_sysfs(struct doctor *doctor, const struct doctor_facts *facts)
{
	if (facts->sysfs)
		return;
	doctor_add(doctor, MACHINE, DOCTOR_WARN, "/sys",
		   "cannot be read: PMUs, sockets and kinds of CPUs are unknown");
	doctor_remedy(doctor, "sudo mount -t sysfs sysfs /sys");
}

static void report_hypervisor(struct doctor *doctor, const struct doctor_facts *facts)
{
	const struct hypervisor *hypervisor = &facts->hypervisor;

	if (!hypervisor->present)
		doctor_add(doctor, MACHINE, DOCTOR_OK, "VM", "none found");
	else if (doctor->hardware || doctor->level == PERF_ACCESS_NONE)
		doctor_add(doctor, MACHINE, DOCTOR_OK, "VM", "yes, hypervisor: %s",
			   hypervisor->name);
	else
		doctor_add(doctor, MACHINE, DOCTOR_WARN, "VM", "yes, without a PMU; hypervisor: %s",
			   hypervisor->name);
}

static void report_counters(struct doctor *doctor, const char *name,
			    const struct counters *counters, bool watchdog)
{
	const char *missing = counters->cycles && counters->instructions ? ""
			      : counters->cycles ? "; instructions are not counted"
			      : counters->instructions
				      ? "; cycles are not counted"
				      : "; neither cycles nor instructions are counted";

	if (counters->pretends)
		doctor_add(doctor, MACHINE, DOCTOR_BAD, "PMU",
			   "%s: cycles stays 0: the hypervisor only pretends to count", name);
	else if (counters->free < counters->fit)
		doctor_add(doctor, MACHINE, DOCTOR_WARN, "PMU",
			   "%s: %u of %u general counters are free, %s the rest%s", name,
			   counters->free, counters->fit,
			   watchdog ? "the NMI watchdog or a profiler has" : "another profiler has",
			   missing);
	else
		doctor_add(doctor, MACHINE,
			   counters->cycles && counters->instructions ? DOCTOR_OK : DOCTOR_WARN,
			   "PMU", "%s: %u general counters, all free%s", name, counters->fit,
			   missing);
}

static void report_pmu(struct doctor *doctor, const struct doctor_facts *facts, size_t i,
		       bool watchdog)
{
	const struct counters *counters = &facts->counters[i];
	const char *name = facts->pmus.items[i].name;

	if (facts->access.level == PERF_ACCESS_NONE && name[0])
		doctor_add(doctor, MACHINE, DOCTOR_WARN, "PMU",
			   "%s: not tried, because perf_event_open is refused", name);
	else if (!name[0])
		doctor_add(doctor, MACHINE, DOCTOR_BAD, "PMU",
			   facts->pmus.n_core > 1 ? "some CPUs have none" : "none");
	else if (counters->answer == 0)
		report_counters(doctor, name, counters, watchdog);
	else
		doctor_add(doctor, MACHINE, DOCTOR_BAD, "PMU", "%s: refuses cycles (%s)", name,
			   strerrorname_np(-counters->answer));
}

/* The names of PMUs without counters of CPUs, as many as fit. */
static void report_others(struct doctor *doctor, const struct doctor_facts *facts)
{
	size_t n = 0, shown = 0, length = 0;
	char names[160] = "";

	for (size_t i = facts->pmus.n_core; i < facts->pmus.n; i++) {
		const char *name = facts->pmus.items[i].name;

		n++;
		if (length + strlen(name) + 3 > 90)
			continue;
		length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s",
					   shown ? ", " : "", name);
		shown++;
	}
	if (n > shown)
		snprintf(names + length, sizeof(names) - length, ", %zu more", n - shown);
	if (n > 0)
		doctor_add(doctor, MACHINE, DOCTOR_OK, "other PMUs", "%s", names);
}

static void report_watchdog(struct doctor *doctor, const struct doctor_facts *facts, bool known,
			    bool on)
{
	bool taken = false;

	for (size_t i = 0; i < facts->pmus.n_core; i++)
		taken |= facts->counters[i].free < facts->counters[i].fit;
	if (!known)
		doctor_add(doctor, MACHINE, DOCTOR_OK, "NMI watchdog", "this kernel has none");
	else if (!on)
		doctor_add(doctor, MACHINE, DOCTOR_OK, "NMI watchdog", "off");
	else if (!doctor->hardware)
		doctor_add(doctor, MACHINE, DOCTOR_OK, "NMI watchdog", "on");
	else if (!taken)
		doctor_add(doctor, MACHINE, DOCTOR_OK, "NMI watchdog",
			   "on, but no general counter is missing");
	else {
		doctor_add(doctor, MACHINE, DOCTOR_WARN, "NMI watchdog",
			   "on: uses a counter of every CPU");
		doctor_remedy(doctor, "sudo sysctl kernel.nmi_watchdog=0");
	}
}

void doctor_machine(struct doctor *doctor, const struct doctor_facts *facts)
{
	long watchdog = 0;
	bool known = proc_number(facts->sys, "/proc/sys/kernel/nmi_watchdog", &watchdog) == 0;

	report_kernel(doctor, facts);
	report_cpus(doctor, facts);
	report_events(doctor, facts);
	report_sysfs(doctor, facts);
	report_hypervisor(doctor, facts);
	for (size_t i = 0; i < facts->pmus.n_core; i++)
		report_pmu(doctor, facts, i, watchdog != 0);
	report_others(doctor, facts);
	report_watchdog(doctor, facts, known, watchdog != 0);
}
