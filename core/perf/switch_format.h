// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SWITCH_FORMAT_H
#define PMCTOP_SWITCH_FORMAT_H

#include "core/perf/record.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The tracepoint sched:sched_switch: its number, and where its fields are in the RAW part of a
 * sample. Both come from tracefs (events/sched/sched_switch/id and format), so that no offset is
 * assumed. The fields are the same from Linux 5.10 to 7.3; prev_state is a long.
 */
enum switch_format_state {
	SWITCH_FORMAT_READ,
	SWITCH_FORMAT_NOT_MOUNTED, /* tracefs is not mounted */
	SWITCH_FORMAT_DENIED,      /* tracefs is mounted, this process cannot read it */
	SWITCH_FORMAT_ABSENT,      /* tracefs has no such tracepoint */
	SWITCH_FORMAT_UNKNOWN,     /* the text of id or format is not understood */
};

/* In bytes from the beginning of the tracepoint's data. */
struct switch_field {
	uint16_t offset, size;
};

struct waking_format {
	uint64_t id; /* of sched:sched_waking */
	struct switch_field pid;
	size_t bytes; /* smallest size of the data */
};

struct switch_format {
	uint64_t id; /* perf_event_attr.config of PERF_TYPE_TRACEPOINT */
	struct switch_field prev_pid, prev_state, next_comm, next_pid, next_prio;
	size_t bytes; /* smallest size of the data */
};

/*
 * Reads id and format from the first place of tracefs (event_tracefs_roots) that has them. *format
 * is filled in only for SWITCH_FORMAT_READ.
 */
enum switch_format_state switch_format_read(const struct sys *sys, struct switch_format *format);
/* The same for sched:sched_waking: a thread wakes another one up. */
enum switch_format_state waking_format_read(const struct sys *sys, struct waking_format *format);

/*
 * The texts of tracefs from which other programs decode the samples of a recording: how the ring
 * buffer and its entries are laid out, and `format`.
 */
enum switch_text {
	SWITCH_TEXT_PAGE,  /* header_page */
	SWITCH_TEXT_EVENT, /* header_event */
	SWITCH_TEXT_FORMAT,
	SWITCH_TEXTS,
};

/* Owned. Zeroed: empty. */
struct switch_texts {
	char *items[SWITCH_TEXTS];
};

/* Reads all of them from one mount of tracefs. False, and empty, if one cannot be read there. */
bool switch_texts_read(const struct sys *sys, struct switch_texts *texts);
void switch_texts_fini(struct switch_texts *texts);

/*
 * Fills in the fields from the text of `format`. -EBADMSG where one is missing, has another size
 * than pid_t, int, char[16], or int or long for prev_state, or ends behind SWITCH_FORMAT_BYTES_MAX.
 * Any bytes are valid input.
 */
enum { SWITCH_FORMAT_BYTES_MAX = 1024 };
int switch_format_parse(const char *text, struct switch_format *format);
/* The same for sched:sched_waking. */
int waking_format_parse(const char *text, struct waking_format *format);

/* One switch, by the tracepoint. Numbers are of the initial pid namespace. */
struct switch_raw {
	pid_t prev_pid, next_pid; /* threads */
	int next_prio;            /* of the kernel: 120 is nice 0, below 100 is real-time */
	uint64_t prev_state;      /* TASK_*; (prev_state & 0xff) == 0: prev is runnable */
	char next_comm[16];       /* any bytes, ends with a NUL */
};

/*
 * Decodes the RAW part of a sample of the tracepoint. The caller identifies such samples by id: a
 * sample of a software event may have other bytes there. -EBADMSG where the part is too short.
 */
int switch_raw_read(const struct switch_format *format, const struct record *record,
		    struct switch_raw *raw);

/*
 * Writes a RAW part as the kernel would for a thread that keeps running: both prev and next are
 * that thread, and runnable. Returns the bytes: a multiple of 8, at most SWITCH_RAW_BYTES_MAX.
 */
enum { SWITCH_RAW_BYTES_MAX = SWITCH_FORMAT_BYTES_MAX + 8 };
size_t switch_raw_write(const struct switch_format *format, pid_t tid, void *to);

/*
 * The thread of a sample. A thread that has exited may have lost its number (record->tid is -1),
 * but the RAW part has it. format NULL, or no RAW part: record->tid.
 */
pid_t switch_raw_tid(const struct switch_format *format, const struct record *record);
/* 1 + tid of the next thread. format NULL, or no RAW part: record->sample.next. */
uint32_t switch_raw_next(const struct switch_format *format, const struct record *record);
/* prev_state. format NULL, or no RAW part: record->sample.state. */
uint64_t switch_raw_state(const struct switch_format *format, const struct record *record);

/* The thread that a sample of sched:sched_waking wakes up; -1: the RAW part is too short. */
pid_t waking_raw_tid(const struct waking_format *format, const struct record *record);

#endif
