// SPDX-License-Identifier: MIT
#include "tui/screen/app.h"

#include "core/base/util.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What has just happened is of interest for so long. */
#define TELL_NS (6 * NS_PER_S)

/* What was added, for whoever saves it. */
static void remember(struct app *app, enum command_kind kind, const char *text)
{
	if (kind == COMMAND_PRESET)
		text_copy(app->preset, sizeof(app->preset), text);
	else if (kind == COMMAND_ADD_EVENTS || kind == COMMAND_ADD_METRIC)
		commands_add(&app->asked, &(struct command){.kind = kind, .text = text});
}

void app_init(struct app *app, const struct options *options)
{
	*app = (struct app){.screen = &screen_tasks,
			    .before = &screen_tasks,
			    .interval_ns = options->interval_ns,
			    .levels = options->count,
			    .readonly = options->readonly,
			    .idle = options->idle};
	keymap_init(&app->keymap);
	list_init(&app->tasks, ROLLUP_PROCESS);
	list_init(&app->cpus, ROLLUP_CPU);
	app->history = history_new();
	app->graph_range.history = app->history;
	app->tasks.graph_range = app->cpus.graph_range = &app->graph_range;
	app->cpus.spec.folds = true;
	text_copy(app->cpus.spec.sort, sizeof(app->cpus.spec.sort), "worst");

	struct list *first = &app->tasks;
	if (rollup_is_of_cpus(options->by)) {
		app->screen = &screen_cpus;
		app->cpus_chosen = true;
		first = &app->cpus;
	}
	first->spec.by = options->by;
	first->spec.reverse = options->reverse;
	if (options->sort[0])
		text_copy(first->spec.sort, sizeof(first->spec.sort), options->sort);
	app->tasks.spec.command_lines = options->command_lines;
	app->tasks.spec.unit = app->cpus.spec.unit = options->unit;
	app->ascii = options->ascii;
	if (options->preset)
		text_copy(app->preset, sizeof(app->preset), options->preset);
	if (options->shown)
		column_choice_parse(&app->column_choice, options->shown);
	if (options->theme)
		text_copy(app->theme, sizeof(app->theme), options->theme);
	for (size_t i = 0; i < options->n_columns; i++)
		remember(app,
			 options->columns[i].kind == ENGINE_EVENTS ? COMMAND_ADD_EVENTS
								   : COMMAND_ADD_METRIC,
			 options->columns[i].text);
	if (options->filter)
		text_copy(app->tasks.spec.filter.text, sizeof(app->tasks.spec.filter.text),
			  options->filter);
}

void app_fini(struct app *app)
{
	list_fini(&app->tasks);
	list_fini(&app->cpus);
	history_free(app->history);
	picker_close(&app->picker, app);
	signal_targets_fini(&app->signal_targets);
	reply_free(app->catalog);
	reply_free(app->preview);
	commands_clear(&app->commands);
	column_choice_fini(&app->column_choice);
	free(app->shown);
	messages_fini(&app->messages);
	commands_clear(&app->asked);
	event_totals_fini(&app->sums);
	snapshot_free(app->baseline);
	event_totals_fini(&app->watch.sums);
	snapshot_free(app->snapshot);
	snapshot_free(app->waiting);
	app->snapshot = app->waiting = app->baseline = NULL;
}

__attribute__((format(printf, 3, 0))) static void tell(struct app *app, uint64_t ns,
						       const char *format, va_list arguments)
{
	vsnprintf(app->notice, sizeof(app->notice), format, arguments);
	app->notice_ns = ns;
	messages_add(&app->messages, app->notice);
}

void app_show_message(struct app *app, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	tell(app, TELL_NS, format, arguments);
	va_end(arguments);
}

void app_show_lasting_message(struct app *app, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	tell(app, 0, format, arguments);
	va_end(arguments);
}

void app_clear_message(struct app *app)
{
	if (app->notice_ns > 0)
		app->notice[0] = '\0';
	app->notice_ns = 0;
}

struct list *app_list(struct app *app)
{
	return app->screen == &screen_tasks  ? &app->tasks
	       : app->screen == &screen_cpus ? &app->cpus
					     : NULL;
}

