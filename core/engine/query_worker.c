// SPDX-License-Identifier: MIT
#include "core/engine/query_worker.h"

#include "core/base/util.h"
#include "core/metric/catalog.h"

#include <stdlib.h>
#include <string.h>

/* How often an answer says how far it is. */
#define TELL_EVERY_NS (200 * NS_PER_MS)

static void put(struct query_worker *query_worker, struct reply *answer)
{
	reply_free(query_worker->answers[answer->kind]);
	query_worker->answers[answer->kind] = answer;
}

void query_worker_fini(struct query_worker *query_worker)
{
	for (size_t i = 0; i < QUERY_KINDS; i++)
		reply_free(query_worker->answers[i]);
	event_index_unref(query_worker->event_index);
	free(query_worker->states);
	free(query_worker->text);
	*query_worker = (struct query_worker){0};
}

void query_worker_submit(struct query_worker *query_worker, const struct query *query)
{
	query_worker->wanted[query->kind] = true;
	if (query->kind != QUERY_PREVIEW)
		return;
	free(query_worker->text);
	query_worker->text = xstrdup(query->text);
}

bool query_worker_is_busy(const struct query_worker *query_worker)
{
	for (size_t i = 0; i < QUERY_KINDS; i++)
		if (query_worker->wanted[i])
			return true;
	return false;
}

static void find_outlook(struct query_worker *query_worker, const struct query_source *source)
{
	const struct event_preview_request request = {
		.text = query_worker->text,
		.selection = source->selection,
		.collect = source->collect,
		.pmus = source->pmus,
	};
	struct reply *answer = xcalloc(1, sizeof(*answer));

	answer->kind = QUERY_PREVIEW;
	answer->preview = event_preview_new(&request);
	put(query_worker, answer);
	query_worker->wanted[QUERY_PREVIEW] = false;
}

/* ---- events */

static void drain(void *arg)
{
	struct collect *collect = arg;

	collect->ops->drain(collect);
}

static void tell_events(struct query_worker *query_worker, uint64_t now_ns)
{
	struct reply *answer = xcalloc(1, sizeof(*answer));
	size_t n = query_worker->event_index->n;

	*answer = (struct reply){
		.kind = QUERY_EVENTS,
		.event_index = event_index_ref(query_worker->event_index),
		.states = xcalloc(n, sizeof(*answer->states)),
		.n_known = query_worker->n_known,
	};
	if (query_worker->n_known > 0)
		memcpy(answer->states, query_worker->states, query_worker->n_known);
	put(query_worker, answer);
	query_worker->told_ns = now_ns;
}

/* Names change no more; what can be counted does when other levels are. */
static void begin_events(struct query_worker *query_worker, const struct query_source *source)
{
	if (!query_worker->event_index) {
		query_worker->event_index =
			event_index_new(source->context, drain, source->collect);
		query_worker->states =
			xcalloc(query_worker->event_index->n, sizeof(*query_worker->states));
	} else if (query_worker->levels != source->context->levels) {
		query_worker->n_known = 0;
	}
	query_worker->levels = source->context->levels;
}

static void ask_events(struct query_worker *query_worker, const struct query_source *source,
		       uint64_t until_ns)
{
	const struct sys *sys = source->context->sys;
	bool known = query_worker->event_index && query_worker->levels == source->context->levels;

	begin_events(query_worker, source);
	const struct event_index *event_index = query_worker->event_index;
	uint64_t now_ns = sys_now_ns(sys);
	for (; known && query_worker->n_known < event_index->n && now_ns < until_ns;
	     now_ns = sys_now_ns(sys)) {
		const struct event_index_item *item = &event_index->items[query_worker->n_known];
		if (!item->example)
			query_worker->states[query_worker->n_known] = (uint8_t)catalog_probe(
				source->context, item->name, source->collect->plan->per_task);
		query_worker->n_known++;
	}
	bool done = query_worker->n_known == event_index->n;
	if (!known || done || now_ns - query_worker->told_ns >= TELL_EVERY_NS)
		tell_events(query_worker, now_ns);
	query_worker->wanted[QUERY_EVENTS] = !done;
}

void query_worker_work(struct query_worker *query_worker, const struct query_source *source,
		       uint64_t budget_ns)
{
	uint64_t until_ns = sys_now_ns(source->context->sys) + budget_ns;

	if (query_worker->wanted[QUERY_PREVIEW])
		find_outlook(query_worker, source);
	else if (query_worker->wanted[QUERY_EVENTS])
		ask_events(query_worker, source, until_ns);
}

bool query_worker_has_reply(const struct query_worker *query_worker)
{
	for (size_t i = 0; i < QUERY_KINDS; i++)
		if (query_worker->answers[i])
			return true;
	return false;
}

struct reply *query_worker_pop(struct query_worker *query_worker)
{
	for (size_t i = 0; i < QUERY_KINDS; i++) {
		struct reply *answer = query_worker->answers[i];
		query_worker->answers[i] = NULL;
		if (answer)
			return answer;
	}
	return NULL;
}
