// SPDX-License-Identifier: MIT
/*
 * Time on a CPU + runq_time + blocked_time = lifetime, for each row of each refresh from the first
 * one on, unless one of them is marked or unknown. Each of them is right, or a lower bound.
 */
#include "core/base/figure_mark.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/engine_run.h"
#include "tests/unit/shared/send_request.h"

#include <math.h>
#include <stdio.h>

enum {
	PAIR = 50,    /* 50 and 51 preempt each other on CPU 0 */
	LOOP = 60,    /* runs on CPU 1 */
	NAPPER = 61,  /* wakes up once a refresh, and waits before it runs on CPU 0 */
	HIDDEN = 62,  /* 62 and 63 have no records of their switches */
	SLEEPER = 70, /* no other task from here on runs */
	IN_D,
	STOPPED,
	QUEUED, /* waits for a CPU */
	LATE,   /* the tasks from here on are found after pmctop has begun */
	LATE_IN_D,
	LATE_QUEUED,
	MANY = 1000,
	REFRESHES = 6,
};
#define OFF_MOST 0.02 /* of the interval */

static const pid_t tids[] = {PAIR, PAIR + 1, LOOP,   NAPPER, HIDDEN,    HIDDEN + 1, SLEEPER,
			     IN_D, STOPPED,  QUEUED, LATE,   LATE_IN_D, LATE_QUEUED};

enum deed {
	NOTHING,
	ADD,    /* tasks that are found late */
	VISIT,  /* hidden tasks run */
	SLIP,   /* tasks that waited change their state without a record */
	WAKE,   /* a sleeper is woken up, and what it does then has no record: it sleeps */
	LOSE,   /* records */
	ROAM,   /* tasks run on CPU 2, and one of them has left CPU 0 for it */
	ATTACH, /* `pid` */
	ALL,    /* removes the target */
	IDLE,   /* rows of tasks that do not run */
	PRESET, /* columns of waiting */
};

struct scene {
	const char *name;
	enum deed deeds[REFRESHES];
	pid_t pid;    /* target from the first refresh on; 0: none */
	pid_t attach; /* of ATTACH */
	const char *cpus;
	unsigned fd_limit;
	bool no_idle, no_columns, wakeups, unprivileged, many, quiet;
};

