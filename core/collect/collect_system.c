// SPDX-License-Identifier: MIT
/*
 * For each online CPU the groups of its plan, and one ring of their records.
 *
 * While an interval runs, the rings are drained when they are full enough. To end it, the groups of
 * all CPUs are read, one after the other. There each CPU's part of the interval ends, in the middle
 * of a slice. A record before that names the running task (the tracepoint's next, a SWITCH), or the
 * next record does: a switch, or a tick that is armed for this. It is armed, too, if the named task
 * may have left without a record. If none comes in time (a stalled or
 * idle virtual CPU), the time since the last record is unattributed, except what /proc/stat counts
 * as idle.
 *
 * Hardware groups that do not fit on the PMU together take turns, several times an interval. A turn
 * also ends where the running task is known, so that the group's last slice can be attributed.
 */
#include "core/attrib/attrib.h"
#include "core/base/util.h"
#include "core/collect/code_sampler.h"
#include "core/collect/collect.h"
#include "core/collect/contention.h"
#include "core/collect/cpu_counter_recording.h"
#include "core/collect/cpu_counter_set.h"
#include "core/collect/duty_cycle.h"
#include "core/collect/hidden_switches.h"
#include "core/collect/proc_times.h"
#include "core/collect/socket_counter.h"
#include "core/event/plan.h"
#include "core/perf/group.h"
#include "core/perf/perf_open_error.h"
#include "core/perf/probe.h"
#include "core/sys/cpus.h"
#include "core/sys/own_container.h"
#include "core/wait/waits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	RING_BYTES_MIN = 64 << 10,
	/* Half of it lost no record at 1.6 million records a second (of 104 bytes). */
	RING_BYTES_MAX = 2 << 20,
	RINGS_BYTES = 128 << 20, /* of all CPUs together */
};

/* Another program that samples switches (a rival) is noticed after so long. */
#define RIVAL_CHECK_NS (50 * NS_PER_MS)

struct collect_system {
	struct collect base;
	struct collect_context context;
	struct attrib *attrib;
	struct socket_counters sockets;
	struct proc_times times;
	struct waits waits;
	struct looks looks;
	struct cpu_counter_set cpus;
	struct duty_cycle duty;
	struct contention contention;
	struct hidden_switches hidden;
	struct switch_event switches;
	int wakings_refused; /* the answer to the event of wake-ups on some CPU; 0: none */
	struct code_sampler code;
	struct cpu_list online;      /* at the last cut */
	uint64_t rival_check_due_ns; /* UINT64_MAX: no check needed */
	size_t ring_bytes;
	struct error uncounted; /* why some CPUs are not counted, as noted; "": all are */
};

static struct collect_system *self_of(struct collect *collect)
{
	return (struct collect_system *)collect;
}

/* Leaves out an event that no group of the CPU can hold. */
static void leave_out(struct collect_system *self, const struct plan_counter *counter, int answer)
{
	event_leave_out(&self->context.events->items[counter->event], counter->code,
			FIGURE_UNSUPPORTED, answer);
}

/*
 * Handles a CPU that did not open. Returns 1 if the plan, the budget or the rings were changed, so
 * that everything must be opened again; else the -errno.
 */
static int answer_failure(struct collect_system *self, int result, int cpu,
			  const struct counted_failure *failure)
{
	const struct plan *plan = self->base.plan;
	const struct plan_group *group = &plan->groups[failure->group];
	size_t pmu = plan->domains[group->domain].pmu;
	int member = group->members[failure->member];
	bool refused = result == -EINVAL || result == -ENOSPC || result == -ENOENT ||
		       result == -EOPNOTSUPP;

	if (failure->wakings && result != -EUSERS) {
		self->wakings_refused = result;
		return 1;
	}
	if (result == -EUSERS) {
		contention_handle(&self->contention, plan, failure->group, cpu);
		return 1;
	}
	bool tracepoint = member == PLAN_SWITCH && switch_event_format(&self->switches);
	if (tracepoint && (refused || result == -EPERM || result == -EACCES)) {
		switch_event_refuse(&self->switches, self->context.sys, result);
		return 1;
	}
	if (refused && member >= 0) {
		bool among_others =
			failure->member > 0 && failure->member < group->layout.n_hardware;
		if (among_others && (result == -EINVAL || result == -ENOSPC))
			budget_lower(&self->base.budget, pmu, failure->member);
		else
			leave_out(self, &plan->counters[member], result);
		return 1;
	}
	if ((result == -ENOBUFS || result == -ENOMEM) &&
	    self->ring_bytes > (size_t)sysconf(_SC_PAGESIZE)) {
		/* All rings get the same size, else the last CPUs would have no memory left. */
		self->ring_bytes /= 2;
		return 1;
	}
	return result;
}

