// SPDX-License-Identifier: MIT
/*
 * The records of one CPU: its events, the turns of its groups, and the records of the kernel, which
 * go to core/attrib as live ones do.
 */
#include "core/replay/replay_native.h"

#include "core/base/util.h"
#include "core/sys/cpus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { IDS_MAX = 1 << 20 };

static int add_id(struct replay_native *native, uint64_t id, size_t cpu)
{
	if (id == 0)
		return 0;
	if (native->ids.n >= IDS_MAX)
		return -EBADMSG;
	struct hash_slot *slot = hash_table_slot_within(&native->ids, id, HASH_PROBES_MAX);
	if (!slot)
		return -EBADMSG;
	if (!slot->number)
		slot = hash_table_add(&native->ids, id);
	slot->number = cpu + 1;
	return 0;
}

static void remove_ids(struct hash_table *ids, size_t cpu)
{
	for (size_t i = 0; i < ids->n_slots;) {
		if (ids->slots[i].number == cpu + 1)
			hash_table_remove(ids, &ids->slots[i]);
		else
			i++;
	}
}

/* Stores the CPU of an event id; false if the id is unknown. */
static bool find_id(const struct replay_native *native, uint64_t id, size_t *cpu)
{
	const struct hash_slot *slot = hash_table_slot_within(&native->ids, id, HASH_PROBES_MAX);

	if (!slot || !slot->number)
		return false;
	*cpu = slot->number - 1;
	return true;
}

static const struct attrib_layout *layout_of(const struct replay_native *native, uint64_t group)
{
	const struct plan *plan = native->state->columns ? native->state->columns->plan : NULL;

	if (!plan || group >= plan->shape.n_groups)
		return NULL;
	const struct plan_domain *domain = &plan->domains[plan->groups[group].domain];
	return domain->socket || domain->all_cpus ? NULL : &plan->groups[group].layout;
}

static void parse_state(struct native_words *words, struct attrib_state *state, struct record *exit,
			struct record *came)
{
	*state = (struct attrib_state){.on = native_word(words), .exit = exit, .came = came};
	state->origin_ns = native_word(words);
	state->last_ns = native_word(words);
	state->lost = native_word(words);
	state->runner.pid = native_pid(words);
	state->runner.tid = native_pid(words);
	*exit = (struct record){.kind = RECORD_EXIT, .time_ns = native_word(words)};
	exit->pid = native_pid(words);
	exit->tid = native_pid(words);
	*came = (struct record){.kind = RECORD_SWITCH, .time_ns = native_word(words)};
	came->pid = native_pid(words);
	came->tid = native_pid(words);
	came->change.other_pid = native_pid(words);
	came->change.other_tid = native_pid(words);
}

int native_parse_open(struct replay_native *native, struct native_words *words)
{
	const struct interval *interval = &native->state->interval;
	struct attrib_state state;
	struct record exit, came;
	uint64_t cpu = native_word(words), number = native_word(words);
	const struct attrib_layout *layout = layout_of(native, native_word(words));

	parse_state(words, &state, &exit, &came);
	uint64_t switch_id = native_word(words), tick_id = native_word(words),
		 n = native_word(words);
	if (words->broken || cpu >= interval->n_cpus || !layout || n != layout->n_values ||
	    number != (uint64_t)interval->cpu_numbers[cpu])
		return -EBADMSG;
	const uint64_t *ids = native_array(words, n);
	if (!ids || add_id(native, switch_id, cpu) < 0 || add_id(native, tick_id, cpu) < 0)
		return -EBADMSG;
	for (uint64_t i = 0; i < n; i++)
		if (add_id(native, ids[i], cpu) < 0)
			return -EBADMSG;
	const struct attrib_stream stream = {
		.cpu = cpu, .tick_id = tick_id, .layout = layout, .switch_id = switch_id};
	attrib_cut(native->state->attrib,
		   cpu); /* ends the slice of a stream that this one replaces */
	attrib_restore(native->state->attrib, &stream, &state);
	return 0;
}

int native_parse_close(struct replay_native *native, struct native_words *words)
{
	uint64_t cpu = native_word(words);

	if (words->broken || cpu >= native->state->interval.n_cpus)
		return -EBADMSG;
	attrib_cut(native->state->attrib, cpu);
	attrib_close(native->state->attrib, cpu);
	remove_ids(&native->ids, cpu);
	return 0;
}

int native_parse_pause(struct replay_native *native, struct native_words *words)
{
	uint64_t cpu = native_word(words), group = native_word(words);
	bool known = native_word(words);
	struct attrib_runner runner = {native_pid(words), 0};
	const struct attrib_layout *layout = layout_of(native, group);

	runner.tid = native_pid(words);
	if (words->broken || cpu >= native->state->interval.n_cpus || !layout)
		return -EBADMSG;
	const uint64_t *reading = native_array(words, READING_VALUES + layout->n_values);
	if (!reading)
		return -EBADMSG;
	attrib_pause(native->state->attrib, cpu, (unsigned)group, reading, known ? &runner : NULL);
	return 0;
}

int native_parse_resume(struct replay_native *native, struct native_words *words)
{
	uint64_t cpu = native_word(words), group = native_word(words),
		 start_ns = native_word(words);
	uint64_t weight = native_number(words, UINT32_MAX);

	if (words->broken || cpu >= native->state->interval.n_cpus || !layout_of(native, group) ||
	    weight < ATTRIB_WEIGHT_ONE)
		return -EBADMSG;
	attrib_resume(native->state->attrib, cpu, (unsigned)group, start_ns, weight);
	return 0;
}

