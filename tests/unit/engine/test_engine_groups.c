// SPDX-License-Identifier: MIT
/*
 * More events than counters, on common machines: figures of groups that take turns are near the
 * fake kernel's true counts, and have the state SCALED.
 */
#include "core/base/figure_mark.h"
#include "core/engine/engine.h"
#include "tests/fake_kernel/limited_machines.h"
#include "tests/fake_kernel/machines.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/engine_run.h"
#include "tests/unit/shared/send_request.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Every machine has these; the others are raw. */
static const struct {
	const char *name;
	enum fk_event event;
} generic[] = {
	{"cycles", FK_CYCLES},
	{"instructions", FK_INSTRUCTIONS},
	{"branch-misses", FK_BRANCH_MISSES},
	{"cache-references", FK_CACHE_REFERENCES},
	{"cache-misses", FK_CACHE_MISSES},
	{"L1-dcache-loads", FK_L1D_LOADS},
	{"dTLB-load-misses", FK_DTLB_LOAD_MISSES},
	{"iTLB-load-misses", FK_ITLB_LOAD_MISSES},
};

enum { RAW_FIRST = 0x201, EVENTS_MAX = ARRAY_SIZE(generic) + FK_RAWS_MAX };

static void event_name(size_t i, char *name, size_t size)
{
	if (i < ARRAY_SIZE(generic))
		snprintf(name, size, "%s", generic[i].name);
	else
		snprintf(name, size, "r%zx", RAW_FIRST + i - ARRAY_SIZE(generic));
}

/* "cycles,instructions,...", the first n of them. */
static void event_names(size_t n, char *list, size_t size)
{
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		char name[32];
		event_name(i, name, sizeof(name));
		used += (size_t)snprintf(list + used, size - used, "%s%s", i ? "," : "", name);
	}
}

static uint64_t truth_of(struct fk *fk, pid_t tid, size_t i)
{
	return i < ARRAY_SIZE(generic)
		       ? fk_truth_task(fk, tid, generic[i].event)
		       : fk_truth_task_raw(fk, tid, RAW_FIRST + i - ARRAY_SIZE(generic));
}

/* Makes of every event another number, and each task others. */
static void add_task(struct fk *fk, pid_t tid)
{
	struct fk_spec spec = {.tid = tid, .comm = "worker"};

	for (size_t i = 0; i < ARRAY_SIZE(generic); i++)
		spec.rates[generic[i].event] =
			(struct fk_rate){(uint32_t)(i + 1 + (size_t)tid), 16};
	for (size_t i = 0; i < FK_RAWS_MAX; i++)
		spec.raws[i] = (struct fk_raw){RAW_FIRST + i, {(uint32_t)(i + (size_t)tid), 64}};
	fk_task(fk, &spec);
}

/* Four CPUs: one task alone, two that switch often, one and the idle task, two slow ones. */
static const pid_t tids[] = {50, 60, 61, 70, 80, 81};

static void add_load(struct fk *fk)
{
	for (size_t i = 0; i < ARRAY_SIZE(tids); i++)
		add_task(fk, tids[i]);
	fk_switch(fk, 0, 50);
	fk_ping_pong(fk, 1, 60, 61, 137 * NS_PER_US, 1000000);
	fk_ping_pong(fk, 2, 70, 0, 731 * NS_PER_US, 1000000);
	fk_ping_pong(fk, 3, 80, 81, 5003 * NS_PER_US, 1000000);
}

static struct figure total_of(const struct snapshot *snapshot, const char *event)
{
	const struct metric_input input = {
		.events = &snapshot->columns->events,
		.plan = snapshot->columns->plan,
		.tally = snapshot->totals,
		.machine = true,
	};

	return metric_read_one(
		&snapshot->columns->event_readings.items[event_index(snapshot, event)], &input);
}

struct machine_case {
	const char *name;
	const struct fk_config *config;
	size_t n_events;
	bool watchdog;
	unsigned runs_at_most; /* of the first PMU */
	uint64_t interval_ns;
	unsigned turns_least, turns_most;
	double tolerance;
};