static const struct scene scenes[] = {
	{"all tasks", {0}},
	{"all tasks, by wake-ups", {0}, .wakeups = true},
	{"few tasks run", {0}, .quiet = true},
	{"few tasks run, by wake-ups", {0}, .quiet = true, .wakeups = true},
	{"a thousand sleepers", {0}, .many = true},
	{"tasks that are found late", {NOTHING, ADD}},
	{"tasks that are found late, if few run", {NOTHING, ADD}, .quiet = true},
	{"hidden switches", {NOTHING, VISIT, NOTHING, VISIT, VISIT}},
	{"hidden switches in the first refresh", {VISIT, NOTHING, VISIT}},
	{"hidden switches, by wake-ups", {VISIT, VISIT, NOTHING, VISIT}, .wakeups = true},
	{"states that change without a record", {NOTHING, SLIP}},
	{"states that change without a record, by wake-ups", {NOTHING, SLIP}, .wakeups = true},
	{"a wake-up without what follows", {NOTHING, WAKE, NOTHING, WAKE}, .wakeups = true},
	{"a wake-up without what follows, if few run",
	 {NOTHING, WAKE, NOTHING, WAKE},
	 .wakeups = true,
	 .quiet = true},
	{"a loss", {NOTHING, LOSE, NOTHING, LOSE}},
	{"a loss in the first refresh", {LOSE}},
	{"losses in each refresh", {LOSE, LOSE, LOSE, LOSE}},
	{"losses in two refreshes", {NOTHING, LOSE, LOSE}},
	{"losses in two refreshes, if few run", {NOTHING, LOSE, LOSE}, .quiet = true},
	{"losses in two refreshes, if few run, by wake-ups",
	 {NOTHING, LOSE, LOSE},
	 .quiet = true,
	 .wakeups = true},
	{"losses in two refreshes, of a target", {NOTHING, LOSE, LOSE}, .pid = IN_D},
	{"a loss, by wake-ups", {LOSE, LOSE, NOTHING, LOSE}, .wakeups = true},
	{"a target that sleeps", {0}, .pid = SLEEPER},
	{"a target in D", {0}, .pid = IN_D},
	{"a target in D, without -i", {0}, .pid = IN_D, .no_idle = true},
	{"a target that waits for a CPU", {0}, .pid = QUEUED, .no_idle = true},
	{"a target that is stopped", {0}, .pid = STOPPED, .no_idle = true},
	{"a target that naps", {0}, .pid = NAPPER, .no_idle = true},
	{"attach", {NOTHING, ATTACH}, .attach = SLEEPER},
	{"attach, without -i", {NOTHING, ATTACH}, .attach = SLEEPER, .no_idle = true},
	{"attach to D", {NOTHING, ATTACH}, .attach = IN_D, .no_idle = true},
	{"attach to one that waits", {NOTHING, ATTACH}, .attach = QUEUED, .no_idle = true},
	{"attach to one that waits, by wake-ups",
	 {NOTHING, ATTACH},
	 .attach = QUEUED,
	 .no_idle = true,
	 .wakeups = true},
	{"attach to one that runs", {NOTHING, ATTACH}, .attach = LOOP, .no_idle = true},
	{"a second target", {NOTHING, ATTACH}, .pid = LOOP, .attach = IN_D, .no_idle = true},
	{"no target any more", {NOTHING, ATTACH, NOTHING, ALL}, .attach = SLEEPER},
	{"rows of tasks that do not run", {NOTHING, IDLE}, .no_idle = true},
	{"other columns", {NOTHING, PRESET}, .no_columns = true},
	{"other columns, of a target", {NOTHING, PRESET}, .no_columns = true, .pid = IN_D},
	{"tasks on a CPU that was not chosen", {ROAM, ROAM, NOTHING, ROAM}, .cpus = "0-1"},
	{"tasks on a CPU that was not chosen, by wake-ups",
	 {ROAM, ROAM, NOTHING, ROAM},
	 .cpus = "0-1",
	 .wakeups = true},
	{"tasks on a CPU that was not chosen, if few run",
	 {ROAM, ROAM, NOTHING, ROAM},
	 .cpus = "0-1",
	 .quiet = true},
	{"a target on a CPU that was not chosen",
	 {ROAM, ROAM, NOTHING, ROAM},
	 .cpus = "0-1",
	 .pid = NAPPER,
	 .no_idle = true},
	{"tasks on a CPU without counters", {ROAM, ROAM, NOTHING, ROAM}, .fd_limit = 8},
	{"an ordinary user", {0}, .unprivileged = true},
	{"an ordinary user, without -i", {0}, .unprivileged = true, .no_idle = true},
	{"an ordinary user, tasks that are found late", {NOTHING, ADD}, .unprivileged = true},
	{"an ordinary user's target", {0}, .pid = IN_D, .unprivileged = true, .no_idle = true},
	{"an ordinary user's target that sleeps",
	 {0},
	 .pid = SLEEPER,
	 .unprivileged = true,
	 .no_idle = true},
	{"an ordinary user's attach", {NOTHING, ATTACH}, .attach = IN_D, .unprivileged = true},
};

struct truth {
	uint64_t ns[FK_STATES];
};

struct run {
	const struct scene *this;
	struct fk *fk;
	struct sys sys;
	struct engine *engine;
	struct truth before[ARRAY_SIZE(tids)];
	uint64_t before_ns, added_ns;
};

static const struct engine_column columns[] = {
	{.kind = ENGINE_EVENTS, .text = "task-clock,runq_time,blocked_time,uninterruptible_time"},
	{.kind = ENGINE_EVENTS, .text = "wakeups", .optional = true},
};

static void add_task(const struct run *run, pid_t tid, enum fk_state state)
{
	fk_task(run->fk, &(struct fk_spec){.tid = tid, .unreported = tid / 2 == HIDDEN / 2});
	if (state == FK_SLEEPING)
		return;
	/* It leaves a CPU in that state. */
	fk_switch(run->fk, 2, tid);
	fk_block(run->fk, tid, state == FK_WOKEN ? FK_SLEEPING : state);
	fk_switch(run->fk, 2, 0);
	if (state == FK_WOKEN)
		fk_ready(run->fk, tid);
}

