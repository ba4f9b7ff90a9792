// SPDX-License-Identifier: MIT
/*
 * Samples of why threads are blocked: which threads are looked at, how often, and what is known
 * then; and the figures of a load against the fake kernel's own times.
 */
#include "core/wait/looks.h"
#include "tests/fake_kernel/mixed_load.h"
#include "tests/unit/shared/engine_run.h"

#include <math.h>
#include <stdio.h>

static void parts_are_shares_of_the_blocked_looks(void **state)
{
	static const struct {
		const char *name;
		double counts[LOOK_COUNTS];
		bool known;
		struct look_parts parts;
	} rows[] = {
		{"never looked at", {0}, false, {0}},
		{"too few looks",
		 {[LOOK_TURNS] = 4, [LOOK_BLOCKED] = 4, [LOOK_LOCK] = 4},
		 false,
		 {0}},
		{"never blocked", {[LOOK_TURNS] = 10}, false, {0}},
		{"a lock",
		 {[LOOK_TURNS] = 5, [LOOK_BLOCKED] = 4, [LOOK_LOCK] = 4},
		 true,
		 {1, 0, 0, 1}},
		{"no reason of these",
		 {[LOOK_TURNS] = 10, [LOOK_BLOCKED] = 8, [LOOK_OTHER] = 6, [LOOK_FUTEX] = 2},
		 true,
		 {0, 0, 0, 1}},
		{"all",
		 {[LOOK_TURNS] = 10,
		  [LOOK_BLOCKED] = 8,
		  [LOOK_LOCK] = 2,
		  [LOOK_DISK] = 1,
		  [LOOK_PAGE] = 4,
		  [LOOK_OTHER] = 1},
		 true,
		 {0.25, 0.125, 0.5, 1}},
		{"open ones are shared",
		 {[LOOK_TURNS] = 20,
		  [LOOK_BLOCKED] = 16,
		  [LOOK_LOCK] = 1,
		  [LOOK_FUTEX] = 3,
		  [LOOK_OPEN_FUTEX] = 4,
		  [LOOK_DISK] = 3,
		  [LOOK_PAGE] = 1,
		  [LOOK_OPEN_PAGE] = 4},
		 true,
		 {0.125, 0.375, 0.125, 1}},
		{"all open",
		 {[LOOK_TURNS] = 8,
		  [LOOK_BLOCKED] = 8,
		  [LOOK_OPEN_FUTEX] = 6,
		  [LOOK_OPEN_PAGE] = 2},
		 false,
		 {0}},
		{"open and other",
		 {[LOOK_TURNS] = 8, [LOOK_BLOCKED] = 8, [LOOK_OPEN_FUTEX] = 6, [LOOK_OTHER] = 2},
		 true,
		 {0, 0, 0, 0.25}},
		{"blind",
		 {[LOOK_TURNS] = 8, [LOOK_BLOCKED] = 8, [LOOK_LOCK] = 6, [LOOK_BLIND] = 2},
		 true,
		 {0.75, 0, 0, 0.75}},
		{"all blind", {[LOOK_TURNS] = 8, [LOOK_BLOCKED] = 8, [LOOK_BLIND] = 8}, false, {0}},
		{"all blind, states known",
		 {[LOOK_TURNS] = 8,
		  [LOOK_BLOCKED] = 8,
		  [LOOK_STATES] = 4,
		  [LOOK_D] = 2,
		  [LOOK_STOPPED] = 1,
		  [LOOK_BLIND] = 8},
		 true,
		 {.uninterruptible = 0.25, .stopped = 0.125, .states = 0.5}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct look_parts parts = {0};

		print_message("%s\n", rows[i].name);
		assert_int_equal(look_parts_of(rows[i].counts, &parts), rows[i].known);
		assert_memory_equal(&parts, &rows[i].parts, sizeof(parts));
	}
}

/* Looks at tasks of the fake kernel, all of them blocked. */
struct scene {
	struct fk *fk;
	struct sys sys;
	struct users *users;
	struct target *target;
	struct tasks *tasks;
	struct looks looks;
};

static void scene_init(struct scene *scene, const struct fk_config *config)
{
	struct error err;

	memset(scene, 0, sizeof(*scene));
	scene->fk = fk_new(config);
	scene->sys = fk_sys(scene->fk);
	scene->tasks = tasks_new(&scene->sys);
	assert_int_equal(
		target_new(&scene->sys, NULL, &(struct target_spec){0}, &scene->target, &err), 0);
	looks_init(&scene->looks, &scene->sys, scene->target, scene->tasks);
	looks_begin(&scene->looks, true);
	scene->looks.rights.wchan = BLOCKED_RIGHT_GRANTED;
}

static void scene_fini(struct scene *scene)
{
	target_free(scene->target);
	tasks_free(scene->tasks);
	fk_free(scene->fk);
}

static struct task *add_task(struct scene *scene, pid_t tid, const struct fk_wait *wait)
{
	fk_task(scene->fk, &(struct fk_spec){.tid = tid});
	fk_switch(scene->fk, 0, tid);
	fk_block_in(scene->fk, tid, FK_SLEEPING, wait);
	fk_switch(scene->fk, 0, 0);
	return tasks_at(scene->tasks, tid, tid, fk_now(scene->fk));
}

static const struct look_reasons often = {
	.lifetime_ns = NS_PER_S, .blocked_ns = NS_PER_S, .wakeups = 10};

static void turn(struct scene *scene, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		fk_advance(scene->fk, looks_due_ns(&scene->looks) - fk_now(scene->fk));
		looks_turn(&scene->looks, sys_now_ns(&scene->sys));
	}
}

