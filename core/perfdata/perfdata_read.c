// SPDX-License-Identifier: MIT
/*
 * Two streams of records: that of the input, and that of what perf has packed, whose pieces are
 * records of the first. One of the second may begin in a piece and end in the next.
 *
 * Records are handed on where they lie in the window, if they lie where words may be read; perf's
 * compressed records are of any size, and what follows them is copied.
 */
#include "core/perfdata/perfdata_read.h"

#include "core/base/util.h"
#include "core/perfdata/native_record.h"
#include "core/perfdata/perfdata_file.h"
#include "core/perfdata/perfdata_swap.h"
#include "core/perfdata/perfdata_tracing.h"
#include "core/perfdata/perfdata_unpack.h"
#include "core/perfdata/perfdata_window.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	WINDOW_BYTES = 1 << 18,
	RECORD_BYTES = 1 << 16, /* more than any has: header.size is a u16 */
	TRACING_HEAD_MAX = 16,  /* of a PERFDATA_TRACING_DATA without the data */
};

enum stage {
	STAGE_HEAD,
	STAGE_SECTIONS, /* of a file in perf's usual format */
	STAGE_RECORDS,
};

/* Bytes that are one record behind the other. */
struct record_stream {
	struct perfdata_window window;
	unsigned char *aligned; /* owned: a record that lies badly */
	uint64_t skip;          /* so many bytes come that are no records */
	bool tracing;           /* they are those of a PERFDATA_TRACING_DATA */
};

struct perfdata_reader {
	const struct perfdata_input *input;
	enum stage stage;
	bool swapped;
	bool native;  /* NATIVE_BEGIN has been read: pmctop wrote the recording */
	uint64_t at;  /* of the input: what comes into the window next */
	uint64_t end; /* of the input: where the records end */
	struct record_stream outer, inner;
	struct perfdata_unpacker
		*unpacker;             /* what the inner one comes from; NULL: nothing is packed */
	struct perfdata_events events; /* only where they are swapped */
	struct perfdata_file *file;
	struct perfdata_tracing tracing;
	struct perfdata made; /* records that do not stand in the input as such */
	size_t made_at;
	int result; /* <= 0, but -EAGAIN: it stays so */
	struct error error;
};

static void stream_init(struct record_stream *stream,
			ssize_t (*fill)(void *arg, void *bytes, size_t n), void *arg)
{
	perfdata_window_init(&stream->window, WINDOW_BYTES, fill, arg);
	stream->aligned = xmalloc(RECORD_BYTES);
	stream->skip = 0;
	stream->tracing = false;
}

static void stream_fini(struct record_stream *stream)
{
	perfdata_window_fini(&stream->window);
	free(stream->aligned);
	*stream = (struct record_stream){0};
}

static ssize_t read_input(void *arg, void *bytes, size_t n)
{
	struct perfdata_reader *reader = arg;
	const struct perfdata_input *input = reader->input;

	if (n > reader->end - reader->at)
		n = (size_t)(reader->end - reader->at);
	if (n == 0)
		return 0;
	ssize_t got = input->read(input->arg, reader->at, bytes, n);
	if (got > 0)
		reader->at += (uint64_t)got;
	return got;
}

static void drop_packed(struct perfdata_reader *reader)
{
	stream_fini(&reader->inner);
	perfdata_unpacker_free(reader->unpacker);
	reader->unpacker = NULL;
}

struct perfdata_reader *perfdata_reader_new(const struct perfdata_input *input)
{
	struct perfdata_reader *reader = xcalloc(1, sizeof(*reader));

	reader->input = input;
	stream_init(&reader->outer, read_input, reader);
	perfdata_reader_rewind(reader);
	return reader;
}

void perfdata_reader_rewind(struct perfdata_reader *reader)
{
	perfdata_file_free(reader->file);
	reader->file = NULL;
	reader->stage = STAGE_HEAD;
	reader->swapped = false;
	reader->native = false;
	reader->at = 0;
	reader->end = UINT64_MAX;
	perfdata_window_empty(&reader->outer.window);
	reader->outer.skip = 0;
	reader->outer.tracing = false;
	drop_packed(reader);
	perfdata_events_fini(&reader->events);
	reader->tracing.result = -ENOENT;
	reader->made.n = reader->made_at = 0;
	reader->result = 1;
	reader->error = (struct error){0};
}