static const struct machine_case machines[] = {
	{"intel, 4 events: all fit", &fk_machine_intel, 4, false, 0, NS_PER_S, 1, 1, 0.001},
	{"intel, 6 events: two of them fixed", &fk_machine_intel, 6, false, 0, NS_PER_S, 1, 1,
	 0.001},
	{"intel, 6 events, the watchdog has one", &fk_machine_intel, 6, true, 0, NS_PER_S, 2, 2,
	 0.02},
	{"intel, 14 events", &fk_machine_intel, 14, false, 0, NS_PER_S, 3, 3, 0.02},
	{"intel, 14 events, the watchdog", &fk_machine_intel, 14, true, 0, NS_PER_S, 3, 4, 0.02},
	{"intel, 40 events", &fk_machine_intel, 40, false, 0, NS_PER_S, 10, 10, 0.02},
	{"intel, 40 events, the watchdog", &fk_machine_intel, 40, true, 0, NS_PER_S, 10, 10, 0.02},
	{"zen, 6 events: all fit", &fk_machine_zen, 6, false, 0, NS_PER_S, 1, 1, 0.001},
	{"zen, 6 events, the watchdog has one", &fk_machine_zen, 6, true, 0, NS_PER_S, 2, 2, 0.02},
	{"zen, 14 events", &fk_machine_zen, 14, false, 0, NS_PER_S, 3, 3, 0.02},
	{"zen, 40 events, the watchdog", &fk_machine_zen, 40, true, 0, NS_PER_S, 8, 8, 0.02},
	{"neoverse, 7 events: all fit", &fk_machine_neoverse, 7, false, 0, NS_PER_S, 1, 1, 0.001},
	{"neoverse, 14 events", &fk_machine_neoverse, 14, false, 0, NS_PER_S, 3, 3, 0.02},
	{"neoverse, 40 events, the watchdog", &fk_machine_neoverse, 40, true, 0, NS_PER_S, 7, 8,
	 0.02},
	{"hybrid, 14 events", &fk_machine_hybrid, 14, false, 0, NS_PER_S, 2, 2, 0.02},
	{"hybrid, 40 events, the watchdog", &fk_machine_hybrid, 40, true, 0, NS_PER_S, 7, 7, 0.02},
	{"intel that runs three at most, 14 events", &fk_machine_intel, 14, false, 3, NS_PER_S, 5,
	 5, 0.02},
	{"zen that runs one at most, 6 events", &fk_machine_zen, 6, false, 1, NS_PER_S, 6, 6, 0.02},
	{"intel, 40 events, ten times a second", &fk_machine_intel, 40, false, 0, 100 * NS_PER_MS,
	 10, 10, 0.05},
};

/* Counted, not scaled, of each task and event since `before`, and what it really was. */
static void check_figures(struct fk *fk, const struct snapshot *snapshot,
			  const struct machine_case *this, uint64_t (*before)[EVENTS_MAX])
{
	for (size_t t = 0; t < ARRAY_SIZE(tids); t++) {
		for (size_t i = 0; i < this->n_events; i++) {
			uint64_t truth = truth_of(fk, tids[t], i) - before[t][i];
			char name[32];
			event_name(i, name, sizeof(name));
			struct figure figure = event_figure(snapshot, tids[t], name);
			bool fits = this->turns_most <= 1;
			if (!fits && figure.state == FIGURE_NOT_COUNTED &&
			    this->interval_ns < NS_PER_S)
				continue; /* its group had no turn there */
			enum figure_state state = fits ? FIGURE_VALID : FIGURE_SCALED;
			double off = fabs(figure.value / (double)truth - 1);
			if (figure.state != state || off > this->tolerance)
				fail_msg("%s of %d: %s, %.0f of %llu, share %.2f", name, tids[t],
					 figure_state_name(figure.state), figure.value,
					 (unsigned long long)truth, (double)figure.share);
			if (fits || this->interval_ns < NS_PER_S)
				continue;
			/* The same share for all, but for how many turns happen to fall in. */
			double fair = 1.0 / this->turns_most;
			if ((double)figure.share < 0.5 * fair || (double)figure.share > 2 * fair)
				fail_msg("%s of %d: a share of %.2f among %u groups", name, tids[t],
					 (double)figure.share, this->turns_most);
		}
		assert_int_equal(event_figure(snapshot, tids[t], "task-clock").state, FIGURE_VALID);
	}
}

static void test_machine(void **state)
{
	const struct machine_case *this = *state;
	struct fk_config config = *this->config;
	struct fk_pmu pmus[2];
	uint64_t before[ARRAY_SIZE(tids)][EVENTS_MAX];
	uint64_t clock_ns[ARRAY_SIZE(tids)], counted_ns[ARRAY_SIZE(tids)] = {0};
	char list[1024];

	memcpy(pmus, config.pmus, config.n_pmus * sizeof(*pmus));
	pmus[0].runs_at_most = this->runs_at_most;
	config.pmus = pmus;
	struct fk *fk = fk_new(&config);
	struct sys sys = fk_sys(fk);
	fk_watchdog(fk, this->watchdog);
	add_load(fk);
	event_names(this->n_events, list, sizeof(list));
	struct engine *engine = open_events(&sys, list, 0);
	/* What happens before the first interval is not counted. */
	snapshot_free(next_snapshot(engine, fk, this->interval_ns));
	for (size_t t = 0; t < ARRAY_SIZE(tids); t++)
		clock_ns[t] = fk_truth_task(fk, tids[t], FK_TASK_CLOCK);
	for (int n = 0; n < 3; n++) {
		for (size_t t = 0; t < ARRAY_SIZE(tids); t++)
			for (size_t i = 0; i < this->n_events; i++)
				before[t][i] = truth_of(fk, tids[t], i);
		struct snapshot *snapshot = next_snapshot(engine, fk, this->interval_ns);
		unsigned turns = plan_most_turns(snapshot->columns->plan);
		assert_in_range(turns, this->turns_least, this->turns_most);
		check_figures(fk, snapshot, this, before);
		assert_int_equal(snapshot->unattributed[TALLY_TASK_CLOCK], 0);
		assert_int_equal(snapshot->unattributed[TALLY_SWITCHES], 0);
		/* Of the counters only ends of turns may be unattributed. */
		size_t event = 0;
		double lost = snapshot_unattributed(snapshot, &event);
		if (lost > 0.01)
			fail_msg("%.3f of %s is unattributed", lost,
				 snapshot->columns->events.items[event].name);
		for (size_t t = 0; t < ARRAY_SIZE(tids); t++)
			counted_ns[t] += count_of(snapshot, tids[t], "task-clock");
		snapshot_free(snapshot);
	}
	/* The ends of intervals are a few microseconds apart from where the books were read. */
	for (size_t t = 0; t < ARRAY_SIZE(tids); t++) {
		uint64_t truth_ns = fk_truth_task(fk, tids[t], FK_TASK_CLOCK) - clock_ns[t];
		assert_true(counted_ns[t] > truth_ns - NS_PER_MS);
		assert_true(counted_ns[t] < truth_ns + NS_PER_MS);
	}
	close_all(engine, fk);
}

