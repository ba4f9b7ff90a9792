// SPDX-License-Identifier: MIT
/*
 * The groups that have a CPU's counters: all events of a group or none, one group after the other,
 * until one does not fit. Counters of a disabled or closed group stay free until groups are put on
 * again: when one is enabled, or when the timer fires that rotates waiting groups
 * (perf_rotate_context()).
 */
#include "core/base/util.h"
#include "tests/fake_kernel/internal.h"

#include <stdlib.h>

bool fk_perf_is_clock(const struct fk_perf *perf)
{
	return perf->kind == FK_TASK_CLOCK;
}

void fk_group_add(struct fk_perf *leader, struct fk_perf *perf)
{
	leader->members = array_reserve(leader->members, &leader->members_capacity,
					leader->n_members + 1, sizeof(struct fk_perf *));
	leader->members[leader->n_members++] = perf;
	leader->changes += perf != leader;
	perf->leader = leader;
}

struct fk_context *fk_perf_context(struct fk *fk, const struct fk_perf *perf)
{
	return perf->task ? &perf->task->context : &fk_cpu(fk, perf->cpu)->context;
}

void fk_context_add(struct fk_context *context, struct fk_perf *leader)
{
	context->leaders = array_reserve(context->leaders, &context->capacity, context->n + 1,
					 sizeof(struct fk_perf *));
	context->leaders[context->n++] = leader;
}

static void context_remove(struct fk_context *context, const struct fk_perf *leader)
{
	size_t kept = 0;

	for (size_t i = 0; i < context->n; i++)
		if (context->leaders[i] != leader)
			context->leaders[kept++] = context->leaders[i];
	context->n = kept;
}

/* A clock that stops keeps what is left of its period, and goes on from there (hrtimer). */
void fk_perf_set_active(struct fk *fk, struct fk_perf *perf, bool active)
{
	if (perf->active == active)
		return;
	perf->active = active;
	perf->turn = active ? ++fk->turns : 0;
	if (!fk_perf_is_clock(perf) || !perf->period)
		return;
	if (active) {
		uint64_t whole_ns = perf->period > 10000 ? perf->period : 10000;

		perf->tick_ns = fk->now_ns + (perf->period_left ? perf->period_left : whole_ns);
		fk_expect_tick(fk, perf->tick_ns);
	} else {
		perf->period_left = perf->tick_ns > fk->now_ns ? perf->tick_ns - fk->now_ns : 0;
		perf->tick_ns = 0;
	}
}

/*
 * The PMU that schedules an event without a group: since 6.2 there are three for software events.
 */
enum { OTHER_PMUS = 16 };

static uint64_t scheduler_of(uint32_t type)
{
	return OTHER_PMUS + type;
}

static uint64_t own_scheduler(const struct fk_perf *perf)
{
	if (perf->attr.type != PERF_TYPE_SOFTWARE)
		return scheduler_of(perf->attr.type);
	return fk_perf_is_clock(perf) ? perf->attr.config : PERF_COUNT_SW_DUMMY;
}

/* The PMU in its group: the PMU of the hardware events, or its own. */
static uint64_t scheduler(const struct fk_perf *perf)
{
	for (size_t i = 0; i < perf->leader->n_members; i++) {
		const struct fk_perf *member = perf->leader->members[i];

		if (member->pmu)
			return scheduler_of(member->pmu->type);
		if (member->device && !member->device->of_cpus)
			return scheduler_of(member->device->type);
	}
	return own_scheduler(perf);
}

static void group_set_active(struct fk *fk, struct fk_perf *leader, bool on)
{
	if (on == leader->active)
		return;
	for (size_t i = 0; i < leader->n_members; i++)
		fk_perf_set_active(fk, leader->members[i], on && leader->members[i]->enabled);
}

void fk_start_late(struct fk *fk, struct fk_perf *perf)
{
	/*
	 * 6.2 and later reschedule the sibling's own PMU, but a group of software events hangs on
	 * its leader's: unless they are the same, nothing starts until the group is next put on.
	 */
	if (!perf->leader->active || perf == perf->leader)
		return;
	if (scheduler(perf) == scheduler(perf->leader))
		fk_perf_set_active(fk, perf, perf->enabled);
}

enum { TAKEN_MAX = 64 };

/* Free counters of a PMU; where it has limits, what is taken of them. */
struct counters {
	unsigned general;
	uint64_t fixed;
	struct fk_need taken[TAKEN_MAX];
	size_t n_taken;
};

static bool counters_take(struct counters *free, const struct fk_perf *perf)
{
	const struct fk_pmu *pmu = perf->pmu;
	uint64_t bit = FK_BIT(perf->kind);

	if (pmu->limits) {
		if (free->n_taken == TAKEN_MAX)
			return false;
		free->taken[free->n_taken++] =
			fk_limits_need(pmu->limits, pmu->slots, perf->config, perf->config1);
		return fk_limits_fit(free->taken, free->n_taken);
	}

	if (free->fixed & bit) {
		free->fixed &= ~bit;
		return true;
	}
	if (perf->pmu->only_fixed & bit || !free->general)
		return false;
	free->general--;
	return true;
}

