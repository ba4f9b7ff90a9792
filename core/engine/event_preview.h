// SPDX-License-Identifier: MIT
#ifndef PMCTOP_EVENT_PREVIEW_H
#define PMCTOP_EVENT_PREVIEW_H

#include "core/event/event.h"

#include <stdbool.h>
#include <stddef.h>

struct collect;
struct selection;

/*
 * What counting EVENT[,EVENT...] would need beside the current events: the kernel's answer and the
 * plan that would result. Nothing is changed.
 */
struct event_preview {
	char text[1024];         /* the request, cut to this size */
	enum figure_state state; /* VALID, or of the first event that is not */
	char why[256];           /* a sentence if it is not VALID; else "" */
	char pmu[64];            /* of the first event: "cpu", "software"; "": no event */
	char encoding[512];      /* of all events: "cpu/config=0x412e/u", for perf and -e */
	enum event_kind kind;    /* HARDWARE if any event is; else of the first */
	bool counted;            /* each event has a column already */
	/* HARDWARE: groups that take turns on a CPU, without and with the event; 1: no turns. */
	unsigned turns_before, turns_after;
	/* Counters of that PMU: needed with the event, and present; 0: unknown. */
	unsigned needed, counters;
};

struct event_preview_request {
	const char *text;
	const struct selection *selection; /* the current one */
	const struct collect *collect;     /* the current one */
	const struct pmu_set *pmus;
};

/* Opens some groups for a moment, about 50 us each. The caller frees the result. */
struct event_preview *event_preview_new(const struct event_preview_request *request);

/*
 * Prints it in a few words, for the line below the picker's list: why it cannot be counted, or
 * "fits: 4 of 6 counters", "takes turns: one of 3 then, counted for 33% of the time".
 */
void event_preview_describe(const struct event_preview *preview, char *text, size_t size);

#endif
