// SPDX-License-Identifier: MIT
/*
 * Replays of streams as perf writes them: the snapshots have the exact counts of every task in
 * every interval.
 */
#include "core/base/util.h"
#include "core/event/plan.h"
#include "core/perfdata/perfdata_read.h"
#include "core/replay/replay.h"
#include "tests/fake_kernel/fake_kernel.h"
#include "tests/unit/shared/perf_records.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { STEPS_MAX = 24, WANTS_MAX = 16, IDS_FIRST = 100 };

enum step_kind {
	END,
	SW,      /* a switch away from pid/tid: time, N, cycles so far */
	SW2,     /* the same, of another group */
	SW_LESS, /* the same of the first group, but that N is all that it counts there */
	PROFILE, /* a sample of an event that is none of switches */
	FORK,    /* tid forks `other` (a process) */
	EXIT,
	COMM,
	LOST, /* `other` records */
	ROUND,
	THERE, /* perf's COMM of a task that was there before */
	ODD,   /* one that is no whole number of words */
	TASKS, /* perf's list of threads: `tid` was recorded */
	ASKED, /* perf's command line: the words of `comm` */
	WAKE,  /* tid wakes `other` up */
};

struct step {
	enum step_kind kind;
	uint32_t cpu;
	pid_t pid, tid;
	uint64_t time_ns, n, cycles;
	pid_t other;
	const char *comm;
	uint64_t off_ns; /* how long the group has been off the PMU so far */
	pid_t prev;      /* in RAW, if it is not tid; `other` is next there */
	uint64_t state;  /* prev_state in RAW */
};

enum { IDLE = 0, UNATTRIBUTED = -9 };

struct want {
	uint64_t sequence; /* of the snapshot; 0: no more of these */
	pid_t tid;         /* or IDLE, UNATTRIBUTED */
	uint64_t clock_ns, switches, cycles;
	const char *comm; /* NULL: not checked */
	struct waited {
		enum figure_state state; /* of runq_time and blocked_time; VALID and 0: unchecked */
		uint64_t runq_ns, blocked_ns, d_ns;
	} waited;
};

enum format {
	GROUPED, /* {context-switches,cycles}:S -c 1 */
	TIMED,   /* the same with the times that the group was on */
	ALONE,   /* context-switches -c 1 */
	TWICE,   /* {context-switches,cycles}:S and {context-switches}:S */
	PERIODS, /* context-switches, but not each */
	NONE,    /* cpu-clock */
	TRACED,  /* {sched:sched_switch,cycles}:S -c 1 */
	RAW,     /* the same with call chains and RAW parts, and the tracepoint's format */
	SCHED,   /* sched:sched_switch, without RAW parts */
	WAKING,  /* as RAW, with sched:sched_waking beside it */
	WAKEUPS, /* the same with sched:sched_wakeup */
	TRACES,  /* the same, but not each */
	COMMAND, /* as GROUPED, from the exec of a command on */
	BACK,    /* as GROUPED, --overwrite */
	RECORDS, /* cpu-clock --switch-events */
	UNNAMED, /* a tracepoint */
};

struct perf_case {
	const char *name;
	struct step steps[STEPS_MAX];
	struct want wants[WANTS_MAX]; /* all others are expected to have nothing */
	size_t snapshots;
	const char *failure; /* what the sentence begins with, */
	bool later;          /* once something was shown */
	const char *profile; /* it is a profile, for that reason; `wants` are not checked */
	enum format format;
	unsigned cpus; /* in the recording's features; 0: no feature */
	uint64_t interval_ns;
	const char *note; /* what one of them begins with */
	const char *no_note;
	struct target_spec target;
	uint64_t too_low; /* sequence of the snapshot in which switches of CPU 0 are; 0: none */
};

#define SOFTWARE_GROUP "perf record -a -e '{context-switches,task-clock,"

