// SPDX-License-Identifier: MIT
/*
 * What is known of counters (counter_constraint.h), against the fake kernel's own limits, which are
 * Linux's: random groups of the vendors' events, with and without the NMI watchdog. A group that
 * runs must not be ruled out. Linux does not know which events are taken alone.
 */
#include "core/base/util.h"
#include "core/event/event_table_cache.h"
#include "core/perf/budget.h"
#include "tests/fake_kernel/limited_machines.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/machine.h"

#include <stdlib.h>
#include <string.h>

struct limit_case {
	const char *name;
	const struct fk_config *config;
	const char *pmu;
	unsigned refused_most; /* of 100 groups that are not ruled out, the kernel refuses */
};

static const struct limit_case cases[] = {
	{"Skylake", &fk_skylake_sp, "cpu", 2},
	{"Ice Lake", &fk_ice_lake_sp, "cpu", 1},
	{"Sapphire Rapids", &fk_sapphire_rapids, "cpu", 1},
	{"Granite Rapids", &fk_granite_rapids, "cpu", 1},
	{"Alder Lake, P-cores", &fk_alder_lake, "cpu_core", 1},
	{"Alder Lake, E-cores", &fk_alder_lake, "cpu_atom", 1},
};

/*
 * Linux has no constraint for some of these events on Golden Cove, where the vendor has four
 * counters. The vendor's are used, as a wrong counter has a wrong count.
 */
enum { CYCLE_ACTIVITY = 0xa3 };

enum { GROUPS = 3000, GROUP_MOST = 12 };

struct pool {
	struct event_code *codes;
	size_t n, capacity;
	size_t n_topdown; /* the last ones: slots, then its metrics */
};

/* Adds the code of a name on a PMU, if the kernel accepts it by itself or behind slots. */
static void pool_add(struct pool *pool, const struct machine *machine, const char *name, size_t pmu,
		     int cpu)
{
	struct event event;
	bool runs;

	if (event_resolve(&machine->context, name, &event, NULL) < 0)
		return;
	for (size_t i = 0; i < event.n_codes && event.kind == EVENT_HARDWARE; i++) {
		struct event_code *code = &event.codes[i];
		bool metric = code->constraint.topdown == COUNTER_TOPDOWN_METRIC;
		/* Slots are the last code in front of the metrics. */
		const struct event_code *slots =
			metric ? &pool->codes[pool->n - pool->n_topdown] : NULL;
		const struct event_code *group[] = {slots, code};

		if (code->pmu != pmu || (code->attr.config & 0xff) == CYCLE_ACTIVITY ||
		    budget_try(&machine->sys, cpu, group + !metric, 1 + metric, &runs) < 0)
			continue;
		code->constraint.alone = false;
		pool->codes = array_reserve(pool->codes, &pool->capacity, pool->n + 1,
					    sizeof(*pool->codes));
		pool->n_topdown += metric || code->constraint.topdown == COUNTER_SLOTS;
		pool->codes[pool->n++] = *code;
	}
	event_fini(&event);
}

static void pool_fill(struct pool *pool, const struct machine *machine, size_t pmu, int cpu)
{
	static const char *const topdown[] = {"slots",
					      "topdown-retiring",
					      "topdown-bad-spec",
					      "topdown-fe-bound",
					      "topdown-be-bound",
					      "topdown-heavy-ops",
					      "topdown-br-mispredict",
					      "topdown-fetch-lat",
					      "topdown-mem-bound"};
	const struct event_table *table = event_table_cache_get(machine->context.tables);

	assert_non_null(table);
	for (size_t i = 0; i < table->n; i++)
		if (strncmp(table->items[i].pmu, "cpu", 3) == 0 && !table->items[i].deprecated &&
		    strcmp(table->items[i].name, "TOPDOWN.SLOTS") != 0)
			pool_add(pool, machine, table->items[i].name, pmu, cpu);
	assert_true(pool->n > 100 && pool->n_topdown == 0);
	for (size_t i = 0; i < ARRAY_SIZE(topdown); i++)
		if (i == 0 || pool->n_topdown > 0)
			pool_add(pool, machine, topdown[i], pmu, cpu);
}

static unsigned draw(uint64_t *seed, size_t below)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)((*seed >> 33) % below);
}

/* Every second group has slots and some of its metrics in front. */
static size_t draw_group(const struct pool *pool, uint64_t *seed, const struct event_code **group)
{
	size_t n = 0, first = pool->n - pool->n_topdown, most = 2 + draw(seed, GROUP_MOST - 1);

	if (pool->n_topdown > 0 && draw(seed, 2)) {
		group[n++] = &pool->codes[first];
		for (size_t i = 1; i < pool->n_topdown && n < most; i++)
			if (draw(seed, 2))
				group[n++] = &pool->codes[first + i];
	}
	while (n < most)
		group[n++] = &pool->codes[draw(seed, first)];
	return n;
}

static void print_group(const struct event_code *const *group, size_t n)
{
	for (size_t i = 0; i < n; i++)
		print_message("# %llx/%llx on %llx\n", (unsigned long long)group[i]->attr.config,
			      (unsigned long long)group[i]->attr.config1,
			      (unsigned long long)group[i]->constraint.counters);
}

static void compare_groups(const struct pool *pool, const struct sys *sys, int cpu, bool watchdog,
			   unsigned refused_most)
{
	const struct event_code *group[GROUP_MOST];
	unsigned both = 0, ruled_out = 0, refused = 0;
	uint64_t seed = 1;

	for (unsigned i = 0; i < GROUPS; i++) {
		size_t n = draw_group(pool, &seed, group);
		bool runs, fits = counter_constraint_fits(group, n, watchdog);
		bool accepted = budget_try(sys, cpu, group, n, &runs) == 0 && runs;

		both += fits && accepted;
		ruled_out += !fits && !accepted;
		refused += fits && !accepted;
		if (!fits && accepted) {
			print_group(group, n);
			fail_msg("This group runs, and is ruled out.");
		}
	}
	print_message("# %zu codes: %u groups fit, %u do not, %u are refused by the kernel alone\n",
		      pool->n, both, ruled_out, refused);
	assert_true(both > GROUPS / 10 && ruled_out > GROUPS / 10);
	assert_true(refused * 100 <= refused_most * (both + refused));
}

static void test_case(void **state)
{
	const struct limit_case *this = *state;
	struct machine machine;
	struct pool pool = {.n = 0};
	size_t pmu = 0;

	machine_of(&machine, fk_new(this->config));
	fk_file(machine.fk, "/sys/devices/system/cpu/smt/active", "1\n");
	while (strcmp(machine.pmus.items[pmu].name, this->pmu) != 0)
		pmu++;
	int cpu = machine.pmus.items[pmu].cpus.numbers[0];
	pool_fill(&pool, &machine, pmu, cpu);
	for (int watchdog = 0; watchdog <= 1; watchdog++) {
		fk_watchdog(machine.fk, watchdog);
		compare_groups(&pool, &machine.sys, cpu, watchdog, this->refused_most);
	}
	free(pool.codes);
	machine_fini(&machine);
}

int main(void)
{
	static const struct cases table = CASES(test_case, cases);

	return cases_run("counter_limits", &table, 1, NULL, 0);
}
