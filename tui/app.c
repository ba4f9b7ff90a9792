// SPDX-License-Identifier: MIT
#include "app.h"

#include "core/util.h"
#include "duration.h"
#include "recording.h"
#include "refusal.h"
#include "replaying.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What has just happened is of interest for so long. */
#define TELL_NS (6 * NS_PER_S)

enum { WHEEL_LINES = 3 };

/* Those that Tab goes round. */
static const struct screen *const round_screens[] = {&screen_tasks, &screen_cpus, &screen_events};
enum { ROUND_SCREENS = ARRAY_SIZE(round_screens) };

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
	app->past.history = app->history;
	app->tasks.past = app->cpus.past = &app->past;
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
	victims_fini(&app->victims);
	answer_free(app->catalog);
	answer_free(app->outlook);
	commands_clear(&app->commands);
	column_choice_fini(&app->column_choice);
	free(app->shown);
	messages_fini(&app->messages);
	commands_clear(&app->asked);
	sums_fini(&app->sums);
	snapshot_free(app->baseline);
	sums_fini(&app->watch.sums);
	snapshot_free(app->snapshot);
	snapshot_free(app->waiting);
	app->snapshot = app->waiting = app->baseline = NULL;
}

__attribute__((format(printf, 3, 0))) static void tell(struct app *app, uint64_t ns,
						       const char *format, va_list arguments)
{
	vsnprintf(app->notice, sizeof(app->notice), format, arguments);
	app->notice_ns = ns;
	messages_say(&app->messages, app->notice);
}

void app_tell(struct app *app, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	tell(app, TELL_NS, format, arguments);
	va_end(arguments);
}

void app_tell_on(struct app *app, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	tell(app, 0, format, arguments);
	va_end(arguments);
}

static void untell(struct app *app)
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
	app_tell(app, "%s has ended, and is not followed any more.", list->followed.name);
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

static void show_snapshot(struct app *app, struct snapshot *snapshot)
{
	list_invalidate(&app->tasks);
	list_invalidate(&app->cpus);
	snapshot_free(app->snapshot);
	app->snapshot = snapshot;
	app_show_columns(app);
	look_after_followed(app);
	pick_process_renew(app);
	prompt_renew(&app->prompt, app);
	app->verdict = verdict_of_snapshot(snapshot, app->sentence, sizeof(app->sentence));
	if (app->verdict == VERDICT_NONE) /* the notes say what cannot be counted */
		app->sentence[0] = '\0';
	app->spoken |= app->sentence[0] != '\0';
}

static void take_notes(struct app *app, const struct snapshot *snapshot)
{
	messages_round(&app->messages, snapshot->realtime_ns);
	for (size_t i = snapshot->n_notes; i-- > 0;) /* so that the urgent ones are the latest */
		messages_say(&app->messages, snapshot->notes[i]);
	if (app->notice[0])
		messages_say(&app->messages, app->notice);
}

void app_snapshot(struct app *app, struct snapshot *snapshot)
{
	if (snapshot->interval_ns < app->notice_ns)
		app->notice_ns -= snapshot->interval_ns;
	else
		untell(app);
	app->record_ends &= snapshot->recorded_bytes > 0;
	take_notes(app, snapshot);
	if (app->replays && app->snapshot && snapshot->time_ns <= app->snapshot->time_ns)
		sums_zero(&app->sums); /* nothing is added twice */
	sums_add(&app->sums, snapshot);
	if (!app->survey)
		history_add(app->history, snapshot);
	screen_detail_see(app, snapshot);
	if (app->paused && app->snapshot) {
		snapshot_free(app->waiting);
		app->waiting = snapshot;
		return;
	}
	show_snapshot(app, snapshot);
}

void app_survey(struct app *app, struct survey *survey)
{
	app->survey = survey;
	app->past.whole = true;
	app->replays = true;
	app->sys = NULL; /* whose processes are shown are not here */
}

void app_answer(struct app *app, struct answer *answer)
{
	struct answer **kept = answer->kind == QUESTION_EVENTS ? &app->catalog : &app->outlook;

	answer_free(*kept);
	*kept = answer;
	pick_event_renew(app);
}

void app_ask(struct app *app, enum command_kind kind, const char *text, int64_t number)
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

