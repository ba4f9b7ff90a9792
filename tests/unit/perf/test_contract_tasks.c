// SPDX-License-Identifier: MIT
/*
 * What core relies on in counters of tasks: when they count, what children inherit, and the effect
 * of execs and exits. It runs on every kernel of world.h, so with software events. Bounds are wide
 * enough for a busy machine; only page faults are exact there.
 */
#include "core/base/util.h"
#include "tests/fake_kernel/child.h"

#include <errno.h>
#include <sys/ioctl.h>

/* More page faults than a fork, a thread or an exec makes. */
#define MANY 4000

enum { CLOCK, FAULTS, NOTHING, COUNTERS };

struct counters {
	const struct sys *sys;
	int fds[COUNTERS];
};

static struct perf_event_attr attr_of(uint64_t config, bool inherit)
{
	struct perf_event_attr attr = attr_counting(PERF_TYPE_SOFTWARE, config);

	attr.inherit = inherit;
	return attr;
}

/* Not enabled yet. */
static void counters_open(struct counters *counters, const struct sys *sys, pid_t pid, bool inherit,
			  bool on_exec)
{
	static const uint64_t configs[] = {PERF_COUNT_SW_TASK_CLOCK, PERF_COUNT_SW_PAGE_FAULTS,
					   PERF_COUNT_SW_DUMMY};

	counters->sys = sys;
	for (size_t i = 0; i < COUNTERS; i++) {
		struct perf_event_attr attr = attr_of(configs[i], inherit);

		attr.disabled = i == CLOCK;
		attr.enable_on_exec = on_exec && i == CLOCK;
		counters->fds[i] = sys_perf_open(sys, &attr, pid, -1, i ? counters->fds[0] : -1,
						 PERF_FLAG_FD_CLOEXEC);
		assert_true(counters->fds[i] >= 0);
	}
}

static void counters_do(const struct counters *counters, unsigned long request)
{
	assert_int_equal(sys_perf_ioctl(counters->sys, counters->fds[CLOCK], request, 0), 0);
}

static struct reading counters_read(const struct counters *counters)
{
	struct reading reading = reading_take(counters->sys, counters->fds[CLOCK]);

	assert_int_equal(reading.nr, COUNTERS);
	assert_int_equal(reading.running_ns, reading.enabled_ns);
	assert_int_equal(reading.values[NOTHING], 0);
	return reading;
}

static void counters_close(const struct counters *counters)
{
	for (size_t i = 0; i < COUNTERS; i++)
		assert_int_equal(sys_close(counters->sys, counters->fds[i]), 0);
}

/* Whether two readings with some time between them are equal, at least once. */
static bool counts_are_unchanged(struct world *world, const struct counters *counters)
{
	for (int tries = 0; tries < 100; tries++) {
		struct reading before = counters_read(counters);

		me_spins(world, 200000);
		struct reading after = counters_read(counters);
		if (before.enabled_ns == after.enabled_ns &&
		    before.values[CLOCK] == after.values[CLOCK] &&
		    before.values[FAULTS] == after.values[FAULTS])
			return true;
	}
	return false;
}

static void a_task_is_counted_while_it_runs(void **state)
{
	struct world *world = *state;
	struct counters counters;
	struct child child;

	child_begin(&child, world);
	counters_open(&counters, &world->sys, child.pid, false, false);
	child_faults(&child, 1);
	assert_int_equal(counters_read(&counters).enabled_ns, 0);
	counters_do(&counters, PERF_EVENT_IOC_ENABLE);
	assert_true(counts_are_unchanged(world, &counters));
	struct reading start = counters_read(&counters);
	child_spins(&child, 1000000);
	child_faults(&child, MANY);
	struct reading end = counters_read(&counters);
	assert_true(end.values[CLOCK] - start.values[CLOCK] >= 1000000);
	assert_true(end.enabled_ns - start.enabled_ns >= 1000000);
	assert_true(end.values[FAULTS] - start.values[FAULTS] >= MANY);
	assert_true(counts_are_unchanged(world, &counters));
	counters_do(&counters, PERF_EVENT_IOC_DISABLE);
	struct reading off = counters_read(&counters);
	child_faults(&child, MANY);
	struct reading later = counters_read(&counters);
	assert_memory_equal(&off, &later, sizeof(off));
	child_exits(&child);
	counters_close(&counters);
}

