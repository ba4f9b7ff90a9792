// SPDX-License-Identifier: MIT
/*
 * Packing: want by want, into the group that has most of its events already, else into a new one.
 * The kernel decides what fits (plan_request.fits), so a group is opened there for each attempt.
 */
#include "core/event/plan_internal.h"

#include "core/base/util.h"

#include <stdlib.h>
#include <string.h>

/* A pack that has refused so many wants counts as full: each try opens a group in the kernel. */
enum { REFUSALS_FULL = 8 };

int plan_code_on(const struct event *event, size_t pmu)
{
	if (event->state != FIGURE_VALID)
		return -1;
	for (size_t i = 0; i < event->n_codes; i++)
		if (event->codes[i].pmu == pmu && event->codes[i].state == FIGURE_VALID)
			return (int)i;
	return -1;
}

static bool pack_has(const struct plan_pack *pack, unsigned event)
{
	for (size_t i = 0; i < pack->n; i++)
		if (pack->events[i] == event)
			return true;
	return false;
}

static void pack_add(struct plan_pack *pack, unsigned event)
{
	pack->events =
		array_reserve(pack->events, &pack->capacity, pack->n + 1, sizeof(*pack->events));
	pack->events[pack->n++] = event;
}

/* Moves events that must lead their group to the front. The others keep their order. */
static void pack_order(struct plan_pack *pack, const struct event *events)
{
	size_t leading = 0;

	for (size_t i = 0; i < pack->n; i++) {
		unsigned event = pack->events[i];
		if (!events[event].leads)
			continue;
		memmove(&pack->events[leading + 1], &pack->events[leading],
			(i - leading) * sizeof(*pack->events));
		pack->events[leading++] = event;
	}
}

/* Whether these events fit in a pack (NULL: an empty one) too. */
static bool pack_fits(const struct plan_packing *packing, const struct plan_pack *pack,
		      const struct plan_pack *more)
{
	const struct plan_request *request = packing->request;
	const struct event *events = request->events->items;
	const struct event_code **codes;
	struct plan_pack all = {0};
	bool fits;

	for (size_t i = 0; pack && i < pack->n; i++)
		pack_add(&all, pack->events[i]);
	for (size_t i = 0; i < more->n; i++)
		if (!pack_has(&all, more->events[i]))
			pack_add(&all, more->events[i]);
	pack_order(&all, events);
	codes = xcalloc(all.n, sizeof(*codes));
	for (size_t i = 0; i < all.n; i++) {
		const struct event *event = &events[all.events[i]];
		codes[i] = &event->codes[plan_code_on(event, packing->pmu)];
	}
	fits = all.n <= request->most[packing->pmu] &&
	       (!request->fits || request->fits(request->arg, packing->pmu, codes, all.n));
	free(codes);
	free(all.events);
	return fits;
}

static size_t missing_from(const struct plan_pack *pack, const struct plan_pack *want)
{
	size_t n = 0;

	for (size_t i = 0; i < want->n; i++)
		n += !pack_has(pack, want->events[i]);
	return n;
}

static void pack_add_missing(struct plan_pack *pack, const struct plan_pack *want)
{
	for (size_t i = 0; i < want->n; i++)
		if (!pack_has(pack, want->events[i]))
			pack_add(pack, want->events[i]);
}

/*
 * Adds a want to the pack that lacks the fewest of its events. False if it does not fit even an
 * empty pack.
 */
static bool pack_want(struct plan_packing *packing, const struct plan_pack *want)
{
	struct plan_pack *best = NULL;
	size_t best_missing = 0;

	for (size_t i = 0; i < packing->n; i++) {
		size_t missing = missing_from(&packing->packs[i], want);

		if (missing == 0)
			return true;
		if (best && missing >= best_missing)
			continue;
		if (packing->packs[i].refusals >= REFUSALS_FULL)
			continue;
		if (!pack_fits(packing, &packing->packs[i], want)) {
			packing->packs[i].refusals++;
			continue;
		}
		best = &packing->packs[i];
		best_missing = missing;
	}
	if (!best) {
		if (want->n > 1 && !pack_fits(packing, NULL, want))
			return false;
		packing->packs = array_reserve(packing->packs, &packing->capacity, packing->n + 1,
					       sizeof(*packing->packs));
		best = &packing->packs[packing->n++];
		*best = (struct plan_pack){0};
	}
	pack_add_missing(best, want);
	return true;
}

/* Adds the events of a want that fits no group one by one. */
static void pack_separately(struct plan_packing *packing, const struct plan_pack *want)
{
	for (size_t i = 0; i < want->n; i++)
		pack_want(packing, &(struct plan_pack){.events = &want->events[i], .n = 1});
}

void plan_packing_fill(struct plan_packing *packing)
{
	const struct plan_request *request = packing->request;
	const struct event *events = request->events->items;

	for (size_t i = 0; i < request->wants->n; i++) {
		const struct plan_want *want = &request->wants->items[i];
		struct plan_pack hardware = {0};

		for (size_t k = 0; k < want->n; k++) {
			const struct event *event = &events[want->events[k]];
			if (event->kind == EVENT_HARDWARE &&
			    plan_code_on(event, packing->pmu) >= 0 &&
			    !pack_has(&hardware, want->events[k]))
				pack_add(&hardware, want->events[k]);
		}
		if (hardware.n > 0 && !pack_want(packing, &hardware))
			pack_separately(packing, &hardware);
		free(hardware.events);
	}
	for (size_t i = 0; i < packing->n; i++)
		pack_order(&packing->packs[i], events);
}

void plan_packing_fini(struct plan_packing *packing)
{
	for (size_t i = 0; i < packing->n; i++)
		free(packing->packs[i].events);
	free(packing->packs);
}
