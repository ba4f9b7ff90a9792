// SPDX-License-Identifier: MIT
/*
 * Attribution, case by case: records go in, and each count must be credited to the task that made
 * it. Each case also checks that counts are conserved.
 */
#include "core/attrib/attrib.h"
#include "core/base/util.h"
#include "tests/fake_kernel/fake_kernel.h"
#include "tests/unit/shared/cases.h"

#include <stdlib.h>
#include <string.h>

enum { N_CPUS = 2, STEPS_MAX = 16, WANTS_MAX = 8 };
enum { CYCLES = TALLY_FIRST_COUNTED, FAULTS, N_EVENTS };

/* A group of one hardware event, N, the tick and one software event, in the order of a plan. */
static const int counter_of[] = {CYCLES, -1, -2, FAULTS};
static const struct attrib_layout first_group = {
	.n_values = 4, .n_hardware = 1, .switch_value = 1, .counter_of = counter_of, .clock = true};
/* A second group, without the clock: N, one event, the tick. */
static const int other_counter_of[] = {FAULTS, -1, -2};
static const struct attrib_layout second_group = {.n_values = 3,
						  .n_hardware = 1,
						  .switch_value = 1,
						  .counter_of = other_counter_of,
						  .group = 1};

/* The RAW part of the first group's switches. */
static const struct switch_format format = {.prev_pid = {8, 4},
					    .prev_state = {0, 4},
					    .next_comm = {12, 16},
					    .next_pid = {28, 4},
					    .next_prio = {4, 4},
					    .bytes = 32};

enum step_kind {
	END,
	SW,       /* a switch away from pid/tid: time, N, cycles and faults so far */
	TRACED,   /* the same; `other` is prev_pid of its RAW part */
	NEXT,     /* a switch from pid/tid to `other`, in a recording */
	TICK,     /* a tick while pid/tid runs */
	FOREIGN,  /* a switch, with id and time of another program's event */
	CROSSED,  /* a sample of the second group, with the first one's id */
	SW2,      /* a sample of the second group */
	CROSSED2, /* a sample of the first group, with the second one's id */
	TICK2,    /* a tick of the second group */
	PAUSE,  /* the second group's turn ends while `other` runs; TICKED: the task of the tick */
	RESUME, /* the second group's next turn begins */
	SWITCH_IN,  /* a SWITCH record: pid/tid begins to run, after `other` */
	SWITCH_OUT, /* a SWITCH record: pid/tid stops, before `other` */
	FORK,       /* pid/tid forks `other` (a process) */
	THREAD,     /* pid/tid starts the thread `other` */
	EXIT,
	COMM,
	THROTTLE,
	LOST, /* `other` records */
	CUT,  /* the interval ends */
};

struct step {
	enum step_kind kind;
	int cpu;
	pid_t pid, tid;
	uint64_t time_ns, n, cycles, faults;
	pid_t other;
	uint64_t off_ns; /* how long the group has been off the PMU so far */
	const char *comm;
};

enum { UNKNOWN = -1, TICKED = -2, IDLE = -8, UNATTRIBUTED = -9 };

struct want {
	pid_t tid; /* or IDLE, UNATTRIBUTED */
	uint64_t clock_ns, switches, cycles, faults;
	const char *comm; /* NULL: not checked */
};

struct attrib_case {
	const char *name;
	struct step steps[STEPS_MAX];
	struct want wants[WANTS_MAX]; /* up to a tid of 0; all others have no counts */
	bool two_groups;
};

