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

/* The module of the function without a name that has most samples; NULL: few samples have none. */
static const char *find_unnamed(const struct code_profile *code, double *share)
{
	uint64_t *samples = xcalloc(code->n_functions, sizeof(*samples)), all = 0, unnamed = 0;
	const struct code_function *most = NULL;
	uint64_t of_most = 0;

	for (size_t i = 0; i < code->n_entries; i++) {
		const struct code_entry *entry = &code->entries[i];

		samples[code->frames[entry->frame]] += entry->samples;
		all += entry->samples;
	}
	for (size_t i = 0; i < code->n_functions; i++) {
		const struct code_function *function = &code->functions[i];

		if (function->kind != CODE_UNNAMED || !function->module[0] ||
		    function->module[0] == '[')
			continue;
		unnamed += samples[i];
		if (samples[i] <= of_most)
			continue;
		most = function;
		of_most = samples[i];
	}
	free(samples);
	*share = all ? (double)unnamed / (double)all : 0;
	return most && *share >= UNNAMED_NOTED ? most->module : NULL;
}

static void note_names(struct replay_profile *profile)
{
	const struct replay_state *state = profile->kind.state;
	struct notes *notes = &profile->kind.state->notes;
	const char *why = code_resolver_note(profile->resolver);
	const char *kernel = code_names_kernel_note(code_resolver_names(profile->resolver));
	double share;
	const char *module = state->code ? find_unnamed(state->code, &share) : NULL;
	char name[4 * MODULE_SHOWN];

	notes_remove(notes, NOTE_CODE_NAMES);
	if (module) {
		text_printable(name, sizeof(name), module, MODULE_SHOWN);
		notes_add_as(notes, NOTE_CODE_NAMES,
			     "%.0f %% of the samples have no function: %s ... are not here, or "
			     "have no symbols. Copy them to DIR (perf archive): --symfs DIR",
			     100 * share, name);
	}
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