static void add_late(struct run *run)
{
	run->added_ns = fk_now(run->fk);
	fk_task(run->fk, &(struct fk_spec){.tid = LATE});
	fk_task(run->fk, &(struct fk_spec){.tid = LATE_IN_D});
	fk_task(run->fk, &(struct fk_spec){.tid = LATE_QUEUED});
	fk_ready(run->fk, LATE_QUEUED);
}

static bool exists(const struct run *run, pid_t tid)
{
	return tid < LATE || run->added_ns > 0;
}

static struct truth truth_of(const struct run *run, pid_t tid)
{
	struct truth truth;

	for (unsigned i = 0; i < FK_STATES; i++)
		truth.ns[i] = fk_truth_state(run->fk, tid, (enum fk_state)i);
	return truth;
}

static void note_truth(struct run *run)
{
	run->before_ns = fk_now(run->fk);
	for (size_t i = 0; i < ARRAY_SIZE(tids); i++)
		if (exists(run, tids[i]))
			run->before[i] = truth_of(run, tids[i]);
}

static void run_open(struct run *run)
{
	const struct scene *this = run->this;
	const struct engine_config config = {
		.preset = this->no_columns ? NULL : &preset_none,
		.columns = this->no_columns ? NULL : columns,
		.n_columns = this->no_columns ? 0 : 1 + (size_t)this->wakeups,
		.idle = !this->no_idle,
		.target = {.pids = &this->pid, .n_pids = this->pid > 0, .cpus = this->cpus},
	};

	run->fk = fk_new(&(struct fk_config){.cpus = 3,
					     .tracefs = this->wakeups ? FK_TRACEFS_MOUNTED
								      : FK_TRACEFS_SWITCHES,
					     .fd_limit = this->fd_limit,
					     .unprivileged = this->unprivileged,
					     .paranoid = this->unprivileged ? 2 : 0});
	run->sys = fk_sys(run->fk);
	for (pid_t tid = MANY; this->many && tid < 2 * MANY; tid++)
		fk_task(run->fk, &(struct fk_spec){.tid = tid});
	for (pid_t tid = PAIR; tid < PAIR + 2; tid++)
		add_task(run, tid, FK_SLEEPING);
	for (pid_t tid = LOOP; tid < HIDDEN + 2; tid++)
		add_task(run, tid, FK_SLEEPING);
	add_task(run, SLEEPER, FK_SLEEPING);
	add_task(run, IN_D, FK_UNINTERRUPTIBLE);
	add_task(run, STOPPED, FK_STOPPED);
	add_task(run, QUEUED, this->quiet ? FK_SLEEPING : FK_WOKEN);
	fk_switch(run->fk, 1, LOOP);
	if (!this->quiet)
		fk_switch(run->fk, 0, PAIR + 1);
	fk_advance(run->fk, 10 * NS_PER_MS);
	run->engine = open_engine_with(&run->sys, &config);
	note_truth(run);
}

/* What happens in each refresh. */
static void load(const struct run *run)
{
	static const struct {
		unsigned ms;
		pid_t tid;
	} turns[] = {{0, PAIR},  {10, PAIR + 1}, {20, PAIR}, {30, PAIR + 1}, {45, NAPPER},
		     {50, PAIR}, {60, PAIR + 1}, {70, PAIR}, {80, PAIR + 1}};
	const struct fk_step wakes = {30 * NS_PER_MS, FK_READY, .tid = NAPPER};
	pid_t last = PAIR + 1;

	if (run->this->quiet)
		return;
	fk_script(run->fk, &wakes, 1);
	for (size_t i = 0; i < ARRAY_SIZE(turns); i++) {
		const struct fk_step turn[] = {
			{turns[i].ms * NS_PER_MS, FK_BLOCK, .tid = last, .n = FK_PREEMPTED},
			{turns[i].ms * NS_PER_MS, FK_SWITCH, .cpu = 0, .tid = turns[i].tid},
		};
		bool sleeps = last == NAPPER;
		fk_script(run->fk, turn + sleeps, ARRAY_SIZE(turn) - sleeps);
		last = turns[i].tid;
	}
}

static void command(struct engine *engine, enum request_kind kind, const char *text, int64_t number)
{
	send_request(engine, &(struct request){.kind = kind, .text = text, .number = number});
}