static const struct attrib_case cases[] = {
	{"between two switches one task ran",
	 {{SW, 0, 7, 7, 100, 1, 200, 3}, {SW, 0, 8, 8, 150, 2, 230, 3}},
	 {{7, 100, 1, 200, 3}, {8, 50, 1, 30, 0}}},
	{"another program samples switches: samples have its id and its time",
	 {{FOREIGN, 0, 7, 7, 100, 1, 200, 3},
	  {TICK, 0, 8, 8, 120, 1, 210, 3},
	  {FOREIGN, 0, 8, 8, 150, 2, 230, 3},
	  {FORK, 0, 8, 8, 150, .other = 9},
	  {EXIT, 0, 9, 9, 160},
	  {FOREIGN, 0, -1, -1, 180, 3, 250, 4}},
	 {{7, 100, 1, 200, 3}, {8, 50, 1, 30, 0}, {9, 30, 1, 20, 1}}},
	{"a group that was throttled: N stood still, so several tasks may have run",
	 {{SW, 0, 7, 7, 100, 1, 100},
	  {THROTTLE, 0, 7, 7, 110},
	  {THROTTLE, 0, 8, 8, 130},
	  {SW, 0, 9, 9, 150, 2, 120},
	  {SW, 0, 7, 7, 180, 3, 130}},
	 {{7, 130, 2, 110, 0}, {9, 0, 0, 0, 0}, {UNATTRIBUTED, 50, 1, 20, 0}}},
	{"an exited thread of which the EXIT was lost: the tracepoint has its tid",
	 {{SW, 0, 7, 71, 100, 1, 100},
	  {SW, 0, 7, 7, 110, 2, 120},
	  {TRACED, 0, -1, -1, 150, 3, 130, .other = 71}},
	 {{71, 140, 2, 110, 0}, {7, 10, 1, 20, 0}}},
	{"a thread that is switched out twice after its EXIT",
	 {{SW, 0, 7, 71, 100, 1, 100},
	  {EXIT, 0, 7, 71, 110},
	  {TRACED, 0, 7, -1, 150, 2, 130, .other = 71},
	  {TRACED, 0, -1, -1, 160, 3, 150, .other = 71}},
	 {{71, 160, 3, 150, 0}}},
	{"a thread that only the tracepoint has named",
	 {{TRACED, 0, -1, -1, 100, 1, 50, .other = 71}},
	 {{71, 100, 1, 50, 0}}},
	{"the idle task has a tally of its own",
	 {{SW, 0, 0, 0, 100, 1, 5}, {SW, 0, 7, 7, 150, 2, 105}, {SW, 0, 0, 0, 400, 3, 110}},
	 {{IDLE, 350, 2, 10, 0}, {7, 50, 1, 100, 0}}},
	{"each thread of a process is a task",
	 {{SW, 0, 7, 7, 100, 1, 100}, {SW, 0, 7, 71, 200, 2, 300}},
	 {{7, 100, 1, 100, 0}, {71, 100, 1, 200, 0}}},
	{"migration: the parts of all CPUs add up",
	 {{SW, 0, 7, 7, 100, 1, 100},
	  {SW, 1, 8, 8, 100, 1, 10},
	  {SW, 1, 7, 7, 200, 2, 60},
	  {SW, 0, 8, 8, 200, 2, 140}},
	 {{7, 200, 2, 150, 0}, {8, 200, 2, 50, 0}}},
	{"ticks name a task that never switches",
	 {{TICK, 0, 7, 7, 1000, 0, 5000}, {CUT}, {TICK, 0, 7, 7, 2000, 0, 9000}},
	 {{7, 2000, 0, 9000, 0}}},
	{"a tick cuts a slice in two parts of one task",
	 {{SW, 0, 8, 8, 100, 1, 100},
	  {TICK, 0, 7, 7, 150, 1, 150},
	  {CUT},
	  {TICK, 0, 7, 7, 160, 1, 160},
	  {SW, 0, 7, 7, 300, 2, 300}},
	 {{8, 100, 1, 100, 0}, {7, 200, 1, 200, 0}}},
	{"loss: the slices of a gap are unattributed, the next one is exact",
	 {{SW, 0, 7, 7, 100, 1, 100},
	  {LOST, .other = 2},
	  {SW, 0, 7, 7, 400, 4, 400, 4},
	  {SW, 0, 8, 8, 500, 5, 450, 4}},
	 {{7, 100, 1, 100, 0}, {UNATTRIBUTED, 300, 3, 300, 4}, {8, 100, 1, 50, 0}}},
	{"loss seen by a tick",
	 {{SW, 0, 7, 7, 100, 1, 100}, {TICK, 0, 8, 8, 300, 2, 300}},
	 {{7, 100, 1, 100, 0}, {UNATTRIBUTED, 200, 1, 200, 0}}},
	{"exit: the last slice has no tid, and the EXIT names its task",
	 {{FORK, 0, 7, 7, 10, .other = 9},
	  {SW, 0, 7, 7, 100, 1, 100},
	  {EXIT, 0, 9, 9, 150},
	  {SW, 0, 9, -1, 180, 2, 190}},
	 {{7, 100, 1, 100, 0}, {9, 80, 1, 90, 0}}},
	{"exit of a reaped process: neither pid nor tid",
	 {{EXIT, 0, 9, 9, 50}, {SW, 0, -1, -1, 100, 1, 70}, {SW, 0, 7, 7, 200, 2, 80}},
	 {{9, 100, 1, 70, 0}, {7, 100, 1, 10, 0}}},
	{"exit, preempted, and the tid lost meanwhile: unattributed",
	 {{EXIT, 0, 9, 9, 50},
	  {SW, 0, 9, 9, 100, 1, 70},
	  {SW, 0, 7, 7, 200, 2, 80},
	  {SW, 0, -1, -1, 210, 3, 85}},
	 {{9, 100, 1, 70, 0}, {7, 100, 1, 10, 0}, {UNATTRIBUTED, 10, 1, 5, 0}}},
	{"a task outside the pid namespace has tid 0 and counts as idle to its end",
	 {{FORK, 0, 0, 0, 10, .other = 0},
	  {COMM, 0, 0, 0, 20, .comm = "outside"},
	  {SW, 0, 0, 0, 100, 1, 70},
	  {EXIT, 0, 0, 0, 150},
	  {TICK, 0, 0, 0, 160, 1, 80},
	  {SW, 0, -1, -1, 180, 2, 90},
	  {SW, 0, -1, -1, 200, 3, 95}},
	 {{IDLE, 180, 2, 90, 0}, {UNATTRIBUTED, 20, 1, 5, 0}}},
	{"exit without an EXIT record: unattributed",
	 {{SW, 0, 9, -1, 100, 1, 70}},
	 {{UNATTRIBUTED, 100, 1, 70, 0}}},
	{"a tick between EXIT and the last switch",
	 {{EXIT, 0, 9, 9, 50}, {TICK, 0, 9, -1, 60, 0, 40}, {CUT}, {SW, 0, 9, -1, 80, 1, 55}},
	 {{9, 80, 1, 55, 0}}},
	{"fork: the child has its parent's name until its own COMM",
	 {{COMM, 0, 7, 7, 5, .comm = "shell"},
	  {FORK, 0, 7, 7, 10, .other = 9},
	  {SW, 0, 7, 7, 100, 1, 100},
	  {SW, 0, 9, 9, 200, 2, 150}},
	 {{7, 100, 1, 100, 0, "shell"}, {9, 100, 1, 50, 0, "shell"}}},
	{"fork read after the child's own records (another ring)",
	 {{SW, 1, 9, 9, 200, 1, 150},
	  {COMM, 0, 7, 7, 5, .comm = "shell"},
	  {FORK, 0, 7, 7, 10, .other = 9},
	  {SW, 0, 7, 7, 100, 1, 100}},
	 {{9, 200, 1, 150, 0, "shell"}, {7, 100, 1, 100, 0, "shell"}}},
	{"fork read after the child's COMM and EXIT: its own name stays",
	 {{COMM, 1, 9, 9, 50, .comm = "kid"},
	  {EXIT, 1, 9, 9, 190},
	  {SW, 1, -1, -1, 200, 1, 150},
	  {COMM, 0, 7, 7, 5, .comm = "shell"},
	  {FORK, 0, 7, 7, 10, .other = 9},
	  {SW, 0, 7, 7, 210, 1, 100}},
	 {{9, 200, 1, 150, 0, "kid"}, {7, 210, 1, 100, 0, "shell"}}},
	{"a group off the PMU sees no switches: unattributed, then exact",
	 {{SW, 0, 7, 7, 100, 1, 100},
	  {SW, 0, 8, 8, 400, 2, 150, .off_ns = 200},
	  {SW, 0, 7, 7, 500, 3, 250, .off_ns = 200}},
	 {{7, 200, 2, 200, 0}, {UNATTRIBUTED, 300, 1, 50, 0}}},
	{"two groups in one ring: each counts its own, time counts once",
	 {{SW, 0, 7, 7, 100, 1, 100, 0},
	  {SW2, 0, 7, 7, 100, 1, 0, 40},
	  {SW, 0, 8, 8, 150, 2, 130, 0},
	  {SW2, 0, 8, 8, 150, 2, 0, 45}},
	 {{7, 100, 1, 100, 40}, {8, 50, 1, 30, 5}},
	 .two_groups = true},
	{"two groups, both samples have one id: the size distinguishes them",
	 {{SW, 0, 7, 7, 100, 1, 100, 0},
	  {CROSSED, 0, 7, 7, 100, 1, 0, 40},
	  {SW, 0, 8, 8, 150, 2, 130, 0},
	  {CROSSED, 0, 8, 8, 150, 2, 0, 45}},
	 {{7, 100, 1, 100, 40}, {8, 50, 1, 30, 5}},
	 .two_groups = true},
	{"two groups, an exit: both last slices are the task's",
	 {{EXIT, 0, 9, 9, 50},
	  {SW, 0, -1, -1, 100, 1, 100, 0},
	  {SW2, 0, -1, -1, 100, 1, 0, 40},
	  {SW, 0, 7, 7, 150, 2, 130, 0},
	  {SW2, 0, 7, 7, 150, 2, 0, 45}},
	 {{9, 100, 1, 100, 40}, {7, 50, 1, 30, 5}},
	 .two_groups = true},
	{"two groups, a loss in one: the slices of the other are exact",
	 {{SW, 0, 7, 7, 100, 1, 100, 0},
	  {SW2, 0, 7, 7, 100, 2, 0, 40},
	  {SW, 0, 8, 8, 150, 2, 130, 0},
	  {SW2, 0, 8, 8, 150, 3, 0, 45}},
	 {{7, 100, 1, 100, 0}, {8, 50, 1, 30, 5}, {UNATTRIBUTED, 0, 0, 0, 40}},
	 .two_groups = true},
	{"two groups, the second one's record first",
	 {{SW2, 0, 7, 7, 100, 1, 0, 40},
	  {SW, 0, 7, 7, 100, 1, 100, 0},
	  {SW2, 0, 8, 8, 150, 2, 0, 45},
	  {SW, 0, 8, 8, 150, 2, 130, 0}},
	 {{7, 100, 1, 100, 40}, {8, 50, 1, 30, 5}},
	 .two_groups = true},
	{"two groups, both samples have the second one's id",
	 {{SW2, 0, 7, 7, 100, 1, 0, 40},
	  {CROSSED2, 0, 7, 7, 100, 1, 100, 0},
	  {CROSSED2, 0, 8, 8, 150, 2, 130, 0},
	  {SW2, 0, 8, 8, 150, 2, 0, 45}},
	 {{7, 100, 1, 100, 40}, {8, 50, 1, 30, 5}},
	 .two_groups = true},
	{"the end of a turn: the rest is of the task of the last tick",
	 {{SW, 0, 7, 7, 100, 1, 100, 0},
	  {SW2, 0, 7, 7, 100, 1, 0, 40},
	  {TICK2, 0, 8, 8, 120, 1, 0, 44},
	  {PAUSE, 0, .time_ns = 130, .n = 1, .faults = 47, .other = TICKED},
	  {SW, 0, 8, 8, 150, 2, 130, 0}},
	 {{7, 100, 1, 100, 40}, {8, 50, 1, 30, 7}},
	 .two_groups = true},
	{"the end of a turn: the task of the tick has left since, the rest is unattributed",
	 {{SW, 0, 7, 7, 100, 1, 100, 0},
	  {SW2, 0, 7, 7, 100, 1, 0, 40},
	  {TICK2, 0, 8, 8, 120, 1, 0, 44},
	  {SW, 0, 8, 8, 125, 2, 130, 0},
	  {SW2, 0, 8, 8, 125, 2, 0, 46},
	  {PAUSE, 0, .time_ns = 130, .n = 2, .faults = 50, .other = TICKED}},
	 {{7, 100, 1, 100, 40}, {8, 25, 1, 30, 6}, {UNATTRIBUTED, 0, 0, 0, 4}},
	 .two_groups = true},
	{"the end of a turn: the caller names the task that runs there",
	 {{SW, 0, 7, 7, 100, 1, 100, 0},
	  {SW2, 0, 7, 7, 100, 1, 0, 40},
	  {PAUSE, 0, .time_ns = 130, .n = 1, .faults = 47, .other = 8}},
	 {{7, 100, 1, 100, 40}, {8, 0, 0, 0, 7}},
	 .two_groups = true},
	{"a turn without a switch: the rest is of the running task of the clock's group",
	 {{NEXT, 0, 7, 7, 100, 1, 100, 0, .other = 8},
	  {SW2, 0, 7, 7, 100, 1, 0, 40},
	  {PAUSE, 0, .time_ns = 200, .n = 1, .faults = 45, .other = TICKED},
	  {RESUME, 0, .time_ns = 300, .n = 1, .faults = 45},
	  {PAUSE, 0, .time_ns = 400, .n = 1, .faults = 47, .other = TICKED},
	  {SW, 0, 8, 8, 500, 2, 130, 0}},
	 {{7, 100, 1, 100, 40}, {8, 400, 1, 30, 7}},
	 .two_groups = true},
	{"a turn without a sample, but a switch in the clock's group: unattributed",
	 {{NEXT, 0, 7, 7, 100, 1, 100, 0, .other = 8},
	  {SW2, 0, 7, 7, 100, 1, 0, 40},
	  {NEXT, 0, 8, 8, 150, 2, 130, 0, .other = 9},
	  {PAUSE, 0, .time_ns = 200, .n = 1, .faults = 45, .other = TICKED}},
	 {{7, 100, 1, 100, 40}, {8, 50, 1, 30, 0}, {UNATTRIBUTED, 0, 0, 0, 5}},
	 .two_groups = true},
	{"the end of a turn: the idle task runs there",
	 {{TICK2, 0, 0, 0, 100, 0, 0, 40},
	  {PAUSE, 0, .time_ns = 130, .n = 0, .faults = 47, .other = TICKED}},
	 {{IDLE, 0, 0, 0, 47}},
	 .two_groups = true},
	{"the end of a turn: no record names the task that runs there",
	 {{SW2, 0, 7, 7, 100, 1, 0, 40},
	  {TICK2, 0, 8, 8, 120, 1, 0, 44},
	  {PAUSE, 0, .time_ns = 130, .n = 1, .faults = 47, .other = UNKNOWN}},
	 {{7, 0, 0, 0, 40}, {8, 0, 0, 0, 4}, {UNATTRIBUTED, 0, 0, 0, 3}},
	 .two_groups = true},
	{"the end of a turn: its last switches made no records, so unattributed",
	 {{SW2, 0, 7, 7, 100, 1, 0, 40},
	  {PAUSE, 0, .time_ns = 130, .n = 3, .faults = 47, .other = 8},
	  {RESUME, 0, .time_ns = 200},
	  {SW2, 0, 8, 8, 230, 4, 0, 50}},
	 {{7, 0, 0, 0, 40}, {8, 0, 0, 0, 3}, {UNATTRIBUTED, 0, 0, 0, 7}},
	 .two_groups = true},
	{"the end of a turn in which the group was off the PMU: unattributed",
	 {{SW2, 0, 7, 7, 100, 1, 0, 40},
	  {PAUSE, 0, .time_ns = 130, .n = 1, .faults = 47, .other = 8, .off_ns = 10}},
	 {{7, 0, 0, 0, 40}, {UNATTRIBUTED, 0, 0, 0, 7}},
	 .two_groups = true},
	{"the next turn: the task of its first record ran since the turn began",
	 {{SW, 0, 7, 7, 100, 1, 100, 0},
	  {SW2, 0, 7, 7, 100, 1, 0, 40},
	  {PAUSE, 0, .time_ns = 130, .n = 1, .faults = 47, .other = 8},
	  {SW, 0, 8, 8, 150, 2, 130, 0},
	  {SW2, 0, 8, 8, 150, 2, 0, 90}, /* ignored: the group is off */
	  {RESUME, 0, .time_ns = 200},
	  {SW2, 0, 9, 9, 300, 2, 0, 60},
	  {SW, 0, 9, 9, 300, 3, 160, 0}},
	 {{7, 100, 1, 100, 40}, {8, 50, 1, 30, 7}, {9, 150, 1, 30, 13}},
	 .two_groups = true},
	{"between two turns: a task that exits has its last slice, without a tid",
	 {{SW2, 0, 7, 7, 100, 1, 0, 40},
	  {PAUSE, 0, .time_ns = 130, .n = 1, .faults = 47, .other = 9},
	  {EXIT, 0, 9, 9, 140},
	  {RESUME, 0, .time_ns = 150},
	  {SW, 0, -1, -1, 200, 1, 100, 0},
	  {SW2, 0, -1, -1, 200, 2, 0, 55},
	  {SW2, 0, 7, 7, 250, 3, 0, 56}},
	 {{7, 0, 0, 0, 41}, {9, 200, 1, 100, 15}},
	 .two_groups = true},
	{"between two turns: a task that exits and is switched out is not in the next turn",
	 {{PAUSE, 0, .time_ns = 130, .n = 0, .faults = 47, .other = 9},
	  {EXIT, 0, 9, 9, 140},
	  {SW, 0, -1, -1, 145, 1, 100, 0},
	  {RESUME, 0, .time_ns = 150},
	  {SW, 0, -1, -1, 200, 2, 130, 0},
	  {SW2, 0, -1, -1, 200, 1, 0, 55}},
	 {{9, 145, 1, 100, 47}, {UNATTRIBUTED, 55, 1, 30, 8}},
	 .two_groups = true},
	{"two groups, a hidden task: known to both, the counts are unattributed",
	 {{SW, 0, 7, 7, 100, 1, 100, 0},
	  {SW2, 0, 7, 7, 100, 1, 0, 40},
	  {SWITCH_IN, 0, 8, 8, 130, .other = 2},
	  {SW, 0, 8, 8, 200, 3, 180, 0},
	  {SW2, 0, 8, 8, 200, 3, 0, 60},
	  {SW2, 0, 7, 7, 250, 4, 0, 61},
	  {SW, 0, 7, 7, 250, 4, 190, 0}},
	 {{7, 150, 2, 110, 41}, {2, 30, 1, 0, 0}, {8, 70, 1, 0, 0}, {UNATTRIBUTED, 0, 0, 80, 20}},
	 .two_groups = true},
	{"a SWITCH between two turns counts for the group that was on",
	 {{SW, 0, 7, 7, 100, 1, 100, 0},
	  {SW2, 0, 7, 7, 100, 1, 0, 40},
	  {PAUSE, 0, .time_ns = 110, .n = 1, .faults = 42, .other = 2},
	  {SWITCH_IN, 0, 8, 8, 120, .other = 2},
	  {RESUME, 0, .time_ns = 130},
	  {SW, 0, 8, 8, 200, 3, 180, 0},
	  {SW2, 0, 8, 8, 200, 3, 0, 60}},
	 {{7, 100, 1, 100, 40}, {2, 20, 1, 0, 2}, {8, 80, 1, 0, 0}, {UNATTRIBUTED, 0, 0, 80, 18}},
	 .two_groups = true},
	{"a hidden idle task: the SWITCH record has its time, faults are the other task's",
	 {{SW, 1, 7, 7, 100, 1, 100, 1},
	  {SWITCH_IN, 1, 8, 8, 400, .other = 0},
	  {SW, 1, 8, 8, 450, 3, 150, 6}},
	 {{7, 100, 1, 100, 1},
	  {IDLE, 300, 1, 0, 0},
	  {8, 50, 1, 0, 5},
	  {UNATTRIBUTED, 0, 0, 50, 0}}},
	{"a hidden task: it has its time, the counts of both are unattributed",
	 {{SW, 0, 7, 7, 100, 1, 100, 1},
	  {SWITCH_IN, 0, 7, 7, 130, .other = 2},
	  {TICK, 0, 7, 7, 200, 2, 180, 4}},
	 {{7, 170, 1, 100, 1}, {2, 30, 1, 0, 0}, {UNATTRIBUTED, 0, 0, 80, 3}}},
	{"two hidden tasks in a row: the task after them has its time, the rest is "
	 "unattributed",
	 {{SW, 0, 7, 7, 100, 1, 100},
	  {SWITCH_IN, 0, 7, 7, 130, .other = 2},
	  {SW, 0, 7, 7, 200, 4, 180}},
	 {{7, 170, 2, 100, 0}, {UNATTRIBUTED, 30, 2, 80, 0}}},
	{"a chain break: the task is not the next one of the record before",
	 {{NEXT, 0, 7, 7, 100, 1, 100, .other = 8},
	  {NEXT, 0, 9, 9, 300, 2, 300, .other = 7},
	  {NEXT, 0, 7, 7, 400, 3, 350, .other = 8}},
	 {{7, 200, 2, 150, 0}, {UNATTRIBUTED, 200, 1, 200, 0}}},
	{"a chain break with a SWITCH: the time before it is the next task's",
	 {{NEXT, 0, 7, 7, 100, 1, 100, .other = 8},
	  {SWITCH_IN, 0, 9, 9, 250, .other = 8},
	  {NEXT, 0, 9, 9, 300, 2, 300, .other = 7}},
	 {{7, 100, 1, 100, 0}, {8, 150, 0, 0, 0}, {9, 50, 1, 0, 0}, {UNATTRIBUTED, 0, 0, 200, 0}}},
	{"a chain break of two tasks: the time of both is unattributed",
	 {{NEXT, 0, 7, 7, 100, 1, 100, .other = 8},
	  {SWITCH_IN, 0, 9, 9, 250, .other = 2},
	  {NEXT, 0, 9, 9, 300, 2, 300, .other = 7}},
	 {{7, 100, 1, 100, 0}, {9, 50, 1, 0, 0}, {UNATTRIBUTED, 150, 0, 200, 0}}},
	{"a thread that execs has the tid of its process from then on",
	 {{THREAD, 0, 7, 7, 10, .other = 71},
	  {NEXT, 0, 8, 8, 100, 1, 100, .other = 71},
	  {NEXT, 0, 7, 7, 300, 2, 300, .other = 8}},
	 {{8, 100, 1, 100, 0}, {7, 200, 1, 200, 0}}},
	{"a tick names another task than the next one of the record before",
	 {{NEXT, 0, 7, 7, 100, 1, 100, .other = 8},
	  {TICK, 0, 9, 9, 200, 1, 200},
	  {NEXT, 0, 9, 9, 300, 2, 300, .other = 7}},
	 {{7, 100, 1, 100, 0}, {UNATTRIBUTED, 100, 0, 100, 0}, {9, 100, 1, 100, 0}}},
	{"a SWITCH that is later than its sample: the whole slice was hidden, no more",
	 {{SW, 0, 7, 7, 100, 1, 100},
	  {SWITCH_IN, 0, 7, 7, 250, .other = 2},
	  {TICK, 0, 7, 7, 200, 2, 180},
	  {TICK, 0, 7, 7, 300, 2, 200}},
	 {{7, 200, 1, 120, 0}, {2, 100, 1, 0, 0}, {UNATTRIBUTED, 0, 0, 80, 0}}},
	{"a SWITCH with a time before the last sample: no time was hidden",
	 {{SW, 0, 7, 7, 100, 1, 100},
	  {SWITCH_IN, 0, 7, 7, 90, .other = 2},
	  {TICK, 0, 7, 7, 200, 2, 180}},
	 {{7, 200, 1, 100, 0}, {2, 0, 1, 0, 0}, {UNATTRIBUTED, 0, 0, 80, 0}}},
	{"a SWITCH out does not name the task that begins to run",
	 {{SW, 0, 7, 7, 100, 1, 100},
	  {SWITCH_IN, 0, 7, 7, 130, .other = 2},
	  {SWITCH_OUT, 0, 7, 7, 190, .other = 3},
	  {SW, 0, 7, 7, 200, 3, 180}},
	 {{7, 170, 2, 100, 0}, {2, 30, 1, 0, 0}, {UNATTRIBUTED, 0, 0, 80, 0}}},
	{"a SWITCH explains one gap: the next gap is unattributed",
	 {{SW, 0, 7, 7, 100, 1, 100},
	  {SWITCH_IN, 0, 7, 7, 130, .other = 2},
	  {TICK, 0, 7, 7, 200, 2, 180},
	  {SW, 0, 7, 7, 300, 4, 260},
	  {SW, 0, 8, 8, 350, 5, 270}},
	 {{7, 170, 1, 100, 0},
	  {2, 30, 1, 0, 0},
	  {8, 50, 1, 10, 0},
	  {UNATTRIBUTED, 100, 2, 160, 0}}},
	{"a SWITCH before a slice without a gap does not explain a later gap",
	 {{SW, 0, 7, 7, 100, 1, 100},
	  {SWITCH_IN, 0, 8, 8, 101, .other = 7},
	  {SW, 0, 8, 8, 200, 2, 180},
	  {SW, 0, 8, 8, 300, 4, 260}},
	 {{7, 100, 1, 100, 0}, {8, 100, 1, 80, 0}, {UNATTRIBUTED, 100, 2, 80, 0}}},
	{"a hidden task that has lost its tid: unattributed",
	 {{SW, 0, 7, 7, 100, 1, 100},
	  {SWITCH_IN, 0, 7, 7, 130, .other = -1},
	  {TICK, 0, 7, 7, 200, 2, 180, 4}},
	 {{7, 170, 1, 100, 0}, {UNATTRIBUTED, 30, 1, 80, 4}}},
	{"a LOST: a SWITCH record does not explain the gap",
	 {{SW, 0, 7, 7, 100, 1, 100},
	  {SWITCH_IN, 0, 7, 7, 130, .other = 2},
	  {LOST, .other = 3},
	  {SW, 0, 7, 7, 200, 3, 180}},
	 {{7, 100, 1, 100, 0}, {UNATTRIBUTED, 100, 2, 80, 0}}},
	{"a SWITCH of another task than that of the sample does not explain the gap",
	 {{SW, 0, 7, 7, 100, 1, 100},
	  {SWITCH_IN, 0, 8, 8, 130, .other = 2},
	  {SW, 0, 7, 7, 200, 3, 180}},
	 {{7, 100, 1, 100, 0}, {UNATTRIBUTED, 100, 2, 80, 0}}},
};

