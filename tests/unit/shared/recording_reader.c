// SPDX-License-Identifier: MIT
#include "tests/unit/shared/recording_reader.h"

void recording_reader_init(struct recording_reader *reader, const struct sys *sys, const int *cpus,
			   size_t n_cpus)
{
	const struct tally_shape nothing = {.n_counters = TALLY_FIRST_COUNTED};

	*reader = (struct recording_reader){.tasks = tasks_new(sys)};
	interval_init(&reader->interval, &nothing, cpus, n_cpus);
	reader->attrib = attrib_new(reader->tasks, &reader->interval);
}

static void drop_groups(struct recording_reader *reader)
{
	for (size_t i = 0; i < reader->n_groups; i++)
		free(reader->groups[i].members);
	free(reader->groups);
	free(reader->first_group);
	reader->groups = NULL;
	reader->first_group = NULL;
	reader->n_groups = 0;
}

void recording_reader_fini(struct recording_reader *reader)
{
	attrib_free(reader->attrib);
	interval_fini(&reader->interval);
	tasks_free(reader->tasks);
	drop_groups(reader);
}

static bool has_id(const struct recording_reader *reader, uint64_t id)
{
	for (size_t i = 0; i < reader->n_ids; i++)
		if (reader->ids[i] == id)
			return true;
	return false;
}

struct words {
	const uint64_t *at, *end;
};

static uint64_t next_word(struct words *words)
{
	assert_true(words->at < words->end);
	return *words->at++;
}

static const char *next_text(struct words *words, char *text, size_t size)
{
	size_t length = next_word(words), n = (length + 7) / 8;

	assert_true(n <= (size_t)(words->end - words->at) && length < size);
	memcpy(text, words->at, length);
	text[length] = '\0';
	words->at += n;
	return text;
}

static void read_plan(struct recording_reader *reader, struct words *words)
{
	size_t n_events = next_word(words);

	assert_true(n_events >= 2);
	drop_groups(reader);
	reader->shape.n_counters = (unsigned)next_word(words);
	reader->shape.n_groups = (unsigned)next_word(words);
	reader->shape.n_domains = (unsigned)next_word(words);
	words->at += 4 + 3 * reader->shape.n_counters;
	reader->groups = xcalloc(reader->shape.n_groups, sizeof(*reader->groups));
	reader->first_group = xcalloc(reader->shape.n_domains, sizeof(unsigned));
	for (unsigned i = 0; i < reader->shape.n_domains; i++) {
		words->at += 3;
		reader->first_group[i] = (unsigned)next_word(words);
		words->at++;
	}
	char preset[64];
	next_text(words, preset, sizeof(preset));
	interval_reshape(&reader->interval, &reader->shape);
	attrib_reshape(reader->attrib);
}

static void read_group(struct recording_reader *reader, struct words *words)
{
	unsigned index = (unsigned)reader->n_groups++;
	struct plan_group *group = &reader->groups[index];

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
	group->layout.clock = reader->first_group[group->domain] == index;
}

static void read_open(struct recording_reader *reader, struct words *words)
{
	assert_true(reader->n_streams < RECORDING_STREAMS_MAX);
	struct recording_stream *stream = &reader->streams[reader->n_streams++];

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
	words->at += 8; /* EXIT and SWITCH: none */
	stream->switch_id = next_word(words);
	stream->tick_id = next_word(words);
	const struct attrib_layout *layout = &reader->groups[stream->group].layout;
	assert_int_equal(next_word(words), layout->n_values);
	words->at += layout->n_values;
	const struct attrib_stream what = {
		.cpu = stream->cpu,
		.tick_id = stream->tick_id,
		.layout = layout,
		.switch_id = stream->switch_id,
	};
	attrib_restore(reader->attrib, &what, &state);
}

/* Files in perf's usual format always have samples of the tracepoint. */
static void read_begin(struct recording_reader *reader, uint64_t version)
{
	assert_true(version == PERFDATA_NATIVE_VERSION ||
		    (version == PERFDATA_NATIVE_VERSION_PLAIN && !reader->sections));
	assert_int_equal(reader->native[NATIVE_ROOM],
			 version == PERFDATA_NATIVE_VERSION && !reader->sections);
	reader->raw = version == PERFDATA_NATIVE_VERSION;
}

