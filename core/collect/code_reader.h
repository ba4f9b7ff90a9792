// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_READER_H
#define PMCTOP_CODE_READER_H

#include "core/code/code_sample.h"
#include "core/collect/cpu_code.h"
#include "core/perf/code_record.h"

#include <stddef.h>
#include <stdint.h>

/* Where samples of code go. */
struct code_sink {
	code_sample_function *sample; /* `event` is an index in the list of sampled events */
	/* MMAP, KSYMBOL, EXEC, FORK and EXIT, of all CPUs in the order of time. */
	void (*record)(void *user, const struct code_record *record);
	void (*lost)(void *user, uint64_t samples); /* or other records */
	void *user;
};

struct code_request {
	unsigned hz; /* samples of each event a second, on a busy CPU */
	struct code_sink sink;
};

/* A THROTTLE or UNTHROTTLE record of a member of a group, in the ring of a CPU. */
typedef void code_throttle_function(void *user, const struct cpu_code *code,
				    const struct perf_event_header *header);

struct code_side_record;

/*
 * Reads rings of code and passes their records to a sink: samples at once, the others in the order
 * of time after the rings of all CPUs were read. Zeroed is valid.
 */
struct code_reader {
	code_throttle_function *throttle; /* NULL: such records are dropped */
	void *user;                       /* of `throttle` */
	struct code_side_record *records; /* scratch */
	size_t n_records, records_capacity;
};

void code_reader_fini(struct code_reader *reader);

/* Reads the ring of one CPU, if it is open. */
void code_reader_drain(struct code_reader *reader, const struct code_sink *sink,
		       struct cpu_code *code);
/* After the rings of all CPUs. */
void code_reader_pass(struct code_reader *reader, const struct code_sink *sink);

#endif
