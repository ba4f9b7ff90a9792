// SPDX-License-Identifier: MIT
/*
 * The task table, case by case: records go in, in the order in which the rings are read, which is
 * not the order of time. Every (tid, time) must find the task that had the tid at that time.
 */
#include "core/attrib/tasks.h"
#include "core/base/util.h"
#include "tests/fake_kernel/fake_kernel.h"
#include "tests/fake_kernel/faulty.h"
#include "tests/unit/shared/allocated.h"
#include "tests/unit/shared/cases.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_MAX = 8, WANTS_MAX = 4 };

/* The first time of the fake kernel's clock. */
#define BASE_NS (1000 * NS_PER_S)

static uint64_t at_ms(uint64_t ms)
{
	return BASE_NS + ms * NS_PER_MS;
}

enum step_kind {
	END,
	SEEN,   /* a switch names the tid */
	THREAD, /* the same for a thread of process 9 */
	FORK,   /* by tid 7 */
	COMM,
	EXEC,
	EXIT,
	FREE, /* frees the tasks that exited before that time */
};

struct step {
	enum step_kind kind;
	uint64_t ms;
	pid_t tid;
	const char *comm;
};

struct want {
	pid_t tid;
	uint64_t ms;
	const char *comm; /* NULL: there is no task */
	uint64_t exit_ms; /* 0: it lives */
	uint64_t seen_ms; /* 0: not checked */
};

struct tasks_case {
	const char *name;
	struct step steps[STEPS_MAX];
	struct want wants[WANTS_MAX]; /* up to a tid of 0 */
	size_t count;                 /* of tasks in the end */
};

static const struct tasks_case cases[] = {
	{"a record of the past finds the past task of a reused tid",
	 {{COMM, 10, 9, "first"}, {EXIT, 4990, 9}, {FORK, 5000, 9}, {COMM, 5001, 9, "second"}},
	 {{9, 15, "first", 4990}, {9, 5001, "second"}, {9, 9000, "second"}},
	 2},
	{"a FORK ends the task of that tid of which the EXIT was lost",
	 {{COMM, 10, 9, "first"}, {FORK, 5000, 9}, {COMM, 5001, 9, "second"}},
	 {{9, 15, "first", 5000}, {9, 5001, "second"}},
	 2},
	{"the EXIT of that task is read late",
	 {{COMM, 10, 9, "first"}, {FORK, 200, 9}, {COMM, 201, 9, "second"}, {EXIT, 150, 9}},
	 {{9, 15, "first", 150}, {9, 160, "first", 150}, {9, 201, "second"}},
	 2},
	{"a task that only its EXIT names is older than the younger tasks of its tid",
	 {{FORK, 200, 9}, {FORK, 210, 9}, {COMM, 211, 9, "third"}, {EXIT, 150, 9}},
	 {{9, 150, "", 150}, {9, 201, "", 210}, {9, 220, "third"}},
	 3},
	{"a task that a FORK has ended is freed like any other",
	 {{COMM, 10, 9, "first"}, {FORK, 5000, 9}, {COMM, 5001, 9, "second"}, {FREE, 6200}},
	 {{9, 15, NULL}, {9, 5001, "second"}},
	 1},
	{"an earlier record of another ring: the task was there before the FORK",
	 {{SEEN, 300, 9}, {COMM, 100, 9, "first"}, {FORK, 200, 9}, {COMM, 301, 9, "second"}},
	 {{9, 100, "first", 200, 100}, {9, 300, "second", 0, 200}},
	 2},
	{"a FORK read after its child's records belongs to the child",
	 {{COMM, 300, 9, "child"}, {SEEN, 250, 9}, {FORK, 200, 9}},
	 {{9, 250, "child", 0, 250}, {9, 199, NULL}},
	 1},
	{"a COMM of another ring, older than the one known, changes nothing",
	 {{COMM, 20, 9, "new"}, {COMM, 10, 9, "old"}},
	 {{9, 30, "new", 0, 10}},
	 1},
	{"a late COMM does not revive an exited task",
	 {{COMM, 20, 9, "new"}, {EXIT, 30, 9}, {EXEC, 10, 9, "old"}},
	 {{9, 30, "new", 30, 10}},
	 1},
	{"an exec that is applied twice does not revive a task",
	 {{EXEC, 20, 9, "cc"}, {EXIT, 30, 9}, {EXEC, 20, 9, "cc"}},
	 {{9, 30, "cc", 30}},
	 1},
	{"a task is found until a little after its EXIT",
	 {{COMM, 10, 9, "kid"}, {EXIT, 20, 9}},
	 {{9, 1020, "kid", 20}, {9, 1021, NULL}},
	 1},
	{"a thread that execs gets the tid of its dead leader",
	 {{COMM, 10, 9, "leader"}, {EXIT, 20, 9}, {EXEC, 30, 9, "thread"}},
	 {{9, 5000, "thread"}},
	 1},
	{"the EXIT of the dead leader is read after the exec",
	 {{COMM, 10, 9, "leader"}, {EXEC, 30, 9, "thread"}, {EXIT, 20, 9}},
	 {{9, 5000, "thread"}},
	 1},
	{"after an exec the other threads have exited, without an EXIT",
	 {{COMM, 10, 9, "leader"},
	  {THREAD, 12, 11},
	  {THREAD, 13, 12},
	  {EXIT, 20, 9},
	  {EXEC, 30, 9, "thread"},
	  {THREAD, 40, 13},
	  {EXIT, 25, 12}},
	 {{11, 15, "", 30}, {12, 15, "", 25}, {13, 50, ""}, {9, 50, "thread"}},
	 4},
	{"the same if the EXIT of the leader is read late",
	 {{COMM, 10, 9, "leader"},
	  {THREAD, 12, 11},
	  {EXEC, 30, 9, "thread"},
	  {THREAD, 40, 13},
	  {EXIT, 20, 9}},
	 {{11, 15, "", 30}, {13, 50, ""}, {9, 50, "thread"}},
	 3},
	{"an exec of the leader ends no thread, as each makes an EXIT",
	 {{COMM, 10, 9, "leader"}, {THREAD, 12, 11}, {EXEC, 30, 9, "leader"}},
	 {{11, 15, ""}, {9, 50, "leader"}},
	 2},
	{"a task that has execed is not freed for the EXIT of its leader",
	 {{COMM, 10, 9, "leader"}, {EXIT, 20, 9}, {EXEC, 30, 9, "thread"}, {FREE, 5000}},
	 {{9, 5000, "thread"}},
	 1},
	{"a task that has execed is freed for its own EXIT, once",
	 {{COMM, 10, 9, "leader"},
	  {EXIT, 20, 9},
	  {EXEC, 30, 9, "thread"},
	  {EXIT, 40, 9},
	  {FREE, 5000},
	  {FREE, 5001}},
	 {{9, 40, NULL}},
	 0},
	{"an older task of which the EXIT is read last is freed too",
	 {{FORK, 200, 9}, {EXIT, 220, 9}, {EXIT, 150, 9}, {FREE, 5000}},
	 {{9, 150, NULL}},
	 0},
	{"an exited task is kept while a record may still name it",
	 {{COMM, 10, 9, "kid"}, {EXIT, 20, 9}, {FREE, 1020}},
	 {{9, 20, "kid", 20}},
	 1},
	{"an older task of a tid is freed, the newer one stays",
	 {{COMM, 10, 9, "first"},
	  {EXIT, 20, 9},
	  {FORK, 5000, 9},
	  {COMM, 5001, 9, "second"},
	  {FREE, 4000}},
	 {{9, 20, NULL}, {9, 5001, "second"}},
	 1},
};