static const struct perf_case cases[] = {
	{"time of a CPU before its first sample is unattributed",
	 {{SW, 0, 7, 7, 1000, 1, 50}, {SW, 0, 8, 8, 1100, 2, 90}, {SW, 0, 7, 7, 1150, 3, 100}},
	 {{1, UNATTRIBUTED, 0, 1, 50}, {1, 8, 100, 1, 40}, {1, 7, 50, 1, 10}},
	 1},
	{"of a CPU that has its first sample later too",
	 {{SW, 0, 7, 7, 1000, 1, 50}, {SW, 1, 9, 9, 1300, 1, 20}, {SW, 1, 8, 8, 1400, 2, 23}},
	 {{1, UNATTRIBUTED, 300, 2, 70}, {1, 8, 100, 1, 3}},
	 1,
	 .cpus = 2},
	{"but counts from before the recording are not its",
	 {{SW, 0, 7, 7, 1000, 5, 50}, {SW, 1, 9, 9, 1300, 7, 20}, {SW, 1, 8, 8, 1400, 8, 23}},
	 {{1, UNATTRIBUTED, 300, 2, 0}, {1, 8, 100, 1, 3}},
	 1,
	 .cpus = 2},
	{"before the recording the group was off its counters",
	 {{SW, 0, 7, 7, 1000, 1, 0}, {SW, 1, 9, 9, 1300, 1, 20, .off_ns = 40}},
	 {{1, UNATTRIBUTED, 300, 2, 20}},
	 1,
	 .cpus = 2,
	 .format = TIMED,
	 .no_note = "Another profiler shared the counters"},
	{"of a CPU where a task has ended before, too",
	 {{EXIT, 0, 9, 9, 900}, {SW, 0, 7, 7, 1000, 1, 50}, {SW, 0, 8, 8, 1100, 2, 90}},
	 {{1, UNATTRIBUTED, 0, 1, 50}, {1, 8, 100, 1, 40}},
	 1},
	{"idle stands apart",
	 {{SW, 0, 7, 7, 1000, 1, 50}, {SW, 0, 0, 0, 1800, 2, 51}, {SW, 0, 7, 7, 1850, 3, 61}},
	 {{1, UNATTRIBUTED, 0, 1, 50}, {1, IDLE, 800, 1, 1}, {1, 7, 50, 1, 10}},
	 1},
	{"a slice across a refresh is divided by time, and nothing is lost",
	 {{SW, 0, 7, 7, 1000, 1, 0}, {SW, 0, 8, 8, 2500, 2, 301}, {SW, 0, 7, 7, 2600, 3, 311}},
	 {{1, UNATTRIBUTED, 0, 1, 0},
	  {1, 8, 1000, 0, 200},
	  {2, 8, 500, 1, 101},
	  {2, 7, 100, 1, 10}},
	 2,
	 .note = "A recording of perf has no counts at a refresh"},
	{"a slice across several",
	 {{SW, 0, 7, 7, 1000, 1, 0}, {SW, 0, 8, 8, 4500, 2, 35}, {SW, 0, 7, 7, 4600, 3, 45}},
	 {{1, UNATTRIBUTED, 0, 1, 0},
	  {1, 8, 1000, 0, 10},
	  {2, 8, 1000, 0, 10},
	  {3, 8, 1000, 0, 10},
	  {4, 8, 500, 1, 5},
	  {4, 7, 100, 1, 10}},
	 4},
	{"CPUs follow one another, and rounds mark when all have been read",
	 {{SW, 0, 7, 7, 1000, 1, 0},
	  {SW, 0, 8, 8, 2100, 2, 110},
	  {SW, 1, 9, 9, 1000, 1, 0},
	  {SW, 1, 9, 9, 1900, 2, 900},
	  {ROUND},
	  {SW, 0, 7, 7, 2200, 3, 120},
	  {SW, 1, 0, 0, 2100, 3, 904},
	  {ROUND}},
	 {{1, UNATTRIBUTED, 0, 2, 0},
	  {1, 8, 1000, 0, 100},
	  {1, 9, 900, 1, 900},
	  {1, IDLE, 100, 0, 2},
	  {2, 8, 100, 1, 10},
	  {2, 7, 100, 1, 10},
	  {2, IDLE, 100, 1, 2}},
	 2,
	 .cpus = 2},
	{"a CPU that sleeps to the end is open: late, never wrong",
	 {{SW, 0, 7, 7, 1000, 1, 0},
	  {SW, 1, 9, 9, 1000, 1, 0},
	  {SW, 1, 9, 9, 1500, 2, 5},
	  {SW, 0, 8, 8, 2100, 2, 110},
	  {ROUND}},
	 {{1, UNATTRIBUTED, 0, 2, 0}, {1, 8, 1000, 0, 100}, {1, 9, 500, 1, 5}, {2, 8, 100, 1, 10}},
	 2,
	 .cpus = 2},
	{"N has a gap: the counts between are unattributed",
	 {{SW, 0, 7, 7, 1000, 1, 0}, {SW, 0, 8, 8, 1100, 3, 90}, {SW, 0, 7, 7, 1150, 4, 100}},
	 {{1, UNATTRIBUTED, 100, 3, 90}, {1, 8, 0, 0, 0}, {1, 7, 50, 1, 10}},
	 1,
	 .note = "Some context switches made no record"},
	{"a gap across a refresh is not divided",
	 {{SW, 0, 7, 7, 1000, 1, 0},
	  {SW, 0, 7, 7, 1500, 2, 9},
	  {SW, 0, 8, 8, 2100, 4, 90},
	  {SW, 0, 7, 7, 2150, 5, 100}},
	 {{1, UNATTRIBUTED, 0, 1, 0},
	  {1, 7, 500, 1, 9},
	  {2, UNATTRIBUTED, 600, 2, 81},
	  {2, 8, 0, 0, 0},
	  {2, 7, 50, 1, 10}},
	 2},
	{"lost records are noted",
	 {{SW, 0, 7, 7, 1000, 1, 0},
	  {LOST, 0, .time_ns = 1050, .other = 4},
	  {SW, 0, 8, 8, 1100, 6, 9}},
	 {{1, UNATTRIBUTED, 100, 6, 9}, {1, 8, 0, 0, 0}},
	 1,
	 .note = "perf lost records"},
	{"a task that exits loses its tid before its last switch",
	 {{SW, 0, 7, 7, 1000, 1, 0},
	  {EXIT, 0, 8, 8, 1050},
	  {SW, 0, -1, -1, 1100, 2, 40},
	  {SW, 0, 7, 7, 1150, 3, 50}},
	 {{1, UNATTRIBUTED, 0, 1, 0}, {1, 8, 100, 1, 40}, {1, 7, 50, 1, 10}},
	 1},
	{"the same across a refresh",
	 {{SW, 0, 7, 7, 1000, 1, 0},
	  {EXIT, 0, 8, 8, 2050},
	  {SW, 0, -1, -1, 2100, 2, 110},
	  {SW, 0, 7, 7, 2150, 3, 120}},
	 {{1, UNATTRIBUTED, 0, 1, 0}, {1, 8, 1000, 0, 100}, {2, 8, 100, 1, 10}, {2, 7, 50, 1, 10}},
	 2},
	{"names of earlier tasks, of children, and new names",
	 {{THERE, 0, 7, 7, .comm = "seven"},
	  {SW, 0, 7, 7, 1000, 1, 0},
	  {FORK, 0, 7, 7, 1010, .other = 8},
	  {SW, 0, 7, 7, 1100, 2, 10},
	  {SW, 0, 8, 8, 1200, 3, 20},
	  {COMM, 0, 7, 7, 1250, .comm = "new"},
	  {SW, 0, 7, 7, 1300, 4, 30}},
	 {{1, UNATTRIBUTED, 0, 1, 0}, {1, 7, 200, 2, 20, "new"}, {1, 8, 100, 1, 10, "seven"}},
	 1},
	{"a record that is no whole number of words",
	 {{ODD, 0, 7, 7},
	  {SW, 0, 7, 7, 1000, 1, 0},
	  {SW, 0, 8, 8, 1100, 2, 90},
	  {SW, 0, 7, 7, 1150, 3, 95}},
	 {{1, UNATTRIBUTED, 0, 1, 0}, {1, 8, 100, 1, 90}, {1, 7, 50, 1, 5, "odd"}},
	 1},
	{"other samples are stepped over",
	 {{SW, 0, 7, 7, 1000, 1, 0},
	  {PROFILE, 0, 8, 8, 1050},
	  {SW, 0, 8, 8, 1100, 2, 90},
	  {PROFILE, 0, 9, 9, 1150}},
	 {{1, UNATTRIBUTED, 0, 1, 0}, {1, 8, 100, 1, 90}},
	 1},
	{"a group that was off its counters for a while",
	 {{SW, 0, 7, 7, 1000, 1, 0},
	  {SW, 0, 8, 8, 1100, 2, 90},
	  {SW, 0, 7, 7, 1400, 3, 100, .off_ns = 50}},
	 {{1, 7, 0, 0, 0}, {1, 8, 100, 1, 90}, {1, UNATTRIBUTED, 300, 2, 10}},
	 1,
	 .format = TIMED,
	 .note = "Another profiler shared the counters"},
	{"switches alone have times",
	 {{SW, 0, 7, 7, 1000}, {SW, 0, 8, 8, 1100}, {SW, 0, 7, 7, 1150}},
	 {{1, UNATTRIBUTED, 0, 1, 0}, {1, 8, 100, 1, 0}, {1, 7, 50, 1, 0}},
	 1,
	 .format = ALONE,
	 .note = "Context switches alone were recorded: counts need " SOFTWARE_GROUP},
	{"switches alone, and some were lost",
	 {{SW, 0, 7, 7, 1000},
	  {LOST, 0, .time_ns = 1010, .other = 3},
	  {SW, 0, 8, 8, 1100},
	  {SW, 0, 7, 7, 1150}},
	 {{1, UNATTRIBUTED, 100, 3, 0}, {1, 8, 0, 0, 0}, {1, 7, 50, 1, 0}},
	 1,
	 .format = ALONE,
	 .too_low = 1},
	{"tracepoints alone, and some of one CPU were lost",
	 {{SW, 0, 7, 7, 1000},
	  {SW, 1, 9, 9, 1000},
	  {SW, 1, 9, 9, 1500},
	  {LOST, 0, .time_ns = 1600, .other = 3},
	  {SW, 0, 8, 8, 2100},
	  {SW, 0, 7, 7, 2150},
	  {SW, 1, 9, 9, 2150},
	  {ROUND}},
	 {{1, UNATTRIBUTED, 0, 2, 0},
	  {1, 9, 1000, 1, 0},
	  {2, UNATTRIBUTED, 1100, 2, 0},
	  {2, 8, 0, 0, 0},
	  {2, 7, 50, 1, 0},
	  {2, 9, 150, 1, 0}},
	 2,
	 .cpus = 2,
	 .format = SCHED,
	 .too_low = 2},
	{"of two groups that sample switches the larger one is shown",
	 {{SW, 0, 7, 7, 1000, 1, 0},
	  {SW2, 0, 7, 7, 1000, 1},
	  {SW, 0, 8, 8, 1100, 2, 90},
	  {SW2, 0, 8, 8, 1100, 2},
	  {SW, 0, 7, 7, 1200, 3, 95},
	  {SW2, 0, 7, 7, 1200, 3}},
	 {{1, UNATTRIBUTED, 0, 1, 0}, {1, 8, 100, 1, 90}, {1, 7, 100, 1, 5}},
	 1,
	 .format = TWICE},
	{"switches that only the other group saw: ours was off its counters",
	 {{SW, 0, 7, 7, 1000, 1, 0},
	  {SW2, 0, 7, 7, 1000, 1},
	  {SW2, 0, 9, 9, 1050, 2},
	  {SW2, 0, 8, 8, 1100, 3},
	  {SW, 0, 7, 7, 1200, 2, 95},
	  {SW2, 0, 7, 7, 1200, 4},
	  {SW, 0, 8, 8, 1250, 3, 99}},
	 {{1, UNATTRIBUTED, 200, 4, 95}, {1, 7, 0, 0, 0}, {1, 8, 50, 1, 4}},
	 1,
	 .format = TWICE},
	{"counts that go back begin anew",
	 {{SW, 0, 7, 7, 1000, 1, 50},
	  {SW, 0, 8, 8, 1100, 2, 90},
	  {SW, 0, 7, 7, 1150, 1, 3},
	  {SW, 0, 8, 8, 1200, 2, 10}},
	 {{1, UNATTRIBUTED, 0, 1, 50}, {1, 8, 150, 2, 47}},
	 1,
	 .note = "Some records are out of order"},
	{"the same sample twice is one",
	 {{SW, 0, 7, 7, 1000, 1, 50},
	  {SW, 0, 8, 8, 1100, 2, 90},
	  {SW, 0, 8, 8, 1110, 2, 90},
	  {SW, 0, 7, 7, 1150, 3, 95}},
	 {{1, UNATTRIBUTED, 0, 1, 50}, {1, 8, 100, 1, 40}, {1, 7, 50, 1, 5}},
	 1},
	{"nothing happens for a long time: one long interval",
	 {{SW, 0, 7, 7, 1000, 1, 0}, {SW, 0, 0, 0, 10001500, 2, 100}},
	 {{1, UNATTRIBUTED, 0, 1, 0},
	  {1, IDLE, 1000, 0, 0},
	  {2, IDLE, 9999000, 0, 99},
	  {3, IDLE, 500, 1, 1}},
	 3},
	{"a CPU of another kind, whose samples count other events",
	 {{SW, 0, 7, 7, 1000, 1, 0},
	  {SW, 0, 8, 8, 1100, 2, 5},
	  {ROUND},
	  {SW_LESS, 1, 7, 7, 1200, 1}},
	 {{1, UNATTRIBUTED, 0, 1, 0}, {1, 8, 100, 1, 5}},
	 1,
	 .failure = "CPU 1 was recorded with other counters",
	 .later = true},
	{"only some tasks",
	 {{TASKS, .tid = 7}, {SW, 0, 7, 7, 1000, 1}},
	 .profile = "Only some tasks were recorded, not the whole machine."},
	{"a user, which perf does not record",
	 {{SW, 0, 7, 7, 1000, 1, 50}, {SW, 0, 8, 8, 1100, 2, 90}},
	 .failure = "perf does not record users. Option -u needs a recording of pmctop",
	 .target = {.user = "root"}},
	{"a cgroup, where none was recorded",
	 {{SW, 0, 7, 7, 1000, 1, 50}, {SW, 0, 8, 8, 1100, 2, 90}},
	 .failure = "perf recorded no cgroups: for -G, record with --all-cgroups.",
	 .target = {.cgroup = "/a"}},
	{"all tasks",
	 {{TASKS, .tid = -1}, {SW, 0, 7, 7, 1000, 1}, {SW, 0, 8, 8, 1001, 2}},
	 {{1, UNATTRIBUTED, 0, 1, 0}, {1, 8, 1, 1, 0}},
	 1},
	{"a tracepoint leads the group",
	 {{SW, 0, 7, 7, 1000, 1, 50}, {SW, 0, 8, 8, 1100, 2, 90}, {SW, 0, 7, 7, 1150, 3, 100}},
	 {{1, UNATTRIBUTED, 0, 1, 50}, {1, 8, 100, 1, 40}, {1, 7, 50, 1, 10}},
	 1,
	 .format = TRACED},
	{"where the sample has lost the number, RAW has it",
	 {{SW, 0, 7, 7, 1000, 1, 0, .other = 8},
	  {SW, 0, -1, -1, 1100, 2, 40, .prev = 8, .other = 7},
	  {SW, 0, 7, 7, 1150, 3, 50}},
	 {{1, UNATTRIBUTED, 0, 1, 0}, {1, 8, 100, 1, 40}, {1, 7, 50, 1, 10}},
	 1,
	 .format = RAW},
	{"the next task is not the one that ran: a switch is missing",
	 {{SW, 0, 7, 7, 1000, 1, 0, .other = 9},
	  {SW, 0, 8, 8, 1100, 2, 40, .other = 7},
	  {SW, 0, 7, 7, 1150, 3, 50}},
	 {{1, UNATTRIBUTED, 100, 2, 40}, {1, 8, 0, 0, 0}, {1, 7, 50, 1, 10}},
	 1,
	 .format = RAW,
	 .note = "Some context switches made no record"},
	{"the same across a refresh is not divided",
	 {{SW, 0, 7, 7, 1000, 1, 0, .other = 9},
	  {SW, 0, 8, 8, 2100, 2, 40, .other = 7},
	  {SW, 0, 7, 7, 2150, 3, 50}},
	 {{1, UNATTRIBUTED, 0, 1, 0},
	  {1, 7, 0, 0, 0}, /* it waits for a CPU */
	  {2, UNATTRIBUTED, 1100, 1, 40},
	  {2, 8, 0, 0, 0},
	  {2, 7, 50, 1, 10}},
	 2,
	 .format = RAW},
	{"waits: a preempted task, and one that sleeps for an unknown part of its time",
	 {{SW, 0, 7, 7, 1000, 1, 0, .other = 8},
	  {SW, 0, 8, 8, 1100, 2, 40, .other = 7, .state = 1},
	  {SW, 0, 7, 7, 1400, 3, 50, .other = 8},
	  {SW, 0, 8, 8, 1500, 4, 60, .other = 7, .state = 2},
	  {SW, 0, 7, 7, 1600, 5, 70, .other = 8, .state = 1}},
	 {{1, UNATTRIBUTED, 0, 1, 0},
	  {1, 7, 400, 2, 20, .waited = {FIGURE_VALID, 200, 0}},
	  {1, 8, 200, 2, 50, .waited = {FIGURE_LOST, 0, 0}}},
	 1,
	 .format = RAW,
	 .note = "Wake-ups were not recorded"},
	{"waits: the time of the wake-up divides them",
	 {{SW, 0, 7, 7, 1000, 1, 0, .other = 8},
	  {WAKE, 0, 7, 7, 1000, .other = 8},
	  {SW, 0, 8, 8, 1100, 2, 40, .other = 7, .state = 2},
	  {WAKE, 0, 7, 7, 1300, .other = 8},
	  {SW, 0, 7, 7, 1400, 3, 50, .other = 8},
	  {SW, 0, 8, 8, 1500, 4, 60, .other = 7, .state = 1}},
	 {{1, UNATTRIBUTED, 0, 1, 0},
	  {1, 7, 300, 1, 10, .waited = {FIGURE_VALID, 200, 0}},
	  {1, 8, 200, 2, 50, .waited = {FIGURE_VALID, 100, 200, 200}}},
	 1,
	 .format = WAKING,
	 .no_note = "Wake-ups were not recorded"},
	{"waits: of another CPU, across a refresh",
	 {{SW, 0, 7, 7, 1000, 1, 0, .other = 8},
	  {SW, 1, 0, 0, 1000, 1, 0, .other = 9},
	  {WAKE, 0, 7, 7, 1000, .other = 8},
	  {SW, 0, 8, 8, 1100, 2, 40, .other = 7, .state = 1},
	  {WAKE, 1, 9, 9, 1800, .other = 8},
	  {SW, 0, 7, 7, 2300, 3, 60, .other = 8},
	  {SW, 0, 8, 8, 2400, 4, 70, .other = 7, .state = 1},
	  {SW, 1, 9, 9, 2400, 2, 14, .other = 0, .state = 1}},
	 {{1, UNATTRIBUTED, 0, 2, 0},
	  {1, 7, 900, 0, 15, .waited = {FIGURE_VALID, 100, 0}},
	  {1, 8, 100, 1, 40, .waited = {FIGURE_VALID, 200, 700}},
	  {1, 9, 1000, 0, 10},
	  {2, 7, 300, 1, 5, .waited = {FIGURE_VALID, 100, 0}},
	  {2, 8, 100, 1, 10, .waited = {FIGURE_VALID, 300, 0}},
	  {2, 9, 400, 1, 4}},
	 2,
	 .cpus = 2,
	 .format = WAKEUPS},
	{"waits: what a task does after the last record of its CPU is unknown",
	 {{SW, 0, 7, 7, 1000, 1, 0, .other = 8},
	  {SW, 1, 0, 0, 1000, 1, 0, .other = 9},
	  {SW, 1, 9, 9, 1200, 2, 5, .other = 0, .state = 1},
	  {WAKE, 0, 8, 8, 1400, .other = 9},
	  {SW, 1, 0, 0, 1500, 3, 7, .other = 9},
	  {SW, 0, 8, 8, 2000, 2, 40, .other = 7}},
	 {{1, UNATTRIBUTED, 0, 2, 0},
	  {1, IDLE, 300, 1, 2},
	  {1, 7, 0, 0, 0, .waited = {FIGURE_VALID, 1000, 0}},
	  {1, 8, 1000, 1, 40},
	  {1, 9, 200, 1, 5, .waited = {FIGURE_LOST, 100, 200}}},
	 1,
	 .cpus = 2,
	 .format = WAKING},
	{"waits: a wake-up is missing",
	 {{SW, 0, 7, 7, 1000, 1, 0, .other = 8},
	  {WAKE, 0, 7, 7, 1000, .other = 8},
	  {SW, 0, 8, 8, 1100, 2, 40, .other = 7, .state = 1},
	  {SW, 0, 7, 7, 1400, 3, 50, .other = 8},
	  {SW, 0, 8, 8, 1500, 4, 60, .other = 7, .state = 1}},
	 {{1, UNATTRIBUTED, 0, 1, 0},
	  {1, 7, 300, 1, 10, .waited = {FIGURE_VALID, 200, 0}},
	  {1, 8, 200, 2, 50, .waited = {FIGURE_LOST, 0, 0}}},
	 1,
	 .format = WAKING},
	{"waits: a switch is missing, in which a task that waited may have run",
	 {{SW, 0, 7, 7, 1000, 1, 0, .other = 8},
	  {SW, 0, 8, 8, 1100, 2, 40, .other = 7},
	  {SW, 0, 7, 7, 1200, 3, 50, .other = 9},
	  {SW, 0, 8, 8, 1500, 4, 60, .other = 7},
	  {SW, 0, 7, 7, 1600, 5, 70, .other = 8}},
	 {{1, UNATTRIBUTED, 300, 2, 10},
	  {1, 7, 200, 2, 20, .waited = {FIGURE_LOST, 100, 0}},
	  {1, 8, 100, 1, 40, .waited = {FIGURE_LOST, 200, 0}}},
	 1,
	 .format = WAKING},
	{"in a pid namespace RAW has other numbers",
	 {{SW, 0, 0, 0, 1000, 1, 0, .other = 107},
	  {SW, 0, 7, 7, 1100, 2, 40, .prev = 107},
	  {SW, 0, 0, 0, 1150, 3, 50, .other = 107}},
	 {{1, UNATTRIBUTED, 0, 1, 0}, {1, 7, 100, 1, 40}, {1, IDLE, 50, 1, 10}},
	 1,
	 .format = RAW},
	{"the same, which only the second round shows",
	 {{SW, 0, 0, 0, 1000, 1, 0, .other = 107},
	  {ROUND},
	  {SW, 0, 7, 7, 1100, 2, 40, .prev = 107},
	  {SW, 0, 0, 0, 1150, 3, 50, .other = 107},
	  {SW, 0, 7, 7, 1200, 4, 80, .prev = 107}},
	 {{1, UNATTRIBUTED, 100, 2, 40}, {1, IDLE, 50, 1, 10}, {1, 7, 50, 1, 30}},
	 1,
	 .format = RAW},
	{"tracepoints alone have times",
	 {{SW, 0, 7, 7, 1000}, {SW, 0, 8, 8, 1100}, {SW, 0, 7, 7, 1150}},
	 {{1, UNATTRIBUTED, 0, 1, 0}, {1, 8, 100, 1, 0}, {1, 7, 50, 1, 0}},
	 1,
	 .format = SCHED,
	 .note = "Context switches alone were recorded: counts need " SOFTWARE_GROUP},
	{"not every switch",
	 {{SW, 0, 7, 7, 1000}},
	 .format = PERIODS,
	 .profile = "Not every context switch was recorded."},
	{"no switches",
	 {{PROFILE, 0, 7, 7, 1000}},
	 .format = NONE,
	 .profile = "No context switches were recorded."},
	{"a tracepoint, but not each of them",
	 {{SW, 0, 7, 7, 1000}},
	 .format = TRACES,
	 .profile = "Not every context switch was recorded."},
	{"switches without counts",
	 {{PROFILE, 0, 7, 7, 1000}},
	 .format = RECORDS,
	 .profile = "Its switches have no counts (--switch-events)."},
	{"tracepoints without names",
	 {{SW, 0, 7, 7, 1000}},
	 .format = UNNAMED,
	 .profile = "Its tracepoints have no names."},
	{"backwards",
	 {{SW, 0, 7, 7, 1000, 2, 90}, {SW, 0, 8, 8, 900, 1, 50}},
	 .format = BACK,
	 .profile = "It was recorded with --overwrite."},
	{"a command, and no list of threads",
	 {{SW, 0, 7, 7, 1000, 1}, {SW, 1, 7, 7, 1001, 2}},
	 .format = COMMAND,
	 .profile = "Only some tasks were recorded, not the whole machine."},
	{"some tasks by the command line, and no list of threads",
	 {{ASKED, .comm = "perf record -p7 -a"}, {SW, 0, 7, 7, 1000, 1}, {SW, 0, 7, 7, 1001, 2}},
	 .profile = "Only some tasks were recorded, not the whole machine."},
	{"an app on Android",
	 {{ASKED, .comm = "simpleperf record --app a.b"}, {SW, 0, 7, 7, 1000, 1}},
	 .profile = "Only some tasks were recorded, not the whole machine."},
	{"some tasks, listed behind the samples",
	 {{SW, 0, 7, 7, 1000, 1}, {SW, 0, 7, 7, 1001, 2}, {TASKS, .tid = 7}},
	 .profile = "Only some tasks were recorded, not the whole machine."},
	{"the command has -p, perf has not",
	 {{ASKED, .comm = "perf record -e cs ps -p 7"},
	  {TASKS, .tid = -1},
	  {SW, 0, 7, 7, 1000, 1},
	  {SW, 0, 8, 8, 1001, 2}},
	 {{1, UNATTRIBUTED, 0, 1, 0}, {1, 8, 1, 1, 0}},
	 1},
	{"the same of a perf that has no list of threads",
	 {{ASKED, .comm = "perf record -a -e cs ps -p 7"},
	  {SW, 0, 7, 7, 1000, 1},
	  {SW, 0, 8, 8, 1001, 2}},
	 {{1, UNATTRIBUTED, 0, 1, 0}, {1, 8, 1, 1, 0}},
	 1},
	{"not one sample", {{ROUND}}, .failure = "The recording has no samples."},
	{"not one switch, but a sample of another event",
	 {{PROFILE, 0, 7, 7, 1000}},
	 .profile = "It has no sample of a context switch."},
};

