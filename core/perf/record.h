// SPDX-License-Identifier: MIT
#ifndef PMCTOP_RECORD_H
#define PMCTOP_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * One perf record, decoded. Pure: bytes in, a value out. Every sampled event of pmctop begins with
 * the same layout, so that no id needs to be looked up before a record can be read:
 */
#define RECORD_SAMPLE_TYPE                                                               \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | \
	 PERF_SAMPLE_READ)
#define RECORD_READ_FORMAT \
	(PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

enum record_kind {
	RECORD_SAMPLE,
	RECORD_COMM,
	RECORD_FORK,
	RECORD_EXIT,
	RECORD_SWITCH,
	RECORD_LOST,
	RECORD_THROTTLE, /* the group stopped counting, or goes on (UNTHROTTLE) */
	RECORD_OTHER,    /* well-formed and of no interest here */
};

/* What a group tells of itself at one instant, as the kernel lays it out. */
enum record_reading {
	READING_ENABLED_NS,
	READING_RUNNING_NS,
	READING_VALUES,
};

struct record {
	enum record_kind kind;
	uint64_t id;      /* of the event that made it; 0 for OTHER */
	uint64_t time_ns; /* attr.clockid's clock; 0 for OTHER */
	pid_t pid, tid;   /* the subject: of a FORK the child; -1 where it has no number any more */
	union {
		struct {
			/* enum record_reading, then the values in opening order; n of these.
			 * Points into the record's bytes. */
			const uint64_t *reading;
			size_t n_values;
			/*
			 * What follows the values, up to the record's end: the RAW part of a
			 * tracepoint's sample (core/perf/switch_format.h). Of a software event it
			 * means nothing: room for the call chain of another program's event.
			 */
			const void *rest;
			size_t rest_bytes;
			/* The thread that runs next, + 1; 0: not told. In a recording; else it is
			 * in the RAW part. */
			uint32_t next;
		} sample;
		struct {
			char text[16];
			bool exec;
		} comm;
		struct {
			pid_t ppid, ptid; /* also of an EXIT */
		} fork;
		struct {
			pid_t other_pid, other_tid; /* who ran before (in) or runs next (out) */
			bool out;
		} change; /* SWITCH */
		struct {
			uint64_t records;
		} lost;
	};
};

/*
 * Reads one record of header->size contiguous bytes, 8-aligned. -EBADMSG if its size does not fit
 * its kind. A sample may be longer than its values: from Linux 6.3 on the kernel prepares one
 * sample for all events that sample a switch, with room for the call chain that another event asked
 * for.
 */
int record_decode(const struct perf_event_header *header, struct record *record);

#endif
