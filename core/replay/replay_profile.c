// SPDX-License-Identifier: MIT
/*
 * Records are sorted by time, then used one after the other: a sample needs the mappings and the
 * name that its task had then. What has no time is used at once, as perf does.
 *
 * The interval of a whole file is never reset. Its snapshots grow: each has more samples than the
 * one before, and the last one has all of them.
 */
#include "core/replay/replay_profile.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/util.h"
#include "core/event/sampled_event.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	GROW_MOST = 500000,   /* samples that are read before the screen gets its turn */
	EMPTY_INTERVALS = 60, /* in a row that are shown; more are left out */
	LOST_PART = 100, /* counts are lower bounds if more than this part of samples is lost */
};

/* Tasks */

enum {
	NAMES_MOST = 8,           /* rows that a thread gets in an interval because of new names */
	TASKS_OF_TID_MOST = 1000, /* rows of one tid in an interval */
	TASKS_LEAST = 1 << 16     /* in the table before any are freed during an interval */
};

/*
 * An interval may be as long as the recording. The next time is at twice as many tasks as have
 * samples now, so the cost for each task is constant.
 */
static void free_tasks_without_samples(struct replay_profile *profile)
{
	const struct replay_state *state = profile->kind.state;

	if (profile->free_at < TASKS_LEAST)
		profile->free_at = TASKS_LEAST;
	if (tasks_count(state->tasks) < profile->free_at)
		return;
	tasks_free_unused(state->tasks, profile->last_ns, state->interval.sequence);
	profile->free_at = 2 * tasks_count(state->tasks);
}

/* Whether the interval has so many older tasks of that tid. */
static bool has_older(const struct replay_profile *profile, const struct task *task, unsigned n)
{
	for (; n > 0 && task->older &&
	       task->older->interval == profile->kind.state->interval.sequence;
	     task = task->older)
		n--;
	return n == 0;
}

/*
 * A task with a new name is another row, if it has samples in this interval: they are of the older
 * name: mostly another program, or the name of the thread that made it.
 */
static void end_before_name(struct replay_profile *profile, struct record *named)
{
	struct replay_state *state = profile->kind.state;
	struct task *task = tasks_find(state->tasks, named->tid, named->time_ns);
	struct record record = *named;

	if (!task || task->interval != state->interval.sequence ||
	    strcmp(task->comm, named->comm.text) == 0 || has_older(profile, task, NAMES_MOST))
		return;
	/* An unknown start is equal to any. */
	if (task->start_ns == 0)
		task_set_start(task, 1);
	record.kind = RECORD_EXIT;
	record.fork.ppid = task->ppid;
	record.fork.ptid = task->ptid;
	tasks_exit(state->tasks, &record);
	record.kind = RECORD_FORK;
	record.time_ns = ++named->time_ns;
	tasks_fork(state->tasks, &record);
}

static bool has_times(const struct replay_profile *profile)
{
	return profile->events.n == 0 ||
	       profile->events.items[0].attr.sample_type & PERF_SAMPLE_TIME;
}

/*
 * A record that perf synthesizes for an existing task has no time. In a recording without times
 * all records are in order, and each of these is some ns later.
 */
static void apply_task_record(struct replay_profile *profile, struct record *record)
{
	struct tasks *tasks = profile->kind.state->tasks;
	struct task *task;

	if (record->tid <= 0 || (record->kind != RECORD_EXIT && record->kind != RECORD_FORK &&
				 record->kind != RECORD_COMM))
		return;
	if (!has_times(profile))
		record->time_ns = profile->last_ns + 1;
	bool synthesized = record->time_ns == 0;
	record->time_ns += synthesized;
	if (record->kind == RECORD_EXIT) {
		tasks_exit(tasks, record);
		free_tasks_without_samples(profile);
	} else if (record->kind == RECORD_FORK) {
		/* Each look-up of a tid walks its tasks: further ones are in the last one's row. */
		task = tasks_find(tasks, record->tid, record->time_ns);
		if (task && has_older(profile, task, TASKS_OF_TID_MOST))
			return;
		task = tasks_fork(tasks, record);
		if (synthesized)
			task_set_start(task, 0);
	} else {
		if (!synthesized)
			end_before_name(profile, record);
		replay_state_comm(profile->kind.state, record);
	}
	if (!has_times(profile))
		profile->last_ns = record->time_ns;
}

