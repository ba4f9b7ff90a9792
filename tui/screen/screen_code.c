// SPDX-License-Identifier: MIT
/*
 * The functions of one row, or of the whole machine, with a tab for each sampled event. Samples are
 * collected from the moment the screen is opened until it is left. Enter goes on to the callers and
 * callees of a function.
 */
#include "tui/screen/screen_code.h"

#include "core/base/util.h"
#include "tui/options/duration.h"
#include "tui/screen/app.h"

#include <string.h>

static struct history_key key_of_all(const struct snapshot *snapshot)
{
	return history_key_of_all(snapshot && snapshot->target ? HISTORY_TARGET : HISTORY_MACHINE);
}

static struct history_key shown_key(const struct app *app)
{
	const struct code_screen *code = &app->code;

	return code->all ? key_of_all(app->display.snapshot) : code->subject.key;
}

/* A list or the details have a row, other screens have none. */
static void choose_subject(struct app *app)
{
	struct code_screen *code = &app->code;
	struct list *list = app_list(app);

	code->tree = false;
	if (app->screen == &screen_detail && app->watch.on) {
		code->subject = app->watch.subject;
		code->has_row = true;
	} else {
		code->has_row = list && list_subject(list, app->display.snapshot, &code->subject);
		code->tree = code->has_row && list->spec.by == ROLLUP_TREE;
	}
	code->all = !code->has_row;
}

/* Back to the list. */
static void close_callers(struct code_screen *code)
{
	code_callers_close(&code->callers);
	while (code->n_path > 0)
		code_callers_close(&code->path[--code->n_path]);
}

/* To be called after each change of the page: callers and callees borrow from it. */
static void update_callers(struct code_screen *code)
{
	code_callers_update(&code->callers, &code->page);
	code_callers_close(&code->beside);
}

/* The baseline of all screens, if it has samples. */
static void compare_with_snapshot(struct app *app)
{
	const struct snapshot *baseline = app->display.baseline;
	const struct history_key key = shown_key(app);
	struct code_sum then = {0};

	if (baseline)
		code_sum_init(&then, baseline, &key, app->code.tree && !app->code.all);
	code_page_compare(&app->code.page, &then);
	update_callers(&app->code);
}

/* Begins with the shown snapshot, which has samples already if a column needs them. */
static void begin(struct app *app)
{
	struct code_screen *code = &app->code;
	const struct history_key key = shown_key(app);

	close_callers(code);
	code_window_begin(&code->window, &key, code->tree && !code->all);
	if (app->display.snapshot)
		code_window_add(&code->window, app->display.snapshot);
	code_screen_update(app);
	compare_with_snapshot(app);
}

void code_screen_open(struct app *app)
{
	struct code_screen *code = &app->code;

	choose_subject(app);
	code->on = true;
	code->from = app->screen == &screen_detail ? &screen_detail : app_round_screen(app);
	begin(app);
}

void code_screen_fini(struct code_screen *code)
{
	unsigned requested_hz = code->requested_hz;

	close_callers(code);
	code_callers_close(&code->beside);
	code_page_fini(&code->page);
	code_window_fini(&code->window);
	*code = (struct code_screen){.requested_hz = requested_hz};
}

static void update_subject(struct code_screen *code, const struct snapshot *snapshot)
{
	struct detail detail;

	if (!code->has_row)
		return;
	detail_init(snapshot, &code->subject.key, &detail);
	detail_subject_update(&code->subject, snapshot, &detail);
	detail_fini(&detail);
}

/* A target was attached or dismissed. */
static void follow_whole(struct code_screen *code, const struct snapshot *snapshot)
{
	const struct history_key key = key_of_all(snapshot);

	if (code->all && code->window.key.kind != key.kind)
		code_window_begin(&code->window, &key, false);
}

void code_screen_add(struct code_screen *code, const struct snapshot *snapshot)
{
	if (!code->on)
		return;
	update_subject(code, snapshot);
	follow_whole(code, snapshot);
	code_window_add(&code->window, snapshot);
}