/* The note stays as long as some CPUs are not counted. */
static void note_uncounted(struct collect_system *self, const struct error *why)
{
	if (strcmp(self->uncounted.text, why->text) == 0)
		return;
	notes_remove(self->context.notes, NOTE_CPUS_UNCOUNTED);
	if (why->text[0])
		notes_add_as(self->context.notes, NOTE_CPUS_UNCOUNTED, "%s", why->text);
	self->uncounted = *why;
	interval_set_uncounted(&self->base.interval, why->text[0] != '\0');
}

/* Reads the list of online CPUs. If it cannot be read, the open CPUs count as online. */
static void read_online(struct collect_system *self)
{
	struct cpu_list *online = &self->online;
	size_t capacity = 0;

	cpu_list_fini(online);
	notes_remove(self->context.notes, NOTE_CPUS_ONLINE_UNREAD);
	if (cpus_online(self->context.sys, online) == 0)
		return;
	notes_add_as(self->context.notes, NOTE_CPUS_ONLINE_UNREAD,
		     "/sys/devices/system/cpu/online cannot be read: CPUs that go online or "
		     "offline are not noticed.");
	for (size_t i = 0; i < self->cpus.n; i++) {
		if (!self->cpus.items[i].open)
			continue;
		online->numbers = array_reserve(online->numbers, &capacity, online->n + 1,
						sizeof(*online->numbers));
		online->numbers[online->n++] = self->cpus.items[i].number;
	}
}

/* Whether tasks may run on a CPU that the user did not choose (-C). */
static bool has_other_cpus(const struct collect_system *self)
{
	const struct cpu_list *wanted = target_cpus(self->context.target);
	bool others = false;

	for (size_t i = 0; wanted && !others && i < self->online.n; i++)
		others = !cpu_list_has(wanted, self->online.numbers[i]);
	return others;
}

static bool is_online(const struct sys *sys, int cpu)
{
	struct cpu_list online;

	if (cpus_online(sys, &online) < 0)
		return true;
	bool found = cpu_list_has(&online, cpu);
	cpu_list_fini(&online);
	return found;
}

/* Why a CPU could not be opened, whatever the event. */
static void explain_cpu(const struct sys *sys, int code, struct error *why)
{
	if (code == -EINVAL || code == -ENOENT || code == -EOPNOTSUPP || code == -ENODEV)
		error_set(why, code, "Some CPUs are not counted: the kernel refuses them (%s).",
			  error_why(code));
	else
		perf_open_error(sys, code, NULL, why);
}

/*
 * Opens all online CPUs that are not open. Returns 0 if at least one CPU is open, 1 if everything
 * must be opened again, else -errno and a sentence.
 */
static int open_cpus(struct collect_system *self, struct error *err)
{
	struct error why = {0};
	size_t n_open = 0;
	int last = 0;

	for (size_t i = 0; i < self->cpus.n; i++) {
		struct cpu_counters *cpu = &self->cpus.items[i];
		struct counted_failure failure = {0};
		if (cpu->open || !cpu_list_has(&self->online, cpu->number)) {
			n_open += cpu->open;
			continue;
		}
		size_t pmu = self->base.plan->domains[cpu->domain].pmu;
		int result = cpu_counters_open(cpu, self->context.events, self->base.plan,
					       self->ring_bytes, !self->base.budget.taken[pmu],
					       &failure);
		if (result == 0) {
			cpu->late = true;
			n_open++;
			continue;
		}
		result = answer_failure(self, result, cpu->number, &failure);
		if (result > 0)
			return result;
		/* It went offline after the list was read. */
		if (result == -ENODEV && !is_online(self->context.sys, cpu->number))
			continue;
		last = result;
		explain_cpu(self->context.sys, result, &why);
	}
	if (n_open == 0 && last == 0)
		last = error_set(&why, -ENODEV, "No CPU is online.");
	note_uncounted(self, &why);
	if (n_open > 0)
		return 0;
	*err = why;
	return last;
}