static void the_most_blocked_are_chosen(void **state)
{
	static const struct {
		const char *name;
		struct look_reasons reasons;
		bool kernel, chosen;
	} rows[] = {
		{"woke up often", {NS_PER_S, NS_PER_S / 2, 0, 10}, false, true},
		{"was hardly blocked", {NS_PER_S, NS_PER_S / 20, 0, 1000}, false, false},
		{"never woke up", {NS_PER_S, NS_PER_S, 0, 0}, false, false},
		{"in state D", {NS_PER_S, NS_PER_S, NS_PER_S / 2, 0}, false, true},
		{"hardly in state D", {NS_PER_S, NS_PER_S / 20, NS_PER_S / 200, 9}, false, false},
		{"kernel thread that waits for work", {NS_PER_S, NS_PER_S, 0, 10}, true, false},
		{"kernel thread in state D", {NS_PER_S, NS_PER_S, NS_PER_S / 2, 10}, true, true},
	};
	struct scene scene;

	(void)state;
	scene_init(&scene, NULL);
	struct task *task = add_task(&scene, 7, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		print_message("%s\n", rows[i].name);
		task->kernel = rows[i].kernel;
		looks_consider(&scene.looks, task, &rows[i].reasons);
		looks_choose(&scene.looks, fk_now(scene.fk));
		assert_int_equal(scene.looks.n, rows[i].chosen);
		assert_int_equal(task->wait.looked, rows[i].chosen);
		assert_int_equal(looks_due_ns(&scene.looks) == UINT64_MAX, !rows[i].chosen);
	}
	/* Not pmctop itself. */
	scene.looks.pid = 7;
	looks_consider(&scene.looks, task, &often);
	looks_choose(&scene.looks, fk_now(scene.fk));
	assert_int_equal(scene.looks.n, 0);
	scene_fini(&scene);
}

