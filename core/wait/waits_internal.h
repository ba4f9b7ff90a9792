// SPDX-License-Identifier: MIT
#ifndef PMCTOP_WAITS_INTERNAL_H
#define PMCTOP_WAITS_INTERNAL_H

#include "core/wait/waits.h"

/* Shared by waits.c, which has the accounts of tasks, and the files for single events. */

/* The account of a task, with the sums of the current interval. It is opened if there is none. */
struct task_wait *waits_account(struct waits *waits, struct task *task);

/*
 * forks and forked_time of all accounts, at the cut after they were completed. It may open accounts
 * of tasks that did not run.
 */
void waits_attribute_forks(struct waits *waits);

#endif
