// SPDX-License-Identifier: MIT
#ifndef PMCTOP_DOCTOR_H
#define PMCTOP_DOCTOR_H

#include "core/perf/perf_access.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * What can be counted here, what cannot, why not, and the remedy: found out by asking the kernel,
 * with what files tell as the reasons. A list of findings, each a name and a sentence.
 */
enum doctor_section {
	DOCTOR_CAN,     /* what pmctop can do here */
	DOCTOR_MACHINE, /* kernel, CPUs, counters */
	DOCTOR_RIGHTS,  /* who may count, and what confines this process */
	DOCTOR_LIMITS,
};

enum doctor_level {
	DOCTOR_OK,
	DOCTOR_WARN, /* less than there could be */
	DOCTOR_BAD,  /* not at all */
};

struct finding {
	enum doctor_section section;
	enum doctor_level level;
	const char *name; /* "whole system", "PMU": a constant; only that of PMUs may come again */
	char *text;       /* a clause without a stop; may hold foreign bytes */
	char **remedies;  /* each alone is enough; most are commands to be typed */
	size_t n_remedies;
};

struct doctor {
	struct finding *items; /* by section */
	size_t n, capacity;
	enum perf_access_level level; /* what the kernel grants */
	bool hardware;                /* some hardware event is counted */
	bool tracepoints, other_tasks;
	char verdict[128]; /* all of it in a clause */
};

/* Whether anything can be counted. */
static inline bool doctor_can_count(const struct doctor *doctor)
{
	return doctor->level > PERF_ACCESS_NONE;
}

void doctor_examine(const struct sys *sys, struct doctor *doctor);
/* Counts all that it may for half a second, and adds what that took of this machine. */
void doctor_weigh(struct doctor *doctor, const struct sys *sys);
void doctor_fini(struct doctor *doctor);

/* "can", "machine", "rights", "limits"; "ok", "warn", "bad". */
const char *doctor_section_name(enum doctor_section section);
const char *doctor_level_name(enum doctor_level level);

#endif
