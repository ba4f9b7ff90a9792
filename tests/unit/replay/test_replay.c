// SPDX-License-Identifier: MIT
/*
 * The snapshots of a replay are the same as in the recorded run.
 */
#include "tests/unit/shared/recorded_scene.h"

static const struct engine_column counts[] = {
	{ENGINE_EVENTS, "cycles,instructions,branch-misses,cache-misses,page-faults"}};
static const struct engine_column sockets[] = {
	{ENGINE_EVENTS, "power/energy-pkg/,user_time,system_time,cycles"}};
static const struct engine_column waits[] = {
	{ENGINE_EVENTS, "runq_time,preempted_time,blocked_time,uninterruptible_time,stopped_time,"
			"throttled_time,lock_time,disk_time,paging_time,forked_time,"
			"voluntary-switches,involuntary-switches,forks"}};
static const struct engine_column waits_and_state[] = {{ENGINE_METRIC, "state"},
						       {ENGINE_EVENTS, "runq_time,blocked_time"}};
static const struct engine_column facts[] = {
	{ENGINE_METRIC, "state"},        {ENGINE_METRIC, "rss"},
	{ENGINE_METRIC, "mem_percent"},  {ENGINE_METRIC, "total_time"},
	{ENGINE_METRIC, "nice"},         {ENGINE_METRIC, "last_cpu"},
	{ENGINE_METRIC, "thread_count"}, {ENGINE_METRIC, "read_per_s"},
	{ENGINE_METRIC, "write_per_s"}};
static const struct engine_column latencies[] = {{ENGINE_EVENTS, "wakeups,runq_time"},
						 {ENGINE_METRIC, "wakeup_p50"},
						 {ENGINE_METRIC, "wakeup_max"}};
static const pid_t some_pids[] = {50};
static const pid_t some_tids[] = {53, 55};

static void come_and_go(struct engine *engine, struct fk *fk, size_t interval)
{
	(void)engine;
	if (interval == 1)
		fk_cpu_offline(fk, 0);
	if (interval == 3)
		fk_cpu_online(fk, 0);
}

/* Task 54 is woken and waits for CPU 0, 0.1 ms more in each interval. */
static void wake_sleeper(struct engine *engine, struct fk *fk, size_t interval)
{
	const struct fk_step steps[] = {
		{.at_ns = 10 * NS_PER_MS, .action = FK_READY, .tid = 54},
		{.at_ns = 10 * NS_PER_MS + (interval + 1) * 100 * NS_PER_US,
		 .action = FK_SWITCH,
		 .cpu = 0,
		 .tid = 54},
		{.at_ns = 13 * NS_PER_MS, .action = FK_SWITCH, .cpu = 0, .tid = 0},
	};

	(void)engine;
	fk_script(fk, steps, ARRAY_SIZE(steps));
}

static void rival(struct engine *engine, struct fk *fk, size_t interval)
{
	fk_rival(fk, &(struct fk_rival){.chain_bytes = 0});
	come_and_go(engine, fk, interval);
}

static void rival_with_chain(struct engine *engine, struct fk *fk, size_t interval)
{
	fk_rival(fk, &(struct fk_rival){.chain_bytes = 1040});
	come_and_go(engine, fk, interval);
}

static void rival_elsewhere(struct engine *engine, struct fk *fk, size_t interval)
{
	fk_rival(fk, &(struct fk_rival){.other_namespace = true});
	come_and_go(engine, fk, interval);
}

static void garble(struct engine *engine, struct fk *fk, size_t interval)
{
	(void)engine;
	if (interval == 1)
		fk_garble(fk, 0, 3);
}

/* Of the time without a record of a task, half is of tasks outside. */
static void run_outside(struct engine *engine, struct fk *fk, size_t interval)
{
	const unsigned ticks = (unsigned)(interval * INTERVAL_NS / (20 * NS_PER_MS));
	char text[160];

	(void)engine;
	snprintf(text, sizeof(text),
		 "cpu0 %u 0 0 %u 0 0 0 0\ncpu1 %u 0 0 %u 0 0 0 0\ncpu2 %u 0 0 %u 0 0 0 0\n", ticks,
		 ticks, ticks, ticks, ticks, ticks);
	fk_file(fk, "/proc/stat", text);
}

