// SPDX-License-Identifier: MIT
/*
 * The true counts. A running task counts at its rates. fk_settle() adds what a CPU counted since
 * the last call to the task, to the CPU and to the active perf events. Rates are fractions, and the
 * task keeps the remainder, so the number of calls does not matter.
 */
#include "core/base/util.h"
#include "tests/fake_kernel/internal.h"

#include <string.h>

/* The counts of a CPU while one task ran there at constant rates. */
struct span {
	const struct fk_task *task;
	uint64_t from_ns, to_ns;
	uint64_t counts[FK_TASK_CLOCK + 1];
	uint64_t raws[FK_RAWS_MAX];
	uint64_t user[FK_HARDWARE_EVENTS + FK_RAWS_MAX]; /* of both, in user mode */
};

/* num/den of n, plus the carried remainder. */
static uint64_t share(struct fk_rate rate, uint64_t n, uint64_t *remainder)
{
	uint64_t parts = *remainder + rate.num * n;

	*remainder = rate.den ? parts % rate.den : 0;
	return rate.den ? parts / rate.den : parts;
}

static size_t n_raws(const struct fk_task *task)
{
	size_t n = 0;

	while (n < FK_RAWS_MAX && task->spec.raws[n].config)
		n++;
	return n;
}

/* Adds it up for the task. */
static void span_fill(struct span *span, struct fk_task *task)
{
	static const struct fk_rate all = {1, 1};
	uint64_t ns = span->to_ns - span->from_ns;
	struct fk_rate user = task->spec.user.den || task->spec.user.num ? task->spec.user : all;

	if (!task->spec.tid)
		user = (struct fk_rate){0, 1}; /* idle */
	for (size_t i = 0; i < FK_HARDWARE_EVENTS; i++) {
		span->counts[i] = share(task->spec.rates[i], ns, &task->remainders[i]);
		span->user[i] = share(user, span->counts[i], &task->user_remainders[i]);
		task->user_counts[i] += span->user[i];
	}
	task->user_ns += share(user, ns, &task->user_ns_remainder);
	span->counts[FK_TASK_CLOCK] = ns;
	for (size_t i = 0; i <= FK_TASK_CLOCK; i++)
		task->counts[i] += span->counts[i];
	for (size_t i = 0, n = n_raws(task); i < n; i++) {
		size_t at = FK_HARDWARE_EVENTS + i;

		span->raws[i] = share(task->spec.raws[i].rate, ns, &task->raw_remainders[i]);
		span->user[at] = share(user, span->raws[i], &task->user_remainders[at]);
		task->raw_counts[i] += span->raws[i];
		task->user_counts[at] += span->user[at];
	}
}

/* Of a raw event whose rate comes from the task's seed. */
static uint64_t span_of_seeded_event(const struct span *span, const struct fk_perf *perf)
{
	const struct fk_spec *spec = &span->task->spec;
	const struct perf_event_attr *attr = &perf->attr;
	struct fk_rate user = spec->user.den ? spec->user : (struct fk_rate){1, 1};
	uint64_t to_ns = span->task->counts[FK_TASK_CLOCK];
	uint64_t from_ns = to_ns - (span->to_ns - span->from_ns);
	uint64_t to = fk_seeded_count(spec, perf->pmu, perf->config, perf->config1, to_ns);
	uint64_t from = fk_seeded_count(spec, perf->pmu, perf->config, perf->config1, from_ns);
	uint64_t in_user = to * user.num / user.den - from * user.num / user.den;

	if (attr->exclude_host)
		return 0;
	return (attr->exclude_user ? 0 : in_user) +
	       (attr->exclude_kernel ? 0 : to - from - in_user);
}

/*
 * An event that the vendor says to count alone counts twice as much beside others of general
 * counters.
 */
static bool is_disturbed(const struct fk_perf *perf)
{
	const struct fk_limits *limits = perf->pmu->limits;

	if (!fk_limits_is_alone(limits, perf->config))
		return false;
	for (size_t i = 0; i < perf->leader->n_members; i++) {
		const struct fk_perf *other = perf->leader->members[i];

		if (other == perf || !other->active || !other->pmu)
			continue;
		if (!(fk_limits_need(limits, other->pmu->slots, other->config, other->config1)
			      .counters >>
		      32))
			return true;
	}
	return false;
}

static uint64_t span_of_core_event(const struct span *span, const struct fk_perf *perf)
{
	const struct perf_event_attr *attr = &perf->attr;

	if (perf->kind == FK_RAW && perf->pmu->limits && span->task->spec.seed)
		return span_of_seeded_event(span, perf) * (is_disturbed(perf) ? 2 : 1);
	size_t at = (size_t)perf->kind, raws = perf->kind == FK_RAW ? n_raws(span->task) : 0;
	uint64_t n = span->counts[at];

	for (size_t i = 0; i < raws; i++) {
		if (span->task->spec.raws[i].config == attr->config) {
			at = FK_HARDWARE_EVENTS + i;
			n = span->raws[i];
		}
	}
	if (attr->exclude_host) /* there are no guests */
		return 0;
	return (attr->exclude_user ? 0 : span->user[at]) +
	       (attr->exclude_kernel ? 0 : n - span->user[at]);
}

