// SPDX-License-Identifier: MIT
#ifndef PMCTOP_GRAPH_RANGE_H
#define PMCTOP_GRAPH_RANGE_H

#include "core/snapshot/history.h"
#include "tui/widget/widget_graph.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What graphs show: of a machine the time that has just gone by, of a recording all of it with a
 * mark where one is, or a part of it around there.
 */
struct graph_range {
	const struct history *history;
	bool whole;                /* it is of a recording (history_new_whole) ... */
	uint64_t begin_ns, end_ns; /* ... which reaches from here to there */
	uint64_t now_ns;           /* where one is in it */
};

enum { GRAPH_RANGE_STEP_MAX = 16 }; /* of a machine 80 columns show ten minutes by then */

/*
 * The values of a metric for a graph, as many as it has, and its mark. `step` is how coarse: so
 * many buckets of a machine's history are a value; of a recording GRAPH_RANGE_STEP_MAX is all of
 * it, half of that is half of it.
 */
void graph_range_read(const struct graph_range *graph_range, const struct history_key *key,
		      const char *metric, unsigned step, float *values, struct graph *graph);
/* The coarseness to begin with. */
static inline unsigned graph_range_step(const struct graph_range *graph_range)
{
	return graph_range->whole ? GRAPH_RANGE_STEP_MAX : 1;
}
/*
 * The texts at the two ends of the time axis below a graph of n values: "78 s ago" and "now" for a
 * machine, two positions as "00:02:30" for a recording. Each text has GRAPH_RANGE_END_BYTES.
 */
enum { GRAPH_RANGE_END_BYTES = 32 };
void graph_range_axis(const struct graph_range *graph_range, unsigned step, size_t n, char *left,
		      char *right);

#endif