static void be_silent(struct engine *engine, struct fk *fk, size_t interval)
{
	(void)engine;
	if (interval == 0)
		fk_silent_idle(fk, 2, true);
}

static void hold_counters(struct engine *engine, struct fk *fk, size_t interval)
{
	(void)engine;
	if (interval == 1)
		fk_hold(fk, 0, 5);
	if (interval == 5)
		fk_hold(fk, 0, 0);
}

/* For so short a time that the plan does not change. */
static void hold_all_counters(struct engine *engine, struct fk *fk, size_t interval)
{
	(void)engine;
	if (interval == 1 || interval == 5)
		fk_hold(fk, 0, FK_HOLD_ALL);
	if (interval == 2 || interval == 7)
		fk_hold(fk, 0, 0);
}

/* The tracepoint has its number all the same. */
static void lose_exit(struct engine *engine, struct fk *fk, size_t interval)
{
	(void)engine;
	if (interval != 2)
		return;
	fk_switch(fk, 0, 55);
	fk_advance(fk, NS_PER_MS);
	fk_lose(fk, 0, 1);
	fk_exit(fk, 55, FK_EXIT_REAPED);
	fk_switch(fk, 0, 54);
}

/*
 * Task 55 exits and is preempted before its last switch, as on a busy machine, for longer than a
 * task with its tid is kept. In each slice it is another one, without a name.
 */
static void exit_slowly(struct engine *engine, struct fk *fk, size_t interval)
{
	if (interval < 1 || interval > 4)
		return;
	engine_wait(engine, fk_now(fk) + 2 * NS_PER_S);
	fk_switch(fk, 0, 55);
	fk_advance(fk, NS_PER_MS);
	if (interval == 1)
		fk_exit(fk, 55, FK_EXIT_REAPED);
	if (interval < 4)
		fk_block(fk, 55, FK_PREEMPTED);
	fk_switch(fk, 0, 54);
}

/* Tasks wait for several intervals without a slice in them, which the recording must have. */
static void leave_in_states(struct engine *engine, struct fk *fk, size_t interval)
{
	(void)engine;
	if (interval != 1)
		return;
	fk_switch(fk, 0, 55);
	fk_block(fk, 55, FK_PREEMPTED);
	fk_switch(fk, 0, 54);
	fk_block(fk, 54, FK_UNINTERRUPTIBLE);
	fk_switch(fk, 0, 0);
}

/* Task 55 waits for a disk, and runs now and then. */
static void wait_for_disk(struct fk *fk, void *arg)
{
	static const struct fk_wait disk = {.wchan = "folio_wait_bit",
					    .stack = "[<0>] folio_wait_bit+0x1/0x2\n"};

	(void)arg;
	fk_switch(fk, 0, 55);
	fk_block_in(fk, 55, FK_UNINTERRUPTIBLE, &disk);
}

static void read_disk(struct engine *engine, struct fk *fk, size_t interval)
{
	const struct fk_step steps[] = {
		{.at_ns = 4 * NS_PER_MS, .action = FK_SWITCH, .cpu = 0, .tid = 0},
		{.at_ns = 50 * NS_PER_MS, .action = FK_READY, .tid = 55},
		{.at_ns = 54 * NS_PER_MS, .action = FK_SWITCH, .cpu = 0, .tid = 0},
	};

	(void)interval;
	/* Looks need a second. */
	engine_wait(engine, fk_now(fk) + NS_PER_S);
	fk_after(fk, 2 * NS_PER_MS, wait_for_disk, NULL);
	fk_after(fk, 52 * NS_PER_MS, wait_for_disk, NULL);
	fk_script(fk, steps, ARRAY_SIZE(steps));
}

/* Task 54 is a zombie from the begin of the recording on, 55 is one later, and 54 is waited for. */
static void leave_zombies(struct engine *engine, struct fk *fk, size_t interval)
{
	pid_t ends = interval == 0 ? 54 : interval == 1 ? 55 : 0;

	engine_wait(engine, fk_now(fk) + NS_PER_S);
	if (ends) {
		fk_switch(fk, 0, ends);
		fk_exit(fk, ends, FK_EXIT_ZOMBIE);
		fk_switch(fk, 0, 0);
	}
	if (interval == 4)
		fk_reap(fk, 54);
}