struct bench {
	struct fk *fk;
	struct sys sys;
	struct tasks *tasks;
};

static void bench_open(struct bench *bench)
{
	*bench = (struct bench){.fk = fk_new(NULL)};
	bench->sys = fk_sys(bench->fk);
	bench->tasks = tasks_new(&bench->sys);
}

/* The same, with a kernel whose files may fail. */
static void bench_open_faulty(struct bench *bench, struct faulty *faulty)
{
	bench_open(bench);
	tasks_free(bench->tasks);
	faulty_init(faulty, &bench->sys);
	bench->sys = faulty_sys(faulty);
	bench->tasks = tasks_new(&bench->sys);
}

static void bench_close(struct bench *bench)
{
	tasks_free(bench->tasks);
	fk_free(bench->fk);
}

static void feed_step(struct tasks *tasks, const struct step *step)
{
	struct record record = {.time_ns = at_ms(step->ms), .pid = step->tid, .tid = step->tid};

	switch (step->kind) {
	case END:
		return;
	case SEEN:
		tasks_at(tasks, step->tid, step->tid, record.time_ns);
		return;
	case THREAD:
		tasks_at(tasks, 9, step->tid, record.time_ns);
		return;
	case FORK:
		record.kind = RECORD_FORK;
		record.fork.ppid = record.fork.ptid = 7;
		tasks_fork(tasks, &record);
		return;
	case COMM:
	case EXEC:
		record.kind = RECORD_COMM;
		record.comm.exec = step->kind == EXEC;
		text_copy(record.comm.text, sizeof(record.comm.text), step->comm);
		tasks_comm(tasks, &record);
		return;
	case EXIT:
		record.kind = RECORD_EXIT;
		tasks_exit(tasks, &record);
		return;
	case FREE:
		tasks_free_exited(tasks, record.time_ns);
		return;
	}
}

static void test_case(void **state)
{
	const struct tasks_case *this = *state;
	struct bench bench;

	bench_open(&bench);
	for (size_t i = 0; i < STEPS_MAX && this->steps[i].kind != END; i++)
		feed_step(bench.tasks, &this->steps[i]);
	for (size_t i = 0; i < WANTS_MAX && this->wants[i].tid; i++) {
		const struct want *want = &this->wants[i];
		const struct task *task = tasks_find(bench.tasks, want->tid, at_ms(want->ms));
		if (!want->comm) {
			assert_null(task);
			continue;
		}
		assert_non_null(task);
		assert_string_equal(task->comm, want->comm);
		assert_int_equal(task->exit_ns, want->exit_ms ? at_ms(want->exit_ms) : 0);
		if (want->seen_ms)
			assert_int_equal(task->seen_ns, at_ms(want->seen_ms));
	}
	assert_int_equal(tasks_count(bench.tasks), this->count);
	bench_close(&bench);
}