struct bench {
	struct fk *fk;
	struct sys sys;
	struct tasks *tasks;
	struct interval interval;
	struct attrib *attrib;
	uint64_t sums[2 + STEPS_MAX][N_EVENTS]; /* by slot of `tids` */
	pid_t tids[2 + STEPS_MAX];
	char comm[2 + STEPS_MAX][16];
	size_t n_tids;
	uint64_t cpus[N_EVENTS];
	uint64_t paused_ns;     /* start of the last pause of the second group */
	uint64_t paused_for_ns; /* sum of its pauses that have ended */
};

enum { SWITCH_ID = 100, TICK_ID = 200, SECOND_SWITCH_ID = 300, SECOND_TICK_ID = 400 };
#define BASE_NS (1000 * NS_PER_S)

static size_t slot_of(struct bench *bench, pid_t tid)
{
	for (size_t i = 0; i < bench->n_tids; i++)
		if (bench->tids[i] == tid)
			return i;
	assert_true(bench->n_tids < ARRAY_SIZE(bench->tids));
	bench->tids[bench->n_tids] = tid;
	return bench->n_tids++;
}

static void sum_up(struct bench *bench, pid_t tid, const uint64_t *tally)
{
	size_t slot = slot_of(bench, tid);

	for (size_t event = 0; event < N_EVENTS; event++)
		bench->sums[slot][event] += tally[event];
}

