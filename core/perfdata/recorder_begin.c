// SPDX-License-Identifier: MIT
/*
 * What a file contains before the first interval: the head, NATIVE_BEGIN and the PMUs, the columns
 * (NATIVE_PLAN with its events, groups, named metrics and columns), the attrs of the opened events,
 * and perf's features. Each file has all of it, so that each can be replayed alone.
 */
#include "core/perfdata/recorder_internal.h"

#include "core/base/hash_table.h"
#include "core/base/util.h"
#include "core/base/version.h"
#include "core/perfdata/perfdata_tracing.h"
#include "core/perfdata/recording_file.h"
#include "core/sys/cpu_facts.h"
#include "core/sys/cpu_name.h"
#include "core/sys/cpus.h"
#include "core/sys/proc.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The time in a file name, as `perf record --switch-output` writes it, but in UTC. */
static void make_stamp(uint64_t realtime_ns, char *stamp, size_t size)
{
	time_t seconds = (time_t)(realtime_ns / NS_PER_S);
	unsigned hundredths = (unsigned)(realtime_ns % NS_PER_S / (NS_PER_S / 100));
	struct tm utc;

	gmtime_r(&seconds, &utc);
	size_t length = strftime(stamp, size, "%Y%m%d%H%M%S", &utc);
	snprintf(stamp + length, size - length, "%02u", hundredths);
}

static void add_file_feature(struct recorder *recorder, enum perfdata_feature feature,
			     const char *path)
{
	char text[256];

	if (sys_file_read(recorder->sys, path, text, sizeof(text)) <= 0)
		return;
	text[strcspn(text, "\n")] = '\0';
	perfdata_text_feature(recorder->data, feature, text);
}

static void add_features(struct recorder *recorder)
{
	const struct sys *sys = recorder->sys;
	struct cpu_list online, possible;
	char text[4096];
	uint64_t kib;

	add_file_feature(recorder, PERFDATA_HOSTNAME, "/proc/sys/kernel/hostname");
	add_file_feature(recorder, PERFDATA_OSRELEASE, "/proc/sys/kernel/osrelease");
	add_file_feature(recorder, PERFDATA_ARCH, "/proc/sys/kernel/arch");
	snprintf(text, sizeof(text), "pmctop %s", version);
	perfdata_text_feature(recorder->data, PERFDATA_VERSION, text);
	if (cpus_online(sys, &online) == 0) {
		if (cpus_possible(sys, &possible) == 0) {
			perfdata_cpus_feature(recorder->data, possible.n, online.n);
			cpu_list_fini(&possible);
		}
		cpu_list_fini(&online);
	}
	cpu_name_read(sys, text, sizeof(text));
	if (text[0])
		perfdata_text_feature(recorder->data, PERFDATA_CPUDESC, text);
	if (proc_field_number(sys, "/proc/meminfo", "MemTotal", &kib) == 0)
		perfdata_memory_feature(recorder->data, kib);
	ssize_t length = sys_file_read(sys, "/proc/self/cmdline", text, sizeof(text));
	if (length > 0)
		perfdata_command_feature(recorder->data, text, (size_t)length);
}

static void put_cpus_text(struct perfdata *data, const struct cpu_list *cpus)
{
	char *text = cpu_list_text(cpus);

	perfdata_text(data, text);
	free(text);
}

bool recorder_has_raw(const struct recorder *recorder)
{
	return recorder->tracing.n > 0;
}

/* If samples have RAW parts, reserves space for the head of a file in perf's usual format. */
static void begin_tracing(struct recorder *recorder, const struct switch_event *switches)
{
	const struct switch_texts *texts = switch_event_texts(switches);

	recorder->tracing.n = 0;
	recorder->traced = false;
	if (!texts)
		return;
	perfdata_tracing(&recorder->tracing, texts);
	perfdata_native_begin(recorder->data, NATIVE_ROOM);
	perfdata_word(recorder->data, 0);
	perfdata_native_end(recorder->data);
	static_assert(sizeof(struct perfdata_head) + sizeof(struct native_head) +
				      sizeof(uint64_t) ==
			      sizeof(struct perfdata_file_head),
		      "NATIVE_ROOM");
}

static void put_cpu_facts(struct recorder *recorder, struct cpu_facts *cpu)
{
	perfdata_native_begin(recorder->data, NATIVE_CPU_FACTS);
	perfdata_word(recorder->data, CPU_FACTS);
	for (enum cpu_fact i = 0; i < CPU_FACTS; i++)
		perfdata_word(recorder->data, cpu_facts_get(cpu, i));
	perfdata_native_end(recorder->data);
}

