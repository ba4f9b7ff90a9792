// SPDX-License-Identifier: MIT
/*
 * Samples of code on the fake kernel, in which each task is in known places with known weights:
 * shares are right, counts stay exact, periods follow the rates, and nothing is open when nothing
 * is requested.
 */
#include "core/engine/engine_internal.h"
#include "tests/fake_kernel/machines.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/engine_run.h"
#include "tests/unit/shared/send_request.h"

#include <math.h>
#include <stdio.h>

enum { TASK = 50, PARTNER = 51, HZ = 199, IPS = 2, HOT = 0, COLD = 1 };

static const uint64_t callers[] = {0x402000, 0x403000};
static const struct fk_place places[IPS] = {
	{.ip = 0x401000, .weight = 70, .chain = callers, .n_chain = ARRAY_SIZE(callers)},
	{.ip = 0xffffffff81001000, .weight = 30},
};

/* What came of one sampled event. */
struct event_sum {
	uint64_t samples[IPS], weight, others;
	uint64_t last_weight;
};

struct sink {
	struct event_sum events[CODE_SAMPLED_MAX];
	uint64_t lost, chains;
	uint64_t cpus; /* bit n: CPU n has samples */
	enum code_record_kind records[64];
	pid_t pids[64];
	size_t n_records;
	uint64_t record_ns; /* of the last one */
};

static void add_sample(void *user, const struct code_sample *sample)
{
	struct sink *sink = user;
	struct event_sum *sum = &sink->events[sample->event];

	assert_in_range(sample->event, 0, CODE_SAMPLED_MAX - 1);
	sink->cpus |= UINT64_C(1) << sample->cpu;
	if (sample->pid == 0)
		return;
	sum->weight += sample->weight;
	sum->last_weight = sample->weight;
	if (sample->pid != TASK) {
		sum->others++;
		return;
	}
	int at = sample->ip == places[HOT].ip ? HOT : COLD;
	assert_int_equal(sample->ip, places[at].ip);
	assert_int_equal(sample->kernel, at == COLD);
	assert_int_equal(sample->n_chain, 2 + places[at].n_chain);
	assert_true(sample->chain[0] >= (uint64_t)PERF_CONTEXT_MAX);
	assert_int_equal(sample->chain[1], sample->ip);
	for (size_t i = 0; i < places[at].n_chain; i++)
		assert_int_equal(sample->chain[2 + i], callers[i]);
	sink->chains += places[at].n_chain > 0;
	sum->samples[at]++;
}

static void add_record(void *user, const struct code_record *record)
{
	struct sink *sink = user;

	assert_true(record->time_ns >= sink->record_ns);
	sink->record_ns = record->time_ns;
	assert_in_range(sink->n_records, 0, ARRAY_SIZE(sink->records) - 1);
	sink->pids[sink->n_records] = record->pid;
	sink->records[sink->n_records++] = record->kind;
}

static void add_lost(void *user, uint64_t samples)
{
	((struct sink *)user)->lost += samples;
}

struct scene {
	struct fk *fk;
	struct sys sys;
	struct engine *engine;
	struct sink sink;
	struct code_request request;
};

static void begin(struct scene *scene, const struct fk_config *config, const char *events)
{
	*scene = (struct scene){.fk = fk_new(config)};
	scene->sys = fk_sys(scene->fk);
	scene->request =
		(struct code_request){HZ, {add_sample, add_record, add_lost, &scene->sink}};
	fk_task(scene->fk, &(struct fk_spec){.tid = TASK,
					     .comm = "hot",
					     .rates = {[FK_CYCLES] = {3},
						       [FK_INSTRUCTIONS] = {6},
						       [FK_CACHE_MISSES] = {1, 200}}});
	fk_task(scene->fk,
		&(struct fk_spec){.tid = PARTNER,
				  .comm = "partner",
				  .rates = {[FK_CYCLES] = {2}, [FK_INSTRUCTIONS] = {1}}});
	fk_places(scene->fk, TASK, places, IPS);
	scene->engine = open_events(&scene->sys, events, 0);
}