#define SAMPLE_TYPE                                                                     \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU)
#define TIMES (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

/* The members of the groups: leader, its sibling, the other leader, a profile's event. */
enum { LEADER = IDS_FIRST, SIBLING, OTHER, PROFILED, WAKER };

static void put_attr(struct image *image, uint64_t id, const struct perf_event_attr *what)
{
	struct perf_event_attr attr = *what;

	attr.sample_type |= SAMPLE_TYPE | (attr.read_format ? PERF_SAMPLE_READ : 0u);
	image_event(image, id, &attr);
}

static bool has_raw(enum format format)
{
	return format == RAW || format == WAKING || format == WAKEUPS;
}

static bool is_grouped(enum format format)
{
	return format == GROUPED || format == TIMED || format == TWICE || format == TRACED ||
	       has_raw(format) || format == COMMAND || format == BACK;
}

static void put_leader(struct image *image, enum format format, uint64_t read_format)
{
	bool traced = format == TRACED || has_raw(format) || format == SCHED || format == TRACES ||
		      format == UNNAMED;
	struct perf_event_attr attr = {
		.type = traced ? PERF_TYPE_TRACEPOINT : PERF_TYPE_SOFTWARE,
		.config = traced ? 316 : PERF_COUNT_SW_CONTEXT_SWITCHES,
		.sample_type = has_raw(format) ? PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW : 0u,
		.sample_period = format == PERIODS || format == TRACES ? 4 : 1,
		.read_format = read_format,
		.enable_on_exec = format == COMMAND,
		.write_backward = format == BACK,
	};

	put_attr(image, LEADER, &attr);
	if (traced && format != UNNAMED)
		image_event_name(image, LEADER, "sched:sched_switch");
}

