// SPDX-License-Identifier: MIT
#ifndef PMCTOP_EVENT_PREVIEW_H
#define PMCTOP_EVENT_PREVIEW_H

#include "core/event/event.h"

#include <stdbool.h>
#include <stddef.h>

struct collect;
struct selection;

/*
 * What it would be to count an event (or several, as -e takes them) beside what is counted now: the
 * kernel's answer, and the plan that would be made, without changing anything.
 */
struct event_preview {
	char text[1024];         /* what was asked; cut where it is longer */
	enum figure_state state; /* VALID, or of the first of them that is not */
	char why[256];           /* a sentence where it is not VALID, or no event at all; else "" */
	char pmu[64];            /* of the first of them: "cpu", "software"; "" where it is none */
	char encoding[512];      /* of all: "cpu/config=0x412e/u", for perf and for -e */
	enum event_kind kind;    /* HARDWARE, if any of them is; else of the first */
	bool counted;            /* there is a column for each of them already */
	/* Of HARDWARE ones: groups that take turns on a CPU, now and with it; 1: nobody waits. */
	unsigned turns_before, turns_after;
	/* What would then want a counter of that PMU, and how many it has; 0: unknown. */
	unsigned needed, counters;
};

struct event_preview_request {
	const char *text;
	const struct selection *selection; /* what is counted now, */
	const struct collect *collect;     /* and how */
	const struct pmu_set *pmus;
};

/* Opens some groups for a moment, each some 50 us. The caller frees it. */
struct event_preview *event_preview_new(const struct event_preview_request *request);

/*
 * The same in a few words, for under the list that it is picked from: why it cannot be counted, or
 * "fits: 4 of 6 counters", "would take turns: 3, each 33% of the time".
 */
void event_preview_describe(const struct event_preview *preview, char *text, size_t size);

#endif
