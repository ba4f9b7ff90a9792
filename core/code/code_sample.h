// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_SAMPLE_H
#define PMCTOP_CODE_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The place in the code of one task at one moment. A sample states where, the exact counts how
 * much: a function's count is the count of its row times its share of the weights of that event's
 * samples.
 */
struct code_sample {
	pid_t pid; /* process; 0 is an idle CPU, or a task outside of the pid namespace */
	pid_t tid;
	uint32_t cpu;
	uint64_t time_ns; /* on the clock of all records */
	unsigned event;  /* index in the list of sampled events, which the source of the samples has
			  */
	uint64_t weight; /* PERIOD: the event's count since its sample before; of cpu-clock, ns */
	uint64_t ip;
	bool kernel; /* ip is an address of the kernel */
	/*
	 * Addresses from ip outwards, as the kernel wrote them: a mark (PERF_CONTEXT_KERNEL or
	 * _USER, a value from PERF_CONTEXT_MAX on) precedes the addresses of its space, and the
	 * first address after the first mark is ip itself. Callers are return addresses: of the
	 * instruction after the call. n_chain 0: not recorded. Borrowed for the call.
	 */
	const uint64_t *chain;
	size_t n_chain;
	uint64_t cookie; /* callers in user mode follow later: code_resolver_complete(); 0: none do
			  */
};

typedef void code_sample_function(void *user, const struct code_sample *sample);

#endif
