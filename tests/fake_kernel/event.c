// SPDX-License-Identifier: MIT
/*
 * Perf events: what perf_event_open accepts and answers, groups, and which of them are on a CPU's
 * counters. Errnos and their order follow kernel/events/core.c of 6.18. There is no rotation: a
 * group gets its counters, all or none, in the order of opening, and keeps them.
 */
#include "core/util.h"
#include "internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CACHE(cache, op, result) (cache | (op << 8) | ((uint64_t)(result) << 16))
#define CACHE_READ(cache, result)                                       \
	CACHE(PERF_COUNT_HW_CACHE_##cache, PERF_COUNT_HW_CACHE_OP_READ, \
	      PERF_COUNT_HW_CACHE_RESULT_##result)

static const struct {
	uint64_t config;
	enum fk_event event;
} cache_events[] = {
	{CACHE_READ(L1D, ACCESS), FK_L1D_LOADS},
	{CACHE_READ(L1D, MISS), FK_L1D_LOAD_MISSES},
	{CACHE_READ(L1I, MISS), FK_L1I_LOAD_MISSES},
	{CACHE_READ(LL, ACCESS), FK_LLC_LOADS},
	{CACHE_READ(LL, MISS), FK_LLC_LOAD_MISSES},
	{CACHE_READ(DTLB, MISS), FK_DTLB_LOAD_MISSES},
	{CACHE_READ(ITLB, MISS), FK_ITLB_LOAD_MISSES},
};

static const int software_kinds[] = {
	[PERF_COUNT_SW_CPU_CLOCK] = FK_TASK_CLOCK,
	[PERF_COUNT_SW_TASK_CLOCK] = FK_TASK_CLOCK,
	[PERF_COUNT_SW_PAGE_FAULTS] = FK_PAGE_FAULTS,
	[PERF_COUNT_SW_CONTEXT_SWITCHES] = FK_SWITCHES,
	[PERF_COUNT_SW_CPU_MIGRATIONS] = FK_MIGRATIONS,
	[PERF_COUNT_SW_PAGE_FAULTS_MIN] = FK_MINOR_FAULTS,
	[PERF_COUNT_SW_PAGE_FAULTS_MAJ] = FK_MAJOR_FAULTS,
	[PERF_COUNT_SW_ALIGNMENT_FAULTS] = FK_DUMMY,
	[PERF_COUNT_SW_EMULATION_FAULTS] = FK_DUMMY,
	[PERF_COUNT_SW_DUMMY] = FK_DUMMY,
};

/* ---- which event an attr asks for */

static const struct fk_pmu *pmu_by_type(const struct fk *fk, uint32_t type)
{
	for (size_t i = 0; i < fk->n_pmus; i++)
		if (fk->pmus[i].type == type)
			return &fk->pmus[i];
	return NULL;
}

static int cache_kind(uint64_t config)
{
	for (size_t i = 0; i < ARRAY_SIZE(cache_events); i++)
		if (cache_events[i].config == config)
			return (int)cache_events[i].event;
	return -1;
}

/* The event of an attr and the PMU that counts it, or -ENOENT. */
static int perf_resolve(const struct fk *fk, const struct perf_event_attr *attr, int cpu,
			struct fk_perf *perf)
{
	const struct fk_pmu *pmu = NULL;

	perf->pmu = NULL;
	perf->kind = -1;
	switch (attr->type) {
	case PERF_TYPE_SOFTWARE:
		if (attr->config >= ARRAY_SIZE(software_kinds))
			return -ENOENT;
		perf->kind = software_kinds[attr->config];
		return 0;
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
		/* The upper half names the PMU; without it the first one is meant. */
		if (attr->config >> 32)
			pmu = pmu_by_type(fk, (uint32_t)(attr->config >> 32));
		else if (fk->n_pmus)
			pmu = &fk->pmus[0];
		if (attr->type == PERF_TYPE_HW_CACHE)
			perf->kind = cache_kind((uint32_t)attr->config);
		else if ((uint32_t)attr->config < PERF_COUNT_HW_MAX)
			perf->kind = (int)(uint32_t)attr->config;
		break;
	default:
		pmu = attr->type == PERF_TYPE_RAW && fk->n_pmus ? &fk->pmus[0]
								: pmu_by_type(fk, attr->type);
		perf->kind = attr->config == 0x3c   ? (int)FK_CYCLES
			     : attr->config == 0xc0 ? (int)FK_INSTRUCTIONS
						    : (int)FK_RAW;
	}
	if (!pmu || perf->kind < 0 || !(pmu->events & FK_BIT(perf->kind)))
		return -ENOENT;
	if (cpu >= 0 && (cpu < pmu->first_cpu || cpu > pmu->last_cpu))
		return -ENOENT;
	perf->pmu = pmu;
	return 0;
}

/* ---- groups */

static bool is_clock(const struct fk_perf *perf)
{
	return perf->kind == FK_TASK_CLOCK;
}

static unsigned group_counters(const struct fk_perf *leader)
{
	unsigned n = 0;

	for (size_t i = 0; i < leader->n_members; i++)
		n += leader->members[i]->pmu != NULL;
	return n;
}

static void group_add(struct fk_perf *leader, struct fk_perf *perf)
{
	leader->members = array_reserve(leader->members, &leader->members_capacity,
					leader->n_members + 1, sizeof(struct fk_perf *));
	leader->members[leader->n_members++] = perf;
	perf->leader = leader;
}

static struct fk_context *perf_context(struct fk *fk, const struct fk_perf *perf)
{
	return perf->task ? &perf->task->context : &fk_cpu(fk, perf->cpu)->context;
}

static void context_add(struct fk_context *context, struct fk_perf *leader)
{
	context->leaders = array_reserve(context->leaders, &context->capacity, context->n + 1,
					 sizeof(struct fk_perf *));
	context->leaders[context->n++] = leader;
}

void fk_context_remove(struct fk_context *context, const struct fk_perf *leader)
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
	const struct fk_perf *leader = perf->leader;
	bool clocks = is_clock(leader) || is_clock(perf);

	if (!leader->active || perf == leader)
		return;
	if (group_counters(leader) || !clocks || leader->attr.config == perf->attr.config)
		fk_perf_set_active(fk, perf, perf->enabled);
}

