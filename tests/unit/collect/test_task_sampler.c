// SPDX-License-Identifier: MIT
/*
 * Samples of the code of single threads on the fake kernel, as an ordinary user: shares are right,
 * counts are the same with and without them, threads come and go, limits hold, and nothing is open
 * when nothing is requested.
 */
#include "core/collect/task_sampler.h"

#include "core/engine/engine_internal.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/engine_run.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

enum { TASK = 50, PARTNER = 51, CHILD = 60, FOREIGN = 90, CROWD = 100, HZ = 199, USER = 1000 };
enum { HOT, COLD, IN_KERNEL };

static const struct fk_place places[] = {
	[HOT] = {.ip = 0x401000, .weight = 60},
	[COLD] = {.ip = 0x402000, .weight = 20},
	[IN_KERNEL] = {.ip = 0xffffffff81001000, .weight = 20},
};

struct sink {
	uint64_t samples[ARRAY_SIZE(places)]; /* of TASK */
	uint64_t partner, child, foreign, crowd, weight, lost, records;
	uint64_t faults, fault_weight; /* of TASK */
	uint64_t cpus;                 /* bit n: CPU n has samples */
};

static void add_sample(void *user, const struct code_sample *sample)
{
	struct sink *sink = user;

	if (sample->event == 1) {
		assert_int_equal(sample->tid, TASK);
		sink->faults++;
		sink->fault_weight += sample->weight;
		return;
	}
	assert_int_equal(sample->event, 0);
	sink->cpus |= UINT64_C(1) << sample->cpu;
	sink->partner += sample->tid == PARTNER;
	sink->child += sample->tid == CHILD;
	sink->foreign += sample->tid == FOREIGN;
	sink->crowd += sample->tid >= CROWD;
	if (sample->tid != TASK)
		return;
	sink->weight += sample->weight;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		sink->samples[i] += sample->ip == places[i].ip;
}