static void put_events(struct image *image, enum format format)
{
	uint64_t group = PERF_FORMAT_GROUP | PERF_FORMAT_ID | (format == TIMED ? TIMES : 0u);

	if (!is_grouped(format))
		group = 0;
	if (format != NONE && format != RECORDS)
		put_leader(image, format, group);
	if (group)
		put_attr(image, SIBLING,
			 &(struct perf_event_attr){
				 .type = PERF_TYPE_HARDWARE,
				 .config = PERF_COUNT_HW_CPU_CYCLES,
				 .read_format = group,
			 });
	if (format == TWICE)
		put_attr(image, OTHER,
			 &(struct perf_event_attr){
				 .type = PERF_TYPE_SOFTWARE,
				 .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
				 .sample_period = 1,
				 .read_format = group,
			 });
	put_attr(image, PROFILED,
		 &(struct perf_event_attr){
			 .type = PERF_TYPE_SOFTWARE,
			 .config = PERF_COUNT_SW_CPU_CLOCK,
			 .sample_period = 1000,
			 .context_switch = format == RECORDS,
		 });
	if (format != WAKING && format != WAKEUPS)
		return;
	put_attr(image, WAKER,
		 &(struct perf_event_attr){
			 .type = PERF_TYPE_TRACEPOINT,
			 .config = 317,
			 .sample_type = PERF_SAMPLE_RAW,
			 .sample_period = 1,
		 });
	image_event_name(image, WAKER,
			 format == WAKING ? "sched:sched_waking" : "sched:sched_wakeup");
}

