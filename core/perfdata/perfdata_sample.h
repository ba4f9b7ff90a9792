// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PERFDATA_SAMPLE_H
#define PMCTOP_PERFDATA_SAMPLE_H

#include "core/perf/record.h"
#include "core/perfdata/perfdata_events.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * What the records of a recording say, whatever sample_type and read_format its events were
 * recorded with (see perf_event_open(2)).
 */
enum { PERFDATA_VALUES_MAX = 512 };

/* A sample, or the trailer of another record (attr.sample_id_all). */
struct perfdata_sample {
	/*
	 * NULL: not known whose, and of samples nothing else is. Where `id` is no id of its,
	 * somebody else's event made the sample, and the values tell whose it is (a kernel's
	 * quirk).
	 */
	const struct perfdata_event *event;
	uint64_t has; /* of PERF_SAMPLE_*: which of these are told */
	uint64_t id;  /* 0 where it is not told */
	uint64_t time_ns;
	uint64_t period; /* where it is not told: that of the event, 0 with a frequency */
	pid_t pid, tid;  /* who made it; -1 where it is not told */
	uint32_t cpu;
	/* READ: in the order of the group; ids are 0 where they are not told. */
	bool times; /* the next two are told */
	uint64_t enabled_ns, running_ns;
	size_t n_values;
	struct {
		uint64_t value, id;
	} values[PERFDATA_VALUES_MAX];
};

/*
 * What a record tells: record->kind and its subject as record_decode() has them, but that samples
 * are in *sample but for RAW (record->sample.rest), that LOST_SAMPLES are LOST, and that of a
 * SWITCH of a task (not CPU-wide) the other one is -1. Of all records of the kernel *sample has who
 * made them, where and when, as far as that is told. -EBADMSG where its size does not fit.
 */
int perfdata_decode(const struct perfdata_events *events, const struct perf_event_header *header,
		    struct record *record, struct perfdata_sample *sample);

/*
 * A trailer is the last thing in a record of the kernel's that is no sample: how many words of 64
 * bits it has, and how many bytes of the record are there for it at most.
 */
unsigned perfdata_trailer_words(const struct perf_event_attr *attr);
size_t perfdata_trailer_room(const struct perf_event_header *header);

#endif
