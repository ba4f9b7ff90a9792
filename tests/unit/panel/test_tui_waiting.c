// SPDX-License-Identifier: MIT
/*
 * The detail page of tasks that do not run, on the screen: the engine counts tasks of the fake
 * kernel, and gets the commands of the app.
 */
#include "tests/unit/shared/engine_run.h"
#include "tests/unit/shared/send_request.h"
#include "tests/unit/shared/small_machine.h"
#include "tests/unit/shared/stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

enum { SUBJECT = 71, HOG = 80, MS = 1000000, SHOWN_S = 4 };

/* What the subject does in each period of 100 ms, from a time on (ms), in its order. */
struct turn {
	unsigned at_ms;
	pid_t runs;           /* 0: idle */
	enum fk_state leaves; /* state of the task that leaves the CPU */
};

struct scene {
	const char *name;
	struct turn turns[6]; /* up to the first with at_ms 0 after the first one */
	bool exits;           /* in the third second */
	bool second;          /* it is the second row of the list */
	/* The looks that the engine would send; function "": none. */
	struct {
		enum blocked_reason reason;
		const char *function;
	} look;
	double quota; /* CPUs; 0: unknown */
};

static const struct scene scenes[] = {
	{.name = "computing", .turns = {{0, SUBJECT, FK_SLEEPING}}},
	{
		.name = "starved",
		.turns = {{0, HOG, FK_PREEMPTED}, {94, SUBJECT, FK_PREEMPTED}},
		.look = {.reason = BLOCKED_NOT, .function = "-"},
		.second = true,
	},
	{
		.name = "blocked",
		.turns = {{0, SUBJECT, FK_SLEEPING},
			  {2, 0, FK_UNINTERRUPTIBLE},
			  {90, SUBJECT, FK_SLEEPING},
			  {91, 0, FK_SLEEPING}},
		.look = {.reason = BLOCKED_DISK, .function = "jbd2_log_wait_commit"},
	},
	{
		.name = "throttled",
		.turns = {{0, SUBJECT, FK_SLEEPING}, {20, 0, FK_PREEMPTED}},
		.quota = 0.2,
	},
	{.name = "ended", .turns = {{0, SUBJECT, FK_SLEEPING}}, .exits = true},
};

/* The scene that plays, which queues itself again. */
struct play {
	struct fk *fk;
	const struct scene *scene;
	pid_t running;
	size_t turn;
	bool ended;
};

static void next_turn(struct fk *fk, void *arg)
{
	struct play *play = arg;
	const struct turn *turns = play->scene->turns, *turn = &turns[play->turn];

	if (play->ended)
		return;
	if (play->running && play->running != turn->runs)
		fk_block(fk, play->running, turn->leaves);
	if (turn->runs)
		fk_rouse(fk, turn->runs);
	if (play->running != turn->runs)
		fk_switch(fk, 0, turn->runs);
	play->running = turn->runs;
	play->turn = turns[play->turn + 1].at_ms > 0 ? play->turn + 1 : 0;
	unsigned next_ms = turns[play->turn].at_ms ? turns[play->turn].at_ms : 100;
	fk_after(fk, (next_ms - turn->at_ms) * (uint64_t)MS, next_turn, play);
}

static struct snapshot *next_second(struct engine *engine, struct play *play,
				    const struct scene *scene)
{
	struct snapshot *snapshot = next_snapshot(engine, play->fk, NS_PER_S);

	if (scene->quota > 0) {
		struct snapshot_cgroup *limits = xcalloc(snapshot->n_cgroups, sizeof(*limits));

		for (size_t i = 0; i < snapshot->n_cgroups; i++) {
			limits[i].values[CGROUP_QUOTA] = scene->quota;
			limits[i].values[CGROUP_THROTTLED_S] = 0.8;
			limits[i].values[CGROUP_USAGE] = 96 << 20;
			limits[i].values[CGROUP_LIMIT] = 128 << 20;
			limits[i].known[CGROUP_QUOTA] = limits[i].known[CGROUP_THROTTLED_S] = true;
			limits[i].known[CGROUP_USAGE] = limits[i].known[CGROUP_LIMIT] = true;
			limits[i].quota_path =
				xstrdup("/system.slice/docker-0123456789abcdef0123"
					"456789abcdef0123456789abcdef01234567.scope");
		}
		free(snapshot->cgroup_limits);
		snapshot->cgroup_limits = limits;
	}
	return snapshot;
}

