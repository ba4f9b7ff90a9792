// SPDX-License-Identifier: MIT
#ifndef PMCTOP_GRAPH_RANGE_H
#define PMCTOP_GRAPH_RANGE_H

#include "core/snapshot/history.h"
#include "tui/widget/widget_graph.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The time that graphs show. Live: the most recent part of the history. Recording: all of it, or a
 * part around the current position, which is marked.
 */
struct graph_range {
	const struct history *history;
	bool recorded;             /* a recording (history_new_recorded) ... */
	uint64_t begin_ns, end_ns; /* ... from begin_ns to end_ns */
	uint64_t now_ns;           /* current position in the recording */
};

enum { GRAPH_RANGE_STEP_MAX = 16 }; /* live, 80 columns then show ten minutes */

/*
 * Reads graph->n values of a metric, and the mark of a recording. step, 1 to GRAPH_RANGE_STEP_MAX:
 * live, the number of history buckets per value; for a recording, the shown part in sixteenths of
 * it.
 */
void graph_range_read(const struct graph_range *graph_range, const struct history_key *key,
		      const char *metric, unsigned step, float *values, struct graph *graph);
/*
 * The repeat of a graph that was read: a live graph of single buckets is filled by what is known so
 * far (graph_repeat). Else 1. 0: nothing is known.
 */
unsigned graph_range_repeat(const struct graph_range *graph_range, unsigned step,
			    const struct graph *graph);
/* The step that a screen starts with. */
static inline unsigned graph_range_step(const struct graph_range *graph_range)
{
	return graph_range->recorded ? GRAPH_RANGE_STEP_MAX : 1;
}
enum { GRAPH_RANGE_END_BYTES = 32 };
/*
 * The time that a live graph shows, as "12 s", in GRAPH_RANGE_END_BYTES. Returns false, and no
 * text: of a recording.
 */
bool graph_range_length(const struct graph_range *graph_range, unsigned step,
			const struct graph *graph, char *text);
/*
 * The texts at the two ends of the time axis below a graph of n values, each drawn once: "78 s ago"
 * and "now" for a machine, two positions as "00:02:30" for a recording. Each text has
 * GRAPH_RANGE_END_BYTES.
 */
void graph_range_axis(const struct graph_range *graph_range, unsigned step, size_t n, char *left,
		      char *right);

#endif
