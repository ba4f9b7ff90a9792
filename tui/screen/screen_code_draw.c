// SPDX-License-Identifier: MIT
/*
 * How the screen of code looks. A wide screen has the list and beside it the callers and callees:
 * of the selected function, or of the function that Enter went to, and then keys go there. A narrow
 * screen has one of both.
 */
#include "tui/screen/screen_code.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/view/code_name.h"
#include "tui/panel/note_lines.h"
#include "tui/screen/app.h"

#include <stdio.h>
#include <string.h>

enum {
	WITHOUT_MOST = 2, /* snapshots that may come before the first with samples, or: */
	TAB_FRAME = 2,    /* "[]" */
	NOTE_WIDTH = 27,
	CALLER_WIDTH = 30,
	PANE_GAP = 2,
	NOTES_BYTES = 1024,
	NOTED_HEIGHT = 6, /* a lower body has no line of notes */
	NOTES_LEAST = 2,  /* lines that notes may take from a long list */
};

#define WITHOUT_NS     (2 * NS_PER_S)
#define SAMPLING_NEEDS "pmctop --doctor has the command to sample them."

static void format_span(uint64_t ns, char *text, size_t size)
{
	if (ns < NS_PER_S / 10)
		size -= text_fixed(text, size, (double)ns / (double)NS_PER_S, 3);
	else if (ns < 10 * NS_PER_S)
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

	if (!code->all) {
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

/* ", ended: 2,388 samples in 12 s, 7 lost"; the event is the tab's. */
static void write_samples(const struct code_screen *code, char *text, size_t size)
{
	const struct code_page *page = &code->page;
	const struct columns *columns = page->sum.columns;
	bool has_ended = code->subject.ended && !code->all;
	const char *begin =
		has_ended && !(columns && columns_of_profile(columns)) ? ", ended: " : ": ";
	char samples[40], span[40], lost[40];

	if (!columns) {
		snprintf(text, size, "%scode", begin);
		return;
	}
	uint64_t n = page->view.totals[page->event].samples;
	text_grouped(samples, sizeof(samples), n);
	format_span(page->sum.interval_ns, span, sizeof(span));
	size_t length = (size_t)snprintf(text, size, "%s%s sample%s in %s", begin, samples,
					 n == 1 ? "" : "s", span);
	if (page->sum.profile->lost == 0 || length >= size)
		return;
	text_grouped(lost, sizeof(lost), page->sum.profile->lost);
	snprintf(text + length, size - length, ", %s lost", lost);
}

/* "hash_lookup in process 4121 postgres: 2,388 samples in 12 s" */
static void draw_title(const struct app *app, struct canvas *canvas, struct rect line)
{
	const struct code_screen *code = &app->code;
	char subject[320], samples[160], title[600], function[4 * CALLER_WIDTH] = "";

	subject_title(app, subject, sizeof(subject));
	write_samples(code, samples, sizeof(samples));
	if (code->callers.function)
		code_name(code->callers.name, CALLER_WIDTH, function, sizeof(function));
	snprintf(title, sizeof(title), "%s%s%s", function, function[0] ? " in " : "", subject);
	screen_detail_draw_title(app, canvas, line, title, samples);
}

/*
 * Writes the notes about names and samples of functions one after the other, "" if there is none. A
 * snapshot has the texts of notes alone. The texts of NOTE_CODE_NAMES, NOTE_CODE_RATE and
 * NOTE_CODE_UNSAMPLED have the word functions.
 */
static void write_notes(const struct snapshot *snapshot, char *text, size_t size)
{
	size_t length = 0;

	text[0] = '\0';
	for (size_t i = 0; snapshot && i < snapshot->n_notes; i++) {
		if (!strcasestr(snapshot->notes[i], "functions"))
			continue;
		text_copy(text + length, size - length, length ? " " : "");
		length = strlen(text);
		text_copy(text + length, size - length, snapshot->notes[i]);
		length = strlen(text);
	}
}

/* Why there are no samples at all. */
static void explain_no_samples(const struct app *app, char *text, size_t size)
{
	char notes[NOTES_BYTES];

	write_notes(app->display.snapshot, notes, sizeof(notes));
	if (app->replay.active)
		text_copy(text, size, "The recording has no samples of code in this interval.");
	else if (app->code.window.without <= WITHOUT_MOST ||
		 app->code.window.without_ns <= WITHOUT_NS)
		text_copy(text, size,
			  "Sampling begins with this interval. Functions are shown at its end.");
	else
		snprintf(text, size, "No samples were taken. %s",
			 notes[0] ? notes : "The message log (L) may have the reason.");
}

/* Returns why the row's tasks are never sampled, or NULL. A recording has no user to compare with.
 */
static const char *explain_unsampled(const struct app *app)
{
	const struct code_screen *code = &app->code;
	const struct snapshot *snapshot = app->display.snapshot;
	const struct row *row = &code->subject.row;
	enum history_kind kind = code->subject.key.kind;
	bool has_user = detail_subject_is_of_tasks(&code->subject) || kind == HISTORY_USER;

	if (code->all || !has_user || !snapshot || snapshot->mode != COUNT_MODE_TASK)
		return NULL;
	if (row->flags & ROW_KERNEL)
		return "Kernel threads are not sampled. " SAMPLING_NEEDS;
	if (!app->replay.active && row->uid != (uid_t)-1 && row->uid != app->config.uid)
		return "Tasks of other users are not sampled. " SAMPLING_NEEDS;
	return NULL;
}

/* Why no function is shown. */
static void explain_empty(const struct app *app, char *text, size_t size)
{
	const struct code_page *page = &app->code.page;
	const char *unsampled = explain_unsampled(app);
	char span[40], time[40];

	if (unsampled) {
		text_copy(text, size, unsampled);
		return;
	}
	if (!page->sum.columns) {
		explain_no_samples(app, text, size);
		return;
	}
	uint64_t ran_ns = page->sum.tally[TALLY_TASK_CLOCK];
	format_span(page->sum.interval_ns, span, sizeof(span));
	if (columns_of_profile(page->sum.columns)) {
		snprintf(text, size, "No sample of %s in %s.", code_page_event(page, page->event),
			 span);
		return;
	}
	text_fixed(time, sizeof(time), (double)ran_ns / (double)NS_PER_MS, 1);
	if (app->code.subject.ended && !app->code.all)
		snprintf(text, size, "It has ended, without a sample in the last %s.", span);
	else if (ran_ns == 0)
		snprintf(text, size, "It did not run in the last %s.", span);
	else
		snprintf(text, size, "It ran for %s ms in the last %s, without a sample of %s.",
			 time, span, code_page_event(page, page->event));
}

static unsigned tab_width(const struct code_page *page, size_t i)
{
	return text_width(code_page_event(page, i)) + TAB_FRAME;
}

/* The place of a tab: only the shown one has one if there is no room for all. */
static struct rect place_tab(const struct code_page *page, struct rect line, size_t tab)
{
	struct rect place = {line.x, line.y, 0, line.height};
	unsigned all = 0, before = 0;

	for (size_t i = 0; i < code_page_events(page); i++) {
		before += i < tab ? tab_width(page, i) : 0;
		all += tab_width(page, i);
	}
	if (all <= line.width) {
		place.x += before;
		place.width = tab_width(page, tab);
	} else if (tab == page->event) {
		place.width = (unsigned)size_min(tab_width(page, tab), line.width);
	}
	return place;
}

size_t code_screen_tab_at(const struct code_screen *code, unsigned x, unsigned y)
{
	size_t n = code_page_events(&code->page), found = SIZE_MAX;
	bool has_all = true;

	for (size_t i = 0; i < n; i++) {
		struct rect place = place_tab(&code->page, code->tabs, i);

		has_all &= place.width > 0;
		if (rect_has(place, x, y))
			found = i;
	}
	return found == SIZE_MAX || has_all ? found : (found + 1) % n;
}

/* "[cycles] instructions" */
static void draw_tabs(const struct code_page *page, struct canvas *canvas, struct rect line)
{
	unsigned end = line.x;

	for (size_t i = 0; i < code_page_events(page); i++) {
		bool is_shown = i == page->event;
		char text[sizeof(page->event_name) * 3 + TAB_FRAME];
		struct rect place = place_tab(page, line, i);

		if (place.width == 0)
			continue;
		snprintf(text, sizeof(text), is_shown ? "[%s]" : " %s ", code_page_event(page, i));
		canvas_text_ellipsis(canvas, place.x, place.y, place.width,
				     is_shown ? STYLE_HEADER_SORT : STYLE_LABEL, text);
		end = place.x + place.width;
	}
	if (page->compares && end + NOTE_WIDTH < line.x + line.width)
		canvas_text_right(canvas, line.x, line.y, line.width, STYLE_WARN,
				  "change since the baseline");
}

/* A notice takes the place of the tabs, so that the lines below do not move. */
static void draw_head(struct app *app, struct canvas *canvas, struct rect line)
{
	struct code_screen *code = &app->code;

	code->tabs = line;
	if (app->messages.notice[0]) {
		note_lines_draw(app->messages.notice, 0, canvas, line);
		code->tabs.width = 0;
	} else {
		draw_tabs(&code->page, canvas, line);
	}
}

/* The callers of the selected function, in code->beside; NULL if none is selected. */
static struct code_callers *update_beside(struct code_screen *code)
{
	const struct code_page_line *line = code_page_selected(&code->page);

	if (!line)
		return NULL;
	if (code->beside.function != code_page_id(line->function))
		code_callers_open(&code->beside, &code->page, line->function);
	code->beside.table.selected = TABLE_NO_LINE;
	return &code->beside;
}

/* While keys go to the pane, the selected line of the list has a sign in the gap before the pane.
 */
static void draw_aside_sign(const struct table *table, struct canvas *canvas)
{
	unsigned below_titles = table->place.height > 1 ? 1 : 0;

	if (table->selected < table->top || table->selected - table->top >= table->page)
		return;
	canvas_text(canvas, table->place.x + table->place.width,
		    table->place.y + below_titles + (unsigned)(table->selected - table->top), 1,
		    STYLE_KEY, canvas->ascii ? ">" : "▶");
}

static void draw_wide(struct code_screen *code, struct canvas *canvas, struct rect body)
{
	struct rect pane = body;

	body.width = body.width * 3 / 5;
	pane.x += body.width + PANE_GAP;
	pane.width -= body.width + PANE_GAP;
	code->page.table.aside = code->callers.function != 0;
	code_page_draw(&code->page, canvas, body, "");
	if (code->page.table.aside)
		draw_aside_sign(&code->page.table, canvas);
	struct code_callers *callers =
		code->callers.function ? &code->callers : update_beside(code);
	if (callers)
		code_callers_draw(callers, canvas, pane, true);
}

static void draw_body(struct app *app, struct canvas *canvas, struct rect body)
{
	struct code_screen *code = &app->code;
	char empty[NOTES_BYTES + 80] = "";

	if (code->page.n == 0)
		explain_empty(app, empty, sizeof(empty));
	code->page.table.aside = false;
	if (code->is_wide)
		draw_wide(code, canvas, body);
	else if (code->callers.function && code->page.n > 0)
		code_callers_draw(&code->callers, canvas, body, false);
	else
		code_page_draw(&code->page, canvas, body, empty);
}

/* The number of lines of the longest list that is shown, with its titles. */
static size_t listed_lines(const struct code_screen *code)
{
	size_t functions = 1 + code->page.n;
	size_t callers = code->callers.function ? code_callers_lines(&code->callers) : 0;

	return callers > 0 && (!code->is_wide || callers > functions) ? callers : functions;
}

/*
 * The notes and the hint on the last lines of the body, which is then without them: on all that the
 * list leaves free, if need be. If no function is shown, they are the text of the body.
 */
static void draw_notes(const struct app *app, struct canvas *canvas, struct rect *body)
{
	char notes[NOTES_BYTES];

	write_notes(app->display.snapshot, notes, sizeof(notes));
	if (app->code.page.hint) {
		size_t length = strlen(notes);

		snprintf(notes + length, sizeof(notes) - length, "%s%s", length ? " " : "",
			 app->code.page.hint);
	}
	if (!notes[0] || app->code.page.n == 0 || body->height < NOTED_HEIGHT)
		return;
	unsigned listed = (unsigned)size_min(listed_lines(&app->code), body->height - NOTES_LEAST);
	struct rect place = *body;
	place.height = note_lines(notes, 0, body->width, body->height - listed);
	body->height -= place.height;
	place.y += body->height;
	note_lines_draw(notes, 0, canvas, place);
}

void code_screen_draw(struct app *app, struct canvas *canvas)
{
	struct layout_want want = {.prompt = app->prompt.active};
	struct layout layout = layout_screen(canvas->width, canvas->height, &want);
	/* This screen has no totals: the body begins on their line. */
	struct rect body = {0, layout.totals.y, layout.body.width,
			    layout.body.y + layout.body.height - layout.totals.y};

	app->code.is_wide = app->code.page.n > 0 && canvas->width >= LAYOUT_WIDE;
	draw_title(app, canvas, layout.title);
	app->code.tabs = (struct rect){0};
	if (body.height > 3) {
		draw_head(app, canvas, (struct rect){body.x, body.y, body.width, 1});
		body.y++;
		body.height--;
	}
	draw_notes(app, canvas, &body);
	draw_body(app, canvas, body);
	app_draw_bottom(app, canvas, layout.bottom);
}