void recorder_begin(struct recorder *recorder, const struct recorder_facts *facts)
{
	struct cpu_facts cpu;
	uint64_t realtime_ns = sys_realtime_ns(facts->sys);

	if (recorder->began) {
		recorder_put_end(recorder);
		recorder_flush(recorder);
		make_stamp(realtime_ns, recorder->stamp, sizeof(recorder->stamp));
	}
	cpu_facts_init(&cpu, facts->sys, facts->pmus);
	recorder->sys = facts->sys;
	recorder->began = true;
	recorder->began_bytes = recorder_bytes(recorder);
	recorder->began_ns = sys_now_ns(recorder->sys);
	columns_unref(recorder->columns);
	recorder->columns = NULL;
	memset(recorder->row_hashes, 0, RECORDER_ROW_SLOTS * sizeof(*recorder->row_hashes));
	recorder->notes_hash = recorder->target_hash = 0;
	recorder_begin_code(recorder);

	perfdata_head(recorder->data);
	recorder->featured = false;
	begin_tracing(recorder, facts->switches);
	perfdata_native_begin(recorder->data, NATIVE_BEGIN);
	perfdata_word(recorder->data, recorder_has_raw(recorder) ? PERFDATA_NATIVE_VERSION
								 : PERFDATA_NATIVE_VERSION_PLAIN);
	perfdata_word(recorder->data, recorder->began_ns);
	perfdata_word(recorder->data, realtime_ns);
	perfdata_word(recorder->data, cpu_facts_get(&cpu, CPU_FACT_SLOTS));
	perfdata_word(recorder->data, cpu_facts_kinds(&cpu));
	perfdata_word(recorder->data, facts->pmus->n);
	perfdata_word(recorder->data, facts->pmus->n_core);
	perfdata_text(recorder->data, count_mode_name(facts->mode));
	perfdata_text(recorder->data, facts->host);
	perfdata_text(recorder->data, facts->pmu);
	put_cpus_text(recorder->data, &facts->cpus);
	perfdata_native_end(recorder->data);
	for (size_t i = 0; i < facts->pmus->n; i++) {
		const struct pmu *pmu = &facts->pmus->items[i];
		perfdata_native_begin(recorder->data, NATIVE_PMU);
		perfdata_word(recorder->data, pmu->type);
		perfdata_word(recorder->data, pmu->kind);
		perfdata_text(recorder->data, pmu->name);
		put_cpus_text(recorder->data, &pmu->cpus);
		perfdata_native_end(recorder->data);
	}
	put_cpu_facts(recorder, &cpu);
}

static void put_plan(struct perfdata *data, const struct columns *columns)
{
	const struct plan *plan = columns->plan;

	perfdata_native_begin(data, NATIVE_PLAN);
	perfdata_word(data, columns->events.n);
	perfdata_word(data, plan->shape.n_counters);
	perfdata_word(data, plan->shape.n_groups);
	perfdata_word(data, plan->shape.n_domains);
	perfdata_word(data, columns->n_shown);
	perfdata_word(data, columns->n_preset);
	perfdata_word(data, columns->levels);
	perfdata_word(data, (uint64_t)(int64_t)plan->times_group);
	for (unsigned i = 0; i < plan->shape.n_counters; i++) {
		perfdata_word(data, plan->counters[i].event);
		perfdata_word(data, plan->counters[i].code);
		perfdata_word(data, plan->counters[i].group);
	}
	for (unsigned i = 0; i < plan->shape.n_domains; i++) {
		perfdata_word(data, plan->domains[i].pmu);
		perfdata_word(data, plan->domains[i].socket);
		perfdata_word(data, plan->domains[i].all_cpus);
		perfdata_word(data, plan->domains[i].first_group);
		perfdata_word(data, plan->domains[i].n_groups);
	}
	perfdata_text(data, columns->preset);
	perfdata_native_end(data);
}

static void put_event(struct perfdata *data, const struct event *event)
{
	perfdata_native_begin(data, NATIVE_EVENT);
	perfdata_word(data, event->kind);
	perfdata_word(data, event->leads);
	perfdata_word(data, event->state);
	perfdata_word(data, (uint64_t)(int64_t)event->answer);
	perfdata_double(data, event->scale);
	perfdata_word(data, event->n_codes);
	for (size_t i = 0; i < event->n_codes; i++) {
		perfdata_word(data, event->codes[i].pmu);
		perfdata_word(data, event->codes[i].state);
	}
	perfdata_text(data, event->name);
	perfdata_text(data, event->label);
	perfdata_text(data, event->unit);
	perfdata_native_end(data);
}