/* As the tracepoint's format below has it. */
struct raw {
	uint32_t size, common[2];
	int prev_pid;
	uint64_t prev_state;
	char next_comm[16];
	int next_pid, next_prio;
	uint32_t padding[2];
} __attribute__((packed));

static void put_string(struct image *image, const char *text)
{
	image_u64(image, strlen(text));
	image_bytes(image, text, strlen(text));
}

/* As core/perfdata/perfdata_tracing.h has it. */
static void put_formats(struct image *image, bool waking)
{
	static const unsigned char order_and_long[] = {__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
						       sizeof(long)};
	static const char format[] = "name: sched_switch\nID: 316\nformat:\n"
				     "\tfield:pid_t prev_pid;\toffset:8;\tsize:4;\n"
				     "\tfield:long prev_state;\toffset:12;\tsize:8;\n"
				     "\tfield:char next_comm[16];\toffset:20;\tsize:16;\n"
				     "\tfield:pid_t next_pid;\toffset:36;\tsize:4;\n"
				     "\tfield:int next_prio;\toffset:40;\tsize:4;\n";
	static const char fields[] = "\nID: 317\nformat:\n"
				     "\tfield:pid_t pid;\toffset:24;\tsize:4;\n";
	char wakings[128];
	size_t begin = image_begin(image, PERFDATA_TRACING_DATA, 0);

	image_u32(image, 0);
	image_end(image, begin);
	size_t text = image->n;
	image_bytes(image, "\x17\x08\x44tracing0.6", sizeof("\x17\x08\x44tracing0.6"));
	image_bytes(image, order_and_long, sizeof(order_and_long));
	image_u32(image, 4096);
	image_bytes(image, "header_page", sizeof("header_page"));
	put_string(image, "page");
	image_bytes(image, "header_event", sizeof("header_event"));
	put_string(image, "event");
	image_pair(image, 0, 1);
	image_bytes(image, "sched", sizeof("sched"));
	image_u32(image, 2);
	snprintf(wakings, sizeof(wakings), "name: %s%s", waking ? "sched_waking" : "sched_wakeup",
		 fields);
	put_string(image, wakings);
	put_string(image, format);
	while (image->n % 8)
		image_bytes(image, "", 1);
	image_set(image, text - sizeof(uint32_t), image->n - text, sizeof(uint32_t));
}

