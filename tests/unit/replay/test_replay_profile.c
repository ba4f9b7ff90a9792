// SPDX-License-Identifier: MIT
/*
 * Profiles of perf: the snapshots have the exact sums of the samples' weights, for each task, CPU
 * and event. Shown in intervals, as a whole, and as a whole that grows, they have the same sums.
 */
#include "core/base/util.h"
#include "core/code/code_resolver.h"
#include "core/event/plan.h"
#include "core/event/sampled_event.h"
#include "core/perfdata/perfdata_read.h"
#include "core/replay/replay.h"
#include "tests/fake_kernel/fake_kernel.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/files.h"
#include "tests/unit/shared/perf_records.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_MAX = 24, EVENTS_MAX = 3, CHAIN_MAX = 5, ID_FIRST = 100, UNKNOWN = 7 };

/* What the events of a recording have in common. */
struct format {
	uint64_t sample_type; /* besides IDENTIFIER, IP and TID; PERF_SAMPLE_... */
	uint64_t period;      /* fixed; 0: by frequency */
	uint64_t read_format;
	struct {
		uint32_t type;
		uint64_t config;
		const char *name;
	} events[EVENTS_MAX];
	unsigned n;
	bool threads; /* samples have no tasks */
};

#define TIME   PERF_SAMPLE_TIME
#define CPU    PERF_SAMPLE_CPU
#define PERIOD PERF_SAMPLE_PERIOD
#define READ   PERF_SAMPLE_READ
#define CHAIN  PERF_SAMPLE_CALLCHAIN
#define GROUP  (1ull << 21) /* PERF_SAMPLE_CGROUP */

#define CYCLES                                                     \
	{                                                          \
		PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, NULL \
	}
#define WORK                                                         \
	{                                                            \
		PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, NULL \
	}
#define FAULTS                                                      \
	{                                                           \
		PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, NULL \
	}
#define CLOCK                                                     \
	{                                                         \
		PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, NULL \
	}
#define DUMMY                                                 \
	{                                                     \
		PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, NULL \
	}

static const struct format frequency = {TIME | CPU | PERIOD, 0, 0, {CYCLES}, 1};
static const struct format fixed = {TIME | CPU, 1000, 0, {CYCLES}, 1};
static const struct format unweighted = {TIME | CPU, 0, 0, {CYCLES}, 1};
static const struct format two = {TIME | CPU | PERIOD, 0, 0, {CYCLES, FAULTS}, 2};
static const struct format two_cores = {
	TIME | CPU | PERIOD,
	0,
	0,
	{{10, 0, "cpu_core/cycles/"}, {11, 0, "cpu_atom/cycles/"}, {10, 0, "cpu_core/cycles/"}},
	3};
static const struct format tracepoints = {
	TIME | CPU,
	1,
	0,
	{{PERF_TYPE_TRACEPOINT, 400, NULL}, {PERF_TYPE_TRACEPOINT, 401, "sched:sched_waking"}},
	2};
static const struct format with_dummy = {TIME | CPU | PERIOD, 0, 0, {DUMMY, CYCLES}, 2};
static const struct format dummies = {TIME | CPU | PERIOD, 0, 0, {DUMMY}, 1};
static const struct format group = {
	TIME | CPU | READ, 0, PERF_FORMAT_GROUP | PERF_FORMAT_ID, {CYCLES, WORK}, 2};
static const struct format reading = {TIME | CPU | READ, 0, PERF_FORMAT_ID, {CYCLES, WORK}, 2};
static const struct format two_swapped = {TIME | CPU | PERIOD, 0, 0, {FAULTS, CYCLES}, 2};
static const struct format work_first = {TIME | CPU | PERIOD, 0, 0, {WORK, CYCLES}, 2};
static const struct format clocks = {TIME | CPU | PERIOD, 0, 0, {FAULTS, CLOCK}, 2};
static const struct format timeless = {CPU | PERIOD, 0, 0, {CYCLES}, 1};
static const struct format cpuless = {TIME | PERIOD, 0, 0, {CYCLES}, 1};
static const struct format with_cgroups = {TIME | CPU | PERIOD | GROUP, 0, 0, {CYCLES}, 1};
static const struct format with_chains = {TIME | CPU | PERIOD | CHAIN, 0, 0, {CYCLES}, 1};

enum step_kind {
	END,
	SAMPLE,
	KERNEL, /* a sample in the kernel */
	COMM,
	EXEC,
	FORK,   /* pid/tid forks `other`, a process */
	THREAD, /* pid/tid starts a thread `other` */
	EXIT,
	LOST,         /* `weight` records */
	LOST_SAMPLES, /* as many */
	ROUND,
	MAP,    /* pid maps `text` at `weight` */
	CGROUP, /* a cgroup `other` of that path */
	AUX,
	BROKEN,     /* a sample that is too short */
	CUT,        /* the file ends inside of a record */
	CPUS,       /* the feature: `cpu` CPUs */
	CLOCKS,     /* the feature: time_ns is `weight` on the wall clock */
	HOST,       /* the feature */
	NAME,       /* of `event` */
	TRACEPOINT, /* the name of that with the config `weight` */
	FURTHER_ID, /* another one of the event `weight`, the one of `event` */
};

struct step {
	enum step_kind kind;
	pid_t pid, tid;
	uint64_t time;   /* in units of the case; 0: a record that perf has made up */
	uint64_t weight; /* PERIOD, or the first value of READ */
	uint32_t cpu;
	unsigned event;  /* UNKNOWN: none of the recording */
	uint64_t second; /* the second value of READ */
	pid_t other;
	const char *text;
	uint64_t ip, chain[CHAIN_MAX];
};

struct profile_case {
	const char *name;
	const struct format *format;
	struct step steps[STEPS_MAX];
	/*
	 * A line for each interval: "BEGIN-END", and for each row "; TID COMM WEIGHT/SAMPLES" with
	 * such a pair for each event. At the end "; others ..." and "; ? ..." (unattributed).
	 */
	const char *want;
	const char *whole;          /* the same of the whole recording */
	uint64_t interval, unit_ns; /* in units; 0: 1000 units of 1 ns */
	const char *events;         /* names; NULL: not checked */
	const char *cpus;           /* "CPU WEIGHT/SAMPLES; ..." of the whole */
	const char *columns;        /* "NAME VALUE" of the first row of the whole; ~: an estimate */
	const char *functions;      /* "TID: FUNCTION FUNCTION WEIGHT/SAMPLES; ..." of the whole */
	const char *cgroups;        /* "TID PATH; ..." of the whole */
	const char *failure;        /* what the sentence begins with ... */
	bool later;                 /* ... after that was shown */
	const char *note, *no_note; /* what one of them begins with */
	struct target_spec target;
	uint64_t lost; /* records of the whole */
	const char *host;
	uint64_t realtime_ns; /* at the end of the whole */
};

