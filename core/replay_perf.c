// SPDX-License-Identifier: MIT
/*
 * What perf recorded of every context switch, as live: the difference of two readings of a CPU is
 * the slice of the task that the second one names. The first reading of a CPU is where it begins.
 */
#include "perfdata_sample.h"
#include "replay_cgroups.h"
#include "replay_facts.h"
#include "replay_part.h"
#include "replay_plan.h"
#include "replay_slices.h"
#include "util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	CPUS_UNTOLD = 1024,     /* where a recording does not tell how many there may be */
	FIRST_BYTES = 16 << 20, /* of what stands before the first switch is known */
	OTHERS_MOST = 16,
};

/* One CPU: what its samples were like so far. */
struct perf_cpu {
	uint64_t id;       /* of N in its samples, once they are known to fit the plan; else 0 */
	uint64_t seen_ns;  /* the latest of its samples */
	uint64_t switches; /* counted here, where samples don't */
	uint64_t missed;   /* that other events' samples tell of, and the group's do not */
	unsigned others;   /* such samples since the group's last one */
};

struct replay_perf {
	struct replay_kind kind;
	struct perfdata_events events;
	struct replay_facts facts;
	struct replay_cgroups cgroups;
	struct replay_plan plan; /* once there is a sample that tells */
	struct replay_slices slices;
	struct perf_cpu *cpus; /* by number */
	size_t n_cpus;
	/* The first records, of which it was found out what is counted: they are read again. */
	unsigned char *first;
	size_t first_bytes, first_capacity, first_at;
	size_t best; /* most values of a sample of a switch so far, + 1; 0: none came */
	uint64_t first_ns;
	bool round; /* a round was finished since the first such sample */

	bool over;            /* the interval under way was handed out */
	struct error failure; /* why nothing more can be read; code 0: the end */
	uint64_t lost;
	uint64_t *reading; /* scratch: of the plan's group */
	struct perfdata_sample sample;
};

static struct replay_perf *self_of(struct replay_kind *kind)
{
	return (struct replay_perf *)kind;
}

static const struct attrib_layout *layout_of(const struct replay_perf *perf)
{
	return &perf->plan.plan->groups[0].layout;
}

/* ---- records */

/* What perf writes of tasks that were there already has no time. */
static void take_task_before(struct replay_perf *perf, struct record *record)
{
	struct tasks *tasks = perf->kind.part->tasks;
	struct task *task;

	record->time_ns = 1;
	if (record->kind == RECORD_FORK) {
		task = tasks_fork(tasks, record);
		task->start_ns = 0;
	} else if (record->kind == RECORD_COMM) {
		task = tasks_comm(tasks, record);
		/* The parent of all kernel threads: from it they are known to be such. */
		task->kernel |= task->tid == 2 && strcmp(task->comm, "kthreadd") == 0;
	}
}

static void take_other(struct replay_perf *perf, const struct perf_event_header *header,
		       struct record *record)
{
	const struct perfdata_sample *sample = &perf->sample;
	bool on_cpu = (sample->has & PERF_SAMPLE_CPU) && sample->cpu < perf->n_cpus;
	size_t cpu = on_cpu ? sample->cpu : 0;

	if (record->kind == RECORD_LOST) {
		/* What the kernel has told of already perf adds up once more in the end. */
		if (header->type == PERF_RECORD_LOST_SAMPLES && perf->lost > 0)
			return;
		perf->lost += record->lost.records;
		for (size_t i = 0; i < perf->n_cpus; i++)
			if (!on_cpu || i == cpu)
				perf->cpus[i].switches++;
		if (record->time_ns == 0)
			record->time_ns = perf->slices.begin_ns;
	}
	if (record->time_ns == 0)
		take_task_before(perf, record);
	else
		replay_slices_put(&perf->slices, cpu, record);
}

static int refuse_cpu(const struct perfdata_sample *sample, struct error *err)
{
	return error_set(err, -EOPNOTSUPP,
			 "CPU %u was recorded with other counters than the CPUs before it. Record "
			 "CPUs of one kind: perf record -C CPUS -e '{...}:S' -c 1",
			 sample->cpu);
}

/*
 * A sample of somebody else's event, which the kernel made instead of ours. Where samples count
 * switches they tell themselves that one is missing.
 */
