// SPDX-License-Identifier: MIT
/*
 * The layouts are in linux/perf_event.h, at "struct perf_event_type": words of 64 bits. Some of
 * them are two of 32. The event decides which words a record has. The event is found by an id,
 * which is at the same place in all records.
 */
#include "core/perfdata/perfdata_sample.h"

#include "core/base/util.h"

#include <errno.h>
#include <string.h>

#define BEFORE_READ                                                                     \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |  \
	 PERF_SAMPLE_PERIOD)
#define IN_TRAILER                                                                     \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

unsigned perfdata_trailer_words(const struct perf_event_attr *attr)
{
	if (!attr->sample_id_all)
		return 0;
	return (unsigned)__builtin_popcountll(attr->sample_type & IN_TRAILER);
}

static uint32_t first_half(const uint64_t *word)
{
	uint32_t half;

	memcpy(&half, word, sizeof(half));
	return half;
}

static uint32_t second_half(const uint64_t *word)
{
	uint32_t half;

	memcpy(&half, (const char *)word + sizeof(half), sizeof(half));
	return half;
}

static void parse_task(const uint64_t *word, struct perfdata_sample *sample)
{
	sample->pid = (pid_t)first_half(word);
	sample->tid = (pid_t)second_half(word);
}

static void sample_clear(struct perfdata_sample *sample)
{
	memset(sample, 0, offsetof(struct perfdata_sample, values));
	sample->pid = sample->tid = -1;
}

static const struct perfdata_event *event_of_sample(const struct perfdata_events *events,
						    const uint64_t *words, size_t n)
{
	if (events->n == 1)
		return events->items;
	if (events->n == 0 || events->id_place < 0 || (size_t)events->id_place >= n)
		return NULL;
	return perfdata_events_find(events, words[events->id_place]);
}

/* Parses the leading words of a sample. All are there. Returns the next word. */
static const uint64_t *parse_fixed(const uint64_t *at, uint64_t type,
				   struct perfdata_sample *sample)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		sample->id = *at++;
	if (type & PERF_SAMPLE_IP)
		sample->ip = *at++;
	if (type & PERF_SAMPLE_TID)
		parse_task(at++, sample);
	if (type & PERF_SAMPLE_TIME)
		sample->time_ns = *at++;
	if (type & PERF_SAMPLE_ADDR)
		at++;
	if (type & PERF_SAMPLE_ID)
		sample->id = *at++;
	if (type & PERF_SAMPLE_STREAM_ID)
		at++;
	if (type & PERF_SAMPLE_CPU)
		sample->cpu = first_half(at++);
	if (type & PERF_SAMPLE_PERIOD)
		sample->period = *at++;
	return at;
}

/* Parses one value of READ. All its words are there. Returns the next word. */
static const uint64_t *parse_value(const uint64_t *at, uint64_t format,
				   struct perfdata_sample *sample)
{
	size_t i = sample->n_values++;

	sample->values[i].value = *at++;
	if (!(format & PERF_FORMAT_GROUP)) {
		if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
			sample->enabled_ns = *at++;
		if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
			sample->running_ns = *at++;
	}
	sample->values[i].id = format & PERF_FORMAT_ID ? *at++ : 0;
	if (format & PERF_FORMAT_LOST)
		at++;
	return at;
}

/* Parses READ and sets *words behind it. */
static int parse_read(const uint64_t **words, const uint64_t *end, uint64_t format,
		      struct perfdata_sample *sample)
{
	const uint64_t *at = *words;
	const uint64_t both = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	size_t times = (size_t)__builtin_popcountll(format & both);
	size_t each =
		1 + (size_t)__builtin_popcountll(format & (PERF_FORMAT_ID | PERF_FORMAT_LOST));
	size_t left = (size_t)(end - at);

	sample->times = (format & both) == both;
	if (!(format & PERF_FORMAT_GROUP)) {
		if (left < times + each)
			return -EBADMSG;
		*words = parse_value(at, format, sample);
		return 0;
	}
	if (left < 1 + times)
		return -EBADMSG;
	uint64_t n = *at++;
	if (n > PERFDATA_VALUES_MAX || n * each > left - 1 - times)
		return -EBADMSG;
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		sample->enabled_ns = *at++;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		sample->running_ns = *at++;
	while (n-- > 0)
		at = parse_value(at, format, sample);
	*words = at;
	return 0;
}

/*
 * Parses CALLCHAIN and sets *words behind it. If the kernel defers the user's part, a mark and the
 * cookie stand for it. False: it does not fit.
 */
static bool parse_chain(const uint64_t **words, const uint64_t *end, struct perfdata_sample *sample)
{
	const uint64_t *at = *words;

	if (at == end || *at >= (size_t)(end - at))
		return false;
	size_t n = (size_t)*at++;
	*words = at + n;
	sample->has |= PERF_SAMPLE_CALLCHAIN;
	if (n >= 2 && at[n - 2] == PERFDATA_CONTEXT_DEFERRED) {
		sample->cookie = at[n - 1];
		n -= 2;
	}
	sample->chain = n > 0 ? at : NULL;
	sample->n_chain = n;
	return true;
}

