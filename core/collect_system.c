// SPDX-License-Identifier: MIT
/*
 * One counter group, one ring and one stream of records for each online CPU.
 *
 * While an interval runs, the rings are drained when they are half full. To end it, the tick of
 * each CPU is armed, and the record that comes says who runs there now and what the group has
 * counted so far: the CPU's part of the interval ends at that record, exactly, in the middle of
 * whatever runs. Where no tick comes (a stalled virtual CPU) it ends at the CPU's last record, and
 * the rest is counted in the next interval: late, but never wrong.
 */
#include "attrib.h"
#include "collect.h"
#include "counted_cpu.h"
#include "cpus.h"
#include "explain.h"
#include "group.h"
#include "plan.h"
#include "proc.h"
#include "util.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	RING_BYTES_MIN = 64 << 10,
	RING_BYTES_MAX = 1 << 20, /* lost nothing at 1.6 million records a second */
	RINGS_BYTES = 64 << 20,   /* of all CPUs together */
	TICKLESS_CUTS = 3,        /* a CPU that gave no tick so often is not expected to */
	CONTENDED_TOLD = 20,      /* a 20th of all CPU time */
	CONTENDED_MUCH = 5,
	OFF_CUTS = 2, /* a group that was off the PMU for so many cuts stays off */
};
/*
 * How long a tick is looked for: awake at first, since it comes at once; then asleep, since a
 * virtual CPU may stand still for a while. Not so long for CPUs that never tick.
 */
#define TICK_SPIN_NS  (500 * NS_PER_US)
#define TICK_WAIT_NS  (20 * NS_PER_MS)
#define TICK_PAUSE_NS (NS_PER_MS)

struct collect_system {
	struct collect base;
	struct collect_context context;
	struct plan plan;
	struct attrib *attrib;
	struct counted_cpu *cpus; /* by index in the interval: every possible CPU */
	size_t n_cpus;
	size_t ring_bytes;
	unsigned contended_cuts;      /* in a row */
	bool counters_taken;          /* to be reopened without hardware events */
	bool switch_records;          /* this kernel is silent about some switches */
	struct proc_cpus idle_before; /* where it is: what /proc/stat said at the last cut */
};

static struct collect_system *self_of(struct collect *collect)
{
	return (struct collect_system *)collect;
}

int collect_probe_hardware(const struct sys *sys)
{
	struct event_code code = {
		.attr = {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES},
	};
	struct event cycles = {.codes = &code, .n_codes = 1};
	struct cpu_list online;
	int result = cpus_online(sys, &online);

	if (result < 0)
		return result;
	result = group_probe(sys, &cycles, online.numbers[0]);
	cpu_list_fini(&online);
	return result;
}

/* ---- opening */

/* An event that the group cannot hold is left out, the rest goes on without it. */
static void leave_out(struct collect_system *self, int code, int member)
{
	struct event *event = &self->context.events->items[member];
	struct error err;

	event->state = code == -EINVAL ? FIGURE_NOT_COUNTED : FIGURE_UNSUPPORTED;
	explain_perf_open(self->context.sys, code, event->name, &err);
	notes_add(self->context.notes, "%s", err.text);
}

/*
 * Opens all online CPUs that are not open yet. 0 when at least one is; 1 when an event turned out
 * not to fit and was left out, or the rings to be too large and were halved, so that everything
 * must be opened anew.
 */
static int open_cpus(struct collect_system *self, const struct cpu_list *online, struct error *err)
{
	const struct sys *sys = self->context.sys;
	size_t n_open = 0, failed = 0;
	int result = 0;

	for (size_t i = 0; i < self->n_cpus; i++) {
		if (self->cpus[i].open || !cpu_list_has(online, self->cpus[i].number)) {
			n_open += self->cpus[i].open;
			continue;
		}
		int code = counted_cpu_open(&self->cpus[i], self->context.events,
					    &self->plan.groups[0], self->ring_bytes, &failed);
		int member = self->plan.groups[0].members[failed];
		if (code == 0) {
			n_open++;
		} else if (member >= 0 &&
			   (code == -EINVAL || code == -ENOENT || code == -EOPNOTSUPP)) {
			leave_out(self, code, member);
			return 1;
		} else if (code == -ENOBUFS && self->ring_bytes > (size_t)sysconf(_SC_PAGESIZE)) {
			/* All rings alike: or the first CPUs would take what the last ones need. */
			self->ring_bytes /= 2;
			return 1;
		} else if (code != -ENODEV) { /* offline since the list was read: nothing lost */
			result = code;
			explain_perf_open(sys, code, NULL, err);
			notes_add(self->context.notes, "%s", err->text);
		}
	}
	return n_open > 0 ? 0 : result ? result : error_set(err, -ENODEV, "No CPU is online.");
}