/* They sleep, and neither a record nor a counter has that: /proc alone. */
static void slip(const struct run *run)
{
	static const pid_t waiters[] = {IN_D, STOPPED, QUEUED};

	for (size_t i = 0; i < ARRAY_SIZE(waiters); i++)
		fk_slip(run->fk, waiters[i]);
}

static void do_deed(struct run *run, enum deed deed)
{
	const struct fk_step visit[] = {
		{20 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = HIDDEN},
		{25 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = HIDDEN + 1},
		{30 * NS_PER_MS, FK_SWITCH, .cpu = 1, .tid = LOOP},
	};

	const struct fk_step lose[] = {
		{50 * NS_PER_MS, FK_SWITCH, .cpu = 0, .tid = NAPPER},
		{55 * NS_PER_MS, FK_LOSE, .cpu = 0, .n = 2},
		{56 * NS_PER_MS, FK_SWITCH, .cpu = 0, .tid = 0},
		{57 * NS_PER_MS, FK_SWITCH, .cpu = 0, .tid = NAPPER},
		{58 * NS_PER_MS, FK_SWITCH, .cpu = 0, .tid = 0},
		{59 * NS_PER_MS, FK_SWITCH, .cpu = 0, .tid = NAPPER},
	};

	const struct fk_step roam[] = {
		{20 * NS_PER_MS, FK_SWITCH, .cpu = 2, .tid = SLEEPER},
		{51 * NS_PER_MS, FK_SWITCH, .cpu = 2, .tid = NAPPER},
		{85 * NS_PER_MS, FK_SWITCH, .cpu = 2, .tid = 0},
	};

	switch (deed) {
	case NOTHING:
		break;
	case ROAM:
		fk_script(run->fk, roam, ARRAY_SIZE(roam));
		break;
	case ADD:
		add_late(run);
		break;
	case SLIP:
		slip(run);
		break;
	case WAKE:
		fk_ready(run->fk, SLEEPER);
		fk_slip(run->fk, SLEEPER);
		break;
	case VISIT:
		fk_script(run->fk, visit, ARRAY_SIZE(visit));
		break;
	case LOSE:
		if (run->this->quiet)
			fk_script(run->fk, lose, ARRAY_SIZE(lose));
		else
			fk_script(run->fk, &lose[1], 1);
		break;
	case ATTACH:
		command(run->engine, REQUEST_ATTACH, NULL, run->this->attach);
		break;
	case ALL:
		command(run->engine, REQUEST_DISMISS, NULL, 0);
		break;
	case IDLE:
		command(run->engine, REQUEST_IDLE, NULL, 1);
		break;
	case PRESET:
		command(run->engine, REQUEST_ADD_EVENTS, columns[0].text, 0);
		break;
	}
}

static void check_one(int refresh, pid_t tid, const char *event, struct figure figure,
		      double truth_ns, double most_ns)
{
	double off_ns = figure.value - truth_ns;
	bool known = figure_known(figure) && figure.state != FIGURE_SCALED;

	if (known && (off_ns > most_ns || (figure.state == FIGURE_VALID && off_ns < -most_ns)))
		fail_msg("refresh %d: %s of %d is %s %.1f ms, not %.1f", refresh, event, (int)tid,
			 figure_state_name(figure.state), figure.value / 1e6, truth_ns / 1e6);
}

