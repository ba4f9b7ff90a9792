// SPDX-License-Identifier: MIT
/*
 * Raw records and dropped streams are pseudo records in a perfdata, of types that no file has.
 * perfdata_translate() replaces them. Times of the samples of a CPU must ascend, since perf sorts
 * records by time; the stream has the last one.
 */
#include "core/perfdata/perfdata_raw.h"

#include "core/base/util.h"
#include "core/perf/record.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Types of pseudo records, which are not written. */
enum {
	RAW = 0x10000, /* greater than all types of records */
	DROP,
};

struct raw {
	struct perf_event_header header; /* .size is this struct's */
	uint64_t n;                      /* bytes that follow */
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
	perfdata_append(data, &raw, sizeof(raw));
	perfdata_append(data, parts[0].bytes, parts[0].n);
	perfdata_append(data, parts[1].bytes, parts[1].n);
}

struct sample_in {
	struct perf_event_header header;
	uint64_t id;
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, reserved;
	uint64_t n, reading[];
};
static_assert(offsetof(struct sample_in, reading) == 48,
	      "PERF_RECORD_SAMPLE of RECORD_SAMPLE_TYPE");

void perfdata_tick(struct perfdata *data, struct perfdata_stream *stream, int cpu,
		   const struct record *tick)
{
	size_t values = (READING_VALUES + stream->n_values) * sizeof(uint64_t);
	struct sample_in in = {
		.header = {.type = PERF_RECORD_SAMPLE, .size = (uint16_t)(sizeof(in) + values)},
		.id = tick->id,
		.pid = (uint32_t)tick->pid,
		.tid = (uint32_t)tick->tid,
		.time_ns = tick->time_ns,
		.cpu = (uint32_t)cpu,
		.n = stream->n_values,
	};
	struct perfdata_stream *const streams[PERFDATA_STREAMS] = {stream};
	const struct ring_part parts[2] = {{&in, sizeof(in)}, {tick->sample.reading, values}};

	perfdata_raw(data, streams, parts);
}

void perfdata_drop(struct perfdata *data, struct perfdata_stream *stream)
{
	perfdata_append(data,
			&(struct drop){.header = {.type = DROP, .size = sizeof(struct drop)},
				       .stream = stream},
			sizeof(struct drop));
}

/* A switch makes a sample of each enabled group. All may have the id of one of them. */
static bool is_ours(const struct raw *raw, uint64_t id)
{
	for (size_t i = 0; i < PERFDATA_STREAMS; i++)
		if (raw->streams[i] &&
		    (id == raw->streams[i]->switch_id || id == raw->streams[i]->tick_id))
			return true;
	return false;
}

/* Raises time_ns to the latest time of the CPU, stores it in the streams, and returns it. */
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
 * A sample with the id of another program has the time of that program. Its own time follows from
 * the enabled time of its group. It is never before the previous record, or perf would sort for
 * minutes.
 */
static uint64_t sample_time(const struct raw *raw, struct perfdata_stream *stream,
			    const struct sample_in *in)
{
	uint64_t enabled_ns = in->reading[READING_ENABLED_NS];

	if (is_ours(raw, in->id)) {
		/* Unchanged, even if not ascending: a replay uses it as the clock. */
		stream->origin_ns = in->time_ns - enabled_ns;
		note_time(raw, in->time_ns);
		return in->time_ns;
	}
	return note_time(raw, stream->origin_ns ? stream->origin_ns + enabled_ns : 0);
}

/*
 * The RAW part of a recorded sample: the kernel's, or a made one in which the task keeps running.
 * *part points into the record, or to `scratch` of SWITCH_RAW_BYTES_MAX bytes. Returns its bytes;
 * 0: none.
 */
static size_t raw_part(const struct perfdata_stream *stream, const struct record *record,
		       void *scratch, const void **part)
{
	struct switch_raw raw;

	*part = scratch;
	if (!stream->recorded)
		return 0;
	if (record->id != stream->switch_id || record->sample.rest_bytes > SWITCH_RAW_BYTES_MAX ||
	    switch_raw_read(&stream->format, record, &raw) < 0)
		return switch_raw_write(&stream->format, record->tid, scratch);
	*part = record->sample.rest;
	return record->sample.rest_bytes;
}

static void put_sample(struct perfdata *data, const struct raw *raw, struct perfdata_stream *stream,
		       const struct perf_event_header *header, const struct record *record)
{
	const struct sample_in *in = (const void *)header;
	_Alignas(uint64_t) unsigned char scratch[SWITCH_RAW_BYTES_MAX];
	const void *part;
	size_t n = stream->n_values, part_bytes = raw_part(stream, record, scratch, &part);
	size_t size = sizeof(struct native_sample) +
		      n * sizeof(((struct native_sample *)0)->values[0]) + part_bytes;
	struct native_sample *out = perfdata_extend(data, size);
	bool tick = in->id == stream->tick_id;
	const uint64_t *reading = in->reading, *base = stream->base;

	out->header = in->header;
	out->header.size = (uint16_t)size;
	out->id = tick ? stream->tick_id : stream->switch_id;
	out->ip = 0;
	out->pid = in->pid;
	out->tid = in->tid;
	out->next = is_ours(raw, in->id) ? 0 : PERFDATA_FOREIGN;
	if (stream->traced && in->id == stream->switch_id) {
		out->tid = (uint32_t)switch_raw_tid(&stream->format, record);
		out->next = switch_raw_next(&stream->format, record);
	}
	out->time_ns = sample_time(raw, stream, in);
	out->cpu = in->cpu;
	out->n = n;
	out->enabled_ns = reading[READING_ENABLED_NS] - base[READING_ENABLED_NS];
	out->running_ns = reading[READING_RUNNING_NS] - base[READING_RUNNING_NS];
	for (size_t i = 0; i < n; i++) {
		out->values[i].value = reading[READING_VALUES + i] - base[READING_VALUES + i];
		out->values[i].id = stream->ids[i];
	}
	memcpy(&out->values[n], part, part_bytes);
}

static void translate_record(struct perfdata *to, const struct raw *raw,
			     const struct perf_event_header *header)
{
	struct record record;

	if (record_decode(header, &record) < 0)
		return;
	if (record.kind != RECORD_SAMPLE) {
		note_time(raw, record.time_ns);
		perfdata_append(to, header, header->size);
		return;
	}
	for (size_t i = 0; i < PERFDATA_STREAMS; i++) {
		if (!raw->streams[i] || raw->streams[i]->n_values != record.sample.n_values)
			continue;
		put_sample(to, raw, raw->streams[i], header, &record);
		return;
	}
}

/* Stops at an invalid size, as core/perf/ring does. */
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
		at += perfdata_record_bytes(header);
		if (header->type != RAW && header->type != DROP)
			continue;
		if (to)
			perfdata_append(to, copied,
					(size_t)((const unsigned char *)header - copied));
		if (header->type == DROP) {
			stream_free(((const struct drop *)header)->stream);
		} else {
			const struct raw *raw = (const void *)header;
			if (to)
				translate_bytes(to, raw, raw + 1, raw->n);
			at += raw->n;
		}
		copied = at;
	}
	if (to)
		perfdata_append(to, copied, (size_t)(end - copied));
}
