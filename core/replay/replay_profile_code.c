// SPDX-License-Identifier: MIT
/* The functions of a profile. Names come from files of this machine only by their build ids. */
#include "core/replay/replay_profile.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/code/mapped_file.h"
#include "core/perfdata/simpleperf_symbols.h"

#include <stdlib.h>
#include <string.h>

/* Time in which names of an interval are found. A profile may need many large files. */
#define NAMES_NS (10 * NS_PER_S)
/* From this part of samples without names on a line says what to do. */
#define UNNAMED_NOTED 0.1
enum { MODULE_SHOWN = 40 };

static const char *find_recorded(void *ctx, const char *path, uint64_t offset)
{
	struct simpleperf_symbols *symbols = perfdata_reader_symbols(ctx);
	const struct simpleperf_place place = {.path = path, .address = offset};
	struct simpleperf_symbol symbol;

	return symbols && simpleperf_symbols_find(symbols, &place, &symbol) ? symbol.name : NULL;
}

void replay_profile_open_code(struct replay_profile *profile)
{
	const struct replay_state *state = profile->kind.state;
	const struct code_names_config config = {
		.sys = state->here,
		.recording = true,
		.symfs = state->symfs,
		.build_id_cache = state->build_id_cache,
		.release = profile->facts.release,
		.recorded = {find_recorded, state->reader},
	};

	if (!state->no_functions)
		profile->resolver = code_resolver_new(&config, NULL);
}

/* The build id of a file that its record does not have. */
static void complete_record(struct replay_profile *profile, struct code_record *record)
{
	const char *name = record->mmap.mapping.name;
	const struct code_build_id *id;

	if (record->kind != CODE_RECORD_MMAP || record->mmap.build_id.size > 0)
		return;
	/* The name of the kernel's record has a symbol behind it. */
	if (strncmp(name, CODE_FILE_KERNEL, strlen(CODE_FILE_KERNEL)) == 0)
		name = CODE_FILE_KERNEL;
	id = perfdata_build_ids_find(&profile->build_ids, name, record->pid);
	if (id)
		record->mmap.build_id = *id;
}

void replay_profile_code_record(struct replay_profile *profile, const struct code_record *record)
{
	struct code_record complete = *record;

	if (!profile->resolver)
		return;
	complete_record(profile, &complete);
	code_record_apply(&complete, code_resolver_names(profile->resolver));
}

static uint64_t task_start(void *arg, pid_t tid, uint64_t time_ns)
{
	const struct replay_profile *profile = arg;
	const struct task *task = tasks_find(profile->kind.state->tasks, tid, time_ns);

	return task ? task->start_ns : 0;
}

/* Makes functions of the samples so far. */
static void gather_code(struct replay_profile *profile)
{
	code_resolver_gather(profile->resolver, profile->sampled, profile->n_sampled, task_start,
			     profile, u64_sum(sys_now_ns(profile->kind.state->here), NAMES_NS));
}

void replay_profile_code_sample(struct replay_profile *profile, uint32_t event, uint64_t weight)
{
	const struct perfdata_sample *sample = &profile->sample;
	unsigned mode = sample->misc & PERF_RECORD_MISC_CPUMODE_MASK;

	if (!profile->resolver)
		return;
	if (code_resolver_is_full(profile->resolver))
		gather_code(profile);
	code_resolver_sample(
		profile->resolver,
		&(struct code_sample){
			.pid = sample->pid,
			.tid = sample->tid,
			.cpu = sample->has & PERF_SAMPLE_CPU ? sample->cpu : UINT32_MAX,
			.time_ns = profile->last_ns,
			.event = event,
			.weight = weight,
			.ip = sample->ip,
			.kernel = mode == PERF_RECORD_MISC_KERNEL,
			.chain = sample->chain,
			.n_chain = sample->n_chain,
			.cookie = sample->cookie,
		});
}

