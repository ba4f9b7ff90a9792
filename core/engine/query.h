// SPDX-License-Identifier: MIT
#ifndef PMCTOP_QUERY_H
#define PMCTOP_QUERY_H

#include "core/engine/event_preview.h"
#include "core/engine/request.h"
#include "core/event/event.h"
#include "core/metric/catalog.h"
#include "core/metric/event_index.h"
#include "core/metric/metric_def.h"
#include "core/metric/metric_vendor.h"
#include "core/perf/perf_access.h"
#include "core/sys/blocked.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct collect;
struct pmu_set;
struct selection;

/* Immutable. The caller that pops it owns it. */
struct reply {
	enum request_kind kind;
	/*
	 * EVENTS: all names in the first reply. Later replies have the same index and the states of
	 * its first n_known events. The last reply has all states.
	 */
	struct event_index *event_index; /* a reference */
	uint8_t *states; /* enum figure_state: VALID, UNSUPPORTED, DENIED; undefined for an example
			  */
	size_t n_known;
	/*
	 * METRICS: an answer for each metric of the user, then for each of metric_table.
	 * VENDOR: an answer for each of the list. The first reply has the list (a reference) alone.
	 */
	struct catalog_answer *metrics; /* NULL: none yet */
	struct metric_vendor_list *vendor;
	struct event_preview *preview; /* PREVIEW */
	/*
	 * BLOCKED: tid as in the query, the reading, and its reason. -errno in blocked_result if
	 * the thread could not be read: -ENOENT or -ESRCH if it has ended.
	 */
	pid_t tid;
	int blocked_result;
	enum blocked_reason reason;
	struct blocked blocked;
};

void reply_free(struct reply *reply); /* NULL is fine */

/* From an array by kind: the next reply, owned by the caller; NULL: none. */
struct reply *reply_pop(struct reply *replies[REQUEST_KINDS]);

/*
 * Answers queries: requests for what the thread of the engine alone may read, as libpfm4, events
 * that it probes, and other threads with its rights. It works in short steps, between the records
 * of an interval. Only the latest query of a kind is answered, and only its latest reply is kept.
 * Zeroed is idle.
 */
struct query_worker {
	bool wanted[REQUEST_KINDS];
	struct request latest[REQUEST_KINDS]; /* texts are owned */
	struct blocked_rights rights;
	bool rights_known;
	struct event_index *event_index; /* NULL until the first query for events */
	uint8_t *states;                 /* as in a reply */
	size_t n_known;
	enum event_levels levels; /* privilege levels of the states */
	uint64_t replied_ns;      /* time of the last reply about events */
	uint64_t probe_due_ns;    /* time of the next step of the queries that probe */
	/* Of the queries for metrics. The first n_metrics answers are known. */
	struct catalog_answer *metrics[REQUEST_KINDS];
	size_t n_metrics[REQUEST_KINDS];
	struct metric_vendor_list *vendor; /* NULL until the first query for it */
	struct reply *replies[REQUEST_KINDS];
};

/* What queries are answered from; borrowed for the call. */
struct query_source {
	const struct event_context *context;
	const struct perf_access *access;
	const struct metric_def *user_metrics;
	size_t n_user_metrics;
	const struct selection *selection;
	struct collect *collect;
	const struct pmu_set *pmus;
};

void query_worker_fini(struct query_worker *worker);

/* Takes over a query. */
void query_worker_submit(struct query_worker *worker, struct request *query);
/* Time of the next step (CLOCK_MONOTONIC); 0: now; UINT64_MAX: all queries are answered. */
uint64_t query_worker_due_ns(const struct query_worker *worker);
/*
 * Works for about budget_ns, longer if it has to open a probe (kprobe:...). Drains the rings while
 * it makes the index of events.
 */
void query_worker_run(struct query_worker *worker, const struct query_source *source,
		      uint64_t budget_ns);
bool query_worker_has_reply(const struct query_worker *worker);

#endif