/* The one that is followed may have ended. */
static void look_after_followed(struct app *app)
{
	struct list *list = app_list(app);

	if (!list || !list_followed_ended(list, app->snapshot))
		return;
	app_show_message(app, "%s has ended, and is not followed any more.", list->followed.name);
	list_unfollow(list);
}

void app_show_columns(struct app *app)
{
	free(app->shown);
	app->shown = app->snapshot
			     ? column_choice_shown(&app->column_choice, app->snapshot->columns)
			     : NULL;
	app->tasks.spec.shown = app->cpus.spec.shown = app->shown;
	list_invalidate(&app->tasks);
	list_invalidate(&app->cpus);
}

/* All tasks are rows now. The selection stays on its task; if that is not shown, it is on no line.
 */
static void settle_detached(struct app *app, bool was_following)
{
	struct list *list = &app->tasks;

	list_view(list, app->snapshot);
	bool stays = list->following && !list->away;
	if (!stays)
		list->table.selected = TABLE_NO_LINE;
	if (!was_following)
		list_unfollow(list);
	app_show_message(app, "Detached: all tasks are counted.%s",
			 stays ? "" : " What was selected is not shown, so no line is selected.");
}

static void show_snapshot(struct app *app, struct snapshot *snapshot)
{
	bool detached = app->snapshot && app->snapshot->targeted && !snapshot->targeted;
	bool was_following = app->tasks.following;

	if (detached && !was_following)
		list_follow(&app->tasks, app->snapshot);
	list_invalidate(&app->tasks);
	list_invalidate(&app->cpus);
	snapshot_free(app->snapshot);
	app->snapshot = snapshot;
	app_show_columns(app);
	look_after_followed(app);
	if (detached)
		settle_detached(app, was_following);
	pick_process_update(app);
	prompt_update(&app->prompt, app);
	app->verdict = verdict_of_snapshot(snapshot, app->sentence, sizeof(app->sentence));
	/* The notes say what cannot be counted. */
	if (app->verdict == VERDICT_NONE && !snapshot_rows_too_low(snapshot))
		app->sentence[0] = '\0';
	app->spoken |= app->sentence[0] != '\0';
}

static void take_notes(struct app *app, const struct snapshot *snapshot)
{
	messages_begin_round(&app->messages, snapshot->realtime_ns);
	for (size_t i = snapshot->n_notes; i-- > 0;) /* so that the urgent ones are the latest */
		messages_add(&app->messages, snapshot->notes[i]);
	if (app->notice[0])
		messages_add(&app->messages, app->notice);
}

void app_snapshot(struct app *app, struct snapshot *snapshot)
{
	if (snapshot->interval_ns < app->notice_ns)
		app->notice_ns -= snapshot->interval_ns;
	else
		app_clear_message(app);
	app->record_ends &= snapshot->recorded_bytes > 0;
	take_notes(app, snapshot);
	if (app->replays && app->snapshot && snapshot->time_ns <= app->snapshot->time_ns) {
		event_totals_zero(&app->sums); /* nothing is added twice */
		event_totals_zero(&app->watch.sums);
	}
	event_totals_add(&app->sums, snapshot);
	if (!app->replay_index)
		history_add(app->history, snapshot);
	screen_detail_update(app, snapshot);
	if (app->paused && app->snapshot) {
		snapshot_free(app->waiting);
		app->waiting = snapshot;
		return;
	}
	show_snapshot(app, snapshot);
}

void app_set_replay_index(struct app *app, struct replay_index *replay_index)
{
	app->replay_index = replay_index;
	app->graph_range.whole = true;
	app->replays = true;
	app->sys = NULL; /* whose processes are shown are not here */
}

void app_reply(struct app *app, struct reply *answer)
{
	struct reply **kept = answer->kind == QUERY_EVENTS ? &app->catalog : &app->preview;

	reply_free(*kept);
	*kept = answer;
	pick_event_update(app);
}

void app_command(struct app *app, enum command_kind kind, const char *text, int64_t number)
{
	commands_add(&app->commands, &(struct command){kind, text, number});
	remember(app, kind, text);
}

void app_pause(struct app *app, bool paused)
{
	app->paused = paused;
	history_hold(app->history, paused);
	if (!app->paused && app->waiting) {
		show_snapshot(app, app->waiting);
		app->waiting = NULL;
	}
}
