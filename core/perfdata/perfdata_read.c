// SPDX-License-Identifier: MIT
/*
 * A reader has two streams of records: `outer` is the input, `inner` is what 'perf record -z' has
 * compressed. The pieces of the inner stream are records of the outer one. A record of the inner
 * stream may begin in one piece and end in the next.
 *
 * A file in perf's usual format that comes from a pipe is read forwards. What is not records, the
 * bytes before and behind them, is kept in `apart`, from which struct perfdata_file reads.
 *
 * A native file has all that is in its sections among its records as well, so it is read as the
 * stream that it was (core/perfdata/perfdata_sections.h): it may be cut off, or come from a pipe.
 *
 * Records that a pipe would contain, but the input does not, are in `made`: records from the
 * sections of a file, and the names of an old perf.
 */
#include "core/perfdata/perfdata_read.h"

#include "core/base/util.h"
#include "core/perfdata/native_record.h"
#include "core/perfdata/perfdata_file.h"
#include "core/perfdata/perfdata_swap.h"
#include "core/perfdata/perfdata_unpack.h"
#include "core/perfdata/record_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum stage {
	STAGE_HEAD,
	STAGE_FRONT,    /* from a pipe: the bytes before the records */
	STAGE_SECTIONS, /* of a file in perf's usual format */
	STAGE_RECORDS,
	STAGE_BACK, /* from a pipe: the bytes behind the records */
};

enum {
	PIPE_HEAD = sizeof(struct perfdata_file_head),
	BACK_BYTES = 16 << 20, /* of features that are read from a pipe */
};

struct perfdata_reader {
	const struct perfdata_input *input;
	enum stage stage;
	uint64_t at;  /* offset in the input of the next byte for the window of `outer` */
	uint64_t end; /* offset in the input where the records end */
	struct record_context context;
	struct record_stream outer, inner;
	struct perfdata_unpacker *unpacker; /* source of `inner`; NULL: nothing is compressed */
	struct perfdata_file *file;         /* NULL: a stream */
	struct simpleperf_symbols symbols;
	bool has_symbols;                  /* all that are in the file */
	struct perfdata apart;             /* bytes of a pipe that are no records ... */
	uint64_t apart_at;                 /* ... their offset ... */
	struct perfdata_input apart_input; /* ... and a reader of them */
	struct perfdata made;
	size_t made_at;
	int result; /* <= 0 and not -EAGAIN: all later calls return it */
	struct error error;
};

static ssize_t fill_from_input(void *arg, void *bytes, size_t n)
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

static uint64_t jump_in_input(void *arg, uint64_t n)
{
	struct perfdata_reader *reader = arg;
	uint64_t size = reader->input->size, end = size < reader->end ? size : reader->end;

	if (!reader->input->seekable || reader->at >= end)
		return 0;
	if (n > end - reader->at)
		n = end - reader->at;
	reader->at += n;
	return n;
}

static ssize_t read_apart(void *arg, uint64_t at, void *bytes, size_t n)
{
	const struct perfdata_reader *reader = arg;

	if (at < reader->apart_at || at - reader->apart_at >= reader->apart.n)
		return 0;
	size_t begin = (size_t)(at - reader->apart_at);
	n = size_min(n, reader->apart.n - begin);
	memcpy(bytes, reader->apart.bytes + begin, n);
	return (ssize_t)n;
}

/* Moves bytes of a pipe up to that offset to `apart`: 1; 0: it ends before; or -errno. */
static int keep_apart(struct perfdata_reader *reader, uint64_t end)
{
	struct record_stream *stream = &reader->outer;

	reader->end = end;
	while (reader->apart_at + reader->apart.n < end) {
		int result = record_stream_load(stream, 1);
		if (result <= 0)
			return result;
		size_t n = record_stream_has(stream);
		perfdata_append(&reader->apart, record_stream_at(stream), n);
		record_stream_pass(stream, n);
	}
	return 1;
}

