// SPDX-License-Identifier: MIT
/*
 * The resolver has helper processes that end with the thread that made it. So it is made on the
 * thread that runs the intervals, which need not be the thread that opened the engine: until the
 * intervals before the first are over, samples are dropped.
 */
#include "core/engine/engine_code.h"

#include "core/base/util.h"
#include "core/perf/perf_open_error.h"
#include "core/perfdata/recorder_code.h"

#include <stdlib.h>
#include <string.h>

/*
 * The time to find names: 1/20 of the interval, within these limits. It is used up only if the
 * helper processes do not answer, for example because they wait for a CPU. The first time it is
 * longer: /proc/kallsyms is read, the processes start, and the user waits for names, after an
 * interval that may be short.
 */
enum { RESOLVE_SHARE = 20, HZ_MOST = 10000, STRANGERS_MAX = 4096 };
#define RESOLVE_LEAST_NS (5 * NS_PER_MS)
#define RESOLVE_MOST_NS  (100 * NS_PER_MS)
#define RESOLVE_FIRST_NS (300 * NS_PER_MS)

static void record_mapping(void *user, pid_t pid, const struct code_mapping *mapping)
{
	const struct engine_code *code = user;

	if (code->recorder)
		recorder_code_mapping(code->recorder, pid, mapping);
}

static struct code_resolver *find_resolver(struct engine_code *code)
{
	const struct code_names_config config = {.sys = code->sys};

	if (!code->lanes)
		code->lanes = code_lanes_new(&(struct code_lanes_config){.sys = code->sys});
	if (!code->resolver) {
		code->resolver = code_resolver_new(&config, code->lanes);
		code_resolver_watch(code->resolver, record_mapping, code);
	}
	return code->resolver;
}

/* Keeps a sample of a task of the target, drops samples of other tasks. */
static void keep_known(struct engine_code *code, struct task *task,
		       const struct code_sample *sample)
{
	if (!target_is_all(code->target) && (!task || !target_has(code->target, code->tasks, task)))
		return;
	code_resolver_sample(find_resolver(code), sample);
	if (code->recorder)
		recorder_code_sample(code->recorder, sample);
}

static void hold_stranger(struct engine_code *code, const struct code_sample *sample)
{
	size_t bytes = sample->n_chain * sizeof(*sample->chain);

	if (code->n_strangers == STRANGERS_MAX) {
		code_resolver_lost(find_resolver(code), 1);
		return;
	}
	uint64_t *chain = bytes > 0 ? xmalloc(bytes) : NULL;
	if (chain)
		memcpy(chain, sample->chain, bytes);
	code->strangers = array_reserve(code->strangers, &code->strangers_capacity,
					code->n_strangers + 1, sizeof(*code->strangers));
	code->strangers[code->n_strangers] = *sample;
	code->strangers[code->n_strangers++].chain = chain;
}

static void drop_strangers(struct engine_code *code)
{
	for (size_t i = 0; i < code->n_strangers; i++)
		free((void *)(uintptr_t)code->strangers[i].chain);
	code->n_strangers = 0;
}

/* All records of the interval were read. */
static void keep_strangers(struct engine_code *code)
{
	for (size_t i = 0; i < code->n_strangers; i++) {
		const struct code_sample *sample = &code->strangers[i];

		keep_known(code, tasks_find(code->tasks, sample->tid, sample->time_ns), sample);
	}
	drop_strangers(code);
}

/* Samples of a task may be read before the record of its start, which another CPU has. */
static void keep_sample(void *user, const struct code_sample *sample)
{
	struct engine_code *code = user;

	/* Idle, outside of the pid namespace, or without a number. */
	if (!code->passes || sample->pid <= 0 || sample->tid <= 0)
		return;
	bool all = target_is_all(code->target);
	struct task *task = all ? NULL : tasks_find(code->tasks, sample->tid, sample->time_ns);
	if (all || task)
		keep_known(code, task, sample);
	else
		hold_stranger(code, sample);
}

