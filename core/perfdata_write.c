// SPDX-License-Identifier: MIT
#include "perfdata_write.h"

#include "util.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	RECORD_MAX = (1 << 16) - 8, /* of a record: header.size is a u16, and a multiple of 8 */
	IDS_MAX = 8000,
	NAME_ALIGN = 64, /* perf fills texts of features up to that */
};

const char *const own_names[OWN_KINDS] = {
	[OWN_BEGIN] = "pmctop:begin",   [OWN_PLAN] = "pmctop:plan",
	[OWN_EVENT] = "pmctop:event",   [OWN_GROUP] = "pmctop:group",
	[OWN_COLUMN] = "pmctop:column", [OWN_OPEN] = "pmctop:open",
	[OWN_CLOSE] = "pmctop:close",   [OWN_PAUSE] = "pmctop:pause",
	[OWN_RESUME] = "pmctop:resume", [OWN_AHEAD] = "pmctop:ahead",
	[OWN_CUT] = "pmctop:cut",       [OWN_TALLY] = "pmctop:tally",
	[OWN_TASK] = "pmctop:task",     [OWN_NOTES] = "pmctop:notes",
	[OWN_PMU] = "pmctop:pmu",       [OWN_TARGET] = "pmctop:target",
	[OWN_ROWS] = "pmctop:rows",     [OWN_END] = "pmctop:end",
	[OWN_GONE] = "pmctop:gone",
};

void perfdata_fini(struct perfdata *data)
{
	free(data->bytes);
	free(data->scratch);
	*data = (struct perfdata){0};
}

/* Room for so many bytes at the end, which are taken. */
static void *take(struct perfdata *data, size_t size)
{
	if (data->capacity - data->n < size)
		data->bytes = array_reserve(data->bytes, &data->capacity, data->n + size, 1);
	data->n += size;
	return data->bytes + data->n - size;
}

static void put(struct perfdata *data, const void *bytes, size_t size)
{
	if (size > 0)
		memcpy(take(data, size), bytes, size);
}

/* At most `most` bytes of a text, then zeroes up to a multiple of `align`, at least one. */
static void put_text(struct perfdata *data, const char *text, size_t most, size_t align)
{
	size_t length = strnlen(text, most);
	size_t size = (length + align) / align * align;
	char *to = take(data, size);

	memcpy(to, text, length);
	memset(to + length, 0, size - length);
}

static void put_header(struct perfdata *data, uint32_t type, size_t size)
{
	put(data, &(struct perf_event_header){.type = type, .size = (uint16_t)size},
	    sizeof(struct perf_event_header));
}

/* The size of a record that begins there, once it is whole. */
static void set_size(struct perfdata *data, size_t begin)
{
	uint16_t size = (uint16_t)(data->n - begin);

	memcpy(data->bytes + begin + offsetof(struct perf_event_header, size), &size, sizeof(size));
}

void perfdata_head(struct perfdata *data)
{
	put(data, &(struct perfdata_head){PERFDATA_MAGIC, sizeof(struct perfdata_head)},
	    sizeof(struct perfdata_head));
}

/* ---- events */

static void put_attr(struct perfdata *data, uint16_t misc, const struct perf_event_attr *attr,
		     const uint64_t *ids, size_t n)
{
	struct perf_event_header header = {
		.type = PERFDATA_ATTR,
		.misc = misc,
		.size = (uint16_t)(sizeof(header) + sizeof(*attr) + n * sizeof(*ids)),
	};

	put(data, &header, sizeof(header));
	put(data, attr, sizeof(*attr));
	put(data, ids, n * sizeof(*ids));
}

void perfdata_more_ids(struct perfdata *data, const struct perf_event_attr *attr,
		       const uint64_t *ids, size_t n)
{
	for (size_t done = 0, some; done < n; done += some) {
		some = size_min(n - done, IDS_MAX);
		put_attr(data, PERFDATA_MISC_MORE, attr, ids + done, some);
	}
}

void perfdata_attr(struct perfdata *data, const struct perf_event_attr *attr, const uint64_t *ids,
		   size_t n)
{
	size_t some = size_min(n, IDS_MAX);

	put_attr(data, 0, attr, ids, some);
	perfdata_more_ids(data, attr, ids + some, n - some);
}

static size_t begin_update(struct perfdata *data, enum perfdata_update update, uint64_t id)
{
	size_t begin = data->n;

	put_header(data, PERFDATA_UPDATE, 0);
	perfdata_word(data, update);
	perfdata_word(data, id);
	return begin;
}

