// SPDX-License-Identifier: MIT
/*
 * The way to count is the best that the kernel grants: counters of whole CPUs, counters of the
 * user's own threads, or /proc alone. Each refusal is noted with its remedy. One to three short
 * intervals before the first show what the kernel does not report when a group is opened: counters
 * that another program holds, and switches without a record.
 */
#include "core/engine/engine_internal.h"

#include "core/base/util.h"
#include "core/event/event_table_cache.h"
#include "core/perf/perf_open_error.h"
#include "core/sys/cpus.h"
#include "core/sys/own_container.h"
#include "core/sys/proc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SETTLE_NS (60 * NS_PER_MS)
/* The same for a user who waits for the first rows. */
#define GLIMPSE_NS    (20 * NS_PER_MS)
#define FIND_USERS_NS (2 * NS_PER_S) /* for users of a target, from a name service */
enum { SETTLE_MAX = 3 };

/* Without a named preset, chooses one that this machine can count. */
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

/* Opens whole CPUs. -errno and a sentence if the kernel does not grant them. */
static int open_system(struct engine *engine, const struct collect_context *context,
		       struct error *err)
{
	if (engine->access.level < PERF_ACCESS_SYSTEM) {
		perf_open_error_access(engine->sys, &engine->access, err);
		return -EACCES;
	}
	return collect_system_open(context, &engine->collect, err);
}

/* Selects the columns; the way to count decides their levels. -EINVAL if they make no sense. */
static int choose_names(struct engine *engine, bool per_task, struct error *err)
{
	engine_choose_levels(engine, per_task);
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

/* Whether the processes of -p may run on an uncounted CPU. */
static bool misses_roots(const struct engine *engine)
{
	return engine->collect->interval.uncounted && target_has_roots(engine->target) &&
	       !target_cpus(engine->target) && !engine->config.recorder;
}

static void close_collector(struct engine *engine)
{
	engine->collect->ops->free(engine->collect);
	engine->collect = NULL;
}

/* Opens whole CPUs if the kernel grants them, else tasks. Notes a refusal. */
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
		/* The processes are another user's. */
		result = choose_names(engine, false, err);
		return result < 0 ? result : open_system(engine, &context, err);
	}
	if (target_cpus(engine->target)) {
		struct error why = *err;
		return error_set(err, result, "-C counts whole CPUs. %s", why.text);
	}
	/*
	 * With -p for own processes nothing is missing. The note is urgent, since the user can
	 * likely apply its remedy.
	 */
	if (!target_has_roots(engine->target) || engine->access.level == PERF_ACCESS_NONE)
		notes_add_urgent(&engine->notes, "%s", err->text);
	return open_tasks(engine, &context, err);
}

/* Without /proc nothing works, libpfm4 neither, and no later error names the cause. */
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
 * Runs short intervals until the plan stays, SETTLE_MAX at most. The snapshot of the last one is
 * the glimpse, if the caller requests one.
 */
static void settle_plan(struct engine *engine)
{
	const struct plan *before;
	struct snapshot *last = NULL;
	uint64_t length_ns = engine->config.glimpse ? GLIMPSE_NS : SETTLE_NS;
	unsigned settled = 0;

	engine->cut_ns = sys_now_ns(engine->sys);
	do {
		before = engine->collect->plan;
		engine_wait(engine, sys_now_ns(engine->sys) + length_ns);
		snapshot_free(last);
		last = engine_snapshot(engine);
	} while (++settled < SETTLE_MAX && engine->collect->plan != before);
	engine->sequence = last->sequence = 0;
	if (engine->config.glimpse)
		*engine->config.glimpse = last;
	else
		snapshot_free(last);
	self_cost_begin(&engine->self_cost, engine->sys, engine->cut_ns);
	engine->settled = engine->code.passes = true;
}

/* Users of a target that are not in /etc/passwd: it waits for their numbers. */
static int find_users(struct engine *engine, const char *list, struct error *err)
{
	uint64_t deadline_ns = monotonic_ns() + FIND_USERS_NS;
	int result = 0;
	uid_t uid;

	while (list && result != -ETIMEDOUT) {
		size_t length = strcspn(list, ",");
		char *name = xstrndup(list, length);

		if (users_find(engine->users, name, &uid) < 0)
			result = user_client_find(&engine->user_names, engine->users, name,
						  deadline_ns);
		if (result == -ETIMEDOUT)
			error_set(err, -EINVAL,
				  "User '%.40s': the name service (getent) has not answered in %u "
				  "s. Give the number (uid).",
				  name, (unsigned)(FIND_USERS_NS / NS_PER_S));
		free(name);
		list = list[length] ? list + length + 1 : NULL;
	}
	return result == -ETIMEDOUT ? -EINVAL : 0;
}

int engine_new(const struct sys *sys, const struct engine_config *config, struct engine **out,
	       struct error *err)
{
	struct engine *engine = xcalloc(1, sizeof(*engine));
	int result;

	engine->sys = sys;
	engine->facts.sys = engine->cgroups.sys = sys;
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
	engine->user_names.getent = config->getent;
	result = find_users(engine, config->target.user, err);
	if (result < 0)
		goto fail;
	result = target_new(sys, engine->users, &config->target, &engine->target, err);
	if (result < 0)
		goto fail;
	pmu_set_read(sys, &engine->pmus);
	cpu_facts_init(&engine->cpu, sys, &engine->pmus);
	engine->names = (struct event_context){
		.sys = sys,
		.pmus = &engine->pmus,
		.cpu = &engine->cpu,
		.tables = event_table_cache_new(sys),
	};
	event_table_cache_set(engine->names.tables, &config->tables, NULL);
	perf_access_probe(sys, &engine->access);
	engine_notes_init(&engine->causes, sys, &engine->notes);
	choose_preset(engine);
	engine_notes_machine(&engine->causes, engine->target);
	engine->in_pid_namespace = own_container_read_pid_namespace(sys) == NAMESPACE_OWN;
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
	engine_renew_columns(engine);
	notes_add_all(&engine->notes, event_table_cache_notes(engine->names.tables));
	engine_list_idle_threads(engine);
	engine_notes_begin(&engine->causes);
	machine_reader_init(&engine->machine, sys);
	engine_code_init(&engine->code, sys, engine->target, engine->tasks, &engine->notes);
	if (config->code_hz > 0)
		engine->next.code =
			engine_code_request(&engine->code, engine->collect->mode, config->code_hz);
	if (config->notes)
		notes_add_all(&engine->notes, config->notes);
	settle_plan(engine);
	engine->record.recorder = config->recorder;
	engine->record.failed = config->recording;
	engine->record.unwritten = config->unwritten;
	engine_continue_recording(engine);
	*out = engine;
	return 0;
fail:
	recorder_free(config->recorder);
	engine_free(engine);
	return result;
}