/* 100,000 tasks of a millisecond each, freed after every hundred: the table stays small. */
static void test_exited_tasks_are_freed(void **state)
{
	enum { N = 100 * 1000, FREE_EVERY = 100, FIRST = 1000 };
	struct bench bench;
	size_t most = 0;

	(void)state;
	bench_open(&bench);
	for (unsigned i = 0; i < N; i++) {
		pid_t tid = FIRST + (pid_t)(i % 30000); /* tids are reused */
		feed_step(bench.tasks, &(struct step){FORK, i, tid});
		feed_step(bench.tasks, &(struct step){EXEC, i, tid, "kid"});
		feed_step(bench.tasks, &(struct step){EXIT, i + 1, tid});
		if (i % FREE_EVERY == 0)
			feed_step(bench.tasks, &(struct step){FREE, i});
		if (tasks_count(bench.tasks) > most)
			most = tasks_count(bench.tasks);
	}
	/* One each millisecond for TASKS_REUSE_NS, and for the time between two calls. */
	const size_t wanted = TASKS_REUSE_NS / NS_PER_MS;
	assert_in_range(most, wanted, wanted + FREE_EVERY + 10);
	feed_step(bench.tasks, &(struct step){FREE, 2 * N});
	assert_int_equal(tasks_count(bench.tasks), 0);
	bench_close(&bench);
}

/* As with sudo: the user changes about the time of the exec, after which it is read again. */
static void test_user_is_read_after_exec(void **state)
{
	struct bench bench;

	(void)state;
	bench_open(&bench);
	feed_step(bench.tasks, &(struct step){COMM, 10, 9, "sh"});
	struct task *task = tasks_find(bench.tasks, 9, at_ms(10));
	fk_task(bench.fk, &(struct fk_spec){.tid = 9, .comm = "sh"});
	tasks_read_proc(bench.tasks, task);
	assert_int_equal(task->uid, 0);
	fk_setuid(bench.fk, 9, 1000);
	unsigned reads = fk_calls(bench.fk, FK_FILE_READ);
	tasks_read_proc(bench.tasks, task);
	assert_int_equal(task->uid, 0);
	assert_int_equal(fk_calls(bench.fk, FK_FILE_READ), reads);
	feed_step(bench.tasks, &(struct step){EXEC, 20, 9, "vi"});
	tasks_read_proc(bench.tasks, task);
	assert_int_equal(task->uid, 1000);
	assert_string_equal(task->comm, "vi");
	bench_close(&bench);
}

/* Two tasks of one tid, both with an unknown start: one has exited, one lives. */
static void test_facts_of_two_tasks(void **state)
{
	struct bench bench;

	(void)state;
	bench_open(&bench);
	feed_step(bench.tasks, &(struct step){SEEN, 10, 9});
	feed_step(bench.tasks, &(struct step){EXIT, 20, 9});
	struct task *ended = tasks_find(bench.tasks, 9, at_ms(10));
	feed_step(bench.tasks, &(struct step){SEEN, 3000, 9});
	struct task *lives = tasks_find(bench.tasks, 9, at_ms(3000));
	struct task_facts facts = {
		.pid = 9, .tid = 9, .exited = true, .comm = "sleep", .cgroup = "", .cmdline = ""};
	assert_ptr_equal(tasks_set_facts(bench.tasks, &facts, at_ms(3000)), ended);
	facts.exited = false;
	facts.comm = "";
	assert_ptr_equal(tasks_set_facts(bench.tasks, &facts, at_ms(3000)), lives);
	assert_string_equal(ended->comm, "sleep");
	assert_int_not_equal(ended->exit_ns, 0);
	assert_string_equal(lives->comm, "");
	bench_close(&bench);
}

/* A task that is gone before /proc is read has the facts of its parent. */
static void test_gone_before_proc_is_read(void **state)
{
	struct bench bench;

	(void)state;
	bench_open(&bench);
	fk_task(bench.fk, &(struct fk_spec){.tid = 7, .uid = 1000, .comm = "shell"});
	feed_step(bench.tasks, &(struct step){FORK, 10, 9});
	feed_step(bench.tasks, &(struct step){EXIT, 20, 9});
	tasks_read_proc(bench.tasks, tasks_at(bench.tasks, 7, 7, at_ms(5)));
	struct task *task = tasks_find(bench.tasks, 9, at_ms(10));
	tasks_read_proc(bench.tasks, task);
	assert_int_equal(task->uid, 1000);
	assert_string_equal(task->comm, "shell");
	bench_close(&bench);
}

/* Opening the table reads nothing, and asking for threads neither. */
static void test_existing_tasks_are_listed_late(void **state)
{
	struct bench bench;

	(void)state;
	bench_open(&bench);
	fk_task(bench.fk, &(struct fk_spec){.tid = 100});
	tasks_list_threads(bench.tasks);
	assert_int_equal(fk_calls(bench.fk, FK_DIR_EACH), 0);
	assert_int_equal(fk_calls(bench.fk, FK_FILE_READ), 0);
	assert_true(tasks_are_pending(bench.tasks));
	tasks_maintain(bench.tasks, NS_PER_S);
	assert_false(tasks_are_pending(bench.tasks));
	assert_non_null(tasks_find(bench.tasks, 100, at_ms(0)));
	bench_close(&bench);
}

