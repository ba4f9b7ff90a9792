// SPDX-License-Identifier: MIT
/*
 * One tick, and the only file that knows its order: wait and drain, cut, look up who ran, make the
 * picture, begin anew.
 *
 * The engine counts into its own event set; snapshots share a copy of it (the columns), replaced
 * whenever the collector changes its mind about an event, so that a picture once made never does.
 */
#include "engine.h"

#include "collect.h"
#include "cpus.h"
#include "explain.h"
#include "notes.h"
#include "preset.h"
#include "proc.h"
#include "tasks.h"
#include "users.h"
#include "util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * A short interval before the first that nobody sees: the collector learns in it what the kernel
 * does not say when a group is opened (counters that are taken, switches it is silent about).
 */
#define SETTLE_NS (60 * NS_PER_MS)

/* Of each interval: what finding out about tasks that do nothing may cost. */
#define MAINTAIN_NS (5 * NS_PER_MS)

struct engine {
	const struct sys *sys;
	const struct preset *preset;
	struct pmu_set pmus;
	struct event_context names;
	struct event_set events;
	struct columns *columns;
	struct collect *collect;
	struct tasks *tasks;
	struct users *users;
	struct notes notes;
	struct pollfd *pollfds;
	size_t pollfds_capacity;
	uint64_t cut_ns; /* end of the last interval */
	uint64_t sequence;
	char host[64];
	char pmu[32];
};

/* ---- opening */

/* Names every event that the preset's metrics need. */
static int choose_events(struct engine *engine, struct error *err)
{
	event_set_fini(&engine->events);
	event_set_init(&engine->events, &engine->names);
	for (const char *const *name = engine->preset->metrics; *name; name++) {
		struct metric metric;
		int result =
			metric_compile(metric_def_find(*name), 0, &engine->events, &metric, err);
		if (result < 0)
			return result;
		metric_fini(&metric);
	}
	return 0;
}

/* The engine's events as they are now, with the metrics compiled over them. */
static struct columns *columns_new(const struct engine *engine)
{
	struct columns *columns = xcalloc(1, sizeof(*columns));
	size_t n = 0;

	while (engine->preset->metrics[n])
		n++;
	columns->references = 1;
	columns->preset = xstrdup(engine->preset->name);
	columns->shape = engine->collect->interval.shape;
	columns->metrics = xcalloc(n, sizeof(*columns->metrics));
	event_set_copy(&columns->events, &engine->events);
	for (size_t i = 0; i < n; i++) {
		struct error impossible; /* these very formulas compiled when the engine opened */
		if (metric_compile(metric_def_find(engine->preset->metrics[i]), 0, &columns->events,
				   &columns->metrics[columns->n_metrics], &impossible) == 0)
			columns->n_metrics++;
	}
	return columns;
}

static bool events_changed(const struct engine *engine)
{
	for (size_t i = 0; i < engine->events.n; i++) {
		const struct event *now = &engine->events.items[i];
		const struct event *shown = &engine->columns->events.items[i];
		if (now->state != shown->state || now->group != shown->group)
			return true;
	}
	return false;
}

static void choose_preset(struct engine *engine, const struct preset *preset)
{
	/* Where the kernel refuses for another reason, the collector will explain it. */
	int result = collect_probe_hardware(engine->sys);
	bool no_pmu = result == -ENOENT || result == -EOPNOTSUPP;

	engine->preset = preset ? preset : preset_find(no_pmu ? "software" : "overview");
	if (no_pmu)
		notes_add(&engine->notes, "%s", EXPLAIN_NO_PMU);
	else
		cpus_pmu_name(engine->sys, engine->pmu, sizeof(engine->pmu));
}

/* The collectors from best to worst; what one is refused is told, and the next one tried. */
static int choose_collector(struct engine *engine, const struct engine_config *config,
			    struct error *err)
{
	static int (*const open[])(const struct collect_context *context, struct collect **collect,
				   struct error *err) = {
		collect_system_open,
		collect_proc_open,
	};
	const struct collect_context context = {
		.sys = engine->sys,
		.events = &engine->events,
		.tasks = engine->tasks,
		.notes = &engine->notes,
	};
	int result = -ENODEV;

	for (size_t i = config->proc_only ? 1 : 0; i < ARRAY_SIZE(open); i++) {
		result = open[i](&context, &engine->collect, err);
		if (result == 0)
			return 0;
		notes_add(&engine->notes, "%s", err->text);
	}
	return result;
}

