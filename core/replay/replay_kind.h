// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REPLAY_KIND_H
#define PMCTOP_REPLAY_KIND_H

#include "core/base/error.h"
#include "core/replay/replay_state.h"

#include <linux/perf_event.h>
#include <stdint.h>

/*
 * A kind of recording: how the records of pmctop, or of perf, become intervals. A kind reads
 * records (replay_state_read) and passes them to state->attrib. At the end of an interval
 * replay.c builds a snapshot of the state. The kind fills in:
 *
 * - before the columns: state->pmus, ->cpu, ->host, ->pmu, ->mode, and replay_state_open()
 * - where the recording contains them: the facts of ->tasks, ->users, ->topology, ->target
 * - at the end of each interval: what struct replay_state lists under "of the interval", and
 *   ->interval with closed accounts (attrib_cut, interval_sum_cpus)
 */
struct replay_kind;

struct replay_kind_ops {
	/*
	 * Stores the new kind in *kind, also on failure: replay.c frees it. `record` is the first
	 * of the recording, the reader stands behind it. 0; -EAGAIN: the pipe has no more yet, to
	 * be called again with NULL; or -errno with *err filled: nothing in the recording can be
	 * shown.
	 */
	int (*open)(struct replay_state *state, const struct perf_event_header *record,
		    struct replay_kind **kind, struct error *err);
	/*
	 * Reads on until state->columns is set. Results as open(). NULL: open() has set it. It may
	 * replace *kind, which it has freed then, by another kind that has begun.
	 */
	int (*begin)(struct replay_kind **kind, struct error *err);
	/*
	 * Resets the interval if it has ended, and reads to the end of the next one. 1: the state
	 * describes this interval until the next call. 0: the recording has ended. -EAGAIN: the
	 * pipe has no more yet. -errno with *err filled: the recording is broken; the next calls
	 * return the same. A perf recording that ends or breaks inside of an interval returns that
	 * part with 1 first. A native recording returns complete intervals only: without all
	 * records of all CPUs no figure is right.
	 */
	int (*advance)(struct replay_kind *kind, struct error *err);
	/* After 1 of advance(): makes state->code. NULL: it is made already, or never. */
	void (*find_functions)(struct replay_kind *kind);
	void (*free)(struct replay_kind *kind);
};

/* The first member of a kind. */
struct replay_kind {
	const struct replay_kind_ops *ops;
	struct replay_state *state;
};

extern const struct replay_kind_ops replay_native_ops, replay_perf_ops, replay_profile_ops;

#endif