/* Task 50, which runs all the time, changes its user and cgroup, then its name. */
static void change_owners(struct engine *engine, struct fk *fk, size_t interval)
{
	(void)engine;
	if (interval == 3) {
		fk_setuid(fk, 50, 0);
		fk_file(fk, "/proc/50/cgroup", "0::/c\n");
	}
	if (interval == 4)
		fk_script(fk,
			  &(struct fk_step){.at_ns = 30 * NS_PER_MS,
					    .action = FK_COMM,
					    .tid = 50,
					    .comm = "renamed"},
			  1);
}

static const struct fk_config traced = {.cpus = 3, .tracefs = FK_TRACEFS_MOUNTED};
static const struct fk_config traced_in_turns = {
	.cpus = 3, .slots = 2, .tracefs = FK_TRACEFS_MOUNTED};

static const struct scene scenes[] = {
	{.name = "one group",
	 .slots = 6,
	 .lives = true,
	 .config = {.preset = &preset_none, .columns = counts, .n_columns = 1},
	 .lost = true},
	{.name = "turns",
	 .slots = 2,
	 .lives = true,
	 .config = {.preset = &preset_none, .columns = counts, .n_columns = 1},
	 .lost = true},
	{.name = "overview", .lives = true, .lost = true},
	{.name = "server", .server = true},
	{.name = "server with all",
	 .server = true,
	 .config = {.idle = true, .command_lines = true}},
	{.name = "server's user",
	 .server = true,
	 .config = {.target = {.user = "postgres"}, .idle = true}},
	{.name = "hybrid", .hybrid = true},
	{.name = "tasks outside", .slots = 6, .own_pids = true, .before = run_outside},
	{.name = "tasks outside, of some processes",
	 .slots = 6,
	 .own_pids = true,
	 .before = run_outside,
	 .config = {.target = {.pids = some_pids, .n_pids = 1}}},
	{.name = "no counters", .machine = &fk_machine_guest},
	{.name = "Arm", .machine = &fk_machine_neoverse},
	{.name = "idle and command lines",
	 .lives = true,
	 .config = {.idle = true, .command_lines = true},
	 .lost = true},
	{.name = "target",
	 .lives = true,
	 .config = {.target = {.pids = some_pids, .n_pids = 1}},
	 .lost = true},
	{.name = "idle target",
	 .lives = true,
	 .config = {.target = {.pids = some_pids, .n_pids = 1, .tids = some_tids, .n_tids = 2},
		    .idle = true,
		    .command_lines = true},
	 .lost = true},
	{.name = "user", .lives = true, .config = {.target = {.user = "ana"}}, .lost = true},
	{.name = "cgroup", .lives = true, .config = {.target = {.cgroup = "/a/b"}}, .lost = true},
	{.name = "some CPUs", .lives = true, .config = {.target = {.cpus = "0,2"}}},
	{.name = "user space", .slots = 2, .config = {.levels = EVENT_LEVELS_USER}},
	{.name = "sockets and /proc",
	 .machine = &fk_machine_intel,
	 .lives = true,
	 .config = {.columns = sockets, .n_columns = 1},
	 .lost = true},
	{.name = "hotplug", .slots = 2, .before = come_and_go},
	{.name = "the tracepoint", .machine = &traced, .before = lose_exit, .lost = true},
	{.name = "an exit that takes seconds", .machine = &traced, .before = exit_slowly},
	{.name = "waits",
	 .machine = &traced,
	 .before = leave_in_states,
	 .config = {.columns = waits, .n_columns = 1}},
	{.name = "waits, states by looks",
	 .before = read_disk,
	 .config = {.columns = waits, .n_columns = 1}},
	{.name = "waits, and looks",
	 .machine = &traced,
	 .before = read_disk,
	 .config = {.columns = waits, .n_columns = 1}},
	{.name = "zombies", .before = leave_zombies},
	{.name = "zombies, of processes",
	 .before = leave_zombies,
	 .config = {.target = {.pids = some_pids, .n_pids = 1, .tids = some_tids, .n_tids = 2}}},
	{.name = "zombies, of a user",
	 .before = leave_zombies,
	 .config = {.target = {.user = "ana"}}},
	{.name = "zombies and idle tasks", .before = leave_zombies, .config = {.idle = true}},
	{.name = "zombies, waits and states",
	 .machine = &traced,
	 .before = leave_zombies,
	 .config = {.columns = waits_and_state, .n_columns = 2}},
	{.name = "zombies and idle tasks, waits and states",
	 .machine = &traced,
	 .before = leave_zombies,
	 .config = {.columns = waits_and_state, .n_columns = 2, .idle = true}},
	{.name = "facts",
	 .lives = true,
	 .config = {.columns = facts, .n_columns = ARRAY_SIZE(facts)},
	 .lost = true},
	{.name = "facts of a server, with idle tasks",
	 .server = true,
	 .config = {.columns = facts, .n_columns = ARRAY_SIZE(facts), .idle = true}},
	{.name = "facts of a target",
	 .lives = true,
	 .config = {.columns = facts,
		    .n_columns = 1,
		    .target = {.pids = some_pids, .n_pids = 1, .tids = some_tids, .n_tids = 2}},
	 .lost = true},
	{.name = "wake-up latencies",
	 .machine = &traced,
	 .before = wake_sleeper,
	 .config = {.columns = latencies, .n_columns = ARRAY_SIZE(latencies)}},
	{.name = "waits, software event",
	 .lives = true,
	 .config = {.columns = waits, .n_columns = 1},
	 .lost = true},
	{.name = "the tracepoint, in turns",
	 .machine = &traced_in_turns,
	 .before = rival_elsewhere},
	{.name = "rival", .slots = 2, .before = rival},
	{.name = "rival with a call chain", .slots = 2, .before = rival_with_chain},
	{.name = "rival in another pid namespace", .slots = 2, .before = rival_elsewhere},
	{.name = "records that cannot be decoded", .lives = true, .before = garble, .lost = true},
	{.name = "other columns", .before = change_columns},
	{.name = "other columns in turns", .slots = 2, .before = change_columns, .midway = true},
	{.name = "silent idle", .before = be_silent},
	{.name = "counters taken", .lives = true, .before = hold_counters, .lost = true},
	{.name = "all counters taken", .lives = true, .before = hold_all_counters, .lost = true},
	{.name = "from the middle", .slots = 2, .lives = true, .midway = true},
	{.name = "from the middle of a storm", .slots = 6, .storm = true, .midway = true},
	{.name = "from the middle of a storm, in turns", .slots = 2, .storm = true, .midway = true},
};