void perfdata_reader_free(struct perfdata_reader *reader)
{
	if (!reader)
		return;
	perfdata_file_free(reader->file);
	drop_packed(reader);
	perfdata_events_fini(&reader->events);
	stream_fini(&reader->outer);
	perfdata_fini(&reader->made);
	free(reader);
}

bool perfdata_reader_is_native_file(const struct perfdata_reader *reader)
{
	return reader->file && perfdata_file_is_native(reader->file);
}

int perfdata_reader_switch_format(const struct perfdata_reader *reader,
				  const struct switch_format **format)
{
	*format = &reader->tracing.format;
	return reader->tracing.result;
}

uint64_t perfdata_reader_position(const struct perfdata_reader *reader)
{
	return reader->at - perfdata_window_has(&reader->outer.window);
}

/* ---- the head */

static int refuse_head(const struct perfdata_reader *reader, struct error *err)
{
	const struct perfdata_window *window = &reader->outer.window;

	if (perfdata_window_has(window) == 0)
		return error_set(err, -EINVAL, "This is no recording: it is empty.");
	if (perfdata_window_has(window) >= 8 &&
	    memcmp(perfdata_window_at(window), "PERFFILE", 8) == 0)
		return error_set(err, -EINVAL,
				 "This recording is of a perf before Linux 3.2, which cannot be "
				 "read: record with a newer one.");
	return error_set(err, -EINVAL,
			 "This is no recording: it does not begin as perf.data does. "
			 "'pmctop --record' and 'perf record' make them.");
}

static int begin_file(struct perfdata_reader *reader, struct error *err)
{
	int result = perfdata_file_new(reader->input, reader->swapped, &reader->tracing,
				       &reader->file, err);

	if (result < 0)
		return result;
	reader->stage = STAGE_SECTIONS;
	perfdata_file_data(reader->file, &reader->at, &reader->end);
	perfdata_window_empty(&reader->outer.window);
	return 1;
}

static int read_head(struct perfdata_reader *reader, struct error *err)
{
	struct perfdata_window *window = &reader->outer.window;
	struct perfdata_head head;
	int result = perfdata_window_want(window, sizeof(head));

	if (result < 0)
		return result;
	if (perfdata_window_has(window) < sizeof(head.magic))
		return refuse_head(reader, err);
	memcpy(&head.magic, perfdata_window_at(window), sizeof(head.magic));
	if (head.magic != PERFDATA_MAGIC && head.magic != __builtin_bswap64(PERFDATA_MAGIC))
		return refuse_head(reader, err);
	if (result == 0)
		return error_set(err, -ENODATA, "The recording is cut off: it has only begun.");
	memcpy(&head, perfdata_window_at(window), sizeof(head));
	reader->swapped = head.magic != PERFDATA_MAGIC;
	if (reader->swapped)
		head.size = __builtin_bswap64(head.size);
	if (head.size != sizeof(head))
		return begin_file(reader, err);
	perfdata_window_pass(window, sizeof(head));
	reader->stage = STAGE_RECORDS;
	return 1;
}

/* ---- records */

static int say_cut(const struct perfdata_reader *reader, struct error *err)
{
	return error_set(err, -ENODATA,
			 "The recording is cut off at byte %llu: what came before was read.",
			 (unsigned long long)reader->at);
}

static int say_unpacked(const struct perfdata_reader *reader, struct error *err)
{
	return error_set(err, -EBADMSG,
			 "The recording is broken before byte %llu, in what perf has compressed: "
			 "what came before was read.",
			 (unsigned long long)perfdata_reader_position(reader));
}

/* Reads the bytes of a PERFDATA_TRACING_DATA. Too many for the window count as broken. */
static int read_tracing(struct perfdata_reader *reader, struct record_stream *stream)
{
	struct perfdata_window *window = &stream->window;
	struct perfdata_tracing *tracing = &reader->tracing;

	tracing->result = -EBADMSG;
	if (stream->skip <= WINDOW_BYTES / 2) {
		int result = perfdata_window_want(window, stream->skip);
		if (result <= 0)
			return result;
		tracing->result = perfdata_tracing_read(perfdata_window_at(window), stream->skip,
							&tracing->format);
	}
	stream->tracing = false;
	return 1;
}

