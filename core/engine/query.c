// SPDX-License-Identifier: MIT
/*
 * Opening thousands of events takes seconds. So a query for all events replies with the names
 * first, and then every REPLY_EVERY_NS with the states that are known by then. It opens them in
 * short steps with long pauses: at most 2 % of a CPU.
 */
#include "core/engine/query.h"

#include "core/base/util.h"
#include "core/collect/collect.h"
#include "core/metric/catalog.h"
#include "core/metric/selection.h"

#include <stdlib.h>
#include <string.h>

#define REPLY_EVERY_NS (200 * NS_PER_MS)
#define PROBE_NS       NS_PER_MS
enum { PROBE_PAUSE_FACTOR = 49 };

void reply_free(struct reply *reply)
{
	if (!reply)
		return;
	event_index_unref(reply->event_index);
	metric_vendor_list_unref(reply->vendor);
	free(reply->states);
	free(reply->metrics);
	free(reply->preview);
	free(reply);
}

struct reply *reply_pop(struct reply *replies[REQUEST_KINDS])
{
	for (size_t i = 0; i < REQUEST_KINDS; i++) {
		struct reply *reply = replies[i];
		replies[i] = NULL;
		if (reply)
			return reply;
	}
	return NULL;
}

static void replace_reply(struct query_worker *worker, struct reply *reply)
{
	reply_free(worker->replies[reply->kind]);
	worker->replies[reply->kind] = reply;
}

void query_worker_fini(struct query_worker *worker)
{
	for (size_t i = 0; i < REQUEST_KINDS; i++) {
		reply_free(worker->replies[i]);
		free(worker->metrics[i]);
		xfree(worker->latest[i].text);
	}
	event_index_unref(worker->event_index);
	metric_vendor_list_unref(worker->vendor);
	free(worker->states);
	*worker = (struct query_worker){0};
}

void query_worker_submit(struct query_worker *worker, struct request *query)
{
	struct request *latest = &worker->latest[query->kind];

	xfree(latest->text);
	*latest = *query;
	query->text = NULL;
	worker->wanted[latest->kind] = true;
	worker->n_metrics[latest->kind] = 0;
}

uint64_t query_worker_due_ns(const struct query_worker *worker)
{
	if (worker->wanted[REQUEST_PREVIEW] || worker->wanted[REQUEST_BLOCKED])
		return 0;
	return worker->wanted[REQUEST_METRICS] || worker->wanted[REQUEST_VENDOR] ||
			       worker->wanted[REQUEST_EVENTS]
		       ? worker->probe_due_ns
		       : UINT64_MAX;
}

static void reply_preview(struct query_worker *worker, const struct query_source *source)
{
	const struct event_preview_request request = {
		.text = worker->latest[REQUEST_PREVIEW].text,
		.selection = source->selection,
		.collect = source->collect,
		.pmus = source->pmus,
	};
	struct reply *reply = xcalloc(1, sizeof(*reply));

	reply->kind = REQUEST_PREVIEW;
	reply->preview = event_preview_new(&request);
	replace_reply(worker, reply);
	worker->wanted[REQUEST_PREVIEW] = false;
}

static void reply_blocked(struct query_worker *worker, const struct sys *sys)
{
	const struct request *query = &worker->latest[REQUEST_BLOCKED];
	struct reply *reply = xcalloc(1, sizeof(*reply));

	if (!worker->rights_known)
		blocked_rights_init(&worker->rights, sys);
	worker->rights_known = true;
	reply->kind = REQUEST_BLOCKED;
	reply->tid = query->tid;
	reply->blocked_result = blocked_read(sys, &worker->rights, (pid_t)query->number, query->tid,
					     &reply->blocked);
	if (reply->blocked_result == 0)
		reply->reason = blocked_classify(&reply->blocked);
	replace_reply(worker, reply);
	worker->wanted[REQUEST_BLOCKED] = false;
}

/* The next step of a query that probes is due after a pause. */
static void pause_probes(struct query_worker *worker, uint64_t begin_ns, uint64_t end_ns)
{
	worker->probe_due_ns = end_ns + PROBE_PAUSE_FACTOR * (end_ns - begin_ns);
}

/* In the order of the answers. */
static const struct metric_def *metric_at(const struct query_worker *worker,
					  const struct query_source *source, enum request_kind kind,
					  size_t i)
{
	if (kind == REQUEST_VENDOR)
		return &worker->vendor->defs[i];
	return i < source->n_user_metrics ? &source->user_metrics[i]
					  : &metric_table[i - source->n_user_metrics];
}

/* `answers` becomes the reply's. */
static void reply_metrics(struct query_worker *worker, enum request_kind kind,
			  struct catalog_answer *answers)
{
	struct reply *reply = xcalloc(1, sizeof(*reply));

	reply->kind = kind;
	if (kind == REQUEST_VENDOR)
		reply->vendor = metric_vendor_list_ref(worker->vendor);
	reply->metrics = answers;
	replace_reply(worker, reply);
}

static size_t count_metrics(struct query_worker *worker, const struct query_source *source,
			    enum request_kind kind)
{
	if (kind == REQUEST_METRICS)
		return source->n_user_metrics + metric_table_n;
	if (!worker->vendor) {
		worker->vendor = metric_vendor_list_new(source->context);
		reply_metrics(worker, kind, NULL);
	}
	return worker->vendor->n;
}

