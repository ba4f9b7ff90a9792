// SPDX-License-Identifier: MIT
/*
 * One tick, and the only file that knows its order: wait and drain, cut, look up who ran, make the
 * picture, begin anew.
 *
 * The engine counts into its own event set; snapshots share a copy of it (the columns), replaced
 * whenever the collector changes its mind about an event, so that a picture once made never does.
 */
#include "core/engine/engine.h"

#include "core/attrib/target.h"
#include "core/attrib/tasks.h"
#include "core/base/notes.h"
#include "core/base/util.h"
#include "core/collect/collect.h"
#include "core/engine/engine_choice.h"
#include "core/engine/engine_notes.h"
#include "core/engine/engine_recording.h"
#include "core/engine/query.h"
#include "core/engine/self_cost.h"
#include "core/metric/preset.h"
#include "core/perf/perf_access.h"
#include "core/perf/perf_open_error.h"
#include "core/snapshot/snapshot_build.h"
#include "core/sys/container.h"
#include "core/sys/proc.h"
#include "core/sys/topology.h"
#include "core/sys/users.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * A short interval before the first: the collector learns in it what the kernel does not say when a
 * group is opened (counters that are taken, switches it is silent about).
 */
#define SETTLE_NS (60 * NS_PER_MS)
enum { SETTLE_MOST = 3 };

/* Of each interval: what finding out about tasks that do nothing may cost. */
#define MAINTAIN_NS (5 * NS_PER_MS)

/* So many refreshes may a name be old of who execs where nobody counts. */
enum { RESCAN_REFRESHES = 8 };

/* What someone waits for is found in bits, with as long a rest after each: counting goes on. */
#define WORK_NS (5 * NS_PER_MS)

struct engine {
	const struct sys *sys;
	struct engine_config config;
	struct perf_access access;
	struct target *target;
	enum event_levels levels; /* wanted; what is granted may be less */
	struct pmu_set pmus;
	struct event_context names;
	struct engine_choice choice;
	struct columns *columns;
	struct collect *collect;
	struct tasks *tasks;
	struct users *users;
	struct topology topology;
	struct notes notes;
	struct engine_notes causes;
	struct pollfd *pollfds;
	size_t pollfds_capacity;
	struct commands commands; /* asked for, and not done yet */
	struct query_worker queries;
	struct engine_recording record;
	struct self_cost self_cost;
	bool settled;
	bool in_pid_namespace; /* /proc has only the processes of that */
	uint64_t cut_ns;       /* end of the last interval */
	uint64_t sequence;
	char host[64];
	char pmu[32];
};

static void renew_columns(struct engine *engine)
{
	columns_unref(engine->columns);
	engine->columns = engine_choice_columns(&engine->choice, engine->collect->plan);
	engine_notes_columns(&engine->causes, &engine->choice.selection, engine->columns);
}

/* ---- opening */

/* What one does not name, by what there is to count with. */
static void choose_preset(struct engine *engine)
{
	bool no_pmu = perf_access_no_pmu(&engine->access);
	bool counts = engine->access.level > PERF_ACCESS_NONE;

	engine->choice.preset = engine->config.preset
					? engine->config.preset
					: preset_find(no_pmu || !counts ? "software" : "overview");
	if (no_pmu && !engine->config.preset)
		notes_add(&engine->notes, "%s", PERF_OPEN_NO_PMU);
	if (!no_pmu && counts)
		text_copy(engine->pmu, sizeof(engine->pmu), engine->pmus.items[0].name);
}

/* How names are meant from now on, where the tasks are counted one by one or the CPUs are. */
static void choose_levels(struct engine *engine, bool per_task)
{
	bool user_only = per_task && engine->access.level == PERF_ACCESS_USER;

	engine->names.software_levels = engine->levels;
	engine->names.levels = user_only && engine->levels == EVENT_LEVELS_ALL ? EVENT_LEVELS_USER
									       : engine->levels;
}

/* Whole CPUs; -errno and a sentence where the kernel does not grant them. */
static int open_system(struct engine *engine, const struct collect_context *context,
		       struct error *err)
{
	if (engine->access.level < PERF_ACCESS_SYSTEM) {
		perf_open_error_access(engine->sys, &engine->access, err);
		return -EACCES;
	}
	return collect_system_open(context, &engine->collect, err);
}

