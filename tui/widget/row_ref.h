// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ROW_REF_H
#define PMCTOP_ROW_REF_H

#include "core/view/view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The identity of a line, to find it in a later snapshot, in another order or another roll-up. A
 * pid or tid that was reused after the reference was made does not match.
 */
struct row_ref {
	enum rollup kind; /* ROLLUP_PROCESS for a line of a tree */
	pid_t pid;        /* of a process, or of the process of a thread; else 0 */
	int64_t number;   /* pid, tid, uid, CPU, socket or node */
	char *text;       /* of a cgroup or command (rollup_text), else ""; owned */
	uint64_t made_ns; /* time_ns of its snapshot */
	char name[64];    /* "4121 postgres"; printable */
	bool ending;      /* the task ended in the interval in which it was last seen */
	uint64_t seen;    /* sequence of the snapshot in which it was last seen */
};

void row_ref_init(const struct view *view, size_t line, struct row_ref *ref);
void row_ref_fini(struct row_ref *ref);

/* True if the view has lines of the reference's kind. */
bool row_ref_fits(const struct row_ref *ref, const struct view *view);
/* The line it refers to; SIZE_MAX if it is not in the view. */
size_t row_ref_find(const struct row_ref *ref, const struct view *view);

/* References of any kinds, each once. Zeroed is empty. */
struct row_refs {
	struct row_ref *items; /* sorted */
	size_t n, capacity;
};

void row_refs_fini(struct row_refs *refs); /* empty again */
/* Adds the line, or removes it if it is there. */
void row_refs_toggle(struct row_refs *refs, const struct view *view, size_t line);
/* The reference to a line; NULL if there is none. */
struct row_ref *row_refs_at(const struct row_refs *refs, const struct view *view, size_t line);

/* Sum over the referenced lines of a view. */
struct row_refs_sum {
	size_t n;    /* references of the view's kind */
	size_t here; /* how many of them are in the view */
	/* Metrics of the sum, each task and CPU counted once; NULL if `here` is 0. Owned. */
	struct figure *figures;
};

/* Sums up the references in the view. Call once per view: it removes tasks that have ended. */
void row_refs_sum_up(struct row_refs *refs, const struct view *view, struct row_refs_sum *sum);
void row_refs_sum_fini(struct row_refs_sum *sum);

#endif
