// SPDX-License-Identifier: MIT
/*
 * What each request of request.def does to an engine. A function is called at once, or between two
 * intervals, where columns, the target and what is sampled may change.
 */
#include "core/base/util.h"
#include "core/engine/engine_internal.h"

#include <errno.h>

static int add_events(struct engine *engine, struct request *request, struct error *err)
{
	engine->next.stale = true; /* also after a failure, which may have changed some */
	return selection_add_events(&engine->choice.selection, request->text, err);
}

static int add_metric(struct engine *engine, struct request *request, struct error *err)
{
	engine->next.stale = true;
	return engine_choice_add_metric(&engine->choice, request->text, err);
}

static int remove_column(struct engine *engine, struct request *request, struct error *err)
{
	engine->next.stale = true;
	return engine_choice_remove(&engine->choice, request->text, err);
}

static int change_levels(struct engine *engine, struct request *request, struct error *err)
{
	enum event_levels before = engine->levels;
	bool per_task = engine->collect->plan->per_task;

	engine->next.stale = true;
	engine->levels = (enum event_levels)request->number;
	engine_choose_levels(engine, per_task);
	int result = selection_renew(&engine->choice.selection, err);
	if (result < 0) {
		engine->levels = before;
		engine_choose_levels(engine, per_task);
	}
	if (per_task)
		engine_notes_levels(&engine->causes, &engine->access, engine->levels);
	return result;
}

static int change_preset(struct engine *engine, struct request *request, struct error *err)
{
	engine->next.stale = true;
	return engine_choice_preset(&engine->choice, request->text, err);
}

static int attach_process(struct engine *engine, struct request *request, struct error *err)
{
	int64_t number = request->number;
	pid_t pid = number > 0 && number <= INT32_MAX ? (pid_t)number : 0;
	int result = engine->collect->ops->admit(engine->collect, pid, err);

	return result < 0 ? result : target_attach(engine->target, engine->tasks, pid, err);
}

static int dismiss_target(struct engine *engine, struct request *request, struct error *err)
{
	(void)request, (void)err;
	target_dismiss(engine->target);
	return 0;
}

static int read_command_lines(struct engine *engine, struct request *request, struct error *err)
{
	(void)err;
	engine->config.command_lines = (enum command_lines)request->number;
	return 0;
}

static int read_idle_tasks(struct engine *engine, struct request *request, struct error *err)
{
	(void)err;
	engine->config.idle = request->number;
	engine_list_idle_threads(engine);
	return 0;
}

static int watch_waits(struct engine *engine, struct request *request, struct error *err)
{
	int64_t number = request->number;

	(void)err;
	if (engine->collect->ops->watch)
		engine->collect->ops->watch(engine->collect, number > 0 ? (pid_t)number : 0,
					    number < 0 ? (pid_t)-number : 0, engine->cut_ns);
	return 0;
}

static int sample_code(struct engine *engine, struct request *request, struct error *err)
{
	(void)err;
	engine->next.code =
		engine_code_request(&engine->code, engine->collect->mode,
				    request->number > 0 ? (unsigned)request->number : 0);
	return 0;
}

static int record_to(struct engine *engine, struct request *request, struct error *err)
{
	return engine_recording_to(&engine->record, engine->collect, request->text, err);
}

static int refuse(struct engine *engine, struct request *request, struct error *err)
{
	(void)engine, (void)request;
	return error_set(err, -EINVAL, "Only a recording can be paused, stepped or searched.");
}

static int submit_query(struct engine *engine, struct request *request, struct error *err)
{
	(void)err;
	query_worker_submit(&engine->queries, request);
	return 0;
}

static const struct {
	enum request_time time;
	int (*act)(struct engine *engine, struct request *request, struct error *err);
} rows[REQUEST_KINDS] = {
#define REQUEST(kind, when, live, replay) [REQUEST_##kind] = {REQUEST_AT_##when, live},
#include "core/engine/request.def"
#undef REQUEST
};

static void act(struct engine *engine, struct request *request)
{
	struct error err;

	if (rows[request->kind].act(engine, request, &err) < 0)
		notes_add_transient(&engine->notes, err.text);
}

/* Whether the rows of the last snapshot lack what the current settings want. */
static bool rows_lack(const struct engine *engine)
{
	enum command_lines wanted = engine->config.command_lines, has = engine->has_command_lines;

	return engine->config.idle != engine->has_idle ||
	       (wanted != has && wanted != COMMAND_LINES_NONE &&
		(wanted == COMMAND_LINES_SHOWN || has == COMMAND_LINES_NONE ||
		 has == COMMAND_LINES_SCREEN));
}

unsigned engine_request(struct engine *engine, struct request_list *requests)
{
	unsigned snapshots = 0;

	for (size_t i = 0; i < requests->n; i++) {
		struct request *request = &requests->items[i];
		enum request_time time = rows[request->kind].time;

		if (time == REQUEST_AT_NOW) {
			act(engine, request);
			continue;
		}
		if (time == REQUEST_AT_CUT || request->number != 0)
			snapshots = 2; /* the first one ends what it changes */
		request_list_put(&engine->requests, request);
	}
	request_list_clear(requests);
	return snapshots ? snapshots : rows_lack(engine);
}

void engine_do_requests(struct engine *engine)
{
	for (size_t i = 0; i < engine->requests.n; i++)
		act(engine, &engine->requests.items[i]);
	request_list_clear(&engine->requests);
}