/* Tasks are compared with /proc after a loss only. */
static void test_loss_is_verified(void **state)
{
	enum { N = 1200, FIRST = 100 }; /* the table grows between the loss and the verification */
	struct bench bench;

	(void)state;
	bench_open(&bench);
	for (pid_t tid = FIRST; tid < FIRST + N; tid++) {
		if (tid % 2)
			fk_task(bench.fk, &(struct fk_spec){.tid = tid});
		if (tid == FIRST + N / 8)
			tasks_records_lost(bench.tasks);
		feed_step(bench.tasks, &(struct step){SEEN, 0, tid});
	}
	for (int i = 0; i < 20; i++)
		tasks_maintain(bench.tasks, NS_PER_S);
	for (pid_t tid = FIRST; tid < FIRST + N; tid++) {
		const struct task *task = tasks_find(bench.tasks, tid, at_ms(0));
		assert_non_null(task);
		assert_int_equal(task->exit_ns != 0, tid % 2 == 0);
	}
	size_t count = tasks_count(bench.tasks);
	feed_step(bench.tasks, &(struct step){FREE, 100000});
	assert_int_equal(tasks_count(bench.tasks), count - N / 2);
	bench_close(&bench);
}

/*
 * Records are lost at each refresh, and the time is enough for a part of the table each: all tasks
 * that are gone are found in the end, and a table that a storm has enlarged shrinks again.
 */
static void test_losses_at_each_refresh(void **state)
{
	enum { N = 3000, FIRST = 100, REFRESHES = 1000 };
	struct bench bench;

	(void)state;
	bench_open(&bench);
	for (pid_t tid = FIRST; tid < FIRST + N; tid++)
		feed_step(bench.tasks, &(struct step){SEEN, 0, tid});
	for (unsigned i = 0; i < REFRESHES; i++) {
		tasks_records_lost(bench.tasks);
		tasks_maintain(bench.tasks, 40 * NS_PER_US);
		feed_step(bench.tasks, &(struct step){FREE, 100000 + i});
	}
	assert_int_equal(tasks_count(bench.tasks), 0);
	bench_close(&bench);
}

/* During an interval only tasks without a slot in it are freed. */
static void test_tasks_with_slots_are_kept(void **state)
{
	enum { N = 1000, FIRST = 1000, INTERVAL = 3, SLOTS_EVERY = 10 };
	struct bench bench;

	(void)state;
	bench_open(&bench);
	for (pid_t tid = FIRST; tid < FIRST + N; tid++) {
		feed_step(bench.tasks, &(struct step){FORK, 1, tid});
		tasks_find(bench.tasks, tid, at_ms(1))->interval =
			tid % SLOTS_EVERY ? INTERVAL - 1 : INTERVAL;
		feed_step(bench.tasks, &(struct step){EXIT, 2, tid});
	}
	tasks_free_unused(bench.tasks, at_ms(5000), INTERVAL);
	assert_int_equal(tasks_count(bench.tasks), N / SLOTS_EVERY);
	feed_step(bench.tasks, &(struct step){FREE, 5000});
	assert_int_equal(tasks_count(bench.tasks), 0);
	bench_close(&bench);
}

/* The table shrinks to its first size, and the living tasks are found in it. */
static void test_table_shrinks(void **state)
{
	enum { N = 100 * 1000, FIRST = 1000, STAY = 100 };
	struct bench bench;

	(void)state;
	bench_open(&bench);
	feed_step(bench.tasks, &(struct step){FREE, 0});
	size_t before = allocated_bytes();
	for (pid_t tid = FIRST; tid < FIRST + N; tid++)
		feed_step(bench.tasks, &(struct step){FORK, 10, tid});
	for (pid_t tid = FIRST + STAY; tid < FIRST + N; tid++)
		feed_step(bench.tasks, &(struct step){EXIT, 20, tid});
	for (unsigned i = 0; i < 20; i++)
		feed_step(bench.tasks, &(struct step){FREE, 5000 + i});
	size_t after = allocated_bytes();

	assert_int_equal(tasks_count(bench.tasks), STAY);
	for (pid_t tid = FIRST; tid < FIRST + STAY; tid++)
		assert_non_null(tasks_find(bench.tasks, tid, at_ms(5000)));
	if (after > before + ALLOCATED_SLACK_BYTES)
		fail_msg("%zu bytes are kept, and were %zu", after, before);
	bench_close(&bench);
}

/* A COMM may be lost too: the name is read from /proc, and later COMMs still apply. */
static void test_lost_comm(void **state)
{
	struct bench bench;

	(void)state;
	bench_open(&bench);
	fk_task(bench.fk, &(struct fk_spec){.tid = 9, .comm = "now"});
	feed_step(bench.tasks, &(struct step){COMM, 0, 9, "once"});
	tasks_records_lost(bench.tasks);
	tasks_maintain(bench.tasks, NS_PER_S);
	assert_string_equal(tasks_find(bench.tasks, 9, at_ms(0))->comm, "now");
	feed_step(bench.tasks, &(struct step){COMM, 5000, 9, "later"});
	assert_string_equal(tasks_find(bench.tasks, 9, at_ms(0))->comm, "later");
	bench_close(&bench);
}

