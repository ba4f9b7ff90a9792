// SPDX-License-Identifier: MIT
/* The rule that fires for given figures, and its text. */
#include "tests/unit/shared/sample.h"

#include "core/base/text.h"
#include "core/view/cpu_stall.h"
#include "core/view/finding.h"
#include "core/view/verdict_internal.h"
#include "core/view/view.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum {
	FIGURES = 12,
	OF_A_CPU = 1 << 16, /* beside the flags of a row: no row */
};

/* A figure of a metric: valid if no state is given. */
struct given {
	const char *name; /* NULL: no more */
	double value;
	enum figure_state state;
};

/* Columns of these metrics alone. The formulas do not matter. */
static struct columns *given_columns(const struct given *given, struct figure *figures)
{
	struct columns *columns = xcalloc(1, sizeof(*columns));

	columns->references = 1;
	columns->has_topdown = true;
	columns->plan = sample_plan();
	columns->metrics = xcalloc(FIGURES, sizeof(*columns->metrics));
	columns->defs = xcalloc(FIGURES, sizeof(*columns->defs));
	for (size_t i = 0; i < FIGURES && given[i].name; i++) {
		char name[64];

		text_copy(name, sizeof(name), given[i].name);
		char *title = strchr(name, '='); /* "cache_mpki=L1DMPKI": of that form */
		if (title)
			*title++ = '\0';
		metric_def_copy(&columns->defs[i], metric_def_find(name));
		if (title) {
			xfree(columns->defs[i].title);
			columns->defs[i].title = xstrdup(title);
		}
		columns->metrics[i].def = &columns->defs[i];
		columns->metrics[i].title = columns->defs[i].title;
		figures[i] = (struct figure){given[i].value, 1, given[i].state};
		columns->n_shown = ++columns->n_metrics;
	}
	return columns;
}

static struct snapshot *given_snapshot(const struct given *given, struct figure *figures)
{
	return sample_snapshot_new(given_columns(given, figures), "h", "cpu");
}

/* What is known of the memory: pressures in percent, and how often a second the limit is met. */
struct memory {
	double pressure, of_cgroup; /* UNKNOWN: no such file */
	double maxes;               /* of the cgroup */
};

enum { UNKNOWN = -1 };

/*
 * A machine for which a verdict is right, and one beside it for which another one is. The second
 * has other figures of the same names.
 */
struct pair {
	const char *name;
	enum verdict verdict;
	struct given given[FIGURES];
	const char *text;   /* what explains the verdict; NULL: not compared */
	const char *beside; /* the name of the second */
	enum verdict other;
	struct given changed[FIGURES];
	unsigned flags, other_flags; /* the second has both */
	struct memory memory, other_memory;
};