static void end(struct scene *scene)
{
	close_all(scene->engine, scene->fk);
}

/* From the next interval on. */
static void request(struct scene *scene, bool on)
{
	scene->engine->next.code = on ? &scene->request : NULL;
}

static void run(struct scene *scene, int intervals)
{
	while (intervals-- > 0)
		snapshot_free(next_snapshot(scene->engine, scene->fk, NS_PER_S));
}

/* The index of a sampled event; -1: it is not sampled. */
static int sampled(const struct scene *scene, const char *name)
{
	const struct collect *collect = scene->engine->collect;

	for (size_t i = 0; i < collect->n_code_events; i++)
		if (strcmp(collect->code_events[i].name, name) == 0)
			return (int)i;
	return -1;
}

struct machine {
	const char *name;
	struct fk_config config;
	const struct fk_config *model;
	const char *events;
	const char *sampled; /* the expected events */
};

static const struct fk_pmu without_interrupts[] = {{.name = "cpu",
						    .type = 4,
						    .last_cpu = FK_LAST_CPU,
						    .slots = 6,
						    .events = FK_ALL_HARDWARE,
						    .no_interrupts = true}};

static const struct machine machines[] = {
	{"members",
	 {.cpus = 2},
	 NULL,
	 "cycles,instructions,cache-misses",
	 "cycles instructions cache-misses page-faults"},
	{"members, cycles first",
	 {.cpus = 2},
	 NULL,
	 "branches,cache-misses,instructions,cycles",
	 "cycles instructions cache-misses branches page-faults"},
	{"no more than four",
	 {.cpus = 2},
	 NULL,
	 "branches,bus-cycles,cache-misses,branch-misses,instructions,cycles",
	 "cycles instructions cache-misses branch-misses page-faults"},
	{"no counters", {.cpus = 2, .no_pmu = true}, NULL, "page-faults", "cpu-clock page-faults"},
	{"counters, and none is counted",
	 {.cpus = 2},
	 NULL,
	 "page-faults",
	 "cpu-clock page-faults"},
	{"cycles are not counted",
	 {.cpus = 2},
	 NULL,
	 "instructions",
	 "instructions cpu-clock page-faults"},
	{"counters without interrupts",
	 {.cpus = 2, .pmus = without_interrupts, .n_pmus = 1},
	 NULL,
	 "cycles,instructions",
	 "cpu-clock page-faults"},
	{"groups in turns",
	 {0},
	 &fk_machine_zen,
	 "cycles,instructions,branches,branch-misses,cache-misses,cache-references,"
	 "L1-dcache-loads,L1-dcache-load-misses,dTLB-load-misses,iTLB-load-misses",
	 "cycles instructions branch-misses cache-misses page-faults"},
};

static void check_share(const struct event_sum *sum)
{
	double n = (double)(sum->samples[HOT] + sum->samples[COLD]);
	double share = (double)sum->samples[HOT] / n;

	if (!(n >= 100) || fabs(share - 0.7) > 3 * sqrt(0.7 * 0.3 / n))
		fail_msg("a share of %.3f of %.0f samples", share, n);
}

static void check_names(const struct scene *scene, const char *expected)
{
	const struct collect *collect = scene->engine->collect;
	char names[256] = "";
	size_t used = 0;

	for (size_t i = 0; i < collect->n_code_events; i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? " " : "",
					 collect->code_events[i].name);
	assert_string_equal(names, expected);
}

