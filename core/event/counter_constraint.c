// SPDX-License-Identifier: MIT
/*
 * Codes are matched to counters by augmenting paths: a code takes a free counter, or the counter of
 * a code that can move to another one. So a group is refused only if no assignment exists.
 *
 * Linux counts the events of fixed counters on general ones too, and the other way round, unless
 * they are event 0, which has no other code: INST_RETIRED.ANY and .ANY_P are 0xc0 for it.
 */
#include "core/event/counter_constraint.h"

#include "core/event/event.h"

enum {
	USES_MOST = 64, /* no group has more events */
	WATCHDOG = 1,
	FIXED_CYCLES = COUNTER_FIRST_FIXED + 1,
	CONFIG_METRICS = 0x8000, /* to 0x8700 */
};

/* A fixed counter has no edge, inv and cmask. */
#define CONFIG_ONLY_GENERAL UINT64_C(0xff840000)
#define CONFIG_EVENT        UINT64_C(0xff)
#define CONFIG_CODE         UINT64_C(0xffff) /* the event and its umask */

struct matching {
	uint64_t places[USES_MOST + WATCHDOG]; /* by use: its counters; 0: any */
	uint64_t taken;
	unsigned char holder[64]; /* by taken counter: its use */
};

void counter_constraint_set_topdown(struct counter_constraint *constraint, uint64_t config)
{
	if (config == COUNTER_SLOTS_CONFIG) {
		constraint->topdown = COUNTER_SLOTS;
		constraint->counters = UINT64_C(1) << (COUNTER_FIRST_FIXED + COUNTER_SLOTS_FIXED);
	} else if ((config & ~UINT64_C(0x700)) == CONFIG_METRICS) {
		constraint->topdown = COUNTER_TOPDOWN_METRIC;
		constraint->counters = UINT64_C(1) << (COUNTER_FIRST_METRIC + (config >> 8 & 7));
	}
}

bool counter_constraint_leads(const struct event_code *slots, const struct event_code *metric)
{
	const struct perf_event_attr *a = &slots->attr, *b = &metric->attr;

	return slots->constraint.topdown == COUNTER_SLOTS &&
	       metric->constraint.topdown == COUNTER_TOPDOWN_METRIC && slots->pmu == metric->pmu &&
	       a->exclude_user == b->exclude_user && a->exclude_kernel == b->exclude_kernel &&
	       a->exclude_hv == b->exclude_hv && a->exclude_guest == b->exclude_guest &&
	       a->exclude_host == b->exclude_host && a->exclude_idle == b->exclude_idle;
}

/* The fixed counter for a code of the general ones; 0: none. */
static uint64_t fixed_of(const struct event_code *code)
{
	static const uint16_t events[] = {0x00c0, 0x003c, 0x013c}; /* by fixed counter */

	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		if ((code->attr.config & CONFIG_CODE) == events[i])
			return code->constraint.pmu_counters & UINT64_C(1)
								       << (COUNTER_FIRST_FIXED + i);
	return 0;
}

/* The counters on which the kernel may count a code. 0: unknown. */
static uint64_t places_of(const struct event_code *code)
{
	const struct counter_constraint *constraint = &code->constraint;
	uint64_t places = constraint->counters;

	if (places & COUNTER_GENERAL)
		places |= fixed_of(code);
	else if (places & COUNTER_FIXED && code->attr.config & CONFIG_EVENT)
		places |= constraint->pmu_counters ? constraint->pmu_counters & COUNTER_GENERAL
						   : COUNTER_GENERAL;
	if (code->attr.config & CONFIG_ONLY_GENERAL)
		places &= ~COUNTER_FIXED;
	return places;
}

static bool place_use(struct matching *matching, size_t use, uint64_t *tried)
{
	uint64_t left;

	while ((left = matching->places[use] & ~*tried)) {
		int counter = __builtin_ctzll(left);

		*tried |= left & -left;
		if (matching->taken & left & -left &&
		    !place_use(matching, matching->holder[counter], tried))
			continue;
		matching->taken |= left & -left;
		matching->holder[counter] = (unsigned char)use;
		return true;
	}
	return false;
}

static bool registers_fit(const struct event_code *const *codes, size_t n)
{
	static const unsigned char values_most[COUNTER_REGISTERS] = {
		[COUNTER_OFFCORE] = 2, [COUNTER_FRONTEND] = 1, [COUNTER_LOAD_LATENCY] = 1};
	unsigned values[COUNTER_REGISTERS] = {0};

	for (size_t i = 0; i < n; i++) {
		enum counter_register extra = codes[i]->constraint.extra;
		bool known = extra == COUNTER_NO_REGISTER;

		for (size_t k = 0; k < i && !known; k++)
			known = codes[k]->constraint.extra == extra &&
				codes[k]->attr.config1 == codes[i]->attr.config1;
		if (!known && ++values[extra] > values_most[extra])
			return false;
	}
	return true;
}

static bool metrics_have_slots(const struct event_code *const *codes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bool led = codes[i]->constraint.topdown != COUNTER_TOPDOWN_METRIC;

		for (size_t k = 0; k < n && !led; k++)
			led = counter_constraint_leads(codes[k], codes[i]);
		if (!led)
			return false;
	}
	return true;
}

/* Leaves the general counters to a code that is taken alone. False if another one needs them. */
static bool keep_alone(struct matching *matching, const struct event_code *const *codes, size_t n)
{
	size_t alone = 0;

	while (alone < n && !codes[alone]->constraint.alone)
		alone++;
	for (size_t i = 0; i < n && alone < n; i++) {
		if (i == alone)
			continue;
		matching->places[i] &= ~COUNTER_GENERAL;
		if (!matching->places[i] || codes[i]->constraint.alone)
			return false;
	}
	return true;
}

/* What the watchdog's cycles can use; 0: unknown. */
static uint64_t watchdog_places(const struct event_code *const *codes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (codes[i]->constraint.pmu_counters)
			return codes[i]->constraint.pmu_counters &
			       (COUNTER_GENERAL | UINT64_C(1) << FIXED_CYCLES);
	return 0;
}

bool counter_constraint_fits(const struct event_code *const *codes, size_t n, bool watchdog)
{
	struct matching matching = {.taken = 0};

	if (n > USES_MOST || !registers_fit(codes, n) || !metrics_have_slots(codes, n))
		return false;
	for (size_t i = 0; i < n; i++)
		matching.places[i] = places_of(codes[i]);
	if (!keep_alone(&matching, codes, n))
		return false;
	matching.places[n] = watchdog ? watchdog_places(codes, n) : 0;
	for (size_t i = 0; i < n + WATCHDOG; i++) {
		uint64_t tried = 0;

		if (matching.places[i] && !place_use(&matching, i, &tried))
			return false;
	}
	return true;
}

/* Squared, so that one code for one counter is scarcer than several for many. */
unsigned counter_constraint_scarcity(const struct event_code *code)
{
	enum { MOST = 64 };
	uint64_t general = places_of(code) & COUNTER_GENERAL;
	unsigned share = code->constraint.alone ? MOST
			 : general              ? MOST / (unsigned)__builtin_popcountll(general)
						: 0;

	return share * share;
}