static const struct pair pairs[] = {
	{"cache misses at a low IPC", VERDICT_MEMORY,
	 .given = {{"cpu_percent", 99}, {"ipc", 0.31}, {"branch_mpki", 1}, {"cache_mpki", 24.1}},
	 .text = "memory-bound: IPC 0.31 < 1 and caMPKI 24.10 >= 10", .beside = "that cost nothing",
	 .other = VERDICT_CPU, .changed = {{"ipc", 1.31}}},
	{"a task that only computes", VERDICT_CPU,
	 .given = {{"cpu_percent", 90}, {"ipc", 1.31}, {"cache_mpki", 24.1}},
	 .beside = "that sleeps at times", .other = VERDICT_FINE, .changed = {{"cpu_percent", 89}}},
	{"misses of the first cache", VERDICT_MEMORY,
	 .given = {{"ipc", 0.5}, {"cache_mpki=L1DMPKI", 25}},
	 .text = "memory-bound: IPC 0.50 < 1 and L1DMPKI 25.00 >= 20",
	 .beside = "so few that the second cache serves", .other = VERDICT_STALLED,
	 .changed = {{"cache_mpki=L1DMPKI", 15}}},
	{"misses of L2", VERDICT_MEMORY, .given = {{"ipc", 0.5}, {"cache_mpki=L2MPKI", 15}},
	 .beside = "that L3 may have hit", .other = VERDICT_STALLED,
	 .changed = {{"cache_mpki=L2MPKI", 8}}},
	{"misses of LLC", VERDICT_MEMORY, .given = {{"ipc", 0.7}, {"cache_mpki=LLCMPKI", 15}},
	 .beside = "fewer", .other = VERDICT_STALLED, .changed = {{"cache_mpki=LLCMPKI", 8}}},
	{"few of them at a very low IPC", VERDICT_MEMORY,
	 .given = {{"ipc", 0.31}, {"cache_mpki=LLCMPKI", 8}},
	 .text = "memory-bound: IPC 0.31 < 0.5 and LLCMPKI 8.00 >= 5", .beside = "at a low one",
	 .other = VERDICT_STALLED, .changed = {{"ipc", 0.7}}},
	{"the column of LLC", VERDICT_MEMORY, .given = {{"ipc", 0.5}, {"llc_mpki", 15}},
	 .beside = "fewer", .other = VERDICT_STALLED, .changed = {{"llc_mpki", 8}}},
	{"the column of LLC at a very low IPC", VERDICT_MEMORY,
	 .given = {{"ipc", 0.31}, {"llc_mpki", 8}}, .beside = "at a low one",
	 .other = VERDICT_STALLED, .changed = {{"ipc", 0.7}}},
	{"the column of L2", VERDICT_MEMORY, .given = {{"ipc", 0.5}, {"l2_mpki", 15}},
	 .beside = "fewer", .other = VERDICT_STALLED, .changed = {{"l2_mpki", 8}}},
	{"the column of the first cache", VERDICT_MEMORY, .given = {{"ipc", 0.5}, {"l1d_mpki", 25}},
	 .beside = "fewer", .other = VERDICT_STALLED, .changed = {{"l1d_mpki", 15}}},
	{"misses, scaled", VERDICT_MEMORY,
	 .given = {{"ipc", 0.4}, {"cache_mpki", 99, FIGURE_SCALED}},
	 .text = "memory-bound: IPC 0.40 < 1 and caMPKI ~99.00 >= 10", .beside = "unknown",
	 .other = VERDICT_STALLED, .changed = {{"cache_mpki", 99, FIGURE_UNSUPPORTED}}},
	{"wrong branches", VERDICT_BRANCH,
	 .given = {{"ipc", 1.5}, {"branch_mpki", 8}, {"cache_mpki", 0}},
	 .text = "branch-bound: brMPKI 8.00 x IPC 1.50 >= 10",
	 .beside = "that cost little because all is slow", .other = VERDICT_STALLED,
	 .changed = {{"ipc", 0.5}}},
	{"many wrong branches", VERDICT_BRANCH, .given = {{"ipc", 1.5}, {"branch_mpki", 80}},
	 .beside = "without IPC", .other = VERDICT_NONE,
	 .changed = {{"ipc", 0, FIGURE_UNSUPPORTED}}},
	{"more wrong branches than misses", VERDICT_BRANCH,
	 .given = {{"ipc", 0.9}, {"branch_mpki", 20}, {"cache_mpki", 11}}, .beside = "fewer",
	 .other = VERDICT_MEMORY, .changed = {{"branch_mpki", 12}, {"cache_mpki", 30}}},
	{"instructions that are not there", VERDICT_FRONTEND,
	 .given = {{"ipc", 0.5}, {"l1i_mpki", 30}}, .beside = "that are there",
	 .other = VERDICT_STALLED, .changed = {{"l1i_mpki", 3}}},
	{"few misses are no evidence", VERDICT_STALLED,
	 .given = {{"ipc", 0.4}, {"branch_mpki", 0.1}, {"cache_mpki", 0.2}},
	 .text = "stalled: IPC 0.40 < 1; preset topdown may show what it waits for",
	 .beside = "nor is a front end that is counted, and lost half of all",
	 .other = VERDICT_FRONTEND, .changed = {{"topdown_frontend", 60}}},
	{"a low IPC alone", VERDICT_STALLED, .given = {{"ipc", 0.4}},
	 .text = "stalled: IPC 0.40 < 1; preset topdown may show what it waits for",
	 .beside = "an IPC of 1", .other = VERDICT_FINE, .changed = {{"ipc", 1}}},
	{"an ended task is a task", VERDICT_STALLED, .given = {{"ipc", 0.2}}, .flags = ROW_EXITED,
	 .beside = "of which nothing is known", .other = VERDICT_NONE,
	 .changed = {{"ipc", 0, FIGURE_UNSUPPORTED}}},
	{"top-down: memory", VERDICT_MEMORY,
	 .given = {{"ipc", 0.4},
		   {"topdown_frontend", 5},
		   {"topdown_bad_spec", 2},
		   {"topdown_backend", 60},
		   {"topdown_memory", 45},
		   {"cache_mpki", 0}},
	 .text = "memory-bound: memory% 45.0 per back% 60.0 >= 0.5 and back% 60.0 >= 20",
	 .beside = "less than what waits for units", .other = VERDICT_CORE,
	 .changed = {{"topdown_memory", 25}}},
	{"top-down: core", VERDICT_CORE,
	 .given = {{"ipc", 0.4},
		   {"topdown_frontend", 5},
		   {"topdown_bad_spec", 2},
		   {"topdown_backend", 60},
		   {"topdown_memory", 10},
		   {"cache_mpki", 20}},
	 .beside = "hardly anything waits", .other = VERDICT_STALLED,
	 .changed = {{"topdown_backend", 12}, {"topdown_memory", 5}}},
	{"top-down: core, the front end is counted", VERDICT_CORE,
	 .given = {{"ipc", 0.4},
		   {"topdown_frontend", 30},
		   {"topdown_bad_spec", 2},
		   {"topdown_backend", 45},
		   {"topdown_memory", 10}},
	 .beside = "it is not", .other = VERDICT_STALLED,
	 .changed = {{"topdown_frontend", 0, FIGURE_NOT_COUNTED}}},
	{"top-down, first level alone", VERDICT_BACKEND,
	 .given = {{"ipc", 0.4},
		   {"topdown_frontend", 5},
		   {"topdown_bad_spec", 2},
		   {"topdown_backend", 40}},
	 .text = "backend-bound: back% 40.0 >= 20; memory and execution units are not counted "
		 "separately here",
	 .beside = "hardly anything waits", .other = VERDICT_STALLED,
	 .changed = {{"topdown_backend", 12}}},
	{"the back end alone, most of all", VERDICT_BACKEND,
	 .given = {{"ipc", 0.4}, {"topdown_backend", 60}},
	 .text = "backend-bound: back% 60.0 >= 50; memory and execution units are not counted "
		 "separately here",
	 .beside = "wrong paths or the front end may be more", .other = VERDICT_STALLED,
	 .changed = {{"topdown_backend", 40}}},
	{"the back end, and cache misses", VERDICT_MEMORY,
	 .given = {{"ipc", 0.25},
		   {"topdown_frontend", 5},
		   {"topdown_bad_spec", 2},
		   {"topdown_backend", 86},
		   {"cache_mpki=L2MPKI", 50},
		   {"branch_mpki", 45}},
	 .text = "memory-bound: IPC 0.25 < 1 and L2MPKI 50.00 >= 10", .beside = "without them",
	 .other = VERDICT_BACKEND, .changed = {{"cache_mpki=L2MPKI", 2}}},
	{"cache misses, and no top-down", VERDICT_MEMORY,
	 .given = {{"ipc", 0.9}, {"cache_mpki", 12}},
	 .beside = "top-down measures that they are hidden", .other = VERDICT_STALLED,
	 .changed = {{"topdown_memory", 4}}},
	{"wrong branches, and no top-down", VERDICT_BRANCH,
	 .given = {{"ipc", 0.9}, {"branch_mpki", 12}},
	 .beside = "top-down measures that they cost little", .other = VERDICT_STALLED,
	 .changed = {{"topdown_bad_spec", 9}}},
	{"instruction misses, and no top-down", VERDICT_FRONTEND,
	 .given = {{"ipc", 0.9}, {"l1i_mpki", 12}},
	 .beside = "the front end is measured to be quick", .other = VERDICT_STALLED,
	 .changed = {{"topdown_frontend", 3}}},
	{"top-down: front end", VERDICT_FRONTEND,
	 .given = {{"topdown_frontend", 38}, {"topdown_bad_spec", 2}, {"topdown_backend", 25}},
	 .beside = "which supplies enough", .other = VERDICT_BACKEND,
	 .changed = {{"topdown_frontend", 5}}},
	{"the front end, most of all", VERDICT_FRONTEND,
	 .given = {{"ipc", 0.6}, {"topdown_frontend", 60}},
	 .text = "frontend-bound: front% 60.0 >= 50", .beside = "the back end may be more",
	 .other = VERDICT_STALLED, .changed = {{"topdown_frontend", 45}}},
	{"the front end, more than what is left", VERDICT_FRONTEND,
	 .given = {{"ipc", 0.9}, {"topdown_retiring", 22}, {"topdown_frontend", 45}},
	 .text = "frontend-bound: retir% 22.0 >= 20 and front% 45.0 >= 40",
	 .beside = "more may be left", .other = VERDICT_STALLED,
	 .changed = {{"topdown_retiring", 12}}},
	{"top-down: wrong paths", VERDICT_BRANCH,
	 .given = {{"topdown_frontend", 10}, {"topdown_backend", 10}, {"topdown_bad_spec", 30}},
	 .text = "branch-bound: badsp% 30.0 >= 15; machine clears are not counted separately here",
	 .beside = "few", .other = VERDICT_NONE, .changed = {{"topdown_bad_spec", 5}}},
	{"top-down: mispredicted branches", VERDICT_BRANCH,
	 .given = {{"topdown_frontend", 10},
		   {"topdown_backend", 10},
		   {"topdown_bad_spec", 30},
		   {"topdown_mispredict", 26}},
	 .text = "branch-bound: badsp% 30.0 >= 15 and brmisp% 26.0 >= 10",
	 .beside = "machine clears are no branches", .other = VERDICT_NONE,
	 .changed = {{"topdown_mispredict", 2}}},
	{"top-down: useful work", VERDICT_FINE,
	 .given = {{"topdown_retiring", 74},
		   {"topdown_frontend", 2},
		   {"topdown_bad_spec", 2},
		   {"topdown_backend", 22}},
	 .beside = "less of it", .other = VERDICT_BACKEND, .changed = {{"topdown_retiring", 55}}},
	{"useful work all the time", VERDICT_CPU,
	 .given = {{"cpu_percent", 99}, {"topdown_retiring", 74}, {"topdown_backend", 22}},
	 .beside = "a part of the time", .other = VERDICT_FINE, .changed = {{"cpu_percent", 70}}},
	{"the kernel", VERDICT_KERNEL,
	 .given = {{"cpu_percent", 50}, {"kernel_percent", 45}, {"ipc", 0.2}},
	 .beside = "for a server that has time left", .other = VERDICT_FINE,
	 .changed = {{"cpu_percent", 40}, {"kernel_percent", 90}, {"ipc", 1.2}}},
	{"the kernel alone", VERDICT_KERNEL,
	 .given = {{"cpu_percent", 50}, {"kernel_percent", 100}, {"ipc", 1.2}},
	 .beside = "a kernel thread is nowhere else", .other = VERDICT_FINE,
	 .other_flags = ROW_KERNEL},
	{"switches", VERDICT_SWITCHES,
	 .given = {{"cpu_percent", 50}, {"cs_per_s", 23500}, {"ipc", 0.2}}, .beside = "fewer",
	 .other = VERDICT_STALLED, .changed = {{"cs_per_s", 9000}}},
	{"switches with little between them", VERDICT_SWITCHES,
	 .given = {{"cpu_percent", 4.1}, {"cs_per_s", 7200}},
	 .text = "thrashing switches: cs/s 7200 per %CPU 4.1 >= 1333 and cs/s 7200 >= 5000",
	 .beside = "of a server", .other = VERDICT_FINE,
	 .changed = {{"cpu_percent", 28}, {"cs_per_s", 7500}}},
	{"two processes that only wake each other", VERDICT_SWITCHES,
	 .given = {{"cpu_percent", 6}, {"cs_per_s", 10000}},
	 .beside = "a client that waits for each answer", .other = VERDICT_FINE,
	 .changed = {{"cpu_percent", 9.2}, {"cs_per_s", 9900}}},
	{"as many of a user", VERDICT_SWITCHES, .given = {{"cpu_percent", 4.1}, {"cs_per_s", 7200}},
	 .beside = "of a worker of the kernel", .other = VERDICT_NONE, .other_flags = ROW_KERNEL},
	{"short slices", VERDICT_SWITCHES, .given = {{"cpu_percent", 1}, {"cs_per_s", 6000}},
	 .beside = "too few to matter", .other = VERDICT_NONE, .changed = {{"cs_per_s", 4000}}},
	{"switches of a few CPUs", VERDICT_SWITCHES,
	 .given = {{"cpu_percent", 240}, {"cs_per_s", 140000}},
	 .text = "thrashing switches: cs/s 140k >= 48.0k", .beside = "of many threads, few each",
	 .other = VERDICT_CPU, .changed = {{"cpu_percent", 6400}}},
	{"faults", VERDICT_FAULTS,
	 .given = {{"cpu_percent", 90}, {"cs_per_s", 3}, {"faults_per_s", 250000}},
	 .beside = "fewer", .other = VERDICT_CPU, .changed = {{"faults_per_s", 60000}}},
	{"faults at a limit that is not round", VERDICT_FAULTS,
	 .given = {{"cpu_percent", 199.9108}, {"faults_per_s", 215000}},
	 .text = "faulting: flt/s 215k >= 200k", .beside = "on more CPUs", .other = VERDICT_CPU,
	 .changed = {{"cpu_percent", 300}}},
	{"a little time", VERDICT_STALLED, .given = {{"cpu_percent", 6}, {"ipc", 0.1}},
	 .beside = "hardly any", .other = VERDICT_NONE, .changed = {{"cpu_percent", 3}}},
	{"a good IPC", VERDICT_FINE, .given = {{"cpu_percent", 60}, {"ipc", 2.1}},
	 .text = "fine: IPC 2.10 >= 1", .beside = "all the time", .other = VERDICT_CPU,
	 .changed = {{"cpu_percent", 99}}},
	{"some time, and no counter of IPC", VERDICT_FINE, .given = {{"cpu_percent", 60}},
	 .beside = "hardly any", .other = VERDICT_NONE, .changed = {{"cpu_percent", 2}}},
	{"a CPU that hardly runs", VERDICT_IDLE, .given = {{"cpu_percent", 0.4}, {"ipc", 0.1}},
	 .flags = OF_A_CPU, .text = "idle: %CPU 0.4 < 1", .beside = "that runs a little",
	 .other = VERDICT_STALLED, .changed = {{"cpu_percent", 3}}},

	{"throttled: a part of the wait for a CPU", VERDICT_THROTTLED,
	 .given = {{"cpu_percent", 10},
		   {"runq_percent", 89},
		   {"throttled_percent", 80, FIGURE_SCALED}},
	 .text = "throttled: throttl% ~80.0 >= 10", .beside = "a small part", .other = VERDICT_RUNQ,
	 .changed = {{"throttled_percent", 5}}},
	{"many threads, each throttled", VERDICT_THROTTLED,
	 .given = {{"cpu_percent", 600}, {"throttled_percent", 300}},
	 .beside = "each hardly throttled", .other = VERDICT_CPU,
	 .changed = {{"cpu_percent", 6000}}},
	{"starved", VERDICT_RUNQ, .given = {{"cpu_percent", 1.5}, {"runq_percent", 98.5}},
	 .beside = "stopped", .other = VERDICT_NONE,
	 .changed = {{"cpu_percent", 0}, {"blocked_percent", 100}, {"runq_percent", 0}}},
	{"starved in a part of its life", VERDICT_RUNQ,
	 .given = {{"cpu_percent", 1.5}, {"runq_percent", 98, FIGURE_LOST}},
	 .text = "runq: runq% ?98.0 >= 25", .beside = "too little is known of it",
	 .other = VERDICT_NONE, .changed = {{"runq_percent", 20, FIGURE_LOST}}},
	{"starved, with lost records", VERDICT_RUNQ,
	 .given = {{"cpu_percent", 1.5, FIGURE_LOST}, {"runq_percent", 70, FIGURE_LOST}},
	 .flags = ROW_LOST, .beside = "too many of them", .other = VERDICT_UNKNOWN,
	 .changed = {{"runq_percent", 20, FIGURE_LOST}}},
	{"a kernel thread can starve", VERDICT_RUNQ,
	 .given = {{"cpu_percent", 1.5}, {"runq_percent", 90}}, .flags = ROW_KERNEL,
	 .beside = "and hardly wait", .other = VERDICT_NONE, .changed = {{"runq_percent", 9}}},
	{"four tasks on two CPUs", VERDICT_RUNQ,
	 .given = {{"cpu_percent", 50}, {"runq_percent", 50}}, .beside = "three",
	 .other = VERDICT_FINE, .changed = {{"cpu_percent", 66}, {"runq_percent", 34}}},
	{"some threads, each with much wait", VERDICT_RUNQ,
	 .given = {{"cpu_percent", 200}, {"runq_percent", 200}}, .beside = "many, each with little",
	 .other = VERDICT_CPU, .changed = {{"cpu_percent", 1600}}},
	{"a task of a full machine", VERDICT_RUNQ,
	 .given = {{"cpu_percent", 95}, {"runq_percent", 700}, {"ipc", 1.2}},
	 .beside = "a CPU is not judged as a task", .other = VERDICT_FINE, .other_flags = OF_A_CPU},
	{"a lock", VERDICT_LOCK, .given = {{"cpu_percent", 6}, {"lock_percent", 93, FIGURE_SCALED}},
	 .beside = "that is mostly free", .other = VERDICT_FINE, .changed = {{"lock_percent", 9}}},
	{"16 threads and one lock", VERDICT_LOCK,
	 .given = {{"cpu_percent", 100}, {"lock_percent", 1500}, {"runq_percent", 60}},
	 .beside = "one thread at a time", .other = VERDICT_CPU, .changed = {{"lock_percent", 30}}},
	{"the disk", VERDICT_DISK,
	 .given = {{"cpu_percent", 3}, {"uninterruptible_percent", 86}, {"disk_percent", 80}},
	 .text = "disk: disk% 80.0 >= 25", .beside = "D with little of a disk",
	 .other = VERDICT_BLOCKED, .changed = {{"disk_percent", 20}}},
	{"the disk more than a CPU", VERDICT_DISK,
	 .given = {{"cpu_percent", 3}, {"disk_percent", 60}, {"runq_percent", 30}},
	 .beside = "a CPU more than the disk", .other = VERDICT_RUNQ,
	 .changed = {{"disk_percent", 30}, {"runq_percent", 60}}},
	{"the disk, for a user", VERDICT_DISK,
	 .given = {{"cpu_percent", 1}, {"uninterruptible_percent", 95}, {"disk_percent", 95}},
	 .beside = "for a kernel thread", .other = VERDICT_NONE, .other_flags = ROW_KERNEL},
	{"D without a disk", VERDICT_BLOCKED,
	 .given = {{"cpu_percent", 1},
		   {"uninterruptible_percent", 95},
		   {"disk_percent", 0},
		   {"paging_percent", 0}},
	 .text = "blocked: D% 95.0 >= 25", .beside = "seldom", .other = VERDICT_NONE,
	 .changed = {{"uninterruptible_percent", 9}}},
	{"D with a little of a disk", VERDICT_BLOCKED,
	 .given = {{"cpu_percent", 1}, {"uninterruptible_percent", 95}, {"disk_percent", 20}},
	 .text = "blocked: D% 95.0 less disk% 20.0 >= 25", .beside = "with much of it",
	 .other = VERDICT_DISK, .changed = {{"disk_percent", 90}}},
	{"D of which the reason is unknown", VERDICT_BLOCKED,
	 .given = {{"cpu_percent", 1},
		   {"uninterruptible_percent", 95},
		   {"disk_percent", 0, FIGURE_NOT_COUNTED}},
	 .text = "blocked: D% 95.0 >= 25", .beside = "seldom", .other = VERDICT_NONE,
	 .changed = {{"uninterruptible_percent", 9}}},
	{"stopped", VERDICT_STOPPED, .given = {{"cpu_percent", 0}, {"stopped_percent", 99.9}},
	 .text = "stopped: T% 99.9 >= 98", .beside = "in a part of the time", .other = VERDICT_NONE,
	 .changed = {{"stopped_percent", 90}}},
	{"pages are taken away", VERDICT_MEMORY_PRESSURE,
	 .given = {{"cpu_percent", 6}, {"paging_percent", 70}, {"disk_percent", 20}},
	 .memory = {60, UNKNOWN}, .beside = "nowhere", .other = VERDICT_DISK,
	 .other_memory = {0, UNKNOWN}},
	{"in its cgroup alone", VERDICT_MEMORY_PRESSURE,
	 .given = {{"cpu_percent", 6}, {"paging_percent", 70}}, .memory = {0, 60},
	 .beside = "in other cgroups alone: it reads a file for the first time",
	 .other = VERDICT_DISK, .other_memory = {60, 0}},
	{"at the limit of its cgroup, which has no pressure of its own", VERDICT_MEMORY_PRESSURE,
	 .given = {{"cpu_percent", 6}, {"paging_percent", 70}}, .memory = {0.9, UNKNOWN, 4000},
	 .beside = "rarely at that limit", .other = VERDICT_DISK,
	 .other_memory = {0.9, UNKNOWN, 9}},
	{"pages are waited for, and no pressure is known", VERDICT_DISK,
	 .given = {{"cpu_percent", 6}, {"paging_percent", 70}}, .memory = {UNKNOWN, UNKNOWN},
	 .beside = "it is known", .other = VERDICT_MEMORY_PRESSURE, .other_memory = {60, UNKNOWN}},
	{"major faults, and no pressure is known", VERDICT_DISK,
	 .given = {{"cpu_percent", 4}, {"major_faults_per_s", 200}}, .memory = {UNKNOWN, UNKNOWN},
	 .beside = "it is known", .other = VERDICT_MEMORY_PRESSURE, .other_memory = {60, UNKNOWN}},
	{"a file that is read for the first time", VERDICT_DISK,
	 .given = {{"cpu_percent", 6}, {"paging_percent", 70}}, .memory = {60, 0},
	 .text = "disk: paging% 70.0 >= 25", .beside = "that is mostly in memory",
	 .other = VERDICT_FINE, .changed = {{"paging_percent", 9}}},
	{"faults that read from a disk", VERDICT_MEMORY_PRESSURE,
	 .given = {{"cpu_percent", 4}, {"major_faults_per_s", 200}}, .memory = {60, UNKNOWN},
	 .beside = "in no time", .other = VERDICT_NONE,
	 .changed = {{"major_faults_per_s", 2000}, {"paging_percent", 10}},
	 .other_memory = {60, UNKNOWN}},
	{"faults without pressure", VERDICT_DISK, .given = {{"major_faults_per_s", 200}},
	 .text = "disk: majflt/s 200 >= 100", .beside = "few", .other = VERDICT_NONE,
	 .changed = {{"major_faults_per_s", 9}}},
	{"short processes", VERDICT_FORKS,
	 .given = {{"cpu_percent", 4}, {"forks_per_s", 536}, {"forked_percent", 54}},
	 .text = "forks: forks/s 536 >= 100 and forked% 54.0 per forks/s 536 < 0.3 and forked% "
		 "54.0 >= 10",
	 .beside = "that do some work", .other = VERDICT_NONE,
	 .changed = {{"forks_per_s", 126}, {"forked_percent", 62}}},
	{"fewer short processes", VERDICT_FORKS,
	 .given = {{"cpu_percent", 4}, {"forks_per_s", 126}, {"forked_percent", 30}},
	 .beside = "that cost little", .other = VERDICT_NONE, .changed = {{"forked_percent", 5}}},
	{"short processes and all records", VERDICT_FORKS,
	 .given = {{"cpu_percent", 40}, {"forks_per_s", 126}, {"forked_percent", 30}},
	 .beside = "so it seems, with lost records", .other = VERDICT_UNKNOWN,
	 .changed = {{"cpu_percent", 40, FIGURE_LOST},
		     {"forks_per_s", 126, FIGURE_LOST},
		     {"forked_percent", 30, FIGURE_LOST}},
	 .other_flags = ROW_LOST},
	{"short slices and all records", VERDICT_SWITCHES,
	 .given = {{"cpu_percent", 4}, {"cs_per_s", 6000}},
	 .beside = "so it seems, with lost records", .other = VERDICT_UNKNOWN,
	 .changed = {{"cpu_percent", 4, FIGURE_LOST}, {"cs_per_s", 6000, FIGURE_LOST}},
	 .other_flags = ROW_LOST},
};

