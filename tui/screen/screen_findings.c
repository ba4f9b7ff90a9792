// SPDX-License-Identifier: MIT
/*
 * All findings of the shown snapshot in their order, one line each: since when, and the
 * sentence. Below them the selected one in full.
 */
#include "core/base/text.h"
#include "core/base/util.h"
#include "tui/options/duration.h"
#include "tui/panel/frame.h"
#include "tui/screen/app.h"
#include "tui/screen/screen_code.h"
#include "tui/widget/page.h"

#include <stdio.h>
#include <string.h>

enum finding_column {
	COLUMN_SINCE,
	COLUMN_FOR,
	COLUMN_KIND,
	COLUMN_FINDING,
	COLUMNS,
};

static const struct view_column finding_columns[COLUMNS] = {
	[COLUMN_SINCE] = {.title = "SINCE", .width = 8, .weight = 80, .left = true},
	[COLUMN_FOR] = {.title = "FOR", .width = 6, .weight = 90},
	[COLUMN_KIND] = {.title = "KIND", .width = 8, .weight = 70, .left = true},
	[COLUMN_FINDING] = {.title = "FINDING", .width = 250, .least = 20, .left = true},
};

/* The time from the begin of its first interval to the end of this one. */
static void format_age(const struct finding *finding, const struct snapshot *snapshot, char *text,
		       size_t size)
{
	text_copy(text, size, "-");
	if (finding->since_ns > 0)
		duration_format_age(u64_growth(finding->since_ns, snapshot->realtime_ns), text,
				    size);
}

static void draw_finding(const void *data, size_t line, struct canvas *canvas,
			 const struct rect *places)
{
	const struct app *app = data;
	const struct finding *finding = &app->display.findings.items[line];
	bool is_verdict = finding->kind == FINDING_OF_VERDICT;
	char since[16], age[24];

	duration_format_time_of_day(finding->since_ns, "-", since, sizeof(since));
	format_age(finding, app->display.snapshot, age, sizeof(age));
	const char *const texts[COLUMNS] = {
		[COLUMN_SINCE] = since,
		[COLUMN_FOR] = age,
		[COLUMN_KIND] = is_verdict ? verdict_label(finding->verdict)
					   : finding_word(finding_number(finding)),
		[COLUMN_FINDING] = finding->text,
	};
	for (size_t i = 0; i < COLUMNS; i++)
		if (places[i].width > 0)
			table_text_draw(canvas, places[i], &finding_columns[i],
					i == COLUMN_FINDING ? frame_finding_style(finding)
							    : STYLE_PLAIN,
					texts[i]);
}

static struct table_rows finding_rows(const struct app *app)
{
	return (struct table_rows){
		.columns = finding_columns,
		.n_columns = COLUMNS,
		.n = app->display.snapshot ? app->display.findings.n : 0,
		.sorted = COLUMNS,
		.still = true,
		.draw = draw_finding,
		.data = app,
	};
}

static const struct finding *selected_finding(const struct app *app)
{
	size_t selected = app->findings.selected;

	return app->display.snapshot && selected < app->display.findings.n
		       ? &app->display.findings.items[selected]
		       : NULL;
}

/* The sentence, what its verdict means, and the keys that show more. */
static void draw_selected(const struct app *app, struct canvas *canvas, struct rect rect)
{
	const struct finding *finding = selected_finding(app);
	struct pen pen = {canvas, rect, 0, 0};
	char line[200], more[100];

	if (!finding || rect.height == 0)
		return;
	pen_wrap(&pen, 0, STYLE_PLAIN, finding->text);
	if (finding->verdict != VERDICT_NONE) {
		snprintf(line, sizeof(line), "%s: %s.", verdict_name(finding->verdict),
			 verdict_help(finding->verdict));
		pen_wrap(&pen, 0, STYLE_DIM, line);
	}
	if (finding->pid > 0) {
		keymap_phrase(&app->keymap, ACTION_DETAIL, "", " selects its row.", line,
			      sizeof(line));
		keymap_phrase(&app->keymap, ACTION_CODE, " ", " shows where its code runs.", more,
			      sizeof(more));
		snprintf(line + strlen(line), sizeof(line) - strlen(line), "%s", more);
		pen_wrap(&pen, 0, STYLE_DIM, line);
	}
}

static void findings_draw(struct app *app, struct canvas *canvas)
{
	struct rect body = app_draw_frame(app, canvas);
	struct table_rows rows = finding_rows(app);
	struct rect below = table_cut_free(&body, rows.n, 2);

	table_draw(&app->findings, canvas, body, &rows, "Nothing stands out.");
	draw_selected(app, canvas, below);
}

/* The line of the finding's thread or process, also if that is folded into it; SIZE_MAX: none. */
static size_t find_row(const struct view *view, const struct finding *finding)
{
	for (size_t i = 0; i < view->n; i++)
		for (size_t at = view->order[i]; at != SIZE_MAX;
		     at = view->above ? view->above[at] : SIZE_MAX) {
			const struct row *row = &view->rows->items[at];

			if (row->pid == finding->pid &&
			    (view->spec.by != ROLLUP_THREAD || row->tid == finding->tid))
				return i;
		}
	return SIZE_MAX;
}

/* Selects the row of the selected finding in the list of tasks. Returns false if there is none. */
static bool select_row(struct app *app)
{
	const struct finding *finding = selected_finding(app);
	struct list *list = &app->tasks;

	if (!finding || finding->pid <= 0) {
		messages_show(&app->messages, "This finding is not about one process.");
		return false;
	}
	if (rollup_is_of_groups(list->spec.by))
		list_roll_up(list, ROLLUP_PROCESS);
	size_t line = find_row(list_view(list, app->display.snapshot), finding);
	if (line == SIZE_MAX) {
		messages_show(&app->messages,
			      "Process %d has no row: it did not run, or the filter hides it.",
			      finding->pid);
		return false;
	}
	list_select(list, line);
	list_follow(list, app->display.snapshot);
	return true;
}

static bool findings_act(struct app *app, enum action action)
{
	if (action == ACTION_DETAIL || action == ACTION_CODE) {
		if (!select_row(app))
			return true;
		if (action == ACTION_CODE)
			code_screen_open(app);
		app_go_to(app, action == ACTION_CODE ? &screen_code : &screen_tasks);
	} else if (action == ACTION_LEAVE || action == ACTION_FINDINGS) {
		app_go_to(app, &screen_tasks);
	} else {
		return table_act(&app->findings, action);
	}
	return true;
}

static bool findings_click(struct app *app, unsigned x, unsigned y)
{
	struct table_rows rows = finding_rows(app);
	size_t line;

	if (table_at(&app->findings, &rows, x, y, &line) != TABLE_LINE)
		return false;
	app->findings.selected = line;
	return true;
}

static const enum action findings_bar[] = {
	ACTION_HELP,  ACTION_DETAIL, ACTION_CODE, ACTION_NEXT_SCREEN,
	ACTION_PAUSE, ACTION_QUIT,   ACTION_NONE,
};

const struct screen screen_findings = {
	.name = "Findings",
	.draw = findings_draw,
	.act = findings_act,
	.click = findings_click,
	.bar = findings_bar,
};
