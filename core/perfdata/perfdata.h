// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PERFDATA_H
#define PMCTOP_PERFDATA_H

#include "core/perf/record.h"
#include "core/perfdata/native_kind.h"

#include <assert.h>
#include <linux/perf_event.h>
#include <stdint.h>

/*
 * The format of recordings, which is the pipe mode of perf.data, in files too (`perf record -o -`,
 * tools/perf/Documentation/perf.data-file-format.txt). A byte stays where it was written first, so
 * a recording can be read wherever its writer has stopped. perf reads such a file as it reads a
 * pipe, except for `perf sched` (core/perfdata/perfdata_sections.h).
 *
 * A stream begins with struct perfdata_head. Records follow: the kernel's, in the order in which
 * core/attrib used them, and records of the types below.
 */
#define PERFDATA_MAGIC 0x32454c4946524550ull /* "PERFILE2" */

struct perfdata_head {
	uint64_t magic;
	uint64_t size; /* of this head */
};

/* Files in perf's usual format begin with struct perfdata_file_head instead. */
struct perfdata_section {
	uint64_t offset, size;
};

struct perfdata_file_head {
	uint64_t magic, size;
	uint64_t entry_size; /* of an attr and the section of its ids */
	struct perfdata_section attrs, data, types;
	uint64_t features[4]; /* bits; their sections follow the data, in bit order */
};
static_assert(sizeof(struct perfdata_file_head) == 104, "struct perf_file_header");

enum perfdata_type {
	/*
	 * Of the kernel, from Linux 6.19 on: a u64 cookie, a u64 length, and so many words of a
	 * user's call chain. It belongs at the end of the chains before that end with
	 * PERFDATA_CONTEXT_DEFERRED and the same cookie.
	 */
	PERFDATA_CALLCHAIN_DEFERRED = 22,
	PERFDATA_ATTR = 64,         /* a perf_event_attr, and the ids of its events */
	PERFDATA_NATIVE = 65,       /* native records, see below; else struct perfdata_tracepoint */
	PERFDATA_TRACING_DATA = 66, /* struct perfdata_tracing_record */
	PERFDATA_BUILD_ID = 67,     /* core/perfdata/perfdata_build_ids.h */
	PERFDATA_ROUND = 68,        /* end of an interval, or of a round of perf over all CPUs */
	PERFDATA_ID_INDEX = 69,     /* maps ids to events, CPUs and tasks */
	PERFDATA_AUXTRACE = 71,     /* a u64: number of bytes that follow and are no record */
	PERFDATA_THREAD_MAP = 73,   /* the recorded threads */
	PERFDATA_UPDATE = 78,       /* the name, unit or scale of an event */
	PERFDATA_FEATURE = 80,
	PERFDATA_COMPRESSED = 81,  /* a piece of a zstd stream of records */
	PERFDATA_COMPRESSED2 = 83, /* a u64 size, then the same, padded to words */
	/*
	 * In no file: between two files of one recording (core/replay/replay_state.h). A reader
	 * drops records of this type.
	 */
	PERFDATA_NEXT_FILE = 32767,
	/*
	 * From here on: records of Android's simpleperf. header.misc is the upper half of their
	 * size (simpleperf/record.h).
	 */
	PERFDATA_SIMPLEPERF = 32768,
	/* n; of each: index of an event, a further id of it */
	PERFDATA_EVENT_ID = 32774,
};

/*
 * A bit of header.misc in a PERFDATA_ATTR: the record has more ids of the event before, and the
 * same attr again. Only native recordings have it: perf before Linux 5.3 leaves misc uninitialized
 * in pipes.
 */
enum { PERFDATA_MISC_MORE = 1 << 8 };

/* A bit of header.misc in a PERFDATA_NEXT_FILE: records are missing between the two files. */
enum { PERFDATA_MISC_GAP = 1 << 0 };

/* `bytes` bytes follow that are no record: core/perfdata/perfdata_tracing.h. */
struct perfdata_tracing_record {
	struct perf_event_header header;
	uint32_t bytes, reserved;
};
static_assert(sizeof(struct perfdata_tracing_record) == 16, "PERF_RECORD_HEADER_TRACING_DATA");

/*
 * In a PERFDATA_NATIVE that is not native (native_open()): old perfs have the names of tracepoints
 * there. The reader makes such records of PERFDATA_TRACING_DATA.
 */
struct perfdata_tracepoint {
	struct perf_event_header header;
	uint64_t config; /* of its perf_event_attr */
	char name[];     /* "sched:sched_switch" */
};
static_assert(sizeof(struct perfdata_tracepoint) == 16, "PERF_RECORD_HEADER_EVENT_TYPE");