/* A task that cannot be read now (no descriptor is left, hidepid=1) is not gone. */
static void test_unreadable_is_not_gone(void **state)
{
	struct bench bench;

	(void)state;
	bench_open(&bench);
	fk_task(bench.fk, &(struct fk_spec){.tid = 9, .comm = "lives"});
	feed_step(bench.tasks, &(struct step){COMM, 0, 9, "lives"});
	tasks_records_lost(bench.tasks);
	fk_fail(bench.fk, FK_FILE_READ, 0, EMFILE);
	tasks_maintain(bench.tasks, NS_PER_S);
	assert_int_equal(tasks_find(bench.tasks, 9, at_ms(0))->exit_ns, 0);
	bench_close(&bench);
}

/* A process that holds its command line back may never run again when it lets go of it. */
static void test_cmdline_is_read_later(void **state)
{
	struct bench bench;
	struct cmdline_budget budget = {.left = 2};

	(void)state;
	bench_open(&bench);
	fk_task(bench.fk, &(struct fk_spec){.tid = 9, .comm = "lives"});
	struct task *task = tasks_at(bench.tasks, 9, 9, at_ms(0));
	fk_fail(bench.fk, FK_FILE_READ, 1, ETIMEDOUT);
	assert_null(tasks_cmdline(bench.tasks, task, true, at_ms(10), &budget));
	assert_non_null(tasks_cmdline(bench.tasks, task, false, at_ms(20), &budget));
	assert_int_equal(budget.left, 0);
	bench_close(&bench);
}

/* A process sets its command line, and sleeps, before the time of the next reading. */
static void test_cmdline_of_a_sleeper(void **state)
{
	struct bench bench;
	struct cmdline_budget budget = {.left = 9};

	(void)state;
	bench_open(&bench);
	fk_task(bench.fk, &(struct fk_spec){.tid = 9, .comm = "lives"});
	struct task *task = tasks_at(bench.tasks, 9, 9, at_ms(0));
	assert_non_null(tasks_cmdline(bench.tasks, task, true, at_ms(10), &budget));
	tasks_cmdline(bench.tasks, task, true, at_ms(2000), &budget);
	assert_int_equal(budget.left, 8);
	tasks_cmdline(bench.tasks, task, false, at_ms(6000), &budget);
	assert_int_equal(budget.left, 7);
	tasks_cmdline(bench.tasks, task, false, at_ms(20000), &budget);
	assert_int_equal(budget.left, 7);
	bench_close(&bench);
}

/* A task with a tid that exists and no file in /proc (hidepid=2) is not gone. */
static void test_hidden_is_not_gone(void **state)
{
	struct bench bench;
	struct faulty faulty;

	(void)state;
	bench_open_faulty(&bench, &faulty);
	fk_task(bench.fk, &(struct fk_spec){.tid = 9});
	faulty_hide(&faulty, "/proc/9", -ENOENT);
	struct task *hidden = tasks_at(bench.tasks, 9, 9, at_ms(0));
	tasks_read_proc(bench.tasks, hidden);
	tasks_records_lost(bench.tasks);
	tasks_maintain(bench.tasks, NS_PER_S);
	assert_int_equal(hidden->exit_ns, 0);
	bench_close(&bench);
}

/* A process that holds its files back: the name is known, and the last command line stays. */
static void test_held_files(void **state)
{
	struct bench bench;
	struct faulty faulty;
	struct cmdline_budget budget = {.left = 10};

	(void)state;
	bench_open_faulty(&bench, &faulty);
	fk_task(bench.fk, &(struct fk_spec){.tid = 9, .comm = "nine"});
	struct task *task = tasks_at(bench.tasks, 9, 9, at_ms(0));
	struct cmdline *before = tasks_cmdline(bench.tasks, task, true, at_ms(1), &budget);
	assert_non_null(before);
	faulty_hold(&faulty, 9);
	tasks_read_proc(bench.tasks, task);
	assert_string_equal(task->comm, "nine");
	assert_ptr_equal(tasks_cmdline(bench.tasks, task, true, at_ms(60000), &budget), before);
	faulty_hold(&faulty, 0);
	assert_non_null(tasks_cmdline(bench.tasks, task, true, at_ms(120000), &budget));
	assert_int_equal(budget.left, 7);
	bench_close(&bench);
}

/* A task that was past its EXIT at the start: its last switch makes a record, /proc lacks it. */
static void test_only_last_switch_is_seen(void **state)
{
	struct bench bench;

	(void)state;
	bench_open(&bench);
	struct task *task = tasks_at(bench.tasks, 9, 9, at_ms(0));
	tasks_read_proc(bench.tasks, task);
	assert_int_not_equal(task->exit_ns, 0);
	feed_step(bench.tasks, &(struct step){FREE, 5000});
	assert_int_equal(tasks_count(bench.tasks), 0);
	bench_close(&bench);
}

/* A task that began with a record ends with a record, not because /proc does not have it. */
static void test_forked_task_is_not_gone(void **state)
{
	struct bench bench;

	(void)state;
	bench_open(&bench);
	feed_step(bench.tasks, &(struct step){COMM, 0, 9, "kid"});
	struct task *task = tasks_find(bench.tasks, 9, at_ms(0));
	tasks_read_proc(bench.tasks, task);
	assert_int_equal(task->exit_ns, 0);
	bench_close(&bench);
}