void perfdata_name(struct perfdata *data, uint64_t id, const char *name)
{
	size_t begin = begin_update(data, PERFDATA_NAME, id);

	put_text(data, name, PERFDATA_NAME_MAX, sizeof(uint64_t));
	set_size(data, begin);
}

void perfdata_unit(struct perfdata *data, uint64_t id, const char *unit, double scale)
{
	size_t begin = begin_update(data, PERFDATA_UNIT, id);

	put_text(data, unit, RECORD_MAX / 2, sizeof(uint64_t));
	set_size(data, begin);
	begin = begin_update(data, PERFDATA_SCALE, id);
	put(data, &scale, sizeof(scale));
	set_size(data, begin);
}

/* ---- features */

static size_t begin_feature(struct perfdata *data, unsigned feature)
{
	size_t begin = data->n;

	put_header(data, PERFDATA_FEATURE, 0);
	perfdata_word(data, feature);
	return begin;
}

static void end_feature(struct perfdata *data, size_t begin)
{
	size_t rest = (data->n - begin) % sizeof(uint64_t);

	if (rest)
		memset(take(data, sizeof(uint64_t) - rest), 0, sizeof(uint64_t) - rest);
	set_size(data, begin);
}

void perfdata_feature(struct perfdata *data, unsigned feature, const void *bytes, size_t n)
{
	size_t begin = begin_feature(data, feature);

	if (n > RECORD_MAX - (data->n - begin)) {
		data->n = begin;
		return;
	}
	put(data, bytes, n);
	end_feature(data, begin);
}

static void put_feature_text(struct perfdata *data, const char *text, size_t most)
{
	uint32_t size = (uint32_t)(strnlen(text, most) / NAME_ALIGN + 1) * NAME_ALIGN;

	put(data, &size, sizeof(size));
	put_text(data, text, most, NAME_ALIGN);
}

void perfdata_text_feature(struct perfdata *data, enum perfdata_feature feature, const char *text)
{
	size_t begin = begin_feature(data, feature);

	put_feature_text(data, text, RECORD_MAX / 2);
	end_feature(data, begin);
}

void perfdata_cpus_feature(struct perfdata *data, size_t possible, size_t online)
{
	size_t begin = begin_feature(data, PERFDATA_NRCPUS);
	const uint32_t cpus[] = {(uint32_t)possible, (uint32_t)online};

	put(data, cpus, sizeof(cpus));
	end_feature(data, begin);
}

void perfdata_memory_feature(struct perfdata *data, uint64_t kib)
{
	size_t begin = begin_feature(data, PERFDATA_TOTAL_MEM);

	perfdata_word(data, kib);
	end_feature(data, begin);
}

void perfdata_command_feature(struct perfdata *data, const char *words, size_t size)
{
	enum { WORDS_MAX = 256, WORD_MAX = 127 };
	size_t begin = begin_feature(data, PERFDATA_CMDLINE), at = data->n;
	uint32_t n = 0;

	put(data, &n, sizeof(n));
	for (size_t i = 0; i < size && n < WORDS_MAX; i += strnlen(words + i, size - i) + 1, n++)
		put_feature_text(data, words + i, size_min(size - i, WORD_MAX));
	memcpy(data->bytes + at, &n, sizeof(n));
	end_feature(data, begin);
}

/* ---- the kernel's records */

/* Not for files: what stands among the records until they are translated. */
enum {
	RAW = 0x10000, /* beyond all types of records */
	DROP,
};

struct raw {
	struct perf_event_header header; /* .size is this struct's */
	uint64_t n;                      /* bytes that follow */
	struct ring_loan *loan;          /* or that the ring lends; NULL: it does not */
	struct perfdata_stream *streams[PERFDATA_STREAMS];
};

struct drop {
	struct perf_event_header header;
	struct perfdata_stream *stream;
};

void perfdata_raw(struct perfdata *data, struct perfdata_stream *const streams[PERFDATA_STREAMS],
		  const struct ring_part parts[2])
{
	struct raw raw = {.header = {.type = RAW, .size = sizeof(raw)},
			  .n = parts[0].n + parts[1].n};

	memcpy(raw.streams, streams, sizeof(raw.streams));
	put(data, &raw, sizeof(raw));
	put(data, parts[0].bytes, parts[0].n);
	put(data, parts[1].bytes, parts[1].n);
}

void perfdata_lent(struct perfdata *data, struct perfdata_stream *const streams[PERFDATA_STREAMS],
		   struct ring_loan *loan)
{
	struct raw raw = {.header = {.type = RAW, .size = sizeof(raw)}, .loan = loan};