/*
 * validate_group() passes over events that are OFF, be they only to be enabled later: Arm over all,
 * x86 over siblings that are in the group already. Hence groups that open and can never run.
 */
bool fk_group_fits(const struct fk_perf *leader, const struct fk_perf *perf)
{
	struct counters empty;

	if (!perf->pmu)
		return true;
	bool arm = perf->pmu->model && !perf->pmu->model->vendor;
	empty = (struct counters){.general = perf->pmu->slots, .fixed = perf->pmu->fixed};
	for (size_t i = 0; leader && i < leader->n_members; i++) {
		const struct fk_perf *member = leader->members[i];

		if (!member->pmu || (!member->enabled && (arm || member != leader)))
			continue;
		if (!counters_take(&empty, member))
			return false;
	}
	return (arm && perf->attr.disabled) || counters_take(&empty, perf);
}

/* The counters of a CPU that other users leave free. */
static struct counters cpu_counters(const struct fk *fk, const struct fk_cpu *cpu)
{
	struct counters free = {.general = 0};
	const struct fk_pmu *pmu = cpu->pmu;
	/* The watchdog needs a counter like any event. */
	struct fk_perf cycles = {.kind = FK_CYCLES, .pmu = pmu};

	if (!pmu)
		return free;
	if (pmu->limits) {
		cycles.config = pmu->codes[0].config;
		if (fk->watchdog)
			counters_take(&free, &cycles);
		unsigned held =
			cpu->held > pmu->slots && cpu->held != FK_HOLD_ALL ? pmu->slots : cpu->held;
		for (unsigned i = 0; i < held && free.n_taken < TAKEN_MAX; i++)
			free.taken[free.n_taken++] =
				(struct fk_need){.counters = (1ull << pmu->slots) - 1};
		return free;
	}
	if (cpu->held == FK_HOLD_ALL)
		return free;
	free = (struct counters){.general = pmu->slots, .fixed = pmu->fixed};
	if (fk->watchdog && pmu->events & FK_BIT(FK_CYCLES))
		counters_take(&free, &cycles);
	free.general -= cpu->held < free.general ? cpu->held : free.general;
	return free;
}

/* Takes the counters that an enabled group needs, all or none. */
static bool group_take(const struct fk_perf *leader, const struct fk_pmu *pmu,
		       struct counters *free)
{
	struct counters rest = *free;
	unsigned n = 0;

	for (size_t i = 0; i < leader->n_members; i++) {
		const struct fk_perf *perf = leader->members[i];

		if (!perf->pmu || !perf->enabled)
			continue;
		n++;
		if (!counters_take(&rest, perf))
			return false;
	}
	if (pmu->runs_at_most && n > pmu->runs_at_most)
		return false;
	*free = rest;
	return true;
}

/*
 * Puts groups with counters on anew, or leaves those where they are that are enabled; all others go
 * on and off as they are enabled. Once a group with counters has not fitted, later ones are not
 * tried: Linux's can_add_hw.
 */
static void context_schedule(struct fk *fk, struct fk_context *context, const struct fk_cpu *cpu,
			     struct counters *free, bool anew)
{
	bool full = false;

	context->waits = false;
	for (size_t i = 0; i < context->n; i++) {
		struct fk_perf *leader = context->leaders[i];
		bool on = leader->enabled && (leader->cpu < 0 || leader->cpu == cpu->number);
		bool counted = false, here = true;

		for (size_t k = 0; k < leader->n_members; k++) {
			const struct fk_perf *perf = leader->members[k];

			counted |= perf->pmu && perf->enabled;
			here &= !perf->pmu || perf->pmu == cpu->pmu;
		}
		if (on && counted) {
			on = here && !full && (anew || leader->active) &&
			     group_take(leader, cpu->pmu, free);
			full = full || (anew && here && !on);
			context->waits = context->waits || (here && !on);
		}
		group_set_active(fk, leader, on);
	}
}

void fk_schedule(struct fk *fk, struct fk_cpu *cpu, enum fk_anew anew)
{
	struct counters free = cpu_counters(fk, cpu);
	struct fk_context *task = &cpu->current->context;

	context_schedule(fk, &cpu->context, cpu, &free, anew == FK_ALL_ANEW);
	context_schedule(fk, task, cpu, &free, anew != FK_NOTHING_ANEW);
	/* The timer belongs to the CPU and continues for any running task. */
	if ((cpu->context.waits || task->waits) && !cpu->rotate_ns) {
		cpu->rotate_ns = fk->now_ns + FK_ROTATE_NS;
		fk_expect_tick(fk, cpu->rotate_ns);
	}
}

static void context_turn(struct fk *fk, const struct fk_context *context, uint64_t pmu)
{
	for (size_t i = 0; i < context->n; i++) {
		const struct fk_perf *leader = context->leaders[i];

		for (size_t k = 0; scheduler(leader) == pmu && k < leader->n_members; k++)
			if (leader->members[k]->active)
				leader->members[k]->turn = ++fk->turns;
	}
}

