// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ENGINE_CODE_H
#define PMCTOP_ENGINE_CODE_H

#include "core/attrib/target.h"
#include "core/attrib/tasks.h"
#include "core/base/notes.h"
#include "core/code/code_profile.h"
#include "core/code/code_resolver.h"
#include "core/collect/collect.h"
#include "core/perfdata/recorder.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The samples of code of an engine: from the collector to the profile of a snapshot. While none are
 * wanted it has no resolver, and so no helper process or descriptor, except for processes that hang
 * (code_lanes.h).
 *
 * Without the right to count whole CPUs, pmctop samples the user's own threads, and may read their
 * maps and files. With it, pmctop samples all tasks. What it reads to name their functions:
 *
 *  - /proc/PID/maps of other users: CAP_PERFMON or CAP_SYS_PTRACE.
 *  - their files: CAP_SYS_PTRACE, and CAP_DAC_READ_SEARCH for files that others may not read.
 *  - deleted files: CAP_CHECKPOINT_RESTORE.
 *  - addresses in /proc/kallsyms: CAP_SYSLOG, or kernel.perf_event_paranoid <= 1 with
 *    kernel.kptr_restrict 0.
 *
 * All are used when they are needed first, so the process keeps them if functions may be wanted
 * later: rights_wanted() in tui/run/rights.c. Without them functions are `file+offset` or unknown.
 */
struct engine_code {
	const struct sys *sys;       /* borrowed, as are the next three */
	const struct target *target; /* samples of other tasks are dropped */
	struct tasks *tasks;
	struct notes *notes;
	struct code_request request; /* hz 0: none */
	bool passes;                 /* samples are kept; else they are dropped */
	bool has_cut;                /* the resolver has made a profile */
	/* Samples of tasks without a record so far. Each owns its chain. */
	struct code_sample *strangers;
	size_t n_strangers, strangers_capacity;
	struct recorder *recorder;      /* gets samples and mappings too; borrowed; NULL: none */
	struct code_resolver *resolver; /* from the first interval with samples on; NULL: none */
	/* Its processes. Kept without them, because files that did not answer are left alone. */
	struct code_lanes *lanes;
};

void engine_code_init(struct engine_code *code, const struct sys *sys, const struct target *target,
		      struct tasks *tasks, struct notes *notes);
/* Call it on the thread of the last engine_code_cut(). Zeroed is fine. */
void engine_code_fini(struct engine_code *code);

/* From the next interval on `hz` samples a second; 0: none. Returns it for struct collect_next. */
const struct code_request *engine_code_request(struct engine_code *code, enum count_mode mode,
					       unsigned hz);

/* Between two intervals: where the samples of the next one are recorded; NULL: nowhere. */
void engine_code_record(struct engine_code *code, struct recorder *recorder);

/*
 * After a cut and the reading of counters: the profile of the interval, owned by the caller. It
 * takes at most a share of the interval to find names; missing names are found later.
 * *cost_ns is the CPU time of that. NULL: no functions are wanted, or this way to count has none.
 */
struct code_profile *engine_code_cut(struct engine_code *code, const struct collect *collect,
				     uint64_t interval_ns, uint64_t *cost_ns);

#endif