/* Of 100 tasks, half by D (the lower the number, the more of it), half by wake-ups (the higher). */
static void there_is_room_for_both_kinds(void **state)
{
	enum { TASKS = 100, FIRST = 100 };
	struct scene scene;

	(void)state;
	scene_init(&scene, NULL);
	for (pid_t i = 0; i < TASKS; i++) {
		const struct look_reasons reasons = {
			.lifetime_ns = NS_PER_S,
			.blocked_ns = NS_PER_S,
			.uninterruptible_ns = (uint64_t)(TASKS - i) * NS_PER_S / TASKS,
			.wakeups = (uint32_t)i + 1,
		};

		looks_consider(&scene.looks, add_task(&scene, FIRST + i, NULL), &reasons);
	}
	looks_choose(&scene.looks, fk_now(scene.fk));
	assert_int_equal(scene.looks.n, LOOKS_MOST);
	for (pid_t i = 0; i < TASKS; i++) {
		const struct task *task = tasks_find(scene.tasks, FIRST + i, fk_now(scene.fk));
		bool chosen = i < LOOKS_MOST / 2 || i >= TASKS - LOOKS_MOST / 2;

		assert_int_equal(task->wait.looked > 0, chosen);
	}
	/* Another plan begins without threads, and one without these events goes on so. */
	struct task *task = tasks_find(scene.tasks, FIRST, fk_now(scene.fk));
	looks_begin(&scene.looks, false);
	assert_int_equal(task->wait.looked, 0);
	looks_consider(&scene.looks, task, &often);
	looks_choose(&scene.looks, fk_now(scene.fk));
	assert_true(looks_due_ns(&scene.looks) == UINT64_MAX);
	scene_fini(&scene);
}

/* A thread that is chosen again keeps half of its looks, another one begins anew. */
static void looks_of_the_past_count_half(void **state)
{
	struct look_parts parts;
	struct scene scene;

	(void)state;
	scene_init(&scene, NULL);
	struct task *task = add_task(&scene, 7, &mixed_waits[MIXED_LOCK]);
	looks_consider(&scene.looks, task, &often);
	looks_choose(&scene.looks, fk_now(scene.fk));
	turn(&scene, 4);
	assert_false(looks_parts(&scene.looks, task, &parts));
	turn(&scene, 4);
	assert_true(looks_parts(&scene.looks, task, &parts));
	assert_true(parts.lock == 1 && parts.known == 1);
	looks_consider(&scene.looks, task, &often);
	looks_choose(&scene.looks, fk_now(scene.fk));
	assert_true(scene.looks.items[0].counts[LOOK_LOCK] == 4);
	looks_choose(&scene.looks, fk_now(scene.fk));
	assert_int_equal(task->wait.looked, 0);
	looks_consider(&scene.looks, task, &often);
	looks_choose(&scene.looks, fk_now(scene.fk));
	assert_true(scene.looks.items[0].counts[LOOK_LOCK] == 0);
	scene_fini(&scene);
}

/* Threads that wait for nothing of interest are looked at in one of LOOKS_SELDOM turns. */
static void sleepers_are_looked_at_seldom(void **state)
{
	static const struct {
		size_t wait;
		bool seldom;
	} rows[] = {{MIXED_SLEEP, true},
		    {MIXED_CONDITION, true},
		    {MIXED_LOCK, false},
		    {MIXED_PAGE, false}};
	enum { TURNS = 40, MOST = LOOKS_OTHER + (TURNS - LOOKS_OTHER) / LOOKS_SELDOM + 1 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct scene scene;

		scene_init(&scene, NULL);
		looks_consider(&scene.looks, add_task(&scene, 7, &mixed_waits[rows[i].wait]),
			       &often);
		looks_choose(&scene.looks, fk_now(scene.fk));
		turn(&scene, TURNS);
		double n = scene.looks.items[0].counts[LOOK_TURNS];
		assert_true(rows[i].seldom ? n <= MOST && n >= MOST - 2 : n == TURNS);
		scene_fini(&scene);
	}
}