/* Functions have the shares of their places, and weights are the counts. */
static void shares_and_weights(void **state)
{
	const struct machine *machine = *state;
	struct scene scene;

	begin(&scene, machine->model ? machine->model : &machine->config, machine->events);
	unsigned fds = fk_open_fds(scene.fk), mapped = fk_mapped(scene.fk);
	fk_switch(scene.fk, 1, TASK);
	run(&scene, 1);
	request(&scene, true);
	run(&scene, 2);
	check_names(&scene, machine->sampled);
	assert_true(fk_open_fds(scene.fk) > fds && fk_mapped(scene.fk) > mapped);
	scene.sink = (struct sink){0};
	uint64_t cycles = fk_truth_task(scene.fk, TASK, FK_CYCLES);
	run(&scene, 10);
	cycles = fk_truth_task(scene.fk, TASK, FK_CYCLES) - cycles;
	bool members = sampled(&scene, "cpu-clock") < 0;
	const struct event_sum *sum = &scene.sink.events[members ? sampled(&scene, "cycles")
								 : sampled(&scene, "cpu-clock")];
	check_share(sum);
	assert_true(scene.sink.chains > 0);
	assert_int_equal(scene.sink.lost, 0);
	double weight = (double)sum->weight, whole = members ? (double)cycles : 1e10;
	/* In turns the samples are of a part of the time. */
	if (!machine->model && fabs(weight - whole) > 2 * (double)sum->last_weight + whole / 1000)
		fail_msg("weights of %.0f, %.0f occurred", weight, whole);
	assert_true(sum->samples[HOT] + sum->samples[COLD] <= 2 * 10 * HZ);
	request(&scene, false);
	run(&scene, 1);
	assert_int_equal(fk_open_fds(scene.fk), fds);
	assert_int_equal(fk_mapped(scene.fk), mapped);
	end(&scene);
}

/* While sampling begins, runs and ends, each count equals the count in the fake kernel. */
static void counts_stay_exact(void **state)
{
	static const struct fk_config configs[] = {{.cpus = 2},
						   {.cpus = 2, .tracefs = FK_TRACEFS_MOUNTED},
						   {.cpus = 2, .no_pmu = true}};
	static const struct {
		const char *name;
		enum fk_event event;
	} events[] = {{"cycles", FK_CYCLES},
		      {"instructions", FK_INSTRUCTIONS},
		      {"cache-misses", FK_CACHE_MISSES},
		      {"task-clock", FK_TASK_CLOCK},
		      {"context-switches", FK_SWITCHES}};
	static const pid_t tids[] = {TASK, PARTNER};

	(void)state;
	for (size_t c = 0; c < ARRAY_SIZE(configs); c++) {
		uint64_t sums[ARRAY_SIZE(tids)][ARRAY_SIZE(events)] = {{0}};
		bool pmu = !configs[c].no_pmu;
		struct scene scene;

		begin(&scene, &configs[c],
		      pmu ? "cycles,instructions,cache-misses" : "page-faults");
		fk_ping_pong(scene.fk, 1, TASK, PARTNER, 777 * NS_PER_US, 9001);
		for (int i = 0; i < 8; i++) {
			if (i == 2 || i == 6)
				request(&scene, true);
			if (i == 4 || i == 7)
				request(&scene, false);
			if (i == 7)
				fk_switch(scene.fk, 1, 0);
			struct snapshot *snapshot = next_snapshot(scene.engine, scene.fk, NS_PER_S);
			for (size_t t = 0; t < ARRAY_SIZE(tids); t++)
				for (size_t e = pmu ? 0 : 3; e < ARRAY_SIZE(events); e++)
					sums[t][e] += count_of(snapshot, tids[t], events[e].name);
			snapshot_free(snapshot);
		}
		for (size_t t = 0; t < ARRAY_SIZE(tids); t++)
			for (size_t e = pmu ? 0 : 3; e < ARRAY_SIZE(events); e++)
				assert_int_equal(sums[t][e],
						 fk_truth_task(scene.fk, tids[t], events[e].event));
		assert_true(scene.sink.events[0].samples[HOT] > 0);
		end(&scene);
	}
}

static void check_near(uint64_t value, double wanted)
{
	if ((double)value > 2 * wanted || (double)value < wanted / 2)
		fail_msg("%llu, not near %.0f", (unsigned long long)value, wanted);
	assert_int_equal(value % 2, 1);
}

