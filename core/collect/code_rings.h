// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_RINGS_H
#define PMCTOP_CODE_RINGS_H

#include "core/base/notes.h"
#include "core/collect/code_rate.h"
#include "core/collect/code_reader.h"
#include "core/collect/cpu_code.h"
#include "core/sys/sys.h"

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What the samplers of whole CPUs (code_sampler.h) and of single threads (task_sampler.h) share:
 * the rings of several CPUs, which are read into the sink of a request, the rate of the samples,
 * and notes. A sampler chooses events, and opens them and the rings. Some rings may not be open.
 */
struct code_rings {
	const struct sys *sys; /* borrowed, as are the next two */
	struct notes *notes;
	const struct code_request *request; /* NULL: nothing is sampled */
	struct cpu_code *items;             /* NULL: none */
	size_t n;
	size_t ring_bytes; /* of the next ring */
	struct code_rate rate;
	struct code_reader reader;
};

/* Sets a valid state without rings. */
void code_rings_init(struct code_rings *rings, const struct sys *sys, struct notes *notes);
/* Closes all rings and their events, with the counters of the same CPUs as in cpu_code_close(). */
void code_rings_close(struct code_rings *rings, struct cpu_counters *cpus);
/* After code_rings_close(). */
void code_rings_fini(struct code_rings *rings);

/* Sets ring_bytes: `most`, halved down to `least` while n_cpus rings need more than `together`. */
void code_rings_set_bytes(struct code_rings *rings, size_t n_cpus, size_t least, size_t most,
			  size_t together);
/* Adds descriptors to the n of an array for `max`. Returns how many there would be with all. */
size_t code_rings_pollfds(const struct code_rings *rings, struct pollfd *fds, size_t max, size_t n);
/* Passes the samples so far to the request's sink. */
void code_rings_drain(struct code_rings *rings);

/*
 * Between two intervals: takes over the request, and judges its rate (code_rate.h). Without one the
 * notes are removed. `sampled`: there were events; other_ns: CPU time that the
 * samples of the interval cost the sink elsewhere. Returns whether a request begins: it is the
 * first one, or has another rate.
 */
bool code_rings_set_request(struct code_rings *rings, const struct code_request *request,
			    bool sampled, uint64_t other_ns);
/* Sets the period of a sampled event on all CPUs. */
void code_rings_set_period(struct code_rings *rings, unsigned event, uint64_t period);
/* Returns the samples of a sampled event on all CPUs since the last call. */
uint64_t code_rings_reset_event(struct code_rings *rings, unsigned event);
/* Notes, in place of the note before, which functions are not sampled, and why. NULL: all are. */
void code_rings_note_unsampled(struct code_rings *rings, const char *which, const char *why);

#endif