static void take_stranger(struct replay_perf *perf)
{
	for (size_t i = 0; perf->plan.switches_at < 0 && i < perf->n_cpus; i++)
		perf->cpus[i].switches++;
}

/* A switch that another event samples too: the group must have a sample of it as well. */
static int take_switch_beside(struct perf_cpu *cpu, const struct perfdata_sample *sample,
			      struct error *err)
{
	if (!cpu->id && cpu->others >= OTHERS_MOST)
		return refuse_cpu(sample, err);
	cpu->others++;
	return 0;
}

/* Whether the sample is of the plan's group; -errno where it should be, and counts other events. */
static int is_of_plan(struct replay_perf *perf, struct perf_cpu *cpu, struct error *err)
{
	const struct perfdata_sample *sample = &perf->sample;
	const struct replay_plan *plan = &perf->plan;
	uint64_t id = sample->id;

	if (sample->n_values == plan->n_members && plan->switches_at >= 0)
		id = sample->values[plan->switches_at].id;
	if (id && id == cpu->id && sample->n_values == plan->n_members)
		return 1;
	const struct perfdata_event *leader = replay_plan_leader(&perf->events, sample);
	if (!leader)
		return 0;
	if ((size_t)(leader - perf->events.items) != plan->leader)
		return take_switch_beside(cpu, sample, err);
	if (!replay_plan_fits(plan, &perf->events, sample))
		return refuse_cpu(sample, err);
	cpu->id = id;
	return 1;
}

/* Whoever ran is in the cgroup that its sample names. */
static void take_cgroup(struct replay_perf *perf, const struct perf_event_header *header)
{
	const struct perfdata_sample *sample = &perf->sample;
	const char *path = replay_cgroups_of(&perf->cgroups, header, sample);
	struct tasks *tasks = perf->kind.part->tasks;

	if (path && sample->tid > 0)
		tasks_move(tasks, tasks_at(tasks, sample->pid, sample->tid, sample->time_ns), path);
}

static int take_switch(struct replay_perf *perf, const struct perf_event_header *header,
		       struct error *err)
{
	const struct perfdata_sample *sample = &perf->sample;
	const struct attrib_layout *layout = layout_of(perf);

	if (!sample->event || !(sample->has & PERF_SAMPLE_CPU)) {
		take_stranger(perf);
		return 0;
	}
	if (sample->cpu >= perf->n_cpus) {
		notes_add(&perf->kind.part->notes,
			  "CPU %u and above are not shown: the recording "
			  "says that there are fewer.",
			  sample->cpu);
		return 0;
	}
	struct perf_cpu *cpu = &perf->cpus[sample->cpu];
	int of_plan = is_of_plan(perf, cpu, err);
	if (of_plan <= 0)
		return of_plan;
	take_cgroup(perf, header);
	if (cpu->others > 1)
		cpu->missed += cpu->others - 1;
	cpu->others = 0;
	cpu->switches++;
	/* Two clocks may differ by a little where an interrupt came between; time goes on. */
	if (sample->time_ns > cpu->seen_ns)
		cpu->seen_ns = sample->time_ns;
	replay_plan_read(&perf->plan, sample, cpu->seen_ns, cpu->switches, perf->reading);
	perf->reading[READING_VALUES + layout->switch_value] += cpu->missed;
	replay_slices_put(
		&perf->slices, sample->cpu,
		&(struct record){
			.kind = RECORD_SAMPLE,
			.time_ns = cpu->seen_ns,
			.pid = sample->pid,
			.tid = sample->tid,
			.sample = {.reading = perf->reading, .n_values = layout->n_values},
		});
	return 0;
}

/* Whether a record is of any interest at all: most that are not are told by their type. */
static bool is_told(uint32_t type)
{
	switch (type) {
	case PERF_RECORD_SAMPLE:
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_LOST:
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
	case PERF_RECORD_LOST_SAMPLES:
	case PERFDATA_ROUND:
		return true;
	}
	return false;
}

