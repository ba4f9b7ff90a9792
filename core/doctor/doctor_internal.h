// SPDX-License-Identifier: MIT
#ifndef PMCTOP_DOCTOR_INTERNAL_H
#define PMCTOP_DOCTOR_INTERNAL_H

#include "core/doctor/doctor.h"
#include "core/perf/counters.h"
#include "core/perf/perf_access.h"
#include "core/perf/switch_event.h"
#include "core/sys/hypervisor.h"

#include <limits.h>

/* What the parts of the doctor share; for core/doctor/doctor*.c alone. */
struct doctor_facts {
	const struct sys *sys;
	struct pmu_set pmus;
	struct counters *counters; /* of each core PMU; those with answer 0 count something */
	struct perf_access access;
	enum denial denial; /* of what is missing of the whole system; DENIAL_NONE: nothing is */
	struct perf_permission permission;
	struct hypervisor hypervisor;
	int proc;   /* result of proc_check(): below 0 nothing is counted */
	bool sysfs; /* /sys is mounted */
	enum switch_format_state tracefs;
	struct switch_event switches; /* closed; means nothing below PERF_ACCESS_SYSTEM */
	size_t n_cpus;                /* 0: unknown */
	char program[PATH_MAX];       /* what setcap must name */
};

/* A finding at the end, without remedies. */
void doctor_add(struct doctor *doctor, enum doctor_section section, enum doctor_level level,
		const char *name, const char *format, ...) __attribute__((format(printf, 5, 6)));
/* One for the last of them. */
void doctor_remedy(struct doctor *doctor, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Who refuses, as a clause: "perf_event_paranoid is 2". */
void doctor_name_denial(const struct doctor_facts *facts, enum denial denial, char *text,
			size_t size);
/* Remedies for the last finding: what gives that level. */
void doctor_remedy_denial(struct doctor *doctor, const struct doctor_facts *facts,
			  enum denial denial, enum perf_access_level wanted);

/* What gives RAW samples of tracepoints, where the whole system can be counted without them. */
void doctor_remedy_raw(struct doctor *doctor, const struct doctor_facts *facts);

/* The sections, in their order. */
void doctor_can(struct doctor *doctor, const struct doctor_facts *facts);
void doctor_machine(struct doctor *doctor, const struct doctor_facts *facts);
void doctor_rights(struct doctor *doctor, const struct doctor_facts *facts);
void doctor_limits(struct doctor *doctor, const struct doctor_facts *facts);

#endif
