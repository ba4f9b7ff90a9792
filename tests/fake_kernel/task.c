// SPDX-License-Identifier: MIT
/* Tasks and CPUs, and the actions of tests on them. counts.c has their counts. */
#include "core/base/util.h"
#include "tests/fake_kernel/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fk_cpu *fk_cpu(struct fk *fk, int cpu)
{
	if (cpu < 0 || (unsigned)cpu >= fk->config.cpus)
		fk_die("there is no CPU %d", cpu);
	return &fk->cpus[cpu];
}

/* The cache entry of the newest task with that tid. */
static struct fk_task **found_at(struct fk *fk, pid_t tid)
{
	return &fk->found[(unsigned)tid % FK_FOUND];
}

struct fk_task *fk_find(struct fk *fk, pid_t tid)
{
	struct fk_task **found = found_at(fk, tid), *newest = *found;

	if (newest && newest->spec.tid == tid)
		return newest;
	for (struct fk_task *task = fk->tasks[(unsigned)tid % FK_BUCKETS]; task; task = task->next)
		if (task->spec.tid == tid)
			return *found = task;
	return NULL;
}

/* A task for an operation that needs a living one. */
static struct fk_task *task_alive(struct fk *fk, pid_t tid)
{
	struct fk_task *task = fk_find(fk, tid);

	if (!task || task->exiting)
		fk_die("there is no task %d", (int)tid);
	return task;
}

/* A task that has not left its CPU for the last time: one that exits may be preempted before. */
static struct fk_task *task_there(struct fk *fk, pid_t tid)
{
	struct fk_task *task = fk_find(fk, tid);

	if (!task || task->dead)
		fk_die("there is no task %d", (int)tid);
	return task;
}

static struct fk_cpu *task_cpu(struct fk *fk, const struct fk_task *task)
{
	if (task->cpu < 0)
		fk_die("task %d does not run", (int)task->spec.tid);
	return &fk->cpus[task->cpu];
}

static void pmus_init(struct fk *fk)
{
	const struct fk_config *config = &fk->config;
	struct fk_pmu usual = {.name = "cpu",
			       .type = PERF_TYPE_RAW,
			       .last_cpu = (int)config->cpus - 1,
			       .slots = config->slots,
			       .events = config->events ? config->events : FK_ALL_HARDWARE,
			       .fixed = config->fixed};
	const struct fk_pmu *from = config->pmus ? config->pmus : &usual;

	fk->n_pmus = config->no_pmu ? 0 : config->pmus ? config->n_pmus : 1;
	fk->pmus = xcalloc(fk->n_pmus, sizeof(*fk->pmus));
	for (size_t i = 0; i < fk->n_pmus; i++) {
		fk->pmus[i] = from[i];
		if (!fk->pmus[i].slots)
			fk->pmus[i].slots = 6;
		fk->pmus[i].name = xstrdup(from[i].name);
		if (from[i].last_cpu == FK_LAST_CPU)
			fk->pmus[i].last_cpu = (int)config->cpus - 1;
		for (int cpu = from[i].first_cpu; cpu <= fk->pmus[i].last_cpu; cpu++)
			fk_cpu(fk, cpu)->pmu = &fk->pmus[i];
	}
}

void fk_machine_init(struct fk *fk)
{
	if (fk->config.cpus > 1024)
		fk_die("%u CPUs are too many", fk->config.cpus);
	fk->cpus = xcalloc(fk->config.cpus, sizeof(*fk->cpus));
	for (unsigned i = 0; i < fk->config.cpus; i++) {
		struct fk_cpu *cpu = &fk->cpus[i];

		cpu->number = (int)i;
		cpu->online = true;
		cpu->settled_ns = fk->now_ns;
		cpu->idle.spec.rates[FK_CYCLES] = (struct fk_rate){1, 10};
		cpu->idle.spec.rates[FK_INSTRUCTIONS] = (struct fk_rate){1, 20};
		cpu->idle.cpu = cpu->idle.last_cpu = (int)i;
		cpu->current = &cpu->idle;
	}
	fk->self.cpu = fk->self.last_cpu = -1;
	pmus_init(fk);
}