static void a_turn_keeps_to_its_share(void **state)
{
	static const struct {
		uint64_t step_ns; /* what a look takes */
		unsigned least, most;
	} rows[] = {
		{5 * NS_PER_US, 320, 320},
		/* At most 50 to 100 ms / LOOKS_COST, and the look that exceeds it. */
		{100 * NS_PER_US, 30, 60},
		{10 * NS_PER_MS, 10, 10},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		double turns = 0;
		struct scene scene;

		scene_init(&scene, &(struct fk_config){.step_ns = rows[i].step_ns});
		for (pid_t tid = 100; tid < 100 + LOOKS_MOST; tid++)
			looks_consider(&scene.looks,
				       add_task(&scene, tid, &mixed_waits[MIXED_LOCK]), &often);
		looks_choose(&scene.looks, fk_now(scene.fk));
		turn(&scene, 10);
		double most = 0, least = 1e9;
		for (size_t k = 0; k < LOOKS_MOST; k++) {
			double n = scene.looks.items[k].counts[LOOK_TURNS];
			turns += n;
			most = n > most ? n : most;
			least = n < least ? n : least;
		}
		print_message("%.0f looks\n", turns);
		assert_in_range((unsigned)turns, rows[i].least, rows[i].most);
		assert_true(most - least <= 1); /* each thread has its turn */
		scene_fini(&scene);
	}
}

/* A process with one task for all of its threads: another thread is looked at. */
static void a_process_is_looked_at_in_one_of_its_threads(void **state)
{
	struct look_reasons reasons = often;
	struct look_parts parts;
	struct scene scene;

	(void)state;
	scene_init(&scene, NULL);
	fk_task(scene.fk, &(struct fk_spec){.tid = 7});
	fk_switch(scene.fk, 0, 7);
	fk_thread(scene.fk, 7, 8);
	fk_block_in(scene.fk, 7, FK_SLEEPING, &mixed_waits[MIXED_SLEEP]);
	fk_switch(scene.fk, 0, 8);
	fk_block_in(scene.fk, 8, FK_SLEEPING, &mixed_waits[MIXED_LOCK]);
	fk_switch(scene.fk, 0, 0);
	struct task *task = tasks_at(scene.tasks, 7, 7, fk_now(scene.fk));
	reasons.tid = 8;
	looks_consider(&scene.looks, task, &reasons);
	looks_choose(&scene.looks, fk_now(scene.fk));
	turn(&scene, 8);
	assert_true(looks_parts(&scene.looks, task, &parts));
	assert_true(parts.lock == 1 && parts.known == 1);
	scene_fini(&scene);
}

/* If looks take long, fewer threads are looked at, and soon each of them often enough. */
static void a_slow_machine_has_fewer_threads(void **state)
{
	static const struct {
		uint64_t step_ns;
		unsigned chosen;
	} rows[] = {{5 * NS_PER_US, LOOKS_MOST}, {200 * NS_PER_US, LOOKS_FEW}};
	struct task *tasks[LOOKS_MOST];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		unsigned known = 0;
		struct scene scene;

		scene_init(&scene, &(struct fk_config){.step_ns = rows[i].step_ns});
		for (pid_t k = 0; k < LOOKS_MOST; k++)
			tasks[k] = add_task(&scene, 100 + k, &mixed_waits[MIXED_LOCK]);
		for (unsigned interval = 0; interval < 3; interval++) {
			for (size_t k = 0; k < LOOKS_MOST; k++)
				looks_consider(&scene.looks, tasks[k], &often);
			looks_choose(&scene.looks, fk_now(scene.fk));
			turn(&scene, 13);
		}
		for (size_t k = 0; k < LOOKS_MOST; k++) {
			struct look_parts parts;

			known += looks_parts(&scene.looks, tasks[k], &parts);
		}
		assert_int_equal(scene.looks.n, rows[i].chosen);
		assert_int_equal(known, rows[i].chosen);
		scene_fini(&scene);
	}
}