static void end_interval(struct bench *bench)
{
	const struct interval *interval = &bench->interval;

	assert_null(tasks_find(bench->tasks, 0, BASE_NS + NS_PER_S));
	for (size_t cpu = 0; cpu < N_CPUS; cpu++) {
		attrib_cut(bench->attrib, cpu);
		sum_up(bench, IDLE, interval_idle(interval, cpu));
		for (size_t event = 0; event < N_EVENTS; event++)
			bench->cpus[event] += interval_cpu(interval, cpu)[event];
	}
	for (size_t i = 0; i < interval->n_ran; i++) {
		const struct task *task = interval->ran[i];
		assert_true(task->tid > 0);
		sum_up(bench, task->tid, interval->tallies + i * tally_width(&interval->shape));
		memcpy(bench->comm[slot_of(bench, task->tid)], task->comm, sizeof(task->comm));
	}
	sum_up(bench, UNATTRIBUTED, interval->unattributed);
	interval_reset(&bench->interval);
}

/* The id of the event that makes a sample, without the CPU. */
static uint64_t sample_id(enum step_kind kind)
{
	return kind == TICK                      ? TICK_ID
	       : kind == TICK2                   ? SECOND_TICK_ID
	       : kind == SW2 || kind == CROSSED2 ? SECOND_SWITCH_ID
						 : SWITCH_ID;
}

