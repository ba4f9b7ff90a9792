// SPDX-License-Identifier: MIT
/*
 * One interval after the other. This file alone has their order: wait and drain, cut, make the
 * snapshot, do the requests, begin the next interval.
 *
 * The engine counts into its own event set. Snapshots share a copy of it (the columns). The copy is
 * replaced when the collector changes the state of an event, so a snapshot never changes.
 */
#include "core/engine/engine_internal.h"

#include "core/base/util.h"
#include "core/event/event_table_cache.h"
#include "core/snapshot/snapshot_build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Time per interval for the scan of tasks that did not run. */
#define MAINTAIN_NS (5 * NS_PER_MS)

/*
 * With -C, a process that execs on an uncounted CPU keeps its old name for at most this many
 * refreshes.
 */
enum { RESCAN_REFRESHES = 8 };

/* Queries are answered in steps of this length, with a pause as long after each. */
#define WORK_NS (5 * NS_PER_MS)

/* The same for idle tasks, if no one waits for the last of them: 1.5 % of a CPU. */
#define PATIENT_NS NS_PER_MS
enum { PATIENT_PAUSE = 66 };

void engine_renew_columns(struct engine *engine)
{
	columns_unref(engine->columns);
	engine->columns = engine_choice_columns(&engine->choice, engine->collect->plan);
	engine_notes_columns(&engine->causes, &engine->choice.selection, engine->columns);
}

void engine_choose_levels(struct engine *engine, bool per_task)
{
	bool user_only = per_task && engine->access.level == PERF_ACCESS_USER;

	engine->names.software_levels = engine->levels;
	engine->names.levels = user_only && engine->levels == EVENT_LEVELS_ALL ? EVENT_LEVELS_USER
									       : engine->levels;
}

void engine_continue_recording(struct engine *engine)
{
	const struct recorder_facts facts = {
		.sys = engine->sys,
		.mode = engine->collect->mode,
		.host = engine->host,
		.pmu = engine->pmu,
		.pmus = &engine->pmus,
		.cpus = {engine->collect->interval.cpu_numbers, engine->collect->interval.n_cpus},
		.switches = engine->collect->switches,
	};

	engine_recording_renew(&engine->record, engine->collect, engine->columns, &facts,
			       &engine->notes);
	engine_code_record(&engine->code, engine->record.recorder);
}

void engine_list_idle_threads(struct engine *engine)
{
	if (engine->config.idle && engine->collect->mode == COUNT_MODE_SYSTEM)
		tasks_list_threads(engine->tasks);
}

void engine_free(struct engine *engine)
{
	if (!engine)
		return;
	engine_recording_fini(&engine->record, engine->collect);
	self_cost_fini(&engine->self_cost);
	if (engine->collect)
		engine->collect->ops->free(engine->collect);
	engine_code_fini(&engine->code);
	columns_unref(engine->columns);
	request_list_clear(&engine->requests);
	query_worker_fini(&engine->queries);
	selection_fini(&engine->choice.selection);
	event_table_cache_free(engine->names.tables);
	pmu_set_fini(&engine->pmus);
	target_free(engine->target);
	tasks_free(engine->tasks);
	user_client_fini(&engine->user_names);
	users_free(engine->users);
	topology_fini(&engine->topology);
	notes_fini(&engine->notes);
	engine_notes_fini(&engine->causes);
	machine_reader_fini(&engine->machine);
	cgroup_reader_fini(&engine->cgroups);
	free(engine->pollfds);
	free(engine);
}

static size_t fetch_pollfds(struct engine *engine)
{
	const struct collect_ops *ops = engine->collect->ops;
	size_t n = ops->pollfds(engine->collect, engine->pollfds, engine->pollfds_capacity);

	if (n <= engine->pollfds_capacity)
		return n;
	engine->pollfds = array_reserve(engine->pollfds, &engine->pollfds_capacity, n,
					sizeof(*engine->pollfds));
	return ops->pollfds(engine->collect, engine->pollfds, engine->pollfds_capacity);
}

/* Tasks that do not run are read after the glimpse: a user waits for it. */
static void maintain_tasks(struct engine *engine, uint64_t budget_ns)
{
	if (!engine->settled && engine->config.glimpse)
		return;
	tasks_maintain(engine->tasks, budget_ns);
	engine_recording_gone(&engine->record, engine->tasks);
}

