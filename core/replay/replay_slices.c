// SPDX-License-Identifier: MIT
/*
 * Records wait in the queues of replay_order until all CPUs have reached the end of the interval.
 * Then those before the end go to core/attrib, and a tick divides the slice of each CPU that is
 * still open.
 */
#include "core/replay/replay_slices.h"

#include "core/base/util.h"

#include <stdlib.h>
#include <string.h>

enum {
	WAITING_BYTES = 32 << 20,   /* of queued records */
	INTERVALS_EMPTY_MOST = 600, /* in a row; a longer gap becomes one interval */
};

/* Id of a synthetic tick; all other samples have none. */
#define TICK_ID UINT64_MAX

struct replay_slices_cpu {
	bool present;     /* a sample was added: its stream is open, or the sample is queued */
	bool open;        /* its stream is open */
	uint64_t last_ns; /* time of the last reading passed to attrib */
};

void replay_slices_init(struct replay_slices *slices, size_t n_cpus, uint64_t first_ns)
{
	slices->n_cpus = n_cpus;
	slices->cpus = xcalloc(n_cpus, sizeof(*slices->cpus));
	slices->order = replay_order_new(n_cpus);
	slices->reading = xcalloc(READING_VALUES + slices->layout->n_values, sizeof(uint64_t));
	slices->first_ns = slices->begin_ns = slices->until_ns = first_ns;
}

void replay_slices_fini(struct replay_slices *slices)
{
	replay_order_free(slices->order);
	free(slices->cpus);
	free(slices->reading);
	*slices = (struct replay_slices){0};
}

/* False if no reading was passed to attrib. */
static bool last_state(const struct replay_slices *slices, size_t cpu, struct attrib_state *state)
{
	return slices->cpus[cpu].open &&
	       attrib_state(slices->attrib, cpu, slices->layout->group, state);
}

/* Whether a reading can follow another: counts only grow. */
static bool is_after(const struct attrib_layout *layout, const uint64_t *last, const uint64_t *now)
{
	size_t n = READING_VALUES + layout->n_values, at = READING_VALUES + layout->switch_value;

	for (size_t i = 0; i < n; i++)
		if (now[i] < last[i])
			return false;
	return now[at] > last[at] && now[READING_ENABLED_NS] - now[READING_RUNNING_NS] >=
					     last[READING_ENABLED_NS] - last[READING_RUNNING_NS];
}

static void open_stream(struct replay_slices *slices, size_t cpu, uint64_t time_ns,
			const uint64_t *reading)
{
	attrib_open(slices->attrib, &(struct attrib_stream){cpu, TICK_ID, slices->layout}, time_ns,
		    reading);
	slices->cpus[cpu].open = true;
}

/* Closes the stream of the CPU, keeps its counts, and opens it again with the record. */
static void open_again(struct replay_slices *slices, size_t cpu, const struct record *record)
{
	notes_add(slices->notes, "Some records are out of order: what ran around them is "
				 "not counted.");
	attrib_cut(slices->attrib, cpu);
	open_stream(slices, cpu, record->time_ns, record->sample.reading);
}

