// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PERFDATA_H
#define PMCTOP_PERFDATA_H

#include "core/perf/record.h"

#include <assert.h>
#include <linux/perf_event.h>
#include <stdint.h>

/*
 * The format of recordings: what `perf record -o -` writes (pipe mode of perf.data, see
 * tools/perf/Documentation/perf.data-file-format.txt), to files too: every byte stands where it was
 * written first, so that what is there reads back whenever the writer ends. perf takes it from a
 * file as from a pipe, but for `perf sched` (core/perfdata/perfdata_sections.h).
 *
 * A stream begins with struct perfdata_head. Records follow: those of the kernel, in the order in
 * which they were folded in; and those of perf's own types below.
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
	uint64_t features[4]; /* bits; their sections stand behind the data, in their order */
};
static_assert(sizeof(struct perfdata_file_head) == 104, "struct perf_file_header");

enum perfdata_type {
	PERFDATA_ATTR = 64,         /* a perf_event_attr, and the ids of its events */
	PERFDATA_NATIVE = 65,       /* ours: see below */
	PERFDATA_TRACING_DATA = 66, /* struct perfdata_tracing_record */
	PERFDATA_ROUND = 68,        /* all before the last of these has been written */
	PERFDATA_ID_INDEX = 69,     /* whose the ids of events are */
	PERFDATA_AUXTRACE = 71,     /* a u64: so many bytes follow that are no records */
	PERFDATA_THREAD_MAP = 73,   /* the threads that were asked for */
	PERFDATA_UPDATE = 78,       /* the name, unit or scale of an event */
	PERFDATA_FEATURE = 80,
	PERFDATA_COMPRESSED = 81,  /* a piece of records as one stream of zstd */
	PERFDATA_COMPRESSED2 = 83, /* the same behind a u64, its size, and filled up to words */
	/*
	 * From here on Android's simpleperf has records of its own: header.misc is the upper half
	 * of their size (simpleperf/record.h).
	 */
	PERFDATA_SIMPLEPERF = 32768,
};

/*
 * In header.misc of a PERFDATA_ATTR: more ids of the event before, whose attr stands there again.
 * Only of recordings by pmctop: in pipes of perf before Linux 5.3 misc is whatever was in memory.
 */
enum { PERFDATA_MISC_MORE = 1 << 8 };

/* `bytes` bytes follow that are no records: core/perfdata/perfdata_tracing.h. */
struct perfdata_tracing_record {
	struct perf_event_header header;
	uint32_t bytes, reserved;
};
static_assert(sizeof(struct perfdata_tracing_record) == 16, "PERF_RECORD_HEADER_TRACING_DATA");

enum perfdata_update {
	PERFDATA_UNIT,
	PERFDATA_SCALE,
	PERFDATA_NAME,
};

enum perfdata_feature {
	PERFDATA_TRACING = 1,
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
};

/*
 * Samples are as perf wants them: each value with the id of its event, and an instruction address,
 * which nobody asks for and is 0: perf script knows no samples without one. Counts and times begin
 * with the recording, so that what went before is nobody's. `next` is the thread that runs next, +
 * 1 (0: not told), or PERFDATA_FOREIGN: the kernel prepared the sample for an event of another
 * program, whose pid namespace pid and tid belong to. To perf these are reserved bytes.
 *
 * Where the tracepoint sched:sched_switch makes the samples (attr.sample_type has PERF_SAMPLE_RAW)
 * a RAW part follows the values, as the kernel wrote it. A tick has one too, in which the thread
 * goes on: perf reads it for every event whose value has grown.
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
 * What no record of the kernel's tells stands in records of a type that perf steps over (what old
 * perfs called PERF_RECORD_HEADER_EVENT_TYPE): who makes the calls that they tell of, among the
 * kernel's records where they stand, gets the figures that were shown live.
 *
 * Behind the head stand words of 64 bits, and texts: a word with the length, then the bytes, filled
 * up to a whole word with zeroes. A word that holds a negative number is sign-extended; a double is
 * its bits.
 *
 * All words stand before all texts, and header.misc says how many they are; so one who has the
 * other byte order needs to know nothing else. Of NATIVE_AHEAD the record stands where texts would.
 */
struct native_head {
	struct perf_event_header header; /* .type is PERFDATA_NATIVE */
	uint64_t kind;                   /* PERFDATA_NATIVE_BASE + enum native_kind */
	char name[64]; /* native_names[kind], for those who look with other tools */
};
static_assert(sizeof(struct native_head) == 80, "PERF_RECORD_HEADER_EVENT_TYPE");

#define PERFDATA_NATIVE_BASE    0x706d63746f700000ull /* "pmctop" */
#define PERFDATA_NATIVE_VERSION 4
/* Without the tracepoint: no sample has a RAW part, and there is no NATIVE_ROOM. */
#define PERFDATA_NATIVE_VERSION_PLAIN 3

