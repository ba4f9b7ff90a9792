// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_RECORDING_H
#define PMCTOP_TESTS_RECORDING_H

#include "core/attrib/attrib.h"
#include "core/attrib/interval.h"
#include "core/attrib/tasks.h"
#include "core/base/util.h"
#include "core/event/plan.h"
#include "core/perfdata/perfdata_write.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/*
 * A recording read back with nothing but what core/perfdata/perfdata.h says: every record is
 * judged, and the calls that it tells of are made again, so that its intervals can be compared with
 * those that were seen.
 */
enum {
	REPLAY_IDS_MAX = 4096,
	REPLAY_STREAMS_MAX = 256,
	REPLAY_RAW_BYTES = 72, /* a u32, 64 bytes of sched:sched_switch, and filled up */
};

struct replay_stream {
	size_t cpu;      /* index in the interval */
	uint64_t number; /* of that CPU */
	unsigned group;
	uint64_t switch_id, tick_id;
	uint64_t last_ns; /* of its samples */
};

struct replay {
	struct tasks *tasks;
	struct attrib *attrib;
	struct interval interval;
	struct tally_shape shape;
	struct plan_group *groups; /* with their layouts */
	unsigned *first_group;     /* of each domain */
	size_t n_groups;
	uint64_t ids[REPLAY_IDS_MAX];
	size_t n_ids;
	struct replay_stream streams[REPLAY_STREAMS_MAX];
	size_t n_streams;
	bool cut;      /* the interval has ended; its tallies follow */
	bool raw;      /* the tracepoint's: samples have RAW parts */
	bool sections; /* a file in perf's usual format */
	size_t native[NATIVE_KINDS], samples, comms, rounds, attrs, renamed;
	/* Called when an interval is whole. */
	void (*seen)(void *arg, const struct replay *replay);
	void *arg;
};

static inline void replay_init(struct replay *replay, const struct sys *sys, const int *cpus,
			       size_t n_cpus)
{
	const struct tally_shape nothing = {.n_counters = TALLY_FIRST_COUNTED};

	*replay = (struct replay){.tasks = tasks_new(sys)};
	interval_init(&replay->interval, &nothing, cpus, n_cpus);
	replay->attrib = attrib_new(replay->tasks, &replay->interval);
}

static inline void replay_drop_groups(struct replay *replay)
{
	for (size_t i = 0; i < replay->n_groups; i++)
		free(replay->groups[i].members);
	free(replay->groups);
	free(replay->first_group);
	replay->groups = NULL;
	replay->first_group = NULL;
	replay->n_groups = 0;
}

static inline void replay_fini(struct replay *replay)
{
	attrib_free(replay->attrib);
	interval_fini(&replay->interval);
	tasks_free(replay->tasks);
	replay_drop_groups(replay);
}

static inline bool replay_knows(const struct replay *replay, uint64_t id)
{
	for (size_t i = 0; i < replay->n_ids; i++)
		if (replay->ids[i] == id)
			return true;
	return false;
}

/* Words one after the other. */
struct words {
	const uint64_t *at, *end;
};

static inline uint64_t next_word(struct words *words)
{
	assert_true(words->at < words->end);
	return *words->at++;
}

static inline const char *next_text(struct words *words, char *text, size_t size)
{
	size_t length = next_word(words), n = (length + 7) / 8;

	assert_true(n <= (size_t)(words->end - words->at) && length < size);
	memcpy(text, words->at, length);
	text[length] = '\0';
	words->at += n;
	return text;
}

static inline void replay_plan(struct replay *replay, struct words *words)
{
	size_t n_events = next_word(words);

	assert_true(n_events >= 2);
	replay_drop_groups(replay);
	replay->shape.n_counters = (unsigned)next_word(words);
	replay->shape.n_groups = (unsigned)next_word(words);
	replay->shape.n_domains = (unsigned)next_word(words);
	words->at += 4 + 3 * replay->shape.n_counters;
	replay->groups = xcalloc(replay->shape.n_groups, sizeof(*replay->groups));
	replay->first_group = xcalloc(replay->shape.n_domains, sizeof(unsigned));
	for (unsigned i = 0; i < replay->shape.n_domains; i++) {
		words->at += 3;
		replay->first_group[i] = (unsigned)next_word(words);
		words->at++;
	}
	char preset[64];
	next_text(words, preset, sizeof(preset));
	interval_reshape(&replay->interval, &replay->shape);
	attrib_reshape(replay->attrib);
}