/* Freezes what is shown, or lets go of what was frozen. */
static void toggle_baseline(struct app *app)
{
	struct snapshot *old = app->baseline;

	app->baseline = old || !app->snapshot ? NULL : snapshot_ref(app->snapshot);
	list_compare(&app->tasks, app->baseline);
	list_compare(&app->cpus, app->baseline);
	snapshot_free(old);
}

static void next_unit(struct app *app)
{
	app->tasks.spec.unit = (app->tasks.spec.unit + 1) % VIEW_UNIT_KINDS;
	app->cpus.spec.unit = app->tasks.spec.unit;
	list_invalidate(&app->tasks);
	list_invalidate(&app->cpus);
}

static int accept_interval(void *owner, const char *text, struct error *err)
{
	struct app *app = owner;

	return duration_parse(text, &app->interval_ns, err);
}

static void ask_interval(struct app *app)
{
	char now[24], question[64];

	duration_format(app->interval_ns, now, sizeof(now));
	snprintf(question, sizeof(question), "Interval, now %s:", now);
	prompt_open(&app->prompt, question, accept_interval);
}

static int accept_quit(void *owner, const char *text, struct error *err)
{
	struct app *app = owner;

	(void)text;
	(void)err;
	app->quit = true;
	return 0;
}

/* Quitting ends the command that was started. */
static void ask_quit(struct app *app)
{
	char question[sizeof(app->prompt.question)];

	snprintf(question, sizeof(question),
		 "%s still runs. End it, and quit? y or ^C:", app->command);
	prompt_confirm(&app->prompt, question, accept_quit);
}

/* Whoever is not there cannot be dismissed. */
static void detach(struct app *app)
{
	if (app->snapshot && !app->snapshot->targeted)
		app_tell(app, "There is nobody to detach from: all tasks are counted.");
	else
		app_ask(app, COMMAND_DISMISS, NULL, 0);
}

/* Where the screen stands in Tab's round; ROUND_SCREENS where it does not. */
static size_t place_of(const struct screen *screen)
{
	size_t at = 0;

	while (at < ROUND_SCREENS && round_screens[at] != screen)
		at++;
	return at;
}

static void go_to(struct app *app, const struct screen *screen)
{
	if (place_of(app->screen) < ROUND_SCREENS)
		app->before = app->screen;
	app->screen = screen;
	app->page.top = 0;
}

void app_leave(struct app *app)
{
	go_to(app, app->before);
}

static void go_round(struct app *app, bool forward)
{
	size_t at = place_of(app->screen);

	if (at == ROUND_SCREENS)
		app_leave(app);
	else
		go_to(app, round_screens[(at + (forward ? 1 : ROUND_SCREENS - 1)) % ROUND_SCREENS]);
}

static void toggle_pause(struct app *app)
{
	app_pause(app, !app->paused);
}

static void next_levels(struct app *app)
{
	static const char *const names[] = {
		[EVENT_LEVELS_ALL] = "user mode and the kernel",
		[EVENT_LEVELS_USER] = "user mode",
		[EVENT_LEVELS_KERNEL] = "the kernel",
	};

	app->levels = (app->levels + 1) % EVENT_LEVELS;
	app_ask(app, COMMAND_LEVELS, NULL, app->levels);
	app_tell(app, "Counted from now on: %s.", names[app->levels]);
}

static void toggle_idle(struct app *app)
{
	app->idle = !app->idle;
	app_ask(app, COMMAND_IDLE, NULL, app->idle);
}

static void toggle_command_lines(struct app *app)
{
	list_invalidate(&app->tasks);
	app->tasks.spec.command_lines = !app->tasks.spec.command_lines;
	app_ask(app, COMMAND_COMMAND_LINES, NULL, app->tasks.spec.command_lines);
}

static void zero(struct app *app)
{
	sums_zero(&app->sums);
	sums_zero(&app->watch.sums);
	app_tell(app, "The totals begin at zero.");
}

static void quit(struct app *app)
{
	if (app->command[0])
		ask_quit(app);
	else
		app->quit = true;
}

static void save(struct app *app)
{
	app->save = true;
}

static void redraw(struct app *app)
{
	app->redraw = true;
}

