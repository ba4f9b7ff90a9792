// SPDX-License-Identifier: MIT
/*
 * Every assignment of events to counters is tried, the events with the fewest counters first.
 * Registers are counted by their values: two events with the same value share one.
 */
#include "tests/fake_kernel/limits.h"

#include "core/base/util.h"

enum { CODE = 0xffff, METRIC_FIRST = 0x80, SLOTS = 0x0400, NEEDS_MAX = 64 };

static const unsigned register_copies[FK_REGISTERS] = {
	[FK_OFFCORE] = 2,
	[FK_FRONTEND] = 1,
	[FK_LDLAT] = 1,
};

bool fk_limits_is_slots(const struct fk_limits *limits, uint64_t config)
{
	return limits && limits->metrics > 0 && config == SLOTS;
}

bool fk_limits_is_metric(const struct fk_limits *limits, uint64_t config)
{
	uint64_t umask = config >> 8;

	return limits && !(config & 0xff) && umask >= METRIC_FIRST &&
	       umask < METRIC_FIRST + limits->metrics;
}

enum fk_register fk_limits_register(const struct fk_limits *limits, uint64_t config,
				    uint64_t *valid)
{
	for (size_t i = 0; limits && i < limits->n_registers; i++) {
		if (limits->registers[i].code != (config & CODE))
			continue;
		*valid = limits->registers[i].valid;
		return limits->registers[i].use;
	}
	*valid = UINT64_MAX;
	return FK_NO_REGISTER;
}

bool fk_limits_is_alone(const struct fk_limits *limits, uint64_t config)
{
	uint64_t valid;
	enum fk_register use = fk_limits_register(limits, config, &valid);

	return use == FK_FRONTEND || use == FK_LDLAT;
}

struct fk_need fk_limits_need(const struct fk_limits *limits, unsigned general, uint64_t config,
			      uint64_t config1)
{
	struct fk_need need = {.counters = (1ull << general) - 1};
	uint64_t valid;

	need.use = fk_limits_register(limits, config, &valid);
	need.value = config1;
	if (fk_limits_is_metric(limits, config)) {
		need.counters = FK_METRIC((config >> 8) - METRIC_FIRST);
		return need;
	}
	for (size_t i = 0; i < limits->n_constraints; i++) {
		const struct fk_constraint *constraint = &limits->constraints[i];
		uint64_t masked = config & constraint->mask;

		if (masked < constraint->first || masked > constraint->last)
			continue;
		need.counters = constraint->counters;
		break;
	}
	return need;
}

static bool registers_fit(const struct fk_need *needs, size_t n)
{
	for (enum fk_register use = FK_OFFCORE; use < FK_REGISTERS; use++) {
		unsigned values = 0;

		for (size_t i = 0; i < n; i++) {
			bool known = needs[i].use != use;

			for (size_t k = 0; !known && k < i; k++)
				known = needs[k].use == use && needs[k].value == needs[i].value;
			values += !known;
		}
		if (values > register_copies[use])
			return false;
	}
	return true;
}

/* `order` has the indices of the events; the first `at` have the counters in `taken`. */
static bool try_counters(const struct fk_need *needs, const size_t *order, size_t n, size_t at,
			 uint64_t taken)
{
	if (at == n)
		return true;
	for (uint64_t free = needs[order[at]].counters & ~taken; free; free &= free - 1)
		if (try_counters(needs, order, n, at + 1, taken | (free & -free)))
			return true;
	return false;
}

bool fk_limits_fit(const struct fk_need *needs, size_t n)
{
	size_t order[NEEDS_MAX];
	uint64_t all = 0;

	if (n > NEEDS_MAX || !registers_fit(needs, n))
		return false;
	for (size_t i = 0; i < n; i++) {
		int weight = __builtin_popcountll(needs[i].counters);
		size_t at = i;

		for (; at > 0 && __builtin_popcountll(needs[order[at - 1]].counters) > weight; at--)
			order[at] = order[at - 1];
		order[at] = i;
		all |= needs[i].counters;
	}
	return n <= (size_t)__builtin_popcountll(all) && try_counters(needs, order, n, 0, 0);
}
