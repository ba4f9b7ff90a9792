// SPDX-License-Identifier: MIT
#include "core/engine/inquiry.h"

#include "core/base/util.h"
#include "core/metric/catalog.h"

#include <stdlib.h>
#include <string.h>

/* How often an answer says how far it is. */
#define TELL_EVERY_NS (200 * NS_PER_MS)

static void put(struct inquiry *inquiry, struct answer *answer)
{
	answer_free(inquiry->answers[answer->kind]);
	inquiry->answers[answer->kind] = answer;
}

void inquiry_fini(struct inquiry *inquiry)
{
	for (size_t i = 0; i < QUESTION_KINDS; i++)
		answer_free(inquiry->answers[i]);
	inventory_unref(inquiry->inventory);
	free(inquiry->states);
	free(inquiry->text);
	*inquiry = (struct inquiry){0};
}

void inquiry_ask(struct inquiry *inquiry, const struct question *question)
{
	inquiry->wanted[question->kind] = true;
	if (question->kind != QUESTION_OUTLOOK)
		return;
	free(inquiry->text);
	inquiry->text = xstrdup(question->text);
}

bool inquiry_is_open(const struct inquiry *inquiry)
{
	for (size_t i = 0; i < QUESTION_KINDS; i++)
		if (inquiry->wanted[i])
			return true;
	return false;
}

static void find_outlook(struct inquiry *inquiry, const struct inquiry_source *source)
{
	const struct outlook_request request = {
		.text = inquiry->text,
		.selection = source->selection,
		.collect = source->collect,
		.pmus = source->pmus,
	};
	struct answer *answer = xcalloc(1, sizeof(*answer));

	answer->kind = QUESTION_OUTLOOK;
	answer->outlook = outlook_new(&request);
	put(inquiry, answer);
	inquiry->wanted[QUESTION_OUTLOOK] = false;
}

/* ---- events */

static void drain(void *arg)
{
	struct collect *collect = arg;

	collect->ops->drain(collect);
}

static void tell_events(struct inquiry *inquiry, uint64_t now_ns)
{
	struct answer *answer = xcalloc(1, sizeof(*answer));
	size_t n = inquiry->inventory->n;

	*answer = (struct answer){
		.kind = QUESTION_EVENTS,
		.inventory = inventory_ref(inquiry->inventory),
		.states = xcalloc(n, sizeof(*answer->states)),
		.n_known = inquiry->n_known,
	};
	if (inquiry->n_known > 0)
		memcpy(answer->states, inquiry->states, inquiry->n_known);
	put(inquiry, answer);
	inquiry->told_ns = now_ns;
}

/* Names change no more; what can be counted does when other levels are. */
static void begin_events(struct inquiry *inquiry, const struct inquiry_source *source)
{
	if (!inquiry->inventory) {
		inquiry->inventory = inventory_new(source->context, drain, source->collect);
		inquiry->states = xcalloc(inquiry->inventory->n, sizeof(*inquiry->states));
	} else if (inquiry->levels != source->context->levels) {
		inquiry->n_known = 0;
	}
	inquiry->levels = source->context->levels;
}

static void ask_events(struct inquiry *inquiry, const struct inquiry_source *source,
		       uint64_t until_ns)
{
	const struct sys *sys = source->context->sys;
	bool known = inquiry->inventory && inquiry->levels == source->context->levels;

	begin_events(inquiry, source);
	const struct inventory *inventory = inquiry->inventory;
	uint64_t now_ns = sys_now_ns(sys);
	for (; known && inquiry->n_known < inventory->n && now_ns < until_ns;
	     now_ns = sys_now_ns(sys)) {
		const struct inventory_item *item = &inventory->items[inquiry->n_known];
		if (!item->example)
			inquiry->states[inquiry->n_known] = (uint8_t)catalog_ask(
				source->context, item->name, source->collect->plan->per_task);
		inquiry->n_known++;
	}
	bool done = inquiry->n_known == inventory->n;
	if (!known || done || now_ns - inquiry->told_ns >= TELL_EVERY_NS)
		tell_events(inquiry, now_ns);
	inquiry->wanted[QUESTION_EVENTS] = !done;
}

void inquiry_work(struct inquiry *inquiry, const struct inquiry_source *source, uint64_t budget_ns)
{
	uint64_t until_ns = sys_now_ns(source->context->sys) + budget_ns;

	if (inquiry->wanted[QUESTION_OUTLOOK])
		find_outlook(inquiry, source);
	else if (inquiry->wanted[QUESTION_EVENTS])
		ask_events(inquiry, source, until_ns);
}

bool inquiry_has_answer(const struct inquiry *inquiry)
{
	for (size_t i = 0; i < QUESTION_KINDS; i++)
		if (inquiry->answers[i])
			return true;
	return false;
}

struct answer *inquiry_take(struct inquiry *inquiry)
{
	for (size_t i = 0; i < QUESTION_KINDS; i++) {
		struct answer *answer = inquiry->answers[i];
		inquiry->answers[i] = NULL;
		if (answer)
			return answer;
	}
	return NULL;
}
