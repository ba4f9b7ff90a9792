// SPDX-License-Identifier: MIT
/*
 * The functions of one row, or of the whole machine, with a tab for each sampled event. Samples are
 * collected from the moment the screen is opened until it is left. Enter goes on to the callers and
 * callees of a function.
 */
#include "tui/screen/screen_code.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/view/code_name.h"
#include "tui/options/duration.h"
#include "tui/screen/app.h"

#include <stdio.h>
#include <string.h>

enum {
	WITHOUT_MOST = 2, /* snapshots that may come before the first with samples, or: */
	TAB_FRAME = 2,    /* "[]" */
	NOTE_WIDTH = 27,
	CALLER_WIDTH = 30,
};

#define WITHOUT_NS (2 * NS_PER_S)

static struct history_key key_of_whole(const struct snapshot *snapshot)
{
	return history_key_of_all(snapshot && snapshot->target ? HISTORY_TARGET : HISTORY_MACHINE);
}

static struct history_key shown_key(const struct app *app)
{
	const struct code_screen *code = &app->code;

	return code->whole ? key_of_whole(app->display.snapshot) : code->subject.key;
}

/* A list or the details have a row, other screens have none. */
static void choose_subject(struct app *app)
{
	struct code_screen *code = &app->code;
	const struct snapshot *snapshot = app->display.snapshot;
	struct list *list = app_list(app);

	code->tree = false;
	if (app->screen == &screen_detail && app->watch.on) {
		code->subject = app->watch.subject;
		code->has_row = true;
	} else {
		code->has_row = list && snapshot &&
				screen_detail_subject(list_view(list, snapshot),
						      list->table.selected, &code->subject);
		code->tree = code->has_row && list->spec.by == ROLLUP_TREE;
	}
	code->whole = !code->has_row;
}

/* The baseline of all screens, if it has samples. */
static void compare_with_snapshot(struct app *app)
{
	const struct snapshot *baseline = app->display.baseline;
	const struct history_key key = shown_key(app);
	struct code_sum then = {0};

	if (baseline)
		code_sum_init(&then, baseline, &key, app->code.tree && !app->code.whole);
	code_page_compare(&app->code.page, &then);
}

/* Begins with the shown snapshot, which has samples already if a column needs them. */
static void begin(struct app *app)
{
	struct code_screen *code = &app->code;
	const struct history_key key = shown_key(app);

	code_callers_close(&code->callers);
	code_window_begin(&code->window, &key, code->tree && !code->whole);
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

	code_callers_close(&code->callers);
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
	const struct history_key key = key_of_whole(snapshot);

	if (code->whole && code->window.key.kind != key.kind)
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
	code_callers_update(&code->callers, &code->page);
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
	code_callers_update(&code->callers, &code->page);
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

	bool is_below_help = app->screen == &screen_help && app->help_from == &screen_code;

	if (code->on && app->screen != &screen_code && !is_below_help)
		code_screen_fini(code);
	bool wanted = code->on || column_choice_has(&app->preferences.columns, "hottest");
	unsigned hz = wanted && !app->replay.active ? app->preferences.frequency : 0;
	if (hz == code->requested_hz)
		return;
	code->requested_hz = hz;
	app_command(app, COMMAND_CODE, NULL, hz);
}

static void format_span(uint64_t ns, char *text, size_t size)
{
	if (ns < 10 * NS_PER_S)
		size -= text_fixed(text, size, (double)ns / (double)NS_PER_S, 1);
	else
		size -= text_fixed(text, size, (double)ns / (double)NS_PER_S, 0);
	text_copy(text + strlen(text), size, " s");
}

/* "process 4121 postgres" */
static void subject_title(const struct app *app, char *text, size_t size)
{
	const struct code_screen *code = &app->code;
	const struct snapshot *snapshot = app->display.snapshot;

	if (!code->whole) {
		detail_subject_title(&code->subject, text, size);
		if (code->tree)
			text_copy(text + strlen(text), size - strlen(text), " and descendants");
	} else {
		text_copy(text, size,
			  !snapshot || !snapshot->target ? "the machine"
			  : snapshot->targeted           ? "the target"
							 : "your tasks");
	}
}