static const struct profile_case cases[] = {
	{"a frequency, and samples with PERIOD",
	 &frequency,
	 {{COMM, 7, 7, .text = "seven"},
	  {SAMPLE, 7, 7, 1000, 300},
	  {SAMPLE, 8, 8, 1100, 50},
	  {SAMPLE, 7, 7, 1500, 400, .cpu = 1}},
	 .want = "1000-1500; 7 seven 700/2; 8  50/1",
	 .cpus = "0 350/2; 1 400/1",
	 .events = "cycles",
	 .note = "3 samples of cycles at 4000 Hz in 0.000 s. Counts are estimates (~), "
		 "run times unknown. No context switches were recorded"},
	{"a fixed period",
	 &fixed,
	 {{SAMPLE, 7, 7, 1000}, {SAMPLE, 8, 8, 1100}, {SAMPLE, 7, 7, 1500, .cpu = 1}},
	 .want = "1000-1500; 7  2000/2; 8  1000/1",
	 .cpus = "0 2000/2; 1 1000/1",
	 .events = "cycles",
	 .note = "3 samples of cycles, one sample of 1000 in "},
	{"a frequency without PERIOD: samples are counted",
	 &unweighted,
	 {{SAMPLE, 7, 7, 1000}, {SAMPLE, 8, 8, 1100}, {SAMPLE, 7, 7, 1500}},
	 .want = "1000-1500; 7  2/2; 8  1/1",
	 .events = "cycles-samples"},
	{"two events",
	 &two,
	 {{SAMPLE, 7, 7, 1000, 300},
	  {SAMPLE, 7, 7, 1100, 5, .event = 1},
	  {SAMPLE, 8, 8, 1200, 6, .event = 1}},
	 .want = "1000-1200; 7  300/1 5/1; 8  0/0 6/1",
	 .events = "cycles page-faults"},
	{"events of one name are one",
	 &two_cores,
	 {{SAMPLE, 7, 7, 1000, 300},
	  {SAMPLE, 7, 7, 1100, 5, .event = 1},
	  {SAMPLE, 7, 7, 1200, 6, .event = 2}},
	 .want = "1000-1200; 7  306/2 5/1",
	 .events = "cpu_core/cycles/ cpu_atom/cycles/"},
	{"names of tracepoints by their config",
	 &tracepoints,
	 {{TRACEPOINT, .weight = 401, .text = "another:name"},
	  {TRACEPOINT, .weight = 400, .text = "probe:main"},
	  {SAMPLE, 7, 7, 1000},
	  {SAMPLE, 7, 7, 1100, .event = 1}},
	 .want = "1000-1100; 7  1/1 1/1",
	 .events = "probe:main sched:sched_waking"},
	{"names behind the first sample are too late",
	 &tracepoints,
	 {{SAMPLE, 7, 7, 1000},
	  {TRACEPOINT, .weight = 400, .text = "probe:main"},
	  {NAME, .event = 1, .text = "late"},
	  {SAMPLE, 7, 7, 1100, .event = 1},
	  {SAMPLE, 7, 7, 1200}},
	 .want = "1000-1200; 7  2/2 1/1",
	 .events = "event/type=2,config=0x190/ sched:sched_waking"},
	{"ids among the samples",
	 &two,
	 {{FURTHER_ID, .weight = 1, .event = 50},
	  {SAMPLE, 7, 7, 1000, 3, .event = 50},
	  {FURTHER_ID, .weight = 0, .event = 51},
	  {SAMPLE, 7, 7, 1100, 4, .event = 51}},
	 .want = "1000-1100; 7  4/1 3/1",
	 .events = "cycles page-faults"},
	{"a further id of no event",
	 &two,
	 {{SAMPLE, 7, 7, 1000, 3}, {FURTHER_ID, .weight = 2, .event = 50}},
	 .want = "1000-1000; 7  3/1 0/0",
	 .failure = "The recording is broken: the description of its events is invalid.",
	 .later = true},
	{"an event that is only there for its records",
	 &with_dummy,
	 {{SAMPLE, 7, 7, 1000, 300, .event = 1}},
	 .want = "1000-1000; 7  300/1",
	 .events = "cycles",
	 .note = "1 sample of cycles at 4000 Hz"},
	{"values of a group are differences for each id",
	 &group,
	 {{SAMPLE, 7, 7, 1000, 500, .second = 900},
	  {SAMPLE, 8, 8, 1100, 700, .second = 1000},
	  {SAMPLE, 7, 7, 1200, 1000, .second = 1000},
	  {SAMPLE, 7, 7, 1300, 1001, .second = 1010, .event = 1}},
	 .want = "1000-1300; 7  801/3 910/2; 8  200/1 100/1",
	 .events = "cycles instructions"},
	{"values of samples without a group, too",
	 &reading,
	 {{SAMPLE, 7, 7, 1000, 500},
	  {SAMPLE, 7, 7, 1100, 900, .event = 1},
	  {SAMPLE, 8, 8, 1200, 700},
	  {SAMPLE, 7, 7, 1300, 1000, .event = 1}},
	 .want = "1000-1300; 7  500/1 1000/2; 8  200/1 0/0"},
	{"values that go back begin anew",
	 &group,
	 {{SAMPLE, 7, 7, 1000, 500, .second = 900}, {SAMPLE, 7, 7, 1100, 20, .second = 30}},
	 .want = "1000-1100; 7  500/1 900/1"},
	{"no times: all is one interval",
	 &timeless,
	 {{COMM, 7, 7, .text = "seven"},
	  {SAMPLE, 7, 7, 1000, 300},
	  {COMM, 8, 8, .text = "eight"},
	  {SAMPLE, 8, 8, 5000, 50, .cpu = 1},
	  {EXIT, 7, 7, 5000},
	  {SAMPLE, 8, 8, 9000, 50, .cpu = 1}},
	 .want = "3-3; 7 seven 300/1; 8 eight 100/2",
	 .cpus = "0 300/1; 1 100/2"},
	{"no times: an exec makes a row",
	 &timeless,
	 {{COMM, 7, 7, .text = "sh"},
	  {SAMPLE, 7, 7, 1000, 300},
	  {EXEC, 7, 7, 2000, .text = "ls"},
	  {SAMPLE, 7, 7, 5000, 50},
	  {EXEC, 7, 7, 6000, .text = "cat"},
	  {SAMPLE, 7, 7, 7000, 1}},
	 .want = "5-5; 7 sh 300/1; 7 ls 50/1; 7 cat 1/1"},
	{"no CPUs",
	 &cpuless,
	 {{SAMPLE, 7, 7, 1000, 300}, {SAMPLE, 8, 8, 1100, 50}},
	 .want = "1000-1100; 7  300/1; 8  50/1",
	 .cpus = ""},
	{"a CPU beyond the number of the recording",
	 &frequency,
	 {{CPUS, .cpu = 2},
	  {SAMPLE, 7, 7, 1000, 300, .cpu = 1},
	  {SAMPLE, 7, 7, 1100, 50, .cpu = 9}},
	 .want = "1000-1100; 7  350/2"},
	{"no names",
	 &frequency,
	 {{SAMPLE, 7, 7, 1000, 300}, {SAMPLE, 7, 8, 1100, 50}},
	 .want = "1000-1100; 7  300/1; 8  50/1"},
	{"no times: a fork, and a tid that is used again",
	 &timeless,
	 {{COMM, 7, 7, .text = "sh"},
	  {FORK, 7, 7, .other = 8},
	  {SAMPLE, 8, 8, .weight = 300},
	  {EXEC, 8, 8, .text = "ls"},
	  {SAMPLE, 8, 8, .weight = 50},
	  {EXIT, 8, 8},
	  {FORK, 7, 7, .other = 8},
	  {SAMPLE, 8, 8, .weight = 6}},
	 .want = "6-6; 8 sh 300/1; 8 ls 50/1; 8 sh 6/1"},
	{"a name that perf adds at the end",
	 &frequency,
	 {{SAMPLE, 7, 7, 1000, 300},
	  {SAMPLE, 8, 8, 1100, 50},
	  {COMM, 8, 8, 1150, .text = "new"},
	  {SAMPLE, 8, 8, 1200, 5},
	  {COMM, 7, 7, .text = "seven"},
	  {COMM, 8, 8, .text = "eight"}},
	 .want = "1000-1200; 7 seven 300/1; 8 eight 50/1; 8 new 5/1"},
	{"more names in an interval than rows for them",
	 &frequency,
	 {{COMM, 7, 7, .text = "0"},       {SAMPLE, 7, 7, 1000, 1},
	  {EXEC, 7, 7, 1001, .text = "1"}, {SAMPLE, 7, 7, 1010, 1},
	  {EXEC, 7, 7, 1011, .text = "2"}, {SAMPLE, 7, 7, 1020, 1},
	  {EXEC, 7, 7, 1021, .text = "3"}, {SAMPLE, 7, 7, 1030, 1},
	  {EXEC, 7, 7, 1031, .text = "4"}, {SAMPLE, 7, 7, 1040, 1},
	  {EXEC, 7, 7, 1041, .text = "5"}, {SAMPLE, 7, 7, 1050, 1},
	  {EXEC, 7, 7, 1051, .text = "6"}, {SAMPLE, 7, 7, 1060, 1},
	  {EXEC, 7, 7, 1061, .text = "7"}, {SAMPLE, 7, 7, 1070, 1},
	  {EXEC, 7, 7, 1071, .text = "8"}, {SAMPLE, 7, 7, 1080, 1},
	  {EXEC, 7, 7, 1081, .text = "9"}, {SAMPLE, 7, 7, 1090, 1},
	  {EXEC, 7, 7, 1091, .text = "a"}, {SAMPLE, 7, 7, 1100, 1}},
	 .want = "1000-1100; 7 0 1/1; 7 1 1/1; 7 2 1/1; 7 3 1/1; 7 4 1/1; 7 5 1/1; 7 6 1/1; "
		 "7 7 1/1; 7 a 3/3"},
	{"an exec in an interval makes a row",
	 &frequency,
	 {{COMM, 7, 7, .text = "sh"},
	  {SAMPLE, 7, 7, 1000, 300},
	  {EXEC, 7, 7, 1100, .text = "ls"},
	  {SAMPLE, 7, 7, 1100, 10},
	  {SAMPLE, 7, 7, 1200, 50},
	  {SAMPLE, 7, 7, 1300, 1}},
	 .want = "1000-1300; 7 sh 310/2; 7 ls 51/2"},
	{"several execs",
	 &frequency,
	 {{COMM, 7, 7, .text = "sh"},
	  {SAMPLE, 7, 7, 1000, 1},
	  {EXEC, 7, 7, 1100, .text = "env"},
	  {SAMPLE, 7, 7, 1200, 2},
	  {EXEC, 7, 7, 1300, .text = "env"},
	  {SAMPLE, 7, 7, 1350, 10},
	  {EXEC, 7, 7, 1400, .text = "ls"},
	  {SAMPLE, 7, 7, 1500, 3}},
	 .want = "1000-1500; 7 sh 1/1; 7 env 12/2; 7 ls 3/1"},
	{"an exec before any sample, or in another interval, makes none",
	 &frequency,
	 {{COMM, 7, 7, .text = "sh"},
	  {EXEC, 7, 7, 900, .text = "env"},
	  {SAMPLE, 7, 7, 1000, 300},
	  {SAMPLE, 8, 8, 2050, 4},
	  {EXEC, 7, 7, 2100, .text = "ls"},
	  {SAMPLE, 7, 7, 2200, 50}},
	 .want = "1000-2000; 7 env 300/1\n2000-2200; 8  4/1; 7 ls 50/1",
	 .whole = "1000-2200; 7 env 300/1; 8  4/1; 7 ls 50/1"},
	{"another name without an exec makes one, too",
	 &frequency,
	 {{COMM, 7, 7, .text = "old"},
	  {SAMPLE, 7, 7, 1000, 300},
	  {COMM, 7, 7, 1100, .text = "new"},
	  {SAMPLE, 7, 7, 1200, 50}},
	 .want = "1000-1200; 7 old 300/1; 7 new 50/1"},
	{"a child has the name of its parent",
	 &frequency,
	 {{COMM, 7, 7, .text = "sh"},
	  {SAMPLE, 7, 7, 1000, 300},
	  {FORK, 7, 7, 1100, .other = 8},
	  {SAMPLE, 8, 8, 1200, 50},
	  {THREAD, 7, 7, 1200, .other = 9},
	  {SAMPLE, 7, 9, 1300, 60},
	  {EXEC, 8, 8, 1400, .text = "ls"},
	  {SAMPLE, 8, 8, 1500, 7}},
	 .want = "1000-1500; 7 sh 300/1; 8 sh 50/1; 9 sh 60/1; 8 ls 7/1"},
	{"a task that ends, and its tid is that of another one later",
	 &frequency,
	 {{COMM, 7, 7, .text = "first"},
	  {SAMPLE, 7, 7, 1000, 300},
	  {EXIT, 7, 7, 1100},
	  {SAMPLE, 7, 7, 1101, 5},
	  {COMM, 1, 1, .text = "init"},
	  {FORK, 1, 1, 1800, .other = 7},
	  {SAMPLE, 7, 7, 1900, 50}},
	 .want = "1000-1900; 7 first 305/2; 7 init 50/1"},
	{"a task that ends in an interval before",
	 &frequency,
	 {{COMM, 7, 7, .text = "first"},
	  {SAMPLE, 7, 7, 1000, 300},
	  {EXIT, 7, 7, 1100},
	  {SAMPLE, 8, 8, 6000, 50},
	  {FORK, 8, 8, 6100, .other = 7},
	  {SAMPLE, 7, 7, 6200, 60}},
	 .unit_ns = NS_PER_S,
	 .want = "1000-2000; 7 first 300/1\n2000-3000\n3000-4000\n4000-5000\n5000-6000\n"
		 "6000-6200; 8  50/1; 7  60/1",
	 .whole = "1000-6200; 7 first 300/1; 8  50/1; 7  60/1"},
	{"intervals",
	 &frequency,
	 {{SAMPLE, 7, 7, 1000, 1},
	  {SAMPLE, 7, 7, 1999, 2},
	  {SAMPLE, 8, 8, 2000, 3},
	  {SAMPLE, 7, 7, 3500, 4},
	  {SAMPLE, 7, 7, 5100, 5}},
	 .want = "1000-2000; 7  3/2\n2000-3000; 8  3/1\n3000-4000; 7  4/1\n4000-5000\n"
		 "5000-5100; 7  5/1",
	 .whole = "1000-5100; 7  12/4; 8  3/1"},
	{"samples out of order over two rounds and two CPUs",
	 &frequency,
	 {{COMM, 7, 7, .text = "seven"},
	  {SAMPLE, 7, 7, 1000, 1},
	  {SAMPLE, 7, 7, 1400, 2},
	  {SAMPLE, 8, 8, 1100, 4, .cpu = 1},
	  {SAMPLE, 8, 8, 2300, 8, .cpu = 1},
	  {ROUND},
	  {SAMPLE, 7, 7, 1900, 16},
	  {SAMPLE, 7, 7, 2500, 32},
	  {EXEC, 8, 8, 2400, .cpu = 1, .text = "eight"},
	  {SAMPLE, 8, 8, 2600, 64, .cpu = 1},
	  {ROUND},
	  {SAMPLE, 7, 7, 3100, 128},
	  {ROUND}},
	 .want = "1000-2000; 7 seven 19/3; 8  4/1\n2000-3000; 8  8/1; 7 seven 32/1; 8 eight 64/1\n"
		 "3000-3100; 7 seven 128/1",
	 .whole = "1000-3100; 7 seven 179/5; 8  12/2; 8 eight 64/1",
	 .cpus = "0 179/5; 1 76/3"},
	{"an hour without samples is left out, and the times stay right",
	 &frequency,
	 {{SAMPLE, 7, 7, 1000, 1},
	  {SAMPLE, 7, 7, 2500, 2},
	  {SAMPLE, 7, 7, 3602700, 4},
	  {SAMPLE, 7, 7, 3603100, 8}},
	 .unit_ns = NS_PER_MS,
	 .want = "1000-2000; 7  1/1\n2000-3000; 7  2/1\n3602000-3603000; 7  4/1\n"
		 "3603000-3603100; 7  8/1",
	 .whole = "1000-3603100; 7  15/4"},
	{"a minute without samples is not",
	 &frequency,
	 {{SAMPLE, 7, 7, 1000, 1}, {SAMPLE, 7, 7, 5500, 2}},
	 .unit_ns = NS_PER_MS,
	 .want = "1000-2000; 7  1/1\n2000-3000\n3000-4000\n4000-5000\n5000-5500; 7  2/1",
	 .whole = "1000-5500; 7  3/2"},
	{"lost records",
	 &frequency,
	 {{SAMPLE, 7, 7, 1000, 1},
	  {LOST, 7, 7, 1100, 12},
	  {SAMPLE, 7, 7, 1200, 2},
	  {SAMPLE, 7, 7, 2500, 4}},
	 .want = "1000-2000; 7  3/2\n2000-2500; 7  4/1",
	 .whole = "1000-2500; 7  7/3",
	 .lost = 12,
	 .note = "perf lost records: 12 so far. Counts are too low"},
	{"lost samples",
	 &frequency,
	 {{SAMPLE, 7, 7, 1000, 1}, {LOST_SAMPLES, 7, 7, 1100, 3}, {SAMPLE, 7, 7, 1200, 2}},
	 .want = "1000-1200; 7  3/2",
	 .lost = 3,
	 .note = "2 samples (3 lost) of cycles"},
	{"samples of unknown events",
	 &two,
	 {{SAMPLE, 7, 7, 1000, 300},
	  {SAMPLE, 7, 7, 1100, 5, .event = UNKNOWN},
	  {SAMPLE, 8, 8, 1200, 6, .event = 1}},
	 .want = "1000-1200; 7  300/1 0/0; 8  0/0 6/1",
	 .note = "Samples of unknown events are passed over."},
	{"idle CPUs are a row",
	 &frequency,
	 {{SAMPLE, 0, 0, 1000, 300}, {SAMPLE, 7, 7, 1100, 5}, {SAMPLE, 0, 0, 1200, 40, .cpu = 1}},
	 .want = "1000-1200; 0 swapper 340/2; 7  5/1",
	 .cpus = "0 305/2; 1 40/1"},
	{"samples of tasks that perf could not name are unattributed",
	 &frequency,
	 {{SAMPLE, -1, -1, 1000, 300}, {SAMPLE, 7, 7, 1100, 5}, {SAMPLE, -1, -1, 2200, 40}},
	 .want = "1000-2000; 7  5/1; ? 300/1\n2000-2200; ? 40/1",
	 .whole = "1000-2200; 7  5/1; ? 340/2"},
	{"a target",
	 &frequency,
	 {{COMM, 7, 7, .text = "sh"},
	  {SAMPLE, 7, 7, 1000, 300},
	  {FORK, 7, 7, 1100, .other = 8},
	  {SAMPLE, 8, 8, 1200, 50},
	  {SAMPLE, 9, 9, 1300, 6},
	  {SAMPLE, 0, 0, 1400, 7}},
	 .want = "1000-1400; 7 sh 300/1; 8 sh 50/1; others 13/2",
	 .target = {.pids = (pid_t[]){7}, .n_pids = 1}},
	{"the cgroups of samples",
	 &with_cgroups,
	 {{CGROUP, .other = 5, .text = "/a"},
	  {SAMPLE, 7, 7, 1000, 300, .other = 5},
	  {SAMPLE, 8, 8, 1100, 50, .other = 6},
	  {CGROUP, .other = 6, .text = "/b"},
	  {SAMPLE, 9, 9, 1200, 50, .other = 6}},
	 .want = "1000-1200; 7  300/1; 8  50/1; 9  50/1",
	 .cgroups = "7 /a; 8 /b; 9 /b"},
	{"a cgroup as the target",
	 &with_cgroups,
	 {{CGROUP, .other = 5, .text = "/a"},
	  {SAMPLE, 7, 7, 1000, 300, .other = 5},
	  {CGROUP, .other = 6, .text = "/b"},
	  {SAMPLE, 9, 9, 1200, 50, .other = 6}},
	 .want = "1000-1200; 7  300/1; others 50/1",
	 .target = {.cgroup = "/a"}},
	{"a record that is broken: all before it is shown",
	 &frequency,
	 {{SAMPLE, 7, 7, 1000, 300}, {SAMPLE, 7, 7, 2100, 5}, {BROKEN}, {SAMPLE, 8, 8, 2200, 50}},
	 .want = "1000-2000; 7  300/1\n2000-2100; 7  5/1",
	 .whole = "1000-2100; 7  305/2",
	 .failure = "The recording is broken: a record does not fit its kind.",
	 .later = true},
	{"a file that is cut off",
	 &frequency,
	 {{SAMPLE, 7, 7, 1000, 300}, {SAMPLE, 7, 7, 1100, 5}, {SAMPLE, 8, 8, 1200, 50}, {CUT}},
	 .want = "1000-1100; 7  305/2",
	 .failure = "The recording is cut off",
	 .later = true},
	{"no samples",
	 &frequency,
	 {{COMM, 7, 7, .text = "seven"}, {ROUND}},
	 .failure = "The recording has no samples."},
	{"no event that has samples",
	 &dummies,
	 {{SAMPLE, 7, 7, 1000, 300}},
	 .failure = "The recording has no event with samples."},
	{"AUX data alone",
	 &frequency,
	 {{COMM, 7, 7, .text = "seven"}, {AUX}},
	 .failure = "The recording has AUX data (Intel PT, Arm CoreSight or SPE) and no samples."},
	{"AUX data beside samples",
	 &frequency,
	 {{SAMPLE, 7, 7, 1000, 300}, {AUX}, {SAMPLE, 7, 7, 1100, 5}},
	 .want = "1000-1100; 7  305/2",
	 .note = "AUX data (Intel PT, Arm CoreSight, SPE) is passed over"},
	{"functions, and their callers by return addresses",
	 &with_chains,
	 {{MAP, 7, 7, .weight = 0x400000, .text = "/usr/bin/program"},
	  {SAMPLE, 7, 7, 1000, 300, .ip = 0x400010,
	   .chain = {PERF_CONTEXT_USER, 0x400010, 0x400021}},
	  {SAMPLE, 7, 7, 1100, 5, .ip = 0x400010},
	  {SAMPLE, 8, 8, 1200, 6, .ip = 0x400010},
	  {KERNEL, 7, 7, 1300, 7, .ip = 0xffffffff81000000u,
	   .chain = {PERF_CONTEXT_KERNEL, 0xffffffff81000000u, PERF_CONTEXT_USER, 0x400010}}},
	 .want = "1000-1300; 7  312/3; 8  6/1",
	 .functions = "7: program+0x10 program+0x20 300/1; 7: program+0x10 5/1; "
		      "7: [kernel] program+0x10 7/1; 8: [unknown] 6/1",
	 .note = "50 % of the samples have no function: program ... are not here"},
	{"functions of a just-in-time compiler",
	 &frequency,
	 {{MAP, 7, 7, .weight = 0x400000, .text = "//anon"},
	  {SAMPLE, 7, 7, 1000, 300, .ip = 0x400010},
	  {SAMPLE, 7, 7, 1100, 5, .ip = 0x400020}},
	 .want = "1000-1100; 7  305/2",
	 .functions = "7: [unknown] 305/2",
	 .note = "100 % of samples are in JIT code without names. With jitdump: perf inject --jit "
		 "-i FILE -o NEW"},
	{"functions of a just-in-time compiler in shared memory",
	 &frequency,
	 {{MAP, 7, 7, .weight = 0x400000, .text = "/memfd:doublemapper (deleted)"},
	  {SAMPLE, 7, 7, 1000, 300, .ip = 0x400010}},
	 .want = "1000-1000; 7  300/1",
	 .functions = "7: [unknown] 300/1",
	 .note = "100 % of samples are in JIT code without names"},
	{"functions before and after an exec",
	 &frequency,
	 {{COMM, 7, 7, .text = "sh"},
	  {MAP, 7, 7, 900, 0x400000, .text = "/bin/sh"},
	  {SAMPLE, 7, 7, 1000, 300, .ip = 0x400010},
	  {EXEC, 7, 7, 1100, .text = "ls"},
	  {MAP, 7, 7, 1101, 0x400000, .text = "/bin/ls"},
	  {SAMPLE, 7, 7, 1200, 50, .ip = 0x400010}},
	 .want = "1000-1200; 7 sh 300/1; 7 ls 50/1",
	 .functions = "7: sh+0x10 300/1; 7: ls+0x10 50/1"},
	{"the machine and its clock",
	 &frequency,
	 {{HOST, .text = "engine"},
	  {CLOCKS, .time = 500, .weight = 1000000},
	  {SAMPLE, 7, 7, 1000, 300},
	  {SAMPLE, 7, 7, 1700, 300}},
	 .want = "1000-1700; 7  600/2",
	 .host = "engine",
	 .realtime_ns = 1001200},
	{"columns: the event of time first",
	 &two,
	 {{SAMPLE, 7, 7, 1000, 3000},
	  {SAMPLE, 7, 7, 1100, 3000},
	  {SAMPLE, 7, 7, 1200, 3000},
	  {SAMPLE, 7, 7, 1300, 3000},
	  {SAMPLE, 7, 7, 1400, 5, .event = 1},
	  {SAMPLE, 8, 8, 1500, 4000}},
	 .want = "1000-1500; 7  12000/4 5/1; 8  4000/1 0/0",
	 .columns = "share 75~ sampling_error 50 samples 4 cycles 12000~ page-faults 5~"},
	{"columns: the event of time is not the first one of the recording",
	 &work_first,
	 {{SAMPLE, 7, 7, 1000, 3000}, {SAMPLE, 7, 7, 1100, 1000, .event = 1}},
	 .want = "1000-1100; 7  3000/1 1000/1",
	 .events = "instructions cycles",
	 .columns = "share 100~ sampling_error 100 samples 1 cycles 1000~ instructions 3000~ "
		    "ipc 3~"},
	{"columns: a clock, without cycles",
	 &clocks,
	 {{SAMPLE, 7, 7, 1000, 3}, {SAMPLE, 7, 7, 1100, 250000, .event = 1}},
	 .want = "1000-1100; 7  3/1 250000/1",
	 .columns = "share 100~ sampling_error 100 samples 1 cpu-clock 250000~ page-faults 3~"},
	{"columns: an event that has no sample in a row",
	 &two,
	 {{SAMPLE, 7, 7, 1000, 5, .event = 1}, {SAMPLE, 8, 8, 1100, 4000}},
	 .want = "1000-1100; 7  0/0 5/1; 8  4000/1 0/0",
	 .columns = "share - sampling_error - samples 0 cycles - page-faults 5~"},
	{"a sample of an unknown time is in the interval of the one before",
	 &frequency,
	 {{SAMPLE, 7, 7, 0, 1},
	  {SAMPLE, 7, 7, 1000, 2},
	  {ROUND},
	  {SAMPLE, 7, 7, 3000, 4},
	  {ROUND},
	  {SAMPLE, 7, 7, 0, 8}},
	 .want = "1000-2000; 7  11/3\n2000-3000\n3000-3000; 7  4/1",
	 .whole = "1000-3000; 7  15/4"},
	{"samples of no task, all at one time",
	 &frequency,
	 {{SAMPLE, -1, -1, 1000, 1}},
	 .want = "1000-1000; ? 1/1"},
	{"times that are all unknown",
	 &frequency,
	 {{SAMPLE, 7, 7, 0, 1}, {SAMPLE, 7, 7, 0, 2}},
	 .want = "0-0; 7  3/2"},
	{"the end of time",
	 &frequency,
	 {{SAMPLE, 7, 7, 1000, 1},
	  {SAMPLE, 7, 7, UINT64_MAX, 2},
	  {SAMPLE, 7, 7, UINT64_MAX - 1, 4},
	  {SAMPLE, 7, 7, UINT64_MAX - 2, 8}},
	 .want = "1000-2000; 7  3/2\n18446744073709551000-18446744073709551614; 7  12/2",
	 .whole = "1000-18446744073709551614; 7  15/4"},
	{"the greatest weights",
	 &frequency,
	 {{SAMPLE, 7, 7, 1000, UINT64_MAX}},
	 .want = "1000-1000; 7  18446744073709551615/1",
	 .columns = "share 100~ sampling_error 100 samples 1 cycles 18446744073709551616~"},
};

