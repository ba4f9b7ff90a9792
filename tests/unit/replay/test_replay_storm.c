// SPDX-License-Identifier: MIT
/*
 * Random forks and exits: few tids, which are reused all the time, and two CPUs that go offline and
 * online, so that FORK and EXIT records are missed and /proc is read. A replay has the snapshots of
 * the live run.
 */
#include "tests/unit/shared/recorded_scene.h"

enum {
	PARENT = 50, /* on CPU 2, which stays */
	FIRST_KID = 60,
	KIDS = 8,
	GONE_CPUS = 2, /* CPUs 0 and 1 go and come */
	SEEDS = 40,
};

struct chance {
	uint64_t state;
	bool alive[KIDS];
	int cpu_of[KIDS];      /* -1: asleep */
	int kid_on[GONE_CPUS]; /* -1: idle */
	bool offline[GONE_CPUS];
	bool calm; /* no CPU goes or comes yet */
};

static unsigned roll_dice(struct chance *chance, unsigned sides)
{
	chance->state = chance->state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(chance->state >> 33) % sides;
}

static void run_kid(struct fk *fk, struct chance *chance, int cpu, int kid)
{
	int before = chance->kid_on[cpu];

	fk_switch(fk, cpu, kid < 0 ? 0 : FIRST_KID + kid);
	if (before >= 0)
		chance->cpu_of[before] = -1;
	chance->kid_on[cpu] = kid;
	if (kid >= 0)
		chance->cpu_of[kid] = cpu;
}

/* Forked by the task that runs on a random CPU; sleeps. */
static void fork_kid(struct fk *fk, struct chance *chance, int kid)
{
	unsigned cpu = roll_dice(chance, GONE_CPUS + 1);
	pid_t parent = PARENT;

	if (cpu < GONE_CPUS && chance->kid_on[cpu] >= 0)
		parent = FIRST_KID + chance->kid_on[cpu];
	fk_fork(fk, parent, FIRST_KID + kid);
	chance->alive[kid] = true;
	chance->cpu_of[kid] = -1;
}

static void end_kid(struct fk *fk, struct chance *chance, int kid)
{
	static const enum fk_exit ways[] = {FK_EXIT_REAPED, FK_EXIT_ZOMBIE};
	int cpu = chance->cpu_of[kid];

	fk_exit(fk, FIRST_KID + kid, ways[roll_dice(chance, 2)]);
	run_kid(fk, chance, cpu, -1);
	chance->alive[kid] = false;
}

static void plug_cpu(struct fk *fk, struct chance *chance, int cpu)
{
	int kid = chance->kid_on[cpu];

	if (chance->offline[cpu]) {
		fk_cpu_online(fk, cpu);
	} else {
		fk_cpu_offline(fk, cpu);
		if (kid >= 0)
			chance->cpu_of[kid] = -1;
		chance->kid_on[cpu] = -1;
	}
	chance->offline[cpu] = !chance->offline[cpu];
}

static void next_chance(struct fk *fk, void *arg)
{
	struct chance *chance = arg;
	int kid = (int)roll_dice(chance, KIDS), cpu = (int)roll_dice(chance, GONE_CPUS);

	if (!chance->calm && roll_dice(chance, 25) == 0) {
		plug_cpu(fk, chance, cpu);
	} else if (!chance->alive[kid]) {
		fork_kid(fk, chance, kid);
	} else if (chance->cpu_of[kid] < 0) {
		if (!chance->offline[cpu])
			run_kid(fk, chance, cpu, kid);
	} else if (roll_dice(chance, 3) == 0) {
		fk_comm(fk, FIRST_KID + kid, roll_dice(chance, 2) ? "born" : "other");
	} else {
		end_kid(fk, chance, kid);
	}
	fk_after(fk, (1 + roll_dice(chance, 4)) * NS_PER_MS, next_chance, arg);
}

static void record_storm(uint64_t seed, struct engine_config config, const char *path,
			 struct seen *seen)
{
	struct chance chance = {.state = seed, .kid_on = {-1, -1}, .calm = true};
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 3, .slots = seed % 2 ? 2 : 6});
	struct sys sys = fk_sys(fk);

	fk_task(fk, &(struct fk_spec){.tid = PARENT,
				      .comm = "parent",
				      .rates = {[FK_CYCLES] = {3, 1}, [FK_INSTRUCTIONS] = {1, 1}}});
	fk_switch(fk, 2, PARENT);
	fk_after(fk, NS_PER_MS, next_chance, &chance);
	config.recorder = open_recorder(path, 0);
	struct engine *engine = open_engine_with(&sys, &config);
	while (seen->n < INTERVALS_MAX) {
		/* A recording does not contain tasks that ended just before it began. */
		chance.calm = seen->n < 2;
		seen->items[seen->n++] = next_snapshot(engine, fk, INTERVAL_NS);
	}
	engine_free(engine);
	fk_free(fk);
}

static void test_chance(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct seen seen = {0};

		print_message("seed %llu\n", (unsigned long long)seed);
		record_storm(seed, (struct engine_config){.idle = seed % 4 > 1}, path_of("storm"),
			     &seen);
		struct replay *replay = must_open(path_of("storm"), NULL);
		check_replay(replay, &seen);
		replay_free(replay);
		seen_fini(&seen);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chance),
	};

	return cmocka_run_group_tests(tests, recorded_scenes_setup, recorded_scenes_teardown);
}
