// SPDX-License-Identifier: MIT
/*
 * Counters of single tasks, for an ordinary user (uid 1000) without permission to count CPUs. The
 * counts must equal the counts in the fake kernel. Every task makes two cycles and one instruction
 * per ns, three quarters of them in user mode.
 */
#include "core/snapshot/rollup.h"
#include "tests/fake_kernel/machines.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/engine_run.h"
#include "tests/unit/shared/send_request.h"

#include <errno.h>
#include <stdio.h>

enum { ME = 1000, OTHER = 2000, MAIN = 50 };

#define ORDINARY .unprivileged = true, .uid = ME

#define TASK_OF(owner, number, ...)                                                             \
	&(struct fk_spec)                                                                       \
	{                                                                                       \
		.tid = (number), .uid = (owner), .rates = HALF_IPC, .user = {3, 4}, __VA_ARGS__ \
	}
#define TASK(number, ...) TASK_OF(ME, number, __VA_ARGS__)

#define PIDS(...)                             \
	.pids = (const pid_t[]){__VA_ARGS__}, \
	.n_pids = sizeof((pid_t[]){__VA_ARGS__}) / sizeof(pid_t)

static uint64_t sum_of(const struct snapshot *snapshot, const char *event)
{
	const struct columns *columns = snapshot->columns;
	uint64_t sum = 0;

	for (size_t i = 0; i < snapshot->threads.n; i++)
		sum += plan_count(columns->plan, rows_tally(columns, &snapshot->threads, i),
				  event_index(snapshot, event));
	return sum;
}

static bool is_near(double value, double truth, double part)
{
	return value >= truth * (1 - part) && value <= truth * (1 + part);
}

static void check_near(double value, double truth, double part)
{
	if (!is_near(value, truth, part))
		fail_msg("%.0f instead of %.0f", value, truth);
}

/* The count of a task's event, summed over these intervals. */
static uint64_t count_over(struct engine *engine, struct fk *fk, int intervals, pid_t tid,
			   const char *event)
{
	uint64_t sum = 0;

	for (int i = 0; i < intervals; i++) {
		struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		sum += count_of(snapshot, tid, event);
		snapshot_free(snapshot);
	}
	return sum;
}

struct level {
	const char *name;
	int paranoid;
	enum event_levels levels;
	bool user_only;
};

static const struct level levels[] = {
	{"paranoid 1 counts all", 1, EVENT_LEVELS_ALL, false},
	{"paranoid 1, user mode selected", 1, EVENT_LEVELS_USER, true},
	{"paranoid 2 counts user mode", 2, EVENT_LEVELS_ALL, true},
	{"paranoid 2, user mode selected", 2, EVENT_LEVELS_USER, true},
};

static void test_level(void **state)
{
	const struct level *this = *state;
	struct fk *fk = fk_new(&(struct fk_config){ORDINARY, .paranoid = this->paranoid});
	struct sys sys = fk_sys(fk);

	fk_task(fk, TASK(MAIN));
	fk_switch(fk, 0, MAIN);
	struct engine *engine =
		open_engine_with(&sys, &(struct engine_config){.levels = this->levels});
	snapshot_free(nth_snapshot(engine, fk, 2));
	uint64_t all = fk_truth_task(fk, MAIN, FK_CYCLES);
	uint64_t user = fk_truth_task_user(fk, MAIN, FK_CYCLES);
	uint64_t counted = count_over(engine, fk, 5, MAIN, "cycles");
	all = fk_truth_task(fk, MAIN, FK_CYCLES) - all;
	user = fk_truth_task_user(fk, MAIN, FK_CYCLES) - user;
	check_near((double)counted, (double)(this->user_only ? user : all), 0.001);

	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	assert_int_equal(snapshot->mode, COUNT_MODE_TASK);
	struct figure ipc = task_figure(snapshot, MAIN, "ipc");
	assert_int_equal(ipc.state, FIGURE_VALID);
	check_near(ipc.value, 0.5, 0.001);
	assert_int_equal(has_note(snapshot, "User mode only (:u)"),
			 this->user_only && this->levels == EVENT_LEVELS_ALL);
	assert_int_equal(snapshot->columns->levels,
			 this->user_only ? EVENT_LEVELS_USER : EVENT_LEVELS_ALL);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* If kernel mode cannot be counted, its share of the time comes from /proc in every mode. */
static void kernel_share(void **state)
{
	static const struct fk_config machines[] = {
		{ORDINARY, .paranoid = 2},
		{ORDINARY, .paranoid = 2, .no_pmu = true},
		{ORDINARY, .paranoid = 3},
		{.no_pmu = true},
	};
	const struct preset *kernel = preset_find("kernel");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		struct fk *fk = fk_new(&machines[i]);
		struct sys sys = fk_sys(fk);
		fk_task(fk, TASK(MAIN));
		fk_task(fk, TASK(60, .kernel = true));
		fk_switch(fk, 0, MAIN);
		struct engine *engine =
			open_engine_with(&sys, &(struct engine_config){.preset = kernel});
		snapshot_free(next_snapshot(engine, fk, NS_PER_S));
		fk_switch(fk, 0, 60);
		fk_advance(fk, 100 * NS_PER_MS);
		fk_switch(fk, 0, MAIN);
		struct snapshot *snapshot = next_snapshot(engine, fk, NS_PER_S);
		check_near(task_figure(snapshot, MAIN, "kernel_percent").value, 25, 0.1);
		check_near(task_figure(snapshot, 60, "kernel_percent").value, 100, 0.1);
		int index = columns_metric(snapshot->columns, "kernel_percent");
		assert_true(figure_known(snapshot->figures[index]));
		if (i == 0) {
			check_near(task_figure(snapshot, MAIN, "ipc_user").value, 0.5, 0.001);
			assert_int_equal(task_figure(snapshot, MAIN, "ipc_kernel").state,
					 FIGURE_DENIED);
		}
		snapshot_free(snapshot);
		close_all(engine, fk);
	}
}

