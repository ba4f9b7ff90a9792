// SPDX-License-Identifier: MIT
/*
 * perf may have recorded any events. Which group is shown is decided after one round of its
 * records. If none can be shown, the recording is a profile (core/replay/replay_profile.c).
 */
#include "core/replay/replay_perf.h"

#include "core/base/util.h"
#include "core/replay/replay_profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Whether only some tasks were recorded. Events of a command begin with its exec. */
static bool is_of_tasks(const struct replay_perf *perf)
{
	bool tasks = perf->facts.command_of_tasks;

	for (size_t i = 0; i < perf->events.n; i++)
		tasks |= perf->events.items[i].attr.enable_on_exec;
	return perf->facts.of_tasks || (tasks && !perf->facts.of_all);
}

/* The reason why no sample is of a switch; NULL: none is known. */
static const char *explain_events(const struct replay_perf *perf)
{
	const struct perfdata_events *events = &perf->events;
	bool counted = false, switches = false, nameless = false;

	for (size_t i = 0; i < events->n; i++) {
		const struct perfdata_event *event = &events->items[i];
		if (replay_plan_is_switch(event))
			return NULL;
		counted |= replay_plan_counts_switches(event);
		switches |= event->attr.context_switch;
		nameless |= event->attr.type == PERF_TYPE_TRACEPOINT && !event->name[0];
	}
	if (counted)
		return "Not every context switch was recorded.";
	if (switches)
		return "Its switches have no counts (--switch-events).";
	if (nameless && perf->kind.state->live)
		return "A pipe has the names of tracepoints too late: give the file.";
	if (nameless)
		return "Its tracepoints have no names.";
	return "No context switches were recorded.";
}

static const char *remedy(const struct replay_perf *perf)
{
	return replay_plan_remedy(&perf->events, &perf->facts);
}

/* Why a recording without samples of switches, or of a part of the machine, has no run times. */
static const char *explain_recording(const struct replay_perf *perf)
{
	const char *why = explain_events(perf);

	if (is_of_tasks(perf))
		return "Only some tasks were recorded, not the whole machine.";
	if (perf->facts.of_cgroup)
		return "Only some cgroups were recorded (-G), not the whole machine.";
	return why ? why : "It has no sample of a context switch.";
}

/* The fields that a sample of a switch needs; NULL: it has them. */
static const char *judge_sample(const struct replay_perf *perf)
{
	const struct perfdata_sample *sample = &perf->sample;

	if (!(sample->has & PERF_SAMPLE_TIME))
		return "Its samples have no times.";
	if (!(sample->has & PERF_SAMPLE_CPU) || !(sample->has & PERF_SAMPLE_TID))
		return "Its samples lack the task or the CPU.";
	if (replay_plan_leader(&perf->events, sample)->attr.write_backward)
		return "It was recorded with --overwrite.";
	return NULL;
}

/* Of several groups, that with most values is shown. */
static void choose_plan(struct replay_perf *perf)
{
	const struct perfdata_sample *sample = &perf->sample;
	struct error ignored;

	perf->why_profile = judge_sample(perf);
	if (perf->why_profile)
		return;
	if (perf->best == 0 || sample->time_ns < perf->first_ns)
		perf->first_ns = sample->time_ns;
	if (sample->cpu < REPLAY_CPUS_MAX && sample->cpu >= perf->n_cpus)
		perf->n_cpus = sample->cpu + 1;
	if (perf->best > sample->n_values)
		return;
	perf->best = sample->n_values + 1;
	replay_plan_fini(&perf->plan);
	if (perf->kind.state->pmus.n == 0)
		replay_plan_pmus(&perf->events, &perf->facts, &perf->kind.state->pmus);
	const struct replay_plan_source source = {
		.events = &perf->events,
		.sample = sample,
		.facts = &perf->facts,
		.pmus = &perf->kind.state->pmus,
		.states = replay_perf_switch_format(perf) != NULL,
	};
	if (replay_plan_init(&perf->plan, &source, &ignored) < 0)
		perf->why_profile = "Its samples of context switches do not count them.";
}