static void begin_turns(struct collect_system *self, uint64_t length_ns)
{
	cpu_counter_set_begin_turns(&self->cpus, plan_most_turns(self->base.plan), length_ns);
}

/*
 * With the software event, samples no longer name the task when a rival samples switches, so SWITCH
 * records are needed. They are requested soon, not at the end of a long interval.
 */
static void schedule_rival_check(struct collect_system *self)
{
	bool needed = !switch_event_format(&self->switches) &&
		      cpu_counter_set_need_rival_check(&self->cpus);

	self->rival_check_due_ns =
		needed ? sys_now_ns(self->context.sys) + RIVAL_CHECK_NS : UINT64_MAX;
}

static void check_rivals(struct collect_system *self)
{
	cpu_counter_set_check_rivals(&self->cpus);
	cpu_counter_set_mark_unclear(&self->cpus, &self->base.interval, self->hidden.seen);
	if (cpu_counter_set_enable_switch_records(&self->cpus))
		cpu_counter_set_record_switches(&self->cpus);
	schedule_rival_check(self);
}

static void draw_plan(struct collect_system *self)
{
	const struct plan_request request = {
		.events = self->context.events,
		.pmus = self->context.pmus,
		.wants = self->context.wants,
		.separate_clock = self->contention.separate_clock,
		.most = self->base.budget.most,
		.watchdog = self->base.budget.watchdog,
		.fits = budget_fits,
		.arg = &self->base.budget,
	};

	plan_unref(self->base.plan);
	self->base.plan = plan_new(&request);
}

/*
 * Makes a plan. Wake-ups are sampled if it has times of waiting, which are exact with them. If they
 * cannot be, a plan without wake-ups is made.
 */
static void make_plan(struct collect_system *self)
{
	struct wait_places places;
	int cpu = self->online.n > 0 ? self->online.numbers[0] : 0;

	draw_plan(self);
	wait_places_find(&places, self->base.plan, self->context.events);
	int counter = places.counts[WAIT_WAKEUPS];
	int result = switch_event_sample_wakings(&self->switches, self->context.sys, cpu,
						 places.any && !self->wakings_refused);
	if (self->wakings_refused)
		result = self->wakings_refused;
	if (result == 0 || counter < 0)
		return;
	event_leave_out(&self->context.events->items[self->base.plan->counters[counter].event], 0,
			probe_state(result), result);
	draw_plan(self);
}

static void open_sockets(struct collect_system *self)
{
	const struct collect_context *context = &self->context;
	struct error err;
	int failed, code;

	notes_remove(context->notes, NOTE_SOCKET_EVENTS);
	socket_counters_open(&self->sockets, context->sys, context->events, context->pmus,
			     self->base.plan, &failed, &code);
	if (failed < 0)
		return;
	perf_open_error(context->sys, code, event_label(&context->events->items[failed]), &err);
	notes_add_as(context->notes, NOTE_SOCKET_EVENTS, "%s", err.text);
}

static void begin_interval(struct collect_system *self)
{
	cpu_counter_set_begin(&self->cpus);
	for (size_t i = 0; i < self->cpus.n; i++)
		attrib_cut(self->attrib, i);
	interval_reset(&self->base.interval);
	self->waits.untraced = !switch_event_format(&self->switches);
	self->waits.wakeups = switch_event_wakings(&self->switches) != NULL;
	waits_begin(&self->waits, self->base.plan, self->context.events);
	attrib_log_slices(self->attrib, waits_wanted(&self->waits) ? &self->waits.log : NULL);
	attrib_log_wakings(self->attrib, switch_event_wakings(&self->switches));
}

/* Opens everything again by a new plan. Only between two intervals. */
static int replan(struct collect_system *self, struct error *err)
{
	int result;

	socket_counters_close(&self->sockets);
	contention_reset(&self->contention);
	do {
		for (size_t i = 0; i < self->cpus.n; i++)
			cpu_counters_close(&self->cpus.items[i]);
		make_plan(self);
		interval_reshape(&self->base.interval, &self->base.plan->shape);
		attrib_reshape(self->attrib);
		result = open_cpus(self, err);
	} while (result > 0);
	for (size_t i = 0; i < self->cpus.n; i++)
		self->cpus.items[i].late = false;
	contention_note(&self->contention);
	open_sockets(self);
	duty_cycle_measure(&self->duty);
	begin_interval(self);
	return result;
}

