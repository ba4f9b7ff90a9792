// SPDX-License-Identifier: MIT
#ifndef PMCTOP_EVENT_H
#define PMCTOP_EVENT_H

#include "error.h"
#include "figure.h"
#include "pmu.h"
#include "sys.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Something countable: the name its user typed, what perf_event_open wants for it, and whether it
 * can be counted here.
 */
enum event_kind {
	EVENT_DERIVED,  /* measured by the slices: task-clock, context-switches */
	EVENT_SOFTWARE, /* counted by the kernel, needs no counter */
	EVENT_HARDWARE, /* needs a counter of the CPU's PMU */
	EVENT_SOCKET,   /* of a PMU that several CPUs share: counted for the whole machine only */
};

/* How one PMU counts it: a machine with two kinds of CPUs has two codes for "cycles". */
struct event_code {
	size_t pmu;                  /* index in the pmu_set; 0 where SOFTWARE */
	struct perf_event_attr attr; /* type, config*, exclude_*, size: what is not counting, 0 */
	enum figure_state state;     /* VALID, UNSUPPORTED or DENIED */
};

struct event {
	char *name;    /* "cycles", owned: as its user wrote it */
	char unit[16]; /* "" for counts, "ns", "Joules" */
	double scale;  /* a count times this is in `unit`; 1 but for what sysfs says otherwise */
	enum event_kind kind;
	bool leads;               /* must lead its group: Intel's slots */
	struct event_code *codes; /* owned; none where DERIVED, at most one for each core PMU */
	size_t n_codes;
	enum figure_state state; /* for the whole run: the best of its codes' */
	unsigned group;
};

/* Where names are looked up; both borrowed. */
struct event_context {
	const struct sys *sys;
	const struct pmu_set *pmus;
};

/* The events of a run. items[0] is task-clock and items[1] context-switches, always. */
struct event_set {
	const struct event_context *context; /* borrowed; NULL: names that need no files */
	struct event *items;
	size_t n;
	size_t capacity;
};

/*
 * What a name means: fills *event (name copied) with state VALID, without asking whether it can be
 * opened. -ENOENT and a sentence where no resolver knows the name. context NULL: without files.
 */
int event_resolve(const struct event_context *context, const char *name, struct event *event,
		  struct error *err);
void event_copy(struct event *copy, const struct event *event);
void event_fini(struct event *event);

/* A set that holds the two derived events. */
void event_set_init(struct event_set *set, const struct event_context *context);
void event_set_fini(struct event_set *set);
/* The copy has no context. */
void event_set_copy(struct event_set *copy, const struct event_set *set);

/* The index of the event with that name (resolved and appended if it is new) or -ENOENT. */
int event_set_add(struct event_set *set, const char *name, struct error *err);
/* The index of the event with that name or -ENOENT. */
int event_set_find(const struct event_set *set, const char *name);

#endif