/* A column that is added later has a task's time of the interval, not of its life. */
static void times_added_later(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){.no_pmu = true});
	struct sys sys = fk_sys(fk);
	const struct request add = {REQUEST_ADD_EVENTS, EVENT_USER_TIME};

	(void)state;
	fk_task(fk, TASK(MAIN));
	fk_switch(fk, 0, MAIN);
	struct engine *engine =
		open_engine_with(&sys, &(struct engine_config){.preset = preset_find("branch")});
	fk_fork(fk, MAIN, 60);
	fk_switch(fk, 0, 60);
	for (int round = 0; round < 2; round++) {
		snapshot_free(next_snapshot(engine, fk, 5 * NS_PER_S));
		send_request(engine, &add);
		snapshot_free(next_snapshot(engine, fk, INTERVAL_NS));
		struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		int index = columns_metric(snapshot->columns, EVENT_USER_TIME);
		assert_true(index >= 0);
		assert_int_equal(task_figure(snapshot, 60, EVENT_USER_TIME).state,
				 FIGURE_NOT_COUNTED);
		assert_int_equal(snapshot->figures[index].state, FIGURE_NOT_COUNTED);
		snapshot_free(snapshot);
		snapshot = next_snapshot(engine, fk, NS_PER_S);
		check_near(task_figure(snapshot, 60, EVENT_USER_TIME).value,
			   0.75 * (double)NS_PER_S, 0.1);
		assert_true(figure_known(snapshot->figures[index]));
		snapshot_free(snapshot);
		send_request(engine, &(struct request){REQUEST_REMOVE, EVENT_USER_TIME});
	}
	close_all(engine, fk);
}

/* CPUs have ticks here: in a short interval their figures are estimates. */
static void cpus_of_ticks(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct fk *fk = fk_new(&(struct fk_config){ORDINARY, .paranoid = 3});
		struct sys sys = fk_sys(fk);
		enum figure_state wanted = i ? FIGURE_VALID : FIGURE_SCALED;

		fk_task(fk, TASK(MAIN));
		fk_switch(fk, 0, MAIN);
		struct engine *engine = open_engine(&sys);
		snapshot_free(next_snapshot(engine, fk, NS_PER_S));
		struct snapshot *snapshot =
			next_snapshot(engine, fk, i ? 2 * NS_PER_S : INTERVAL_NS);
		int index = columns_metric(snapshot->columns, "cpu_percent");
		assert_true(index >= 0);
		assert_int_equal(snapshot->cpus[0].figures[index].state, wanted);
		assert_int_equal(snapshot->figures[index].state, wanted);
		snapshot_free(snapshot);
		close_all(engine, fk);
	}
}

/*
 * The ticks of a task grow by more than it ran in the interval: it ran unseen before. It has no
 * times then, and the machine no more than there was time. Ticks that are rounded up are bounded.
 */
static void times_of_more_than_an_interval(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){.no_pmu = true});
	struct sys sys = fk_sys(fk);
	const struct request add = {REQUEST_ADD_EVENTS, EVENT_USER_TIME};
	static const char *const stats[] = {"1000", "1100", "1300", "1400", "1501"};
	static const enum figure_state wanted[] = {FIGURE_NOT_COUNTED, FIGURE_VALID,
						   FIGURE_NOT_COUNTED, FIGURE_VALID, FIGURE_SCALED};

	(void)state;
	fk_task(fk, TASK(MAIN));
	fk_switch(fk, 0, MAIN);
	struct engine *engine = open_engine(&sys);
	send_request(engine, &add);
	snapshot_free(next_snapshot(engine, fk, NS_PER_S));
	for (size_t i = 0; i < ARRAY_SIZE(stats); i++) {
		char text[256];

		snprintf(text, sizeof(text),
			 "50 (t) R 1 50 50 0 -1 0 0 0 0 0 %s 0 0 0 20 0 1 0 0 0 0 0 0 0 0 0 0 0 0 "
			 "0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
			 stats[i]);
		fk_file(fk, "/proc/50/task/50/stat", text);
		struct snapshot *snapshot = next_snapshot(engine, fk, NS_PER_S);
		struct figure figure = task_figure(snapshot, MAIN, EVENT_USER_TIME);
		if (figure.state != wanted[i])
			fail_msg("interval %zu: %f, state %u", i, figure.value, figure.state);
		assert_true(figure.value <= (double)count_of(snapshot, MAIN, "task-clock"));
		int index = columns_metric(snapshot->columns, EVENT_USER_TIME);
		assert_true(snapshot->figures[index].value <= 1.01 * (double)NS_PER_S);
		snapshot_free(snapshot);
	}
	close_all(engine, fk);
}

/* The levels change with the next interval but one, with counters of CPUs and of tasks. */
static void levels_change(void **state)
{
	for (int paranoid = 0; paranoid <= 1; paranoid++) {
		struct fk *fk = fk_new(&(struct fk_config){ORDINARY, .paranoid = paranoid});
		struct sys sys = fk_sys(fk);

		(void)state;
		fk_task(fk, TASK(MAIN));
		fk_switch(fk, 0, MAIN);
		struct engine *engine = open_engine(&sys);
		static const struct {
			enum event_levels levels;
			double share;
		} steps[] = {{EVENT_LEVELS_USER, 0.75},
			     {EVENT_LEVELS_KERNEL, 0.25},
			     {EVENT_LEVELS_ALL, 1}};
		for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
			send_request(engine, &(struct request){.kind = REQUEST_LEVELS,
							       .number = steps[i].levels});
			snapshot_free(nth_snapshot(engine, fk, 2));
			struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
			assert_int_equal(snapshot->columns->levels, steps[i].levels);
			check_near((double)count_of(snapshot, MAIN, "cycles"),
				   2e0 * (double)INTERVAL_NS * steps[i].share, 0.01);
			check_near(task_figure(snapshot, MAIN, "ipc").value, 0.5, 0.001);
			snapshot_free(snapshot);
		}
		close_all(engine, fk);
	}
}

