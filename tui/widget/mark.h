// SPDX-License-Identifier: MIT
#ifndef PMCTOP_MARK_H
#define PMCTOP_MARK_H

#include "core/view/view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Lines that someone has put a finger on, and that are to be found again in the next snapshot, in
 * another order or another roll-up: a mark is the identity of what a line shows. A tid that was
 * given out again is somebody else: who began after the mark was made is not the one meant.
 */
struct mark {
	enum rollup kind; /* a tree's lines are processes */
	pid_t pid;        /* of a process or of a thread's; else 0 */
	int64_t number;   /* pid, tid, uid, CPU, socket or node */
	char *path;       /* of a cgroup; owned; else NULL */
	uint64_t made_ns; /* the snapshot's time_ns */
	char name[64];    /* as one reads it: "4121 postgres"; printable */
	bool ending;      /* it ended within the interval in which it was last seen */
	uint64_t seen;    /* the sequence of the snapshot in which it was */
};

void mark_init(const struct view *view, size_t line, struct mark *mark);
void mark_fini(struct mark *mark);

/* Whether lines of such a view can be what it marks. */
bool mark_fits(const struct mark *mark, const struct view *view);
/* The line that it marks; SIZE_MAX where none is. */
size_t mark_find(const struct mark *mark, const struct view *view);

/* Marks, each once, of any kinds. Zeroed is empty. */
struct marks {
	struct mark *items; /* in order */
	size_t n, capacity;
};

void marks_fini(struct marks *marks); /* forgets all of them */
/* Sets a mark, or takes it away where it is set. */
void marks_toggle(struct marks *marks, const struct view *view, size_t line);
/* The one at a line; NULL where there is none. */
struct mark *marks_at(const struct marks *marks, const struct view *view, size_t line);

/* What the marked lines of a view are together. */
struct marks_sum {
	size_t n;    /* marks of its kind */
	size_t here; /* of those, in the view */
	/* Over what the lines are of, each task and CPU once; NULL where none is here. Owned. */
	struct figure *figures;
};

/* Finds the marks in the view, for once; those that have ended are forgotten. */
void marks_add_up(struct marks *marks, const struct view *view, struct marks_sum *sum);
void marks_sum_fini(struct marks_sum *sum);

#endif