static void drop_inner(struct perfdata_reader *reader)
{
	record_stream_fini(&reader->inner);
	perfdata_unpacker_free(reader->unpacker);
	reader->unpacker = NULL;
}

struct perfdata_reader *perfdata_reader_new(const struct perfdata_input *input)
{
	struct perfdata_reader *reader = xcalloc(1, sizeof(*reader));
	const struct record_source source = {fill_from_input, jump_in_input, reader};

	reader->input = input;
	reader->context.made = &reader->made;
	record_stream_init(&reader->outer, &source, &reader->context);
	perfdata_reader_rewind(reader);
	return reader;
}

void perfdata_reader_rewind(struct perfdata_reader *reader)
{
	perfdata_file_free(reader->file);
	reader->file = NULL;
	if (!reader->has_symbols)
		simpleperf_symbols_fini(&reader->symbols);
	reader->stage = STAGE_HEAD;
	reader->at = 0;
	/* No record of a pipe is read before its format is known. */
	reader->end = reader->input->seekable ? UINT64_MAX : PIPE_HEAD;
	reader->apart.n = 0;
	reader->apart_at = 0;
	reader->apart_input = (struct perfdata_input){.read = read_apart, .arg = reader};
	record_stream_clear(&reader->outer);
	drop_inner(reader);
	perfdata_events_fini(&reader->context.events);
	reader->context.swapped = reader->context.native = false;
	reader->context.tracing.result = -ENOENT;
	reader->made.n = reader->made_at = 0;
	reader->result = 1;
	reader->error = (struct error){0};
}

void perfdata_reader_free(struct perfdata_reader *reader)
{
	if (!reader)
		return;
	perfdata_file_free(reader->file);
	drop_inner(reader);
	perfdata_events_fini(&reader->context.events);
	record_stream_fini(&reader->outer);
	perfdata_fini(&reader->made);
	simpleperf_symbols_fini(&reader->symbols);
	perfdata_fini(&reader->apart);
	free(reader);
}

int perfdata_reader_switch_format(const struct perfdata_reader *reader,
				  const struct switch_format **format)
{
	*format = &reader->context.tracing.format;
	return reader->context.tracing.result;
}

const struct waking_format *perfdata_reader_waking_format(const struct perfdata_reader *reader,
							  uint64_t id)
{
	const struct perfdata_tracing *tracing = &reader->context.tracing;

	for (size_t i = 0; i < tracing->n_wakings; i++)
		if (tracing->wakings[i].id == id)
			return &tracing->wakings[i];
	return NULL;
}

struct simpleperf_symbols *perfdata_reader_symbols(struct perfdata_reader *reader)
{
	return reader->symbols.n > 0 ? &reader->symbols : NULL;
}

bool perfdata_reader_unfinished(const struct perfdata_reader *reader)
{
	return reader->file && perfdata_file_unfinished(reader->file);
}

uint64_t perfdata_reader_position(const struct perfdata_reader *reader)
{
	return reader->at - record_stream_has(&reader->outer);
}

/* Forms of compressed files, and the program that reads them to a pipe. */
static const struct compression {
	const char *name, *program;
	unsigned char begin[6];
	size_t n;
} compressions[] = {
	{"a gzip", "zcat", {0x1f, 0x8b}, 2},
	{"a zstd", "zstdcat", {0x28, 0xb5, 0x2f, 0xfd}, 4},
	{"an xz", "xzcat", {0xfd, '7', 'z', 'X', 'Z', 0}, 6},
	{"a bzip2", "bzcat", {'B', 'Z', 'h'}, 3},
	{"an lz4", "lz4cat", {0x04, 0x22, 0x4d, 0x18}, 4},
};

static const struct compression *find_compression(const struct record_stream *stream)
{
	for (size_t i = 0; i < ARRAY_SIZE(compressions); i++)
		if (record_stream_has(stream) >= compressions[i].n &&
		    memcmp(record_stream_at(stream), compressions[i].begin, compressions[i].n) == 0)
			return &compressions[i];
	return NULL;
}