/* The first note has the reason, as long as the selected level is denied. */
static void kernel_denied(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){ORDINARY, .paranoid = 2});
	struct sys sys = fk_sys(fk);
	static const char note[] = "Kernel mode alone (:k) is denied";

	(void)state;
	fk_task(fk, TASK(MAIN));
	fk_switch(fk, 0, MAIN);
	struct engine *engine = open_engine(&sys);
	send_request(engine,
		     &(struct request){.kind = REQUEST_LEVELS, .number = EVENT_LEVELS_KERNEL});
	struct snapshot *snapshot = nth_snapshot(engine, fk, 3);
	assert_int_equal(task_figure(snapshot, MAIN, "ipc").state, FIGURE_DENIED);
	assert_int_equal(strncmp(snapshot->notes[0], note, strlen(note)), 0);
	assert_false(has_note(snapshot, "User mode only (:u)"));
	snapshot_free(snapshot);
	send_request(engine, &(struct request){.kind = REQUEST_LEVELS, .number = EVENT_LEVELS_ALL});
	snapshot = nth_snapshot(engine, fk, 3);
	assert_false(has_note(snapshot, note));
	assert_true(has_note(snapshot, "User mode only (:u)"));
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* Other users' processes have the figures of /proc. Their counts are unknown, not 0. */
static void others_are_shown(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){ORDINARY, .paranoid = 2, .cpus = 2});
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, TASK(MAIN));
	fk_task(fk, TASK_OF(OTHER, 60, .comm = "other"));
	fk_switch(fk, 0, MAIN);
	fk_switch(fk, 1, 60);
	struct engine *engine = open_engine(&sys);
	snapshot_free(next_snapshot(engine, fk, NS_PER_S));
	struct snapshot *snapshot = next_snapshot(engine, fk, NS_PER_S);
	check_near(task_figure(snapshot, 60, "cpu_percent").value, 100, 0.05);
	assert_int_equal(task_figure(snapshot, 60, "ipc").state, FIGURE_NOT_COUNTED);
	assert_int_equal(task_figure(snapshot, MAIN, "ipc").state, FIGURE_VALID);
	assert_string_equal(row_of(snapshot, 60)->comm, "other");
	/* The figures of the counted tasks are the target's, not the machine's. */
	size_t ipc = (size_t)columns_metric(snapshot->columns, "ipc");
	size_t mips = (size_t)columns_metric(snapshot->columns, "mips");
	assert_int_equal(snapshot->figures[ipc].state, FIGURE_NOT_COUNTED);
	assert_int_equal(snapshot->figures[mips].state, FIGURE_NOT_COUNTED);
	assert_false(snapshot->targeted);
	assert_non_null(snapshot->target);
	assert_int_equal(snapshot->target_figures[mips].state, FIGURE_VALID);
	check_near(snapshot->target_figures[mips].value, task_figure(snapshot, MAIN, "mips").value,
		   0.001);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* A thread that slept in the whole interval after it had counters. */
struct sleeper {
	const char *name;
	int paranoid;
	bool idle, root; /* rows of idle tasks are requested; it is the target */
	bool row;
	enum figure_state state; /* of the row's times */
};

static const struct sleeper sleepers[] = {
	{"a sleeper has no row", 2, false, false, false, FIGURE_UNDEFINED},
	{"a sleeper has no row without counters", 3, false, false, false, FIGURE_UNDEFINED},
	{"why an idle task slept is an estimate", 2, true, false, true, FIGURE_SCALED},
	{"the same without counters", 3, true, false, true, FIGURE_SCALED},
	{"a target that sleeps is blocked", 2, false, true, true, FIGURE_VALID},
	{"an idle target that sleeps is blocked", 2, true, true, true, FIGURE_VALID},
	{"of a target without counters that is an estimate", 3, false, true, true, FIGURE_SCALED},
};

/* Of a thread that does not run, the time blocked is the interval or unknown, and never 0. */
static void test_sleeper(void **state)
{
	const struct sleeper *this = *state;
	struct fk *fk = fk_new(&(struct fk_config){ORDINARY, .paranoid = this->paranoid});
	struct sys sys = fk_sys(fk);
	struct engine_config config = {.preset = preset_find("waiting"), .idle = this->idle};
	pid_t root = 60;

	if (this->root) {
		config.target.pids = &root;
		config.target.n_pids = 1;
	}
	fk_task(fk, TASK(MAIN));
	fk_task(fk, TASK(60));
	fk_switch(fk, 0, 60);
	struct engine *engine = open_engine_with(&sys, &config);
	snapshot_free(nth_snapshot(engine, fk, 2));
	fk_switch(fk, 0, MAIN);
	snapshot_free(nth_snapshot(engine, fk, 2));
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	assert_int_equal(row_of(snapshot, 60) != NULL, this->row);
	if (this->row) {
		struct figure blocked = task_figure(snapshot, 60, "blocked_percent");
		assert_int_equal(blocked.state, this->state);
		assert_int_equal(task_figure(snapshot, 60, "runq_percent").state, this->state);
		if (figure_known(blocked))
			check_near(blocked.value, 100, 0.001);
	}
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* Threads and processes that start later get counters of their own. No count is credited twice. */
static void children_are_followed(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){ORDINARY, .paranoid = 2, .cpus = 3});
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, TASK(MAIN));
	fk_switch(fk, 0, MAIN);
	struct engine *engine = open_engine_with(
		&sys, &(struct engine_config){.target = {.pids = (pid_t[]){MAIN}, .n_pids = 1}});
	uint64_t counted = count_over(engine, fk, 2, MAIN, "cycles");
	assert_true(counted > 0);
	uint64_t before = fk_truth_task_user(fk, MAIN, FK_CYCLES);
	uint64_t sum = 0;
	fk_thread(fk, MAIN, 51);
	fk_fork(fk, MAIN, 70);
	fk_switch(fk, 1, 51);
	fk_switch(fk, 2, 70);
	for (int i = 0; i < 6; i++) {
		struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		sum += sum_of(snapshot, "cycles");
		if (i == 3) { /* each has a row of its own now */
			check_near(task_figure(snapshot, 51, "ipc").value, 0.5, 0.001);
			check_near((double)count_of(snapshot, 70, "cycles"),
				   1.5 * (double)INTERVAL_NS, 0.01);
		}
		snapshot_free(snapshot);
	}
	uint64_t truth = fk_truth_task_user(fk, MAIN, FK_CYCLES) - before +
			 fk_truth_task_user(fk, 51, FK_CYCLES) +
			 fk_truth_task_user(fk, 70, FK_CYCLES);
	check_near((double)sum, (double)truth, 0.001);
	close_all(engine, fk);
}