void fk_machine_fini(struct fk *fk)
{
	for (size_t i = 0; i < FK_BUCKETS; i++) {
		while (fk->tasks[i]) {
			struct fk_task *task = fk->tasks[i];

			fk->tasks[i] = task->next;
			free(task->context.leaders);
			free(task->latencies);
			free(task);
		}
	}
	for (unsigned i = 0; i < fk->config.cpus; i++)
		free(fk->cpus[i].context.leaders);
	for (size_t i = 0; i < fk->n_pmus; i++)
		free((void *)(uintptr_t)fk->pmus[i].name);
	free(fk->self.context.leaders);
	free(fk->cpus);
	free(fk->pmus);
}

/* Whether nothing refers to it any more: its whole process has gone and it has no events. */
static bool is_gone(struct fk *fk, const struct fk_task *task)
{
	const struct fk_task *leader = fk_find(fk, task->spec.pid);

	if (!task->dead || task->context.n > 0 || (leader && !leader->dead))
		return false;
	for (size_t i = 0; i < fk->n_perfs; i++)
		if (fk->perfs[i]->task == task)
			return false;
	return true;
}

void fk_bury(struct fk *fk)
{
	struct fk_task *gone = NULL;

	for (size_t i = 0; i < FK_BUCKETS; i++)
		for (struct fk_task **link = &fk->tasks[i]; *link;) {
			struct fk_task *task = *link;

			if (is_gone(fk, task)) {
				*found_at(fk, task->spec.tid) = NULL;
				*link = task->next;
				task->next = gone;
				gone = task;
			} else {
				link = &task->next;
			}
		}
	/* Their children are orphans. */
	for (size_t i = 0; i < FK_BUCKETS; i++)
		for (struct fk_task *task = fk->tasks[i]; task; task = task->next)
			if (task->parent && task->parent->dead) {
				task->parent = NULL;
				task->spec.ppid = 1;
			}
	while (gone) {
		struct fk_task *task = gone;

		gone = task->next;
		free(task->context.leaders);
		free(task->latencies);
		free(task);
	}
}

size_t fk_bytes(const struct fk *fk)
{
	size_t bytes =
		fk->by_fd_capacity * sizeof(*fk->by_fd) + fk->due_capacity * sizeof(*fk->due);

	for (size_t i = 0; i < FK_BUCKETS; i++)
		for (const struct fk_task *task = fk->tasks[i]; task; task = task->next)
			bytes += sizeof(*task);
	for (size_t i = 0; i < fk->n_perfs; i++)
		bytes += sizeof(struct fk_perf) +
			 fk->perfs[i]->members_capacity * sizeof(struct fk_perf *);
	return bytes;
}

static void happen(struct fk *fk, struct fk_cpu *cpu, int kind)
{
	cpu->counts[kind]++;
	cpu->current->counts[kind]++;
	fk_software_event(fk, cpu, kind, 0, NULL);
}

bool fk_is_unreported(const struct fk_cpu *cpu)
{
	return cpu->current == &cpu->idle ? cpu->silent_idle : cpu->current->spec.unreported;
}

bool fk_is_released(const struct fk_task *task)
{
	return task->exiting && task->state != FK_PREEMPTED && task->leaves != FK_PREEMPTED;
}

/* TASK_* and EXIT_*, see include/linux/sched.h */
static int64_t state_of(const struct fk_cpu *cpu, const struct fk_task *task)
{
	if (task == &cpu->idle)
		return 0;
	static const int64_t states[FK_STATES] = {
		[FK_SLEEPING] = 0x1, [FK_UNINTERRUPTIBLE] = 0x2, [FK_STOPPED] = 0x4,
		[FK_TRACED] = 0x8,   [FK_PREEMPTED] = 0,
	};

	if (fk_is_released(task))
		return task->how == FK_EXIT_ZOMBIE ? 0x20 : 0x10;
	return states[task->leaves];
}

static void name_of(const struct fk_cpu *cpu, const struct fk_task *task, char comm[16])
{
	if (task == &cpu->idle)
		snprintf(comm, 16, "swapper/%d", cpu->number);
	else
		memcpy(comm, task->comm, 16);
}

/* The idle task has the priority 120 there, too. */
static void trace_switch(struct fk *fk, struct fk_cpu *cpu, const struct fk_task *next)
{
	const struct fk_task *prev = cpu->current;
	struct fk_switch_data data = {
		.type = FK_SCHED_SWITCH,
		.pid = prev->spec.tid,
		.prev_pid = prev->spec.tid,
		.prev_prio = 120,
		.prev_state = state_of(cpu, prev),
		.next_pid = next->spec.tid,
		.next_prio = 120,
	};

	name_of(cpu, prev, data.prev_comm);
	name_of(cpu, next, data.next_comm);
	if (!fk_is_unreported(cpu))
		fk_software_event(fk, cpu, FK_TRACE, FK_SCHED_SWITCH,
				  &(struct fk_trace_data){&data, sizeof(data)});
}

