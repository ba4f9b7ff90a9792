// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SIGNAL_TARGET_H
#define PMCTOP_SIGNAL_TARGET_H

#include "core/base/error.h"
#include "core/sys/proc.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A process to signal: it had the pid at the time of the snapshot. A later process with that pid
 * never gets the signal.
 */
struct signal_target {
	pid_t pid;
	uint64_t start_ticks; /* with the pid, identifies the process even if the pid is reused */
	char name[48];        /* comm, printable */
};

/* Whether a task had started by seen_ns (CLOCK_MONOTONIC). */
bool signal_target_is_of(const struct sys *sys, const struct proc_stat *stat, uint64_t seen_ns);

/* The error of a process whose stat could not be read with `result`. Returns its code. */
int signal_target_unread(pid_t pid, int result, struct error *err);

/*
 * Finds the process that had the pid at seen_ns (CLOCK_MONOTONIC). Returns 0, or an error: -ESRCH
 * if it has ended, -ETIMEDOUT if /proc does not answer for it.
 */
int signal_target_find(const struct sys *sys, pid_t pid, uint64_t seen_ns,
		       struct signal_target *signal_target, struct error *err);

/*
 * Sends a signal by pidfd, so that a reused pid cannot receive it. Returns 0, or a negative errno
 * with an error text: -ESRCH if the process has ended, -EPERM if it belongs to another user.
 */
int signal_target_send(const struct sys *sys, const struct signal_target *signal_target, int signal,
		       struct error *err);

/* Targets of one signal, each once. Zeroed is empty. */
struct signal_targets {
	struct signal_target *items; /* owned */
	size_t n;
};

void signal_targets_fini(struct signal_targets *signal_targets); /* empty again */
/* Like signal_target_find(). Returns 0 if the process is there already. */
int signal_targets_add(struct signal_targets *signal_targets, const struct sys *sys, pid_t pid,
		       uint64_t seen_ns, struct error *err);
/* "4121 postgres", or "3 processes: 4121 postgres, 4122 postgres ..." */
void signal_targets_describe(const struct signal_targets *signal_targets, char *text, size_t size);
/* Signals all targets. Returns the number of successes; *err has the last failure. */
size_t signal_targets_send(const struct signal_targets *signal_targets, const struct sys *sys,
			   int signal, struct error *err);

#endif