/* The recording */

static uint64_t unit_of(const struct profile_case *row)
{
	return row->unit_ns ? row->unit_ns : 1;
}

static uint64_t sample_type_of(const struct format *format)
{
	return format->sample_type | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID;
}

static void put_events(struct image *image, const struct format *format)
{
	for (unsigned i = 0; i < format->n; i++) {
		image_event(image, ID_FIRST + i,
			    &(struct perf_event_attr){
				    .type = format->events[i].type,
				    .config = format->events[i].config,
				    .sample_type = sample_type_of(format),
				    .read_format = format->read_format,
				    .freq = !format->period,
				    .sample_period = format->period ? format->period : 4000,
			    });
		if (format->events[i].name)
			image_event_name(image, ID_FIRST + i, format->events[i].name);
	}
}

static void put_read(struct image *image, const struct format *format, const struct step *step)
{
	if (format->read_format & PERF_FORMAT_GROUP) {
		image_u64(image, 2);
		image_u64(image, step->weight);
		image_u64(image, ID_FIRST);
		image_u64(image, step->second);
		image_u64(image, ID_FIRST + 1);
	} else {
		image_u64(image, step->weight);
		image_u64(image, ID_FIRST + step->event);
	}
}

static void put_chain(struct image *image, const struct step *step)
{
	size_t n = 0;

	while (n < CHAIN_MAX && step->chain[n])
		n++;
	image_u64(image, n);
	for (size_t i = 0; i < n; i++)
		image_u64(image, step->chain[i]);
}