/* Samples */

static void add_to_parts(struct replay_profile *profile, size_t event, uint64_t weight)
{
	struct replay_state *state = profile->kind.state;
	struct interval *interval = &state->interval;
	const struct perfdata_sample *sample = &profile->sample;
	size_t cpu = sample->has & PERF_SAMPLE_CPU ? sample->cpu : SIZE_MAX;

	if (cpu < interval->n_cpus) {
		interval_set_online(interval, cpu, true, false);
		interval_set_counted(interval, cpu, true);
		sampled_event_add(profile->plan, interval_cpu(interval, cpu), event, weight);
	} else {
		profile->cpu_unknown = true;
	}
	if (sample->tid >= 0) {
		struct task *task =
			tasks_at(state->tasks, sample->pid, sample->tid, profile->last_ns);
		if (sample->tid == 0) /* idle CPUs, and what interrupts them */
			task_set_idle(task);
		sampled_event_add(profile->plan, interval_task(interval, task), event, weight);
	} else {
		sampled_event_add(profile->plan, interval->unattributed, event, weight);
	}
}

static void count_sample(struct replay_profile *profile, const struct perfdata_event *event,
			 uint64_t weight)
{
	const struct profile_event *shown = &profile->map[event - profile->events.items];

	if (shown->event == SIZE_MAX) {
		profile->outside++;
		return;
	}
	if (shown->unweighted)
		weight = 1;
	profile->samples++;
	profile->in_interval++;
	add_to_parts(profile, shown->event, weight);
	replay_profile_code_sample(profile, shown->code, weight);
}

/* The growth of a counter since its last value. */
static uint64_t growth_of(struct replay_profile *profile, uint64_t id, uint64_t value)
{
	uint64_t key = hash_mix(profile->random, id);
	struct hash_slot *slot = hash_table_slot(&profile->numbers, key);

	if (!slot->number) {
		profile->values = array_reserve(profile->values, &profile->values_capacity,
						profile->n_values + 1, sizeof(*profile->values));
		profile->values[profile->n_values++] = 0;
		slot = hash_table_add(&profile->numbers, key);
		slot->number = profile->n_values;
	}
	uint64_t *last = &profile->values[slot->number - 1];
	uint64_t growth = u64_growth(*last, value);
	*last = value;
	return growth;
}

/* A sample with the values of a group is one sample of each member (perf record -e '{a,b}:S'). */
static void count_group(struct replay_profile *profile)
{
	const struct perfdata_sample *sample = &profile->sample;

	for (size_t i = 0; i < sample->n_values; i++) {
		const struct perfdata_event *event =
			perfdata_events_find(&profile->events, sample->values[i].id);
		uint64_t weight =
			event ? growth_of(profile, sample->values[i].id, sample->values[i].value)
			      : 0;
		if (weight > 0)
			count_sample(profile, event, weight);
	}
}

static bool knows_time(const struct perfdata_sample *sample)
{
	return (sample->has & PERF_SAMPLE_TIME) && sample->time_ns != 0 &&
	       sample->time_ns != UINT64_MAX;
}

/* The first interval begins at the first sample with a time. */
static void begin_time(struct replay_profile *profile)
{
	const struct replay_state *state = profile->kind.state;

	profile->begun = true;
	profile->first_ns = profile->begin_ns = profile->last_ns;
	profile->until_ns =
		state->whole ? UINT64_MAX : u64_sum(profile->begin_ns, state->interval_ns);
}

static void use_sample(struct replay_profile *profile, const struct perf_event_header *header)
{
	const struct perfdata_sample *sample = &profile->sample;
	struct tasks *tasks = profile->kind.state->tasks;

	if (!sample->event) {
		profile->foreign++;
		return;
	}
	const struct perf_event_attr *attr = &sample->event->attr;
	if (!profile->begun && knows_time(sample))
		begin_time(profile);
	const char *path = replay_cgroups_of_sample(&profile->cgroups, header, sample);
	if (path && sample->tid > 0)
		tasks_move(tasks, tasks_at(tasks, sample->pid, sample->tid, profile->last_ns), path,
			   profile->last_ns);
	if ((attr->sample_type & PERF_SAMPLE_READ) && sample->n_values > 0 && sample->values[0].id)
		count_group(profile);
	else
		count_sample(profile, sample->event, sample->period);
}

