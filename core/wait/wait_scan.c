// SPDX-License-Identifier: MIT
#include "core/wait/wait_scan.h"

#include "core/base/util.h"

void wait_thread_begin(struct wait_thread *thread, uint64_t start_ns, uint64_t doubt_ns)
{
	*thread = (struct wait_thread){
		.last = {.time_ns = start_ns,
			 .queue_known = true,
			 .switches_known = true,
			 .state = 'R'},
		.known = true,
		.start_doubt_ns = doubt_ns,
	};
}

static bool has_ended(const struct wait_reading *reading)
{
	return reading->state == 'Z' || reading->state == 'X';
}

/* Whether a thread is in a run queue at a reading, or may be. */
static bool may_be_queued(const struct wait_reading *reading)
{
	bool runs = reading->switches_known &&
		    reading->slices == reading->voluntary + reading->involuntary + 1;

	return reading->state == 'R' && !runs;
}

/* The growth of a thread's numbers between two readings. */
struct growth {
	uint64_t lifetime_ns, ran_ns, queue_ns, slices, voluntary, involuntary;
	bool queue_known, switches_known;
	bool stale; /* the first reading was before the interval */
};

static struct growth growth_of(const struct wait_reading *last, const struct wait_reading *now,
			       uint64_t begin_ns)
{
	uint64_t since_ns = last->time_ns > begin_ns ? last->time_ns : begin_ns;
	struct growth grown = {
		.lifetime_ns = u64_growth(since_ns, now->time_ns),
		.ran_ns = u64_growth(last->ran_ns, now->ran_ns),
		.queue_ns = u64_growth(last->queue_ns, now->queue_ns),
		.slices = u64_growth(last->slices, now->slices),
		.voluntary = u64_growth(last->voluntary, now->voluntary),
		.involuntary = u64_growth(last->involuntary, now->involuntary),
		.queue_known = last->queue_known && now->queue_known &&
			       now->ran_ns >= last->ran_ns && now->queue_ns >= last->queue_ns &&
			       now->slices >= last->slices,
		.switches_known = last->switches_known && now->switches_known &&
				  now->voluntary >= last->voluntary &&
				  now->involuntary >= last->involuntary,
		.stale = last->time_ns < begin_ns,
	};

	if (grown.stale) {
		double part = (double)grown.lifetime_ns / (double)(now->time_ns - last->time_ns);
		grown.ran_ns = (uint64_t)((double)grown.ran_ns * part);
		grown.queue_ns = (uint64_t)((double)grown.queue_ns * part);
	}
	if (grown.ran_ns > grown.lifetime_ns)
		grown.ran_ns = grown.lifetime_ns;
	return grown;
}

/* A thread that does not run cannot leave a run queue, and makes no switch. */
static bool was_never_blocked(const struct wait_reading *last, const struct wait_reading *now,
			      const struct growth *grown)
{
	bool stayed = grown->switches_known ? grown->voluntary == 0 : grown->slices == 0;

	return last->state == 'R' && now->state == 'R' && stayed && !grown->stale;
}

/* Few waits of a thread are so many times longer than their average. */
enum { UNUSUAL = 4 };

/*
 * The time in run queues of a thread that was blocked in between. Adds the possible error to
 * *doubt_ns, and keeps the estimate of a wait that lasts for the next reading.
 */
static uint64_t estimate_runq(struct wait_thread *thread, const struct wait_reading *now,
			      const struct growth *grown, uint64_t *doubt_ns)
{
	uint64_t rest_ns = grown->lifetime_ns - grown->ran_ns;
	uint64_t runq_ns = u64_growth(thread->ahead_ns, grown->queue_ns);
	uint64_t average_ns = grown->slices ? grown->queue_ns / grown->slices : 0;
	uint64_t most_ns = grown->slices ? UNUSUAL * average_ns : rest_ns;

	*doubt_ns += thread->doubt_ns;
	thread->ahead_ns = thread->doubt_ns = 0;
	if (may_be_queued(now)) {
		thread->ahead_ns = average_ns;
		thread->doubt_ns = most_ns;
		*doubt_ns += most_ns;
		runq_ns += average_ns;
	}
	return runq_ns < rest_ns ? runq_ns : rest_ns;
}

static uint64_t measure_runq(struct wait_thread *thread, const struct wait_reading *now,
			     const struct growth *grown, uint64_t *doubt_ns)
{
	if (!was_never_blocked(&thread->last, now, grown))
		return estimate_runq(thread, now, grown, doubt_ns);
	uint64_t runq_ns = grown->lifetime_ns - grown->ran_ns;
	bool queued = may_be_queued(now);
	thread->ahead_ns = queued ? u64_growth(grown->queue_ns, thread->ahead_ns + runq_ns) : 0;
	thread->doubt_ns = queued ? thread->doubt_ns : 0;
	return runq_ns;
}

