// SPDX-License-Identifier: MIT
/*
 * Any bytes as a recording. Its records are equal when read from a file, from a pipe in pieces, and
 * after a rewind. Each record is complete and read within its bounds, and so are call chains,
 * mappings, build ids and symbols.
 */
#include "tests/fuzz/fuzz.h"

#include "core/perfdata/perfdata_build_ids.h"
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

static void check_chain(const struct perf_event_header *header,
			const struct perfdata_sample *sample)
{
	const char *begin = (const char *)header, *end = begin + header->size;
	uint64_t sum = 0;

	fuzz_check(sample->n_chain == 0 ||
			   ((const char *)sample->chain > begin && sample->n_chain < header->size &&
			    (const char *)(sample->chain + sample->n_chain) <= end),
		   "a chain lies within its record");
	for (size_t i = 0; i < sample->n_chain; i++)
		sum |= sample->chain[i];
	fuzz_check(sum == 0 || sample->has & PERF_SAMPLE_CALLCHAIN, "a chain is there");
}

static void check_code(const struct perfdata_events *events, const struct perf_event_header *header)
{
	static struct perfdata_sample trailer;
	struct code_record record;

	if (perfdata_decode_code(events, header, &record, &trailer) < 0)
		return;
	check_event(events, trailer.event);
	if (record.kind == CODE_RECORD_MMAP) {
		fuzz_check_text(header, header->size, record.mmap.mapping.name);
		fuzz_check(record.mmap.mapping.end >= record.mmap.mapping.start,
			   "a mapping ends after its start");
		fuzz_check(record.mmap.build_id.size <= CODE_BUILD_ID_MAX, "a build id is short");
	} else if (record.kind == CODE_RECORD_KSYMBOL) {
		fuzz_check_text(header, header->size, record.ksymbol.name);
	}
}

static uint64_t check_record(struct perfdata_events *events, struct perfdata_build_ids *ids,
			     const struct perf_event_header *header)
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
	perfdata_build_ids_add(ids, copy);
	check_code(events, copy);
	if (perfdata_decode(events, copy, &record, &sample) == 0) {
		check_event(events, sample.event);
		check_chain(copy, &sample);
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

static void check_names(struct perfdata_reader *reader, struct perfdata_build_ids *ids)
{
	const struct code_build_id *id = perfdata_build_ids_find(ids, "/bin/work", 50);
	struct simpleperf_symbols *symbols = perfdata_reader_symbols(reader);
	const struct simpleperf_place place = {"/bin/work", 0x400000, 0x1000, 0x400100};
	struct simpleperf_symbol symbol;

	fuzz_check(!id || (id->size > 0 && id->size <= CODE_BUILD_ID_MAX), "a build id is short");
	if (symbols && simpleperf_symbols_find(symbols, &place, &symbol))
		fuzz_check(strlen(symbol.name) < symbols->names_bytes, "a name ends");
}

/* A checksum of all records and of the result. */
static uint64_t read_all(struct perfdata_reader *reader, size_t size)
{
	struct perfdata_events events = {0};
	struct perfdata_build_ids ids = {0};
	const struct perf_event_header *record;
	struct error err = {0};
	uint64_t sum = 1, position = 0;
	int result;

	for (size_t n = 0; (result = perfdata_reader_next(reader, &record, &err)) > 0; n++) {
		sum = sum * 31 + check_record(&events, &ids, record);
		uint64_t now = perfdata_reader_position(reader);
		fuzz_check(now >= position || n == 0, "the position increases");
		fuzz_check(now <= size, "the position is within the file");
		position = now;
		if (n == RECORDS_MAX)
			break;
	}
	fuzz_check(result >= 0 || (result == err.code && err.text[0]), "an error has a text");
	check_events(&events);
	check_names(reader, &ids);
	perfdata_build_ids_fini(&ids);
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