static void feed_sample(struct bench *bench, const struct step *step, bool second)
{
	const struct attrib_layout *layout = second ? &second_group : &first_group;
	uint64_t enabled_ns = step->time_ns - (second ? bench->paused_for_ns : 0);
	uint64_t running_ns = enabled_ns - step->off_ns;
	const uint64_t reading[] = {enabled_ns, running_ns, step->cycles, step->n, 0, step->faults};
	const uint64_t second_reading[] = {enabled_ns, running_ns, step->faults, step->n, 0};
	const uint32_t rest[] = {36, 0, 0, (uint32_t)step->other, 0, 0, 0, 0, UINT32_MAX, 0};
	bool foreign = step->kind == FOREIGN, tick = step->kind == TICK || step->kind == TICK2;
	struct record record = {
		.kind = RECORD_SAMPLE,
		.id = foreign ? 30797 : sample_id(step->kind) + (uint64_t)step->cpu,
		.time_ns = foreign ? 5 : BASE_NS + step->time_ns,
		.pid = step->pid,
		.tid = step->tid,
		.sample = {.reading = second ? second_reading : reading,
			   .n_values = layout->n_values},
	};

	if (step->kind == NEXT)
		record.sample.next = (uint32_t)step->other + 1;
	if (step->kind == TRACED) {
		record.sample.rest = rest;
		record.sample.rest_bytes = sizeof(rest);
	}
	int ticked = attrib_record(bench->attrib, (size_t)step->cpu, &record);
	assert_int_equal(ticked, tick ? (int)layout->group : -1);
}