static void show_help(struct app *app)
{
	go_to(app, app->screen == &screen_help ? app->before : &screen_help);
}

static void show_detail(struct app *app)
{
	if (screen_detail_choose(app, app->screen == &screen_cpus ? &app->cpus : &app->tasks))
		go_to(app, &screen_detail);
}

static void show_log(struct app *app)
{
	go_to(app, &screen_log);
}

static void show_cpus(struct app *app)
{
	go_to(app, app->screen == &screen_cpus ? &screen_tasks : &screen_cpus);
}

static void show_setup(struct app *app)
{
	go_to(app, &screen_setup);
}

static void show_columns(struct app *app)
{
	show_setup(app);
	screen_setup_select_columns(app);
}

static void show_next(struct app *app)
{
	go_round(app, true);
}

static void show_previous(struct app *app)
{
	go_round(app, false);
}

/* What an action does on every screen that has not another use for it. */
static void (*const acts[ACTIONS])(struct app *app) = {
	[ACTION_HELP] = show_help,
	[ACTION_NEXT_SCREEN] = show_next,
	[ACTION_PREVIOUS_SCREEN] = show_previous,
	[ACTION_DETAIL] = show_detail,
	[ACTION_CPUS] = show_cpus,
	[ACTION_SETUP] = show_setup,
	[ACTION_LOG] = show_log,
	[ACTION_COLUMNS] = show_columns,
	[ACTION_PRESET] = pick_preset,
	[ACTION_UNIT] = next_unit,
	[ACTION_COUNT] = next_levels,
	[ACTION_ADD] = pick_event,
	[ACTION_REMOVE] = pick_column,
	[ACTION_SEARCH] = search_open,
	[ACTION_SEARCH_NEXT] = search_next,
	[ACTION_IDLE] = toggle_idle,
	[ACTION_COMMAND_LINE] = toggle_command_lines,
	[ACTION_KILL] = pick_signal,
	[ACTION_ATTACH] = pick_process,
	[ACTION_DETACH] = detach,
	[ACTION_BASELINE] = toggle_baseline,
	[ACTION_ZERO] = zero,
	[ACTION_PAUSE] = toggle_pause,
	[ACTION_INTERVAL] = ask_interval,
	[ACTION_RECORD] = recording_toggle,
	[ACTION_THEME] = pick_theme,
	[ACTION_SAVE] = save,
	[ACTION_REDRAW] = redraw,
	[ACTION_QUIT] = quit,
};

void app_act(struct app *app, enum action action)
{
	const char *why = refusal_of(app, action);

	if (why)
		app_tell(app, "%s", why);
	else if (!replaying_act(app, action) && !app->screen->act(app, action) && acts[action])
		acts[action](app);
}

void app_key(struct app *app, int key)
{
	unsigned nth;
	enum action action;

	untell(app);
	if (key == KEYMAP_CONTROL('L'))
		app->redraw = true;
	else if (app->prompt.active && app->prompt.accept == accept_quit &&
		 key == KEYMAP_CONTROL('C'))
		app->quit = true;
	else if (app->prompt.active)
		prompt_key(&app->prompt, key, app);
	else if (app->picker.ops)
		picker_key(&app->picker, key, app);
	else if ((action = keymap_find(&app->keymap, key, &nth)) == ACTION_PRESET_NUMBER)
		pick_preset_number(app, nth);
	else
		app_act(app, action);
}

void app_click(struct app *app, unsigned x, unsigned y, bool twice)
{
	enum action action = key_bar_action(&app->key_bar, x, y);

	untell(app);
	if (app->prompt.active)
		return;
	if (app->picker.ops)
		picker_click(&app->picker, x, y, twice, app);
	else if (action != ACTION_NONE)
		app_act(app, action);
	else if (app->screen->click && app->screen->click(app, x, y) && twice)
		app_act(app, ACTION_DETAIL);
}

void app_wheel(struct app *app, bool down)
{
	for (int i = 0; i < WHEEL_LINES; i++) {
		if (app->picker.ops)
			picker_key(&app->picker, down ? KEYMAP_DOWN : KEYMAP_UP, app);
		else if (!app->prompt.active)
			app_act(app, down ? ACTION_DOWN : ACTION_UP);
	}
}