/* Several events of a CPU have the same FORK, each at the time at which the kernel wrote it. */
static void test_copies_of_a_fork(void **state)
{
	struct record fork = {.kind = RECORD_FORK,
			      .pid = 9,
			      .tid = 9,
			      .time_ns = at_ms(200),
			      .fork = {.ppid = 7, .ptid = 7}};
	struct bench bench;

	(void)state;
	bench_open(&bench);
	struct task *task = tasks_fork(bench.tasks, &fork);
	fork.time_ns += 2000;
	assert_ptr_equal(tasks_fork(bench.tasks, &fork), task);
	assert_true(task->start_ns == at_ms(200));
	/* It has ended, by the records of another CPU that were read before the second copy. */
	feed_step(bench.tasks, &(struct step){EXIT, 201, 9});
	assert_ptr_equal(tasks_fork(bench.tasks, &fork), task);
	/* The number is used again. */
	fork.time_ns = at_ms(202);
	assert_ptr_not_equal(tasks_fork(bench.tasks, &fork), task);
	bench_close(&bench);
}

static struct task *seen_task(struct bench *bench, pid_t tid)
{
	return tasks_at(bench->tasks, tid, tid, at_ms(0));
}

/* setuid() without an exec and a move to another cgroup are found when /proc is read again. */
static void test_proc_is_read_again(void **state)
{
	static const struct {
		uint64_t ms; /* since /proc was first read */
		unsigned budget;
		bool read;
	} rows[] = {
		{100, 9, false},   {260, 9, true},   {300, 9, false},     {1200, 9, false},
		{1300, 0, false},  {1300, 1, true},  {1310, 1, false},    {5400, 1, true},
		{21000, 1, false}, {21500, 1, true}, {51000, 1, false},   {51600, 1, true},
		{81500, 1, false}, {81700, 1, true}, {10000000, 1, true},
	};
	struct bench bench;
	unsigned budget = 0;

	(void)state;
	bench_open(&bench);
	fk_task(bench.fk, &(struct fk_spec){.tid = 9, .uid = 1000, .cgroup = "/a"});
	struct task *task = seen_task(&bench, 9);
	tasks_refresh(bench.tasks, task, at_ms(0), &budget);
	assert_int_equal(task->uid, 1000);
	assert_string_equal(task->cgroup->path, "/a");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		unsigned owners = fk_calls(bench.fk, FK_FILE_OWNER);
		char path[32], line[48];

		snprintf(path, sizeof(path), "/%zu", i);
		snprintf(line, sizeof(line), "0::%s\n", path);
		fk_file(bench.fk, "/proc/9/cgroup", line);
		fk_setuid(bench.fk, 9, 1001 + (uid_t)i);
		budget = rows[i].budget;
		tasks_refresh(bench.tasks, task, at_ms(rows[i].ms), &budget);
		if ((fk_calls(bench.fk, FK_FILE_OWNER) > owners) != rows[i].read ||
		    budget != rows[i].budget - rows[i].read ||
		    !strcmp(task->cgroup->path, path) != rows[i].read ||
		    (task->uid == 1001 + i) != rows[i].read)
			fail_msg("at %u ms", (unsigned)rows[i].ms);
	}
	bench_close(&bench);
}

static void expect_moved(const struct task *task, const char *path, uint64_t since_ms,
			 uint64_t until_ms, uint64_t cut)
{
	assert_non_null(task->before);
	assert_string_equal(task->before->cgroup->path, path);
	assert_true(task->before->changes[TASK_OWNER_CGROUP].since_ns == at_ms(since_ms));
	assert_true(task->before->changes[TASK_OWNER_CGROUP].until_ns == at_ms(until_ms));
	assert_true(task->before->changes[TASK_OWNER_CGROUP].cut == cut);
}

/* A change belongs to the cut that ends its interval, whether it is found before or in it. */
static void test_moves_are_noted(void **state)
{
	struct bench bench;
	unsigned budget = 9;

	(void)state;
	bench_open(&bench);
	fk_task(bench.fk, &(struct fk_spec){.tid = 9, .uid = 1000, .cgroup = "/a"});
	struct task *task = seen_task(&bench, 9);
	assert_int_equal(tasks_begin_cut(bench.tasks), 1);
	tasks_refresh(bench.tasks, task, at_ms(10), &budget);
	uint64_t read_ns = task->owner_ns;
	tasks_end_cut(bench.tasks);
	fk_file(bench.fk, "/proc/9/cgroup", "0::/b\n");
	assert_int_equal(tasks_begin_cut(bench.tasks), 2);
	tasks_notice_move(bench.tasks, task, at_ms(200));
	assert_true(task->before->changes[TASK_OWNER_CGROUP].since_ns == read_ns);
	assert_true(task->before->changes[TASK_OWNER_CGROUP].cut == 2);
	assert_string_equal(task->before->cgroup->path, "/a");
	/* It was read in this cut. */
	fk_file(bench.fk, "/proc/9/cgroup", "0::/c\n");
	tasks_notice_move(bench.tasks, task, at_ms(200));
	assert_string_equal(task->cgroup->path, "/b");
	tasks_end_cut(bench.tasks);
	/* Samples of a recording. */
	tasks_move(bench.tasks, task, "/b", at_ms(210));
	tasks_move(bench.tasks, task, "/d", at_ms(220));
	expect_moved(task, "/b", 210, 220, 3);
	bench_close(&bench);
}