static void read_native(struct recording_reader *reader, const struct native_head *native)
{
	struct words words = {(const uint64_t *)(native + 1),
			      (const uint64_t *)((const char *)native + native->header.size)};
	uint64_t kind = native->kind - PERFDATA_NATIVE_BASE;
	struct record record;

	assert_true(native->header.size >= sizeof(*native) && kind < NATIVE_KINDS);
	assert_string_equal(native->name, native_names[kind]);
	reader->native[kind]++;
	switch ((enum native_kind)kind) {
	case NATIVE_PLAN:
		read_plan(reader, &words);
		break;
	case NATIVE_GROUP:
		read_group(reader, &words);
		break;
	case NATIVE_OPEN:
		read_open(reader, &words);
		break;
	case NATIVE_CLOSE:
		attrib_close(reader->attrib, next_word(&words));
		break;
	case NATIVE_PAUSE: {
		size_t cpu = next_word(&words);
		unsigned group = (unsigned)next_word(&words);
		bool known = next_word(&words);
		struct attrib_runner runner = {(pid_t)words.at[0], (pid_t)words.at[1]};
		attrib_pause(reader->attrib, cpu, group, words.at + 2, known ? &runner : NULL);
		break;
	}
	case NATIVE_RESUME: {
		size_t cpu = next_word(&words);
		unsigned group = (unsigned)next_word(&words);
		uint64_t start_ns = next_word(&words);
		attrib_resume(reader->attrib, cpu, group, start_ns, next_word(&words));
		break;
	}
	case NATIVE_AHEAD: {
		size_t cpu = next_word(&words);
		assert_int_equal(record_decode((const void *)words.at, &record), 0);
		attrib_record(reader->attrib, cpu, &record);
		break;
	}
	case NATIVE_GONE:
		record = (struct record){.kind = RECORD_EXIT, .time_ns = next_word(&words)};
		record.pid = (pid_t)next_word(&words);
		record.tid = (pid_t)next_word(&words);
		tasks_exit(reader->tasks, &record);
		break;
	case NATIVE_CUT:
		for (size_t i = 0; i < reader->interval.n_cpus; i++)
			attrib_cut(reader->attrib, i);
		interval_sum_cpus(&reader->interval);
		reader->cut = true;
		break;
	case NATIVE_TALLY:
		assert_true(reader->cut);
		break;
	case NATIVE_BEGIN:
		read_begin(reader, next_word(&words));
		break;
	case NATIVE_EVENT:
	case NATIVE_COLUMN:
	case NATIVE_TASK:
	case NATIVE_BEFORE:
	case NATIVE_NOTES:
	case NATIVE_PMU:
	case NATIVE_TARGET:
	case NATIVE_ROWS:
	case NATIVE_END:
	case NATIVE_ROOM:
	case NATIVE_MACHINE:
	case NATIVE_FACTS:
	case NATIVE_CODE_EVENTS:
	case NATIVE_CODE_FUNCTIONS:
	case NATIVE_CODE_STACKS:
	case NATIVE_CPU_FACTS:
	case NATIVE_METRIC:
	case NATIVE_KINDS:
		break;
	}
}

/* Checks a RAW part: prev is the sample's thread; next is `next` - 1, or the same thread (a tick).
 */
static void read_raw(const void *part, pid_t tid, uint32_t next)
{
	uint32_t size;
	int32_t prev_pid, next_pid;

	memcpy(&size, part, sizeof(size));
	memcpy(&prev_pid, (const char *)part + 4 + 24, sizeof(prev_pid));
	memcpy(&next_pid, (const char *)part + 4 + 56, sizeof(next_pid));
	assert_int_equal(size, RECORDING_RAW_BYTES - sizeof(size));
	assert_int_equal(prev_pid, tid);
	assert_int_equal(next_pid, next ? (pid_t)next - 1 : tid);
}

static void read_sample(struct recording_reader *reader, const struct perf_event_header *header)
{
	const uint64_t *words = (const uint64_t *)header;
	uint64_t reading[READING_VALUES + 64], id = words[1], n = words[6];
	struct recording_stream *stream = NULL;

	assert_true(n < 64 &&
		    header->size == 72 + 16 * n + (reader->raw ? RECORDING_RAW_BYTES : 0));
	for (size_t i = 0; i < reader->n_streams; i++)
		if (reader->streams[i].switch_id == id || reader->streams[i].tick_id == id)
			stream = &reader->streams[i];
	if (!stream) {
		fail_msg("a sample with the unknown id %llu", (unsigned long long)id);
		return;
	}
	assert_int_equal(words[2], 0); /* no address */
	assert_true(words[4] >= stream->last_ns && words[4] < 2000 * NS_PER_S);
	stream->last_ns = words[4];
	reading[READING_ENABLED_NS] = words[7];
	reading[READING_RUNNING_NS] = words[8];
	for (size_t i = 0; i < n; i++) {
		reading[READING_VALUES + i] = words[9 + 2 * i];
		assert_true(has_id(reader, words[10 + 2 * i]));
	}
	uint32_t next = (uint32_t)(words[5] >> 32);
	bool foreign = next == PERFDATA_FOREIGN;
	if (reader->raw)
		read_raw(&words[9 + 2 * n], (pid_t)(words[3] >> 32), next);
	const struct record record = {
		.kind = RECORD_SAMPLE,
		.id = foreign ? 0 : id,
		.time_ns = words[4],
		.pid = (pid_t)words[3],
		.tid = (pid_t)(words[3] >> 32),
		.sample = {.reading = reading, .n_values = n, .next = foreign ? 0 : next},
	};
	attrib_record(reader->attrib, stream->cpu, &record);
	reader->samples++;
}

