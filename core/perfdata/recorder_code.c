// SPDX-License-Identifier: MIT
/*
 * Samples and mappings are appended when they come, so they stand before the cut of their interval.
 * Its profile follows the cut, in pieces: a record has at most 64 KiB.
 */
#include "core/perfdata/recorder_code.h"

#include "core/base/util.h"
#include "core/perfdata/perfdata_code.h"
#include "core/perfdata/recorder_internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
	KEPT_MAX = 1 << 16, /* mappings; when there are more, all are recorded again */
	FUNCTIONS_EACH = 64,
	FUNCTION_NAME_MAX = 400, /* so that as many fit in a record */
	FUNCTION_WHY_MAX = 100,
	STACKS_EACH = 64, /* of CODE_RESOLVER_FRAMES at most */
	DEPTH_MAX = 127,
};

static void clear_table(struct hash_table *table)
{
	if (table->slots)
		hash_table_clear(table);
	else
		hash_table_init(table, 0);
}

/* The number of a key, 0 at first. */
static size_t number_of(const struct hash_table *table, uint64_t key)
{
	return hash_table_slot(table, key)->number;
}

static void set_number(struct hash_table *table, uint64_t key, size_t number)
{
	struct hash_slot *slot = hash_table_slot(table, key);

	if (!slot->number)
		slot = hash_table_add(table, key);
	slot->number = number;
}

void recorder_begin_code(struct recorder *recorder)
{
	struct recorded_code *code = &recorder->code;

	code->n_events = code->n = 0;
	code->kernel = false;
	clear_table(&code->lives);
	clear_table(&code->begins);
	clear_table(&code->mappings);
}

void recorder_free_code(struct recorder *recorder)
{
	free(recorder->code.events);
	hash_table_fini(&recorder->code.lives);
	hash_table_fini(&recorder->code.begins);
	hash_table_fini(&recorder->code.mappings);
}

/* Returns the attr of a sampled event: the counted event's, if a member of a group samples. */
static struct perf_event_attr attr_of(const struct recorder *recorder,
				      const struct code_event *event)
{
	const struct columns *columns = recorder->columns;

	if (strcmp(event->name, "cpu-clock") == 0)
		return perfdata_code_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	if (strcmp(event->name, "page-faults") == 0)
		return perfdata_code_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	if (!columns || event->counted >= columns->events.n ||
	    columns->events.items[event->counted].n_codes == 0)
		return perfdata_code_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	const struct perf_event_attr *counted =
		&columns->events.items[event->counted].codes[0].attr;
	struct perf_event_attr attr = perfdata_code_attr(counted->type, counted->config);
	attr.config1 = counted->config1;
	attr.config2 = counted->config2;
	attr.exclude_user = counted->exclude_user;
	attr.exclude_kernel = counted->exclude_kernel;
	attr.exclude_hv = counted->exclude_hv;
	return attr;
}

/* The id of an event in this file, which has an attr for each name. */
static uint64_t id_of_event(struct recorder *recorder, const struct code_event *event)
{
	struct recorded_code *code = &recorder->code;
	char name[sizeof(event->name) + 8];

	for (size_t i = 0; i < code->n_events; i++)
		if (strcmp(code->events[i].name, event->name) == 0)
			return PERFDATA_CODE_ID + i;
	code->events = array_reserve(code->events, &code->capacity, code->n_events + 1,
				     sizeof(*code->events));
	code->events[code->n_events] = *event;
	uint64_t id = PERFDATA_CODE_ID + code->n_events++;
	struct perf_event_attr attr = attr_of(recorder, event);
	perfdata_attr(recorder->data, &attr, &id, 1);
	/* The counts of an event have its name in perf's reports. */
	snprintf(name, sizeof(name), "code:%s", event->name);
	perfdata_name(recorder->data, id, name);
	return id;
}

void recorder_code_events(struct recorder *recorder, const struct code_event *events, size_t n)
{
	struct recorded_code *code = &recorder->code;

	code->n = size_min(n, RECORDER_CODE_EVENTS);
	for (size_t i = 0; i < code->n; i++)
		code->ids[i] = id_of_event(recorder, &events[i]);
}

/* Where the kernel is, before the first sample that may be in it. */
static void put_kernel_once(struct recorder *recorder)
{
	if (!recorder->code.kernel)
		recorder_put_kernel(recorder);
	recorder->code.kernel = true;
}

/* Samples of other CPUs may be older. */
static void note_begin(struct recorded_code *code, const struct code_sample *sample)
{
	size_t before = number_of(&code->begins, (uint64_t)sample->pid);

	if (!before || sample->time_ns < before)
		set_number(&code->begins, (uint64_t)sample->pid, sample->time_ns);
}

void recorder_code_sample(struct recorder *recorder, const struct code_sample *sample)
{
	struct recorded_code *code = &recorder->code;

	if (sample->event >= code->n)
		return;
	put_kernel_once(recorder);
	note_begin(code, sample);
	perfdata_code_sample(recorder->data, code->ids[sample->event], sample);
	recorder_flush_full(recorder);
}