static void put_raw(struct image *image, const struct step *step)
{
	const struct raw raw = {
		.size = sizeof(raw) - sizeof(raw.size),
		.prev_pid = step->prev ? step->prev : step->tid,
		.prev_state = step->state,
		.next_pid = step->other,
	};

	image_u64(image, 2); /* a call chain */
	image_u64(image, 0xffff0001);
	image_u64(image, 0xffff0002);
	image_bytes(image, &raw, sizeof(raw));
}

/* A sample without its end. Returns the offset for image_end(). */
static size_t put_sample(struct image *image, const struct step *step, uint64_t id)
{
	size_t begin = image_begin(image, PERF_RECORD_SAMPLE, 0);

	image_u64(image, id);
	image_u64(image, 0xffff0000);
	image_pair(image, (uint32_t)step->pid, (uint32_t)step->tid);
	image_u64(image, step->time_ns);
	image_pair(image, step->cpu, 0);
	return begin;
}

static void put_switch(struct image *image, const struct step *step, enum format format)
{
	bool other = step->kind == SW2, alone = step->kind != SW;

	/* The samples of both groups have the id of one of them: so the kernel does it. */
	size_t begin = put_sample(image, step, LEADER);
	if (is_grouped(format)) {
		image_u64(image, alone ? 1 : 2);
		if (format == TIMED) {
			image_u64(image, step->time_ns - 900);
			image_u64(image, step->time_ns - 900 - step->off_ns);
		}
		image_u64(image, step->n);
		image_u64(image, other ? OTHER : LEADER);
		if (!alone) {
			image_u64(image, step->cycles);
			image_u64(image, SIBLING);
		}
	}
	if (has_raw(format))
		put_raw(image, step);
	image_end(image, begin);
}

