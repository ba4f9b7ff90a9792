// SPDX-License-Identifier: MIT
/*
 * Any bytes as a recording. Its records are equal when read from a file, from a pipe in pieces, and
 * after a rewind. Each record is complete and read within its bounds.
 */
#include "tests/fuzz/fuzz.h"

#include "core/perfdata/perfdata_read.h"
#include "core/perfdata/perfdata_sample.h"

#include <errno.h>

enum { RECORDS_MAX = 20000 }; /* compressed records can be many */

struct source {
	const uint8_t *bytes;
	size_t n, piece; /* most bytes per read */
	uint64_t last;   /* offset of the last read */
	bool seekable;
};

static ssize_t read_source(void *arg, uint64_t at, void *bytes, size_t n)
{
	struct source *source = arg;

	fuzz_check(source->seekable || at >= source->last, "a pipe is never read backwards");
	source->last = at;
	if (at >= source->n)
		return 0;
	if (n > source->n - at)
		n = source->n - (size_t)at;
	if (n > source->piece)
		n = source->piece;
	memcpy(bytes, source->bytes + at, n);
	return (ssize_t)n;
}

static uint64_t mix(uint64_t sum, const void *bytes, size_t n)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i < n; i++)
		sum = (sum ^ at[i]) * 0x100000001b3;
	return sum;
}

static void check_event(const struct perfdata_events *events, const struct perfdata_event *event)
{
	fuzz_check(!event || (event >= events->items && event < events->items + events->n),
		   "the event of a record exists");
}

static uint64_t check_record(struct perfdata_events *events, const struct perf_event_header *header)
{
	static struct perfdata_sample sample;
	struct record record;

	fuzz_check(header->size >= sizeof(*header) && (uintptr_t)header % 8 == 0,
		   "a record has a header and is aligned");
	/* A copy in a block of its size, so that sanitizers find reads past the end. */
	struct perf_event_header *copy = malloc(header->size);
	if (!copy)
		abort();
	memcpy(copy, header, header->size);
	perfdata_events_add(events, copy);
	if (perfdata_decode(events, copy, &record, &sample) == 0) {
		check_event(events, sample.event);
		fuzz_check(sample.n_values <= PERFDATA_VALUES_MAX,
			   "the number of values is bounded");
		for (size_t i = 0; i < sample.n_values; i++)
			check_event(events, perfdata_events_find(events, sample.values[i].id));
		fuzz_check(record.kind != RECORD_COMM ||
				   memchr(record.comm.text, '\0', sizeof(record.comm.text)),
			   "comm ends with a NUL");
	}
	uint64_t sum = mix(0, copy, header->size);
	free(copy);
	return sum;
}

static void check_events(const struct perfdata_events *events)
{
	size_t n_ids = 0;

	for (size_t i = 0; i < events->n; i++)
		n_ids += events->items[i].n_ids;
	fuzz_check(events->n <= PERFDATA_EVENTS_MAX && n_ids <= PERFDATA_IDS_MAX &&
			   n_ids == events->n_ids,
		   "events and ids are bounded");
}

/* A checksum of all records and of the result. */
static uint64_t read_all(struct perfdata_reader *reader, size_t size)
{
	struct perfdata_events events = {0};
	const struct perf_event_header *record;
	struct error err = {0};
	uint64_t sum = 1, position = 0;
	int result;

	for (size_t n = 0; (result = perfdata_reader_next(reader, &record, &err)) > 0; n++) {
		sum = sum * 31 + check_record(&events, record);
		uint64_t now = perfdata_reader_position(reader);
		fuzz_check(now >= position || n == 0, "the position increases");
		fuzz_check(now <= size, "the position is within the file");
		position = now;
		if (n == RECORDS_MAX)
			break;
	}
	fuzz_check(result >= 0 || (result == err.code && err.text[0]), "an error has a text");
	check_events(&events);
	perfdata_events_fini(&events);
	return sum * 31 + (uint64_t)result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct source file = {data, size, size, 0, true};
	struct source pipe = {data, size, size % 61 + 1, 0, false};
	const struct perfdata_input file_input = {read_source, &file, true, size};
	const struct perfdata_input pipe_input = {read_source, &pipe, false, 0};
	struct perfdata_reader *reader = perfdata_reader_new(&file_input);
	uint64_t first = read_all(reader, size);

	perfdata_reader_rewind(reader);
	fuzz_check(read_all(reader, size) == first, "after a rewind the records are equal");
	perfdata_reader_free(reader);

	bool is_pipe = size >= 16 && (memcmp(data, "PERFILE2\20\0\0\0\0\0\0\0", 16) == 0 ||
				      memcmp(data, "2ELIFREP\0\0\0\0\0\0\0\20", 16) == 0);
	reader = perfdata_reader_new(&pipe_input);
	uint64_t piped = read_all(reader, size);
	/* The file format cannot be read from a pipe. */
	fuzz_check(!is_pipe || piped == first, "a pipe and a file have equal records");
	perfdata_reader_free(reader);
	return 0;
}