/* Periods follow the rates of the counted events, but within a factor of 2 they stay. */
static void periods_follow_rates(void **state)
{
	struct scene scene;
	struct event_sum *cycles, *misses;

	(void)state;
	begin(&scene, &(struct fk_config){.cpus = 1}, "cycles,cache-misses");
	fk_switch(scene.fk, 0, TASK);
	request(&scene, true);
	run(&scene, 3);
	cycles = &scene.sink.events[sampled(&scene, "cycles")];
	misses = &scene.sink.events[sampled(&scene, "cache-misses")];
	uint64_t before = cycles->last_weight;
	check_near(before, 3e9 / HZ);
	/* 5 million misses a second: the period is what no rate can throttle. */
	assert_int_equal(misses->last_weight, (uint64_t)(CODE_CLOCK_HZ / (CODE_MAX_HZ / 2.0)) | 1);
	fk_rate(scene.fk, TASK, FK_CYCLES, (struct fk_rate){4, 1});
	run(&scene, 3);
	assert_int_equal(cycles->last_weight, before);
	fk_rate(scene.fk, TASK, FK_CYCLES, (struct fk_rate){30, 1});
	fk_rate(scene.fk, TASK, FK_CACHE_MISSES, (struct fk_rate){1, 2});
	run(&scene, 3);
	check_near(cycles->last_weight, 30e9 / HZ);
	check_near(misses->last_weight, 5e8 / HZ);
	/* The kernel found its interrupts slow. */
	fk_file(scene.fk, "/proc/sys/kernel/perf_event_max_sample_rate", "100\n");
	run(&scene, 3);
	assert_true((double)misses->last_weight >= CODE_CLOCK_HZ / 50);
	end(&scene);
}

/* A group that the kernel stops is a gap, where its leader writes to the ring of the samples too.
 */
static void throttled_groups_are_gaps(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, &(struct fk_config){.cpus = 2}, "cycles,instructions");
	fk_switch(scene.fk, 1, TASK);
	request(&scene, true);
	run(&scene, 2);
	fk_throttle(scene.fk, 1, true);
	struct snapshot *snapshot = next_snapshot(scene.engine, scene.fk, NS_PER_S);
	assert_true(has_lost(snapshot, TASK));
	snapshot_free(snapshot);
	fk_throttle(scene.fk, 1, false);
	run(&scene, 1);
	snapshot = next_snapshot(scene.engine, scene.fk, NS_PER_S);
	assert_false(has_lost(snapshot, TASK));
	snapshot_free(snapshot);
	end(&scene);
}

static void throttle(struct fk *fk, bool on)
{
	fk_throttle(fk, 0, on);
}

static void take_counters(struct fk *fk, bool on)
{
	fk_hold(fk, 0, on ? FK_HOLD_ALL : 0);
}

static void take_one(struct fk *fk, bool on)
{
	fk_hold(fk, 0, on);
}

static void take_and_throttle(struct fk *fk, bool on)
{
	take_counters(fk, on);
	throttle(fk, on);
}

/* The kernel lowers its rate, for good, and throttles. */
static void slow_down(struct fk *fk, bool on)
{
	fk_file(fk, "/proc/sys/kernel/perf_event_max_sample_rate", "250\n");
	throttle(fk, on);
}

/* It does not say that a group goes on. */
static void throttle_for_ever(struct fk *fk, bool on)
{
	if (on)
		throttle(fk, true);
}

/* An idle CPU has no tick, which would let it go on. */
static void throttle_alone_for_ever(struct fk *fk, bool on)
{
	if (on)
		fk_throttle_alone(fk, 0, true);
}

static const struct disturbance {
	const char *name;
	void (*disturb)(struct fk *fk, bool on);
	int refreshes; /* that it lasts */
	bool tracepoint;
	unsigned slots;
} disturbances[] = {
	{"throttled", throttle, 1, false, 6},
	{"throttled long, in turns", throttle, 5, true, 2},
	{"never unthrottled", throttle_for_ever, 1, false, 6},
	{"never unthrottled, tracepoint", throttle_for_ever, 1, true, 6},
	{"an event is never unthrottled", throttle_alone_for_ever, 1, false, 6},
	{"an event is never unthrottled, in turns", throttle_alone_for_ever, 1, true, 2},
	{"counters taken", take_counters, 1, false, 6},
	{"counters taken long", take_counters, 6, true, 6},
	{"one counter taken, in turns", take_one, 6, false, 2},
	{"counters taken, and throttled", take_and_throttle, 4, false, 6},
	{"a lower rate", slow_down, 2, false, 6},
	{"a lower rate, in turns", slow_down, 2, true, 2},
};

