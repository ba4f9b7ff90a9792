// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ROW_REF_H
#define PMCTOP_ROW_REF_H

#include "core/view/view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Lines that someone has put a finger on, and that are to be found again in the next snapshot, in
 * another order or another roll-up: a ref is the identity of what a line shows. A tid that was
 * given out again is somebody else: who began after the ref was made is not the one meant.
 */
struct row_ref {
	enum rollup kind; /* a tree's lines are processes */
	pid_t pid;        /* of a process or of a thread's; else 0 */
	int64_t number;   /* pid, tid, uid, CPU, socket or node */
	char *path;       /* of a cgroup; owned; else NULL */
	uint64_t made_ns; /* the snapshot's time_ns */
	char name[64];    /* as one reads it: "4121 postgres"; printable */
	bool ending;      /* it ended within the interval in which it was last seen */
	uint64_t seen;    /* the sequence of the snapshot in which it was */
};

void row_ref_init(const struct view *view, size_t line, struct row_ref *ref);
void row_ref_fini(struct row_ref *ref);

/* Whether lines of such a view can be what it refs. */
bool row_ref_fits(const struct row_ref *ref, const struct view *view);
/* The line that it refs; SIZE_MAX where none is. */
size_t row_ref_find(const struct row_ref *ref, const struct view *view);

/* Marks, each once, of any kinds. Zeroed is empty. */
struct row_refs {
	struct row_ref *items; /* in order */
	size_t n, capacity;
};

void row_refs_fini(struct row_refs *refs); /* forgets all of them */
/* Sets a ref, or takes it away where it is set. */
void row_refs_toggle(struct row_refs *refs, const struct view *view, size_t line);
/* The one at a line; NULL where there is none. */
struct row_ref *row_refs_at(const struct row_refs *refs, const struct view *view, size_t line);

/* What the marked lines of a view are together. */
struct row_refs_sum {
	size_t n;    /* refs of its kind */
	size_t here; /* of those, in the view */
	/* Over what the lines are of, each task and CPU once; NULL where none is here. Owned. */
	struct figure *figures;
};

/* Finds the refs in the view, for once; those that have ended are forgotten. */
void row_refs_sum_up(struct row_refs *refs, const struct view *view, struct row_refs_sum *sum);
void row_refs_sum_fini(struct row_refs_sum *sum);

#endif
