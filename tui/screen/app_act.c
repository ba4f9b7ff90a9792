// SPDX-License-Identifier: MIT
/*
 * Keys and clicks. A key goes to the prompt, to the picker, or by the keymap to an action. An
 * action goes to action_blocked(), replay_control_act(), the screen's `act`, sort_metric_act() and
 * the table `acts`, in this order; the first that handles it ends the way.
 */
#include "tui/screen/app.h"

#include "core/base/util.h"
#include "tui/options/duration.h"
#include "tui/screen/action_blocked.h"
#include "tui/screen/file_name.h"
#include "tui/screen/renice.h"
#include "tui/screen/replay_control.h"
#include "tui/screen/sort_metric.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { WHEEL_LINES = 3 };

/* Whether a profile is shown as one interval. */
static bool shows_whole(const struct display *display)
{
	return display->snapshot && display->snapshot->whole;
}

/* Makes the shown snapshot the baseline, or removes the baseline. */
static void toggle_baseline(struct app *app)
{
	struct snapshot *old = app->display.baseline;

	app->display.baseline =
		old || !app->display.snapshot ? NULL : snapshot_ref(app->display.snapshot);
	list_compare(&app->tasks, app->display.baseline);
	list_compare(&app->cpus, app->display.baseline);
	code_screen_compare(app);
	snapshot_free(old);
}

static void next_unit(struct app *app)
{
	app->tasks.spec.unit = (app->tasks.spec.unit + 1) % VIEW_UNIT_KINDS;
	app->cpus.spec.unit = app->tasks.spec.unit;
	list_invalidate(&app->tasks);
	list_invalidate(&app->cpus);
}

/* A profile in a file can have intervals, or be one. */
static bool can_be_whole(const struct app *app)
{
	return app->replay.active && app->replay.playback.profile && !app->replay.playback.pipe;
}

static int accept_interval(void *owner, const char *text, struct error *err)
{
	struct app *app = owner;
	const char *word = text + strspn(text, " ");
	size_t length = strcspn(word, " ");

	if (app->replay.active && length == 3 && strncasecmp(word, "all", length) == 0) {
		app_request(app, REQUEST_WHOLE, NULL, 1);
		return 0;
	}
	int rc = duration_parse(text, &app->preferences.interval_ns, err);
	if (rc == 0 && shows_whole(&app->display))
		app_request(app, REQUEST_WHOLE, NULL, 0);
	return rc;
}

static void prompt_interval(struct app *app)
{
	char now[24], query[64];

	duration_format(app->preferences.interval_ns, now, sizeof(now));
	snprintf(query, sizeof(query), "Interval%s (now %s):", can_be_whole(app) ? ", or all" : "",
		 shows_whole(&app->display) ? "all" : now);
	prompt_open(&app->prompt, query, accept_interval);
}

static int accept_quit(void *owner, const char *text, struct error *err)
{
	struct app *app = owner;

	(void)text;
	(void)err;
	app->out.quit = true;
	return 0;
}

/* Quitting ends the command that pmctop has started, so it is confirmed first. */
static void confirm_quit(struct prompt *prompt, const char *command)
{
	char query[sizeof(prompt->query)];

	snprintf(query, sizeof(query), "%s still runs. End it and quit? (y or ^C)", command);
	prompt_confirm(prompt, query, accept_quit);
}

/* Without a target there is nothing to detach. */
static void dismiss_target(struct app *app)
{
	if (app->display.snapshot && !app->display.snapshot->targeted)
		messages_show(&app->messages, "No target: all tasks are counted.");
	else
		app_request(app, REQUEST_DISMISS, NULL, 0);
}

static void toggle_pause(struct app *app)
{
	app_pause(app, !app->display.paused);
}

static void next_levels(struct app *app)
{
	static const char *const names[] = {
		[EVENT_LEVELS_ALL] = "user mode and the kernel",
		[EVENT_LEVELS_USER] = "user mode",
		[EVENT_LEVELS_KERNEL] = "the kernel",
	};

	app->preferences.levels = (app->preferences.levels + 1) % EVENT_LEVELS;
	app_request(app, REQUEST_LEVELS, NULL, app->preferences.levels);
	messages_show(&app->messages, "Counted from now on: %s.", names[app->preferences.levels]);
}

