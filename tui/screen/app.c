// SPDX-License-Identifier: MIT
/*
 * How snapshots, replies and requests pass through the app. A snapshot goes to the message log, the
 * totals, the history and the watched row first, and is then shown, or waits for the end of a
 * pause. app_act.c has the keys, app_draw.c the drawing.
 */
#include "tui/screen/app.h"

#include "core/base/util.h"
#include "core/snapshot/event_totals.h"

#include <stdlib.h>

static void init_lists(struct app *app, const struct options *options)
{
	struct list *first = &app->tasks;

	list_init(&app->tasks, ROLLUP_PROCESS);
	list_init(&app->cpus, ROLLUP_CPU);
	app->tasks.graph_range = app->cpus.graph_range = &app->display.graph_range;
	app->cpus.spec.folds = true;
	text_copy(app->cpus.spec.sort, sizeof(app->cpus.spec.sort), "worst");
	app->tasks.spec.command = options->command_lines ? VIEW_COMMAND_WHOLE : VIEW_COMMAND_SHORT;
	app->tasks.spec.unit = app->cpus.spec.unit = options->unit;
	if (options->filter)
		text_copy(app->tasks.spec.filter.text, sizeof(app->tasks.spec.filter.text),
			  options->filter);
	if (rollup_is_of_cpus(options->by)) {
		app->screen = &screen_cpus;
		app->cpus_level_chosen = true;
		first = &app->cpus;
	}
	first->spec.by = options->by;
	first->spec.reverse = options->reverse;
	if (options->sort[0])
		text_copy(first->spec.sort, sizeof(first->spec.sort), options->sort);
}

void app_init(struct app *app, const struct options *options)
{
	*app = (struct app){
		.screen = &screen_tasks, .round_screen = &screen_tasks, .below = &screen_tasks};
	app->config.readonly = options->readonly;
	app->config.frequency = options->frequency;
	keymap_init(&app->keymap);
	display_init(&app->display);
	preferences_init(&app->preferences, options);
	init_lists(app, options);
	app->out.command_lines = options_command_lines(options);
}

void app_fini(struct app *app)
{
	list_fini(&app->tasks);
	list_fini(&app->cpus);
	picker_close(&app->picker, app);
	code_screen_fini(&app->code);
	signal_targets_fini(&app->signal_choice.targets);
	reply_free(app->event_replies.events);
	reply_free(app->event_replies.preview);
	reply_free(app->event_replies.metrics);
	reply_free(app->event_replies.vendor);
	request_list_clear(&app->out.list);
	request_list_clear(&app->out.rested);
	messages_fini(&app->messages);
	preferences_fini(&app->preferences);
	event_totals_fini(&app->events.totals);
	event_totals_fini(&app->watch.totals);
	display_fini(&app->display);
}

struct list *app_list(struct app *app)
{
	return app->screen == &screen_tasks  ? &app->tasks
	       : app->screen == &screen_cpus ? &app->cpus
					     : NULL;
}

static void unfollow_ended(struct app *app)
{
	struct list *list = app_list(app);

	if (!list || !list_followed_ended(list, app->display.snapshot))
		return;
	messages_show(&app->messages, "%s has ended and is no longer followed.",
		      list->followed.name);
	list_unfollow(list);
}

void app_show_columns(struct app *app)
{
	struct preferences *preferences = &app->preferences;
	const struct snapshot *snapshot = app->display.snapshot;

	free(preferences->column_names);
	preferences->column_names =
		snapshot ? column_choice_shown(&preferences->columns, snapshot->columns) : NULL;
	app->tasks.spec.shown = app->cpus.spec.shown = preferences->column_names;
	list_invalidate(&app->tasks);
	list_invalidate(&app->cpus);
}

/*
 * After a detach all tasks are rows. The selection stays on its task; if that is not shown, no line
 * is selected.
 */