static int refuse_head(const struct perfdata_reader *reader, struct error *err)
{
	const struct record_stream *stream = &reader->outer;

	if (record_stream_has(stream) == 0)
		return error_set(err, -EINVAL, "This is not a recording: it is empty.");
	const struct compression *compression = find_compression(stream);
	if (compression)
		return error_set(err, -EINVAL,
				 "This is %s file. To replay the recording in it: %s FILE | "
				 "pmctop --replay -",
				 compression->name, compression->program);
	if (record_stream_has(stream) >= 8 && memcmp(record_stream_at(stream), "PERFFILE", 8) == 0)
		return error_set(err, -EINVAL,
				 "This recording is from perf before Linux 3.2 and cannot be read. "
				 "Record with a newer perf.");
	return error_set(err, -EINVAL,
			 "This is not a recording: it does not begin like perf.data. To make one: "
			 "pmctop --record, or perf record");
}

/*
 * Reads what is before the records of a pipe: 1, or -errno. The size of the input is unknown; it
 * is greater than all offsets.
 */
static int read_front(struct perfdata_reader *reader, struct error *err)
{
	uint64_t begin, end;

	if (!reader->file) {
		int result = keep_apart(reader, PIPE_HEAD);
		if (result < 0)
			return result;
		reader->apart_input.size = INT64_MAX;
		result = perfdata_file_new(&reader->apart_input, reader->context.swapped,
					   &reader->context.tracing, &reader->symbols,
					   &reader->file, err);
		if (result < 0)
			return result;
	}
	perfdata_file_data(reader->file, &begin, &end);
	int result = keep_apart(reader, begin);
	if (result < 0)
		return result;
	reader->end = end >= INT64_MAX ? UINT64_MAX : end;
	reader->stage = STAGE_SECTIONS;
	return 1;
}

/* Reads what is behind the records of a pipe: 1; 0: nothing; or -errno. */
static int read_back(struct perfdata_reader *reader)
{
	if (reader->apart_at == 0) {
		reader->apart.n = 0;
		reader->apart_at = reader->at;
	}
	int result = keep_apart(reader, reader->apart_at + BACK_BYTES);
	if (result < 0)
		return result;
	reader->end = reader->at;
	reader->apart_input.size = reader->at;
	if (!perfdata_file_late(reader->file))
		return 0;
	reader->stage = STAGE_SECTIONS;
	return 1;
}

/* Makes n bytes available at the beginning of the input: as record_stream_load(). */
static int load_start(struct perfdata_reader *reader, size_t n)
{
	if (!reader->input->seekable)
		reader->end = n;
	return record_stream_load(&reader->outer, n);
}

/* Whether it is a native file: 1, and *data are its records; 0; or -errno. */
static int find_native(struct perfdata_reader *reader, struct perfdata_section *data)
{
	struct perfdata_file_head head;
	struct native_head first;
	int result = load_start(reader, sizeof(head));

	if (result <= 0)
		return result;
	memcpy(&head, record_stream_at(&reader->outer), sizeof(head));
	if (reader->context.swapped)
		perfdata_swap_words((uint64_t *)&head, sizeof(head) / sizeof(uint64_t));
	if (head.size != sizeof(head) || head.data.offset != sizeof(head))
		return 0;
	result = load_start(reader, sizeof(head) + sizeof(first));
	if (result <= 0)
		return result;
	memcpy(&first, record_stream_at(&reader->outer) + sizeof(head), sizeof(first));
	if (reader->context.swapped) {
		perfdata_swap_header(&first.header);
		perfdata_swap_words(&first.kind, 1);
	}
	*data = head.data;
	return native_is(&first.header, NATIVE_BEGIN);
}

