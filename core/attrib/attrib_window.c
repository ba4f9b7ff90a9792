// SPDX-License-Identifier: MIT
/*
 * In a duty cycle (core/collect/duty_cycle.h) a CPU is counted in windows, and each window also
 * stands for the time beside it: `weight` times what was counted in it.
 *
 * The estimate of what was not counted is kept as a reading that grows with the real one. So the
 * estimates of slices add up to the estimate of the interval, without rounding errors.
 */
#include "core/attrib/attrib_internal.h"

#include <string.h>

uint64_t window_unseen(const struct stream *stream, uint64_t seen)
{
	return seen * (stream->window.weight - ATTRIB_WEIGHT_ONE) / ATTRIB_WEIGHT_ONE;
}

void window_estimate(const struct stream *stream, const uint64_t *reading, uint64_t *unseen)
{
	const struct window *window = &stream->window;

	for (size_t i = 0; i < stream_values(stream); i++)
		unseen[i] = window->unseen[i] + window_unseen(stream, reading[i] - window->from[i]);
}

void window_begin(struct stream *stream, uint64_t weight)
{
	struct window *window = &stream->window;

	window_estimate(stream, stream->last, window->unseen);
	memcpy(window->from, stream->last, stream_values(stream) * sizeof(uint64_t));
	window->weight = weight;
}

uint64_t window_add(const struct tally_shape *shape, const struct stream *stream,
		    const uint64_t *from, const uint64_t *to, uint64_t *tally)
{
	uint64_t ns = stream_add_clock(stream, from, to, tally);

	tally[tally_unseen(shape)] += ns;
	stream_add_counts(stream, from, to, tally + tally_beside(shape, 0));
	return ns;
}

SELDOM uint64_t window_add_slice(const struct attrib *attrib, const struct stream *stream,
				 const uint64_t *reading, uint64_t *tally)
{
	uint64_t *from = stream->slice_unseen, *to = from + stream_values(stream);

	window_estimate(stream, stream->last, from);
	window_estimate(stream, reading, to);
	return window_add(&attrib->interval->shape, stream, from, to, tally);
}
