// SPDX-License-Identifier: MIT
#ifndef PMCTOP_DETAIL_SUBJECT_H
#define PMCTOP_DETAIL_SUBJECT_H

#include "core/snapshot/detail.h"
#include "core/snapshot/history.h"
#include "core/snapshot/rollup.h"
#include "core/snapshot/snapshot.h"

#include <stdbool.h>
#include <stddef.h>

/* The subject of a detail page: a thread, process, user, cgroup or command, or a CPU, socket or
 * node. */
struct detail_subject {
	struct history_key key;
	struct row row;                 /* for tasks: as last seen, without its command line */
	char cmdline[512], cgroup[256]; /* "": unknown */
	bool ended;
};

/* Starts with a row of the snapshot, rolled up by `by`. */
void detail_subject_init(struct detail_subject *subject, const struct snapshot *snapshot,
			 enum rollup by, const struct row *row);
/* Updates the subject from a later snapshot. A row that did not run changes nothing. */
void detail_subject_update(struct detail_subject *subject, const struct snapshot *snapshot,
			   const struct detail *detail);

/* "process 4121 postgres" */
void detail_subject_title(const struct detail_subject *subject, char *text, size_t size);

/* True for a CPU, socket or node. */
bool detail_subject_is_of_cpus(const struct detail_subject *subject);
/* True for a thread or process. */
bool detail_subject_is_of_tasks(const struct detail_subject *subject);

#endif