static uint64_t smaller_ns(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Adds a task to the log that came to a CPU at that time, or left it in that state. */
static void log_runner(struct replay_slices *slices, size_t cpu, struct attrib_runner runner,
		       uint64_t time_ns, enum slice_end end)
{
	struct slice slice = {.begin_ns = time_ns, .end_ns = time_ns, .end = end};

	if (!slices->log || runner.tid <= 0)
		return;
	slice.task = tasks_at(slices->tasks, runner.pid, runner.tid, time_ns);
	slice_log_add(slices->log, cpu, &slice);
}

/*
 * A CPU begins with the recording. Its first slice, up to its first sample, is unattributed: tasks
 * may have run before that left no record. It has the counts so far if the sample is of the CPU's
 * first switch; else they may be older than the recording.
 */
static void fold_first(struct replay_slices *slices, size_t cpu, const struct record *record)
{
	const uint64_t *now = record->sample.reading;
	uint64_t *start = slices->reading, first_ns = slices->first_ns;
	size_t n = slices->layout->n_values, at = READING_VALUES + slices->layout->switch_value;
	uint64_t ns = record->time_ns > first_ns ? record->time_ns - first_ns : 0;
	struct record unnamed = *record;

	ns = smaller_ns(ns, now[READING_ENABLED_NS]);
	start[READING_ENABLED_NS] = now[READING_ENABLED_NS] - ns;
	start[READING_RUNNING_NS] =
		now[READING_RUNNING_NS] - smaller_ns(ns, now[READING_RUNNING_NS]);
	for (size_t i = READING_VALUES; i < READING_VALUES + n; i++)
		start[i] = now[at] == 1 ? 0 : now[i];
	start[at] = now[at] - 1;
	open_stream(slices, cpu, record->time_ns - ns, start);
	unnamed.pid = unnamed.tid = -1;
	attrib_record(slices->attrib, cpu, &unnamed);
	const struct attrib_runner runner = {record->pid, record->tid};
	log_runner(slices, cpu, runner, slices->begin_ns, SLICE_RUNS_ON);
	log_runner(slices, cpu, runner, record->time_ns, slice_end_of(record->sample.state));
}

static void fold_record(struct replay_slices *slices, size_t cpu, const struct record *record)
{
	if (record->kind != RECORD_SAMPLE) {
		attrib_record(slices->attrib, cpu, record);
		return;
	}
	struct attrib_state last;
	const uint64_t *now = record->sample.reading;
	size_t bytes = slices->layout->n_values * sizeof(*now);
	bool begun = last_state(slices, cpu, &last);
	/* The kernel sometimes makes a sample twice when another recording begins or ends. */
	if (begun && memcmp(last.reading + READING_VALUES, now + READING_VALUES, bytes) == 0)
		return;
	if (!begun)
		fold_first(slices, cpu, record);
	else if (is_after(slices->layout, last.reading, now))
		attrib_record(slices->attrib, cpu, record);
	else
		open_again(slices, cpu, record);
	slices->cpus[cpu].last_ns = record->time_ns;
}

void replay_slices_add(struct replay_slices *slices, size_t cpu, const struct record *record)
{
	if (record->kind == RECORD_SAMPLE) {
		slices->n_present += !slices->cpus[cpu].present;
		slices->cpus[cpu].present = true;
		replay_order_note_time(slices->order, record->time_ns);
	}
	if (record->time_ns > slices->until_ns || replay_order_first(slices->order, cpu))
		replay_order_add(slices->order, cpu, record);
	else
		fold_record(slices, cpu, record);
}

void replay_slices_round(struct replay_slices *slices)
{
	replay_order_round(slices->order);
}

bool replay_slices_are_over(const struct replay_slices *slices)
{
	const struct replay_order *order = slices->order;
	size_t bytes = replay_order_bytes(order), waiting = replay_order_waiting(order);
	uint64_t latest_ns = replay_order_latest(order);

	if (slices->ended)
		return latest_ns > slices->begin_ns || bytes > 0;
	if (bytes == 0)
		return false;
	if (bytes > WAITING_BYTES || waiting == slices->n_cpus)
		return true;
	if (replay_order_final(order) < slices->until_ns)
		return false;
	/* In a file the next record of a sleeping CPU can be read at once. */
	return waiting >= slices->n_present || (slices->live && latest_ns > slices->until_ns &&
						latest_ns - slices->until_ns > slices->interval_ns);
}

/*
 * The reading that a CPU must have had between two others, at that share of the time. False if it
 * cannot be derived: records are missing there, or the group was off the PMU.
 */
static bool divide(const struct attrib_layout *layout, const uint64_t *last, const uint64_t *next,
		   double share, uint64_t *reading)
{
	size_t n = READING_VALUES + layout->n_values, at = READING_VALUES + layout->switch_value;
	uint64_t off_ns = last[READING_ENABLED_NS] - last[READING_RUNNING_NS];

	if (!is_after(layout, last, next) || next[at] != last[at] + 1 ||
	    next[READING_ENABLED_NS] - next[READING_RUNNING_NS] != off_ns)
		return false;
	for (size_t i = 0; i < n; i++) {
		uint64_t whole = next[i] - last[i], part = (uint64_t)((double)whole * share);
		reading[i] = last[i] + (part < whole ? part : whole);
	}
	reading[READING_RUNNING_NS] = reading[READING_ENABLED_NS] - off_ns;
	reading[at] = last[at];
	return true;
}

/* The task that the next record of the CPU names ran at the end of the interval. */
static bool make_tick(struct replay_slices *slices, size_t index)
{
	struct replay_slices_cpu *cpu = &slices->cpus[index];
	const struct record *exit, *next = replay_order_sample(slices->order, index, &exit);
	uint64_t time_ns = slices->until_ns;
	struct attrib_state last;

	if (!last_state(slices, index, &last) || !next || next->time_ns <= time_ns ||
	    cpu->last_ns >= time_ns)
		return false;
	const struct record *runner = next->tid == -1 && exit ? exit : next;
	/* A switch is missing between this task and the task of the last record. */
	if (last.runner.tid != -1 && runner->tid != last.runner.tid)
		return false;
	double share = (double)(time_ns - cpu->last_ns) / (double)(next->time_ns - cpu->last_ns);
	if (!divide(slices->layout, last.reading, next->sample.reading, share, slices->reading))
		return false;
	attrib_record(slices->attrib, index,
		      &(struct record){
			      .kind = RECORD_SAMPLE,
			      .id = TICK_ID,
			      .time_ns = time_ns,
			      .pid = runner->pid,
			      .tid = runner->tid,
			      .sample = {.reading = slices->reading,
					 .n_values = slices->layout->n_values},
		      });
	cpu->last_ns = time_ns;
	return true;
}

/*
 * No reading divides the slice of a CPU at the end of the interval: what its task did is unknown.
 * Returns false if the task is not known either.
 */
static bool log_undivided(struct replay_slices *slices, size_t cpu)
{
	struct attrib_state last;

	if (!slices->log || !last_state(slices, cpu, &last) ||
	    slices->cpus[cpu].last_ns >= slices->until_ns)
		return true;
	log_runner(slices, cpu, last.runner, slices->cpus[cpu].last_ns, SLICE_RUNS_ON);
	return last.runner.tid != -1;
}

void replay_slices_end(struct replay_slices *slices)
{
	bool divided = false;

	/* The recording ends inside of the interval. */
	if (slices->ended && replay_order_bytes(slices->order) == 0)
		slices->until_ns = replay_order_latest(slices->order);
	bool uncounted = false;
	for (size_t i = 0; i < slices->n_cpus; i++) {
		bool ticked = make_tick(slices, i);
		divided |= ticked;
		uncounted |= !ticked && !log_undivided(slices, i);
		attrib_cut(slices->attrib, i);
		interval_set_online(slices->interval, i, slices->cpus[i].present, false);
	}
	interval_set_uncounted(slices->interval, uncounted);
	if (divided)
		notes_add(slices->notes, "A recording of perf has no counts at a refresh. A "
					 "slice across a refresh is divided in proportion "
					 "to time.");
}

/* Time of the earliest queued record, or `none_ns`. */
static uint64_t next_ns(const struct replay_slices *slices, uint64_t none_ns)
{
	uint64_t earliest_ns = UINT64_MAX;

	if (replay_order_bytes(slices->order) == 0)
		return none_ns;
	for (size_t i = 0; i < slices->n_cpus; i++) {
		const struct record *first = replay_order_first(slices->order, i);
		if (first && first->time_ns < earliest_ns)
			earliest_ns = first->time_ns;
	}
	return earliest_ns;
}

void replay_slices_begin(struct replay_slices *slices, uint64_t interval_ns)
{
	uint64_t begin_ns = slices->until_ns, first_ns = next_ns(slices, begin_ns);
	uint64_t empty = first_ns > begin_ns ? (first_ns - begin_ns) / interval_ns : 0;
	uint64_t length_ns = interval_ns * (empty > INTERVALS_EMPTY_MOST ? empty : 1);

	slices->interval_ns = interval_ns;
	slices->begin_ns = begin_ns;
	slices->until_ns = begin_ns < UINT64_MAX - length_ns ? begin_ns + length_ns : UINT64_MAX;
	for (size_t i = 0; i < slices->n_cpus; i++) {
		const struct record *record;
		while ((record = replay_order_first(slices->order, i)) != NULL &&
		       record->time_ns <= slices->until_ns) {
			fold_record(slices, i, record);
			replay_order_drop(slices->order, i);
		}
	}
}
