// SPDX-License-Identifier: MIT
#include "core/perfdata/recorder.h"

#include "core/base/util.h"
#include "core/base/version.h"
#include "core/perfdata/perfdata_columns.h"
#include "core/perfdata/perfdata_tracing.h"
#include "core/perfdata/recorder_internal.h"
#include "core/perfdata/recording_file.h"
#include "core/sys/cpu_model.h"
#include "core/sys/cpu_name.h"
#include "core/sys/cpus.h"
#include "core/sys/proc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PIECE_BYTES = 256 << 10 }; /* so much is handed on together */

int recorder_new(const struct recorder_spec *spec, struct recorder **out, struct error *err)
{
	struct recording_file *file;
	const struct recording_rules rules = {.switches = spec->switch_bytes || spec->switch_ns,
					      .keep = spec->switch_files};
	int result = recording_file_open(spec->path, &rules, &file, err);

	if (result < 0)
		return result;
	struct recorder *recorder = xcalloc(1, sizeof(*recorder));
	if (strcmp(spec->path, "-") != 0) {
		recorder->switch_bytes = spec->switch_bytes;
		recorder->switch_ns = spec->switch_ns;
	}
	recorder->file = file;
	recorder->data = recording_file_new_part(file);
	recorder->told = xcalloc(RECORDER_TOLD_MAX, sizeof(*recorder->told));
	*out = recorder;
	return 0;
}

void recorder_flush(struct recorder *recorder)
{
	if (recorder->data->n == 0)
		return;
	recording_file_append(recorder->file, recorder->data,
			      recorder->stamp[0] ? recorder->stamp : NULL);
	recorder->stamp[0] = '\0';
	recorder->data = recording_file_new_part(recorder->file);
}

static void put_end(struct recorder *recorder)
{
	if (!recorder->began)
		return;
	perfdata_native_begin(recorder->data, NATIVE_END);
	perfdata_native_end(recorder->data);
	recorder->began = false;
}

void recorder_end(struct recorder *recorder)
{
	put_end(recorder);
	recorder_flush(recorder);
	recording_file_end(recorder->file);
}

int recorder_finish(struct recorder *recorder, struct error *err)
{
	if (!recorder)
		return 0;
	recorder_end(recorder);
	recording_file_append(recorder->file, recorder->data, NULL);
	int result = recording_file_close(recorder->file, err);
	columns_unref(recorder->columns);
	perfdata_fini(&recorder->tracing);
	free(recorder->told);
	free(recorder);
	return result;
}

void recorder_free(struct recorder *recorder)
{
	recorder_finish(recorder, NULL);
}

int recorder_state(struct recorder *recorder, struct error *err)
{
	return recording_file_state(recorder->file, err);
}

uint64_t recorder_bytes(struct recorder *recorder)
{
	return recording_file_bytes(recorder->file) + recorder->data->n;
}

void recorder_flush_full(struct recorder *recorder)
{
	if (recorder->data->n >= PIECE_BYTES)
		recorder_flush(recorder);
}

/* ---- the beginning */

bool recorder_is_due(struct recorder *recorder)
{
	uint64_t bytes = recorder_bytes(recorder) - recorder->began_bytes;

	if (!recorder->began)
		return true;
	if (recorder->switch_bytes > 0 && bytes >= recorder->switch_bytes)
		return true;
	return recorder->switch_ns > 0 &&
	       sys_now_ns(recorder->sys) - recorder->began_ns >= recorder->switch_ns;
}

/* As perf stamps them, to a hundredth of a second; in UTC. */
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

/* Leaves room for the head of a file in perf's usual format, if samples have RAW parts. */
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

void recorder_begin(struct recorder *recorder, const struct recorder_facts *facts)
{
	uint64_t realtime_ns = sys_realtime_ns(facts->sys);

	if (recorder->began) {
		put_end(recorder);
		recorder_flush(recorder);
		make_stamp(realtime_ns, recorder->stamp, sizeof(recorder->stamp));
	}
	recorder->sys = facts->sys;
	recorder->began = true;
	recorder->began_bytes = recorder_bytes(recorder);
	recorder->began_ns = sys_now_ns(recorder->sys);
	columns_unref(recorder->columns);
	recorder->columns = NULL;
	memset(recorder->told, 0, RECORDER_TOLD_MAX * sizeof(*recorder->told));
	recorder->told_notes = recorder->told_target = 0;

	perfdata_head(recorder->data);
	recorder->featured = false;
	begin_tracing(recorder, facts->switches);
	perfdata_native_begin(recorder->data, NATIVE_BEGIN);
	perfdata_word(recorder->data, recorder_has_raw(recorder) ? PERFDATA_NATIVE_VERSION
								 : PERFDATA_NATIVE_VERSION_PLAIN);
	perfdata_word(recorder->data, recorder->began_ns);
	perfdata_word(recorder->data, realtime_ns);
	perfdata_word(recorder->data, cpu_slots_per_cycle(facts->sys, facts->pmus));
	perfdata_word(recorder->data, cpu_model_read(facts->sys));
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
}

/* ---- what is counted */

void recorder_columns(struct recorder *recorder, struct columns *columns)
{
	if (recorder->columns == columns)
		return;
	columns_unref(recorder->columns);
	recorder->columns = columns_ref(columns);
	perfdata_columns(recorder->data, columns);
}