static void count_lost(struct replay_profile *profile, const struct record *record)
{
	profile->lost += record->lost.records;
	interval_add_lost(&profile->kind.state->interval, record->lost.records);
	if (profile->resolver)
		code_resolver_lost(profile->resolver, record->lost.records);
}

static int broken_record(struct error *err)
{
	return error_set(err, -EBADMSG, "The recording is broken: a record does not fit its kind.");
}

/* Uses a record, which is the next one by time. */
static int use_record(struct replay_profile *profile, const struct perf_event_header *header,
		      struct error *err)
{
	struct record record;
	struct code_record code;

	if (perfdata_decode(&profile->events, header, &record, &profile->sample) < 0)
		return broken_record(err);
	if (knows_time(&profile->sample) && profile->sample.time_ns > profile->last_ns)
		profile->last_ns = profile->sample.time_ns;
	if (header->type == PERF_RECORD_SAMPLE) {
		use_sample(profile, header);
		return 0;
	}
	if (header->type == PERFDATA_CALLCHAIN_DEFERRED) {
		replay_profile_code_callers(profile);
		return 0;
	}
	if (record.kind == RECORD_LOST)
		count_lost(profile, &record);
	else
		apply_task_record(profile, &record);
	if (perfdata_decode_code(&profile->events, header, &code, &profile->sample) < 0)
		return broken_record(err);
	replay_profile_code_record(profile, &code);
	return 0;
}

/* Reading */

static int queue_record(struct replay_profile *profile, const struct perf_event_header *header,
			struct error *err)
{
	struct record record;

	profile->found |= header->type == PERF_RECORD_SAMPLE;
	if (perfdata_decode(&profile->events, header, &record, &profile->sample) < 0)
		return broken_record(err);
	if (!knows_time(&profile->sample))
		return use_record(profile, header, err);
	replay_sort_add(profile->sort, header, profile->sample.time_ns);
	return 0;
}

static int add_event(struct replay_profile *profile, const struct perf_event_header *header,
		     struct error *err)
{
	if (perfdata_events_add(&profile->events, header) < 0)
		return error_set(err, -EBADMSG,
				 "The recording is broken: the description of its events is "
				 "invalid.");
	if (profile->map && profile->n_map < profile->events.n)
		replay_profile_map_events(profile);
	return 0;
}

static int take_record(struct replay_profile *profile, const struct perf_event_header *header,
		       struct error *err)
{
	switch (header->type) {
	case PERFDATA_ROUND:
		replay_sort_round(profile->sort);
		return 0;
	case PERFDATA_AUXTRACE:
		profile->passed_over_aux = true;
		return 0;
	case PERFDATA_NEXT_FILE:
		profile->draining = true;
		replay_sort_end(profile->sort);
		return 0;
	}
	if (header->type < PERFDATA_ATTR && !replay_cgroups_parse(&profile->cgroups, header))
		return queue_record(profile, header, err);
	perfdata_build_ids_add(&profile->build_ids, header);
	replay_facts_parse(&profile->facts, header);
	return header->type < PERFDATA_ATTR ? 0 : add_event(profile, header, err);
}

int replay_profile_read(struct replay_profile *profile, struct error *err)
{
	const struct perf_event_header *header;
	int result = replay_lead_read(&profile->lead, profile->kind.state, &header, err);

	if (result <= 0)
		return result;
	result = take_record(profile, header, err);
	return result < 0 ? result : 1;
}

/* Intervals */

static void begin_interval(struct replay_profile *profile)
{
	struct replay_state *state = profile->kind.state;

	profile->open = true;
	/* What has no time is in the first interval already. */
	if (state->whole || state->sequence == 0)
		return;
	tasks_free_exited(state->tasks, profile->begin_ns);
	interval_reset(&state->interval);
	replay_profile_drop_code(profile);
	profile->cpu_unknown = false;
	profile->in_interval = 0;
	profile->until_ns = u64_sum(profile->begin_ns, state->interval_ns);
}

/* "cycles, cache-misses" */
static void list_events(const struct replay_profile *profile, char *text, size_t size)
{
	size_t at = 0;

	text[0] = '\0';
	for (size_t i = TALLY_FIRST_COUNTED; i < profile->shown.n && at + 1 < size; i++) {
		if (i > TALLY_FIRST_COUNTED)
			at += text_copy(text + at, size - at, ", ");
		at += text_printable(text + at, size - at, profile->shown.items[i].name, 40);
	}
}

