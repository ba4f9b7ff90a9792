// SPDX-License-Identifier: MIT
/*
 * All CPUs have the same list of sampled events and the same periods, so that samples of different
 * CPUs and intervals weigh alike. The list changes with the plan only. Then all rings are opened
 * anew: their old samples would have events of the old list.
 */
#include "core/collect/code_sampler.h"

#include "core/base/util.h"
#include "core/perf/perf_open_error.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* Half of it has 0.3 s of samples of 4 events with long chains. */
	RING_BYTES_MAX = 256 << 10,
	RING_BYTES_MIN = 32 << 10,
	RINGS_BYTES = 64 << 20, /* of all CPUs together */
};

/* A group of counters stopped, or goes on: a gap in the counts. */
static void pass_throttle(void *user, const struct cpu_code *code,
			  const struct perf_event_header *header)
{
	const struct code_sampler *sampler = user;
	struct record record;

	if (record_decode(header, &record) == 0)
		attrib_record(sampler->attrib,
			      sampler->cpus->items[code - sampler->rings.items].index, &record);
}

void code_sampler_init(struct code_sampler *sampler, const struct sys *sys,
		       struct cpu_counter_set *cpus, struct attrib *attrib,
		       const struct event_set *events, struct notes *notes)
{
	*sampler = (struct code_sampler){.cpus = cpus, .attrib = attrib, .events = events};
	code_rings_init(&sampler->rings, sys, notes);
	sampler->rings.reader.throttle = pass_throttle;
	sampler->rings.reader.user = sampler;
}

static void close_all(struct code_sampler *sampler)
{
	code_rings_close(&sampler->rings, sampler->cpus->items);
	sampler->n_sampled = 0;
	plan_unref(sampler->plan);
	sampler->plan = NULL;
}

void code_sampler_fini(struct code_sampler *sampler)
{
	close_all(sampler);
	code_rings_fini(&sampler->rings);
}

/*
 * Occurrences a second of a counted event, while its groups count a task; 0: unknown. Throttled
 * CPUs counted too little: a period by their rate would make a storm of samples, for which the
 * kernel throttles them again.
 */
static double busy_rate(const struct plan *plan, const struct interval *interval, unsigned event)
{
	uint64_t count = 0, ns = 0;

	for (size_t i = 0; i < interval->n_cpus; i++) {
		const uint64_t *all = interval_cpu(interval, i), *idle = interval_idle(interval, i);
		if (interval->coverage[i].throttled)
			continue;
		for (unsigned k = plan->first_counter[event]; k < plan->first_counter[event + 1];
		     k++) {
			size_t group = tally_group(&plan->shape, plan->counters[k].group);
			count += u64_growth(idle[k], all[k]);
			ns += u64_growth(idle[group], all[group]);
		}
	}
	return ns < CODE_RATE_LEAST_NS ? 0 : (double)count * NS_PER_S / (double)ns;
}

static uint64_t busy_ns(const struct interval *interval)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < interval->n_cpus; i++)
		ns += u64_growth(interval_idle(interval, i)[TALLY_TASK_CLOCK],
				 interval_cpu(interval, i)[TALLY_TASK_CLOCK]);
	return ns;
}

static uint64_t next_period(const struct code_sampler *sampler, const struct code_sampled *sampled,
			    double rate)
{
	const struct code_rate *asked = &sampler->rings.rate;

	return code_event_period(sampled->period, rate, asked->hz, sampled->per_cycle,
				 asked->max_hz);
}

static void choose_periods(struct code_sampler *sampler, const struct plan *plan,
			   const struct interval *interval)
{
	struct code_rings *rings = &sampler->rings;
	uint64_t ns = busy_ns(interval);

	for (size_t i = 0; i < rings->n; i++)
		cpu_code_resume(&rings->items[i]);
	for (unsigned k = 0; k < sampler->n_sampled; k++) {
		struct code_sampled *sampled = &sampler->sampled[k];
		uint64_t before = sampled->period, samples = code_rings_reset_event(rings, k);
		if (sampled->member)
			sampled->period = next_period(sampler, sampled,
						      busy_rate(plan, interval, sampled->counted));
		else if (sampled->source == CODE_EVENT_CLOCK)
			sampled->period = NS_PER_S / rings->rate.hz;
		else
			sampled->period =
				code_rate_faults_period(&rings->rate, sampled->period, samples, ns);
		if (sampled->period != before)
			code_rings_set_period(rings, k, sampled->period);
	}
}

