// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_RESOLVER_H
#define PMCTOP_CODE_RESOLVER_H

#include "core/code/code_lanes.h"
#include "core/code/code_names.h"
#include "core/code/code_profile.h"
#include "core/code/code_sample.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The samples of an interval, and the profile that is made of them at its end. Between two cuts a
 * sample is only copied. At the cut each distinct address is resolved once, so the cost depends on
 * the places where the tasks were, not on the number of samples.
 *
 * Frames of a stack are functions, the innermost first, the kernel's before the process's. A caller
 * is found at its return address - 1. Recursion is kept. The CODE_RESOLVER_FRAMES innermost frames
 * are kept. An address that is not resolved before the deadline is the function
 * "[unknown]" of its file (CODE_UNNAMED), so that all samples are in the profile.
 *
 * Samples of a recording are added in the order of time, and records are applied where they are in
 * this order.
 *
 * Bounded: samples between two cuts beyond CODE_RESOLVER_SAMPLES or CODE_RESOLVER_ADDRESSES are
 * counted as lost. One thread uses it, the same from new to free (see code_lanes.h).
 */
struct code_resolver;

enum {
	CODE_RESOLVER_SAMPLES = 1 << 16,
	CODE_RESOLVER_ADDRESSES = 1 << 19, /* of all chains: 4 MiB */
	CODE_RESOLVER_FRAMES = 127,
};

/*
 * `config` is for its code_names. The processes of `lanes`, which are borrowed, find names. NULL:
 * processes of config->helpers, or without these its own, which start at the first file.
 */
struct code_resolver *code_resolver_new(const struct code_names_config *config,
					struct code_lanes *lanes);
/* Ends its own processes; NULL is fine. */
void code_resolver_free(struct code_resolver *resolver);

/* Copies a sample. It is a code_sample_function with the resolver as its first argument. */
void code_resolver_sample(void *resolver, const struct code_sample *sample);
/*
 * Adds callers in user mode to the latest samples of a thread that have this cookie. The kernel
 * reads them when it returns to user mode, once for all samples since (Linux 6.19).
 */
void code_resolver_complete(struct code_resolver *resolver, const struct code_sample *callers);
/* Samples that the kernel did not report. */
void code_resolver_lost(struct code_resolver *resolver, uint64_t samples);

/* Owned by the resolver: for records of mappings, exec, fork, exit and of the kernel's code. */
struct code_names *code_resolver_names(struct code_resolver *resolver);

/*
 * At each cut, calls `mapped` for the mappings in which addresses of samples are, at least once
 * each. NULL: not any more.
 */
typedef void code_resolver_mapped(void *arg, pid_t pid, const struct code_mapping *mapping);
void code_resolver_watch(struct code_resolver *resolver, code_resolver_mapped *mapped, void *arg);

/* Returns code_task.start_ns of the thread that had that tid at a time. */
typedef uint64_t code_task_start(void *arg, pid_t tid, uint64_t time_ns);

/* Whether the next sample would be counted as lost. */
bool code_resolver_is_full(const struct code_resolver *resolver);

/*
 * Returns the profile of the samples since the last cut, owned by the caller. `events`: by the
 * number in code_sample.event. task_start NULL: all are unknown.
 * At deadline_ns (sys_now_ns()) addresses that are not resolved remain without a name.
 */
struct code_profile *code_resolver_cut(struct code_resolver *resolver,
				       const struct code_event *events, size_t n_events,
				       code_task_start *task_start, void *arg,
				       uint64_t deadline_ns);

/*
 * For more samples than a resolver has room for: moves them into a profile that grows until the
 * next cut, which returns all of them. Parameters as of code_resolver_cut().
 */
void code_resolver_gather(struct code_resolver *resolver, const struct code_event *events,
			  size_t n_events, code_task_start *task_start, void *arg,
			  uint64_t deadline_ns);
/* Returns a copy of that profile, owned by the caller; NULL: nothing was gathered. */
struct code_profile *code_resolver_copy(const struct code_resolver *resolver);
/* Drops the samples since the last cut, and that profile. */
void code_resolver_drop(struct code_resolver *resolver);

/*
 * Returns why names are missing, as a sentence with the remedy, or NULL. The reason is
 * from code_lanes_note(), or the kernel hides its symbols. Valid until the next call.
 */
const char *code_resolver_note(struct code_resolver *resolver);

#endif