static void a_task_is_read_while_it_runs_elsewhere(void **state)
{
	struct world *world = *state;
	struct counters counters;
	struct child child;
	uint64_t last_ns = 0;

	child_begin(&child, world);
	counters_open(&counters, &world->sys, child.pid, false, false);
	counters_do(&counters, PERF_EVENT_IOC_ENABLE);
	if (!child_runs(&child)) {
		child_exits(&child);
		counters_close(&counters);
		skip();
	}
	for (int round = 0; round < 20; round++) {
		struct reading reading = counters_read(&counters);

		/* It may have to wait for its CPU. */
		for (int tries = 0; tries < 100000 && reading.values[CLOCK] <= last_ns; tries++) {
			me_sleeps(world);
			reading = counters_read(&counters);
			assert_true(reading.values[CLOCK] >= last_ns);
		}
		assert_true(reading.values[CLOCK] > last_ns);
		last_ns = reading.values[CLOCK];
	}
	child_stops(&child);
	assert_true(counters_read(&counters).values[CLOCK] >= last_ns);
	assert_true(counts_are_unchanged(world, &counters));
	child_exits(&child);
	counters_close(&counters);
}

/* enabled ns grows while the task runs on any CPU. */
static void a_task_on_another_cpu_is_enabled(void **state)
{
	struct world *world = *state;
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_TASK_CLOCK, false);
	int elsewhere = sys_perf_open(&world->sys, &attr, 0, world->cpu ? 0 : 1, -1, 0);

	if (elsewhere == -EINVAL || elsewhere == -ENODEV)
		skip();
	assert_true(elsewhere >= 0);
	me_spins(world, 1000000);
	struct reading reading = reading_take(&world->sys, elsewhere);
	assert_true(reading.enabled_ns >= 1000000);
	assert_int_equal(reading.running_ns, 0);
	assert_int_equal(reading.values[0], 0);
	sys_close(&world->sys, elsewhere);
}

static void counts_of_children_are_summed(void **state)
{
	struct world *world = *state;
	struct counters alone, family, late;
	struct child child;

	counters_open(&alone, &world->sys, 0, false, false);
	counters_open(&family, &world->sys, 0, true, false);
	counters_do(&alone, PERF_EVENT_IOC_ENABLE);
	counters_do(&family, PERF_EVENT_IOC_ENABLE);
	child_begin(&child, world);
	child_spins(&child, 1000000);
	child_faults(&child, MANY);
	child_forks(&child, MANY);   /* an inherited counter of a child that has exited */
	child_threads(&child, MANY); /* the same of a thread */
	struct reading living = counters_read(&family);
	assert_true(living.values[FAULTS] >= 3 * MANY);
	assert_true(living.values[CLOCK] >= 1000000);
	assert_true(living.enabled_ns >= 1000000);
	assert_true(counters_read(&alone).values[FAULTS] < MANY);

	/* A thread that existed before does not inherit, nor does its child. */
	counters_open(&late, &world->sys, 0, true, false);
	counters_do(&late, PERF_EVENT_IOC_ENABLE);
	child_faults(&child, MANY);
	child_forks(&child, MANY);
	assert_true(counters_read(&late).values[FAULTS] < MANY);
	assert_true(counters_read(&family).values[FAULTS] >= 5 * MANY);

	child_exits(&child);
	struct reading exited = counters_read(&family);
	assert_true(exited.values[FAULTS] >= 5 * MANY);
	assert_true(exited.values[CLOCK] >= living.values[CLOCK]);
	/* The counts of exited tasks are not reset. */
	sys_perf_ioctl(&world->sys, family.fds[CLOCK], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
	assert_true(counters_read(&family).values[FAULTS] >= 5 * MANY);
	counters_close(&late);
	counters_close(&family);
	counters_close(&alone);
}

static void inherited_counters_follow_their_event(void **state)
{
	struct world *world = *state;
	struct counters family;
	struct child child;

	counters_open(&family, &world->sys, 0, true, false);
	child_begin(&child, world);
	child_faults(&child, MANY);
	assert_int_equal(counters_read(&family).enabled_ns, 0);
	counters_do(&family, PERF_EVENT_IOC_ENABLE);
	child_faults(&child, MANY);
	struct reading on = counters_read(&family);
	assert_true(on.values[FAULTS] >= MANY);
	assert_true(on.values[FAULTS] < 2 * MANY);
	counters_do(&family, PERF_EVENT_IOC_DISABLE);
	struct reading off = counters_read(&family);
	child_faults(&child, MANY);
	child_forks(&child, MANY);
	struct reading later = counters_read(&family);
	assert_memory_equal(&off, &later, sizeof(off));
	/* The inherited counters are closed; their task runs on. */
	counters_do(&family, PERF_EVENT_IOC_ENABLE);
	counters_close(&family);
	child_faults(&child, MANY);
	child_exits(&child);
}

static void a_group_that_changed_since_a_fork_cannot_be_read(void **state)
{
	struct world *world = *state;
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_DUMMY, true);
	struct counters family;
	struct reading reading;
	struct child child;

	if (world->version < (6 << 8 | 7))
		skip();
	counters_open(&family, &world->sys, 0, true, false);
	counters_do(&family, PERF_EVENT_IOC_ENABLE);
	child_begin(&child, world);
	int late = sys_perf_open(&world->sys, &attr, 0, -1, family.fds[CLOCK], 0);
	/* If parent and child have swapped their contexts, the leader is the child's now. */
	if (late < 0)
		assert_int_equal(late, world->fk ? 0 : -EINVAL);
	for (int tries = 0; late >= 0 && tries < 2; tries++) {
		assert_int_equal(
			sys_perf_read(&world->sys, family.fds[CLOCK], &reading, sizeof(reading)),
			-ECHILD);
		if (tries == 0)
			sys_close(&world->sys, late);
	}
	child_exits(&child);
	counters_read(&family);
	counters_close(&family);
}