/* Once a group with counters has not fitted, later ones are not tried: Linux's can_add_hw. */
static void context_schedule(struct fk *fk, struct fk_context *context, int cpu, unsigned *free,
			     bool *full)
{
	for (size_t i = 0; i < context->n; i++) {
		struct fk_perf *leader = context->leaders[i];
		unsigned need = 0;
		bool on = leader->enabled && (leader->cpu < 0 || leader->cpu == cpu);

		for (size_t k = 0; k < leader->n_members; k++)
			need += leader->members[k]->pmu && leader->members[k]->enabled;
		if (on && need) {
			const struct fk_pmu *pmu = fk_cpu(fk, cpu)->pmu;
			bool here = true;

			for (size_t k = 0; k < leader->n_members; k++)
				if (leader->members[k]->pmu && leader->members[k]->pmu != pmu)
					here = false;
			on = here && !*full && need <= *free;
			*full = *full || (here && !on);
			*free -= on ? need : 0;
		}
		group_set_active(fk, leader, on);
	}
}

void fk_schedule(struct fk *fk, struct fk_cpu *cpu)
{
	unsigned slots = cpu->pmu ? cpu->pmu->slots : 0;
	unsigned free = slots > cpu->held ? slots - cpu->held : 0;
	bool full = false;

	context_schedule(fk, &cpu->context, cpu->number, &free, &full);
	context_schedule(fk, &cpu->current->context, cpu->number, &free, &full);
}