/* How names are meant depends on who counts. -EINVAL where it is the columns that fail. */
static int choose_names(struct engine *engine, bool per_task, struct error *err)
{
	choose_levels(engine, per_task);
	if (engine_choice_make(&engine->choice, err) == 0)
		return 0;
	return err->code = -EINVAL;
}

static int open_tasks(struct engine *engine, const struct collect_context *context,
		      struct error *err)
{
	int result = choose_names(engine, true, err);

	if (result < 0)
		return result;
	engine_notes_levels(&engine->causes, &engine->access, engine->levels);
	return collect_task_open(context, &engine->collect, err);
}

/* Whether tasks that were asked for by number may run on a CPU that is not counted. */
static bool misses_roots(const struct engine *engine)
{
	return engine->collect->interval.uncounted && target_has_roots(engine->target) &&
	       !target_cpus(engine->target) && !engine->config.recorder;
}

static void close_collector(struct engine *engine)
{
	if (engine->collect)
		engine->collect->ops->free(engine->collect);
	engine->collect = NULL;
}

/* Whole CPUs where the kernel grants them, else tasks. What one is refused is told. */
static int choose_collector(struct engine *engine, struct error *err)
{
	const struct collect_context context = {
		.sys = engine->sys,
		.pmus = &engine->pmus,
		.events = &engine->choice.selection.events,
		.wants = &engine->choice.selection.wants,
		.access = &engine->access,
		.target = engine->target,
		.tasks = engine->tasks,
		.notes = &engine->notes,
		.budget = engine->config.budget_percent / 100,
	};
	int result = 0;

	if (engine->access.level == PERF_ACCESS_SYSTEM)
		result = choose_names(engine, false, err);
	if (result < 0)
		return result;
	result = open_system(engine, &context, err);
	if (result == 0 && !misses_roots(engine))
		return 0;
	if (result == 0) {
		close_collector(engine);
		if (open_tasks(engine, &context, err) == 0)
			return 0;
		/* They are another user's. */
		result = choose_names(engine, false, err);
		return result < 0 ? result : open_system(engine, &context, err);
	}
	if (target_cpus(engine->target)) {
		struct error why = *err;
		return error_set(err, result, "-C counts whole CPUs. %s", why.text);
	}
	/* Whoever asked for processes of their own does not miss the others. The remedy is more
	 * likely in the user's hands than what else there is to say. */
	if (!target_has_roots(engine->target) || engine->access.level == PERF_ACCESS_NONE)
		notes_add_urgent(&engine->notes, "%s", err->text);
	return open_tasks(engine, &context, err);
}

static void continue_recording(struct engine *engine)
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
}

/* ---- the engine */

/* Without it nothing works (libpfm4 looks there too), and nothing says why. */
static int require_proc(const struct sys *sys, struct error *err)
{
	int result = proc_check(sys);

	if (result == -EMFILE || result == -ENFILE)
		return error_set_no_descriptor(err, result);
	if (result == -ENOENT)
		return error_set(err, result,
				 "/proc is empty. Mount it: "
				 "mount -t proc proc /proc");
	return result < 0 ? error_set(err, result, "/proc cannot be read: %s.", error_why(result))
			  : 0;
}

static void read_host(const struct sys *sys, char *host, size_t size)
{
	if (sys_file_read(sys, "/proc/sys/kernel/hostname", host, size) < 0)
		host[0] = '\0';
	host[strcspn(host, "\n")] = '\0';
}

/*
 * Intervals before the first. A plan that turned out not to work is replaced in them, and the next
 * one is tried too. Of the last there may be a glimpse.
 */
static void settle(struct engine *engine)
{
	const struct plan *before;
	struct snapshot *last = NULL;
	unsigned settled = 0;

	engine->cut_ns = sys_now_ns(engine->sys);
	do {
		before = engine->collect->plan;
		engine_wait(engine, sys_now_ns(engine->sys) + SETTLE_NS);
		snapshot_free(last);
		last = engine_snapshot(engine);
	} while (++settled < SETTLE_MOST && engine->collect->plan != before);
	engine->sequence = last->sequence = 0;
	if (engine->config.glimpse)
		*engine->config.glimpse = last;
	else
		snapshot_free(last);
	self_cost_begin(&engine->self_cost, engine->sys);
	engine->settled = true;
}

