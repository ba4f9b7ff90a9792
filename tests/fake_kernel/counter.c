// SPDX-License-Identifier: MIT
/*
 * Operations on open events: reads, ioctls and close. Also software counting: single events that
 * overflow after `period` of them, and clocks, which fire every `period` ns (at most every 10 us)
 * while they are counted.
 */
#include "core/base/util.h"
#include "tests/fake_kernel/internal.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

#define PERIOD_MIN_NS 10000u

/* Adds an event or its group; ids are the ids of the opened events. */
static size_t values_add(const struct fk_perf *perf, const struct fk_perf *times, uint64_t *values)
{
	uint64_t format = perf->attr.read_format;
	bool group = format & PERF_FORMAT_GROUP;
	size_t n = 1;

	if (3 + 3 * perf->leader->n_members > FK_VALUES_MAX)
		fk_die("a group of %zu events", perf->leader->n_members);
	if (group)
		values[0] = perf->leader->n_members;
	else
		values[0] += perf->count + perf->left.count;
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		values[n++] += times->enabled_ns + times->left.enabled_ns;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		values[n++] += times->running_ns + times->left.running_ns;
	for (size_t i = 0; i < (group ? perf->leader->n_members : 1); i++) {
		const struct fk_perf *member = group ? perf->leader->members[i] : perf;

		if (group)
			values[n++] += member->count + member->left.count;
		if (format & PERF_FORMAT_ID)
			values[n++] = member->id;
		if (format & PERF_FORMAT_LOST)
			values[n++] += member->lost_samples;
	}
	return n;
}

size_t fk_read_values(const struct fk_perf *perf, const struct fk_perf *times, uint64_t *values)
{
	memset(values, 0, FK_VALUES_MAX * sizeof(*values));
	return values_add(perf, times, values);
}

/* The CPU that an event lags behind: its own, or its task's. NULL: none. */
static struct fk_cpu *perf_cpu(struct fk *fk, const struct fk_perf *perf)
{
	if (!perf->task)
		return fk_cpu(fk, perf->cpu);
	return perf->task->cpu >= 0 ? fk_cpu(fk, perf->task->cpu) : NULL;
}

/* Settles the CPUs where an event, or a copy of it, may count. */
static void perf_settle(struct fk *fk, const struct fk_perf *perf)
{
	if (fk_perf_is_inherited(perf))
		fk_settle_all(fk);
	else if (perf_cpu(fk, perf))
		fk_settle(fk, perf_cpu(fk, perf));
}

ssize_t fk_perf_read(void *ctx, int fd, void *buffer, size_t size)
{
	struct fk *fk = ctx;
	struct fk_perf *perf = fk_perf_of(fk, fd);
	int error = fk_enter(fk, FK_PERF_READ);
	uint64_t values[FK_VALUES_MAX];

	if (error)
		return error;
	if (!perf)
		return -EBADF;
	const struct fk_cpu *cpu = perf_cpu(fk, perf);
	if (cpu && cpu->answer_ns) {
		fk->asked_ns = fk->asked_ns ? fk->asked_ns : fk->now_ns;
		fk_advance(fk, cpu->answer_ns);
	}
	perf_settle(fk, perf);
	bool group = perf->attr.read_format & PERF_FORMAT_GROUP;
	const struct fk_perf *whole = group ? perf->leader : perf;
	size_t bytes = fk_read_values(perf, whole, values) * sizeof(*values);
	if (size < bytes)
		return -ENOSPC;
	for (size_t i = 0; i < whole->n_copies; i++) {
		const struct fk_perf *copy = whole->copies[i];

		/* The group has changed since it was copied. */
		if (group && copy->changes != whole->changes)
			return -ECHILD;
		values_add(copy, copy, values);
	}
	memcpy(buffer, values, bytes);
	return (ssize_t)bytes;
}

static void perf_enable(struct fk *fk, struct fk_perf *perf)
{
	if (perf->gone || perf->enabled)
		return;
	perf->enabled = true;
	fk_start_late(fk, perf);
	if (perf_cpu(fk, perf))
		fk_reschedule(fk, perf_cpu(fk, perf), perf);
}

static void perf_disable(struct fk *fk, struct fk_perf *perf)
{
	perf->enabled = false;
	/* A leader takes its group along when it is next scheduled, a sibling only itself. */
	if (perf != perf->leader)
		fk_perf_set_active(fk, perf, false);
}

static void set_throttled(struct fk *fk, struct fk_perf *leader, struct fk_cpu *cpu, bool on)
{
	if (leader->throttled == on)
		return;
	leader->throttled = on;
	fk_record_throttle(fk, leader, cpu, on);
}

static void set_stopped(struct fk *fk, struct fk_perf *perf, struct fk_cpu *cpu, bool on)
{
	if (perf->stopped == on)
		return;
	perf->stopped = on;
	fk_record_throttle(fk, perf, cpu, on);
}

static bool group_samples(const struct fk_perf *leader)
{
	for (size_t i = 0; i < leader->n_members; i++)
		if (leader->members[i]->active && leader->members[i]->period)
			return true;
	return false;
}

