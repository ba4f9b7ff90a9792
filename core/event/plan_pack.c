// SPDX-License-Identifier: MIT
/*
 * Packing: want by want, into the group that has most of its events already, else into a new one.
 * The kernel decides what fits (plan_request.fits), so a group is opened there for each attempt.
 * Groups that cannot be counted as far as is known (counter_constraint.h) are not tried. An event
 * that fits nowhere has a group of its own: the reason comes from the kernel when it is opened.
 *
 * Optional wants come last, and only into the one group that is always on. If the watchdog may be
 * on, its counter is tried with them: the kernel tries a group on counters that are all free.
 */
#include "core/event/plan_internal.h"

#include "core/base/util.h"
#include "core/event/counter_constraint.h"

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

static const struct event_code *code_of(const struct plan_packing *packing, unsigned event)
{
	const struct event *what = &packing->request->events->items[event];

	return &what->codes[plan_code_on(what, packing->pmu)];
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

enum fit {
	FIT,
	FIT_IMPOSSIBLE, /* nothing was opened */
	FIT_REFUSED,    /* by the kernel */
};

/*
 * Appends a code that stands for the watchdog's, if counter_constraint_fits() does not know the
 * counters of the PMU: it needs a counter of its own, like that.
 */
static size_t add_watchdog(const struct event_code **codes, size_t n)
{
	size_t like = n;

	for (size_t i = 0; i < n; i++) {
		if (codes[i]->constraint.pmu_counters)
			return n;
		if (codes[i]->constraint.topdown == COUNTER_NO_TOPDOWN)
			like = i;
	}
	if (like == n)
		return n;
	codes[n] = codes[like];
	return n + 1;
}

/*
 * Whether these events fit in a pack (NULL: an empty one) too. If they are optional, also beside
 * the watchdog.
 */
static enum fit pack_fits(const struct plan_packing *packing, const struct plan_pack *pack,
			  const struct plan_pack *more, bool optional)
{
	const struct plan_request *request = packing->request;
	const struct event *events = request->events->items;
	const struct event_code **codes;
	struct plan_pack all = {0};
	enum fit fit = FIT_IMPOSSIBLE;

	for (size_t i = 0; pack && i < pack->n; i++)
		pack_add(&all, pack->events[i]);
	for (size_t i = 0; i < more->n; i++)
		if (!pack_has(&all, more->events[i]))
			pack_add(&all, more->events[i]);
	pack_order(&all, events);
	codes = xcalloc(all.n + 1, sizeof(*codes));
	for (size_t i = 0; i < all.n; i++)
		codes[i] = code_of(packing, all.events[i]);
	if (all.n <= request->most[packing->pmu] &&
	    counter_constraint_fits(codes, all.n, request->watchdog)) {
		size_t n = optional && request->watchdog ? add_watchdog(codes, all.n) : all.n;
		fit = !request->fits || request->fits(request->arg, packing->pmu, codes, n)
			      ? FIT
			      : FIT_REFUSED;
	}
	free(codes);
	free(all.events);
	return fit;
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

/* Of the packs that a want fits, returns the one that lacks the fewest of its events; or NULL. */
static struct plan_pack *find_pack(struct plan_packing *packing, const struct plan_pack *want)
{
	struct plan_pack *best = NULL;
	size_t best_missing = 0;

	for (size_t i = 0; i < packing->n; i++) {
		struct plan_pack *pack = &packing->packs[i];
		size_t missing = missing_from(pack, want);

		if (missing == 0)
			return pack;
		if ((best && missing >= best_missing) || pack->refusals >= REFUSALS_FULL)
			continue;
		enum fit fit = pack_fits(packing, pack, want, false);
		pack->refusals += fit == FIT_REFUSED;
		if (fit != FIT)
			continue;
		best = pack;
		best_missing = missing;
	}
	return best;
}

/* Adds a want to a pack, or a new one. False if it does not fit even an empty pack. */
static bool pack_want(struct plan_packing *packing, const struct plan_pack *want, bool single)
{
	struct plan_pack *pack = find_pack(packing, want);

	if (!pack) {
		if (!single && pack_fits(packing, NULL, want, false) != FIT)
			return false;
		packing->packs = array_reserve(packing->packs, &packing->capacity, packing->n + 1,
					       sizeof(*packing->packs));
		pack = &packing->packs[packing->n++];
		*pack = (struct plan_pack){0};
	}
	pack_add_missing(pack, want);
	return true;
}

/*
 * The hardware events of a want that the PMU can count, with the events that must lead their
 * groups.
 */
static struct plan_pack hardware_of(const struct plan_packing *packing, const unsigned *wanted,
				    size_t n)
{
	const struct event_set *set = packing->request->events;
	struct plan_pack hardware = {0};

	for (size_t i = 0; i < n; i++)
		if (set->items[wanted[i]].kind == EVENT_HARDWARE &&
		    plan_code_on(&set->items[wanted[i]], packing->pmu) >= 0 &&
		    !pack_has(&hardware, wanted[i]))
			pack_add(&hardware, wanted[i]);
	for (size_t i = hardware.n; i-- > 0;) {
		int leader = event_set_leader(set, code_of(packing, hardware.events[i]));

		if (leader >= 0 && !pack_has(&hardware, (unsigned)leader))
			pack_add(&hardware, (unsigned)leader);
	}
	return hardware;
}

/* Adds the events of a want that fits no group one by one. */
static void pack_separately(struct plan_packing *packing, const struct plan_pack *want)
{
	for (size_t i = 0; i < want->n; i++) {
		struct plan_pack single = hardware_of(packing, &want->events[i], 1);

		pack_want(packing, &single, true);
		free(single.events);
	}
}

static bool counts_all(const struct plan_packing *packing, const struct plan_want *want)
{
	const struct event *events = packing->request->events->items;

	for (size_t i = 0; i < want->n; i++)
		if (plan_code_on(&events[want->events[i]], packing->pmu) < 0)
			return false;
	return true;
}

/* Adds an optional want (with leaders: events) if that costs nothing but free counters. */
static void pack_optional(struct plan_packing *packing, const struct plan_want *want,
			  const struct plan_pack *events)
{
	const struct plan_request *request = packing->request;
	struct plan_pack *pack = packing->packs;

	if (packing->n == 1 && !request->separate_clock && !request->per_task &&
	    counts_all(packing, want) && missing_from(pack, events) > 0 &&
	    pack_fits(packing, pack, events, true) == FIT)
		pack_add_missing(pack, events);
}

struct hardware_want {
	struct plan_pack events;
	bool optional;
	unsigned scarcity; /* of the counters that it needs */
	size_t index;
};

static int compare_wants(const void *a, const void *b)
{
	const struct hardware_want *left = a, *right = b;

	if (left->optional != right->optional)
		return left->optional ? 1 : -1;
	if (left->scarcity != right->scarcity)
		return left->scarcity > right->scarcity ? -1 : 1;
	return (left->index > right->index) - (left->index < right->index);
}

/*
 * Wants for scarce counters come first, because others find a place beside them. Without
 * constraints they keep their order.
 */
void plan_packing_fill(struct plan_packing *packing)
{
	const struct plan_request *request = packing->request;
	size_t n = request->wants->n;
	struct hardware_want *wants = xcalloc(n, sizeof(*wants));

	for (size_t i = 0; i < n; i++) {
		const struct plan_want *want = &request->wants->items[i];

		wants[i].events = hardware_of(packing, want->events, want->n);
		wants[i].index = i;
		wants[i].optional = want->optional;
		for (size_t k = 0; k < wants[i].events.n; k++)
			wants[i].scarcity += counter_constraint_scarcity(
				code_of(packing, wants[i].events.events[k]));
	}
	if (n > 0)
		qsort(wants, n, sizeof(*wants), compare_wants);
	for (size_t i = 0; i < n; i++) {
		const struct plan_pack *events = &wants[i].events;

		if (wants[i].optional)
			pack_optional(packing, &request->wants->items[wants[i].index], events);
		else if (events->n > 0 && !pack_want(packing, events, events->n == 1))
			pack_separately(packing, events);
		free(wants[i].events.events);
	}
	free(wants);
	for (size_t i = 0; i < packing->n; i++)
		pack_order(&packing->packs[i], request->events->items);
}

void plan_packing_fini(struct plan_packing *packing)
{
	for (size_t i = 0; i < packing->n; i++)
		free(packing->packs[i].events);
	free(packing->packs);
}
