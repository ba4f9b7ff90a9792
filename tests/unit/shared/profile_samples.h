// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_PROFILE_SAMPLES_H
#define PMCTOP_TESTS_PROFILE_SAMPLES_H

#include "core/code/code_profile.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Samples of one stack, of equal weights. */
struct profile_samples {
	pid_t pid, tid;
	int cpu;
	const char *event; /* name of one of the events, else of a new one without counts */
	/*
	 * Functions, the innermost first: "memcpy@libc.so.6;main@a.out". Without @ the module is
	 * "", and the kind is CODE_UNNAMED. Functions of [kernel] are CODE_KERNEL. Behind the
	 * module
	 * "!no symbols" is the reason of a CODE_UNNAMED.
	 */
	const char *stack;
	uint64_t samples, weight; /* weight of all of them */
	uint64_t start_ns;        /* of the task; 0: unknown */
};

/* Returns the profile of these samples. */
struct code_profile *profile_of_samples(const struct code_event *events, size_t n_events,
					const struct profile_samples *samples, size_t n);

#endif