static void put_sample(struct image *image, const struct profile_case *row, const struct step *step)
{
	const struct format *format = row->format;
	uint64_t type = sample_type_of(format);
	size_t begin =
		image_begin(image, PERF_RECORD_SAMPLE,
			    step->kind == KERNEL ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);

	image_u64(image, ID_FIRST + step->event);
	image_u64(image, step->ip);
	image_pair(image, (uint32_t)step->pid, (uint32_t)step->tid);
	if (type & PERF_SAMPLE_TIME)
		image_u64(image, step->time * unit_of(row));
	if (type & PERF_SAMPLE_CPU)
		image_pair(image, step->cpu, 0);
	if (type & PERF_SAMPLE_PERIOD)
		image_u64(image, step->weight);
	if (type & PERF_SAMPLE_READ)
		put_read(image, format, step);
	if (type & PERF_SAMPLE_CALLCHAIN)
		put_chain(image, step);
	if (type & GROUP)
		image_u64(image, (uint64_t)step->other);
	image_end(image, begin);
}

/* The end of all records but samples. Those that perf makes up have no time and no id. */
static void put_trailer(struct image *image, size_t begin, const struct profile_case *row,
			const struct step *step)
{
	uint64_t type = sample_type_of(row->format);

	image_pair(image, (uint32_t)step->pid, (uint32_t)step->tid);
	if (type & PERF_SAMPLE_TIME)
		image_u64(image, step->time * unit_of(row));
	if (type & PERF_SAMPLE_CPU)
		image_pair(image, step->cpu, 0);
	image_u64(image, step->time ? ID_FIRST : 0);
	image_end(image, begin);
}