static void pause_turn(struct bench *bench, const struct step *step)
{
	uint64_t enabled_ns = step->time_ns - bench->paused_for_ns;
	const uint64_t reading[] = {enabled_ns, enabled_ns - step->off_ns, step->faults, step->n,
				    0};
	const struct attrib_runner runner = {step->other, step->other};

	bench->paused_ns = step->time_ns;
	attrib_pause(bench->attrib, (size_t)step->cpu, second_group.group, reading,
		     step->other == TICKED ? NULL : &runner);
}

static void resume_turn(struct bench *bench, const struct step *step)
{
	bench->paused_for_ns += step->time_ns - bench->paused_ns;
	attrib_resume(bench->attrib, (size_t)step->cpu, second_group.group, BASE_NS + step->time_ns,
		      ATTRIB_WEIGHT_ONE);
}

static void feed_step(struct bench *bench, const struct step *step)
{
	struct record record = {
		.time_ns = BASE_NS + step->time_ns, .pid = step->pid, .tid = step->tid};

	switch (step->kind) {
	case END:
		return;
	case CUT:
		end_interval(bench);
		return;
	case PAUSE:
		pause_turn(bench, step);
		return;
	case RESUME:
		resume_turn(bench, step);
		return;
	case FOREIGN:
	case SW:
	case TRACED:
	case NEXT:
	case TICK:
	case CROSSED2:
		feed_sample(bench, step, false);
		return;
	case CROSSED:
	case SW2:
	case TICK2:
		feed_sample(bench, step, true);
		return;
	case SWITCH_IN:
	case SWITCH_OUT:
		record.kind = RECORD_SWITCH;
		record.id = SWITCH_ID + (uint64_t)step->cpu;
		record.change.out = step->kind == SWITCH_OUT;
		record.change.other_pid = record.change.other_tid = step->other;
		break;
	case FORK:
	case THREAD:
		record.kind = RECORD_FORK;
		record.pid = step->kind == FORK ? step->other : step->pid;
		record.tid = step->other;
		record.fork.ppid = step->pid;
		record.fork.ptid = step->tid;
		break;
	case EXIT:
		record.kind = RECORD_EXIT;
		break;
	case COMM:
		record.kind = RECORD_COMM;
		text_copy(record.comm.text, sizeof(record.comm.text), step->comm);
		break;
	case THROTTLE:
		record.kind = RECORD_THROTTLE;
		break;
	case LOST:
		record.kind = RECORD_LOST;
		record.lost.records = (uint64_t)step->other;
		break;
	}
	assert_int_equal(attrib_record(bench->attrib, (size_t)step->cpu, &record), -1);
}

static void check_sums(struct bench *bench, const struct attrib_case *this)
{
	static const uint64_t nothing[N_EVENTS];
	uint64_t total[N_EVENTS] = {0};

	for (size_t slot = 0; slot < bench->n_tids; slot++) {
		for (size_t event = 0; event < N_EVENTS; event++)
			total[event] += bench->sums[slot][event];
		bool wanted = false;
		for (size_t i = 0; i < WANTS_MAX; i++)
			wanted |= this->wants[i].tid == bench->tids[slot];
		if (!wanted)
			assert_memory_equal(bench->sums[slot], nothing, sizeof(nothing));
	}
	for (size_t i = 0; i < WANTS_MAX && this->wants[i].tid; i++) {
		const struct want *want = &this->wants[i];
		size_t slot = slot_of(bench, want->tid);
		const uint64_t *sum = bench->sums[slot];
		assert_int_equal(sum[TALLY_TASK_CLOCK], want->clock_ns);
		assert_int_equal(sum[TALLY_SWITCHES], want->switches);
		assert_int_equal(sum[CYCLES], want->cycles);
		assert_int_equal(sum[FAULTS], want->faults);
		if (want->comm)
			assert_string_equal(bench->comm[slot], want->comm);
	}
	assert_memory_equal(total, bench->cpus, sizeof(total));
}

static void open_group(struct bench *bench, size_t cpu, uint64_t tick_id,
		       const struct attrib_layout *layout)
{
	const struct attrib_stream stream = {
		.cpu = cpu, .tick_id = tick_id + cpu, .layout = layout, .format = &format};

	attrib_open(bench->attrib, &stream, BASE_NS, NULL);
}

static void bench_open(struct bench *bench, bool two_groups)
{
	static const int cpus[N_CPUS] = {0, 1};
	const struct tally_shape shape = {N_EVENTS, two_groups ? 2 : 1, 1};

	*bench = (struct bench){.fk = fk_new(NULL)};
	bench->sys = fk_sys(bench->fk);
	bench->tasks = tasks_new(&bench->sys);
	interval_init(&bench->interval, &shape, cpus, N_CPUS);
	bench->attrib = attrib_new(bench->tasks, &bench->interval);
	for (size_t cpu = 0; cpu < N_CPUS; cpu++) {
		open_group(bench, cpu, TICK_ID, &first_group);
		if (!two_groups)
			continue;
		open_group(bench, cpu, SECOND_TICK_ID, &second_group);
		attrib_resume(bench->attrib, cpu, second_group.group, BASE_NS, ATTRIB_WEIGHT_ONE);
	}
}