void code_screen_update(struct app *app)
{
	struct code_screen *code = &app->code;
	struct code_sum sum;

	if (!code->on)
		return;
	code_window_sum(&code->window, &sum);
	code_page_show(&code->page, code->window.key.kind, &sum);
	update_callers(code);
}

/* Until the next samples come, the page shows the baseline itself: no difference. */
void code_screen_compare(struct app *app)
{
	struct code_screen *code = &app->code;
	struct code_sum then = {0};

	if (!code->on)
		return;
	if (app->display.baseline && code->page.sum.columns) {
		code_sum_add(&then, &code->page.sum);
		code_page_compare(&code->page, &then);
		code_window_clear(&code->window);
	} else {
		compare_with_snapshot(app);
	}
	update_callers(code);
}

void code_screen_zero(struct app *app)
{
	if (!app->code.on)
		return;
	code_window_clear(&app->code.window);
	code_screen_update(app);
}

void code_screen_request(struct app *app)
{
	struct code_screen *code = &app->code;

	if (code->on && app_screen_below(app) != &screen_code)
		code_screen_fini(code);
	bool wanted = code->on || column_choice_has(&app->preferences.columns, "hottest");
	unsigned hz = wanted && !app->replay.active ? app->config.frequency : 0;
	if (hz == code->requested_hz)
		return;
	code->requested_hz = hz;
	app_request(app, REQUEST_CODE, NULL, hz);
}

static void search_change(void *owner, const char *text, struct error *err)
{
	struct app *app = owner;
	struct code_page *page = &app->code.page;

	text_copy(app->search.text, sizeof(app->search.text), text);
	if (!text[0])
		page->table.selected = app->code.search_from;
	else if (!code_page_search(page, text, app->code.search_from))
		error_set(err, -1, "no match");
}

static void search_cancel(void *owner)
{
	struct app *app = owner;

	app->code.page.followed = 0;
	app->code.page.table.selected = app->code.search_from;
}

static void search_in_code(struct app *app)
{
	static const struct prompt_watch watch = {search_change, search_cancel, NULL};

	app->code.search_from = app->code.page.table.selected;
	prompt_open_watched(&app->prompt, "Search:", "", &watch);
}

static void search_on(struct app *app)
{
	struct code_page *page = &app->code.page;

	if (!app->search.text[0])
		search_in_code(app);
	else if (!code_page_search(page, app->search.text, page->table.selected + 1))
		messages_show(&app->messages, "No match for '%s'.", app->search.text);
}

static void turn_page(struct app *app, bool next)
{
	code_page_turn(&app->code.page, next);
	update_callers(&app->code);
}

/* Moves the open callers to the end of the path. */
static void keep_callers(struct code_screen *code)
{
	if (code->n_path == CODE_PATH_MAX) {
		code_callers_close(&code->path[0]);
		code->n_path--;
		memmove(code->path, code->path + 1, code->n_path * sizeof(*code->path));
	}
	code->path[code->n_path++] = code->callers;
	code->callers = (struct code_callers){0};
}

/* To the callers that Enter left, or to the list. */
static void leave_callers(struct code_screen *code)
{
	code_callers_close(&code->callers);
	if (code->n_path > 0)
		code->callers = code->path[--code->n_path];
	code_callers_update(&code->callers, &code->page);
}

static void open_callers(struct code_screen *code)
{
	const struct code_page_line *line = code_page_selected(&code->page);
	const struct code_function *function = line ? line->function : NULL;

	if (code->callers.function)
		function = code_callers_selected(&code->callers);
	else if (function)
		code->page.followed = code_page_id(function); /* for the way back */
	if (!function)
		return;
	if (code->callers.function)
		keep_callers(code);
	code_callers_open(&code->callers, &code->page, function);
}

static void leave_code(struct app *app)
{
	const struct screen *from = app->code.from;

	if (app->code.callers.function) {
		leave_callers(&app->code);
		return;
	}
	app_leave(app);
	if (from == &screen_detail && app->watch.on)
		app->screen = from;
}