/* "process 4121 postgres: cycles, 2,388 samples in 12 s" */
static void write_title(const struct app *app, char *text, size_t size)
{
	const struct code_page *page = &app->code.page;
	char subject[320], samples[40], span[40], lost[40], function[4 * CALLER_WIDTH];

	subject_title(app, subject, sizeof(subject));
	if (app->code.callers.function) {
		code_name(app->code.callers.name, CALLER_WIDTH, function, sizeof(function));
		size_t length = (size_t)snprintf(text, size, "%s in ", function);
		text += size_min(length, size);
		size -= size_min(length, size);
	}
	if (!page->sum.columns) {
		snprintf(text, size, "%s: code", subject);
		return;
	}
	text_grouped(samples, sizeof(samples), page->view.totals[page->event].samples);
	format_span(page->sum.interval_ns, span, sizeof(span));
	text_grouped(lost, sizeof(lost), page->sum.profile->lost);
	snprintf(text, size, "%s: %s, %s samples in %s%s%s%s", subject,
		 code_page_event(page, page->event), samples, span,
		 page->sum.profile->lost ? ", " : "", page->sum.profile->lost ? lost : "",
		 page->sum.profile->lost ? " lost" : "");
}

/* Returns a note about samples of functions, or NULL. */
static const char *note_of_samples(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->n_notes; i++)
		if (strcasestr(snapshot->notes[i], "functions"))
			return snapshot->notes[i];
	return NULL;
}

/* Why there are no samples at all. */
static void explain_no_samples(const struct app *app, char *text, size_t size)
{
	const struct snapshot *snapshot = app->display.snapshot;
	const char *note = snapshot ? note_of_samples(snapshot) : NULL;

	if (app->replay.active)
		text_copy(text, size, "The recording has no samples of code in this interval.");
	else if (app->code.window.without <= WITHOUT_MOST ||
		 app->code.window.without_ns <= WITHOUT_NS)
		text_copy(text, size,
			  "Sampling begins with this interval. Functions are shown at its end.");
	else
		snprintf(text, size, "No samples were taken. %s",
			 note ? note : "The message log (L) may have the reason.");
}

/* Why no function is shown. */
static void explain_empty(const struct app *app, char *text, size_t size)
{
	const struct code_page *page = &app->code.page;
	char span[40], time[40];

	if (!page->sum.columns) {
		explain_no_samples(app, text, size);
		return;
	}
	uint64_t ran_ns = page->sum.tally[TALLY_TASK_CLOCK];
	format_span(page->sum.interval_ns, span, sizeof(span));
	text_fixed(time, sizeof(time), (double)ran_ns / (double)NS_PER_MS, 1);
	if (app->code.subject.ended && !app->code.whole)
		snprintf(text, size, "It has ended, without a sample in the last %s.", span);
	else if (ran_ns == 0)
		snprintf(text, size, "It did not run in the last %s.", span);
	else
		snprintf(text, size, "It ran for %s ms in the last %s, without a sample of %s.",
			 time, span, code_page_event(page, page->event));
}

/* "[cycles] instructions": only the shown one, if there is no room for all. */
static void draw_tabs(const struct code_page *page, struct canvas *canvas, struct rect line)
{
	size_t n = code_page_events(page);
	unsigned width = 0, x = line.x, end = line.x + line.width;

	for (size_t i = 0; i < n; i++)
		width += text_width(code_page_event(page, i)) + TAB_FRAME;
	for (size_t i = 0; i < n; i++) {
		bool is_shown = i == page->event;
		char text[sizeof(page->event_name) * 3 + TAB_FRAME];

		if (width > line.width && !is_shown)
			continue;
		snprintf(text, sizeof(text), is_shown ? "[%s]" : " %s ", code_page_event(page, i));
		x += canvas_text_ellipsis(canvas, x, line.y, end - x,
					  is_shown ? STYLE_HEADER_SORT : STYLE_LABEL, text);
	}
	if (page->compares && x + NOTE_WIDTH < end)
		canvas_text_right(canvas, line.x, line.y, line.width, STYLE_WARN,
				  "change since the baseline");
}