static void bench_close(struct bench *bench)
{
	attrib_free(bench->attrib);
	interval_fini(&bench->interval);
	tasks_free(bench->tasks);
	fk_free(bench->fk);
}

static void test_case(void **state)
{
	const struct attrib_case *this = *state;
	struct bench bench;

	bench_open(&bench, this->two_groups);
	for (size_t i = 0; i < STEPS_MAX && this->steps[i].kind != END; i++)
		feed_step(&bench, &this->steps[i]);
	end_interval(&bench);
	check_sums(&bench, this);
	bench_close(&bench);
}

static const struct log_case {
	const char *name;
	struct step steps[STEPS_MAX];
	struct part {
		pid_t tid;
		uint64_t begin_ns, end_ns;
		enum { LEFT, RUNS_ON, HIDDEN } end;
	} slices[WANTS_MAX]; /* up to a tid of 0 */
} log_cases[] = {
	{"both SWITCH records of each switch: no other task ran",
	 {{NEXT, 0, 7, 7, 100, 1, 100, .other = 8},
	  {SWITCH_OUT, 0, 7, 7, 100, .other = 8},
	  {SWITCH_IN, 0, 8, 8, 101, .other = 7},
	  {NEXT, 0, 8, 8, 200, 2, 180, .other = 7}},
	 {{7, 0, 100}, {8, 100, 200}}},
	{"a hidden task ran from the last switch out to the next switch in",
	 {{NEXT, 0, 7, 7, 100, 1, 100, .other = 2},
	  {SWITCH_OUT, 0, 7, 7, 100, .other = 2},
	  {SWITCH_IN, 0, 8, 8, 130, .other = 2},
	  {NEXT, 0, 8, 8, 200, 3, 180, .other = 7}},
	 {{7, 0, 100}, {2, 100, 130}, {8, 130, 200}}},
	{"of two hidden tasks the first one began, and the second one ended",
	 {{NEXT, 0, 7, 7, 100, 1, 100, .other = 2},
	  {SWITCH_OUT, 0, 7, 7, 100, .other = 2},
	  {SWITCH_IN, 0, 8, 8, 130, .other = 3},
	  {NEXT, 0, 8, 8, 200, 4, 180, .other = 7}},
	 {{7, 0, 100},
	  {2, 100, 100, HIDDEN},
	  {3, 100, 100, RUNS_ON},
	  {3, 130, 130},
	  {8, 130, 200}}},
	{"after lost records the last switch out says nothing",
	 {{NEXT, 0, 7, 7, 100, 1, 100, .other = 2},
	  {SWITCH_OUT, 0, 7, 7, 100, .other = 2},
	  {LOST, 0, .other = 5},
	  {SWITCH_IN, 0, 8, 8, 130, .other = 2},
	  {TICK, 0, 8, 8, 130, 1, 110}},
	 {{7, 0, 100}, {2, 100, 100, HIDDEN}, {8, 100, 100, RUNS_ON}, {8, 130, 130, RUNS_ON}}},
	{"without SWITCH records a hidden task began",
	 {{NEXT, 0, 7, 7, 100, 1, 100, .other = 2}, {NEXT, 0, 8, 8, 300, 3, 300, .other = 7}},
	 {{7, 0, 100}, {2, 100, 100, HIDDEN}, {8, 100, 100, RUNS_ON}, {8, 300, 300}}},
};

/* Slices of hidden tasks are in the log, as far as they are known: without them they wait. */
static void test_log_of_hidden_tasks(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(log_cases); i++) {
		const struct log_case *row = &log_cases[i];
		const struct part *part = row->slices;
		struct slice_log log;
		struct slice slice;
		struct bench bench;

		bench_open(&bench, false);
		slice_log_init(&log, N_CPUS);
		attrib_log_slices(bench.attrib, &log);
		for (size_t k = 0; k < STEPS_MAX && row->steps[k].kind != END; k++)
			feed_step(&bench, &row->steps[k]);
		slice_log_merge(&log);
		for (; slice_log_pop(&log, UINT64_MAX, false, &slice); part++)
			if (slice.task->tid != part->tid ||
			    slice.begin_ns != BASE_NS + part->begin_ns ||
			    slice.end_ns != BASE_NS + part->end_ns ||
			    (slice.end == SLICE_RUNS_ON) != (part->end == RUNS_ON) ||
			    (slice.end == SLICE_HIDDEN) != (part->end == HIDDEN))
				fail_msg("%s: slice %zd is of %d", row->name, part - row->slices,
					 slice.task->tid);
		assert_int_equal(part->tid, 0);
		slice_log_fini(&log);
		bench_close(&bench);
	}
}

/* Linux reuses a tid after all others, so a reused tid is another task. */
static void test_reused_tid(void **state)
{
	struct bench bench;
	const uint64_t later = 5 * NS_PER_S;

	(void)state;
	bench_open(&bench, false);
	feed_step(&bench, &(struct step){COMM, 0, 9, 9, 10, .comm = "first"});
	feed_step(&bench, &(struct step){EXIT, 0, 9, 9, 90});
	feed_step(&bench, &(struct step){SW, 0, -1, -1, 100, 1, 70});
	feed_step(&bench, &(struct step){SW, 0, 0, 0, later, 2, 70});
	feed_step(&bench, &(struct step){FORK, 1, 7, 7, later + 1, .other = 9});
	feed_step(&bench, &(struct step){COMM, 0, 9, 9, later + 2, .comm = "second"});
	feed_step(&bench, &(struct step){SW, 0, 9, 9, later + 50, 3, 75});
	assert_int_equal(bench.interval.n_ran, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct task *task = bench.interval.ran[i];
		uint64_t cycles =
			bench.interval.tallies[i * tally_width(&bench.interval.shape) + CYCLES];
		assert_int_equal(task->tid, 9);
		assert_string_equal(task->comm, i ? "second" : "first");
		assert_int_equal(cycles, i ? 5 : 70);
	}
	bench_close(&bench);
}

/* Records of another shape than the groups' change nothing, with any id. */
static void test_foreign_records(void **state)
{
	struct bench bench;
	const uint64_t reading[] = {1, 1, 1, 1, 1, 1};

	(void)state;
	bench_open(&bench, false);
	struct record record = {.kind = RECORD_SAMPLE,
				.id = 999,
				.tid = 7,
				.sample = {.reading = reading, .n_values = 3}};
	assert_int_equal(attrib_record(bench.attrib, 0, &record), -1);
	record.id = SWITCH_ID;
	assert_int_equal(attrib_record(bench.attrib, 0, &record), -1);
	assert_false(attrib_cut(bench.attrib, 0));
	assert_int_equal(bench.interval.n_ran, 0);
	bench_close(&bench);
}

