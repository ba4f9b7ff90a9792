// SPDX-License-Identifier: MIT
#ifndef PMCTOP_VICTIM_H
#define PMCTOP_VICTIM_H

#include "core/base/error.h"
#include "core/sys/sys.h"

#include <stddef.h>
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

/* Those that a signal goes to together, each once. Zeroed is empty. */
struct victims {
	struct victim *items; /* owned */
	size_t n;
};

void victims_fini(struct victims *victims); /* empty again */
/* As victim_find; one that is there already is fine. */
int victims_add(struct victims *victims, const struct sys *sys, pid_t pid, uint64_t seen_ns,
		struct error *err);
/* "4121 postgres", or "3 processes: 4121 postgres, 4122 postgres ..." */
void victims_describe(const struct victims *victims, char *text, size_t size);
/* How many have got it; *err says of the last other one why it has not. */
size_t victims_signal(const struct victims *victims, const struct sys *sys, int signal,
		      struct error *err);

#endif