enum perfdata_update {
	PERFDATA_UNIT,
	PERFDATA_SCALE,
	PERFDATA_NAME,
};

#define PERFDATA_CONTEXT_DEFERRED ((uint64_t)-640)

enum perfdata_feature {
	PERFDATA_TRACING = 1,
	PERFDATA_BUILD_IDS = 2, /* bytes of PERFDATA_BUILD_ID records */
	PERFDATA_HOSTNAME = 3,
	PERFDATA_OSRELEASE,
	PERFDATA_VERSION,
	PERFDATA_ARCH,
	PERFDATA_NRCPUS,
	PERFDATA_CPUDESC,
	PERFDATA_CPUID,
	PERFDATA_TOTAL_MEM,
	PERFDATA_CMDLINE,
	PERFDATA_EVENT_DESC,
	PERFDATA_PMU_MAPPINGS = 16,
	PERFDATA_GROUP_DESC,
	PERFDATA_SAMPLE_TIME = 21,
	PERFDATA_CLOCKID = 23,
	PERFDATA_DIR_FORMAT,
	PERFDATA_CLOCK_DATA = 29,
	/* Of simpleperf (simpleperf/record_file_format.h): */
	PERFDATA_FILES = 128,     /* core/perfdata/simpleperf_symbols.h */
	PERFDATA_META_INFO = 129, /* pairs of texts, each with its NUL: a key, its value */
	PERFDATA_FILES2 = 132,
	PERFDATA_INIT_MAP = 134, /* MMAP, MMAP2 and COMM records */
};

/*
 * Samples have the layout that perf requires: each value with the id of its event, and an
 * instruction address, which is 0 (`perf script` ignores samples without one). Counts and times
 * begin with the recording. `next` is the tid of the next task + 1, 0 if unknown, or
 * PERFDATA_FOREIGN: the kernel prepared the sample for an event of another program, and pid and tid
 * are as in that program's pid namespace. perf treats `next` as reserved.
 *
 * If the tracepoint sched:sched_switch makes the samples (PERF_SAMPLE_RAW in attr.sample_type), the
 * RAW part of the kernel follows the values. A tick has a RAW part too, in which the task keeps
 * running: perf reads it for every event with a greater value.
 */
#define PERFDATA_FOREIGN     UINT32_MAX
#define PERFDATA_SAMPLE_TYPE (RECORD_SAMPLE_TYPE | PERF_SAMPLE_IP)
#define PERFDATA_READ_FORMAT (RECORD_READ_FORMAT | PERF_FORMAT_ID)

struct native_sample {
	struct perf_event_header header;
	uint64_t id, ip;
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, next;
	uint64_t n, enabled_ns, running_ns;
	struct {
		uint64_t value, id;
	} values[];
};
static_assert(sizeof(struct native_sample) == 72, "PERF_RECORD_SAMPLE of PERFDATA_SAMPLE_TYPE");

/*
 * Samples of code have ids from here on, so that they differ from the ids of the kernel's events,
 * and the layout of core/perfdata/perfdata_code.h. They are for perf: a replay ignores them.
 */
#define PERFDATA_CODE_ID (UINT64_C(1) << 62)

/*
 * Native records contain what the kernel's records do not. They stand among the kernel's records. A
 * reader that repeats the calls to core/attrib that they describe, in their order, gets the figures
 * that were shown live. Their type is one that perf ignores (PERF_RECORD_HEADER_EVENT_TYPE of old
 * perfs).
 *
 * After the head come words of 64 bits, then texts. A text is a word with its length, then the
 * bytes, padded to a word with zeroes. A negative number is sign-extended. A double is its bits.
 * header.misc is the number of words, so a reader with the other byte order can swap them.
 * NATIVE_AHEAD has a record in place of texts.
 */
struct native_head {
	struct perf_event_header header; /* .type is PERFDATA_NATIVE */
	uint64_t kind;                   /* PERFDATA_NATIVE_BASE + enum native_kind */
	char name[64];                   /* native_names[kind], for readers with other tools */
};
static_assert(sizeof(struct native_head) == 80, "PERF_RECORD_HEADER_EVENT_TYPE");

#define PERFDATA_NATIVE_BASE    0x706d63746f700000ull /* "pmctop" */
#define PERFDATA_NATIVE_VERSION 4
/* Version of recordings without the tracepoint: no RAW parts, no NATIVE_ROOM. */
#define PERFDATA_NATIVE_VERSION_PLAIN 3

#endif
