// SPDX-License-Identifier: MIT
#include "engine_record.h"

#include <errno.h>

int engine_record_can(const struct collect *collect, struct error *err)
{
	/* Counted one by one tasks make no records. */
	if (collect->ops->record)
		return 0;
	return error_set(
		err, -EOPNOTSUPP,
		"There is nothing to record where tasks are counted one by one: that needs "
		"CAP_PERFMON or kernel.perf_event_paranoid=0.");
}

/* Nobody who counts waits for a disk: what is left is written while counting goes on. */
static void stop(struct engine_record *record, struct collect *collect)
{
	if (!record->recorder)
		return;
	collect->ops->record(collect, NULL);
	recorder_free(record->ended);
	recorder_end(record->recorder);
	record->ended = record->recorder;
	record->recorder = NULL;
}

int engine_record_to(struct engine_record *record, struct collect *collect, const char *path,
		     struct error *err)
{
	const struct recorder_spec spec = {.path = path};

	stop(record, collect);
	if (!path)
		return 0;
	recorder_free(record->ended); /* it may be the same file */
	record->ended = NULL;
	int result = engine_record_can(collect, err);
	return result < 0 ? result : recorder_new(&spec, &record->recorder, err);
}

void engine_record_renew(struct engine_record *record, struct collect *collect,
			 struct columns *columns, const struct recorder_facts *facts,
			 struct notes *notes)
{
	struct error err;

	if (!record->recorder)
		return;
	if (recorder_state(record->recorder, &err) < 0) {
		stop(record, collect);
		notes_add_urgent(notes, err.text);
		return;
	}
	if (recorder_is_due(record->recorder)) {
		collect->ops->record(collect, NULL);
		recorder_begin(record->recorder, facts);
	}
	recorder_columns(record->recorder, columns);
	collect->ops->record(collect, record->recorder);
	recorder_go(record->recorder);
}

void engine_record_fini(struct engine_record *record, struct collect *collect)
{
	stop(record, collect);
	recorder_free(record->ended);
	*record = (struct engine_record){0};
}