static void check_row(const struct run *run, const struct snapshot *snapshot, int refresh,
		      pid_t tid)
{
	const struct figure ran = event_figure(snapshot, tid, "task-clock");
	const struct figure runq = event_figure(snapshot, tid, "runq_time");
	const struct figure blocked = event_figure(snapshot, tid, "blocked_time");
	double interval_ns = (double)snapshot->interval_ns, most_ns = OFF_MOST * interval_ns;
	double life_ns = ran.value + runq.value + blocked.value;

	if (tid < LATE && ran.state == FIGURE_VALID && runq.state == FIGURE_VALID &&
	    blocked.state == FIGURE_VALID && fabs(life_ns - interval_ns) > most_ns)
		fail_msg("refresh %d: %d has %.1f + %.1f + %.1f ms of %.1f", refresh, (int)tid,
			 ran.value / 1e6, runq.value / 1e6, blocked.value / 1e6, interval_ns / 1e6);
	for (size_t i = 0; i < ARRAY_SIZE(tids); i++) {
		if (tids[i] != tid || !exists(run, tid))
			continue;
		const struct truth now = truth_of(run, tid);
		double ns[FK_STATES];
		for (unsigned k = 0; k < FK_STATES; k++)
			ns[k] = (double)(now.ns[k] - run->before[i].ns[k]);
		/* /proc has ticks. Of the time on other CPUs than the chosen ones there is none. */
		if (!run->this->cpus)
			check_one(refresh, tid, "task-clock", ran, ns[FK_RUNNING],
				  run->this->unprivileged ? 10e6 : most_ns);
		check_one(refresh, tid, "runq_time", runq, ns[FK_PREEMPTED] + ns[FK_WOKEN],
			  most_ns);
		check_one(refresh, tid, "blocked_time", blocked,
			  ns[FK_SLEEPING] + ns[FK_UNINTERRUPTIBLE] + ns[FK_STOPPED], most_ns);
		check_one(refresh, tid, "uninterruptible_time",
			  event_figure(snapshot, tid, "uninterruptible_time"),
			  ns[FK_UNINTERRUPTIBLE], most_ns);
	}
}

/*
 * How long a row is held is never more than it is true. Without anything that makes it unclear it
 * is known, but for an interval or two before the first reading.
 */
static void check_held(const struct run *run, const struct row *row, int refresh)
{
	const struct truth now = truth_of(run, row->tid);
	uint64_t most_ms = (now.ns[FK_UNINTERRUPTIBLE] + now.ns[FK_STOPPED]) / NS_PER_MS;
	uint64_t least_ms = refresh > 2 ? (uint64_t)(refresh - 1) * INTERVAL_NS / NS_PER_MS : 0;
	bool clear = !run->this->unprivileged && !run->this->attach && !run->this->no_columns;

	for (size_t i = 0; i < REFRESHES; i++)
		clear &= run->this->deeds[i] == NOTHING;
	if (row->held_ms > most_ms)
		fail_msg("refresh %d: %d is held for %llu ms, not %llu", refresh, (int)row->tid,
			 (unsigned long long)row->held_ms, (unsigned long long)most_ms);
	if (clear && (row->tid == IN_D || row->tid == STOPPED) && row->held_ms < least_ms)
		fail_msg("refresh %d: %d is held for %llu ms, at least %llu", refresh,
			 (int)row->tid, (unsigned long long)row->held_ms,
			 (unsigned long long)least_ms);
}

/* A loss hides nothing of a task that did not run, once its slices were read before. */
static void check_stays(const struct run *run, const struct snapshot *snapshot, int refresh)
{
	struct figure figure;

	if (run->this->deeds[refresh] != LOSE || run->this->deeds[0] == LOSE || refresh < 2 ||
	    run->this->pid > 0)
		return;
	figure = event_figure(snapshot, IN_D, "uninterruptible_time");
	if (!figure_known(figure) || figure.value < (1 - OFF_MOST) * INTERVAL_NS)
		fail_msg("refresh %d: D is %s %.1f ms", refresh, figure_state_name(figure.state),
			 figure.value / 1e6);
}

static bool has_waits(const struct snapshot *snapshot)
{
	return event_set_find(&snapshot->columns->events, "runq_time") >= 0;
}

static void test_life(void **state)
{
	struct run run = {.this = *state};

	run_open(&run);
	for (int i = 0; i < REFRESHES; i++) {
		load(&run);
		do_deed(&run, run.this->deeds[i]);
		struct snapshot *snapshot = next_snapshot(run.engine, run.fk, INTERVAL_NS);
		for (size_t k = 0; has_waits(snapshot) && k < snapshot->threads.n; k++) {
			check_row(&run, snapshot, i, snapshot->threads.items[k].tid);
			check_held(&run, &snapshot->threads.items[k], i);
		}
		if (has_waits(snapshot))
			check_stays(&run, snapshot, i);
		snapshot_free(snapshot);
		note_truth(&run);
	}
	close_all(run.engine, run.fk);
}

int main(void)
{
	static const struct cases table = CASES(test_life, scenes);

	return cases_run("wait life", &table, 1, NULL, 0);
}
