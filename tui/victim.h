// SPDX-License-Identifier: MIT
#ifndef PMCTOP_VICTIM_H
#define PMCTOP_VICTIM_H

#include "core/error.h"
#include "core/sys.h"

#include <stdint.h>
#include <sys/types.h>

/*
 * A process that is to get a signal. What was on the screen may have ended since, and its number
 * may be another's: it is the process that had it at the time of the snapshot, or nobody.
 */
struct victim {
	pid_t pid;
	uint64_t start_ticks; /* with the pid it names the process for good */
	char name[48];        /* comm, printable */
};

/*
 * The process that had that number at seen_ns (CLOCK_MONOTONIC). 0, or -ESRCH and a sentence where
 * it has ended.
 */
int victim_find(const struct sys *sys, pid_t pid, uint64_t seen_ns, struct victim *victim,
		struct error *err);

/* 0, or -ESRCH, -EPERM and a sentence. By pidfd, so that it cannot become another meanwhile. */
int victim_signal(const struct sys *sys, const struct victim *victim, int signal,
		  struct error *err);

#endif
