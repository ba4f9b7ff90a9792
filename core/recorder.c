// SPDX-License-Identifier: MIT
#include "recorder.h"

#include "cpu_model.h"
#include "cpu_name.h"
#include "cpus.h"
#include "perfdata_columns.h"
#include "proc.h"
#include "record_file.h"
#include "util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	PIECE_BYTES = 256 << 10, /* so much is handed on together */
	TOLD_MAX = 1 << 16,      /* rows that are remembered; a power of two */
};

struct recorder {
	const struct sys *sys; /* since it began */
	uint64_t switch_bytes, switch_ns;
	struct record_file *file;
	struct perfdata *data; /* being filled */
	char stamp[32];        /* of the file that went before; "": this one goes on */
	uint64_t began_bytes, began_ns;
	bool began;
	bool featured;           /* this file says already where it was made */
	struct columns *columns; /* as told last; a reference */
	uint64_t *told;          /* by tid: the hash of its row as told last */
	uint64_t told_notes;
};

int recorder_new(const struct recorder_spec *spec, struct recorder **out, struct error *err)
{
	struct record_file *file;
	int result = record_file_open(spec->path, &file, err);

	if (result < 0)
		return result;
	struct recorder *recorder = xcalloc(1, sizeof(*recorder));
	if (strcmp(spec->path, "-") != 0) {
		recorder->switch_bytes = spec->switch_bytes;
		recorder->switch_ns = spec->switch_ns;
	}
	recorder->file = file;
	recorder->data = record_file_take(file);
	recorder->told = xcalloc(TOLD_MAX, sizeof(*recorder->told));
	*out = recorder;
	return 0;
}

static void flush(struct recorder *recorder)
{
	if (recorder->data->n == 0)
		return;
	record_file_put(recorder->file, recorder->data,
			recorder->stamp[0] ? recorder->stamp : NULL);
	recorder->stamp[0] = '\0';
	recorder->data = record_file_take(recorder->file);
}

void recorder_end(struct recorder *recorder)
{
	flush(recorder);
	record_file_end(recorder->file);
}

void recorder_free(struct recorder *recorder)
{
	if (!recorder)
		return;
	recorder_end(recorder);
	record_file_put(recorder->file, recorder->data, NULL);
	record_file_close(recorder->file);
	columns_unref(recorder->columns);
	free(recorder->told);
	free(recorder);
}

int recorder_state(struct recorder *recorder, struct error *err)
{
	return record_file_state(recorder->file, err);
}

uint64_t recorder_bytes(struct recorder *recorder)
{
	return record_file_bytes(recorder->file) + recorder->data->n;
}

