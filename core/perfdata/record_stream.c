// SPDX-License-Identifier: MIT
/*
 * A record is returned where it lies in the window if its address is a multiple of a word. perf's
 * compressed records have any size, so the records behind them are copied.
 *
 * These bytes are not returned: the data behind PERFDATA_TRACING_DATA and PERFDATA_AUXTRACE, most
 * records of simpleperf, which may be larger than the window, and PERFDATA_NEXT_FILE.
 */
#include "core/perfdata/record_stream.h"

#include "core/base/util.h"
#include "core/perfdata/native_record.h"
#include "core/perfdata/perfdata_swap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	RECORD_BYTES = 1 << 16, /* more than any record: header.size is a u16 */
	TRACING_HEAD_MAX = 16,  /* PERFDATA_TRACING_DATA without the data */
};

void record_stream_init(struct record_stream *stream, const struct record_source *source,
			struct record_context *context)
{
	*stream = (struct record_stream){
		.source = *source,
		.context = context,
		.bytes = xmalloc(RECORD_STREAM_BYTES),
		.copy = xmalloc(RECORD_BYTES),
	};
}

void record_stream_fini(struct record_stream *stream)
{
	free(stream->bytes);
	free(stream->copy);
	*stream = (struct record_stream){0};
}

void record_stream_clear(struct record_stream *stream)
{
	stream->begin = stream->end = 0;
	stream->skip = 0;
	stream->tracing = false;
}

void record_stream_pass(struct record_stream *stream, size_t n)
{
	stream->begin += n;
}

/* Moves the unused bytes to the front, which is aligned as malloc() aligns. */
static void move_to_front(struct record_stream *stream)
{
	size_t left = record_stream_has(stream);

	if (left > 0)
		memmove(stream->bytes, stream->bytes + stream->begin, left);
	stream->begin = 0;
	stream->end = left;
}

int record_stream_load(struct record_stream *stream, size_t n)
{
	if (record_stream_has(stream) >= n)
		return 1;
	move_to_front(stream);
	while (stream->end < n) {
		ssize_t got = stream->source.fill(stream->source.arg, stream->bytes + stream->end,
						  RECORD_STREAM_BYTES - stream->end);
		if (got <= 0)
			return (int)got;
		stream->end += (size_t)got;
	}
	return 1;
}

/* Parses the bytes of a PERFDATA_TRACING_DATA. Too many for the window count as broken. */
static int parse_tracing(struct record_stream *stream)
{
	struct perfdata_tracing *tracing = &stream->context->tracing;

	tracing->result = -EBADMSG;
	if (stream->skip <= RECORD_STREAM_BYTES / 2) {
		int result = record_stream_load(stream, stream->skip);
		if (result <= 0)
			return result;
		perfdata_tracing_read(record_stream_at(stream), stream->skip, tracing,
				      stream->context->native ? NULL : stream->context->made);
	}
	stream->tracing = false;
	return 1;
}

int record_stream_skip(struct record_stream *stream)
{
	int result = stream->tracing ? parse_tracing(stream) : 1;

	if (result <= 0)
		return result;
	while (stream->skip > 0) {
		result = record_stream_load(stream, 1);
		if (result <= 0)
			return result;
		size_t some = record_stream_has(stream);
		if (some > stream->skip)
			some = (size_t)stream->skip;
		record_stream_pass(stream, some);
		stream->skip -= some;
		if (stream->source.jump && record_stream_has(stream) == 0)
			stream->skip -= stream->source.jump(stream->source.arg, stream->skip);
	}
	return 1;
}

/* Sets stream->skip to the bytes behind a record. Old simpleperfs have them in the record. */
static void set_skip(struct record_stream *stream, const struct perf_event_header *record)
{
	uint32_t half;
	uint64_t word;

	if (record->type == PERFDATA_TRACING_DATA &&
	    record->size >= sizeof(*record) + sizeof(half)) {
		memcpy(&half, record + 1, sizeof(half));
		stream->skip = record->size > TRACING_HEAD_MAX ? 0 : half;
		stream->tracing = stream->skip > 0 && !stream->context->swapped;
	} else if (record->type == PERFDATA_AUXTRACE &&
		   record->size >= sizeof(*record) + sizeof(word)) {
		memcpy(&word, record + 1, sizeof(word));
		stream->skip = word;
	}
}