static inline void replay_group(struct replay *replay, struct words *words)
{
	unsigned index = (unsigned)replay->n_groups++;
	struct plan_group *group = &replay->groups[index];

	group->domain = (unsigned)next_word(words);
	group->n_members = next_word(words);
	group->members = xcalloc(group->n_members + 1, sizeof(int));
	for (size_t i = 0; i < group->n_members; i++) {
		group->members[i] = (int)next_word(words);
		if (group->members[i] == PLAN_SWITCH)
			group->layout.switch_value = i;
	}
	group->layout.n_values = group->n_members;
	group->layout.counter_of = group->members;
	group->layout.group = index;
	group->layout.domain = group->domain;
	group->layout.clock = replay->first_group[group->domain] == index;
}

static inline void replay_open(struct replay *replay, struct words *words)
{
	assert_true(replay->n_streams < REPLAY_STREAMS_MAX);
	struct replay_stream *stream = &replay->streams[replay->n_streams++];

	stream->cpu = next_word(words);
	stream->number = next_word(words);
	stream->group = (unsigned)next_word(words);
	struct record exit = {.kind = RECORD_EXIT}, came = {.kind = RECORD_SWITCH};
	struct attrib_state state = {.exit = &exit, .came = &came};
	state.on = next_word(words);
	state.origin_ns = next_word(words);
	state.last_ns = next_word(words);
	state.lost = next_word(words);
	state.runner.pid = (pid_t)next_word(words);
	state.runner.tid = (pid_t)next_word(words);
	words->at += 8; /* EXIT and SWITCH: none yet */
	stream->switch_id = next_word(words);
	stream->tick_id = next_word(words);
	const struct attrib_layout *layout = &replay->groups[stream->group].layout;
	assert_int_equal(next_word(words), layout->n_values);
	words->at += layout->n_values;
	const struct attrib_stream what = {
		.cpu = stream->cpu,
		.tick_id = stream->tick_id,
		.layout = layout,
		.switch_id = stream->switch_id,
	};
	attrib_restore(replay->attrib, &what, &state);
}

/* A file in perf's usual format is always of the tracepoint. */
static inline void replay_begin(struct replay *replay, uint64_t version)
{
	assert_true(version == PERFDATA_NATIVE_VERSION ||
		    (version == PERFDATA_NATIVE_VERSION_PLAIN && !replay->sections));
	assert_int_equal(replay->native[NATIVE_ROOM],
			 version == PERFDATA_NATIVE_VERSION && !replay->sections);
	replay->raw = version == PERFDATA_NATIVE_VERSION;
}

static inline void replay_native(struct replay *replay, const struct perfdata_own *native)
{
	struct words words = {(const uint64_t *)(native + 1),
			      (const uint64_t *)((const char *)native + native->header.size)};
	uint64_t kind = native->kind - PERFDATA_NATIVE_BASE;
	struct record record;

	assert_true(native->header.size >= sizeof(*native) && kind < NATIVE_KINDS);
	assert_string_equal(native->name, own_names[kind]);
	replay->native[kind]++;
	switch ((enum native_kind)kind) {
	case NATIVE_PLAN:
		replay_plan(replay, &words);
		break;
	case NATIVE_GROUP:
		replay_group(replay, &words);
		break;
	case NATIVE_OPEN:
		replay_open(replay, &words);
		break;
	case NATIVE_CLOSE:
		attrib_close(replay->attrib, next_word(&words));
		break;
	case NATIVE_PAUSE: {
		size_t cpu = next_word(&words);
		unsigned group = (unsigned)next_word(&words);
		bool known = next_word(&words);
		struct attrib_runner runner = {(pid_t)words.at[0], (pid_t)words.at[1]};
		attrib_pause(replay->attrib, cpu, group, words.at + 2, known ? &runner : NULL);
		break;
	}
	case NATIVE_RESUME: {
		size_t cpu = next_word(&words);
		unsigned group = (unsigned)next_word(&words);
		uint64_t start_ns = next_word(&words);
		attrib_resume(replay->attrib, cpu, group, start_ns, next_word(&words));
		break;
	}
	case NATIVE_AHEAD: {
		size_t cpu = next_word(&words);
		assert_int_equal(record_decode((const void *)words.at, &record), 0);
		attrib_record(replay->attrib, cpu, &record);
		break;
	}
	case NATIVE_GONE:
		record = (struct record){.kind = RECORD_EXIT, .time_ns = next_word(&words)};
		record.pid = (pid_t)next_word(&words);
		record.tid = (pid_t)next_word(&words);
		tasks_exit(replay->tasks, &record);
		break;
	case NATIVE_CUT:
		for (size_t i = 0; i < replay->interval.n_cpus; i++)
			attrib_cut(replay->attrib, i);
		interval_sum_cpus(&replay->interval);
		replay->cut = true;
		break;
	case NATIVE_TALLY:
		assert_true(replay->cut);
		break;
	case NATIVE_BEGIN:
		replay_begin(replay, next_word(&words));
		break;
	case NATIVE_EVENT:
	case NATIVE_COLUMN:
	case NATIVE_TASK:
	case NATIVE_NOTES:
	case NATIVE_PMU:
	case NATIVE_TARGET:
	case NATIVE_ROWS:
	case NATIVE_END:
	case NATIVE_ROOM:
	case NATIVE_KINDS:
		break;
	}
}