/* What stands between records and is none; 1 where that is behind. */
static int skip(struct perfdata_reader *reader, struct record_stream *stream)
{
	struct perfdata_window *window = &stream->window;
	int result = stream->tracing ? read_tracing(reader, stream) : 1;

	if (result <= 0)
		return result;
	while (stream->skip > 0) {
		result = perfdata_window_want(window, 1);
		if (result <= 0)
			return result;
		size_t some = perfdata_window_has(window);
		if (some > stream->skip)
			some = (size_t)stream->skip;
		perfdata_window_pass(window, some);
		stream->skip -= some;
		if (stream == &reader->outer && reader->input->seekable &&
		    perfdata_window_has(window) == 0) {
			uint64_t size = reader->input->size;
			uint64_t end = size < reader->end ? size : reader->end;
			uint64_t most = reader->at < end ? end - reader->at : 0;
			uint64_t jump = stream->skip < most ? stream->skip : most;
			reader->at += jump;
			stream->skip -= jump;
		}
	}
	return 1;
}

/* What follows a record that is no record. Old simpleperfs have it in the record. */
static void note_skip(const struct perfdata_reader *reader, struct record_stream *stream,
		      const struct perf_event_header *record)
{
	uint32_t half;
	uint64_t word;

	if (record->type == PERFDATA_TRACING_DATA &&
	    record->size >= sizeof(*record) + sizeof(half)) {
		memcpy(&half, record + 1, sizeof(half));
		stream->skip = record->size > TRACING_HEAD_MAX ? 0 : half;
		stream->tracing = stream->skip > 0 && !reader->swapped;
	} else if (record->type == PERFDATA_AUXTRACE &&
		   record->size >= sizeof(*record) + sizeof(word)) {
		memcpy(&word, record + 1, sizeof(word));
		stream->skip = word;
	}
}

/* Whose records come next must be known to swap them. */
static void swap_record(struct perfdata_reader *reader, struct perf_event_header *record)
{
	perfdata_swap_record(&reader->events, record);
	if (record->type == PERFDATA_ATTR)
		perfdata_events_add(&reader->events, record);
}

static int say_size(const struct perfdata_reader *reader, size_t size, struct error *err)
{
	return error_set(err, -EBADMSG,
			 "The recording is broken at byte %llu, where a record of %zu bytes "
			 "stands: what came before was read.",
			 (unsigned long long)perfdata_reader_position(reader), size);
}

/* Of a record of simpleperf's own: the upper half of its size is in misc. */
static size_t simpleperf_size(const struct perf_event_header *header)
{
	return (size_t)header->misc << 16 | header->size;
}

/*
 * Passes over what is no record, and over the records of simpleperf's own, which may be larger than
 * the window. 1 and the header of the next record, which still stands in the window; else as
 * take().
 */
static int find_record(struct perfdata_reader *reader, struct record_stream *stream,
		       struct perf_event_header *header, struct error *err)
{
	struct perfdata_window *window = &stream->window;

	for (;;) {
		int result = skip(reader, stream);
		if (result <= 0)
			return result == 0 ? -ENODATA : result;
		result = perfdata_window_want(window, sizeof(*header));
		if (result <= 0)
			return result == 0 && perfdata_window_has(window) > 0 ? -ENODATA : result;
		memcpy(header, perfdata_window_at(window), sizeof(*header));
		if (reader->swapped)
			perfdata_swap_header(header);
		if (header->type < PERFDATA_SIMPLEPERF)
			return header->size < sizeof(*header) ? say_size(reader, header->size, err)
							      : 1;
		stream->skip = simpleperf_size(header);
		if (stream->skip < sizeof(*header))
			return say_size(reader, stream->skip, err);
	}
}

/*
 * The next record of a stream: 1; 0 where it ends; -ENODATA where it ends in the midst of one; or
 * another -errno.
 */
static int take(struct perfdata_reader *reader, struct record_stream *stream,
		const struct perf_event_header **out, struct error *err)
{
	struct perfdata_window *window = &stream->window;
	struct perf_event_header header, *record;
	int result = find_record(reader, stream, &header, err);

	if (result <= 0)
		return result;
	result = perfdata_window_want(window, header.size);
	if (result <= 0)
		return result == 0 ? -ENODATA : result;
	unsigned char *at = window->bytes + window->begin;
	if ((uintptr_t)at % sizeof(uint64_t))
		at = memcpy(stream->aligned, at, header.size);
	perfdata_window_pass(window, header.size);
	record = (void *)at;
	if (header.type == PERFDATA_ATTR && !reader->native)
		record->misc = 0;
	if (reader->swapped)
		swap_record(reader, record);
	note_skip(reader, stream, record);
	reader->native |= native_is(record, NATIVE_BEGIN);
	*out = record;
	return 1;
}