/* Tasks that start and end between two scans are counted with their parents. */
static void short_lives_count(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){ORDINARY, .paranoid = 2, .cpus = 2});
	struct sys sys = fk_sys(fk);
	uint64_t sum = 0, truth = 0;

	(void)state;
	fk_task(fk, TASK(MAIN));
	fk_switch(fk, 0, MAIN);
	struct engine *engine = open_engine_with(
		&sys, &(struct engine_config){.target = {.pids = (pid_t[]){MAIN}, .n_pids = 1}});
	snapshot_free(nth_snapshot(engine, fk, 2));
	uint64_t before = fk_truth_task_user(fk, MAIN, FK_CYCLES);
	for (int i = 0; i < 4; i++) {
		for (pid_t child = 100 + 10 * i; child < 105 + 10 * i; child++) {
			fk_fork(fk, MAIN, child);
			fk_switch(fk, 1, child);
			fk_advance(fk, 8 * NS_PER_MS);
			fk_exit(fk, child, FK_EXIT_REAPED);
			fk_switch(fk, 1, 0);
			truth += fk_truth_task_user(fk, child, FK_CYCLES);
		}
		struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		sum += sum_of(snapshot, "cycles");
		/* /proc has the switches of the main thread only, not of all threads. */
		assert_int_equal(task_figure(snapshot, MAIN, "cs_per_s").state, FIGURE_SCALED);
		snapshot_free(snapshot);
	}
	truth += fk_truth_task_user(fk, MAIN, FK_CYCLES) - before;
	check_near((double)sum, (double)truth, 0.002);
	close_all(engine, fk);
}

/* A command is counted from its exec on, exactly. */
static void a_command_from_its_exec(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){ORDINARY, .paranoid = 2});
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, TASK(MAIN, .comm = "pmctop"));
	fk_task(fk, TASK(60, .comm = "else"));
	fk_switch(fk, 0, MAIN);
	struct engine *engine =
		open_engine_with(&sys, &(struct engine_config){.target.command = MAIN});
	uint64_t before = fk_truth_task_user(fk, MAIN, FK_CYCLES);
	fk_exec(fk, MAIN, "make");
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	uint64_t truth = fk_truth_task_user(fk, MAIN, FK_CYCLES) - before;
	check_near((double)count_of(snapshot, MAIN, "cycles"), (double)truth, 0.0005);
	assert_string_equal(row_of(snapshot, MAIN)->comm, "make");
	assert_true(snapshot->targeted);
	assert_false(snapshot->ended);
	snapshot_free(snapshot);
	fk_exit(fk, MAIN, FK_EXIT_REAPED);
	fk_switch(fk, 0, 0);
	snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	assert_true(snapshot->ended);
	assert_true(has_exited(snapshot, MAIN));
	snapshot_free(snapshot);
	snapshot = next_snapshot(engine, fk, INTERVAL_NS); /* the row stays */
	assert_true(has_exited(snapshot, MAIN));
	assert_null(row_of(snapshot, 60));
	snapshot_free(snapshot);
	send_request(engine, &(struct request){.kind = REQUEST_DISMISS});
	snapshot_free(nth_snapshot(engine, fk, 2));
	fk_switch(fk, 0, 60);
	snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	assert_false(snapshot->targeted);
	assert_null(row_of(snapshot, MAIN));
	assert_int_equal(task_figure(snapshot, 60, "cpu_percent").state, FIGURE_VALID);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

struct filter {
	const char *name;
	struct target_spec target;
	bool wants[4]; /* 50, its thread 51, its child 70, another's 60 */
};

static const struct filter filters[] = {
	{"a process, its threads and children", {PIDS(MAIN)}, {true, true, true, false}},
	{"a thread alone", {.tids = (const pid_t[]){51}, .n_tids = 1}, {false, true, false, false}},
	{"a child", {PIDS(70)}, {false, false, true, false}},
	{"a user by name", {.user = "nobody"}, {false, false, false, true}},
	{"a user by number", {.user = "1000"}, {true, true, true, false}},
	{"two users", {.user = "1000,nobody"}, {true, true, true, true}},
	{"a cgroup by its path", {.cgroup = "/web.slice"}, {false, false, true, true}},
	{"a cgroup oddly spelled",
	 {.cgroup = "/sys/fs/cgroup//./web.slice/"},
	 {false, false, true, true}},
	{"a cgroup by its name", {.cgroup = "nginx.service"}, {false, false, true, false}},
	{"two cgroups", {.cgroup = "nginx.service,/web.slice"}, {false, false, true, true}},
	{"a cgroup with a comma", {.cgroup = "/db,1"}, {false, false, false, false}},
	{"a process of a cgroup",
	 {PIDS(MAIN), .cgroup = "/web.slice"},
	 {false, false, true, false}},
};