	memcpy(raw.streams, streams, sizeof(raw.streams));
	put(data, &raw, sizeof(raw));
	data->lent += ring_loan_bytes(loan);
}

void perfdata_drop(struct perfdata *data, struct perfdata_stream *stream)
{
	put(data,
	    &(struct drop){.header = {.type = DROP, .size = sizeof(struct drop)}, .stream = stream},
	    sizeof(struct drop));
}

struct sample_in {
	struct perf_event_header header;
	uint64_t id;
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, reserved;
	uint64_t n, reading[];
};

/* One switch makes a sample of each group that is on, and all may have the id of one of them. */
static bool is_ours(const struct raw *raw, uint64_t id)
{
	for (size_t i = 0; i < PERFDATA_STREAMS; i++)
		if (raw->streams[i] &&
		    (id == raw->streams[i]->switch_id || id == raw->streams[i]->tick_id))
			return true;
	return false;
}

/* The latest that is known of their CPU. */
static uint64_t note_time(const struct raw *raw, uint64_t time_ns)
{
	for (size_t i = 0; i < PERFDATA_STREAMS; i++)
		if (raw->streams[i] && raw->streams[i]->last_ns > time_ns)
			time_ns = raw->streams[i]->last_ns;
	for (size_t i = 0; i < PERFDATA_STREAMS; i++)
		if (raw->streams[i])
			raw->streams[i]->last_ns = time_ns;
	return time_ns;
}

/*
 * With somebody else's id came his time. How long the group has been enabled is its own, and from
 * that follows when it was; never before what stands before it, or perf would sort for minutes.
 */
static uint64_t sample_time(const struct raw *raw, struct perfdata_stream *stream,
			    const struct sample_in *in)
{
	uint64_t enabled_ns = in->reading[READING_ENABLED_NS];

	if (is_ours(raw, in->id))
		stream->origin_ns = in->time_ns - enabled_ns;
	return note_time(raw, stream->origin_ns ? stream->origin_ns + enabled_ns : 0);
}

static void put_sample(struct perfdata *data, const struct raw *raw, struct perfdata_stream *stream,
		       const struct perf_event_header *header)
{
	const struct sample_in *in = (const void *)header;
	size_t n = stream->n_values;
	size_t size = sizeof(struct perfdata_own_sample) +
		      n * sizeof(((struct perfdata_own_sample *)0)->values[0]);
	struct perfdata_own_sample *out = take(data, size);
	bool tick = in->id == stream->tick_id;
	const uint64_t *reading = in->reading, *base = stream->base;

	out->header = in->header;
	out->header.size = (uint16_t)size;
	out->id = tick ? stream->tick_id : stream->switch_id;
	out->ip = 0;
	out->pid = in->pid;
	out->tid = in->tid;
	out->time_ns = sample_time(raw, stream, in);
	out->cpu = in->cpu;
	out->reserved = 0;
	out->n = n;
	out->enabled_ns = reading[READING_ENABLED_NS] - base[READING_ENABLED_NS];
	out->running_ns = reading[READING_RUNNING_NS] - base[READING_RUNNING_NS];
	for (size_t i = 0; i < n; i++) {
		out->values[i].value = reading[READING_VALUES + i] - base[READING_VALUES + i];
		out->values[i].id = stream->ids[i];
	}
}

static void translate_record(struct perfdata *to, const struct raw *raw,
			     const struct perf_event_header *header)
{
	struct record record;

	if (record_decode(header, &record) < 0)
		return;
	if (record.kind != RECORD_SAMPLE) {
		note_time(raw, record.time_ns);
		put(to, header, header->size);
		return;
	}
	for (size_t i = 0; i < PERFDATA_STREAMS; i++) {
		if (!raw->streams[i] || raw->streams[i]->n_values != record.sample.n_values)
			continue;
		put_sample(to, raw, raw->streams[i], header);
		return;
	}
}

/* Nothing behind a size that makes no sense: neither did core/ring see it. */
static void translate_bytes(struct perfdata *to, const struct raw *raw, const void *bytes, size_t n)
{
	const unsigned char *at = bytes, *end = at + n;

	while (at < end) {
		const struct perf_event_header *header = (const void *)at;
		if (header->size < sizeof(*header) || header->size % 8 ||
		    header->size > (size_t)(end - at))
			return;
		translate_record(to, raw, header);
		at += header->size;
	}
}