/* The events of a plan that sample. Rates are those of the interval that has ended. */
static void choose_events(struct code_sampler *sampler, struct plan *plan,
			  const struct interval *interval)
{
	unsigned members[CODE_MEMBERS_MAX];
	size_t n = code_members_choose(sampler->events, plan, members);

	plan_unref(sampler->plan);
	sampler->plan = plan_ref(plan);
	sampler->n_sampled = 0;
	for (size_t i = 0; i < n; i++) {
		const struct event *event = &sampler->events->items[members[i]];
		struct code_sampled *sampled = &sampler->sampled[sampler->n_sampled++];
		*sampled = (struct code_sampled){
			.counted = members[i],
			.member = true,
			.per_cycle = code_event_per_cycle(&event->codes[0].attr),
		};
		double rate = interval ? busy_rate(plan, interval, members[i]) : 0;
		sampled->period = next_period(sampler, sampled, rate);
	}
}

void code_sampler_measure(struct code_sampler *sampler, const struct code_request *request,
			  struct plan *plan, const struct interval *interval, uint64_t other_ns)
{
	code_rings_set_request(&sampler->rings, request, sampler->rings.items != NULL, other_ns);
	if (!request)
		return;
	if (sampler->rings.items)
		choose_periods(sampler, plan, interval);
	else
		choose_events(sampler, plan, interval);
}

static const char *event_name(const struct code_sampler *sampler,
			      const struct code_sampled *sampled)
{
	if (sampled->member)
		return event_label(&sampler->events->items[sampled->counted]);
	return sampled->source == CODE_EVENT_CLOCK ? "cpu-clock" : "page-faults";
}

static void add_sampled(struct code_sampler *sampler, enum code_event_source source,
			uint64_t period)
{
	int counted = source == CODE_EVENT_CLOCK ? TALLY_TASK_CLOCK
						 : event_set_find(sampler->events, "page-faults");

	sampler->sampled[sampler->n_sampled++] = (struct code_sampled){
		.counted = counted < 0 ? UINT_MAX : (unsigned)counted,
		.source = source,
		.period = period,
	};
}

/* Adds the events beside the members: a clock, unless each CPU samples cycles. */
static void complete_list(struct code_sampler *sampler, bool has_cycles)
{
	if (!has_cycles)
		add_sampled(sampler, CODE_EVENT_CLOCK, NS_PER_S / sampler->rings.rate.hz);
	add_sampled(sampler, CODE_EVENT_FAULTS, CODE_FAULTS_PERIOD);
	for (size_t i = 0; i < sampler->n_sampled; i++) {
		sampler->names[i] = (struct code_event){.counted = sampler->sampled[i].counted};
		text_copy(sampler->names[i].name, sizeof(sampler->names[i].name),
			  event_name(sampler, &sampler->sampled[i]));
	}
}

static bool counts_cycles(const struct code_sampler *sampler, const struct code_sampled *sampled)
{
	const struct perf_event_attr *attr =
		&sampler->events->items[sampled->counted].codes[0].attr;

	return sampled->member && attr->type == PERF_TYPE_HARDWARE &&
	       (uint32_t)attr->config == PERF_COUNT_HW_CPU_CYCLES;
}

/* Drops the events that the kernel lets no member of a CPU sample. */
static void drop_refused(struct code_sampler *sampler)
{
	size_t kept = 0;

	for (size_t k = 0; k < sampler->n_sampled; k++) {
		bool can = false;
		for (size_t i = 0; i < sampler->cpus->n; i++)
			can |= sampler->cpus->items[i].open &&
			       cpu_code_can_attach(&sampler->cpus->items[i], sampler->plan,
						   sampler->sampled[k].counted);
		if (can)
			sampler->sampled[kept++] = sampler->sampled[k];
	}
	sampler->n_sampled = kept;
}

