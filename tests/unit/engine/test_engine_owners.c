// SPDX-License-Identifier: MIT
/*
 * Tasks that change their cgroup, user or name while they run: what each row of a roll-up has in
 * that refresh and in the next one.
 */
#include "tests/unit/shared/engine_run.h"

#include "core/base/figure_mark.h"
#include "core/snapshot/rollup.h"
#include "core/snapshot/snapshot_sum.h"
#include "tests/unit/shared/cases.h"

#include <math.h>
#include <stdio.h>

enum { LOOP = 50, CHANGE_MS = 75, BETWEEN_MS = 10 };

static const pid_t loop_pid = LOOP;

static const struct engine_config software = {.preset = NULL};

/* The %CPU of a row; NOT_COUNTED: there is none. Fails unless the rows conserve. */
static struct figure share_of(const struct snapshot *snapshot, enum rollup by, const char *name)
{
	const struct columns *columns = snapshot->columns;
	struct figure found = {.state = FIGURE_NOT_COUNTED};
	int metric = columns_metric(columns, "cpu_percent");
	uint64_t sum = snapshot->idle[0] + snapshot->unattributed[0] + snapshot->others[0];
	struct rows rows;

	rollup_rows(snapshot, by, NULL, &rows);
	for (size_t i = 0; i < rows.n; i++) {
		const char *text = by == ROLLUP_USER ? rows.items[i].user
						     : rollup_text(snapshot, by, &rows.items[i]);
		sum += rows_tally(columns, &rows, i)[0];
		if (strcmp(text, name) == 0)
			found = rows_figures(columns, &rows, i)[metric];
	}
	rows_fini(&rows);
	assert_true(sum == snapshot->totals[0]);
	return found;
}

static void move_to_b(struct fk *fk, void *arg)
{
	(void)arg;
	fk_file(fk, "/proc/50/cgroup", "0::/b\n");
}

static void become_ann(struct fk *fk, void *arg)
{
	(void)arg;
	fk_setuid(fk, LOOP, 1000);
}

static void rename_to_b(struct fk *fk, void *arg)
{
	(void)arg;
	fk_comm(fk, LOOP, "b");
}

/* The time between belongs to a third name, which has no row. */
static void rename_twice(struct fk *fk, void *arg)
{
	fk_comm(fk, LOOP, "c");
	fk_after(fk, BETWEEN_MS * NS_PER_MS, rename_to_b, arg);
}

static void exec_b(struct fk *fk, void *arg)
{
	(void)arg;
	fk_exec(fk, LOOP, "b");
}

/* A record has the time of a rename. For other changes both rows are estimates. */
static const struct change {
	const char *name;
	enum rollup by;
	void (*change)(struct fk *fk, void *arg);
	const char *before, *after;
	double percent; /* of the first row in that refresh */
	enum figure_state state;
} changes[] = {
	{"cgroup", ROLLUP_CGROUP, move_to_b, "/a", "/b", 50, FIGURE_SCALED},
	{"user", ROLLUP_USER, become_ann, "root", "ann", 50, FIGURE_SCALED},
	{"rename", ROLLUP_COMMAND, rename_to_b, "a", "b", CHANGE_MS, FIGURE_VALID},
	{"exec", ROLLUP_COMMAND, exec_b, "a", "b", CHANGE_MS, FIGURE_VALID},
	{"two renames", ROLLUP_COMMAND, rename_twice, "a", "b", CHANGE_MS + BETWEEN_MS / 2.0,
	 FIGURE_SCALED},
};

static void check_share(const struct snapshot *snapshot, enum rollup by, const char *name,
			double percent, enum figure_state state)
{
	struct figure share = share_of(snapshot, by, name);

	if (share.state != state || (figure_known(share) && fabs(share.value - percent) > 0.5))
		fail_msg("%s: %s %f, not %s %f", name, figure_state_name(share.state), share.value,
			 figure_state_name(state), percent);
}

