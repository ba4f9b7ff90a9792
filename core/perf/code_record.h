// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_RECORD_H
#define PMCTOP_CODE_RECORD_H

#include "core/code/code_maps.h"
#include "core/code/code_names.h"
#include "core/code/code_sample.h"
#include "core/perf/record.h"
#include "core/sys/proc_maps.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* From Linux 5.12 on; absent from older headers. */
#ifndef PERF_RECORD_MISC_MMAP_BUILD_ID
#define PERF_RECORD_MISC_MMAP_BUILD_ID (1 << 14)
#endif

/*
 * One decoded record of a code ring (core/perf/code_event.h): a sample of code, or what an address
 * belongs to. Its samples have their own layout. The other records end as in record.h.
 *
 * Software events but clocks have no PERIOD: with it the kernel makes a sample of each event,
 * whatever the period is (perf_swevent_event()). PERIOD of a clock stays the period at its
 * opening, also after PERF_EVENT_IOC_PERIOD. So PERIOD is the weight of hardware events alone.
 */
#define CODE_SAMPLE_TYPE                                                                \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)
#define CODE_SOFTWARE_SAMPLE_TYPE (CODE_SAMPLE_TYPE & ~(uint64_t)PERF_SAMPLE_PERIOD)

enum code_record_kind {
	CODE_RECORD_SAMPLE,
	CODE_RECORD_MMAP, /* a process has mapped a file; of a recording also: the kernel's code */
	CODE_RECORD_KSYMBOL, /* the kernel has added code, or removed it */
	CODE_RECORD_EXEC,
	CODE_RECORD_FORK, /* of a process; of a thread it is OTHER */
	CODE_RECORD_EXIT, /* of the first thread of a process; others are OTHER */
	CODE_RECORD_LOST,
	CODE_RECORD_THROTTLE, /* of an event, or of its group */
	CODE_RECORD_OTHER,    /* well-formed, and not used */
};

struct code_record {
	enum code_record_kind kind;
	uint64_t id;      /* of the event that made it; OTHER: 0 */
	uint64_t time_ns; /* OTHER: 0 */
	pid_t pid;        /* of MMAP, EXEC, EXIT, and the child of a FORK */
	union {
		/* `event` is 0, `weight` is 0 without PERIOD. The chain is in the record's bytes.
		 */
		struct code_sample sample;
		struct {
			struct proc_mapping mapping; /* its name is in the record's bytes */
			struct code_build_id build_id;
			/*
			 * Only in recordings: code of the kernel, of pid -1. The name is
			 * "[kernel.kallsyms]_text", with the address of that symbol as the offset,
			 * or the path or the name of a module.
			 */
			bool kernel;
		} mmap;
		struct {
			uint64_t start;
			uint32_t size;
			const char *name; /* in the record's bytes; NULL: removed */
		} ksymbol;
		pid_t parent; /* of a FORK */
		uint64_t lost;
	};
};

/* The id of a sample; 0 if it has none. */
uint64_t code_record_id(const struct perf_event_header *header);

/*
 * Decodes a sample of that layout. Returns 0, or -EBADMSG if its size does not fit. It may be
 * longer: see record_decode().
 */
int code_sample_decode(const struct perf_event_header *header, bool has_period,
		       struct code_sample *sample);

/*
 * Decodes one record that is no sample, of header->size contiguous bytes, 8-aligned. A sample is
 * OTHER. Returns 0, or -EBADMSG if the size does not fit the kind, or a text does not end.
 */
int code_record_decode(const struct perf_event_header *header, struct code_record *record);

/* Applies a record that is no sample to the mappings and the kernel symbols of `names`. */
void code_record_apply(const struct code_record *record, struct code_names *names);
/*
 * Decodes MMAP, MMAP2 and KSYMBOL before a trailer of that size; id and time are left 0.
 * Other records, and records of guests, are OTHER. 0, or -EBADMSG if the size does not fit.
 */
int code_record_decode_body(const struct perf_event_header *header, size_t trailer_bytes,
			    struct code_record *record);
/* Fills *record from a decoded record of another kind: an exec, a fork, an exit, losses. */
void code_record_of_task(const struct record *common, struct code_record *record);

#endif