static void put_waking(struct image *image, const struct step *step)
{
	size_t begin = put_sample(image, step, WAKER);

	image_u32(image, 28 + 8);
	for (size_t i = 0; i < 24; i += sizeof(uint32_t))
		image_u32(image, 0);
	image_pair(image, (uint32_t)step->other, 120);
	image_u32(image, 0);
	image_end(image, begin);
}

/* The end of all records but samples. Records that perf makes up have no time and no id. */
static void put_trailer(struct image *image, size_t begin, const struct step *step)
{
	image_pair(image, (uint32_t)step->pid, (uint32_t)step->tid);
	image_u64(image, step->time_ns);
	image_pair(image, step->cpu, 0);
	image_u64(image, step->time_ns ? PROFILED : 0);
	image_end(image, begin);
}

static void put_comm(struct image *image, const struct step *step)
{
	size_t begin = image_begin(image, PERF_RECORD_COMM, 0);

	image_pair(image, (uint32_t)step->pid, (uint32_t)step->tid);
	image_text(image, step->comm, 16);
	put_trailer(image, begin, step);
}

static void put_task(struct image *image, const struct step *step)
{
	bool fork = step->kind == FORK;
	size_t begin = image_begin(image, fork ? PERF_RECORD_FORK : PERF_RECORD_EXIT, 0);

	image_pair(image, (uint32_t)(fork ? step->other : step->pid), (uint32_t)step->pid);
	image_pair(image, (uint32_t)(fork ? step->other : step->tid), (uint32_t)step->tid);
	image_u64(image, step->time_ns);
	put_trailer(image, begin, step);
}

static void put_step(struct image *image, const struct step *step, enum format format)
{
	size_t begin;

	switch (step->kind) {
	case END:
		break;
	case SW:
	case SW2:
	case SW_LESS:
		put_switch(image, step, format);
		break;
	case PROFILE:
		begin = put_sample(image, step, PROFILED);
		image_end(image, begin);
		break;
	case FORK:
	case EXIT:
		put_task(image, step);
		break;
	case COMM:
	case THERE:
		put_comm(image, step);
		break;
	case ODD:
		begin = image_begin(image, PERF_RECORD_COMM, 0);
		image_pair(image, (uint32_t)step->pid, (uint32_t)step->tid);
		image_text(image, "odd", sizeof("odd"));
		image_end(image, begin);
		break;
	case LOST:
		begin = image_begin(image, PERF_RECORD_LOST, 0);
		image_u64(image, LEADER);
		image_u64(image, (uint64_t)step->other);
		put_trailer(image, begin, step);
		break;
	case ROUND:
		begin = image_begin(image, PERFDATA_ROUND, 0);
		image_end(image, begin);
		break;
	case WAKE:
		put_waking(image, step);
		break;
	case ASKED:
		image_words(image, step->comm);
		break;
	case TASKS:
		image_threads(image, step->tid);
		break;
	}
}

static void make_recording(struct image *image, const struct perf_case *perf_case)
{
	image_stream(image);
	put_events(image, perf_case->format);
	if (has_raw(perf_case->format))
		put_formats(image, perf_case->format == WAKING);
	if (perf_case->cpus)
		image_cpus(image, perf_case->cpus);
	for (size_t i = 0; i < STEPS_MAX && perf_case->steps[i].kind != END; i++)
		put_step(image, &perf_case->steps[i], perf_case->format);
}

static void check_tally(const struct snapshot *snapshot, const uint64_t *tally,
			const struct want *want, bool counted)
{
	const struct columns *columns = snapshot->columns;
	int cycles = event_set_find(&columns->events, "cycles");

	assert_int_equal(plan_count(columns->plan, tally, TALLY_TASK_CLOCK), want->clock_ns);
	assert_int_equal(plan_count(columns->plan, tally, TALLY_SWITCHES), want->switches);
	assert_int_equal(cycles >= 0, counted);
	if (cycles >= 0)
		assert_int_equal(plan_count(columns->plan, tally, (size_t)cycles), want->cycles);
}

/* Whether the switches of a CPU, or of all, are a lower bound. */
static bool is_too_low(const struct snapshot *snapshot, const uint64_t *tally)
{
	const struct columns *columns = snapshot->columns;
	const struct metric_input input = {
		.events = &columns->events, .plan = columns->plan, .tally = tally};

	return metric_read_one(&columns->event_readings.items[TALLY_SWITCHES], &input).state ==
	       FIGURE_LOST;
}

static void check_too_low(const struct snapshot *snapshot, bool too_low)
{
	assert_int_equal(is_too_low(snapshot, snapshot->totals), too_low);
	assert_int_equal(is_too_low(snapshot, snapshot->unattributed), too_low);
	for (size_t i = 0; i < snapshot->n_cpus; i++)
		if (snapshot->cpus[i].tally)
			assert_int_equal(is_too_low(snapshot, snapshot->cpus[i].tally),
					 too_low && snapshot->cpus[i].cpu == 0);
}

static const struct want *find_want(const struct perf_case *perf_case, uint64_t sequence, pid_t tid)
{
	static const struct want nothing;

	for (size_t i = 0; i < WANTS_MAX && perf_case->wants[i].sequence; i++)
		if (perf_case->wants[i].sequence == sequence && perf_case->wants[i].tid == tid)
			return &perf_case->wants[i];
	return &nothing;
}