static int take(struct replay_perf *perf, const struct perf_event_header *header, struct error *err)
{
	struct record record;

	if (!is_told(header->type)) {
		replay_cgroups_take(&perf->cgroups, header);
		return 0;
	}
	if (header->type == PERFDATA_ROUND) {
		replay_slices_round(&perf->slices);
		return 0;
	}
	if (perfdata_decode(&perf->events, header, &record, &perf->sample) < 0)
		return error_set(err, -EBADMSG,
				 "The recording is broken: a record does not fit "
				 "its kind.");
	if (header->type != PERF_RECORD_SAMPLE)
		take_other(perf, header, &record);
	else
		return take_switch(perf, header, err);
	return 0;
}

/* ---- intervals */

static void note_interval(struct replay_perf *perf)
{
	const struct interval *interval = &perf->kind.part->interval;
	struct notes *notes = &perf->kind.part->notes;

	if (interval->lost_records > 0)
		notes_add_urgent(notes, "perf lost records: what ran meanwhile is unattributed, "
					"and ? marks what it touched. A larger buffer (perf "
					"record -m 4M) helps.");
	else if (interval->untold > 0)
		notes_add(notes, "Some context switches made no record: what ran around them is "
				 "unattributed, and ? marks it.");
	if (interval->contended_ns > 0)
		notes_add(notes, "The counters were shared with another profiler when this was "
				 "recorded: what ran meanwhile is unattributed.");
}

static void end_interval(struct replay_perf *perf)
{
	struct replay_part *part = perf->kind.part;
	const struct replay_facts *facts = &perf->facts;
	struct interval *interval = &part->interval;

	replay_slices_end(&perf->slices);
	interval_sum_cpus(interval);
	note_interval(perf);
	uint64_t time_ns = perf->slices.until_ns;
	part->sequence++;
	part->time_ns = time_ns;
	part->realtime_ns =
		facts->realtime_ns ? facts->realtime_ns + (time_ns - facts->clock_ns) : 0;
	part->length_ns = interval_counted_ns(interval, time_ns - perf->slices.begin_ns);
	part->lost_records = interval->lost_records;
	part->nowhere.now_ns = time_ns;
	part->nowhere.realtime_ns = part->realtime_ns;
	perf->over = true;
}

static void begin_interval(struct replay_perf *perf)
{
	struct replay_part *part = perf->kind.part;

	tasks_forget(part->tasks, perf->slices.begin_ns);
	interval_reset(&part->interval);
	replay_slices_begin(&perf->slices, part->interval_ns);
	perf->over = false;
}

/* ---- the kind */