static void test_filter(void **state)
{
	const struct filter *this = *state;
	static const pid_t tids[] = {MAIN, 51, 70, 60};

	for (int privileged = 0; privileged <= 1; privileged++) {
		struct fk *fk = fk_new(&(struct fk_config){
			.unprivileged = !privileged, .uid = ME, .paranoid = 2, .cpus = 4});
		struct sys sys = fk_sys(fk);
		fk_file(fk, "/etc/passwd", "root:x:0:0::/:\nnobody:x:2000:0::/:\n");
		fk_file(fk, "/sys/fs/cgroup/web.slice/cgroup.procs", "60\n");
		fk_file(fk, "/sys/fs/cgroup/db,1/cgroup.procs", "");
		fk_task(fk, TASK(MAIN));
		fk_task(fk, TASK(51, .pid = MAIN));
		fk_task(fk, TASK(70, .ppid = MAIN, .cgroup = "/web.slice/nginx.service"));
		fk_task(fk, TASK_OF(OTHER, 60, .cgroup = "/web.slice"));
		for (int i = 0; i < 4; i++)
			fk_switch(fk, i, tids[i]);
		struct engine *engine =
			open_engine_with(&sys, &(struct engine_config){.target = this->target});
		snapshot_free(nth_snapshot(engine, fk, 2));
		struct snapshot *snapshot = nth_snapshot(engine, fk, 2);
		assert_true(snapshot->targeted);
		assert_int_equal(snapshot->mode, privileged ? COUNT_MODE_SYSTEM : COUNT_MODE_TASK);
		size_t wanted = 0;
		for (size_t i = 0; i < ARRAY_SIZE(tids); i++) {
			wanted += this->wants[i];
			if (this->wants[i] != (row_of(snapshot, tids[i]) != NULL))
				fail_msg("%d: %s", tids[i], this->wants[i] ? "missing" : "there");
		}
		check_near((double)snapshot->target[TALLY_TASK_CLOCK],
			   (double)wanted * (double)INTERVAL_NS, 0.15);
		snapshot_free(snapshot);
		close_all(engine, fk);
	}
}

/* If /proc hides init, a note reports that it hides the target's users, except the caller's own. */
static void hidden_users(void **state)
{
	static const struct {
		const char *users;
		bool init, noted;
	} rows[] = {
		{"2000", true, false},      {"2000", false, true}, {"1000", false, false},
		{"1000,2000", false, true}, {NULL, false, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct engine_config config = {.target.user = rows[i].users};
		struct fk *fk = fk_new(&(struct fk_config){ORDINARY, .paranoid = 2});
		struct sys sys = fk_sys(fk);
		if (rows[i].init)
			fk_task(fk, TASK_OF(0, 1, .comm = "init"));
		fk_task(fk, TASK(40, .comm = "pmctop"));
		fk_self_task(fk, 40);
		struct engine *engine = open_engine_with(&sys, &config);
		struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		assert_int_equal(has_note(snapshot, "/proc hides other users' processes"),
				 rows[i].noted);
		snapshot_free(snapshot);
		close_all(engine, fk);
	}
}

/* MAIN forks 60, which forks 61 and ends. */
static void leave_daemon(struct fk *fk)
{
	fk_fork(fk, MAIN, 60);
	fk_switch(fk, 1, 60);
	fk_fork(fk, 60, 61);
	fk_switch(fk, 2, 61);
	fk_exit(fk, 60, FK_EXIT_REAPED);
	fk_switch(fk, 1, 0);
}

/* Lets a process adopt 61, and sets its usage in /proc. */
static void adopt_daemon(struct fk *fk, pid_t parent, unsigned ticks)
{
	char text[160];

	snprintf(text, sizeof(text),
		 "61 (daemon) S %d 61 61 0 -1 4194304 0 0 0 0 %u 0 0 0 20 0 1 0 100099 4096000 "
		 "100\n",
		 parent, ticks);
	fk_file(fk, "/proc/61/stat", text);
}

/* A process that a command leaves behind is counted once, although its parents inherit its counts.
 */
static void orphans_count_once(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){ORDINARY, .paranoid = 2, .cpus = 3});
	struct sys sys = fk_sys(fk);
	uint64_t sum = 0, truth = 0;

	(void)state;
	fk_task(fk, TASK(40, .comm = "pmctop"));
	fk_task(fk, TASK(MAIN, .ppid = 40, .comm = "pmctop"));
	fk_self_task(fk, 40);
	fk_switch(fk, 0, MAIN);
	struct engine *engine =
		open_engine_with(&sys, &(struct engine_config){.target.command = MAIN});
	truth -= fk_truth_task_user(fk, MAIN, FK_CYCLES);
	fk_exec(fk, MAIN, "daemonize");
	leave_daemon(fk);
	adopt_daemon(fk, 40, 0);
	for (int i = 0; i < 6; i++) {
		struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		sum += sum_of(snapshot, "cycles");
		snapshot_free(snapshot);
	}
	truth += fk_truth_task_user(fk, MAIN, FK_CYCLES) + fk_truth_task_user(fk, 60, FK_CYCLES) +
		 fk_truth_task_user(fk, 61, FK_CYCLES);
	check_near((double)sum, (double)truth, 0.002);
	close_all(engine, fk);
}

/* The same for an orphan of a shell that has counters and sleeps. */
static void daemons_count_once(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){ORDINARY, .paranoid = 2, .cpus = 3});
	struct sys sys = fk_sys(fk);
	uint64_t sum_ns = 0;

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = 1, .comm = "init"});
	fk_task(fk, TASK(MAIN, .ppid = 1, .comm = "shell"));
	fk_switch(fk, 0, MAIN);
	struct engine *engine = open_engine(&sys);
	snapshot_free(nth_snapshot(engine, fk, 3));
	leave_daemon(fk);
	fk_switch(fk, 0, 0);
	adopt_daemon(fk, 1, 0);
	snapshot_free(nth_snapshot(engine, fk, 2)); /* the daemon is found and counted now */
	for (unsigned i = 1; i <= 4; i++) {
		adopt_daemon(fk, 1, 10 * i);
		struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		sum_ns += sum_of(snapshot, "task-clock");
		snapshot_free(snapshot);
	}
	check_near((double)sum_ns, 4.0 * INTERVAL_NS, 0.01);
	close_all(engine, fk);
}

static void migrate(struct fk *fk, void *arg)
{
	unsigned *next = arg;
	int to = 1 + (int)(*next % 2); /* a CPU of cpu_core, one of cpu_atom */

	fk_switch(fk, 3 - to, 0);
	fk_switch(fk, to, MAIN);
	*next += 1;
	fk_after(fk, 5 * NS_PER_MS, migrate, arg);
}

static struct fk *hybrid_new(int paranoid)
{
	struct fk_config config = fk_machine_hybrid;

	config.unprivileged = true;
	config.uid = ME;
	config.paranoid = paranoid;
	return fk_new(&config);
}