/* An exited task is not read again, and a failed reading changes nothing. */
static void test_only_living_tasks_are_read_again(void **state)
{
	struct bench bench;
	unsigned budget = 9;

	(void)state;
	bench_open(&bench);
	fk_task(bench.fk, &(struct fk_spec){.tid = 9, .uid = 1000, .cgroup = "/a"});
	struct task *task = seen_task(&bench, 9);
	tasks_refresh(bench.tasks, task, at_ms(0), &budget);
	fk_fail(bench.fk, FK_FILE_READ, 0, EMFILE);
	tasks_refresh(bench.tasks, task, at_ms(500), &budget);
	assert_string_equal(task->cgroup->path, "/a");
	assert_int_equal(task->uid, 1000);
	feed_step(bench.tasks, &(struct step){EXIT, 600, 9});
	unsigned reads = fk_calls(bench.fk, FK_FILE_READ);
	tasks_refresh(bench.tasks, task, at_ms(90000), &budget);
	assert_int_equal(fk_calls(bench.fk, FK_FILE_READ), reads);
	bench_close(&bench);
}

/* A child that exits before /proc is read has the cgroup and the user of its parent. */
static void test_children_inherit(void **state)
{
	struct bench bench;
	unsigned budget = 0;

	(void)state;
	bench_open(&bench);
	fk_task(bench.fk,
		&(struct fk_spec){.tid = 7, .uid = 1000, .comm = "shell", .cgroup = "/s"});
	tasks_read_proc(bench.tasks, seen_task(&bench, 7));
	feed_step(bench.tasks, &(struct step){FORK, 10, 9});
	feed_step(bench.tasks, &(struct step){EXEC, 11, 9, "cc1"});
	feed_step(bench.tasks, &(struct step){EXIT, 20, 9});
	struct task *task = tasks_find(bench.tasks, 9, at_ms(10));
	tasks_refresh(bench.tasks, task, at_ms(30), &budget);
	assert_string_equal(task->comm, "cc1");
	assert_string_equal(task->cgroup->path, "/s");
	assert_int_equal(task->uid, 1000);
	assert_int_equal(task->ppid, 7);
	bench_close(&bench);
}

enum { USER_STEPS_MAX = 8 };

enum user_step_kind {
	NOTHING,
	READ,   /* /proc is read for it */
	SETUID, /* to user `other` */
	FORKED, /* by `other` */
	EXECED,
	ENDED,
};

struct user_case {
	const char *name;
	struct user_step {
		enum user_step_kind kind;
		pid_t tid;
		unsigned other;
	} steps[USER_STEPS_MAX];
	pid_t tid; /* the user of this task is checked in the end */
	uid_t uid;
	unsigned stats; /* the number of stat calls */
};

static void feed_user_step(struct bench *bench, const struct user_step *step)
{
	struct record record = {.time_ns = fk_now(bench->fk), .pid = step->tid, .tid = step->tid};

	switch (step->kind) {
	case NOTHING:
		return;
	case READ:
		tasks_read_proc(bench->tasks, tasks_find(bench->tasks, step->tid, record.time_ns));
		return;
	case SETUID:
		fk_setuid(bench->fk, step->tid, step->other);
		return;
	case FORKED:
		record.kind = RECORD_FORK;
		record.fork.ppid = record.fork.ptid = (pid_t)step->other;
		tasks_fork(bench->tasks, &record);
		return;
	case EXECED:
		record.kind = RECORD_COMM;
		record.comm.exec = true;
		tasks_comm(bench->tasks, &record);
		return;
	case ENDED:
		record.kind = RECORD_EXIT;
		tasks_exit(bench->tasks, &record);
		return;
	}
}