/* "cycles, faults at 4000 Hz" */
static void describe_events(const struct replay_profile *profile, char *text, size_t size)
{
	const struct perf_event_attr *attr =
		&profile->shown.items[TALLY_FIRST_COUNTED].codes[0].attr;

	list_events(profile, text, size);
	size_t at = strlen(text);
	if (attr->freq)
		snprintf(text + at, size - at, " at %llu Hz",
			 (unsigned long long)attr->sample_freq);
	else if (attr->sample_period > 1)
		snprintf(text + at, size - at, ", one sample of %llu",
			 (unsigned long long)attr->sample_period);
}

/* What the recording has, so far. */
static void note_content(struct replay_profile *profile)
{
	struct notes *notes = &profile->kind.state->notes;
	double length_s = (double)(profile->last_ns - profile->first_ns) / (double)NS_PER_S;
	const struct replay_facts *facts = &profile->facts;
	char events[256], content[400], lost[48] = "", by[96] = "";

	describe_events(profile, events, sizeof(events));
	if (profile->lost > 0)
		snprintf(lost, sizeof(lost), " (%llu lost)", (unsigned long long)profile->lost);
	if (facts->version[0])
		snprintf(by, sizeof(by), ", by %s %s", facts->simpleperf ? "simpleperf" : "perf",
			 facts->version);
	/* Numbers that grow would be another note, and another line of the log, each time. */
	if (profile->over)
		snprintf(content, sizeof(content), "%llu sample%s%s of %s in %.*f s",
			 (unsigned long long)profile->samples, profile->samples == 1 ? "" : "s",
			 lost, events, length_s < 0.1 ? 3 : 1, length_s);
	else
		snprintf(content, sizeof(content), "Samples of %s", events);
	notes_remove(notes, NOTE_PROFILE);
	notes_add_as(notes, NOTE_PROFILE, "%s%s. Counts are estimates (~), run times unknown. %s",
		     content, by, profile->why);
}