static void test_same(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(scenes); i++) {
		const char *path = path_of("scene");
		struct seen seen = {0};
		bool lost = false;

		print_message("%s\n", scenes[i].name);
		record(&scenes[i], path, &seen, scenes[i].server ? 3 : INTERVALS_MAX);
		for (size_t k = 0; k < seen.n; k++)
			lost |= seen.items[k]->lost_records > 0;
		assert_int_equal(lost, scenes[i].lost);
		struct replay *replay = must_open(path, NULL);
		assert_true(replay_is_native(replay) && replay_can_rewind(replay));
		assert_int_equal(replay_fd(replay), -1);
		check_replay(replay, &seen);
		replay_free(replay);
		seen_fini(&seen);
	}
}

static bool has_changed(const struct snapshot *snapshot, enum task_owner owner)
{
	const struct row *row = row_of(snapshot, 50);

	assert_non_null(row);
	return row->before && snapshot->befores[row->before - 1].parts[owner].most > 0;
}

/* What roll-ups divide is in the recording, also if that begins later. */
static void test_owners(void **state)
{
	(void)state;
	for (int midway = 0; midway < 2; midway++) {
		const struct scene scene = {.before = change_owners, .midway = midway};
		struct seen seen = {0};

		record(&scene, path_of("owners"), &seen, 7);
		for (size_t i = 0; i < seen.n; i++) {
			assert_int_equal(has_changed(seen.items[i], TASK_OWNER_USER), i == 3);
			assert_int_equal(has_changed(seen.items[i], TASK_OWNER_CGROUP), i == 3);
			assert_int_equal(has_changed(seen.items[i], TASK_OWNER_COMM), i == 4);
		}
		struct replay *replay = must_open(path_of("owners"), NULL);
		check_replay(replay, &seen);
		replay_free(replay);
		seen_fini(&seen);
	}
}

