// SPDX-License-Identifier: MIT
#include "tests/unit/shared/engine_run.h"

#include <stdio.h>

struct engine *open_engine_with(const struct sys *sys, const struct engine_config *config)
{
	struct engine *engine = NULL;
	struct error err = {0};

	if (engine_new(sys, config, &engine, &err) < 0)
		fail_msg("%s", err.text);
	return engine;
}

struct engine *open_engine(const struct sys *sys)
{
	static const struct engine_config config;

	return open_engine_with(sys, &config);
}

struct engine *open_events(const struct sys *sys, const char *events, double budget_percent)
{
	static struct engine_column column;
	static struct engine_config config;

	column = (struct engine_column){ENGINE_EVENTS, events};
	config = (struct engine_config){
		.preset = events ? &preset_none : NULL,
		.columns = &column,
		.n_columns = events != NULL,
		.budget_percent = budget_percent,
	};
	return open_engine_with(sys, &config);
}

void check_places(const struct snapshot *snapshot)
{
	const struct rows *rows = &snapshot->threads;
	size_t at = 0;

	for (size_t i = 0; i < rows->n; i++) {
		uint64_t ns = 0;

		for (; at < snapshot->n_places && snapshot->places[at].row == i; at++)
			ns += snapshot->places[at].ns;
		if (ns != rows_tally(snapshot->columns, rows, i)[TALLY_TASK_CLOCK])
			fail_msg("%d ran elsewhere too", (int)rows->items[i].tid);
	}
	assert_int_equal(at, snapshot->n_places);
}

struct snapshot *next_snapshot(struct engine *engine, struct fk *fk, uint64_t interval_ns)
{
	uint64_t deadline_ns = fk_now(fk) + interval_ns;

	while (engine_wait(engine, deadline_ns) != 0)
		;
	struct snapshot *snapshot = engine_snapshot(engine);
	size_t event = 0;
	if (!snapshot_conserves(snapshot, &event))
		fail_msg("%s is not conserved", snapshot->columns->events.items[event].name);
	if (snapshot->mode == COUNT_MODE_SYSTEM)
		check_places(snapshot);
	return snapshot;
}

struct snapshot *nth_snapshot(struct engine *engine, struct fk *fk, int n)
{
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);

	while (--n > 0) {
		snapshot_free(snapshot);
		snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	}
	return snapshot;
}

size_t event_index(const struct snapshot *snapshot, const char *name)
{
	int index = event_set_find(&snapshot->columns->events, name);

	assert_true(index >= 0);
	return (size_t)index;
}

void check_columns(const struct snapshot *snapshot, const char *names)
{
	const struct columns *columns = snapshot->columns;
	char text[512] = "";
	size_t used = 0;

	for (size_t i = 0; i < columns->n_shown; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? " " : "",
					 columns->metrics[i].def->name);
	assert_string_equal(text, names);
}

uint64_t count_of(const struct snapshot *snapshot, pid_t tid, const char *event)
{
	const struct columns *columns = snapshot->columns;
	uint64_t sum = 0;

	for (size_t i = 0; i < snapshot->threads.n; i++)
		if (snapshot->threads.items[i].tid == tid)
			sum += plan_count(columns->plan, rows_tally(columns, &snapshot->threads, i),
					  event_index(snapshot, event));
	return sum;
}

const struct row *row_of(const struct snapshot *snapshot, pid_t tid)
{
	for (size_t i = 0; i < snapshot->threads.n; i++)
		if (snapshot->threads.items[i].tid == tid)
			return &snapshot->threads.items[i];
	return NULL;
}

/* Of a task that has a row. */
static bool has_flag(const struct snapshot *snapshot, pid_t tid, enum row_flag flag)
{
	const struct row *row = row_of(snapshot, tid);

	assert_non_null(row);
	return row && (row->flags & flag);
}

bool has_exited(const struct snapshot *snapshot, pid_t tid)
{
	return has_flag(snapshot, tid, ROW_EXITED);
}

bool has_lost(const struct snapshot *snapshot, pid_t tid)
{
	return has_flag(snapshot, tid, ROW_LOST);
}

bool has_note(const struct snapshot *snapshot, const char *part)
{
	for (size_t i = 0; i < snapshot->n_notes; i++)
		if (strstr(snapshot->notes[i], part))
			return true;
	return false;
}

struct figure task_figure(const struct snapshot *snapshot, pid_t tid, const char *metric)
{
	int index = columns_metric(snapshot->columns, metric);

	assert_true(index >= 0);
	for (size_t i = 0; i < snapshot->threads.n; i++)
		if (snapshot->threads.items[i].tid == tid)
			return rows_figures(snapshot->columns, &snapshot->threads, i)[index];
	fail_msg("task %d did not run", tid);
	return (struct figure){0};
}

struct figure event_figure(const struct snapshot *snapshot, pid_t tid, const char *event)
{
	const struct columns *columns = snapshot->columns;

	for (size_t i = 0; i < snapshot->threads.n; i++) {
		if (snapshot->threads.items[i].tid != tid)
			continue;
		const struct metric_input input = {
			.events = &columns->events,
			.plan = columns->plan,
			.tally = rows_tally(columns, &snapshot->threads, i),
			.lost = snapshot->threads.items[i].flags & ROW_LOST,
		};
		return metric_read_one(&columns->event_readings.items[event_index(snapshot, event)],
				       &input);
	}
	fail_msg("task %d did not run", tid);
	return (struct figure){0};
}

void close_all(struct engine *engine, struct fk *fk)
{
	engine_free(engine);
	assert_int_equal(fk_open_fds(fk), 0);
	assert_int_equal(fk_mapped(fk), 0);
	fk_free(fk);
}
