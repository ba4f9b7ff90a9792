// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PERFDATA_SAMPLE_H
#define PMCTOP_PERFDATA_SAMPLE_H

#include "core/perf/code_record.h"
#include "core/perf/record.h"
#include "core/perfdata/perfdata_events.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Decodes the records of a recording, for any sample_type and read_format of its events
 * (perf_event_open(2)).
 */
enum { PERFDATA_VALUES_MAX = 512 };

/* A sample, or the trailer of another record (attr.sample_id_all). */
struct perfdata_sample {
	/*
	 * NULL: unknown, and of a sample all other members too. If `id` is none of the ids of the
	 * event, an event of another program made the sample, and the values show its group (a
	 * quirk of the kernel).
	 */
	const struct perfdata_event *event;
	uint64_t has; /* PERF_SAMPLE_* bits of the known members */
	uint64_t id;  /* 0 if unknown */
	uint64_t time_ns;
	uint64_t period; /* if unknown: the event's period, 0 with a frequency */
	uint64_t ip;
	uint16_t misc;  /* of the record's header */
	pid_t pid, tid; /* of the task; -1 if unknown */
	uint32_t cpu;
	/*
	 * CALLCHAIN, in the record's bytes, as in struct code_sample. `has` is without it if it is
	 * longer than the record. In a PERFDATA_CALLCHAIN_DEFERRED it is the rest of the chains
	 * with that cookie.
	 */
	const uint64_t *chain;
	size_t n_chain;
	uint64_t cookie; /* 0: the chain is whole */
	/* READ, in the order of the group. ids are 0 if unknown. */
	bool times; /* the next two are known */
	uint64_t enabled_ns, running_ns;
	size_t n_values;
	struct {
		uint64_t value, id;
	} values[PERFDATA_VALUES_MAX];
};

/*
 * Decodes a record as record_decode() does, with these differences: samples are in *sample, except
 * for RAW (record->sample.rest); LOST_SAMPLES are LOST; a SWITCH that is not CPU-wide has -1 as the
 * other task. For all records of the kernel *sample has the known ones of task, time and CPU.
 * -EBADMSG: the size does not fit.
 */
int perfdata_decode(const struct perfdata_events *events, const struct perf_event_header *header,
		    struct record *record, struct perfdata_sample *sample);

/*
 * Decodes a record as code_record_decode() does, and its trailer as perfdata_decode() does. MMAP is
 * decoded too, and samples are OTHER. id and time_ns are 0 if unknown, such as of a mapping that
 * existed before the recording. -EBADMSG: the size does not fit.
 */
int perfdata_decode_code(const struct perfdata_events *events,
			 const struct perf_event_header *header, struct code_record *record,
			 struct perfdata_sample *trailer);

/*
 * The trailer at the end of each record of the kernel that is no sample: its length in words of 64
 * bits, and the most bytes of the record that it can have.
 */
unsigned perfdata_trailer_words(const struct perf_event_attr *attr);
size_t perfdata_trailer_room(const struct perf_event_header *header);

#endif
