// SPDX-License-Identifier: MIT
/*
 * Opening perf events: what perf_event_open accepts and answers. Errnos and their order follow
 * kernel/events/core.c of 6.18.
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

static int raw_kind(const struct fk_pmu *pmu, uint64_t config)
{
	static const struct fk_code intel[] = {{0x3c, FK_CYCLES}, {0xc0, FK_INSTRUCTIONS}};
	const struct fk_code *codes = pmu->codes ? pmu->codes : intel;
	size_t n = pmu->codes ? pmu->n_codes : ARRAY_SIZE(intel);

	for (size_t i = 0; i < n; i++)
		if (codes[i].config == config)
			return (int)codes[i].event;
	return FK_RAW;
}

/*
 * The PMU of an attr that names none: perf_init_event() asks the one with the type of raw events
 * first (Intel's P-cores), then, but not for raw ones, all; the one that owns the CPU says yes. On
 * Arm none has that type.
 */
static const struct fk_pmu *usual_pmu(const struct fk *fk, bool raw, int cpu)
{
	const struct fk_pmu *first = pmu_by_type(fk, PERF_TYPE_RAW);

	if (first && (raw || cpu < 0))
		return first;
	for (size_t i = 0; i < fk->n_pmus; i++)
		if (cpu >= fk->pmus[i].first_cpu && cpu <= fk->pmus[i].last_cpu)
			return &fk->pmus[i];
	return fk->n_pmus ? &fk->pmus[0] : NULL;
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
		/* The upper half names the PMU. */
		pmu = attr->config >> 32 ? pmu_by_type(fk, (uint32_t)(attr->config >> 32))
					 : usual_pmu(fk, false, cpu);
		if (attr->type == PERF_TYPE_HW_CACHE)
			perf->kind = cache_kind((uint32_t)attr->config);
		else if ((uint32_t)attr->config < PERF_COUNT_HW_MAX)
			perf->kind = (int)(uint32_t)attr->config;
		break;
	default:
		pmu = attr->type == PERF_TYPE_RAW ? usual_pmu(fk, true, cpu)
						  : pmu_by_type(fk, attr->type);
		if (pmu)
			perf->kind = raw_kind(pmu, attr->config);
	}
	if (!pmu || perf->kind < 0 || !(pmu->events & FK_BIT(perf->kind)))
		return -ENOENT;
	if (cpu >= 0 && (cpu < pmu->first_cpu || cpu > pmu->last_cpu))
		return -ENOENT;
	perf->pmu = pmu;
	return 0;
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
		return fk_group_fits(NULL, perf) ? 0 : -EINVAL;
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
	return fk_group_fits(leader, perf) ? 0 : -EINVAL;
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
	fk_group_add(leader ? leader : perf, perf);
	if (leader)
		fk_start_late(fk, perf);
	else
		fk_context_add(fk_perf_context(fk, perf), perf);
	for (unsigned i = 0; i < fk->config.cpus; i++)
		if (perf->task ? perf->task->cpu == (int)i : perf->cpu == (int)i)
			fk_reschedule(fk, &fk->cpus[i], perf);
	return perf->fd;
}