/* Parses a sample of an event with these attributes. */
static int parse_sample(const struct perf_event_attr *attr, const uint64_t *words, size_t n,
			struct record *record, struct perfdata_sample *sample)
{
	if (n < (size_t)__builtin_popcountll(attr->sample_type & BEFORE_READ))
		return -EBADMSG;
	record->sample.rest_bytes = 0;
	sample->has = attr->sample_type & (BEFORE_READ | PERF_SAMPLE_READ);
	const uint64_t *at = parse_fixed(words, attr->sample_type, sample);
	if (!(attr->sample_type & PERF_SAMPLE_PERIOD) && !attr->freq)
		sample->period = attr->sample_period;
	if (attr->sample_type & PERF_SAMPLE_READ &&
	    parse_read(&at, words + n, attr->read_format, sample) < 0)
		return -EBADMSG;
	/* The task is known without a chain. */
	if (attr->sample_type & PERF_SAMPLE_CALLCHAIN && !parse_chain(&at, words + n, sample))
		return 0;
	if (attr->sample_type & PERF_SAMPLE_RAW) {
		record->sample.rest = at;
		record->sample.rest_bytes = (size_t)(words + n - at) * sizeof(*at);
	}
	return 0;
}

/*
 * The kernel prepares one sample of a software event for all listeners, with the id of one of them.
 * The ids of its values show its group; the leader has the layout.
 */
static void parse_foreign(const struct perfdata_events *events, const uint64_t *words, size_t n,
			  struct record *record, struct perfdata_sample *sample)
{
	enum { LAYOUTS_MAX = 8 };
	const uint64_t format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	const struct perfdata_event *event = NULL;
	const struct perf_event_attr *tried = NULL;
	size_t n_tried = 0;

	for (size_t i = 0; i < events->n && !event && n_tried < LAYOUTS_MAX; i++) {
		const struct perf_event_attr *attr = &events->items[i].attr;
		if (!(attr->sample_type & PERF_SAMPLE_READ) ||
		    (attr->read_format & format) != format ||
		    (tried && tried->sample_type == attr->sample_type &&
		     tried->read_format == attr->read_format))
			continue;
		tried = attr;
		n_tried++;
		sample_clear(sample);
		if (parse_sample(attr, words, n, record, sample) == 0 && sample->n_values > 0)
			event = perfdata_events_find(events, sample->values[0].id);
	}
	if (!event)
		sample_clear(sample);
	sample->event = event;
}

static int decode_sample(const struct perfdata_events *events,
			 const struct perf_event_header *header, struct record *record,
			 struct perfdata_sample *sample)
{
	const uint64_t *words = (const void *)(header + 1);
	size_t n = (header->size - sizeof(*header)) / sizeof(*words);
	const struct perfdata_event *event = event_of_sample(events, words, n);
	int result = 0;

	if (event)
		result = parse_sample(&event->attr, words, n, record, sample);
	else
		parse_foreign(events, words, n, record, sample);
	if (event)
		sample->event = event;
	record->kind = RECORD_SAMPLE;
	record->id = sample->id;
	record->time_ns = sample->time_ns;
	record->pid = sample->pid;
	record->tid = sample->tid;
	return result;
}

/* The bytes of each type up to its text or trailer. */
static const struct body {
	uint8_t bytes;
	bool text; /* with its NUL, padded to words */
} bodies[] = {
	[PERF_RECORD_MMAP] = {40, true},
	[PERF_RECORD_LOST] = {24},
	[PERF_RECORD_COMM] = {16, true},
	[PERF_RECORD_EXIT] = {32},
	[PERF_RECORD_THROTTLE] = {32},
	[PERF_RECORD_UNTHROTTLE] = {32},
	[PERF_RECORD_FORK] = {32},
	[PERF_RECORD_MMAP2] = {72, true},
	[PERF_RECORD_AUX] = {32},
	[PERF_RECORD_ITRACE_START] = {16},
	[PERF_RECORD_LOST_SAMPLES] = {16},
	[PERF_RECORD_SWITCH] = {8},
	[PERF_RECORD_SWITCH_CPU_WIDE] = {16},
	[PERF_RECORD_NAMESPACES] = {24},
	[PERF_RECORD_KSYMBOL] = {24, true},
	[PERF_RECORD_BPF_EVENT] = {24},
	[PERF_RECORD_CGROUP] = {16, true},
	[PERF_RECORD_TEXT_POKE] = {24},
	[PERF_RECORD_AUX_OUTPUT_HW_ID] = {16},
	[PERFDATA_CALLCHAIN_DEFERRED] = {24},
};

static struct body body_of(uint32_t type)
{
	struct body body = type < ARRAY_SIZE(bodies) ? bodies[type] : (struct body){0};

	if (body.bytes == 0)
		body.bytes = sizeof(struct perf_event_header);
	return body;
}