/* A sample can only be swapped if its event was added before. */
static void swap_record(struct record_context *context, struct perf_event_header *record)
{
	perfdata_swap_record(&context->events, record);
	if (record->type == PERFDATA_ATTR || record->type == PERFDATA_EVENT_ID)
		perfdata_events_add(&context->events, record);
}

/* Size of a record of simpleperf: its upper half is in misc. */
static size_t simpleperf_size(const struct perf_event_header *header)
{
	return (size_t)header->misc << 16 | header->size;
}

/* Copies the header of the next record, which stays in the window. Results as _next(). */
static int find_record(struct record_stream *stream, struct perf_event_header *header)
{
	for (;;) {
		int result = record_stream_skip(stream);
		if (result <= 0)
			return result == 0 ? -ENODATA : result;
		result = record_stream_load(stream, sizeof(*header));
		if (result <= 0)
			return result == 0 && record_stream_has(stream) > 0 ? -ENODATA : result;
		memcpy(header, record_stream_at(stream), sizeof(*header));
		if (stream->context->swapped)
			perfdata_swap_header(header);
		bool foreign = header->type >= PERFDATA_SIMPLEPERF;
		stream->size = foreign ? simpleperf_size(header) : header->size;
		if (header->type == PERFDATA_EVENT_ID)
			foreign = stream->size > UINT16_MAX;
		stream->bad_size = stream->size < sizeof(*header);
		if (stream->bad_size)
			return -EBADMSG;
		if (!foreign && header->type != PERFDATA_NEXT_FILE)
			return 1;
		stream->skip = stream->size;
	}
}

/*
 * Gives a record of a native file the type and size that it had in the stream
 * (core/perfdata/perfdata_sections.h). *header is its header in this machine's byte order.
 */
static void restore_type(const struct record_context *context, struct perf_event_header *record,
			 struct perf_event_header *header)
{
	const unsigned char *data = (const unsigned char *)record + TRACING_HEAD_MAX;
	uint64_t kind = 0;

	if (!context->native || header->type != PERFDATA_NATIVE)
		return;
	if (header->size >= sizeof(struct native_head))
		kind = ((const struct native_head *)record)->kind;
	if (context->swapped)
		perfdata_swap_words(&kind, 1);
	if (native_is_kind(kind))
		return;
	bool tracing = header->size > TRACING_HEAD_MAX &&
		       perfdata_tracing_begins(data, header->size - TRACING_HEAD_MAX);
	header->type = tracing ? PERFDATA_TRACING_DATA : PERFDATA_ATTR;
	if (tracing)
		header->size = TRACING_HEAD_MAX;
	*record = *header;
	if (context->swapped)
		perfdata_swap_header(record);
}

int record_stream_next(struct record_stream *stream, const struct perf_event_header **out)
{
	struct record_context *context = stream->context;
	struct perf_event_header header, *record;
	int result = find_record(stream, &header);

	if (result <= 0)
		return result;
	result = record_stream_load(stream, header.size);
	if (result <= 0)
		return result == 0 ? -ENODATA : result;
	unsigned char *at = stream->bytes + stream->begin;
	if ((uintptr_t)at % sizeof(uint64_t))
		at = memcpy(stream->copy, at, header.size);
	record = (void *)at;
	restore_type(context, record, &header);
	record_stream_pass(stream, header.size);
	/* PERFDATA_MISC_MORE is pmctop's. */
	if (header.type == PERFDATA_ATTR && !context->native)
		record->misc = 0;
	if (context->swapped)
		swap_record(context, record);
	set_skip(stream, record);
	context->native |= native_is(record, NATIVE_BEGIN);
	*out = record;
	return 1;
}