/* What a reading that fails leaves unknown is not taken for another reason. */
static void a_failed_reading_is_blind(void **state)
{
	static const struct {
		const char *name;
		size_t wait;
		unsigned call; /* of a look */
		int error;
		enum look_count count;
	} rows[] = {
		{"wchan", MIXED_LOCK, 1, EIO, LOOK_BLIND},
		{"wchan, no right", MIXED_LOCK, 1, EACCES, LOOK_BLIND},
		{"wchan, ended", MIXED_LOCK, 1, ESRCH, LOOK_COUNTS},
		{"syscall", MIXED_LOCK, 2, EPERM, LOOK_OPEN_FUTEX},
		{"stat", MIXED_PAGE, 2, EIO, LOOK_BLIND},
		{"syscall, the stack has it", MIXED_PAGE, 3, EPERM, LOOK_PAGE},
		{"stack", MIXED_DISK, 4, EACCES, LOOK_OPEN_PAGE},
		{"none", MIXED_PAGE, 0, 0, LOOK_PAGE},
		{"none, disk", MIXED_DISK, 0, 0, LOOK_DISK},
		{"none, condition variable", MIXED_CONDITION, 0, 0, LOOK_FUTEX},
		{"none, vfork", MIXED_VFORK, 0, 0, LOOK_OTHER},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct scene scene;

		print_message("%s\n", rows[i].name);
		scene_init(&scene, NULL);
		looks_consider(&scene.looks, add_task(&scene, 7, &mixed_waits[rows[i].wait]),
			       &often);
		looks_choose(&scene.looks, fk_now(scene.fk));
		if (rows[i].call)
			fk_fail(scene.fk, FK_FILE_READ, rows[i].call, rows[i].error);
		turn(&scene, 1);
		for (size_t k = LOOK_LOCK; k < LOOK_COUNTS; k++)
			assert_true(scene.looks.items[0].counts[k] == (k == rows[i].count));
		assert_true(scene.looks.items[0].counts[LOOK_TURNS] ==
			    (rows[i].count != LOOK_COUNTS));
		assert_int_equal(scene.looks.items[0].ended, rows[i].count == LOOK_COUNTS);
		scene_fini(&scene);
	}
}

/* A thread that ends is not read again, and has what was seen of it. */
static void a_thread_that_ends_keeps_its_looks(void **state)
{
	struct look_parts parts;
	struct scene scene;

	(void)state;
	scene_init(&scene, NULL);
	struct task *task = add_task(&scene, 7, &mixed_waits[MIXED_LOCK]);
	looks_consider(&scene.looks, task, &often);
	looks_choose(&scene.looks, fk_now(scene.fk));
	turn(&scene, 6);
	fk_switch(scene.fk, 0, 7);
	fk_exit(scene.fk, 7, FK_EXIT_REAPED);
	fk_switch(scene.fk, 0, 0);
	turn(&scene, 1);
	unsigned calls = fk_calls(scene.fk, FK_FILE_READ);
	turn(&scene, 1);
	assert_int_equal(fk_calls(scene.fk, FK_FILE_READ), calls);
	assert_true(scene.looks.items[0].counts[LOOK_TURNS] == 6);
	assert_true(looks_parts(&scene.looks, task, &parts));
	scene_fini(&scene);
}

static const struct {
	const char *event;
	size_t wait; /* MIXED_WAITS: the time in a state */
	enum fk_state state;
} reasons[] = {{"lock_time", MIXED_LOCK, FK_SLEEPING},
	       {"disk_time", MIXED_DISK, FK_UNINTERRUPTIBLE},
	       {"paging_time", MIXED_PAGE, FK_UNINTERRUPTIBLE},
	       {"uninterruptible_time", MIXED_WAITS, FK_UNINTERRUPTIBLE},
	       {"stopped_time", MIXED_WAITS, FK_STOPPED}};

enum { REASONS = 3 }; /* the others are states */

enum { FIRST_TID = 100, TASKS = 12, SECONDS = 300 };

/* The time of a reason of the tasks that do not end. */
static uint64_t true_ns(struct fk *fk, size_t i)
{
	uint64_t ns = 0;

	for (pid_t tid = FIRST_TID; tid < FIRST_TID + TASKS; tid++)
		ns += reasons[i].wait == MIXED_WAITS
			      ? fk_truth_state(fk, tid, reasons[i].state)
			      : fk_truth_wait(fk, tid, &mixed_waits[reasons[i].wait]);
	return ns;
}

