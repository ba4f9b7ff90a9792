// SPDX-License-Identifier: MIT
#include "core/collect/code_rings.h"

#include "core/base/util.h"

#include <stdlib.h>

void code_rings_init(struct code_rings *rings, const struct sys *sys, struct notes *notes)
{
	*rings = (struct code_rings){
		.sys = sys, .notes = notes, .rate = {.sys = sys, .notes = notes}};
}

void code_rings_close(struct code_rings *rings, struct cpu_counters *cpus)
{
	for (size_t i = 0; i < rings->n; i++)
		cpu_code_close(&rings->items[i], cpus ? &cpus[i] : NULL);
	free(rings->items);
	rings->items = NULL;
	rings->n = 0;
}

void code_rings_fini(struct code_rings *rings)
{
	code_reader_fini(&rings->reader);
}

void code_rings_set_bytes(struct code_rings *rings, size_t n_cpus, size_t least, size_t most,
			  size_t together)
{
	rings->ring_bytes = most;
	while (rings->ring_bytes > least && rings->ring_bytes * n_cpus > together)
		rings->ring_bytes /= 2;
}

size_t code_rings_pollfds(const struct code_rings *rings, struct pollfd *fds, size_t max, size_t n)
{
	for (size_t i = 0; i < rings->n; i++) {
		if (rings->items[i].ring_fd < 0)
			continue;
		if (n < max)
			fds[n] = (struct pollfd){.fd = rings->items[i].ring_fd, .events = POLLIN};
		n++;
	}
	return n;
}

void code_rings_drain(struct code_rings *rings)
{
	if (!rings->items)
		return;
	const struct code_sink *sink = &rings->request->sink;
	uint64_t begin_ns = sys_cpu_ns(rings->sys, false);
	for (size_t i = 0; i < rings->n; i++)
		code_reader_drain(&rings->reader, sink, &rings->items[i]);
	code_reader_pass(&rings->reader, sink);
	rings->rate.own_ns += u64_growth(begin_ns, sys_cpu_ns(rings->sys, false));
}

/* Returns the samples of the CPU with the most since the last call. */
static uint64_t reset_samples(struct code_rings *rings)
{
	uint64_t most = 0;

	for (size_t i = 0; i < rings->n; i++) {
		if (rings->items[i].samples > most)
			most = rings->items[i].samples;
		rings->items[i].samples = 0;
	}
	return most;
}

bool code_rings_set_request(struct code_rings *rings, const struct code_request *request,
			    bool sampled, uint64_t other_ns)
{
	bool begins = request && (!rings->request || rings->rate.requested_hz != request->hz);

	if (!request && rings->request) {
		notes_remove(rings->notes, NOTE_CODE_RATE);
		notes_remove(rings->notes, NOTE_CODE_UNSAMPLED);
	}
	rings->request = request;
	if (begins)
		code_rate_begin(&rings->rate, request->hz);
	if (request)
		code_rate_judge(&rings->rate, sampled, reset_samples(rings), other_ns);
	return begins;
}

void code_rings_set_period(struct code_rings *rings, unsigned event, uint64_t period)
{
	for (size_t i = 0; i < rings->n; i++)
		if (rings->items[i].ring_fd >= 0)
			cpu_code_set_period(&rings->items[i], event, period);
}

uint64_t code_rings_reset_event(struct code_rings *rings, unsigned event)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < rings->n; i++) {
		for (size_t k = 0; k < rings->items[i].n; k++) {
			struct cpu_code_event *item = &rings->items[i].events[k];
			if (item->event != event)
				continue;
			samples += item->samples;
			item->samples = 0;
		}
	}
	return samples;
}

void code_rings_note_unsampled(struct code_rings *rings, const char *which, const char *why)
{
	notes_remove(rings->notes, NOTE_CODE_UNSAMPLED);
	if (which)
		notes_add_as(rings->notes, NOTE_CODE_UNSAMPLED, "%s %s", which, why);
}