/* Elsewhere /proc tells of others by process. */
static void list_idle_threads(struct engine *engine)
{
	if (engine->config.idle && engine->collect->mode == COUNT_MODE_SYSTEM)
		tasks_list_threads(engine->tasks);
}

int engine_new(const struct sys *sys, const struct engine_config *config, struct engine **out,
	       struct error *err)
{
	struct engine *engine = xcalloc(1, sizeof(*engine));
	int result;

	engine->sys = sys;
	engine->config = *config;
	engine->choice = (struct engine_choice){
		.config = &engine->config,
		.names = &engine->names,
		.access = &engine->access,
		.notes = &engine->notes,
	};
	engine->levels = config->levels;
	read_host(sys, engine->host, sizeof(engine->host));
	result = require_proc(sys, err);
	if (result < 0)
		goto fail;
	engine->users = users_new(sys);
	result = target_new(sys, engine->users, &config->target, &engine->target, err);
	if (result < 0)
		goto fail;
	pmu_set_read(sys, &engine->pmus);
	engine->names = (struct event_context){.sys = sys, .pmus = &engine->pmus};
	perf_access_probe(sys, &engine->access);
	if (config->proc_only)
		engine->access.level = PERF_ACCESS_NONE;
	engine_notes_init(&engine->causes, sys, &engine->notes);
	choose_preset(engine);
	engine_notes_machine(&engine->causes, engine->target);
	engine->in_pid_namespace = container_read_pid_namespace(sys) == NAMESPACE_OWN;
	engine->tasks = tasks_new(sys);
	topology_init(&engine->topology, sys);
	result = choose_collector(engine, err);
	if (result < 0)
		goto fail;
	if (config->recorder) {
		result = engine_recording_can(engine->collect, err);
		if (result < 0)
			goto fail;
	}
	renew_columns(engine);
	list_idle_threads(engine);
	engine_notes_begin(&engine->causes);
	for (size_t i = 0; config->notes && i < config->notes->n; i++)
		notes_add(&engine->notes, "%s", config->notes->items[i].text);
	settle(engine);
	engine->record.recorder = config->recorder;
	engine->record.failed = config->recording;
	continue_recording(engine);
	*out = engine;
	return 0;
fail:
	recorder_free(config->recorder);
	engine_free(engine);
	return result;
}

void engine_free(struct engine *engine)
{
	if (!engine)
		return;
	engine_recording_fini(&engine->record, engine->collect);
	self_cost_fini(&engine->self_cost);
	close_collector(engine);
	columns_unref(engine->columns);
	commands_clear(&engine->commands);
	query_worker_fini(&engine->queries);
	selection_fini(&engine->choice.selection);
	pmu_set_fini(&engine->pmus);
	target_free(engine->target);
	tasks_free(engine->tasks);
	users_free(engine->users);
	topology_fini(&engine->topology);
	notes_fini(&engine->notes);
	engine_notes_fini(&engine->causes);
	free(engine->pollfds);
	free(engine);
}

/* ---- an interval */

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

static void maintain_tasks(struct engine *engine, uint64_t budget_ns)
{
	tasks_maintain(engine->tasks, budget_ns);
	engine_recording_gone(&engine->record, engine->tasks);
}

/* Whether someone waits for an answer, or to see everybody. */
static bool has_work(const struct engine *engine)
{
	return query_worker_is_busy(&engine->queries) ||
	       (engine->config.idle && tasks_are_pending(engine->tasks));
}

/* Whether there is an answer by now. */
static bool do_pending_work(struct engine *engine)
{
	const struct query_source source = {
		.context = &engine->names,
		.selection = &engine->choice.selection,
		.collect = engine->collect,
		.pmus = &engine->pmus,
	};

	if (query_worker_is_busy(&engine->queries))
		query_worker_run(&engine->queries, &source, WORK_NS);
	else
		maintain_tasks(engine, WORK_NS);
	return query_worker_has_reply(&engine->queries);
}

