// SPDX-License-Identifier: MIT
/*
 * The mappings of a process come from all CPUs on which it ran. They are kept until all rings are
 * read: an exec on one CPU must not remove mappings that were made after it on another one.
 */
#include "core/collect/code_reader.h"

#include "core/base/util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A record of a ring that waits until the rings of all CPUs are read. */
struct code_side_record {
	uint64_t time_ns, order;
	struct perf_event_header *bytes; /* owned */
};

void code_reader_fini(struct code_reader *reader)
{
	free(reader->records);
	reader->records = NULL;
	reader->records_capacity = 0;
}

/* Keeps a copy until the records of all CPUs are there. */
static void keep_record(struct code_reader *reader, const struct perf_event_header *header,
			uint64_t time_ns)
{
	reader->records = array_reserve(reader->records, &reader->records_capacity,
					reader->n_records + 1, sizeof(*reader->records));
	struct code_side_record *kept = &reader->records[reader->n_records];
	*kept = (struct code_side_record){.time_ns = time_ns, .order = reader->n_records++};
	kept->bytes = xmalloc(header->size);
	memcpy(kept->bytes, header, header->size);
}

static int compare_records(const void *left, const void *right)
{
	const struct code_side_record *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

void code_reader_pass(struct code_reader *reader, const struct code_sink *sink)
{
	struct code_record record;

	if (reader->n_records > 1)
		qsort(reader->records, reader->n_records, sizeof(*reader->records),
		      compare_records);
	for (size_t i = 0; i < reader->n_records; i++) {
		/* It was decoded before. */
		if (code_record_decode(reader->records[i].bytes, &record) == 0)
			sink->record(sink->user, &record);
		free(reader->records[i].bytes);
	}
	reader->records = array_give_back(reader->records, &reader->records_capacity,
					  reader->n_records, sizeof(*reader->records));
	reader->n_records = 0;
}

static int pass_sample(const struct code_sink *sink, struct cpu_code *code,
		       const struct perf_event_header *header)
{
	struct cpu_code_event *event = cpu_code_find(code, code_record_id(header));
	struct code_sample sample;

	if (!event)
		return -EBADMSG;
	int result = code_sample_decode(header, event->has_period, &sample);
	if (result < 0)
		return result;
	sample.event = event->event;
	if (event->owned)
		sample.weight = event->period;
	event->samples++;
	code->samples++;
	sink->sample(sink->user, &sample);
	return 0;
}

/*
 * An event that samples beside the groups makes no samples from THROTTLE to UNTHROTTLE. Those that
 * were due are lost. A group that counts is a matter of its owner, and counts nothing meanwhile.
 */
static void pass_throttle(struct code_reader *reader, const struct code_sink *sink,
			  struct cpu_code *code, const struct code_record *record,
			  const struct perf_event_header *header)
{
	struct cpu_code_event *event = cpu_code_find(code, record->id);

	if (!event || event->id != record->id || !event->owned) {
		if (event && event->id == record->id)
			event->throttled_ns =
				header->type == PERF_RECORD_THROTTLE ? record->time_ns : 0;
		if (reader->throttle)
			reader->throttle(reader->user, code, header);
		return;
	}
	if (header->type == PERF_RECORD_THROTTLE) {
		event->throttled_ns = record->time_ns;
		return;
	}
	uint64_t ns = event->throttled_ns ? u64_growth(event->throttled_ns, record->time_ns) : 0;
	event->throttled_ns = 0;
	/* The period of cpu-clock is in ns; of other events the number is unknown, but not 0. */
	uint64_t lost = event->is_clock ? ns / event->period : ns > 0;
	if (lost > 0)
		sink->lost(sink->user, lost);
}

static int pass_other(struct code_reader *reader, const struct code_sink *sink,
		      struct cpu_code *code, const struct perf_event_header *header)
{
	struct code_record record;
	int result = code_record_decode(header, &record);

	if (result < 0)
		return result;
	switch (record.kind) {
	case CODE_RECORD_MMAP:
	case CODE_RECORD_KSYMBOL:
	case CODE_RECORD_EXEC:
	case CODE_RECORD_FORK:
	case CODE_RECORD_EXIT:
		keep_record(reader, header, record.time_ns);
		break;
	case CODE_RECORD_LOST:
		sink->lost(sink->user, record.lost);
		break;
	case CODE_RECORD_THROTTLE:
		pass_throttle(reader, sink, code, &record, header);
		break;
	case CODE_RECORD_SAMPLE:
	case CODE_RECORD_OTHER:
		break;
	}
	return 0;
}

void code_reader_drain(struct code_reader *reader, const struct code_sink *sink,
		       struct cpu_code *code)
{
	const struct perf_event_header *header;

	if (code->ring_fd < 0)
		return;
	uint64_t broken = code->ring.broken, undecoded = 0;
	/* Records that come meanwhile are left for the next time: this ends on a busy CPU too. */
	uint64_t head = ring_head(&code->ring);
	while (code->ring.tail < head && (header = ring_peek(&code->ring))) {
		int result = header->type == PERF_RECORD_SAMPLE
				     ? pass_sample(sink, code, header)
				     : pass_other(reader, sink, code, header);
		undecoded += result < 0;
		ring_consume(&code->ring);
	}
	ring_release(&code->ring);
	undecoded += code->ring.broken - broken;
	if (undecoded > 0)
		sink->lost(sink->user, undecoded);
}