static void read_attr(struct recording_reader *reader, const struct perf_event_attr *attr,
		      const uint64_t *ids, size_t n)
{
	bool traced = attr->type == PERF_TYPE_TRACEPOINT && attr->config == FK_SCHED_SWITCH;
	bool tick = attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_CPU_CLOCK &&
		    attr->sample_period > 0;

	assert_true(traced <= reader->raw);
	assert_int_equal(attr->sample_type,
			 PERFDATA_SAMPLE_TYPE |
				 (traced || (tick && reader->raw) ? PERF_SAMPLE_RAW : 0));
	assert_int_equal(attr->read_format, PERFDATA_READ_FORMAT);
	assert_true(attr->sample_id_all);
	for (; n > 0; n--, ids++) {
		assert_true(reader->n_ids < RECORDING_IDS_MAX && !has_id(reader, *ids));
		reader->ids[reader->n_ids++] = *ids;
	}
	reader->attrs++;
}

static void read_kernel(struct recording_reader *reader, const struct perf_event_header *header)
{
	struct record record;

	assert_int_equal(record_decode(header, &record), 0);
	assert_int_not_equal(record.kind, RECORD_OTHER);
	if (record.id == 0) { /* written for perf only */
		assert_int_equal(record.kind, RECORD_COMM);
		reader->comms++;
		return;
	}
	assert_true(has_id(reader, record.id));
	uint32_t number;
	memcpy(&number, (const char *)header + header->size - 2 * sizeof(uint64_t), sizeof(number));
	for (size_t i = 0; i < reader->n_streams; i++)
		if (reader->streams[i].number == number) {
			attrib_record(reader->attrib, reader->streams[i].cpu, &record);
			return;
		}
}

static void read_round(struct recording_reader *reader)
{
	assert_true(reader->cut);
	reader->rounds++;
	if (reader->seen)
		reader->seen(reader->arg, reader);
	reader->cut = false;
	interval_reset(&reader->interval);
}

/* The records of a stream, or the data of a file in perf's usual format. */
static void read_records(struct recording_reader *reader, const char *bytes, size_t at, size_t end)
{
	while (at < end) {
		const struct perf_event_header *header = (const void *)(bytes + at);
		const struct native_head *native = (const void *)header;
		const struct perf_event_attr *attr = (const void *)(header + 1);
		assert_true(end - at >= sizeof(*header) && header->size >= sizeof(*header) &&
			    header->size % 8 == 0 && header->size <= end - at);
		switch (header->type) {
		case PERFDATA_ATTR:
			assert_false(reader->sections);
			read_attr(reader, attr, (const uint64_t *)(attr + 1),
				  (header->size - sizeof(*header) - sizeof(*attr)) / 8);
			break;
		case PERFDATA_NATIVE:
			if (!reader->sections || native->kind >= PERFDATA_NATIVE_BASE)
				read_native(reader, native);
			else
				reader->renamed++;
			break;
		case PERFDATA_ROUND:
			read_round(reader);
			break;
		case PERFDATA_TRACING_DATA:
			assert_true(reader->raw && !reader->sections);
			break;
		case PERFDATA_UPDATE:
		case PERFDATA_FEATURE:
			break;
		case PERF_RECORD_SAMPLE:
			read_sample(reader, header);
			break;
		default:
			read_kernel(reader, header);
		}
		at += perfdata_record_bytes(header);
	}
	assert_true(at == end);
}

static void read_sections(struct recording_reader *reader, const char *bytes, size_t size)
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
		read_attr(reader, &entry->attr, (const void *)(bytes + entry->ids.offset),
			  entry->ids.size / sizeof(uint64_t));
	}
}

bool recording_reader_span(const char *bytes, size_t size, size_t *begin, size_t *end)
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

void recording_reader_file(struct recording_reader *reader, const char *path)
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
	reader->raw = reader->sections = recording_reader_span(bytes, size, &begin, &end);
	if (reader->sections)
		read_sections(reader, bytes, size);
	read_records(reader, bytes, begin, end);
	free(bytes);
}
