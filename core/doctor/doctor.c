// SPDX-License-Identifier: MIT
/*
 * The facts are read once, then each section appends its findings from them. perf_event_open(2)
 * decides what can be counted; files of /proc and /sys only explain a refusal.
 */
#include "core/doctor/doctor.h"

#include "core/base/util.h"
#include "core/doctor/doctor_internal.h"
#include "core/sys/cpus.h"
#include "core/sys/proc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *doctor_section_name(enum doctor_section section)
{
	switch (section) {
	case DOCTOR_CAN:
		return "can";
	case DOCTOR_MACHINE:
		return "machine";
	case DOCTOR_RIGHTS:
		return "rights";
	case DOCTOR_LIMITS:
		break;
	}
	return "limits";
}

const char *doctor_level_name(enum doctor_level level)
{
	return level == DOCTOR_OK ? "ok" : level == DOCTOR_WARN ? "warn" : "bad";
}

static char *__attribute__((format(printf, 1, 0))) format_text(const char *format, va_list args)
{
	char text[1024];

	vsnprintf(text, sizeof(text), format, args);
	return xstrdup(text);
}

void doctor_add(struct doctor *doctor, enum doctor_section section, enum doctor_level level,
		const char *name, const char *format, ...)
{
	va_list args;

	doctor->items = array_reserve(doctor->items, &doctor->capacity, doctor->n + 1,
				      sizeof(*doctor->items));
	va_start(args, format);
	doctor->items[doctor->n++] = (struct finding){
		.section = section,
		.level = level,
		.name = name,
		.text = format_text(format, args),
	};
	va_end(args);
}

void doctor_remedy(struct doctor *doctor, const char *format, ...)
{
	struct finding *finding = &doctor->items[doctor->n - 1];
	va_list args;

	finding->remedies = xreallocarray(finding->remedies, finding->n_remedies + 1,
					  sizeof(*finding->remedies));
	va_start(args, format);
	finding->remedies[finding->n_remedies++] = format_text(format, args);
	va_end(args);
}

void doctor_fini(struct doctor *doctor)
{
	for (size_t i = 0; i < doctor->n; i++) {
		for (size_t k = 0; k < doctor->items[i].n_remedies; k++)
			free(doctor->items[i].remedies[k]);
		free(doctor->items[i].remedies);
		free(doctor->items[i].text);
	}
	free(doctor->items);
	*doctor = (struct doctor){0};
}

static void read_counters(struct doctor_facts *facts)
{
	const struct event_context context = {facts->sys, &facts->pmus};

	facts->counters = xcalloc(facts->pmus.n_core, sizeof(*facts->counters));
	for (size_t i = 0; i < facts->pmus.n_core; i++) {
		if (facts->access.level > PERF_ACCESS_NONE)
			counters_probe(&context, i, facts->access.level, &facts->counters[i]);
		else
			facts->counters[i].answer = facts->access.answers[PERF_ACCESS_USER];
	}
}

static void read_facts(const struct sys *sys, struct doctor_facts *facts)
{
	struct cpu_list online;
	struct switch_format format;

	*facts = (struct doctor_facts){
		.sys = sys,
		.proc = proc_check(sys),
		.sysfs = cpus_have_sysfs(sys),
		.tracefs = switch_format_read(sys, &format),
	};
	pmu_set_read(sys, &facts->pmus);
	perf_access_probe(sys, &facts->access);
	if (facts->proc < 0)
		facts->access.level = PERF_ACCESS_NONE;
	perf_permission_read(sys, &facts->permission);
	hypervisor_read(sys, &facts->hypervisor);
	read_counters(facts);
	if (facts->access.level < PERF_ACCESS_SYSTEM && facts->proc == 0)
		facts->denial = perf_permission_denial(
			&facts->permission, facts->access.answers[facts->access.level + 1],
			facts->access.level + 1);
	if (cpus_online(sys, &online) == 0) {
		facts->n_cpus = online.n;
		if (facts->access.level == PERF_ACCESS_SYSTEM && online.n > 0) {
			switch_event_open(&facts->switches, sys, online.numbers[0]);
			switch_event_close(&facts->switches, sys);
		}
		cpu_list_fini(&online);
	}
	if (sys_link_read(sys, "/proc/self/exe", facts->program, sizeof(facts->program)) < 0)
		text_copy(facts->program, sizeof(facts->program), "pmctop");
}

void doctor_examine(const struct sys *sys, const struct tables_places *tables,
		    struct doctor *doctor)
{
	struct doctor_facts facts;

	*doctor = (struct doctor){0};
	read_facts(sys, &facts);
	facts.tables = tables ? *tables : (struct tables_places){0};
	doctor->level = facts.access.level;
	for (size_t i = 0; i < facts.pmus.n_core; i++)
		doctor->hardware |= facts.access.level > PERF_ACCESS_NONE &&
				    facts.counters[i].answer == 0 && !facts.counters[i].pretends;
	doctor_can(doctor, &facts);
	doctor_machine(doctor, &facts);
	doctor_rights(doctor, &facts);
	doctor_limits(doctor, &facts);
	free(facts.counters);
	pmu_set_fini(&facts.pmus);
}