/* Writes the figures of the second machine of a pair. */
static void change_figures(const struct pair *pair, struct given *given)
{
	memcpy(given, pair->given, sizeof(pair->given));
	for (size_t i = 0; i < FIGURES && pair->changed[i].name; i++) {
		size_t at = 0;

		while (given[at].name && strcmp(given[at].name, pair->changed[i].name) != 0)
			at++;
		assert_true(at < FIGURES - 1);
		given[at] = pair->changed[i];
	}
}

/* On the wrong side of one of its limits a rule does not fire. With one figure it fires at it. */
static void check_limits(const struct judge *judge, const struct verdict_subject *subject,
			 struct figure *figures, int rule)
{
	const struct condition *conditions = verdict_rules[rule].conditions;
	struct judge alone = *judge;

	alone.usable[0] = (unsigned char)rule;
	alone.n_usable = 1;
	for (size_t k = 0; k < VERDICT_CONDITIONS_MAX && conditions[k].metric; k++) {
		struct figure *figure = &figures[judge->conditions[rule][k].metric];
		const double limit = verdict_limit(judge, &conditions[k], subject);
		const struct figure before = *figure;

		if (conditions[k].operands[0])
			continue;
		figure->value = conditions[k].sign == '>' ? nextafter(limit, 0) : limit;
		assert_int_equal(judge_subject(&alone, subject).rule, -1);
		figure->value = conditions[k].sign == '>' ? limit : nextafter(limit, 0);
		if (!conditions[1].metric && conditions[k].share == 0)
			assert_int_equal(judge_subject(&alone, subject).rule, rule);
		*figure = before;
	}
}

