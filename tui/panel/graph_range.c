// SPDX-License-Identifier: MIT
/*
 * Maps a graph to a part of a history. A live history ends at the newest value and its buckets grow
 * with `step`. A recording is cut to a part around the current position, of 1/16 of its length
 * times `step`.
 */
#include "tui/panel/graph_range.h"

#include "core/base/util.h"
#include "tui/options/duration.h"

#include <math.h>
#include <stdio.h>

/* The shown part of a recording. The current position is in its middle, except near both ends. */
static void shown_part(const struct graph_range *graph_range, unsigned step, uint64_t *from_ns,
		       uint64_t *to_ns)
{
	uint64_t all_ns = graph_range->end_ns - graph_range->begin_ns;
	uint64_t part_ns = all_ns / GRAPH_RANGE_STEP_MAX * step;

	*from_ns = graph_range->begin_ns;
	*to_ns = graph_range->end_ns;
	if (step >= GRAPH_RANGE_STEP_MAX || part_ns == 0)
		return;
	if (graph_range->now_ns > graph_range->begin_ns + part_ns / 2)
		*from_ns = graph_range->now_ns - part_ns / 2;
	if (*from_ns > graph_range->end_ns - part_ns)
		*from_ns = graph_range->end_ns - part_ns;
	*to_ns = *from_ns + part_ns;
}

/*
 * Marks the current position. It is the end of an interval, so it belongs to the value before it.
 */
static void mark_position(const struct graph_range *graph_range, uint64_t from_ns, uint64_t to_ns,
			  struct graph *graph)
{
	if (graph_range->now_ns <= from_ns || graph_range->now_ns > to_ns)
		return;
	double part = (double)(graph_range->now_ns - from_ns) / (double)(to_ns - from_ns);
	double place = ceil(part * (double)graph->n) - 1;

	graph->marked = true;
	graph->mark = place > 0 ? (size_t)place : 0;
	if (graph->mark >= graph->n)
		graph->mark = graph->n - 1;
}

void graph_range_read(const struct graph_range *graph_range, const struct history_key *key,
		      const char *metric, unsigned step, float *values, struct graph *graph)
{
	uint64_t from_ns, to_ns;

	graph->values = values;
	graph->marked = false;
	if (!graph_range->recorded) {
		history_read(graph_range->history, key, metric, step, graph->n, values);
		return;
	}
	shown_part(graph_range, step, &from_ns, &to_ns);
	if (from_ns < to_ns) {
		history_read_range(graph_range->history, key, metric, from_ns, to_ns, graph->n,
				   values);
		mark_position(graph_range, from_ns, to_ns, graph);
		return;
	}
	for (size_t i = 0; i < graph->n; i++)
		values[i] = NAN;
}

unsigned graph_range_repeat(const struct graph_range *graph_range, unsigned step,
			    const struct graph *graph)
{
	return graph_range->recorded || step > 1 ? 1 : graph_repeat(graph->values, graph->n);
}

bool graph_range_length(const struct graph_range *graph_range, unsigned step,
			const struct graph *graph, char *text)
{
	size_t n = graph->n / (graph->repeat ? graph->repeat : 1);

	if (graph_range->recorded)
		return false;
	duration_format_age(history_span_ns(graph_range->history, step, n), text,
			    GRAPH_RANGE_END_BYTES);
	return true;
}

void graph_range_axis(const struct graph_range *graph_range, unsigned step, size_t n, char *left,
		      char *right)
{
	uint64_t from_ns, to_ns;
	char age[24];

	if (!graph_range->recorded) {
		duration_format_age(history_span_ns(graph_range->history, step, n), age,
				    sizeof(age));
		snprintf(left, GRAPH_RANGE_END_BYTES, "%s ago", age);
		text_copy(right, GRAPH_RANGE_END_BYTES, "now");
		return;
	}
	shown_part(graph_range, step, &from_ns, &to_ns);
	duration_format_clock(from_ns - graph_range->begin_ns, left, GRAPH_RANGE_END_BYTES);
	duration_format_clock(to_ns - graph_range->begin_ns, right, GRAPH_RANGE_END_BYTES);
}