void fk_throttle(struct fk *fk, int number, bool on)
{
	struct fk_cpu *cpu = fk_cpu(fk, number);

	fk_settle(fk, cpu);
	for (size_t i = 0; i < cpu->context.n; i++)
		if (!on || group_samples(cpu->context.leaders[i]))
			set_throttled(fk, cpu->context.leaders[i], cpu, on);
}

/* Members with the period of "never sample" do not stop. */
void fk_throttle_alone(struct fk *fk, int number, bool on)
{
	struct fk_cpu *cpu = fk_cpu(fk, number);

	fk_settle(fk, cpu);
	for (size_t i = 0; i < cpu->context.n; i++) {
		const struct fk_perf *leader = cpu->context.leaders[i];
		for (size_t k = 0; k < leader->n_members; k++) {
			struct fk_perf *perf = leader->members[k];
			bool samples = perf->active && perf->kind < FK_HARDWARE_EVENTS &&
				       perf->period && !(perf->period >> 62);
			if (!on || samples)
				set_stopped(fk, perf, cpu, on);
		}
	}
}

static int perf_set_period(struct fk *fk, struct fk_perf *perf, uint64_t period)
{
	bool active = perf->active;

	if (!perf->period || !period || period >> 63)
		return -EINVAL;
	if (active) {
		set_throttled(fk, perf->leader, perf_cpu(fk, perf), false);
		set_stopped(fk, perf, perf_cpu(fk, perf), false);
	}
	fk_perf_set_active(fk, perf, false);
	perf->period = period;
	perf->period_left = 0;
	fk_perf_set_active(fk, perf, active);
	return 0;
}

/* The counts of exited tasks stay. */
static void perf_reset(struct fk *fk, struct fk_perf *perf)
{
	(void)fk;
	perf->count = 0;
}

/* For the event and its copies. */
static void perf_do_each(struct fk *fk, struct fk_perf *perf,
			 void (*fn)(struct fk *fk, struct fk_perf *perf))
{
	fn(fk, perf);
	for (size_t i = 0; i < perf->n_copies; i++)
		fn(fk, perf->copies[i]);
}

static void perf_do(struct fk *fk, struct fk_perf *perf, uintptr_t flags,
		    void (*fn)(struct fk *fk, struct fk_perf *perf))
{
	struct fk_perf *leader = perf->leader;
	struct fk_cpu *cpu = perf_cpu(fk, perf);
	bool inherited = fk_perf_is_inherited(perf);

	perf_settle(fk, perf);
	if (!(flags & PERF_IOC_FLAG_GROUP))
		perf_do_each(fk, perf, fn);
	for (size_t i = 0; flags & PERF_IOC_FLAG_GROUP && i < leader->n_members; i++)
		perf_do_each(fk, leader->members[i], fn);
	for (unsigned i = 0; inherited && i < fk->config.cpus; i++)
		fk_schedule(fk, &fk->cpus[i], FK_NOTHING_ANEW);
	if (cpu && !inherited)
		fk_schedule(fk, cpu, FK_NOTHING_ANEW);
}

int fk_perf_ioctl(void *ctx, int fd, unsigned long request, uintptr_t argument)
{
	struct fk *fk = ctx;
	struct fk_perf *perf = fk_perf_of(fk, fd);
	int error = fk_enter(fk, FK_PERF_IOCTL);

	if (error)
		return error;
	if (!perf)
		return -EBADF;
	switch (request) {
	case PERF_EVENT_IOC_ENABLE:
		perf_do(fk, perf, argument, perf_enable);
		return 0;
	case PERF_EVENT_IOC_DISABLE:
		perf_do(fk, perf, argument, perf_disable);
		return 0;
	case PERF_EVENT_IOC_RESET:
		perf_do(fk, perf, argument, perf_reset);
		return 0;
	case PERF_EVENT_IOC_PERIOD:
		if (!argument)
			return -EFAULT;
		perf_settle(fk, perf);
		return perf_set_period(fk, perf, *(const uint64_t *)argument);
	case PERF_EVENT_IOC_ID:
		if (!argument)
			return -EFAULT;
		*(uint64_t *)argument = perf->id;
		return 0;
	case PERF_EVENT_IOC_SET_OUTPUT:
		return fk_perf_set_output(fk, perf, (int)argument);
	default:
		/* Linux accepts numbers 0 to 11 of '$'. */
		if (_IOC_TYPE(request) == '$' && _IOC_NR(request) <= 11)
			fk_die("perf ioctl %u is not modelled", (unsigned)_IOC_NR(request));
		return -ENOTTY;
	}
}

int fk_perf_close(void *ctx, int fd)
{
	struct fk *fk = ctx;
	struct fk_perf *perf = fk_perf_of(fk, fd);
	int error = fk_enter(fk, FK_CLOSE);

	if (error)
		return error;
	if (!perf)
		return -EBADF;
	perf->fd = -1;
	fk->by_fd[fd - FK_FIRST_FD] = NULL;
	fk->fds--;
	fk_perf_free(fk, perf);
	return 0;
}