/* What the kernel denies leaves nothing of an overview to show. */
static int fall_back_to_software(struct engine *engine, struct error *err)
{
	engine->collect->ops->free(engine->collect);
	engine->collect = NULL;
	engine->preset = preset_find("software");
	int result = choose_events(engine, err);
	if (result < 0)
		return result;
	return choose_collector(engine, &(struct engine_config){.proc_only = true}, err);
}

static int found_process(void *found, const char *name)
{
	*(bool *)found = proc_pid(name) > 0;
	return *(bool *)found;
}

/* Without it nothing works (libpfm4 looks there too), and nothing says why. */
static int require_proc(const struct sys *sys, struct error *err)
{
	bool found = false;

	sys_dir_each(sys, "/proc", found_process, &found);
	return found ? 0
		     : error_set(err, -ENOENT,
				 "/proc is empty. Mount it: "
				 "mount -t proc proc /proc");
}

static void read_host(const struct sys *sys, char *host, size_t size)
{
	if (sys_file_read(sys, "/proc/sys/kernel/hostname", host, size) < 0)
		host[0] = '\0';
	host[strcspn(host, "\n")] = '\0';
}

int engine_new(const struct sys *sys, const struct engine_config *config, struct engine **out,
	       struct error *err)
{
	struct engine *engine = xcalloc(1, sizeof(*engine));
	int result;

	engine->sys = sys;
	pmu_set_read(sys, &engine->pmus);
	engine->names = (struct event_context){.sys = sys, .pmus = &engine->pmus};
	read_host(sys, engine->host, sizeof(engine->host));
	result = require_proc(sys, err);
	if (result < 0)
		goto fail;
	choose_preset(engine, config->preset);
	result = choose_events(engine, err);
	if (result < 0)
		goto fail;
	engine->tasks = tasks_new(sys);
	engine->users = users_new(sys);
	result = choose_collector(engine, config, err);
	if (result < 0)
		goto fail;
	if (!strcmp(engine->collect->ops->mode, "proc")) {
		engine->pmu[0] = '\0';
		if (!config->preset)
			result = fall_back_to_software(engine, err);
		if (result < 0)
			goto fail;
	}
	engine->columns = columns_new(engine);
	engine_wait(engine, sys_now_ns(sys) + SETTLE_NS);
	snapshot_free(engine_snapshot(engine));
	engine->sequence = 0;
	*out = engine;
	return 0;
fail:
	engine_free(engine);
	return result;
}