static void put_task(struct image *image, const struct profile_case *row, const struct step *step)
{
	bool exits = step->kind == EXIT;
	pid_t pid = step->kind == FORK ? step->other : step->pid;
	pid_t tid = exits ? step->tid : step->other;
	size_t begin = image_begin(image, exits ? PERF_RECORD_EXIT : PERF_RECORD_FORK, 0);

	image_pair(image, (uint32_t)pid, (uint32_t)step->pid);
	image_pair(image, (uint32_t)tid, (uint32_t)step->tid);
	image_u64(image, step->time * unit_of(row));
	put_trailer(image, begin, row, step);
}

static void put_map(struct image *image, const struct profile_case *row, const struct step *step)
{
	size_t begin = image_begin(image, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);

	image_pair(image, (uint32_t)step->pid, (uint32_t)step->tid);
	image_u64(image, step->weight);
	image_u64(image, 0x1000);
	image_u64(image, 0);
	image_pair(image, 8, 1);
	image_u64(image, 42); /* inode */
	image_u64(image, 0);
	image_pair(image, 5, 2); /* PROT_READ | PROT_EXEC, MAP_PRIVATE */
	image_text(image, step->text, 24);
	put_trailer(image, begin, row, step);
}

static void put_step(struct image *image, const struct profile_case *row, const struct step *step)
{
	size_t begin;

	switch (step->kind) {
	case END:
		break;
	case SAMPLE:
	case KERNEL:
		put_sample(image, row, step);
		break;
	case COMM:
	case EXEC:
		begin = image_begin(image, PERF_RECORD_COMM,
				    step->kind == EXEC ? PERF_RECORD_MISC_COMM_EXEC : 0);
		image_pair(image, (uint32_t)step->pid, (uint32_t)step->tid);
		image_text(image, step->text, 16);
		put_trailer(image, begin, row, step);
		break;
	case FORK:
	case THREAD:
	case EXIT:
		put_task(image, row, step);
		break;
	case LOST:
		begin = image_begin(image, PERF_RECORD_LOST, 0);
		image_u64(image, ID_FIRST);
		image_u64(image, step->weight);
		put_trailer(image, begin, row, step);
		break;
	case LOST_SAMPLES:
		begin = image_begin(image, PERF_RECORD_LOST_SAMPLES, 0);
		image_u64(image, step->weight);
		put_trailer(image, begin, row, step);
		break;
	case ROUND:
		begin = image_begin(image, PERFDATA_ROUND, 0);
		image_end(image, begin);
		break;
	case MAP:
		put_map(image, row, step);
		break;
	case CGROUP:
		begin = image_begin(image, PERF_RECORD_CGROUP, 0);
		image_u64(image, (uint64_t)step->other);
		image_text(image, step->text, 8);
		put_trailer(image, begin, row, step);
		break;
	case AUX:
		begin = image_begin(image, PERFDATA_AUXTRACE, 0);
		image_u64(image, 16);
		for (size_t i = 0; i < 4; i++)
			image_u64(image, 0);
		image_end(image, begin);
		image_u64(image, 1);
		image_u64(image, 2);
		break;
	case BROKEN:
		begin = image_begin(image, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
		image_u64(image, ID_FIRST);
		image_end(image, begin);
		break;
	case CUT:
		image->n -= 4;
		break;
	case NAME:
		image_event_name(image, ID_FIRST + step->event, step->text);
		break;
	case TRACEPOINT:
		begin = image_begin(image, PERFDATA_NATIVE, 0);
		image_u64(image, step->weight);
		image_text(image, step->text, 64);
		image_end(image, begin);
		break;
	case FURTHER_ID:
		begin = image_begin(image, PERFDATA_EVENT_ID, 0);
		image_u64(image, 1);
		image_u64(image, step->weight);
		image_u64(image, ID_FIRST + step->event);
		image_end(image, begin);
		break;
	case CPUS:
		image_cpus(image, step->cpu);
		break;
	case CLOCKS:
		begin = image_begin(image, PERFDATA_FEATURE, 0);
		image_u64(image, PERFDATA_CLOCK_DATA);
		image_pair(image, 1, 1); /* version, CLOCK_MONOTONIC */
		image_u64(image, step->weight);
		image_u64(image, step->time);
		image_end(image, begin);
		break;
	case HOST:
		begin = image_begin(image, PERFDATA_FEATURE, 0);
		image_u64(image, PERFDATA_HOSTNAME);
		image_string(image, step->text);
		image_end(image, begin);
		break;
	}
}

static void make_recording(struct image *image, const struct profile_case *row)
{
	image_stream(image);
	put_events(image, row->format);
	for (size_t i = 0; i < STEPS_MAX && row->steps[i].kind != END; i++)
		put_step(image, row, &row->steps[i]);
}

/* Snapshots as text */

struct text {
	char bytes[4096];
	size_t n;
};

__attribute__((format(printf, 2, 3))) static void print(struct text *text, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	text->n += (size_t)vsnprintf(text->bytes + text->n, sizeof(text->bytes) - text->n, format,
				     arguments);
	va_end(arguments);
	assert_true(text->n < sizeof(text->bytes));
}

static bool is_empty(const struct columns *columns, const uint64_t *tally)
{
	for (size_t i = 0; i < tally_width(&columns->plan->shape); i++)
		if (tally[i])
			return false;
	return true;
}

static uint64_t samples_of(const struct columns *columns, const uint64_t *tally, size_t event)
{
	const struct plan *plan = columns->plan;

	return sampled_event_samples(&plan->shape, tally, plan->first_counter[event]);
}

static void print_tally(const struct columns *columns, const uint64_t *tally, struct text *text)
{
	for (size_t i = TALLY_FIRST_COUNTED; i < columns->events.n; i++)
		print(text, " %llu/%llu", (unsigned long long)plan_count(columns->plan, tally, i),
		      (unsigned long long)samples_of(columns, tally, i));
}

static void print_snapshot(const struct snapshot *snapshot, uint64_t unit_ns, struct text *text)
{
	const struct columns *columns = snapshot->columns;

	print(text, "%s%llu-%llu", text->n ? "\n" : "",
	      (unsigned long long)((snapshot->time_ns - snapshot->interval_ns) / unit_ns),
	      (unsigned long long)(snapshot->time_ns / unit_ns));
	for (size_t i = 0; i < snapshot->threads.n; i++) {
		const struct row *row = &snapshot->threads.items[i];

		print(text, "; %d %s", row->tid, row->comm);
		print_tally(columns, rows_tally(columns, &snapshot->threads, i), text);
	}
	if (!is_empty(columns, snapshot->others)) {
		print(text, "; others");
		print_tally(columns, snapshot->others, text);
	}
	if (!is_empty(columns, snapshot->unattributed)) {
		print(text, "; ?");
		print_tally(columns, snapshot->unattributed, text);
	}
}

static void print_events(const struct snapshot *snapshot, struct text *text)
{
	const struct event_set *events = &snapshot->columns->events;

	for (size_t i = TALLY_FIRST_COUNTED; i < events->n; i++) {
		assert_int_equal(events->items[i].kind, EVENT_SAMPLED);
		print(text, "%s%s", text->n ? " " : "", events->items[i].name);
	}
}

static void print_cpus(const struct snapshot *snapshot, struct text *text)
{
	for (size_t i = 0; i < snapshot->n_cpus; i++) {
		const struct snapshot_cpu *cpu = &snapshot->cpus[i];

		if (!cpu->tally)
			continue;
		print(text, "%s%d", text->n ? "; " : "", cpu->cpu);
		print_tally(snapshot->columns, cpu->tally, text);
	}
}

/* Of the first row. */
static void print_columns(const struct snapshot *snapshot, struct text *text)
{
	const struct columns *columns = snapshot->columns;
	const struct figure *figures = rows_figures(columns, &snapshot->threads, 0);

	for (size_t i = 0; i < columns->n_shown; i++) {
		print(text, "%s%s ", text->n ? " " : "", columns->metrics[i].def->name);
		if (figure_known(figures[i]))
			print(text, "%.0f%s", figures[i].value,
			      figures[i].state == FIGURE_SCALED ? "~" : "");
		else
			print(text, "-");
	}
}

static void print_functions(const struct snapshot *snapshot, struct text *text)
{
	const struct code_profile *code = snapshot->code;

	for (size_t i = 0; i < code->n_entries; i++) {
		const struct code_entry *entry = &code->entries[i];

		print(text, "%s%d:", text->n ? "; " : "", code->tasks[entry->task].tid);
		for (uint32_t f = 0; f < entry->depth; f++)
			print(text, " %s", code->functions[code->frames[entry->frame + f]].name);
		print(text, " %llu/%llu", (unsigned long long)entry->weight,
		      (unsigned long long)entry->samples);
	}
}

static void print_cgroups(const struct snapshot *snapshot, struct text *text)
{
	for (size_t i = 0; i < snapshot->threads.n; i++) {
		const struct row *row = &snapshot->threads.items[i];

		if (snapshot_cgroup(snapshot, row))
			print(text, "%s%d %s", text->n ? "; " : "", row->tid,
			      snapshot_cgroup(snapshot, row));
	}
}

static void expect_part(const struct snapshot *snapshot,
			void (*print_part)(const struct snapshot *snapshot, struct text *text),
			const char *want)
{
	struct text text = {0};

	if (!want)
		return;
	print_part(snapshot, &text);
	assert_string_equal(text.bytes, want);
}

static bool has_note(const struct snapshot *snapshot, const char *words)
{
	for (size_t i = 0; i < snapshot->n_notes; i++)
		if (strncmp(snapshot->notes[i], words, strlen(words)) == 0)
			return true;
	return false;
}

/* What holds in every snapshot. */

/* The functions have all samples. */
static void check_functions(const struct snapshot *snapshot)
{
	const struct columns *columns = snapshot->columns;
	const struct code_profile *code = snapshot->code;

	if (!code)
		return;
	for (size_t i = 0; i < code->n_events; i++) {
		size_t event = code->events[i].counted;
		uint64_t samples = 0, weight = 0;

		assert_string_equal(code->events[i].name, columns->events.items[event].name);
		for (size_t k = 0; k < code->n_entries; k++) {
			if (code->entries[k].event != i)
				continue;
			samples += code->entries[k].samples;
			weight += code->entries[k].weight;
		}
		assert_int_equal(weight, plan_count(columns->plan, snapshot->totals, event));
		assert_int_equal(samples, samples_of(columns, snapshot->totals, event));
	}
}

static void check_snapshot(const struct snapshot *snapshot)
{
	const struct columns *columns = snapshot->columns;
	size_t event;

	assert_true(columns_of_profile(columns));
	assert_true(snapshot_conserves(snapshot, &event));
	assert_int_equal(snapshot->mode, COUNT_MODE_SYSTEM);
	/* No run time is claimed. */
	assert_int_equal(plan_count(columns->plan, snapshot->totals, TALLY_TASK_CLOCK), 0);
	assert_int_equal(columns->events.items[TALLY_TASK_CLOCK].state, FIGURE_NOT_COUNTED);
	check_functions(snapshot);
}

/* The replay */

struct stage {
	struct image image;
	struct fk *fk;
	struct sys sys;
	struct perfdata_input input;
	struct engine_config engine;
	struct replay_config config;
	struct replay *replay;
	struct error err;
};

/* Opens a replay of stage->image. */
static int stage_open(struct stage *stage, const struct replay_config *config)
{
	stage->config = *config;
	stage->config.engine = &stage->engine;
	stage->fk = fk_new(&(struct fk_config){.cpus = 1});
	stage->sys = fk_sys(stage->fk);
	stage->input = (struct perfdata_input){
		.read = image_read, .arg = &stage->image, .seekable = true, .size = stage->image.n};
	return replay_new_from(&stage->sys, &stage->config, &stage->input, &stage->replay,
			       &stage->err);
}

static void stage_close(struct stage *stage)
{
	replay_free(stage->replay);
	fk_free(stage->fk);
	stage->replay = NULL;
}

/* Returns the next snapshot, or NULL at the end, or at an error. */
static struct snapshot *next(struct stage *stage)
{
	struct snapshot *snapshot;
	int result = replay_next(stage->replay, &snapshot, &stage->err);

	if (result <= 0)
		return NULL;
	check_snapshot(snapshot);
	return snapshot;
}

/* Returns the next snapshot, which there is. */
static struct snapshot *next_one(struct stage *stage)
{
	struct snapshot *snapshot = next(stage);

	if (!snapshot)
		abort();
	return snapshot;
}

static void check_end(struct stage *stage, const struct profile_case *row)
{
	struct snapshot *snapshot;
	/* The next calls return the same. */
	int result = replay_next(stage->replay, &snapshot, &stage->err);

	if (!row->later) {
		assert_int_equal(result, 0);
		return;
	}
	assert_true(result < 0);
	assert_int_equal(strncmp(stage->err.text, row->failure, strlen(row->failure)), 0);
}

static uint64_t samples_of_code(const struct snapshot *snapshot)
{
	uint64_t samples = 0;

	for (size_t i = 0; snapshot && snapshot->code && i < snapshot->code->n_entries; i++)
		samples += snapshot->code->entries[i].samples;
	return samples;
}

/* Functions of skipped intervals do not turn up in the next one. */
static void show_last(struct stage *stage, uint64_t sequence, uint64_t samples)
{
	struct snapshot *snapshot;
	uint64_t time_ns;

	for (uint64_t i = 1; i < sequence; i++)
		assert_int_equal(replay_skip(stage->replay, &time_ns, &stage->err), 1);
	if (sequence > 0) {
		snapshot = next(stage);
		assert_non_null(snapshot);
		assert_int_equal(samples_of_code(snapshot), samples);
		snapshot_free(snapshot);
	}
	assert_int_equal(replay_rewind(stage->replay, &stage->err), 0);
}

static void show_intervals(struct stage *stage, const struct profile_case *row, bool functions)
{
	struct snapshot *snapshot;
	struct text text = {0};
	uint64_t sequence = 0, times_ns[STEPS_MAX], time_ns, last = 0;

	while ((snapshot = next(stage))) {
		assert_false(snapshot->whole);
		assert_int_equal(snapshot->code != NULL, functions);
		times_ns[sequence] = snapshot->time_ns;
		assert_int_equal(snapshot->sequence, ++sequence);
		last = samples_of_code(snapshot);
		print_snapshot(snapshot, unit_of(row), &text);
		snapshot_free(snapshot);
	}
	assert_string_equal(text.bytes, row->want);
	check_end(stage, row);
	/* The index skips them. */
	assert_int_equal(replay_rewind(stage->replay, &stage->err), 0);
	for (uint64_t i = 0; i < sequence; i++) {
		assert_int_equal(replay_skip(stage->replay, &time_ns, &stage->err), 1);
		assert_int_equal(time_ns, times_ns[i]);
	}
	check_end(stage, row);
	assert_int_equal(replay_rewind(stage->replay, &stage->err), 0);
	show_last(stage, sequence, last);
}

static void show_whole(struct stage *stage, const struct profile_case *row)
{
	struct snapshot *snapshot = next_one(stage);
	struct text text = {0};

	assert_true(snapshot->whole);
	print_snapshot(snapshot, unit_of(row), &text);
	assert_string_equal(text.bytes, row->whole ? row->whole : row->want);
	expect_part(snapshot, print_events, row->events);
	expect_part(snapshot, print_cpus, row->cpus);
	expect_part(snapshot, print_cgroups, row->cgroups);
	expect_part(snapshot, print_functions, row->functions);
	expect_part(snapshot, print_columns, row->columns);
	assert_string_equal(snapshot->host, row->host ? row->host : "");
	assert_int_equal(snapshot->realtime_ns, row->realtime_ns);
	assert_int_equal(snapshot->lost_records, row->lost);
	assert_true(!row->note || has_note(snapshot, row->note));
	assert_false(row->no_note && has_note(snapshot, row->no_note));
	snapshot_free(snapshot);
	check_end(stage, row);
}

static void shows_profile(void **state)
{
	const struct profile_case *row = *state;
	struct stage stage = {.engine = {.target = row->target}};
	struct replay_config config = {.interval_ns = (row->interval ? row->interval : 1000) *
						      unit_of(row)};

	make_recording(&stage.image, row);
	int result = stage_open(&stage, &config);
	if (row->failure && !row->later) {
		assert_int_equal(result, -EOPNOTSUPP);
		assert_int_equal(strncmp(stage.err.text, row->failure, strlen(row->failure)), 0);
		stage_close(&stage);
		image_fini(&stage.image);
		return;
	}
	if (result < 0)
		fail_msg("%s", stage.err.text);
	assert_false(replay_is_whole(stage.replay));
	show_intervals(&stage, row, true);
	show_intervals(&stage, row, true); /* after a rewind */
	stage_close(&stage);

	config.no_functions = true;
	assert_int_equal(stage_open(&stage, &config), 0);
	show_intervals(&stage, row, false);
	stage_close(&stage);

	config.no_functions = false;
	config.whole = true;
	assert_int_equal(stage_open(&stage, &config), 0);
	assert_true(replay_is_whole(stage.replay));
	show_whole(&stage, row);
	assert_int_equal(replay_rewind(stage.replay, &stage.err), 0);
	show_whole(&stage, row);
	/* A whole one gets intervals. */
	replay_set_interval(stage.replay, config.interval_ns);
	assert_int_equal(replay_rewind(stage.replay, &stage.err), 0);
	assert_false(replay_is_whole(stage.replay));
	show_intervals(&stage, row, true);
	stage_close(&stage);
	image_fini(&stage.image);
}

/* A pipe that has some bytes at a time, and none in between. */
struct trickle {
	struct image *image;
	bool opened; /* an opening without a descriptor cannot wait */
	bool empty;
};

static ssize_t read_trickle(void *arg, uint64_t at, void *bytes, size_t n)
{
	struct trickle *trickle = arg;

	trickle->empty = trickle->opened && !trickle->empty;
	if (trickle->empty)
		return -EAGAIN;
	return image_read(trickle->image, at, bytes, size_min(n, 100));
}

/* A pipe has intervals only: its end may never come. */
static void pipe_has_intervals(void **state)
{
	static const struct profile_case row = {
		"",
		&frequency,
		{{SAMPLE, 7, 7, 1000, 1},
		 {SAMPLE, 7, 7, 2100, 2},
		 {ROUND},
		 {SAMPLE, 7, 7, 3200, 4},
		 {ROUND},
		 {SAMPLE, 7, 7, 3300, 8},
		 {ROUND}},
		.want = "1000-2000; 7  1/1\n2000-3000; 7  2/1\n3000-3300; 7  12/2"};
	struct stage stage = {.config = {.interval_ns = 1000, .whole = true, .grows = true}};
	struct trickle trickle = {.image = &stage.image};
	struct snapshot *snapshot;
	struct text text = {0};
	int result;

	(void)state;
	make_recording(&stage.image, &row);
	stage.config.engine = &stage.engine;
	stage.fk = fk_new(&(struct fk_config){.cpus = 1});
	stage.sys = fk_sys(stage.fk);
	stage.input = (struct perfdata_input){.read = read_trickle, .arg = &trickle};
	assert_int_equal(
		replay_new_from(&stage.sys, &stage.config, &stage.input, &stage.replay, &stage.err),
		0);
	trickle.opened = true;
	while ((result = replay_next(stage.replay, &snapshot, &stage.err))) {
		if (result == -EAGAIN)
			continue;
		assert_int_equal(result, 1);
		assert_false(replay_is_whole(stage.replay));
		assert_false(snapshot->whole);
		check_snapshot(snapshot);
		print_snapshot(snapshot, 1, &text);
		snapshot_free(snapshot);
	}
	assert_string_equal(text.bytes, row.want);
	stage_close(&stage);
	image_fini(&stage.image);
}

/* Files of 'perf record --switch-output': each has its own ids, and values that begin anew. */

static void write_stream(const char *directory, const char *name, const struct profile_case *row)
{
	struct image image = {0};
	char path[256];

	make_recording(&image, row);
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	FILE *file = fopen(path, "w");
	if (!file)
		abort();
	assert_int_equal(fwrite(image.bytes, 1, image.n, file), image.n);
	fclose(file);
	image_fini(&image);
}

static void shows_several_files(void **state)
{
	static const char *const names[] = {"perf.data.2026112717474056",
					    "perf.data.2026112717474168",
					    "perf.data.2026112717474282"};
	static const struct format none = {0};
	static const struct {
		struct profile_case files[ARRAY_SIZE(names)];
		const char *want;
	} rows[] = {
		{{{"",
		   &two,
		   {{COMM, 7, 7, .text = "seven"},
		    {SAMPLE, 7, 7, 1000, 300},
		    {SAMPLE, 7, 7, 1100, 5, .event = 1}}},
		  {"",
		   &two_swapped,
		   {{SAMPLE, 7, 7, 1200, 6}, {SAMPLE, 8, 8, 2100, 400, .event = 1}}},
		  {"", &two, {{SAMPLE, 8, 8, 2200, 500}}}},
		 "1000-2000; 7 seven 300/1 11/2\n2000-2200; 8  900/2 0/0"},
		{{{"", &group, {{SAMPLE, 7, 7, 1000, 500, .second = 900}}},
		  {"", &group, {{SAMPLE, 7, 7, 1100, 600, .second = 1000}}},
		  {"", &group, {{SAMPLE, 7, 7, 1200, 601, .second = 1001}}}},
		 "1000-1200; 7  1701/3 2901/3"},
		{{{"", &two, {{SAMPLE, 7, 7, 1000, 300}}},
		  {"", &two, {{ROUND}}},
		  {"", &none, {{END}}}},
		 "1000-1000; 7  300/1 0/0"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char directory[] = "/tmp/pmctop-profile-XXXXXX";
		struct stage stage = {0};
		struct snapshot *snapshot;
		struct text text = {0};

		assert_non_null(mkdtemp(directory));
		for (size_t k = 0; k < ARRAY_SIZE(names); k++)
			write_stream(directory, names[k], &rows[i].files[k]);
		stage.fk = fk_new(&(struct fk_config){.cpus = 1});
		stage.sys = fk_sys(stage.fk);
		stage.config = (struct replay_config){
			.engine = &stage.engine, .path = directory, .interval_ns = 1000};
		if (replay_new(&stage.sys, &stage.config, &stage.replay, &stage.err) < 0)
			fail_msg("%s", stage.err.text);
		while ((snapshot = next(&stage))) {
			print_snapshot(snapshot, 1, &text);
			snapshot_free(snapshot);
		}
		assert_string_equal(text.bytes, rows[i].want);
		stage_close(&stage);
		remove_tree(directory);
	}
}

/* Large recordings */

static uint64_t random_next(uint64_t *random)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return *random >> 33;
}

static const struct profile_case *frequency_case(void)
{
	static const struct profile_case row = {.format = &frequency};

	return &row;
}

/* A whole that grows: each snapshot has all of the one before, and the last one has all. */
static void whole_grows(void **state)
{
	enum { SAMPLES = 50000, TASKS = 50 };
	static const uint64_t samples[] = {10000, 20000, 40000, SAMPLES};
	struct stage stage = {0};
	uint64_t before[TASKS + 1] = {0}, random = 1;

	(void)state;
	image_stream(&stage.image);
	put_events(&stage.image, &frequency);
	for (unsigned i = 0; i < SAMPLES; i++) {
		pid_t tid = 1 + (pid_t)(random_next(&random) % TASKS);

		put_sample(&stage.image, frequency_case(),
			   &(struct step){SAMPLE, tid, tid, 1000 + i, 100 + i % 7, i % 4});
	}
	const struct replay_config config = {.interval_ns = 1000, .whole = true, .grows = true};
	assert_int_equal(stage_open(&stage, &config), 0);
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct snapshot *snapshot = next_one(&stage);

		assert_true(snapshot->whole);
		assert_int_equal(snapshot->sequence, i + 1);
		assert_int_equal(snapshot->time_ns, 1000 + samples[i] - 1);
		assert_int_equal(snapshot->interval_ns, samples[i] - 1);
		assert_int_equal(
			samples_of(snapshot->columns, snapshot->totals, TALLY_FIRST_COUNTED),
			samples[i]);
		for (size_t k = 0; k < snapshot->threads.n; k++) {
			const uint64_t *tally =
				rows_tally(snapshot->columns, &snapshot->threads, k);
			pid_t tid = snapshot->threads.items[k].tid;

			assert_true(samples_of(snapshot->columns, tally, TALLY_FIRST_COUNTED) >=
				    before[tid]);
			before[tid] = samples_of(snapshot->columns, tally, TALLY_FIRST_COUNTED);
		}
		snapshot_free(snapshot);
	}
	assert_null(next(&stage));
	stage_close(&stage);
	image_fini(&stage.image);
}