size_t perfdata_trailer_room(const struct perf_event_header *header)
{
	const struct body body = body_of(header->type);

	if (header->size < body.bytes)
		return 0;
	size_t room = header->size - body.bytes;
	if (!body.text)
		return room;
	size_t text = strnlen((const char *)header + body.bytes, room);
	return text / 8 * 8 + 8 < room ? room - (text / 8 * 8 + 8) : 0;
}

/*
 * All records of the kernel have a trailer. Records that perf synthesizes have an empty trailer, or
 * none if they are too short. Returns its bytes.
 */
static size_t parse_trailer(const struct perfdata_events *events,
			    const struct perf_event_header *header, struct perfdata_sample *sample)
{
	if (events->n == 0)
		return 0;
	const uint64_t *end =
		(const uint64_t *)(const void *)header + header->size / sizeof(uint64_t);
	size_t room = perfdata_trailer_room(header) / sizeof(uint64_t);
	const struct perfdata_event *event = events->n == 1 ? events->items : NULL;
	if (!event && events->id_place_back > 0 && (size_t)events->id_place_back <= room)
		event = perfdata_events_find(events, end[-events->id_place_back]);
	const struct perf_event_attr *attr = &(event ? event : events->items)->attr;
	uint64_t type = attr->sample_type & IN_TRAILER;
	size_t n = perfdata_trailer_words(attr);
	if (n > room || n == 0)
		return 0;
	parse_fixed(end - n, type & ~(uint64_t)PERF_SAMPLE_IDENTIFIER, sample);
	if (type & PERF_SAMPLE_IDENTIFIER)
		sample->id = end[-1];
	sample->event = event;
	sample->has = type;
	return n * sizeof(*end);
}

static uint64_t word_at(const struct perf_event_header *header, size_t offset)
{
	uint64_t word;

	memcpy(&word, (const char *)header + offset, sizeof(word));
	return word;
}

static void parse_body(const struct perf_event_header *header, struct record *record)
{
	switch (header->type) {
	case PERF_RECORD_COMM:
		record_parse_comm(header, header->size - bodies[PERF_RECORD_COMM].bytes, record);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		record_parse_fork(header, record);
		record->time_ns = word_at(header, 24);
		break;
	case PERF_RECORD_SWITCH_CPU_WIDE:
	case PERF_RECORD_SWITCH:
		record_parse_switch(header, record);
		break;
	case PERF_RECORD_LOST:
		record->kind = RECORD_LOST;
		record->id = word_at(header, 8);
		record->lost.records = word_at(header, 16);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		record->kind = RECORD_LOST;
		record->lost.records = word_at(header, 8);
		break;
	}
}

/* The cookie, then a chain. */
static bool parse_deferred(const struct perf_event_header *header, size_t trailer_bytes,
			   struct perfdata_sample *sample)
{
	const uint64_t *words = (const void *)(header + 1);
	const uint64_t *end =
		words + (header->size - sizeof(*header) - trailer_bytes) / sizeof(*words);
	const uint64_t cookie = *words++;

	if (!parse_chain(&words, end, sample))
		return false;
	sample->cookie = cookie;
	return true;
}

int perfdata_decode(const struct perfdata_events *events, const struct perf_event_header *header,
		    struct record *record, struct perfdata_sample *sample)
{
	*record = (struct record){.kind = RECORD_OTHER};
	sample_clear(sample);
	sample->misc = header->misc;
	if (header->type >= PERFDATA_ATTR)
		return 0;
	if (header->type == PERF_RECORD_SAMPLE)
		return decode_sample(events, header, record, sample);
	if (header->size < body_of(header->type).bytes)
		return -EBADMSG;
	parse_body(header, record);
	size_t trailer = parse_trailer(events, header, sample);
	if (header->type == PERFDATA_CALLCHAIN_DEFERRED && !parse_deferred(header, trailer, sample))
		return -EBADMSG;
	if (record->kind == RECORD_OTHER)
		return 0;
	if (record->kind == RECORD_SWITCH || record->kind == RECORD_LOST) {
		record->pid = sample->pid;
		record->tid = sample->tid;
	}
	if (sample->has & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER))
		record->id = sample->id;
	if (sample->has & PERF_SAMPLE_TIME)
		record->time_ns = sample->time_ns;
	return 0;
}

int perfdata_decode_code(const struct perfdata_events *events,
			 const struct perf_event_header *header, struct code_record *record,
			 struct perfdata_sample *trailer)
{
	struct record common;

	switch (header->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_KSYMBOL:
		break;
	default:
		*record = (struct code_record){.kind = CODE_RECORD_OTHER};
		int result = perfdata_decode(events, header, &common, trailer);
		if (result == 0)
			code_record_of_task(&common, record);
		return result;
	}
	sample_clear(trailer);
	trailer->misc = header->misc;
	size_t bytes = parse_trailer(events, header, trailer);
	int result = code_record_decode_body(header, bytes, record);
	if (result < 0 || record->kind == CODE_RECORD_OTHER)
		return result;
	record->id = trailer->id;
	record->time_ns = trailer->time_ns;
	return 0;
}