static bool reads_idle_tasks(const struct engine *engine)
{
	return engine->config.idle && engine->settled && tasks_are_pending(engine->tasks);
}

/* When a query is due, or more idle tasks are to be read. UINT64_MAX: never. */
static uint64_t pending_work_ns(const struct engine *engine)
{
	uint64_t due_ns = query_worker_due_ns(&engine->queries);

	return reads_idle_tasks(engine) && engine->read_due_ns < due_ns ? engine->read_due_ns
									: due_ns;
}

/* Returns whether there is a reply now. */
static bool do_pending_work(struct engine *engine)
{
	const struct query_source source = {
		.context = &engine->names,
		.access = &engine->access,
		.user_metrics = engine->config.user_metrics,
		.n_user_metrics = engine->config.n_user_metrics,
		.selection = &engine->choice.selection,
		.collect = engine->collect,
		.pmus = &engine->pmus,
	};

	uint64_t begin_ns = sys_now_ns(engine->sys);
	if (query_worker_due_ns(&engine->queries) <= begin_ns) {
		query_worker_run(&engine->queries, &source, WORK_NS);
	} else if (engine->config.patient) {
		maintain_tasks(engine, PATIENT_NS);
		uint64_t now_ns = sys_now_ns(engine->sys);
		engine->read_due_ns = now_ns + PATIENT_PAUSE * (now_ns - begin_ns);
	} else {
		maintain_tasks(engine, WORK_NS);
	}
	return query_worker_has_reply(&engine->queries);
}

int engine_wait(struct engine *engine, uint64_t deadline_ns)
{
	struct collect *collect = engine->collect;
	size_t n = fetch_pollfds(engine);
	uint64_t pause_ns = 0; /* no work before that time */

	if (deadline_ns > engine->cut_ns)
		engine->next.length_ns = deadline_ns - engine->cut_ns;
	for (;;) {
		uint64_t due_ns = collect->ops->due_ns(collect);
		uint64_t until_ns = due_ns < deadline_ns ? due_ns : deadline_ns;
		uint64_t work_ns = pending_work_ns(engine);
		if (work_ns < pause_ns)
			work_ns = pause_ns;
		if (work_ns < until_ns)
			until_ns = work_ns;
		int ready = sys_wait(engine->sys, engine->pollfds, n, until_ns);
		uint64_t now_ns = sys_now_ns(engine->sys);
		if (ready > 0 || ready == -EINTR)
			collect->ops->drain(collect);
		else if (ready < 0) /* polling failed: the rings are drained at the cut */
			n = 0;
		if (now_ns >= deadline_ns)
			return 0;
		if (ready == -EINTR)
			return 1;
		if (now_ns >= due_ns)
			collect->ops->turn(collect);
		/* A dead event (its CPU went offline) is always ready: poll it no more. */
		for (size_t i = 0; i < n; i++)
			if (engine->pollfds[i].revents & (POLLERR | POLLHUP | POLLNVAL))
				engine->pollfds[i].fd = -1;
		if (now_ns >= work_ns) {
			if (do_pending_work(engine))
				return 1;
			pause_ns = sys_now_ns(engine->sys) + WORK_NS;
		}
	}
}

struct reply **engine_replies(struct engine *engine)
{
	return engine->queries.replies;
}

/* Begins the next interval, with a new plan if needed. */
static void begin_next_interval(struct engine *engine)
{
	struct collect *collect = engine->collect;

	engine_code_record(&engine->code, NULL); /* until the recording goes on */
	engine_do_requests(engine);
	/* The collector tries groups on this thread, which must not have pmctop's own counter. */
	if ((engine->next.stale || engine->result.replans) && collect->budget.self)
		self_cost_pause(&engine->self_cost);
	collect->ops->renew(collect, &engine->next);
	engine->next.stale = false;
	if (collect->plan != engine->columns->plan) {
		engine_renew_columns(engine);
		engine->cut_ns = sys_now_ns(engine->sys); /* opening took its time */
	}
	engine_continue_recording(engine);
}

/* Tasks that fork, exec or exit on an uncounted CPU make no records. */
static void scan_uncounted_cpus(struct engine *engine)
{
	if (engine->config.idle)
		tasks_rescan(engine->tasks);
	else if (engine->sequence % RESCAN_REFRESHES == 0)
		tasks_records_lost(engine->tasks);
}

