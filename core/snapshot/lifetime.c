// SPDX-License-Identifier: MIT
#include "core/snapshot/lifetime.h"

#include "core/event/event_wait.h"
#include "core/metric/metric.h"

static const struct figure unknown = {.state = FIGURE_NOT_COUNTED};

static double least(double a, double b)
{
	return a < b ? a : b;
}

/* Moves as much of a time as there is from the rest of another one into a part. */
static void take_part(struct lifetime *lifetime, enum lifetime_part part, struct figure time,
		      double *rest)
{
	struct figure *to = &lifetime->parts[part];

	if (!figure_known(time)) {
		*to = time;
		return;
	}
	time.value = least(time.value, *rest);
	*rest -= time.value;
	*to = time;
}

static struct figure with_value(struct figure figure, double value)
{
	figure.value = value;
	return figure;
}

static void split_run(const struct lifetime_times *times, struct lifetime *lifetime)
{
	struct figure share = times->kernel_share;

	if (!figure_known(share)) {
		lifetime->parts[LIFETIME_RUN] = figure_exact(times->run);
		return;
	}
	share.value = least(share.value, 1);
	lifetime->parts[LIFETIME_KERNEL] = with_value(share, share.value * times->run);
	lifetime->parts[LIFETIME_USER] = with_value(share, (1 - share.value) * times->run);
}

static void split_runq(const struct lifetime_times *times, struct lifetime *lifetime)
{
	double rest = times->runq.value;

	if (figure_known(times->runq))
		take_part(lifetime, LIFETIME_THROTTLED, times->throttled, &rest);
	take_part(lifetime, LIFETIME_RUNQ, with_value(times->runq, rest), &rest);
}

/* A lock of the kernel may be in state D. */
static void take_lock(struct lifetime *lifetime, struct figure lock, double *rest, double *d)
{
	double both = *rest + *d, before = both;

	take_part(lifetime, LIFETIME_LOCK, lock, &both);
	double taken = before - both, of_rest = least(taken, *rest);
	*rest -= of_rest;
	*d -= taken - of_rest;
}

static void split_blocked(const struct lifetime_times *times, struct lifetime *lifetime)
{
	bool known = figure_known(times->blocked), d_known = figure_known(times->uninterruptible);
	double d = d_known ? times->uninterruptible.value : 0;
	double stopped = figure_known(times->stopped) ? times->stopped.value : 0;
	double rest = known ? times->blocked.value : d + stopped;

	d = least(d, rest);
	rest -= d;
	double *files = d_known ? &d : &rest;
	take_part(lifetime, LIFETIME_DISK, times->disk, files);
	take_part(lifetime, LIFETIME_PAGING, times->paging, files);
	take_part(lifetime, LIFETIME_STOPPED, times->stopped, &rest);
	take_lock(lifetime, times->lock, &rest, &d);
	lifetime->parts[LIFETIME_UNINTERRUPTIBLE] = with_value(times->uninterruptible, d);
	lifetime->parts[known && d_known ? LIFETIME_SLEEP : LIFETIME_BLOCKED] =
		with_value(times->blocked, rest);
}

void lifetime_split(const struct lifetime_times *times, struct lifetime *lifetime)
{
	double sum = 0;

	*lifetime = (struct lifetime){.ns = times->ns};
	for (size_t i = 0; i < LIFETIME_PARTS; i++)
		lifetime->parts[i].state = FIGURE_UNDEFINED;
	split_run(times, lifetime);
	split_runq(times, lifetime);
	split_blocked(times, lifetime);
	for (size_t i = 0; i < LIFETIME_PARTS; i++)
		if (figure_known(lifetime->parts[i]))
			sum += lifetime->parts[i].value;
	if (lifetime->ns < sum)
		lifetime->ns = sum;
	lifetime->parts[LIFETIME_UNKNOWN] = figure_exact(lifetime->ns - sum);
}

/* Reads events of one tally. */
struct reader {
	const struct columns *columns;
	struct metric_input input;
};

/* The ns of an event; unknown if it is not counted. */
static struct figure read_event(const struct reader *reader, enum event_wait wait)
{
	const struct columns *columns = reader->columns;
	int event = event_set_find(&columns->events, event_wait_names[wait]);

	if (event < 0)
		return unknown;
	return metric_read_one(&columns->event_readings.items[event], &reader->input);
}

static struct figure kernel_share(const struct columns *columns, const struct figure *figures)
{
	int metric = columns_metric(columns, "kernel_percent");

	if (metric < 0)
		return unknown;
	return with_value(figures[metric], figures[metric].value / 100);
}

static void read_times(const struct snapshot *snapshot, const struct detail *detail,
		       struct lifetime_times *times)
{
	const struct columns *columns = snapshot->columns;
	const uint64_t *tally = detail->sum.tallies;
	const struct reader reader = {
		columns,
		{.events = &columns->events,
		 .plan = columns->plan,
		 .tally = tally,
		 .lost = detail->sum.items[0].flags & ROW_LOST},
	};
	struct wait_places places;

	wait_places_find(&places, columns->plan, &columns->events);
	*times = (struct lifetime_times){
		.ns = places.any && tally[places.lifetime]
			      ? (double)tally[places.lifetime]
			      : detail->sum.items[0].threads * (double)snapshot->interval_ns,
		.run = (double)tally[TALLY_TASK_CLOCK],
		.kernel_share = kernel_share(columns, detail->sum.figures),
		.runq = read_event(&reader, WAIT_RUNQ),
		.blocked = read_event(&reader, WAIT_BLOCKED),
		.uninterruptible = read_event(&reader, WAIT_UNINTERRUPTIBLE),
		.stopped = read_event(&reader, WAIT_STOPPED),
		.throttled = read_event(&reader, WAIT_THROTTLED),
		.disk = read_event(&reader, WAIT_DISK),
		.paging = read_event(&reader, WAIT_PAGING),
		.lock = read_event(&reader, WAIT_LOCK),
	};
}

/* A task without times in mode "system". Its lifetime has one thread: that which is known. */
static bool read_sleeper(const struct snapshot *snapshot, const struct detail *detail,
			 struct lifetime *lifetime)
{
	const struct columns *columns = snapshot->columns;
	enum history_kind kind = detail->key.kind;
	struct wait_places places;

	wait_places_find(&places, columns->plan, &columns->events);
	if (!places.any || snapshot->mode != COUNT_MODE_SYSTEM ||
	    (kind != HISTORY_THREAD && kind != HISTORY_PROCESS))
		return false;
	const struct lifetime_times times = {.ns = (double)snapshot->interval_ns,
					     .runq = figure_exact(0),
					     .blocked = figure_exact((double)snapshot->interval_ns),
					     .kernel_share = unknown,
					     .throttled = figure_exact(0),
					     .uninterruptible = unknown,
					     .stopped = unknown,
					     .disk = unknown,
					     .paging = unknown,
					     .lock = unknown};
	lifetime_split(&times, lifetime);
	return true;
}

bool lifetime_read(const struct snapshot *snapshot, const struct detail *detail,
		   struct lifetime *lifetime)
{
	struct lifetime_times times;

	if (detail_is_of_cpus(&detail->key) ||
	    (detail->sum.n > 0 && detail->sum.items[0].flags & ROW_ZOMBIE))
		return false;
	if (detail->sum.n == 0)
		return read_sleeper(snapshot, detail, lifetime);
	read_times(snapshot, detail, &times);
	lifetime_split(&times, lifetime);
	return lifetime->ns > 0;
}