static size_t ring_bytes_for(size_t n_cpus)
{
	size_t bytes = RING_BYTES_MAX;

	while (bytes > RING_BYTES_MIN && bytes * n_cpus > RINGS_BYTES)
		bytes /= 2;
	return bytes;
}

static size_t system_pollfds(const struct collect *collect, struct pollfd *fds, size_t max)
{
	const struct collect_system *self = (const struct collect_system *)collect;
	size_t n = 0;

	for (size_t i = 0; i < self->cpus.n; i++) {
		if (!self->cpus.items[i].open)
			continue;
		if (n < max)
			fds[n] = (struct pollfd){.fd = cpu_counters_fd(&self->cpus.items[i]),
						 .events = POLLIN};
		n++;
	}
	return code_rings_pollfds(&self->code.rings, fds, max, n);
}

static void system_drain(struct collect *collect)
{
	struct collect_system *self = self_of(collect);
	uint64_t until_ns = waits_wanted(&self->waits) ? sys_now_ns(self->context.sys) : 0;

	/* First, as it may have the THROTTLE records of the groups. */
	code_rings_drain(&self->code.rings);
	duty_cycle_drain(&self->duty);
	waits_apply(&self->waits, until_ns);
}

static uint64_t system_due_ns(const struct collect *collect)
{
	const struct collect_system *self = (const struct collect_system *)collect;
	uint64_t turn_ns = self->cpus.turn_due_ns;
	uint64_t window_ns = duty_cycle_due_ns(&self->duty);
	uint64_t due_ns = turn_ns < window_ns ? turn_ns : window_ns;

	if (looks_due_ns(&self->looks) < due_ns)
		due_ns = looks_due_ns(&self->looks);
	return due_ns < self->rival_check_due_ns ? due_ns : self->rival_check_due_ns;
}

static void system_turn(struct collect *collect)
{
	struct collect_system *self = self_of(collect);
	uint64_t now_ns = sys_now_ns(self->context.sys);

	if (duty_cycle_due_ns(&self->duty) <= now_ns)
		duty_cycle_go_on(&self->duty, now_ns);
	if (self->cpus.turn_due_ns <= now_ns)
		cpu_counter_set_turn(&self->cpus);
	if (self->rival_check_due_ns <= now_ns)
		check_rivals(self);
	if (looks_due_ns(&self->looks) <= now_ns)
		looks_turn(&self->looks, now_ns);
}

static void system_watch(struct collect *collect, pid_t pid, pid_t tid, uint64_t since_ns)
{
	waits_watch(&self_of(collect)->waits, pid, tid, since_ns);
}

static void system_renew(struct collect *collect, const struct collect_next *next)
{
	struct collect_system *self = self_of(collect);
	struct error err;

	wait_watch_reset(&self->waits.watch);
	code_sampler_measure(&self->code, next->code, collect->plan, &collect->interval,
			     next->code_ns);
	for (size_t i = 0; i < self->cpus.n; i++)
		if (self->cpus.items[i].open && !collect->interval.coverage[i].online)
			cpu_counters_close(&self->cpus.items[i]);
	hidden_switches_detect(&self->hidden, &collect->interval);
	cpu_counter_set_mark_unclear(&self->cpus, &collect->interval, self->hidden.seen);
	bool again =
		contention_renew(&self->contention, collect->plan, &collect->interval, &self->cpus);
	interval_reset(&collect->interval);
	bool anew = again || next->stale || open_cpus(self, &err) > 0;
	if (anew)
		replan(self, &err);
	code_sampler_renew(&self->code, collect->plan);
	collect->code_events = code_sampler_events(&self->code, &collect->n_code_events);
	cpu_counter_set_enable_switch_records(&self->cpus);
	hidden_switches_renew(&self->hidden, &self->cpus, anew);
	begin_turns(self, next->length_ns);
	duty_cycle_begin(&self->duty, next->length_ns);
	schedule_rival_check(self);
}

/*
 * At the cut. A CPU that came online is opened after it, and one that was dissolved is opened again
 * then: the CPU runs, but its counts are unknown.
 */
static void cut_cpu(struct collect_system *self, struct cpu_counters *cpu)
{
	struct interval *interval = &self->base.interval;
	bool online = cpu_list_has(&self->online, cpu->number);

	if (cpu->open)
		attrib_cut(self->attrib, cpu->index);
	bool counted = online && cpu->open && !cpu->dead;
	interval_set_uncounted(interval, interval->uncounted || (online && !counted));
	interval_set_online(interval, cpu->index, counted,
			    counted && !cpu->late && !cpu->window.shut);
}

