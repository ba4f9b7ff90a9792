// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_RECORDING_READER_H
#define PMCTOP_TESTS_RECORDING_READER_H

#include "core/attrib/attrib.h"
#include "core/attrib/interval.h"
#include "core/attrib/tasks.h"
#include "core/base/util.h"
#include "core/event/plan.h"
#include "core/perfdata/perfdata_write.h"
#include "tests/fake_kernel/fake_kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/*
 * Reads a recording with nothing but core/perfdata/perfdata.h, without core/replay. It asserts that
 * each record is well formed and repeats the calls of core/attrib, so that a test can compare its
 * intervals with the recorded ones. Fields after the blank line are counts of records.
 */
enum {
	RECORDING_IDS_MAX = 4096,
	RECORDING_STREAMS_MAX = 256,
	RECORDING_RAW_BYTES = 72, /* a u32, 64 bytes of sched:sched_switch, padding */
};

struct recording_stream {
	size_t cpu;      /* index in the interval */
	uint64_t number; /* the CPU's number */
	unsigned group;
	uint64_t switch_id, tick_id;
	uint64_t last_ns; /* time of its last sample */
};

struct recording_reader {
	struct tasks *tasks;
	struct attrib *attrib;
	struct interval interval;
	struct tally_shape shape;
	struct plan_group *groups; /* with their layouts */
	unsigned *first_group;     /* per domain */
	size_t n_groups;
	uint64_t ids[RECORDING_IDS_MAX];
	size_t n_ids;
	struct recording_stream streams[RECORDING_STREAMS_MAX];
	size_t n_streams;
	bool cut;      /* the interval has ended; its tallies follow */
	bool raw;      /* switches come from the tracepoint: samples have RAW parts */
	bool sections; /* perf's usual format, not a stream */
	void (*seen)(void *arg, const struct recording_reader *reader); /* per whole interval */
	void *arg;

	size_t native[NATIVE_KINDS], samples, comms, rounds, attrs, renamed;
};

void recording_reader_init(struct recording_reader *reader, const struct sys *sys, const int *cpus,
			   size_t n_cpus);
void recording_reader_fini(struct recording_reader *reader);

/* Reads a whole file. A malformed one fails the test. */
void recording_reader_file(struct recording_reader *reader, const char *path);

/* Sets the range of the records. Returns true for perf's usual format, false for a stream. */
bool recording_reader_span(const char *bytes, size_t size, size_t *begin, size_t *end);

#endif