static void send_look(struct stage *stage, const struct scene *scene)
{
	const char *function = scene->look.function;
	struct reply *reply = xcalloc(1, sizeof(*reply));

	reply->kind = REQUEST_BLOCKED;
	reply->tid = SUBJECT;
	reply->reason = scene->look.reason;
	reply->blocked.state = scene->look.reason == BLOCKED_NOT ? 'R' : 'D';
	text_copy(reply->blocked.wchan, sizeof(reply->blocked.wchan), function);
	reply->blocked.syscall =
		(struct blocked_syscall){.kind = BLOCKED_CALL, .number = SYS_fsync};
	reply->blocked.stack_result = -EACCES;
	app_reply(&stage->app, reply);
}

/* Plays a scene with the page open, and draws it. */
static void play_scene(const struct scene *scene, unsigned width, unsigned height)
{
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 2, .tracefs = FK_TRACEFS_MOUNTED});
	struct sys sys = fk_sys(fk);
	struct play play = {.fk = fk, .scene = scene};
	static const struct engine_config config = {0};
	struct stage stage;
	char name[64];

	fk_task(fk, &(struct fk_spec){.tid = SUBJECT,
				      .comm = "subject",
				      .rates = HALF_IPC,
				      .cgroup = "/system.slice/app.service"});
	fk_task(fk, &(struct fk_spec){.tid = HOG, .comm = "hog", .rates = FULL_IPC});
	struct engine *engine = open_engine_with(&sys, &config);
	next_turn(fk, &play);
	stage_open(&stage, width, height, false, next_second(engine, &play, scene));
	stage_keys(&stage, scene->second ? (const int[]){KEYMAP_DOWN, KEYMAP_ENTER, 0}
					 : (const int[]){KEYMAP_ENTER, 0});
	for (unsigned second = 0; second < SHOWN_S; second++) {
		engine_request(engine, &stage.app.out.list);
		if (scene->exits && second == SHOWN_S - 2) {
			play.ended = true;
			fk_exit(fk, SUBJECT, FK_EXIT_REAPED);
			fk_switch(fk, 0, 0);
		}
		app_snapshot(&stage.app, next_second(engine, &play, scene));
		if (scene->look.function)
			send_look(&stage, scene);
	}
	app_draw(&stage.app, &stage.canvas);
	snprintf(name, sizeof(name), "waiting_%s_%ux%u", scene->name, width, height);
	check_screen(name, canvas_print(&stage.canvas));
	/* Waits are watched for the page, not for the details below the list. */
	stage_press(&stage, 'q');
	stage_check_text(&stage, "Waits", false);
	stage_close(&stage);
	close_all(engine, fk);
}

static void test_golden(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(scenes); i++) {
		play_scene(&scenes[i], 80, 24);
		play_scene(&scenes[i], 200, 50);
	}
}

/* The reason of most looks, and the newest of them. */
static void test_usual_look(void **state)
{
	enum {
		LOCK = BLOCKED_LOCK,
		DISK = BLOCKED_DISK,
		SLEEP = BLOCKED_SLEEP,
		NOT = BLOCKED_NOT,
		GONE = -1
	};
	static const struct {
		const char *name;
		int reasons[12]; /* up to 0, the newest last */
		enum blocked_reason usual;
		size_t n;
		char newest; /* the state of that look: 'a' + its index */
	} rows[] = {
		{"one", {DISK}, BLOCKED_DISK, 1, 'a'},
		{"most", {DISK, LOCK, DISK, LOCK, DISK}, BLOCKED_DISK, 3, 'e'},
		{"as many: the newest", {DISK, LOCK}, BLOCKED_LOCK, 1, 'b'},
		{"old looks go",
		 {DISK, DISK, DISK, DISK, LOCK, LOCK, LOCK, LOCK, LOCK},
		 BLOCKED_LOCK,
		 5,
		 'i'},
		{"a reason before none", {DISK, NOT, NOT, GONE}, BLOCKED_DISK, 1, 'a'},
		{"none", {NOT, GONE, NOT}, BLOCKED_NOT, 2, 'c'},
		{"a look that failed does not count", {SLEEP, GONE, GONE}, BLOCKED_SLEEP, 1, 'a'},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct detail_looks looks = {.pid = SUBJECT, .tid = SUBJECT};
		struct reply reply = {.kind = REQUEST_BLOCKED};
		size_t n;

		for (size_t k = 0; rows[i].reasons[k]; k++) {
			reply.tid = SUBJECT;
			reply.blocked_result = rows[i].reasons[k] == GONE ? -ESRCH : 0;
			reply.reason = rows[i].reasons[k] == GONE
					       ? BLOCKED_UNKNOWN
					       : (enum blocked_reason)rows[i].reasons[k];
			reply.blocked.state = (char)('a' + (int)k);
			detail_looks_add(&looks, &reply);
			reply.tid = HOG; /* of another thread: dropped */
			detail_looks_add(&looks, &reply);
		}
		const struct detail_look *look = detail_looks_usual(&looks, &n);
		if (!look || look->reason != rows[i].usual || n != rows[i].n ||
		    look->blocked.state != rows[i].newest)
			fail_msg("%s: %zu looks", rows[i].name, n);
	}
}