static void toggle_idle(struct app *app)
{
	app->preferences.idle = !app->preferences.idle;
	app_request(app, REQUEST_IDLE, NULL, app->preferences.idle);
}

static void toggle_command_lines(struct app *app)
{
	list_invalidate(&app->tasks);
	app->tasks.spec.command = app->tasks.spec.command == VIEW_COMMAND_WHOLE
					  ? VIEW_COMMAND_SHORT
					  : VIEW_COMMAND_WHOLE;
}

static void zero_totals(struct app *app)
{
	if (shows_whole(&app->display)) {
		messages_show(&app->messages, "One interval has no totals. s divides the profile.");
		return;
	}
	event_totals_zero(&app->events.totals);
	watch_zero(&app->watch);
	code_screen_zero(app);
	messages_show(&app->messages, "The totals restart at zero.");
}

static int accept_record_file(void *owner, const char *text, struct error *err)
{
	struct app *app = owner;

	(void)err;
	app->recording_ends = false;
	text_copy(app->recording_file, sizeof(app->recording_file), text);
	app_request(app, REQUEST_RECORD, text, 0);
	return 0;
}

/* Shows where the ended recording is. The recording of --record has no name here. */
static void show_recording(struct app *app)
{
	char name[512];

	file_name_shown(app->config.host, app->recording_file, name, sizeof(name));
	if (!app->recording_file[0])
		messages_show(&app->messages, "The recording has ended.");
	else if (app->config.host)
		messages_show(&app->messages, "The recording has ended. To copy it: scp %s .",
			      name);
	else
		messages_show(&app->messages,
			      "The recording has ended. To see it: pmctop --replay %s", name);
}

/* Ends the recording; if there is none, opens a prompt for its file. The engine records. */
static void toggle_recording(struct app *app)
{
	const struct snapshot *newest = display_newest(&app->display);
	const char *host = app->config.host;
	char name[128], query[100];

	if (!newest)
		return;
	if (newest->recorded_bytes > 0 && !app->recording_ends) {
		app->recording_ends = true;
		app_request(app, REQUEST_RECORD, NULL, 0);
		show_recording(app);
		return;
	}
	snprintf(query, sizeof(query), "Record to file%s%.60s:", host ? " on " : "",
		 host ? host : "");
	prompt_open(&app->prompt, query, accept_record_file);
	file_name_suggest(newest, name, sizeof(name));
	snprintf(app->prompt.text, sizeof(app->prompt.text), "%s.data", name);
}

static void raise_priority(struct app *app)
{
	renice_chosen(app, -1);
}

static void lower_priority(struct app *app)
{
	renice_chosen(app, 1);
}

static void quit_or_confirm(struct app *app)
{
	if (app->config.command[0])
		confirm_quit(&app->prompt, app->config.command);
	else
		app->out.quit = true;
}

static void request_save(struct app *app)
{
	app->out.save = true;
}

static void request_save_screen(struct app *app)
{
	app->out.save_screen = true;
}

static void request_redraw(struct app *app)
{
	app->out.redraw = true;
}

static void show_help(struct app *app)
{
	if (app->screen == &screen_help)
		app_leave_to_below(app);
	else
		app_go_above(app, &screen_help);
}

static void show_detail(struct app *app)
{
	struct list *list = app_list(app);

	if (!list || !watch_choose(&app->watch, list, &app->display))
		return;
	app_watch(app);
	app_go_to(app, &screen_detail);
}

static void show_code(struct app *app)
{
	code_screen_open(app);
	app_go_to(app, &screen_code);
}

static void show_log(struct app *app)
{
	app_go_above(app, &screen_log);
}

static void show_findings(struct app *app)
{
	app_go_to(app, &screen_findings);
}

static void show_cpus(struct app *app)
{
	app_go_to(app, app->screen == &screen_cpus ? &screen_tasks : &screen_cpus);
}

