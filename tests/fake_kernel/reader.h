// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FAKE_KERNEL_READER_H
#define PMCTOP_FAKE_KERNEL_READER_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reads rings for tests of the fake kernel and contract tests. It does not use core/perf/ring and
 * core/perf/record, because these are tested against the fake kernel. It supports one layout:
 */
#define READER_SAMPLE_TYPE                                                               \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | \
	 PERF_SAMPLE_READ)
#define READER_READ_FORMAT \
	(PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

struct reader_record {
	uint32_t type;
	uint16_t misc, size;
	uint64_t id; /* from the SAMPLE or the trailer, as are: */
	int32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu;

	/* SAMPLE */
	uint64_t nr, enabled_ns, running_ns;
	uint64_t values[16];
	size_t n_rest; /* bytes behind the values: a RAW part */
	unsigned char rest[128];
	/* FORK, EXIT (all), COMM (the task's) */
	int32_t task_pid, task_ppid, task_tid, task_ptid;
	uint64_t task_time_ns;
	char comm[24];
	/* LOST */
	uint64_t lost_id, lost;
};

/*
 * Consumes the next record of a ring. Returns false if the ring is empty. Asserts that the record
 * is well formed.
 */
bool reader_next(struct perf_event_mmap_page *page, struct reader_record *record);
/* Consumes all records; stores up to max. Returns the number of all. */
size_t reader_all(struct perf_event_mmap_page *page, struct reader_record *records, size_t max);
/* Bytes in the ring. */
uint64_t reader_used(const struct perf_event_mmap_page *page);

#endif