/* Samples of cycles so far. */
static uint64_t cycles_samples(const struct scene *scene)
{
	int event = sampled(scene, "cycles");
	const struct event_sum *sum = event < 0 ? NULL : &scene->sink.events[event];

	return sum ? sum->samples[HOT] + sum->samples[COLD] : 0;
}

/*
 * While code is sampled too, counts are never wrong and unmarked, and soon they are exact again.
 * There is no storm of samples because little was counted meanwhile.
 */
static void counts_come_back(void **state)
{
	enum { SOON = 6 };
	const struct disturbance *this = *state;
	struct scene scene;
	struct figure cycles = {0};

	begin(&scene,
	      &(struct fk_config){.cpus = 1,
				  .slots = this->slots,
				  .tracefs =
					  this->tracepoint ? FK_TRACEFS_MOUNTED : FK_TRACEFS_NONE},
	      this->slots < 6 ? "cycles,instructions,cache-misses,branch-misses"
			      : "cycles,instructions");
	fk_switch(scene.fk, 0, TASK);
	request(&scene, true);
	run(&scene, 4);
	for (int i = 0; i < this->refreshes + SOON; i++) {
		uint64_t before = cycles_samples(&scene);
		if (i == 0 || i == this->refreshes)
			this->disturb(scene.fk, i == 0);
		struct snapshot *snapshot = next_snapshot(scene.engine, scene.fk, NS_PER_S);
		cycles.state = FIGURE_NOT_COUNTED; /* if a group is off, no record names the task */
		if (row_of(snapshot, TASK))
			cycles = event_figure(snapshot, TASK, "cycles");
		if (cycles.state == FIGURE_VALID)
			assert_true(fabs(cycles.value - 3e9) < 1e7);
		snapshot_free(snapshot);
		uint64_t after = cycles_samples(&scene);
		assert_in_range(u64_growth(before, after), 0, 3 * HZ);
	}
	assert_int_equal(cycles.state, this->slots < 6 ? FIGURE_SCALED : FIGURE_VALID);
	assert_true(fabs(cycles.value - 3e9) < 1e7);
	end(&scene);
}

/* Samples that find no room are lost, and nothing else is. */
static void lost_samples_are_counted(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, &(struct fk_config){.cpus = 1}, "cycles,instructions");
	fk_switch(scene.fk, 0, TASK);
	request(&scene, true);
	run(&scene, 2);
	fk_advance(scene.fk, 20 * NS_PER_S);
	struct snapshot *snapshot = next_snapshot(scene.engine, scene.fk, NS_PER_S);
	assert_int_equal(scene.sink.lost, 0); /* the LOST comes with the next record */
	assert_int_equal(snapshot->lost_records, 0);
	assert_false(has_lost(snapshot, TASK));
	snapshot_free(snapshot);
	run(&scene, 1);
	assert_true(scene.sink.lost > 0);
	end(&scene);
}