/* In pipes the names of events stand in a feature, too, where perf is old. */
static void note_names(struct perfdata_reader *reader, const struct perf_event_header *record)
{
	const size_t head = sizeof(*record) + sizeof(uint64_t);
	const unsigned char *bytes = (const void *)record;
	uint64_t feature;

	if (record->size < head)
		return;
	memcpy(&feature, record + 1, sizeof(feature));
	if (feature == PERFDATA_EVENT_DESC)
		perfdata_event_desc(&reader->made, bytes + head, record->size - head);
}

static int take_outer(struct perfdata_reader *reader, const struct perf_event_header **record,
		      struct error *err)
{
	int result = take(reader, &reader->outer, record, err);
	bool early = reader->at < reader->end && reader->end != UINT64_MAX;
	bool within = perfdata_window_has(&reader->inner.window) > 0 || reader->inner.skip > 0;

	if (result == -ENODATA || (result == 0 && (early || within)))
		return say_cut(reader, err);
	if (result > 0 && (*record)->type == PERFDATA_FEATURE)
		note_names(reader, *record);
	return result;
}

static bool is_packed(const struct perf_event_header *record)
{
	return record->type == PERFDATA_COMPRESSED || record->type == PERFDATA_COMPRESSED2;
}

/* A piece of what is packed: it stays where it is until all of it has been unpacked. */
static int begin_piece(struct perfdata_reader *reader, const struct perf_event_header *record,
		       struct error *err)
{
	const unsigned char *bytes = (const void *)(record + 1);
	uint64_t n = record->size - sizeof(*record), size = n;

	if (record->type == PERFDATA_COMPRESSED2) {
		if (n >= sizeof(size))
			memcpy(&size, bytes, sizeof(size));
		if (n < sizeof(size) || size > n - sizeof(size))
			return say_unpacked(reader, err);
		bytes += sizeof(size);
		n = size;
	}
	if (!reader->unpacker) {
		reader->unpacker = perfdata_unpacker_new();
		stream_init(&reader->inner, perfdata_unpacker_fill, reader->unpacker);
	}
	perfdata_unpacker_piece(reader->unpacker, bytes, (size_t)n);
	return 1;
}

static int take_record(struct perfdata_reader *reader, const struct perf_event_header **record,
		       struct error *err)
{
	for (;;) {
		int result = 0;
		if (reader->unpacker)
			result = take(reader, &reader->inner, record, err);
		if (result == -EBADMSG && reader->error.code == 0)
			return say_unpacked(reader, err);
		if (result != 0 && result != -ENODATA)
			return result;
		result = take_outer(reader, record, err);
		if (result <= 0 || !is_packed(*record))
			return result;
		result = begin_piece(reader, *record, err);
		if (result < 0)
			return result;
	}
}

/* ---- all of them */

static bool take_made(struct perfdata_reader *reader, const struct perf_event_header **record)
{
	if (reader->made_at == reader->made.n) {
		reader->made.n = reader->made_at = 0;
		return false;
	}
	*record = (const void *)(reader->made.bytes + reader->made_at);
	reader->made_at += (*record)->size;
	if (reader->swapped && (*record)->type == PERFDATA_ATTR)
		perfdata_events_add(&reader->events, *record);
	return true;
}

static int step(struct perfdata_reader *reader, const struct perf_event_header **record,
		struct error *err)
{
	int result = 1;

	while (!take_made(reader, record)) {
		switch (reader->stage) {
		case STAGE_HEAD:
			result = read_head(reader, err);
			break;
		case STAGE_SECTIONS:
			result = perfdata_file_step(reader->file, &reader->made, err);
			if (result == 0) {
				reader->stage = STAGE_RECORDS;
				result = 1;
			}
			break;
		case STAGE_RECORDS:
			return take_record(reader, record, err);
		}
		if (result <= 0)
			return result;
	}
	return 1;
}

static int say_unreadable(int result, struct error *err)
{
	return error_set(err, result, "The recording cannot be read: %s.", error_why(result));
}

int perfdata_reader_next(struct perfdata_reader *reader, const struct perf_event_header **record,
			 struct error *err)
{
	if (reader->result > 0) {
		int result = step(reader, record, &reader->error);
		if (result > 0 || result == -EAGAIN)
			return result;
		reader->result = result;
		if (result < 0 && reader->error.code == 0)
			say_unreadable(result, &reader->error);
	}
	if (err)
		*err = reader->error;
	return reader->result;
}