static void show_setup(struct app *app)
{
	setup_select_options(&app->setup);
	app_go_above(app, &screen_setup);
}

static void show_columns(struct app *app)
{
	setup_select_columns(&app->setup);
	app_go_above(app, &screen_setup);
}

static void show_next(struct app *app)
{
	app_go_round(app, true);
}

static void show_previous(struct app *app)
{
	app_go_round(app, false);
}

/* The effect of an action on all screens that do not handle it. */
static void (*const acts[ACTIONS])(struct app *app) = {
	[ACTION_HELP] = show_help,
	[ACTION_NEXT_SCREEN] = show_next,
	[ACTION_PREVIOUS_SCREEN] = show_previous,
	[ACTION_DETAIL] = show_detail,
	[ACTION_CODE] = show_code,
	[ACTION_CPUS] = show_cpus,
	[ACTION_SETUP] = show_setup,
	[ACTION_LOG] = show_log,
	[ACTION_FINDINGS] = show_findings,
	[ACTION_COLUMNS] = show_columns,
	[ACTION_PRESET] = pick_preset,
	[ACTION_UNIT] = next_unit,
	[ACTION_COUNT] = next_levels,
	[ACTION_ADD] = pick_event,
	[ACTION_REMOVE] = pick_column,
	[ACTION_SORT_CHOOSE] = pick_sort,
	[ACTION_SEARCH] = search_open,
	[ACTION_SEARCH_NEXT] = search_next,
	[ACTION_IDLE] = toggle_idle,
	[ACTION_COMMAND_LINE] = toggle_command_lines,
	[ACTION_RAISE_PRIORITY] = raise_priority,
	[ACTION_LOWER_PRIORITY] = lower_priority,
	[ACTION_KILL] = pick_signal,
	[ACTION_ATTACH] = pick_process,
	[ACTION_DETACH] = dismiss_target,
	[ACTION_BASELINE] = toggle_baseline,
	[ACTION_ZERO] = zero_totals,
	[ACTION_PAUSE] = toggle_pause,
	[ACTION_INTERVAL] = prompt_interval,
	[ACTION_RECORD] = toggle_recording,
	[ACTION_SAVE_SCREEN] = request_save_screen,
	[ACTION_THEME] = pick_theme,
	[ACTION_SAVE] = request_save,
	[ACTION_REDRAW] = request_redraw,
	[ACTION_QUIT] = quit_or_confirm,
};

void app_act(struct app *app, enum action action)
{
	const char *why =
		action_blocked(app->config.readonly, &app->replay, app->display.snapshot, action);

	app->goes_round = action == ACTION_NEXT_SCREEN || action == ACTION_PREVIOUS_SCREEN;
	if (why)
		messages_show(&app->messages, "%s", why);
	else if (!replay_control_act(app, action) && !app->screen->act(app, action) &&
		 !sort_metric_act(app, action) && acts[action])
		acts[action](app);
	code_screen_request(app);
}

/* A key without an action. */
static void note_key(struct app *app, int key)
{
	char text[128], name[24], help[24];

	if (keymap_hint(&app->keymap, key, text, sizeof(text))) {
		const char *why = action_blocked(app->config.readonly, &app->replay,
						 app->display.snapshot, keymap_hint_action(key));
		messages_show(&app->messages, "%s", why ? why : text);
		return;
	}
	if (app->key_notes.no_function)
		return;
	app->key_notes.no_function = true;
	keymap_key_name(key, name, sizeof(name));
	keymap_first_key(&app->keymap, ACTION_HELP, help, sizeof(help));
	messages_show(&app->messages, "%s has no function. %s lists the keys.", name, help);
}

/* For the screen few command lines are read, and more while something needs them. */
static void request_command_lines(struct app *app)
{
	bool shown = app->tasks.spec.command == VIEW_COMMAND_WHOLE || pick_process_is_open(app);
	enum command_lines wanted = shown ? COMMAND_LINES_SHOWN : search_lines(app);

	if (wanted == COMMAND_LINES_NONE)
		wanted = COMMAND_LINES_SCREEN;
	if (wanted == app->out.command_lines)
		return;
	app->out.command_lines = wanted;
	app_request(app, REQUEST_COMMAND_LINES, NULL, wanted);
}

