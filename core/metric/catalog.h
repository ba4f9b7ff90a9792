// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CATALOG_H
#define PMCTOP_CATALOG_H

#include "core/event/event.h"
#include "core/event/event_table.h"
#include "core/metric/metric_def.h"
#include "core/perf/perf_access.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * What can be counted on this machine, one entry at a time, for lists and pickers. The kernel's
 * answer to an open decides whether an event can be counted (probe.h), not a table. All text is
 * printable (text.h) and borrowed for the call. If a callback returns another value than 0, the
 * walk ends and returns that value.
 *
 * A pattern is a glob (if it has * ? or [), or a part of the name or description. Case does not
 * matter. NULL: all. A pattern of CATALOG_PATTERN_MAX bytes or more matches nothing, because the
 * time for each of thousands of entries grows with its length.
 */
enum { CATALOG_PATTERN_MAX = 1024 };
bool catalog_matches(const char *pattern, const char *name, const char *help);

struct catalog_entry {
	const char *name;        /* name for -e; with `example`, how such names are written */
	const char *pmu;         /* "cpu", "software", "icl", "tracepoint" */
	const char *help;        /* one line; "": unknown */
	bool example;            /* not an event: state and answer mean nothing */
	enum figure_state state; /* VALID, UNSUPPORTED or DENIED */
	int answer;              /* the kernel's: 0, or the -errno of the refusal */
};

typedef int catalog_fn(void *arg, const struct catalog_entry *entry);

/*
 * Walks all named events: the kernel's generic ones, events of PMUs in sysfs, libpfm4's and the
 * vendor's for the PMUs of this machine, examples for events without a name, tracepoints. Without a
 * pattern, tracepoints are listed by subsystem, since there are thousands. One tracepoint is probed
 * for all, because a probe takes about 40 ms in the kernel and only permission can be refused.
 */
int catalog_events(const struct event_context *context, const char *pattern, catalog_fn *fn,
		   void *arg);

/*
 * Walks the same events and every tracepoint without probing: state and answer mean nothing. It
 * takes some microseconds an entry.
 */
int catalog_names(const struct event_context *context, catalog_fn *fn, void *arg);
/*
 * Returns whether an event can be counted, on CPUs or per task: VALID, UNSUPPORTED or DENIED
 * (event_probe_soon).
 */
enum figure_state catalog_probe(const struct event_context *context, const char *name,
				bool per_task);

/*
 * Title and formula of the form used here: the first that can be counted, else the first for these
 * CPUs, else none (the formula is "").
 */
struct catalog_metric {
	const struct metric_def *def; /* its texts may be unprintable */
	const char *title, *expression;
	enum figure_state state; /* VALID, UNSUPPORTED or DENIED */
	const char *why;         /* a sentence why it has no formula; NULL: it has */
};

typedef int catalog_metric_fn(void *arg, const struct catalog_metric *entry);

/* Walks the built-in metrics, then the user's, then the vendor's. */
int catalog_metrics(const struct event_context *context, const struct metric_def *user,
		    size_t n_user, const char *pattern, catalog_metric_fn *fn, void *arg);

/* Whether a metric can be counted: VALID, UNSUPPORTED or DENIED, and the reason why not. */
struct catalog_answer {
	enum figure_state state;
	char why[256]; /* a sentence; VALID: "" */
};

/*
 * The same for one metric, on CPUs or per task, by event_probe_soon(). `access`: what this process
 * may count.
 */
void catalog_probe_metric(const struct event_context *context, const struct perf_access *access,
			  const struct metric_def *def, bool per_task,
			  struct catalog_answer *answer);

/*
 * Walks the events of a table that match, without this machine's PMUs. `text` is the description
 * and the terms. It may be unprintable.
 */
typedef int catalog_table_fn(void *arg, const char *name, const char *pmu, const char *text);

int catalog_table_events(const struct event_table *table, const char *pattern, catalog_table_fn *fn,
			 void *arg);
/*
 * Walks the vendor's metrics of the CPU that the tables are for (event_table_cache_set), of all its
 * kinds of cores, without this machine's PMUs: their states mean nothing.
 */
int catalog_table_metrics(struct event_table_cache *tables, const char *pattern,
			  catalog_metric_fn *fn, void *arg);

struct catalog_pmu {
	const struct pmu *pmu;
	size_t n_events;   /* with a name in sysfs */
	unsigned counters; /* CORE: most cycles events that one group opens with; 0: none, or denied
			    */
	int answer;        /* CORE: the kernel's answer to the first of these */
};

typedef int catalog_pmu_fn(void *arg, const struct catalog_pmu *pmu);

int catalog_pmus(const struct event_context *context, const char *pattern, catalog_pmu_fn *fn,
		 void *arg);

/* "core", "socket", "software", "other" */
const char *catalog_pmu_kind(enum pmu_kind kind);

#endif