static void add_latency(struct fk_task *task, uint64_t ns)
{
	task->latencies = array_reserve(task->latencies, &task->latencies_capacity,
					task->n_latencies + 1, sizeof(*task->latencies));
	task->latencies[task->n_latencies++] = ns;
}

static uint64_t *wait_time(struct fk_task *task, const struct fk_wait *wait)
{
	size_t i = 0;

	while (task->waits[i].wait && task->waits[i].wait != wait)
		if (++i == FK_WAITS)
			fk_die("task %d waits in too many places", (int)task->spec.tid);
	task->waits[i].wait = wait;
	return &task->waits[i].ns;
}

static void enter_state(const struct fk *fk, struct fk_task *task, enum fk_state state)
{
	uint64_t ns = fk->now_ns - task->state_ns;

	task->state_times[task->state] += ns;
	if (task->state == FK_WOKEN || task->state == FK_PREEMPTED)
		task->queued_ns += task->moved_ns ? fk->now_ns - task->moved_ns : ns;
	task->moved_ns = 0;
	if (task->counted_ns)
		task->queued_ns += fk->now_ns - task->counted_ns;
	task->counted_ns = 0;
	if (task->woken && task->state == FK_WOKEN)
		add_latency(task, ns);
	if (task->wait)
		*wait_time(task, task->wait) += ns;
	task->wait = NULL;
	task->state = state;
	task->state_ns = fk->now_ns;
}

/* The CPU that wakes up the next task. */
static struct fk_cpu *next_waker(struct fk *fk)
{
	struct fk_cpu *cpu;

	do {
		cpu = &fk->cpus[fk->wakers++ % fk->config.cpus];
	} while (!cpu->online);
	return cpu;
}

static void trace_waking(struct fk *fk, struct fk_cpu *cpu, const struct fk_task *task)
{
	struct fk_waking_data data = {
		.type = FK_SCHED_WAKING,
		.pid = cpu->current->spec.tid,
		.woken_pid = task->spec.tid,
		.prio = 120,
		.target_cpu = cpu->number,
	};

	fk_settle(fk, cpu);
	text_copy(data.woken_comm, sizeof(data.woken_comm), task->comm);
	if (!fk_is_unreported(cpu))
		fk_software_event(fk, cpu, FK_TRACE, FK_SCHED_WAKING,
				  &(struct fk_trace_data){&data, sizeof(data)});
}

static struct fk_task *task_add(struct fk *fk, const struct fk_spec *spec)
{
	struct fk_task **bucket = &fk->tasks[(unsigned)spec->tid % FK_BUCKETS];
	const struct fk_task *namesake = fk_find(fk, spec->tid);
	struct fk_task *task = xcalloc(1, sizeof(*task));

	if (spec->tid <= 0 || (namesake && !namesake->exiting))
		fk_die("tid %d cannot be made", (int)spec->tid);
	task->spec = *spec;
	if (!task->spec.pid)
		task->spec.pid = spec->tid;
	fk->threaded = fk->threaded || task->spec.pid != spec->tid;
	if (!task->spec.ppid)
		task->spec.ppid = 1;
	text_copy(task->comm, sizeof(task->comm), spec->comm ? spec->comm : "task");
	task->spec.comm = NULL;
	task->start_ns = fk->now_ns;
	task->cpu = task->last_cpu = -1;
	task->state_ns = fk->now_ns;
	task->next = *bucket;
	*bucket = task;
	*found_at(fk, spec->tid) = task;
	fk->forks++;
	return task;
}

void fk_task(struct fk *fk, const struct fk_spec *spec)
{
	task_add(fk, spec);
}

void fk_setuid(struct fk *fk, pid_t tid, uid_t uid)
{
	task_alive(fk, tid)->spec.uid = uid;
}

void fk_places(struct fk *fk, pid_t tid, const struct fk_place *places, size_t n)
{
	struct fk_task *task = task_alive(fk, tid);

	fk_settle_all(fk);
	task->places = places;
	task->n_places = n;
}