void engine_free(struct engine *engine)
{
	if (!engine)
		return;
	if (engine->collect)
		engine->collect->ops->free(engine->collect);
	columns_unref(engine->columns);
	event_set_fini(&engine->events);
	pmu_set_fini(&engine->pmus);
	tasks_free(engine->tasks);
	users_free(engine->users);
	notes_fini(&engine->notes);
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

int engine_wait(struct engine *engine, uint64_t deadline_ns)
{
	size_t n = fetch_pollfds(engine);

	for (;;) {
		int ready = sys_wait(engine->sys, engine->pollfds, n, deadline_ns);
		if (ready < 0) /* without the rings: they are drained at the cut */
			n = 0;
		if (ready > 0)
			engine->collect->ops->drain(engine->collect);
		else if (sys_now_ns(engine->sys) >= deadline_ns)
			return 0;
		else if (ready == 0)
			return 1;
		/* A dead event (its CPU went offline) is always "ready": don't ask it again. */
		for (size_t i = 0; i < n; i++)
			if (engine->pollfds[i].revents & (POLLERR | POLLHUP | POLLNVAL))
				engine->pollfds[i].fd = -1;
	}
}

static void fill_row(struct engine *engine, struct task *task, struct row *row)
{
	tasks_look_up(engine->tasks, task);
	*row = (struct row){
		.pid = task->pid > 0 ? task->pid : task->tid,
		.tid = task->tid,
		.ppid = task->ppid,
		.uid = task->uid,
		.start_ns = task->start_ns,
		.threads = 1,
		.flags = (task->exit_ns ? ROW_EXITED : 0u) | (task->kernel ? ROW_KERNEL : 0u) |
			 (task->lost == task->interval ? ROW_LOST : 0u),
	};
	memcpy(row->comm, task->comm, sizeof(row->comm));
	users_name(engine->users, row->uid, row->user, sizeof(row->user));
}

static void fill_threads(struct engine *engine, struct snapshot *snapshot)
{
	const struct interval *interval = &engine->collect->interval;
	size_t width = tally_width(&interval->shape);

	rows_init(snapshot->columns, interval->n_ran, &snapshot->threads);
	for (size_t i = 0; i < interval->n_ran; i++)
		fill_row(engine, interval->ran[i], &snapshot->threads.items[i]);
	if (interval->n_ran > 0)
		memcpy(snapshot->threads.tallies, interval->tallies,
		       interval->n_ran * width * sizeof(uint64_t));
	rows_evaluate(snapshot->columns, snapshot->interval_ns, &snapshot->threads);
}

/* What an interval's ns are of a tally: a CPU's part of it ends at that CPU's own last record. */
static uint64_t own_interval_ns(const struct snapshot *snapshot, const uint64_t *tally, size_t cpus)
{
	uint64_t own_ns = cpus ? tally[TALLY_TASK_CLOCK] / cpus : 0;

	return own_ns ? own_ns : snapshot->interval_ns;
}

static void fill_cpu(const struct interval *interval, size_t index, struct snapshot *snapshot)
{
	const struct columns *columns = snapshot->columns;
	size_t bytes = tally_width(&interval->shape) * sizeof(uint64_t);
	struct snapshot_cpu *cpu = &snapshot->cpus[snapshot->n_cpus++];

	cpu->cpu = interval->cpu_numbers[index];
	if (!interval->cpu_counted[index])
		return;
	cpu->tally = memcpy(xmalloc(bytes), interval_cpu(interval, index), bytes);
	cpu->idle = memcpy(xmalloc(bytes), interval_idle(interval, index), bytes);
	cpu->figures = xcalloc(columns->n_metrics, sizeof(struct figure));
	snapshot_evaluate_busy(columns, own_interval_ns(snapshot, cpu->tally, 1), cpu->tally,
			       cpu->idle, cpu->figures);
}

static void fill_cpus(const struct engine *engine, struct snapshot *snapshot)
{
	const struct interval *interval = &engine->collect->interval;
	size_t width = tally_width(&interval->shape), bytes = width * sizeof(uint64_t);
	size_t counted = 0;

	snapshot->cpus = xcalloc(interval->n_cpus, sizeof(*snapshot->cpus));
	snapshot->totals = memcpy(xmalloc(bytes), interval->totals, bytes);
	snapshot->idle = xcalloc(width, sizeof(uint64_t));
	snapshot->unattributed = memcpy(xmalloc(bytes), interval->unattributed, bytes);
	snapshot->figures = xcalloc(snapshot->columns->n_metrics, sizeof(struct figure));
	for (size_t i = 0; i < interval->n_cpus; i++) {
		tally_add(&interval->shape, snapshot->idle, interval_idle(interval, i));
		counted += interval->cpu_counted[i];
		if (interval->cpu_online[i] || interval->cpu_counted[i])
			fill_cpu(interval, i, snapshot);
	}
	snapshot_evaluate_busy(snapshot->columns,
			       own_interval_ns(snapshot, snapshot->totals, counted),
			       snapshot->totals, snapshot->idle, snapshot->figures);
}

static void fill_notes(const struct engine *engine, struct snapshot *snapshot)
{
	snapshot->notes = xcalloc(engine->notes.n, sizeof(char *));
	for (size_t i = 0; i < engine->notes.n; i++)
		snapshot->notes[snapshot->n_notes++] = xstrdup(engine->notes.items[i]);
}

struct snapshot *engine_snapshot(struct engine *engine)
{
	struct collect *collect = engine->collect;
	uint64_t begin_ns = engine->cut_ns;

	collect->ops->cut(collect);
	if (collect->interval.lost_records > 0)
		notes_add_urgent(&engine->notes,
				 "Records were lost in a storm of context switches: what ran "
				 "meanwhile is unattributed, and ? marks what it touched.");
	engine->cut_ns = sys_now_ns(engine->sys);
	if (events_changed(engine)) {
		columns_unref(engine->columns);
		engine->columns = columns_new(engine);
	}

	struct snapshot *snapshot = xcalloc(1, sizeof(*snapshot));
	snapshot->columns = columns_ref(engine->columns);
	snapshot->sequence = ++engine->sequence;
	snapshot->time_ns = engine->cut_ns;
	snapshot->realtime_ns = sys_realtime_ns(engine->sys);
	snapshot->interval_ns = engine->cut_ns - begin_ns;
	snapshot->mode = collect->ops->mode;
	snapshot->lost_records = collect->interval.lost_records;
	snapshot->tasks = proc_threads(engine->sys);
	memcpy(snapshot->host, engine->host, sizeof(snapshot->host));
	memcpy(snapshot->pmu, engine->pmu, sizeof(snapshot->pmu));
	fill_threads(engine, snapshot);
	fill_cpus(engine, snapshot);
	fill_notes(engine, snapshot);

	interval_reset(&collect->interval);
	tasks_forget(engine->tasks, begin_ns);
	tasks_maintain(engine->tasks, MAINTAIN_NS);
	return snapshot;
}
