// SPDX-License-Identifier: MIT
/*
 * The kernel's generic names with their meaning (perf_event_open(2)), and examples of events that
 * have no name.
 */
#include "core/base/util.h"
#include "core/metric/catalog_source.h"

#include <stdio.h>

static const struct {
	const char *name, *help;
} generics[] = {
	{"cycles", "cycles of the CPU while it was not halted (cpu-cycles)"},
	{"instructions", "instructions retired"},
	{"branches", "branches retired (branch-instructions)"},
	{"branch-misses", "mispredicted branches"},
	{"cache-references", "cache accesses: of the last level on Intel, L2 on Zen, L1D on Arm"},
	{"cache-misses", "cache misses, at the same level as cache-references"},
	{"ref-cycles", "cycles of a clock that frequency scaling does not change"},
	{"bus-cycles", "cycles of the bus"},
	{"stalled-cycles-frontend", "cycles in which nothing new could be fetched or decoded"},
	{"stalled-cycles-backend", "cycles in which nothing could be executed or retired"},
	{"task-clock", "time on a CPU, in ns"},
	{"cpu-clock", "time on a CPU, in ns, by a timer of high resolution"},
	{"context-switches", "switches to another task (cs)"},
	{"cpu-migrations", "moves to another CPU (migrations)"},
	{"cgroup-switches", "switches to a task of another cgroup"},
	{"page-faults", "page faults (faults)"},
	{"minor-faults", "page faults without reading from a disk"},
	{"major-faults", "page faults that read from a disk"},
	{"alignment-faults", "unaligned accesses that the kernel completed; never on x86"},
	{"emulation-faults", "instructions that the kernel emulated"},
	{"bpf-output", "output of BPF programs"},
	{"dummy", "counts nothing"},
};

/* perf's spelling. The kernel has more combinations than any CPU. */
static const struct {
	const char *name, *help;
	unsigned verbs; /* how many of the verbs, from the first */
} caches[] = {
	{"L1-dcache", "level 1 data cache", 3},
	{"L1-icache", "level 1 instruction cache", 1},
	{"LLC", "last level cache", 3},
	{"dTLB", "data TLB", 2},
	{"iTLB", "instruction TLB", 1},
	{"branch", "branch predictor", 1},
	{"node", "memory of the local NUMA node", 3},
};

static const struct {
	const char *access, *miss, *help, *miss_help;
} verbs[] = {
	{"loads", "load-misses", "reads of the", "reads that miss the"},
	{"stores", "store-misses", "writes to the", "writes that miss the"},
	{"prefetches", "prefetch-misses", "prefetches to the", "prefetches that miss the"},
};

static int offer_cache(const struct catalog_walk *walk, size_t cache, const char *event,
		       const char *help)
{
	char name[64], text[96];

	snprintf(name, sizeof(name), "%s-%s", caches[cache].name, event);
	snprintf(text, sizeof(text), "%s %s", help, caches[cache].help);
	return catalog_offer(walk, name, NULL, text);
}

int catalog_generic(const struct catalog_walk *walk)
{
	int result = 0;

	for (size_t i = 0; i < ARRAY_SIZE(generics) && !result; i++)
		result = catalog_offer(walk, generics[i].name, NULL, generics[i].help);
	for (size_t i = 0; i < ARRAY_SIZE(caches) && !result; i++)
		for (size_t k = 0; k < caches[i].verbs && !result; k++) {
			result = offer_cache(walk, i, verbs[k].access, verbs[k].help);
			if (!result)
				result = offer_cache(walk, i, verbs[k].miss, verbs[k].miss_help);
		}
	return result;
}

int catalog_examples(const struct catalog_walk *walk)
{
	static const struct catalog_entry rows[] = {
		{"r01a2", "raw", "raw code of the CPU's PMU, hexadecimal", true},
		{"cpu/event=0x3c,umask=0x1/", "raw",
		 "terms of a PMU: '--list pmus' has their names", true},
		{"mem:0x4010a0/4:rw", "breakpoint", "accesses to an address: /LENGTH, :r :w :x",
		 true},
		{"kprobe:do_exit", "kprobe", "calls of a function of the kernel, +OFFSET", true},
		{"kretprobe:do_exit", "kprobe", "returns from a function of the kernel", true},
		{"uprobe:/bin/bash:0x31000", "uprobe",
		 "executions at an offset in a program's file", true},
		{"uretprobe:/bin/bash:0x31000", "uprobe", "returns from a function of a program",
		 true},
		{"cycles:u", "modifier", "of user space only; :k of the kernel only", true},
		{"{cycles,instructions}", "group", "events that are always counted together", true},
		{"SUBSYSTEM:NAME", "tracepoint",
		 "a tracepoint: '--list events SUBSYSTEM:' lists its tracepoints", true},
	};
	int result = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rows) && !result; i++)
		result = catalog_offer_entry(walk, &rows[i]);
	return result;
}