static void events_that_cannot_be_inherited_have_errnos(void **state)
{
	struct world *world = *state;
	struct perf_event_attr sampling = attr_sampling(PERF_COUNT_SW_DUMMY, 1);
	struct perf_event_attr plain = attr_of(PERF_COUNT_SW_DUMMY, false);
	struct perf_event_attr inherited = attr_of(PERF_COUNT_SW_DUMMY, true);
	struct counters family;
	void *address;

	counters_open(&family, &world->sys, 0, true, false);
	sampling.inherit = 1;
	sampling.sample_type = PERF_SAMPLE_READ;
	assert_int_equal(sys_perf_open(&world->sys, &sampling, 0, -1, -1, 0), -EINVAL);
	assert_int_equal(sys_perf_open(&world->sys, &plain, 0, -1, family.fds[CLOCK], 0), -EINVAL);
	assert_int_equal(
		sys_perf_map(&world->sys, family.fds[CLOCK], 2 * world->page_size, &address),
		-EINVAL);
	/* For a CPU it has no effect. */
	sys_close(&world->sys, world_open(world, inherited, -1));
	counters_close(&family);
}

static void a_group_may_begin_with_an_exec(void **state)
{
	struct world *world = *state;
	struct counters counters;
	struct child child;

	child_begin(&child, world);
	counters_open(&counters, &world->sys, child.pid, true, true);
	child_faults(&child, MANY);
	child_forks(&child, MANY);
	struct reading before = counters_read(&counters);
	assert_int_equal(before.enabled_ns, 0);
	assert_int_equal(before.values[FAULTS], 0);
	child_execs(&child);
	struct reading after = counters_read(&counters);
	assert_true(after.enabled_ns > 0);
	assert_true(after.values[CLOCK] > 0);
	assert_in_range(after.values[FAULTS], 1, MANY);
	counters_close(&counters);
}

static void counts_of_exited_tasks_stay(void **state)
{
	struct world *world = *state;
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_DUMMY, false);
	struct counters counters;
	struct child child;

	child_begin(&child, world);
	counters_open(&counters, &world->sys, child.pid, false, false);
	counters_do(&counters, PERF_EVENT_IOC_ENABLE);
	child_spins(&child, 1000000);
	child_faults(&child, MANY);
	child_exits(&child);
	struct reading end = counters_read(&counters);
	assert_true(end.values[CLOCK] >= 1000000);
	assert_true(end.values[FAULTS] >= MANY);
	me_sleeps(world);
	struct reading later = counters_read(&counters);
	assert_memory_equal(&end, &later, sizeof(end));
	assert_int_equal(sys_perf_open(&world->sys, &attr, child.pid, -1, -1, 0), -ESRCH);
	counters_do(&counters, PERF_EVENT_IOC_ENABLE);
	later = counters_read(&counters);
	assert_memory_equal(&end, &later, sizeof(end));
	counters_close(&counters);
}

int main(void)
{
	static const struct world_case cases[] = {
		{WORLD_CASE(a_task_is_counted_while_it_runs)},
		{WORLD_CASE(a_task_is_read_while_it_runs_elsewhere)},
		{WORLD_CASE(a_task_on_another_cpu_is_enabled)},
		{WORLD_CASE(counts_of_children_are_summed)},
		{WORLD_CASE(inherited_counters_follow_their_event)},
		{WORLD_CASE(a_group_that_changed_since_a_fork_cannot_be_read)},
		{WORLD_CASE(events_that_cannot_be_inherited_have_errnos)},
		{WORLD_CASE(a_group_may_begin_with_an_exec)},
		{WORLD_CASE(counts_of_exited_tasks_stay)},
	};

	return world_run("contract: tasks", cases, ARRAY_SIZE(cases));
}