/* Records are read where words are, also behind one that is broken and none of its size. */
static size_t room_of(const struct perf_event_header *header)
{
	return (header->size + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
}

static int next_record(struct replay_perf *perf, const struct perf_event_header **header,
		       struct error *err)
{
	if (perf->first_at < perf->first_bytes) {
		const void *bytes = perf->first + perf->first_at;

		*header = bytes;
		perf->first_at += room_of(*header);
		return 1;
	}
	if (perf->first) {
		free(perf->first);
		perf->first = NULL;
	}
	return replay_part_read(perf->kind.part, header, err);
}

static int perf_advance(struct replay_kind *kind, struct error *err)
{
	struct replay_perf *perf = self_of(kind);
	const struct perf_event_header *header;

	if (perf->over)
		begin_interval(perf);
	for (;;) {
		if (replay_slices_are_over(&perf->slices)) {
			end_interval(perf);
			return 1;
		}
		if (perf->slices.ended) {
			*err = perf->failure;
			return perf->failure.code;
		}
		int result = next_record(perf, &header, &perf->failure);
		if (result == -EAGAIN)
			return result;
		if (result > 0 && take(perf, header, &perf->failure) == 0)
			continue;
		perf->slices.ended = true;
		if (result <= 0)
			perf->failure.code = result;
	}
}

/* ---- opening */

static void keep(struct replay_perf *perf, const struct perf_event_header *header)
{
	size_t room = room_of(header);

	perf->first =
		array_reserve(perf->first, &perf->first_capacity, perf->first_bytes + room, 1);
	memcpy(perf->first + perf->first_bytes, header, header->size);
	perf->first_bytes += room;
}

static int refuse(const struct replay_perf *perf, struct error *err)
{
	bool switches = false, every = false;

	for (size_t i = 0; i < perf->events.n; i++) {
		const struct perf_event_attr *attr = &perf->events.items[i].attr;
		switches |= attr->type == PERF_TYPE_SOFTWARE &&
			    attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES;
		every |= replay_plan_is_switch(attr);
	}
	if (perf->facts.of_tasks)
		return error_set(err, -EOPNOTSUPP,
				 "Only some tasks were recorded. Record the whole machine: %s",
				 REPLAY_PLAN_REMEDY);
	if (perf->facts.of_cgroup)
		return error_set(err, -EOPNOTSUPP,
				 "Only some cgroups were recorded (-G). Record the whole machine: "
				 "%s",
				 REPLAY_PLAN_REMEDY);
	if (every)
		return error_set(err, -EOPNOTSUPP, "The recording has not one context switch.");
	return error_set(err, -EOPNOTSUPP, "%s in it: who ran when is not known. Record with: %s",
			 switches ? "Not every context switch is" : "There are no context switches",
			 REPLAY_PLAN_REMEDY);
}

/* What a switch's sample must tell. */
static int judge(const struct perfdata_sample *sample, struct error *err)
{
	if (!(sample->has & PERF_SAMPLE_TIME))
		return error_set(err, -EOPNOTSUPP, "Its samples have no times. Record with: %s",
				 REPLAY_PLAN_REMEDY);
	if (!(sample->has & PERF_SAMPLE_CPU) || !(sample->has & PERF_SAMPLE_TID))
		return error_set(err, -EOPNOTSUPP,
				 "Its samples do not tell who ran on which CPU. Record with: %s",
				 REPLAY_PLAN_REMEDY);
	return 0;
}

/* Of several groups the one that counts most is shown. */
static int choose(struct replay_perf *perf, struct error *err)
{
	const struct perfdata_sample *sample = &perf->sample;

	if (judge(sample, err) < 0)
		return err->code;
	if (perf->best == 0 || sample->time_ns < perf->first_ns)
		perf->first_ns = sample->time_ns;
	if (sample->cpu < REPLAY_CPUS_MAX && sample->cpu >= perf->n_cpus)
		perf->n_cpus = sample->cpu + 1;
	if (perf->best > sample->n_values)
		return 0;
	perf->best = sample->n_values + 1;
	replay_plan_fini(&perf->plan);
	if (perf->kind.part->pmus.n == 0)
		replay_plan_pmus(&perf->events, &perf->facts, &perf->kind.part->pmus);
	return replay_plan_init(&perf->plan, &perf->events, sample, &perf->facts,
				&perf->kind.part->pmus, err);
}

static int look_at(struct replay_perf *perf, const struct perf_event_header *header,
		   struct error *err)
{
	struct record record;

	if (header->type == PERFDATA_ATTR || header->type == PERFDATA_UPDATE) {
		int result = perfdata_events_add(&perf->events, header);
		return result < 0 ? error_set(err, result,
					      "The recording is broken: what it says "
					      "of its events makes no sense.")
				  : 0;
	}
	if (replay_facts_take(&perf->facts, header) ||
	    replay_cgroups_take(&perf->cgroups, header) || !is_told(header->type))
		return 0;
	if (header->type == PERF_RECORD_SAMPLE) {
		if (perf->facts.of_tasks || perf->facts.of_cgroup)
			return refuse(perf, err);
		if (perfdata_decode(&perf->events, header, &record, &perf->sample) < 0)
			return error_set(err, -EBADMSG,
					 "The recording is broken: a sample does "
					 "not fit its event.");
		if (!replay_plan_leader(&perf->events, &perf->sample)) {
			for (size_t i = 0; i < perf->events.n; i++)
				if (replay_plan_is_switch(&perf->events.items[i].attr))
					return 0;
			return refuse(perf, err);
		}
		int result = choose(perf, err);
		if (result < 0)
			return result;
	}
	perf->round |= header->type == PERFDATA_ROUND && perf->best > 0;
	keep(perf, header);
	return 0;
}

static void note_plan(struct replay_perf *perf)
{
	struct notes *notes = &perf->kind.part->notes;

	if (perf->plan.n_members < 2)
		notes_add(notes,
			  "Context switches alone were recorded: counts need " REPLAY_PLAN_REMEDY);
	else if (!perf->plan.alone)
		notes_add(notes, "Other hardware events were recorded beside the group that is "
				 "shown: if they took turns on the counters, counts of short "
				 "slices are of several tasks.");
}

/* Whom nobody told of is unknown, and does not count as nobody. */
static int check_target(const struct replay_perf *perf, struct error *err)
{
	const struct target_spec *target = &perf->kind.part->config->target;

	if (target->user)
		return error_set(err, -EINVAL,
				 "perf recorded no users: -u is for recordings of pmctop's, made "
				 "with 'pmctop --record FILE'.");
	if (target->cgroup && !replay_cgroups_told(&perf->events))
		return error_set(err, -EINVAL,
				 "perf recorded no cgroups: for -G, record with --all-cgroups.");
	return 0;
}

/* What is counted is known: the part is made for it. */
static int show(struct replay_perf *perf, struct error *err)
{
	struct replay_part *part = perf->kind.part;

	if (perf->facts.n_cpus > perf->n_cpus)
		perf->n_cpus = perf->facts.n_cpus;
	if (perf->facts.n_cpus == 0 && perf->n_cpus < CPUS_UNTOLD)
		perf->n_cpus = CPUS_UNTOLD;
	perf->cpus = xcalloc(perf->n_cpus, sizeof(*perf->cpus));
	perf->reading = xcalloc(READING_VALUES + layout_of(perf)->n_values, sizeof(uint64_t));
	perf->over = true;

	int *numbers = xcalloc(perf->n_cpus, sizeof(*numbers));
	for (size_t i = 0; i < perf->n_cpus; i++)
		numbers[i] = (int)i;
	replay_part_open(part, numbers, perf->n_cpus);
	free(numbers);
	perf->slices = (struct replay_slices){
		.attrib = part->attrib,
		.interval = &part->interval,
		.notes = &part->notes,
		.layout = layout_of(perf),
		.live = part->live,
	};
	replay_slices_init(&perf->slices, perf->n_cpus, perf->first_ns);
	part->mode = "system";
	part->cpu = perf->facts.cpu;
	text_copy(part->host, sizeof(part->host), perf->facts.host);
	for (size_t i = 0; i < perf->plan.events.n; i++)
		if (perf->plan.events.items[i].kind == EVENT_HARDWARE)
			text_copy(part->pmu, sizeof(part->pmu), part->pmus.items[0].name);
	note_plan(perf);
	struct replay_columns columns = {.plan = plan_ref(perf->plan.plan)};
	event_set_copy(&columns.events, &perf->plan.events);
	return replay_part_columns(part, &columns, err);
}

static int perf_open(struct replay_part *part, const struct perf_event_header *record,
		     struct replay_kind **kind, struct error *err)
{
	struct replay_perf *perf = xcalloc(1, sizeof(*perf));

	perf->kind = (struct replay_kind){.ops = &replay_perf_ops, .part = part};
	*kind = &perf->kind;
	return look_at(perf, record, err);
}

/* Reads up to the end of the first round: then it is known which groups there are. */
static int perf_begin(struct replay_kind *kind, struct error *err)
{
	struct replay_perf *perf = self_of(kind);
	const struct perf_event_header *record;
	int result = 1;

	while (!perf->round && perf->first_bytes <= FIRST_BYTES &&
	       (result = replay_part_read(kind->part, &record, err)) > 0) {
		int told = look_at(perf, record, err);
		if (told < 0)
			return told;
	}
	if (result == -EAGAIN)
		return result;
	/* What it broke off with is told when all before that has been. */
	if (perf->best == 0)
		return result < 0 ? result : refuse(perf, err);
	result = check_target(perf, err);
	return result < 0 ? result : show(perf, err);
}

static void perf_free(struct replay_kind *kind)
{
	struct replay_perf *perf = self_of(kind);

	perfdata_events_fini(&perf->events);
	replay_facts_fini(&perf->facts);
	replay_cgroups_fini(&perf->cgroups);
	replay_plan_fini(&perf->plan);
	replay_slices_fini(&perf->slices);
	free(perf->cpus);
	free(perf->first);
	free(perf->reading);
	free(perf);
}

const struct replay_kind_ops replay_perf_ops = {
	.open = perf_open,
	.begin = perf_begin,
	.advance = perf_advance,
	.free = perf_free,
};