void recorder_event(struct recorder *recorder, const struct perf_event_attr *attr,
		    const struct event *event, const char *name, const uint64_t *ids, size_t n)
{
	struct perf_event_attr told = *attr;

	if (n == 0)
		return;
	/* perf wants all of a file's events alike, those that only count too. */
	told.sample_type = PERFDATA_SAMPLE_TYPE | (attr->sample_type & PERF_SAMPLE_RAW);
	told.read_format = PERFDATA_READ_FORMAT;
	told.sample_id_all = 1;
	/* perf wants the format of every tracepoint. One that only counts keeps only its name. */
	if (told.type == PERF_TYPE_TRACEPOINT && recorder_has_raw(recorder) &&
	    !(told.sample_type & PERF_SAMPLE_RAW)) {
		told.type = PERF_TYPE_SOFTWARE;
		told.config = PERF_COUNT_SW_DUMMY;
	}
	recorder->traced |= told.type == PERF_TYPE_TRACEPOINT && recorder_has_raw(recorder);
	perfdata_attr(recorder->data, &told, ids, n);
	perfdata_name(recorder->data, ids[0], name);
	if (event && event->unit[0])
		perfdata_unit(recorder->data, ids[0], event->unit, event->scale);
	recorder_flush_full(recorder);
}

void recorder_open(struct recorder *recorder, const struct recorder_stream *stream,
		   const struct attrib_state *state)
{
	struct perfdata *data = recorder->data;
	const struct perfdata_stream *samples = stream->samples;

	perfdata_native_begin(data, NATIVE_OPEN);
	perfdata_word(data, stream->cpu);
	perfdata_word(data, (uint64_t)stream->number);
	perfdata_word(data, stream->group);
	perfdata_word(data, state->on);
	perfdata_word(data, state->origin_ns + samples->base[READING_ENABLED_NS]);
	perfdata_word(data, state->last_ns);
	perfdata_word(data, state->lost);
	perfdata_pid(data, state->runner.pid);
	perfdata_pid(data, state->runner.tid);
	perfdata_word(data, state->exit->time_ns);
	perfdata_pid(data, state->exit->pid);
	perfdata_pid(data, state->exit->tid);
	perfdata_word(data, state->came->time_ns);
	perfdata_pid(data, state->came->pid);
	perfdata_pid(data, state->came->tid);
	perfdata_pid(data, state->came->change.other_pid);
	perfdata_pid(data, state->came->change.other_tid);
	perfdata_word(data, samples->switch_id);
	perfdata_word(data, samples->tick_id);
	perfdata_word(data, samples->n_values);
	perfdata_words(data, samples->ids, samples->n_values);
	perfdata_native_end(data);
}

void recorder_close(struct recorder *recorder, size_t cpu)
{
	perfdata_native_begin(recorder->data, NATIVE_CLOSE);
	perfdata_word(recorder->data, cpu);
	perfdata_native_end(recorder->data);
}

void recorder_go(struct recorder *recorder)
{
	/* Behind the events, as perf looks up their formats here. */
	if (recorder->traced)
		perfdata_append(recorder->data, recorder->tracing.bytes, recorder->tracing.n);
	recorder->traced = false;
	/* Behind the events: perf evlist reads no further than the first of these. */
	if (!recorder->featured)
		add_features(recorder);
	recorder->featured = true;
	recorder_flush(recorder);
}

void recorder_drop(struct recorder *recorder, struct recorder_stream *stream)
{
	perfdata_drop(recorder->data, stream->samples);
	stream->samples = NULL;
}

/* ---- while an interval runs */

void recorder_records(struct recorder *recorder,
		      struct perfdata_stream *const streams[PERFDATA_STREAMS], struct ring *ring,
		      uint64_t from)
{
	struct ring_part parts[2];

	ring_consumed(ring, from, parts);
	perfdata_raw(recorder->data, streams, parts);
	recorder_flush_full(recorder);
}

void recorder_ahead(struct recorder *recorder, size_t cpu, const struct perf_event_header *header)
{
	perfdata_native_begin(recorder->data, NATIVE_AHEAD);
	perfdata_word(recorder->data, cpu);
	perfdata_record(recorder->data, header);
	perfdata_native_end(recorder->data);
}

void recorder_tick(struct recorder *recorder, const struct recorder_stream *stream,
		   const struct record *tick)
{
	perfdata_tick(recorder->data, stream->samples, stream->number, tick);
	recorder_flush_full(recorder);
}

void recorder_lost(struct recorder *recorder, uint64_t id, uint64_t records)
{
	perfdata_lost(recorder->data, id, records);
}

void recorder_pause(struct recorder *recorder, const struct recorder_stream *stream,
		    const uint64_t *reading, const struct attrib_runner *runner)
{
	struct perfdata *data = recorder->data;

	perfdata_native_begin(data, NATIVE_PAUSE);
	perfdata_word(data, stream->cpu);
	perfdata_word(data, stream->group);
	perfdata_word(data, runner != NULL);
	perfdata_pid(data, runner ? runner->pid : -1);
	perfdata_pid(data, runner ? runner->tid : -1);
	for (size_t i = 0; i < READING_VALUES + stream->samples->n_values; i++)
		perfdata_word(data, reading[i] - stream->samples->base[i]);
	perfdata_native_end(data);
}

void recorder_resume(struct recorder *recorder, const struct recorder_stream *stream,
		     uint64_t start_ns, uint64_t weight)
{
	perfdata_native_begin(recorder->data, NATIVE_RESUME);
	perfdata_word(recorder->data, stream->cpu);
	perfdata_word(recorder->data, stream->group);
	perfdata_word(recorder->data, start_ns);
	perfdata_word(recorder->data, weight);
	perfdata_native_end(recorder->data);
}

void recorder_gone(struct recorder *recorder, const struct record *exit)
{
	perfdata_native_begin(recorder->data, NATIVE_GONE);
	perfdata_word(recorder->data, exit->time_ns);
	perfdata_pid(recorder->data, exit->pid);
	perfdata_pid(recorder->data, exit->tid);
	perfdata_native_end(recorder->data);
}