void fk_rate(struct fk *fk, pid_t tid, enum fk_event event, struct fk_rate rate)
{
	if (event >= FK_HARDWARE_EVENTS)
		fk_die("only hardware events have rates");
	fk_settle_all(fk);
	for (unsigned i = 0; !tid && i < fk->config.cpus; i++) {
		fk->cpus[i].idle.spec.rates[event] = rate;
		fk->cpus[i].idle.remainders[event] = 0;
	}
	if (tid) {
		struct fk_task *task = task_alive(fk, tid);

		task->spec.rates[event] = rate;
		task->remainders[event] = 0;
	}
}

static void fork_as(struct fk *fk, pid_t parent_tid, pid_t child, bool thread)
{
	struct fk_task *parent = task_alive(fk, parent_tid);
	struct fk_cpu *cpu = task_cpu(fk, parent);
	struct fk_spec spec = parent->spec;

	fk_settle(fk, cpu);
	spec.tid = child;
	spec.comm = parent->comm;
	if (!thread) {
		spec.pid = child;
		spec.ppid = parent->spec.pid;
	}

	struct fk_task *task = task_add(fk, &spec);
	task->parent = thread ? parent->parent : parent;
	fk_inherit(parent, task);
	enter_state(fk, task, FK_WOKEN);
	fk_record_task(fk, cpu, PERF_RECORD_FORK, task, parent->spec.pid, parent->spec.tid);
}

void fk_fork(struct fk *fk, pid_t parent, pid_t child)
{
	fork_as(fk, parent, child, false);
}

void fk_thread(struct fk *fk, pid_t parent, pid_t child)
{
	fork_as(fk, parent, child, true);
}

static void rename_as(struct fk *fk, pid_t tid, const char *comm, bool exec)
{
	struct fk_task *task = task_alive(fk, tid);
	struct fk_cpu *cpu = task_cpu(fk, task);

	fk_settle(fk, cpu);
	if (exec)
		fk_enable_on_exec(fk, task, cpu);
	text_copy(task->comm, sizeof(task->comm), comm);
	fk_record_comm(fk, cpu, task, exec);
}

void fk_comm(struct fk *fk, pid_t tid, const char *comm)
{
	rename_as(fk, tid, comm, false);
}

void fk_exec(struct fk *fk, pid_t tid, const char *comm)
{
	rename_as(fk, tid, comm, true);
}

void fk_exit(struct fk *fk, pid_t tid, enum fk_exit how)
{
	struct fk_task *task = task_alive(fk, tid);
	struct fk_cpu *cpu = task_cpu(fk, task);

	fk_settle(fk, cpu);
	/* Linux writes the parent process twice here: a thread has no other parent. */
	fk_record_task(fk, cpu, PERF_RECORD_EXIT, task, task->spec.ppid, task->spec.ppid);
	fk_context_exit(fk, &task->context);
	fk_schedule(fk, cpu, FK_NOTHING_ANEW);
	task->exiting = true;
	task->how = how;
}

void fk_block_in(struct fk *fk, pid_t tid, enum fk_state state, const struct fk_wait *wait)
{
	fk_block(fk, tid, state);
	task_alive(fk, tid)->leaves_for = wait;
}

void fk_block(struct fk *fk, pid_t tid, enum fk_state state)
{
	struct fk_task *task = task_there(fk, tid);

	if (task->cpu < 0 || state > FK_PREEMPTED || (task->exiting && state != FK_PREEMPTED))
		fk_die("task %d cannot leave its CPU in state %d", (int)tid, (int)state);
	task->leaves = state;
}

void fk_slip(struct fk *fk, pid_t tid)
{
	struct fk_task *task = task_alive(fk, tid);

	if (task->cpu >= 0)
		fk_die("task %d is on a CPU", (int)tid);
	enter_state(fk, task, FK_SLEEPING);
}

void fk_ready(struct fk *fk, pid_t tid)
{
	struct fk_task *task = task_alive(fk, tid);

	if (task->cpu >= 0 || task->state >= FK_PREEMPTED)
		fk_die("task %d is runnable already", (int)tid);
	trace_waking(fk, next_waker(fk), task);
	task->woken = true;
	enter_state(fk, task, FK_WOKEN);
}

void fk_rouse(struct fk *fk, pid_t tid)
{
	const struct fk_task *task = task_alive(fk, tid);

	if (task->cpu < 0 && task->state < FK_PREEMPTED)
		fk_ready(fk, tid);
}