void recorder_code_record(struct recorder *recorder, const struct code_record *record)
{
	struct recorded_code *code = &recorder->code;

	if (code->n == 0)
		return;
	switch (record->kind) {
	case CODE_RECORD_KSYMBOL:
		perfdata_ksymbol(recorder->data, code->ids[0], record);
		break;
	case CODE_RECORD_EXEC:
	case CODE_RECORD_FORK:
	case CODE_RECORD_EXIT:
		if (code->lives.n > KEPT_MAX) {
			clear_table(&code->lives);
			clear_table(&code->mappings);
		}
		set_number(&code->lives, (uint64_t)record->pid,
			   number_of(&code->lives, (uint64_t)record->pid) + 1);
		break;
	case CODE_RECORD_SAMPLE:
	case CODE_RECORD_MMAP: /* recorder_code_mapping(), if it is used */
	case CODE_RECORD_LOST:
	case CODE_RECORD_THROTTLE:
	case CODE_RECORD_OTHER:
		break;
	}
}

static uint64_t hash_mapping(const struct code_mapping *mapping)
{
	const uint64_t words[] = {mapping->start, mapping->end, mapping->offset,
				  mapping->object->dev, mapping->object->inode};
	uint64_t hash = hash_bytes(HASH_BEGIN, words, sizeof(words));

	return hash_bytes(hash, mapping->object->name, strlen(mapping->object->name)) | 1;
}

void recorder_code_mapping(struct recorder *recorder, pid_t pid, const struct code_mapping *mapping)
{
	struct recorded_code *code = &recorder->code;
	uint64_t time_ns = number_of(&code->begins, (uint64_t)pid);
	const uint64_t words[] = {(uint64_t)pid, number_of(&code->lives, (uint64_t)pid),
				  mapping->start};
	uint64_t key = hash_bytes(HASH_BEGIN, words, sizeof(words)), hash = hash_mapping(mapping);

	if (code->n == 0 || !time_ns || number_of(&code->mappings, key) == hash)
		return;
	if (code->mappings.n > KEPT_MAX)
		clear_table(&code->mappings);
	set_number(&code->mappings, key, hash);
	/* perf sorts by time, and these records come after the samples. */
	perfdata_code_mapping(recorder->data, code->ids[0], time_ns - 1, pid, mapping);
	recorder_flush_full(recorder);
}

/* The profile */

static void put_events(struct perfdata *data, const struct code_profile *profile)
{
	perfdata_native_begin(data, NATIVE_CODE_EVENTS);
	perfdata_word(data, profile->lost);
	perfdata_word(data, profile->n_events);
	for (size_t i = 0; i < profile->n_events; i++)
		perfdata_word(data, profile->events[i].counted);
	for (size_t i = 0; i < profile->n_events; i++)
		perfdata_text(data, profile->events[i].name);
	perfdata_native_end(data);
}

static void put_cut_text(struct perfdata *data, const char *text, size_t bytes_max)
{
	char cut[FUNCTION_NAME_MAX];

	text_copy(cut, bytes_max, text);
	perfdata_text(data, cut);
}

static void put_functions(struct perfdata *data, const struct code_function *functions, size_t n)
{
	bool has_why = false;

	for (size_t i = 0; i < n; i++)
		has_why |= functions[i].why != NULL;
	perfdata_native_begin(data, NATIVE_CODE_FUNCTIONS);
	perfdata_word(data, n);
	for (size_t i = 0; i < n; i++)
		perfdata_word(data, functions[i].kind);
	for (size_t i = 0; i < n; i++) {
		put_cut_text(data, functions[i].name, FUNCTION_NAME_MAX);
		put_cut_text(data, functions[i].module, FUNCTION_NAME_MAX);
	}
	for (size_t i = 0; has_why && i < n; i++)
		put_cut_text(data, functions[i].why ? functions[i].why : "", FUNCTION_WHY_MAX);
	perfdata_native_end(data);
}

static void put_entry(struct perfdata *data, const struct code_profile *profile,
		      const struct code_entry *entry)
{
	const struct code_task *task = &profile->tasks[entry->task];
	const uint32_t *frames = profile->frames + entry->frame;
	uint32_t depth = entry->depth < DEPTH_MAX ? entry->depth : DEPTH_MAX;

	perfdata_word(data, (uint64_t)(uint32_t)task->tid << 32 | (uint32_t)task->pid);
	perfdata_word(data, task->start_ns);
	perfdata_word(data, entry->event);
	perfdata_word(data, (uint64_t)(int64_t)entry->cpu);
	perfdata_word(data, entry->samples);
	perfdata_word(data, entry->weight);
	perfdata_double(data, entry->squares);
	perfdata_word(data, depth);
	for (uint32_t i = 0; i < depth; i += 2)
		perfdata_word(data,
			      (uint64_t)(i + 1 < depth ? frames[i + 1] : 0) << 32 | frames[i]);
}

static void put_entries(struct perfdata *data, const struct code_profile *profile, size_t first,
			size_t n)
{
	perfdata_native_begin(data, NATIVE_CODE_STACKS);
	perfdata_word(data, n);
	for (size_t i = first; i < first + n; i++)
		put_entry(data, profile, &profile->entries[i]);
	perfdata_native_end(data);
}

void recorder_cut_code(struct recorder *recorder, const struct code_profile *profile)
{
	if (recorder->code.begins.slots)
		hash_table_clear(&recorder->code.begins);
	if (!profile)
		return;
	put_events(recorder->data, profile);
	for (size_t done = 0; done < profile->n_functions; done += FUNCTIONS_EACH) {
		put_functions(recorder->data, profile->functions + done,
			      size_min(profile->n_functions - done, FUNCTIONS_EACH));
		recorder_flush_full(recorder);
	}
	for (size_t done = 0; done < profile->n_entries; done += STACKS_EACH) {
		put_entries(recorder->data, profile, done,
			    size_min(profile->n_entries - done, STACKS_EACH));
		recorder_flush_full(recorder);
	}
}