static int replan(struct collect_system *self, const struct cpu_list *online, struct error *err)
{
	int result;

	do {
		for (size_t i = 0; i < self->n_cpus; i++)
			counted_cpu_close(&self->cpus[i]);
		plan_fini(&self->plan);
		plan_make(self->context.events, self->switch_records, &self->plan);
		result = open_cpus(self, online, err);
	} while (result > 0);
	return result;
}

/*
 * Asks for each event alone what the kernel says to it, so that one that does not exist here costs
 * its own column and no other. Only a refusal of everything is an error.
 */
static int probe_events(struct collect_system *self, int cpu, struct error *err)
{
	const struct sys *sys = self->context.sys;
	struct event_code switch_code = {
		.attr = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CONTEXT_SWITCHES},
	};
	struct event switches = {.codes = &switch_code, .n_codes = 1};
	int result = group_probe(sys, &switches, cpu);
	bool no_pmu = collect_probe_hardware(sys) == -ENOENT;

	if (result < 0) {
		explain_perf_open(sys, result, NULL, err);
		return result;
	}
	for (size_t i = TALLY_FIRST_COUNTED; i < self->context.events->n; i++) {
		struct event *event = &self->context.events->items[i];
		struct error why;
		int code = group_probe(sys, event, cpu);
		if (code == 0) {
			event->state = FIGURE_VALID;
			continue;
		}
		event->state =
			code == -EACCES || code == -EPERM ? FIGURE_DENIED : FIGURE_UNSUPPORTED;
		/* Without a PMU there is one thing to say, not one for each event. */
		bool said = no_pmu && event->kind == EVENT_HARDWARE;
		explain_perf_open(sys, code, said ? NULL : event->name, &why);
		notes_add(self->context.notes, "%s", why.text);
	}
	return 0;
}

static size_t ring_bytes_for(size_t n_cpus)
{
	size_t bytes = RING_BYTES_MAX;

	while (bytes > RING_BYTES_MIN && bytes * n_cpus > RINGS_BYTES)
		bytes /= 2;
	return bytes;
}

/* ---- counting */

static size_t system_pollfds(const struct collect *collect, struct pollfd *fds, size_t max)
{
	const struct collect_system *self = (const struct collect_system *)collect;
	size_t n = 0;

	for (size_t i = 0; i < self->n_cpus; i++) {
		if (!self->cpus[i].open)
			continue;
		if (n < max)
			fds[n] = (struct pollfd){.fd = self->cpus[i].group.switch_fd,
						 .events = POLLIN};
		n++;
	}
	return n;
}

static void system_drain(struct collect *collect)
{
	struct collect_system *self = self_of(collect);

	for (size_t i = 0; i < self->n_cpus; i++)
		if (self->cpus[i].open)
			counted_cpu_drain(&self->cpus[i], UINT64_MAX);
}

/*
 * Not the CPU that we run on: to get there we were switched to, so its last record is but a moment
 * old. What we do in that moment is counted in the next interval.
 */
static void arm_ticks(struct collect_system *self)
{
	for (size_t i = 0; i < self->n_cpus; i++) {
		struct counted_cpu *cpu = &self->cpus[i];
		if (!cpu->open)
			continue;
		bool ours = cpu->number == sys_current_cpu(self->context.sys);
		if (ours || !counted_cpu_arm(cpu))
			counted_cpu_drain(cpu, UINT64_MAX);
	}
}