/* More samples than the resolver holds: functions are found in between. */
static void functions_have_all_samples(void **state)
{
	enum { SAMPLES = 2 * CODE_RESOLVER_SAMPLES + 1000 };
	struct stage stage = {0};

	(void)state;
	image_stream(&stage.image);
	put_events(&stage.image, &frequency);
	for (unsigned i = 0; i < SAMPLES; i++)
		put_sample(&stage.image, frequency_case(),
			   &(struct step){SAMPLE, 7, 7, 1000 + i, 10, .ip = i % 3});
	const struct replay_config config = {.interval_ns = 1000, .whole = true};
	assert_int_equal(stage_open(&stage, &config), 0);
	struct snapshot *snapshot = next_one(&stage);
	assert_int_equal(samples_of(snapshot->columns, snapshot->totals, TALLY_FIRST_COUNTED),
			 SAMPLES);
	assert_int_equal(snapshot->code->lost, 0);
	snapshot_free(snapshot);
	stage_close(&stage);
	image_fini(&stage.image);
}

/* Sums by task and name. Names are single letters; '\0': none. */
enum { SUM_TASKS = 24, NAMES = 8 };

struct sums {
	uint64_t weights[SUM_TASKS][NAMES], samples[SUM_TASKS][NAMES];
};

static void add_rows(struct sums *sums, const struct snapshot *snapshot)
{
	const struct columns *columns = snapshot->columns;

	for (size_t i = 0; i < snapshot->threads.n; i++) {
		const struct row *row = &snapshot->threads.items[i];
		const uint64_t *tally = rows_tally(columns, &snapshot->threads, i);
		size_t name = row->comm[0] ? (size_t)(row->comm[0] - 'a' + 1) : 0;

		assert_in_range(row->tid, 0, SUM_TASKS - 1);
		assert_in_range(name, 0, NAMES - 1);
		sums->weights[row->tid][name] +=
			plan_count(columns->plan, tally, TALLY_FIRST_COUNTED);
		sums->samples[row->tid][name] += samples_of(columns, tally, TALLY_FIRST_COUNTED);
	}
}