static void restore_selection(struct app *app, bool was_following)
{
	struct list *list = &app->tasks;

	list_view(list, app->display.snapshot);
	bool stays = list->following && !list->away;
	if (!stays)
		list->table.selected = TABLE_NO_LINE;
	if (!was_following)
		list_unfollow(list);
	messages_show(&app->messages, "Detached: all tasks are counted.%s",
		      stays ? "" : " The selected task is not shown, so no line is selected.");
}

static void show_snapshot(struct app *app, struct snapshot *snapshot)
{
	const struct snapshot *before = app->display.snapshot;
	bool detached = before && before->targeted && !snapshot->targeted;
	bool was_following = app->tasks.following;

	if (detached && !was_following)
		list_follow(&app->tasks, before);
	list_invalidate(&app->tasks);
	list_invalidate(&app->cpus);
	display_set_snapshot(&app->display, snapshot);
	app_show_columns(app);
	unfollow_ended(app);
	pick_metrics_request(app);
	code_screen_update(app);
	if (detached)
		restore_selection(app, was_following);
	pick_process_update(app);
	prompt_update(&app->prompt, app);
}

static void log_notes(struct messages *messages, const struct snapshot *snapshot)
{
	messages_begin_round(messages, snapshot->realtime_ns);
	for (size_t i = snapshot->n_notes; i-- > 0;) /* so that the urgent ones are the latest */
		messages_add(messages, snapshot->notes[i]);
	if (messages->notice[0])
		messages_add(messages, messages->notice);
}

static void add_to_totals(struct app *app, const struct snapshot *snapshot)
{
	const struct snapshot *shown = app->display.snapshot;

	/* A replay that went back would add the same intervals twice. */
	if (app->replay.active && shown && snapshot->time_ns <= shown->time_ns) {
		event_totals_zero(&app->events.totals);
		watch_zero(&app->watch);
	}
	event_totals_add(&app->events.totals, snapshot);
}

void app_snapshot(struct app *app, struct snapshot *snapshot)
{
	struct display *display = &app->display;

	messages_age_notice(&app->messages, snapshot->interval_ns);
	app->recording_ends &= snapshot->recorded_bytes > 0;
	log_notes(&app->messages, snapshot);
	add_to_totals(app, snapshot);
	if (!app->replay.index)
		history_add(display->history, snapshot);
	watch_update(&app->watch, snapshot);
	code_screen_add(&app->code, snapshot);
	if (display->paused && display->snapshot) {
		snapshot_free(display->waiting);
		display->waiting = snapshot;
		return;
	}
	show_snapshot(app, snapshot);
	code_screen_request(app);
}

void app_set_replay_index(struct app *app, struct replay_index *replay_index)
{
	app->replay.index = replay_index;
	app->replay.active = true;
	app->display.graph_range.recorded = true;
	app->config.sys = NULL; /* the processes of a recording are not of this machine */
}

void app_reply(struct app *app, struct reply *reply)
{
	struct event_replies *replies = &app->event_replies;

	if (reply->kind == REQUEST_BLOCKED) {
		detail_looks_add(&app->watch.looks, reply);
		reply_free(reply);
		return;
	}
	struct reply **kept = reply->kind == REQUEST_EVENTS    ? &replies->events
			      : reply->kind == REQUEST_METRICS ? &replies->metrics
			      : reply->kind == REQUEST_VENDOR  ? &replies->vendor
							       : &replies->preview;

	reply_free(*kept);
	*kept = reply;
	pick_event_update(app);
	pick_preset_update(app);
}

void app_request(struct app *app, enum request_kind kind, const char *text, int64_t number)
{
	request_list_add(&app->out.list, &(struct request){kind, text, number});
	preferences_record(&app->preferences, kind, text);
}

void app_watch(struct app *app)
{
	if (!app->replay.active)
		app_request(app, REQUEST_WATCH, NULL, watch_number(&app->watch));
}

void app_pause(struct app *app, bool paused)
{
	struct display *display = &app->display;
	struct snapshot *waiting = display->waiting;

	display->paused = paused;
	history_hold(display->history, paused);
	if (!paused && waiting) {
		display->waiting = NULL;
		show_snapshot(app, waiting);
	}
}