static void put_group(struct perfdata *data, const struct plan_group *group)
{
	perfdata_native_begin(data, NATIVE_GROUP);
	perfdata_word(data, group->domain);
	perfdata_word(data, group->n_members);
	for (size_t i = 0; i < group->n_members; i++)
		perfdata_word(data, (uint64_t)(int64_t)group->members[i]);
	perfdata_native_end(data);
}

static void put_column(struct perfdata *data, const struct metric *metric)
{
	const struct metric_def *def = metric->def;

	perfdata_native_begin(data, NATIVE_COLUMN);
	perfdata_word(data, def->kind);
	perfdata_word(data, def->better);
	perfdata_double(data, def->warn);
	perfdata_double(data, def->bad);
	perfdata_word(data, def->width);
	perfdata_word(data, def->decimals);
	perfdata_word(data, def->machine);
	perfdata_text(data, def->name);
	perfdata_text(data, metric->title);
	perfdata_text(data, def->group);
	perfdata_text(data, metric->expression);
	perfdata_text(data, def->unit);
	perfdata_text(data, def->help);
	perfdata_text(data, metric_format_name(def->format));
	perfdata_native_end(data);
}

/* Puts the metrics that a column's formula names, unless an earlier column's names them. */
static void put_named(struct perfdata *data, const struct metric *metric, struct hash_table *put)
{
	for (size_t i = 0; i < metric->n_named; i++) {
		struct metric_def *named = &metric->named[i];
		uint64_t key = hash_text(named->name);
		struct hash_slot *slot = hash_table_slot(put, key);

		while (slot->item &&
		       strcmp(((const struct metric_def *)slot->item)->name, named->name) != 0)
			slot = hash_table_next(put, slot);
		if (slot->item)
			continue;
		hash_table_add(put, key)->item = named;
		perfdata_native_begin(data, NATIVE_METRIC);
		perfdata_text(data, named->name);
		perfdata_text(data, named->forms[0].expression);
		perfdata_native_end(data);
	}
}

static void put_columns(struct perfdata *data, const struct columns *columns)
{
	struct hash_table put;

	put_plan(data, columns);
	for (size_t i = 0; i < columns->events.n; i++)
		put_event(data, &columns->events.items[i]);
	for (unsigned i = 0; i < columns->plan->shape.n_groups; i++)
		put_group(data, &columns->plan->groups[i]);
	hash_table_init(&put, 0);
	for (size_t i = 0; i < columns->n_shown; i++)
		put_named(data, &columns->metrics[i], &put);
	hash_table_fini(&put);
	for (size_t i = 0; i < columns->n_shown; i++)
		put_column(data, &columns->metrics[i]);
}

void recorder_columns(struct recorder *recorder, struct columns *columns)
{
	if (recorder->columns == columns)
		return;
	columns_unref(recorder->columns);
	recorder->columns = columns_ref(columns);
	put_columns(recorder->data, columns);
}

void recorder_event(struct recorder *recorder, const struct perf_event_attr *attr,
		    const struct event *event, const char *name, const uint64_t *ids, size_t n)
{
	struct perf_event_attr recorded = *attr;

	if (n == 0)
		return;
	/* perf requires equal attributes of all events, also of those without samples. */
	recorded.sample_type = PERFDATA_SAMPLE_TYPE | (attr->sample_type & PERF_SAMPLE_RAW);
	recorded.read_format = PERFDATA_READ_FORMAT;
	recorded.sample_id_all = 1;
	/* perf requires the format of every tracepoint. One without samples keeps only its name. */
	if (recorded.type == PERF_TYPE_TRACEPOINT && recorder_has_raw(recorder) &&
	    !(recorded.sample_type & PERF_SAMPLE_RAW)) {
		recorded.type = PERF_TYPE_SOFTWARE;
		recorded.config = PERF_COUNT_SW_DUMMY;
	}
	recorder->traced |= recorded.type == PERF_TYPE_TRACEPOINT && recorder_has_raw(recorder);
	perfdata_attr(recorder->data, &recorded, ids, n);
	perfdata_name(recorder->data, ids[0], name);
	if (event && event->unit[0])
		perfdata_unit(recorder->data, ids[0], event->unit, event->scale);
	recorder_flush_full(recorder);
}

void recorder_go(struct recorder *recorder)
{
	/* After the events: perf finds their formats in it. */
	if (recorder->traced)
		perfdata_append(recorder->data, recorder->tracing.bytes, recorder->tracing.n);
	recorder->traced = false;
	/* After the events: perf evlist stops at the first feature. */
	if (!recorder->featured)
		add_features(recorder);
	recorder->featured = true;
	recorder_flush(recorder);
}
