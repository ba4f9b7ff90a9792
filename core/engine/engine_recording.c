// SPDX-License-Identifier: MIT
/*
 * A recording that ends still has data to write. Its recorder is kept as `ended`, and writes the
 * data while counting goes on. The next recording, or the end of the engine, waits for it.
 */
#include "core/engine/engine_recording.h"

#include "core/perfdata/recorder_code.h"

#include <errno.h>
#include <unistd.h>

int engine_recording_can(const struct collect *collect, struct error *err)
{
	/* Counters of single tasks make no records. */
	if (collect->ops->record)
		return 0;
	return error_set(err, -EOPNOTSUPP,
			 "Not recorded: tasks are counted one by one. Recording needs CAP_PERFMON "
			 "or kernel.perf_event_paranoid=0, and file descriptors (ulimit -n).");
}

static void report_failure(const struct engine_recording *record, const struct error *err)
{
	if (record->failed)
		*record->failed = *err;
}

static void close_ended(struct engine_recording *record)
{
	struct error err;

	if (recorder_finish(record->ended, &err) < 0)
		report_failure(record, &err);
	record->ended = NULL;
}

static void stop_recording(struct engine_recording *record, struct collect *collect)
{
	if (!record->recorder)
		return;
	collect->ops->record(collect, NULL);
	close_ended(record);
	recorder_end(record->recorder);
	record->ended = record->recorder;
	record->recorder = NULL;
}

int engine_recording_to(struct engine_recording *record, struct collect *collect, const char *path,
			struct error *err)
{
	const struct recorder_spec spec = {.path = path, .unwritten = record->unwritten};

	stop_recording(record, collect);
	if (!path)
		return 0;
	close_ended(record); /* the path may be the same */
	int result = engine_recording_can(collect, err);
	if (result == 0)
		result = recorder_new(&spec, &record->recorder, err);
	/* pmctop gave up CAP_DAC_OVERRIDE after it opened the files named at its start. */
	if (result == -EACCES && geteuid() == 0)
		error_set(err, result,
			  "'%.80s' cannot be written: pmctop dropped root's right to that. Choose "
			  "a directory of root, or start with --record.",
			  path);
	return result;
}

void engine_recording_renew(struct engine_recording *record, struct collect *collect,
			    struct columns *columns, const struct recorder_facts *facts,
			    struct notes *notes)
{
	struct error err;

	if (!record->recorder)
		return;
	if (recorder_state(record->recorder, &err) < 0) {
		stop_recording(record, collect);
		notes_add_urgent(notes, "%s", err.text);
		return;
	}
	if (recorder_is_due(record->recorder)) {
		collect->ops->record(collect, NULL);
		recorder_begin(record->recorder, facts);
	}
	recorder_columns(record->recorder, columns);
	collect->ops->record(collect, record->recorder);
	recorder_code_events(record->recorder, collect->code_events, collect->n_code_events);
	recorder_go(record->recorder);
}

void engine_recording_gone(struct engine_recording *record, const struct tasks *tasks)
{
	size_t n;
	const struct record *exits = tasks_missed_exits(tasks, &n);

	for (size_t i = 0; record->recorder && i < n; i++)
		recorder_gone(record->recorder, &exits[i]);
}

void engine_recording_fini(struct engine_recording *record, struct collect *collect)
{
	stop_recording(record, collect);
	close_ended(record);
	*record = (struct engine_recording){0};
}