void app_key(struct app *app, int key)
{
	unsigned nth;
	enum action action;

	messages_clear_notice(&app->messages);
	if (key == KEYMAP_CONTROL('L'))
		app->out.redraw = true;
	else if (app->prompt.active && app->prompt.accept == accept_quit &&
		 key == KEYMAP_CONTROL('C'))
		app->out.quit = true;
	else if (app->prompt.active)
		prompt_key(&app->prompt, key, app);
	else if (app->picker.ops)
		picker_key(&app->picker, key, app);
	else if ((action = keymap_find(&app->keymap, key, &nth)) == ACTION_PRESET_NUMBER)
		pick_preset_number(app, nth);
	else if (action == ACTION_NONE)
		note_key(app, key);
	else
		app_act(app, action);
	request_command_lines(app);
}

void app_paste_begin(struct app *app)
{
	messages_clear_notice(&app->messages);
	app->paste.blank = app->paste.ignored = app->paste.begun = false;
}

static void add_pasted(struct app *app, int character)
{
	if (app->prompt.active && prompt_paste(&app->prompt, character)) {
		app->paste.changed = true;
	} else if (!app->prompt.active && app->picker.ops) {
		picker_paste(&app->picker, character, app);
	} else if (!app->paste.ignored) {
		app->paste.ignored = true;
		messages_show(&app->messages, "Pasted text is ignored: it is no keys. A prompt "
					      "takes it, such as a filter or a search.");
	}
}

void app_paste(struct app *app, int key)
{
	bool between = key == KEYMAP_ENTER || key == KEYMAP_TAB || key == ' ';
	bool character = key > ' ' && key < KEYMAP_UP;

	/* Only between two words: the end of a line may be the last that was copied. */
	app->paste.blank |= between && app->paste.begun;
	if (!character)
		return;
	if (app->paste.blank)
		add_pasted(app, ' ');
	app->paste.blank = false;
	app->paste.begun = true;
	add_pasted(app, key);
}

void app_paste_rest(struct app *app)
{
	if (!app->paste.changed)
		return;
	app->paste.changed = false;
	prompt_pasted(&app->prompt, app);
	request_command_lines(app);
}

/* A click on a finding above the list shows it among all. */
static bool click_finding(struct app *app, unsigned x, unsigned y)
{
	const struct rect *lines = &app->finding_lines;

	if (app->screen == &screen_findings || !rect_has(*lines, x, y) ||
	    y - lines->y >= app->display.findings.n)
		return false;
	show_findings(app);
	app->findings.selected = y - lines->y;
	return true;
}

static void click_key(struct app *app, enum action action, unsigned x)
{
	if (action == ACTION_NEXT_SCREEN && app->has_round_names) {
		app->goes_round = true;
		app_go_round_at(app, key_bar_label_column(&app->key_bar, action, x));
	} else {
		app_act(app, action);
	}
}

void app_click(struct app *app, unsigned x, unsigned y, bool twice)
{
	enum action action = key_bar_action(&app->key_bar, x, y);

	messages_clear_notice(&app->messages);
	app->goes_round = false;
	if (app->prompt.active)
		return;
	if (app->picker.ops)
		picker_click(&app->picker, x, y, twice, app);
	else if (action != ACTION_NONE)
		click_key(app, action, x);
	else if (!click_finding(app, x, y) && app->screen->click && app->screen->click(app, x, y) &&
		 twice)
		app_act(app, ACTION_DETAIL);
	request_command_lines(app);
}

void app_wheel(struct app *app, bool down)
{
	for (int i = 0; i < WHEEL_LINES; i++) {
		if (app->picker.ops)
			picker_key(&app->picker, down ? KEYMAP_DOWN : KEYMAP_UP, app);
		else if (!app->prompt.active)
			app_act(app, down ? ACTION_DOWN : ACTION_UP);
	}
	if (app_list(app))
		list_release(app_list(app));
}
