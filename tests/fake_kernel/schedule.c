// SPDX-License-Identifier: MIT
/*
 * Groups, and which of them are on a CPU's counters. A group gets its counters, all or none, in the
 * order of opening, and keeps them. There is no rotation: Linux lets groups that do not fit
 * together take turns by a timer, and lets one that waits have what another leaves when that timer
 * fires, or when any group is enabled; here it has it at once.
 */
#include "core/util.h"
#include "internal.h"

#include <stdlib.h>

/* ---- groups */

static bool is_clock(const struct fk_perf *perf)
{
	return perf->kind == FK_TASK_CLOCK;
}

void fk_group_add(struct fk_perf *leader, struct fk_perf *perf)
{
	leader->members = array_reserve(leader->members, &leader->members_capacity,
					leader->n_members + 1, sizeof(struct fk_perf *));
	leader->members[leader->n_members++] = perf;
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
	if (!is_clock(perf) || !perf->period)
		return;
	if (active) {
		uint64_t whole_ns = perf->period > 10000 ? perf->period : 10000;

		perf->tick_ns = fk->now_ns + (perf->period_left ? perf->period_left : whole_ns);
	} else {
		perf->period_left = perf->tick_ns > fk->now_ns ? perf->tick_ns - fk->now_ns : 0;
		perf->tick_ns = 0;
	}
}

/* Who schedules an event by itself: the kernel has three PMUs for software events since 6.2. */
static uint64_t own_scheduler(const struct fk_perf *perf)
{
	if (perf->attr.type != PERF_TYPE_SOFTWARE)
		return 16 + perf->attr.type;
	return is_clock(perf) ? perf->attr.config : PERF_COUNT_SW_DUMMY;
}

/* ... and in its group: the PMU that software events must follow, or its own. */
static uint64_t scheduler(const struct fk_perf *perf)
{
	for (size_t i = 0; i < perf->leader->n_members; i++) {
		const struct fk_perf *member = perf->leader->members[i];

		if (member->pmu)
			return 16 + member->pmu->type;
		if (member->device && !member->device->of_cpus)
			return 16 + member->device->type;
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

/* ---- counters */

/* What is free of a PMU. */
struct counters {
	unsigned general;
	uint64_t fixed;
};

static bool counters_take(struct counters *free, const struct fk_perf *perf)
{
	uint64_t bit = FK_BIT(perf->kind);

	if (free->fixed & bit) {
		free->fixed &= ~bit;
		return true;
	}
	if (perf->pmu->only_fixed & bit || !free->general)
		return false;
	free->general--;
	return true;
}

bool fk_group_fits(const struct fk_perf *leader, const struct fk_perf *perf)
{
	struct counters empty;

	if (!perf->pmu)
		return true;
	empty = (struct counters){perf->pmu->slots, perf->pmu->fixed};
	for (size_t i = 0; leader && i < leader->n_members; i++)
		if (leader->members[i]->pmu && !counters_take(&empty, leader->members[i]))
			return false;
	return counters_take(&empty, perf);
}

/* What others leave of a CPU's counters. */
static struct counters cpu_counters(const struct fk *fk, const struct fk_cpu *cpu)
{
	struct counters free = {0, 0};
	const struct fk_pmu *pmu = cpu->pmu;
	/* The watchdog's event is as good as any. */
	const struct fk_perf cycles = {.kind = FK_CYCLES, .pmu = pmu};

	if (!pmu || cpu->held == FK_HOLD_ALL)
		return free;
	free = (struct counters){pmu->slots, pmu->fixed};
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

/* Once a group with counters has not fitted, later ones are not tried: Linux's can_add_hw. */
static void context_schedule(struct fk *fk, struct fk_context *context, const struct fk_cpu *cpu,
			     struct counters *free, bool *full)
{
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
			on = here && !*full && group_take(leader, cpu->pmu, free);
			*full = *full || (here && !on);
		}
		group_set_active(fk, leader, on);
	}
}

void fk_schedule(struct fk *fk, struct fk_cpu *cpu)
{
	struct counters free = cpu_counters(fk, cpu);
	bool full = false;

	context_schedule(fk, &cpu->context, cpu, &free, &full);
	context_schedule(fk, &cpu->current->context, cpu, &free, &full);
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
	fk_schedule(fk, cpu);
	if (!perf->active)
		return;
	context_turn(fk, &cpu->context, scheduler(perf));
	context_turn(fk, &cpu->current->context, scheduler(perf));
}

/* Takes an event out of its group and context; a leader leaves its siblings as they are, alone. */
static void perf_detach(struct fk *fk, struct fk_perf *perf)
{
	struct fk_perf *leader = perf->leader;
	struct fk_context *context = fk_perf_context(fk, perf);
	size_t kept = 0;

	if (perf != leader) {
		for (size_t i = 0; i < leader->n_members; i++)
			if (leader->members[i] != perf)
				leader->members[kept++] = leader->members[i];
		leader->n_members = kept;
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
		perf_detach(fk, perf);
		perf->n_members = 0;
		fk_group_add(perf, perf);
	}
	cpu->context.n = 0;
}

void fk_perf_free(struct fk *fk, struct fk_perf *perf)
{
	size_t kept = 0;

	if (perf->fd >= 0 || perf->mapped)
		return;
	fk_settle_all(fk);
	fk_perf_set_active(fk, perf, false);
	perf_detach(fk, perf);
	for (size_t i = 0; i < fk->n_perfs; i++)
		if (fk->perfs[i] != perf)
			fk->perfs[kept++] = fk->perfs[i];
	fk->n_perfs = kept;
	free(perf->members);
	free(perf);
	for (unsigned i = 0; i < fk->config.cpus; i++)
		fk_schedule(fk, &fk->cpus[i]);
}