/* So is the part of a task that enters or leaves the target. */
static void test_crossing(void **state)
{
	static const struct target_spec targets[] = {
		{.user = "ana"},
		{.user = "root"},
		{.cgroup = "/a/b"},
		{.pids = some_pids, .n_pids = 1, .user = "ana"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(targets); i++) {
		const struct scene scene = {.before = change_owners,
					    .config = {.target = targets[i]}};
		struct seen seen = {0};
		size_t crossed = 0;

		record(&scene, path_of("crossing"), &seen, 7);
		for (size_t k = 0; k < seen.n; k++) {
			const struct row *row = row_of(seen.items[k], 50);
			bool part = row && row->before &&
				    seen.items[k]->befores[row->before - 1].target.most > 0;
			assert_true(part == (k == 3));
			crossed += part;
		}
		assert_int_equal(crossed, 1);
		struct replay *replay = must_open(path_of("crossing"), NULL);
		check_replay(replay, &seen);
		replay_free(replay);
		seen_fini(&seen);
	}
}

/* CPU 0 spends 60 % of each second in NET_RX. */
static void spend_in_softirqs(struct engine *engine, struct fk *fk, size_t interval)
{
	char text[200];

	(void)engine;
	snprintf(text, sizeof(text),
		 "cpu 1\ncpu0 0 0 0 %zu 0 0 %zu 0 0 0\nprocesses %zu\nprocs_running 1\n"
		 "procs_blocked 0\n",
		 40 * interval, 60 * interval, 7 * interval);
	fk_file(fk, "/proc/stat", text);
	snprintf(text, sizeof(text), "CPU0\nTIMER: 7\nNET_RX: %zu\n", interval);
	fk_file(fk, "/proc/softirqs", text);
	fk_advance(fk, NS_PER_S);
}

static void test_machine(void **state)
{
	(void)state;
	const struct scene scene = {.before = spend_in_softirqs};
	struct seen seen = {0};

	record(&scene, path_of("softirqs"), &seen, 4);
	const struct snapshot_machine *machine = &seen.items[3]->machine;
	assert_true(machine->known[MACHINE_FORKS]);
	assert_int_equal(machine->n_interrupts, 1);
	assert_string_equal(machine->interrupts[0].name, "NET_RX");
	struct replay *replay = must_open(path_of("softirqs"), NULL);
	check_replay(replay, &seen);
	replay_free(replay);
	seen_fini(&seen);
}

/* Columns of facts need a recording in which they were shown. */
static void test_facts_not_recorded(void **state)
{
	(void)state;
	const struct scene scene = {.lives = true};
	const struct engine_config engine = {.columns = facts, .n_columns = ARRAY_SIZE(facts)};
	struct seen seen = {0};

	record(&scene, path_of("without"), &seen, 2);
	struct replay *replay = must_open(path_of("without"), &engine);
	struct snapshot *snapshot = must_show(replay);
	const struct rows *rows = &snapshot->threads;
	for (size_t i = 0; i < rows->n; i++)
		for (size_t k = 0; k < FACTS; k++)
			assert_int_equal(rows_facts(rows, i)[k].state,
					 rows->items[i].flags & ROW_EXITED ? FIGURE_UNDEFINED
									   : FIGURE_NOT_COUNTED);
	snapshot_free(snapshot);
	replay_free(replay);
	seen_fini(&seen);
}

static void test_rewind_and_skip(void **state)
{
	(void)state;
	const struct scene scene = {.slots = 2, .lives = true};
	struct seen seen = {0};
	struct error err;
	uint64_t time_ns = 0;

	record(&scene, path_of("rewound"), &seen, 6);
	struct replay *replay = must_open(path_of("rewound"), NULL);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(replay_skip(replay, &time_ns, &err), 1);
		assert_true(time_ns == seen.items[i]->time_ns);
	}
	struct snapshot *fifth = must_show(replay);
	same_snapshot(seen.items[4], fifth);
	snapshot_free(fifth);
	uint64_t records = replay_records(replay);
	assert_true(records > 1000);
	assert_int_equal(replay_rewind(replay, &err), 0);
	check_replay(replay, &seen);
	assert_true(replay_records(replay) > 2 * records);
	replay_free(replay);
	seen_fini(&seen);
}

