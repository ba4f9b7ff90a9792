// SPDX-License-Identifier: MIT
/*
 * The layouts are in linux/perf_event.h, "struct perf_event_type" comments. Every record but
 * SAMPLE ends with the sample_id trailer (attr.sample_id_all).
 */
#include "core/perf/record.h"

#include "core/base/util.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

struct sample_id {
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, reserved;
	uint64_t id;
};
static_assert(sizeof(struct sample_id) == 32, "sample_id of RECORD_SAMPLE_TYPE");

struct sample_bytes {
	struct perf_event_header header;
	uint64_t id;
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, reserved;
	uint64_t n, enabled_ns, running_ns;
	uint64_t values[];
};
static_assert(sizeof(struct sample_bytes) == 64, "PERF_RECORD_SAMPLE of RECORD_SAMPLE_TYPE");

struct comm_bytes {
	struct perf_event_header header;
	uint32_t pid, tid;
	char text[]; /* padded to 8 bytes */
};
static_assert(offsetof(struct comm_bytes, text) == 16, "PERF_RECORD_COMM");

struct fork_bytes {
	struct perf_event_header header;
	uint32_t pid, ppid, tid, ptid;
	uint64_t time_ns;
	struct sample_id trailer;
};
static_assert(sizeof(struct fork_bytes) == 64, "PERF_RECORD_FORK with its trailer");

struct lost_bytes {
	struct perf_event_header header;
	uint64_t id, records;
	struct sample_id trailer;
};
static_assert(sizeof(struct lost_bytes) == 56, "PERF_RECORD_LOST with its trailer");

struct switch_bytes {
	struct perf_event_header header;
	uint32_t other_pid, other_tid;
	struct sample_id trailer;
};
static_assert(sizeof(struct switch_bytes) == 48, "PERF_RECORD_SWITCH_CPU_WIDE with its trailer");

struct throttle_bytes {
	struct perf_event_header header;
	uint64_t time_ns, id, stream_id;
	struct sample_id trailer;
};
static_assert(sizeof(struct throttle_bytes) == 64, "PERF_RECORD_THROTTLE with its trailer");

/* The end of every record but SAMPLE. */
static void decode_trailer(const struct sample_id *trailer, struct record *record)
{
	record->id = trailer->id;
	record->time_ns = trailer->time_ns;
	record->pid = (pid_t)trailer->pid;
	record->tid = (pid_t)trailer->tid;
}

static int decode_sample(const struct perf_event_header *header, struct record *record)
{
	const struct sample_bytes *bytes = (const void *)header;

	if (header->size < sizeof(*bytes) ||
	    bytes->n > (header->size - sizeof(*bytes)) / sizeof(uint64_t))
		return -EBADMSG;
	record->kind = RECORD_SAMPLE;
	record->id = bytes->id;
	record->time_ns = bytes->time_ns;
	record->pid = (pid_t)bytes->pid;
	record->tid = (pid_t)bytes->tid;
	record->sample.reading = &bytes->enabled_ns;
	record->sample.n_values = bytes->n;
	record->sample.next = 0;
	record->sample.state = RECORD_STATE_UNKNOWN;
	record->sample.rest = bytes->values + bytes->n;
	record->sample.rest_bytes =
		header->size - sizeof(*bytes) - bytes->n * sizeof(bytes->values[0]);
	return 0;
}

void record_parse_comm(const struct perf_event_header *header, size_t text_bytes,
		       struct record *record)
{
	const struct comm_bytes *bytes = (const void *)header;
	size_t length = strnlen(bytes->text, size_min(text_bytes, sizeof(record->comm.text) - 1));

	record->kind = RECORD_COMM;
	record->pid = (pid_t)bytes->pid;
	record->tid = (pid_t)bytes->tid;
	memcpy(record->comm.text, bytes->text, length);
	memset(record->comm.text + length, 0, sizeof(record->comm.text) - length);
	record->comm.exec = header->misc & PERF_RECORD_MISC_COMM_EXEC;
}

static int decode_comm(const struct perf_event_header *header, struct record *record)
{
	const size_t fixed = sizeof(struct comm_bytes) + sizeof(struct sample_id);

	if (header->size < fixed)
		return -EBADMSG;
	const struct sample_id *trailer =
		(const void *)((const char *)header + header->size - sizeof(*trailer));
	decode_trailer(trailer, record);
	record_parse_comm(header, header->size - fixed, record);
	return 0;
}

void record_parse_fork(const struct perf_event_header *header, struct record *record)
{
	const struct fork_bytes *bytes = (const void *)header;

	record->kind = header->type == PERF_RECORD_FORK ? RECORD_FORK : RECORD_EXIT;
	record->pid = (pid_t)bytes->pid;
	record->tid = (pid_t)bytes->tid;
	record->fork.ppid = (pid_t)bytes->ppid;
	record->fork.ptid = (pid_t)bytes->ptid;
}

static int decode_fork(const struct perf_event_header *header, struct record *record)
{
	const struct fork_bytes *bytes = (const void *)header;

	if (header->size != sizeof(*bytes))
		return -EBADMSG;
	decode_trailer(&bytes->trailer, record);
	record_parse_fork(header, record);
	return 0;
}

static int decode_lost(const struct perf_event_header *header, struct record *record)
{
	const struct lost_bytes *bytes = (const void *)header;

	if (header->size != sizeof(*bytes))
		return -EBADMSG;
	record->kind = RECORD_LOST;
	decode_trailer(&bytes->trailer, record);
	record->lost.records = bytes->records;
	return 0;
}

void record_parse_switch(const struct perf_event_header *header, struct record *record)
{
	const struct switch_bytes *bytes = (const void *)header;
	bool cpu_wide = header->type == PERF_RECORD_SWITCH_CPU_WIDE;

	record->kind = RECORD_SWITCH;
	record->change.other_pid = cpu_wide ? (pid_t)bytes->other_pid : -1;
	record->change.other_tid = cpu_wide ? (pid_t)bytes->other_tid : -1;
	record->change.out = header->misc & PERF_RECORD_MISC_SWITCH_OUT;
	record->change.preempted = header->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
}

static int decode_switch(const struct perf_event_header *header, struct record *record)
{
	const struct switch_bytes *bytes = (const void *)header;

	if (header->size != sizeof(*bytes))
		return -EBADMSG;
	decode_trailer(&bytes->trailer, record);
	record_parse_switch(header, record);
	return 0;
}

static int decode_throttle(const struct perf_event_header *header, struct record *record)
{
	const struct throttle_bytes *bytes = (const void *)header;

	if (header->size != sizeof(*bytes))
		return -EBADMSG;
	record->kind = RECORD_THROTTLE;
	decode_trailer(&bytes->trailer, record);
	return 0;
}

SELDOM static int decode_other(const struct perf_event_header *header, struct record *record)
{
	switch (header->type) {
	case PERF_RECORD_COMM:
		return decode_comm(header, record);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return decode_fork(header, record);
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return decode_switch(header, record);
	case PERF_RECORD_LOST:
		return decode_lost(header, record);
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		return decode_throttle(header, record);
	}
	*record = (struct record){.kind = RECORD_OTHER};
	return 0;
}

/* Nearly all records are samples, so the others are kept out of line. */
int record_decode(const struct perf_event_header *header, struct record *record)
{
	return header->type == PERF_RECORD_SAMPLE ? decode_sample(header, record)
						  : decode_other(header, record);
}