static void add_record(void *user, const struct code_record *record)
{
	(void)record;
	((struct sink *)user)->records++;
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

/* Without an engine yet. */
static void prepare(struct scene *scene, const struct fk_config *config)
{
	struct fk_config ordinary = *config;

	ordinary.unprivileged = true;
	ordinary.uid = USER;
	if (!ordinary.paranoid)
		ordinary.paranoid = 2;
	*scene = (struct scene){.fk = fk_new(&ordinary)};
	scene->sys = fk_sys(scene->fk);
	scene->request =
		(struct code_request){HZ, {add_sample, add_record, add_lost, &scene->sink}};
	for (pid_t tid = TASK; tid <= PARTNER; tid++)
		fk_task(scene->fk, &(struct fk_spec){.tid = tid, .uid = USER, .rates = HALF_IPC});
	fk_task(scene->fk, &(struct fk_spec){.tid = FOREIGN, .rates = HALF_IPC});
	fk_places(scene->fk, TASK, places, ARRAY_SIZE(places));
}

static void begin(struct scene *scene, const struct fk_config *config)
{
	prepare(scene, config);
	scene->engine = open_engine(&scene->sys);
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

struct level {
	const char *name;
	struct fk_config config;
	const char *clock, *faults;
	double hot; /* share of HOT */
};

static const struct level levels[] = {
	{"user mode", {.cpus = 2}, "cpu-clock:u", "page-faults:u", 0.75},
	{"user mode, no counters",
	 {.cpus = 2, .no_pmu = true},
	 "cpu-clock:u",
	 "page-faults:u",
	 0.75},
	{"both modes", {.cpus = 2, .paranoid = 1}, "cpu-clock", "page-faults", 0.6},
};

/* A task that moves between CPUs: functions have the shares of their places, on all CPUs. */
static void shares_and_weights(void **state)
{
	const struct level *level = *state;
	struct scene scene;

	begin(&scene, &level->config);
	unsigned fds = fk_open_fds(scene.fk), mapped = fk_mapped(scene.fk);
	fk_switch(scene.fk, 0, TASK);
	run(&scene, 2);
	request(&scene, true);
	run(&scene, 1);
	scene.sink = (struct sink){0};
	for (int i = 0; i < 12; i++) {
		fk_switch(scene.fk, i % 2, 0);
		fk_switch(scene.fk, !(i % 2), TASK);
		run(&scene, 1);
	}
	const struct collect *collect = scene.engine->collect;
	assert_int_equal(collect->n_code_events, 2);
	assert_string_equal(collect->code_events[0].name, level->clock);
	assert_string_equal(collect->code_events[1].name, level->faults);
	assert_int_equal(scene.sink.cpus, 3);
	assert_int_equal(scene.sink.lost, 0);
	double n = (double)(scene.sink.samples[HOT] + scene.sink.samples[COLD] +
			    scene.sink.samples[IN_KERNEL]);
	double hot = (double)scene.sink.samples[HOT] / n, p = level->hot;
	if (fabs(hot - p) > 3 * sqrt(p * (1 - p) / n))
		fail_msg("a share of %.3f of %.0f samples", hot, n);
	assert_true(level->config.paranoid ? scene.sink.samples[IN_KERNEL] > 0
					   : scene.sink.samples[IN_KERNEL] == 0);
	/* In user mode it was for 80 % of its time. */
	double whole = 12e9 * (level->config.paranoid ? 1 : 0.8);
	if (fabs((double)scene.sink.weight - whole) > 3 * sqrt(0.16 * 12 * HZ) * 1e9 / HZ + 1e7)
		fail_msg("weights of %.0f of %.0f ns", (double)scene.sink.weight, whole);
	request(&scene, false);
	run(&scene, 1);
	assert_int_equal(collect->n_code_events, 0);
	/* Counters of threads are opened and closed meanwhile: of TASK and no other. */
	assert_int_equal(fk_mapped(scene.fk), mapped);
	assert_true(fk_open_fds(scene.fk) >= fds);
	end(&scene);
}

/* Two runs of the same machine, one with samples and one without, count the same. */
static void counts_are_the_same(void **state)
{
	static const char *const events[] = {"cycles", "instructions", "task-clock"};
	uint64_t sums[2][ARRAY_SIZE(events)] = {{0}};

	(void)state;
	for (int sampled = 0; sampled < 2; sampled++) {
		struct scene scene;
		begin(&scene, &(struct fk_config){.cpus = 2, .frozen_clock = true});
		fk_switch(scene.fk, 0, TASK);
		run(&scene, 2);
		for (int i = 0; i < 6; i++) {
			if (i % 4 == 0)
				request(&scene, sampled);
			if (i == 3)
				request(&scene, false);
			struct snapshot *snapshot = next_snapshot(scene.engine, scene.fk, NS_PER_S);
			for (size_t e = 0; e < ARRAY_SIZE(events); e++)
				sums[sampled][e] += count_of(snapshot, TASK, events[e]);
			snapshot_free(snapshot);
		}
		assert_int_equal(scene.sink.samples[HOT] > 0, sampled);
		end(&scene);
	}
	for (size_t e = 0; e < ARRAY_SIZE(events); e++) {
		assert_true(sums[0][e] > 0);
		assert_int_equal(sums[0][e], sums[1][e]);
	}
}

/* Their samples weigh as much as there were, and the period follows their rate. */
static void page_faults_are_sampled(void **state)
{
	struct scene scene;
	const uint64_t each = 100000;

	(void)state;
	begin(&scene, &(struct fk_config){.cpus = 1, .frozen_clock = true});
	fk_switch(scene.fk, 0, TASK);
	run(&scene, 2);
	request(&scene, true);
	run(&scene, 1);
	for (int i = 0; i < 3; i++) {
		scene.sink = (struct sink){0};
		for (uint64_t k = 0; k < each; k++)
			fk_fault(scene.fk, 0, false);
		run(&scene, 1);
		assert_in_range(scene.sink.fault_weight, each - 2 * CODE_FAULTS_PERIOD,
				each + 2 * CODE_FAULTS_PERIOD);
		assert_in_range(scene.sink.faults, HZ / 4, 2 * HZ);
	}
	end(&scene);
}

/* On many CPUs the descriptors suffice for the time of more threads, or for their faults too. */
static void time_comes_before_page_faults(void **state)
{
	static const struct {
		unsigned cpus, events;
	} rows[] = {{TASK_SAMPLER_FDS / 2 / TASK_SAMPLER_BOTH, 2},
		    {TASK_SAMPLER_FDS / 2 / TASK_SAMPLER_BOTH + 1, 1}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct scene scene;
		begin(&scene, &(struct fk_config){.cpus = rows[i].cpus, .fd_limit = 4096});
		fk_switch(scene.fk, 0, TASK);
		run(&scene, 2);
		request(&scene, true);
		run(&scene, 2);
		assert_int_equal(scene.engine->collect->n_code_events, rows[i].events);
		assert_true(scene.sink.samples[HOT] > 0);
		end(&scene);
	}
}

/* Threads that end, start and exec; other users' are never sampled. */
static void threads_come_and_go(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, &(struct fk_config){.cpus = 3});
	fk_switch(scene.fk, 0, TASK);
	fk_switch(scene.fk, 1, PARTNER);
	fk_switch(scene.fk, 2, FOREIGN);
	run(&scene, 2);
	request(&scene, true);
	run(&scene, 2);
	assert_int_equal(scene.engine->collect->n_code_events, 2);
	assert_true(scene.sink.samples[HOT] > 0 && scene.sink.partner > 0);
	fk_fork(scene.fk, TASK, CHILD);
	fk_map_code(scene.fk, TASK, 0x400000, 0x10000, "/bin/a");
	fk_exec(scene.fk, TASK, "b");
	fk_exit(scene.fk, PARTNER, FK_EXIT_REAPED);
	fk_switch(scene.fk, 1, CHILD);
	run(&scene, 1);
	assert_true(scene.sink.records >= 4); /* FORK, MMAP, EXEC, EXIT */
	unsigned fds = fk_open_fds(scene.fk);
	run(&scene, 2);
	scene.sink = (struct sink){0};
	run(&scene, 2);
	assert_true(scene.sink.samples[HOT] > 0 && scene.sink.child > 0);
	assert_int_equal(scene.sink.foreign, 0);
	assert_int_equal(scene.sink.lost, 0);
	assert_int_equal(fk_open_fds(scene.fk), fds);
	end(&scene);
}

/* The busiest threads are sampled, and never more descriptors are open than the limit. */
static void crowds_are_bounded(void **state)
{
	enum { CPUS = 16, N = 200 };
	struct scene scene;

	(void)state;
	prepare(&scene, &(struct fk_config){.cpus = CPUS});
	for (pid_t tid = CROWD; tid < CROWD + N; tid++)
		fk_task(scene.fk, &(struct fk_spec){.tid = tid, .uid = USER, .rates = HALF_IPC});
	scene.engine = open_engine(&scene.sys);
	fk_switch(scene.fk, 0, TASK);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < N; i++) {
			fk_switch(scene.fk, 1 + i % (CPUS - 1), CROWD + i);
			fk_advance(scene.fk, 20 * NS_PER_MS);
		}
		if (round == 1)
			request(&scene, true);
		run(&scene, 1);
	}
	size_t events = fk_open_fds(scene.fk);
	request(&scene, false);
	run(&scene, 1);
	size_t rest = fk_open_fds(scene.fk);
	assert_true(events > rest);
	assert_in_range(events - rest, CPUS + CPUS, TASK_SAMPLER_FDS + CPUS);
	assert_true(scene.sink.samples[HOT] > 0);
	assert_true(scene.sink.crowd > 0);
	end(&scene);
}