/* The state is a task's: CPUs and the machine have none, and it has no height. */
static void test_state(void **state)
{
	static const struct scene scene = {.turns = {{0, SUBJECT, FK_SLEEPING}}};
	const struct engine_config config = {.preset = preset_find("waiting")};
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 2, .tracefs = FK_TRACEFS_MOUNTED});
	struct sys sys = fk_sys(fk);
	struct play play = {.fk = fk, .scene = &scene};
	struct stage stage;

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = SUBJECT, .comm = "subject"});
	struct engine *engine = open_engine_with(&sys, &config);
	next_turn(fk, &play);
	stage_open(&stage, 200, 50, false, next_second(engine, &play, &scene));
	app_draw(&stage.app, &stage.canvas);
	stage_check_text(&stage, "%CPU▼ S ", true);
	stage_check_text(&stage, "S  -", false);
	stage_check_text(&stage, "busy   S", false);
	stage_check_text(&stage, "0.0 tasks wait", true); /* of the machine: no percentage */
	stage_check_text(&stage, "History", true);
	/* CPUs have no other waits. */
	stage_check_text(&stage, "busy   runq%", true);
	stage_check_text(&stage, "busy   runq%     D%", false);
	stage_press(&stage, KEYMAP_ENTER);
	stage_check_text(&stage, "History", true);
	stage_check_text(&stage, "  S  R", false);
	stage_close(&stage);
	close_all(engine, fk);
}

/* Of a process the thread is looked at that was in state D, not the main thread that ran. */
static void test_waiting_thread(void **state)
{
	enum { THREAD = 72 };
	static const struct scene scene = {
		.turns = {{0, THREAD, FK_SLEEPING}, {2, SUBJECT, FK_UNINTERRUPTIBLE}}};
	static const struct engine_config config = {0};
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 1, .tracefs = FK_TRACEFS_MOUNTED});
	struct sys sys = fk_sys(fk);
	struct play play = {.fk = fk, .scene = &scene};
	struct stage stage;

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = SUBJECT, .comm = "subject"});
	fk_task(fk, &(struct fk_spec){.tid = THREAD, .pid = SUBJECT, .comm = "thread"});
	struct engine *engine = open_engine_with(&sys, &config);
	next_turn(fk, &play);
	stage_open(&stage, 80, 24, false, next_second(engine, &play, &scene));
	stage_press(&stage, KEYMAP_ENTER);
	app_snapshot(&stage.app, next_second(engine, &play, &scene));
	assert_int_equal(stage.app.watch.looks.pid, SUBJECT);
	assert_int_equal(stage.app.watch.looks.tid, THREAD);
	stage_close(&stage);
	close_all(engine, fk);
}