/* A task that migrates from one kind of CPU to the other is counted on both. */
static void two_kinds_of_cpus(void **state)
{
	struct fk *fk = hybrid_new(1);
	struct sys sys = fk_sys(fk);
	unsigned next = 0;

	(void)state;
	fk_task(fk, TASK(MAIN));
	migrate(fk, &next);
	struct engine *engine = open_engine(&sys);
	snapshot_free(nth_snapshot(engine, fk, 2));
	uint64_t truth = fk_truth_task(fk, MAIN, FK_CYCLES);
	struct snapshot *snapshot = next_snapshot(engine, fk, NS_PER_S);
	truth = fk_truth_task(fk, MAIN, FK_CYCLES) - truth;
	check_near((double)count_of(snapshot, MAIN, "cycles"), (double)truth, 0.001);
	struct figure ipc = task_figure(snapshot, MAIN, "ipc");
	assert_int_equal(ipc.state, FIGURE_VALID);
	check_near(ipc.value, 0.5, 0.001);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* Twice as many events as counters: the kernel multiplexes them, and the figures are SCALED. */
static void more_events_than_counters(void **state)
{
	static const struct engine_column columns[] = {
		{ENGINE_EVENTS, "cache-references,branches,bus-cycles,L1-dcache-loads,LLC-loads,"
				"dTLB-load-misses,iTLB-load-misses,L1-icache-load-misses"}};
	struct fk *fk = fk_new(&(struct fk_config){ORDINARY, .paranoid = 1});
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, TASK(MAIN));
	fk_rate(fk, MAIN, FK_BRANCHES, (struct fk_rate){1, 5});
	fk_switch(fk, 0, MAIN);
	struct engine *engine =
		open_engine_with(&sys, &(struct engine_config){.columns = columns, .n_columns = 1});
	snapshot_free(nth_snapshot(engine, fk, 2));
	struct snapshot *snapshot = next_snapshot(engine, fk, NS_PER_S);
	struct figure branches = task_figure(snapshot, MAIN, "branches");
	assert_int_equal(branches.state, FIGURE_SCALED);
	assert_true(branches.share > 0.2f && branches.share < 0.8f);
	check_near(branches.value, 0.2 * (double)NS_PER_S, 0.02);
	struct figure ipc = task_figure(snapshot, MAIN, "ipc");
	assert_int_equal(ipc.state, FIGURE_SCALED);
	check_near(ipc.value, 0.5, 0.001);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/*
 * A group opens and never runs, since other programs hold its counters. It is noted and divided
 * until they are free again.
 */
static void counters_taken(void **state)
{
	static const struct {
		unsigned held;
		const char *note;
		bool known;
	} rows[] = {
		{1, "Hardware events counted at a time: 1.", true},
		{FK_HOLD_ALL, "Not counted: counters taken", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk *fk =
			fk_new(&(struct fk_config){ORDINARY, .paranoid = 2, .cpus = 2, .slots = 2});
		struct sys sys = fk_sys(fk);
		fk_task(fk, TASK(40, .comm = "pmctop"));
		fk_task(fk, TASK(MAIN));
		fk_self_task(fk, 40);
		fk_switch(fk, 0, MAIN);
		fk_switch(fk, 1, 40);
		for (int cpu = 0; cpu < 2; cpu++)
			fk_hold(fk, cpu, rows[i].held);
		struct engine *engine =
			open_engine_with(&sys, &(struct engine_config){.counts_itself = true});
		for (int freed = 0; freed <= 1; freed++) {
			struct snapshot *snapshot = nth_snapshot(engine, fk, freed ? 15 : 3);
			struct figure ipc = task_figure(snapshot, MAIN, "ipc");
			assert_int_equal(figure_known(ipc), freed || rows[i].known);
			if (figure_known(ipc))
				check_near(ipc.value, 0.5, 0.1);
			assert_int_equal(has_note(snapshot, rows[i].note), !freed);
			snapshot_free(snapshot);
			for (int cpu = 0; cpu < 2; cpu++)
				fk_hold(fk, cpu, 0);
		}
		close_all(engine, fk);
	}
}

/* The counters of one kind of CPU do not run on the other kind: they are not noted as taken. */
static void counters_elsewhere(void **state)
{
	(void)state;
	for (int cpu = 0; cpu <= 2; cpu += 2) { /* of cpu_core, of cpu_atom */
		struct fk *fk = hybrid_new(2);
		struct sys sys = fk_sys(fk);
		fk_task(fk, TASK(40, .comm = "pmctop"));
		fk_self_task(fk, 40);
		fk_switch(fk, cpu, 40);
		struct engine *engine = open_engine(&sys);
		struct snapshot *snapshot = nth_snapshot(engine, fk, 2);
		assert_false(has_note(snapshot, "counters taken"));
		assert_false(has_note(snapshot, "Some counters are taken"));
		snapshot_free(snapshot);
		close_all(engine, fk);
	}
}

enum { TURNERS = 20 };

struct turns {
	unsigned next;
	pid_t first;
};

static void run_next_thread(struct fk *fk, void *arg)
{
	struct turns *turns = arg;

	fk_switch(fk, 0, turns->first + (pid_t)(turns->next % TURNERS));
	turns->next++;
	fk_after(fk, 2 * NS_PER_MS, run_next_thread, arg);
}

/* 20 busy threads, 200 asleep, and room for the counters of some. */
static void descriptors_run_out(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){ORDINARY, .paranoid = 2, .fd_limit = 100});
	struct sys sys = fk_sys(fk);
	struct turns turns = {.first = MAIN + 1};

	(void)state;
	fk_task(fk, TASK(MAIN));
	for (pid_t tid = MAIN + 1; tid < MAIN + 220; tid++)
		fk_task(fk, TASK(tid, .pid = MAIN));
	run_next_thread(fk, &turns);
	struct engine *engine = open_engine(&sys);
	snapshot_free(nth_snapshot(engine, fk, 3));
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	assert_int_equal(snapshot->threads_ran, 20);
	assert_in_range(snapshot->threads_counted, 5, 19);
	assert_true(has_note(snapshot, "busiest of 20 threads that ran"));
	size_t known = 0, rows = 0;
	for (pid_t tid = MAIN + 1; tid <= MAIN + 20; tid++) {
		struct figure ipc = task_figure(snapshot, tid, "ipc");
		check_near(task_figure(snapshot, tid, "cpu_percent").value, 5, 0.3);
		rows++;
		known += figure_known(ipc);
		if (figure_known(ipc))
			check_near(ipc.value, 0.5, 0.001);
		else
			assert_int_equal(ipc.state, FIGURE_NOT_COUNTED);
	}
	assert_int_equal(rows, 20);
	assert_int_equal(known, snapshot->threads_counted);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/*
 * The threads of a target run by turns and one starts, so some get counters at each cut, which then
 * scans twice. The figures cover the whole interval, and threads that ran keep their counters, with
 * descriptors for all threads and for some.
 */
static void scanning_twice(void **state)
{
	static const unsigned limits[] = {0, 100};

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(limits); k++) {
		bool few = limits[k] > 0;
		struct fk *fk = fk_new(&(struct fk_config){ORDINARY, .paranoid = 2,
							   .fd_limit = limits[k], .cpus = 2});
		struct sys sys = fk_sys(fk);
		struct turns turns = {.first = MAIN + 1};
		bool counted[2 * TURNERS] = {false};
		fk_task(fk, TASK(MAIN));
		for (pid_t i = 1; i <= 2 * TURNERS; i++)
			fk_task(fk, TASK(MAIN + i, .pid = MAIN));
		fk_switch(fk, 1, MAIN);
		run_next_thread(fk, &turns);
		struct engine *engine =
			open_engine_with(&sys, &(struct engine_config){.target = {PIDS(MAIN)}});
		snapshot_free(nth_snapshot(engine, fk, 3));
		for (pid_t round = 0; round < 8; round++) {
			turns.first++;
			fk_fork(fk, MAIN, 1000 + round);
			struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
			/* The main thread, and the thread that ran last before it. */
			assert_in_range(snapshot->threads_ran, TURNERS + 1, TURNERS + 2);
			assert_in_range(snapshot->threads_counted, few ? 5 : TURNERS + 1,
					few ? TURNERS : TURNERS + 2);
			assert_int_equal(has_note(snapshot, "busiest of 2"), few);
			for (pid_t i = 0; i < TURNERS; i++) {
				pid_t tid = turns.first + i;
				bool known = figure_known(task_figure(snapshot, tid, "ipc"));
				assert_true(known || !counted[tid - MAIN - 1]);
				counted[tid - MAIN - 1] = known;
			}
			snapshot_free(snapshot);
		}
		close_all(engine, fk);
	}
}