static bool has_branches(const struct perfdata_events *events)
{
	for (size_t i = 0; i < events->n; i++)
		if (events->items[i].attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
			return true;
	return false;
}

static void note_defects(struct replay_profile *profile)
{
	struct notes *notes = &profile->kind.state->notes;

	if (profile->kind.state->interval.lost_records > 0)
		notes_add_as(notes, NOTE_PROFILE,
			     "perf lost records: %llu so far. Counts are too low%s, and names may "
			     "be missing. A larger buffer (perf record -m 4M) helps.",
			     (unsigned long long)profile->lost,
			     profile->kind.state->interval.uncounted ? " (?)" : "");
	if (replay_sort_late(profile->sort) > 0)
		notes_add(notes, "Some records are far from their place in time: functions and "
				 "commands of samples may be wrong there.");
	if (profile->passed_over_aux)
		notes_add(notes, "AUX data (Intel PT, Arm CoreSight, SPE) is passed over.");
	if (has_branches(&profile->events))
		notes_add(notes, "Branch stacks (LBR) are passed over.");
	if (profile->foreign > 0)
		notes_add(notes, "Samples of unknown events are passed over.");
	if (profile->outside > 0)
		notes_add(notes, "Samples of events beyond the first %d are passed over.",
			  EVENT_SET_MAX - TALLY_FIRST_COUNTED);
}

/* The counts of CPUs are too low by samples that do not name their CPU. */
static void hide_cpus(struct interval *interval)
{
	interval_set_offline(interval);
	for (size_t i = 0; i < interval->n_cpus; i++)
		interval_set_counted(interval, i, false);
}

static void end_interval(struct replay_profile *profile, uint64_t end_ns)
{
	struct replay_state *state = profile->kind.state;
	const struct replay_facts *facts = &profile->facts;
	struct interval *interval = &state->interval;

	interval_set_uncounted(interval, interval->lost_records > profile->in_interval / LOST_PART);
	memset(interval->totals, 0, tally_width(&interval->shape) * sizeof(uint64_t));
	interval_sum_parts(interval);
	if (profile->cpu_unknown)
		hide_cpus(interval);
	state->sequence++;
	state->time_ns = end_ns;
	state->stub.now_ns = end_ns;
	state->length_ns = has_times(profile) ? end_ns - profile->begin_ns : 0;
	state->is_whole = state->whole;
	state->realtime_ns =
		facts->realtime_ns ? facts->realtime_ns + (end_ns - facts->clock_ns) : 0;
	state->stub.realtime_ns = state->realtime_ns;
	state->lost_records = interval->lost_records;
	note_content(profile);
	note_defects(profile);
	profile->open = false;
	if (!state->whole)
		profile->begin_ns = end_ns;
}

/* The interval ends before a record of time_ns. Long times without records are left out. */
static void end_before(struct replay_profile *profile, uint64_t time_ns)
{
	uint64_t interval_ns = profile->until_ns - profile->begin_ns;
	uint64_t empty = (time_ns - profile->until_ns) / interval_ns;

	end_interval(profile, profile->until_ns);
	if (empty > EMPTY_INTERVALS)
		profile->begin_ns += empty * interval_ns;
}

static void end_growing(struct replay_profile *profile)
{
	profile->grow_at =
		profile->samples + (profile->samples < GROW_MOST ? profile->samples : GROW_MOST);
	end_interval(profile, profile->last_ns);
}

/* Events of the next file have other ids, and values of groups begin anew. */
static void begin_file(struct replay_profile *profile)
{
	profile->draining = false;
	perfdata_events_fini(&profile->events);
	profile->events = (struct perfdata_events){0};
	profile->n_map = 0;
	hash_table_clear(&profile->numbers);
	profile->n_values = 0;
}

/* Uses the next record that is in order: 1: the interval has ended; 0: used; -ENOENT: none is. */
static int use_next(struct replay_profile *profile, struct error *err)
{
	uint64_t time_ns;
	const struct perf_event_header *header = replay_sort_first(profile->sort, &time_ns);

	if (!header)
		return -ENOENT;
	if (profile->begun && time_ns >= profile->until_ns) {
		end_before(profile, time_ns);
		return 1;
	}
	int result = use_record(profile, header, err);
	replay_sort_drop(profile->sort);
	if (result < 0)
		return result;
	if (profile->kind.state->grows && profile->kind.state->whole &&
	    profile->samples >= profile->grow_at) {
		end_growing(profile);
		return 1;
	}
	return 0;
}

static void end_reading(struct replay_profile *profile, int result)
{
	profile->ended = true;
	profile->failure.code = result;
	replay_sort_end(profile->sort);
}

/* All records were used. */
static int end_recording(struct replay_profile *profile, struct error *err)
{
	bool longer = profile->begun && profile->last_ns > profile->begin_ns;

	if (!profile->over && (profile->in_interval > 0 || longer)) {
		profile->over = true;
		end_interval(profile, profile->last_ns);
		return 1;
	}
	profile->over = true;
	*err = profile->failure;
	return profile->failure.code;
}

static int profile_advance(struct replay_kind *kind, struct error *err)
{
	struct replay_profile *profile = replay_profile_of(kind);

	if (!profile->open && !profile->over)
		begin_interval(profile);
	for (;;) {
		int result = use_next(profile, &profile->failure);

		if (result == 1)
			return 1;
		if (result < 0 && result != -ENOENT)
			end_reading(profile, result);
		if (result != -ENOENT)
			continue;
		if (profile->draining) {
			begin_file(profile);
			continue;
		}
		if (profile->ended)
			return end_recording(profile, err);
		result = replay_profile_read(profile, &profile->failure);
		if (result == -EAGAIN)
			return result;
		if (result <= 0)
			end_reading(profile, result);
	}
}

static void profile_free(struct replay_kind *kind)
{
	struct replay_profile *profile = replay_profile_of(kind);

	code_resolver_free(profile->resolver);
	perfdata_events_fini(&profile->events);
	perfdata_build_ids_fini(&profile->build_ids);
	replay_facts_fini(&profile->facts);
	replay_cgroups_fini(&profile->cgroups);
	replay_lead_fini(&profile->lead);
	replay_sort_free(profile->sort);
	event_set_fini(&profile->shown);
	plan_unref(profile->plan);
	hash_table_fini(&profile->numbers);
	free(profile->values);
	free(profile->map);
	free(profile->sampled);
	free(profile);
}

const struct replay_kind_ops replay_profile_ops = {
	.begin = replay_profile_begin,
	.advance = profile_advance,
	.find_functions = replay_profile_find_functions,
	.free = profile_free,
};