static void add_figures(const struct snapshot *snapshot, size_t n_reasons, double *sums, size_t *n)
{
	for (pid_t tid = FIRST_TID; tid < FIRST_TID + TASKS; tid++)
		for (size_t i = 0; row_of(snapshot, tid) && i < n_reasons; i++) {
			struct figure figure = event_figure(snapshot, tid, reasons[i].event);
			assert_int_not_equal(figure.state, FIGURE_VALID);
			*n += figure.state == FIGURE_SCALED;
			sums[i] += figure.value;
		}
}

static void check_sums(const struct fk_config *config, size_t n_reasons)
{
	static const struct engine_column column = {
		.kind = ENGINE_EVENTS,
		.text = "blocked_time,lock_time,disk_time,paging_time,uninterruptible_time,"
			"stopped_time"};
	static const struct engine_config engine_config = {
		.preset = &preset_none, .columns = &column, .n_columns = 1};
	const struct mixed_load_spec spec = {.cpus = 4,
					     .tasks = TASKS,
					     .uid = config->uid,
					     .first = FIRST_TID,
					     .seed = 1,
					     .queue_ns = 100 * NS_PER_US};
	struct fk *fk = fk_new(config);
	struct sys sys = fk_sys(fk);
	struct mixed_load *load = mixed_load_new(fk, &spec);
	struct engine *engine = open_engine_with(&sys, &engine_config);
	double sums[ARRAY_SIZE(reasons)] = {0};
	uint64_t before[ARRAY_SIZE(reasons)];
	size_t n = 0;

	for (unsigned second = 0; second < SECONDS; second++) {
		if (second == 1)
			for (size_t i = 0; i < n_reasons; i++)
				before[i] = true_ns(fk, i);
		engine_wait(engine, fk_now(fk) + NS_PER_S);
		struct snapshot *snapshot = engine_snapshot(engine);
		if (second > 0)
			add_figures(snapshot, n_reasons, sums, &n);
		snapshot_free(snapshot);
	}
	for (size_t i = 0; i < n_reasons; i++) {
		double ns = (double)(true_ns(fk, i) - before[i]);
		print_message("%s: %.2f s of %.2f s\n", reasons[i].event, sums[i] / 1e9, ns / 1e9);
		assert_true(fabs(sums[i] - ns) < 0.05 * ns);
	}
	print_message("%zu figures\n", n);
	assert_true(n > SECONDS * TASKS * n_reasons / 2);
	close_all(engine, fk);
	mixed_load_free(load);
}

/* With and without states in records of switches, with counters of own tasks, and with /proc alone.
 */
static void sums_are_those_of_the_kernel(void **state)
{
	(void)state;
	check_sums(&(struct fk_config){.cpus = 4, .tracefs = FK_TRACEFS_MOUNTED}, REASONS);
	check_sums(&(struct fk_config){.cpus = 4}, ARRAY_SIZE(reasons));
	check_sums(&(struct fk_config){.cpus = 4, .unprivileged = true, .uid = 1000, .paranoid = 2},
		   ARRAY_SIZE(reasons));
	check_sums(&(struct fk_config){.cpus = 4, .unprivileged = true, .uid = 1000, .paranoid = 3},
		   ARRAY_SIZE(reasons));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_are_shares_of_the_blocked_looks),
		cmocka_unit_test(the_most_blocked_are_chosen),
		cmocka_unit_test(there_is_room_for_both_kinds),
		cmocka_unit_test(looks_of_the_past_count_half),
		cmocka_unit_test(sleepers_are_looked_at_seldom),
		cmocka_unit_test(a_turn_keeps_to_its_share),
		cmocka_unit_test(a_process_is_looked_at_in_one_of_its_threads),
		cmocka_unit_test(a_slow_machine_has_fewer_threads),
		cmocka_unit_test(a_failed_reading_is_blind),
		cmocka_unit_test(a_thread_that_ends_keeps_its_looks),
		cmocka_unit_test(sums_are_those_of_the_kernel),
	};

	return cmocka_run_group_tests_name("looks", tests, NULL, NULL);
}