/* The time in a state, from samples at the two ends of the interval. */
static uint64_t sampled_ns(uint64_t lifetime_ns, uint64_t blocked_ns, bool before, bool after)
{
	uint64_t ns = lifetime_ns / 2 * ((unsigned)before + after);

	return ns < blocked_ns ? ns : blocked_ns;
}

static bool is_stopped(const struct wait_reading *reading)
{
	return reading->state == 'T' || reading->state == 't';
}

/* A doubt of less than this part of the lifetime is no doubt (core/metric/metric.c). */
enum { WHOLE_PARTS = 2000 };

static void fill_queue_values(struct wait_thread *thread, const struct wait_reading *now,
			      const struct growth *grown, struct wait_values *values)
{
	const struct wait_reading *last = &thread->last;
	uint64_t rest_ns = grown->lifetime_ns - grown->ran_ns;
	uint64_t doubt_ns = thread->start_doubt_ns;
	uint64_t runq_ns = measure_runq(thread, now, grown, &doubt_ns);
	uint64_t blocked_ns = rest_ns - runq_ns;
	uint64_t off_ns = blocked_ns;

	if (doubt_ns > rest_ns)
		doubt_ns = rest_ns;
	if (doubt_ns == grown->lifetime_ns)
		return;
	if (doubt_ns > grown->lifetime_ns / WHOLE_PARTS) {
		runq_ns = u64_growth(doubt_ns, runq_ns);
		blocked_ns = u64_growth(doubt_ns, blocked_ns);
	}
	uint64_t estimated_ns = grown->stale ? rest_ns - doubt_ns : 0;
	for (size_t i = WAIT_OF_QUEUES; i <= WAIT_OF_BOTH; i++) {
		values->known_ns[i] = grown->lifetime_ns - doubt_ns - estimated_ns;
		values->estimated_ns[i] = estimated_ns;
	}
	values->counts[WAIT_RUNQ] = runq_ns;
	values->counts[WAIT_BLOCKED] = blocked_ns;
	values->counts[WAIT_UNINTERRUPTIBLE] =
		sampled_ns(grown->lifetime_ns, off_ns, last->state == 'D', now->state == 'D');
	values->counts[WAIT_STOPPED] =
		sampled_ns(grown->lifetime_ns, off_ns, is_stopped(last), is_stopped(now));
	/* Samples are no lower bounds. */
	values->estimated_ns[WAIT_OF_BOTH] = grown->lifetime_ns - values->known_ns[WAIT_OF_BOTH];
}

/* Since the first reading in that state without a slice after it. */
static uint64_t held_since(const struct wait_thread *thread, const struct wait_reading *now)
{
	const struct wait_reading *last = &thread->last;
	bool goes_on = thread->held_ns > 0 && last->state == now->state && last->queue_known &&
		       now->queue_known && last->slices == now->slices &&
		       last->ran_ns == now->ran_ns;

	if (now->state != 'D' && !is_stopped(now))
		return 0;
	return goes_on ? thread->held_ns : now->time_ns;
}

/* The time on a CPU may be too old by a tick at both ends. */
#define TICKS_NS (20 * NS_PER_MS)

void wait_thread_read(struct wait_thread *thread, const struct wait_reading *now, uint64_t begin_ns,
		      struct wait_values *values)
{
	struct growth grown = {.lifetime_ns = u64_growth(begin_ns, now->time_ns)};

	if (thread->known)
		grown = growth_of(&thread->last, now, begin_ns);
	/* It ended at an unknown time since the last reading, or before it. */
	if (has_ended(now)) {
		grown.queue_known = false;
		grown.lifetime_ns = has_ended(&thread->last) ? 0 : grown.lifetime_ns;
	}
	*values = (struct wait_values){.lifetime_ns = grown.lifetime_ns};
	uint64_t most_ns = grown.lifetime_ns - grown.ran_ns + thread->ahead_ns + thread->doubt_ns;
	/* More than it was off its CPU: the kernel has counted a sleep that is older. */
	grown.queue_known &= grown.stale || grown.queue_ns <= most_ns + TICKS_NS;
	if (grown.queue_known) {
		fill_queue_values(thread, now, &grown, values);
	} else {
		thread->ahead_ns = 0;
		thread->doubt_ns = may_be_queued(now) ? UINT64_MAX / 2 : 0;
	}
	if (grown.switches_known) {
		values->known_ns[WAIT_OF_RECORDS] = grown.lifetime_ns;
		values->counts[WAIT_VOLUNTARY] = grown.voluntary;
		values->counts[WAIT_INVOLUNTARY] = grown.involuntary;
	}
	thread->start_doubt_ns = 0;
	thread->held_ns = held_since(thread, now);
	thread->last = *now;
	thread->known = true;
}