static bool samples_switches(const struct perfdata_events *events)
{
	for (size_t i = 0; i < events->n; i++)
		if (replay_plan_is_switch(&events->items[i]))
			return true;
	return false;
}

static void inspect_sample(struct replay_perf *perf, struct record *record)
{
	if (is_of_tasks(perf) || perf->facts.of_cgroup) {
		perf->why_profile = explain_recording(perf);
	} else if (replay_plan_leader(&perf->events, &perf->sample)) {
		choose_plan(perf);
		replay_perf_raw(perf, record);
	} else if (!samples_switches(&perf->events)) {
		perf->why_profile = explain_recording(perf);
	}
}

/* The first file with samples of switches has the plan. */
static int inspect_next_file(struct replay_perf *perf, const struct perf_event_header *header)
{
	if (perf->best > 0) {
		replay_lead_keep(&perf->lead, header);
		perf->round = true;
	} else {
		perfdata_events_fini(&perf->events);
		replay_lead_fini(&perf->lead);
	}
	return 0;
}

static int inspect_record(struct replay_perf *perf, const struct perf_event_header *header,
			  struct error *err)
{
	struct record record;

	if (header->type == PERFDATA_NEXT_FILE)
		return inspect_next_file(perf, header);
	if (perfdata_events_add(&perf->events, header) < 0)
		return error_set(err, -EBADMSG,
				 "The recording is broken: the description of its events is "
				 "invalid.");
	if (header->type == PERFDATA_ATTR || header->type == PERFDATA_UPDATE)
		return 0;
	perfdata_build_ids_add(&perf->build_ids, header);
	if (replay_facts_parse(&perf->facts, header))
		return 0;
	/* The descriptions of all events come before the first record of the kernel. */
	if (header->type < PERFDATA_ATTR && explain_events(perf))
		perf->why_profile = explain_events(perf);
	if (header->type == PERF_RECORD_SAMPLE && !perf->why_profile) {
		if (perfdata_decode(&perf->events, header, &record, &perf->sample) < 0)
			return error_set(err, -EBADMSG,
					 "The recording is broken: a sample does "
					 "not fit its event.");
		inspect_sample(perf, &record);
	}
	perf->samples += header->type == PERF_RECORD_SAMPLE;
	perf->round |= header->type == PERFDATA_ROUND && perf->best > 0;
	replay_lead_keep(&perf->lead, header);
	return 0;
}

static void note_plan(struct replay_perf *perf)
{
	struct notes *notes = &perf->kind.state->notes;

	if (perf->plan.n_members < 2)
		notes_add(notes, "Context switches alone were recorded: counts need %s",
			  remedy(perf));
	else if (!perf->plan.alone)
		notes_add(notes,
			  "Other hardware events were recorded beside this group. If they took "
			  "turns on the counters, short slices contain counts of several tasks.");
}

/* A task without a record is unknown: it may exist. */
static int check_target(const struct replay_perf *perf, struct error *err)
{
	const struct target_spec *target = &perf->kind.state->config->target;

	if (target->user)
		return error_set(err, -EINVAL,
				 "perf does not record users. Option -u needs a recording of "
				 "pmctop: pmctop --record FILE");
	if (target->cgroup && !replay_cgroups_in_samples(&perf->events))
		return error_set(err, -EINVAL,
				 "perf recorded no cgroups: for -G, record with --all-cgroups.");
	return 0;
}

/* Whether each wake-up made a sample. The kernel has sched_waking from 4.3 on. */
static bool has_wakeups(const struct replay_perf *perf)
{
	bool found = false;

	for (size_t i = 0; i < perf->events.n; i++) {
		const struct perfdata_event *event = &perf->events.items[i];
		found |=
			(replay_plan_is_tracepoint(event, "sched:sched_waking") ||
			 replay_plan_is_tracepoint(event, "sched:sched_wakeup")) &&
			replay_plan_samples_all(event) &&
			perfdata_reader_waking_format(perf->kind.state->reader, event->attr.config);
	}
	return found && !perf->other_numbers;
}