/* Its sections are not read. */
static void begin_native(struct perfdata_reader *reader, const struct perfdata_section *data)
{
	bool ends = data->size > 0 && data->size < UINT64_MAX - data->offset;

	if (reader->input->seekable) { /* the window may have bytes behind the records */
		record_stream_clear(&reader->outer);
		reader->at = data->offset;
	} else {
		record_stream_pass(&reader->outer, sizeof(struct perfdata_file_head));
	}
	reader->end = ends ? data->offset + data->size : UINT64_MAX;
	reader->stage = STAGE_RECORDS;
}

static int begin_file(struct perfdata_reader *reader, struct error *err)
{
	struct perfdata_section data;
	int native = find_native(reader, &data);

	if (native > 0)
		begin_native(reader, &data);
	if (native != 0)
		return native;
	if (!reader->input->seekable) {
		reader->stage = STAGE_FRONT;
		return 1;
	}
	int result = perfdata_file_new(
		reader->input, reader->context.swapped, &reader->context.tracing,
		reader->has_symbols ? NULL : &reader->symbols, &reader->file, err);

	if (result < 0)
		return result;
	reader->stage = STAGE_SECTIONS;
	perfdata_file_data(reader->file, &reader->at, &reader->end);
	record_stream_clear(&reader->outer);
	return 1;
}

static int read_head(struct perfdata_reader *reader, struct error *err)
{
	struct record_stream *stream = &reader->outer;
	struct perfdata_head head;
	int result = record_stream_load(stream, sizeof(head));

	if (result < 0)
		return result;
	if (record_stream_has(stream) < sizeof(head.magic))
		return refuse_head(reader, err);
	memcpy(&head.magic, record_stream_at(stream), sizeof(head.magic));
	if (head.magic != PERFDATA_MAGIC && head.magic != __builtin_bswap64(PERFDATA_MAGIC))
		return refuse_head(reader, err);
	if (result == 0)
		return error_set(err, -ENODATA, "The recording is cut off: it has only begun.");
	memcpy(&head, record_stream_at(stream), sizeof(head));
	reader->context.swapped = head.magic != PERFDATA_MAGIC;
	if (reader->context.swapped)
		head.size = __builtin_bswap64(head.size);
	if (head.size != sizeof(head))
		return begin_file(reader, err);
	record_stream_pass(stream, sizeof(head));
	reader->end = UINT64_MAX;
	reader->stage = STAGE_RECORDS;
	return 1;
}

static int report_cut(const struct perfdata_reader *reader, struct error *err)
{
	return error_set(err, -ENODATA,
			 "The recording is cut off at byte %llu. The data before it was read.",
			 (unsigned long long)reader->at);
}

static int report_compressed(const struct perfdata_reader *reader, struct error *err)
{
	return error_set(err, -EBADMSG,
			 "The recording is broken before byte %llu, in data that perf compressed. "
			 "The data before it was read.",
			 (unsigned long long)perfdata_reader_position(reader));
}

static int report_size(const struct perfdata_reader *reader, size_t size, struct error *err)
{
	return error_set(err, -EBADMSG,
			 "The recording is broken at byte %llu, in a record of %zu bytes. The data "
			 "before it was read.",
			 (unsigned long long)perfdata_reader_position(reader), size);
}

/* An old perf that writes to a pipe has the names of events in a feature. */
static void add_names(struct perfdata_reader *reader, const struct perf_event_header *record)
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

static int read_outer(struct perfdata_reader *reader, const struct perf_event_header **record,
		      struct error *err)
{
	int result = record_stream_next(&reader->outer, record);
	bool early = reader->at < reader->end && reader->end != UINT64_MAX;
	bool within = record_stream_has(&reader->inner) > 0 || reader->inner.skip > 0;

	if (result == -EBADMSG && reader->outer.bad_size)
		return report_size(reader, reader->outer.size, err);
	if (result == -ENODATA || (result == 0 && (early || within)))
		return report_cut(reader, err);
	if (result > 0 && (*record)->type == PERFDATA_FEATURE)
		add_names(reader, *record);
	return result;
}

static int read_inner(struct perfdata_reader *reader, const struct perf_event_header **record,
		      struct error *err)
{
	int result = reader->unpacker ? record_stream_next(&reader->inner, record) : 0;