static void translate_raw(struct perfdata *to, const struct raw *raw)
{
	if (to && !raw->loan)
		translate_bytes(to, raw, raw + 1, raw->n);
	if (to && raw->loan) {
		size_t n = ring_loan_bytes(raw->loan);
		to->scratch = array_reserve(to->scratch, &to->scratch_capacity, n, 1);
		translate_bytes(to, raw, ring_loan_take(raw->loan, to->scratch), n);
	}
	if (raw->loan)
		ring_loan_end(raw->loan);
}

static void stream_free(struct perfdata_stream *stream)
{
	free(stream->ids);
	free(stream->base);
	free(stream);
}

void perfdata_translate(struct perfdata *to, const struct perfdata *data)
{
	if (data->n == 0)
		return;
	const unsigned char *at = data->bytes, *end = at + data->n, *copied = at;
	if (data->n >= sizeof(struct perfdata_head) &&
	    ((const struct perfdata_head *)at)->magic == PERFDATA_MAGIC)
		at += sizeof(struct perfdata_head);
	while (at < end) {
		const struct perf_event_header *header = (const void *)at;
		at += header->size;
		if (header->type != RAW && header->type != DROP)
			continue;
		if (to)
			put(to, copied, (size_t)((const unsigned char *)header - copied));
		if (header->type == DROP) {
			stream_free(((const struct drop *)header)->stream);
		} else {
			translate_raw(to, (const struct raw *)header);
			at += ((const struct raw *)header)->n;
		}
		copied = at;
	}
	if (to)
		put(to, copied, (size_t)(end - copied));
}

/* ---- made up */

/* What every record but SAMPLE ends with (attr.sample_id_all): nobody, at no time. */
static void put_trailer(struct perfdata *data, pid_t pid, pid_t tid, uint64_t id)
{
	perfdata_word(data, (uint64_t)(uint32_t)tid << 32 | (uint32_t)pid);
	perfdata_word(data, 0);
	perfdata_word(data, 0);
	perfdata_word(data, id);
}

void perfdata_comm(struct perfdata *data, pid_t pid, pid_t tid, const char *comm)
{
	size_t begin = data->n;

	put_header(data, PERF_RECORD_COMM, 0);
	perfdata_word(data, (uint64_t)(uint32_t)tid << 32 | (uint32_t)pid);
	put_text(data, comm, 15, sizeof(uint64_t));
	put_trailer(data, pid, tid, 0);
	set_size(data, begin);
}

void perfdata_lost(struct perfdata *data, uint64_t id, uint64_t records)
{
	size_t begin = data->n;

	put_header(data, PERF_RECORD_LOST, 0);
	perfdata_word(data, id);
	perfdata_word(data, records);
	put_trailer(data, 0, 0, id);
	set_size(data, begin);
}

void perfdata_round(struct perfdata *data)
{
	put_header(data, PERFDATA_ROUND, sizeof(struct perf_event_header));
}

/* ---- our own */

void perfdata_own_begin(struct perfdata *data, enum own_kind kind)
{
	struct perfdata_own own = {
		.header.type = PERFDATA_OWN,
		.kind = PERFDATA_OWN_BASE + kind,
	};

	text_copy(own.name, sizeof(own.name), own_names[kind]);
	data->own_begin = data->n;
	data->own_words = 0;
	put(data, &own, sizeof(own));
}

void perfdata_word(struct perfdata *data, uint64_t word)
{
	put(data, &word, sizeof(word));
}

void perfdata_words(struct perfdata *data, const uint64_t *words, size_t n)
{
	put(data, words, n * sizeof(*words));
}

/* What follows is no word any more. */
static void end_words(struct perfdata *data)
{
	if (!data->own_words)
		data->own_words = data->n;
}

void perfdata_pid(struct perfdata *data, pid_t pid)
{
	perfdata_word(data, (uint64_t)(int64_t)pid);
}

void perfdata_text(struct perfdata *data, const char *text)
{
	size_t length = text ? strlen(text) : 0, whole = length / 8 * 8;

	end_words(data);
	perfdata_word(data, length);
	put(data, text ? text : "", whole);
	if (length > whole)
		put_text(data, text + whole, length - whole, sizeof(uint64_t));
}

void perfdata_record(struct perfdata *data, const struct perf_event_header *header)
{
	end_words(data);
	put(data, header, header->size);
}

void perfdata_own_end(struct perfdata *data)
{
	if (data->n - data->own_begin > RECORD_MAX) {
		data->n = data->own_begin;
		return;
	}
	end_words(data);
	struct perf_event_header *header = (void *)(data->bytes + data->own_begin);
	header->misc =
		(uint16_t)((data->own_words - data->own_begin - sizeof(struct perfdata_own)) /
			   sizeof(uint64_t));
	header->size = (uint16_t)(data->n - data->own_begin);
}
