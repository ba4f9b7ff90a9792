// SPDX-License-Identifier: MIT
/*
 * Attrs and periods. perf_event_open() checks them: what samples is a member if the kernel has
 * accepted its attr.
 */
#include "core/perf/code_event.h"

#include "core/perf/code_record.h"
#include "core/perf/ring.h"

#include <time.h>

/* The assumed rate of an event before it is known: cycles on a CPU of 3 GHz. */
#define ASSUMED_RATE 3e9
#define PERIOD_MOST  (UINT64_C(1) << 46) /* counters have at least 47 bits, of x86 */
enum { FAULTS_PERIOD_MOST = 1 << 20 };

struct perf_event_attr code_event_attr(enum code_event_source source, uint64_t period,
				       size_t ring_bytes)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.sample_type = CODE_SAMPLE_TYPE,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = (uint32_t)ring_wake_bytes(ring_bytes),
	};

	switch (source) {
	case CODE_EVENT_RING:
		attr.config = PERF_COUNT_SW_DUMMY;
		attr.mmap = attr.mmap2 = 1;
		attr.comm = attr.comm_exec = 1;
		attr.task = 1;
		attr.ksymbol = 1;
		break;
	case CODE_EVENT_CLOCK:
		attr.config = PERF_COUNT_SW_CPU_CLOCK;
		attr.sample_period = period;
		attr.exclude_idle = 1;
		break;
	case CODE_EVENT_FAULTS:
		attr.config = PERF_COUNT_SW_PAGE_FAULTS;
		attr.sample_period = period;
		attr.sample_type = CODE_SOFTWARE_SAMPLE_TYPE;
		break;
	case CODE_EVENT_OUTPUT:
		attr.config = PERF_COUNT_SW_DUMMY;
		attr.exclude_kernel = 1;
		break;
	case CODE_EVENT_THREAD:
		attr.config = PERF_COUNT_SW_CPU_CLOCK;
		attr.sample_period = period;
		attr.mmap = attr.mmap2 = 1;
		attr.comm = attr.comm_exec = 1;
		attr.task = 1;
		break;
	}
	return attr;
}

void code_event_add_sampling(struct perf_event_attr *attr)
{
	attr->sample_type |= CODE_SAMPLE_TYPE;
	attr->sample_period = CODE_PERIOD_OFF;
	attr->sample_id_all = 1;
	attr->watermark = 1;
}

/* Of config: cache | operation << 8 | result << 16. */
static bool is_cache_miss(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HW_CACHE &&
	       (attr->config >> 16 & 0xff) == PERF_COUNT_HW_CACHE_RESULT_MISS;
}

static bool is_miss(const struct perf_event_attr *attr)
{
	return is_cache_miss(attr) || (attr->type == PERF_TYPE_HARDWARE &&
				       ((uint32_t)attr->config == PERF_COUNT_HW_CACHE_MISSES ||
					(uint32_t)attr->config == PERF_COUNT_HW_BRANCH_MISSES));
}

unsigned code_event_per_cycle(const struct perf_event_attr *attr)
{
	bool cycles = attr->type == PERF_TYPE_HARDWARE &&
		      ((uint32_t)attr->config == PERF_COUNT_HW_CPU_CYCLES ||
		       (uint32_t)attr->config == PERF_COUNT_HW_REF_CPU_CYCLES);

	return cycles || is_miss(attr) ? 1 : 8;
}

static uint64_t odd_period(double period, uint64_t most)
{
	if (!(period >= 1))
		return 1;
	return period >= (double)most ? most - 1 : (uint64_t)period | 1;
}

/* Whether a period is right within a factor of 2. */
static bool is_near(uint64_t period, uint64_t wanted)
{
	return period > 0 && period <= wanted * 2 && wanted <= period * 2;
}

uint64_t code_event_period(uint64_t period, double rate, unsigned hz, unsigned per_cycle,
			   uint64_t max_hz)
{
	double least = CODE_CLOCK_HZ * per_cycle / ((double)(max_hz ? max_hz : CODE_MAX_HZ) / 2);
	double known = rate > 0 ? rate : period > 0 ? 0 : ASSUMED_RATE;
	uint64_t floor = odd_period(least, PERIOD_MOST);

	if (known == 0) /* nothing new */
		return period < floor ? floor : period;
	uint64_t wanted = odd_period(known / (hz ? hz : 1), PERIOD_MOST);
	if (wanted < floor)
		wanted = floor;
	return is_near(period, wanted) && period >= floor ? period : wanted;
}

uint64_t code_event_faults_period(uint64_t period, double samples, unsigned hz)
{
	/* Without a sample the rate is unknown: less than one sample. */
	uint64_t wanted = samples > 0
				  ? odd_period(samples * (double)period / hz, FAULTS_PERIOD_MOST)
				  : odd_period((double)period / 4, FAULTS_PERIOD_MOST);

	return is_near(period, wanted) ? period : wanted;
}
