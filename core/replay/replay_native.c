// SPDX-License-Identifier: MIT
/*
 * Repeats the calls of the collector to core/attrib, in their order. Native records
 * (core/perfdata/perfdata.h) among the kernel's records describe the calls. So figures are computed
 * again, not read, and are compared with the recorded sums at each cut.
 */
#include "core/replay/replay_native.h"

#include "core/base/util.h"
#include "core/sys/cpus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PMUS_MAX = 4096 };

#define BROKEN "The recording is broken: record %llu is invalid."

static struct replay_native *native_of(struct replay_kind *kind)
{
	return (struct replay_native *)kind;
}

static bool parse_cpus(struct native_words *words, struct cpu_list *cpus)
{
	char *text = native_text(words);
	bool fine = !text[0] || cpu_list_parse(text, cpus) == 0;

	free(text);
	return fine;
}

static int parse_begin(struct replay_native *native, struct native_words *words, struct error *err)
{
	struct replay_state *state = native->state;
	uint64_t version = native_word(words);
	struct cpu_list cpus = {0};

	if (version != PERFDATA_NATIVE_VERSION && version != PERFDATA_NATIVE_VERSION_PLAIN)
		return error_set(err, -EINVAL,
				 "Another version of pmctop made this recording (format %llu; this "
				 "version reads %d and %d). Replay it with that version.",
				 (unsigned long long)version, PERFDATA_NATIVE_VERSION_PLAIN,
				 PERFDATA_NATIVE_VERSION);
	native->raw = version == PERFDATA_NATIVE_VERSION;
	native->begin_ns = native_word(words);
	native_word(words); /* CLOCK_REALTIME: each cut has it too */
	state->cpu.values[CPU_FACT_SLOTS] = native_number(words, UINT8_MAX);
	state->cpu.kinds = (unsigned)native_number(words, UINT32_MAX);
	native->pmus_left = native_number(words, PMUS_MAX);
	state->pmus.n_core = native_number(words, native->pmus_left);
	state->pmus.items = xcalloc(native->pmus_left, sizeof(*state->pmus.items));
	char *mode = native_text(words);
	state->mode = count_mode_parse(mode);
	free(mode);
	native_text_to(words, state->host, sizeof(state->host));
	native_text_to(words, state->pmu, sizeof(state->pmu));
	bool fine = parse_cpus(words, &cpus) && cpus.n > 0 && !words->broken;
	if (fine) {
		replay_state_open(state, cpus.numbers, cpus.n);
		for (size_t i = 0; i < cpus.n; i++)
			native->index_of_cpu[cpus.numbers[i]] = (int)i;
	}
	cpu_list_fini(&cpus);
	return fine ? 0 : error_set(err, -EBADMSG, BROKEN, 1ull);
}

static int parse_pmu(struct replay_native *native, struct native_words *words)
{
	struct pmu_set *pmus = &native->state->pmus;

	if (native->pmus_left == 0)
		return -EBADMSG;
	native->pmus_left--;
	struct pmu *pmu = &pmus->items[pmus->n++];
	pmu->type = (uint32_t)native_number(words, UINT32_MAX);
	pmu->kind = (enum pmu_kind)native_number(words, PMU_OTHER);
	native_text_to(words, pmu->name, sizeof(pmu->name));
	return parse_cpus(words, &pmu->cpus) && !words->broken ? 0 : -EBADMSG;
}

/* Facts that a later pmctop has added are skipped. */
static int parse_cpu_facts(struct replay_native *native, struct native_words *words)
{
	uint64_t n = native_word(words);

	for (uint64_t i = 0; i < n && !words->broken; i++) {
		uint64_t value = native_word(words);
		if (i < CPU_FACTS)
			native->state->cpu.values[i] = value;
	}
	return words->broken ? -EBADMSG : 0;
}

/* Records that change counts: before the cut, or in the next interval. */
static bool is_counting(enum native_kind kind)
{
	return kind == NATIVE_OPEN || kind == NATIVE_CLOSE || kind == NATIVE_PAUSE ||
	       kind == NATIVE_RESUME || kind == NATIVE_AHEAD || kind == NATIVE_GONE;
}