/*
 * A thread that ends before its counters are opened, or gets no descriptor, is not foreign.
 */
static void only_rights_make_a_task_foreign(void **state)
{
	static const int errors[] = {ESRCH, EMFILE};
	const struct engine_config config = {.target = {PIDS(MAIN)}};

	(void)state;
	for (unsigned k = 1, calls = 1; k <= calls; k++) {
		struct fk *fk = fk_new(&(struct fk_config){ORDINARY, .paranoid = 2});
		struct sys sys = fk_sys(fk);
		struct engine *engine = NULL;
		struct error err = {0};

		fk_task(fk, TASK(MAIN));
		fk_fail(fk, FK_PERF_OPEN, k, errors[k % ARRAY_SIZE(errors)]);
		if (engine_new(&sys, &config, &engine, &err) < 0)
			assert_null(strstr(err.text, "another user"));
		calls = fk_calls(fk, FK_PERF_OPEN);
		close_all(engine, fk);
	}
}

static void no_descriptor_is_left(void **state)
{
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);
	struct engine *engine = NULL;
	struct error err = {0};

	(void)state;
	fk_fail(fk, FK_DIR_EACH, 0, EMFILE);
	assert_int_equal(engine_new(&sys, &(struct engine_config){0}, &engine, &err), -EMFILE);
	assert_string_equal(err.text, "No file descriptor is left. Raise the limit: ulimit -n");
	close_all(engine, fk);
}

/* A process with a reused pid has a row and counts of its own. */
static void pids_are_reused(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){ORDINARY, .paranoid = 2});
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, TASK(MAIN, .comm = "parent"));
	fk_switch(fk, 0, MAIN);
	struct engine *engine = open_engine(&sys);
	snapshot_free(nth_snapshot(engine, fk, 2));
	fk_fork(fk, MAIN, 60);
	fk_switch(fk, 0, 60);
	fk_exec(fk, 60, "first");
	snapshot_free(nth_snapshot(engine, fk, 3));
	fk_exit(fk, 60, FK_EXIT_REAPED);
	fk_switch(fk, 0, MAIN);
	fk_advance(fk, 20 * NS_PER_MS);
	fk_fork(fk, MAIN, 60);
	fk_switch(fk, 0, 60);
	fk_exec(fk, 60, "second");
	snapshot_free(next_snapshot(engine, fk, INTERVAL_NS));
	struct snapshot *snapshot = nth_snapshot(engine, fk, 2);
	assert_string_equal(row_of(snapshot, 60)->comm, "second");
	assert_false(has_exited(snapshot, 60));
	check_near((double)count_of(snapshot, 60, "cycles"), 1.5 * (double)INTERVAL_NS, 0.01);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

