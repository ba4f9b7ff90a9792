// SPDX-License-Identifier: MIT
/*
 * A queue is one block of memory with records of variable size. Dropped records are removed from
 * its front when they are half of it.
 */
#include "core/replay/replay_order.h"

#include "core/base/util.h"

#include <stdlib.h>
#include <string.h>

/* A queued record; the reading of a sample follows. */
struct waiting {
	size_t bytes; /* record and reading */
	struct record record;
	uint64_t reading[];
};

/* Records of one CPU, oldest first: [begin, end) of the bytes. */
struct queue {
	unsigned char *bytes;
	size_t capacity, begin, end;
	size_t samples;
};

struct replay_order {
	struct queue *queues;
	size_t n_cpus;
	size_t waiting;
	size_t bytes;
	uint64_t latest_ns, round_ns, final_ns;
};

struct replay_order *replay_order_new(size_t n_cpus)
{
	struct replay_order *order = xcalloc(1, sizeof(*order));

	order->queues = xcalloc(n_cpus, sizeof(*order->queues));
	order->n_cpus = n_cpus;
	return order;
}

void replay_order_free(struct replay_order *order)
{
	if (!order)
		return;
	for (size_t i = 0; i < order->n_cpus; i++)
		free(order->queues[i].bytes);
	free(order->queues);
	free(order);
}

static struct waiting *queue_at(const struct queue *queue, size_t at)
{
	void *bytes = queue->bytes + at;
	struct waiting *waiting = bytes;

	if (waiting->record.kind == RECORD_SAMPLE)
		waiting->record.sample.reading = waiting->reading;
	return waiting;
}

/* Reserves bytes at the end. Removes dropped records when they are half of the queue. */
static void *queue_reserve(struct queue *queue, size_t bytes)
{
	if (queue->begin > queue->end / 2) {
		memmove(queue->bytes, queue->bytes + queue->begin, queue->end - queue->begin);
		queue->end -= queue->begin;
		queue->begin = 0;
	}
	queue->bytes = array_reserve(queue->bytes, &queue->capacity, queue->end + bytes, 1);
	queue->end += bytes;
	return queue->bytes + queue->end - bytes;
}

void replay_order_add(struct replay_order *order, size_t cpu, const struct record *record)
{
	struct queue *queue = &order->queues[cpu];
	bool sample = record->kind == RECORD_SAMPLE;
	size_t words = sample ? READING_VALUES + record->sample.n_values : 0;
	size_t bytes = sizeof(struct waiting) + words * sizeof(uint64_t);
	struct waiting *waiting = queue_reserve(queue, bytes);

	waiting->bytes = bytes;
	waiting->record = *record;
	if (sample)
		memcpy(waiting->reading, record->sample.reading, words * sizeof(uint64_t));
	order->bytes += bytes;
	if (sample && queue->samples++ == 0)
		order->waiting++;
}

const struct record *replay_order_first(const struct replay_order *order, size_t cpu)
{
	const struct queue *queue = &order->queues[cpu];

	return queue->begin < queue->end ? &queue_at(queue, queue->begin)->record : NULL;
}

void replay_order_drop(struct replay_order *order, size_t cpu)
{
	struct queue *queue = &order->queues[cpu];
	const struct waiting *first = queue_at(queue, queue->begin);

	queue->begin += first->bytes;
	order->bytes -= first->bytes;
	if (first->record.kind == RECORD_SAMPLE && --queue->samples == 0)
		order->waiting--;
	if (queue->begin == queue->end)
		queue->begin = queue->end = 0;
}

const struct record *replay_order_sample(const struct replay_order *order, size_t cpu,
					 const struct record **exit)
{
	const struct queue *queue = &order->queues[cpu];

	*exit = NULL;
	for (size_t at = queue->begin; queue->samples > 0 && at < queue->end;) {
		const struct waiting *waiting = queue_at(queue, at);
		if (waiting->record.kind == RECORD_SAMPLE)
			return &waiting->record;
		if (waiting->record.kind == RECORD_EXIT)
			*exit = &waiting->record;
		at += waiting->bytes;
	}
	return NULL;
}

size_t replay_order_waiting(const struct replay_order *order)
{
	return order->waiting;
}

size_t replay_order_bytes(const struct replay_order *order)
{
	return order->bytes;
}

void replay_order_note_time(struct replay_order *order, uint64_t time_ns)
{
	if (time_ns > order->latest_ns)
		order->latest_ns = time_ns;
}

void replay_order_round(struct replay_order *order)
{
	order->final_ns = order->round_ns;
	order->round_ns = order->latest_ns;
}

uint64_t replay_order_latest(const struct replay_order *order)
{
	return order->latest_ns;
}

uint64_t replay_order_final(const struct replay_order *order)
{
	return order->final_ns;
}