/* Process 7 is root's when it is read, and forks later. Task 8 still lives when it is read. */
static void test_users_of_exited_tasks(void **state)
{
	static const struct user_case rows[] = {
		{"a child has the new user of its parent",
		 {{SETUID, 7, 1000}, {FORKED, 9, 7}, {ENDED, 9}, {READ, 9}},
		 9,
		 1000,
		 1},
		{"a child of a child has it too, whichever is read first",
		 {{SETUID, 7, 1000},
		  {FORKED, 9, 7},
		  {FORKED, 10, 9},
		  {ENDED, 9},
		  {ENDED, 10},
		  {READ, 10},
		  {READ, 9}},
		 10,
		 1000,
		 1},
		{"the same in the other order",
		 {{SETUID, 7, 1000},
		  {FORKED, 9, 7},
		  {FORKED, 10, 9},
		  {ENDED, 9},
		  {ENDED, 10},
		  {READ, 9},
		  {READ, 10}},
		 10,
		 1000,
		 1},
		{"a parent is read once for all children",
		 {{FORKED, 9, 7}, {FORKED, 10, 7}, {ENDED, 9}, {ENDED, 10}, {READ, 9}, {READ, 10}},
		 10,
		 0,
		 1},
		{"a parent is read again for children of a later fork",
		 {{FORKED, 9, 7},
		  {ENDED, 9},
		  {READ, 9},
		  {SETUID, 7, 1000},
		  {FORKED, 10, 7},
		  {ENDED, 10},
		  {READ, 10}},
		 10,
		 1000,
		 2},
		{"a child that was read itself keeps its user",
		 {{FORKED, 8, 7}, {READ, 8}, {SETUID, 7, 1000}, {EXECED, 8}, {ENDED, 8}, {READ, 8}},
		 8,
		 0,
		 1},
		{"if the parent is gone too, the child has the last known user",
		 {{SETUID, 7, 1000}, {FORKED, 9, 7}, {ENDED, 9}, {ENDED, 7}, {READ, 9}},
		 9,
		 0,
		 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bench bench;

		bench_open(&bench);
		fk_task(bench.fk, &(struct fk_spec){.tid = 7});
		fk_task(bench.fk, &(struct fk_spec){.tid = 8, .ppid = 7});
		tasks_read_proc(bench.tasks, seen_task(&bench, 7));
		unsigned stats = fk_calls(bench.fk, FK_FILE_OWNER);
		for (size_t k = 0; k < USER_STEPS_MAX; k++) {
			fk_advance(bench.fk, NS_PER_MS);
			feed_user_step(&bench, &rows[i].steps[k]);
		}
		stats = fk_calls(bench.fk, FK_FILE_OWNER) - stats;
		uid_t uid = tasks_find(bench.tasks, rows[i].tid, fk_now(bench.fk))->uid;
		if (uid != rows[i].uid || stats != rows[i].stats)
			fail_msg("%s: user %u after %u stats", rows[i].name, uid, stats);
		bench_close(&bench);
	}
}

static pid_t tid_above(struct bench *bench, pid_t tid, uint64_t ms)
{
	struct task *task = tasks_find(bench->tasks, tid, at_ms(ms));
	const struct task *other = task ? tasks_above(bench->tasks, task, at_ms(ms)) : NULL;

	return other ? other->tid : 0;
}

static void test_above(void **state)
{
	struct bench bench;

	(void)state;
	bench_open(&bench);
	fk_task(bench.fk, &(struct fk_spec){.tid = 5});
	fk_task(bench.fk, &(struct fk_spec){.tid = 7, .ppid = 5, .comm = "main"});
	fk_task(bench.fk, &(struct fk_spec){.tid = 8, .pid = 7, .ppid = 5, .comm = "worker"});
	tasks_read_proc(bench.tasks, tasks_at(bench.tasks, 7, 8, at_ms(0)));
	/* No record names them, so only /proc has them. */
	assert_int_equal(tid_above(&bench, 8, 10), 7);
	assert_string_equal(tasks_find(bench.tasks, 7, at_ms(10))->comm, "main");
	assert_int_equal(tid_above(&bench, 7, 10), 5);
	assert_int_equal(tid_above(&bench, 5, 10), 0); /* there is no process 1 */
	unsigned reads = fk_calls(bench.fk, FK_FILE_READ);
	assert_int_equal(tid_above(&bench, 8, 10), 7);
	assert_int_equal(tid_above(&bench, 7, 10), 5);
	assert_int_equal(tid_above(&bench, 5, 10), 0);
	assert_int_equal(fk_calls(bench.fk, FK_FILE_READ), reads); /* each file once */
	bench_close(&bench);
}

/* After its parent has exited, a task has another parent. A younger task with the old tid is not
 * its parent. */
static void test_orphans(void **state)
{
	struct bench bench;

	(void)state;
	bench_open(&bench);
	fk_task(bench.fk, &(struct fk_spec){.tid = 5});
	fk_task(bench.fk, &(struct fk_spec){.tid = 9, .ppid = 5});
	feed_step(bench.tasks, &(struct step){SEEN, 5, 7});
	feed_step(bench.tasks, &(struct step){FORK, 10, 9});
	assert_int_equal(tid_above(&bench, 9, 15), 7);
	feed_step(bench.tasks, &(struct step){EXIT, 20, 7});
	assert_int_equal(tid_above(&bench, 9, 30), 5);
	tasks_find(bench.tasks, 9, at_ms(30))->ppid = 7;
	feed_step(bench.tasks, &(struct step){FORK, 5000, 7});
	assert_int_equal(tid_above(&bench, 9, 6000), 5);
	bench_close(&bench);
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_exited_tasks_are_freed),
		cmocka_unit_test(test_tasks_with_slots_are_kept),
		cmocka_unit_test(test_user_is_read_after_exec),
		cmocka_unit_test(test_facts_of_two_tasks),
		cmocka_unit_test(test_gone_before_proc_is_read),
		cmocka_unit_test(test_loss_is_verified),
		cmocka_unit_test(test_existing_tasks_are_listed_late),
		cmocka_unit_test(test_losses_at_each_refresh),
		cmocka_unit_test(test_table_shrinks),
		cmocka_unit_test(test_lost_comm),
		cmocka_unit_test(test_unreadable_is_not_gone),
		cmocka_unit_test(test_cmdline_is_read_later),
		cmocka_unit_test(test_cmdline_of_a_sleeper),
		cmocka_unit_test(test_hidden_is_not_gone),
		cmocka_unit_test(test_held_files),
		cmocka_unit_test(test_only_last_switch_is_seen),
		cmocka_unit_test(test_forked_task_is_not_gone),
		cmocka_unit_test(test_copies_of_a_fork),
		cmocka_unit_test(test_proc_is_read_again),
		cmocka_unit_test(test_moves_are_noted),
		cmocka_unit_test(test_only_living_tasks_are_read_again),
		cmocka_unit_test(test_children_inherit),
		cmocka_unit_test(test_users_of_exited_tasks),
		cmocka_unit_test(test_above),
		cmocka_unit_test(test_orphans),
	};
	static const struct cases table = CASES(test_case, cases);

	return cases_run("tasks", &table, 1, others, ARRAY_SIZE(others));
}