/* The last switch of a task that is no longer in the table (lost, or hidden) is unattributed. */
static void test_exit_without_a_last_switch(void **state)
{
	struct bench bench;
	const uint64_t later = 5 * NS_PER_S;

	(void)state;
	bench_open(&bench, false);
	feed_step(&bench, &(struct step){SW, 0, 7, 7, 50, 1, 10});
	feed_step(&bench, &(struct step){EXIT, 0, 9, 9, 90});
	end_interval(&bench);
	tasks_free_exited(bench.tasks, BASE_NS + later);
	feed_step(&bench, &(struct step){TICK, 0, 9, -1, later, 1, 70});
	end_interval(&bench);
	check_sums(&bench, &(struct attrib_case){.wants = {{7, 50, 1, 10, 0},
							   {UNATTRIBUTED, later - 50, 0, 60, 0}}});
	bench_close(&bench);
}

/* A slice in a gap may be any task's of that CPU, so the counts of all are a lower bound. */
/* All but the one that ran on the other CPU all the time. */
static void test_gap_marks_tasks_that_may_have_run(void **state)
{
	static const struct {
		const char *name;
		struct step steps[4];
		uint64_t n; /* N of the last one */
	} rows[] = {
		{"a gap between two tasks",
		 {{SW, 0, 7, 7, 50, 1, 10}, {SW, 0, 8, 8, 90, 4, 20}},
		 4},
		{"a task that comes after the gap",
		 {{SW, 0, 7, 7, 50, 1, 10}, {SW, 0, 7, 7, 60, 4, 20}, {SW, 0, 8, 8, 90, 5, 30}},
		 5},
		{"a group that was throttled",
		 {{SW, 0, 7, 7, 50, 1, 10}, {THROTTLE, 0, 7, 7, 55}, {SW, 0, 8, 8, 90, 2, 20}},
		 2},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bench bench;
		size_t marked = 0;

		bench_open(&bench, false);
		feed_step(&bench, &(struct step){SW, 1, 9, 9, 90, 1, 10});
		for (size_t s = 0; s < ARRAY_SIZE(rows[i].steps) && rows[i].steps[s].kind != END;
		     s++)
			feed_step(&bench, &rows[i].steps[s]);
		assert_int_equal(bench.interval.n_ran, 3);
		for (size_t cpu = 0; cpu < bench.interval.n_cpus; cpu++)
			attrib_cut(bench.attrib, cpu);
		struct interval_gaps gaps = interval_gaps(&bench.interval);
		for (size_t slot = 0; slot < bench.interval.n_ran; slot++) {
			bool has =
				interval_has_gaps(&bench.interval, &gaps, bench.interval.ran[slot]);

			marked += has;
			if (has != (bench.interval.ran[slot]->tid != 9))
				fail_msg("%s: task %d", rows[i].name,
					 bench.interval.ran[slot]->tid);
		}
		assert_int_equal(marked, 2);
		assert_true(interval_has_gaps(&bench.interval, &gaps, &(struct task){.tid = 10}));
		end_interval(&bench);
		feed_step(&bench, &(struct step){SW, 0, 7, 7, 150, rows[i].n + 1, 40});
		feed_step(&bench, &(struct step){SW, 0, 8, 8, 160, rows[i].n + 2, 50});
		gaps = interval_gaps(&bench.interval);
		for (size_t slot = 0; slot < bench.interval.n_ran; slot++)
			if (interval_has_gaps(&bench.interval, &gaps, bench.interval.ran[slot]))
				fail_msg("%s: the interval after it", rows[i].name);
		bench_close(&bench);
	}
}

/* After a LOST, tasks are compared with /proc, as an EXIT may be among the lost records. */
static void test_loss_has_tasks_verified(void **state)
{
	struct bench bench;

	(void)state;
	bench_open(&bench, false);
	fk_task(bench.fk, &(struct fk_spec){.tid = 7});
	feed_step(&bench, &(struct step){SW, 0, 7, 7, 50, 1, 10});
	feed_step(&bench, &(struct step){SW, 0, 8, 8, 90, 2, 20});
	for (int lost = 0; lost < 2; lost++) {
		if (lost)
			feed_step(&bench, &(struct step){LOST, .other = 1});
		tasks_maintain(bench.tasks, NS_PER_S);
		for (pid_t tid = 7; tid <= 8; tid++) {
			const struct task *task = tasks_find(bench.tasks, tid, BASE_NS + 50);
			assert_int_equal(task->exit_ns != 0, lost && tid == 8);
		}
	}
	bench_close(&bench);
}

/* When the streams of a CPU are closed, tasks are compared with /proc, as they may exit there. */
static void test_closing_has_tasks_verified(void **state)
{
	struct bench bench;

	(void)state;
	bench_open(&bench, true);
	feed_step(&bench, &(struct step){SW, 0, 8, 8, 90, 1, 20});
	for (int closed = 0; closed < 2; closed++) {
		if (closed)
			attrib_close(bench.attrib, 0);
		tasks_maintain(bench.tasks, NS_PER_S);
		const struct task *task = tasks_find(bench.tasks, 8, BASE_NS + 50);
		assert_int_equal(task->exit_ns != 0, closed);
	}
	bench_close(&bench);
}

/* A CPU that comes back counts from zero. */
static void test_reopened_stream(void **state)
{
	struct bench bench;

	(void)state;
	bench_open(&bench, false);
	feed_step(&bench, &(struct step){SW, 0, 7, 7, 100, 1, 100});
	end_interval(&bench);
	attrib_close(bench.attrib, 0);
	open_group(&bench, 0, TICK_ID, &first_group);
	feed_step(&bench, &(struct step){SW, 0, 7, 7, 30, 1, 20});
	end_interval(&bench);
	check_sums(&bench, &(struct attrib_case){.wants = {{7, 130, 2, 120, 0}}});
	bench_close(&bench);
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_log_of_hidden_tasks),
		cmocka_unit_test(test_reused_tid),
		cmocka_unit_test(test_foreign_records),
		cmocka_unit_test(test_exit_without_a_last_switch),
		cmocka_unit_test(test_gap_marks_tasks_that_may_have_run),
		cmocka_unit_test(test_loss_has_tasks_verified),
		cmocka_unit_test(test_closing_has_tasks_verified),
		cmocka_unit_test(test_reopened_stream),
	};
	static const struct cases table = CASES(test_case, cases);

	return cases_run("attrib", &table, 1, others, ARRAY_SIZE(others));
}
