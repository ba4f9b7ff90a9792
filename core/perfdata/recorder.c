// SPDX-License-Identifier: MIT
/*
 * The life of a recording, and what the collector records while an interval runs: streams that
 * open and close, records of the rings, and the calls to core/attrib, in their order. The files
 * of a recording begin in recorder_begin.c, intervals end in recorder_cut.c.
 */
#include "core/perfdata/recorder.h"

#include "core/base/util.h"
#include "core/perfdata/recorder_internal.h"
#include "core/perfdata/recording_file.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE_BYTES = 256 << 10 }; /* bytes passed to the file at once */

int recorder_new(const struct recorder_spec *spec, struct recorder **out, struct error *err)
{
	struct recording_file *file;
	const struct recording_rules rules = {.switches = spec->switch_bytes || spec->switch_ns,
					      .keep = spec->switch_files,
					      .pipe = spec->pipe,
					      .unwritten = spec->unwritten};
	int result = recording_file_open(spec->path, &rules, &file, err);

	if (result < 0)
		return result;
	struct recorder *recorder = xcalloc(1, sizeof(*recorder));
	if (strcmp(spec->path, "-") != 0 && !spec->pipe) {
		recorder->switch_bytes = spec->switch_bytes;
		recorder->switch_ns = spec->switch_ns;
	}
	recorder->file = file;
	recorder->data = recording_file_new_part(file);
	recorder->row_hashes = xcalloc(RECORDER_ROW_SLOTS, sizeof(*recorder->row_hashes));
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

void recorder_put_end(struct recorder *recorder)
{
	if (!recorder->began)
		return;
	perfdata_native_begin(recorder->data, NATIVE_END);
	perfdata_native_end(recorder->data);
	recorder->began = false;
}

void recorder_end(struct recorder *recorder)
{
	recorder_put_end(recorder);
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
	free(recorder->row_hashes);
	recorder_free_code(recorder);
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

void recorder_drop(struct recorder *recorder, struct recorder_stream *stream)
{
	perfdata_drop(recorder->data, stream->samples);
	stream->samples = NULL;
}

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