/* The time before a CPU was opened is a gap, if it is long. */
static void add_late_gaps(struct collect_system *self)
{
	struct interval *interval = &self->base.interval;
	uint64_t length_ns = interval_gaps(interval).length_ns;

	for (size_t i = 0; i < self->cpus.n; i++) {
		struct cpu_counters *cpu = &self->cpus.items[i];
		uint64_t ns = interval_cpu(interval, cpu->index)[TALLY_TASK_CLOCK];
		if (cpu->late && interval->coverage[cpu->index].online &&
		    (double)(length_ns - ns) > INTERVAL_UNSEEN * (double)length_ns)
			interval_add_gap(interval, cpu->index, length_ns - ns, UINT64_MAX);
		cpu->late = false;
	}
}

/* After the CPUs were drained: which threads run. */
static void name_runners(struct collect_system *self)
{
	for (size_t i = 0; i < self->cpus.n; i++) {
		struct attrib_runner runner;
		attrib_names_runner(self->attrib, i, &runner);
		self->waits.runners[i] = runner.tid > 0 ? runner.tid : 0;
	}
}

static struct collect_result system_cut(struct collect *collect)
{
	struct collect_system *self = self_of(collect);

	if (waits_wanted(&self->waits)) {
		system_drain(collect);
		name_runners(self);
	}
	self->waits.hides = self->hidden.seen;
	waits_end(&self->waits);
	code_rings_drain(&self->code.rings);
	duty_cycle_cut(&self->duty);
	/* What came meanwhile: it is of this interval. */
	code_rings_drain(&self->code.rings);
	cpu_counter_set_scan_forks(&self->cpus);
	read_online(self);
	interval_set_uncounted(&collect->interval, self->uncounted.text[0] != '\0');
	for (size_t i = 0; i < self->cpus.n; i++)
		cut_cpu(self, &self->cpus.items[i]);
	hidden_switches_cut(&self->hidden, &self->cpus, &collect->interval);
	interval_doubt_gaps(&collect->interval);
	add_late_gaps(self);
	interval_mark_hidden(&collect->interval);
	interval_sum_cpus(&collect->interval);
	socket_counters_cut(&self->sockets, &collect->interval);
	proc_times_cut(&self->times, self->context.events, self->base.plan, &collect->interval);
	if (self->waits.places.counts[WAIT_THROTTLED] < 0)
		self->waits.throttling.unwanted = collect->interval.sequence;
	self->waits.elsewhere = has_other_cpus(self);
	waits_cut(&self->waits, &collect->interval);
	contention_cut(&self->contention, &collect->interval);
	uint64_t records = duty_cycle_judge(&self->duty, &collect->interval);
	return (struct collect_result){
		.records = records,
		.switch_ns = self->duty.switch_ns,
		.windowed_cpus = self->duty.windowed_cpus,
		.watch = waits_wanted(&self->waits) ? &self->waits.watch : NULL,
	};
}

static int system_admit(struct collect *collect, pid_t pid, struct error *err)
{
	(void)collect, (void)pid, (void)err;
	return 0;
}

static void system_record(struct collect *collect, struct recorder *recorder)
{
	struct collect_system *self = self_of(collect);

	cpu_counter_set_record(&self->cpus, self->context.events, collect->plan, self->ring_bytes,
			       recorder);
}

static void system_free(struct collect *collect)
{
	struct collect_system *self = self_of(collect);

	code_sampler_fini(&self->code);
	for (size_t i = 0; i < self->cpus.n; i++)
		cpu_counters_close(&self->cpus.items[i]);
	free(self->cpus.items);
	fork_scan_fini(&self->cpus.fork_scan);
	duty_cycle_fini(&self->duty);
	socket_counters_close(&self->sockets);
	hidden_switches_fini(&self->hidden);
	switch_event_close(&self->switches, self->context.sys);
	proc_times_fini(&self->times);
	waits_fini(&self->waits);
	budget_fini(&self->base.budget);
	cpu_list_fini(&self->online);
	plan_unref(self->base.plan);
	attrib_free(self->attrib);
	interval_fini(&self->base.interval);
	free(self);
}

