// SPDX-License-Identifier: MIT
#ifndef PMCTOP_DETAIL_PAGE_H
#define PMCTOP_DETAIL_PAGE_H

#include "canvas.h"
#include "core/detail.h"
#include "core/history.h"
#include "core/snapshot.h"
#include "core/sums.h"

#include <stdbool.h>

/*
 * What is told of one row: who it is, the past of its metrics, its threads (of a CPU, who ran
 * there), where it ran, and what was counted, in this order, as far as there is room.
 */
struct detail_subject {
	struct history_key key;
	struct row row; /* of a task, as it was last seen; without its command line */
	char cmdline[512], cgroup[256]; /* command line and path, or "" */
	bool ended;
};

struct detail_page {
	const struct snapshot *snapshot;
	const struct history *history;
	const struct detail *detail; /* of the subject in that snapshot */
	const struct detail_subject *subject;
	unsigned step; /* buckets of history that make a value */
	/* Since when it is looked at; NULL: that is only in passing, and keys are for others. */
	const struct sums *sums;
};

/* A row of the snapshot, as rolled up in that way. */
void detail_subject_init(struct detail_subject *subject, const struct snapshot *snapshot,
			 enum rollup by, const struct row *row);
/* What a later snapshot tells anew of it. */
void detail_subject_see(struct detail_subject *subject, const struct snapshot *snapshot,
			const struct detail *detail);

/* "process 4121 postgres" */
void detail_subject_title(const struct detail_subject *subject, char *text, size_t size);

/* Returns how many lines the whole page has; what is drawn outside of the canvas is cut off. */
unsigned detail_page_draw(const struct detail_page *page, struct canvas *canvas, struct rect rect);

#endif
