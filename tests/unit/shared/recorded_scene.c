// SPDX-License-Identifier: MIT
#include "tests/unit/shared/recorded_scene.h"

#include "tests/unit/shared/files.h"
#include "tests/unit/shared/send_request.h"

char recorded_directory[] = "/tmp/pmctop-replay-XXXXXX";
const struct sys recorded_sys;

const char *path_of(const char *name)
{
	static char path[320];

	snprintf(path, sizeof(path), "%s/%s", recorded_directory, name);
	return path;
}

struct fk *workers_new(const struct fk_config *config)
{
	struct fk *fk = fk_new(config);

	for (pid_t tid = 50; tid < 56; tid++)
		fk_task(fk, &(struct fk_spec){.tid = tid,
					      .pid = tid == 53 ? 52 : tid,
					      .ppid = tid == 51 ? 50 : 1,
					      .uid = tid < 52 ? 1000 : 0,
					      .comm = tid < 52 ? "worker" : "other\033[2J",
					      .args = "--number 7",
					      .cgroup = tid < 52 ? "/a/b" : NULL,
					      .rates = {[FK_CYCLES] = {(uint32_t)tid, 32},
							[FK_INSTRUCTIONS] = {(uint32_t)tid, 16},
							[FK_BRANCH_MISSES] = {1, 64},
							[FK_CACHE_MISSES] = {1, 128}}});
	fk_file(fk, "/etc/passwd", "root:x:0:0::/:\nana:x:1000:1000::/:\n");
	fk_file(fk, "/proc/sys/kernel/hostname", "here\n");
	fk_switch(fk, 0, 50);
	fk_ping_pong(fk, 1, 51, 52, 137 * NS_PER_US, 1000000);
	fk_ping_pong(fk, 2, 53, 0, 731 * NS_PER_US, 1000000);
	return fk;
}

void add_lives(struct fk *fk)
{
	const struct fk_step steps[] = {
		{.at_ns = 11 * NS_PER_MS, .action = FK_FORK, .tid = 50, .child = 60},
		{.at_ns = 12 * NS_PER_MS, .action = FK_SWITCH, .cpu = 0, .tid = 60},
		{.at_ns = 13 * NS_PER_MS, .action = FK_EXEC, .tid = 60, .comm = "born"},
		{.at_ns = 14 * NS_PER_MS, .action = FK_FAULT, .cpu = 0},
		{.at_ns = 150 * NS_PER_MS, .action = FK_EXIT, .tid = 60, .n = FK_EXIT_REAPED},
		{.at_ns = 151 * NS_PER_MS, .action = FK_SWITCH, .cpu = 0, .tid = 54},
		{.at_ns = 260 * NS_PER_MS, .action = FK_LOSE, .cpu = 1, .n = 3},
		{.at_ns = 300 * NS_PER_MS, .action = FK_SWITCH, .cpu = 0, .tid = 55},
		{.at_ns = 310 * NS_PER_MS, .action = FK_SWITCH, .cpu = 0, .tid = 50},
		{.at_ns = 330 * NS_PER_MS, .action = FK_EXIT, .tid = 50, .n = FK_EXIT_ZOMBIE},
		{.at_ns = 331 * NS_PER_MS, .action = FK_SWITCH, .cpu = 0, .tid = 0},
	};

	fk_script(fk, steps, ARRAY_SIZE(steps));
}

/*
 * Task 50 on CPU 1 forks children that run on CPU 0, the ring that is read first. Each child's EXIT
 * comes early, and the child runs for 6 ms more. Two tids are reused in turns.
 */
static void storm_end(struct fk *fk, void *round)
{
	(void)round;
	fk_switch(fk, 0, 51);
}

static void storm_round(struct fk *fk, void *arg)
{
	unsigned *round = arg;
	pid_t child = 60 + (pid_t)(*round % 2);

	fk_fork(fk, 50, child);
	fk_switch(fk, 0, child);
	fk_comm(fk, child, *round % 3 ? "born" : "other");
	fk_exit(fk, child, *round % 2 ? FK_EXIT_REAPED : FK_EXIT_ZOMBIE);
	++*round;
	fk_after(fk, 6 * NS_PER_MS, storm_end, arg);
	fk_after(fk, 7 * NS_PER_MS, storm_round, arg);
}

struct fk *storm_new(const struct fk_config *config)
{
	static unsigned round;
	struct fk *fk = fk_new(config);

	for (pid_t tid = 50; tid < 53; tid++)
		fk_task(fk, &(struct fk_spec){.tid = tid,
					      .ppid = 1,
					      .comm = "worker",
					      .rates = {[FK_CYCLES] = {(uint32_t)tid, 32},
							[FK_INSTRUCTIONS] = {(uint32_t)tid, 16}}});
	fk_switch(fk, 1, 50);
	fk_switch(fk, 2, 52);
	round = 0;
	fk_after(fk, 5 * NS_PER_MS, storm_round, &round);
	return fk;
}