/* Judges a machine. Returns the rule that fired, or -1. */
static int check_verdict(const char *name, const struct given *given, unsigned flags,
			 const struct memory *memory, enum verdict want, const char *explained)
{
	struct figure figures[FIGURES];
	struct snapshot *snapshot = given_snapshot(given, figures);
	const struct row row = {.flags = flags & ~(unsigned)OF_A_CPU};
	const struct verdict_subject subject = {.figures = figures,
						.row = flags & OF_A_CPU ? NULL : &row};
	struct snapshot_cgroup *limits = xcalloc(1, sizeof(*limits));
	struct judge judge;
	char text[256];

	limits->values[CGROUP_PRESSURE] = memory->of_cgroup;
	limits->known[CGROUP_PRESSURE] = memory->of_cgroup >= 0;
	limits->values[CGROUP_MAXES] = memory->maxes;
	limits->known[CGROUP_MAXES] = true;
	if (memory->pressure >= 0)
		machine_set(&snapshot->machine, MACHINE_MEMORY_PRESSURE, memory->pressure);
	SAMPLE_CGROUPS(snapshot, "/pressed");
	snapshot->cgroup_limits = limits;
	judge_init(&judge, snapshot);
	const struct judgement judgement = judge_subject(&judge, &subject);
	verdict_explain(&judge, &judgement, &subject, text, sizeof(text));
	if (judgement.verdict != want || (explained && strcmp(text, explained) != 0))
		fail_msg("%s: \"%s\"", name, text);
	if (judgement.rule >= 0)
		check_limits(&judge, &subject, figures, judgement.rule);
	snapshot_free(snapshot);
	return judgement.rule;
}

/* Each rule has a machine for which it is right, and one beside it for which it is not. */
static void judges(void **state)
{
	bool fired[VERDICT_RULES_MAX] = {false};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		const struct pair *pair = &pairs[i];
		struct given given[FIGURES];
		char beside[128];

		snprintf(beside, sizeof(beside), "%s, beside: %s", pair->name, pair->beside);
		change_figures(pair, given);
		assert_int_not_equal(pair->verdict, pair->other);
		fired[check_verdict(pair->name, pair->given, pair->flags, &pair->memory,
				    pair->verdict, pair->text)] = true;
		check_verdict(beside, given, pair->flags | pair->other_flags, &pair->other_memory,
			      pair->other, NULL);
	}
	for (size_t i = 0; i < verdict_rules_n; i++)
		if (!fired[i] && verdict_rules[i].verdict != VERDICT_NONE)
			fail_msg("no machine for %s: %s", verdict_name(verdict_rules[i].verdict),
				 verdict_rule_at(i).conditions);
}

/* The states of IPC's events are used if they cannot be counted for the whole run. */
static void compile_ipc(struct columns *columns)
{
	int ipc = columns_metric(columns, "ipc");
	struct error err;

	sample_events(&columns->events);
	if (ipc >= 0)
		assert_int_equal(metric_compile(&columns->defs[ipc], 0, &columns->events,
						&columns->metrics[ipc], &err),
				 0);
}