void replay_profile_code_callers(struct replay_profile *profile)
{
	const struct perfdata_sample *callers = &profile->sample;

	if (profile->resolver && callers->cookie)
		code_resolver_complete(profile->resolver, &(struct code_sample){
								  .tid = callers->tid,
								  .kernel = true,
								  .chain = callers->chain,
								  .n_chain = callers->n_chain,
								  .cookie = callers->cookie,
							  });
}

void replay_profile_drop_code(struct replay_profile *profile)
{
	if (profile->resolver)
		code_resolver_drop(profile->resolver);
}

/* Samples without a function. */
struct unnamed {
	uint64_t all; /* with a function, too */
	uint64_t of_files, compiled;
	const char *module; /* of the file with most of them; NULL: none */
};

static bool is_compiled(const struct code_function *function)
{
	return function->why && strcmp(function->why, CODE_WHY_COMPILED) == 0;
}

static void count_unnamed(const struct code_profile *code, struct unnamed *unnamed)
{
	uint64_t *samples = xcalloc(code->n_functions, sizeof(*samples)), most = 0;

	*unnamed = (struct unnamed){.all = 0};
	for (size_t i = 0; i < code->n_entries; i++) {
		const struct code_entry *entry = &code->entries[i];

		samples[code->frames[entry->frame]] += entry->samples;
		unnamed->all += entry->samples;
	}
	for (size_t i = 0; i < code->n_functions; i++) {
		const struct code_function *function = &code->functions[i];

		if (function->kind != CODE_UNNAMED || !function->module[0])
			continue;
		if (is_compiled(function))
			unnamed->compiled += samples[i];
		if (is_compiled(function) || function->module[0] == '[')
			continue;
		unnamed->of_files += samples[i];
		if (samples[i] <= most)
			continue;
		unnamed->module = function->module;
		most = samples[i];
	}
	free(samples);
}

/* In percent; 0: too few to have a line. */
static double noted_percent(uint64_t samples, uint64_t all)
{
	double share = all > 0 ? (double)samples / (double)all : 0;

	return share >= UNNAMED_NOTED ? 100 * share : 0;
}

static void note_unnamed(const struct code_profile *code, struct notes *notes)
{
	struct unnamed unnamed;
	char name[4 * MODULE_SHOWN];

	count_unnamed(code, &unnamed);
	double of_files = noted_percent(unnamed.of_files, unnamed.all);
	double compiled = noted_percent(unnamed.compiled, unnamed.all);
	if (of_files > 0 && unnamed.module) {
		text_printable(name, sizeof(name), unnamed.module, MODULE_SHOWN);
		notes_add_as(notes, NOTE_CODE_NAMES,
			     "%.0f %% of the samples have no function: %s ... are not here, or "
			     "have no symbols. Copy them to DIR (perf archive): --symfs DIR",
			     of_files, name);
	}
	if (compiled > 0)
		notes_add_as(notes, NOTE_CODE_NAMES,
			     "%.0f %% of samples are in JIT code without names. With jitdump: perf "
			     "inject --jit -i FILE -o NEW. Else: --symfs DIR, DIR/tmp/perf-PID.map",
			     compiled);
}

static void note_names(struct replay_profile *profile)
{
	const struct replay_state *state = profile->kind.state;
	struct notes *notes = &profile->kind.state->notes;
	const char *why = code_resolver_note(profile->resolver);
	const char *kernel = code_names_kernel_note(code_resolver_names(profile->resolver));

	notes_remove(notes, NOTE_CODE_NAMES);
	if (state->code)
		note_unnamed(state->code, notes);
	if (why)
		notes_add_as(notes, NOTE_CODE_NAMES, "%s", why);
	if (kernel)
		notes_add_as(notes, NOTE_CODE_NAMES, "%s", kernel);
}

void replay_profile_find_functions(struct replay_kind *kind)
{
	struct replay_profile *profile = replay_profile_of(kind);

	if (!profile->resolver)
		return;
	gather_code(profile);
	code_profile_free(kind->state->code);
	kind->state->code = code_resolver_copy(profile->resolver);
	note_names(profile);
}