static void names_change(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){ORDINARY, .paranoid = 2, .cpus = 2});
	struct sys sys = fk_sys(fk);

	(void)state;
	fk_task(fk, TASK(MAIN, .comm = "sh"));
	fk_task(fk, TASK(51, .pid = MAIN, .comm = "sh"));
	fk_switch(fk, 0, MAIN);
	fk_switch(fk, 1, 51);
	struct engine *engine = open_engine(&sys);
	snapshot_free(nth_snapshot(engine, fk, 2));
	fk_comm(fk, 51, "worker");
	fk_exec(fk, MAIN, "cc1");
	struct snapshot *snapshot = nth_snapshot(engine, fk, 2);
	assert_string_equal(row_of(snapshot, MAIN)->comm, "cc1");
	assert_string_equal(row_of(snapshot, 51)->comm, "worker");
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* The row of a process is known while its main thread sleeps. */
static void main_thread_sleeps(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){ORDINARY, .paranoid = 2});
	struct sys sys = fk_sys(fk);
	struct rows rows;

	(void)state;
	fk_task(fk, TASK(MAIN, .comm = "crowd"));
	fk_task(fk, TASK(51, .pid = MAIN, .comm = "busy"));
	fk_switch(fk, 0, 51);
	struct engine *engine = open_engine(&sys);
	snapshot_free(nth_snapshot(engine, fk, 2));
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	rollup_rows(snapshot, ROLLUP_PROCESS, NULL, &rows);
	assert_int_equal(rows.n, 1);
	assert_string_equal(rows.items[0].comm, "crowd");
	int ipc = columns_metric(snapshot->columns, "ipc");
	assert_int_equal(rows_figures(snapshot->columns, &rows, 0)[ipc].state, FIGURE_VALID);
	rows_fini(&rows);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

struct refusal {
	const char *name;
	struct fk_config config;
	struct target_spec target;
	int code;
	const char *message;
	bool hidden; /* /proc does not have init */
};

static const struct refusal refusals[] = {
	{"no process has that pid", {0}, {PIDS(4711)}, -EINVAL, "There is no process 4711."},
	{"no process in the target has it",
	 {0},
	 {PIDS(4711)},
	 -EINVAL,
	 "There is no process 4711, or /proc hides it (hidepid)",
	 .hidden = true},
	{"one of two", {0}, {PIDS(MAIN, 4711)}, -EINVAL, "There is no process 4711."},
	{"no thread has that tid",
	 {0},
	 {.tids = (const pid_t[]){4711}, .n_tids = 1},
	 -EINVAL,
	 "There is no thread 4711."},
	{"a thread for a process", {0}, {PIDS(51)}, -EINVAL, "51 is a thread of process 50"},
	{"another user's",
	 {ORDINARY, .paranoid = 2},
	 {PIDS(60)},
	 -EACCES,
	 "Process 60 belongs to another user"},
	{"a kernel thread", {ORDINARY, .paranoid = 2}, {PIDS(2)}, -EACCES, "2 is a kernel thread"},
	{"no such user", {0}, {.user = "nosuch"}, -EINVAL, "There is no user 'nosuch'"},
	{"one of several users", {0}, {.user = "1000,me"}, -EINVAL, "There is no user 'me'"},
	{"no second user", {0}, {.user = "1000,"}, -EINVAL, "There is no user ''"},
	{"one of several cgroups", {0}, {.cgroup = "/,/a"}, -EINVAL, "There is no cgroup '/a'"},
	{"no such cgroup", {0}, {.cgroup = "/nosuch"}, -EINVAL, "There is no cgroup '/nosuch'"},
	{"a cgroup outside", {0}, {.cgroup = "/../../../etc"}, -EINVAL, "There is no cgroup"},
	{"a cgroup upwards", {0}, {.cgroup = "/./.."}, -EINVAL, "There is no cgroup"},
	{"no list of CPUs", {0}, {.cpus = "0-"}, -EINVAL, "Invalid list of CPUs '0-'"},
	{"a CPU that is not there", {0}, {.cpus = "0,7"}, -EINVAL, "CPU 7 is not online"},
	{"CPUs without the right to",
	 {ORDINARY, .paranoid = 2},
	 {.cpus = "0"},
	 -EACCES,
	 "-C counts whole CPUs. perf_event_paranoid="},
};

static void test_refusal(void **state)
{
	const struct refusal *this = *state;
	struct fk *fk = fk_new(&this->config);
	struct sys sys = fk_sys(fk);
	struct engine *engine = NULL;
	struct error err = {0};
	const struct engine_config config = {.target = this->target};

	if (!this->hidden)
		fk_task(fk, &(struct fk_spec){.tid = 1, .comm = "init"});
	fk_task(fk, &(struct fk_spec){.tid = 2, .kernel = true, .comm = "kthreadd"});
	fk_task(fk, TASK(MAIN));
	fk_task(fk, TASK(51, .pid = MAIN));
	fk_task(fk, TASK_OF(OTHER, 60));
	assert_int_equal(engine_new(&sys, &config, &engine, &err), this->code);
	if (!strstr(err.text, this->message))
		fail_msg("'%s' instead of '%s'", err.text, this->message);
	close_all(NULL, fk);
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(kernel_share),
		cmocka_unit_test(times_added_later),
		cmocka_unit_test(cpus_of_ticks),
		cmocka_unit_test(times_of_more_than_an_interval),
		cmocka_unit_test(levels_change),
		cmocka_unit_test(others_are_shown),
		cmocka_unit_test(children_are_followed),
		cmocka_unit_test(short_lives_count),
		cmocka_unit_test(a_command_from_its_exec),
		cmocka_unit_test(descriptors_run_out),
		cmocka_unit_test(scanning_twice),
		cmocka_unit_test(counters_taken),
		cmocka_unit_test(counters_elsewhere),
		cmocka_unit_test(pids_are_reused),
		cmocka_unit_test(names_change),
		cmocka_unit_test(main_thread_sleeps),
		cmocka_unit_test(hidden_users),
		cmocka_unit_test(orphans_count_once),
		cmocka_unit_test(daemons_count_once),
		cmocka_unit_test(no_descriptor_is_left),
		cmocka_unit_test(two_kinds_of_cpus),
		cmocka_unit_test(more_events_than_counters),
		cmocka_unit_test(kernel_denied),
		cmocka_unit_test(only_rights_make_a_task_foreign),
	};
	static const struct cases tables[] = {
		CASES(test_level, levels),
		CASES(test_filter, filters),
		CASES(test_sleeper, sleepers),
		CASES(test_refusal, refusals),
	};

	return cases_run("task collector", tables, ARRAY_SIZE(tables), others, ARRAY_SIZE(others));
}