/* Locked memory that is short makes small rings; a CPU that comes online is sampled too. */
static void rings_are_small_and_follow_cpus(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, &(struct fk_config){.cpus = 2, .mlock_kb = 40});
	fk_cpu_offline(scene.fk, 1);
	fk_switch(scene.fk, 0, TASK);
	run(&scene, 2);
	request(&scene, true);
	run(&scene, 2);
	assert_int_equal(scene.sink.cpus, 1);
	assert_int_equal(fk_mapped(scene.fk), 1);
	fk_cpu_online(scene.fk, 1);
	run(&scene, 2);
	fk_switch(scene.fk, 0, 0);
	fk_switch(scene.fk, 1, TASK);
	scene.sink = (struct sink){0};
	run(&scene, 1);
	assert_int_equal(scene.sink.cpus, 2);
	assert_int_equal(scene.sink.lost, 0);
	end(&scene);
}

/* The rate is halved until it costs less, and samples weigh as much more. */
static void costly_rates_are_halved(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene, &(struct fk_config){.cpus = 1, .paranoid = 1});
	scene.request.hz = 4000; /* 4 % at 10 us */
	fk_switch(scene.fk, 0, TASK);
	run(&scene, 2);
	request(&scene, true);
	run(&scene, 3 * CODE_COSTLY_INTERVALS + 2);
	scene.sink = (struct sink){0};
	struct snapshot *snapshot = next_snapshot(scene.engine, scene.fk, NS_PER_S);
	assert_true(has_note(snapshot, "more than 1 % of a CPU"));
	snapshot_free(snapshot);
	uint64_t n =
		scene.sink.samples[HOT] + scene.sink.samples[COLD] + scene.sink.samples[IN_KERNEL];
	assert_in_range(n, 990, 1010);
	assert_in_range(scene.sink.weight, 990 * NS_PER_MS, 1010 * NS_PER_MS);
	request(&scene, false);
	run(&scene, 1);
	snapshot = next_snapshot(scene.engine, scene.fk, NS_PER_S);
	assert_false(has_note(snapshot, "more than 1 % of a CPU"));
	snapshot_free(snapshot);
	end(&scene);
}