static bool happens_in_user_mode(int kind)
{
	return kind == FK_PAGE_FAULTS || kind == FK_MINOR_FAULTS || kind == FK_MAJOR_FAULTS;
}

static void perf_happen(struct fk *fk, struct fk_perf *perf, struct fk_cpu *cpu,
			struct fk_prepared *prepared)
{
	bool user = happens_in_user_mode(perf->kind) && cpu->current != &cpu->idle;

	if (fk_is_throttled(perf) || (user ? perf->attr.exclude_user : perf->attr.exclude_kernel))
		return;
	perf->count++;
	if (!perf->period)
		return;
	/* perf_swevent_event(): with PERIOD each event is a sample. */
	if (!perf->period_left || perf->attr.sample_type & PERF_SAMPLE_PERIOD)
		perf->period_left = perf->attr.sample_type & PERF_SAMPLE_PERIOD ? 1 : perf->period;
	if (--perf->period_left == 0)
		fk_record_sample(fk, perf, cpu, user, prepared);
}

/* Sets *best to the active event that was put on last before `turn`, unless *best is later. */
static void context_listener(const struct fk_context *context, const struct fk_cpu *cpu, int kind,
			     uint64_t config, uint64_t turn, struct fk_perf **best)
{
	for (size_t i = 0; i < context->n; i++) {
		for (size_t k = 0; k < context->leaders[i]->n_members; k++) {
			struct fk_perf *perf = context->leaders[i]->members[k];

			if (!perf->active || perf->kind != kind || perf->turn >= turn ||
			    (perf->cpu >= 0 && perf->cpu != cpu->number))
				continue;
			if (kind == FK_TRACE && perf->attr.config != config)
				continue;
			if (!*best || perf->turn > (*best)->turn)
				*best = perf;
		}
	}
}

void fk_software_event(struct fk *fk, struct fk_cpu *cpu, int kind, uint64_t config,
		       const struct fk_trace_data *raw)
{
	bool rival = fk->has_rival && kind == FK_SWITCHES;
	struct fk_prepared prepared =
		rival ? fk_prepared_by_rival(fk) : (struct fk_prepared){.fields = 0};

	for (uint64_t turn = UINT64_MAX;;) {
		struct fk_perf *perf = NULL;

		context_listener(&cpu->context, cpu, kind, config, turn, &perf);
		context_listener(&cpu->current->context, cpu, kind, config, turn, &perf);
		if (!perf)
			return;
		turn = perf->turn;
		/* perf_tp_event() prepares one for each. */
		if (fk->config.own_samples || kind == FK_TRACE)
			prepared = (struct fk_prepared){.raw = raw};
		perf_happen(fk, perf, cpu, &prepared);
	}
}

/* Cached, because most actions on a large machine do not change it. */
uint64_t fk_next_tick(struct fk *fk)
{
	uint64_t next = UINT64_MAX;

	if (fk->next_tick_ns)
		return fk->next_tick_ns;
	for (size_t i = 0; i < fk->n_clocks; i++)
		if (fk->clocks[i]->tick_ns && fk->clocks[i]->tick_ns < next)
			next = fk->clocks[i]->tick_ns;
	for (unsigned i = 0; i < fk->config.cpus; i++)
		if (fk->cpus[i].rotate_ns && fk->cpus[i].rotate_ns < next)
			next = fk->cpus[i].rotate_ns;
	return fk->next_tick_ns = next;
}

void fk_expect_tick(struct fk *fk, uint64_t at_ns)
{
	if (fk->next_tick_ns > at_ns)
		fk->next_tick_ns = at_ns;
}

void fk_do_ticks(struct fk *fk)
{
	if (fk->next_tick_ns > fk->now_ns)
		return;
	for (size_t i = 0; i < fk->n_clocks; i++) {
		struct fk_perf *perf = fk->clocks[i];

		if (!perf->tick_ns || perf->tick_ns > fk->now_ns)
			continue;
		struct fk_cpu *cpu = perf_cpu(fk, perf);
		if (!cpu)
			fk_die("a clock runs for a task that does not");
		bool idle = cpu->current == &cpu->idle;

		fk_settle(fk, cpu);
		bool counts = idle ? !(cpu->no_tick || perf->attr.exclude_idle ||
				       perf->attr.exclude_kernel)
				   : !perf->attr.exclude_user;
		if (counts && !fk_is_throttled(perf))
			fk_record_sample(fk, perf, cpu, !idle, &(struct fk_prepared){.fields = 0});
		perf->tick_ns += perf->period > PERIOD_MIN_NS ? perf->period : PERIOD_MIN_NS;
	}
	for (unsigned i = 0; i < fk->config.cpus; i++) {
		struct fk_cpu *cpu = &fk->cpus[i];

		if (!cpu->rotate_ns || cpu->rotate_ns > fk->now_ns)
			continue;
		fk_settle(fk, cpu);
		fk_rotate(fk, cpu);
	}
	fk->next_tick_ns = 0;
}