void fk_move_asleep(struct fk *fk, pid_t tid, unsigned moves)
{
	struct fk_task *task = task_alive(fk, tid);

	if (task->cpu >= 0 || task->state >= FK_PREEMPTED)
		fk_die("task %d does not sleep", (int)tid);
	task->counted_ns = fk->now_ns;
	task->moves += moves;
}

void fk_move_queued(struct fk *fk, pid_t tid, int cpu)
{
	struct fk_task *task = task_alive(fk, tid);

	if (task->state != FK_PREEMPTED && task->state != FK_WOKEN)
		fk_die("task %d is in no run queue", (int)tid);
	task->queued_ns += fk->now_ns - (task->moved_ns ? task->moved_ns : task->state_ns);
	task->moved_ns = fk->now_ns;
	task->moves += task->last_cpu != cpu;
	task->last_cpu = cpu;
}

static struct fk_task *task_running(struct fk *fk, pid_t tid)
{
	struct fk_task *task = task_alive(fk, tid);

	if (task->cpu < 0)
		fk_die("task %d does not run", (int)tid);
	return task;
}

void fk_wake_leaving(struct fk *fk, int cpu, pid_t tid)
{
	struct fk_task *task = task_running(fk, tid);

	trace_waking(fk, fk_cpu(fk, cpu), task);
	task->woken_leaving = true;
}

void fk_wake_running(struct fk *fk, int cpu, pid_t tid)
{
	trace_waking(fk, fk_cpu(fk, cpu), task_running(fk, tid));
}

size_t fk_truth_wakeups(struct fk *fk, pid_t tid, const uint64_t **latencies_ns)
{
	const struct fk_task *task = fk_find(fk, tid);

	if (!task)
		fk_die("there never was a task %d", (int)tid);
	*latencies_ns = task->latencies;
	return task->n_latencies;
}

uint64_t fk_truth_state(struct fk *fk, pid_t tid, enum fk_state state)
{
	const struct fk_task *task = fk_find(fk, tid);

	if (!task)
		fk_die("there never was a task %d", (int)tid);
	return task->state_times[state] +
	       (task->state == state && !task->dead ? fk->now_ns - task->state_ns : 0);
}

uint64_t fk_truth_wait(struct fk *fk, pid_t tid, const struct fk_wait *wait)
{
	struct fk_task *task = fk_find(fk, tid);

	if (!task)
		fk_die("there never was a task %d", (int)tid);
	return *wait_time(task, wait) + (task->wait == wait ? fk->now_ns - task->state_ns : 0);
}

/* The running task of a CPU leaves it. */
static void leave(const struct fk *fk, struct fk_task *task)
{
	task->preempted += task->leaves == FK_PREEMPTED;
	enter_state(fk, task, task->leaves);
	task->wait = task->leaves_for;
	task->woken = task->woken_leaving;
	if (task->woken_leaving)
		enter_state(fk, task, FK_WOKEN);
	task->woken_leaving = false;
	task->leaves = FK_SLEEPING;
	task->leaves_for = NULL;
	task->cpu = -1;
}

void fk_switch(struct fk *fk, int number, pid_t tid)
{
	struct fk_cpu *cpu = fk_cpu(fk, number);
	struct fk_task *next = tid ? task_there(fk, tid) : &cpu->idle;
	struct fk_task *previous = cpu->current;

	if (!cpu->online)
		fk_die("CPU %d is offline", number);
	if (next == previous)
		return;
	if (tid && next->cpu >= 0)
		fk_die("task %d runs on CPU %d already", (int)tid, next->cpu);

	fk_settle(fk, cpu);
	trace_switch(fk, cpu, next);
	happen(fk, cpu, FK_SWITCHES);
	fk_record_switch(fk, cpu, next, true);
	fk_context_stop(fk, &previous->context);
	previous->dead = fk_is_released(previous);
	if (previous != &cpu->idle)
		leave(fk, previous);

	cpu->current = next;
	next->cpu = number;
	enter_state(fk, next, FK_RUNNING);
	fk_schedule(fk, cpu, FK_TASK_ANEW);
	fk_record_switch(fk, cpu, previous, false);
	if (next->last_cpu >= 0 && next->last_cpu != number)
		happen(fk, cpu, FK_MIGRATIONS);
	next->last_cpu = number;
}