/* A counter overflows each `period` counts. The samples are evenly spread over the span. */
static void overflow(struct fk *fk, struct fk_perf *perf, struct fk_cpu *cpu,
		     const struct span *span, uint64_t n)
{
	uint64_t left = perf->period_left ? perf->period_left : perf->period, at = 0;

	for (; n - at >= left; left = perf->period) {
		at += left;
		struct fk_prepared prepared = {
			.fields = PERF_SAMPLE_TIME,
			.time_ns =
				span->from_ns + (uint64_t)((double)(span->to_ns - span->from_ns) *
							   (double)at / (double)n),
		};
		fk_record_sample(fk, perf, cpu, span->task != &cpu->idle, &prepared);
	}
	perf->period_left = left - (n - at);
}

static void perf_settle(struct fk *fk, struct fk_perf *perf, struct fk_cpu *cpu,
			const struct span *span)
{
	uint64_t ns = span->counts[FK_TASK_CLOCK];

	if (perf->gone)
		return;
	if (perf->enabled && perf->leader->enabled)
		perf->enabled_ns += ns;
	if (!perf->active)
		return;
	perf->running_ns += ns;
	if (fk_is_throttled(perf))
		return;
	if (perf->device)
		perf->count += fk_device_counts(fk, perf->device, &perf->attr, cpu->number,
						span->from_ns, span->to_ns);
	else if (perf->kind == FK_TASK_CLOCK)
		perf->count += ns;
	else if (perf->kind < FK_HARDWARE_EVENTS) {
		uint64_t n = span_of_core_event(span, perf);
		perf->count += n;
		if (perf->period)
			overflow(fk, perf, cpu, span, n);
	}
}

static void context_settle(struct fk *fk, struct fk_context *context, struct fk_cpu *cpu,
			   const struct span *span)
{
	for (size_t i = 0; i < context->n; i++)
		for (size_t k = 0; k < context->leaders[i]->n_members; k++)
			perf_settle(fk, context->leaders[i]->members[k], cpu, span);
}

void fk_settle(struct fk *fk, struct fk_cpu *cpu)
{
	struct fk_task *task = cpu->current;
	struct span span;

	if (cpu->settled_ns == fk->now_ns)
		return;
	span.task = task;
	span.from_ns = cpu->settled_ns;
	span.to_ns = cpu->settled_ns = fk->now_ns;
	if (!cpu->online)
		return;
	span_fill(&span, task);
	for (size_t i = 0; i <= FK_TASK_CLOCK; i++)
		cpu->counts[i] += span.counts[i];
	context_settle(fk, &cpu->context, cpu, &span);
	context_settle(fk, &task->context, cpu, &span);
}

void fk_settle_all(struct fk *fk)
{
	for (unsigned i = 0; i < fk->config.cpus; i++)
		fk_settle(fk, &fk->cpus[i]);
}

uint64_t fk_truth_task(struct fk *fk, pid_t tid, enum fk_event event)
{
	const struct fk_task *task = fk_find(fk, tid);

	if (!task)
		fk_die("there never was a task %d", (int)tid);
	fk_settle_all(fk);
	return task->counts[event];
}

uint64_t fk_truth_code(struct fk *fk, pid_t tid, const char *pmu, uint64_t config, uint64_t config1)
{
	uint64_t ns = fk_truth_task(fk, tid, FK_TASK_CLOCK), valid;
	const struct fk_task *task = fk_find(fk, tid);
	const struct fk_pmu *found = NULL;

	for (size_t i = 0; i < fk->n_pmus; i++)
		if (!strcmp(fk->pmus[i].name, pmu))
			found = &fk->pmus[i];
	if (!found || !found->limits)
		fk_die("there is no PMU %s with limits", pmu);
	if (task->last_cpu < 0 || fk_cpu(fk, task->last_cpu)->pmu != found)
		return 0;
	if (fk_limits_register(found->limits, config, &valid) == FK_NO_REGISTER)
		config1 = 0;
	enum fk_event event = fk_code_event(found, config, config1);
	return event == FK_RAW && task->spec.seed
		       ? fk_seeded_count(&task->spec, found, config, config1, ns)
		       : task->counts[event];
}

uint64_t fk_truth_task_user(struct fk *fk, pid_t tid, enum fk_event event)
{
	if (event >= FK_HARDWARE_EVENTS)
		fk_die("only hardware events have modes");
	fk_truth_task(fk, tid, event);
	return fk_find(fk, tid)->user_counts[event];
}

uint64_t fk_truth_task_raw(struct fk *fk, pid_t tid, uint64_t config)
{
	fk_truth_task(fk, tid, FK_RAW);

	const struct fk_task *task = fk_find(fk, tid);
	for (size_t i = 0; i < n_raws(task); i++)
		if (task->spec.raws[i].config == config)
			return task->raw_counts[i];
	fk_die("task %d has no raw event 0x%llx", (int)tid, (unsigned long long)config);
}

static uint64_t truth_of_cpus(struct fk *fk, int number, enum fk_event event, bool idle)
{
	uint64_t sum = 0;

	fk_settle_all(fk);
	for (unsigned i = 0; i < fk->config.cpus; i++) {
		const struct fk_cpu *cpu = &fk->cpus[i];

		if (number == FK_ALL_CPUS || cpu == fk_cpu(fk, number))
			sum += idle ? cpu->idle.counts[event] : cpu->counts[event];
	}
	return sum;
}

uint64_t fk_truth_cpu(struct fk *fk, int cpu, enum fk_event event)
{
	return truth_of_cpus(fk, cpu, event, false);
}

uint64_t fk_truth_idle(struct fk *fk, int cpu, enum fk_event event)
{
	return truth_of_cpus(fk, cpu, event, true);
}