static const struct collect_ops system_ops = {
	.pollfds = system_pollfds,
	.drain = system_drain,
	.due_ns = system_due_ns,
	.turn = system_turn,
	.cut = system_cut,
	.admit = system_admit,
	.renew = system_renew,
	.watch = system_watch,
	.record = system_record,
	.free = system_free,
};

/* Returns 0 if the kernel grants counters of whole CPUs, else -errno and a sentence. */
static int probe_switches(const struct sys *sys, int cpu, struct error *err)
{
	struct perf_event_attr attr = group_counting_attr(&(struct event_code){
		.attr = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CONTEXT_SWITCHES}});
	int fd = sys_perf_open(sys, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0) {
		perf_open_error(sys, fd, NULL, err);
		return fd;
	}
	sys_close(sys, fd);
	return 0;
}

/* Without counters, and without the CPUs that are online. */
static struct collect_system *system_new(const struct collect_context *context,
					 const struct cpu_list *cpus)
{
	struct collect_system *self = xcalloc(1, sizeof(*self));
	const struct tally_shape nothing = {.n_counters = TALLY_FIRST_COUNTED};

	self->base.ops = &system_ops;
	self->base.mode = COUNT_MODE_SYSTEM;
	self->context = *context;
	bool outside = own_container_read_pid_namespace(context->sys) == NAMESPACE_OWN;
	self->times = (struct proc_times){.sys = context->sys, .outside = outside};
	self->hidden.outside = outside;
	self->hidden.replaced = outside && own_container_replaces_stat(context->sys);
	waits_init(&self->waits, context->sys, context->tasks, cpus->n);
	self->waits.target = context->target;
	self->waits.outside = outside;
	looks_init(&self->looks, context->sys, context->target, context->tasks);
	self->waits.looks = &self->looks;
	budget_init(&self->base.budget, context->sys, context->pmus);
	self->contention =
		(struct contention){.context = &self->context, .budget = &self->base.budget};
	interval_init(&self->base.interval, &nothing, cpus->numbers, cpus->n);
	self->attrib = attrib_new(context->tasks, &self->base.interval);
	self->cpus.n = cpus->n;
	self->cpus.sys = context->sys;
	self->cpus.items = xcalloc(cpus->n, sizeof(*self->cpus.items));
	duty_cycle_init(&self->duty, &self->cpus, context->notes, context->budget);
	code_sampler_init(&self->code, context->sys, &self->cpus, self->attrib, context->events,
			  context->notes);
	for (size_t i = 0; i < cpus->n; i++)
		cpu_counters_init(&self->cpus.items[i], context->sys, self->attrib, &self->switches,
				  cpus->numbers[i], i,
				  (unsigned)pmu_set_core_of(context->pmus, cpus->numbers[i]));
	return self;
}

int collect_system_open(const struct collect_context *context, struct collect **collect,
			struct error *err)
{
	struct cpu_list online, possible;
	int result = cpus_online(context->sys, &online);

	if (result < 0)
		return error_set(err, result, "/sys/devices/system/cpu cannot be read.");
	const struct cpu_list *wanted = target_cpus(context->target);
	if (wanted) {
		cpu_list_copy(&possible, wanted);
	} else if (cpus_possible(context->sys, &possible) < 0) {
		cpu_list_fini(&online);
		return error_set(err, -ENODEV, "/sys/devices/system/cpu cannot be read.");
	}

	struct collect_system *self = system_new(context, &possible);
	self->online = online;
	self->ring_bytes = ring_bytes_for(online.n);
	result = probe_switches(context->sys, online.numbers[0], err);
	switch_event_open(&self->switches, context->sys, online.numbers[0]);
	self->base.switches = &self->switches;
	if (result == 0)
		result = replan(self, err);
	if (result == 0)
		begin_turns(self, NS_PER_S);
	hidden_switches_renew(&self->hidden, &self->cpus, true);
	schedule_rival_check(self);
	if (self->ring_bytes < ring_bytes_for(online.n))
		notes_add(
			context->notes,
			"Ring buffers exceed perf_event_mlock_kb: using %zu KiB per CPU. Raise it, "
			"or add CAP_IPC_LOCK.",
			self->ring_bytes >> 10);
	cpu_list_fini(&possible);
	if (result < 0) {
		system_free(&self->base);
		return result;
	}
	*collect = &self->base;
	return 0;
}