/* Counts 14 events. */
static struct engine *open_fourteen(const struct sys *sys)
{
	static char list[1024];

	event_names(14, list, sizeof(list));
	return open_events(sys, list, 0);
}

/* CPU time and switches are exact: the group that counts them is always enabled. */
static void test_clock_is_exact(void **state)
{
	struct fk *fk = fk_new(&fk_machine_intel);
	struct sys sys = fk_sys(fk);
	uint64_t clock_ns[2] = {0}, switches[2] = {0}, before[2][2];

	(void)state;
	add_task(fk, 50);
	add_task(fk, 60);
	struct engine *engine = open_fourteen(&sys);
	for (int t = 0; t < 2; t++) {
		before[t][0] = fk_truth_task(fk, 50 + 10 * t, FK_TASK_CLOCK);
		before[t][1] = fk_truth_task(fk, 50 + 10 * t, FK_SWITCHES);
	}
	fk_ping_pong(fk, 0, 50, 60, 3 * NS_PER_US, 100000);
	fk_script(fk, &(struct fk_step){350 * NS_PER_MS, FK_SWITCH, .tid = 0}, 1);
	for (int i = 0; i < 5; i++) {
		struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		for (int t = 0; t < 2; t++) {
			clock_ns[t] += count_of(snapshot, 50 + 10 * t, "task-clock");
			switches[t] += count_of(snapshot, 50 + 10 * t, "context-switches");
		}
		assert_int_equal(snapshot->unattributed[TALLY_TASK_CLOCK], 0);
		assert_int_equal(snapshot->lost_records, 0);
		snapshot_free(snapshot);
	}
	for (int t = 0; t < 2; t++) {
		pid_t tid = 50 + 10 * t;
		assert_int_equal(clock_ns[t], fk_truth_task(fk, tid, FK_TASK_CLOCK) - before[t][0]);
		assert_int_equal(switches[t], fk_truth_task(fk, tid, FK_SWITCHES) - before[t][1]);
	}
	close_all(engine, fk);
}

/*
 * A task ran for two milliseconds, in which one group was enabled: events of other groups are
 * unknown.
 */