static void begin_waits(struct replay_perf *perf)
{
	struct replay_state *state = perf->kind.state;
	struct waits *waits = &perf->waits;

	state->stub.now_ns = perf->first_ns;
	waits_init(waits, state->sys, state->tasks, perf->n_cpus);
	waits->wakeups = has_wakeups(perf);
	waits->recorded = true;
	waits_begin(waits, perf->plan.plan, &perf->plan.events);
	if (!waits_wanted(waits))
		return;
	if (!waits->wakeups)
		notes_add(&state->notes, "Wake-ups were not recorded: times in run queues are "
					 "lower bounds (?). perf sched record has them.");
	attrib_log_slices(state->attrib, &waits->log);
	perf->slices.log = &waits->log;
}

/* Creates the state for the chosen group. */
static int open_state(struct replay_perf *perf, struct error *err)
{
	struct replay_state *state = perf->kind.state;

	if (perf->facts.n_cpus > perf->n_cpus)
		perf->n_cpus = perf->facts.n_cpus;
	if (perf->facts.n_cpus == 0 && perf->n_cpus < REPLAY_CPUS_UNSTATED)
		perf->n_cpus = REPLAY_CPUS_UNSTATED;
	perf->cpus = xcalloc(perf->n_cpus, sizeof(*perf->cpus));
	perf->reading =
		xcalloc(READING_VALUES + replay_perf_layout(perf)->n_values, sizeof(uint64_t));
	perf->over = true;

	replay_state_open_range(state, perf->n_cpus);
	perf->slices = (struct replay_slices){
		.attrib = state->attrib,
		.tasks = state->tasks,
		.interval = &state->interval,
		.notes = &state->notes,
		.layout = replay_perf_layout(perf),
		.live = state->live,
	};
	replay_slices_init(&perf->slices, perf->n_cpus, perf->first_ns);
	begin_waits(perf);
	state->mode = COUNT_MODE_SYSTEM;
	state->cpu = perf->facts.cpu;
	text_copy(state->host, sizeof(state->host), perf->facts.host);
	for (size_t i = 0; i < perf->plan.events.n; i++)
		if (perf->plan.events.items[i].kind == EVENT_HARDWARE)
			text_copy(state->pmu, sizeof(state->pmu), state->pmus.items[0].name);
	note_plan(perf);
	struct replay_columns columns = {
		.plan = plan_ref(perf->plan.plan),
		.no_facts = true,
	};
	event_set_copy(&columns.events, &perf->plan.events);
	return replay_state_columns(state, &columns, err);
}

int replay_perf_open(struct replay_state *state, const struct perf_event_header *record,
		     struct replay_kind **kind, struct error *err)
{
	struct replay_perf *perf = xcalloc(1, sizeof(*perf));

	perf->kind = (struct replay_kind){.ops = &replay_perf_ops, .state = state};
	*kind = &perf->kind;
	return inspect_record(perf, record, err);
}

/* Reads to the end of the first round: then all groups are known. */
int replay_perf_begin(struct replay_kind **kind, struct error *err)
{
	struct replay_perf *perf = replay_perf_of(*kind);
	const struct perf_event_header *record;
	int result = 1;

	while (!perf->round && !perf->why_profile && perf->lead.n <= REPLAY_LEAD_BYTES &&
	       (result = replay_state_read(perf->kind.state, &record, err)) > 0) {
		int rc = inspect_record(perf, record, err);
		if (rc < 0)
			return rc;
	}
	if (result == -EAGAIN)
		return result;
	/* The defect is reported after all records before it. */
	if (perf->samples == 0 && result < 0)
		return result;
	/* The recorded threads may be listed at the end (--tail-synthesize). */
	if (!perf->why_profile && (perf->best == 0 || is_of_tasks(perf)))
		perf->why_profile = explain_recording(perf);
	result = check_target(perf, err);
	if (result < 0)
		return result;
	return perf->why_profile ? replay_profile_begin(kind, err) : open_state(perf, err);
}