/*
 * Brings every armed CPU up to its tick, if it has come: whether one is still worth waiting for at
 * that time after arming.
 */
static bool take_ticks(struct collect_system *self, uint64_t waited_ns)
{
	bool wait = false;

	for (size_t i = 0; i < self->n_cpus; i++) {
		struct counted_cpu *cpu = &self->cpus[i];
		if (!cpu->armed_ns)
			continue;
		if (counted_cpu_drain(cpu, cpu->armed_ns)) {
			counted_cpu_disarm(cpu, true);
			continue;
		}
		bool tickless = cpu->tickless_cuts >= TICKLESS_CUTS;
		wait |= waited_ns < (tickless ? TICK_SPIN_NS : TICK_WAIT_NS);
	}
	return wait;
}

/* Goes on with software events alone, so that CPU time and switches stay exact. */
static void give_up_hardware(struct collect_system *self, const struct cpu_list *online)
{
	struct event_set *events = self->context.events;
	struct error err;
	bool any = false;

	for (size_t i = 0; i < events->n; i++) {
		if (events->items[i].kind != EVENT_HARDWARE ||
		    events->items[i].state != FIGURE_VALID)
			continue;
		events->items[i].state = FIGURE_NOT_COUNTED;
		any = true;
	}
	if (!any)
		return;
	notes_add_urgent(self->context.notes,
			 "Not counted: counters taken (NMI watchdog or another profiler). Free "
			 "them and start again.");
	replan(self, online, &err);
}

/* Between two intervals everything may be opened anew. */
static void follow_changes(struct collect_system *self)
{
	struct cpu_list online;
	struct error err;

	if (cpus_online(self->context.sys, &online) < 0)
		return;
	for (size_t i = 0; i < self->n_cpus; i++)
		if (self->cpus[i].open &&
		    (self->cpus[i].dead || !cpu_list_has(&online, self->cpus[i].number)))
			counted_cpu_close(&self->cpus[i]);
	bool silent = self->base.interval.gaps > 0 && self->base.interval.lost_records == 0;
	if (self->counters_taken) {
		self->counters_taken = false;
		self->contended_cuts = 0;
		give_up_hardware(self, &online);
	} else if (silent && !self->switch_records) {
		self->switch_records = true;
		replan(self, &online, &err);
		proc_cpus_read(self->context.sys, &self->idle_before);
	} else if (open_cpus(self, &online, &err) > 0) {
		replan(self, &online, &err);
	}
	cpu_list_fini(&online);
}

/*
 * Counters that are shared take turns, and a group that is off the PMU sees no switches: what runs
 * then is nobody's. A little of that is told; much of it, and we do without them.
 */
static void note_contention(struct collect_system *self)
{
	const struct interval *interval = &self->base.interval;
	uint64_t total_ns = interval->totals[TALLY_TASK_CLOCK];

	if (interval->contended_ns > total_ns / CONTENDED_TOLD)
		notes_add_urgent(self->context.notes,
				 "The counters are shared with another profiler: what ran while it "
				 "had them is unattributed.");
	if (interval->contended_ns > total_ns / CONTENDED_MUCH)
		self->contended_cuts++;
	else
		self->contended_cuts = 0;
	self->counters_taken |= self->contended_cuts >= OFF_CUTS;
}

/*
 * The time of several silent tasks in a row is nobody's. /proc/stat tells how much of it was idle:
 * without that an idle CPU would look busy there.
 */
static void account_silent_idle(struct collect_system *self)
{
	struct interval *interval = &self->base.interval;
	struct proc_cpus now = {0};

	if (!self->switch_records || proc_cpus_read(self->context.sys, &now) < 0)
		return;
	for (size_t i = 0; i < self->n_cpus; i++) {
		const struct proc_cpu *after = proc_cpus_find(&now, self->cpus[i].number);
		const struct proc_cpu *before =
			proc_cpus_find(&self->idle_before, self->cpus[i].number);
		if (!before || !after || after->idle_ticks < before->idle_ticks)
			continue;
		/* Silent time counts when it is over, maybe later: idle time waits. */
		uint64_t *credit_ns = &self->cpus[i].idle_credit_ns;
		uint64_t known_ns = interval_idle(interval, i)[TALLY_TASK_CLOCK];
		*credit_ns += (after->idle_ticks - before->idle_ticks) * proc_tick_ns();
		*credit_ns -= *credit_ns < known_ns ? *credit_ns : known_ns;
		*credit_ns -= interval_silence_to_idle(interval, i, *credit_ns);
	}
	proc_cpus_fini(&self->idle_before);
	self->idle_before = now;
}