static void cpus_come_and_go(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, &(struct fk_config){.cpus = 3}, "cycles,instructions");
	request(&scene, true);
	run(&scene, 2);
	unsigned fds = fk_open_fds(scene.fk), mapped = fk_mapped(scene.fk);
	fk_cpu_offline(scene.fk, 2);
	run(&scene, 2);
	assert_true(fk_open_fds(scene.fk) < fds && fk_mapped(scene.fk) < mapped);
	fk_cpu_online(scene.fk, 2);
	run(&scene, 2);
	assert_int_equal(fk_open_fds(scene.fk), fds);
	assert_int_equal(fk_mapped(scene.fk), mapped);
	scene.sink = (struct sink){0};
	fk_switch(scene.fk, 2, TASK);
	run(&scene, 2);
	assert_true(scene.sink.cpus & 4);
	assert_true(scene.sink.events[0].samples[HOT] > 0);
	/* Off and on again within one interval. */
	fk_cpu_offline(scene.fk, 2);
	fk_cpu_online(scene.fk, 2);
	run(&scene, 2);
	scene.sink = (struct sink){0};
	fk_switch(scene.fk, 2, TASK);
	run(&scene, 2);
	assert_true(scene.sink.events[0].samples[HOT] > 0);
	assert_int_equal(fk_open_fds(scene.fk), fds);
	end(&scene);
}

/* Records of mappings come in the order of time, whichever CPU they are of. */
static void mappings_are_passed(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, &(struct fk_config){.cpus = 2}, "cycles");
	fk_switch(scene.fk, 1, TASK);
	request(&scene, true);
	run(&scene, 1);
	fk_map_code(scene.fk, TASK, 0x400000, 0x10000, "/bin/a");
	fk_advance(scene.fk, NS_PER_MS);
	fk_switch(scene.fk, 1, 0);
	fk_switch(scene.fk, 0, TASK);
	fk_exec(scene.fk, TASK, "b");
	fk_advance(scene.fk, NS_PER_MS);
	fk_switch(scene.fk, 0, 0);
	fk_switch(scene.fk, 1, TASK);
	fk_map_code(scene.fk, TASK, 0x400000, 0x10000, "/bin/b");
	fk_fork(scene.fk, TASK, 60);
	fk_thread(scene.fk, TASK, 61);
	fk_exit(scene.fk, TASK, FK_EXIT_REAPED);
	run(&scene, 1);
	static const enum code_record_kind expected[] = {CODE_RECORD_MMAP, CODE_RECORD_EXEC,
							 CODE_RECORD_MMAP, CODE_RECORD_FORK,
							 CODE_RECORD_EXIT};
	assert_int_equal(scene.sink.n_records, ARRAY_SIZE(expected));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		assert_int_equal(scene.sink.records[i], expected[i]);
		assert_int_equal(scene.sink.pids[i], expected[i] == CODE_RECORD_FORK ? 60 : TASK);
	}
	end(&scene);
}

/* Other columns are other members; a changed rate is another period. */
static void plans_may_change(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, &(struct fk_config){.cpus = 2}, "instructions");
	fk_switch(scene.fk, 1, TASK);
	request(&scene, true);
	run(&scene, 2);
	check_names(&scene, "instructions cpu-clock page-faults");
	unsigned mapped = fk_mapped(scene.fk);
	send_request(scene.engine, &(struct request){REQUEST_ADD_EVENTS, "cycles"});
	run(&scene, 2);
	check_names(&scene, "cycles instructions page-faults");
	assert_int_equal(fk_mapped(scene.fk), mapped);
	scene.sink = (struct sink){0};
	run(&scene, 3);
	check_share(&scene.sink.events[0]);
	check_share(&scene.sink.events[1]);
	scene.request.hz = 10 * HZ;
	run(&scene, 3);
	check_near(scene.sink.events[0].last_weight, 3e9 / HZ / 10);
	end(&scene);
}

/* The rate is halved until it costs less, and a note states it. */
static void costly_rates_are_halved(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, &(struct fk_config){.cpus = 1}, "cycles");
	scene.request.hz = 4000; /* 4 % at 10 us */
	fk_switch(scene.fk, 0, TASK);
	request(&scene, true);
	run(&scene, 3 * CODE_COSTLY_INTERVALS + 2);
	struct snapshot *snapshot = next_snapshot(scene.engine, scene.fk, NS_PER_S);
	assert_true(has_note(snapshot, "more than 1 % of a CPU"));
	snapshot_free(snapshot);
	check_near(scene.sink.events[0].last_weight, 3e9 / 1000);
	request(&scene, false);
	run(&scene, 1);
	snapshot = next_snapshot(scene.engine, scene.fk, NS_PER_S);
	assert_false(has_note(snapshot, "more than 1 % of a CPU"));
	snapshot_free(snapshot);
	end(&scene);
}