static void toggle_all(struct app *app)
{
	struct code_screen *code = &app->code;

	if (!code->has_row)
		return;
	code->all = !code->all;
	code->page.followed = 0;
	code->page.table.selected = code->page.table.top = 0;
	begin(app);
}

/* Actions of the page that the list of callers does not have. */
static bool act_on_page(struct app *app, enum action action)
{
	if (action == ACTION_SEARCH)
		search_in_code(app);
	else if (action == ACTION_SEARCH_NEXT)
		search_on(app);
	else
		return code_page_act(&app->code.page, action);
	return true;
}

static bool code_act(struct app *app, enum action action)
{
	struct code_screen *code = &app->code;

	if (action == ACTION_LEAVE || action == ACTION_QUIT)
		leave_code(app);
	else if (action == ACTION_DETAIL)
		open_callers(code);
	else if (action == ACTION_CODE)
		toggle_all(app);
	else if (action == ACTION_RIGHT || action == ACTION_NEXT_SCREEN)
		turn_page(app, true);
	else if (action == ACTION_LEFT || action == ACTION_PREVIOUS_SCREEN)
		turn_page(app, false);
	else if (code->callers.function)
		return table_act(&code->callers.table, action);
	else
		return act_on_page(app, action);
	return true;
}

static bool click_tab(struct app *app, unsigned x, unsigned y)
{
	size_t tab = code_screen_tab_at(&app->code, x, y);

	if (tab == SIZE_MAX)
		return false;
	code_page_show_event(&app->code.page, tab);
	update_callers(&app->code);
	return true;
}

/* A click beside the list goes to the callers there, as Enter does. */
static bool click_callers(struct code_screen *code, unsigned x, unsigned y)
{
	struct code_callers *shown = code->callers.function ? &code->callers : &code->beside;
	const struct code_page_line *line = code_page_selected(&code->page);
	size_t at = code_callers_at(shown, x, y);

	if (at == SIZE_MAX)
		return false;
	if (shown == &code->beside && line)
		open_callers(code);
	code->callers.table.selected = at;
	return true;
}

static bool code_click(struct app *app, unsigned x, unsigned y)
{
	struct code_screen *code = &app->code;

	if (click_tab(app, x, y))
		return false;
	if ((code->is_wide || code->callers.function) && click_callers(code, x, y))
		return true;
	if (code->callers.function && !code->is_wide)
		return false;
	bool is_line = code_page_click(&code->page, x, y);
	if (is_line)
		close_callers(code);
	return is_line;
}

static const enum action code_bar[] = {
	ACTION_LEAVE,  ACTION_HELP,      ACTION_DETAIL, ACTION_CODE,    ACTION_NEXT_SCREEN,
	ACTION_SEARCH, ACTION_SORT_NEXT, ACTION_PAUSE,  ACTION_REVERSE, ACTION_NONE,
};

/* The list of callers cannot be searched or sorted. */
static const enum action callers_bar[] = {
	ACTION_LEAVE, ACTION_HELP, ACTION_DETAIL, ACTION_NEXT_SCREEN, ACTION_PAUSE, ACTION_NONE,
};

static const enum action *choose_bar(const struct app *app)
{
	return app->code.callers.function ? callers_bar : code_bar;
}

static const char *bar_label(const struct app *app, enum action action)
{
	const struct code_screen *code = &app->code;

	if (action == ACTION_DETAIL)
		return "Callers";
	if (action == ACTION_NEXT_SCREEN)
		return code_page_events(&code->page) > 1 ? "Event" : "";
	if (action == ACTION_CODE)
		return !code->has_row ? "" : code->all ? "Row" : "All";
	return NULL;
}

const struct screen screen_code = {
	.draw = code_screen_draw,
	.act = code_act,
	.click = code_click,
	.choose_bar = choose_bar,
	.bar_label = bar_label,
	.help = &code_screen_help,
};