void fk_fault(struct fk *fk, int number, bool major)
{
	struct fk_cpu *cpu = fk_cpu(fk, number);

	fk_settle(fk, cpu);
	happen(fk, cpu, FK_PAGE_FAULTS);
	happen(fk, cpu, major ? FK_MAJOR_FAULTS : FK_MINOR_FAULTS);
}

void fk_tracepoint(struct fk *fk, uint64_t id)
{
	fk->tracepoints = array_reserve(fk->tracepoints, &fk->tracepoints_capacity,
					fk->n_tracepoints + 1, sizeof(*fk->tracepoints));
	fk->tracepoints[fk->n_tracepoints++] = id;
}

void fk_trace(struct fk *fk, int number, uint64_t id)
{
	struct fk_cpu *cpu = fk_cpu(fk, number);

	fk_settle(fk, cpu);
	fk_software_event(fk, cpu, FK_TRACE, id, NULL);
}

void fk_self_task(struct fk *fk, pid_t tid)
{
	fk->self_tid = tid ? task_alive(fk, tid)->spec.tid : 0;
}

int fk_self(void *ctx, pid_t *pid, pid_t *tid)
{
	struct fk *fk = ctx;
	const struct fk_task *task = fk->self_tid ? fk_find(fk, fk->self_tid) : NULL;

	if (!task)
		return -ESRCH;
	*pid = task->spec.pid;
	*tid = task->spec.tid;
	return 0;
}

void fk_reap(struct fk *fk, pid_t pid)
{
	struct fk_task *task = fk_find(fk, pid);

	if (!task || !task->exiting || task->how != FK_EXIT_ZOMBIE)
		fk_die("there is no zombie %d", (int)pid);
	task->reaped = true;
}

int fk_pidfd_open(void *ctx, pid_t pid)
{
	const struct fk_task *task = fk_find(ctx, pid);
	bool gone = !task || task->reaped || (task->exiting && task->how == FK_EXIT_REAPED) ||
		    (task->dead && task->how == FK_EXIT_THREAD);

	return gone ? -ESRCH : -EINVAL;
}

void fk_hold(struct fk *fk, int number, unsigned slots)
{
	struct fk_cpu *cpu = fk_cpu(fk, number);

	fk_settle(fk, cpu);
	cpu->held = slots;
	fk_schedule(fk, cpu, FK_ALL_ANEW);
}

void fk_watchdog(struct fk *fk, bool on)
{
	fk_settle_all(fk);
	fk->watchdog = on;
	for (unsigned i = 0; i < fk->config.cpus; i++)
		fk_schedule(fk, &fk->cpus[i], FK_ALL_ANEW);
}

void fk_cpu_offline(struct fk *fk, int number)
{
	struct fk_cpu *cpu = fk_cpu(fk, number);

	if (!cpu->online)
		fk_die("CPU %d is offline already", number);
	fk_switch(fk, number, 0);
	fk_settle(fk, cpu);
	fk_perf_kill(fk, cpu);
	cpu->online = false;
}

void fk_cpu_online(struct fk *fk, int number)
{
	struct fk_cpu *cpu = fk_cpu(fk, number);

	if (cpu->online)
		fk_die("CPU %d is online already", number);
	cpu->settled_ns = fk->now_ns;
	cpu->online = true;
}

void fk_no_tick(struct fk *fk, int cpu, bool no_tick)
{
	fk_cpu(fk, cpu)->no_tick = no_tick;
}

void fk_answer_late(struct fk *fk, int cpu, uint64_t ns)
{
	fk_cpu(fk, cpu)->answer_ns = ns;
}

uint64_t fk_asked_late_ns(struct fk *fk)
{
	uint64_t ns = fk->asked_ns;

	fk->asked_ns = 0;
	return ns;
}

void fk_rival(struct fk *fk, const struct fk_rival *rival)
{
	fk->has_rival = rival != NULL;
	fk->rival = rival ? *rival : (struct fk_rival){.chain_bytes = 0};
}

void fk_silent_idle(struct fk *fk, int cpu, bool silent)
{
	fk_cpu(fk, cpu)->silent_idle = silent;
}

void fk_lose(struct fk *fk, int cpu, unsigned n)
{
	fk_cpu(fk, cpu)->lose += n;
}

void fk_garble(struct fk *fk, int cpu, unsigned n)
{
	fk_cpu(fk, cpu)->garble += n;
}