/* The rate is half of what the kernel allows, and a note states it. */
static void kernels_bound_the_rate(void **state)
{
	static const struct {
		const char *name;
		unsigned max_hz, hz; /* hz 0: that of the request */
	} rows[] = {{"below", 150, 75}, {"just enough", 2 * HZ, 0}, {"the least", 1, 1}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct scene scene;

		print_message("%s\n", rows[i].name);
		begin(&scene, &(struct fk_config){.cpus = 1, .max_sample_rate = rows[i].max_hz},
		      "page-faults");
		fk_switch(scene.fk, 0, TASK);
		request(&scene, true);
		run(&scene, 3);
		struct snapshot *snapshot = next_snapshot(scene.engine, scene.fk, NS_PER_S);
		assert_int_equal(has_note(snapshot, "perf_event_max_sample_rate bounds"),
				 rows[i].hz > 0);
		snapshot_free(snapshot);
		int clock = sampled(&scene, "cpu-clock");
		assert_in_range(clock, 0, CODE_SAMPLED_MAX - 1);
		assert_int_equal(scene.sink.events[clock].last_weight,
				 NS_PER_S / (rows[i].hz ? rows[i].hz : HZ));
		end(&scene);
	}
}

/* The samples that a throttled clock should have made are lost. */
static void throttled_clocks_lose_samples(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, &(struct fk_config){.cpus = 1}, "page-faults");
	fk_switch(scene.fk, 0, TASK);
	request(&scene, true);
	run(&scene, 3);
	assert_int_equal(scene.sink.lost, 0);
	fk_throttle(scene.fk, 0, true);
	run(&scene, 1);
	fk_throttle(scene.fk, 0, false);
	run(&scene, 1);
	assert_in_range(scene.sink.lost, HZ - 1, HZ + 1);
	end(&scene);
}

/* What the kernel refuses is noted, and counting goes on. */
static void refusals_are_noted(void **state)
{
	static const struct {
		enum fk_op op;
		unsigned call;
		int error;
	} failures[] = {
		{FK_PERF_OPEN, 1, EMFILE}, {FK_PERF_MAP, 0, EINVAL}, {FK_PERF_MAP, 0, EPERM}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(failures); i++) {
		struct scene scene;

		begin(&scene, &(struct fk_config){.cpus = 1}, "cycles");
		fk_switch(scene.fk, 0, TASK);
		run(&scene, 1);
		fk_fail(scene.fk, failures[i].op, failures[i].call, failures[i].error);
		request(&scene, true);
		run(&scene, 1);
		struct snapshot *snapshot = next_snapshot(scene.engine, scene.fk, NS_PER_S);
		assert_true(has_note(snapshot, "Functions are not sampled"));
		assert_true(count_of(snapshot, TASK, "cycles") > 0);
		snapshot_free(snapshot);
		fk_fail(scene.fk, failures[i].op, 0, 0);
		end(&scene);
	}
}

int main(void)
{
	static const struct cases tables[] = {CASES(shares_and_weights, machines),
					      CASES(counts_come_back, disturbances)};
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(counts_stay_exact),
		cmocka_unit_test(periods_follow_rates),
		cmocka_unit_test(throttled_groups_are_gaps),
		cmocka_unit_test(lost_samples_are_counted),
		cmocka_unit_test(cpus_come_and_go),
		cmocka_unit_test(mappings_are_passed),
		cmocka_unit_test(plans_may_change),
		cmocka_unit_test(costly_rates_are_halved),
		cmocka_unit_test(kernels_bound_the_rate),
		cmocka_unit_test(throttled_clocks_lose_samples),
		cmocka_unit_test(refusals_are_noted),
	};

	return cases_run("code_sampler", tables, ARRAY_SIZE(tables), others, ARRAY_SIZE(others));
}