void fk_reschedule(struct fk *fk, struct fk_cpu *cpu, const struct fk_perf *perf)
{
	uint64_t pmu = scheduler(perf);
	enum fk_anew anew = FK_NOTHING_ANEW;

	if (!perf->enabled || !perf->leader->enabled)
		return;
	/* A task's event leaves the CPU's groups where they are. */
	if (cpu->pmu && pmu == scheduler_of(cpu->pmu->type))
		anew = perf->task ? FK_TASK_ANEW : FK_ALL_ANEW;
	fk_schedule(fk, cpu, anew);
	if (!perf->task)
		context_turn(fk, &cpu->context, pmu);
	context_turn(fk, &cpu->current->context, pmu);
}

/* Moves the first group with counters, or the first that needs some, behind all others. */
static void context_rotate(struct fk_context *context, const struct fk_cpu *cpu)
{
	size_t first = context->n;

	for (size_t i = context->n; i-- > 0;) {
		const struct fk_perf *leader = context->leaders[i];

		if (scheduler(leader) != scheduler_of(cpu->pmu->type))
			continue;
		if (leader->active || first == context->n || !context->leaders[first]->active)
			first = i;
	}
	if (first == context->n)
		return;
	struct fk_perf *leader = context->leaders[first];
	for (size_t i = first; i + 1 < context->n; i++)
		context->leaders[i] = context->leaders[i + 1];
	context->leaders[context->n - 1] = leader;
}

/*
 * Groups take turns only where some of them wait. While a CPU's groups have all counters and none
 * of them waits, groups of tasks wait for ever.
 */
void fk_rotate(struct fk *fk, struct fk_cpu *cpu)
{
	struct fk_context *task = &cpu->current->context;
	bool cpu_waits = cpu->context.waits, task_waits = task->waits;

	cpu->rotate_ns = 0;
	if (!cpu->pmu || (!cpu_waits && !task_waits))
		return;
	if (cpu_waits)
		context_rotate(&cpu->context, cpu);
	if (task_waits)
		context_rotate(task, cpu);
	cpu->rotate_ns = fk->now_ns + FK_ROTATE_NS;
	fk_expect_tick(fk, cpu->rotate_ns);
	fk_schedule(fk, cpu, cpu_waits ? FK_ALL_ANEW : FK_TASK_ANEW);
	if (cpu_waits)
		context_turn(fk, &cpu->context, scheduler_of(cpu->pmu->type));
	context_turn(fk, task, scheduler_of(cpu->pmu->type));
}

void fk_context_stop(struct fk *fk, struct fk_context *context)
{
	for (size_t i = 0; i < context->n; i++)
		for (size_t k = 0; k < context->leaders[i]->n_members; k++)
			fk_perf_set_active(fk, context->leaders[i]->members[k], false);
}

void fk_perf_detach(struct fk *fk, struct fk_perf *perf)
{
	struct fk_perf *leader = perf->leader;
	struct fk_context *context = fk_perf_context(fk, perf);
	size_t kept = 0;

	if (perf != leader) {
		for (size_t i = 0; i < leader->n_members; i++)
			if (leader->members[i] != perf)
				leader->members[kept++] = leader->members[i];
		leader->n_members = kept;
		leader->changes++;
	} else {
		context_remove(context, perf);
		for (size_t i = 1; i < perf->n_members; i++) {
			fk_group_add(perf->members[i], perf->members[i]);
			if (!perf->gone)
				fk_context_add(context, perf->members[i]);
		}
		perf->n_members = 0;
	}
	perf->leader = perf;
}

void fk_perf_kill(struct fk *fk, struct fk_cpu *cpu)
{
	for (size_t i = 0; i < fk->n_perfs; i++) {
		struct fk_perf *perf = fk->perfs[i];

		if (perf->task || perf->cpu != cpu->number || perf->gone)
			continue;
		fk_perf_set_active(fk, perf, false);
		perf->enabled = false;
		perf->gone = true;
		fk_perf_detach(fk, perf);
		perf->n_members = 0;
		fk_group_add(perf, perf);
	}
	cpu->context.n = 0;
}

static void remove_from(struct fk_perf **list, size_t *n, const struct fk_perf *perf)
{
	size_t kept = 0;

	for (size_t i = 0; i < *n; i++)
		if (list[i] != perf)
			list[kept++] = list[i];
	*n = kept;
}

void fk_perf_free(struct fk *fk, struct fk_perf *perf)
{
	if (perf->fd >= 0 || perf->mapped)
		return;
	fk_settle_all(fk);
	fk_copies_free(fk, perf);
	fk_perf_set_active(fk, perf, false);
	fk_perf_detach(fk, perf);
	remove_from(fk->perfs, &fk->n_perfs, perf);
	remove_from(fk->clocks, &fk->n_clocks, perf);
	free(perf->members);
	free(perf);
	for (unsigned i = 0; i < fk->config.cpus; i++)
		fk_schedule(fk, &fk->cpus[i], FK_NOTHING_ANEW);
}
