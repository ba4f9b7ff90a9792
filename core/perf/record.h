// SPDX-License-Identifier: MIT
#ifndef PMCTOP_RECORD_H
#define PMCTOP_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * One decoded perf record. Samples of all events of pmctop begin with the same layout, so a sample
 * is decoded without its id:
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
	RECORD_WAKING,   /* in a recording: a tracepoint of wake-ups; tid is the woken thread */
	RECORD_OTHER,    /* well-formed, and not used */
};

/* Indices in a reading of a group, in the kernel's order. */
enum record_reading {
	READING_ENABLED_NS,
	READING_RUNNING_NS,
	READING_VALUES,
};

#define RECORD_STATE_UNKNOWN UINT64_MAX

struct record {
	enum record_kind kind;
	uint64_t id;      /* of the event that made it; OTHER: 0 */
	uint64_t time_ns; /* by the clock attr.clockid; OTHER: 0 */
	pid_t pid, tid;   /* the task; of a FORK the child; -1: it has lost its number */
	union {
		struct {
			/* enum record_reading, then n_values values in opening order. Points into
			 * the record's bytes. */
			const uint64_t *reading;
			size_t n_values;
			/*
			 * The bytes after the values: the RAW part of a tracepoint's sample
			 * (core/perf/switch_format.h). In a sample of a software event they are
			 * space for the call chain of another program's event.
			 */
			const void *rest;
			size_t rest_bytes;
			/*
			 * In a recording: 1 + tid of the next thread, and prev_state of the
			 * switch. 0 and RECORD_STATE_UNKNOWN: unknown, or in the RAW part.
			 */
			uint32_t next;
			uint64_t state;
		} sample;
		struct {
			char text[16];
			bool exec;
		} comm;
		struct {
			pid_t ppid, ptid; /* also of an EXIT */
		} fork;
		struct {
			pid_t other_pid, other_tid; /* the task before (in) or after (out) */
			bool out;
			bool preempted; /* out: the task is still runnable */
		} change;               /* SWITCH */
		struct {
			uint64_t records;
		} lost;
	};
};

/*
 * Decodes one record of header->size contiguous bytes, 8-aligned. Returns 0, or -EBADMSG if the
 * size does not fit the kind. A sample may be longer than its values: from Linux 6.3 on the kernel
 * prepares one sample for all events that sample a switch, with space for the call chain that
 * another event requested.
 */
int record_decode(const struct perf_event_header *header, struct record *record);

/*
 * Fill *record from the body of such a record. The caller has checked its size. They set the
 * kind, the task and the part of that kind, but no id and no time.
 */
/* COMM with at most text_bytes of text. */
void record_parse_comm(const struct perf_event_header *header, size_t text_bytes,
		       struct record *record);
/* FORK or EXIT. */
void record_parse_fork(const struct perf_event_header *header, struct record *record);
/* SWITCH, with -1 as the other task, or SWITCH_CPU_WIDE. The task is in the trailer. */
void record_parse_switch(const struct perf_event_header *header, struct record *record);

#endif
