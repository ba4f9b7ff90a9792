// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SIGNAL_TARGET_H
#define PMCTOP_SIGNAL_TARGET_H

#include "core/base/error.h"
#include "core/sys/sys.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A process that is to get a signal. What was on the screen may have ended since, and its number
 * may be another's: it is the process that had it at the time of the snapshot, or nobody.
 */
struct signal_target {
	pid_t pid;
	uint64_t start_ticks; /* with the pid it names the process for good */
	char name[48];        /* comm, printable */
};

/*
 * The process that had that number at seen_ns (CLOCK_MONOTONIC). 0, or -ESRCH and a sentence where
 * it has ended.
 */
int signal_target_find(const struct sys *sys, pid_t pid, uint64_t seen_ns,
		       struct signal_target *signal_target, struct error *err);

/* 0, or -ESRCH, -EPERM and a sentence. By pidfd, so that it cannot become another meanwhile. */
int signal_target_send(const struct sys *sys, const struct signal_target *signal_target, int signal,
		       struct error *err);

/* Those that a signal goes to together, each once. Zeroed is empty. */
struct signal_targets {
	struct signal_target *items; /* owned */
	size_t n;
};

void signal_targets_fini(struct signal_targets *signal_targets); /* empty again */
/* As signal_target_find; one that is there already is fine. */
int signal_targets_add(struct signal_targets *signal_targets, const struct sys *sys, pid_t pid,
		       uint64_t seen_ns, struct error *err);
/* "4121 postgres", or "3 processes: 4121 postgres, 4122 postgres ..." */
void signal_targets_describe(const struct signal_targets *signal_targets, char *text, size_t size);
/* How many have got it; *err says of the last other one why it has not. */
size_t signal_targets_send(const struct signal_targets *signal_targets, const struct sys *sys,
			   int signal, struct error *err);

#endif
