// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CATALOG_H
#define PMCTOP_CATALOG_H

#include "core/event/event.h"
#include "core/metric/metric_def.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * What can be counted on this machine, entry by entry: for lists, and to pick from. Whether it can
 * is the kernel's answer to opening it (probe.h), not what a table promises. All text is printable
 * (text.h) and borrowed for the call; a callback that returns other than 0 ends the walk, which
 * returns it.
 *
 * A pattern is a glob (where it has * ? or [) or a part of the name or of the description, without
 * regard to case. NULL is everything. A pattern of CATALOG_PATTERN_MAX bytes or more matches
 * nothing: the time for each of thousands of entries grows with its length.
 */
enum { CATALOG_PATTERN_MAX = 1024 };
bool catalog_matches(const char *pattern, const char *name, const char *help);

struct catalog_entry {
	const char *name;        /* what -e takes, or how such names are written where `example` */
	const char *pmu;         /* whose event it is: "cpu", "software", "icl", "tracepoint" */
	const char *help;        /* one line; "" where nobody says */
	bool example;            /* it cannot be asked for: state and answer mean nothing */
	enum figure_state state; /* VALID, UNSUPPORTED or DENIED */
	int answer;              /* the kernel's: 0, or the -errno of the refusal */
};

typedef int catalog_fn(void *arg, const struct catalog_entry *entry);

/*
 * Every event with a name: the kernel's generic ones, those of PMUs in sysfs, libpfm4's for this
 * machine's PMUs, how to write those without a name, tracepoints. Without a pattern tracepoints
 * are told by their subsystems only: there are thousands. One tracepoint answers for all, since
 * each takes the kernel some 40 ms and permission is all that it could refuse.
 */
int catalog_events(const struct event_context *context, const char *pattern, catalog_fn *fn,
		   void *arg);

/*
 * The same without asking the kernel: state and answer mean nothing. Each tracepoint is there. Some
 * microseconds an entry.
 */
int catalog_names(const struct event_context *context, catalog_fn *fn, void *arg);
/*
 * Whether one of those can be counted, of CPUs or of tasks one by one: VALID, UNSUPPORTED or DENIED
 * (event_probe_soon).
 */
enum figure_state catalog_probe(const struct event_context *context, const char *name,
				bool per_task);

/*
 * Title and formula are of the form taken here: the first that can be counted, else the first that
 * is meant for such CPUs, else none (the formula is "").
 */
struct catalog_metric {
	const struct metric_def *def; /* its texts are as they were written */
	const char *title, *expression;
	enum figure_state state; /* VALID, UNSUPPORTED or DENIED */
};

typedef int catalog_metric_fn(void *arg, const struct catalog_metric *entry);

/* Built-in metrics, then the user's own. */
int catalog_metrics(const struct event_context *context, const struct metric_def *user,
		    size_t n_user, const char *pattern, catalog_metric_fn *fn, void *arg);

struct catalog_pmu {
	const struct pmu *pmu;
	size_t n_events;   /* that have a name in sysfs */
	unsigned counters; /* CORE: as many cycles as one group opens with; 0: none, or denied */
	int answer;        /* CORE: to the first of them */
};

typedef int catalog_pmu_fn(void *arg, const struct catalog_pmu *pmu);

int catalog_pmus(const struct event_context *context, const char *pattern, catalog_pmu_fn *fn,
		 void *arg);

/* "core", "socket", "software", "other" */
const char *catalog_pmu_kind(enum pmu_kind kind);

#endif