/* What the kernel refuses is noted, counting goes on, and so does sampling once it is granted. */
static void refusals_are_noted(void **state)
{
	static const struct {
		enum fk_op op;
		int error;
		const char *note;
	} failures[] = {
		{FK_PERF_OPEN, EMFILE, "no file descriptor is left"},
		{FK_PERF_OPEN, EACCES, "the kernel refuses them"},
		{FK_PERF_MAP, EPERM, "ulimit -l"},
		{FK_PERF_MAP, EINVAL, "the kernel refuses them"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(failures); i++) {
		struct scene scene;
		begin(&scene, &(struct fk_config){.cpus = 1});
		fk_switch(scene.fk, 0, TASK);
		run(&scene, 3);
		fk_fail(scene.fk, failures[i].op, 0, failures[i].error);
		request(&scene, true);
		run(&scene, 1);
		struct snapshot *snapshot = next_snapshot(scene.engine, scene.fk, NS_PER_S);
		assert_true(has_note(snapshot, "Functions of some threads are not sampled"));
		assert_true(has_note(snapshot, failures[i].note));
		assert_true(count_of(snapshot, TASK, "cycles") > 0);
		snapshot_free(snapshot);
		assert_int_equal(scene.sink.samples[HOT], 0);
		fk_fail(scene.fk, failures[i].op, 0, 0);
		run(&scene, 3);
		assert_true(scene.sink.samples[HOT] > 0);
		snapshot = next_snapshot(scene.engine, scene.fk, NS_PER_S);
		assert_false(has_note(snapshot, "Functions of some threads"));
		snapshot_free(snapshot);
		end(&scene);
	}
}

int main(void)
{
	static const struct cases tables[] = {CASES(shares_and_weights, levels)};
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(counts_are_the_same),
		cmocka_unit_test(page_faults_are_sampled),
		cmocka_unit_test(time_comes_before_page_faults),
		cmocka_unit_test(threads_come_and_go),
		cmocka_unit_test(crowds_are_bounded),
		cmocka_unit_test(rings_are_small_and_follow_cpus),
		cmocka_unit_test(costly_rates_are_halved),
		cmocka_unit_test(refusals_are_noted),
	};

	return cases_run("task_sampler", tables, ARRAY_SIZE(tables), others, ARRAY_SIZE(others));
}