/* A main thread that has ended does not run or wait: another thread of its process is looked at. */
static void test_ended_main_thread(void **state)
{
	enum { THREAD = 72 };
	static const struct scene scene = {.turns = {{0, THREAD, FK_SLEEPING}}};
	static const struct engine_config config = {0};
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 1, .tracefs = FK_TRACEFS_MOUNTED});
	struct sys sys = fk_sys(fk);
	struct play play = {.fk = fk, .scene = &scene};
	struct stage stage;

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = SUBJECT, .comm = "subject"});
	fk_task(fk, &(struct fk_spec){.tid = THREAD, .pid = SUBJECT, .comm = "thread"});
	fk_switch(fk, 0, SUBJECT);
	fk_exit(fk, SUBJECT, FK_EXIT_ZOMBIE);
	struct engine *engine = open_engine_with(&sys, &config);
	next_turn(fk, &play);
	stage_open(&stage, 80, 24, false, next_second(engine, &play, &scene));
	stage_press(&stage, KEYMAP_ENTER);
	app_snapshot(&stage.app, next_second(engine, &play, &scene));
	assert_int_equal(stage.app.watch.looks.tid, SUBJECT);
	struct reply *reply = xcalloc(1, sizeof(*reply));
	*reply = (struct reply){.kind = REQUEST_BLOCKED,
				.tid = SUBJECT,
				.reason = BLOCKED_NOT,
				.blocked = {.state = 'Z'}};
	app_reply(&stage.app, reply);
	app_draw(&stage.app, &stage.canvas);
	stage_check_text(&stage, "has ended, state Z", true);
	stage_check_text(&stage, "waits for a CPU", false);
	for (int i = 0; i < 3; i++) {
		app_snapshot(&stage.app, next_second(engine, &play, &scene));
		assert_int_equal(stage.app.watch.looks.tid, THREAD);
	}
	stage_close(&stage);
	close_all(engine, fk);
}

/* The engine is to count the waits of the row on the page, until the page is left. */
static void test_watch_command(void **state)
{
	static const struct {
		const char *name;
		int keys[6];
		int64_t number;
	} rows[] = {
		{"a process", {KEYMAP_ENTER, 0}, 5003},
		{"a thread", {'H', KEYMAP_DOWN, KEYMAP_ENTER, 0}, -4121},
		{"a user", {'g', KEYMAP_ENTER, 0}, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct stage stage;

		stage_open(&stage, 80, 24, false, second_of(1));
		stage_keys(&stage, rows[i].keys);
		stage_check_request(&stage, REQUEST_WATCH, NULL, rows[i].number);
		stage_keys(&stage, (const int[]){'q', 0});
		stage_check_request(&stage, REQUEST_WATCH, NULL, 0);
		stage_close(&stage);
	}
}

/*
 * Until the engine has got the next command, snapshots have the waits of the page that was left.
 * Neither the list nor the page of another row shows them.
 */
static void test_waits_of_another_row(void **state)
{
	const struct scene *scene = &scenes[1];
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 2, .tracefs = FK_TRACEFS_MOUNTED});
	struct sys sys = fk_sys(fk);
	struct play play = {.fk = fk, .scene = scene};
	static const struct engine_config config = {0};
	struct stage stage;

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = SUBJECT, .comm = "subject"});
	fk_task(fk, &(struct fk_spec){.tid = HOG, .comm = "hog"});
	struct engine *engine = open_engine_with(&sys, &config);
	next_turn(fk, &play);
	stage_open(&stage, 200, 60, false, next_second(engine, &play, scene));
	stage_press(&stage, KEYMAP_ENTER);
	engine_request(engine, &stage.app.out.list);
	app_snapshot(&stage.app, next_second(engine, &play, scene));
	app_snapshot(&stage.app, next_second(engine, &play, scene));
	assert_true(stage.app.watch.waits.sum.kinds[WAIT_KIND_PREEMPTED].n > 0);
	stage_press(&stage, 'q');
	app_draw(&stage.app, &stage.canvas);
	stage_keys(&stage, (const int[]){KEYMAP_DOWN, KEYMAP_ENTER, 0});
	app_draw(&stage.app, &stage.canvas);
	assert_int_equal(stage.app.watch.waits.sum.pid, SUBJECT);
	assert_int_equal(stage.app.watch.waits.sum.kinds[WAIT_KIND_PREEMPTED].n, 0);
	char *drawn = canvas_print(&stage.canvas);
	assert_non_null(strstr(drawn, "counted from the next interval on"));
	free(drawn);
	stage_close(&stage);
	close_all(engine, fk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_usual_look),
		cmocka_unit_test(test_state),
		cmocka_unit_test(test_waiting_thread),
		cmocka_unit_test(test_ended_main_thread),
		cmocka_unit_test(test_watch_command),
		cmocka_unit_test(test_waits_of_another_row),
	};

	return cmocka_run_group_tests_name("waiting", tests, stage_set_zone, NULL);
}