/* Lets the members of a CPU sample. Returns whether cycles are among them. */
static bool attach_members(struct code_sampler *sampler, size_t cpu)
{
	bool cycles = false;

	for (unsigned k = 0; k < sampler->n_sampled; k++) {
		const struct code_sampled *sampled = &sampler->sampled[k];
		if (!sampled->member)
			continue;
		size_t n = cpu_code_attach(&sampler->rings.items[cpu], &sampler->cpus->items[cpu],
					   sampler->plan, sampled->counted, k, sampled->period);
		cycles |= n > 0 && counts_cycles(sampler, sampled);
	}
	return cycles;
}

static int add_owned(struct code_sampler *sampler, size_t cpu)
{
	int result = 0;

	for (unsigned k = 0; k < sampler->n_sampled && result == 0; k++) {
		const struct code_sampled *sampled = &sampler->sampled[k];
		if (!sampled->member)
			result = cpu_code_add(&sampler->rings.items[cpu], k, sampled->source,
					      sampled->period, sampler->rings.ring_bytes);
	}
	return result;
}

static void note_unsampled(struct code_sampler *sampler, int answer)
{
	struct error why;

	perf_open_error(sampler->rings.sys, answer, NULL, &why);
	code_rings_note_unsampled(&sampler->rings, "Functions are not sampled on some CPUs.",
				  why.text);
}

/* Whether the CPU was opened again, or closed, since its members were made to sample. */
static bool is_outdated(const struct code_sampler *sampler, size_t cpu)
{
	const struct cpu_counters *counters = &sampler->cpus->items[cpu];

	int ring_fd = sampler->rings.items[cpu].ring_fd;

	return ring_fd >= 0 && (!counters->open || counters->code_fd != ring_fd);
}

/* Opens the CPUs that are counted and not sampled. */
static void open_cpus(struct code_sampler *sampler, bool whole_list)
{
	struct code_rings *rings = &sampler->rings;
	bool has_cycles = sampler->n_sampled > 0, *opened;
	int answer = 0;

	opened = xcalloc(sampler->cpus->n, sizeof(*opened));
	for (size_t i = 0; i < sampler->cpus->n; i++) {
		struct cpu_counters *cpu = &sampler->cpus->items[i];
		if (!cpu->open || rings->items[i].ring_fd >= 0)
			continue;
		int result = cpu_code_open(&rings->items[i], rings->sys, cpu->number,
					   &rings->ring_bytes);
		answer = result < 0 ? result : answer;
		opened[i] = result == 0;
		if (!opened[i])
			continue;
		has_cycles &= attach_members(sampler, i);
		cpu->code_fd = rings->items[i].ring_fd;
	}
	if (!whole_list)
		complete_list(sampler, has_cycles);
	for (size_t i = 0; i < sampler->cpus->n; i++) {
		int result = opened[i] ? add_owned(sampler, i) : 0;
		answer = result < 0 ? result : answer;
	}
	free(opened);
	if (answer < 0)
		note_unsampled(sampler, answer);
}

static void init_cpus(struct code_sampler *sampler)
{
	struct code_rings *rings = &sampler->rings;

	rings->n = sampler->cpus->n;
	rings->items = xcalloc(rings->n, sizeof(*rings->items));
	for (size_t i = 0; i < rings->n; i++)
		rings->items[i].ring_fd = -1;
	code_rings_set_bytes(rings, rings->n, RING_BYTES_MIN, RING_BYTES_MAX, RINGS_BYTES);
	rings->rate.cut_ns = sys_now_ns(rings->sys);
}

void code_sampler_renew(struct code_sampler *sampler, struct plan *plan)
{
	if (!sampler->rings.request) {
		close_all(sampler);
		return;
	}
	if (sampler->plan != plan) {
		close_all(sampler);
		choose_events(sampler, plan, NULL);
	}
	bool opened = sampler->rings.items != NULL;
	if (!opened) {
		drop_refused(sampler);
		init_cpus(sampler);
	}
	for (size_t i = 0; i < sampler->cpus->n; i++)
		if (is_outdated(sampler, i))
			cpu_code_close(&sampler->rings.items[i], &sampler->cpus->items[i]);
	open_cpus(sampler, opened);
}