/* A RAW part: prev is the sample's thread, next is as `next` says, or the same thread in a tick. */
static inline void replay_raw(const void *part, pid_t tid, uint32_t next)
{
	uint32_t size;
	int32_t prev_pid, next_pid;

	memcpy(&size, part, sizeof(size));
	memcpy(&prev_pid, (const char *)part + 4 + 24, sizeof(prev_pid));
	memcpy(&next_pid, (const char *)part + 4 + 56, sizeof(next_pid));
	assert_int_equal(size, REPLAY_RAW_BYTES - sizeof(size));
	assert_int_equal(prev_pid, tid);
	assert_int_equal(next_pid, next ? (pid_t)next - 1 : tid);
}

/* As the kernel wrote it. */
static inline void replay_sample(struct replay *replay, const struct perf_event_header *header)
{
	const uint64_t *words = (const uint64_t *)header;
	uint64_t reading[READING_VALUES + 64], id = words[1], n = words[6];
	struct replay_stream *stream = NULL;

	assert_true(n < 64 && header->size == 72 + 16 * n + (replay->raw ? REPLAY_RAW_BYTES : 0));
	for (size_t i = 0; i < replay->n_streams; i++)
		if (replay->streams[i].switch_id == id || replay->streams[i].tick_id == id)
			stream = &replay->streams[i];
	if (!stream) {
		fail_msg("a sample of nobody's: %llu", (unsigned long long)id);
		return;
	}
	assert_int_equal(words[2], 0); /* no address */
	assert_true(words[4] >= stream->last_ns && words[4] < 2000 * NS_PER_S);
	stream->last_ns = words[4];
	reading[READING_ENABLED_NS] = words[7];
	reading[READING_RUNNING_NS] = words[8];
	for (size_t i = 0; i < n; i++) {
		reading[READING_VALUES + i] = words[9 + 2 * i];
		assert_true(replay_knows(replay, words[10 + 2 * i]));
	}
	uint32_t next = (uint32_t)(words[5] >> 32);
	bool foreign = next == PERFDATA_FOREIGN;
	if (replay->raw)
		replay_raw(&words[9 + 2 * n], (pid_t)(words[3] >> 32), next);
	const struct record record = {
		.kind = RECORD_SAMPLE,
		.id = foreign ? 0 : id,
		.time_ns = words[4],
		.pid = (pid_t)words[3],
		.tid = (pid_t)(words[3] >> 32),
		.sample = {.reading = reading, .n_values = n, .next = foreign ? 0 : next},
	};
	attrib_record(replay->attrib, stream->cpu, &record);
	replay->samples++;
}

static inline void replay_attr(struct replay *replay, const struct perf_event_attr *attr,
			       const uint64_t *ids, size_t n)
{
	bool traced = attr->type == PERF_TYPE_TRACEPOINT && attr->config == FK_SCHED_SWITCH;
	bool tick = attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_CPU_CLOCK &&
		    attr->sample_period > 0;

	assert_true(traced <= replay->raw);
	assert_int_equal(attr->sample_type,
			 PERFDATA_SAMPLE_TYPE |
				 (traced || (tick && replay->raw) ? PERF_SAMPLE_RAW : 0));
	assert_int_equal(attr->read_format, PERFDATA_READ_FORMAT);
	assert_true(attr->sample_id_all);
	for (; n > 0; n--, ids++) {
		assert_true(replay->n_ids < REPLAY_IDS_MAX && !replay_knows(replay, *ids));
		replay->ids[replay->n_ids++] = *ids;
	}
	replay->attrs++;
}