static void apply_record(void *user, const struct code_record *record)
{
	struct engine_code *code = user;

	if (!code->passes)
		return;
	if (code->recorder)
		recorder_code_record(code->recorder, record);
	code_record_apply(record, code_resolver_names(find_resolver(code)));
}

static void add_lost(void *user, uint64_t samples)
{
	struct engine_code *code = user;

	if (code->passes)
		code_resolver_lost(find_resolver(code), samples);
}

void engine_code_init(struct engine_code *code, const struct sys *sys, const struct target *target,
		      struct tasks *tasks, struct notes *notes)
{
	*code = (struct engine_code){
		.sys = sys,
		.target = target,
		.tasks = tasks,
		.notes = notes,
		.request.sink = {keep_sample, apply_record, add_lost, code},
	};
}

static void drop_resolver(struct engine_code *code)
{
	drop_strangers(code);
	code_resolver_free(code->resolver);
	code->resolver = NULL;
	if (code->lanes)
		code_lanes_stop(code->lanes);
	code->has_cut = false;
}

void engine_code_fini(struct engine_code *code)
{
	drop_resolver(code);
	code_lanes_free(code->lanes);
	code->lanes = NULL;
	free(code->strangers);
	code->strangers = NULL;
}

/* Nothing can be sampled. */
static void note_denied(const struct engine_code *code)
{
	struct perf_access access;
	struct error why;

	perf_access_probe(code->sys, &access);
	perf_open_error_access(code->sys, &access, &why);
	notes_add_urgent_as(code->notes, NOTE_CODE_NAMES, "Functions: %s", why.text);
}

const struct code_request *engine_code_request(struct engine_code *code, enum count_mode mode,
					       unsigned hz)
{
	code->request.hz = hz < HZ_MOST ? hz : HZ_MOST;
	notes_remove(code->notes, NOTE_CODE_NAMES);
	if (hz == 0)
		drop_resolver(code);
	else if (mode == COUNT_MODE_PROC)
		note_denied(code);
	return hz > 0 ? &code->request : NULL;
}

void engine_code_record(struct engine_code *code, struct recorder *recorder)
{
	code->recorder = recorder;
}

static uint64_t task_start(void *arg, pid_t tid, uint64_t time_ns)
{
	const struct engine_code *code = arg;
	const struct task *task = tasks_find(code->tasks, tid, time_ns);

	return task ? task->start_ns : 0;
}

static void note_names(const struct engine_code *code)
{
	const char *why = code_resolver_note(code->resolver);

	notes_remove(code->notes, NOTE_CODE_NAMES);
	if (why)
		notes_add_as(code->notes, NOTE_CODE_NAMES, "%s", why);
}

static uint64_t resolve_budget_ns(const struct engine_code *code, uint64_t interval_ns)
{
	uint64_t ns = interval_ns / RESOLVE_SHARE;

	if (!code->has_cut)
		return RESOLVE_FIRST_NS;
	return ns < RESOLVE_LEAST_NS  ? RESOLVE_LEAST_NS
	       : ns > RESOLVE_MOST_NS ? RESOLVE_MOST_NS
				      : ns;
}

struct code_profile *engine_code_cut(struct engine_code *code, const struct collect *collect,
				     uint64_t interval_ns, uint64_t *cost_ns)
{
	*cost_ns = 0;
	if (!code->passes || code->request.hz == 0 || collect->n_code_events == 0)
		return NULL;
	uint64_t begin_ns = sys_cpu_ns(code->sys, false);
	keep_strangers(code);
	struct code_profile *profile = code_resolver_cut(
		find_resolver(code), collect->code_events, collect->n_code_events, task_start, code,
		sys_now_ns(code->sys) + resolve_budget_ns(code, interval_ns));
	code->has_cut = true;
	note_names(code);
	*cost_ns = u64_growth(begin_ns, sys_cpu_ns(code->sys, false));
	return profile;
}