	if (result == -EBADMSG && reader->inner.bad_size)
		return report_size(reader, reader->inner.size, err);
	if (result == -EBADMSG)
		return report_compressed(reader, err);
	return result == -ENODATA ? 0 : result;
}

static bool is_compressed(const struct perf_event_header *record)
{
	return record->type == PERFDATA_COMPRESSED || record->type == PERFDATA_COMPRESSED2;
}

/* Passes a piece to the unpacker, which reads it from the window of the outer stream. */
static int begin_piece(struct perfdata_reader *reader, const struct perf_event_header *record,
		       struct error *err)
{
	const unsigned char *bytes = (const void *)(record + 1);
	uint64_t n = record->size - sizeof(*record), size = n;

	if (record->type == PERFDATA_COMPRESSED2) {
		if (n >= sizeof(size))
			memcpy(&size, bytes, sizeof(size));
		if (n < sizeof(size) || size > n - sizeof(size))
			return report_compressed(reader, err);
		bytes += sizeof(size);
		n = size;
	}
	if (!reader->unpacker) {
		reader->unpacker = perfdata_unpacker_new();
		const struct record_source source = {perfdata_unpacker_fill, NULL,
						     reader->unpacker};
		record_stream_init(&reader->inner, &source, &reader->context);
	}
	perfdata_unpacker_piece(reader->unpacker, bytes, (size_t)n);
	return 1;
}

static int read_record(struct perfdata_reader *reader, const struct perf_event_header **record,
		       struct error *err)
{
	for (;;) {
		int result = read_inner(reader, record, err);
		if (result != 0)
			return result;
		result = read_outer(reader, record, err);
		if (result <= 0 || !is_compressed(*record))
			return result;
		result = begin_piece(reader, *record, err);
		if (result < 0)
			return result;
	}
}

static bool pop_made(struct perfdata_reader *reader, const struct perf_event_header **record)
{
	if (reader->made_at == reader->made.n) {
		reader->made.n = reader->made_at = 0;
		return false;
	}
	*record = (const void *)(reader->made.bytes + reader->made_at);
	reader->made_at += (*record)->size;
	if (reader->context.swapped && (*record)->type == PERFDATA_ATTR)
		perfdata_events_add(&reader->context.events, *record);
	return true;
}

static int read_next(struct perfdata_reader *reader, const struct perf_event_header **record,
		     struct error *err)
{
	int result = 1;

	while (!pop_made(reader, record)) {
		switch (reader->stage) {
		case STAGE_HEAD:
			result = read_head(reader, err);
			break;
		case STAGE_FRONT:
			result = read_front(reader, err);
			break;
		case STAGE_SECTIONS:
			result = perfdata_file_step(reader->file, &reader->made, err);
			if (result == 0) {
				reader->has_symbols = true;
				reader->stage = STAGE_RECORDS;
				result = 1;
			}
			break;
		case STAGE_RECORDS:
			result = record_stream_skip(&reader->outer);
			if (result < 0)
				return result;
			/* Names in the bytes that were passed over come first. */
			if (reader->made.n > 0)
				break;
			result = read_record(reader, record, err);
			if (result != 0 || !reader->file || reader->input->seekable ||
			    reader->apart_at > 0)
				return result;
			reader->stage = STAGE_BACK;
			result = 1;
			break;
		case STAGE_BACK:
			result = read_back(reader);
			break;
		}
		if (result <= 0)
			return result;
	}
	return 1;
}

int perfdata_reader_next(struct perfdata_reader *reader, const struct perf_event_header **record,
			 struct error *err)
{
	if (reader->result > 0) {
		int result = read_next(reader, record, &reader->error);
		if (result > 0 || result == -EAGAIN)
			return result;
		reader->result = result;
		if (result < 0 && reader->error.code == 0)
			error_set(&reader->error, result, "The recording cannot be read: %s.",
				  error_why(result));
	}
	if (err)
		*err = reader->error;
	return reader->result;
}