static inline void replay_kernel(struct replay *replay, const struct perf_event_header *header)
{
	struct record record;

	assert_int_equal(record_decode(header, &record), 0);
	assert_int_not_equal(record.kind, RECORD_OTHER);
	if (record.id == 0) { /* made up for perf */
		assert_int_equal(record.kind, RECORD_COMM);
		replay->comms++;
		return;
	}
	assert_true(replay_knows(replay, record.id));
	uint32_t number;
	memcpy(&number, (const char *)header + header->size - 2 * sizeof(uint64_t), sizeof(number));
	for (size_t i = 0; i < replay->n_streams; i++)
		if (replay->streams[i].number == number) {
			attrib_record(replay->attrib, replay->streams[i].cpu, &record);
			return;
		}
}

static inline void replay_round(struct replay *replay)
{
	assert_true(replay->cut);
	replay->rounds++;
	if (replay->seen)
		replay->seen(replay->arg, replay);
	replay->cut = false;
	interval_reset(&replay->interval);
}

/* The records of a stream, or the data of a file in perf's usual format. */
static inline void replay_records(struct replay *replay, const char *bytes, size_t at, size_t end)
{
	while (at < end) {
		const struct perf_event_header *header = (const void *)(bytes + at);
		const struct perfdata_own *native = (const void *)header;
		const struct perf_event_attr *attr = (const void *)(header + 1);
		assert_true(end - at >= sizeof(*header) && header->size >= sizeof(*header) &&
			    header->size % 8 == 0 && header->size <= end - at);
		switch (header->type) {
		case PERFDATA_ATTR:
			assert_false(replay->sections);
			replay_attr(replay, attr, (const uint64_t *)(attr + 1),
				    (header->size - sizeof(*header) - sizeof(*attr)) / 8);
			break;
		case PERFDATA_OWN:
			if (!replay->sections || native->kind >= PERFDATA_NATIVE_BASE)
				replay_native(replay, native);
			else
				replay->renamed++;
			break;
		case PERFDATA_ROUND:
			replay_round(replay);
			break;
		case PERFDATA_TRACING_DATA:
			assert_true(replay->raw && !replay->sections);
			break;
		case PERFDATA_UPDATE:
		case PERFDATA_FEATURE:
			break;
		case PERF_RECORD_SAMPLE:
			replay_sample(replay, header);
			break;
		default:
			replay_kernel(replay, header);
		}
		at += perfdata_record_bytes(header);
	}
	assert_true(at == end);
}

static inline void replay_sections(struct replay *replay, const char *bytes, size_t size)
{
	const struct perfdata_file_head *head = (const void *)bytes;
	struct entry {
		struct perf_event_attr attr;
		struct perfdata_section ids;
	};

	assert_true(head->features[0] >> PERFDATA_TRACING & 1);
	assert_int_equal(head->entry_size, sizeof(struct entry));
	assert_true(head->attrs.offset + head->attrs.size <= size);
	for (size_t at = 0; at < head->attrs.size; at += sizeof(struct entry)) {
		const struct entry *entry = (const void *)(bytes + head->attrs.offset + at);
		assert_true(entry->ids.offset + entry->ids.size <= size);
		replay_attr(replay, &entry->attr, (const void *)(bytes + entry->ids.offset),
			    entry->ids.size / sizeof(uint64_t));
	}
}

/* Where its records stand: true in perf's usual format, false in a stream. */
static inline bool replay_span(const char *bytes, size_t size, size_t *begin, size_t *end)
{
	const struct perfdata_file_head *head = (const void *)bytes;

	assert_true(size > sizeof(*head) && head->magic == PERFDATA_MAGIC);
	*begin = sizeof(struct perfdata_head);
	*end = size;
	if (head->size == sizeof(struct perfdata_head))
		return false;
	assert_int_equal(head->size, sizeof(*head));
	*begin = head->data.offset;
	*end = head->data.offset + head->data.size;
	assert_true(*end <= size);
	return true;
}

static inline void replay_file(struct replay *replay, const char *path)
{
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	size_t size = (size_t)ftell(file);
	rewind(file);
	char *bytes = xmalloc(size + 1);
	assert_int_equal(fread(bytes, 1, size, file), size);
	fclose(file);

	size_t begin, end;
	replay->raw = replay->sections = replay_span(bytes, size, &begin, &end);
	if (replay->sections)
		replay_sections(replay, bytes, size);
	replay_records(replay, bytes, begin, end);
	free(bytes);
}

#endif
