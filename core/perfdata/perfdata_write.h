// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PERFDATA_WRITE_H
#define PMCTOP_PERFDATA_WRITE_H

#include "core/base/util.h"
#include "core/perfdata/perfdata.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

/* Records as bytes, appended to memory that grows. Zeroed is empty. */
struct perfdata {
	unsigned char *bytes; /* owned */
	size_t n, capacity;
	size_t native_begin; /* offset of the native record being written */
	size_t native_words; /* offset where its words end; 0: not yet */
};

void perfdata_fini(struct perfdata *data);

/* Appends `size` uninitialized bytes and returns their address, valid until the next call. */
static inline void *perfdata_extend(struct perfdata *data, size_t size)
{
	if (data->capacity - data->n < size)
		data->bytes = array_reserve(data->bytes, &data->capacity, data->n + size, 1);
	data->n += size;
	return data->bytes + data->n - size;
}

static inline void perfdata_append(struct perfdata *data, const void *bytes, size_t size)
{
	if (size > 0)
		memcpy(perfdata_extend(data, size), bytes, size);
}

/* Bytes of a record and of the data behind it (PERFDATA_TRACING_DATA). */
static inline size_t perfdata_record_bytes(const struct perf_event_header *record)
{
	uint32_t more = 0;

	if (record->type == PERFDATA_TRACING_DATA)
		memcpy(&more, record + 1, sizeof(more));
	return record->size + (size_t)more;
}

void perfdata_head(struct perfdata *data);

/* An event and all its ids. More than a record can hold (8,000) take several records. */
void perfdata_attr(struct perfdata *data, const struct perf_event_attr *attr, const uint64_t *ids,
		   size_t n);
/* More ids of an event with the same attr. */
void perfdata_more_ids(struct perfdata *data, const struct perf_event_attr *attr,
		       const uint64_t *ids, size_t n);
/* Of the event with that id: */
enum { PERFDATA_NAME_MAX = 1 << 15 };
void perfdata_name(struct perfdata *data, uint64_t id, const char *name);
void perfdata_unit(struct perfdata *data, uint64_t id, const char *unit, double scale);

/* Any feature, in the layout of perf's files; left out if it is too long for a record. */
void perfdata_feature(struct perfdata *data, unsigned feature, const void *bytes, size_t n);
/* HOSTNAME, OSRELEASE, VERSION, ARCH, CPUDESC */
void perfdata_text_feature(struct perfdata *data, enum perfdata_feature feature, const char *text);
void perfdata_cpus_feature(struct perfdata *data, size_t possible, size_t online);
void perfdata_memory_feature(struct perfdata *data, uint64_t kib);
/* The words, each with its NUL, as in /proc/PID/cmdline. */
void perfdata_command_feature(struct perfdata *data, const char *words, size_t size);

/* A COMM for a task that existed before the recording: with id 0 and time 0, as perf writes it. */
void perfdata_comm(struct perfdata *data, pid_t pid, pid_t tid, const char *comm);
/* `records` records of that event are lost, and the kernel did not report it. */
void perfdata_lost(struct perfdata *data, uint64_t id, uint64_t records);
void perfdata_round(struct perfdata *data);

/*
 * A native record: between begin and end only words are appended, then texts. A record that gets
 * too large is not written.
 */
void perfdata_native_begin(struct perfdata *data, enum native_kind kind);
void perfdata_word(struct perfdata *data, uint64_t word);
void perfdata_double(struct perfdata *data, double number);
void perfdata_words(struct perfdata *data, const uint64_t *words, size_t n);
void perfdata_pid(struct perfdata *data, pid_t pid);
void perfdata_text(struct perfdata *data, const char *text); /* NULL is "" */
/* A whole record of the kernel, in place of texts. */
void perfdata_record(struct perfdata *data, const struct perf_event_header *header);
void perfdata_native_end(struct perfdata *data);

#endif
