// SPDX-License-Identifier: MIT
#ifndef PMCTOP_DOCTOR_INTERNAL_H
#define PMCTOP_DOCTOR_INTERNAL_H

#include "core/doctor/doctor.h"
#include "core/perf/counters.h"
#include "core/perf/perf_access.h"
#include "core/perf/switch_event.h"
#include "core/sys/hypervisor.h"

#include <limits.h>

/* Shared by core/doctor/doctor*.c. */
struct doctor_facts {
	const struct sys *sys;
	struct tables_places tables;
	struct pmu_set pmus;
	struct counters *counters; /* by core PMU; answer 0: it counts */
	struct perf_access access;
	enum denial
		denial; /* the reason for less than the whole system; DENIAL_NONE: all granted */
	struct perf_permission permission;
	struct hypervisor hypervisor;
	int proc;   /* of proc_check(); < 0: nothing can be counted */
	bool sysfs; /* /sys is mounted */
	enum switch_format_state tracefs;
	struct switch_event switches; /* closed; undefined below PERF_ACCESS_SYSTEM */
	size_t n_cpus;                /* 0: unknown */
	char program[PATH_MAX];       /* path for setcap */
};

/* Appends a finding without remedies. */
void doctor_add(struct doctor *doctor, enum doctor_section section, enum doctor_level level,
		const char *name, const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Appends a remedy to the last finding. */
void doctor_remedy(struct doctor *doctor, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Writes the reason of a denial, a clause: "perf_event_paranoid is 2, and no CAP_PERFMON". */
void doctor_name_denial(const struct doctor_facts *facts, enum denial denial, char *text,
			size_t size);
/* Appends the remedies that give the wanted level to the last finding. */
void doctor_remedy_denial(struct doctor *doctor, const struct doctor_facts *facts,
			  enum denial denial, enum perf_access_level wanted);

/* Appends the remedies that give RAW samples of tracepoints, if they alone are refused. */
void doctor_remedy_raw(struct doctor *doctor, const struct doctor_facts *facts);

/* Append the findings of a section. Called in this order. */
void doctor_can(struct doctor *doctor, const struct doctor_facts *facts);
void doctor_machine(struct doctor *doctor, const struct doctor_facts *facts);
void doctor_rights(struct doctor *doctor, const struct doctor_facts *facts);
void doctor_limits(struct doctor *doctor, const struct doctor_facts *facts);

#endif