/* Fills in what the interval does not have. */
static void set_facts(struct engine *engine, struct snapshot *snapshot)
{
	struct collect *collect = engine->collect;
	const struct collect_result *result = &engine->result;
	struct snapshot_machine machine = engine->machine.machine;
	struct snapshot_facts facts = {
		.sequence = ++engine->sequence,
		.time_ns = engine->cut_ns,
		.realtime_ns = sys_realtime_ns(engine->sys),
		.host = engine->host,
		.pmu = engine->pmu,
		.mode = collect->mode,
		.machine = &machine,
		.lost_records = collect->interval.lost_records,
		.windowed_cpus = result->windowed_cpus,
		.tasks = engine->in_pid_namespace ? 0 : engine->machine.threads,
		.threads_ran = result->threads_ran,
		.threads_counted = result->threads_counted,
		.notes = &engine->notes,
	};

	engine->has_idle = engine->config.idle;
	engine->has_command_lines = engine->config.command_lines;
	if (engine->in_pid_namespace)
		machine.known[MACHINE_PROCESSES] = machine.known[MACHINE_THREADS] = false;
	machine_set(&machine, MACHINE_ZOMBIES,
		    (double)tasks_each_zombie(engine->tasks, NULL, NULL));
	if (engine->config.counts_itself && engine->settled) {
		self_cost_cut(&engine->self_cost, engine->cut_ns, &facts.cost);
		facts.cost.records = result->records;
		facts.cost.switch_ns = result->switch_ns;
	}
	/* After all counters were read, so that it delays no cut. It adds notes about names. */
	facts.code = engine_code_cut(&engine->code, collect, snapshot->interval_ns,
				     &engine->next.code_ns);
	engine_notes_command_lines(&engine->causes, snapshot);
	snapshot_set_facts(snapshot, &facts);
}

void engine_expect(struct engine *engine, uint64_t interval_ns)
{
	engine->next.length_ns = interval_ns;
}

struct snapshot *engine_snapshot(struct engine *engine)
{
	struct collect *collect = engine->collect;
	uint64_t begin_ns = engine->cut_ns;

	engine->cut_ns = sys_now_ns(engine->sys);
	interval_set_wall(&collect->interval, engine->cut_ns - begin_ns);
	engine->result = collect->ops->cut(collect);
	if (machine_reader_cut(&engine->machine))
		engine_notes_steal(&engine->causes, &engine->machine.machine);
	engine_notes_cut(&engine->causes, &collect->interval);
	notes_add_all(&engine->notes, event_table_cache_notes(engine->names.tables));
	target_poll_roots(engine->target, engine->cut_ns);

	bool whole_cpus = collect->mode == COUNT_MODE_SYSTEM;
	uint64_t interval_ns =
		whole_cpus ? interval_counted_ns(&collect->interval) : collect->interval.wall_ns;
	engine->facts.each_run_known =
		whole_cpus && !collect->interval.uncounted && collect->interval.lost_records == 0;
	const struct snapshot_source source = {
		.columns = engine->columns,
		.interval = &collect->interval,
		.target = engine->target,
		.tasks = engine->tasks,
		.users = engine->users,
		.topology = &engine->topology,
		.pmus = &engine->pmus,
		.facts = &engine->facts,
		.cgroups = &engine->cgroups,
		.watch = engine->result.watch,
		.command_lines = engine->config.command_lines,
		.idle = engine->config.idle,
		.now_ns = engine->cut_ns,
		.uneven = whole_cpus ? interval_uneven(&collect->interval, interval_ns) : 0,
	};
	user_client_poll(&engine->user_names, engine->users);
	if (collect->mode == COUNT_MODE_SYSTEM) /* else the scan has checked them */
		tasks_check_zombies(engine->tasks);
	struct snapshot *snapshot = snapshot_build(&source, interval_ns);
	set_facts(engine, snapshot);
	if (engine->record.recorder) {
		recorder_cut(engine->record.recorder, snapshot, &collect->interval, engine->target);
		snapshot->recorded_bytes = recorder_bytes(engine->record.recorder);
	}

	begin_next_interval(engine);
	tasks_free_exited(engine->tasks, begin_ns);
	if (target_cpus(engine->target))
		scan_uncounted_cpus(engine);
	if (!reads_idle_tasks(engine)) /* else between the snapshots */
		maintain_tasks(engine, MAINTAIN_NS);
	if (collect->mode == COUNT_MODE_SYSTEM) /* else the scans find them */
		tasks_find_zombies(engine->tasks, engine->config.idle);
	return snapshot;
}