static void add_all(struct stage *stage, const struct replay_config *config, struct sums *sums)
{
	struct snapshot *snapshot;

	assert_int_equal(stage_open(stage, config), 0);
	while ((snapshot = next(stage))) {
		add_rows(sums, snapshot);
		snapshot_free(snapshot);
	}
	stage_close(stage);
}

/*
 * Samples and execs in the order of time, one each 1 ms, on CPUs that perf reads in turn: a round
 * has the records of a later CPU up to a later time.
 */
static void put_rounds(struct image *image, const struct step *steps, size_t n, unsigned n_cpus)
{
	enum { ROUND_STEPS = 100, LATER_STEPS = 9 };
	const struct step *end = steps + n;

	for (const struct step *begin = steps; begin < end + n_cpus * LATER_STEPS;
	     begin += ROUND_STEPS) {
		for (uint32_t cpu = 0; cpu < n_cpus; cpu++) {
			const struct step *from = begin + cpu * LATER_STEPS;
			const struct step *to = from + ROUND_STEPS;

			if (begin == steps)
				from = steps;
			for (const struct step *step = from; step < to && step < end; step++)
				if (step->cpu == cpu)
					put_step(image, frequency_case(), step);
		}
		put_step(image, frequency_case(), &(struct step){ROUND});
	}
}