/* Takes an event out of its group and context; a leader leaves its siblings as they are, alone. */
static void perf_detach(struct fk *fk, struct fk_perf *perf)
{
	struct fk_perf *leader = perf->leader;
	struct fk_context *context = perf_context(fk, perf);
	size_t kept = 0;

	if (perf != leader) {
		for (size_t i = 0; i < leader->n_members; i++)
			if (leader->members[i] != perf)
				leader->members[kept++] = leader->members[i];
		leader->n_members = kept;
	} else {
		fk_context_remove(context, perf);
		for (size_t i = 1; i < perf->n_members; i++) {
			group_add(perf->members[i], perf->members[i]);
			if (!perf->gone)
				context_add(context, perf->members[i]);
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
		group_add(perf, perf);
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

struct fk_perf *fk_perf_of(struct fk *fk, int fd)
{
	for (size_t i = 0; i < fk->n_perfs; i++)
		if (fk->perfs[i]->fd == fd)
			return fk->perfs[i];
	return NULL;
}

/* ---- opening */

/* perf_copy_attr(): the caller's struct may be older or newer than ours. */
static int attr_copy(struct perf_event_attr *from, struct perf_event_attr *attr)
{
	uint32_t size = from->size ? from->size : PERF_ATTR_SIZE_VER0;

	memset(attr, 0, sizeof(*attr));
	if (size < PERF_ATTR_SIZE_VER0 || size > sizeof(*attr)) {
		from->size = sizeof(*attr);
		return -E2BIG;
	}
	memcpy(attr, from, size);
	attr->size = size;
	if (attr->__reserved_1 || attr->__reserved_2 || attr->__reserved_3)
		return -EINVAL;
	if (attr->sample_type >= PERF_SAMPLE_MAX || attr->read_format >= PERF_FORMAT_MAX)
		return -EINVAL;
	return 0;
}

/* What an attr asks for that Linux has and the fake has not: better loud than wrong. */
static void attr_must_be_modelled(const struct perf_event_attr *attr)
{
	struct perf_event_attr rest = *attr;

	rest.type = rest.size = rest.wakeup_events = 0;
	rest.config = rest.sample_period = rest.sample_type = rest.read_format = 0;
	rest.disabled = rest.exclude_kernel = rest.exclude_hv = rest.exclude_idle = 0;
	rest.exclude_guest = rest.comm = rest.comm_exec = rest.task = rest.watermark = 0;
	rest.sample_id_all = rest.use_clockid = rest.context_switch = 0;
	rest.clockid = 0;
	rest.config1 = rest.config2 = 0;

	const unsigned char *bytes = (const unsigned char *)&rest;
	for (size_t i = 0; i < sizeof(rest); i++)
		if (bytes[i])
			fk_die("attr byte %zu (0x%x) is not modelled", i, bytes[i]);
	if (attr->sample_type & ~(uint64_t)(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID |
					    PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_CPU |
					    PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_READ))
		fk_die("sample_type 0x%llx is not modelled", (unsigned long long)attr->sample_type);
	if (attr->sample_period && attr->type != PERF_TYPE_SOFTWARE)
		fk_die("sampling on hardware events is not modelled");
}

/* What the opener may do: kernel.perf_event_paranoid, and whose task it is. */
static int may_open(const struct fk *fk, const struct perf_event_attr *attr,
		    const struct fk_task *task)
{
	const struct fk_config *config = &fk->config;

	if (!config->unprivileged)
		return 0;
	if (config->paranoid > 2 || (config->paranoid > 1 && !attr->exclude_kernel))
		return -EACCES;
	if (!task)
		return config->paranoid > 0 ? -EACCES : 0;
	return task != &fk->self && task->spec.uid != config->uid ? -EACCES : 0;
}

/* What Linux wants of an event and its leader; leader NULL: none. */
static int group_check(const struct fk_perf *perf, const struct fk_perf *leader)
{
	if (!leader)
		return perf->pmu && !perf->pmu->slots ? -EINVAL : 0;
	if (leader->leader != leader)
		return -EINVAL;
	if (leader->cpu != perf->cpu || leader->task != perf->task)
		return -EINVAL;
	if (leader->attr.use_clockid != perf->attr.use_clockid ||
	    leader->attr.clockid != perf->attr.clockid)
		return -EINVAL;
	if (perf->attr.pinned || perf->attr.exclusive)
		return -EINVAL;
	if (!perf->pmu)
		return 0;
	/* validate_group(): whether it would fit an empty PMU, whoever has counters now. */
	for (size_t i = 0; i < leader->n_members; i++)
		if (leader->members[i]->pmu && leader->members[i]->pmu != perf->pmu)
			return -EINVAL;
	return group_counters(leader) + 1 > perf->pmu->slots ? -EINVAL : 0;
}

static int perf_check(struct fk *fk, struct fk_perf *perf, pid_t pid, const struct fk_perf *leader)
{
	int error;

	if (pid > 0) {
		perf->task = fk_find(fk, pid);
		if (!perf->task || perf->task->exiting)
			return -ESRCH;
	} else if (pid == 0) {
		perf->task = &fk->self;
	}
	if (perf->cpu >= (int)fk->config.cpus || perf->cpu < -1 || (!perf->task && perf->cpu < 0))
		return -EINVAL;
	error = perf_resolve(fk, &perf->attr, perf->cpu, perf);
	if (error)
		return error;
	if (perf->attr.use_clockid && perf->attr.clockid != CLOCK_MONOTONIC)
		return -EINVAL;
	error = may_open(fk, &perf->attr, perf->task);
	if (error)
		return error;
	if (!perf->task && !fk_cpu(fk, perf->cpu)->online)
		return -ENODEV;
	return group_check(perf, leader);
}

int fk_perf_open(void *ctx, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		 unsigned long flags)
{
	struct fk *fk = ctx;
	struct fk_perf wanted = {.cpu = cpu};
	struct fk_perf *leader = NULL;
	int error = fk_enter(fk, FK_PERF_OPEN);

	if (error)
		return error;
	if (fk->config.denied)
		return -fk->config.denied;
	if (flags & ~0xful)
		return -EINVAL;
	if (flags & ~(unsigned long)PERF_FLAG_FD_CLOEXEC)
		fk_die("perf_event_open flags 0x%lx are not modelled", flags);
	if (fk->config.unprivileged && fk->config.paranoid > 2)
		return -EACCES;
	error = attr_copy(attr, &wanted.attr);
	if (error)
		return error;
	if (wanted.attr.sample_period >> 63)
		return -EINVAL;
	if (fk->fds >= fk->config.fd_limit)
		return -EMFILE;
	if (group_fd != -1) {
		leader = fk_perf_of(fk, group_fd);
		if (!leader)
			return -EBADF;
	}
	error = perf_check(fk, &wanted, pid, leader);
	if (error)
		return error;
	attr_must_be_modelled(&wanted.attr);

	fk_settle_all(fk);
	struct fk_perf *perf = xmalloc(sizeof(*perf));
	*perf = wanted;
	perf->fd = fk->next_fd++;
	perf->id = fk->next_id++;
	perf->enabled = !perf->attr.disabled;
	perf->period = perf->attr.sample_period;
	fk->fds++;
	fk->perfs =
		array_reserve(fk->perfs, &fk->perfs_capacity, fk->n_perfs + 1, sizeof(*fk->perfs));
	fk->perfs[fk->n_perfs++] = perf;
	group_add(leader ? leader : perf, perf);
	if (leader)
		fk_start_late(fk, perf);
	else
		context_add(perf_context(fk, perf), perf);
	for (unsigned i = 0; i < fk->config.cpus; i++)
		fk_schedule(fk, &fk->cpus[i]);
	return perf->fd;
}