static void flush_full(struct recorder *recorder)
{
	if (recorder->data->n >= PIECE_BYTES)
		flush(recorder);
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
	perfdata_text_feature(recorder->data, PERFDATA_VERSION, "pmctop " PMCTOP_VERSION);
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

void recorder_begin(struct recorder *recorder, const struct recorder_facts *facts)
{
	uint64_t realtime_ns = sys_realtime_ns(facts->sys);

	if (recorder->began) {
		flush(recorder);
		make_stamp(realtime_ns, recorder->stamp, sizeof(recorder->stamp));
	}
	recorder->sys = facts->sys;
	recorder->began = true;
	recorder->began_bytes = recorder_bytes(recorder);
	recorder->began_ns = sys_now_ns(recorder->sys);
	columns_unref(recorder->columns);
	recorder->columns = NULL;
	memset(recorder->told, 0, TOLD_MAX * sizeof(*recorder->told));
	recorder->told_notes = 0;

	perfdata_head(recorder->data);
	recorder->featured = false;
	perfdata_own_begin(recorder->data, OWN_BEGIN);
	perfdata_word(recorder->data, PERFDATA_OWN_VERSION);
	perfdata_word(recorder->data, recorder->began_ns);
	perfdata_word(recorder->data, realtime_ns);
	perfdata_word(recorder->data, cpu_slots_per_cycle(facts->sys, facts->pmus));
	perfdata_text(recorder->data, facts->mode);
	perfdata_text(recorder->data, facts->host);
	perfdata_text(recorder->data, facts->pmu);
	perfdata_own_end(recorder->data);
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

	/* perf wants all of a file's events alike, those that only count too. */
	told.sample_type = PERFDATA_SAMPLE_TYPE;
	told.read_format = PERFDATA_READ_FORMAT;
	told.sample_id_all = 1;
	perfdata_attr(recorder->data, &told, ids, n);
	if (n == 0)
		return;
	perfdata_name(recorder->data, ids[0], name);
	if (event && event->unit[0])
		perfdata_unit(recorder->data, ids[0], event->unit, event->scale);
	flush_full(recorder);
}

static void put_pid(struct perfdata *data, pid_t pid)
{
	perfdata_word(data, (uint64_t)(int64_t)pid);
}

void recorder_open(struct recorder *recorder, const struct recorder_stream *stream,
		   const struct attrib_state *state)
{
	struct perfdata *data = recorder->data;
	const struct perfdata_stream *samples = stream->samples;

	perfdata_own_begin(data, OWN_OPEN);
	perfdata_word(data, stream->cpu);
	perfdata_word(data, (uint64_t)stream->number);
	perfdata_word(data, stream->group);
	perfdata_word(data, state->on);
	perfdata_word(data, state->origin_ns + samples->base[READING_ENABLED_NS]);
	perfdata_word(data, state->last_ns);
	perfdata_word(data, state->lost);
	put_pid(data, state->runner.pid);
	put_pid(data, state->runner.tid);
	perfdata_word(data, state->exit->time_ns);
	put_pid(data, state->exit->pid);
	put_pid(data, state->exit->tid);
	perfdata_word(data, state->came->time_ns);
	put_pid(data, state->came->pid);
	put_pid(data, state->came->tid);
	put_pid(data, state->came->change.other_pid);
	put_pid(data, state->came->change.other_tid);
	perfdata_word(data, samples->switch_id);
	perfdata_word(data, samples->tick_id);
	perfdata_word(data, samples->n_values);
	perfdata_words(data, samples->ids, samples->n_values);
	perfdata_own_end(data);
}

void recorder_close(struct recorder *recorder, size_t cpu)
{
	perfdata_own_begin(recorder->data, OWN_CLOSE);
	perfdata_word(recorder->data, cpu);
	perfdata_own_end(recorder->data);
}

void recorder_go(struct recorder *recorder)
{
	/* Behind the events: perf evlist reads no further than the first of these. */
	if (!recorder->featured)
		add_features(recorder);
	recorder->featured = true;
	flush(recorder);
}

void recorder_drop(struct recorder *recorder, struct recorder_stream *stream)
{
	perfdata_drop(recorder->data, stream->samples);
	stream->samples = NULL;
}

/* ---- while an interval runs */

void recorder_records(struct recorder *recorder,
		      struct perfdata_stream *const streams[PERFDATA_STREAMS],
		      const struct ring_part parts[2])
{
	perfdata_raw(recorder->data, streams, parts);
	flush_full(recorder);
}

void recorder_ahead(struct recorder *recorder, size_t cpu, const struct perf_event_header *header)
{
	perfdata_own_begin(recorder->data, OWN_AHEAD);
	perfdata_word(recorder->data, cpu);
	perfdata_record(recorder->data, header);
	perfdata_own_end(recorder->data);
}

void recorder_lost(struct recorder *recorder, uint64_t id, uint64_t records)
{
	perfdata_lost(recorder->data, id, records);
}

void recorder_pause(struct recorder *recorder, const struct recorder_stream *stream,
		    const uint64_t *reading, const struct attrib_runner *runner)
{
	struct perfdata *data = recorder->data;

	perfdata_own_begin(data, OWN_PAUSE);
	perfdata_word(data, stream->cpu);
	perfdata_word(data, stream->group);
	perfdata_word(data, runner != NULL);
	put_pid(data, runner ? runner->pid : -1);
	put_pid(data, runner ? runner->tid : -1);
	for (size_t i = 0; i < READING_VALUES + stream->samples->n_values; i++)
		perfdata_word(data, reading[i] - stream->samples->base[i]);
	perfdata_own_end(data);
}

void recorder_resume(struct recorder *recorder, const struct recorder_stream *stream,
		     uint64_t start_ns)
{
	perfdata_own_begin(recorder->data, OWN_RESUME);
	perfdata_word(recorder->data, stream->cpu);
	perfdata_word(recorder->data, stream->group);
	perfdata_word(recorder->data, start_ns);
	perfdata_own_end(recorder->data);
}

/* ---- when it has ended */

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t n)
{
	const unsigned char *at = bytes;

	while (n-- > 0)
		hash = (hash ^ *at++) * 0x100000001b3ull; /* FNV-1a */
	return hash;
}

#define HASH_BASIS 0xcbf29ce484222325ull

static uint64_t hash_row(const struct row *row, const char *cgroup)
{
	const uint64_t words[] = {(uint64_t)row->pid, (uint64_t)row->tid, (uint64_t)row->ppid,
				  row->uid,           row->start_ns,      row->flags};
	uint64_t hash = hash_bytes(HASH_BASIS, words, sizeof(words));

	hash = hash_bytes(hash, row->comm, strnlen(row->comm, sizeof(row->comm)));
	hash = hash_bytes(hash, row->user, strnlen(row->user, sizeof(row->user)));
	return cgroup ? hash_bytes(hash, cgroup, strlen(cgroup)) : hash;
}