static void probe_metrics(struct query_worker *worker, const struct query_source *source,
			  enum request_kind kind, uint64_t budget_ns)
{
	const struct sys *sys = source->context->sys;
	size_t n = count_metrics(worker, source, kind), *known = &worker->n_metrics[kind];
	uint64_t begin_ns = sys_now_ns(sys), now_ns = begin_ns;
	uint64_t until_ns = begin_ns + (budget_ns < PROBE_NS ? budget_ns : PROBE_NS);
	struct catalog_answer *answers = worker->metrics[kind];

	if (!answers)
		answers = worker->metrics[kind] = xcalloc(n, sizeof(*answers));
	for (; *known < n && now_ns < until_ns; now_ns = sys_now_ns(sys)) {
		size_t i = (*known)++;
		catalog_probe_metric(source->context, source->access,
				     metric_at(worker, source, kind, i),
				     source->collect->plan->per_task, &answers[i]);
	}
	pause_probes(worker, begin_ns, now_ns);
	if (*known < n)
		return;
	reply_metrics(worker, kind, answers);
	worker->metrics[kind] = NULL;
	worker->wanted[kind] = false;
}

static void drain_rings(void *arg)
{
	struct collect *collect = arg;

	collect->ops->drain(collect);
}

static void reply_events(struct query_worker *worker, uint64_t now_ns)
{
	struct reply *reply = xcalloc(1, sizeof(*reply));

	*reply = (struct reply){
		.kind = REQUEST_EVENTS,
		.event_index = event_index_ref(worker->event_index),
		.states = xcalloc(worker->event_index->n, sizeof(*reply->states)),
		.n_known = worker->n_known,
	};
	if (worker->n_known > 0)
		memcpy(reply->states, worker->states, worker->n_known);
	replace_reply(worker, reply);
	worker->replied_ns = now_ns;
}

/* The names of events never change. Their states do when other privilege levels are counted. */
static void begin_events(struct query_worker *worker, const struct query_source *source)
{
	if (!worker->event_index) {
		worker->event_index =
			event_index_new(source->context, drain_rings, source->collect);
		worker->states = xcalloc(worker->event_index->n, sizeof(*worker->states));
	} else if (worker->levels != source->context->levels) {
		worker->n_known = 0;
	}
	worker->levels = source->context->levels;
}

static bool is_tracepoint(const struct event_index_item *item)
{
	return strcmp(item->pmu, "tracepoint") == 0 && !item->example;
}

/* Of tracepoints only the permission can be refused, so one answers for those behind it. */
static enum figure_state probe_next(const struct query_worker *worker,
				    const struct query_source *source)
{
	const struct event_index_item *item = &worker->event_index->items[worker->n_known];

	if (worker->n_known > 0 && is_tracepoint(item) && is_tracepoint(item - 1))
		return (enum figure_state)worker->states[worker->n_known - 1];
	return catalog_probe(source->context, item->name, source->collect->plan->per_task);
}

static void probe_events(struct query_worker *worker, const struct query_source *source,
			 uint64_t budget_ns)
{
	const struct sys *sys = source->context->sys;
	bool begun = worker->event_index && worker->levels == source->context->levels;

	begin_events(worker, source);
	const struct event_index *event_index = worker->event_index;
	uint64_t begin_ns = sys_now_ns(sys), now_ns = begin_ns;
	uint64_t until_ns = begin_ns + (budget_ns < PROBE_NS ? budget_ns : PROBE_NS);
	for (; begun && worker->n_known < event_index->n && now_ns < until_ns;
	     now_ns = sys_now_ns(sys)) {
		if (!event_index->items[worker->n_known].example)
			worker->states[worker->n_known] = (uint8_t)probe_next(worker, source);
		worker->n_known++;
	}
	bool done = worker->n_known == event_index->n;
	if (!begun || done || now_ns - worker->replied_ns >= REPLY_EVERY_NS)
		reply_events(worker, now_ns);
	worker->wanted[REQUEST_EVENTS] = !done;
	pause_probes(worker, begin_ns, now_ns);
}

void query_worker_run(struct query_worker *worker, const struct query_source *source,
		      uint64_t budget_ns)
{
	if (worker->wanted[REQUEST_PREVIEW])
		reply_preview(worker, source);
	else if (worker->wanted[REQUEST_BLOCKED])
		reply_blocked(worker, source->context->sys);
	else if (worker->wanted[REQUEST_METRICS])
		probe_metrics(worker, source, REQUEST_METRICS, budget_ns);
	else if (worker->wanted[REQUEST_EVENTS] && !worker->event_index)
		probe_events(worker, source, budget_ns);
	else if (worker->wanted[REQUEST_VENDOR])
		probe_metrics(worker, source, REQUEST_VENDOR, budget_ns);
	else if (worker->wanted[REQUEST_EVENTS])
		probe_events(worker, source, budget_ns);
}

bool query_worker_has_reply(const struct query_worker *worker)
{
	for (size_t i = 0; i < REQUEST_KINDS; i++)
		if (worker->replies[i])
			return true;
	return false;
}