int engine_wait(struct engine *engine, uint64_t deadline_ns)
{
	struct collect *collect = engine->collect;
	size_t n = fetch_pollfds(engine);
	uint64_t work_due_ns = 0;

	if (deadline_ns > engine->cut_ns)
		collect->refresh_ns = deadline_ns - engine->cut_ns;
	for (;;) {
		uint64_t due_ns = collect->ops->due_ns(collect);
		uint64_t until_ns = due_ns < deadline_ns ? due_ns : deadline_ns;
		bool busy = has_work(engine);
		if (busy && work_due_ns < until_ns)
			until_ns = work_due_ns;
		int ready = sys_wait(engine->sys, engine->pollfds, n, until_ns);
		uint64_t now_ns = sys_now_ns(engine->sys);
		if (ready > 0 || ready == -EINTR)
			collect->ops->drain(collect);
		else if (ready < 0) /* without the rings: they are drained at the cut */
			n = 0;
		if (now_ns >= deadline_ns)
			return 0;
		if (ready == -EINTR)
			return 1;
		if (now_ns >= due_ns)
			collect->ops->turn(collect);
		/* A dead event (its CPU went offline) is always "ready": don't ask it again. */
		for (size_t i = 0; i < n; i++)
			if (engine->pollfds[i].revents & (POLLERR | POLLHUP | POLLNVAL))
				engine->pollfds[i].fd = -1;
		if (busy && now_ns >= work_due_ns) {
			if (do_pending_work(engine))
				return 1;
			work_due_ns = sys_now_ns(engine->sys) + WORK_NS;
		}
	}
}

void engine_query(struct engine *engine, const struct query *query)
{
	query_worker_submit(&engine->queries, query);
}

struct reply *engine_pop_reply(struct engine *engine)
{
	return query_worker_pop(&engine->queries);
}

/* ---- changes while it runs */

void engine_do(struct engine *engine, const struct command *command)
{
	commands_add(&engine->commands, command);
}

static int change_levels(struct engine *engine, enum event_levels levels, struct error *err)
{
	enum event_levels before = engine->levels;
	bool per_task = engine->collect->plan->per_task;

	engine->levels = levels;
	choose_levels(engine, per_task);
	int result = selection_renew(&engine->choice.selection, err);
	if (result < 0) {
		engine->levels = before;
		choose_levels(engine, per_task);
	}
	if (per_task)
		engine_notes_levels(&engine->causes, &engine->access, engine->levels);
	return result;
}

static int attach_process(struct engine *engine, int64_t number, struct error *err)
{
	pid_t pid = number > 0 && number <= INT32_MAX ? (pid_t)number : 0;
	int result = engine->collect->ops->admit(engine->collect, pid, err);

	return result < 0 ? result : target_attach(engine->target, engine->tasks, pid, err);
}

static int do_command(struct engine *engine, const struct command *command, struct error *err)
{
	switch (command->kind) {
	case COMMAND_ADD_METRIC:
		return engine_choice_add_metric(&engine->choice, command->text, err);
	case COMMAND_ADD_EVENTS:
		return selection_add_events(&engine->choice.selection, command->text, err);
	case COMMAND_REMOVE:
		if (selection_remove(&engine->choice.selection, command->text) == 0)
			return 0;
		return error_set(err, -ENOENT, "There is no column '%.40s'.", command->text);
	case COMMAND_LEVELS:
		return change_levels(engine, (enum event_levels)command->number, err);
	case COMMAND_PRESET:
		return engine_choice_preset(&engine->choice, command->text, err);
	case COMMAND_ATTACH:
		return attach_process(engine, command->number, err);
	case COMMAND_COMMAND_LINES:
		engine->config.command_lines = command->number;
		return 0;
	case COMMAND_IDLE:
		engine->config.idle = command->number;
		list_idle_threads(engine);
		return 0;
	case COMMAND_DISMISS:
		target_dismiss(engine->target);
		return 0;
	case COMMAND_RECORD:
		return engine_recording_to(&engine->record, engine->collect, command->text, err);
	case COMMAND_PAUSE:
	case COMMAND_STEP:
	case COMMAND_SEEK_BY:
	case COMMAND_SEEK_TO:
	case COMMAND_SPEED:
		break;
	}
	return error_set(err, -EINVAL, "This is no recording, in which one can go to and fro.");
}