static void put_row(struct recorder *recorder, const struct snapshot *snapshot,
		    const struct row *row)
{
	struct perfdata *data = recorder->data;
	const char *cgroup = snapshot_cgroup(snapshot, row);
	uint64_t hash = hash_row(row, cgroup);
	uint64_t *told = &recorder->told[(size_t)row->tid & (TOLD_MAX - 1)];

	if (*told == hash)
		return;
	*told = hash;
	perfdata_own_begin(data, OWN_TASK);
	put_pid(data, row->pid);
	put_pid(data, row->tid);
	put_pid(data, row->ppid);
	perfdata_word(data, row->uid);
	perfdata_word(data, row->start_ns);
	perfdata_word(data, row->flags);
	perfdata_text(data, row->comm);
	perfdata_text(data, row->user);
	perfdata_text(data, cgroup);
	perfdata_own_end(data);
	/* Of those who were born meanwhile the kernel has told perf. */
	if (row->start_ns < recorder->began_ns && row->comm[0])
		perfdata_comm(data, row->pid, row->tid, row->comm);
	flush_full(recorder);
}

static void put_tally(struct perfdata *data, enum own_scope scope, const uint64_t *facts, size_t n,
		      const uint64_t *tally, size_t width)
{
	perfdata_own_begin(data, OWN_TALLY);
	perfdata_word(data, scope);
	perfdata_words(data, facts, n);
	perfdata_word(data, width);
	perfdata_words(data, tally, width);
	perfdata_own_end(data);
}

/* The snapshot has those that are online, or were counted, in the same order. */
static void put_cpus(struct recorder *recorder, const struct snapshot *snapshot,
		     const struct interval *interval)
{
	size_t width = tally_width(&interval->shape), shown = 0;

	for (size_t i = 0; i < interval->n_cpus; i++) {
		if (!interval->cpu_online[i] && !interval->cpu_counted[i])
			continue;
		const struct snapshot_cpu *cpu = &snapshot->cpus[shown++];
		const uint64_t facts[] = {i,
					  (uint64_t)cpu->cpu,
					  (uint64_t)(int64_t)cpu->socket,
					  (uint64_t)(int64_t)cpu->node,
					  interval->cpu_online[i],
					  interval->cpu_counted[i]};
		put_tally(recorder->data, OWN_CPU, facts, ARRAY_SIZE(facts),
			  interval_cpu(interval, i), width);
		put_tally(recorder->data, OWN_IDLE, facts, ARRAY_SIZE(facts),
			  interval_idle(interval, i), width);
		flush_full(recorder);
	}
}

static void put_task_times(struct recorder *recorder, const struct interval *interval)
{
	size_t width = tally_width(&interval->shape);

	for (size_t i = 0; i < interval->n_ran; i++) {
		const struct task *task = interval->ran[i];
		const uint64_t facts[] = {(uint64_t)(int64_t)task->pid,
					  (uint64_t)(int64_t)task->tid};
		put_tally(recorder->data, OWN_TASK_TIME, facts, ARRAY_SIZE(facts),
			  interval->tallies + i * width, width);
		flush_full(recorder);
	}
}

static void put_notes(struct recorder *recorder, const struct snapshot *snapshot)
{
	uint64_t hash = HASH_BASIS;

	for (size_t i = 0; i < snapshot->n_notes; i++)
		hash = hash_bytes(hash, snapshot->notes[i], strlen(snapshot->notes[i]) + 1);
	if (hash == recorder->told_notes)
		return;
	recorder->told_notes = hash;
	perfdata_own_begin(recorder->data, OWN_NOTES);
	perfdata_word(recorder->data, snapshot->n_notes);
	for (size_t i = 0; i < snapshot->n_notes; i++)
		perfdata_text(recorder->data, snapshot->notes[i]);
	perfdata_own_end(recorder->data);
}

void recorder_cut(struct recorder *recorder, const struct snapshot *snapshot,
		  const struct interval *interval)
{
	struct perfdata *data = recorder->data;
	size_t width = tally_width(&interval->shape);

	perfdata_own_begin(data, OWN_CUT);
	perfdata_word(data, snapshot->sequence);
	perfdata_word(data, snapshot->time_ns);
	perfdata_word(data, snapshot->realtime_ns);
	perfdata_word(data, snapshot->interval_ns);
	perfdata_word(data, snapshot->tasks);
	perfdata_word(data, snapshot->lost_records);
	perfdata_own_end(data);
	put_tally(data, OWN_TOTALS, NULL, 0, interval->totals, width);
	put_tally(data, OWN_UNATTRIBUTED, NULL, 0, interval->unattributed, width);
	put_cpus(recorder, snapshot, interval);
	if (snapshot->columns->plan->times_group >= 0)
		put_task_times(recorder, interval);
	for (size_t i = 0; i < snapshot->threads.n; i++)
		put_row(recorder, snapshot, &snapshot->threads.items[i]);
	for (size_t i = 0; i < snapshot->n_sleeping; i++)
		put_row(recorder, snapshot, &snapshot->sleeping[i]);
	put_notes(recorder, snapshot);
	perfdata_round(recorder->data);
	flush(recorder);
}
