// SPDX-License-Identifier: MIT
/*
 * The event of an attr, and whether this machine has it: perf_init_event() and the event_init() of
 * the PMUs.
 */
#include "core/base/util.h"
#include "tests/fake_kernel/internal.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <string.h>

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

enum fk_event fk_code_event(const struct fk_pmu *pmu, uint64_t config, uint64_t config1)
{
	for (size_t i = 0; i < pmu->n_codes; i++)
		if (pmu->codes[i].config == config && pmu->codes[i].config1 == config1)
			return pmu->codes[i].event;
	return FK_RAW;
}

/*
 * What the counter is programmed with: for an event of enum fk_event the code of the PMU. config1
 * is the value of the register. Without a register it has no effect.
 */
static int program(const struct fk_pmu *pmu, struct fk_perf *perf)
{
	bool raw = perf->attr.type != PERF_TYPE_HARDWARE && perf->attr.type != PERF_TYPE_HW_CACHE;
	size_t at = 0;
	uint64_t valid;

	perf->config = perf->attr.config;
	perf->config1 = perf->attr.config1;
	if (!raw) {
		while (at < pmu->n_codes && (int)pmu->codes[at].event != perf->kind)
			at++;
		if (at == pmu->n_codes)
			return -ENOENT;
		perf->config = pmu->codes[at].config;
		perf->config1 = pmu->codes[at].config1;
	}
	if (fk_limits_register(pmu->limits, perf->config, &valid) == FK_NO_REGISTER)
		perf->config1 = 0;
	if (perf->config1 & ~valid)
		return -EINVAL;
	perf->kind = (int)fk_code_event(pmu, perf->config, perf->config1);
	return 0;
}

/*
 * The PMU of an attr without one. perf_init_event() tries the PMU with the type of raw events first
 * (Intel's P-cores), then, except for raw events, all PMUs; the PMU of the CPU accepts. On Arm no
 * PMU has that type.
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

static bool has_tracepoint(const struct fk *fk, uint64_t id)
{
	if (id == FK_SCHED_SWITCH || id == FK_SCHED_WAKING)
		return true;
	for (size_t i = 0; i < fk->n_tracepoints; i++)
		if (fk->tracepoints[i] == id)
			return true;
	return false;
}

/* perf_trace_event_perm(): data of a tracepoint can be about any task. */
static int tracepoint_check(const struct fk *fk, const struct perf_event_attr *attr)
{
	if (!has_tracepoint(fk, attr->config))
		return -EINVAL;
	bool bound = fk->config.unprivileged && fk->config.paranoid > -1;
	return bound && attr->sample_type & PERF_SAMPLE_RAW ? -EPERM : 0;
}

/* x86 has four on each CPU; a task's own take one on all of them. */
#define BREAKPOINTS 4

static int breakpoint_check(const struct fk *fk, const struct fk_perf *wanted)
{
	const struct perf_event_attr *attr = &wanted->attr;
	unsigned most = 0;

	if (attr->bp_type == HW_BREAKPOINT_EMPTY ||
	    attr->bp_type & ~(uint32_t)(HW_BREAKPOINT_RW | HW_BREAKPOINT_X))
		return -EINVAL;
	if (!attr->bp_len || attr->bp_len > 8 || attr->bp_len & (attr->bp_len - 1))
		return -EINVAL;
	for (int cpu = 0; cpu < (int)fk->config.cpus; cpu++) {
		unsigned used = 0;

		for (size_t i = 0; i < fk->n_perfs; i++)
			used += fk->perfs[i]->attr.type == PERF_TYPE_BREAKPOINT &&
				(fk->perfs[i]->cpu < 0 || fk->perfs[i]->cpu == cpu);
		if ((wanted->cpu < 0 || wanted->cpu == cpu) && used > most)
			most = used;
	}
	return most < BREAKPOINTS ? 0 : -ENOSPC;
}

/* x86_pmu_hw_config() and armv8pmu_set_event_filter(). Only sampling can be precise. */
static int modifiers_check(const struct fk_pmu *pmu, const struct perf_event_attr *attr)
{
	const struct fk_model *model = pmu->model;

	if (model && !model->vendor)
		return attr->exclude_idle ? -EOPNOTSUPP : 0;
	if (!attr->precise_ip)
		return 0;
	return model && !strcmp(model->vendor, "GenuineIntel") ? -EINVAL : -EOPNOTSUPP;
}

/* An event that needs a counter of a core. */
static int resolve_core(const struct fk *fk, struct fk_perf *perf)
{
	const struct perf_event_attr *attr = &perf->attr;
	const struct fk_pmu *pmu;

	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
		/* The upper half names the PMU. */
		pmu = attr->config >> 32 ? pmu_by_type(fk, (uint32_t)(attr->config >> 32))
					 : usual_pmu(fk, false, perf->cpu);
		if (attr->type == PERF_TYPE_HW_CACHE)
			perf->kind = cache_kind((uint32_t)attr->config);
		else if ((uint32_t)attr->config < PERF_COUNT_HW_MAX)
			perf->kind = (int)(uint32_t)attr->config;
		break;
	default:
		pmu = attr->type == PERF_TYPE_RAW ? usual_pmu(fk, true, perf->cpu)
						  : pmu_by_type(fk, attr->type);
		if (pmu)
			perf->kind = raw_kind(pmu, attr->config);
	}
	if (!pmu || perf->kind < 0 || !(pmu->events & FK_BIT(perf->kind)))
		return -ENOENT;
	if (perf->cpu >= 0 && (perf->cpu < pmu->first_cpu || perf->cpu > pmu->last_cpu))
		return -ENOENT;
	perf->pmu = pmu;
	if (pmu->limits) {
		int error = program(pmu, perf);

		if (error)
			return error;
	}
	return modifiers_check(pmu, attr);
}

int fk_resolve(const struct fk *fk, struct fk_perf *perf)
{
	const struct perf_event_attr *attr = &perf->attr;

	perf->pmu = NULL;
	perf->device = fk_device_by_type(fk, attr->type);
	perf->kind = -1;
	if (perf->device) {
		perf->kind = FK_DEVICE;
		return fk_device_check(perf->device, perf);
	}
	switch (attr->type) {
	case PERF_TYPE_SOFTWARE:
		if (attr->config >= ARRAY_SIZE(software_kinds))
			return -ENOENT;
		perf->kind = software_kinds[attr->config];
		return 0;
	case PERF_TYPE_TRACEPOINT:
		perf->kind = FK_TRACE;
		return tracepoint_check(fk, attr);
	case PERF_TYPE_BREAKPOINT:
		perf->kind = FK_DUMMY; /* that memory is never touched */
		return breakpoint_check(fk, perf);
	}
	return resolve_core(fk, perf);
}