/* A notice takes the place of the tabs, so that the lines below do not move. */
static void draw_head(const struct app *app, struct canvas *canvas, struct rect line)
{
	if (app->messages.notice[0])
		canvas_text_ellipsis(canvas, line.x, line.y, line.width, STYLE_BANNER,
				     app->messages.notice);
	else
		draw_tabs(&app->code.page, canvas, line);
}

static void code_draw(struct app *app, struct canvas *canvas)
{
	struct layout_want want = {.prompt = app->prompt.active};
	struct layout layout = layout_screen(canvas->width, canvas->height, &want);
	struct code_screen *code = &app->code;
	/* This screen has no totals: the body begins on their line. */
	struct rect body = {0, layout.totals.y, layout.body.width,
			    layout.body.y + layout.body.height - layout.totals.y};
	char title[600], empty[300] = "";

	write_title(app, title, sizeof(title));
	screen_detail_draw_title(app, canvas, layout.title, title);
	if (body.height > 3) {
		draw_head(app, canvas, (struct rect){body.x, body.y, body.width, 1});
		body.y++;
		body.height--;
	}
	if (code->page.n == 0)
		explain_empty(app, empty, sizeof(empty));
	if (code->callers.function && code->page.n > 0)
		code_callers_draw(&code->callers, canvas, body);
	else
		code_page_draw(&code->page, canvas, body, empty);
	app_draw_bottom(app, canvas, layout.bottom);
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
	code_callers_update(&app->code.callers, &app->code.page);
}

static void open_callers(struct code_screen *code)
{
	const struct code_page_line *line = code_page_selected(&code->page);
	const struct code_function *function = line ? line->function : NULL;

	if (code->callers.function)
		function = code_callers_selected(&code->callers);
	if (function)
		code_callers_open(&code->callers, &code->page, function);
}

static void leave_code(struct app *app)
{
	const struct screen *from = app->code.from;

	if (app->code.callers.function) {
		code_callers_close(&app->code.callers);
		return;
	}
	app_leave(app);
	if (from == &screen_detail && app->watch.on)
		app->screen = from;
}

static void toggle_whole(struct app *app)
{
	struct code_screen *code = &app->code;

	if (!code->has_row)
		return;
	code->whole = !code->whole;
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
		toggle_whole(app);
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

static bool code_click(struct app *app, unsigned x, unsigned y)
{
	struct code_screen *code = &app->code;
	struct table *table = code->callers.function ? &code->callers.table : &code->page.table;
	size_t line = table->top + (y - table->place.y);

	if (!rect_has(table->place, x, y) || line >= table->n)
		return false;
	table->selected = line;
	code->page.followed = 0;
	return true;
}

static const enum action code_bar[] = {
	ACTION_LEAVE,     ACTION_HELP,    ACTION_DETAIL, ACTION_SEARCH,
	ACTION_SORT_NEXT, ACTION_REVERSE, ACTION_PAUSE,  ACTION_NONE,
};

/* The list of callers cannot be searched or sorted. */
static const enum action callers_bar[] = {
	ACTION_LEAVE, ACTION_HELP, ACTION_DETAIL, ACTION_PAUSE, ACTION_NONE,
};

static const enum action *choose_bar(const struct app *app)
{
	return app->code.callers.function ? callers_bar : code_bar;
}

const struct screen screen_code = {
	.draw = code_draw,
	.act = code_act,
	.click = code_click,
	.choose_bar = choose_bar,
};