static void system_cut(struct collect *collect)
{
	struct collect_system *self = self_of(collect);
	const struct sys *sys = self->context.sys;
	uint64_t armed_ns = sys_now_ns(sys), waited_ns = 0;

	arm_ticks(self);
	while (take_ticks(self, waited_ns)) {
		if (waited_ns > TICK_SPIN_NS)
			sys_wait(sys, NULL, 0, sys_now_ns(sys) + TICK_PAUSE_NS);
		waited_ns = sys_now_ns(sys) - armed_ns;
	}
	for (size_t i = 0; i < self->n_cpus; i++) {
		struct counted_cpu *cpu = &self->cpus[i];
		collect->interval.cpu_online[i] = cpu->open;
		if (!cpu->open)
			continue;
		bool missing = cpu->armed_ns;
		if (missing)
			counted_cpu_disarm(cpu, false);
		if (!attrib_cut(self->attrib, i) || missing)
			counted_cpu_check(cpu);
		self->counters_taken |= cpu->off_cuts >= OFF_CUTS;
	}
	account_silent_idle(self);
	interval_sum_cpus(&collect->interval);
	note_contention(self);
	follow_changes(self);
}

static void system_free(struct collect *collect)
{
	struct collect_system *self = self_of(collect);

	for (size_t i = 0; i < self->n_cpus; i++)
		counted_cpu_close(&self->cpus[i]);
	free(self->cpus);
	proc_cpus_fini(&self->idle_before);
	plan_fini(&self->plan);
	attrib_free(self->attrib);
	interval_fini(&self->base.interval);
	free(self);
}

static const struct collect_ops system_ops = {
	.mode = "system",
	.pollfds = system_pollfds,
	.drain = system_drain,
	.cut = system_cut,
	.free = system_free,
};

int collect_system_open(const struct collect_context *context, struct collect **collect,
			struct error *err)
{
	struct cpu_list online, possible;
	int result = cpus_online(context->sys, &online);

	if (result < 0)
		return error_set(err, result, "/sys/devices/system/cpu cannot be read.");
	if (cpus_possible(context->sys, &possible) < 0) {
		cpu_list_fini(&online);
		return error_set(err, -ENODEV, "/sys/devices/system/cpu cannot be read.");
	}

	struct collect_system *self = xcalloc(1, sizeof(*self));
	struct tally_shape shape = {.n_events = (unsigned)context->events->n, .n_groups = 1};
	self->base.ops = &system_ops;
	self->context = *context;
	self->ring_bytes = ring_bytes_for(online.n);
	interval_init(&self->base.interval, &shape, possible.numbers, possible.n);
	self->attrib = attrib_new(context->tasks, &self->base.interval);
	self->n_cpus = possible.n;
	self->cpus = xcalloc(possible.n, sizeof(*self->cpus));
	for (size_t i = 0; i < possible.n; i++)
		counted_cpu_init(&self->cpus[i], context->sys, self->attrib, possible.numbers[i],
				 i);

	result = probe_events(self, online.numbers[0], err);
	if (result == 0)
		result = replan(self, &online, err);
	if (self->ring_bytes < ring_bytes_for(online.n))
		notes_add(
			context->notes,
			"Ring buffers exceed perf_event_mlock_kb: using %zu KiB per CPU. Raise it, "
			"or add CAP_IPC_LOCK.",
			self->ring_bytes >> 10);
	cpu_list_fini(&online);
	cpu_list_fini(&possible);
	if (result < 0) {
		system_free(&self->base);
		return result;
	}
	*collect = &self->base;
	return 0;
}