void seen_fini(struct seen *seen)
{
	for (size_t i = 0; i < seen->n; i++)
		snapshot_free(seen->items[i]);
	*seen = (struct seen){0};
}

struct recorder *open_recorder(const char *path, uint64_t switch_bytes)
{
	struct recorder *recorder = NULL;
	struct error err;

	if (recorder_new(&(struct recorder_spec){.path = path, .switch_bytes = switch_bytes},
			 &recorder, &err) < 0)
		fail_msg("%s", err.text);
	return recorder;
}

void record(const struct scene *scene, const char *path, struct seen *seen, size_t n)
{
	struct busy *busy = scene->server   ? busy_server_new()
			    : scene->hybrid ? busy_hybrid_new()
					    : NULL;
	struct fk_config machine = {.slots = scene->slots};
	if (scene->machine)
		machine = *scene->machine;
	machine.cpus = 3;
	struct fk *fk = busy           ? busy_kernel(busy)
			: scene->storm ? storm_new(&machine)
				       : workers_new(&machine);
	struct sys sys = fk_sys(fk);
	struct engine_config config = scene->config;
	if (scene->own_pids)
		fk_file(fk, "/proc/self/ns/pid", "pid:[4026532300]");

	if (!scene->midway)
		config.recorder = open_recorder(path, 0);
	struct engine *engine = open_engine_with(&sys, &config);
	if (scene->lives)
		add_lives(fk);
	if (scene->midway) {
		snapshot_free(nth_snapshot(engine, fk, 2));
		send_request(engine, &(struct request){.kind = REQUEST_RECORD, .text = path});
		snapshot_free(nth_snapshot(engine, fk, 1));
	}
	for (size_t i = 0; i < n; i++) {
		if (scene->before)
			scene->before(engine, fk, i);
		seen->items[seen->n++] = next_snapshot(engine, fk, INTERVAL_NS);
	}
	/* Records after the last snapshot are not replayed. */
	engine_wait(engine, fk_now(fk) + INTERVAL_NS / 3);
	engine_free(engine);
	if (busy)
		busy_free(busy);
	else
		fk_free(fk);
}

int open_replay(const char *path, const struct engine_config *engine, struct replay **replay,
		struct error *err)
{
	const struct replay_config config = {.path = path, .engine = engine};

	return replay_new(&recorded_sys, &config, replay, err);
}

struct replay *must_open(const char *path, const struct engine_config *engine)
{
	struct replay *replay = NULL;
	struct error err;

	if (open_replay(path, engine, &replay, &err) < 0)
		fail_msg("%s", err.text);
	return replay;
}

struct snapshot *must_show(struct replay *replay)
{
	struct snapshot *snapshot = NULL;
	struct error err;
	int result = replay_next(replay, &snapshot, &err);

	if (result != 1)
		fail_msg("no snapshot: %s", result < 0 ? err.text : "the end");
	return snapshot;
}

void check_end(struct replay *replay)
{
	struct snapshot *snapshot = NULL;
	struct error err = {0};

	for (int again = 0; again < 2; again++)
		if (replay_next(replay, &snapshot, &err) != 0)
			fail_msg("not the end: %s", err.text);
}

void check_replay(struct replay *replay, const struct seen *seen)
{
	size_t event;

	for (size_t i = 0; i < seen->n; i++) {
		struct snapshot *snapshot = must_show(replay);
		same_snapshot(seen->items[i], snapshot);
		if (!snapshot_conserves(snapshot, &event))
			fail_msg("%s is not conserved",
				 snapshot->columns->events.items[event].name);
		check_places(snapshot);
		assert_int_equal(snapshot->recorded_bytes, 0);
		snapshot_free(snapshot);
	}
	check_end(replay);
}

void change_columns(struct engine *engine, struct fk *fk, size_t interval)
{
	static const struct request commands[] = {
		{.kind = REQUEST_ADD_EVENTS, .text = "minor-faults"},
		{.kind = REQUEST_ADD_METRIC, .text = "own=instructions / 2"},
		{.kind = REQUEST_PRESET, .text = "software"},
		{.kind = REQUEST_REMOVE, .text = "own"},
		{.kind = REQUEST_ATTACH, .number = 52},
		{.kind = REQUEST_IDLE, .number = 1},
		{.kind = REQUEST_COMMAND_LINES, .number = 1},
	};

	(void)fk;
	if (interval < ARRAY_SIZE(commands))
		send_request(engine, &commands[interval]);
}

int recorded_scenes_setup(void **state)
{
	(void)state;
	return mkdtemp(recorded_directory) ? 0 : -1;
}

int recorded_scenes_teardown(void **state)
{
	(void)state;
	remove_tree(recorded_directory);
	return 0;
}