/* Passes an untrusted record that is no sample to core/attrib. -EBADMSG: its values are invalid. */
static int fold_in(struct replay_native *native, size_t cpu, const struct perf_event_header *header)
{
	struct record record;

	if (header->size % sizeof(uint64_t) || record_decode(header, &record) < 0 ||
	    record.kind == RECORD_SAMPLE)
		return -EBADMSG;
	if (!native_is_pid(record.tid) ||
	    (record.kind == RECORD_SWITCH && !native_is_pid(record.change.other_tid)))
		return -EBADMSG;
	attrib_record(native->state->attrib, cpu, &record);
	return 0;
}

int native_parse_ahead(struct replay_native *native, struct native_words *words)
{
	uint64_t cpu = native_word(words);
	const struct perf_event_header *header = (const void *)words->at;
	size_t size = (size_t)((const char *)words->end - (const char *)words->at);

	if (words->broken || cpu >= native->state->interval.n_cpus || size < sizeof(*header) ||
	    header->size < sizeof(*header) || header->size > size)
		return -EBADMSG;
	return fold_in(native, cpu, header);
}

int native_parse_gone(struct replay_native *native, struct native_words *words)
{
	struct record exit = {.kind = RECORD_EXIT, .time_ns = native_word(words)};

	exit.pid = native_pid(words);
	exit.tid = native_pid(words);
	if (words->broken || exit.tid <= 0 || exit.pid < 0)
		return -EBADMSG;
	tasks_exit(native->state->tasks, &exit);
	return 0;
}

/* The trailer of all records but samples (attr.sample_id_all). */
struct trailer {
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, reserved;
	uint64_t id;
};

int native_parse_kernel(struct replay_native *native, const struct perf_event_header *header)
{
	struct trailer trailer;
	size_t cpu;

	if (header->size < sizeof(*header) + sizeof(trailer))
		return -EBADMSG;
	memcpy(&trailer, (const char *)header + header->size - sizeof(trailer), sizeof(trailer));
	if (trailer.id == 0) /* synthesized for perf */
		return 0;
	if (native->cut)
		return -EBADMSG;
	if (!find_id(native, trailer.id, &cpu)) {
		int index = trailer.cpu < CPUS_MAX ? native->index_of_cpu[trailer.cpu] : -1;
		if (index < 0)
			return 0;
		cpu = (size_t)index;
	}
	return fold_in(native, cpu, header);
}

/* The format of RAW parts; NULL: `next` and the tid of samples are used instead. */
static const struct switch_format *raw_format(struct replay_native *native)
{
	const struct switch_format *format;
	int result = perfdata_reader_switch_format(native->state->reader, &format);

	if (result == -EBADMSG)
		notes_add(&native->state->replay_notes,
			  "The recording's format of sched:sched_switch is broken: perf cannot "
			  "decode its samples. The figures do not depend on it.");
	return result == 0 ? format : NULL;
}

/*
 * Reads the RAW part of a switch sample. The RAW parts of ticks, and of samples with another
 * program's id, are not used.
 */
static int parse_raw(struct replay_native *native, const struct native_sample *sample,
		     struct record *record)
{
	const void *rest = &sample->values[sample->n];

	record->sample.rest = rest;
	record->sample.rest_bytes =
		(size_t)((const char *)sample + sample->header.size - (const char *)rest);
	if (!native->raw)
		return record->sample.rest_bytes < sizeof(sample->values[0]) ? 0 : -EBADMSG;
	if (record->sample.next == 0)
		return 0;
	const struct switch_format *format = raw_format(native);
	record->tid = switch_raw_tid(format, record);
	record->sample.next = switch_raw_next(format, record);
	record->sample.state = switch_raw_state(format, record);
	return native_is_pid(record->tid) ? 0 : -EBADMSG;
}

int native_parse_sample(struct replay_native *native, const struct perf_event_header *header)
{
	const struct native_sample *sample = (const void *)header;
	size_t cpu;

	if (header->size >= sizeof(*header) + sizeof(sample->id) && sample->id >= PERFDATA_CODE_ID)
		return 0; /* for perf */
	if (header->size < sizeof(*sample) ||
	    sample->n > (header->size - sizeof(*sample)) / sizeof(sample->values[0]) ||
	    !native_is_pid((pid_t)sample->tid))
		return -EBADMSG;
	if (sample->n > native->reading_max || !find_id(native, sample->id, &cpu))
		return 0; /* unknown to the recorder too */
	native->reading[READING_ENABLED_NS] = sample->enabled_ns;
	native->reading[READING_RUNNING_NS] = sample->running_ns;
	for (size_t i = 0; i < sample->n; i++)
		native->reading[READING_VALUES + i] = sample->values[i].value;
	bool foreign = sample->next == PERFDATA_FOREIGN;
	struct record record = {
		.kind = RECORD_SAMPLE,
		.id = foreign ? 0 : sample->id,
		.time_ns = sample->time_ns,
		.pid = (pid_t)sample->pid,
		.tid = (pid_t)sample->tid,
		.sample = {.reading = native->reading,
			   .n_values = sample->n,
			   .next = foreign ? 0 : sample->next,
			   .state = RECORD_STATE_UNKNOWN},
	};
	int result = parse_raw(native, sample, &record);
	if (result < 0)
		return result;
	attrib_record(native->state->attrib, cpu, &record);
	return 0;
}
