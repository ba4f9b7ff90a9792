// SPDX-License-Identifier: MIT
/*
 * The cost of recording to the thread that counts: the records of a CPU are read from a ring with a
 * recorder and without, in turns. The thread that writes the file is not measured.
 */
#include "core/attrib/attrib.h"
#include "core/base/util.h"
#include "core/event/plan.h"
#include "core/perf/ring.h"
#include "core/perfdata/recorder.h"
#include "core/sys/sys.h"
#include "tests/bench/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	VALUES = 7, /* four hardware events, N, the tick, page faults */
	RING_BYTES = 2 << 20,
	WAKE_BYTES = 512 << 10, /* as core/perf/ring.c has it */
	RECORD_BYTES = 64 + 8 * VALUES,
	RECORDS = WAKE_BYTES / RECORD_BYTES,
	ROUNDS = 100,
	PAIRS = 15,
	SWITCH_VALUE = 4,
};

/* Writes switches between two tasks until the ring would wake its reader. */
static void fill(struct ring *ring, unsigned char *bytes, uint64_t *n)
{
	uint64_t head = ring->tail;

	for (size_t i = 0; i < RECORDS; i++, head += RECORD_BYTES) {
		uint64_t record[RECORD_BYTES / 8];
		const struct perf_event_header header = {.type = PERF_RECORD_SAMPLE,
							 .size = RECORD_BYTES};
		uint32_t tid = 100 + (uint32_t)(*n & 1);

		++*n;
		memcpy(record, &header, sizeof(header));
		record[1] = 1; /* the switch's id */
		record[2] = (uint64_t)tid << 32 | tid;
		record[3] = *n * 1000;
		record[4] = 0;
		record[5] = VALUES;
		record[6] = record[7] = *n * 1000;
		for (size_t k = 0; k < VALUES; k++)
			record[8 + k] = k == SWITCH_VALUE ? *n : *n * 500 * (k + 1);
		size_t at = head % RING_BYTES, first = size_min(RECORD_BYTES, RING_BYTES - at);
		memcpy(bytes + at, record, first);
		memcpy(bytes, (char *)record + first, RECORD_BYTES - first);
	}
	ring->page->data_head = head;
}

static void drain(struct ring *ring, struct attrib *attrib, struct recorder *recorder,
		  struct perfdata_stream *stream)
{
	uint64_t from = ring->tail;
	const struct perf_event_header *header;
	struct record record;

	while ((header = ring_peek(ring))) {
		if (record_decode(header, &record) == 0)
			attrib_record(attrib, 0, &record);
		ring_consume(ring);
	}
	if (recorder) {
		struct perfdata_stream *const streams[PERFDATA_STREAMS] = {stream};
		recorder_records(recorder, streams, ring, from);
	}
	ring_release(ring);
}

/* Returns the ns of a record; path NULL: without a recorder. */
static double run(const char *path)
{
	static const int counter_of[VALUES] = {2, 3, 4, 5, PLAN_SWITCH, PLAN_TICK, 6};
	const struct attrib_layout layout = {.n_values = VALUES,
					     .n_hardware = 4,
					     .switch_value = SWITCH_VALUE,
					     .counter_of = counter_of,
					     .clock = true};
	const struct tally_shape shape = {.n_counters = 7, .n_groups = 1, .n_domains = 1};
	const int cpu = 0;
	uint64_t ids[VALUES] = {11, 12, 13, 14, 1, 2, 15}, base[READING_VALUES + VALUES] = {0};
	struct perfdata_stream stream = {
		.switch_id = 1, .tick_id = 2, .n_values = VALUES, .ids = ids, .base = base};
	struct sys sys;
	struct interval interval;
	struct recorder *recorder = NULL;
	struct error err;

	if (sys_linux_init(&sys) < 0)
		exit(1);
	struct tasks *tasks = tasks_new(&sys);
	interval_init(&interval, &shape, &cpu, 1);
	struct attrib *attrib = attrib_new(tasks, &interval);
	const struct attrib_stream what = {0, 2, &layout};
	attrib_open(attrib, &what, 0, NULL);
	if (path && recorder_new(&(struct recorder_spec){.path = path}, &recorder, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	unsigned char *bytes = xcalloc(1, RING_BYTES);
	struct perf_event_mmap_page page = {0};
	struct ring ring = {.page = &page, .data = bytes, .data_bytes = RING_BYTES};
	uint64_t n = 0, spent_ns = 0;

	for (size_t i = 0; i < ROUNDS; i++) {
		fill(&ring, bytes, &n);
		uint64_t begin_ns = thread_cpu_ns();
		drain(&ring, attrib, recorder, &stream);
		spent_ns += thread_cpu_ns() - begin_ns;
		usleep(2000);
	}
	if (recorder && recorder_state(recorder, &err) < 0)
		printf("%s\n", err.text);
	recorder_free(recorder);
	free(bytes);
	free(ring.joined);
	attrib_free(attrib);
	interval_fini(&interval);
	tasks_free(tasks);
	sys_linux_fini(&sys);
	return (double)spent_ns / ROUNDS / RECORDS;
}

int main(void)
{
	char path[] = "/tmp/pmctop-bench-XXXXXX";
	double plain[PAIRS], recorded[PAIRS], ratios[PAIRS];
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	for (unsigned i = 0; i < PAIRS; i++) {
		unlink(path);
		plain[i] = run(NULL);
		recorded[i] = run(path);
		ratios[i] = recorded[i] / plain[i];
	}
	unlink(path);
	print_figure("recorded / not recorded", median(ratios, PAIRS), "x");
	return 0;
}