enum native_kind {
	/*
	 * version, CLOCK_MONOTONIC, CLOCK_REALTIME; of formulas slots_per_cycle and kinds of CPUs
	 * (enum cpu_kind); how many PMUs follow, and how many of them are CPUs'; texts: mode, host,
	 * PMU (as in snapshots), the CPUs that indices mean ("0-3,8")
	 */
	NATIVE_BEGIN,
	/*
	 * What is counted from here on: NATIVE_PLAN, then its events, groups and columns. In their
	 * order, so that the first NATIVE_EVENT is events.items[0] and so on.
	 *
	 * n_events, n_counters, n_groups, n_domains, n_columns, n_preset, levels, times_group; of
	 * each counter: event, code, group; of each domain: pmu, socket, all_cpus, first_group,
	 * n_groups; text: the preset's name
	 */
	NATIVE_PLAN,
	/* kind, leads, state, answer, scale; n_codes, of each: pmu, state; texts: name, label,
	 * unit */
	NATIVE_EVENT,
	/* domain, n_members, members */
	NATIVE_GROUP,
	/* kind, better, warn, bad, width, decimals, machine; texts: name, title, group, expression,
	 * unit, help */
	NATIVE_COLUMN,
	/*
	 * attrib_open, and attrib_resume where it is on: index of the CPU, its number, group,
	 * on, origin_ns, last_ns, lost, the runner's pid and tid; the EXIT that is pending: time,
	 * pid, tid; the SWITCH that is: time, pid, tid, other pid, other tid; ids of: the switch's
	 * samples, the tick's, n_values, and of each value. Its reading is all zero.
	 */
	NATIVE_OPEN,
	/* attrib_close: index of the CPU */
	NATIVE_CLOSE,
	/* attrib_pause: index, group, known, pid, tid (of `runner`, where it is known), reading */
	NATIVE_PAUSE,
	/* attrib_resume: index, group, start_ns (0: it goes on), weight */
	NATIVE_RESUME,
	/* A FORK or COMM of the CPU's ring that is learnt of before its turn: index, the record */
	NATIVE_AHEAD,
	/*
	 * The interval ends: attrib_cut of every CPU that is online. What follows, up to the next
	 * PERFDATA_ROUND, is the interval's.
	 *
	 * sequence, time_ns, realtime_ns, interval_ns, threads of the machine, lost records,
	 * threads_ran, threads_counted, enum native_rows
	 */
	NATIVE_CUT,
	/*
	 * A tally of the interval as it was in the end, with what no record tells of (sockets,
	 * /proc): enum native_scope; of a CPU: index, number, socket, node, online, enum
	 * native_cpu_flag, of a task: pid, tid; width, values
	 */
	NATIVE_TALLY,
	/* Who a row is, where it is not as it was told last: pid, tid, ppid, uid, start_ns, flags;
	 * texts: comm, user, cgroup, command line */
	NATIVE_TASK,
	/* The notes, where they are not as they were told last: n, texts */
	NATIVE_NOTES,
	/* Behind NATIVE_BEGIN: type, kind; texts: name, CPUs */
	NATIVE_PMU,
	/*
	 * The roots of a target, where they are not as they were told last: n, of each: tid, pid,
	 * whole, ended_ns, uid; texts: comm of each
	 */
	NATIVE_TARGET,
	/*
	 * Who has rows, where it is not everybody that ran: enum native_list, n, tids (two in a
	 * word, the low half first). More than a record holds are told in several.
	 */
	NATIVE_ROWS,
	/* Nothing: the recording was ended, and not cut off. */
	NATIVE_END,
	/* tasks_exit, by what /proc told when records were missing: time, pid, tid */
	NATIVE_GONE,
	/*
	 * Before NATIVE_BEGIN, right behind struct perfdata_head, and as long as the rest of struct
	 * perfdata_file_head, which takes its place at the end (core/perfdata/perfdata_sections.h).
	 */
	NATIVE_ROOM,
	NATIVE_KINDS,
};

/* Of a snapshot. */
enum native_rows {
	NATIVE_COMMAND_LINES = 1 << 0, /* rows have them */
	NATIVE_IDLE_ROWS = 1 << 1,     /* those that did not run have rows too: NATIVE_STILL */
	NATIVE_TARGETED = 1 << 2,      /* only the target's have rows: NATIVE_TARGET, NATIVE_RAN */
	NATIVE_UNCOUNTED = 1 << 3,     /* interval.uncounted: all rows are marked */
};

enum native_list {
	NATIVE_RAN,   /* of a target: in their order, then those of its roots that did not run */
	NATIVE_ABOVE, /* of a target: those above them that have no row among them */
	NATIVE_STILL, /* those that did not run, in their order */
};

/* Of a CPU in an interval, as struct interval has it. */
enum native_cpu_flag {
	NATIVE_CPU_COUNTED = 1 << 0,
	NATIVE_CPU_GAPS = 1 << 1,
};

enum native_scope {
	NATIVE_TOTALS,
	NATIVE_UNATTRIBUTED,
	NATIVE_CPU,
	NATIVE_IDLE,      /* of a CPU */
	NATIVE_TASK_TIME, /* only where /proc tells of tasks */
};

extern const char *const native_names[NATIVE_KINDS];

#endif