/* If nothing stands out, the machine, the columns or the figures may be the reason. */
static void gives_the_reason(void **state)
{
	static const struct {
		const char *name, *pmu, *replay;
		enum count_mode mode;
		struct given given[4];
		unsigned flags;
		enum event_levels levels;
		enum figure_state cycles; /* for the whole run */
		bool turns, per_task, no_topdown;
		enum verdict verdict;
		const char *want;
	} rows[] = {
		{"without counters", .pmu = "",
		 .given = {{"cpu_percent", 95}, {"cs_per_s", 14000}, {"faults_per_s", 2}},
		 .verdict = VERDICT_CPU,
		 .want = "cpu: %CPU 95.0 >= 90; this machine has no hardware counters"},
		{"less than all the time", .pmu = "", .given = {{"cpu_percent", 40}},
		 .verdict = VERDICT_FINE,
		 .want = "fine: %CPU 40.0 >= 5; this machine has no hardware counters"},
		{"though the column is there", .pmu = "",
		 .given = {{"cpu_percent", 40}, {"ipc", 0, FIGURE_UNSUPPORTED}},
		 .verdict = VERDICT_FINE,
		 .want = "fine: %CPU 40.0 >= 5; this machine has no hardware counters"},
		{"nothing that a rule is about", .pmu = "",
		 .want = "No verdict: this machine has no hardware counters."},
		{"of a recording", .pmu = "", .replay = "perf.data",
		 .given = {{"cpu_percent", 40}, {"cs_per_s", 3}}, .verdict = VERDICT_FINE,
		 .want = "fine: %CPU 40.0 >= 5; no hardware events were recorded"},
		{"no rights", .pmu = "", .mode = COUNT_MODE_PROC, .given = {{"cpu_percent", 90}},
		 .verdict = VERDICT_UNKNOWN,
		 .want = "No verdict: no counters can be opened here (see 'pmctop --doctor')."},
		{"counters, and other columns", .given = {{"cpu_percent", 90}, {"cs_per_s", 14000}},
		 .verdict = VERDICT_CPU,
		 .want = "cpu: %CPU 90.0 >= 90; IPC is not among the columns (it is in presets "
			 "overview and topdown)"},
		{"the same on a CPU without top-down", .no_topdown = true,
		 .given = {{"cpu_percent", 90}, {"cs_per_s", 14000}}, .verdict = VERDICT_CPU,
		 .want = "cpu: %CPU 90.0 >= 90; IPC is not among the columns (it is in preset "
			 "overview)"},
		{"the same in a recording, which has no preset", .replay = "perf.data",
		 .given = {{"cpu_percent", 90}, {"cs_per_s", 14000}}, .verdict = VERDICT_CPU,
		 .want = "cpu: %CPU 90.0 >= 90; IPC is not among the columns"},
		{"a low IPC without top-down", .no_topdown = true,
		 .given = {{"cpu_percent", 90}, {"ipc", 0.4}}, .verdict = VERDICT_STALLED,
		 .want = "stalled: IPC 0.40 < 1"},
		{"counters, but not of that",
		 .given = {{"cpu_percent", 40}, {"ipc", 0, FIGURE_UNSUPPORTED}},
		 .verdict = VERDICT_FINE,
		 .want = "fine: %CPU 40.0 >= 5; IPC cannot be counted here"},
		{"denied", .given = {{"cpu_percent", 40}, {"ipc", 0, FIGURE_DENIED}},
		 .cycles = FIGURE_DENIED, .verdict = VERDICT_UNKNOWN,
		 .want = "No verdict: the kernel denies cycles, which IPC needs "
			 "(see 'pmctop --doctor')."},
		{"denied, but it hardly runs",
		 .given = {{"cpu_percent", 4}, {"ipc", 0, FIGURE_DENIED}}, .cycles = FIGURE_DENIED,
		 .want = "No verdict: %CPU 4.0 < 5"},
		{"denied, but another rule fires",
		 .given = {{"cpu_percent", 40}, {"runq_percent", 55}, {"ipc", 0, FIGURE_DENIED}},
		 .cycles = FIGURE_DENIED, .verdict = VERDICT_RUNQ,
		 .want = "runq: runq% 55.0 >= 25"},
		{"held by others", .given = {{"cpu_percent", 95}, {"ipc", 0, FIGURE_NOT_COUNTED}},
		 .cycles = FIGURE_NOT_COUNTED, .verdict = VERDICT_UNKNOWN,
		 .want = "No verdict: other programs hold cycles, which IPC needs "
			 "(see 'pmctop --doctor')."},
		{"a thread without counters", .mode = COUNT_MODE_TASK,
		 .given = {{"cpu_percent", 40},
			   {"ipc", 0, FIGURE_NOT_COUNTED},
			   {"cs_per_s", 3, FIGURE_NOT_COUNTED}},
		 .per_task = true, .verdict = VERDICT_UNKNOWN,
		 .want = "No verdict: no counters were open for it."},
		{"too little time for its turn",
		 .given = {{"cpu_percent", 6}, {"ipc", 0, FIGURE_NOT_COUNTED}, {"cs_per_s", 3}},
		 .turns = true, .verdict = VERDICT_UNKNOWN,
		 .want = "No verdict: it ran for too short a time: counters take turns (choose "
			 "fewer columns)."},
		{"the counters were away for a while",
		 .given = {{"cpu_percent", 40}, {"ipc", 0, FIGURE_NOT_COUNTED}},
		 .verdict = VERDICT_UNKNOWN,
		 .want = "No verdict: IPC was not counted while it ran."},
		{"no cycles", .given = {{"cpu_percent", 40}, {"ipc", 0, FIGURE_UNDEFINED}},
		 .verdict = VERDICT_FINE,
		 .want = "fine: %CPU 40.0 >= 5; it used no cycles that were counted"},
		{"no cycles in user mode",
		 .given = {{"cpu_percent", 40}, {"ipc", 0, FIGURE_UNDEFINED}},
		 .levels = EVENT_LEVELS_USER, .verdict = VERDICT_FINE,
		 .want = "fine: %CPU 40.0 >= 5; it used no cycles in user mode, and only user mode "
			 "is counted"},
		{"no cycles in the kernel",
		 .given = {{"cpu_percent", 40}, {"ipc", 0, FIGURE_UNDEFINED}},
		 .levels = EVENT_LEVELS_KERNEL, .verdict = VERDICT_FINE,
		 .want = "fine: %CPU 40.0 >= 5; it used no cycles in the kernel, and only the "
			 "kernel is counted"},
		{"lost records", .pmu = "",
		 .given = {{"cpu_percent", 90, FIGURE_LOST}, {"ipc", 0.4, FIGURE_LOST}},
		 .flags = ROW_LOST, .verdict = VERDICT_UNKNOWN,
		 .want = "No verdict: records were lost, so its figures are too low."},
		{"lost records, and still too many switches", .pmu = "",
		 .given = {{"cpu_percent", 90, FIGURE_LOST}, {"cs_per_s", 30000, FIGURE_LOST}},
		 .flags = ROW_LOST, .verdict = VERDICT_SWITCHES,
		 .want = "thrashing switches: cs/s ?30.0k >= 20000"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct figure figures[FIGURES];
		struct columns *columns = given_columns(rows[i].given, figures);
		struct snapshot *snapshot =
			sample_snapshot_new(columns, "h", rows[i].pmu ? rows[i].pmu : "cpu");
		struct judge judge;
		char text[256];

		compile_ipc(columns);
		columns->events.items[SAMPLE_CYCLES].state = rows[i].cycles;
		columns->levels = rows[i].levels;
		columns->has_topdown = !rows[i].no_topdown;
		columns->plan->per_task = rows[i].per_task;
		columns->plan->domains[0].n_groups = rows[i].turns ? 3 : 1;
		snapshot->mode = rows[i].mode;
		if (rows[i].replay)
			text_copy(snapshot->replay, sizeof(snapshot->replay), rows[i].replay);
		judge_init(&judge, snapshot);
		const struct row row = {.cgroup = -1, .flags = rows[i].flags};
		const struct verdict_subject subject = {.figures = figures, .row = &row};
		struct judgement judgement = judge_subject(&judge, &subject);
		verdict_explain(&judge, &judgement, &subject, text, sizeof(text));
		if (judgement.verdict != rows[i].verdict || strcmp(text, rows[i].want) != 0)
			fail_msg("%s: \"%s\"", rows[i].name, text);
		snapshot_free(snapshot);
	}
}

/* The machine may switch as often as each of its CPUs. */
static void the_limit_of_the_machine_grows_with_its_cpus(void **state)
{
	static const struct given given[FIGURES] = {{"cpu_percent", 45}, {"cs_per_s", 23500}};
	struct figure figures[FIGURES];
	struct snapshot *snapshot = sample_snapshot_new(given_columns(given, figures), "h", "");
	struct judge judge;

	(void)state;
	judge_init(&judge, snapshot);
	for (unsigned cpus = 0; cpus <= 2; cpus++) {
		const struct verdict_subject subject = {.figures = figures, .cpus = cpus};

		assert_int_equal(judge_subject(&judge, &subject).verdict,
				 cpus < 2 ? VERDICT_SWITCHES : VERDICT_NONE);
	}
	snapshot_free(snapshot);
}

/* A verdict has the state of its own figures, and of no others. */
static void has_the_state_of_its_figures(void **state)
{
	static const struct {
		struct given given[FIGURES];
		enum figure_state want;
	} rows[] = {
		{{{"ipc", 0.4}, {"cache_mpki", 99}}, FIGURE_VALID},
		{{{"ipc", 0.4}, {"cache_mpki", 99, FIGURE_SCALED}}, FIGURE_SCALED},
		{{{"ipc", 0.4, FIGURE_LOST}, {"cache_mpki", 99, FIGURE_SCALED}}, FIGURE_LOST},
		{{{"ipc", 1.4}, {"cache_mpki", 99, FIGURE_SCALED}}, FIGURE_VALID},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct figure figures[FIGURES];
		struct snapshot *snapshot = given_snapshot(rows[i].given, figures);
		struct judge judge;

		judge_init(&judge, snapshot);
		const struct row row = {.cgroup = -1};
		const struct verdict_subject subject = {.figures = figures, .row = &row};
		assert_int_equal(judge_subject(&judge, &subject).state, rows[i].want);
		snapshot_free(snapshot);
	}
}

static void labels_fit(void **state)
{
	(void)state;
	for (size_t v = 0; v < VERDICTS; v++) {
		assert_true(text_width(verdict_label((enum verdict)v)) <= 8);
		assert_true(verdict_name((enum verdict)v)[0]);
	}
}

#define TASK(p, name, ms, instructions, misses)                              \
	{                                                                    \
		.row = {.pid = (p), .tid = (p), .threads = 1, .comm = name}, \
		.counts = {[TALLY_TASK_CLOCK] = (ms)*NS_PER_MS,              \
			   [SAMPLE_CYCLES] = 1000 * (ms),                    \
			   [SAMPLE_INSTRUCTIONS] = (instructions) * (ms),    \
			   [SAMPLE_CACHE_MISSES] = (misses) * (ms)},         \
	}

/* The sentence of the greatest loss, or of the sum; "" without a verdict. */
static enum verdict first_finding(const struct snapshot *snapshot, char text[256])
{
	struct findings findings;

	findings_of_snapshot(snapshot, &findings);
	assert_int_equal(findings_verdict(snapshot), findings.verdict);
	bool has = findings.n > 0 && findings.verdict != VERDICT_NONE;
	text_copy(text, 256, has ? findings.items[0].text : "");
	return findings.verdict;
}

static void describes_the_machine(void **state)
{
	static const struct {
		const char *name, *preset;
		struct sample_row tasks[4];
		enum verdict want;
		const char *sentence;
		uint64_t hidden_ns;
	} rows[] = {
		{"the verdict with the most time",
		 "overview",
		 {TASK(1, "postgres", 900, 310, 8), TASK(2, "java", 700, 2000, 0),
		  TASK(3, "pg\x1b", 100, 310, 8)},
		 VERDICT_MEMORY,
		 "postgres (1) and 1 other thread are memory-bound: 1.0 of 2 CPUs' time (IPC "
		 "0.31, caMPKI 25.81)"},
		{"a name that may not be shown",
		 "overview",
		 {TASK(1, "\x1b[2J", 900, 310, 8)},
		 VERDICT_MEMORY,
		 "\xef\xbf\xbd[2J (1) is memory-bound: 0.9 of 2 CPUs' time (IPC 0.31, caMPKI "
		 "25.81)"},
		{"a process with more time in all its threads",
		 "overview",
		 {TASK(1, "postgres", 300, 310, 8),
		  {.row = {.pid = 2, .tid = 3, .threads = 1, .comm = "worker"},
		   .counts = {[TALLY_TASK_CLOCK] = 200 * NS_PER_MS,
			      [SAMPLE_CYCLES] = 1000,
			      [SAMPLE_INSTRUCTIONS] = 500,
			      [SAMPLE_CACHE_MISSES] = 20}},
		  TASK(2, "java", 250, 310, 8)},
		 VERDICT_MEMORY,
		 "java (2) and 2 other threads are memory-bound: 0.8 of 2 CPUs' time (IPC 0.31, "
		 "caMPKI 25.81)"},
		{"too little to be a trait",
		 "overview",
		 {TASK(1, "postgres", 50, 310, 8), TASK(2, "java", 900, 2000, 0)},
		 VERDICT_FINE,
		 "fine: IPC 1.91 >= 1"},
		{"of what is stalled, the time that is lost",
		 "overview",
		 {TASK(1, "hog", 1000, 500, 3)},
		 VERDICT_STALLED,
		 "hog (1) is stalled: at least 0.5 of 2 CPUs' time lost (IPC 0.50)"},
		{"which is less than another loss",
		 "overview",
		 {TASK(1, "hog", 600, 700, 3), TASK(2, "postgres", 400, 310, 8)},
		 VERDICT_MEMORY,
		 "postgres (2) is memory-bound: 0.4 of 2 CPUs' time (IPC 0.31, caMPKI 25.81)"},
		{"or too little to be a trait",
		 "overview",
		 {TASK(1, "java", 900, 960, 3)},
		 VERDICT_STALLED,
		 "stalled: IPC 0.96 < 1; preset topdown may show what it waits for"},
		{"nothing runs",
		 "overview",
		 {TASK(1, "postgres", 40, 310, 8)},
		 VERDICT_IDLE,
		 "idle: less than 5% of the CPUs' time was used"},
		{"nothing that is seen runs",
		 "overview",
		 {TASK(1, "postgres", 40, 310, 0)},
		 VERDICT_STALLED,
		 "stalled: IPC 0.31 < 1; preset topdown may show what it waits for",
		 900 * NS_PER_MS},
		{"nothing is counted",
		 "software",
		 {TASK(1, "postgres", 900, 310, 8)},
		 VERDICT_NONE,
		 ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct snapshot *snapshot;
		char text[256];
		size_t n = 0;

		while (n < 4 && rows[i].tasks[n].row.pid)
			n++;
		snapshot = sample_snapshot(sample_columns(rows[i].preset), rows[i].tasks, n);
		snapshot->totals[TALLY_TASK_CLOCK] += rows[i].hidden_ns;
		enum verdict verdict = first_finding(snapshot, text);
		if (verdict != rows[i].want || strcmp(text, rows[i].sentence) != 0)
			fail_msg("%s: %s", rows[i].name, text);
		snapshot_free(snapshot);
	}
}

enum { WAITING_TASKS = 12 };

/* A thread, and its figures in percent or per second. */
struct waiting_task {
	pid_t pid;
	const char *comm;
	double cpu, cs, runq, throttled, lock, disk, d, forks, forked, faults, stopped;
	unsigned copies; /* further threads of the same process */
	pid_t ppid;
	uint64_t held_ms;
	unsigned flags;
	enum figure_state state; /* of all figures */
};

static const struct given waiting_columns[FIGURES] = {
	{"cpu_percent", 0},
	{"cs_per_s", 0},
	{"runq_percent", 0},
	{"throttled_percent", 0},
	{"lock_percent", 0},
	{"disk_percent", 0},
	{"uninterruptible_percent", 0},
	{"forks_per_s", 0},
	{"forked_percent", 0},
	{"major_faults_per_s", 0},
	{"stopped_percent", 0},
};

static void fill_waiting_row(struct snapshot *snapshot, size_t i, const struct waiting_task *task,
			     pid_t tid)
{
	const struct columns *columns = snapshot->columns;
	const double values[] = {task->cpu,    task->cs,     task->runq,   task->throttled,
				 task->lock,   task->disk,   task->d,      task->forks,
				 task->forked, task->faults, task->stopped};
	struct row *row = &snapshot->threads.items[i];
	uint64_t ns = (uint64_t)(task->cpu * 10) * NS_PER_MS;

	*row = (struct row){.pid = task->pid,
			    .tid = tid,
			    .ppid = task->ppid,
			    .threads = 1,
			    .held_ms = task->held_ms,
			    .flags = task->flags};
	text_copy(row->comm, sizeof(row->comm), task->comm);
	rows_tally(columns, &snapshot->threads, i)[TALLY_TASK_CLOCK] = ns;
	snapshot->totals[TALLY_TASK_CLOCK] += ns;
	snapshot->places[i] = (struct snapshot_place){i, (int)i % 2, ns};
	for (size_t k = 0; k < ARRAY_SIZE(values); k++)
		snapshot->threads.figures[i * columns->n_metrics + k] =
			(struct figure){values[k], 1, task->state};
}

/* One second of a machine with two CPUs; what the tasks did not use was idle. */
static struct snapshot *waiting_snapshot(const struct waiting_task *tasks)
{
	struct figure unused[FIGURES];
	struct snapshot *snapshot = given_snapshot(waiting_columns, unused);
	size_t n = 0;

	for (size_t i = 0; tasks[i].pid; i++)
		n += 1 + tasks[i].copies;
	sample_cpus(snapshot, 2);
	rows_init(snapshot->columns, n, &snapshot->threads);
	snapshot->places = xcalloc(n, sizeof(*snapshot->places));
	snapshot->n_places = n;
	n = 0;
	for (size_t i = 0; tasks[i].pid; i++)
		for (unsigned k = 0; k <= tasks[i].copies; k++)
			fill_waiting_row(snapshot, n++, &tasks[i], tasks[i].pid + (pid_t)k);
	snapshot->figures[0] = figure_exact((double)snapshot->totals[TALLY_TASK_CLOCK] / 2e7);
	if (snapshot->totals[TALLY_TASK_CLOCK] < 2 * NS_PER_S) {
		snapshot->idle[TALLY_TASK_CLOCK] =
			2 * NS_PER_S - snapshot->totals[TALLY_TASK_CLOCK];
		snapshot->totals[TALLY_TASK_CLOCK] = 2 * NS_PER_S;
	}
	return snapshot;
}

/* All rows are in one cgroup with a quota. */
static void limit_cpus(struct snapshot *snapshot, const char *cgroup, double cpus)
{
	sample_cgroups(snapshot, &cgroup, 1);
	snapshot->cgroup_limits = xcalloc(1, sizeof(*snapshot->cgroup_limits));
	snapshot->cgroup_limits->values[CGROUP_QUOTA] = cpus;
	snapshot->cgroup_limits->known[CGROUP_QUOTA] = true;
	snapshot->cgroup_limits->quota_path = xstrdup(cgroup);
}

/* A device for which tasks wait is a finding with the task that waits most. */
static void names_who_waits_for_a_device(void **state)
{
	static const struct waiting_task tasks[WAITING_TASKS] = {{76, "spin", .cpu = 60},
								 {77, "dd", .cpu = 10, .d = 20},
								 {78, "cp", .cpu = 1, .d = 9}};
	struct snapshot *snapshot = waiting_snapshot(tasks);
	struct findings findings;

	(void)state;
	machine_set(&snapshot->machine, MACHINE_IO_PRESSURE, 40);
	findings_of_snapshot(snapshot, &findings);
	assert_string_equal(findings.items[0].text,
			    "some task waits for a device 40.0% of the time (io pressure); most: "
			    "dd (77), D% 20.0");
	assert_int_equal(findings.items[0].pid, 77);
	snapshot_free(snapshot);
}

/* The greatest loss, in CPUs, is the machine's verdict. */
static void describes_waits(void **state)
{
	static const struct {
		const char *name;
		struct waiting_task tasks[WAITING_TASKS];
		double steal, pressure;
		enum verdict want;
		const char *sentence;
	} rows[] = {
		{"a disk",
		 {{77, "syncer", .cpu = 6, .disk = 85, .d = 86}},
		 .want = VERDICT_DISK,
		 .sentence = "syncer (77) waits for the disk 85 % of the time"},
		{"faults, which do not show how long they take",
		 {{77, "thrash", .cpu = 30, .faults = 800}},
		 .pressure = 30,
		 .want = VERDICT_MEMORY_PRESSURE,
		 .sentence = "thrash (77) waits for memory (majflt/s 800)"},
		{"an estimate",
		 {{77, "syncer", .cpu = 6, .disk = 85, .state = FIGURE_SCALED}},
		 .want = VERDICT_DISK,
		 .sentence = "syncer (77) waits for the disk ~85 % of the time"},
		{"a lower bound",
		 {{77, "syncer", .cpu = 6, .disk = 85, .state = FIGURE_LOST}},
		 .want = VERDICT_DISK,
		 .sentence = "syncer (77) waits for the disk at least 85 % of the time"},
		{"switches in a part of the time",
		 {{77, "ping", .cpu = 30, .cs = 23300, .state = FIGURE_SCALED}},
		 .want = VERDICT_SWITCHES,
		 .sentence = "ping (77) switches too often: ~0.3 of 2 CPUs' time (~23.3k/s)"},
		{"with kernel threads",
		 {{77, "syncer", .cpu = 6, .disk = 85},
		  {9, "jbd2/vda-8", .cpu = 1, .disk = 95, .d = 95, .flags = ROW_KERNEL}},
		 .want = VERDICT_DISK,
		 .sentence = "syncer (77) waits for the disk 85 % of the time"},
		{"kernel threads alone write a little",
		 {{9, "jbd2/vda-8", .cpu = 1, .disk = 95, .d = 95, .flags = ROW_KERNEL}},
		 .want = VERDICT_IDLE,
		 .sentence = "idle: less than 5% of the CPUs' time was used"},
		{"a lock of many threads",
		 {{77, "mutex", .cpu = 6, .lock = 93, .copies = 14},
		  {5, "other", .cpu = 6, .lock = 40}},
		 .want = VERDICT_LOCK,
		 .sentence = "mutex (77) waits for a lock 93 % of the time in 15 threads; 1 "
			     "other task, too"},
		{"a lock on a machine that is busy anyway",
		 {{77, "mutex", .cpu = 10, .lock = 90, .copies = 3},
		  {5, "spin", .cpu = 80},
		  {6, "spin", .cpu = 80}},
		 .want = VERDICT_NONE,
		 .sentence = ""},
		{"vfork",
		 {{77, "vforker", .cpu = 1, .d = 91}},
		 .want = VERDICT_BLOCKED,
		 .sentence = "vforker (77) is blocked (state D) 91 % of the time"},
		{"vfork, often",
		 {{77, "vforker", .cpu = 1, .d = 91, .forks = 470, .forked = 4}},
		 .want = VERDICT_BLOCKED,
		 .sentence = "vforker (77) is blocked (state D) 91 % of the time, and starts 470 "
			     "processes/s"},
		{"more tasks than CPUs",
		 {{77, "spin", .cpu = 25, .runq = 75, .copies = 7}},
		 .want = VERDICT_RUNQ,
		 .sentence = "8 tasks (all spin) want 2 CPUs: each waits 75 % of the time"},
		{"of as many names",
		 {{77, "a", .cpu = 60, .runq = 60},
		  {78, "b", .cpu = 60, .runq = 80},
		  {79, "c", .cpu = 60, .runq = 70}},
		 .want = VERDICT_RUNQ,
		 .sentence = "3 tasks (most: b) want 2 CPUs: each waits 70 % of the time"},
		{"a nice task beside another",
		 {{76, "spin", .cpu = 98},
		  {5, "cc1", .cpu = 98},
		  {77, "victim", .cpu = 2, .runq = 98}},
		 .want = VERDICT_RUNQ,
		 .sentence = "victim (77) waits for a CPU 98 % of the time: its CPUs ran spin"},
		{"as many tasks as CPUs, beside others",
		 {{5, "cc1", .cpu = 98},
		  {76, "spin", .cpu = 30, .runq = 70},
		  {77, "victim", .cpu = 2, .runq = 98}},
		 .want = VERDICT_RUNQ,
		 .sentence = "victim (77) waits for a CPU 98 % of the time: its CPUs ran cc1; 1 "
			     "other task, too"},
		{"a quota",
		 {{77, "spin", .cpu = 10, .runq = 89, .throttled = 82},
		  {5, "cc1", .cpu = 40, .runq = 60}},
		 .want = VERDICT_THROTTLED,
		 .sentence = "spin (77) is throttled 82 % of the time: quota 0.1 CPUs of batch"},
		{"many processes",
		 {{77, "sh", .cpu = 5, .forks = 536, .forked = 54}, {78, "true", .cpu = 54}},
		 .want = VERDICT_FORKS,
		 .sentence = "sh (77) starts 536 processes/s that take 0.54 CPUs"},
		{"two that switch",
		 {{77, "ping", .cpu = 30, .cs = 23300}, {78, "pong", .cpu = 29, .cs = 23400}},
		 .want = VERDICT_SWITCHES,
		 .sentence = "ping (77) and 1 other thread switch too often: 0.6 of 2 CPUs' time "
			     "(46.7k/s)"},
		{"a server",
		 {{77, "server", .cpu = 40, .cs = 13000, .runq = 6}},
		 .want = VERDICT_NONE,
		 .sentence = ""},
		{"a little disk",
		 {{77, "syncer", .cpu = 2, .disk = 19, .d = 19}},
		 .want = VERDICT_IDLE,
		 .sentence = "idle: less than 5% of the CPUs' time was used"},
		{"stolen time",
		 {{77, "hog", .cpu = 70}},
		 .steal = 23,
		 .want = VERDICT_STEAL,
		 .sentence = "steal: the hypervisor took 23 % of the CPUs' time"},
		{"which is less than another loss",
		 {{77, "spin", .cpu = 25, .runq = 75, .copies = 3}},
		 .steal = 23,
		 .want = VERDICT_RUNQ,
		 .sentence = "4 tasks (all spin) want 2 CPUs: each waits 75 % of the time"},
		{"a little stolen time",
		 {{77, "hog", .cpu = 70}},
		 .steal = 9,
		 .want = VERDICT_NONE,
		 .sentence = ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct snapshot *snapshot = waiting_snapshot(rows[i].tasks);
		char text[256];

		limit_cpus(snapshot, "/batch", 0.1);
		machine_set(&snapshot->machine, MACHINE_STEAL, rows[i].steal);
		machine_set(&snapshot->machine, MACHINE_MEMORY_PRESSURE, rows[i].pressure);
		enum verdict verdict = first_finding(snapshot, text);
		if (verdict != rows[i].want || strcmp(text, rows[i].sentence) != 0)
			fail_msg("%s: %s", rows[i].name, text);
		snapshot_free(snapshot);
	}
}

#define ZOMBIE(pid, parent, held)                                                   \
	{                                                                           \
		(pid), "child", .ppid = (parent), .flags = ROW_EXITED | ROW_ZOMBIE, \
				.held_ms = (held)                                   \
	}

/* What does not run is behind all others, and has its time. */
static void describes_what_does_not_run(void **state)
{
	static const char idle[] = "idle: less than 5% of the CPUs' time was used";
	static const struct {
		const char *name;
		struct waiting_task tasks[WAITING_TASKS];
		double zombies; /* of the machine; 0: unknown */
		const char *want[4];
	} rows[] = {
		{"a stopped task",
		 {{77, "vim", .stopped = 100}},
		 .want = {idle, "vim (77) is stopped"}},
		{"for a while",
		 {{77, "vim", .stopped = 99.9, .held_ms = 6900}},
		 .want = {idle, "vim (77) has been stopped for at least 6 s"}},
		{"for a part of the interval", {{77, "vim", .stopped = 90}}, .want = {idle}},
		{"several, and a thread beside one",
		 {{77, "vim", .stopped = 100, .copies = 1, .held_ms = 2000},
		  {79, "less", .stopped = 100, .held_ms = 59000},
		  {80, "gdb", .stopped = 100}},
		 .want = {idle, "less (79) has been stopped for at least 50 s; 2 other "
				"processes are stopped, too"}},
		{"beside one that runs",
		 {{77, "vim", .stopped = 100}, {78, "spin", .cpu = 100}},
		 .want = {"spin (78) uses 1.0 of 2 CPUs", "vim (77) is stopped"}},
		{"blocked for long",
		 {{77, "vforker", .d = 100, .held_ms = 150000}},
		 .want = {"vforker (77) is blocked (state D) 100 % of the time for at least 2 "
			  "min"}},
		{"zombies",
		 {{5, "python3"}, ZOMBIE(77, 5, 2500), ZOMBIE(78, 5, 2000), ZOMBIE(79, 5, 0)},
		 .zombies = 3,
		 .want = {idle, "python3 (5) has not waited for 3 ended children, the first for at "
				"least 2 s"}},
		{"a few zombies, for a moment",
		 {{5, "python3"}, ZOMBIE(77, 5, 2500), ZOMBIE(78, 5, 2000)},
		 .zombies = 2,
		 .want = {idle}},
		{"many, for less than an interval",
		 {{5, "python3"}, ZOMBIE(77, 5, 0), ZOMBIE(78, 5, 0), ZOMBIE(79, 5, 0)},
		 .zombies = 3,
		 .want = {idle}},
		{"one for long, of a parent without a row",
		 {ZOMBIE(77, 5, 86400 * 1000)},
		 .zombies = 1,
		 .want = {idle, "process 5 has not waited for 1 ended child for at least 1 d"}},
		{"of two parents, and a stopped task",
		 {{5, "a"},
		  {6, "b"},
		  ZOMBIE(77, 5, 11000),
		  ZOMBIE(78, 6, 11000),
		  ZOMBIE(79, 6, 500),
		  {80, "vim", .stopped = 100}},
		 .zombies = 3,
		 .want = {idle,
			  "b (6) has not waited for 2 ended children, the first for at least 10 s",
			  "a (5) has not waited for 1 ended child for at least 10 s",
			  "vim (80) is stopped"}},
		{"a process that goes on without its main thread",
		 {{77, "main", .ppid = 5, .flags = ROW_EXITED | ROW_ZOMBIE, .held_ms = 60000},
		  {77, "worker", .copies = 1}},
		 .zombies = 0,
		 .want = {idle}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct snapshot *snapshot = waiting_snapshot(rows[i].tasks);
		struct findings findings;
		size_t n = 0;

		if (rows[i].zombies > 0)
			machine_set(&snapshot->machine, MACHINE_ZOMBIES, rows[i].zombies);
		findings_of_snapshot(snapshot, &findings);
		while (n < ARRAY_SIZE(rows[i].want) && rows[i].want[n])
			n++;
		for (size_t k = 0; k < findings.n; k++)
			if (k >= n || strcmp(findings.items[k].text, rows[i].want[k]) != 0)
				fail_msg("%s: %s", rows[i].name, findings.items[k].text);
		assert_int_equal(findings.n, n);
		snapshot_free(snapshot);
	}
}

/* If not all zombies have rows, their number is a lower bound. */
static void bounds_zombies(void **state)
{
	struct waiting_task tasks[SNAPSHOT_ZOMBIES + 1] = {{0}};
	struct findings findings;

	(void)state;
	for (int i = 0; i < SNAPSHOT_ZOMBIES; i++)
		tasks[i] = (struct waiting_task)ZOMBIE(100 + i, 5, 2000);
	for (int more = 0; more < 2; more++) {
		struct snapshot *snapshot = waiting_snapshot(tasks);

		machine_set(&snapshot->machine, MACHINE_ZOMBIES, SNAPSHOT_ZOMBIES + more);
		findings_of_snapshot(snapshot, &findings);
		assert_string_equal(
			findings.items[1].text,
			more ? "process 5 has not waited for at least 20 ended children, "
			       "the first for at least 2 s"
			     : "process 5 has not waited for 20 ended children, the first "
			       "for at least 2 s");
		assert_string_equal(findings.items[1].subject, "zombies");
		assert_int_equal(findings.items[1].pid, 5);
		snapshot_free(snapshot);
	}
}

/* A lock costs no CPU time while all CPUs are busy. Its sentence is there. */
static void tells_waits_beside_busy_cpus(void **state)
{
	static const struct waiting_task tasks[] = {
		{77, "mutex", .cpu = 10, .lock = 90, .copies = 3},
		{5, "spin", .cpu = 80},
		{6, "spin", .cpu = 80},
		{0},
	};
	struct snapshot *snapshot = waiting_snapshot(tasks);
	struct findings findings;

	(void)state;
	findings_of_snapshot(snapshot, &findings);
	assert_int_equal(findings.verdict, VERDICT_NONE);
	assert_int_equal(findings.items[0].verdict, VERDICT_LOCK);
	assert_string_equal(findings.items[0].text,
			    "mutex (77) waits for a lock 90 % of the time in 4 threads");
	assert_string_equal(findings.items[1].text, "spin (5) uses 0.8 of 2 CPUs");
	snapshot_free(snapshot);
}

/* Of waits, the sentence about a row has what caused them. */
static void explains_causes(void **state)
{
	static const struct waiting_task tasks[] = {{76, "spin", .cpu = 98},
						    {5, "cc1", .cpu = 98},
						    {77, "victim", .cpu = 2, .runq = 98},
						    {78, "limited", .cpu = 9, .throttled = 82},
						    {79, "spin", .cpu = 40},
						    {0}};
	static const struct {
		size_t row;
		const char *want;
	} rows[] = {
		{2, "runq: runq% 98.0 >= 25; its CPUs ran spin"},
		{3, "throttled: throttl% 82.0 >= 10; quota 0.5 CPUs of nginx.service"},
	};
	struct snapshot *snapshot = waiting_snapshot(tasks);
	struct judge judge;

	(void)state;
	limit_cpus(snapshot, "/system.slice/nginx.service", 0.5);
	judge_init(&judge, snapshot);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &snapshot->threads.items[rows[i].row];
		const struct history_key key = history_key_of_row(snapshot, ROLLUP_THREAD, row);
		struct detail detail;
		char text[256];

		detail_init(snapshot, &key, &detail);
		const struct verdict_subject subject = {
			.figures = rows_figures(snapshot->columns, &snapshot->threads, rows[i].row),
			.row = row,
			.detail = &detail,
		};
		const struct judgement judgement = judge_subject(&judge, &subject);
		verdict_explain(&judge, &judgement, &subject, text, sizeof(text));
		assert_string_equal(text, rows[i].want);
		detail_fini(&detail);
	}
	snapshot_free(snapshot);
}

/* The time lost in stalled tasks is the sum of stall% of the CPUs, if no other task ran. */
static void agrees_with_stall_percent(void **state)
{
	static const unsigned cases[][2] = {{1000, 500}, {1000, 250}, {400, 250}, {700, 620}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct sample_row tasks[] = {TASK(1, "hog", cases[i][0] / 2, cases[i][1], 1),
						   TASK(2, "pig", cases[i][0] / 2, cases[i][1], 1)};
		struct snapshot *snapshot = sample_snapshot(sample_columns("overview"), tasks, 2);
		char text[256], number[24], want[128];
		const uint64_t idle_ns = NS_PER_S - cases[i][0] * NS_PER_MS;
		double lost = 0;

		snapshot->cpus[0].tally[TALLY_TASK_CLOCK] += idle_ns;
		snapshot->cpus[0].idle[TALLY_TASK_CLOCK] += idle_ns;
		for (size_t k = 0; k < snapshot->n_cpus; k++)
			lost += cpu_stall(snapshot->columns, &snapshot->cpus[k]).value / 100;
		text_fixed(number, sizeof(number), lost, 1);
		snprintf(want, sizeof(want),
			 "hog (1) and 1 other thread are stalled: at least %s of 2 CPUs' time lost",
			 number);
		assert_int_equal(first_finding(snapshot, text), VERDICT_STALLED);
		if (strncmp(text, want, strlen(want)) != 0)
			fail_msg("\"%s\", but stall%% is %s of a CPU", text, number);
		snapshot_free(snapshot);
	}
}

/* The verdict of a target names it, since the machine may be busy with other tasks. */
static void describes_a_target(void **state)
{
	static const struct sample_row task = TASK(1, "postgres", 5, 310, 8);

	(void)state;
	for (int targeted = 0; targeted < 2; targeted++) {
		struct snapshot *snapshot = sample_snapshot(sample_columns("overview"), &task, 1);
		char text[256];

		snapshot->totals[TALLY_TASK_CLOCK] += 900 * NS_PER_MS;
		snapshot->targeted = targeted;
		snapshot->target_figures =
			xcalloc(snapshot->columns->n_metrics, sizeof(struct figure));
		assert_int_equal(first_finding(snapshot, text), VERDICT_IDLE);
		assert_string_equal(text, targeted ? "the target is idle: %CPU 0.0 < 1"
						   : "your tasks are idle: %CPU 0.0 < 1");
		snapshot_free(snapshot);
	}
}

/* The order is by lost time: tasks with a loss come first. */
static void sorts(void **state)
{
	static const struct sample_row tasks[] = {
		TASK(1, "idle", 1, 100, 1),    TASK(2, "fine", 900, 2000, 0),
		TASK(3, "bad", 300, 310, 8),   TASK(4, "worse", 300, 310, 20),
		TASK(5, "little", 20, 310, 8), TASK(6, "fine too", 800, 2000, 0),
	};
	static const pid_t want[] = {4, 3, 2, 6, 1, 5};
	struct snapshot *snapshot =
		sample_snapshot(sample_columns("overview"), tasks, ARRAY_SIZE(tasks));
	struct view view;

	(void)state;
	view_init(snapshot, &(struct view_spec){.sort = "verdict"}, &view);
	for (size_t line = 0; line < view.n; line++)
		assert_int_equal(view_row(&view, line)->pid, want[line]);
	view_fini(&view);
	snapshot_free(snapshot);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(judges),
		cmocka_unit_test(gives_the_reason),
		cmocka_unit_test(the_limit_of_the_machine_grows_with_its_cpus),
		cmocka_unit_test(has_the_state_of_its_figures),
		cmocka_unit_test(labels_fit),
		cmocka_unit_test(describes_the_machine),
		cmocka_unit_test(describes_waits),
		cmocka_unit_test(names_who_waits_for_a_device),
		cmocka_unit_test(describes_what_does_not_run),
		cmocka_unit_test(bounds_zombies),
		cmocka_unit_test(tells_waits_beside_busy_cpus),
		cmocka_unit_test(explains_causes),
		cmocka_unit_test(agrees_with_stall_percent),
		cmocka_unit_test(sorts),
		cmocka_unit_test(describes_a_target),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
