// SPDX-License-Identifier: MIT
#ifndef PMCTOP_COMPETITORS_H
#define PMCTOP_COMPETITORS_H

#include "core/snapshot/detail.h"
#include "core/snapshot/snapshot.h"

#include <stddef.h>
#include <stdint.h>

/*
 * The processes that ran on the CPUs of a subject in an interval, without the subject's own
 * threads. If the subject is a thread, the other threads of its process are competitors too.
 */
struct competitor {
	const struct row *row; /* the main thread, or the busiest one if the main thread has no
				  row; borrowed from the snapshot */
	uint64_t ns;           /* CPU time of the process on these CPUs */
};

enum { COMPETITORS_MAX = 8 };

struct competitors {
	enum {
		COMPETITORS_UNKNOWN,     /* the snapshot has no places, or the subject is a CPU */
		COMPETITORS_ON_ITS_CPUS, /* on CPUs on which the subject ran */
		COMPETITORS_ON_LAST_CPU, /* it did not run: on its last CPU, by FACT_LAST_CPU */
		COMPETITORS_EVERYWHERE,  /* it did not run, and its last CPU is unknown */
	} cpus;
	size_t n_processes, n_cpus;               /* all competitors; the CPUs */
	uint64_t ns;                              /* of all competitors */
	size_t n;                                 /* items */
	struct competitor items[COMPETITORS_MAX]; /* the busiest first */
};

/* `detail`: of the subject (detail_init), in that snapshot. Owns nothing. */
void competitors_find(const struct snapshot *snapshot, const struct detail *detail,
		      struct competitors *competitors);

#endif
