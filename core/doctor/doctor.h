// SPDX-License-Identifier: MIT
#ifndef PMCTOP_DOCTOR_H
#define PMCTOP_DOCTOR_H

#include "core/perf/perf_access.h"
#include "core/sys/sys.h"
#include "core/tables/tables.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * What can be counted on this machine, what cannot, the reasons and the remedies, as a list of
 * findings. The doctor tries perf_event_open(2); files of /proc and /sys give the reasons.
 */
enum doctor_section {
	DOCTOR_CAN,     /* what pmctop can do here */
	DOCTOR_MACHINE, /* kernel, CPUs, counters */
	DOCTOR_RIGHTS,  /* rights and limits of this process: user, sysctl, seccomp, container */
	DOCTOR_LIMITS,
};

enum doctor_level {
	DOCTOR_OK,
	DOCTOR_WARN, /* less than possible */
	DOCTOR_BAD,  /* not possible */
};

struct finding {
	enum doctor_section section;
	enum doctor_level level;
	const char *name; /* a constant: "whole system"; only "PMU" occurs repeatedly */
	char *text;       /* a clause without a full stop; may hold foreign bytes */
	char **remedies;  /* each alone is enough; most are shell commands */
	size_t n_remedies;
};

struct doctor {
	struct finding *items; /* sorted by section */
	size_t n, capacity;
	enum perf_access_level level; /* access that the kernel grants */
	bool hardware;                /* a hardware event can be counted */
	bool tracepoints, other_tasks;
	char verdict[128]; /* the summary, a clause */
};

/* Whether anything can be counted. */
static inline bool doctor_can_count(const struct doctor *doctor)
{
	return doctor->level > PERF_ACCESS_NONE;
}

/*
 * Fills the list. What cannot be read is "unknown" or absent. `tables`: the user's files of events;
 * NULL: none.
 */
void doctor_examine(const struct sys *sys, const struct tables_places *tables,
		    struct doctor *doctor);
/* Counts for half a second, and adds what that cost. */
void doctor_measure_cost(struct doctor *doctor, const struct sys *sys);
void doctor_fini(struct doctor *doctor);

/* "can", "machine", "rights", "limits"; "ok", "warn", "bad". */
const char *doctor_section_name(enum doctor_section section);
const char *doctor_level_name(enum doctor_level level);

#endif