static int parse_native(struct replay_native *native, const struct perf_event_header *header)
{
	struct native_words words;
	uint64_t kind;

	if (!native_open(header, &kind, &words))
		return 0; /* of an old perf */
	if (kind >= NATIVE_KINDS)
		return 0; /* of a later pmctop */
	if (native->cut && is_counting((enum native_kind)kind))
		return -EBADMSG;
	switch ((enum native_kind)kind) {
	case NATIVE_PLAN:
		return native_parse_plan(native, &words);
	case NATIVE_EVENT:
		return native_parse_event(native, &words);
	case NATIVE_GROUP:
		return native_parse_group(native, &words);
	case NATIVE_METRIC:
		return native_parse_metric(native, &words);
	case NATIVE_COLUMN:
		return native_parse_column(native, &words);
	case NATIVE_OPEN:
		return native_parse_open(native, &words);
	case NATIVE_CLOSE:
		return native_parse_close(native, &words);
	case NATIVE_PAUSE:
		return native_parse_pause(native, &words);
	case NATIVE_RESUME:
		return native_parse_resume(native, &words);
	case NATIVE_AHEAD:
		return native_parse_ahead(native, &words);
	case NATIVE_GONE:
		return native_parse_gone(native, &words);
	case NATIVE_CUT:
		return native_parse_cut(native, &words);
	case NATIVE_TALLY:
		return native_parse_tally(native, &words);
	case NATIVE_TASK:
		return native_parse_task(native, &words);
	case NATIVE_BEFORE:
		return native_parse_before(native, &words);
	case NATIVE_NOTES:
		return native_parse_notes(native, &words);
	case NATIVE_MACHINE:
		return native_parse_machine(native, &words);
	case NATIVE_FACTS:
		return native_parse_facts(native, &words);
	case NATIVE_CODE_EVENTS:
		return native_parse_code_events(native, &words);
	case NATIVE_CODE_FUNCTIONS:
		return native_parse_code_functions(native, &words);
	case NATIVE_CODE_STACKS:
		return native_parse_code_stacks(native, &words);
	case NATIVE_PMU:
		return parse_pmu(native, &words);
	case NATIVE_CPU_FACTS:
		return parse_cpu_facts(native, &words);
	case NATIVE_TARGET:
		return native_parse_target(native, &words);
	case NATIVE_ROWS:
		return native_parse_rows(native, &words);
	case NATIVE_END:
		native->ended = true;
		return 0;
	case NATIVE_BEGIN:
	case NATIVE_ROOM:
	case NATIVE_KINDS:
		break;
	}
	return -EBADMSG;
}

static int parse_record(struct replay_native *native, const struct perf_event_header *header,
			struct error *err)
{
	int result = 0;

	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		result = native->cut ? -EBADMSG : native_parse_sample(native, header);
		break;
	case PERFDATA_NATIVE:
		result = parse_native(native, header);
		break;
	case PERFDATA_ROUND:
		if (native->cut)
			native_end_cut(native);
		break;
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_SWITCH_CPU_WIDE:
	case PERF_RECORD_LOST:
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		result = native_parse_kernel(native, header);
		break;
	}
	if (result == 0)
		return 0;
	return error_set(err, result, BROKEN, (unsigned long long)native->state->records);
}

static void native_free(struct replay_kind *kind)
{
	struct replay_native *native = native_of(kind);

	native_plan_fini(&native->plan);
	native_free_code(native);
	for (size_t i = 0; i < ARRAY_SIZE(native->listed); i++)
		free(native->listed[i].items);
	free(native->still);
	free(native->roots);
	hash_table_fini(&native->ids);
	free(native->index_of_cpu);
	free(native->reading);
	free(native->apart);
	free(native->found);
	free(native->found_counted);
	free(native);
}

static int native_open_kind(struct replay_state *state, const struct perf_event_header *record,
			    struct replay_kind **kind, struct error *err)
{
	struct replay_native *native = xcalloc(1, sizeof(*native));
	struct native_words words;
	uint64_t number;

	native->base = (struct replay_kind){&replay_native_ops, state};
	native->state = state;
	native->index_of_cpu = xreallocarray(NULL, CPUS_MAX, sizeof(int));
	for (size_t i = 0; i < CPUS_MAX; i++)
		native->index_of_cpu[i] = -1;
	hash_table_init(&native->ids, 0);
	native_open(record, &number, &words);
	*kind = &native->base;
	return parse_begin(native, &words, err);
}

static int report_cut_off(const struct replay_native *native, struct error *err)
{
	return error_set(err, -ENODATA,
			 "The recording is cut off after %llu complete interval%s: the file was "
			 "truncated, or pmctop was killed or still records.",
			 (unsigned long long)native->n_complete,
			 native->n_complete == 1 ? "" : "s");
}

/* Reads and applies the next record. Results as replay_state_read, but 0 only at NATIVE_END. */
static int read_record(struct replay_native *native, struct error *err)
{
	const struct perf_event_header *header;
	int result = native->ended ? 0 : replay_state_read(native->state, &header, err);

	if ((result == 0 && !native->ended) || result == -ENODATA)
		return report_cut_off(native, err);
	if (result <= 0)
		return result;
	result = parse_record(native, header, err);
	if (result < 0)
		return result;
	if (native->plan.plan && header->type == PERFDATA_NATIVE)
		result = native_end_plan(native, err);
	return result < 0 ? result : 1;
}

static int native_begin(struct replay_kind **kind, struct error *err)
{
	struct replay_native *native = native_of(*kind);
	int result = 1;

	while (!native->state->columns && result > 0)
		result = read_record(native, err);
	return result > 0 ? 0
	       : result   ? result
			  : error_set(err, -ENODATA, "The recording is empty.");
}

static void begin_interval(struct replay_native *native)
{
	struct replay_state *state = native->state;

	interval_reset(&state->interval);
	tasks_free_exited(state->tasks, native->begin_ns);
	native->begin_ns = state->time_ns;
	native->complete = false;
}

static int native_advance(struct replay_kind *kind, struct error *err)
{
	struct replay_native *native = native_of(kind);
	int result = native->broken;

	if (native->complete)
		begin_interval(native);
	if (result < 0) {
		*err = native->error;
		return result;
	}
	do
		result = read_record(native, err);
	while (result > 0 && !native->complete);
	if (result < 0 && result != -EAGAIN) {
		native->broken = result;
		native->error = *err;
	}
	return result;
}

const struct replay_kind_ops replay_native_ops = {
	.open = native_open_kind,
	.begin = native_begin,
	.advance = native_advance,
	.free = native_free,
};