static void test_short_task_is_not_counted_by_all(void **state)
{
	struct fk *fk = fk_new(&fk_machine_intel);
	struct sys sys = fk_sys(fk);
	unsigned scaled = 0, not_counted = 0;

	(void)state;
	add_task(fk, 50);
	struct engine *engine = open_fourteen(&sys);
	uint64_t before[14];
	for (size_t i = 0; i < 14; i++)
		before[i] = truth_of(fk, 50, i);
	fk_script(fk,
		  (struct fk_step[]){{NS_PER_MS, FK_SWITCH, .tid = 50},
				     {3 * NS_PER_MS, FK_SWITCH, .tid = 0}},
		  2);
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	for (size_t i = 0; i < 14; i++) {
		char name[32];
		event_name(i, name, sizeof(name));
		struct figure figure = event_figure(snapshot, 50, name);
		not_counted += figure.state == FIGURE_NOT_COUNTED;
		if (!figure_known(figure))
			continue;
		scaled++;
		double truth = (double)(truth_of(fk, 50, i) - before[i]);
		assert_true(fabs(figure.value / truth - 1) < 0.01);
	}
	assert_int_equal(scaled + not_counted, 14);
	assert_true(scaled > 0 && not_counted > 0);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/*
 * The caller runs on a counted CPU now and then. There it cannot wait for a tick, and need not: it
 * is the running task. The time of the turn is its own.
 */
static void test_caller_on_a_counted_cpu(void **state)
{
	struct fk *fk = fk_new(&fk_machine_intel);
	struct sys sys = fk_sys(fk);

	(void)state;
	add_task(fk, 40);
	add_task(fk, 50);
	fk_self_task(fk, 40);
	fk_ping_pong(fk, 0, 50, 40, 700 * NS_PER_US, 1000000);
	struct engine *engine = open_fourteen(&sys);
	snapshot_free(next_snapshot(engine, fk, NS_PER_S));
	for (int n = 0; n < 2; n++) {
		uint64_t before[2][14];
		for (int t = 0; t < 2; t++)
			for (size_t i = 0; i < 14; i++)
				before[t][i] = truth_of(fk, 40 + 10 * t, i);
		struct snapshot *snapshot = next_snapshot(engine, fk, NS_PER_S);
		assert_int_equal(snapshot->unattributed[TALLY_TASK_CLOCK], 0);
		for (size_t i = 0; i < 28; i++) {
			pid_t tid = 40 + 10 * (pid_t)(i / 14);
			char name[32];
			event_name(i % 14, name, sizeof(name));
			double truth = (double)(truth_of(fk, tid, i % 14) - before[i / 14][i % 14]);
			struct figure figure = event_figure(snapshot, tid, name);
			assert_int_equal(figure.state, FIGURE_SCALED);
			if (fabs(figure.value / truth - 1) > 0.02)
				fail_msg("%s of %d: %.0f of %.0f", name, tid, figure.value, truth);
			/* All ends of turns have an owner. */
			assert_int_equal(plan_count(snapshot->columns->plan, snapshot->unattributed,
						    event_index(snapshot, name)),
					 0);
		}
		snapshot_free(snapshot);
	}
	close_all(engine, fk);
}

/* Lost counts of the enabled groups are unattributed. The next turn is complete again. */
static void test_loss_between_turns(void **state)
{
	struct fk *fk = fk_new(&fk_machine_intel);
	struct sys sys = fk_sys(fk);

	(void)state;
	add_load(fk);
	struct engine *engine = open_fourteen(&sys);
	snapshot_free(next_snapshot(engine, fk, INTERVAL_NS));
	unsigned opened = fk_calls(fk, FK_PERF_OPEN);
	for (unsigned i = 0; i < 8; i++)
		fk_script(fk,
			  &(struct fk_step){(9 + 10 * i) * NS_PER_MS, FK_LOSE, .cpu = 1, .n = 7},
			  1);
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	assert_true(snapshot->lost_records >= 8 * 7);
	assert_true(has_note(snapshot, "Records were lost"));
	/* Each time seven records of two groups, so three or four slices; and one of each group. */
	uint64_t lost_ns = snapshot->unattributed[TALLY_TASK_CLOCK];
	assert_in_range(lost_ns, 8 * 3 * 137 * NS_PER_US, 8 * 6 * 137 * NS_PER_US);
	assert_int_equal(event_figure(snapshot, 60, "cycles").state, FIGURE_LOST);
	assert_int_equal(event_figure(snapshot, 50, "cycles").state, FIGURE_SCALED);
	snapshot_free(snapshot);
	/* The loss is no hidden switch: no event was opened. */
	snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	assert_int_equal(fk_calls(fk, FK_PERF_OPEN), opened);
	assert_false(has_note(snapshot, "Records were lost"));
	assert_int_equal(snapshot->unattributed[TALLY_TASK_CLOCK], 0);
	assert_int_equal(event_figure(snapshot, 60, "cycles").state, FIGURE_SCALED);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* CPUs come and go, some of them within an interval: the others' groups go on taking turns. */
static void test_hotplug_between_turns(void **state)
{
	struct fk *fk = fk_new(&fk_machine_intel);
	struct sys sys = fk_sys(fk);

	(void)state;
	add_task(fk, 50);
	add_task(fk, 60);
	fk_switch(fk, 0, 50);
	struct engine *engine = open_fourteen(&sys);
	unsigned fds = fk_open_fds(fk);
	const struct fk_step steps[] = {
		{23 * NS_PER_MS, FK_OFFLINE, .cpu = 1},
		{31 * NS_PER_MS, FK_OFFLINE, .cpu = 2},
		{57 * NS_PER_MS, FK_ONLINE, .cpu = 1},
		{58 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = 60},
		{250 * NS_PER_MS, FK_OFFLINE, .cpu = 1},
		{350 * NS_PER_MS, FK_ONLINE, .cpu = 1},
		{355 * NS_PER_MS, FK_ONLINE, .cpu = 2},
		{360 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = 60},
	};
	fk_script(fk, steps, ARRAY_SIZE(steps));
	for (int n = 0; n < 8; n++) {
		struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		struct figure cycles = event_figure(snapshot, 50, "cycles");
		/* Also while CPU 1 is back and not counted: 50 has CPU 0 all the time. */
		assert_int_equal(cycles.state, FIGURE_SCALED);
		/* Not by the books: a CPU that has gone is waited for at the end of an interval. */
		double per_ns = cycles.value / (double)count_of(snapshot, 50, "task-clock");
		assert_true(fabs(per_ns / (51.0 / 16) - 1) < 0.02);
		if (n == 7) {
			assert_int_equal(snapshot->n_cpus, 4);
			assert_int_equal(event_figure(snapshot, 60, "r201").state, FIGURE_SCALED);
		}
		snapshot_free(snapshot);
	}
	assert_int_equal(fk_open_fds(fk), fds);
	close_all(engine, fk);
}

static void hold_all(struct fk *fk, unsigned slots)
{
	for (int cpu = 0; cpu < 4; cpu++)
		fk_hold(fk, cpu, slots);
}

/* Another program holds counters and frees them: smaller groups, then the old ones again. */
static void test_counters_come_back(void **state)
{
	static const unsigned held[] = {2, FK_HOLD_ALL};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(held); i++) {
		struct fk *fk = fk_new(&fk_machine_intel);
		struct sys sys = fk_sys(fk);
		add_load(fk);
		struct engine *engine = open_fourteen(&sys);
		struct snapshot *snapshot = nth_snapshot(engine, fk, 1);
		unsigned fds = fk_open_fds(fk);
		assert_int_equal(snapshot->n_notes, 0);
		snapshot_free(snapshot);
		hold_all(fk, held[i]);
		snapshot = nth_snapshot(engine, fk, 8);
		struct figure cycles = event_figure(snapshot, 50, "cycles");
		bool all = held[i] == FK_HOLD_ALL;
		assert_int_equal(cycles.state, all ? FIGURE_NOT_COUNTED : FIGURE_SCALED);
		assert_true(has_note(snapshot,
				     all ? "Not counted: counters taken" : "counters are taken"));
		struct figure clock = event_figure(snapshot, 50, "task-clock");
		/* An interval that waited for ticks that did not come is longer. */
		assert_true(fabs(clock.value / (double)snapshot->interval_ns - 1) < 0.01);
		snapshot_free(snapshot);
		hold_all(fk, 0);
		/*
		 * All of them are seen to be free again at the first cut or, where the last group
		 * of the interval is only counted in the next one, at the second.
		 */
		snapshot = nth_snapshot(engine, fk, all ? 3 : 40);
		assert_int_equal(event_figure(snapshot, 50, "cycles").state, FIGURE_SCALED);
		assert_int_equal(fk_open_fds(fk), fds);
		/* Its note is gone. */
		assert_int_equal(snapshot->n_notes, 0);
		snapshot_free(snapshot);
		close_all(engine, fk);
	}
}

/* The only counter that an event can use is held: the other events are counted. */
static void test_the_only_counter_is_taken(void **state)
{
	struct fk_config config = fk_machine_intel;
	struct fk_pmu pmu = config.pmus[0];

	(void)state;
	pmu.only_fixed |= FK_BIT(FK_CYCLES);
	config.pmus = &pmu;
	struct fk *fk = fk_new(&config);
	struct sys sys = fk_sys(fk);
	add_load(fk);
	fk_watchdog(fk, true);
	struct engine *engine = open_events(&sys, "cycles,instructions,branches", 0);
	struct snapshot *snapshot = nth_snapshot(engine, fk, 2);
	assert_int_equal(event_figure(snapshot, 50, "cycles").state, FIGURE_NOT_COUNTED);
	assert_int_equal(event_figure(snapshot, 50, "instructions").state, FIGURE_VALID);
	assert_int_equal(event_figure(snapshot, 50, "branches").state, FIGURE_VALID);
	assert_true(has_note(snapshot, "the only counter that it can use is taken"));
	snapshot_free(snapshot);
	fk_watchdog(fk, false);
	snapshot = nth_snapshot(engine, fk, 30);
	assert_int_equal(event_figure(snapshot, 50, "cycles").state, FIGURE_VALID);
	assert_int_equal(snapshot->n_notes, 0);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/*
 * The watchdog has one of the nine counters that these nine events need. The kernel accepts their
 * group, which would never run. Where it is known, no such group is opened, now or later.
 */
static void test_the_watchdog_is_known(void **state)
{
	static const char events[] =
		"CPU_CLK_UNHALTED.THREAD,ARITH.DIVIDER_ACTIVE,ASSISTS.ANY,"
		"BR_INST_RETIRED.ALL_BRANCHES,BR_MISP_RETIRED.ALL_BRANCHES,"
		"EXE_ACTIVITY.BOUND_ON_STORES,MACHINE_CLEARS.COUNT,UOPS_ISSUED.ANY,"
		"UOPS_RETIRED.SLOTS";

	(void)state;
	for (int watchdog = 0; watchdog <= 1; watchdog++) {
		struct fk_config config = fk_machine_server;

		config.cpus = 4;
		struct fk *fk = fk_new(&config);
		struct sys sys = fk_sys(fk);
		add_load(fk);
		fk_watchdog(fk, watchdog);
		struct engine *engine = open_events(&sys, events, 0);
		unsigned opened = fk_calls(fk, FK_PERF_OPEN);
		struct snapshot *snapshot = nth_snapshot(engine, fk, 30);
		assert_int_equal(plan_most_turns(snapshot->columns->plan), watchdog ? 2 : 1);
		assert_int_equal(event_figure(snapshot, 50, "CPU_CLK_UNHALTED.THREAD").state,
				 watchdog ? FIGURE_SCALED : FIGURE_VALID);
		assert_int_equal(event_figure(snapshot, 50, "UOPS_ISSUED.ANY").state,
				 watchdog ? FIGURE_SCALED : FIGURE_VALID);
		assert_int_equal(snapshot->n_notes, 0);
		assert_int_equal(fk_calls(fk, FK_PERF_OPEN), opened);
		snapshot_free(snapshot);
		close_all(engine, fk);
	}
}

/*
 * The kernel refuses topdown metrics without slots in front, which the user need not name. Slots
 * has one counter, and its levels are the levels of the metrics: two levels take turns.
 */
static void test_topdown_metrics_by_name(void **state)
{
	static const struct {
		const char *events;
		unsigned turns;
		enum figure_state state;
	} rows[] = {
		{"topdown-retiring", 1, FIGURE_VALID},
		{"topdown-bad-spec,topdown-retiring,cycles", 1, FIGURE_VALID},
		{"topdown-retiring,topdown-bad-spec:u", 2, FIGURE_SCALED},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk *fk = fk_new(&fk_granite_rapids);
		struct sys sys = fk_sys(fk);

		fk_task(fk, &(struct fk_spec){.tid = 50, .rates = HALF_IPC, .seed = 7});
		fk_switch(fk, 0, 50);
		struct engine *engine = open_events(&sys, rows[i].events, 0);
		struct snapshot *snapshot = nth_snapshot(engine, fk, 3);
		struct figure retiring = event_figure(snapshot, 50, "topdown-retiring");
		assert_int_equal(retiring.state, rows[i].state);
		assert_true(retiring.value > 0);
		assert_int_equal(plan_most_turns(snapshot->columns->plan), rows[i].turns);
		assert_int_equal(snapshot->n_notes, 0);
		snapshot_free(snapshot);
		close_all(engine, fk);
	}
}

/* Groups of another profiler take turns with pmctop's, by the kernel's clock. */
static void profile_too(struct fk *fk, void *arg)
{
	bool *held = arg;

	*held = !*held;
	hold_all(fk, *held ? 3 : 0);
	fk_after(fk, 4 * NS_PER_MS, profile_too, held);
}

static void test_contended_turns(void **state)
{
	struct fk *fk = fk_new(&fk_machine_intel);
	struct sys sys = fk_sys(fk);
	bool held = false;

	(void)state;
	add_load(fk);
	struct engine *engine = open_fourteen(&sys);
	profile_too(fk, &held);
	struct snapshot *snapshot = nth_snapshot(engine, fk, 10);
	unsigned opened = fk_calls(fk, FK_PERF_OPEN);
	snapshot_free(snapshot);
	snapshot = nth_snapshot(engine, fk, 5);
	/* CPU time is exact, and no counts are invented. */
	assert_int_equal(snapshot->unattributed[TALLY_TASK_CLOCK], 0);
	assert_true(has_note(snapshot, "shared with another profiler") ||
		    has_note(snapshot, "counters are taken"));
	for (size_t i = 0; i < 14; i++) {
		char name[32];
		event_name(i, name, sizeof(name));
		enum figure_state figure = event_figure(snapshot, 60, name).state;
		assert_true(figure == FIGURE_SCALED || figure == FIGURE_NOT_COUNTED);
	}
	/* Nor is everything opened anew again and again, but for a try now and then. */
	assert_in_range(fk_calls(fk, FK_PERF_OPEN), opened, 2 * opened);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

static void add_column(struct engine *engine, enum request_kind kind, const char *text)
{
	send_request(engine, &(struct request){kind, text});
}

/* Every event of the snapshot that a task has comes to its truth, under its own name. */
static void assert_true_counts(struct fk *fk, const struct snapshot *snapshot, pid_t tid)
{
	double clock_ns = (double)count_of(snapshot, tid, "task-clock");
	double truth_ns = (double)fk_truth_task(fk, tid, FK_TASK_CLOCK);

	for (size_t i = 0; i < EVENTS_MAX; i++) {
		char name[32];
		event_name(i, name, sizeof(name));
		if (event_set_find(&snapshot->columns->events, name) < 0)
			continue;
		struct figure figure = event_figure(snapshot, tid, name);
		assert_true(figure_known(figure));
		double rate = (double)truth_of(fk, tid, i) / truth_ns;
		if (fabs(figure.value / clock_ns / rate - 1) > 0.02)
			fail_msg("%s: %.4f a ns, not %.4f", name, figure.value / clock_ns, rate);
	}
}

static bool in_one_group(const struct snapshot *snapshot, const char *a, const char *b)
{
	const struct plan *plan = snapshot->columns->plan;

	for (unsigned group = 0; group < plan->shape.n_groups; group++)
		if (plan_counter_in(plan, group, (unsigned)event_index(snapshot, a)) >= 0 &&
		    plan_counter_in(plan, group, (unsigned)event_index(snapshot, b)) >= 0)
			return true;
	return false;
}

static const struct row *known_row(const struct snapshot *snapshot, pid_t tid)
{
	static const struct row none;
	const struct row *row = row_of(snapshot, tid);

	if (!row)
		fail_msg("task %d did not run", tid);
	return row ? row : &none;
}

struct change {
	enum { ADD_EVENTS, ADD_METRIC, REMOVE } kind;
	const char *text;
	const char *columns; /* afterwards */
	const char *note;    /* on top; NULL: none */
};

static const struct change changes[] = {
	{ADD_EVENTS, "r201,r202,r203,r204", "ipc cycles r201 r202 r203 r204"},
	{ADD_EVENTS, "{r205,r206},r207", "ipc cycles r201 r202 r203 r204 r205 r206 r207"},
	{REMOVE, "r201", "ipc cycles r202 r203 r204 r205 r206 r207"},
	{ADD_EVENTS, "nonsense-event", "ipc cycles r202 r203 r204 r205 r206 r207",
	 "Unknown event 'nonsense-event'"},
	{ADD_EVENTS, "r220,no-such-event", "ipc cycles r202 r203 r204 r205 r206 r207",
	 "Unknown event 'no-such-event'"},
	{ADD_METRIC, "nonsense", "ipc cycles r202 r203 r204 r205 r206 r207",
	 "Unknown metric 'nonsense'"},
	{ADD_METRIC, "broken=r220 / (", "ipc cycles r202 r203 r204 r205 r206 r207", "broken"},
	{ADD_METRIC, "ratio=r208 / r209", "ipc cycles r202 r203 r204 r205 r206 r207 ratio"},
	{ADD_METRIC, "branch_mpki", "ipc cycles r202 r203 r204 r205 r206 r207 ratio branch_mpki"},
	{REMOVE, "cycles", "ipc r202 r203 r204 r205 r206 r207 ratio branch_mpki"},
	{REMOVE, "cycles", "ipc r202 r203 r204 r205 r206 r207 ratio branch_mpki",
	 "There is no column 'cycles'"},
	{ADD_EVENTS, "r202", "ipc r202 r203 r204 r205 r206 r207 ratio branch_mpki"},
	{REMOVE, "ipc", "r202 r203 r204 r205 r206 r207 ratio branch_mpki"},
	/* An earlier note is on top again. */
	{ADD_EVENTS, "nonsense-event", "r202 r203 r204 r205 r206 r207 ratio branch_mpki",
	 "Unknown event 'nonsense-event'"},
};

static void test_live_changes(void **state)
{
	const struct engine_column columns[] = {{ENGINE_METRIC, "ipc"}, {ENGINE_EVENTS, "cycles"}};
	const struct engine_config config = {
		.preset = &preset_none, .columns = columns, .n_columns = ARRAY_SIZE(columns)};
	struct fk *fk = fk_new(&fk_machine_intel);
	struct sys sys = fk_sys(fk);

	(void)state;
	add_load(fk);
	struct engine *engine = open_engine_with(&sys, &config);
	/* A fork and a new name of the task: neither record is repeated. */
	fk_script(fk,
		  (struct fk_step[]){{NS_PER_MS, FK_FORK, .tid = 50, .child = 90},
				     {2 * NS_PER_MS, FK_SWITCH, .cpu = 0, .tid = 90},
				     {3 * NS_PER_MS, FK_COMM, .tid = 90, .comm = "child"}},
		  3);
	struct snapshot *snapshot = nth_snapshot(engine, fk, 2);
	uint64_t start_ns = known_row(snapshot, 90)->start_ns;
	assert_true(start_ns > 0);
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		const struct change *change = &changes[i];
		struct columns *before = snapshot->columns;
		snapshot_free(snapshot);
		if (change->kind == REMOVE)
			send_request(engine, &(struct request){REQUEST_REMOVE, change->text});
		else
			add_column(engine,
				   change->kind == ADD_METRIC ? REQUEST_ADD_METRIC
							      : REQUEST_ADD_EVENTS,
				   change->text);
		snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		/* Not yet, but nothing is missing either. */
		assert_ptr_equal(snapshot->columns, before);
		assert_true_counts(fk, snapshot, 60);
		snapshot_free(snapshot);
		snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		check_columns(snapshot, change->columns);
		assert_true_counts(fk, snapshot, 60);
		assert_true_counts(fk, snapshot, 81);
		/* The last moment of a task with an EXIT just before all events were opened again.
		 */
		assert_true(snapshot->unattributed[TALLY_TASK_CLOCK] <= 5 * NS_PER_US);
		if (change->note)
			assert_non_null(strstr(snapshot->notes[0], change->note));
		const struct row *row = known_row(snapshot, 90);
		assert_int_equal(row->start_ns, start_ns);
		assert_string_equal(row->comm, "child");
	}
	assert_true(in_one_group(snapshot, "r205", "r206"));
	assert_true(in_one_group(snapshot, "r208", "r209"));
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* Down to no column at all, and up again. */
static void test_every_column_removed(void **state)
{
	struct fk *fk = fk_new(&fk_machine_zen);
	struct sys sys = fk_sys(fk);

	(void)state;
	add_load(fk);
	struct engine *engine = open_events(&sys, "cycles,r201", 0);
	unsigned fds = fk_open_fds(fk);
	send_request(engine, &(struct request){REQUEST_REMOVE, "cycles"});
	send_request(engine, &(struct request){REQUEST_REMOVE, "r201"});
	struct snapshot *snapshot = nth_snapshot(engine, fk, 2);
	check_columns(snapshot, "");
	assert_true(fk_open_fds(fk) < fds);
	assert_true(count_of(snapshot, 50, "task-clock") > 0);
	snapshot_free(snapshot);
	add_column(engine, REQUEST_ADD_EVENTS, "cycles,r201");
	snapshot = nth_snapshot(engine, fk, 2);
	assert_true_counts(fk, snapshot, 50);
	assert_int_equal(fk_open_fds(fk), fds);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* Memory and energy are in the totals, in their unit, and in no row. */
static void test_sockets(void **state)
{
	static const struct {
		const char *event, *device;
		uint64_t config;
		double scale;
		const char *unit;
	} events[] = {
		{"power/energy-pkg/", "power", 2, 0x1p-32, "Joules"},
		{"uncore_imc/data_reads/", "uncore_imc", 1, 64.0 / (1 << 20), "MiB"},
	};
	struct fk *fk = fk_new(&fk_machine_intel);
	struct sys sys = fk_sys(fk);

	(void)state;
	add_load(fk);
	char list[1024] = "power/energy-pkg/,uncore_imc/data_reads/,";
	event_names(14, list + strlen(list), sizeof(list) - strlen(list));
	struct engine *engine = open_events(&sys, list, 0);
	for (int n = 0; n < 3; n++) {
		uint64_t before[2];
		for (size_t i = 0; i < 2; i++)
			before[i] = fk_truth_device(fk, events[i].device, events[i].config, 0);
		struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		for (size_t i = 0; i < 2; i++) {
			const char *name = events[i].event;
			uint64_t truth =
				fk_truth_device(fk, events[i].device, events[i].config, 0) -
				before[i];
			struct figure total = total_of(snapshot, name);
			assert_int_equal(total.state, FIGURE_VALID);
			assert_true(fabs(total.value / ((double)truth * events[i].scale) - 1) <
				    0.001);
			int index = columns_metric(snapshot->columns, name);
			assert_int_equal(snapshot->figures[index].state, FIGURE_VALID);
			assert_int_equal(snapshot->cpus[1].figures[index].state,
					 FIGURE_UNSUPPORTED);
			assert_int_equal(task_figure(snapshot, 50, name).state, FIGURE_UNSUPPORTED);
			assert_string_equal(
				snapshot->columns->events.items[event_index(snapshot, name)].unit,
				events[i].unit);
		}
		assert_true_counts(fk, snapshot, 60);
		/* Shared counts are always unattributed: no warning. */
		size_t event = 0;
		assert_true(snapshot_unattributed(snapshot, &event) < 0.01);
		snapshot_free(snapshot);
	}
	close_all(engine, fk);
}

/* An event that cannot be read is NOT_COUNTED, and not 0 Joules. */
static void refuse(struct fk *fk, void *arg)
{
	(void)arg;
	fk_fail(fk, FK_PERF_READ, 0, EIO);
}

static void test_socket_that_cannot_be_read(void **state)
{
	struct fk *fk = fk_new(&fk_machine_intel);
	struct sys sys = fk_sys(fk);

	(void)state;
	add_load(fk);
	struct engine *engine = open_events(&sys, "power/energy-pkg/", 0);
	fk_after(fk, INTERVAL_NS / 2, refuse, NULL);
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	assert_int_equal(total_of(snapshot, "power/energy-pkg/").state, FIGURE_NOT_COUNTED);
	snapshot_free(snapshot);
	fk_fail(fk, FK_PERF_READ, 0, 0);
	/* The growth is the growth of two intervals. */
	snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	assert_int_equal(total_of(snapshot, "power/energy-pkg/").state, FIGURE_NOT_COUNTED);
	snapshot_free(snapshot);
	snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	struct figure energy = total_of(snapshot, "power/energy-pkg/");
	assert_int_equal(energy.state, FIGURE_VALID);
	assert_true(energy.value > 0.9 * 2 && energy.value < 1.1 * 2); /* 20 W */
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* The CPU on which a socket is counted goes offline, and another one is opened instead. */
static void test_socket_moves(void **state)
{
	struct fk *fk = fk_new(&fk_machine_intel);
	struct sys sys = fk_sys(fk);

	(void)state;
	add_load(fk);
	struct engine *engine = open_events(&sys, "power/energy-pkg/", 0);
	fk_cpu_offline(fk, 0);
	snapshot_free(next_snapshot(engine, fk, INTERVAL_NS));
	add_column(engine, REQUEST_ADD_EVENTS, "cycles");
	struct snapshot *snapshot = nth_snapshot(engine, fk, 3);
	struct figure energy = total_of(snapshot, "power/energy-pkg/");
	assert_int_equal(energy.state, FIGURE_VALID);
	assert_true(energy.value > 0.9 * 2 && energy.value < 1.3 * 2); /* 20 W */
	snapshot_free(snapshot);
	close_all(engine, fk);
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_clock_is_exact),
		cmocka_unit_test(test_short_task_is_not_counted_by_all),
		cmocka_unit_test(test_caller_on_a_counted_cpu),
		cmocka_unit_test(test_loss_between_turns),
		cmocka_unit_test(test_hotplug_between_turns),
		cmocka_unit_test(test_the_only_counter_is_taken),
		cmocka_unit_test(test_the_watchdog_is_known),
		cmocka_unit_test(test_topdown_metrics_by_name),
		cmocka_unit_test(test_counters_come_back),
		cmocka_unit_test(test_contended_turns),
		cmocka_unit_test(test_live_changes),
		cmocka_unit_test(test_every_column_removed),
		cmocka_unit_test(test_sockets),
		cmocka_unit_test(test_socket_that_cannot_be_read),
		cmocka_unit_test(test_socket_moves),
	};
	static const struct cases table = CASES(test_machine, machines);

	return cases_run("engine groups", &table, 1, others, ARRAY_SIZE(others));
}