/* Begins the next interval, by a new plan where it must be. */
static void begin_next_interval(struct engine *engine)
{
	struct collect *collect = engine->collect;

	for (size_t i = 0; i < engine->commands.n; i++) {
		const struct command *command = &engine->commands.items[i];
		struct error err;
		if (do_command(engine, command, &err) < 0)
			notes_add_transient(&engine->notes, err.text);
		/* Also one that failed may have moved events about. */
		collect->stale |= command_changes_columns(command->kind);
	}
	commands_clear(&engine->commands);
	/* What is tried on this thread must find no counter of ours there. */
	if (collect->stale && collect->budget.native)
		self_cost_pause(&engine->self_cost);
	collect->ops->renew(collect);
	if (collect->plan != engine->columns->plan) {
		renew_columns(engine);
		engine->cut_ns = sys_now_ns(engine->sys); /* opening took its time */
	}
	continue_recording(engine);
}

/* Who begins and ends on CPUs that are not counted, or execs there, makes no records. */
static void scan_uncounted_cpus(struct engine *engine)
{
	if (engine->config.idle)
		tasks_rescan(engine->tasks);
	else if (engine->sequence % RESCAN_REFRESHES == 0)
		tasks_records_lost(engine->tasks);
}

/* What is not in the tallies. wall_ns: the interval as the clock has it. */
static void fill_facts(struct engine *engine, uint64_t wall_ns, struct snapshot *snapshot)
{
	const struct collect *collect = engine->collect;

	snapshot->sequence = ++engine->sequence;
	snapshot->time_ns = engine->cut_ns;
	snapshot->realtime_ns = sys_realtime_ns(engine->sys);
	snapshot->mode = collect->mode;
	if (engine->config.counts_itself && engine->settled) {
		self_cost_cut(&engine->self_cost, &snapshot->cost);
		snapshot->cost.wall_ns = wall_ns;
		snapshot->cost.records = collect->records;
		snapshot->cost.switch_ns = collect->switch_ns;
	}
	snapshot->threads_ran = collect->threads_ran;
	snapshot->threads_counted = collect->threads_counted;
	snapshot->tasks = engine->in_pid_namespace ? 0 : proc_threads(engine->sys);
	memcpy(snapshot->host, engine->host, sizeof(snapshot->host));
	memcpy(snapshot->pmu, engine->pmu, sizeof(snapshot->pmu));
}

struct snapshot *engine_snapshot(struct engine *engine)
{
	struct collect *collect = engine->collect;
	uint64_t begin_ns = engine->cut_ns;

	engine->cut_ns = sys_now_ns(engine->sys);
	collect->ops->cut(collect);
	engine_notes_cut(&engine->causes, &collect->interval);
	target_poll_roots(engine->target, engine->cut_ns);

	uint64_t interval_ns = engine->cut_ns - begin_ns;
	uint64_t wall_ns = interval_ns;
	bool whole_cpus = collect->mode == COUNT_MODE_SYSTEM;
	if (whole_cpus)
		interval_ns = interval_counted_ns(&collect->interval, interval_ns);
	const struct snapshot_source source = {
		.columns = engine->columns,
		.interval = &collect->interval,
		.target = engine->target,
		.tasks = engine->tasks,
		.users = engine->users,
		.topology = &engine->topology,
		.pmus = &engine->pmus,
		.notes = &engine->notes,
		.command_lines = engine->config.command_lines,
		.idle = engine->config.idle,
		.now_ns = engine->cut_ns,
		.uneven = whole_cpus ? interval_uneven(&collect->interval, interval_ns) : 0,
	};
	struct snapshot *snapshot = snapshot_build(&source, interval_ns);
	fill_facts(engine, wall_ns, snapshot);
	if (engine->record.recorder) {
		recorder_cut(engine->record.recorder, snapshot, &collect->interval, engine->target);
		snapshot->recorded_bytes = recorder_bytes(engine->record.recorder);
	}

	begin_next_interval(engine);
	tasks_free_exited(engine->tasks, begin_ns);
	if (target_cpus(engine->target))
		scan_uncounted_cpus(engine);
	maintain_tasks(engine, MAINTAIN_NS);
	return snapshot;
}