static struct fk *make_machine_of(const struct fk_config *config, struct sys *sys)
{
	struct fk *fk = fk_new(config);

	*sys = fk_sys(fk);
	fk_file(fk, "/etc/passwd", "root:x:0:0::/:\nann:x:1000:1000::/:\n");
	fk_task(fk, &(struct fk_spec){.tid = LOOP, .comm = "a", .cgroup = "/a"});
	fk_switch(fk, 0, LOOP);
	return fk;
}

static struct fk *make_machine(struct sys *sys)
{
	return make_machine_of(&(struct fk_config){.cpus = 2, .no_pmu = true}, sys);
}

static void loop_that_changes(void **state)
{
	const struct change *this = *state;
	struct sys sys;
	struct fk *fk = make_machine(&sys);
	struct engine *engine = open_engine_with(&sys, &software);

	/* Long enough for the readings to be far apart. */
	struct snapshot *snapshot = nth_snapshot(engine, fk, 6);
	check_share(snapshot, this->by, this->before, 100, FIGURE_VALID);
	check_share(snapshot, this->by, this->after, 0, FIGURE_NOT_COUNTED);
	snapshot_free(snapshot);
	fk_after(fk, CHANGE_MS * NS_PER_MS, this->change, NULL);
	snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	check_share(snapshot, this->by, this->before, this->percent, this->state);
	check_share(snapshot, this->by, this->after, 100 - this->percent, this->state);
	snapshot_free(snapshot);
	snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	check_share(snapshot, this->by, this->before, 0, FIGURE_NOT_COUNTED);
	check_share(snapshot, this->by, this->after, 100, FIGURE_VALID);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

static void set_user_and_exec(struct fk *fk, void *arg)
{
	become_ann(fk, arg);
	fk_exec(fk, LOOP, "a");
}

static void move_and_exec(struct fk *fk, void *arg)
{
	move_to_b(fk, arg);
	fk_exec(fk, LOOP, "a");
}

static void end_loop(struct fk *fk, void *arg)
{
	(void)arg;
	fk_exit(fk, LOOP, FK_EXIT_REAPED);
	fk_switch(fk, 0, 0);
}

enum { END_MS = 90 };

/*
 * The same, and the loop ends before the refresh does. The new user or cgroup is not known: the
 * row of the old one is an estimate.
 */
static const struct change endings[] = {
	{"rename, and end", ROLLUP_COMMAND, rename_to_b, "a", "b", CHANGE_MS, FIGURE_VALID},
	{"exec, and end", ROLLUP_COMMAND, exec_b, "a", "b", CHANGE_MS, FIGURE_VALID},
	{"user and exec, and end", ROLLUP_USER, set_user_and_exec, "root", "ann", END_MS,
	 FIGURE_SCALED},
	{"cgroup and exec, and end", ROLLUP_CGROUP, move_and_exec, "/a", "/b", END_MS,
	 FIGURE_SCALED},
	{"end", ROLLUP_USER, NULL, "root", "ann", END_MS, FIGURE_VALID},
};

static void loop_that_changes_and_ends(void **state)
{
	const struct change *this = *state;
	struct sys sys;
	struct fk *fk = make_machine(&sys);
	struct engine *engine = open_engine_with(&sys, &software);
	bool renames = this->by == ROLLUP_COMMAND;

	snapshot_free(nth_snapshot(engine, fk, 6));
	if (this->change)
		fk_after(fk, CHANGE_MS * NS_PER_MS, this->change, NULL);
	fk_after(fk, END_MS * NS_PER_MS, end_loop, NULL);
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	check_share(snapshot, this->by, this->before, this->percent, this->state);
	check_share(snapshot, this->by, this->after, END_MS - CHANGE_MS,
		    renames ? FIGURE_VALID : FIGURE_NOT_COUNTED);
	struct rows rows;
	rollup_rows(snapshot, this->by, NULL, &rows);
	for (size_t i = 0; i < rows.n; i++)
		assert_int_equal(rows.items[i].threads, 1);
	rows_fini(&rows);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* A target that the loop enters or leaves: its row is an estimate in that refresh. */
static const struct crossing {
	const char *name;
	void (*change)(struct fk *fk, void *arg);
	struct target_spec target;
	bool enters;
} crossings[] = {
	{"enters a user", become_ann, {.user = "ann"}, true},
	{"leaves a user", become_ann, {.user = "root"}, false},
	{"enters a cgroup", move_to_b, {.cgroup = "/b"}, true},
	{"leaves a cgroup", move_to_b, {.cgroup = "/a"}, false},
	{"leaves one of a process",
	 move_to_b,
	 {.cgroup = "/a", .pids = &loop_pid, .n_pids = 1},
	 false},
};

static void check_member(const struct snapshot *snapshot, double percent, enum figure_state state)
{
	const struct columns *columns = snapshot->columns;
	int metric = columns_metric(columns, "cpu_percent");
	const struct row *row = row_of(snapshot, LOOP);
	struct figure all = snapshot->target_figures[metric];
	uint64_t clock_ns = count_of(snapshot, LOOP, "task-clock");

	if (percent <= 0) {
		assert_null(row);
		assert_int_equal(clock_ns, 0);
		return;
	}
	struct figure share = task_figure(snapshot, LOOP, "cpu_percent");
	assert_int_equal(share.state, state);
	assert_int_equal(all.state, state);
	assert_true(fabs(share.value - percent) < 0.5 && fabs(all.value - percent) < 0.5);
	if (percent < 100) /* the rest is of others, with the CPU's idle time */
		assert_true(snapshot->others[TALLY_TASK_CLOCK] >= clock_ns - 1);
}

/* A sum has the doubt of its parts. */
static void check_merged(const struct snapshot *first, const struct snapshot *second)
{
	struct snapshot_sum all;
	int metric = columns_metric(first->columns, "cpu_percent");

	snapshot_sum_init(&all, first->columns, ROLLUP_THREAD);
	struct snapshot *sum = all.sum;
	snapshot_sum_add(&all, first);
	snapshot_sum_add(&all, second);
	snapshot_sum_evaluate(sum);
	assert_int_equal(sum->target_figures[metric].state, FIGURE_SCALED);
	snapshot_sum_fini(&all);
}

static void loop_that_crosses(void **state)
{
	const struct crossing *this = *state;
	const struct engine_config config = {.preset = NULL, .target = this->target};
	struct sys sys;
	struct fk *fk = make_machine(&sys);

	fk_task(fk, &(struct fk_spec){.tid = 70, .cgroup = "/b"}); /* it sleeps */
	struct engine *engine = open_engine_with(&sys, &config);

	struct snapshot *snapshot = nth_snapshot(engine, fk, 6);
	check_member(snapshot, this->enters ? 0 : 100, FIGURE_VALID);
	snapshot_free(snapshot);
	fk_after(fk, CHANGE_MS * NS_PER_MS, this->change, NULL);
	snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	check_member(snapshot, 50, FIGURE_SCALED);
	/* It is one row of the target, with what it was there. */
	for (size_t i = 0; i < snapshot->threads.n; i++)
		assert_string_equal(snapshot->threads.items[i].user,
				    this->target.user ? this->target.user : "root");
	if (this->target.cgroup)
		check_share(snapshot, ROLLUP_CGROUP, this->target.cgroup, 50, FIGURE_SCALED);
	struct snapshot *crossing = snapshot;
	snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	check_merged(crossing, snapshot);
	snapshot_free(crossing);
	check_member(snapshot, this->enters ? 100 : 0, FIGURE_VALID);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/*
 * Where threads are counted one by one, those outside the target are looked at once in a while. A
 * loop that has entered has no row before its times are known.
 */
static void loop_that_crosses_unprivileged(void **state)
{
	enum { REFRESHES = 20 };
	const struct crossing *this = *state;
	const struct engine_config config = {.preset = NULL, .target = this->target};
	const struct fk_config machine = {
		.cpus = 2, .no_pmu = true, .unprivileged = true, .paranoid = 2};
	struct sys sys;
	struct fk *fk = make_machine_of(&machine, &sys);

	fk_task(fk, &(struct fk_spec){.tid = 70, .cgroup = "/b"});
	struct engine *engine = open_engine_with(&sys, &config);
	struct snapshot *snapshot = nth_snapshot(engine, fk, 6);
	assert_int_equal(snapshot->mode, COUNT_MODE_TASK);
	check_member(snapshot, this->enters ? 0 : 100, FIGURE_VALID);
	fk_after(fk, CHANGE_MS * NS_PER_MS, this->change, NULL);
	for (int i = 0; i == 0 || (this->enters && !row_of(snapshot, LOOP)); i++) {
		assert_true(i < REFRESHES);
		snapshot_free(snapshot);
		snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	}
	if (this->enters)
		check_member(snapshot, 100, FIGURE_VALID);
	else
		check_member(snapshot, 50, FIGURE_SCALED);
	snapshot_free(snapshot);
	snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	check_member(snapshot, this->enters ? 100 : 0, FIGURE_VALID);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* Beside a hundred times as much time in the same two groups, what one task moves is no mark. */
static void small_task_that_moves(void **state)
{
	struct sys sys;
	struct fk *fk = make_machine(&sys);

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = 60, .comm = "small", .cgroup = "/a"});
	struct engine *engine = open_engine_with(&sys, &software);
	for (int i = 0; i < 6; i++) {
		fk_switch(fk, 1, 60);
		fk_advance(fk, NS_PER_MS / 2);
		fk_switch(fk, 1, 0);
		if (i == 5)
			fk_file(fk, "/proc/60/cgroup", "0::/b\n");
		struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
		check_share(snapshot, ROLLUP_CGROUP, "/a", 100.25, FIGURE_VALID);
		if (i == 5)
			check_share(snapshot, ROLLUP_CGROUP, "/b", 0.25, FIGURE_SCALED);
		snapshot_free(snapshot);
	}
	close_all(engine, fk);
}

/* If more tasks run than can be read, tasks with much time are read at each cut. */
static void loop_among_many(void **state)
{
	enum { FIRST = 1000, TASKS = 600, READ = 202 };
	struct sys sys;
	struct fk *fk = make_machine(&sys);

	(void)state;
	for (pid_t tid = FIRST; tid < FIRST + TASKS; tid++)
		fk_task(fk, &(struct fk_spec){.tid = tid, .cgroup = "/others"});
	struct engine *engine = open_engine_with(&sys, &software);
	for (int i = 0; i < 10; i++) {
		for (pid_t tid = FIRST; tid < FIRST + TASKS; tid++) {
			fk_switch(fk, 1, tid);
			fk_advance(fk, 50 * NS_PER_US);
		}
		fk_switch(fk, 1, 0);
		if (i == 9)
			move_to_b(fk, NULL);
		unsigned read = fk_calls(fk, FK_FILE_OWNER);
		struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS - 30 * NS_PER_MS);
		/* Also those that tasks_refresh() reads: one per 2 ms. */
		if (i > 2)
			assert_true(fk_calls(fk, FK_FILE_OWNER) - read < READ + 60);
		if (i == 9)
			assert_int_equal(share_of(snapshot, ROLLUP_CGROUP, "/b").state,
					 FIGURE_SCALED);
		snapshot_free(snapshot);
	}
	close_all(engine, fk);
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(small_task_that_moves),
		cmocka_unit_test(loop_among_many),
	};
	static const struct cases tables[] = {
		CASES(loop_that_changes, changes),
		CASES(loop_that_changes_and_ends, endings),
		CASES(loop_that_crosses, crossings),
		CASES(loop_that_crosses_unprivileged, crossings),
	};

	return cases_run("engine_owners", tables, ARRAY_SIZE(tables), others, ARRAY_SIZE(others));
}