static void intervals_have_the_sums_of_the_whole(void **state)
{
	enum { STEPS = 3000, CPUS_N = 4, SEEDS = 12 };
	static const uint64_t intervals_ns[] = {100 * NS_PER_MS, 7 * NS_PER_MS, NS_PER_S};
	struct step *steps = xcalloc(STEPS, sizeof(*steps));

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct stage stage = {0};
		struct sums want = {0}, whole = {0};
		size_t names[SUM_TASKS] = {0};
		static const char *const texts[] = {"", "a", "b", "c", "d", "e", "f", "g"};
		uint64_t random = seed;

		for (unsigned i = 0; i < STEPS; i++) {
			pid_t tid = 1 + (pid_t)(random_next(&random) % (SUM_TASKS - 1));
			struct step *step = &steps[i];

			*step = (struct step){SAMPLE,
					      tid,
					      tid,
					      (1000 + i) * NS_PER_MS,
					      1 + random_next(&random) % 1000,
					      (uint32_t)(random_next(&random) % CPUS_N)};
			size_t name = names[tid];
			if (random_next(&random) % 50 == 0 && name + 1 < NAMES) {
				step->kind = random_next(&random) % 2 ? EXEC : COMM;
				step->text = texts[++names[tid]];
				continue;
			}
			want.weights[tid][name] += step->weight;
			want.samples[tid][name]++;
		}
		image_stream(&stage.image);
		put_events(&stage.image, &frequency);
		put_rounds(&stage.image, steps, STEPS, CPUS_N);
		add_all(&stage, &(struct replay_config){.interval_ns = NS_PER_S, .whole = true},
			&whole);
		assert_memory_equal(&whole, &want, sizeof(want));
		for (size_t i = 0; i < ARRAY_SIZE(intervals_ns); i++) {
			struct sums sums = {0};

			add_all(&stage, &(struct replay_config){.interval_ns = intervals_ns[i]},
				&sums);
			assert_memory_equal(&sums, &want, sizeof(want));
		}
		image_fini(&stage.image);
	}
	free(steps);
}

/* Events beyond the limit of the event set are not shown, which a note says. */
static void events_beyond_the_limit(void **state)
{
	enum { BEYOND = 3 };
	struct stage stage = {0};
	const unsigned n = EVENT_SET_MAX - TALLY_FIRST_COUNTED + BEYOND;

	(void)state;
	image_stream(&stage.image);
	for (unsigned i = 0; i < n; i++)
		image_event(&stage.image, ID_FIRST + i,
			    &(struct perf_event_attr){
				    .type = PERF_TYPE_RAW,
				    .config = i,
				    .sample_type = sample_type_of(&frequency),
				    .freq = 1,
				    .sample_freq = 4000,
			    });
	for (unsigned i = 0; i < n; i++)
		put_sample(&stage.image, frequency_case(),
			   &(struct step){SAMPLE, 7, 7, 1000, 10, .event = i});
	assert_int_equal(stage_open(&stage, &(struct replay_config){.whole = true}), 0);
	struct snapshot *snapshot = next_one(&stage);
	assert_int_equal(snapshot->columns->events.n, EVENT_SET_MAX);
	for (size_t i = TALLY_FIRST_COUNTED; i < EVENT_SET_MAX; i++)
		assert_int_equal(plan_count(snapshot->columns->plan, snapshot->totals, i), 10);
	assert_true(has_note(snapshot, "Samples of events beyond the first 510 are passed over."));
	snapshot_free(snapshot);
	stage_close(&stage);
	image_fini(&stage.image);
}

int main(void)
{
	static const struct cases tables[] = {CASES(shows_profile, cases)};

	static const struct CMUnitTest others[] = {
		cmocka_unit_test(pipe_has_intervals),
		cmocka_unit_test(shows_several_files),
		cmocka_unit_test(whole_grows),
		cmocka_unit_test(functions_have_all_samples),
		cmocka_unit_test(intervals_have_the_sums_of_the_whole),
		cmocka_unit_test(events_beyond_the_limit),
	};

	return cases_run("replay_profile", tables, ARRAY_SIZE(tables), others, ARRAY_SIZE(others));
}