/* A target chosen at the replay of a recording of all tasks. */
static void test_chosen(void **state)
{
	(void)state;
	static const pid_t parent[] = {50}, process[] = {52}, thread[] = {53};
	static const struct {
		const char *name;
		struct target_spec target;
		pid_t has[4], lacks[4];
	} rows[] = {
		{"a process and its children",
		 {.pids = parent, .n_pids = 1},
		 {50, 51, 60},
		 {52, 53}},
		{"a process and its thread", {.pids = process, .n_pids = 1}, {52, 53}, {50, 51}},
		{"a thread", {.tids = thread, .n_tids = 1}, {53}, {52, 50}},
		{"a user", {.user = "ana"}, {50, 51}, {52, 53}},
		{"users, by number", {.user = "7,1000"}, {50, 51}, {52, 53}},
		{"a cgroup", {.cgroup = "/a"}, {50, 51, 60}, {52, 53}},
		{"a user without tasks", {.user = "nobody"}, {0}, {50, 51, 52, 53}},
	};
	const struct scene scene = {.lives = true, .config = {.idle = true}};
	struct seen seen = {0};

	record(&scene, path_of("chosen"), &seen, 4);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct engine_config engine = {.target = rows[i].target};
		struct replay *replay = must_open(path_of("chosen"), &engine);
		for (size_t k = 0; k < seen.n; k++) {
			struct snapshot *snapshot = must_show(replay);
			size_t event;
			assert_true(snapshot->targeted && snapshot->target);
			assert_true(snapshot_conserves(snapshot, &event));
			/* A missing target is reported. */
			if (!rows[i].has[0])
				assert_true(has_note(snapshot, "No selected task was recorded"));
			for (size_t t = 0; t < 4 && rows[i].lacks[t]; t++)
				assert_null(row_of(snapshot, rows[i].lacks[t]));
			for (size_t t = 0; t < 4 && rows[i].has[t] && k == 1; t++) {
				pid_t tid = rows[i].has[t];
				if (!row_of(snapshot, tid))
					fail_msg("%s: %d is missing", rows[i].name, (int)tid);
				assert_int_equal(count_of(snapshot, tid, "task-clock"),
						 count_of(seen.items[k], tid, "task-clock"));
			}
			same_tally(snapshot->columns, snapshot->totals, seen.items[k]->totals,
				   "totals");
			snapshot_free(snapshot);
		}
		check_end(replay);
		replay_free(replay);
	}
	seen_fini(&seen);
}

/* Each file of a rotation stands for itself, and ends as one that was ended. */
static void test_rotation(void **state)
{
	(void)state;
	struct fk *fk = workers_new(&(struct fk_config){.cpus = 3, .slots = 2});
	struct sys sys = fk_sys(fk);
	struct engine *engine = open_engine_with(
		&sys, &(struct engine_config){.recorder = open_recorder(path_of("turned"), 1)});
	struct seen seen = {0};
	struct dirent **names;
	size_t files = 0;

	add_lives(fk);
	while (seen.n < 4)
		seen.items[seen.n++] = next_snapshot(engine, fk, INTERVAL_NS);
	engine_free(engine);
	fk_free(fk);
	int n = scandir(recorded_directory, &names, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		if (strncmp(names[i]->d_name, "turned.", 7) == 0) {
			const struct seen one = {{seen.items[files++]}, 1};
			struct replay *replay = must_open(path_of(names[i]->d_name), NULL);
			check_replay(replay, &one);
			replay_free(replay);
		}
		free(names[i]);
	}
	free(names);
	assert_int_equal(files, 4);
	seen_fini(&seen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_owners),
		cmocka_unit_test(test_crossing),
		cmocka_unit_test(test_machine),
		cmocka_unit_test(test_facts_not_recorded),
		cmocka_unit_test(test_rewind_and_skip),
		cmocka_unit_test(test_chosen),
		cmocka_unit_test(test_rotation),
	};

	return cmocka_run_group_tests(tests, recorded_scenes_setup, recorded_scenes_teardown);
}