static struct figure event_of_row(const struct snapshot *snapshot, size_t row, const char *name)
{
	const struct columns *columns = snapshot->columns;
	const struct metric_input input = {
		.events = &columns->events,
		.plan = columns->plan,
		.tally = rows_tally(columns, &snapshot->threads, row),
	};
	int event = event_set_find(&columns->events, name);

	assert_true(event >= 0);
	return metric_read_one(&columns->event_readings.items[event], &input);
}

static void check_waits(const struct snapshot *snapshot, size_t row, const struct waited *waited)
{
	const struct figure runq = event_of_row(snapshot, row, "runq_time");
	const struct figure blocked = event_of_row(snapshot, row, "blocked_time");

	assert_int_equal(runq.state, waited->state);
	assert_int_equal(blocked.state, waited->state);
	assert_int_equal((int)runq.value, waited->runq_ns);
	assert_int_equal((int)blocked.value, waited->blocked_ns);
	if (waited->d_ns)
		assert_int_equal((int)event_of_row(snapshot, row, "uninterruptible_time").value,
				 waited->d_ns);
}

static void check_snapshot(const struct perf_case *perf_case, const struct snapshot *snapshot)
{
	uint64_t sequence = snapshot->sequence;
	bool counted = perf_case->format != ALONE && perf_case->format != SCHED;
	size_t wanted = 0, event;

	for (size_t i = 0; i < WANTS_MAX && perf_case->wants[i].sequence; i++)
		wanted += perf_case->wants[i].sequence == sequence && perf_case->wants[i].tid > 0;
	assert_int_equal(snapshot->threads.n, wanted);
	for (size_t i = 0; i < snapshot->threads.n; i++) {
		const struct row *row = &snapshot->threads.items[i];
		const struct want *want = find_want(perf_case, sequence, row->tid);
		assert_int_equal(want->tid, row->tid);
		check_tally(snapshot, rows_tally(snapshot->columns, &snapshot->threads, i), want,
			    counted);
		if (want->waited.state != FIGURE_VALID || want->waited.runq_ns)
			check_waits(snapshot, i, &want->waited);
		if (want->comm)
			assert_string_equal(row->comm, want->comm);
	}
	check_tally(snapshot, snapshot->idle, find_want(perf_case, sequence, IDLE), counted);
	check_tally(snapshot, snapshot->unattributed, find_want(perf_case, sequence, UNATTRIBUTED),
		    counted);
	check_too_low(snapshot, sequence == perf_case->too_low);
	assert_true(snapshot_conserves(snapshot, &event));
	assert_int_equal(snapshot->mode, COUNT_MODE_SYSTEM);
	assert_int_equal(snapshot->realtime_ns, 0);
}

static bool has_note(const struct snapshot *snapshot, const char *words)
{
	for (size_t i = 0; i < snapshot->n_notes; i++)
		if (strncmp(snapshot->notes[i], words, strlen(words)) == 0)
			return true;
	return false;
}

static void check_profile(const struct perf_case *perf_case, const struct snapshot *snapshot)
{
	size_t event;
	bool found = false;

	assert_true(columns_of_profile(snapshot->columns));
	assert_true(snapshot_conserves(snapshot, &event));
	for (size_t i = 0; i < snapshot->n_notes; i++)
		found |= strstr(snapshot->notes[i], "run times unknown. ") != NULL &&
			 strstr(snapshot->notes[i], perf_case->profile);
	assert_true(found);
}

static void run_case(const struct perf_case *perf_case, const struct perfdata_input *input)
{
	const struct engine_config everything = {.target = perf_case->target};
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 1});
	const struct sys sys = fk_sys(fk);
	const struct replay_config config = {
		.engine = &everything,
		.interval_ns = perf_case->interval_ns ? perf_case->interval_ns : 1000,
	};
	struct snapshot *snapshot = NULL;
	struct replay *replay;
	struct error err = {0};
	uint64_t snapshots = 0;
	bool noted = !perf_case->note;

	int result = replay_new_from(&sys, &config, input, &replay, &err);
	if (perf_case->failure && !perf_case->later) {
		assert_true(result < 0);
		assert_int_equal(strncmp(err.text, perf_case->failure, strlen(perf_case->failure)),
				 0);
		fk_free(fk);
		return;
	}
	assert_int_equal(result, 0);
	while ((result = replay_next(replay, &snapshot, &err)) > 0 || result == -EAGAIN) {
		if (result == -EAGAIN)
			continue;
		assert_int_equal(snapshot->sequence, ++snapshots);
		if (perf_case->profile)
			check_profile(perf_case, snapshot);
		else
			check_snapshot(perf_case, snapshot);
		noted |= perf_case->note && has_note(snapshot, perf_case->note);
		assert_false(perf_case->no_note && has_note(snapshot, perf_case->no_note));
		snapshot_free(snapshot);
	}
	if (perf_case->later)
		assert_int_equal(strncmp(err.text, perf_case->failure, strlen(perf_case->failure)),
				 0);
	assert_int_equal(result, perf_case->later ? -EOPNOTSUPP : 0);
	if (perf_case->profile)
		assert_true(snapshots > 0);
	else
		assert_int_equal(snapshots, perf_case->snapshots);
	assert_true(noted);
	replay_free(replay);
	fk_free(fk);
}

static void test_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct image image = {0};

		print_message("%s\n", cases[i].name);
		make_recording(&image, &cases[i]);
		run_case(&cases[i], &(struct perfdata_input){
					    .read = image_read,
					    .arg = &image,
					    .seekable = true,
					    .size = image.n,
				    });
		image_fini(&image);
	}
}

static void test_names_late_in_a_pipe(void **state)
{
	static const struct perf_case nameless = {
		"tracepoints with names at the end",
		{{SW, 0, 7, 7, 1000}},
		.format = UNNAMED,
		.profile = "A pipe has the names of tracepoints too late: give the file.",
	};
	struct image image = {0};

	(void)state;
	make_recording(&image, &nameless);
	run_case(&nameless, &(struct perfdata_input){.read = image_read, .arg = &image});
	image_fini(&image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_names_late_in_a_pipe),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
