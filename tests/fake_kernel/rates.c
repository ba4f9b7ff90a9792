// SPDX-License-Identifier: MIT
/*
 * Rates that come from a seed. An event's rate is a hash of the seed, of its PMU and of its code,
 * so a wrong code has a wrong count. A count is made of the whole time so far and rounded down, so
 * the number of spans does not matter.
 */
#include "tests/fake_kernel/internal.h"

enum {
	DENOMINATOR = 4096,
	NUMERATOR_MAX = 1024,
	PARTS = 256, /* of the slots */
	METRIC_FIRST = 0x80,
};

static uint64_t mix(uint64_t state, uint64_t value)
{
	state = (state ^ value) * 0x9e3779b97f4a7c15u;
	state = (state ^ state >> 32) * 0xbf58476d1ce4e5b9u;
	return state ^ state >> 29;
}

struct fk_rate fk_seeded_rate(uint64_t seed, uint64_t config, uint64_t config1)
{
	uint64_t hash = mix(mix(mix(seed, 1), config), config1);

	return (struct fk_rate){1 + (uint32_t)(hash % NUMERATOR_MAX), DENOMINATOR};
}

/* The part of the slots that a top-down metric has: four of the first level, then four of these. */
static unsigned metric_parts(uint64_t seed, unsigned metric)
{
	unsigned parts[8];
	uint64_t hash = mix(seed, 2);

	parts[0] = 60 + (unsigned)(hash % 40);
	parts[1] = 20 + (unsigned)(hash / 64 % 20);
	parts[2] = 40 + (unsigned)(hash / 4096 % 30);
	parts[3] = PARTS - parts[0] - parts[1] - parts[2];
	for (unsigned i = 4; i < 8; i++)
		parts[i] = parts[i - 4] * (1 + (unsigned)(mix(hash, i) % 7)) / 8;
	return parts[metric];
}

static uint64_t part(uint64_t n, uint64_t num, uint64_t den)
{
	return (uint64_t)((unsigned __int128)n * num / den);
}

uint64_t fk_seeded_count(const struct fk_spec *spec, const struct fk_pmu *pmu, uint64_t config,
			 uint64_t config1, uint64_t ns)
{
	const struct fk_limits *limits = pmu->limits;
	struct fk_rate cycles = spec->rates[FK_CYCLES];
	uint64_t slots =
		part(ns, (uint64_t)cycles.num * limits->width, cycles.den ? cycles.den : 1);

	if (fk_limits_is_slots(limits, config))
		return slots;
	if (fk_limits_is_metric(limits, config))
		return part(slots, metric_parts(spec->seed, (unsigned)(config >> 8) - METRIC_FIRST),
			    PARTS);
	struct fk_rate rate = fk_seeded_rate(mix(spec->seed, pmu->type), config, config1);
	return part(ns, rate.num, rate.den);
}
